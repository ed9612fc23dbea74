use super::*;
use crate::string::StrView;
use std::cmp::Ordering;

fn big(text: &str) -> BigInt {
    parse(StrView::from_ascii(text)).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn parsing() {
    assert_eq!(big(" 0xFF "), BigInt::from(255));
    assert_eq!(big("-12"), BigInt::from(-12));
    assert_eq!(big(""), BigInt::from(0));
    assert_eq!(big("0b11"), BigInt::from(3));
    assert_eq!(big("0007"), BigInt::from(7));
    for text in ["-0x1", "1n", "1.5", "1e3", "0x", "_1", "1_0", "+-1", "x", "+"] {
        assert!(parse(StrView::from_ascii(text)).is_none(), "{text}");
    }
}

#[test]
fn arithmetic() {
    assert_eq!(divide(&big("-7"), &big("2")), Ok(big("-3")));
    assert_eq!(remainder(&big("-7"), &big("2")), Ok(big("-1")));
    assert_eq!(divide(&big("1"), &big("0")), Err(BigIntError::DivisionByZero));
    assert_eq!(exponentiate(&big("2"), &big("100")), Ok(big("1267650600228229401496703205376")));
    assert_eq!(exponentiate(&big("0"), &big("0")), Ok(big("1")));
    assert_eq!(exponentiate(&big("-1"), &big("99999999999999999999")), Ok(big("-1")));
    assert_eq!(exponentiate(&big("2"), &big("-1")), Err(BigIntError::NegativeExponent));
    assert_eq!(exponentiate(&big("2"), &big("99999999999999999999")), Err(BigIntError::TooBig));
    assert_eq!(exponentiate(&big("3"), &big("1000000")), Err(BigIntError::TooBig));
    assert_eq!(left_shift(&big("1"), &big("1048577")), Err(BigIntError::TooBig));
    assert_eq!(left_shift(&big("-5"), &big("-1")), Ok(big("-3")));
    assert_eq!(signed_right_shift(&big("-1"), &big("99999999999999999999")), Ok(big("-1")));
    assert_eq!(signed_right_shift(&big("5"), &big("1")), Ok(big("2")));
    assert_eq!(bitwise_and(&big("-1"), &big("0xff")), Ok(big("255")));
    assert_eq!(bitwise_xor(&big("-2"), &big("1")), Ok(big("-1")));
    assert_eq!(bitwise_not(&big("5")), Ok(big("-6")));
}

#[test]
fn fixed_widths() {
    assert_eq!(as_uint_n(8, &big("-1")), Ok(big("255")));
    assert_eq!(as_int_n(8, &big("128")), big("-128"));
    assert_eq!(as_int_n(8, &big("127")), big("127"));
    assert_eq!(as_int_n(8, &big("-129")), big("127"));
    assert_eq!(as_int_n(3, &big("25")), big("1"));
    assert_eq!(as_int_n(0, &big("5")), big("0"));
    assert_eq!(as_int_n(1, &big("1")), big("-1"));
    assert_eq!(as_uint_n(1 << 40, &big("-1")), Err(BigIntError::TooBig));
    assert_eq!(as_uint_n(1 << 40, &big("1")), Ok(big("1")));
    assert_eq!(to_u64_wrapping(&big("-1")), u64::MAX);
    assert_eq!(to_i64_wrapping(&big("0x18000000000000000")), i64::MIN);
}

#[test]
fn numbers() {
    assert_eq!(from_f64(1e21), Some(big("1000000000000000000000")));
    assert_eq!(from_f64(1.5), None);
    assert_eq!(from_f64(f64::NAN), None);
    assert_eq!(to_f64(&big("9007199254740993")), 9007199254740992.0);
    assert_eq!(to_f64(&big("9007199254740995")), 9007199254740996.0);
    assert_eq!(
        to_f64(&big("0x200000000000010000000000000000000001")),
        to_f64(&big("0x200000000000010000000000000000000000")) + 2f64.powi(89)
    );
    assert_eq!(to_f64(&exponentiate(&big("2"), &big("1024")).unwrap()), f64::INFINITY);
    assert_eq!(to_f64(&exponentiate(&big("2"), &big("1023")).unwrap()), 2f64.powi(1023));
    assert_eq!(compare_f64(&big("1"), 1.5), Some(Ordering::Less));
    assert_eq!(compare_f64(&big("-1"), -1.5), Some(Ordering::Greater));
    assert_eq!(compare_f64(&big("2"), 2.0), Some(Ordering::Equal));
    assert_eq!(compare_f64(&big("2"), f64::NAN), None);
    assert_eq!(compare_f64(&big("99999999999999999999"), f64::INFINITY), Some(Ordering::Less));
    assert_eq!(to_string_radix(&big("-255"), 16), "-ff");
}
