//! `%TypedArray%` and its kin: [ECMA-262, 23.2](https://tc39.es/ecma262/#sec-typedarray-objects). Methods that call program code in
//! a loop are in `typed_array.js`; `Uint8Array` has its own file.

use std::cmp::Ordering;

use codemode_bytecode::Intrinsic;

use crate::builtins::array::{create_array_iterator, poll};
use crate::builtins::array_buffer::allocate_array_buffer;
use crate::builtins::{
    Builtin, BuiltinKind, Entry, Key, PrototypeKind, constructor, getter, hosted, method, symbol_alias, symbol_getter,
};
use crate::heap::{Gc, Heap};
use crate::names::keys;
use crate::object::{ElementType, IterationKind, Object, ObjectKind, RawElement, TypedArray};
use crate::string::StringBuilder;
use crate::symbol;
use crate::value::{Unpacked, Value};
use crate::vm::{Arguments, Completion, IntrinsicObject, Thrown, Vm};

/// The table of `%TypedArray%`.
pub static BUILTIN: Builtin = Builtin {
    kind: BuiltinKind::Constructor {
        function: constructor("TypedArray", 0, construct_abstract),
        id: IntrinsicObject::TypedArray,
        parent: None,
        prototype: IntrinsicObject::TypedArrayPrototype,
        global: false,
    },
    statics: &[
        hosted("from", 1, "TypedArray_from"),
        method("of", 0, of),
        symbol_getter(symbol::SPECIES, "[Symbol.species]", species),
    ],
    prototype: PROTOTYPE,
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

const PROTOTYPE: &[Entry] = &[
    method("at", 1, at),
    getter("buffer", buffer),
    getter("byteLength", byte_length),
    getter("byteOffset", byte_offset),
    method("copyWithin", 2, copy_within),
    method("entries", 0, entries),
    hosted("every", 1, "TypedArray_prototype_every"),
    method("fill", 1, fill),
    hosted("filter", 1, "TypedArray_prototype_filter"),
    hosted("find", 1, "TypedArray_prototype_find"),
    hosted("findIndex", 1, "TypedArray_prototype_findIndex"),
    hosted("findLast", 1, "TypedArray_prototype_findLast"),
    hosted("findLastIndex", 1, "TypedArray_prototype_findLastIndex"),
    hosted("forEach", 1, "TypedArray_prototype_forEach"),
    method("includes", 1, includes),
    method("indexOf", 1, index_of),
    method("join", 1, join),
    method("keys", 0, keys_method),
    method("lastIndexOf", 1, last_index_of),
    getter("length", length),
    hosted("map", 1, "TypedArray_prototype_map"),
    hosted("reduce", 1, "TypedArray_prototype_reduce"),
    hosted("reduceRight", 1, "TypedArray_prototype_reduceRight"),
    method("reverse", 0, reverse),
    method("set", 1, set),
    method("slice", 2, slice),
    hosted("some", 1, "TypedArray_prototype_some"),
    hosted("sort", 1, "TypedArray_prototype_sort"),
    method("subarray", 2, subarray),
    method("toLocaleString", 0, to_locale_string),
    method("toReversed", 0, to_reversed),
    hosted("toSorted", 1, "TypedArray_prototype_toSorted"),
    Entry::Intrinsic(Key::Name("toString"), IntrinsicObject::ArrayPrototypeToString),
    method("values", 0, values),
    method("with", 2, with),
    symbol_alias(symbol::ITERATOR, "values"),
    symbol_getter(symbol::TO_STRING_TAG, "[Symbol.toStringTag]", to_string_tag),
];

/// The table of one constructor of typed arrays.
macro_rules! concrete {
    ($table:ident, $element:ident, $id:ident, $prototype:ident) => {
        #[doc = concat!("The table of `", stringify!($id), "`.")]
        pub static $table: Builtin = Builtin {
            kind: BuiltinKind::Constructor {
                function: constructor(stringify!($id), 3, |vm, arguments| {
                    construct(vm, arguments, ElementType::$element)
                }),
                id: IntrinsicObject::$id,
                parent: Some(IntrinsicObject::TypedArray),
                prototype: IntrinsicObject::$prototype,
                global: true,
            },
            statics: &[super::number("BYTES_PER_ELEMENT", ElementType::$element.size() as f64)],
            prototype: &[super::number("BYTES_PER_ELEMENT", ElementType::$element.size() as f64)],
            prototype_kind: PrototypeKind::Ordinary,
            prototype_parent: Some(IntrinsicObject::TypedArrayPrototype),
        };
    };
}

concrete!(INT8, Int8, Int8Array, Int8ArrayPrototype);
concrete!(UINT8_CLAMPED, Uint8Clamped, Uint8ClampedArray, Uint8ClampedArrayPrototype);
concrete!(INT16, Int16, Int16Array, Int16ArrayPrototype);
concrete!(UINT16, Uint16, Uint16Array, Uint16ArrayPrototype);
concrete!(INT32, Int32, Int32Array, Int32ArrayPrototype);
concrete!(UINT32, Uint32, Uint32Array, Uint32ArrayPrototype);
concrete!(BIG_INT64, BigInt64, BigInt64Array, BigInt64ArrayPrototype);
concrete!(BIG_UINT64, BigUint64, BigUint64Array, BigUint64ArrayPrototype);
concrete!(FLOAT16, Float16, Float16Array, Float16ArrayPrototype);
concrete!(FLOAT32, Float32, Float32Array, Float32ArrayPrototype);
concrete!(FLOAT64, Float64, Float64Array, Float64ArrayPrototype);

/// %TypedArray% ( ) <https://tc39.es/ecma262/#sec-%typedarray%>
fn construct_abstract(vm: &mut Vm, _: &Arguments) -> Completion<Value> {
    Err(vm.throw_type_error("Abstract class TypedArray not directly constructable"))
}

/// TypedArray ( ...args ) <https://tc39.es/ecma262/#sec-typedarray>
pub(super) fn construct(vm: &mut Vm, arguments: &Arguments, element: ElementType) -> Completion<Value> {
    if !arguments.is_construct() {
        let name = element.constructor_name();
        return Err(vm.throw_type_error(format!("Constructor {name} requires 'new'")));
    }
    let first = arguments.get(vm, 0);
    let Some(source) = first.as_object() else {
        let length = vm.to_index(first, &invalid_length_text(first))?;
        let prototype = prototype_for(vm, arguments.new_target, element)?;
        return allocate(vm, prototype, element, length).map(Value::object);
    };
    let prototype = prototype_for(vm, arguments.new_target, element)?;
    vm.root(prototype);
    if let Some(array) = vm.heap.typed_array(source) {
        return from_typed_array(vm, prototype, element, &array).map(Value::object);
    }
    if vm.heap.array_buffer(source).is_some() {
        return from_buffer(vm, arguments, prototype, element, source).map(Value::object);
    }
    let method = vm.get_method(first, symbol::keys::ITERATOR)?;
    if !method.is_undefined() {
        let values = if vm.is_pristine_array(source) { vm.heap.dense_elements(source) } else { None };
        let values = match values {
            Some(values) => {
                vm.roots.extend_from_slice(&values);
                values
            }
            None => {
                let mut record = vm.get_iterator_from_method(first, method)?;
                vm.iterator_to_list(&mut record)?
            }
        };
        let object = allocate(vm, prototype, element, values.len())?;
        let array = slots(vm, object)?;
        vm.root(object);
        for (k, &value) in values.iter().enumerate() {
            vm.set_typed_array_element(&array, Some(k), value)?;
        }
        return Ok(Value::object(object));
    }
    let length = vm.length_of_array_like(source)?;
    let object = allocate(vm, prototype, element, usize::try_from(length).unwrap_or(usize::MAX))?;
    let array = slots(vm, object)?;
    vm.root(object);
    for k in 0..length {
        let value = vm.get_index(source, k)?;
        vm.set_typed_array_element(&array, Some(k as usize), value)?;
        poll(vm, k)?;
    }
    Ok(Value::object(object))
}

/// %TypedArray%.of ( ...items ) <https://tc39.es/ecma262/#sec-%typedarray%.of>
fn of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let constructor = arguments.this;
    if !vm.heap.is_constructor(constructor) {
        let text = vm.display(constructor);
        return Err(vm.throw_type_error(format!("{text} is not a constructor")));
    }
    let count = arguments.len();
    let object = create_from_constructor(vm, constructor, &[Value::from(count)])?;
    for k in 0..count {
        let value = arguments.get(vm, k);
        let key = vm.key_from_index(k as u64);
        vm.set(object, key, value, true)?;
    }
    Ok(Value::object(object))
}

