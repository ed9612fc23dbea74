//! Numbers as text for people, in the `en` locale: what `toLocaleString` gives.
//!
//! The options are those of [Intl.NumberFormat](https://tc39.es/ecma402/#sec-intl-numberformat-constructor) that concern a number
//! alone: style (decimal, percent, currency), notation (standard, compact), digits, grouping and sign. Rounding is of the shortest decimal
//! text, halves away from zero.

use crate::number;
use crate::value::Value;
use crate::vm::{Completion, Vm};

/// How a number is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NumberFormat {
    style: Style,
    is_compact: bool,
    has_long_suffix: bool,
    minimum_integer_digits: usize,
    digits: Digits,
    grouping: Grouping,
    sign: SignDisplay,
    has_accounting_sign: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Style {
    Decimal,
    Percent,
    Currency { code: String, display: CurrencyDisplay },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CurrencyDisplay {
    Symbol,
    NarrowSymbol,
    Code,
    Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digits {
    Fraction {
        minimum: usize,
        maximum: usize,
    },
    Significant {
        minimum: usize,
        maximum: usize,
    },
    /// Two significant digits, or all of the integer part.
    Compact,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grouping {
    Never,
    /// Only when the first group would have two digits.
    AtLeastTwo,
    Always,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignDisplay {
    Auto,
    Always,
    Never,
    ExceptZero,
    Negative,
}

impl Default for NumberFormat {
    fn default() -> Self {
        NumberFormat {
            style: Style::Decimal,
            is_compact: false,
            has_long_suffix: false,
            minimum_integer_digits: 1,
            digits: Digits::Fraction { minimum: 0, maximum: 3 },
            grouping: Grouping::Always,
            sign: SignDisplay::Auto,
            has_accounting_sign: false,
        }
    }
}

impl NumberFormat {
    /// The format that the options of a program ask for.
    ///
    /// # Errors
    /// RangeErrors and TypeErrors for options that mean nothing; what their conversion throws.
    pub(crate) fn from_options(vm: &mut Vm, options: Value) -> Completion<NumberFormat> {
        if options.is_undefined() {
            return Ok(NumberFormat::default());
        }
        let options = vm.to_object(options)?;
        let options = vm.root(options);
        let style = text_option(vm, options, "style", &["decimal", "percent", "currency"])?;
        let style = match style.as_deref() {
            Some("percent") => Style::Percent,
            Some("currency") => currency_style(vm, options)?,
            _ => Style::Decimal,
        };
        let sign = text_option(vm, options, "currencySign", &["standard", "accounting"])?;
        let notation = text_option(vm, options, "notation", &["standard", "compact"])?;
        let is_compact = notation.as_deref() == Some("compact");
        let minimum_integer_digits = number_option(vm, options, "minimumIntegerDigits", 1, 21)?.unwrap_or(1);
        let digits = digit_options(vm, options, &style, is_compact)?;
        let suffix = text_option(vm, options, "compactDisplay", &["short", "long"])?;
        let default_grouping = if is_compact { Grouping::AtLeastTwo } else { Grouping::Always };
        let grouping = match option(vm, options, "useGrouping")? {
            value if value.is_undefined() => default_grouping,
            value if !vm.heap.to_boolean(value) => Grouping::Never,
            value => match value.as_string().map(|string| vm.heap.rust_string(string)).as_deref() {
                Some("min2") => Grouping::AtLeastTwo,
                Some("auto") => default_grouping,
                Some("false") => Grouping::Never,
                _ => Grouping::Always,
            },
        };
        let shown = text_option(vm, options, "signDisplay", &["auto", "always", "never", "exceptZero", "negative"])?;
        Ok(NumberFormat {
            style,
            is_compact,
            has_long_suffix: suffix.as_deref() == Some("long"),
            minimum_integer_digits,
            digits,
            grouping,
            sign: match shown.as_deref() {
                Some("always") => SignDisplay::Always,
                Some("never") => SignDisplay::Never,
                Some("exceptZero") => SignDisplay::ExceptZero,
                Some("negative") => SignDisplay::Negative,
                _ => SignDisplay::Auto,
            },
            has_accounting_sign: sign.as_deref() == Some("accounting"),
        })
    }

    /// The text of a number.
    pub(crate) fn format(&self, number: f64) -> String {
        if !number.is_finite() {
            let text = if number.is_nan() { "NaN" } else { "\u{221E}" };
            return self.with_sign(self.with_style(text), number.is_sign_negative() && !number.is_nan(), false);
        }
        let mut decimal = Decimal::new(number.abs());
        if matches!(self.style, Style::Percent) && !decimal.is_zero() {
            decimal.point += 2;
        }
        let mut suffix = "";
        if self.is_compact {
            let mut thousands = compact_thousands(&decimal);
            let mut scaled = decimal.scaled(-3 * thousands);
            scaled.round(self.digits);
            // Rounding may have made it a thousand of these.
            if scaled.point > 3 && thousands < 4 {
                thousands += 1;
                scaled = decimal.scaled(-3 * thousands);
                scaled.round(self.digits);
            }
            decimal = scaled;
            let suffixes = if self.has_long_suffix {
                ["", " thousand", " million", " billion", " trillion"]
            } else {
                ["", "K", "M", "B", "T"]
            };
            suffix = suffixes.get(thousands as usize).copied().unwrap_or_default();
        } else {
            decimal.round(self.digits);
        }
        let (integer, fraction) = decimal.parts(self.minimum_integer_digits, self.digits);
        let mut text = self.grouped(&integer);
        if !fraction.is_empty() {
            text.push('.');
            text.push_str(&fraction);
        }
        text.push_str(suffix);
        self.with_sign(self.with_style(&text), number.is_sign_negative(), decimal.is_zero())
    }

    fn grouped(&self, integer: &str) -> String {
        let is_grouped = match self.grouping {
            Grouping::Never => false,
            Grouping::AtLeastTwo => integer.len() > 4,
            Grouping::Always => true,
        };
        let mut grouped = String::with_capacity(integer.len() * 4 / 3 + 1);
        for (index, digit) in integer.chars().enumerate() {
            if is_grouped && index > 0 && (integer.len() - index).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        grouped
    }

    fn with_style(&self, text: &str) -> String {
        match &self.style {
            Style::Decimal => text.to_owned(),
            Style::Percent => format!("{text}%"),
            Style::Currency { code, display: CurrencyDisplay::Name } => format!("{text} {}", currency_name(code)),
            Style::Currency { code, display: CurrencyDisplay::Code } => format!("{code}\u{A0}{text}"),
            Style::Currency { code, display } => {
                let symbol = currency_symbol(code, *display == CurrencyDisplay::NarrowSymbol);
                // A symbol that ends in a letter is set apart.
                let space = if symbol.ends_with(|c: char| c.is_ascii_alphabetic()) { "\u{A0}" } else { "" };
                format!("{symbol}{space}{text}")
            }
        }
    }

    fn with_sign(&self, text: String, is_negative: bool, is_zero: bool) -> String {
        let shows_minus = is_negative
            && match self.sign {
                SignDisplay::Auto | SignDisplay::Always => true,
                SignDisplay::Never => false,
                SignDisplay::ExceptZero | SignDisplay::Negative => !is_zero,
            };
        let shows_plus = !is_negative
            && match self.sign {
                SignDisplay::Always => true,
                SignDisplay::ExceptZero => !is_zero,
                _ => false,
            };
        if shows_minus && self.has_accounting_sign && matches!(self.style, Style::Currency { .. }) {
            format!("({text})")
        } else if shows_minus {
            format!("-{text}")
        } else if shows_plus {
            format!("+{text}")
        } else {
            text
        }
    }
}

/// A number that is not negative: digits without leading or trailing zeros, the point after the first `point` of them.
#[derive(Clone, Debug)]
struct Decimal {
    digits: Vec<u8>,
    point: i32,
}

impl Decimal {
    fn new(magnitude: f64) -> Decimal {
        if magnitude == 0.0 {
            return Decimal { digits: Vec::new(), point: 0 };
        }
        let (digits, exponent) = number::shortest_digits(magnitude);
        Decimal { digits: digits.bytes().map(|digit| digit - b'0').collect(), point: exponent + 1 }
    }

    fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    fn scaled(&self, places: i32) -> Decimal {
        let point = if self.is_zero() { 0 } else { self.point + places };
        Decimal { digits: self.digits.clone(), point }
    }

    fn round(&mut self, digits: Digits) {
        let kept = match digits {
            Digits::Fraction { maximum, .. } => self.point + maximum as i32,
            Digits::Significant { maximum, .. } => maximum as i32,
            Digits::Compact => self.point.max(2),
        };
        let Ok(kept) = usize::try_from(kept) else {
            self.digits.clear();
            self.point = 0;
            return;
        };
        if kept >= self.digits.len() {
            return;
        }
        let is_up = self.digits[kept] >= 5;
        self.digits.truncate(kept);
        if is_up {
            while self.digits.last() == Some(&9) {
                self.digits.pop();
            }
            match self.digits.last_mut() {
                Some(digit) => *digit += 1,
                None => {
                    self.digits.push(1);
                    self.point += 1;
                }
            }
        }
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
    }

    /// The digits before and after the point.
    fn parts(&self, minimum_integer: usize, digits: Digits) -> (String, String) {
        let digit_at = |place: i32| {
            let digit = usize::try_from(place).ok().and_then(|place| self.digits.get(place)).copied().unwrap_or(0);
            char::from(b'0' + digit)
        };
        let integer: String = (0..self.point.max(0)).map(digit_at).collect();
        let minimum_integer = minimum_integer.max(1);
        let integer = format!("{integer:0>minimum_integer$}");
        let places = (self.digits.len() as i32 - self.point).max(0) * i32::from(!self.is_zero());
        let minimum_fraction = match digits {
            Digits::Fraction { minimum, .. } => minimum as i32,
            Digits::Significant { minimum, .. } => minimum as i32 - if self.is_zero() { 1 } else { self.point },
            Digits::Compact => 0,
        };
        let fraction = (0..places.max(minimum_fraction)).map(|place| digit_at(self.point + place)).collect();
        (integer, fraction)
    }
}

/// How many thousands are left out in compact notation.
fn compact_thousands(decimal: &Decimal) -> i32 {
    if decimal.is_zero() { 0 } else { ((decimal.point - 1).max(0) / 3).min(4) }
}

fn option(vm: &mut Vm, options: Value, name: &str) -> Completion<Value> {
    let key = vm.heap.key_from_str(name);
    vm.get_v(options, key)
}

/// GetOption for a string: <https://tc39.es/ecma402/#sec-getoption>
fn text_option(vm: &mut Vm, options: Value, name: &str, choice: &[&str]) -> Completion<Option<String>> {
    let value = option(vm, options, name)?;
    if value.is_undefined() {
        return Ok(None);
    }
    let string = vm.to_string(value)?;
    let text = vm.heap.rust_string(string);
    if choice.is_empty() || choice.contains(&text.as_str()) {
        return Ok(Some(text));
    }
    Err(vm.throw_range_error(format!(
        "Value {text} out of range for Number.prototype.toLocaleString options property {name}"
    )))
}

/// GetNumberOption: <https://tc39.es/ecma402/#sec-getnumberoption>
fn number_option(vm: &mut Vm, options: Value, name: &str, least: usize, most: usize) -> Completion<Option<usize>> {
    let value = option(vm, options, name)?;
    if value.is_undefined() {
        return Ok(None);
    }
    let number = vm.to_number(value)?;
    if !(least as f64..=most as f64).contains(&number) {
        return Err(vm.throw_range_error(format!("{name} value is out of range.")));
    }
    Ok(Some(number as usize))
}

/// SetNumberFormatDigitOptions: <https://tc39.es/ecma402/#sec-setnfdigitoptions>
fn digit_options(vm: &mut Vm, options: Value, style: &Style, is_compact: bool) -> Completion<Digits> {
    let minimum_fraction = number_option(vm, options, "minimumFractionDigits", 0, 100)?;
    let maximum_fraction = number_option(vm, options, "maximumFractionDigits", 0, 100)?;
    let minimum = number_option(vm, options, "minimumSignificantDigits", 1, 21)?;
    let maximum = number_option(vm, options, "maximumSignificantDigits", minimum.unwrap_or(1), 21)?;
    if minimum.is_some() || maximum.is_some() {
        return Ok(Digits::Significant { minimum: minimum.unwrap_or(1), maximum: maximum.unwrap_or(21) });
    }
    let (default_minimum, default_maximum) = match style {
        _ if is_compact && minimum_fraction.is_none() && maximum_fraction.is_none() => return Ok(Digits::Compact),
        _ if is_compact => (0, 0),
        Style::Decimal => (0, 3),
        Style::Percent => (0, 0),
        Style::Currency { code, .. } => {
            let digits = currency_digits(code);
            (digits, digits)
        }
    };
    let (minimum, maximum) = match (minimum_fraction, maximum_fraction) {
        (None, None) => (default_minimum, default_maximum),
        (Some(minimum), None) => (minimum, default_maximum.max(minimum)),
        (None, Some(maximum)) => (default_minimum.min(maximum), maximum),
        (Some(minimum), Some(maximum)) => (minimum, maximum),
    };
    if minimum > maximum {
        return Err(vm.throw_range_error("maximumFractionDigits value is out of range."));
    }
    Ok(Digits::Fraction { minimum, maximum })
}

fn currency_style(vm: &mut Vm, options: Value) -> Completion<Style> {
    let Some(code) = text_option(vm, options, "currency", &[])? else {
        return Err(vm.throw_type_error("Currency code is required with currency style."));
    };
    if code.len() != 3 || !code.bytes().all(|letter| letter.is_ascii_alphabetic()) {
        return Err(vm.throw_range_error(format!("Invalid currency code : {code}")));
    }
    let display = text_option(vm, options, "currencyDisplay", &["symbol", "narrowSymbol", "code", "name"])?;
    let display = match display.as_deref() {
        Some("narrowSymbol") => CurrencyDisplay::NarrowSymbol,
        Some("code") => CurrencyDisplay::Code,
        Some("name") => CurrencyDisplay::Name,
        _ => CurrencyDisplay::Symbol,
    };
    Ok(Style::Currency { code: code.to_ascii_uppercase(), display })
}

/// The digits of the minor unit ([ISO 4217](https://www.iso.org/iso-4217-currency-codes.html)).
fn currency_digits(code: &str) -> usize {
    match code {
        "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX" | "VND" | "VUV"
        | "XAF" | "XOF" | "XPF" => 0,
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
        _ => 2,
    }
}

fn currency_symbol(code: &str, is_narrow: bool) -> &str {
    match code {
        "USD" => "$",
        "EUR" => "€",
        "GBP" => "£",
        "JPY" => "¥",
        "INR" => "₹",
        "KRW" => "₩",
        "ILS" => "₪",
        "VND" => "₫",
        "PHP" => "₱",
        "AUD" | "CAD" | "HKD" | "MXN" | "NZD" | "TWD" if is_narrow => "$",
        "CNY" if is_narrow => "¥",
        "AUD" => "A$",
        "BRL" => "R$",
        "CAD" => "CA$",
        "CNY" => "CN¥",
        "HKD" => "HK$",
        "MXN" => "MX$",
        "NZD" => "NZ$",
        "TWD" => "NT$",
        other => other,
    }
}

fn currency_name(code: &str) -> &str {
    match code {
        "USD" => "US dollars",
        "EUR" => "euros",
        "GBP" => "British pounds",
        "JPY" => "Japanese yen",
        "CNY" => "Chinese yuan",
        "CHF" => "Swiss francs",
        "INR" => "Indian rupees",
        "CAD" => "Canadian dollars",
        "AUD" => "Australian dollars",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_format() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (999.0, "999"),
            (1234567.891, "1,234,567.891"),
            (0.0005, "0.001"),
            (1.0005, "1.001"),
            (-1000.5, "-1,000.5"),
            (1e21, "1,000,000,000,000,000,000,000"),
            (1e-7, "0"),
            (f64::INFINITY, "∞"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(NumberFormat::default().format(number), text);
        }
    }

    #[test]
    fn digits_and_styles() {
        let fraction = |minimum, maximum| NumberFormat {
            digits: Digits::Fraction { minimum, maximum },
            ..NumberFormat::default()
        };
        assert_eq!(fraction(0, 2).format(1.005), "1.01");
        assert_eq!(fraction(0, 0).format(-2.5), "-3");
        assert_eq!(fraction(2, 2).format(999.999), "1,000.00");
        assert_eq!(fraction(0, 0).format(0.4), "0");
        let significant = |minimum, maximum| NumberFormat {
            digits: Digits::Significant { minimum, maximum },
            ..NumberFormat::default()
        };
        assert_eq!(significant(1, 3).format(123456.789), "123,000");
        assert_eq!(significant(5, 5).format(123.0), "123.00");
        assert_eq!(significant(1, 2).format(0.000001234), "0.0000012");
        assert_eq!(significant(3, 3).format(0.0), "0.00");
        let percent = NumberFormat { style: Style::Percent, ..fraction(0, 0) };
        assert_eq!(percent.format(0.256), "26%");
        let dollars =
            |display| NumberFormat { style: Style::Currency { code: "USD".into(), display }, ..fraction(2, 2) };
        assert_eq!(dollars(CurrencyDisplay::Symbol).format(-1234.5), "-$1,234.50");
        assert_eq!(dollars(CurrencyDisplay::Code).format(5.0), "USD\u{A0}5.00");
        let compact = |has_long_suffix| NumberFormat {
            is_compact: true,
            has_long_suffix,
            digits: Digits::Compact,
            grouping: Grouping::AtLeastTwo,
            ..NumberFormat::default()
        };
        for (number, text) in
            [(1234567.0, "1.2M"), (1500.0, "1.5K"), (999999.0, "1M"), (12.5e9, "13B"), (999.0, "999"), (1e15, "1000T")]
        {
            assert_eq!(compact(false).format(number), text);
        }
        assert_eq!(compact(true).format(1234567.0), "1.2 million");
    }
}
