//! `Number`: [ECMA-262, 21.1](https://tc39.es/ecma262/#sec-number-objects), with `parseInt` and its kin of the
//! [global object](https://tc39.es/ecma262/#sec-function-properties-of-the-global-object).

use crate::bigint;
use crate::builtins::number_format::NumberFormat;
use crate::builtins::{
    Builtin, BuiltinKind, Entry, Key, NativeFunction, PrototypeKind, constructor, global_constructor, method, native,
    number,
};
use crate::number as numbers;
use crate::object::{ObjectKind, PackedValue};
use crate::value::{Unpacked, Value};
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `Number`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("Number", 1, construct),
        IntrinsicObject::Number,
        IntrinsicObject::NumberPrototype,
    ),
    statics: STATICS,
    prototype: PROTOTYPE,
    prototype_kind: PrototypeKind::Number,
    prototype_parent: None,
};

const STATICS: &[Entry] = &[
    number("EPSILON", f64::EPSILON),
    method("isFinite", 1, is_finite),
    method("isInteger", 1, is_integer),
    method("isNaN", 1, is_nan),
    method("isSafeInteger", 1, is_safe_integer),
    number("MAX_SAFE_INTEGER", MAX_SAFE_INTEGER),
    number("MAX_VALUE", f64::MAX),
    number("MIN_SAFE_INTEGER", -MAX_SAFE_INTEGER),
    number("MIN_VALUE", 5e-324),
    number("NaN", f64::NAN),
    number("NEGATIVE_INFINITY", f64::NEG_INFINITY),
    Entry::Intrinsic(Key::Name("parseFloat"), IntrinsicObject::ParseFloat),
    Entry::Intrinsic(Key::Name("parseInt"), IntrinsicObject::ParseInt),
    number("POSITIVE_INFINITY", f64::INFINITY),
];

const PROTOTYPE: &[Entry] = &[
    method("toExponential", 1, to_exponential),
    method("toFixed", 1, to_fixed),
    method("toLocaleString", 0, to_locale_string),
    method("toPrecision", 1, to_precision),
    method("toString", 1, to_string),
    method("valueOf", 0, value_of),
];

/// The functions of the global object that are about Numbers.
pub static GLOBALS: Builtin = Builtin {
    kind: BuiltinKind::Globals,
    statics: &[
        method("isFinite", 1, global_is_finite),
        method("isNaN", 1, global_is_nan),
        Entry::Intrinsic(Key::Name("parseFloat"), IntrinsicObject::ParseFloat),
        Entry::Intrinsic(Key::Name("parseInt"), IntrinsicObject::ParseInt),
    ],
    prototype: &[],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// `%parseFloat%`, a property of the global object and of `Number`.
pub static PARSE_FLOAT: NativeFunction = native("parseFloat", 1, parse_float);

/// `%parseInt%`, a property of the global object and of `Number`.
pub static PARSE_INT: NativeFunction = native("parseInt", 2, parse_int);

const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Number ( value ) <https://tc39.es/ecma262/#sec-number-constructor-number-value>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let value = match arguments.get_present(vm, 0) {
        None => Value::ZERO,
        Some(value) if value.is_number() => value,
        Some(value) => {
            let numeric = vm.to_numeric(value)?;
            match numeric.as_bigint() {
                Some(bigint) => Value::number(bigint::to_f64(&vm.heap[bigint].0)),
                None => numeric,
            }
        }
    };
    if !arguments.is_construct() {
        return Ok(value);
    }
    let kind = ObjectKind::Primitive(PackedValue::new(value));
    let object = vm.ordinary_create_from_constructor(arguments.new_target, IntrinsicObject::NumberPrototype, kind)?;
    Ok(Value::object(object))
}

/// Number.isFinite ( number ) <https://tc39.es/ecma262/#sec-number.isfinite>
fn is_finite(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(Value::boolean(arguments.get(vm, 0).as_number().is_some_and(f64::is_finite)))
}

/// Number.isInteger ( number ) <https://tc39.es/ecma262/#sec-number.isinteger>
fn is_integer(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(Value::boolean(arguments.get(vm, 0).as_number().is_some_and(is_integral)))
}

/// Number.isNaN ( number ) <https://tc39.es/ecma262/#sec-number.isnan>
fn is_nan(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(Value::boolean(arguments.get(vm, 0).as_number().is_some_and(f64::is_nan)))
}

/// Number.isSafeInteger ( number ) <https://tc39.es/ecma262/#sec-number.issafeinteger>
fn is_safe_integer(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let is_safe = |number: f64| is_integral(number) && number.abs() <= MAX_SAFE_INTEGER;
    Ok(Value::boolean(arguments.get(vm, 0).as_number().is_some_and(is_safe)))
}

/// Number.prototype.toExponential ( fractionDigits ) <https://tc39.es/ecma262/#sec-number.prototype.toexponential>
fn to_exponential(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    // 1. Let x be ? ThisNumberValue(this value).
    let number = this_number_value(vm, arguments, "toExponential")?;
    // 2. Let f be ? ToIntegerOrInfinity(fractionDigits).
    let argument = arguments.get(vm, 0);
    let digits = vm.to_integer_or_infinity(argument)?;
    // 4. If x is not finite, return Number::toString(x, 10).
    if !number.is_finite() {
        return Ok(Value::string(vm.heap.number_to_string(number)));
    }
    // 5. If f < 0 or f > 100, throw a RangeError exception.
    if !(0.0..=100.0).contains(&digits) {
        return Err(vm.throw_range_error("toExponential() argument must be between 0 and 100"));
    }
    let digits = (!argument.is_undefined()).then_some(digits as u32);
    Ok(Value::string(vm.heap.new_string_owned(numbers::to_exponential(number, digits))))
}