/// get %TypedArray% \[ %Symbol.species% ] <https://tc39.es/ecma262/#sec-get-%typedarray%-%symbol.species%>
fn species(_: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(arguments.this)
}

/// %TypedArray%.prototype.at ( index ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.at>
fn at(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "at")?;
    let index = arguments.get(vm, 0);
    let relative = vm.to_integer_or_infinity(index)?;
    let index = if relative >= 0.0 { relative } else { this.length as f64 + relative };
    if index < 0.0 || index >= this.length as f64 {
        return Ok(Value::UNDEFINED);
    }
    Ok(this.get(vm, index as usize))
}

/// get %TypedArray%.prototype.buffer <https://tc39.es/ecma262/#sec-get-%typedarray%.prototype.buffer>
fn buffer(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (_, array) = this_typed_array(vm, arguments)?;
    Ok(Value::object(array.buffer))
}

/// get %TypedArray%.prototype.byteLength <https://tc39.es/ecma262/#sec-get-%typedarray%.prototype.bytelength>
fn byte_length(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (_, array) = this_typed_array(vm, arguments)?;
    Ok(Value::from(vm.heap.typed_array_length(&array).unwrap_or(0) * array.element.size()))
}

/// get %TypedArray%.prototype.byteOffset <https://tc39.es/ecma262/#sec-get-%typedarray%.prototype.byteoffset>
fn byte_offset(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (_, array) = this_typed_array(vm, arguments)?;
    Ok(Value::from(vm.heap.typed_array_length(&array).map_or(0, |_| array.byte_offset)))
}

