//! `DataView`: [ECMA-262, 25.3](https://tc39.es/ecma262/#sec-dataview-objects).

use crate::builtins::{Builtin, Entry, PrototypeKind, constructor, getter, global_constructor, method, tag};
use crate::heap::Gc;
use crate::object::{DataView, ElementType, Object, ObjectKind, RawElement};
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Thrown, Vm};

/// The table of `DataView`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("DataView", 1, construct),
        IntrinsicObject::DataView,
        IntrinsicObject::DataViewPrototype,
    ),
    statics: &[],
    prototype: PROTOTYPE,
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

const PROTOTYPE: &[Entry] = &[
    getter("buffer", buffer),
    getter("byteLength", byte_length),
    getter("byteOffset", byte_offset),
    method("getBigInt64", 1, |vm, arguments| get_view_value(vm, arguments, ElementType::BigInt64)),
    method("getBigUint64", 1, |vm, arguments| get_view_value(vm, arguments, ElementType::BigUint64)),
    method("getFloat16", 1, |vm, arguments| get_view_value(vm, arguments, ElementType::Float16)),
    method("getFloat32", 1, |vm, arguments| get_view_value(vm, arguments, ElementType::Float32)),
    method("getFloat64", 1, |vm, arguments| get_view_value(vm, arguments, ElementType::Float64)),
    method("getInt8", 1, |vm, arguments| get_view_value(vm, arguments, ElementType::Int8)),
    method("getInt16", 1, |vm, arguments| get_view_value(vm, arguments, ElementType::Int16)),
    method("getInt32", 1, |vm, arguments| get_view_value(vm, arguments, ElementType::Int32)),
    method("getUint8", 1, |vm, arguments| get_view_value(vm, arguments, ElementType::Uint8)),
    method("getUint16", 1, |vm, arguments| get_view_value(vm, arguments, ElementType::Uint16)),
    method("getUint32", 1, |vm, arguments| get_view_value(vm, arguments, ElementType::Uint32)),
    method("setBigInt64", 2, |vm, arguments| set_view_value(vm, arguments, ElementType::BigInt64)),
    method("setBigUint64", 2, |vm, arguments| set_view_value(vm, arguments, ElementType::BigUint64)),
    method("setFloat16", 2, |vm, arguments| set_view_value(vm, arguments, ElementType::Float16)),
    method("setFloat32", 2, |vm, arguments| set_view_value(vm, arguments, ElementType::Float32)),
    method("setFloat64", 2, |vm, arguments| set_view_value(vm, arguments, ElementType::Float64)),
    method("setInt8", 2, |vm, arguments| set_view_value(vm, arguments, ElementType::Int8)),
    method("setInt16", 2, |vm, arguments| set_view_value(vm, arguments, ElementType::Int16)),
    method("setInt32", 2, |vm, arguments| set_view_value(vm, arguments, ElementType::Int32)),
    method("setUint8", 2, |vm, arguments| set_view_value(vm, arguments, ElementType::Uint8)),
    method("setUint16", 2, |vm, arguments| set_view_value(vm, arguments, ElementType::Uint16)),
    method("setUint32", 2, |vm, arguments| set_view_value(vm, arguments, ElementType::Uint32)),
    tag("DataView"),
];

const OUT_OF_BOUNDS: &str = "Offset is outside the bounds of the DataView";

/// DataView ( buffer \[ , byteOffset \[ , byteLength ] ] ) <https://tc39.es/ecma262/#sec-dataview-buffer-byteoffset-bytelength>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.is_construct() {
        return Err(vm.throw_type_error("Constructor DataView requires 'new'"));
    }
    let buffer = arguments.get(vm, 0).as_object().filter(|&buffer| vm.heap.array_buffer(buffer).is_some());
    let Some(buffer) = buffer else {
        return Err(vm.throw_type_error("First argument to DataView constructor must be an ArrayBuffer"));
    };
    let offset = arguments.get(vm, 1);
    let offset_text = "Start offset is outside the bounds of the buffer";
    let byte_offset = vm.to_index(offset, offset_text)?;
    let available = buffer_length(vm, buffer)?;
    if byte_offset > available {
        return Err(vm.throw_range_error(offset_text));
    }
    let length = match arguments.get(vm, 2) {
        Value::UNDEFINED => None,
        length => Some(vm.to_index(length, "Invalid DataView length")?),
    };
    let is_invalid =
        |available: usize| byte_offset > available || length.is_some_and(|length| length > available - byte_offset);
    if is_invalid(available) {
        return Err(vm.throw_range_error("Invalid DataView length"));
    }
    let prototype = vm.get_prototype_from_constructor(arguments.new_target, IntrinsicObject::DataViewPrototype)?;
    let available = buffer_length(vm, buffer)?;
    if is_invalid(available) {
        return Err(vm.throw_range_error("Invalid DataView length"));
    }
    let is_resizable = vm.heap.array_buffer(buffer).is_some_and(|slots| slots.max_length.is_some());
    let length = length.or(if is_resizable { None } else { Some(available - byte_offset) });
    let view = DataView { buffer, byte_offset, length };
    Ok(Value::object(vm.heap.new_object_of_kind(Some(prototype), ObjectKind::DataView(Box::new(view)))))
}

