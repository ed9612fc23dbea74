//! `ArrayBuffer`: [ECMA-262, 25.1](https://tc39.es/ecma262/#sec-arraybuffer-objects).

use crate::builtins::{
    Builtin, Entry, PrototypeKind, constructor, getter, global_constructor, method, symbol_getter, tag,
};
use crate::heap::Gc;
use crate::names::keys;
use crate::object::{ArrayBuffer, Object, ObjectKind};
use crate::symbol;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Thrown, Vm};

/// The table of `ArrayBuffer`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("ArrayBuffer", 1, construct),
        IntrinsicObject::ArrayBuffer,
        IntrinsicObject::ArrayBufferPrototype,
    ),
    statics: &[method("isView", 1, is_view), symbol_getter(symbol::SPECIES, "[Symbol.species]", species)],
    prototype: PROTOTYPE,
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

const PROTOTYPE: &[Entry] = &[
    getter("byteLength", byte_length),
    getter("detached", detached),
    getter("maxByteLength", max_byte_length),
    getter("resizable", resizable),
    method("resize", 1, resize),
    method("slice", 2, slice),
    method("transfer", 0, transfer),
    method("transferToFixedLength", 0, transfer_to_fixed_length),
    tag("ArrayBuffer"),
];

/// The most bytes of a buffer.
pub(super) const MAX_BYTE_LENGTH: usize = 1 << 30;

/// ArrayBuffer ( length \[ , options ] ) <https://tc39.es/ecma262/#sec-arraybuffer-length>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.is_construct() {
        return Err(vm.throw_type_error("Constructor ArrayBuffer requires 'new'"));
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
    allocate_array_buffer(vm, arguments.new_target, length, max_length).map(Value::object)
}

/// ArrayBuffer.isView ( arg ) <https://tc39.es/ecma262/#sec-arraybuffer.isview>
fn is_view(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let view = arguments.get(vm, 0).as_object();
    Ok(Value::boolean(
        view.is_some_and(|view| matches!(vm.heap[view].kind, ObjectKind::TypedArray(_) | ObjectKind::DataView(_))),
    ))
}

/// get ArrayBuffer \[ %Symbol.species% ] <https://tc39.es/ecma262/#sec-get-arraybuffer-%symbol.species%>
fn species(_: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(arguments.this)
}

/// get ArrayBuffer.prototype.byteLength <https://tc39.es/ecma262/#sec-get-arraybuffer.prototype.bytelength>
fn byte_length(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let buffer = this_buffer(vm, arguments, "byteLength")?;
    Ok(Value::from(slots(vm, buffer).map_or(0, |slots| slots.bytes.len())))
}

/// get ArrayBuffer.prototype.detached <https://tc39.es/ecma262/#sec-get-arraybuffer.prototype.detached>
fn detached(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let buffer = this_buffer(vm, arguments, "detached")?;
    Ok(Value::boolean(slots(vm, buffer).is_some_and(|slots| slots.is_detached)))
}

/// get ArrayBuffer.prototype.maxByteLength <https://tc39.es/ecma262/#sec-get-arraybuffer.prototype.maxbytelength>
fn max_byte_length(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let buffer = this_buffer(vm, arguments, "maxByteLength")?;
    Ok(Value::from(slots(vm, buffer).map_or(0, |slots| match slots.max_length {
        Some(max_length) if !slots.is_detached => max_length,
        _ => slots.bytes.len(),
    })))
}

/// get ArrayBuffer.prototype.resizable <https://tc39.es/ecma262/#sec-get-arraybuffer.prototype.resizable>
fn resizable(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let buffer = this_buffer(vm, arguments, "resizable")?;
    Ok(Value::boolean(slots(vm, buffer).is_some_and(|slots| slots.max_length.is_some())))
}