/// %TypedArray%.prototype.copyWithin ( target, start \[ , end ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.copywithin>
fn copy_within(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "copyWithin")?;
    let length = this.length as u64;
    let (target, start, end) = (arguments.get(vm, 0), arguments.get(vm, 1), arguments.get(vm, 2));
    let to = vm.to_relative_index(target, length, 0)? as usize;
    let from = vm.to_relative_index(start, length, 0)? as usize;
    let end = vm.to_relative_index(end, length, length)? as usize;
    let count = end.saturating_sub(from).min(this.length - to);
    if count == 0 {
        return Ok(Value::object(this.object));
    }
    // The conversions may have shrunk or detached the buffer.
    let now = This::validate(vm, arguments, "copyWithin")?;
    let count = count.min(now.length.saturating_sub(from)).min(now.length.saturating_sub(to));
    let size = this.array.element.size();
    let offset = this.array.byte_offset;
    if let Some(slots) = vm.heap.array_buffer_mut(this.array.buffer) {
        let start = offset + from * size;
        let to = offset + to * size;
        if start + count * size <= slots.bytes.len() && to + count * size <= slots.bytes.len() {
            slots.bytes.copy_within(start..start + count * size, to);
        }
    }
    Ok(Value::object(this.object))
}

/// %TypedArray%.prototype.entries ( ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.entries>
fn entries(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "entries")?;
    Ok(create_array_iterator(vm, this.object, IterationKind::Entries))
}

/// %TypedArray%.prototype.fill ( value \[ , start \[ , end ] ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.fill>
fn fill(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "fill")?;
    let length = this.length as u64;
    let value = arguments.get(vm, 0);
    let raw = to_raw(vm, this.array.element, value)?;
    let (start, end) = (arguments.get(vm, 1), arguments.get(vm, 2));
    let start = vm.to_relative_index(start, length, 0)? as usize;
    let end = vm.to_relative_index(end, length, length)? as usize;
    let now = This::validate(vm, arguments, "fill")?;
    let end = end.min(now.length);
    let size = this.array.element.size();
    let offset = this.array.byte_offset;
    if start < end
        && let Some(place) = vm
            .heap
            .array_buffer_mut(this.array.buffer)
            .and_then(|slots| slots.bytes.get_mut(offset + start * size..offset + end * size))
    {
        for element in place.chunks_exact_mut(size) {
            element.copy_from_slice(raw.bytes());
        }
    }
    Ok(Value::object(this.object))
}

/// %TypedArray%.prototype.includes ( searchElement \[ , fromIndex ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.includes>
fn includes(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "includes")?;
    let (target, from) = (arguments.get(vm, 0), arguments.get(vm, 1));
    if this.length == 0 {
        return Ok(Value::FALSE);
    }
    let start = vm.to_relative_index(from, this.length as u64, 0)? as usize;
    for k in start..this.length {
        let element = this.get(vm, k);
        if vm.heap.same_value_zero(element, target) {
            return Ok(Value::TRUE);
        }
    }
    Ok(Value::FALSE)
}

/// %TypedArray%.prototype.indexOf ( searchElement \[ , fromIndex ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.indexof>
fn index_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "indexOf")?;
    let (target, from) = (arguments.get(vm, 0), arguments.get(vm, 1));
    if this.length == 0 {
        return Ok(Value::int(-1));
    }
    let start = vm.to_relative_index(from, this.length as u64, 0)? as usize;
    for k in start..this.length {
        let Some(element) = vm.heap.typed_array_get_at(&this.array, k) else { break };
        if vm.heap.is_strictly_equal(element, target) {
            return Ok(Value::from(k));
        }
    }
    Ok(Value::int(-1))
}

/// %TypedArray%.prototype.join ( separator ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.join>
fn join(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "join")?;
    let separator = match arguments.get(vm, 0) {
        Value::UNDEFINED => vm.heap.single_char(u16::from(b',')),
        separator => vm.to_string(separator)?,
    };
    vm.root(separator);
    let mut builder = StringBuilder::new();
    for k in 0..this.length {
        if k > 0 {
            builder.push_string(&mut vm.heap, separator);
        }
        // A conversion may have shrunk the buffer: what is missing reads as undefined.
        if let Some(element) = vm.heap.typed_array_get_at(&this.array, k) {
            let text = vm.to_string(element)?;
            builder.push_string(&mut vm.heap, text);
        }
        if builder.is_too_long() {
            break;
        }
    }
    match builder.finish(&mut vm.heap) {
        Ok(string) => Ok(Value::string(string)),
        Err(_) => Err(vm.throw_range_error("Invalid string length")),
    }
}

