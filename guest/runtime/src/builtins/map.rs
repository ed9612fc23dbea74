//! `Map` and its iterators: [ECMA-262, 24.1](https://tc39.es/ecma262/#sec-map-objects).

use crate::builtins::{
    Builtin, BuiltinKind, NativeFn, PrototypeKind, constructor, getter, global_constructor, hosted, method,
    symbol_alias, symbol_getter, tag,
};
use crate::heap::Gc;
use crate::names::keys;
use crate::object::{IterationKind, Object, ObjectKind, OrderedTable, TableIterator};
use crate::property_key::PropertyKey;
use crate::symbol;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `Map`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(constructor("Map", 0, construct), IntrinsicObject::Map, IntrinsicObject::MapPrototype),
    statics: &[hosted("groupBy", 2, "Map_groupBy"), symbol_getter(symbol::SPECIES, "[Symbol.species]", species)],
    prototype: &[
        method("clear", 0, clear),
        method("delete", 1, delete),
        method("entries", 0, entries),
        hosted("forEach", 1, "Map_prototype_forEach"),
        method("get", 1, get),
        method("getOrInsert", 2, get_or_insert),
        hosted("getOrInsertComputed", 2, "Map_prototype_getOrInsertComputed"),
        method("has", 1, has),
        method("keys", 0, map_keys),
        method("set", 2, set),
        getter("size", size),
        method("values", 0, values),
        symbol_alias(symbol::ITERATOR, "entries"),
        tag("Map"),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// The table of `%MapIteratorPrototype%`.
pub static ITERATOR: Builtin = Builtin {
    kind: BuiltinKind::Prototype { id: IntrinsicObject::MapIteratorPrototype },
    statics: &[],
    prototype: &[method("next", 0, next), tag("Map Iterator")],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: Some(IntrinsicObject::IteratorPrototype),
};

/// Map ( \[ iterable ] ) <https://tc39.es/ecma262/#sec-map-iterable>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.is_construct() {
        return Err(vm.throw_type_error("Constructor Map requires 'new'"));
    }
    let kind = ObjectKind::Map(Box::default());
    let map = vm.ordinary_create_from_constructor(arguments.new_target, IntrinsicObject::MapPrototype, kind)?;
    vm.root(map);
    let iterable = arguments.get(vm, 0);
    if !iterable.is_nullish() {
        add_entries_from_iterable(vm, map, iterable, keys::SET, set)?;
    }
    Ok(Value::object(map))
}

/// get Map \[ %Symbol.species% ] <https://tc39.es/ecma262/#sec-get-map-%symbol.species%>
fn species(_: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(arguments.this)
}

/// Map.prototype.clear ( ) <https://tc39.es/ecma262/#sec-map.prototype.clear>
fn clear(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    this_map(vm, arguments, "clear")?.1.clear();
    Ok(Value::UNDEFINED)
}

/// Map.prototype.delete ( key ) <https://tc39.es/ecma262/#sec-map.prototype.delete>
fn delete(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let key = vm.heap.table_key(arguments.get(vm, 0));
    let removed = this_map(vm, arguments, "delete")?.1.remove(&key);
    Ok(Value::boolean(removed))
}

/// Map.prototype.entries ( ) <https://tc39.es/ecma262/#sec-map.prototype.entries>
fn entries(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    create_iterator(vm, arguments, "entries", IterationKind::Entries)
}

/// Map.prototype.get ( key ) <https://tc39.es/ecma262/#sec-map.prototype.get>
fn get(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let key = vm.heap.table_key(arguments.get(vm, 0));
    let value = this_map(vm, arguments, "get")?.1.get(&key);
    Ok(value.unwrap_or(Value::UNDEFINED))
}

