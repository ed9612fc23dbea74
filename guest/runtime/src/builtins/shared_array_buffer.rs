//! `SharedArrayBuffer`: [ECMA-262, 25.2](https://tc39.es/ecma262/#sec-sharedarraybuffer-objects). There is one agent, so nothing is shared
//! with another; growing never moves what views see.

use crate::builtins::array_buffer::{MAX_BYTE_LENGTH, reserve_bytes};
use crate::builtins::{
    Builtin, Entry, PrototypeKind, constructor, getter, global_constructor, method, symbol_getter, tag,
};
use crate::heap::Gc;
use crate::names::keys;
use crate::object::{ArrayBuffer, Object, ObjectKind};
use crate::symbol;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Thrown, Vm};

/// The table of `SharedArrayBuffer`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("SharedArrayBuffer", 1, construct),
        IntrinsicObject::SharedArrayBuffer,
        IntrinsicObject::SharedArrayBufferPrototype,
    ),
    statics: &[symbol_getter(symbol::SPECIES, "[Symbol.species]", species)],
    prototype: PROTOTYPE,
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

const PROTOTYPE: &[Entry] = &[
    getter("byteLength", byte_length),
    method("grow", 1, grow),
    getter("growable", growable),
    getter("maxByteLength", max_byte_length),
    method("slice", 2, slice),
    tag("SharedArrayBuffer"),
];

/// SharedArrayBuffer ( length \[ , options ] ) <https://tc39.es/ecma262/#sec-sharedarraybuffer-length>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.is_construct() {
        return Err(vm.throw_type_error("Constructor SharedArrayBuffer requires 'new'"));
    }
    let length = arguments.get(vm, 0);
    let length = vm.to_index(length, "Array buffer allocation failed")?;
    let max_length = match arguments.get(vm, 1).as_object() {
        Some(options) => match vm.get(options, keys::MAX_BYTE_LENGTH)? {
            Value::UNDEFINED => None,
            max => Some(vm.to_index(max, "Invalid array buffer max length")?),
        },
        None => None,
    };
    if max_length.is_some_and(|max_length| length > max_length) {
        return Err(vm.throw_range_error("Invalid array buffer max length"));
    }
    let prototype =
        vm.get_prototype_from_constructor(arguments.new_target, IntrinsicObject::SharedArrayBufferPrototype)?;
    if max_length.is_some_and(|max_length| max_length > MAX_BYTE_LENGTH) {
        return Err(vm.throw_range_error("Invalid array buffer max length"));
    }
    reserve_bytes(vm, length)?;
    let buffer = ArrayBuffer { bytes: vec![0; length], max_length, is_shared: true, ..ArrayBuffer::default() };
    Ok(Value::object(vm.heap.new_object_of_kind(Some(prototype), ObjectKind::ArrayBuffer(Box::new(buffer)))))
}

/// get SharedArrayBuffer \[ %Symbol.species% ] <https://tc39.es/ecma262/#sec-sharedarraybuffer-%symbol.species%>
fn species(_: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(arguments.this)
}

/// get SharedArrayBuffer.prototype.byteLength <https://tc39.es/ecma262/#sec-get-sharedarraybuffer.prototype.bytelength>
fn byte_length(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let buffer = this_buffer(vm, arguments, "byteLength")?;
    Ok(Value::from(length_of(vm, buffer)))
}

/// SharedArrayBuffer.prototype.grow ( newLength ) <https://tc39.es/ecma262/#sec-sharedarraybuffer.prototype.grow>
fn grow(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let buffer = this_buffer(vm, arguments, "grow")?;
    let Some(max_length) = vm.heap.array_buffer(buffer).and_then(|slots| slots.max_length) else {
        return Err(incompatible(vm, arguments, "grow"));
    };
    let length = arguments.get(vm, 0);
    let length = vm.to_index(length, "SharedArrayBuffer.prototype.grow: Invalid length parameter")?;
    let old_length = length_of(vm, buffer);
    if length > max_length || length < old_length {
        return Err(vm.throw_range_error("SharedArrayBuffer.prototype.grow: Invalid length parameter"));
    }
    reserve_bytes(vm, length - old_length)?;
    if let Some(slots) = vm.heap.array_buffer_mut(buffer) {
        let before = slots.bytes.capacity();
        slots.bytes.resize(length, 0);
        let grown = slots.bytes.capacity().saturating_sub(before);
        vm.heap.charge(grown);
    }
    Ok(Value::UNDEFINED)
}