/// %TypedArray%.prototype.keys ( ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.keys>
fn keys_method(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "keys")?;
    Ok(create_array_iterator(vm, this.object, IterationKind::Keys))
}

/// %TypedArray%.prototype.lastIndexOf ( searchElement \[ , fromIndex ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.lastindexof>
fn last_index_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "lastIndexOf")?;
    let target = arguments.get(vm, 0);
    if this.length == 0 {
        return Ok(Value::int(-1));
    }
    let last = match arguments.get_present(vm, 1) {
        None => this.length as f64 - 1.0,
        Some(from) => {
            let from = vm.to_integer_or_infinity(from)?;
            if from >= 0.0 { from.min(this.length as f64 - 1.0) } else { this.length as f64 + from }
        }
    };
    if last < 0.0 {
        return Ok(Value::int(-1));
    }
    for k in (0..=last as usize).rev() {
        if let Some(element) = vm.heap.typed_array_get_at(&this.array, k)
            && vm.heap.is_strictly_equal(element, target)
        {
            return Ok(Value::from(k));
        }
    }
    Ok(Value::int(-1))
}

/// get %TypedArray%.prototype.length <https://tc39.es/ecma262/#sec-get-%typedarray%.prototype.length>
fn length(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (_, array) = this_typed_array(vm, arguments)?;
    Ok(Value::from(vm.heap.typed_array_length(&array).unwrap_or(0)))
}

/// %TypedArray%.prototype.reverse ( ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.reverse>
fn reverse(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "reverse")?;
    let size = this.array.element.size();
    let start = this.array.byte_offset;
    if let Some(bytes) = vm
        .heap
        .array_buffer_mut(this.array.buffer)
        .and_then(|slots| slots.bytes.get_mut(start..start + this.length * size))
    {
        // Reversing all bytes and then those of each element puts the elements in reverse.
        bytes.reverse();
        for element in bytes.chunks_exact_mut(size) {
            element.reverse();
        }
    }
    Ok(Value::object(this.object))
}

/// %TypedArray%.prototype.set ( source \[ , offset ] ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.set>
fn set(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (_, target) = this_typed_array(vm, arguments)?;
    let offset = arguments.get(vm, 1);
    let offset = vm.to_integer_or_infinity(offset)?;
    if offset < 0.0 {
        return Err(vm.throw_range_error("offset is out of bounds"));
    }
    let Some(target_length) = vm.heap.typed_array_length(&target) else {
        return Err(detached(vm, "set"));
    };
    let source = arguments.get(vm, 0);
    let typed = source.as_object().and_then(|source| vm.heap.typed_array(source));
    if let Some(source) = typed {
        let Some(length) = vm.heap.typed_array_length(&source) else { return Err(detached(vm, "set")) };
        if source.element.is_bigint() != target.element.is_bigint() {
            return Err(vm.throw_type_error("Cannot mix BigInt and other types, use explicit conversions"));
        }
        if length as f64 + offset > target_length as f64 {
            return Err(vm.throw_range_error("offset is out of bounds"));
        }
        copy_elements(vm, &source, 0, &target, offset as usize, length);
        return Ok(Value::UNDEFINED);
    }
    let source = vm.to_object(source)?;
    vm.root(source);
    let length = vm.length_of_array_like(source)?;
    if length as f64 + offset > target_length as f64 {
        return Err(vm.throw_range_error("offset is out of bounds"));
    }
    for k in 0..length {
        let value = vm.get_index(source, k)?;
        vm.set_typed_array_element(&target, Some(offset as usize + k as usize), value)?;
        poll(vm, k)?;
    }
    Ok(Value::UNDEFINED)
}

/// %TypedArray%.prototype.slice ( start, end ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.slice>
fn slice(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "slice")?;
    let length = this.length as u64;
    let (start, end) = (arguments.get(vm, 0), arguments.get(vm, 1));
    let start = vm.to_relative_index(start, length, 0)? as usize;
    let end = vm.to_relative_index(end, length, length)? as usize;
    let count = end.saturating_sub(start);
    let result = species_create(vm, this.object, &[Value::from(count)])?;
    if count > 0 {
        let now = This::validate(vm, arguments, "slice")?;
        let count = end.min(now.length).saturating_sub(start);
        let target = slots(vm, result)?;
        copy_elements(vm, &this.array, start, &target, 0, count);
    }
    Ok(Value::object(result))
}

