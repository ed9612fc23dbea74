//! `Atomics`: [ECMA-262, 25.4](https://tc39.es/ecma262/#sec-atomics-object). There is one agent, so every access is atomic, nobody can be
//! notified, and the agent must not block.

use num_bigint::BigInt;

use crate::builtins::{Builtin, BuiltinKind, PrototypeKind, method, tag};
use crate::object::{ElementType, RawElement, TypedArray};
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `Atomics`.
pub static BUILTIN: Builtin = Builtin {
    kind: BuiltinKind::Namespace { id: IntrinsicObject::Atomics, name: "Atomics" },
    statics: &[
        method("add", 3, |vm, arguments| read_modify_write(vm, arguments, u64::wrapping_add)),
        method("and", 3, |vm, arguments| read_modify_write(vm, arguments, |old, new| old & new)),
        method("compareExchange", 4, compare_exchange),
        method("exchange", 3, |vm, arguments| read_modify_write(vm, arguments, |_, new| new)),
        method("isLockFree", 1, is_lock_free),
        method("load", 2, load),
        method("notify", 3, notify),
        method("or", 3, |vm, arguments| read_modify_write(vm, arguments, |old, new| old | new)),
        method("store", 3, store),
        method("sub", 3, |vm, arguments| read_modify_write(vm, arguments, u64::wrapping_sub)),
        method("wait", 4, wait),
        method("xor", 3, |vm, arguments| read_modify_write(vm, arguments, |old, new| old ^ new)),
        tag("Atomics"),
    ],
    prototype: &[],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// AtomicReadModifyWrite ( typedArray, index, value, op ) <https://tc39.es/ecma262/#sec-atomicreadmodifywrite>. All operations are those
/// of 64-bit integers, of which the element keeps the low bits.
fn read_modify_write(vm: &mut Vm, arguments: &Arguments, operation: fn(u64, u64) -> u64) -> Completion<Value> {
    let (array, index) = validate_access(vm, arguments, false)?;
    let (_, operand) = operand(vm, arguments, 2, array.element)?;
    require_valid(vm, &array)?;
    let old = vm.heap.typed_array_get_at(&array, index).unwrap_or(Value::UNDEFINED);
    let result = operation(bits(vm, old), operand);
    vm.heap.typed_array_set_at(&array, index, raw(array.element, result));
    Ok(old)
}

/// Atomics.compareExchange ( typedArray, index, expectedValue, replacementValue ) <https://tc39.es/ecma262/#sec-atomics.compareexchange>
fn compare_exchange(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (array, index) = validate_access(vm, arguments, false)?;
    let (_, expected) = operand(vm, arguments, 2, array.element)?;
    let (_, replacement) = operand(vm, arguments, 3, array.element)?;
    require_valid(vm, &array)?;
    let old = vm.heap.typed_array_get_at(&array, index).unwrap_or(Value::UNDEFINED);
    if raw(array.element, bits(vm, old)) == raw(array.element, expected) {
        vm.heap.typed_array_set_at(&array, index, raw(array.element, replacement));
    }
    Ok(old)
}

/// Atomics.isLockFree ( size ) <https://tc39.es/ecma262/#sec-atomics.islockfree>
fn is_lock_free(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let size = arguments.get(vm, 0);
    let size = vm.to_integer_or_infinity(size)?;
    Ok(Value::boolean([1.0, 2.0, 4.0, 8.0].contains(&size)))
}

/// Atomics.load ( typedArray, index ) <https://tc39.es/ecma262/#sec-atomics.load>
fn load(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (array, index) = validate_access(vm, arguments, false)?;
    require_valid(vm, &array)?;
    Ok(vm.heap.typed_array_get_at(&array, index).unwrap_or(Value::UNDEFINED))
}

/// Atomics.notify ( typedArray, index, count ) <https://tc39.es/ecma262/#sec-atomics.notify>: nobody waits.
fn notify(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    validate_access(vm, arguments, true)?;
    let count = arguments.get(vm, 2);
    if !count.is_undefined() {
        vm.to_integer_or_infinity(count)?;
    }
    Ok(Value::int(0))
}

/// Atomics.store ( typedArray, index, value ) <https://tc39.es/ecma262/#sec-atomics.store>
fn store(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (array, index) = validate_access(vm, arguments, false)?;
    let (value, stored) = operand(vm, arguments, 2, array.element)?;
    require_valid(vm, &array)?;
    vm.heap.typed_array_set_at(&array, index, raw(array.element, stored));
    Ok(value)
}

/// Atomics.wait ( typedArray, index, value, timeout ) <https://tc39.es/ecma262/#sec-atomics.wait>: an agent that is alone cannot suspend.
fn wait(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (array, _) = validate_access(vm, arguments, true)?;
    if !vm.heap.array_buffer(array.buffer).is_some_and(|buffer| buffer.is_shared) {
        return Err(vm.throw_type_error("Atomics.wait must be called on a shared typed array"));
    }
    operand(vm, arguments, 2, array.element)?;
    let timeout = arguments.get(vm, 3);
    vm.to_number(timeout)?;
    Err(vm.throw_type_error("Atomics.wait cannot be called in this context"))
}

/// ValidateAtomicAccessOnIntegerTypedArray ( typedArray, requestIndex, waitable )
/// <https://tc39.es/ecma262/#sec-validateatomicaccessonintegertypedarray>
fn validate_access(vm: &mut Vm, arguments: &Arguments, is_waitable: bool) -> Completion<(TypedArray, usize)> {
    let array = arguments.get(vm, 0).as_object().and_then(|object| vm.heap.typed_array(object));
    let Some(array) = array else { return Err(vm.throw_type_error("[object Array] is not an integer typed array.")) };
    let is_allowed = match array.element {
        ElementType::Int32 | ElementType::BigInt64 => true,
        ElementType::Float16 | ElementType::Float32 | ElementType::Float64 | ElementType::Uint8Clamped => false,
        _ => !is_waitable,
    };
    let length = require_valid(vm, &array)?;
    if !is_allowed {
        return Err(vm.throw_type_error("[object Array] is not an integer typed array."));
    }
    let index = arguments.get(vm, 1);
    let index = vm.to_index(index, "Invalid atomic access index")?;
    if index >= length {
        return Err(vm.throw_range_error("Invalid atomic access index"));
    }
    Ok((array, index))
}

/// The length of a typed array that is not out of bounds.
fn require_valid(vm: &mut Vm, array: &TypedArray) -> Completion<usize> {
    match vm.heap.typed_array_length(array) {
        Some(length) => Ok(length),
        None => Err(vm.throw_type_error("Cannot perform Atomics operation on a detached ArrayBuffer")),
    }
}

/// ToBigInt or ToIntegerOrInfinity of an argument, and its low 64 bits.
fn operand(vm: &mut Vm, arguments: &Arguments, index: usize, element: ElementType) -> Completion<(Value, u64)> {
    let value = arguments.get(vm, index);
    if element.is_bigint() {
        let bigint = vm.to_bigint(value)?;
        let low = crate::bigint::to_u64_wrapping(&bigint);
        return Ok((vm.heap.new_bigint(bigint), low));
    }
    let number = vm.to_integer_or_infinity(value)?;
    Ok((Value::number(number), low_bits(number)))
}

/// The low bits of an element's value.
fn bits(vm: &Vm, value: Value) -> u64 {
    match value.as_bigint() {
        Some(bigint) => crate::bigint::to_u64_wrapping(&vm.heap[bigint].0),
        None => low_bits(value.as_number().unwrap_or(0.0)),
    }
}

/// Elements that are no BigInts have 32 bits at most.
fn low_bits(number: f64) -> u64 {
    u64::from(crate::number::to_int32(number) as u32)
}

/// The element with these low bits.
fn raw(element: ElementType, bits: u64) -> RawElement {
    if element.is_bigint() {
        RawElement::from_bigint(&BigInt::from(bits))
    } else {
        RawElement::from_number(element, f64::from(bits as u32))
    }
}
