//! Conversions of Numbers to integers.

/// [ToInt32](https://tc39.es/ecma262/#sec-toint32)
#[inline]
pub fn to_int32(number: f64) -> i32 {
    // Also true for most other numbers that programs convert; false for NaN.
    let truncated = number as i32;
    if f64::from(truncated) == number {
        return truncated;
    }
    to_int32_slow(number)
}

#[cold]
fn to_int32_slow(number: f64) -> i32 {
    const MANTISSA_BITS: i32 = 52;
    let bits = number.to_bits();
    let exponent = ((bits >> MANTISSA_BITS) & 0x7FF) as i32 - 1023;
    if exponent < 0 || exponent > MANTISSA_BITS + 31 {
        // Below one in magnitude, or a multiple of 2^32, or not finite.
        return 0;
    }
    let mantissa = (bits & ((1 << MANTISSA_BITS) - 1)) | 1 << MANTISSA_BITS;
    let magnitude = if exponent <= MANTISSA_BITS {
        (mantissa >> (MANTISSA_BITS - exponent)) as u32
    } else {
        (mantissa << (exponent - MANTISSA_BITS)) as u32
    };
    let modulo = magnitude as i32;
    if number < 0.0 { modulo.wrapping_neg() } else { modulo }
}

/// [ToUint32](https://tc39.es/ecma262/#sec-touint32)
#[inline]
pub fn to_uint32(number: f64) -> u32 {
    to_int32(number) as u32
}

/// [ToInt16](https://tc39.es/ecma262/#sec-toint16)
#[inline]
pub fn to_int16(number: f64) -> i16 {
    to_int32(number) as i16
}

/// [ToUint16](https://tc39.es/ecma262/#sec-touint16)
#[inline]
pub fn to_uint16(number: f64) -> u16 {
    to_int32(number) as u16
}

/// [ToInt8](https://tc39.es/ecma262/#sec-toint8)
#[inline]
pub fn to_int8(number: f64) -> i8 {
    to_int32(number) as i8
}

/// [ToUint8](https://tc39.es/ecma262/#sec-touint8)
#[inline]
pub fn to_uint8(number: f64) -> u8 {
    to_int32(number) as u8
}

/// [ToUint8Clamp](https://tc39.es/ecma262/#sec-touint8clamp)
#[inline]
pub fn to_uint8_clamp(number: f64) -> u8 {
    // The cast saturates, and takes NaN to 0.
    number.round_ties_even() as u8
}

/// [ToIntegerOrInfinity](https://tc39.es/ecma262/#sec-tointegerorinfinity)
#[inline]
pub fn to_integer_or_infinity(number: f64) -> f64 {
    if number.is_nan() {
        return 0.0;
    }
    // Adding zero makes -0 a +0.
    number.trunc() + 0.0
}
