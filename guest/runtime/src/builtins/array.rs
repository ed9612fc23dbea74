//! `Array`: [ECMA-262, 23.1](https://tc39.es/ecma262/#sec-array-objects). Methods that call program code in a loop are in
//! `array.js`.
//!
//! Most methods have a path for dense arrays that nothing can observe, and the steps of the specification for everything else.

use codemode_bytecode::{Intrinsic, Opcode};
use thin_vec::ThinVec;

use crate::builtins::{
    Builtin, Entry, Key, NativeFunction, PrototypeKind, constructor, global_constructor, hosted, method, native,
    symbol_alias, symbol_getter,
};
use crate::heap::{Gc, Heap};
use crate::names::keys;
use crate::object::{
    ArrayIterator, Elements, ElementsError, IterationKind, MAX_ELEMENTS, Object, ObjectFlags, ObjectKind,
};
use crate::string::{StrView, StringBuilder};
use crate::symbol;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Termination, Thrown, Vm};

/// The table of `Array`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("Array", 1, construct),
        IntrinsicObject::Array,
        IntrinsicObject::ArrayPrototype,
    ),
    statics: &[
        hosted("from", 1, "Array_from"),
        hosted("fromAsync", 1, "Array_fromAsync"),
        method("isArray", 1, is_array),
        method("of", 0, of),
        symbol_getter(symbol::SPECIES, "[Symbol.species]", species),
    ],
    prototype: PROTOTYPE,
    prototype_kind: PrototypeKind::Array,
    prototype_parent: None,
};

const PROTOTYPE: &[Entry] = &[
    method("at", 1, at),
    method("concat", 1, concat),
    method("copyWithin", 2, copy_within),
    method("entries", 0, entries),
    hosted("every", 1, "Array_prototype_every"),
    method("fill", 1, fill),
    hosted("filter", 1, "Array_prototype_filter"),
    hosted("find", 1, "Array_prototype_find"),
    hosted("findIndex", 1, "Array_prototype_findIndex"),
    hosted("findLast", 1, "Array_prototype_findLast"),
    hosted("findLastIndex", 1, "Array_prototype_findLastIndex"),
    method("flat", 0, flat),
    hosted("flatMap", 1, "Array_prototype_flatMap"),
    hosted("forEach", 1, "Array_prototype_forEach"),
    method("includes", 1, includes),
    method("indexOf", 1, index_of),
    method("join", 1, join),
    method("keys", 0, keys_method),
    method("lastIndexOf", 1, last_index_of),
    hosted("map", 1, "Array_prototype_map"),
    method("pop", 0, pop),
    method("push", 1, push),
    hosted("reduce", 1, "Array_prototype_reduce"),
    hosted("reduceRight", 1, "Array_prototype_reduceRight"),
    method("reverse", 0, reverse),
    method("shift", 0, shift),
    method("slice", 2, slice),
    hosted("some", 1, "Array_prototype_some"),
    hosted("sort", 1, "Array_prototype_sort"),
    method("splice", 2, splice),
    method("toLocaleString", 0, to_locale_string),
    method("toReversed", 0, to_reversed),
    hosted("toSorted", 1, "Array_prototype_toSorted"),
    method("toSpliced", 2, to_spliced),
    Entry::Intrinsic(Key::Name("toString"), IntrinsicObject::ArrayPrototypeToString),
    method("unshift", 1, unshift),
    method("values", 0, values),
    method("with", 2, with),
    symbol_alias(symbol::ITERATOR, "values"),
    Entry::Unscopables(&[
        "at",
        "copyWithin",
        "entries",
        "fill",
        "find",
        "findIndex",
        "findLast",
        "findLastIndex",
        "flat",
        "flatMap",
        "includes",
        "keys",
        "toReversed",
        "toSorted",
        "toSpliced",
        "values",
    ]),
];

/// `%Array.prototype.toString%`, which typed arrays have too.
pub static TO_STRING: NativeFunction = native("toString", 0, to_string);

/// The largest length of an array-like object, 2^53 - 1.
const MAX_LENGTH: u64 = (1 << 53) - 1;

/// Allocations from this many elements on ask the memory limit first.
const LARGE: usize = 8192;

/// Most levels of arrays within arrays that `flat` follows.
const MAX_FLAT_DEPTH: usize = 10_000;

/// Array ( ...values ) <https://tc39.es/ecma262/#sec-array>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let new_target = if arguments.is_construct() { arguments.new_target } else { arguments.callee };
    let prototype = vm.get_prototype_from_constructor(new_target, IntrinsicObject::ArrayPrototype)?;
    if arguments.len() != 1 {
        let values = arguments.rest(vm, 0);
        return Ok(Value::object(vm.heap.new_array(Some(prototype), &values)));
    }
    let value = arguments.get(vm, 0);
    match value.as_number() {
        None => Ok(Value::object(vm.heap.new_array(Some(prototype), &[value]))),
        Some(length) if f64::from(length as u32) == length => {
            array_create(vm, u64::from(length as u32), Some(prototype)).map(Value::object)
        }
        Some(_) => Err(invalid_length(vm)),
    }
}

/// Array.isArray ( arg ) <https://tc39.es/ecma262/#sec-array.isarray>
fn is_array(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let value = arguments.get(vm, 0);
    vm.is_array(value).map(Value::boolean)
}

/// Array.of ( ...items ) <https://tc39.es/ecma262/#sec-array.of>
fn of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let items = arguments.rest(vm, 0);
    let constructor = arguments.this;
    if constructor == Value::object(vm.intrinsic(IntrinsicObject::Array)) || !vm.heap.is_constructor(constructor) {
        return Ok(Value::object(vm.create_array(items)));
    }
    let length = Value::from(items.len());
    let result = vm.construct(constructor, &[length], constructor)?;
    vm.root(result);
    let result = vm.to_object(result)?;
    for (k, &item) in items.iter().enumerate() {
        let key = vm.key_from_index(k as u64);
        vm.create_data_property_or_throw(result, key, item)?;
    }
    vm.set(result, keys::LENGTH, length, true)?;
    Ok(Value::object(result))
}

/// get Array \[ %Symbol.species% ] <https://tc39.es/ecma262/#sec-get-array-%symbol.species%>
pub(crate) fn species(_: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(arguments.this)
}

