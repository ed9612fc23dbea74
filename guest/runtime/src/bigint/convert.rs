//! BigInts from and to text, Numbers and fixed-width integers.

use super::{BigInt, BigIntError, MAX_BITS};
use crate::string::StrView;
use num_bigint::{BigUint, Sign};
use num_traits::{FromPrimitive, One, Signed, Zero};
use std::cmp::Ordering;

/// [StringToBigInt](https://tc39.es/ecma262/#sec-stringtobigint): `None` when the text is not a BigInt literal.
///
/// Text of a value that is too big gives `None` as well.
pub fn parse(text: StrView<'_>) -> Option<BigInt> {
    let text = text.trim();
    if text.is_empty() {
        return Some(BigInt::zero());
    }
    let text = text.as_ascii()?;
    if let Some(digits) = text.strip_prefix('-') {
        return Some(-magnitude(digits, 10)?);
    }
    if let Some(digits) = text.strip_prefix('+') {
        return magnitude(digits, 10);
    }
    parse_literal(text)
}

/// The value of a [BigInt literal](https://tc39.es/ecma262/#sec-literals-numeric-literals) without its suffix and without
/// separators.
pub fn parse_literal(text: &str) -> Option<BigInt> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, text.get(2..)?),
        [b'0', b'o' | b'O', ..] => (8, text.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, text.get(2..)?),
        _ => (10, text),
    };
    magnitude(digits, radix)
}

fn magnitude(digits: &str, radix: u32) -> Option<BigInt> {
    if digits.is_empty() || !digits.bytes().all(|digit| char::from(digit).is_digit(radix)) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(BigInt::zero());
    }
    // The first digit is not zero, so each of the others adds at least the whole bits of the radix.
    if (digits.len() as u64 - 1) * u64::from(radix.ilog2()) > MAX_BITS {
        return None;
    }
    let value = BigUint::parse_bytes(digits.as_bytes(), radix)?;
    (value.bits() <= MAX_BITS).then(|| BigInt::from(value))
}

/// [BigInt::toString](https://tc39.es/ecma262/#sec-numeric-types-bigint-tostring) for a radix from 2 to 36.
pub fn to_string_radix(value: &BigInt, radix: u32) -> String {
    value.to_str_radix(radix.clamp(2, 36))
}

/// The BigInt with the value of an integral Number; `None` for any other Number.
/// [NumberToBigInt](https://tc39.es/ecma262/#sec-numbertobigint)
pub fn from_f64(number: f64) -> Option<BigInt> {
    if number.is_finite() && number.trunc() == number { BigInt::from_f64(number) } else { None }
}

/// The Number nearest to the value, ties to even, infinite when it is too large.
pub fn to_f64(value: &BigInt) -> f64 {
    let bits = value.bits();
    if bits > 1024 {
        return if value.is_negative() { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    // Keep 64 bits, and in the lowest one whether any bit below them is set: the cast then rounds correctly.
    let shift = bits.saturating_sub(64);
    let magnitude = value.magnitude();
    let top = (magnitude >> shift).iter_u64_digits().next().unwrap_or(0);
    let sticky = shift > 0 && magnitude.trailing_zeros().is_some_and(|zeros| zeros < shift);
    let rounded = (top | u64::from(sticky)) as f64 * libm::ldexp(1.0, shift as i32);
    if value.is_negative() { -rounded } else { rounded }
}

/// The order of a BigInt and a Number; `None` for NaN.
pub fn compare_f64(value: &BigInt, number: f64) -> Option<Ordering> {
    if number.is_nan() {
        return None;
    }
    if number.is_infinite() {
        return Some(if number > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let truncated = BigInt::from_f64(number.trunc())?;
    Some(value.cmp(&truncated).then_with(|| {
        let fraction = number - number.trunc();
        0.0_f64.partial_cmp(&fraction).unwrap_or(Ordering::Equal)
    }))
}

/// [BigInt.asUintN](https://tc39.es/ecma262/#sec-bigint.asuintn): the value modulo 2^bits.
///
/// # Errors
/// When a negative value would need more than [`MAX_BITS`] bits.
pub fn as_uint_n(bits: u64, value: &BigInt) -> Result<BigInt, BigIntError> {
    if bits == 0 {
        return Ok(BigInt::zero());
    }
    if !value.is_negative() && value.bits() <= bits {
        return Ok(value.clone());
    }
    if bits > MAX_BITS {
        return Err(BigIntError::TooBig);
    }
    Ok(value & ((BigInt::one() << bits) - 1))
}

/// [BigInt.asIntN](https://tc39.es/ecma262/#sec-bigint.asintn): the value modulo 2^bits, in the signed range.
pub fn as_int_n(bits: u64, value: &BigInt) -> BigInt {
    if bits == 0 {
        return BigInt::zero();
    }
    if value.bits() < bits || bits > MAX_BITS {
        return value.clone();
    }
    let modulus = BigInt::one() << bits;
    let unsigned: BigInt = value & (&modulus - 1);
    if unsigned.bit(bits - 1) { unsigned - modulus } else { unsigned }
}

/// The lowest 64 bits in two's complement. [ToBigUint64](https://tc39.es/ecma262/#sec-tobiguint64)
pub fn to_u64_wrapping(value: &BigInt) -> u64 {
    let low = value.iter_u64_digits().next().unwrap_or(0);
    if value.sign() == Sign::Minus { low.wrapping_neg() } else { low }
}

/// The lowest 64 bits in two's complement. [ToBigInt64](https://tc39.es/ecma262/#sec-tobigint64)
pub fn to_i64_wrapping(value: &BigInt) -> i64 {
    to_u64_wrapping(value) as i64
}
