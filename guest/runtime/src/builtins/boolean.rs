//! `Boolean`: [ECMA-262, 20.3](https://tc39.es/ecma262/#sec-boolean-objects).

use crate::builtins::{Builtin, PrototypeKind, constructor, global_constructor, method};
use crate::names;
use crate::object::{ObjectKind, PackedValue};
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `Boolean`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("Boolean", 1, construct),
        IntrinsicObject::Boolean,
        IntrinsicObject::BooleanPrototype,
    ),
    statics: &[],
    prototype: &[method("toString", 0, to_string), method("valueOf", 0, value_of)],
    prototype_kind: PrototypeKind::Boolean,
    prototype_parent: None,
};

/// Boolean ( value ) <https://tc39.es/ecma262/#sec-boolean-constructor-boolean-value>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let value = Value::boolean(vm.heap.to_boolean(arguments.get(vm, 0)));
    if !arguments.is_construct() {
        return Ok(value);
    }
    let kind = ObjectKind::Primitive(PackedValue::new(value));
    vm.ordinary_create_from_constructor(arguments.new_target, IntrinsicObject::BooleanPrototype, kind)
        .map(Value::object)
}

/// Boolean.prototype.toString ( ) <https://tc39.es/ecma262/#sec-boolean.prototype.tostring>
fn to_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let value = this_boolean_value(vm, arguments, "toString")?;
    Ok(Value::string(if value { names::TRUE } else { names::FALSE }))
}

/// Boolean.prototype.valueOf ( ) <https://tc39.es/ecma262/#sec-boolean.prototype.valueof>
fn value_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    this_boolean_value(vm, arguments, "valueOf").map(Value::boolean)
}

/// ThisBooleanValue ( value ) <https://tc39.es/ecma262/#sec-thisbooleanvalue>
fn this_boolean_value(vm: &mut Vm, arguments: &Arguments, method: &str) -> Completion<bool> {
    let wrapped = arguments.this.as_object().and_then(|object| vm.heap[object].kind.as_primitive());
    match arguments.this.as_bool().or_else(|| wrapped.and_then(Value::as_bool)) {
        Some(value) => Ok(value),
        None => Err(vm.throw_type_error(format!("Boolean.prototype.{method} requires that 'this' be a Boolean"))),
    }
}
