//! `Math`: [ECMA-262, 21.3](https://tc39.es/ecma262/#sec-math-object).
//!
//! Transcendental functions come from `libm`, compiled into the guest, so that every host gives the same digits.

use crate::builtins::{Builtin, BuiltinKind, Entry, PrototypeKind, method, number, tag};
use crate::number as numbers;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `Math`.
pub static BUILTIN: Builtin = Builtin {
    kind: BuiltinKind::Namespace { id: IntrinsicObject::Math, name: "Math" },
    statics: STATICS,
    prototype: &[],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

const STATICS: &[Entry] = &[
    number("E", std::f64::consts::E),
    number("LN10", std::f64::consts::LN_10),
    number("LN2", std::f64::consts::LN_2),
    number("LOG10E", std::f64::consts::LOG10_E),
    number("LOG2E", std::f64::consts::LOG2_E),
    number("PI", std::f64::consts::PI),
    number("SQRT1_2", std::f64::consts::FRAC_1_SQRT_2),
    number("SQRT2", std::f64::consts::SQRT_2),
    tag("Math"),
    method("abs", 1, abs),
    method("acos", 1, |vm, arguments| unary(vm, arguments, libm::acos)),
    method("acosh", 1, |vm, arguments| unary(vm, arguments, libm::acosh)),
    method("asin", 1, |vm, arguments| unary(vm, arguments, libm::asin)),
    method("asinh", 1, |vm, arguments| unary(vm, arguments, libm::asinh)),
    method("atan", 1, |vm, arguments| unary(vm, arguments, libm::atan)),
    method("atanh", 1, |vm, arguments| unary(vm, arguments, libm::atanh)),
    method("atan2", 2, atan2),
    method("cbrt", 1, |vm, arguments| unary(vm, arguments, libm::cbrt)),
    method("ceil", 1, |vm, arguments| to_integral(vm, arguments, f64::ceil)),
    method("clz32", 1, clz32),
    method("cos", 1, |vm, arguments| unary(vm, arguments, libm::cos)),
    method("cosh", 1, |vm, arguments| unary(vm, arguments, libm::cosh)),
    method("exp", 1, |vm, arguments| unary(vm, arguments, libm::exp)),
    method("expm1", 1, |vm, arguments| unary(vm, arguments, libm::expm1)),
    method("floor", 1, |vm, arguments| to_integral(vm, arguments, f64::floor)),
    method("fround", 1, |vm, arguments| unary(vm, arguments, |x| f64::from(x as f32))),
    method("f16round", 1, |vm, arguments| unary(vm, arguments, round_to_f16)),
    method("hypot", 2, hypot),
    method("imul", 2, imul),
    method("log", 1, |vm, arguments| unary(vm, arguments, libm::log)),
    method("log1p", 1, |vm, arguments| unary(vm, arguments, libm::log1p)),
    method("log10", 1, |vm, arguments| unary(vm, arguments, libm::log10)),
    method("log2", 1, |vm, arguments| unary(vm, arguments, libm::log2)),
    method("max", 2, max),
    method("min", 2, min),
    method("pow", 2, pow),
    method("random", 0, random),
    method("round", 1, |vm, arguments| to_integral(vm, arguments, round)),
    method("sign", 1, |vm, arguments| unary(vm, arguments, sign)),
    method("sin", 1, |vm, arguments| unary(vm, arguments, libm::sin)),
    method("sinh", 1, |vm, arguments| unary(vm, arguments, libm::sinh)),
    method("sqrt", 1, |vm, arguments| unary(vm, arguments, f64::sqrt)),
    method("sumPrecise", 1, sum_precise),
    method("tan", 1, |vm, arguments| unary(vm, arguments, libm::tan)),
    method("tanh", 1, |vm, arguments| unary(vm, arguments, libm::tanh)),
    method("trunc", 1, |vm, arguments| to_integral(vm, arguments, f64::trunc)),
];

/// The functions of one Number.
#[inline]
fn unary(vm: &mut Vm, arguments: &Arguments, function: fn(f64) -> f64) -> Completion<Value> {
    let argument = arguments.get(vm, 0);
    let x = match argument.as_number() {
        Some(x) => x,
        None => vm.to_number(argument)?,
    };
    Ok(Value::number(function(x)))
}

/// The functions of one Number that give an integer: integers stay what they are.
#[inline]
fn to_integral(vm: &mut Vm, arguments: &Arguments, function: fn(f64) -> f64) -> Completion<Value> {
    let argument = arguments.get(vm, 0);
    if argument.is_int() {
        return Ok(argument);
    }
    unary(vm, arguments, function)
}

/// Math.abs ( x ) <https://tc39.es/ecma262/#sec-math.abs>
fn abs(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if let Some(x) = arguments.get(vm, 0).as_int()
        && let Some(magnitude) = x.checked_abs()
    {
        return Ok(Value::int(magnitude));
    }
    unary(vm, arguments, f64::abs)
}

/// Math.atan2 ( y, x ) <https://tc39.es/ecma262/#sec-math.atan2>
fn atan2(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (y, x) = two_numbers(vm, arguments)?;
    Ok(Value::number(libm::atan2(y, x)))
}

/// Math.clz32 ( x ) <https://tc39.es/ecma262/#sec-math.clz32>
fn clz32(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let x = vm.to_number(arguments.get(vm, 0))?;
    Ok(Value::int(numbers::to_uint32(x).leading_zeros() as i32))
}

/// Math.hypot ( ...args ) <https://tc39.es/ecma262/#sec-math.hypot>
fn hypot(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let coerced = all_numbers(vm, arguments)?;
    if coerced.iter().any(|x| x.is_infinite()) {
        return Ok(Value::double(f64::INFINITY));
    }
    let greatest =
        coerced.iter().fold(0.0, |greatest: f64, x| if x.is_nan() { f64::NAN } else { greatest.max(x.abs()) });
    if coerced.iter().any(|x| x.is_nan()) {
        return Ok(Value::NAN);
    }
    if greatest == 0.0 {
        return Ok(Value::ZERO);
    }
    // Scaled so that no square overflows or vanishes, and summed with the rounding errors kept.
    let (mut sum, mut compensation) = (0.0, 0.0);
    for x in coerced {
        let scaled = x / greatest;
        let summand = scaled * scaled - compensation;
        let next: f64 = sum + summand;
        compensation = (next - sum) - summand;
        sum = next;
    }
    Ok(Value::number(sum.sqrt() * greatest))
}

/// Math.imul ( x, y ) <https://tc39.es/ecma262/#sec-math.imul>
fn imul(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (x, y) = two_numbers(vm, arguments)?;
    Ok(Value::int(numbers::to_int32(x).wrapping_mul(numbers::to_int32(y))))
}

/// Math.max ( ...args ) <https://tc39.es/ecma262/#sec-math.max>
fn max(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    extreme(vm, arguments, f64::NEG_INFINITY, |candidate, best| {
        candidate > best || candidate == 0.0 && best == 0.0 && best.is_sign_negative()
    })
}

/// Math.min ( ...args ) <https://tc39.es/ecma262/#sec-math.min>
fn min(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    extreme(vm, arguments, f64::INFINITY, |candidate, best| {
        candidate < best || candidate == 0.0 && best == 0.0 && candidate.is_sign_negative()
    })
}

/// Math.pow ( base, exponent ) <https://tc39.es/ecma262/#sec-math.pow>
fn pow(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (base, exponent) = two_numbers(vm, arguments)?;
    Ok(Value::number(numbers::pow(base, exponent)))
}

/// Math.random ( ) <https://tc39.es/ecma262/#sec-math.random>
fn random(vm: &mut Vm, _: &Arguments) -> Completion<Value> {
    // The 53 bits that a double below one has room for.
    Ok(Value::double((vm.host.random_u64() >> 11) as f64 / (1_u64 << 53) as f64))
}

/// Math.round ( x ) <https://tc39.es/ecma262/#sec-math.round>: ties go up, the sign of a zero is that of x.
fn round(x: f64) -> f64 {
    let below = x.floor();
    let rounded = if x - below >= 0.5 { below + 1.0 } else { below };
    rounded.copysign(x)
}

/// Math.sign ( x ) <https://tc39.es/ecma262/#sec-math.sign>
fn sign(x: f64) -> f64 {
    if x.is_nan() || x == 0.0 { x } else { 1.0_f64.copysign(x) }
}

/// Math.f16round ( x ) <https://tc39.es/ecma262/#sec-math.f16round>
fn round_to_f16(x: f64) -> f64 {
    // From here on the nearest binary16 is infinite: the greatest one is 65504.
    const OVERFLOW: f64 = 65520.0;
    if x.is_nan() || x == 0.0 {
        return x;
    }
    if x.abs() >= OVERFLOW {
        return f64::INFINITY.copysign(x);
    }
    // A binary16 has 11 significant bits, and 2^-24 is its smallest step. Adding and taking away a power of two that is
    // 52 - 10 binary places above the number leaves just those bits, rounded to nearest, ties to even.
    let exponent = libm::ilogb(x).max(-14);
    let scale = libm::ldexp(1.5, exponent + 42);
    let rounded = (x.abs() + scale) - scale;
    rounded.copysign(x)
}

/// Math.sumPrecise ( items ) <https://tc39.es/ecma262/#sec-math.sumprecise>
fn sum_precise(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let items = arguments.get(vm, 0);
    // 1. Perform ? RequireObjectCoercible(items).
    if items.is_nullish() {
        let text = vm.display(items);
        return Err(vm.throw_type_error(format!("{text} is not iterable")));
    }
    // 2. Let iteratorRecord be ? GetIterator(items, sync).
    let mut record = vm.get_iterator(items)?;
    let mut sum = numbers::ExactSum::default();
    while let Some(item) = vm.iterator_step_value(&mut record)? {
        let Some(number) = item.as_number() else {
            let text = vm.display(item);
            let thrown = vm.throw_type_error(format!("{text} is not a number"));
            return Err(vm.iterator_close_throwing(&record, thrown));
        };
        sum.add(number);
    }
    Ok(Value::number(sum.total()))
}

#[inline]
fn two_numbers(vm: &mut Vm, arguments: &Arguments) -> Completion<(f64, f64)> {
    let first = vm.to_number(arguments.get(vm, 0))?;
    let second = vm.to_number(arguments.get(vm, 1))?;
    Ok((first, second))
}

/// All arguments are converted before any is looked at.
fn all_numbers(vm: &mut Vm, arguments: &Arguments) -> Completion<Vec<f64>> {
    (0..arguments.len()).map(|index| vm.to_number(arguments.get(vm, index))).collect()
}

#[inline]
fn extreme(vm: &mut Vm, arguments: &Arguments, start: f64, is_better: fn(f64, f64) -> bool) -> Completion<Value> {
    let mut best = start;
    for index in 0..arguments.len() {
        let argument = arguments.get(vm, index);
        let candidate = match argument.as_number() {
            Some(candidate) => candidate,
            None => vm.to_number(argument)?,
        };
        if best.is_nan() || candidate.is_nan() {
            // The conversion of the other arguments can still be observed.
            best = f64::NAN;
        } else if is_better(candidate, best) {
            best = candidate;
        }
    }
    Ok(Value::number(best))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding() {
        for (x, expected) in
            [(0.5, 1.0), (-0.5, -0.0), (2.5, 3.0), (-2.5, -2.0), (0.49999999999999994, 0.0), (-0.2, -0.0)]
        {
            assert_eq!(round(x).to_bits(), f64::to_bits(expected), "{x}");
        }
        assert_eq!(round(4503599627370495.5), 4503599627370496.0);
        assert_eq!(round(9007199254740991.0), 9007199254740991.0);
        assert_eq!(round(f64::NEG_INFINITY), f64::NEG_INFINITY);
        assert!(round(f64::NAN).is_nan());
    }

    #[test]
    fn half_precision() {
        for (x, expected) in [
            (1.337, 1.3369140625),
            (65504.0, 65504.0),
            (65519.999, 65504.0),
            (65520.0, f64::INFINITY),
            (-1e10, f64::NEG_INFINITY),
            (5.960464477539063e-8, 5.960464477539063e-8),
            (2.980232238769531e-8, 0.0),
            (2.9802322387695316e-8, 5.960464477539063e-8),
            (1.0009765625, 1.0009765625),
            (1.00048828125, 1.0),
            (1.0004882812500002, 1.0009765625),
            (f64::MAX, f64::INFINITY),
            (f64::MIN_POSITIVE, 0.0),
        ] {
            assert_eq!(round_to_f16(x), expected, "{x}");
        }
    }
}