/// Array.prototype.at ( index ) <https://tc39.es/ecma262/#sec-array.prototype.at>
fn at(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    let index = arguments.get(vm, 0);
    let relative = vm.to_integer_or_infinity(index)?;
    let index = if relative >= 0.0 { relative } else { length as f64 + relative };
    if index < 0.0 || index >= length as f64 {
        return Ok(Value::UNDEFINED);
    }
    vm.get_index(object, index as u64)
}

/// Array.prototype.concat ( ...items ) <https://tc39.es/ecma262/#sec-array.prototype.concat>
fn concat(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = vm.to_object(arguments.this)?;
    vm.root(object);
    let result = ResultArray::new(vm, object, 0)?;
    let mut n = 0;
    for index in 0..=arguments.len() {
        let item = if index == 0 { Value::object(object) } else { arguments.get(vm, index - 1) };
        let Some(source) = concat_spreadable(vm, item)? else {
            if n >= MAX_LENGTH {
                return Err(vm.throw_type_error("Invalid array length"));
            }
            result.define(vm, n, item)?;
            n += 1;
            continue;
        };
        if result.is_plain
            && array_length_is(vm, result.object, n)
            && vm.heap[result.object].elements.dense().is_some()
            && plain_elements(&vm.heap, source).is_some()
        {
            let Some(values) = vm.heap[source].elements.dense() else { continue };
            let values = values.to_vec();
            n += values.len() as u64;
            extend_array(vm, result.object, &values)?;
            continue;
        }
        let length = vm.length_of_array_like(source)?;
        if n + length > MAX_LENGTH {
            return Err(vm.throw_type_error("Invalid array length"));
        }
        for k in sparse_indices(vm, source, length) {
            if let Some(value) = get_if_present(vm, source, k)? {
                result.define(vm, n + k, value)?;
            }
            poll(vm, k)?;
        }
        n += length;
    }
    result.set_length(vm, n)
}

/// Array.prototype.copyWithin ( target, start \[ , end ] ) <https://tc39.es/ecma262/#sec-array.prototype.copywithin>
fn copy_within(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    let to = relative_argument(vm, arguments, 0, length, 0)?;
    let from = relative_argument(vm, arguments, 1, length, 0)?;
    let end = relative_argument(vm, arguments, 2, length, length)?;
    let count = end.saturating_sub(from).min(length - to);
    if count == 0 {
        return Ok(Value::object(object));
    }
    if is_mutable_plain(vm, object, length) {
        let (from, to, count) = (from as usize, to as usize, count as usize);
        if let Some(elements) = vm.heap[object].elements.dense_mut() {
            elements.copy_within(from..from + count, to);
        }
        return Ok(Value::object(object));
    }
    let backwards = from < to && to < from + count;
    for step in 0..count {
        let offset = if backwards { count - 1 - step } else { step };
        match get_if_present(vm, object, from + offset)? {
            Some(value) => set_index(vm, object, to + offset, value)?,
            None => delete_index(vm, object, to + offset)?,
        }
        poll(vm, step)?;
    }
    Ok(Value::object(object))
}

/// Array.prototype.entries ( ) <https://tc39.es/ecma262/#sec-array.prototype.entries>
fn entries(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = vm.to_object(arguments.this)?;
    Ok(create_array_iterator(vm, object, IterationKind::Entries))
}

/// Array.prototype.fill ( value \[ , start \[ , end ] ] ) <https://tc39.es/ecma262/#sec-array.prototype.fill>
fn fill(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    let value = arguments.get(vm, 0);
    let start = relative_argument(vm, arguments, 1, length, 0)?;
    let end = relative_argument(vm, arguments, 2, length, length)?;
    if is_mutable_plain(vm, object, end) {
        if let Some(place) =
            vm.heap[object].elements.dense_mut().and_then(|elements| elements.get_mut(start as usize..end as usize))
        {
            place.fill(value);
        }
        return Ok(Value::object(object));
    }
    for k in start..end {
        set_index(vm, object, k, value)?;
        poll(vm, k)?;
    }
    Ok(Value::object(object))
}

/// Array.prototype.flat ( \[ depth ] ) <https://tc39.es/ecma262/#sec-array.prototype.flat>
fn flat(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    let depth = match arguments.get(vm, 0) {
        Value::UNDEFINED => 1.0,
        depth => vm.to_integer_or_infinity(depth)?.max(0.0),
    };
    let result = ResultArray::new(vm, object, 0)?;
    let mut to = 0;
    // FlattenIntoArray without recursion: the arrays being read, outermost first.
    let mut sources = vec![(object, length, 0)];
    while let Some((source, length, k)) = sources.last_mut() {
        if k == length {
            sources.pop();
            continue;
        }
        let (source, index) = (*source, *k);
        *k += 1;
        poll(vm, index)?;
        let Some(element) = get_if_present(vm, source, index)? else { continue };
        if sources.len() as f64 <= depth && vm.is_array(element)? {
            if sources.len() > MAX_FLAT_DEPTH {
                return Err(vm.throw_stack_overflow());
            }
            vm.root(element);
            let inner = vm.to_object(element)?;
            let length = vm.length_of_array_like(inner)?;
            sources.push((inner, length, 0));
        } else {
            result.define(vm, to, element)?;
            to += 1;
        }
    }
    Ok(Value::object(result.object))
}

/// Array.prototype.includes ( searchElement \[ , fromIndex ] ) <https://tc39.es/ecma262/#sec-array.prototype.includes>
fn includes(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    if length == 0 {
        return Ok(Value::FALSE);
    }
    let target = arguments.get(vm, 0);
    let start = relative_argument(vm, arguments, 1, length, 0)?;
    if let Some(elements) = plain_elements(&vm.heap, object) {
        if target.is_undefined() {
            let found =
                (start..length).any(|k| elements.get(k as usize).is_none_or(|v| v.is_undefined() || v.is_empty()));
            return Ok(Value::boolean(found));
        }
        let elements = elements.get(start as usize..).unwrap_or_default();
        if let Some(number) = target.as_number().filter(|number| number.is_nan()) {
            debug_assert!(number.is_nan());
            return Ok(Value::boolean(elements.contains(&Value::NAN)));
        }
        let limit = (length - start) as usize;
        let position = position_in(&mut vm.heap, object, start as usize, limit, target);
        return Ok(Value::boolean(position.is_some()));
    }
    for k in start..length {
        let element = vm.get_index(object, k)?;
        if vm.heap.same_value_zero(element, target) {
            return Ok(Value::TRUE);
        }
        poll(vm, k)?;
    }
    Ok(Value::FALSE)
}

