//! `WeakSet`: [ECMA-262, 24.4](https://tc39.es/ecma262/#sec-weakset-objects).

use crate::builtins::map::{get_adder, throw_incompatible};
use crate::builtins::weak_map::require_weak_key;
use crate::builtins::{Builtin, PrototypeKind, constructor, global_constructor, method, tag};
use crate::heap::Gc;
use crate::names::keys;
use crate::object::{Object, ObjectKind};
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `WeakSet`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("WeakSet", 0, construct),
        IntrinsicObject::WeakSet,
        IntrinsicObject::WeakSetPrototype,
    ),
    statics: &[],
    prototype: &[method("add", 1, add), method("delete", 1, delete), method("has", 1, has), tag("WeakSet")],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// WeakSet ( \[ iterable ] ) <https://tc39.es/ecma262/#sec-weakset-iterable>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.is_construct() {
        return Err(vm.throw_type_error("Constructor WeakSet requires 'new'"));
    }
    let kind = ObjectKind::WeakSet(Box::default());
    let set = vm.ordinary_create_from_constructor(arguments.new_target, IntrinsicObject::WeakSetPrototype, kind)?;
    vm.root(set);
    let iterable = arguments.get(vm, 0);
    if iterable.is_nullish() {
        return Ok(Value::object(set));
    }
    let adder = get_adder(vm, set, keys::ADD)?;
    let mut record = vm.get_iterator(iterable)?;
    while let Some(value) = vm.iterator_step_value(&mut record)? {
        if let Err(thrown) = vm.call(adder, Value::object(set), &[value]) {
            return Err(vm.iterator_close_throwing(&record, thrown));
        }
    }
    Ok(Value::object(set))
}

/// WeakSet.prototype.add ( value ) <https://tc39.es/ecma262/#sec-weakset.prototype.add>
fn add(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let set = this_weak_set(vm, arguments, "add")?;
    let value = arguments.get(vm, 0);
    require_weak_key(vm, value, "a value in a WeakSet")?;
    if let ObjectKind::WeakSet(table) = &mut vm.heap[set].kind {
        let before = table.capacity();
        table.insert(value);
        let grown = (table.capacity() - before) * 9;
        vm.heap.charge(grown);
    }
    Ok(arguments.this)
}

/// WeakSet.prototype.delete ( value ) <https://tc39.es/ecma262/#sec-weakset.prototype.delete>
fn delete(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let set = this_weak_set(vm, arguments, "delete")?;
    let value = arguments.get(vm, 0);
    let ObjectKind::WeakSet(table) = &mut vm.heap[set].kind else { return Ok(Value::FALSE) };
    Ok(Value::boolean(table.remove(&value)))
}

/// WeakSet.prototype.has ( value ) <https://tc39.es/ecma262/#sec-weakset.prototype.has>
fn has(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let set = this_weak_set(vm, arguments, "has")?;
    let value = arguments.get(vm, 0);
    let ObjectKind::WeakSet(table) = &vm.heap[set].kind else { return Ok(Value::FALSE) };
    Ok(Value::boolean(table.contains(&value)))
}

fn this_weak_set(vm: &mut Vm, arguments: &Arguments, method: &str) -> Completion<Gc<Object>> {
    match arguments.this.as_object().filter(|&object| matches!(vm.heap[object].kind, ObjectKind::WeakSet(_))) {
        Some(set) => Ok(set),
        None => Err(throw_incompatible(vm, "WeakSet", method, arguments.this)),
    }
}
