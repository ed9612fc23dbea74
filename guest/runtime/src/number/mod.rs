//! The Number type: conversions to and from text and integers, and the operators that are not plain IEEE 754.

mod convert;
mod exact_sum;
mod format;
mod operators;
mod parse;
mod radix;

#[cfg(test)]
mod tests;

pub use convert::{
    to_int8, to_int16, to_int32, to_integer_or_infinity, to_uint8, to_uint8_clamp, to_uint16, to_uint32,
};
pub use exact_sum::ExactSum;
pub(crate) use format::shortest_digits;
pub use format::{NumberText, to_exponential, to_fixed, to_precision, to_string};
pub use operators::{pow, remainder};
pub use parse::{parse_float, parse_int, string_to_number};
pub use radix::to_string_radix;