/// ArrayBuffer.prototype.resize ( newLength ) <https://tc39.es/ecma262/#sec-arraybuffer.prototype.resize>
fn resize(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let buffer = this_buffer(vm, arguments, "resize")?;
    let Some(max_length) = slots(vm, buffer).and_then(|slots| slots.max_length) else {
        return Err(incompatible(vm, arguments, "resize"));
    };
    let length = arguments.get(vm, 0);
    let length = vm.to_index(length, "ArrayBuffer.prototype.resize: Invalid length parameter")?;
    require_attached(vm, buffer, "ArrayBuffer.prototype.resize")?;
    if length > max_length {
        return Err(vm.throw_range_error("ArrayBuffer.prototype.resize: Invalid length parameter"));
    }
    let old_length = slots(vm, buffer).map_or(0, |slots| slots.bytes.len());
    if length > old_length {
        reserve_bytes(vm, length - old_length)?;
    }
    if let Some(slots) = vm.heap.array_buffer_mut(buffer) {
        let before = slots.bytes.capacity();
        slots.bytes.resize(length, 0);
        let grown = slots.bytes.capacity().saturating_sub(before);
        vm.heap.charge(grown);
    }
    Ok(Value::UNDEFINED)
}

/// ArrayBuffer.prototype.slice ( start, end ) <https://tc39.es/ecma262/#sec-arraybuffer.prototype.slice>
fn slice(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    const NAME: &str = "ArrayBuffer.prototype.slice";
    let buffer = this_buffer(vm, arguments, "slice")?;
    require_attached(vm, buffer, NAME)?;
    let length = slots(vm, buffer).map_or(0, |slots| slots.bytes.len()) as u64;
    let (start, end) = (arguments.get(vm, 0), arguments.get(vm, 1));
    let first = vm.to_relative_index(start, length, 0)?;
    let last = vm.to_relative_index(end, length, length)?;
    let count = last.saturating_sub(first) as usize;
    let first = first as usize;
    let default = Value::object(vm.intrinsic(IntrinsicObject::ArrayBuffer));
    let constructor = vm.species_constructor(buffer, default)?;
    vm.root(constructor);
    let new = vm.construct(constructor, &[Value::from(count)], constructor)?;
    vm.root(new);
    let Some(new) = new.as_object().filter(|&new| slots(vm, new).is_some()) else {
        return Err(vm.throw_type_error(format!("Method {NAME} called on incompatible receiver")));
    };
    require_attached(vm, new, NAME)?;
    if new == buffer {
        return Err(vm.throw_type_error("ArrayBuffer subclass returned this from species constructor"));
    }
    if slots(vm, new).map_or(0, |slots| slots.bytes.len()) < count {
        return Err(vm.throw_type_error("Species constructor returned a too small ArrayBuffer"));
    }
    require_attached(vm, buffer, NAME)?;
    // The species constructor may have shrunk this buffer.
    let source = slots(vm, buffer).map_or(&[][..], |slots| &slots.bytes);
    let source = source.get(first..).unwrap_or_default();
    let bytes = source[..count.min(source.len())].to_vec();
    if let Some(place) = vm.heap.array_buffer_mut(new).and_then(|slots| slots.bytes.get_mut(..bytes.len())) {
        place.copy_from_slice(&bytes);
    }
    Ok(Value::object(new))
}

/// ArrayBuffer.prototype.transfer ( \[ newLength ] ) <https://tc39.es/ecma262/#sec-arraybuffer.prototype.transfer>
fn transfer(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    copy_and_detach(vm, arguments, "transfer", true)
}

/// ArrayBuffer.prototype.transferToFixedLength ( \[ newLength ] ) <https://tc39.es/ecma262/#sec-arraybuffer.prototype.transfertofixedlength>
fn transfer_to_fixed_length(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    copy_and_detach(vm, arguments, "transferToFixedLength", false)
}

