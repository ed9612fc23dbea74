//! Texts of dates: the formats of `Date.prototype` and what `Date.parse` understands.

use crate::builtins::date_calendar::{Fields, make_date, make_day, make_time};

const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A time that was parsed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParsedTime {
    /// As if it were UTC.
    pub time: f64,
    /// Offset from UTC in minutes; None for local time.
    pub offset_minutes: Option<f64>,
}

/// `2026-12-01T16:00:00.000Z`
pub fn iso_string(f: &Fields) -> String {
    let year = if (0..=9999).contains(&f.year) {
        format!("{:04}", f.year)
    } else {
        format!("{}{:06}", if f.year < 0 { '-' } else { '+' }, f.year.abs())
    };
    format!(
        "{year}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        f.month + 1,
        f.day,
        f.hour,
        f.minute,
        f.second,
        f.millisecond
    )
}

/// `Tue Dec 01 2026`: DateString ( tv ) <https://tc39.es/ecma262/#sec-datestring>
pub fn date_string(f: &Fields) -> String {
    format!("{} {} {:02} {}", weekday(f), month(f), f.day, signed_year(f))
}

/// `16:00:00 GMT+0100`: TimeString and TimeZoneString <https://tc39.es/ecma262/#sec-timestring>
pub fn time_string(f: &Fields, offset_minutes: f64) -> String {
    let sign = if offset_minutes < 0.0 { '-' } else { '+' };
    let offset = offset_minutes.abs() as i64;
    let name = if offset == 0 { " (Coordinated Universal Time)" } else { "" };
    format!("{:02}:{:02}:{:02} GMT{sign}{:02}{:02}{name}", f.hour, f.minute, f.second, offset / 60, offset % 60)
}

/// `Tue, 01 Dec 2026 16:00:00 GMT`
pub fn utc_string(f: &Fields) -> String {
    format!(
        "{}, {:02} {} {} {:02}:{:02}:{:02} GMT",
        weekday(f),
        f.day,
        month(f),
        signed_year(f),
        f.hour,
        f.minute,
        f.second
    )
}

/// `12/1/2026`
pub fn english_date(f: &Fields) -> String {
    format!("{}/{}/{}", f.month + 1, f.day, f.year)
}

/// `4:00:00 PM`
pub fn english_time(f: &Fields) -> String {
    let hour = if f.hour % 12 == 0 { 12 } else { f.hour % 12 };
    let half = if f.hour < 12 { "AM" } else { "PM" };
    format!("{hour}:{:02}:{:02} {half}", f.minute, f.second)
}

fn weekday(f: &Fields) -> &'static str {
    WEEKDAYS[f.weekday.rem_euclid(7) as usize]
}

fn month(f: &Fields) -> &'static str {
    MONTHS[f.month.rem_euclid(12) as usize]
}

fn signed_year(f: &Fields) -> String {
    format!("{}{:04}", if f.year < 0 { "-" } else { "" }, f.year.abs())
}

/// Understands the interchange format <https://tc39.es/ecma262/#sec-date-time-string-format>, what `toString` and `toUTCString` give, and
/// the usual ways to write dates with month names, slashes or dashes.
pub fn parse(text: &str) -> Option<ParsedTime> {
    let text = text.trim().as_bytes();
    let mut parser = IsoParser { text, at: 0, has_time: false };
    // What has a signed year or a `T` after the date is in this format, or wrong.
    match parser.parse() {
        None if matches!(text, [b'+' | b'-', ..]) || parser.has_time => None,
        parsed => parsed.or_else(|| parse_free(text)),
    }
}

/// The parser of the interchange format.
struct IsoParser<'a> {
    text: &'a [u8],
    at: usize,
    /// There is a `T` after a date.
    has_time: bool,
}