/// Map.prototype.getOrInsert ( key, value ) <https://tc39.es/proposal-upsert/#sec-map.prototype.getOrInsert>
fn get_or_insert(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let key = vm.heap.table_key(arguments.get(vm, 0));
    let (map, table) = this_map(vm, arguments, "getOrInsert")?;
    if let Some(value) = table.get(&key) {
        return Ok(value);
    }
    let value = arguments.get(vm, 1);
    insert(vm, map, arguments.get(vm, 0), value)?;
    Ok(value)
}

/// Map.prototype.has ( key ) <https://tc39.es/ecma262/#sec-map.prototype.has>
fn has(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let key = vm.heap.table_key(arguments.get(vm, 0));
    let found = this_map(vm, arguments, "has")?.1.contains(&key);
    Ok(Value::boolean(found))
}

/// Map.prototype.keys ( ) <https://tc39.es/ecma262/#sec-map.prototype.keys>
fn map_keys(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    create_iterator(vm, arguments, "keys", IterationKind::Keys)
}

/// Map.prototype.set ( key, value ) <https://tc39.es/ecma262/#sec-map.prototype.set>
fn set(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (map, _) = this_map(vm, arguments, "set")?;
    insert(vm, map, arguments.get(vm, 0), arguments.get(vm, 1))?;
    Ok(arguments.this)
}

/// get Map.prototype.size <https://tc39.es/ecma262/#sec-get-map.prototype.size>
fn size(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(Value::from(this_map(vm, arguments, "size")?.1.len()))
}

/// Map.prototype.values ( ) <https://tc39.es/ecma262/#sec-map.prototype.values>
fn values(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    create_iterator(vm, arguments, "values", IterationKind::Values)
}

/// %MapIteratorPrototype%.next ( ) <https://tc39.es/ecma262/#sec-%mapiteratorprototype%.next>
fn next(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let iterator =
        arguments.this.as_object().filter(|&object| matches!(vm.heap[object].kind, ObjectKind::MapIterator(_)));
    let Some(iterator) = iterator else {
        return Err(throw_incompatible(vm, "Map Iterator", "next", arguments.this));
    };
    let step = vm.advance_builtin_iterator(iterator)?;
    Ok(vm.create_iter_result(step.unwrap_or(Value::UNDEFINED), step.is_none()))
}

/// CreateMapIterator ( map, kind ) <https://tc39.es/ecma262/#sec-createmapiterator>
fn create_iterator(vm: &mut Vm, arguments: &Arguments, method: &str, kind: IterationKind) -> Completion<Value> {
    let (map, _) = this_map(vm, arguments, method)?;
    let state = TableIterator { table: Some(map), position: 0, kind };
    let prototype = vm.intrinsic(IntrinsicObject::MapIteratorPrototype);
    let iterator = vm.heap.new_object_of_kind(Some(prototype), ObjectKind::MapIterator(Box::new(state)));
    Ok(Value::object(iterator))
}

/// The this value with its [[MapData]].
fn this_map<'a>(vm: &'a mut Vm, arguments: &Arguments, method: &str) -> Completion<(Gc<Object>, &'a mut OrderedTable)> {
    let map = arguments.this.as_object().filter(|&object| matches!(vm.heap[object].kind, ObjectKind::Map(_)));
    let Some(map) = map else { return Err(throw_incompatible(vm, "Map", method, arguments.this)) };
    match &mut vm.heap[map].kind {
        ObjectKind::Map(table) => Ok((map, table)),
        _ => unreachable!("its kind was looked at above"),
    }
}

fn insert(vm: &mut Vm, map: Gc<Object>, key: Value, value: Value) -> Completion<()> {
    let key = vm.heap.table_key(key);
    let ObjectKind::Map(table) = &mut vm.heap[map].kind else { return Ok(()) };
    if table.is_full() && !table.contains(&key) {
        return Err(vm.throw_range_error("Map maximum size exceeded"));
    }
    let grown = table.insert(&key, value);
    vm.heap.charge(grown);
    Ok(())
}

