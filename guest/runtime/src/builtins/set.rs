//! `Set` and its iterators: [ECMA-262, 24.2](https://tc39.es/ecma262/#sec-set-objects).

use crate::builtins::map::{get_adder, is_native, throw_incompatible};
use crate::builtins::{
    Builtin, BuiltinKind, PrototypeKind, alias, constructor, getter, global_constructor, hosted, method, symbol_alias,
    symbol_getter, tag,
};
use crate::heap::Gc;
use crate::names::keys;
use crate::object::{IterationKind, Object, ObjectKind, OrderedTable, TableIterator};
use crate::symbol;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `Set`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(constructor("Set", 0, construct), IntrinsicObject::Set, IntrinsicObject::SetPrototype),
    statics: &[symbol_getter(symbol::SPECIES, "[Symbol.species]", species)],
    prototype: &[
        method("add", 1, add),
        method("clear", 0, clear),
        method("delete", 1, delete),
        hosted("difference", 1, "Set_prototype_difference"),
        method("entries", 0, entries),
        hosted("forEach", 1, "Set_prototype_forEach"),
        method("has", 1, has),
        hosted("intersection", 1, "Set_prototype_intersection"),
        hosted("isDisjointFrom", 1, "Set_prototype_isDisjointFrom"),
        hosted("isSubsetOf", 1, "Set_prototype_isSubsetOf"),
        hosted("isSupersetOf", 1, "Set_prototype_isSupersetOf"),
        getter("size", size),
        hosted("symmetricDifference", 1, "Set_prototype_symmetricDifference"),
        hosted("union", 1, "Set_prototype_union"),
        method("values", 0, values),
        alias("keys", "values"),
        symbol_alias(symbol::ITERATOR, "values"),
        tag("Set"),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// The table of `%SetIteratorPrototype%`.
pub static ITERATOR: Builtin = Builtin {
    kind: BuiltinKind::Prototype { id: IntrinsicObject::SetIteratorPrototype },
    statics: &[],
    prototype: &[method("next", 0, next), tag("Set Iterator")],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: Some(IntrinsicObject::IteratorPrototype),
};

/// Set ( \[ iterable ] ) <https://tc39.es/ecma262/#sec-set-iterable>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.is_construct() {
        return Err(vm.throw_type_error("Constructor Set requires 'new'"));
    }
    let kind = ObjectKind::Set(Box::default());
    let set = vm.ordinary_create_from_constructor(arguments.new_target, IntrinsicObject::SetPrototype, kind)?;
    vm.root(set);
    let iterable = arguments.get(vm, 0);
    if !iterable.is_nullish() {
        add_values(vm, set, iterable)?;
    }
    Ok(Value::object(set))
}

fn add_values(vm: &mut Vm, set: Gc<Object>, iterable: Value) -> Completion<()> {
    let adder = get_adder(vm, set, keys::ADD)?;
    let is_original = is_native(vm, adder, add);
    // OPTIMIZATION: the elements of a plain array go straight into the table.
    if is_original
        && let Some(source) = iterable.as_object()
        && vm.is_pristine_array(source)
        && let Some(values) = vm.heap[source].elements.dense().map(<[Value]>::to_vec)
        && !values.contains(&Value::EMPTY)
    {
        for value in values {
            insert(vm, set, value)?;
        }
        return Ok(());
    }
    let mut record = vm.get_iterator(iterable)?;
    while let Some(value) = vm.iterator_step_value(&mut record)? {
        let added =
            if is_original { insert(vm, set, value) } else { vm.call(adder, Value::object(set), &[value]).map(|_| ()) };
        if let Err(thrown) = added {
            return Err(vm.iterator_close_throwing(&record, thrown));
        }
    }
    Ok(())
}

/// get Set \[ %Symbol.species% ] <https://tc39.es/ecma262/#sec-get-set-%symbol.species%>
fn species(_: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(arguments.this)
}

