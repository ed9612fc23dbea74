//! Numbers as text in other bases than ten.

/// [Number::toString](https://tc39.es/ecma262/#sec-numeric-types-number-tostring) for a radix from 2 to 36.
///
/// The specification leaves the digits of fractions to the implementation: these are the shortest that identify the
/// number, that is, digits are made until the rest is below half the distance to the neighbouring Numbers.
pub fn to_string_radix(number: f64, radix: u32) -> String {
    if radix == 10 || !number.is_finite() || !(2..=36).contains(&radix) {
        return super::to_string(number).as_str().to_owned();
    }
    let magnitude = number.abs();
    let integer = magnitude.trunc();
    let mut text = String::new();
    if number < 0.0 {
        text.push('-');
    }
    let fraction = fraction_digits(magnitude, radix);
    let carry = fraction.as_ref().is_some_and(|fraction| fraction.carry);
    text.push_str(&integer_digits(integer + f64::from(u8::from(carry)), tolerance(magnitude), radix));
    if let Some(fraction) = fraction
        && !fraction.digits.is_empty()
    {
        text.push('.');
        text.extend(fraction.digits.iter().map(|&digit| char::from_digit(u32::from(digit), radix).unwrap_or('0')));
    }
    text
}

/// Places whose value is below the tolerance of the Number get zeros.
fn integer_digits(mut integer: f64, mut tolerance: f64, radix: u32) -> String {
    let base = f64::from(radix);
    let mut digits = Vec::with_capacity(16);
    while tolerance >= base {
        integer /= base;
        tolerance /= base;
        digits.push('0');
    }
    integer = integer.trunc();
    loop {
        let digit = super::remainder(integer, base);
        digits.push(char::from_digit(digit as u32, radix).unwrap_or('0'));
        integer = (integer - digit) / base;
        if integer < 1.0 {
            break;
        }
    }
    digits.iter().rev().collect()
}

/// Half the distance to the next greater Number: any text nearer than that reads back as the same Number.
fn tolerance(magnitude: f64) -> f64 {
    let distance =
        if magnitude == f64::MAX { magnitude - magnitude.next_down() } else { magnitude.next_up() - magnitude };
    (0.5 * distance).max(f64::from_bits(1))
}

struct Fraction {
    digits: Vec<u8>,
    /// The rounded fraction is one.
    carry: bool,
}

fn fraction_digits(magnitude: f64, radix: u32) -> Option<Fraction> {
    let base = f64::from(radix);
    let mut rest = magnitude - magnitude.trunc();
    let mut tolerance = tolerance(magnitude);
    if rest < tolerance {
        return None;
    }
    let mut digits = Vec::new();
    loop {
        // Both products are exact until the rest has fewer bits than a double: the tolerance grows with the rest.
        rest *= base;
        tolerance *= base;
        let digit = rest.trunc();
        digits.push(digit as u8);
        rest -= digit;
        let round_up = rest > 0.5 || rest == 0.5 && digit as u32 & 1 == 1;
        if round_up && rest + tolerance > 1.0 {
            let carry = round_up_digits(&mut digits, radix);
            return Some(Fraction { digits, carry });
        }
        if rest < tolerance {
            return Some(Fraction { digits, carry: false });
        }
    }
}

/// Adds one at the last place and drops the zeros that come of it; whether the carry went past the first digit.
fn round_up_digits(digits: &mut Vec<u8>, radix: u32) -> bool {
    while let Some(digit) = digits.last_mut() {
        if u32::from(*digit) + 1 < radix {
            *digit += 1;
            return false;
        }
        digits.pop();
    }
    true
}
