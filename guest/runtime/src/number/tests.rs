use super::*;
use crate::string::StrView;

fn number(text: &str) -> f64 {
    let units: Vec<u16> = text.encode_utf16().collect();
    let wide = string_to_number(StrView::Utf16(&units));
    if text.is_ascii() {
        let narrow = string_to_number(StrView::from_ascii(text));
        assert!(narrow.to_bits() == wide.to_bits(), "{text}: {narrow} {wide}");
    }
    wide
}

#[test]
fn decimal_text() {
    for (number, text) in [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (123456789.0, "123456789"),
        (0.1, "0.1"),
        (1e21, "1e+21"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::INFINITY, "Infinity"),
        (f64::NEG_INFINITY, "-Infinity"),
        (f64::NAN, "NaN"),
        (9007199254740993.0, "9007199254740992"),
        (-2147483648.0, "-2147483648"),
    ] {
        assert_eq!(&*to_string(number), text);
    }
}

#[test]
fn string_to_number_follows_the_grammar() {
    for (text, expected) in [
        ("", 0.0),
        ("  \n", 0.0),
        (" 42 ", 42.0),
        ("-0", -0.0),
        ("+5", 5.0),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("5.e1", 50.0),
        ("0x1F", 31.0),
        ("0b101", 5.0),
        ("0O17", 15.0),
        ("Infinity", f64::INFINITY),
        ("-Infinity", f64::NEG_INFINITY),
        ("\u{FEFF}7\u{2003}", 7.0),
        ("010", 10.0),
        ("9007199254740993", 9007199254740992.0),
        ("9007199254740993.00000000000000000000000000000000001", 9007199254740994.0),
        ("0x20000000000001", 9007199254740992.0),
        ("0x20000000000003", 9007199254740996.0),
        ("0x1fffffffffffff8", 144115188075855864.0),
        ("2.2250738585072011e-308", 2.225073858507201e-308),
        ("1e400", f64::INFINITY),
        ("1e-400", 0.0),
    ] {
        assert_eq!(number(text).to_bits(), expected.to_bits(), "{text:?}: {}", number(text));
    }
    for text in [
        "x",
        "1x",
        "1 2",
        "--1",
        "0x",
        "0xg",
        "-0x1",
        "1_000",
        "e5",
        ".",
        "+",
        "infinity",
        "Infinityx",
        "1e",
        "1e+",
        "nan",
        "inf",
        "0b2",
        "5n",
    ] {
        assert!(number(text).is_nan(), "{text}");
    }
}

#[test]
fn prefixes_are_parsed() {
    let float = |text: &str| parse_float(StrView::from_ascii(text));
    assert_eq!(float("3.14abc"), 3.14);
    assert_eq!(float("  -.5e-2e"), -0.005);
    assert_eq!(float("1e"), 1.0);
    assert_eq!(float("5.."), 5.0);
    assert_eq!(float("Infinityish"), f64::INFINITY);
    assert_eq!(float("0x10"), 0.0);
    assert_eq!(float("12345678901234567890abc"), 12345678901234567000.0);
    assert!(float("").is_nan() && float("abc").is_nan() && float("-").is_nan() && float(".e1").is_nan());
    let int = |text: &str, radix: i32| parse_int(StrView::from_ascii(text), radix);
    assert_eq!(int("42px", 0), 42.0);
    assert_eq!(int(" -0x1f", 0), -31.0);
    assert_eq!(int("0x1f", 16), 31.0);
    assert_eq!(int("0x1f", 10), 0.0);
    assert_eq!(int("z", 36), 35.0);
    assert_eq!(int("101", 2), 5.0);
    assert_eq!(int("-0", 10).to_bits(), (-0.0_f64).to_bits());
    assert_eq!(int("900719925474099267n", 0), 900719925474099300.0);
    assert_eq!(int(&"9".repeat(400), 10), f64::INFINITY);
    assert_eq!(int(&"2".repeat(2000), 3), f64::INFINITY);
    assert_eq!(int("100000000000000000000000000000000000", 36), 36.0_f64.powi(35));
    assert!(int("", 10).is_nan() && int("9", 8).is_nan() && int("1", 1).is_nan() && int("1", 37).is_nan());
}

