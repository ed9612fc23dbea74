//! Numbers as decimal text.
//!
//! The digits of `toFixed`, `toExponential` and `toPrecision` are exact: the standard library formats a double with any number of
//! digits, correctly rounded, with ties to even. ECMA-262 rounds ties up in magnitude; a tie is found by looking at the binary
//! exponent, and then one digit more, which is exact, is formatted and rounded here.

use crate::heap::{Gc, Heap};
use crate::string::JsString;
use std::ops::Deref;

const CAPACITY: usize = 32;

/// The decimal text of a Number, kept on the stack.
#[derive(Debug, Clone)]
pub struct NumberText {
    buffer: [u8; CAPACITY],
    start: usize,
    end: usize,
}

impl Deref for NumberText {
    type Target = str;

    fn deref(&self) -> &str {
        std::str::from_utf8(&self.buffer[self.start..self.end]).unwrap_or_default()
    }
}

impl NumberText {
    fn from_text(text: &str) -> NumberText {
        let mut buffer = [0; CAPACITY];
        let end = text.len().min(CAPACITY);
        buffer[..end].copy_from_slice(&text.as_bytes()[..end]);
        NumberText { buffer, start: 0, end }
    }

    fn from_integer(value: i64) -> NumberText {
        let mut buffer = [0; CAPACITY];
        let mut start = CAPACITY;
        let mut rest = value.unsigned_abs();
        loop {
            start -= 1;
            buffer[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if value < 0 {
            start -= 1;
            buffer[start] = b'-';
        }
        NumberText { buffer, start, end: CAPACITY }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self
    }

    /// The text as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }
}

/// [Number::toString](https://tc39.es/ecma262/#sec-numeric-types-number-tostring) in base ten.
pub fn to_string(number: f64) -> NumberText {
    // Up to 2^53 every integer is its own shortest text.
    const SAFE: f64 = 9_007_199_254_740_992.0;
    if number.abs() <= SAFE {
        let integer = number as i64;
        if integer as f64 == number {
            return NumberText::from_integer(integer);
        }
    }
    NumberText::from_text(ryu_js::Buffer::new().format(number))
}

impl Heap {
    /// The String value of a Number. [Number::toString](https://tc39.es/ecma262/#sec-numeric-types-number-tostring)
    pub fn number_to_string(&mut self, number: f64) -> Gc<JsString> {
        if (0.0..10.0).contains(&number) && number.trunc() == number {
            return self.single_char(u16::from(b'0' + number as u8));
        }
        let text = to_string(number);
        self.new_string_latin1(text.as_bytes())
    }
}

/// The digits of [Number.prototype.toFixed](https://tc39.es/ecma262/#sec-number.prototype.tofixed) for a `digits` of at most 100.
pub fn to_fixed(number: f64, digits: u32) -> String {
    if !number.is_finite() || number.abs() >= 1e21 {
        return to_string(number).as_str().to_owned();
    }
    let magnitude = number.abs();
    let text = if is_tie(magnitude, i64::from(digits)) {
        let exact = format!("{magnitude:.*}", digits as usize + 1);
        round_up_last_digit(&exact)
    } else {
        format!("{magnitude:.*}", digits as usize)
    };
    // The sign is that of the number, so that -0.0000001.toFixed(2) is "-0.00"; but -0 itself has none.
    if number < 0.0 { format!("-{text}") } else { text }
}

/// The text of [Number.prototype.toExponential](https://tc39.es/ecma262/#sec-number.prototype.toexponential): as many digits as
/// needed when `fraction_digits` is absent, else at most 100.
pub fn to_exponential(number: f64, fraction_digits: Option<u32>) -> String {
    if !number.is_finite() {
        return to_string(number).as_str().to_owned();
    }
    let magnitude = number.abs();
    let (digits, exponent) = match fraction_digits {
        Some(fraction_digits) => significant_digits(magnitude, fraction_digits as usize + 1),
        None => shortest_digits(magnitude),
    };
    exponential_notation(number < 0.0, &digits, exponent)
}

/// The text of [Number.prototype.toPrecision](https://tc39.es/ecma262/#sec-number.prototype.toprecision) for a `precision` from
/// 1 to 100.
pub fn to_precision(number: f64, precision: u32) -> String {
    if !number.is_finite() {
        return to_string(number).as_str().to_owned();
    }
    let precision = precision.max(1);
    let (digits, exponent) = significant_digits(number.abs(), precision as usize);
    if exponent < -6 || exponent >= precision as i32 {
        return exponential_notation(number < 0.0, &digits, exponent);
    }
    let mut text = String::with_capacity(digits.len() + 10);
    if number < 0.0 {
        text.push('-');
    }
    if exponent < 0 {
        text.push_str("0.");
        text.extend(std::iter::repeat_n('0', (-exponent - 1) as usize));
        text.push_str(&digits);
    } else {
        let (integer, fraction) = digits.split_at(exponent as usize + 1);
        text.push_str(integer);
        if !fraction.is_empty() {
            text.push('.');
            text.push_str(fraction);
        }
    }
    text
}

fn exponential_notation(negative: bool, digits: &str, exponent: i32) -> String {
    let sign = if negative { "-" } else { "" };
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{rest}e{exponent:+}")
}

/// The first `count` significant digits of a number that is not negative, rounded half up, and the power of ten of the first.
fn significant_digits(magnitude: f64, count: usize) -> (String, i32) {
    if magnitude == 0.0 {
        return ("0".repeat(count), 0);
    }
    // With this many digits no double is rounded up to the next power of ten.
    let (_, exponent) = split_scientific(&format!("{magnitude:.60e}"));
    if is_tie(magnitude, count as i64 - 1 - i64::from(exponent)) {
        let (exact, exponent) = split_scientific(&format!("{magnitude:.count$e}"));
        let rounded = round_up_last_digit(&exact);
        // All nines: one digit more, and that is a zero too many at the end.
        return if rounded.len() > count { (rounded[..count].to_owned(), exponent + 1) } else { (rounded, exponent) };
    }
    split_scientific(&format!("{magnitude:.*e}", count - 1))
}

/// The digits of the shortest text, which of two equally near ones takes the even one, and the power of ten of the first.
pub(crate) fn shortest_digits(magnitude: f64) -> (String, i32) {
    let text = to_string(magnitude);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{integer}{fraction}");
    let zeros = all.len() - all.trim_start_matches('0').len();
    let digits = all.trim_matches('0');
    if digits.is_empty() {
        return ("0".to_owned(), 0);
    }
    (digits.to_owned(), exponent + integer.len() as i32 - 1 - zeros as i32)
}

/// Digits and exponent of text like `1.25e-7`.
fn split_scientific(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// Whether a positive number lies exactly in the middle between two multiples of 10^-`digits`.
fn is_tie(magnitude: f64, digits: i64) -> bool {
    if magnitude == 0.0 {
        return false;
    }
    let bits = magnitude.to_bits();
    let biased = (bits >> 52) as i64;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    let zeros = mantissa.trailing_zeros();
    let (odd, exponent) = (mantissa >> zeros, exponent + i64::from(zeros));
    // The number is odd * 2^exponent. It is a tie exactly when 2 * number * 10^digits is an odd integer: one factor of two
    // must remain to be added, and the fives of a negative `digits` must divide the odd part.
    if exponent + 1 + digits != 0 {
        return false;
    }
    match u32::try_from(-digits) {
        Ok(fives) => 5_u64.checked_pow(fives).is_some_and(|power| odd % power == 0),
        Err(_) => true,
    }
}

/// Removes the last digit of a decimal text, which is a five, and adds one to the digit before it.
fn round_up_last_digit(text: &str) -> String {
    let mut digits = text.as_bytes().to_vec();
    digits.pop();
    if digits.last() == Some(&b'.') {
        digits.pop();
    }
    let mut carry = true;
    for digit in digits.iter_mut().rev() {
        match *digit {
            b'.' => {}
            b'9' => *digit = b'0',
            _ => {
                *digit += 1;
                carry = false;
                break;
            }
        }
    }
    if carry {
        digits.insert(0, b'1');
    }
    String::from_utf8(digits).unwrap_or_default()
}