/// %TypedArray%.prototype.subarray ( start, end ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.subarray>
fn subarray(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, array) = this_typed_array(vm, arguments)?;
    let length = vm.heap.typed_array_length(&array).unwrap_or(0) as u64;
    let (start, end) = (arguments.get(vm, 0), arguments.get(vm, 1));
    let first = vm.to_relative_index(start, length, 0)?;
    let offset = Value::from(array.byte_offset + first as usize * array.element.size());
    let buffer = Value::object(array.buffer);
    if array.length.is_none() && end.is_undefined() {
        return species_create(vm, object, &[buffer, offset]).map(Value::object);
    }
    let last = vm.to_relative_index(end, length, length)?;
    let count = Value::from(last.saturating_sub(first) as usize);
    species_create(vm, object, &[buffer, offset, count]).map(Value::object)
}

/// %TypedArray%.prototype.toLocaleString ( ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.tolocalestring>
fn to_locale_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "toLocaleString")?;
    let (locales, options) = (arguments.get(vm, 0), arguments.get(vm, 1));
    let mut builder = StringBuilder::new();
    for k in 0..this.length {
        if k > 0 {
            builder.push_unit(u16::from(b','));
        }
        let element = this.get(vm, k);
        if !element.is_undefined() {
            let text = vm.invoke(element, keys::TO_LOCALE_STRING, &[locales, options])?;
            let text = vm.to_string(text)?;
            builder.push_string(&mut vm.heap, text);
        }
        if builder.is_too_long() {
            break;
        }
    }
    match builder.finish(&mut vm.heap) {
        Ok(string) => Ok(Value::string(string)),
        Err(_) => Err(vm.throw_range_error("Invalid string length")),
    }
}

/// %TypedArray%.prototype.toReversed ( ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.toreversed>
fn to_reversed(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "toReversed")?;
    let result = create_same_type(vm, this.array.element, this.length)?;
    let target = slots(vm, result)?;
    for k in 0..this.length {
        copy_elements(vm, &this.array, this.length - 1 - k, &target, k, 1);
    }
    Ok(Value::object(result))
}

/// %TypedArray%.prototype.values ( ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.values>
fn values(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "values")?;
    Ok(create_array_iterator(vm, this.object, IterationKind::Values))
}

/// %TypedArray%.prototype.with ( index, value ) <https://tc39.es/ecma262/#sec-%typedarray%.prototype.with>
fn with(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = This::validate(vm, arguments, "with")?;
    let (index, value) = (arguments.get(vm, 0), arguments.get(vm, 1));
    let relative = vm.to_integer_or_infinity(index)?;
    let index = if relative >= 0.0 { relative } else { this.length as f64 + relative };
    let raw = to_raw(vm, this.array.element, value)?;
    let now = vm.heap.typed_array_length(&this.array).unwrap_or(0);
    if index < 0.0 || index >= now as f64 {
        return Err(vm.throw_range_error("Invalid typed array index"));
    }
    let result = create_same_type(vm, this.array.element, this.length)?;
    let target = slots(vm, result)?;
    copy_elements(vm, &this.array, 0, &target, 0, this.length.min(now));
    vm.heap.typed_array_set_at(&target, index as usize, raw);
    Ok(Value::object(result))
}

/// get %TypedArray%.prototype \[ %Symbol.toStringTag% ] <https://tc39.es/ecma262/#sec-get-%typedarray%.prototype-%symbol.tostringtag%>
fn to_string_tag(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let array = arguments.this.as_object().and_then(|object| vm.heap.typed_array(object));
    Ok(match array {
        Some(array) => Value::string(vm.heap.intern_str(array.element.constructor_name())),
        None => Value::UNDEFINED,
    })
}

// ---- What self-hosted code and other files use

/// The intrinsics of `typed_array.js`.
///
/// # Errors
/// What the operation throws.
pub fn typed_array_intrinsic(vm: &mut Vm, intrinsic: Intrinsic, arguments: &[Value]) -> Completion<Value> {
    let first = arguments.first().copied().unwrap_or(Value::UNDEFINED);
    let length = arguments.get(1).copied().unwrap_or(Value::UNDEFINED);
    if intrinsic == Intrinsic::TypedArrayCreate {
        return create_from_constructor(vm, first, &[length]).map(Value::object);
    }
    let object = first.as_object().filter(|&object| vm.heap.typed_array(object).is_some());
    let Some(object) = object else { return Err(vm.throw_type_error("this is not a typed array.")) };
    let array = slots(vm, object)?;
    match intrinsic {
        Intrinsic::TypedArraySpeciesCreate => species_create(vm, object, &[length]).map(Value::object),
        Intrinsic::TypedArrayCreateSameType => {
            let length = length.as_number().unwrap_or(0.0) as usize;
            create_same_type(vm, array.element, length).map(Value::object)
        }
        Intrinsic::TypedArrayLength => Ok(Value::from(vm.heap.typed_array_length(&array).unwrap_or(0))),
        Intrinsic::TypedArraySort => {
            sort_numerically(vm, &array);
            Ok(first)
        }
        _ => match vm.heap.typed_array_length(&array) {
            Some(length) => Ok(Value::from(length)),
            None => Err(detached(vm, "method")),
        },
    }
}