/// Array.prototype.indexOf ( searchElement \[ , fromIndex ] ) <https://tc39.es/ecma262/#sec-array.prototype.indexof>
fn index_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    if length == 0 {
        return Ok(Value::int(-1));
    }
    let target = arguments.get(vm, 0);
    let start = relative_argument(vm, arguments, 1, length, 0)?;
    if plain_elements(&vm.heap, object).is_some() {
        let limit = (length - start) as usize;
        let position = position_in(&mut vm.heap, object, start as usize, limit, target);
        return Ok(position.map_or(Value::int(-1), Value::from));
    }
    for k in start..length {
        if let Some(element) = get_if_present(vm, object, k)?
            && vm.heap.is_strictly_equal(element, target)
        {
            return Ok(Value::number(k as f64));
        }
        poll(vm, k)?;
    }
    Ok(Value::int(-1))
}

/// Array.prototype.join ( separator ) <https://tc39.es/ecma262/#sec-array.prototype.join>
fn join(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    let separator = match arguments.get(vm, 0) {
        Value::UNDEFINED => vm.heap.single_char(u16::from(b',')),
        separator => vm.to_string(separator)?,
    };
    vm.root(separator);
    join_elements(vm, object, length, Value::string(separator), |vm, element| {
        let string = vm.to_string(element)?;
        Ok(Value::string(string))
    })
}

/// Array.prototype.keys ( ) <https://tc39.es/ecma262/#sec-array.prototype.keys>
fn keys_method(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = vm.to_object(arguments.this)?;
    Ok(create_array_iterator(vm, object, IterationKind::Keys))
}

/// Array.prototype.lastIndexOf ( searchElement \[ , fromIndex ] ) <https://tc39.es/ecma262/#sec-array.prototype.lastindexof>
fn last_index_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    if length == 0 {
        return Ok(Value::int(-1));
    }
    let target = arguments.get(vm, 0);
    let last = match arguments.get_present(vm, 1) {
        None => length as f64 - 1.0,
        Some(from) => {
            let from = vm.to_integer_or_infinity(from)?;
            if from >= 0.0 { from.min(length as f64 - 1.0) } else { length as f64 + from }
        }
    };
    if last < 0.0 {
        return Ok(Value::int(-1));
    }
    for k in (0..=last as u64).rev() {
        let element = match plain_elements(&vm.heap, object) {
            Some(elements) => elements.get(k as usize).copied().filter(|element| !element.is_empty()),
            None => get_if_present(vm, object, k)?,
        };
        if let Some(element) = element
            && vm.heap.is_strictly_equal(element, target)
        {
            return Ok(Value::number(k as f64));
        }
        poll(vm, k)?;
    }
    Ok(Value::int(-1))
}

/// Array.prototype.pop ( ) <https://tc39.es/ecma262/#sec-array.prototype.pop>
fn pop(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if let Some(array) = arguments.this.as_object()
        && is_growable(&vm.heap, array)
        && let Some(&last) = vm.heap[array].elements.dense().and_then(<[Value]>::last)
        && !last.is_empty()
        && let Some(elements) = vm.heap[array].elements.dense_mut()
    {
        elements.pop();
        return Ok(last);
    }
    let (object, length) = this_array_like(vm, arguments)?;
    let Some(last) = length.checked_sub(1) else {
        vm.set(object, keys::LENGTH, Value::int(0), true)?;
        return Ok(Value::UNDEFINED);
    };
    let element = vm.get_index(object, last)?;
    vm.root(element);
    delete_index(vm, object, last)?;
    set_length(vm, object, last)?;
    Ok(element)
}

/// Array.prototype.push ( ...items ) <https://tc39.es/ecma262/#sec-array.prototype.push>
fn push(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if let Some(array) = arguments.this.as_object()
        && is_growable(&vm.heap, array)
        && vm.heap.prototypes_have_no_elements(array)
    {
        for index in 0..arguments.len() {
            let value = arguments.get(vm, index);
            vm.heap.array_push(array, value).map_err(|error| elements_error(vm, error))?;
        }
        return Ok(Value::from(vm.heap.array_length(array)));
    }
    let (object, length) = this_array_like(vm, arguments)?;
    let count = arguments.len() as u64;
    if length + count > MAX_LENGTH {
        return Err(vm.throw_type_error(
            "Pushing elements onto an array-like of that length is disallowed, as the total surpasses 2**53-1",
        ));
    }
    for k in 0..count {
        let value = arguments.get(vm, k as usize);
        set_index(vm, object, length + k, value)?;
    }
    set_length(vm, object, length + count)?;
    Ok(Value::number((length + count) as f64))
}

/// Array.prototype.reverse ( ) <https://tc39.es/ecma262/#sec-array.prototype.reverse>
fn reverse(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    if is_mutable_plain(vm, object, length) {
        if let Some(elements) = vm.heap[object].elements.dense_mut() {
            elements.reverse();
        }
        return Ok(Value::object(object));
    }
    for lower in 0..length / 2 {
        let upper = length - 1 - lower;
        let saved = vm.roots.len();
        let low = get_if_present(vm, object, lower)?;
        vm.root(low.unwrap_or(Value::UNDEFINED));
        let high = get_if_present(vm, object, upper)?;
        vm.root(high.unwrap_or(Value::UNDEFINED));
        match high {
            Some(value) => set_index(vm, object, lower, value)?,
            None if low.is_some() => delete_index(vm, object, lower)?,
            None => {}
        }
        match low {
            Some(value) => set_index(vm, object, upper, value)?,
            None if high.is_some() => delete_index(vm, object, upper)?,
            None => {}
        }
        vm.roots.truncate(saved);
        poll(vm, lower)?;
    }
    Ok(Value::object(object))
}

/// Array.prototype.shift ( ) <https://tc39.es/ecma262/#sec-array.prototype.shift>
fn shift(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    if length == 0 {
        vm.set(object, keys::LENGTH, Value::int(0), true)?;
        return Ok(Value::UNDEFINED);
    }
    if is_growable(&vm.heap, object)
        && is_mutable_plain(vm, object, length)
        && let Some(elements) = vm.heap[object].elements.dense_mut()
    {
        let first = elements.remove(0);
        return Ok(if first.is_empty() { Value::UNDEFINED } else { first });
    }
    let first = vm.get_index(object, 0)?;
    vm.root(first);
    for k in 1..length {
        move_element(vm, object, k, k - 1)?;
        poll(vm, k)?;
    }
    delete_index(vm, object, length - 1)?;
    set_length(vm, object, length - 1)?;
    Ok(first)
}

