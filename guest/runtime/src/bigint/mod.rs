//! Arithmetic of the BigInt type over `num_bigint`.
//!
//! Every result that would have more than [`MAX_BITS`] bits is refused before it is computed, so that no program can spend
//! unbounded time or memory in one operation.

mod convert;
mod operators;

#[cfg(test)]
mod tests;

pub use convert::{
    as_int_n, as_uint_n, compare_f64, from_f64, parse, parse_literal, to_f64, to_i64_wrapping, to_string_radix,
    to_u64_wrapping,
};
pub use num_bigint::BigInt;
pub use operators::{
    add, bitwise_and, bitwise_not, bitwise_or, bitwise_xor, decrement, divide, exponentiate, increment, left_shift,
    multiply, negate, remainder, signed_right_shift, subtract,
};

/// The greatest number of bits of a BigInt's magnitude.
pub const MAX_BITS: u64 = 1 << 20;

/// Why an operation has no result. Each is a RangeError.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BigIntError {
    /// The result would have more than [`MAX_BITS`] bits.
    TooBig,
    /// Division by zero.
    DivisionByZero,
    /// A negative exponent.
    NegativeExponent,
}

impl BigIntError {
    /// The text of the RangeError.
    pub fn message(self) -> &'static str {
        match self {
            BigIntError::TooBig => "Maximum BigInt size exceeded",
            BigIntError::DivisionByZero => "Division by zero",
            BigIntError::NegativeExponent => "Exponent must be non-negative",
        }
    }
}

fn checked(value: BigInt) -> Result<BigInt, BigIntError> {
    if value.bits() > MAX_BITS { Err(BigIntError::TooBig) } else { Ok(value) }
}