/// A new typed array of the current realm with zeros.
///
/// # Errors
/// RangeError for a length that is too large; the memory limit.
pub fn create_same_type(vm: &mut Vm, element: ElementType, length: usize) -> Completion<Gc<Object>> {
    let prototype = vm.intrinsic(prototype_id(element));
    let object = allocate(vm, prototype, element, length)?;
    vm.root(object);
    Ok(object)
}

/// A new Uint8Array of the current realm with these bytes.
///
/// # Errors
/// The memory limit.
pub fn create_uint8_array(vm: &mut Vm, bytes: &[u8]) -> Completion<Gc<Object>> {
    let object = create_same_type(vm, ElementType::Uint8, bytes.len())?;
    let array = slots(vm, object)?;
    if let Some(slots) = vm.heap.array_buffer_mut(array.buffer) {
        slots.bytes.copy_from_slice(bytes);
    }
    Ok(object)
}

/// The bytes that a typed array shows at present.
pub fn typed_array_bytes<'a>(heap: &'a Heap, array: &TypedArray) -> &'a [u8] {
    let length = heap.typed_array_length(array).unwrap_or(0) * array.element.size();
    heap.array_buffer(array.buffer)
        .and_then(|buffer| buffer.bytes.get(array.byte_offset..array.byte_offset + length))
        .unwrap_or_default()
}

/// TypedArrayCreateFromCtor ( constructor, argumentList ) <https://tc39.es/ecma262/#sec-typedarraycreatefromctor>; the result is rooted.
fn create_from_constructor(vm: &mut Vm, constructor: Value, arguments: &[Value]) -> Completion<Gc<Object>> {
    let created = vm.construct(constructor, arguments, constructor)?;
    vm.root(created);
    let object = created.as_object().filter(|&object| vm.heap.typed_array(object).is_some());
    let Some(object) = object else { return Err(vm.throw_type_error("this is not a typed array.")) };
    let array = slots(vm, object)?;
    let Some(length) = vm.heap.typed_array_length(&array) else { return Err(detached(vm, "method")) };
    if let [wanted] = arguments
        && wanted.as_number().is_some_and(|wanted| (length as f64) < wanted)
    {
        return Err(vm.throw_type_error("Derived TypedArray constructor created an array which was too small"));
    }
    Ok(object)
}

/// TypedArraySpeciesCreate ( exemplar, argumentList ) <https://tc39.es/ecma262/#sec-typedarrayspeciescreate>
fn species_create(vm: &mut Vm, exemplar: Gc<Object>, arguments: &[Value]) -> Completion<Gc<Object>> {
    let element = slots(vm, exemplar)?.element;
    let default = Value::object(vm.intrinsic(constructor_id(element)));
    let constructor = vm.species_constructor(exemplar, default)?;
    vm.root(constructor);
    let result = create_from_constructor(vm, constructor, arguments)?;
    if slots(vm, result)?.element.is_bigint() != element.is_bigint() {
        return Err(vm.throw_type_error("Content type of source and derived typed array differ"));
    }
    Ok(result)
}

// ---- Helpers

/// A validated this value.
struct This {
    object: Gc<Object>,
    array: TypedArray,
    length: usize,
}

impl This {
    /// ValidateTypedArray ( O, seq-cst ) <https://tc39.es/ecma262/#sec-validatetypedarray>
    fn validate(vm: &mut Vm, arguments: &Arguments, name: &str) -> Completion<This> {
        let (object, array) = this_typed_array(vm, arguments)?;
        match vm.heap.typed_array_length(&array) {
            Some(length) => Ok(This { object, array, length }),
            None => Err(detached(vm, name)),
        }
    }

    fn get(&self, vm: &mut Vm, index: usize) -> Value {
        vm.heap.typed_array_get_at(&self.array, index).unwrap_or(Value::UNDEFINED)
    }
}

fn this_typed_array(vm: &mut Vm, arguments: &Arguments) -> Completion<(Gc<Object>, TypedArray)> {
    if let Some(object) = arguments.this.as_object()
        && let Some(array) = vm.heap.typed_array(object)
    {
        return Ok((object, array));
    }
    Err(vm.throw_type_error("this is not a typed array."))
}

fn slots(vm: &mut Vm, object: Gc<Object>) -> Completion<TypedArray> {
    match vm.heap.typed_array(object) {
        Some(array) => Ok(array),
        None => Err(vm.throw_type_error("this is not a typed array.")),
    }
}

fn detached(vm: &mut Vm, name: &str) -> Thrown {
    vm.throw_type_error(format!("Cannot perform %TypedArray%.prototype.{name} on a detached ArrayBuffer"))
}

fn prototype_for(vm: &mut Vm, new_target: Value, element: ElementType) -> Completion<Gc<Object>> {
    vm.get_prototype_from_constructor(new_target, prototype_id(element))
}