/// Array.prototype.slice ( start, end ) <https://tc39.es/ecma262/#sec-array.prototype.slice>
fn slice(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    let start = relative_argument(vm, arguments, 0, length, 0)?;
    let end = relative_argument(vm, arguments, 1, length, length)?;
    let count = end.saturating_sub(start);
    let result = ResultArray::new(vm, object, count)?;
    if result.is_plain
        && let Some(values) =
            plain_elements(&vm.heap, object).and_then(|elements| elements.get(start as usize..(start + count) as usize))
    {
        let values = values.to_vec();
        extend_array(vm, result.object, &values)?;
        return Ok(Value::object(result.object));
    }
    for k in 0..count {
        if let Some(value) = get_if_present(vm, object, start + k)? {
            result.define(vm, k, value)?;
        }
        poll(vm, k)?;
    }
    result.set_length(vm, count)
}

/// Array.prototype.splice ( start, deleteCount, ...items ) <https://tc39.es/ecma262/#sec-array.prototype.splice>
fn splice(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    let start = relative_argument(vm, arguments, 0, length, 0)?;
    let delete_count = delete_count(vm, arguments, length, start)?;
    let items = arguments.rest(vm, 2);
    let item_count = items.len() as u64;
    let new_length = length - delete_count + item_count;
    if new_length > MAX_LENGTH {
        return Err(vm.throw_type_error("Splicing would make the array-like longer than 2**53-1"));
    }
    let removed = ResultArray::new(vm, object, delete_count)?;
    if removed.is_plain
        && is_growable(&vm.heap, object)
        && is_mutable_plain(vm, object, length)
        && array_length_is(vm, object, length)
    {
        if new_length > u64::from(MAX_ELEMENTS) {
            return Err(invalid_length(vm));
        }
        return Ok(splice_plain(vm, object, removed.object, start as usize, delete_count as usize, &items));
    }
    for k in 0..delete_count {
        if let Some(value) = get_if_present(vm, object, start + k)? {
            removed.define(vm, k, value)?;
        }
        poll(vm, k)?;
    }
    removed.set_length(vm, delete_count)?;
    if item_count < delete_count {
        for k in start..length - delete_count {
            move_element(vm, object, k + delete_count, k + item_count)?;
            poll(vm, k)?;
        }
        for k in (new_length..length).rev() {
            delete_index(vm, object, k)?;
            poll(vm, k)?;
        }
    } else if item_count > delete_count {
        for k in (start..length - delete_count).rev() {
            move_element(vm, object, k + delete_count, k + item_count)?;
            poll(vm, k)?;
        }
    }
    for (k, &item) in items.iter().enumerate() {
        set_index(vm, object, start + k as u64, item)?;
    }
    set_length(vm, object, new_length)?;
    Ok(Value::object(removed.object))
}

/// Array.prototype.toLocaleString ( ) <https://tc39.es/ecma262/#sec-array.prototype.tolocalestring>
fn to_locale_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    let (locales, options) = (arguments.get(vm, 0), arguments.get(vm, 1));
    let separator = Value::string(vm.heap.single_char(u16::from(b',')));
    join_elements(vm, object, length, separator, |vm, element| {
        let text = vm.invoke(element, keys::TO_LOCALE_STRING, &[locales, options])?;
        vm.root(text);
        vm.to_string(text).map(Value::string)
    })
}

/// Array.prototype.toReversed ( ) <https://tc39.es/ecma262/#sec-array.prototype.toreversed>
fn to_reversed(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    let result = new_copy_target(vm, length)?;
    for k in (0..length).rev() {
        let value = vm.get_index(object, k)?;
        append(vm, result, value)?;
        poll(vm, k)?;
    }
    Ok(Value::object(result))
}

/// Array.prototype.toSpliced ( start, skipCount, ...items ) <https://tc39.es/ecma262/#sec-array.prototype.tospliced>
fn to_spliced(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    let start = relative_argument(vm, arguments, 0, length, 0)?;
    let skip_count = delete_count(vm, arguments, length, start)?;
    let items = arguments.rest(vm, 2);
    let new_length = length - skip_count + items.len() as u64;
    if new_length > MAX_LENGTH {
        return Err(vm.throw_type_error("Splicing would make the array-like longer than 2**53-1"));
    }
    let result = new_copy_target(vm, new_length)?;
    for k in 0..start {
        let value = vm.get_index(object, k)?;
        append(vm, result, value)?;
        poll(vm, k)?;
    }
    for &item in &items {
        append(vm, result, item)?;
    }
    for k in start + skip_count..length {
        let value = vm.get_index(object, k)?;
        append(vm, result, value)?;
        poll(vm, k)?;
    }
    Ok(Value::object(result))
}

/// Array.prototype.toString ( ) <https://tc39.es/ecma262/#sec-array.prototype.tostring>
fn to_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = vm.to_object(arguments.this)?;
    vm.root(object);
    let function = vm.get(object, keys::JOIN)?;
    if vm.heap.is_callable(function) {
        return vm.call(function, Value::object(object), &[]);
    }
    super::object::object_to_string(vm, Value::object(object))
}

/// Array.prototype.unshift ( ...items ) <https://tc39.es/ecma262/#sec-array.prototype.unshift>
fn unshift(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    let items = arguments.rest(vm, 0);
    let count = items.len() as u64;
    let new_length = length + count;
    if count > 0 {
        if new_length > MAX_LENGTH {
            return Err(vm.throw_type_error("Invalid array length"));
        }
        if is_growable(&vm.heap, object) && is_mutable_plain(vm, object, length) {
            if new_length > u64::from(MAX_ELEMENTS) {
                return Err(invalid_length(vm));
            }
            replace_range(vm, object, 0, 0, &items);
            return Ok(Value::from(vm.heap.array_length(object)));
        }
        for k in (0..length).rev() {
            move_element(vm, object, k, k + count)?;
            poll(vm, k)?;
        }
        for (k, &item) in items.iter().enumerate() {
            set_index(vm, object, k as u64, item)?;
        }
    }
    set_length(vm, object, new_length)?;
    Ok(Value::number(new_length as f64))
}