#[test]
fn fixed() {
    for (number, digits, text) in [
        (0.0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (1.005, 2, "1.00"),
        (2.5, 0, "3"),
        (1.5, 0, "2"),
        (0.5, 0, "1"),
        (-0.5, 0, "-1"),
        (-2.5, 0, "-3"),
        (0.125, 2, "0.13"),
        (8.345, 2, "8.35"),
        (9.5, 0, "10"),
        (99.995, 2, "100.00"),
        (0.000001, 7, "0.0000010"),
        (-0.0000001, 2, "-0.00"),
        (123.456, 0, "123"),
        (1e21, 2, "1e+21"),
        (f64::NAN, 2, "NaN"),
        (0.1, 20, "0.10000000000000000555"),
        (1000000000000000128.0, 1, "1000000000000000128.0"),
        (4503599627370495.5, 0, "4503599627370496"),
    ] {
        assert_eq!(to_fixed(number, digits), text, "{number}.toFixed({digits})");
    }
}

#[test]
fn exponential_and_precision() {
    for (number, digits, text) in [
        (123456.0, Some(2), "1.23e+5"),
        (25.0, Some(0), "3e+1"),
        (35.0, Some(0), "4e+1"),
        (12345.0, Some(3), "1.235e+4"),
        (0.0, Some(2), "0.00e+0"),
        (0.0, None, "0e+0"),
        (-1.5e-9, None, "-1.5e-9"),
        (123456.0, None, "1.23456e+5"),
        (9.5, Some(0), "1e+1"),
        (99.5, Some(1), "1.0e+2"),
        (1e23, Some(1), "1.0e+23"),
        (f64::INFINITY, Some(2), "Infinity"),
        (5e-324, Some(3), "4.941e-324"),
        (5e-324, None, "5e-324"),
        (23.442703247070312, None, "2.3442703247070312e+1"),
        (1e21, None, "1e+21"),
        (120.0, None, "1.2e+2"),
        (0.00012, None, "1.2e-4"),
    ] {
        assert_eq!(to_exponential(number, digits), text, "{number}.toExponential({digits:?})");
    }
    for (number, precision, text) in [
        (123.456, 4, "123.5"),
        (0.000123, 2, "0.00012"),
        (1.25e-7, 2, "1.2e-7"),
        (1e21, 3, "1.00e+21"),
        (0.0, 3, "0.00"),
        (1.25, 2, "1.3"),
        (1.35, 2, "1.4"),
        (25.0, 1, "3e+1"),
        (999.5, 3, "1.00e+3"),
        (123456.0, 6, "123456"),
        (-1.0, 1, "-1"),
        (1e-7, 1, "1e-7"),
        (1e-6, 1, "0.000001"),
    ] {
        assert_eq!(to_precision(number, precision), text, "{number}.toPrecision({precision})");
    }
}

#[test]
fn other_bases() {
    for (number, radix, text) in [
        (255.0, 16, "ff"),
        (-255.0, 36, "-73"),
        (0.5, 2, "0.1"),
        (0.1, 3, "0.0022002200220022002200220022002201"),
        (0.1, 2, "0.0001100110011001100110011001100110011001100110011001101"),
        (1e21, 7, "5135235413265003022600000"),
        (1e21, 16, "3635c9adc5dea00000"),
        (3.14, 8, "3.10753412172702437"),
        (1e22, 36, "1mmfb877tu0w000"),
        (1152921504606846976.0, 3, "21200101122222021102111220121112210000"),
        (123456789012345680000.0, 36, "q1ysz911igw00"),
        (1e-6, 36, "0.0001ogs5wo29m8"),
        (1e23, 3, "1020211220210022220221222012210121200000000000000"),
        (std::f64::consts::PI, 36, "3.53i5ab8p5f"),
        (1.0 / 3.0, 7, "0.2222222222222222222"),
        (9007199254740994.0, 5, "33421042423033203202434"),
        (f64::NAN, 2, "NaN"),
        (0.0, 2, "0"),
        (-0.0, 2, "0"),
    ] {
        assert_eq!(to_string_radix(number, radix), text, "{number}.toString({radix})");
    }
    assert_eq!(to_string_radix(5e-324, 2).len(), 1076);
    assert_eq!(to_string_radix(f64::MAX, 2).len(), 1024);
}

#[test]
fn integer_conversions() {
    for (number, expected) in [
        (0.0, 0),
        (-0.0, 0),
        (1.9, 1),
        (-1.9, -1),
        (2147483648.0, i32::MIN),
        (4294967296.0, 0),
        (4294967297.5, 1),
        (-2147483649.0, i32::MAX),
        (1e20, 1661992960),
        (-1e20, -1661992960),
        (f64::NAN, 0),
        (f64::INFINITY, 0),
        (f64::MAX, 0),
        (5e-324, 0),
    ] {
        assert_eq!(to_int32(number), expected, "{number}");
    }
    assert_eq!(to_uint32(-1.0), u32::MAX);
    assert_eq!((to_int16(32768.0), to_uint16(-1.0), to_int8(255.0), to_uint8(256.0)), (-32768, 65535, -1, 0));
    assert_eq!([0.5, 1.5, 2.5, -3.0, 300.0, f64::NAN].map(to_uint8_clamp), [0, 2, 2, 0, 255, 0]);
    assert_eq!(to_integer_or_infinity(-0.9).to_bits(), 0);
    assert_eq!(to_integer_or_infinity(f64::NEG_INFINITY), f64::NEG_INFINITY);
}

#[test]
fn operators() {
    assert_eq!(remainder(5.5, 2.0), 1.5);
    assert_eq!(remainder(-4.0, 2.0).to_bits(), (-0.0_f64).to_bits());
    assert_eq!(remainder(-0.0, 2.0).to_bits(), (-0.0_f64).to_bits());
    assert_eq!(remainder(7.0, 4.0), 3.0);
    assert_eq!(remainder(1.0, f64::INFINITY), 1.0);
    assert!(remainder(1.0, 0.0).is_nan() && remainder(f64::INFINITY, 2.0).is_nan());
    assert!(pow(1.0, f64::INFINITY).is_nan() && pow(-1.0, f64::NEG_INFINITY).is_nan());
    assert_eq!(pow(f64::NAN, 0.0), 1.0);
    assert_eq!(pow(2.0, 10.0), 1024.0);
    for exponent in -280..=280 {
        let expected: f64 = format!("1e{exponent}").parse().unwrap();
        assert_eq!(pow(10.0, f64::from(exponent)), expected, "10 ** {exponent}");
    }
    assert_eq!(pow(-3.0, 3.0), -27.0);
    assert_eq!(pow(-2.0, -3.0), -0.125);
    assert_eq!(pow(1e-200, 3.0), 0.0);
    assert_eq!(pow(1e200, -2.0), 0.0);
    assert_eq!(pow(0.0, -3.0), f64::INFINITY);
    assert_eq!(pow(-0.0, -3.0), f64::NEG_INFINITY);
    assert_eq!(pow(-0.0, 3.0).to_bits(), (-0.0_f64).to_bits());
    assert_eq!(pow(2.0, -1074.0), 5e-324);
    assert_eq!(pow(f64::NEG_INFINITY, 3.0), f64::NEG_INFINITY);
    assert!(pow(-8.0, 1.0 / 3.0).is_nan());
}