/// AllocateTypedArray with a length <https://tc39.es/ecma262/#sec-allocatetypedarray>
fn allocate(vm: &mut Vm, prototype: Gc<Object>, element: ElementType, length: usize) -> Completion<Gc<Object>> {
    vm.root(prototype);
    let Some(bytes) = length.checked_mul(element.size()) else {
        return Err(vm.throw_range_error(format!("Invalid typed array length: {length}")));
    };
    let constructor = Value::object(vm.intrinsic(IntrinsicObject::ArrayBuffer));
    let buffer = allocate_array_buffer(vm, constructor, bytes, None)?;
    Ok(new_view(vm, prototype, TypedArray { element, buffer, byte_offset: 0, length: Some(length) }))
}

fn new_view(vm: &mut Vm, prototype: Gc<Object>, array: TypedArray) -> Gc<Object> {
    vm.heap.new_object_of_kind(Some(prototype), ObjectKind::TypedArray(Box::new(array)))
}

/// InitializeTypedArrayFromTypedArray <https://tc39.es/ecma262/#sec-initializetypedarrayfromtypedarray>
fn from_typed_array(
    vm: &mut Vm,
    prototype: Gc<Object>,
    element: ElementType,
    source: &TypedArray,
) -> Completion<Gc<Object>> {
    let Some(length) = vm.heap.typed_array_length(source) else { return Err(detached(vm, "constructor")) };
    let object = allocate(vm, prototype, element, length)?;
    if source.element.is_bigint() != element.is_bigint() {
        return Err(vm.throw_type_error("Cannot mix BigInt and other types, use explicit conversions"));
    }
    let target = slots(vm, object)?;
    copy_elements(vm, source, 0, &target, 0, length);
    Ok(object)
}

/// InitializeTypedArrayFromArrayBuffer <https://tc39.es/ecma262/#sec-initializetypedarrayfromarraybuffer>
fn from_buffer(
    vm: &mut Vm,
    arguments: &Arguments,
    prototype: Gc<Object>,
    element: ElementType,
    buffer: Gc<Object>,
) -> Completion<Gc<Object>> {
    let size = element.size();
    let name = element.constructor_name();
    let offset = arguments.get(vm, 1);
    let byte_offset = vm.to_index(offset, "Start offset is too large:")?;
    if byte_offset % size != 0 {
        return Err(vm.throw_range_error(format!("start offset of {name} should be a multiple of {size}")));
    }
    let wanted = arguments.get(vm, 2);
    let length = match wanted {
        Value::UNDEFINED => None,
        length => Some(vm.to_index(length, &invalid_length_text(length))?),
    };
    let Some((available, is_resizable)) = vm
        .heap
        .array_buffer(buffer)
        .filter(|slots| !slots.is_detached)
        .map(|slots| (slots.bytes.len(), slots.max_length.is_some()))
    else {
        return Err(detached(vm, "constructor"));
    };
    let length = match length {
        None if is_resizable => {
            if byte_offset > available {
                return Err(
                    vm.throw_range_error(format!("Start offset {byte_offset} is outside the bounds of the buffer"))
                );
            }
            None
        }
        None => {
            if available % size != 0 {
                return Err(vm.throw_range_error(format!("byte length of {name} should be a multiple of {size}")));
            }
            let Some(rest) = available.checked_sub(byte_offset) else {
                return Err(
                    vm.throw_range_error(format!("Start offset {byte_offset} is outside the bounds of the buffer"))
                );
            };
            Some(rest / size)
        }
        Some(length) => {
            let end = length.checked_mul(size).and_then(|bytes| bytes.checked_add(byte_offset));
            if end.is_none_or(|end| end > available) {
                return Err(vm.throw_range_error(invalid_length_text(wanted)));
            }
            Some(length)
        }
    };
    Ok(new_view(vm, prototype, TypedArray { element, buffer, byte_offset, length }))
}

/// Copies elements between typed arrays of one content type as far as both have them; the arrays may overlap.
fn copy_elements(vm: &mut Vm, source: &TypedArray, from: usize, target: &TypedArray, to: usize, count: usize) {
    if source.element == target.element || is_byte_compatible(source.element, target.element) {
        let size = source.element.size();
        let source_bytes = typed_array_bytes(&vm.heap, source);
        let start = (from * size).min(source_bytes.len());
        let end = (start + count * size).min(source_bytes.len());
        let bytes = source_bytes[start..end].to_vec();
        let room = typed_array_bytes(&vm.heap, target).len();
        let start = (to * size).min(room);
        let taken = bytes.len().min(room - start);
        let start = target.byte_offset + start;
        if let Some(place) =
            vm.heap.array_buffer_mut(target.buffer).and_then(|buffer| buffer.bytes.get_mut(start..start + taken))
        {
            place.copy_from_slice(&bytes[..taken]);
        }
        return;
    }
    let values: Vec<Value> = (from..from + count).map_while(|k| vm.heap.typed_array_get_at(source, k)).collect();
    for (k, value) in values.into_iter().enumerate() {
        let raw = match value.as_bigint() {
            Some(bigint) => RawElement::from_bigint(&vm.heap[bigint].0),
            None => RawElement::from_number(target.element, value.as_number().unwrap_or(f64::NAN)),
        };
        vm.heap.typed_array_set_at(target, to + k, raw);
    }
}