/// Array.prototype.values ( ) <https://tc39.es/ecma262/#sec-array.prototype.values>
fn values(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = vm.to_object(arguments.this)?;
    Ok(create_array_iterator(vm, object, IterationKind::Values))
}

/// Array.prototype.with ( index, value ) <https://tc39.es/ecma262/#sec-array.prototype.with>
fn with(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (object, length) = this_array_like(vm, arguments)?;
    let index = arguments.get(vm, 0);
    let relative = vm.to_integer_or_infinity(index)?;
    let index = if relative >= 0.0 { relative } else { length as f64 + relative };
    if index < 0.0 || index >= length as f64 {
        return Err(vm.throw_range_error("Invalid index : ".to_owned() + crate::number::to_string(relative).as_str()));
    }
    let result = new_copy_target(vm, length)?;
    for k in 0..length {
        let value = if k == index as u64 { arguments.get(vm, 1) } else { vm.get_index(object, k)? };
        append(vm, result, value)?;
        poll(vm, k)?;
    }
    Ok(Value::object(result))
}

// ---- What other files and self-hosted code use

/// ArrayCreate ( length ) <https://tc39.es/ecma262/#sec-arraycreate>; %Array.prototype% when there is no prototype.
///
/// # Errors
/// RangeError for a length that no array can have.
pub fn array_create(vm: &mut Vm, length: u64, prototype: Option<Gc<Object>>) -> Completion<Gc<Object>> {
    let Ok(length) = u32::try_from(length) else { return Err(invalid_length(vm)) };
    if length <= MAX_ELEMENTS {
        reserve(vm, length as usize)?;
    }
    let array = match prototype {
        Some(prototype) => vm.heap.new_array(Some(prototype), &[]),
        None => vm.create_array(Vec::new()),
    };
    if length > 0 {
        vm.heap.truncate_or_extend(array, length);
    }
    Ok(array)
}

/// SortIndexedProperties ( obj, len, SortCompare, holes ) <https://tc39.es/ecma262/#sec-sortindexedproperties> without the sorting: a
/// fresh array of the elements, in which undefined comes last. Holes are skipped, or read as undefined with `read_holes`.
///
/// # Errors
/// What getters throw.
pub fn sort_compact(vm: &mut Vm, object: Gc<Object>, length: u64, read_holes: bool) -> Completion<Gc<Object>> {
    if length > u64::from(u32::MAX) && read_holes {
        return Err(invalid_length(vm));
    }
    let result = vm.create_array(Vec::new());
    vm.root(result);
    let mut undefined_count = 0;
    if let Some(elements) = plain_elements(&vm.heap, object) {
        let elements = &elements[..elements.len().min(length as usize)];
        let mut values: Vec<Value> =
            elements.iter().copied().filter(|value| !value.is_empty() && !value.is_undefined()).collect();
        undefined_count =
            elements.iter().filter(|value| value.is_undefined() || read_holes && value.is_empty()).count();
        values.resize(values.len() + undefined_count, Value::UNDEFINED);
        extend_array(vm, result, &values)?;
        return Ok(result);
    }
    let indices = if read_holes { Box::new(0..length) } else { sparse_indices(vm, object, length) };
    for k in indices {
        let value = if read_holes { Some(vm.get_index(object, k)?) } else { get_if_present(vm, object, k)? };
        match value {
            Some(Value::UNDEFINED) => undefined_count += 1,
            Some(value) => append(vm, result, value)?,
            None => {}
        }
        poll(vm, k)?;
    }
    extend_array(vm, result, &vec![Value::UNDEFINED; undefined_count])?;
    Ok(result)
}

/// FlattenIntoArray of one element with depth 1 <https://tc39.es/ecma262/#sec-flattenintoarray>: defines the element, or the
/// elements of an array, from index `to` on and gives the next index.
///
/// # Errors
/// What getters and definitions throw.
pub fn flatten_into(vm: &mut Vm, target: Gc<Object>, mut to: u64, element: Value) -> Completion<u64> {
    let source = match element.as_object() {
        Some(source) if vm.is_array(element)? => source,
        _ => {
            define_index(vm, target, to, element)?;
            return Ok(to + 1);
        }
    };
    let length = vm.length_of_array_like(source)?;
    for k in 0..length {
        if let Some(value) = get_if_present(vm, source, k)? {
            define_index(vm, target, to, value)?;
            to += 1;
        }
        poll(vm, k)?;
    }
    Ok(to)
}

/// Sorts a fresh dense array in which undefined comes last, when all other elements are Numbers but not NaN and the comparator does
/// nothing but subtract its parameters. Answers whether it was so.
pub fn sort_numbers(vm: &mut Vm, array: Gc<Object>, comparator: Value) -> bool {
    let Some(is_ascending) = subtraction_order(vm, comparator) else { return false };
    let elements = vm.heap[array].elements.dense().unwrap_or_default();
    let count = elements.iter().take_while(|value| !value.is_undefined()).count();
    let numbers: Option<Vec<(f64, Value)>> = elements[..count]
        .iter()
        .map(|&value| value.as_number().filter(|number| !number.is_nan()).map(|number| (number, value)))
        .collect();
    let Some(mut numbers) = numbers else { return false };
    numbers.sort_by(|(a, _), (b, _)| {
        let order = a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
        if is_ascending { order } else { order.reverse() }
    });
    if let Some(elements) = vm.heap[array].elements.dense_mut() {
        for (place, (_, value)) in elements.iter_mut().zip(numbers) {
            *place = value;
        }
    }
    true
}