/// Set.prototype.add ( value ) <https://tc39.es/ecma262/#sec-set.prototype.add>
fn add(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (set, _) = this_set(vm, arguments, "add")?;
    insert(vm, set, arguments.get(vm, 0))?;
    Ok(arguments.this)
}

/// Set.prototype.clear ( ) <https://tc39.es/ecma262/#sec-set.prototype.clear>
fn clear(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    this_set(vm, arguments, "clear")?.1.clear();
    Ok(Value::UNDEFINED)
}

/// Set.prototype.delete ( value ) <https://tc39.es/ecma262/#sec-set.prototype.delete>
fn delete(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let key = vm.heap.table_key(arguments.get(vm, 0));
    let removed = this_set(vm, arguments, "delete")?.1.remove(&key);
    Ok(Value::boolean(removed))
}

/// Set.prototype.entries ( ) <https://tc39.es/ecma262/#sec-set.prototype.entries>
fn entries(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    create_iterator(vm, arguments, "entries", IterationKind::Entries)
}

/// Set.prototype.has ( value ) <https://tc39.es/ecma262/#sec-set.prototype.has>
fn has(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let key = vm.heap.table_key(arguments.get(vm, 0));
    let found = this_set(vm, arguments, "has")?.1.contains(&key);
    Ok(Value::boolean(found))
}

/// get Set.prototype.size <https://tc39.es/ecma262/#sec-get-set.prototype.size>
fn size(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(Value::from(this_set(vm, arguments, "size")?.1.len()))
}

/// Set.prototype.values ( ) <https://tc39.es/ecma262/#sec-set.prototype.values>
fn values(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    create_iterator(vm, arguments, "values", IterationKind::Values)
}

/// %SetIteratorPrototype%.next ( ) <https://tc39.es/ecma262/#sec-%setiteratorprototype%.next>
fn next(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let iterator =
        arguments.this.as_object().filter(|&object| matches!(vm.heap[object].kind, ObjectKind::SetIterator(_)));
    let Some(iterator) = iterator else {
        return Err(throw_incompatible(vm, "Set Iterator", "next", arguments.this));
    };
    let step = vm.advance_builtin_iterator(iterator)?;
    Ok(vm.create_iter_result(step.unwrap_or(Value::UNDEFINED), step.is_none()))
}

/// CreateSetIterator ( set, kind ) <https://tc39.es/ecma262/#sec-createsetiterator>
fn create_iterator(vm: &mut Vm, arguments: &Arguments, method: &str, kind: IterationKind) -> Completion<Value> {
    let (set, _) = this_set(vm, arguments, method)?;
    let state = TableIterator { table: Some(set), position: 0, kind };
    let prototype = vm.intrinsic(IntrinsicObject::SetIteratorPrototype);
    let iterator = vm.heap.new_object_of_kind(Some(prototype), ObjectKind::SetIterator(Box::new(state)));
    Ok(Value::object(iterator))
}

/// The this value with its [[SetData]].
fn this_set<'a>(vm: &'a mut Vm, arguments: &Arguments, method: &str) -> Completion<(Gc<Object>, &'a mut OrderedTable)> {
    let set = arguments.this.as_object().filter(|&object| matches!(vm.heap[object].kind, ObjectKind::Set(_)));
    let Some(set) = set else { return Err(throw_incompatible(vm, "Set", method, arguments.this)) };
    match &mut vm.heap[set].kind {
        ObjectKind::Set(table) => Ok((set, table)),
        _ => unreachable!("its kind was looked at above"),
    }
}

fn insert(vm: &mut Vm, set: Gc<Object>, value: Value) -> Completion<()> {
    let key = vm.heap.table_key(value);
    let ObjectKind::Set(table) = &mut vm.heap[set].kind else { return Ok(()) };
    if table.is_full() && !table.contains(&key) {
        return Err(vm.throw_range_error("Set maximum size exceeded"));
    }
    let grown = table.insert(&key, Value::UNDEFINED);
    vm.heap.charge(grown);
    Ok(())
}