/// AllocateArrayBuffer ( constructor, byteLength \[ , maxByteLength ] ) <https://tc39.es/ecma262/#sec-allocatearraybuffer>
///
/// # Errors
/// RangeError when the length is over the maximum or too large; what a getter of `prototype` throws; the memory limit.
pub fn allocate_array_buffer(
    vm: &mut Vm,
    constructor: Value,
    length: usize,
    max_length: Option<usize>,
) -> Completion<Gc<Object>> {
    if max_length.is_some_and(|max_length| length > max_length) {
        return Err(vm.throw_range_error("Invalid array buffer max length"));
    }
    let prototype = vm.get_prototype_from_constructor(constructor, IntrinsicObject::ArrayBufferPrototype)?;
    if max_length.is_some_and(|max_length| max_length > MAX_BYTE_LENGTH) {
        return Err(vm.throw_range_error("Invalid array buffer max length"));
    }
    reserve_bytes(vm, length)?;
    let mut buffer = ArrayBuffer::new(vec![0; length]);
    buffer.max_length = max_length;
    Ok(vm.heap.new_object_of_kind(Some(prototype), ObjectKind::ArrayBuffer(Box::new(buffer))))
}

/// ArrayBufferCopyAndDetach ( arrayBuffer, newLength, preserveResizability ) <https://tc39.es/ecma262/#sec-arraybuffercopyanddetach>
fn copy_and_detach(vm: &mut Vm, arguments: &Arguments, name: &str, keeps_max_length: bool) -> Completion<Value> {
    let buffer = this_buffer(vm, arguments, name)?;
    let new_length = match arguments.get(vm, 0) {
        Value::UNDEFINED => slots(vm, buffer).map_or(0, |slots| slots.bytes.len()),
        length => vm.to_index(length, "Array buffer allocation failed")?,
    };
    require_attached(vm, buffer, &format!("ArrayBuffer.prototype.{name}"))?;
    let max_length = slots(vm, buffer).and_then(|slots| slots.max_length).filter(|_| keeps_max_length);
    let constructor = Value::object(vm.intrinsic(IntrinsicObject::ArrayBuffer));
    let new = allocate_array_buffer(vm, constructor, 0, max_length)?;
    if max_length.is_some_and(|max_length| new_length > max_length) {
        return Err(vm.throw_range_error("Invalid array buffer length"));
    }
    let old_length = slots(vm, buffer).map_or(0, |slots| slots.bytes.len());
    if new_length > old_length {
        reserve_bytes(vm, new_length)?;
    }
    let mut bytes = vm.heap.array_buffer_mut(buffer).map(ArrayBuffer::detach).unwrap_or_default();
    let before = bytes.capacity();
    bytes.resize(new_length, 0);
    let grown = bytes.capacity().saturating_sub(before);
    vm.heap.charge(grown);
    if let Some(slots) = vm.heap.array_buffer_mut(new) {
        slots.bytes = bytes;
    }
    Ok(Value::object(new))
}

fn slots(vm: &Vm, buffer: Gc<Object>) -> Option<&ArrayBuffer> {
    vm.heap.array_buffer(buffer)
}

/// RequireInternalSlot ( O, \[\[ArrayBufferData]] ) for a buffer that is not shared.
fn this_buffer(vm: &mut Vm, arguments: &Arguments, name: &str) -> Completion<Gc<Object>> {
    match arguments.this.as_object() {
        Some(buffer) if slots(vm, buffer).is_some_and(|slots| !slots.is_shared) => Ok(buffer),
        _ => Err(incompatible(vm, arguments, name)),
    }
}

fn incompatible(vm: &mut Vm, arguments: &Arguments, name: &str) -> Thrown {
    let text = vm.display(arguments.this);
    vm.throw_type_error(format!("Method ArrayBuffer.prototype.{name} called on incompatible receiver {text}"))
}

fn require_attached(vm: &mut Vm, buffer: Gc<Object>, name: &str) -> Completion<()> {
    if slots(vm, buffer).is_some_and(|slots| slots.is_detached) {
        return Err(vm.throw_type_error(format!("Cannot perform {name} on a detached ArrayBuffer")));
    }
    Ok(())
}

/// Asks whether that many bytes can be allocated.
pub(super) fn reserve_bytes(vm: &mut Vm, count: usize) -> Completion<()> {
    if count > MAX_BYTE_LENGTH {
        return Err(vm.throw_range_error("Array buffer allocation failed"));
    }
    super::array::reserve(vm, count.div_ceil(size_of::<Value>()))
}
