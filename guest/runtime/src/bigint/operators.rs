//! The operators of [ECMA-262, 6.1.6.2](https://tc39.es/ecma262/#sec-ecmascript-language-types-bigint-type).

use super::{BigInt, BigIntError, MAX_BITS, checked};
use num_traits::{One, Signed, ToPrimitive, Zero};

type Outcome = Result<BigInt, BigIntError>;

/// [BigInt::add](https://tc39.es/ecma262/#sec-numeric-types-bigint-add)
pub fn add(left: &BigInt, right: &BigInt) -> Outcome {
    checked(left + right)
}

/// [BigInt::subtract](https://tc39.es/ecma262/#sec-numeric-types-bigint-subtract)
pub fn subtract(left: &BigInt, right: &BigInt) -> Outcome {
    checked(left - right)
}

/// The value plus one.
pub fn increment(value: &BigInt) -> Outcome {
    checked(value + 1)
}

/// The value minus one.
pub fn decrement(value: &BigInt) -> Outcome {
    checked(value - 1)
}

/// [BigInt::multiply](https://tc39.es/ecma262/#sec-numeric-types-bigint-multiply)
pub fn multiply(left: &BigInt, right: &BigInt) -> Outcome {
    // The product has as many bits as both factors together, or one less.
    if left.bits().saturating_add(right.bits()) > MAX_BITS + 1 {
        return Err(BigIntError::TooBig);
    }
    checked(left * right)
}

/// [BigInt::divide](https://tc39.es/ecma262/#sec-numeric-types-bigint-divide): truncates towards zero.
pub fn divide(dividend: &BigInt, divisor: &BigInt) -> Outcome {
    if divisor.is_zero() { Err(BigIntError::DivisionByZero) } else { Ok(dividend / divisor) }
}

/// [BigInt::remainder](https://tc39.es/ecma262/#sec-numeric-types-bigint-remainder): has the sign of the dividend.
pub fn remainder(dividend: &BigInt, divisor: &BigInt) -> Outcome {
    if divisor.is_zero() { Err(BigIntError::DivisionByZero) } else { Ok(dividend % divisor) }
}

/// [BigInt::exponentiate](https://tc39.es/ecma262/#sec-numeric-types-bigint-exponentiate)
pub fn exponentiate(base: &BigInt, exponent: &BigInt) -> Outcome {
    if exponent.is_negative() {
        return Err(BigIntError::NegativeExponent);
    }
    if exponent.is_zero() || base.is_one() {
        return Ok(BigInt::one());
    }
    if base.is_zero() {
        return Ok(BigInt::zero());
    }
    if base.magnitude().is_one() {
        return Ok(if exponent.bit(0) { base.clone() } else { BigInt::one() });
    }
    // The power has more than (bits - 1) * exponent bits.
    let exponent = exponent.to_u32().ok_or(BigIntError::TooBig)?;
    if (base.bits() - 1).saturating_mul(u64::from(exponent)) > MAX_BITS {
        return Err(BigIntError::TooBig);
    }
    checked(base.pow(exponent))
}

/// [BigInt::leftShift](https://tc39.es/ecma262/#sec-numeric-types-bigint-leftShift)
pub fn left_shift(value: &BigInt, distance: &BigInt) -> Outcome {
    if value.is_zero() {
        return Ok(BigInt::zero());
    }
    if distance.is_negative() {
        return Ok(shift_right(value, &-distance));
    }
    let distance = distance.to_u64().ok_or(BigIntError::TooBig)?;
    if value.bits().saturating_add(distance) > MAX_BITS {
        return Err(BigIntError::TooBig);
    }
    Ok(value << distance)
}

/// [BigInt::signedRightShift](https://tc39.es/ecma262/#sec-numeric-types-bigint-signedRightShift): rounds down.
pub fn signed_right_shift(value: &BigInt, distance: &BigInt) -> Outcome {
    if distance.is_negative() { left_shift(value, &-distance) } else { Ok(shift_right(value, distance)) }
}

fn shift_right(value: &BigInt, distance: &BigInt) -> BigInt {
    match distance.to_u64() {
        Some(distance) if distance <= value.bits() => value >> distance,
        _ if value.is_negative() => -BigInt::one(),
        _ => BigInt::zero(),
    }
}

/// [BigInt::bitwiseAND](https://tc39.es/ecma262/#sec-numeric-types-bigint-bitwiseAND) in two's complement.
pub fn bitwise_and(left: &BigInt, right: &BigInt) -> Outcome {
    checked(left & right)
}

/// [BigInt::bitwiseOR](https://tc39.es/ecma262/#sec-numeric-types-bigint-bitwiseOR) in two's complement.
pub fn bitwise_or(left: &BigInt, right: &BigInt) -> Outcome {
    checked(left | right)
}

/// [BigInt::bitwiseXOR](https://tc39.es/ecma262/#sec-numeric-types-bigint-bitwiseXOR) in two's complement.
pub fn bitwise_xor(left: &BigInt, right: &BigInt) -> Outcome {
    checked(left ^ right)
}

/// [BigInt::bitwiseNOT](https://tc39.es/ecma262/#sec-numeric-types-bigint-bitwiseNOT)
pub fn bitwise_not(value: &BigInt) -> Outcome {
    checked(!value)
}

/// [BigInt::unaryMinus](https://tc39.es/ecma262/#sec-numeric-types-bigint-unaryMinus)
pub fn negate(value: &BigInt) -> BigInt {
    -value
}
