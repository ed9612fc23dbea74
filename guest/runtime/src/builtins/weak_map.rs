//! `WeakMap`: [ECMA-262, 24.3](https://tc39.es/ecma262/#sec-weakmap-objects).

use crate::builtins::map::{add_entries_from_iterable, throw_incompatible};
use crate::builtins::{Builtin, PrototypeKind, constructor, global_constructor, method, tag};
use crate::heap::Gc;
use crate::names::keys;
use crate::object::{Object, ObjectKind};
use crate::symbol::SymbolKind;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `WeakMap`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("WeakMap", 0, construct),
        IntrinsicObject::WeakMap,
        IntrinsicObject::WeakMapPrototype,
    ),
    statics: &[],
    prototype: &[
        method("delete", 1, delete),
        method("get", 1, get),
        method("getOrInsert", 2, get_or_insert),
        method("getOrInsertComputed", 2, get_or_insert_computed),
        method("has", 1, has),
        method("set", 2, set),
        tag("WeakMap"),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// WeakMap ( \[ iterable ] ) <https://tc39.es/ecma262/#sec-weakmap-iterable>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.is_construct() {
        return Err(vm.throw_type_error("Constructor WeakMap requires 'new'"));
    }
    let kind = ObjectKind::WeakMap(Box::default());
    let map = vm.ordinary_create_from_constructor(arguments.new_target, IntrinsicObject::WeakMapPrototype, kind)?;
    vm.root(map);
    let iterable = arguments.get(vm, 0);
    if !iterable.is_nullish() {
        add_entries_from_iterable(vm, map, iterable, keys::SET, set)?;
    }
    Ok(Value::object(map))
}

/// WeakMap.prototype.delete ( key ) <https://tc39.es/ecma262/#sec-weakmap.prototype.delete>
fn delete(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let map = this_weak_map(vm, arguments, "delete")?;
    let key = arguments.get(vm, 0);
    let ObjectKind::WeakMap(table) = &mut vm.heap[map].kind else { return Ok(Value::FALSE) };
    Ok(Value::boolean(table.remove(&key).is_some()))
}

/// WeakMap.prototype.get ( key ) <https://tc39.es/ecma262/#sec-weakmap.prototype.get>
fn get(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let map = this_weak_map(vm, arguments, "get")?;
    Ok(lookup(vm, map, arguments.get(vm, 0)).unwrap_or(Value::UNDEFINED))
}

/// WeakMap.prototype.getOrInsert ( key, value ) <https://tc39.es/proposal-upsert/#sec-weakmap.prototype.getOrInsert>
fn get_or_insert(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let map = this_weak_map(vm, arguments, "getOrInsert")?;
    let (key, value) = (arguments.get(vm, 0), arguments.get(vm, 1));
    require_weak_key(vm, key, "WeakMap key")?;
    if let Some(found) = lookup(vm, map, key) {
        return Ok(found);
    }
    insert(vm, map, key, value);
    Ok(value)
}

/// WeakMap.prototype.getOrInsertComputed ( key, callback )
/// <https://tc39.es/proposal-upsert/#sec-weakmap.prototype.getOrInsertComputed>
fn get_or_insert_computed(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let map = this_weak_map(vm, arguments, "getOrInsertComputed")?;
    let (key, callback) = (arguments.get(vm, 0), arguments.get(vm, 1));
    require_weak_key(vm, key, "WeakMap key")?;
    if !vm.heap.is_callable(callback) {
        let text = vm.display(callback);
        return Err(vm.throw_type_error(format!("{text} is not a function")));
    }
    if let Some(found) = lookup(vm, map, key) {
        return Ok(found);
    }
    let value = vm.call(callback, Value::UNDEFINED, &[key])?;
    insert(vm, map, key, value);
    Ok(value)
}

/// WeakMap.prototype.has ( key ) <https://tc39.es/ecma262/#sec-weakmap.prototype.has>
fn has(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let map = this_weak_map(vm, arguments, "has")?;
    Ok(Value::boolean(lookup(vm, map, arguments.get(vm, 0)).is_some()))
}

/// WeakMap.prototype.set ( key, value ) <https://tc39.es/ecma262/#sec-weakmap.prototype.set>
fn set(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let map = this_weak_map(vm, arguments, "set")?;
    let (key, value) = (arguments.get(vm, 0), arguments.get(vm, 1));
    require_weak_key(vm, key, "WeakMap key")?;
    insert(vm, map, key, value);
    Ok(arguments.this)
}

fn this_weak_map(vm: &mut Vm, arguments: &Arguments, method: &str) -> Completion<Gc<Object>> {
    match arguments.this.as_object().filter(|&object| matches!(vm.heap[object].kind, ObjectKind::WeakMap(_))) {
        Some(map) => Ok(map),
        None => Err(throw_incompatible(vm, "WeakMap", method, arguments.this)),
    }
}

fn lookup(vm: &Vm, map: Gc<Object>, key: Value) -> Option<Value> {
    match &vm.heap[map].kind {
        ObjectKind::WeakMap(table) => table.get(&key).copied(),
        _ => None,
    }
}

fn insert(vm: &mut Vm, map: Gc<Object>, key: Value, value: Value) {
    let ObjectKind::WeakMap(table) = &mut vm.heap[map].kind else { return };
    let before = table.capacity();
    table.insert(key, value);
    let grown = (table.capacity() - before) * 17;
    vm.heap.charge(grown);
}

/// TypeError unless CanBeHeldWeakly ( v ) <https://tc39.es/ecma262/#sec-canbeheldweakly>
///
/// # Errors
/// TypeError that names the value and what it was to be.
pub(crate) fn require_weak_key(vm: &mut Vm, value: Value, role: &str) -> Completion<()> {
    if can_be_held_weakly(vm, value) {
        return Ok(());
    }
    let text = vm.display(value);
    Err(vm.throw_type_error(format!("Invalid value used as {role}: {text}")))
}

/// CanBeHeldWeakly ( v ) <https://tc39.es/ecma262/#sec-canbeheldweakly>
pub(crate) fn can_be_held_weakly(vm: &Vm, value: Value) -> bool {
    value.is_object() || value.as_symbol().is_some_and(|symbol| vm.heap[symbol].kind != SymbolKind::Registered)
}