/// Whether a function is `(a, b) => a - b` (true) or `(a, b) => b - a` (false); None for any other.
fn subtraction_order(vm: &Vm, function: Value) -> Option<bool> {
    let ObjectKind::Closure(closure) = &vm.heap[function.as_object()?].kind else { return None };
    let code = &vm.codes[closure.code.index()];
    match *code.instructions {
        [difference, result]
            if code.is_simple
                && code.parameter_count == 2
                && difference.op == Opcode::Sub
                && result.op == Opcode::Return
                && result.a == difference.a =>
        {
            match (difference.b, difference.c) {
                (0, 1) => Some(true),
                (1, 0) => Some(false),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Sorts a fresh dense array in which undefined comes last, in the order of the elements as strings
/// (<https://tc39.es/ecma262/#sec-comparearrayelements> without a comparator).
///
/// # Errors
/// What ToString throws.
pub fn sort_default(vm: &mut Vm, array: Gc<Object>) -> Completion<()> {
    let elements = vm.heap[array].elements.dense().unwrap_or_default().to_vec();
    let count = elements.iter().take_while(|value| !value.is_undefined()).count();
    if let Some(integers) = elements[..count].iter().map(|value| value.as_int()).collect::<Option<Vec<i32>>>() {
        // OPTIMIZATION: integers are put in the order of their digits without making strings of them.
        let mut integers = integers;
        integers.sort_by_cached_key(|&integer| digits_key(integer));
        if let Some(elements) = vm.heap[array].elements.dense_mut() {
            for (place, integer) in elements.iter_mut().zip(integers) {
                *place = Value::int(integer);
            }
        }
        return Ok(());
    }
    let mut keyed = Vec::with_capacity(count);
    for &value in &elements[..count] {
        let string = vm.to_string(value)?;
        vm.root(string);
        vm.heap.flatten(string);
        keyed.push((string, value));
    }
    let heap = &vm.heap;
    keyed.sort_by(|(a, _), (b, _)| heap.view(*a).cmp(&heap.view(*b)));
    if let Some(elements) = vm.heap[array].elements.dense_mut() {
        for (place, (_, value)) in elements.iter_mut().zip(keyed) {
            *place = value;
        }
    }
    Ok(())
}

/// The intrinsics of `array.js`.
///
/// # Errors
/// What the operation throws.
pub fn array_intrinsic(vm: &mut Vm, intrinsic: Intrinsic, arguments: &[Value]) -> Completion<Value> {
    let Some(object) = arguments.first().copied().and_then(Value::as_object) else {
        return vm.internal_error(intrinsic.text());
    };
    if intrinsic == Intrinsic::SortNumbers {
        let comparator = arguments.get(1).copied().unwrap_or(Value::UNDEFINED);
        return Ok(Value::boolean(sort_numbers(vm, object, comparator)));
    }
    if intrinsic == Intrinsic::SortDefault {
        sort_default(vm, object)?;
        return Ok(Value::object(object));
    }
    let length = arguments.get(1).and_then(|length| length.as_number()).unwrap_or(0.0);
    if intrinsic == Intrinsic::FlattenInto {
        let element = arguments.get(2).copied().unwrap_or(Value::UNDEFINED);
        return flatten_into(vm, object, length as u64, element).map(|to| Value::number(to as f64));
    }
    let read_holes = arguments.get(2) == Some(&Value::TRUE);
    sort_compact(vm, object, length as u64, read_holes).map(Value::object)
}

/// CreateArrayIterator ( array, kind ) <https://tc39.es/ecma262/#sec-createarrayiterator>
pub fn create_array_iterator(vm: &mut Vm, object: Gc<Object>, kind: IterationKind) -> Value {
    let prototype = vm.intrinsic(IntrinsicObject::ArrayIteratorPrototype);
    let state = ArrayIterator { target: Some(object), index: 0, kind };
    Value::object(vm.heap.new_object_of_kind(Some(prototype), ObjectKind::ArrayIterator(Box::new(state))))
}

/// The elements, holes included, of an array whose elements can be read without anybody noticing: it is dense, and no prototype
/// has elements that would show through holes.
pub fn plain_elements(heap: &Heap, object: Gc<Object>) -> Option<&[Value]> {
    let cell = &heap[object];
    if !cell.is_array() || !heap.prototypes_have_no_elements(object) {
        return None;
    }
    cell.elements.dense()
}

/// CreateDataPropertyOrThrow for an index, without a key for dense arrays.
///
/// # Errors
/// TypeError when the property cannot be defined; RangeError when there are too many elements.
#[inline]
pub fn define_index(vm: &mut Vm, object: Gc<Object>, index: u64, value: Value) -> Completion<()> {
    let cell = &mut vm.heap[object];
    if cell.is_array()
        && !cell.flags.intersects(NOT_GROWABLE.union(ObjectFlags::IS_PROTOTYPE))
        && let Elements::Dense(elements) = &mut cell.elements
    {
        if let Some(place) = elements.get_mut(index as usize) {
            *place = value;
            return Ok(());
        }
        if index == elements.len() as u64 {
            return vm.heap.array_push(object, value).map_err(|error| elements_error(vm, error));
        }
    }
    let key = vm.key_from_index(index);
    vm.create_data_property_or_throw(object, key, value)
}

/// Appends to a fresh dense array.
///
/// # Errors
/// RangeError when there are too many elements.
pub fn append(vm: &mut Vm, array: Gc<Object>, value: Value) -> Completion<()> {
    vm.heap.array_push(array, value).map_err(|error| elements_error(vm, error))
}

/// Appends values, holes included, to a fresh dense array.
///
/// # Errors
/// RangeError when there are too many elements; the memory limit.
pub fn extend_array(vm: &mut Vm, array: Gc<Object>, values: &[Value]) -> Completion<()> {
    let length = vm.heap.array_length(array) as usize + values.len();
    if length > MAX_ELEMENTS as usize {
        return Err(invalid_length(vm));
    }
    reserve(vm, values.len())?;
    if let Some(elements) = vm.heap[array].elements.dense_mut() {
        let before = elements.capacity();
        elements.extend_from_slice(values);
        let grown = elements.capacity() - before;
        vm.heap.charge(grown * size_of::<Value>());
    }
    Ok(())
}

/// HasProperty ( O, index ) and Get ( O, index ) when it is there.
///
/// # Errors
/// What getters and proxy handlers throw.
#[inline]
pub fn get_if_present(vm: &mut Vm, object: Gc<Object>, index: u64) -> Completion<Option<Value>> {
    if let Some(value) = dense_element(&vm.heap, object, index) {
        return Ok(Some(value));
    }
    let key = vm.key_from_index(index);
    if vm.has_property(object, key)? { vm.get(object, key).map(Some) } else { Ok(None) }
}

/// Set ( O, index, value, true )
///
/// # Errors
/// What setters throw; TypeError when the property cannot be set.
pub fn set_index(vm: &mut Vm, object: Gc<Object>, index: u64, value: Value) -> Completion<()> {
    let key = vm.key_from_index(index);
    vm.set(object, key, value, true)?;
    Ok(())
}

/// Polls limits and clock now and then in a loop whose length the program chose.
///
/// # Errors
/// A termination.
#[inline]
pub fn poll(vm: &mut Vm, iteration: u64) -> Completion<()> {
    if iteration % 4096 == 4095 { vm.poll() } else { Ok(()) }
}

/// Asks the memory limit before many values are stored.
///
/// # Errors
/// The termination for the memory limit.
pub fn reserve(vm: &mut Vm, count: usize) -> Completion<()> {
    if count >= LARGE && vm.heap.reserve(count.saturating_mul(size_of::<Value>())).is_err() {
        return Err(vm.terminate(Termination::OutOfMemory));
    }
    Ok(())
}

// ---- Helpers of this file

/// Flags with which an array does not simply take elements.
const NOT_GROWABLE: ObjectFlags = ObjectFlags::NON_EXTENSIBLE
    .union(ObjectFlags::LENGTH_READ_ONLY)
    .union(ObjectFlags::ELEMENTS_SEALED)
    .union(ObjectFlags::ELEMENTS_FROZEN);

/// The array that `concat`, `slice` and others fill: made by ArraySpeciesCreate.
struct ResultArray {
    object: Gc<Object>,
    /// An ordinary array that no program has seen.
    is_plain: bool,
}

impl ResultArray {
    /// ArraySpeciesCreate; a plain array starts empty, whatever length it shall have. The object is rooted.
    fn new(vm: &mut Vm, original: Gc<Object>, length: u64) -> Completion<ResultArray> {
        let result = match vm.array_species(original)? {
            None if length > u64::from(u32::MAX) => return Err(invalid_length(vm)),
            None => ResultArray { object: vm.create_array(Vec::new()), is_plain: true },
            Some(constructor) => {
                let result = vm.construct(constructor, &[Value::number(length as f64)], constructor)?;
                ResultArray { object: vm.to_object(result)?, is_plain: false }
            }
        };
        vm.root(result.object);
        Ok(result)
    }

    fn define(&self, vm: &mut Vm, index: u64, value: Value) -> Completion<()> {
        define_index(vm, self.object, index, value)
    }

    /// Set ( A, "length", length, true ); gives the array.
    fn set_length(&self, vm: &mut Vm, length: u64) -> Completion<Value> {
        set_length(vm, self.object, length)?;
        Ok(Value::object(self.object))
    }
}

/// ToObject of the this value, rooted, and LengthOfArrayLike.
fn this_array_like(vm: &mut Vm, arguments: &Arguments) -> Completion<(Gc<Object>, u64)> {
    if let Some(object) = arguments.this.as_object()
        && vm.heap[object].is_array()
    {
        return Ok((object, u64::from(vm.heap.array_length(object))));
    }
    let object = vm.to_object(arguments.this)?;
    vm.root(object);
    let length = vm.length_of_array_like(object)?;
    Ok((object, length))
}

/// IsConcatSpreadable ( O ) <https://tc39.es/ecma262/#sec-isconcatspreadable>: the object when it is.
fn concat_spreadable(vm: &mut Vm, item: Value) -> Completion<Option<Gc<Object>>> {
    let Some(object) = item.as_object() else { return Ok(None) };
    let spreadable = vm.get(object, symbol::keys::IS_CONCAT_SPREADABLE)?;
    let is_spreadable = if spreadable.is_undefined() { vm.is_array(item)? } else { vm.heap.to_boolean(spreadable) };
    Ok(is_spreadable.then_some(object))
}

/// The `deleteCount` of `splice` and the `skipCount` of `toSpliced`.
fn delete_count(vm: &mut Vm, arguments: &Arguments, length: u64, start: u64) -> Completion<u64> {
    match arguments.len() {
        0 => Ok(0),
        1 => Ok(length - start),
        _ => {
            let count = arguments.get(vm, 1);
            let count = vm.to_integer_or_infinity(count)?;
            Ok(count.clamp(0.0, (length - start) as f64) as u64)
        }
    }
}

/// Argument `index` as a relative index.
fn relative_argument(vm: &mut Vm, arguments: &Arguments, index: usize, length: u64, default: u64) -> Completion<u64> {
    let argument = arguments.get(vm, index);
    vm.to_relative_index(argument, length, default)
}

/// The part of `splice` that changes a dense array; `removed` receives what is taken out.
fn splice_plain(
    vm: &mut Vm,
    array: Gc<Object>,
    removed: Gc<Object>,
    start: usize,
    delete_count: usize,
    items: &[Value],
) -> Value {
    let taken: ThinVec<Value> = match vm.heap[array].elements.dense() {
        Some(elements) => elements[start..start + delete_count].into(),
        None => ThinVec::new(),
    };
    vm.heap.charge(taken.len() * size_of::<Value>());
    vm.heap[removed].elements = Elements::Dense(taken);
    replace_range(vm, array, start, delete_count, items);
    Value::object(removed)
}

/// Replaces `delete_count` elements of a dense array from `start` on by the items.
fn replace_range(vm: &mut Vm, array: Gc<Object>, start: usize, delete_count: usize, items: &[Value]) {
    let Some(elements) = vm.heap[array].elements.dense_mut() else { return };
    let before = elements.capacity();
    let length = elements.len();
    let tail = start + delete_count;
    if items.len() > delete_count {
        let more = items.len() - delete_count;
        elements.resize(length + more, Value::EMPTY);
        elements.copy_within(tail..length, tail + more);
    } else {
        let fewer = delete_count - items.len();
        elements.copy_within(tail..length, tail - fewer);
        elements.truncate(length - fewer);
    }
    elements[start..start + items.len()].copy_from_slice(items);
    let grown = elements.capacity().saturating_sub(before);
    vm.heap.charge(grown * size_of::<Value>());
}

/// The array that `toReversed` and its kin fill: ArrayCreate; filled from its start by `append`.
fn new_copy_target(vm: &mut Vm, length: u64) -> Completion<Gc<Object>> {
    if length > u64::from(MAX_ELEMENTS) {
        return Err(invalid_length(vm));
    }
    reserve(vm, length as usize)?;
    let result = vm.create_array(Vec::new());
    vm.root(result);
    Ok(result)
}

/// A number that orders integers as their decimal texts are ordered: a sign comes before digits, then the digits from the left, then the shorter.
fn digits_key(integer: i32) -> u64 {
    let magnitude = u64::from(integer.unsigned_abs());
    let mut digits = 1;
    let mut padded = magnitude;
    let mut bound = 10;
    while magnitude >= bound {
        digits += 1;
        bound *= 10;
    }
    for _ in digits..10 {
        padded *= 10;
    }
    u64::from(integer >= 0) << 63 | padded << 4 | digits
}

/// What `join` and `toLocaleString` share. An array within itself reads as the empty string.
fn join_elements(
    vm: &mut Vm,
    object: Gc<Object>,
    length: u64,
    separator: Value,
    element_text: impl Fn(&mut Vm, Value) -> Completion<Value>,
) -> Completion<Value> {
    if vm.joining.contains(&object) {
        return Ok(Value::string(vm.heap.empty_string()));
    }
    vm.joining.push(object);
    let result = join_acyclic(vm, object, length, separator, element_text);
    vm.joining.pop();
    result
}

fn join_acyclic(
    vm: &mut Vm,
    object: Gc<Object>,
    length: u64,
    separator: Value,
    element_text: impl Fn(&mut Vm, Value) -> Completion<Value>,
) -> Completion<Value> {
    let mut builder = StringBuilder::new();
    for k in 0..length {
        if k > 0
            && let Some(separator) = separator.as_string()
        {
            builder.push_string(&mut vm.heap, separator);
        }
        let element = vm.get_index(object, k)?;
        if let Some(string) = element.as_string() {
            builder.push_string(&mut vm.heap, string);
        } else if let Some(integer) = element.as_int() {
            builder.push_view(StrView::Latin1(crate::number::to_string(f64::from(integer)).as_str().as_bytes()));
        } else if !element.is_nullish() {
            let saved = vm.roots.len();
            vm.root(element);
            let text = element_text(vm, element)?;
            vm.roots.truncate(saved);
            if let Some(string) = text.as_string() {
                builder.push_string(&mut vm.heap, string);
            }
        }
        if builder.is_too_long() {
            return Err(vm.throw_range_error("Invalid string length"));
        }
        poll(vm, k)?;
    }
    match builder.finish(&mut vm.heap) {
        Ok(string) => Ok(Value::string(string)),
        Err(_) => Err(vm.throw_range_error("Invalid string length")),
    }
}

/// The first of `limit` elements from `start` on in a dense array that is strictly equal to the target.
fn position_in(heap: &mut Heap, array: Gc<Object>, start: usize, limit: usize, target: Value) -> Option<usize> {
    let elements = heap[array].elements.dense()?.get(start..)?;
    let elements = &elements[..limit.min(elements.len())];
    if let Some(number) = target.as_number() {
        return elements.iter().position(|value| value.as_number() == Some(number)).map(|position| start + position);
    }
    if !target.is_string() && !target.is_bigint() {
        return elements.iter().position(|&value| value == target).map(|position| start + position);
    }
    let end = start + elements.len();
    let length = target.as_string().map(|target| heap[target].len());
    (start..end).find(|&index| {
        let element = heap[array].elements.dense().and_then(|elements| elements.get(index).copied());
        element.is_some_and(|element| {
            element == target
                || element.as_string().map(|element| heap[element].len()) == length
                    && heap.is_strictly_equal(element, target)
        })
    })
}

/// The indices below `length` that can hold anything: all, or those present when the object is a sparse array whose
/// prototypes have no elements.
fn sparse_indices(vm: &Vm, object: Gc<Object>, length: u64) -> Box<dyn Iterator<Item = u64>> {
    let cell = &vm.heap[object];
    if cell.is_array() && cell.elements.dense().is_none() && vm.heap.prototypes_have_no_elements(object) {
        let indices = cell.elements.indices();
        return Box::new(indices.into_iter().map(u64::from).take_while(move |&index| index < length));
    }
    Box::new(0..length)
}

/// The element of an object with dense elements, when it is there and reading it is not up to an exotic object.
#[inline]
fn dense_element(heap: &Heap, object: Gc<Object>, index: u64) -> Option<Value> {
    let cell = &heap[object];
    if cell.flags.intersects(ObjectFlags::EXOTIC) {
        return None;
    }
    cell.elements.dense()?.get(index as usize).copied().filter(|value| !value.is_empty())
}

/// Whether the first `length` elements of the object are those of a dense array that can be overwritten, filled and moved without anybody noticing.
fn is_mutable_plain(vm: &Vm, object: Gc<Object>, length: u64) -> bool {
    let cell = &vm.heap[object];
    !cell.flags.intersects(NOT_GROWABLE.union(ObjectFlags::IS_PROTOTYPE))
        && plain_elements(&vm.heap, object).is_some_and(|elements| elements.len() as u64 >= length)
}

/// Whether the object is a dense array that takes and gives elements at its end.
fn is_growable(heap: &Heap, object: Gc<Object>) -> bool {
    let cell = &heap[object];
    cell.is_array()
        && !cell.flags.intersects(NOT_GROWABLE.union(ObjectFlags::IS_PROTOTYPE))
        && cell.elements.dense().is_some()
}

fn array_length_is(vm: &Vm, array: Gc<Object>, length: u64) -> bool {
    u64::from(vm.heap.array_length(array)) == length
}

fn set_length(vm: &mut Vm, object: Gc<Object>, length: u64) -> Completion<()> {
    vm.set(object, keys::LENGTH, Value::number(length as f64), true)?;
    Ok(())
}

fn delete_index(vm: &mut Vm, object: Gc<Object>, index: u64) -> Completion<()> {
    let key = vm.key_from_index(index);
    vm.delete_property_or_throw(object, key)
}

/// Moves what is at `from`, a hole too, to `to`.
fn move_element(vm: &mut Vm, object: Gc<Object>, from: u64, to: u64) -> Completion<()> {
    match get_if_present(vm, object, from)? {
        Some(value) => {
            let saved = vm.roots.len();
            vm.root(value);
            let result = set_index(vm, object, to, value);
            vm.roots.truncate(saved);
            result
        }
        None => delete_index(vm, object, to),
    }
}

fn elements_error(vm: &mut Vm, _: ElementsError) -> Thrown {
    invalid_length(vm)
}

fn invalid_length(vm: &mut Vm) -> Thrown {
    vm.throw_range_error(ElementsError::MESSAGE)
}