impl IsoParser<'_> {
    fn parse(&mut self) -> Option<ParsedTime> {
        let year = match self.peek() {
            Some(sign @ (b'+' | b'-')) => {
                self.at += 1;
                let year = self.digits(6)?;
                // -000000 is not allowed.
                if sign == b'-' && year == 0.0 {
                    return None;
                }
                if sign == b'-' { -year } else { year }
            }
            _ => self.digits(4)?,
        };
        let (mut month, mut day) = (1.0, 1.0);
        if self.skip(b'-') {
            month = self.digits(2)?;
            if self.skip(b'-') {
                day = self.digits(2)?;
            }
        }
        let day = checked_day(year, month, day)?;
        if self.at == self.text.len() {
            // Dates without a time are UTC.
            return Some(ParsedTime { time: make_date(day, 0.0), offset_minutes: Some(0.0) });
        }
        self.has_time = self.skip(b'T') || self.skip(b't');
        if !self.has_time {
            return None;
        }
        let time = self.time()?;
        let offset_minutes = self.offset()?;
        (self.at == self.text.len()).then_some(ParsedTime { time: make_date(day, time), offset_minutes })
    }

    fn time(&mut self) -> Option<f64> {
        let hour = self.digits(2)?;
        if !self.skip(b':') {
            return None;
        }
        let minute = self.digits(2)?;
        let (mut second, mut millisecond) = (0.0, 0.0);
        if self.skip(b':') {
            second = self.digits(2)?;
            if self.skip(b'.') {
                millisecond = self.fraction()?;
            }
        }
        checked_time(hour, minute, second, millisecond)
    }

    fn offset(&mut self) -> Option<Option<f64>> {
        if self.skip(b'Z') || self.skip(b'z') {
            return Some(Some(0.0));
        }
        let sign = match self.peek() {
            Some(b'+') => 1.0,
            Some(b'-') => -1.0,
            _ => return Some(None),
        };
        self.at += 1;
        let hours = self.digits(2)?;
        self.skip(b':');
        let minutes = self.digits(2)?;
        (hours <= 23.0 && minutes <= 59.0).then_some(Some(sign * (hours * 60.0 + minutes)))
    }

    /// Digits of a fraction of a second, as whole milliseconds.
    fn fraction(&mut self) -> Option<f64> {
        let start = self.at;
        let (mut value, mut scale) = (0.0, 100.0);
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            if scale >= 1.0 {
                value += f64::from(digit - b'0') * scale;
                scale /= 10.0;
            }
            self.at += 1;
        }
        (self.at > start).then_some(value)
    }

    fn digits(&mut self, count: usize) -> Option<f64> {
        let mut value = 0.0;
        for _ in 0..count {
            let digit = self.peek().filter(u8::is_ascii_digit)?;
            value = value * 10.0 + f64::from(digit - b'0');
            self.at += 1;
        }
        Some(value)
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }
}

fn checked_day(year: f64, month: f64, day: f64) -> Option<f64> {
    ((1.0..=12.0).contains(&month) && (1.0..=31.0).contains(&day)).then(|| make_day(year, month - 1.0, day))
}

fn checked_time(hour: f64, minute: f64, second: f64, millisecond: f64) -> Option<f64> {
    let is_midnight = hour == 24.0 && minute == 0.0 && second == 0.0 && millisecond == 0.0;
    let is_valid = is_midnight || (hour <= 23.0 && minute <= 59.0 && second <= 59.0);
    is_valid.then(|| make_time(hour, minute, second, millisecond))
}

/// What a text in no fixed format has told so far.
#[derive(Default)]
struct Found {
    /// Numbers that are parts of the date, with the number of their digits.
    numbers: Vec<(f64, usize)>,
    month: Option<usize>,
    /// Hour, minute, second, millisecond.
    time: Option<[f64; 4]>,
    is_afternoon: Option<bool>,
    offset: Option<f64>,
    /// An offset may follow: there was a time or a `GMT`.
    expects_offset: bool,
}

/// Parses dates in the formats that people and other programs write.
fn parse_free(text: &[u8]) -> Option<ParsedTime> {
    let mut found = Found::default();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'(' => at = skip_comment(text, at),
            b'0'..=b'9' => at = number(text, at, &mut found)?,
            b'+' | b'-' if found.expects_offset && found.offset.is_none_or(|offset| offset == 0.0) => {
                at = offset(text, at, &mut found)?;
            }
            byte if byte.is_ascii_alphabetic() => at = word(text, at, &mut found)?,
            b' ' | b',' | b'/' | b'-' | b'.' | b'\t' | b'\n' | b'\r' | b')' | b'\'' => at += 1,
            // Other spaces, such as the one that ICU puts before AM and PM.
            0xE2 if text.get(at..at + 3) == Some("\u{202F}".as_bytes()) => at += 3,
            0xC2 if text.get(at..at + 2) == Some("\u{A0}".as_bytes()) => at += 2,
            _ => return None,
        }
    }
    resolve(&found)
}