/// get SharedArrayBuffer.prototype.growable <https://tc39.es/ecma262/#sec-get-sharedarraybuffer.prototype.growable>
fn growable(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let buffer = this_buffer(vm, arguments, "growable")?;
    Ok(Value::boolean(vm.heap.array_buffer(buffer).is_some_and(|slots| slots.max_length.is_some())))
}

/// get SharedArrayBuffer.prototype.maxByteLength <https://tc39.es/ecma262/#sec-get-sharedarraybuffer.prototype.maxbytelength>
fn max_byte_length(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let buffer = this_buffer(vm, arguments, "maxByteLength")?;
    let max_length = vm.heap.array_buffer(buffer).and_then(|slots| slots.max_length);
    Ok(Value::from(max_length.unwrap_or(length_of(vm, buffer))))
}

/// SharedArrayBuffer.prototype.slice ( start, end ) <https://tc39.es/ecma262/#sec-sharedarraybuffer.prototype.slice>
fn slice(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let buffer = this_buffer(vm, arguments, "slice")?;
    let length = length_of(vm, buffer) as u64;
    let (start, end) = (arguments.get(vm, 0), arguments.get(vm, 1));
    let first = vm.to_relative_index(start, length, 0)?;
    let last = vm.to_relative_index(end, length, length)?;
    let count = last.saturating_sub(first) as usize;
    let default = Value::object(vm.intrinsic(IntrinsicObject::SharedArrayBuffer));
    let constructor = vm.species_constructor(buffer, default)?;
    vm.root(constructor);
    let new = vm.construct(constructor, &[Value::from(count)], constructor)?;
    vm.root(new);
    let is_shared = |new: &Gc<Object>| vm.heap.array_buffer(*new).is_some_and(|slots| slots.is_shared);
    let Some(new) = new.as_object().filter(is_shared) else {
        return Err(vm.throw_type_error("Species constructor did not return a SharedArrayBuffer"));
    };
    if new == buffer {
        return Err(vm.throw_type_error("SharedArrayBuffer subclass returned this from species constructor"));
    }
    if length_of(vm, new) < count {
        return Err(vm.throw_type_error("Species constructor returned a too small SharedArrayBuffer"));
    }
    let first = first as usize;
    let source = vm.heap.array_buffer(buffer).map_or(&[][..], |slots| &slots.bytes);
    let bytes = source.get(first..first + count).unwrap_or_default().to_vec();
    if let Some(place) = vm.heap.array_buffer_mut(new).and_then(|slots| slots.bytes.get_mut(..bytes.len())) {
        place.copy_from_slice(&bytes);
    }
    Ok(Value::object(new))
}

fn length_of(vm: &Vm, buffer: Gc<Object>) -> usize {
    vm.heap.array_buffer(buffer).map_or(0, |slots| slots.bytes.len())
}

fn this_buffer(vm: &mut Vm, arguments: &Arguments, name: &str) -> Completion<Gc<Object>> {
    match arguments.this.as_object() {
        Some(buffer) if vm.heap.array_buffer(buffer).is_some_and(|slots| slots.is_shared) => Ok(buffer),
        _ => Err(incompatible(vm, arguments, name)),
    }
}

fn incompatible(vm: &mut Vm, arguments: &Arguments, name: &str) -> Thrown {
    let text = vm.display(arguments.this);
    vm.throw_type_error(format!("Method SharedArrayBuffer.prototype.{name} called on incompatible receiver {text}"))
}