/// get DataView.prototype.buffer <https://tc39.es/ecma262/#sec-get-dataview.prototype.buffer>
fn buffer(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let view = this_view(vm, arguments, "buffer")?;
    Ok(Value::object(view.buffer))
}

/// get DataView.prototype.byteLength <https://tc39.es/ecma262/#sec-get-dataview.prototype.bytelength>
fn byte_length(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let view = this_view(vm, arguments, "byteLength")?;
    match vm.heap.data_view_byte_length(&view) {
        Some(length) => Ok(Value::from(length)),
        None => Err(out_of_bounds(vm, "byteLength")),
    }
}

/// get DataView.prototype.byteOffset <https://tc39.es/ecma262/#sec-get-dataview.prototype.byteoffset>
fn byte_offset(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let view = this_view(vm, arguments, "byteOffset")?;
    match vm.heap.data_view_byte_length(&view) {
        Some(_) => Ok(Value::from(view.byte_offset)),
        None => Err(out_of_bounds(vm, "byteOffset")),
    }
}

/// GetViewValue ( view, requestIndex, isLittleEndian, type ) <https://tc39.es/ecma262/#sec-getviewvalue>
fn get_view_value(vm: &mut Vm, arguments: &Arguments, element: ElementType) -> Completion<Value> {
    let view = this_view(vm, arguments, "get")?;
    let index = arguments.get(vm, 0);
    let index = vm.to_index(index, OUT_OF_BOUNDS)?;
    let little_endian = arguments.get(vm, 1);
    let is_little_endian = vm.heap.to_boolean(little_endian);
    let start = element_start(vm, &view, index, element)?;
    let size = element.size();
    let mut raw = [0; 8];
    match vm.heap.array_buffer(view.buffer).and_then(|buffer| buffer.bytes.get(start..start + size)) {
        Some(bytes) => raw[..size].copy_from_slice(bytes),
        None => return Err(vm.throw_range_error(OUT_OF_BOUNDS)),
    }
    if !is_little_endian {
        raw[..size].reverse();
    }
    Ok(vm.heap.element_from_bytes(element, raw))
}

/// SetViewValue ( view, requestIndex, isLittleEndian, type, value ) <https://tc39.es/ecma262/#sec-setviewvalue>
fn set_view_value(vm: &mut Vm, arguments: &Arguments, element: ElementType) -> Completion<Value> {
    let view = this_view(vm, arguments, "set")?;
    let index = arguments.get(vm, 0);
    let index = vm.to_index(index, OUT_OF_BOUNDS)?;
    let value = arguments.get(vm, 1);
    let raw = if element.is_bigint() {
        RawElement::from_bigint(&vm.to_bigint(value)?)
    } else {
        RawElement::from_number(element, vm.to_number(value)?)
    };
    let little_endian = arguments.get(vm, 2);
    let is_little_endian = vm.heap.to_boolean(little_endian);
    let start = element_start(vm, &view, index, element)?;
    let mut bytes = raw.bytes().to_vec();
    if !is_little_endian {
        bytes.reverse();
    }
    let buffer = vm.heap.array_buffer_mut(view.buffer);
    match buffer.and_then(|buffer| buffer.bytes.get_mut(start..start + bytes.len())) {
        Some(place) => place.copy_from_slice(&bytes),
        None => return Err(vm.throw_range_error(OUT_OF_BOUNDS)),
    }
    Ok(Value::UNDEFINED)
}

/// The index of the element's first byte in the buffer, once the view has all of its bytes.
fn element_start(vm: &mut Vm, view: &DataView, index: usize, element: ElementType) -> Completion<usize> {
    let Some(length) = vm.heap.data_view_byte_length(view) else {
        return Err(out_of_bounds(vm, "getter or setter"));
    };
    match index.checked_add(element.size()) {
        Some(end) if end <= length => Ok(view.byte_offset + index),
        _ => Err(vm.throw_range_error(OUT_OF_BOUNDS)),
    }
}

fn this_view(vm: &mut Vm, arguments: &Arguments, name: &str) -> Completion<DataView> {
    if let Some(object) = arguments.this.as_object()
        && let ObjectKind::DataView(view) = &vm.heap[object].kind
    {
        return Ok(**view);
    }
    let text = vm.display(arguments.this);
    Err(vm.throw_type_error(format!("Method DataView.prototype.{name} called on incompatible receiver {text}")))
}

/// The byte length of a buffer that must not be detached.
fn buffer_length(vm: &mut Vm, buffer: Gc<Object>) -> Completion<usize> {
    match vm.heap.array_buffer(buffer) {
        Some(slots) if !slots.is_detached => Ok(slots.bytes.len()),
        _ => Err(vm.throw_type_error("Cannot perform DataView on a detached ArrayBuffer")),
    }
}

fn out_of_bounds(vm: &mut Vm, name: &str) -> Thrown {
    vm.throw_type_error(format!("Cannot perform DataView.prototype.{name} on a detached ArrayBuffer"))
}