/// The position after a comment in parentheses.
fn skip_comment(text: &[u8], start: usize) -> usize {
    let mut depth = 0;
    for (at, &byte) in text.iter().enumerate().skip(start) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

fn digits(text: &[u8], start: usize) -> (f64, usize) {
    let mut at = start;
    let mut value = 0.0;
    while let Some(digit @ b'0'..=b'9') = text.get(at) {
        value = value * 10.0 + f64::from(digit - b'0');
        at += 1;
    }
    (value, at)
}

/// A number: part of the date, or with a colon the time.
fn number(text: &[u8], start: usize, found: &mut Found) -> Option<usize> {
    let (value, mut at) = digits(text, start);
    if text.get(at) != Some(&b':') {
        if found.numbers.len() == 3 {
            return None;
        }
        found.numbers.push((value, at - start));
        return Some(at);
    }
    if found.time.is_some() {
        return None;
    }
    let mut time = [value, 0.0, 0.0, 0.0];
    for part in &mut time[1..3] {
        if text.get(at) != Some(&b':') {
            break;
        }
        let (value, end) = digits(text, at + 1);
        if end == at + 1 {
            return None;
        }
        *part = value;
        at = end;
    }
    if text.get(at) == Some(&b'.') && text.get(at + 1).is_some_and(u8::is_ascii_digit) {
        let mut parser = IsoParser { text, at: at + 1, has_time: false };
        time[3] = parser.fraction()?;
        at = parser.at;
    }
    found.time = Some(time);
    found.expects_offset = true;
    Some(at)
}

/// `+hhmm`, `+hh:mm` or `+hh`.
fn offset(text: &[u8], start: usize, found: &mut Found) -> Option<usize> {
    let sign = if text.get(start) == Some(&b'-') { -1.0 } else { 1.0 };
    let (value, mut at) = digits(text, start + 1);
    let minutes = match at - start - 1 {
        0 => return None,
        1 | 2 => {
            let mut minutes = value * 60.0;
            if text.get(at) == Some(&b':') {
                let (more, end) = digits(text, at + 1);
                minutes += more;
                at = end;
            }
            minutes
        }
        3 | 4 => (value / 100.0).floor() * 60.0 + value % 100.0,
        _ => return None,
    };
    found.offset = Some(sign * minutes);
    found.expects_offset = false;
    Some(at)
}

/// A name of a month, weekday or time zone, or a half of the day.
fn word(text: &[u8], start: usize, found: &mut Found) -> Option<usize> {
    let length = text[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let end = start + length;
    let word = String::from_utf8_lossy(&text[start..end]).to_ascii_lowercase();
    let three = word.get(..3).unwrap_or(&word);
    let is_prefix = |name: &&str| name.eq_ignore_ascii_case(three);
    match word.as_str() {
        "am" | "pm" => {
            found.time?;
            found.is_afternoon = Some(word == "pm");
        }
        "z" | "utc" | "gmt" | "ut" => {
            found.offset = Some(0.0);
            found.expects_offset = true;
        }
        "est" | "edt" | "cst" | "cdt" | "mst" | "mdt" | "pst" | "pdt" => {
            let standard = match word.as_bytes()[0] {
                b'e' => -5.0,
                b'c' => -6.0,
                b'm' => -7.0,
                _ => -8.0,
            };
            found.offset = Some((standard + f64::from(u8::from(word.as_bytes()[1] == b'd'))) * 60.0);
        }
        _ => {
            if let Some(month) = MONTHS.iter().position(|name| is_prefix(&name)) {
                if found.month.is_some() {
                    return None;
                }
                found.month = Some(month);
            } else if !WEEKDAYS.iter().any(|name| is_prefix(&name))
                && !(found.numbers.is_empty() && found.time.is_none())
            {
                // Unknown words may only stand in front.
                return None;
            }
        }
    }
    Some(end)
}

/// Puts together what was found.
fn resolve(found: &Found) -> Option<ParsedTime> {
    /// The year of dates that do not name one.
    const DEFAULT_YEAR: (f64, usize) = (2001.0, 4);
    let is_year = |&(value, digits): &(f64, usize)| digits >= 3 || value > 31.0;
    let numbers = found.numbers.as_slice();
    let (year, month, day) = match (found.month, numbers) {
        (Some(month), [day]) if !is_year(day) => (DEFAULT_YEAR, month as f64 + 1.0, day.0),
        (Some(month), [year]) => (*year, month as f64 + 1.0, 1.0),
        (Some(month), [year, day]) if is_year(year) => (*year, month as f64 + 1.0, day.0),
        (Some(month), [day, year]) => (*year, month as f64 + 1.0, day.0),
        (None, [year, month, day]) if is_year(year) => (*year, month.0, day.0),
        (None, [month, day, year]) => (*year, month.0, day.0),
        (None, [year, month]) if is_year(year) => (*year, month.0, 1.0),
        (None, [month, day]) => (DEFAULT_YEAR, month.0, day.0),
        (None, [year]) if is_year(year) => (*year, 1.0, 1.0),
        (None, [month]) => (DEFAULT_YEAR, month.0, 1.0),
        _ => return None,
    };
    let year = match year {
        (value, digits) if digits <= 2 && value <= 49.0 => value + 2000.0,
        (value, digits) if digits <= 2 && value <= 99.0 => value + 1900.0,
        (value, _) => value,
    };
    let [mut hour, minute, second, millisecond] = found.time.unwrap_or_default();
    if let Some(is_afternoon) = found.is_afternoon {
        if !(1.0..=12.0).contains(&hour) {
            return None;
        }
        hour = hour % 12.0 + if is_afternoon { 12.0 } else { 0.0 };
    }
    let time = checked_time(hour, minute, second, millisecond)?;
    let day = checked_day(year, month, day)?;
    Some(ParsedTime { time: make_date(day, time), offset_minutes: found.offset })
}
