//! `BigInt`: [ECMA-262, 21.2](https://tc39.es/ecma262/#sec-bigint-objects).

use crate::bigint;
use crate::builtins::{Builtin, PrototypeKind, constructor, global_constructor, method, tag};
use crate::heap::{BigIntCell, Gc};
use crate::operations::Hint;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `BigInt`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("BigInt", 1, construct),
        IntrinsicObject::BigInt,
        IntrinsicObject::BigIntPrototype,
    ),
    statics: &[method("asIntN", 2, as_int_n), method("asUintN", 2, as_uint_n)],
    prototype: &[
        method("toLocaleString", 0, to_locale_string),
        method("toString", 0, to_string),
        method("valueOf", 0, value_of),
        tag("BigInt"),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// BigInt ( value ) <https://tc39.es/ecma262/#sec-bigint-constructor-number-value>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if arguments.is_construct() {
        return Err(vm.throw_type_error("BigInt is not a constructor"));
    }
    let primitive = vm.to_primitive(arguments.get(vm, 0), Hint::Number)?;
    let Some(number) = primitive.as_number() else {
        let value = vm.to_bigint(primitive)?;
        return Ok(vm.heap.new_bigint(value));
    };
    match bigint::from_f64(number) {
        Some(value) => Ok(vm.heap.new_bigint(value)),
        None => {
            let text = vm.display(primitive);
            Err(vm.throw_range_error(format!(
                "The number {text} cannot be converted to a BigInt because it is not an integer"
            )))
        }
    }
}

/// BigInt.asIntN ( bits, bigint ) <https://tc39.es/ecma262/#sec-bigint.asintn>
fn as_int_n(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let bits = vm.to_index(arguments.get(vm, 0), "Invalid value: not (convertible to) a safe integer")?;
    let value = vm.to_bigint(arguments.get(vm, 1))?;
    let value = bigint::as_int_n(bits as u64, &value);
    Ok(vm.heap.new_bigint(value))
}

/// BigInt.asUintN ( bits, bigint ) <https://tc39.es/ecma262/#sec-bigint.asuintn>
fn as_uint_n(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let bits = vm.to_index(arguments.get(vm, 0), "Invalid value: not (convertible to) a safe integer")?;
    let value = vm.to_bigint(arguments.get(vm, 1))?;
    match bigint::as_uint_n(bits as u64, &value) {
        Ok(value) => Ok(vm.heap.new_bigint(value)),
        Err(error) => Err(vm.throw_range_error(error.message())),
    }
}

/// BigInt.prototype.toLocaleString ( ): English digits in groups of three
/// <https://tc39.es/ecma262/#sec-bigint.prototype.tolocalestring>
fn to_locale_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let value = this_bigint_value(vm, arguments, "toLocaleString")?;
    let text = bigint::to_string_radix(&vm.heap[value].0, 10);
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.as_str()),
    };
    let mut grouped = String::from(sign);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    Ok(Value::string(vm.heap.new_string_owned(grouped)))
}

/// BigInt.prototype.toString ( \[ radix ] ) <https://tc39.es/ecma262/#sec-bigint.prototype.tostring>
fn to_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let value = this_bigint_value(vm, arguments, "toString")?;
    let radix = arguments.get(vm, 0);
    let radix = if radix.is_undefined() { 10.0 } else { vm.to_integer_or_infinity(radix)? };
    if !(2.0..=36.0).contains(&radix) {
        return Err(vm.throw_range_error("toString() radix argument must be between 2 and 36"));
    }
    let text = bigint::to_string_radix(&vm.heap[value].0, radix as u32);
    Ok(Value::string(vm.heap.new_string_owned(text)))
}

/// BigInt.prototype.valueOf ( ) <https://tc39.es/ecma262/#sec-bigint.prototype.valueof>
fn value_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    this_bigint_value(vm, arguments, "valueOf").map(Value::bigint)
}

/// ThisBigIntValue ( value ) <https://tc39.es/ecma262/#sec-thisbigintvalue>
fn this_bigint_value(vm: &mut Vm, arguments: &Arguments, method: &str) -> Completion<Gc<BigIntCell>> {
    let wrapped = arguments.this.as_object().and_then(|object| vm.heap[object].kind.as_primitive());
    match arguments.this.as_bigint().or_else(|| wrapped.and_then(Value::as_bigint)) {
        Some(value) => {
            vm.root(value);
            Ok(value)
        }
        None => Err(vm.throw_type_error(format!("BigInt.prototype.{method} requires that 'this' be a BigInt"))),
    }
}