/// Whether elements of the types convert to each other by keeping their bytes.
fn is_byte_compatible(a: ElementType, b: ElementType) -> bool {
    let is_float = |element| matches!(element, ElementType::Float16 | ElementType::Float32 | ElementType::Float64);
    a.size() == b.size() && !is_float(a) && !is_float(b) && b != ElementType::Uint8Clamped
}

/// NumericToRawBytes of ToNumber or ToBigInt.
fn to_raw(vm: &mut Vm, element: ElementType, value: Value) -> Completion<RawElement> {
    if element.is_bigint() {
        return Ok(RawElement::from_bigint(&vm.to_bigint(value)?));
    }
    Ok(RawElement::from_number(element, vm.to_number(value)?))
}

/// Sorts in place by CompareTypedArrayElements without a comparator
/// (<https://tc39.es/ecma262/#sec-comparetypedarrayelements>).
fn sort_numerically(vm: &mut Vm, array: &TypedArray) {
    let length = vm.heap.typed_array_length(array).unwrap_or(0);
    let elements: Vec<Value> = (0..length).map_while(|k| vm.heap.typed_array_get_at(array, k)).collect();
    let sorted: Vec<RawElement> = if array.element.is_bigint() {
        let mut numbers: Vec<_> =
            elements.iter().filter_map(|value| value.as_bigint()).map(|bigint| vm.heap[bigint].0.clone()).collect();
        numbers.sort();
        numbers.iter().map(RawElement::from_bigint).collect()
    } else {
        let mut numbers: Vec<f64> = elements.iter().filter_map(|value| value.as_number()).collect();
        numbers.sort_by(|a, b| compare_numbers(*a, *b));
        numbers.into_iter().map(|number| RawElement::from_number(array.element, number)).collect()
    };
    for (k, raw) in sorted.into_iter().enumerate() {
        vm.heap.typed_array_set_at(array, k, raw);
    }
}

/// Ascending, -0 before 0, NaN last.
fn compare_numbers(a: f64, b: f64) -> Ordering {
    match a.partial_cmp(&b) {
        Some(Ordering::Equal) => b.is_sign_negative().cmp(&a.is_sign_negative()),
        Some(order) => order,
        None => a.is_nan().cmp(&b.is_nan()),
    }
}

fn invalid_length_text(value: Value) -> String {
    match value.unpack() {
        Unpacked::Number(number) => {
            format!("Invalid typed array length: {}", crate::number::to_string(number).as_str())
        }
        _ => "Invalid typed array length".to_owned(),
    }
}

fn constructor_id(element: ElementType) -> IntrinsicObject {
    match element {
        ElementType::Int8 => IntrinsicObject::Int8Array,
        ElementType::Uint8 => IntrinsicObject::Uint8Array,
        ElementType::Uint8Clamped => IntrinsicObject::Uint8ClampedArray,
        ElementType::Int16 => IntrinsicObject::Int16Array,
        ElementType::Uint16 => IntrinsicObject::Uint16Array,
        ElementType::Int32 => IntrinsicObject::Int32Array,
        ElementType::Uint32 => IntrinsicObject::Uint32Array,
        ElementType::BigInt64 => IntrinsicObject::BigInt64Array,
        ElementType::BigUint64 => IntrinsicObject::BigUint64Array,
        ElementType::Float16 => IntrinsicObject::Float16Array,
        ElementType::Float32 => IntrinsicObject::Float32Array,
        ElementType::Float64 => IntrinsicObject::Float64Array,
    }
}

fn prototype_id(element: ElementType) -> IntrinsicObject {
    match element {
        ElementType::Int8 => IntrinsicObject::Int8ArrayPrototype,
        ElementType::Uint8 => IntrinsicObject::Uint8ArrayPrototype,
        ElementType::Uint8Clamped => IntrinsicObject::Uint8ClampedArrayPrototype,
        ElementType::Int16 => IntrinsicObject::Int16ArrayPrototype,
        ElementType::Uint16 => IntrinsicObject::Uint16ArrayPrototype,
        ElementType::Int32 => IntrinsicObject::Int32ArrayPrototype,
        ElementType::Uint32 => IntrinsicObject::Uint32ArrayPrototype,
        ElementType::BigInt64 => IntrinsicObject::BigInt64ArrayPrototype,
        ElementType::BigUint64 => IntrinsicObject::BigUint64ArrayPrototype,
        ElementType::Float16 => IntrinsicObject::Float16ArrayPrototype,
        ElementType::Float32 => IntrinsicObject::Float32ArrayPrototype,
        ElementType::Float64 => IntrinsicObject::Float64ArrayPrototype,
    }
}
