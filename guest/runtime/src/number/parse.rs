//! Text as Numbers. Decimal text is converted by the standard library, which rounds correctly.

use crate::string::StrView;

/// [StringToNumber](https://tc39.es/ecma262/#sec-stringtonumber)
pub fn string_to_number(text: StrView<'_>) -> f64 {
    let text = text.trim();
    if text.is_empty() {
        return 0.0;
    }
    if text.get(0) == Some(u16::from(b'0'))
        && let Some(radix) = text.get(1).and_then(prefix_radix)
    {
        let digits = text.slice(2, text.len());
        return match digits_in_radix(digits, radix) {
            0 => f64::NAN,
            count if count == digits.len() => digits_value(digits, radix),
            _ => f64::NAN,
        };
    }
    match decimal_prefix(text) {
        Some((value, length)) if length == text.len() => value,
        _ => f64::NAN,
    }
}

/// The value of [parseFloat](https://tc39.es/ecma262/#sec-parsefloat-string): of the longest prefix that is a decimal literal.
pub fn parse_float(text: StrView<'_>) -> f64 {
    decimal_prefix(text.trim_start()).map_or(f64::NAN, |(value, _)| value)
}

/// The value of [parseInt](https://tc39.es/ecma262/#sec-parseint-string-radix) for a radix that went through ToInt32.
pub fn parse_int(text: StrView<'_>, radix: i32) -> f64 {
    let mut text = text.trim_start();
    let mut negative = false;
    if let Some(sign) = text.get(0).filter(|&unit| unit == u16::from(b'+') || unit == u16::from(b'-')) {
        negative = sign == u16::from(b'-');
        text = text.slice(1, text.len());
    }
    let mut radix = radix;
    if radix != 0 && !(2..=36).contains(&radix) {
        return f64::NAN;
    }
    let is_x = |unit| unit == u16::from(b'x') || unit == u16::from(b'X');
    if (radix == 0 || radix == 16) && text.get(0) == Some(u16::from(b'0')) && text.get(1).is_some_and(is_x) {
        text = text.slice(2, text.len());
        radix = 16;
    }
    let radix = if radix == 0 { 10 } else { radix as u32 };
    let count = digits_in_radix(text, radix);
    if count == 0 {
        return f64::NAN;
    }
    let magnitude = digits_value(text.slice(0, count), radix);
    if negative { -magnitude } else { magnitude }
}

/// The radix that a letter after a zero stands for.
fn prefix_radix(unit: u16) -> Option<u32> {
    match u8::try_from(unit).ok()? {
        b'x' | b'X' => Some(16),
        b'o' | b'O' => Some(8),
        b'b' | b'B' => Some(2),
        _ => None,
    }
}

#[inline]
fn digit(unit: u16, radix: u32) -> Option<u32> {
    char::from(u8::try_from(unit).ok()?).to_digit(radix)
}

/// How many of the first code units are digits.
fn digits_in_radix(text: StrView<'_>, radix: u32) -> usize {
    text.iter().take_while(|&unit| digit(unit, radix).is_some()).count()
}

/// The Number nearest to an integer written in `radix`, ties to even.
fn digits_value(digits: StrView<'_>, radix: u32) -> f64 {
    let mut value: u64 = 0;
    let mut exact = true;
    for unit in digits.iter() {
        let digit = digit(unit, radix).unwrap_or(0);
        match value.checked_mul(u64::from(radix)).and_then(|value| value.checked_add(u64::from(digit))) {
            Some(next) => value = next,
            None => {
                exact = false;
                break;
            }
        }
    }
    if exact {
        // The cast rounds to nearest, ties to even.
        return value as f64;
    }
    if radix == 10 {
        let text: String = digits.iter().map(|unit| char::from(unit as u8)).collect();
        return text.parse().unwrap_or(f64::NAN);
    }
    if radix.is_power_of_two() {
        return power_of_two_value(digits, radix);
    }
    // More digits than any finite Number has in base three.
    let digits = digits.iter().skip_while(|&unit| unit == u16::from(b'0'));
    let bytes: Vec<u8> = digits.take(1100).map(|unit| digit(unit, radix).unwrap_or(0) as u8).collect();
    if bytes.len() == 1100 {
        return f64::INFINITY;
    }
    match num_bigint::BigUint::from_radix_be(&bytes, radix) {
        Some(integer) => crate::bigint::to_f64(&num_bigint::BigInt::from(integer)),
        None => f64::NAN,
    }
}

/// Exact for any number of digits: keeps 64 significant bits and whether any later bit is set.
fn power_of_two_value(digits: StrView<'_>, radix: u32) -> f64 {
    let width = radix.trailing_zeros();
    let mut mantissa: u64 = 0;
    let mut exponent: i32 = 0;
    let mut sticky = false;
    for unit in digits.iter() {
        let digit = digit(unit, radix).unwrap_or(0);
        for bit in (0..width).rev() {
            let bit = u64::from(digit >> bit & 1);
            if mantissa >> 63 == 0 {
                mantissa = mantissa << 1 | bit;
            } else {
                sticky |= bit == 1;
                exponent = exponent.saturating_add(1);
            }
        }
    }
    if exponent > 1100 {
        return f64::INFINITY;
    }
    (mantissa | u64::from(sticky)) as f64 * libm::exp2(f64::from(exponent))
}

/// Value and length of the longest prefix that is a
/// [StrDecimalLiteral](https://tc39.es/ecma262/#prod-StrDecimalLiteral).
fn decimal_prefix(text: StrView<'_>) -> Option<(f64, usize)> {
    let is_digit = |index: usize| text.get(index).is_some_and(|unit| digit(unit, 10).is_some());
    let is_one_of = |index: usize, choice: &[u8]| {
        text.get(index).and_then(|unit| u8::try_from(unit).ok()).is_some_and(|unit| choice.contains(&unit))
    };
    let mut position = usize::from(is_one_of(0, b"+-"));
    if text.has_at(StrView::Latin1(b"Infinity"), position) {
        let value = if text.get(0) == Some(u16::from(b'-')) { f64::NEG_INFINITY } else { f64::INFINITY };
        return Some((value, position + 8));
    }
    let integer_start = position;
    while is_digit(position) {
        position += 1;
    }
    let mut digits = position - integer_start;
    if digits > 0 && digits <= 15 && !is_one_of(position, b".eE") {
        // The usual short integer.
        let magnitude = digits_value(text.slice(integer_start, position), 10);
        return Some((if text.get(0) == Some(u16::from(b'-')) { -magnitude } else { magnitude }, position));
    }
    if is_one_of(position, b".") {
        let fraction_start = position + 1;
        let mut end = fraction_start;
        while is_digit(end) {
            end += 1;
        }
        if digits > 0 || end > fraction_start {
            digits += end - fraction_start;
            position = end;
        }
    }
    if digits == 0 {
        return None;
    }
    if is_one_of(position, b"eE") {
        let exponent_start = position + 1 + usize::from(is_one_of(position + 1, b"+-"));
        let mut end = exponent_start;
        while is_digit(end) {
            end += 1;
        }
        if end > exponent_start {
            position = end;
        }
    }
    // Everything up to here is ASCII of a form that the standard library accepts as well.
    let value = match text.slice(0, position) {
        StrView::Latin1(units) => std::str::from_utf8(units).ok()?.parse().ok()?,
        wide @ StrView::Utf16(_) => wide.to_rust_string().parse().ok()?,
    };
    Some((value, position))
}