/// AddEntriesFromIterable ( target, iterable, adder ) <https://tc39.es/ecma262/#sec-add-entries-from-iterable>, with the lookup of the
/// adder. `original` is the adder that a program has not replaced.
///
/// # Errors
/// What the iterator, the entries' getters and the adder throw; TypeError for an entry that is no object.
pub(crate) fn add_entries_from_iterable(
    vm: &mut Vm,
    target: Gc<Object>,
    iterable: Value,
    adder_name: PropertyKey,
    original: NativeFn,
) -> Completion<()> {
    let adder = get_adder(vm, target, adder_name)?;
    // OPTIMIZATION: with the original adder, entries that are plain arrays go straight into the table.
    let is_plain = is_native(vm, adder, original) && matches!(vm.heap[target].kind, ObjectKind::Map(_));
    if is_plain
        && let Some(source) = iterable.as_object()
        && vm.is_pristine_array(source)
    {
        let mut index = 0;
        while let Some(pair) = vm.heap[source].elements.dense_get(index).and_then(|entry| plain_pair(vm, entry)) {
            insert(vm, target, pair.0, pair.1)?;
            index += 1;
        }
        if index >= vm.heap.array_length(source) {
            return Ok(());
        }
        // The rest is not plain: start again, which only repeats insertions that nobody has seen.
    }
    let mut record = vm.get_iterator(iterable)?;
    let saved = vm.roots.len();
    while let Some(entry) = vm.iterator_step_value(&mut record)? {
        let added = match plain_pair(vm, entry) {
            Some((key, value)) if is_plain => insert(vm, target, key, value),
            _ => add_entry(vm, target, adder, entry),
        };
        if let Err(thrown) = added {
            return Err(vm.iterator_close_throwing(&record, thrown));
        }
        vm.roots.truncate(saved);
    }
    Ok(())
}

fn add_entry(vm: &mut Vm, target: Gc<Object>, adder: Value, entry: Value) -> Completion<()> {
    let Some(pair) = entry.as_object() else {
        let text = vm.display(entry);
        return Err(vm.throw_type_error(format!("Iterator value {text} is not an entry object")));
    };
    vm.root(pair);
    let key = vm.get(pair, PropertyKey::index(0))?;
    vm.root(key);
    let value = vm.get(pair, PropertyKey::index(1))?;
    vm.call(adder, Value::object(target), &[key, value])?;
    Ok(())
}

/// Key and value of an array with two elements of its own.
fn plain_pair(vm: &Vm, entry: Value) -> Option<(Value, Value)> {
    let array = &vm.heap[entry.as_object()?];
    if !array.is_array() {
        return None;
    }
    Some((array.elements.dense_get(0)?, array.elements.dense_get(1)?))
}

/// The method that a collection's constructor adds elements with, rooted.
///
/// # Errors
/// TypeError when it is not callable; what a getter throws.
pub(crate) fn get_adder(vm: &mut Vm, target: Gc<Object>, name: PropertyKey) -> Completion<Value> {
    let adder = vm.get(target, name)?;
    if !vm.heap.is_callable(adder) {
        let (name, text) = (name.display(&mut vm.heap), vm.display(adder));
        return Err(vm.throw_type_error(format!("'{text}' returned for property '{name}' of object is not a function")));
    }
    Ok(vm.root(adder))
}

/// Whether the value is a builtin function object with this code.
pub(crate) fn is_native(vm: &Vm, value: Value, code: NativeFn) -> bool {
    value.as_object().is_some_and(|object| match &vm.heap[object].kind {
        ObjectKind::Native(native) => std::ptr::fn_addr_eq(native.function.function, code),
        _ => false,
    })
}

/// TypeError of a method called on a value of another class.
#[cold]
pub(crate) fn throw_incompatible(vm: &mut Vm, class: &str, method: &str, this: Value) -> crate::vm::Thrown {
    let text = vm.display(this);
    vm.throw_type_error(format!("Method {class}.prototype.{method} called on incompatible receiver {text}"))
}
