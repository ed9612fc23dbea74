//! Time values and the calendar: <https://tc39.es/ecma262/#sec-overview-of-date-objects-and-definitions-of-abstract-operations>.

/// Milliseconds of a day.
pub const MS_PER_DAY: f64 = 86_400_000.0;
/// Milliseconds of a minute.
pub const MS_PER_MINUTE: f64 = 60_000.0;
/// The greatest time value.
const MAX_TIME: f64 = 8.64e15;
/// Days of 400 years of the Gregorian calendar.
const DAYS_PER_ERA: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH_DAYS: i64 = 719_468;

/// A time taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// Astronomical year: 0 is 1 BC.
    pub year: i64,
    /// 0 to 11.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
    /// 0 to 23.
    pub hour: i64,
    /// 0 to 59.
    pub minute: i64,
    /// 0 to 59.
    pub second: i64,
    /// 0 to 999.
    pub millisecond: i64,
    /// 0 is Sunday.
    pub weekday: i64,
}

impl Fields {
    /// The fields of a finite time value.
    pub fn of(time: f64) -> Fields {
        let time = time as i64;
        let days = time.div_euclid(MS_PER_DAY as i64);
        let rest = time.rem_euclid(MS_PER_DAY as i64);
        let (year, month, day) = date_of_days(days);
        Fields {
            year,
            month,
            day,
            hour: rest / 3_600_000,
            minute: rest / 60_000 % 60,
            second: rest / 1000 % 60,
            millisecond: rest % 1000,
            // 1970-01-01 was a Thursday.
            weekday: (days + 4).rem_euclid(7),
        }
    }
}

/// Year, month (0 to 11) and day of the month of a day number. Years are counted from March here, so that leap days come last.
fn date_of_days(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH_DAYS;
    let era = days.div_euclid(DAYS_PER_ERA);
    let day_of_era = days.rem_euclid(DAYS_PER_ERA);
    // Take the leap days out: one each 4 years but the last of a century, one at the end of the era.
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months from March on have 153 days in each five.
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = (march_month + 2) % 12;
    let year = era * 400 + year_of_era + i64::from(month < 2);
    (year, month, day)
}

/// The day number of the first of a month (0 to 11).
fn days_of_month(year: i64, month: i64) -> i64 {
    let march_year = if month < 2 { year - 1 } else { year };
    let march_month = (month + 10) % 12;
    let era = march_year.div_euclid(400);
    let year_of_era = march_year.rem_euclid(400);
    let day_of_year = (153 * march_month + 2) / 5;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_PER_ERA + day_of_era - EPOCH_DAYS
}

/// MakeTime ( hour, min, sec, ms ) <https://tc39.es/ecma262/#sec-maketime>
pub fn make_time(hour: f64, minute: f64, second: f64, millisecond: f64) -> f64 {
    if ![hour, minute, second, millisecond].iter().all(|part| part.is_finite()) {
        return f64::NAN;
    }
    hour.trunc() * 3_600_000.0 + minute.trunc() * MS_PER_MINUTE + second.trunc() * 1000.0 + millisecond.trunc()
}

/// MakeDay ( year, month, date ) <https://tc39.es/ecma262/#sec-makeday>
pub fn make_day(year: f64, month: f64, date: f64) -> f64 {
    if !year.is_finite() || !month.is_finite() || !date.is_finite() {
        return f64::NAN;
    }
    let (year, month, date) = (year.trunc(), month.trunc(), date.trunc());
    let year = year + (month / 12.0).floor();
    if year.abs() > 400_000.0 {
        return f64::NAN;
    }
    days_of_month(year as i64, month.rem_euclid(12.0) as i64) as f64 + date - 1.0
}

/// MakeDate ( day, time ) <https://tc39.es/ecma262/#sec-makedate>
pub fn make_date(day: f64, time: f64) -> f64 {
    let date = day * MS_PER_DAY + time;
    if day.is_finite() && time.is_finite() && date.is_finite() { date } else { f64::NAN }
}

/// MakeFullYear ( year ) <https://tc39.es/ecma262/#sec-makefullyear>
pub fn make_full_year(year: f64) -> f64 {
    let truncated = year.trunc();
    if (0.0..=99.0).contains(&truncated) { 1900.0 + truncated } else { truncated }
}

/// TimeClip ( time ) <https://tc39.es/ecma262/#sec-timeclip>
pub fn time_clip(time: f64) -> f64 {
    // Adding 0 turns -0 into +0.
    if time.abs() <= MAX_TIME { time.trunc() + 0.0 } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_inverse() {
        for days in (-100_000_000..=100_000_000).step_by(9973).chain(-1000..1000).chain(10_000..25_000) {
            let (year, month, day) = date_of_days(days);
            assert_eq!(days_of_month(year, month) + day - 1, days);
            assert!((0..12).contains(&month) && (1..=31).contains(&day));
        }
        assert_eq!(date_of_days(0), (1970, 0, 1));
        assert_eq!(date_of_days(-1), (1969, 11, 31));
        assert_eq!(date_of_days(11_016), (2000, 1, 29));
        assert_eq!(date_of_days(-100_000_000), (-271_821, 3, 20));
    }

    #[test]
    fn parts_overflow_into_greater_ones() {
        assert_eq!(make_day(2020.0, 12.0, 1.0), make_day(2021.0, 0.0, 1.0));
        assert_eq!(make_day(2020.0, -1.0, 31.0), make_day(2019.0, 11.0, 31.0));
        assert_eq!(make_day(2020.0, 1.0, 30.0), make_day(2020.0, 2.0, 1.0));
        assert!(make_day(1e9, 0.0, 1.0).is_nan());
        assert!(time_clip(8.64e15 + 1.0).is_nan());
    }
}