/// Number.prototype.toFixed ( fractionDigits ) <https://tc39.es/ecma262/#sec-number.prototype.tofixed>
fn to_fixed(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let number = this_number_value(vm, arguments, "toFixed")?;
    let digits = vm.to_integer_or_infinity(arguments.get(vm, 0))?;
    if !(0.0..=100.0).contains(&digits) {
        return Err(vm.throw_range_error("toFixed() digits argument must be between 0 and 100"));
    }
    Ok(Value::string(vm.heap.new_string_owned(numbers::to_fixed(number, digits as u32))))
}

/// Number.prototype.toLocaleString ( \[ locales \[ , options ] ] )
/// <https://tc39.es/ecma402/#sup-number.prototype.tolocalestring>, always in the `en` locale.
fn to_locale_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let number = this_number_value(vm, arguments, "toLocaleString")?;
    let format = NumberFormat::from_options(vm, arguments.get(vm, 1))?;
    Ok(Value::string(vm.heap.new_string(&format.format(number))))
}

/// Number.prototype.toPrecision ( precision ) <https://tc39.es/ecma262/#sec-number.prototype.toprecision>
fn to_precision(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    // 1. Let x be ? ThisNumberValue(this value).
    let number = this_number_value(vm, arguments, "toPrecision")?;
    // 2. If precision is undefined, return Number::toString(x, 10).
    let argument = arguments.get(vm, 0);
    if argument.is_undefined() {
        return Ok(Value::string(vm.heap.number_to_string(number)));
    }
    // 3. Let p be ? ToIntegerOrInfinity(precision).
    let precision = vm.to_integer_or_infinity(argument)?;
    // 4. If x is not finite, return Number::toString(x, 10).
    if !number.is_finite() {
        return Ok(Value::string(vm.heap.number_to_string(number)));
    }
    // 5. If p < 1 or p > 100, throw a RangeError exception.
    if !(1.0..=100.0).contains(&precision) {
        return Err(vm.throw_range_error("toPrecision() argument must be between 1 and 100"));
    }
    Ok(Value::string(vm.heap.new_string_owned(numbers::to_precision(number, precision as u32))))
}

/// Number.prototype.toString ( [ radix ] ) <https://tc39.es/ecma262/#sec-number.prototype.tostring>
fn to_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let number = this_number_value(vm, arguments, "toString")?;
    let argument = arguments.get(vm, 0);
    let radix = if argument.is_undefined() { 10.0 } else { vm.to_integer_or_infinity(argument)? };
    if !(2.0..=36.0).contains(&radix) {
        return Err(vm.throw_range_error("toString() radix argument must be between 2 and 36"));
    }
    Ok(Value::string(if radix == 10.0 {
        vm.heap.number_to_string(number)
    } else {
        vm.heap.new_string_owned(numbers::to_string_radix(number, radix as u32))
    }))
}

/// Number.prototype.valueOf ( ) <https://tc39.es/ecma262/#sec-number.prototype.valueof>
fn value_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(Value::number(this_number_value(vm, arguments, "valueOf")?))
}

/// isFinite ( number ) <https://tc39.es/ecma262/#sec-isfinite-number>
fn global_is_finite(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(Value::boolean(vm.to_number(arguments.get(vm, 0))?.is_finite()))
}

/// isNaN ( number ) <https://tc39.es/ecma262/#sec-isnan-number>
fn global_is_nan(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(Value::boolean(vm.to_number(arguments.get(vm, 0))?.is_nan()))
}

/// parseFloat ( string ) <https://tc39.es/ecma262/#sec-parsefloat-string>
fn parse_float(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = vm.to_string(arguments.get(vm, 0))?;
    Ok(Value::number(numbers::parse_float(vm.heap.flat_view(string))))
}

/// parseInt ( string, radix ) <https://tc39.es/ecma262/#sec-parseint-string-radix>
fn parse_int(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (argument, radix) = (arguments.get(vm, 0), arguments.get(vm, 1));
    if argument.is_int() && radix.is_undefined() {
        return Ok(argument);
    }
    let string = vm.to_string(argument)?;
    vm.root(string);
    let radix = vm.to_int32(radix)?;
    Ok(Value::number(numbers::parse_int(vm.heap.flat_view(string), radix)))
}

/// ThisNumberValue ( value ) <https://tc39.es/ecma262/#sec-thisnumbervalue>
fn this_number_value(vm: &mut Vm, arguments: &Arguments, method: &str) -> Completion<f64> {
    match arguments.this.unpack() {
        Unpacked::Number(number) => return Ok(number),
        Unpacked::Object(object) => {
            if let Some(number) = vm.heap[object].kind.as_primitive().and_then(Value::as_number) {
                return Ok(number);
            }
        }
        _ => {}
    }
    Err(vm.throw_type_error(format!("Number.prototype.{method} requires that 'this' be a Number")))
}

/// IsIntegralNumber ( argument ) <https://tc39.es/ecma262/#sec-isintegralnumber>
fn is_integral(number: f64) -> bool {
    number.is_finite() && number.trunc() == number
}
