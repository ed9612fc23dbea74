//! `Iterator`, iterator helpers and the prototypes of iterators: [ECMA-262, 27.1](https://tc39.es/ecma262/#sec-iteration).

use crate::builtins::error::set_ignoring_prototype_properties;
use crate::builtins::{
    Builtin, BuiltinKind, Entry, Key, PrototypeKind, accessor, constructor, global_constructor, hosted, method, native,
    symbol_method, tag,
};

use crate::names::keys;
use crate::object::ObjectKind;

use crate::symbol;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `Iterator`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("Iterator", 0, construct),
        IntrinsicObject::Iterator,
        IntrinsicObject::IteratorPrototype,
    ),
    statics: &[
        hosted("concat", 0, "Iterator_concat"),
        method("from", 1, from),
        hosted("zip", 1, "Iterator_zip"),
        hosted("zipKeyed", 1, "Iterator_zipKeyed"),
    ],
    prototype: &[
        accessor("constructor", get_constructor, set_constructor),
        hosted("drop", 1, "Iterator_prototype_drop"),
        hosted("every", 1, "Iterator_prototype_every"),
        hosted("filter", 1, "Iterator_prototype_filter"),
        hosted("find", 1, "Iterator_prototype_find"),
        hosted("flatMap", 1, "Iterator_prototype_flatMap"),
        hosted("forEach", 1, "Iterator_prototype_forEach"),
        hosted("map", 1, "Iterator_prototype_map"),
        hosted("reduce", 1, "Iterator_prototype_reduce"),
        hosted("some", 1, "Iterator_prototype_some"),
        hosted("take", 1, "Iterator_prototype_take"),
        hosted("toArray", 0, "Iterator_prototype_toArray"),
        symbol_method(symbol::DISPOSE, "[Symbol.dispose]", 0, dispose),
        symbol_method(symbol::ITERATOR, "[Symbol.iterator]", 0, this_value),
        Entry::Accessor(
            Key::Symbol(symbol::TO_STRING_TAG),
            native("[Symbol.toStringTag]", 0, get_to_string_tag),
            Some(native("[Symbol.toStringTag]", 1, set_to_string_tag)),
        ),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// The table of `%IteratorHelperPrototype%`.
pub static HELPER: Builtin = Builtin {
    kind: BuiltinKind::Prototype { id: IntrinsicObject::IteratorHelperPrototype },
    statics: &[],
    prototype: &[
        hosted("next", 0, "IteratorHelper_next"),
        hosted("return", 0, "IteratorHelper_return"),
        tag("Iterator Helper"),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: Some(IntrinsicObject::IteratorPrototype),
};

/// The table of `%WrapForValidIteratorPrototype%`.
pub static WRAP: Builtin = Builtin {
    kind: BuiltinKind::Prototype { id: IntrinsicObject::WrapForValidIteratorPrototype },
    statics: &[],
    prototype: &[hosted("next", 0, "WrapForValidIterator_next"), hosted("return", 0, "WrapForValidIterator_return")],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: Some(IntrinsicObject::IteratorPrototype),
};

/// The table of `%AsyncIteratorPrototype%`.
pub static ASYNC_ITERATOR: Builtin = Builtin {
    kind: BuiltinKind::Prototype { id: IntrinsicObject::AsyncIteratorPrototype },
    statics: &[],
    prototype: &[
        symbol_method(symbol::ASYNC_DISPOSE, "[Symbol.asyncDispose]", 0, async_dispose),
        symbol_method(symbol::ASYNC_ITERATOR, "[Symbol.asyncIterator]", 0, this_value),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// Class tag of the objects of `%WrapForValidIteratorPrototype%`; those of `%IteratorHelperPrototype%` have 100. See iterator.js.
const WRAP_TAG: u32 = 101;

/// Iterator ( ) <https://tc39.es/ecma262/#sec-iterator>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.is_construct() {
        return Err(vm.throw_type_error("Constructor Iterator requires 'new'"));
    }
    if arguments.new_target == arguments.callee {
        return Err(vm.throw_type_error("Abstract class Iterator not directly constructable"));
    }
    let default = IntrinsicObject::IteratorPrototype;
    vm.ordinary_create_from_constructor(arguments.new_target, default, ObjectKind::Ordinary).map(Value::object)
}

/// Iterator.from ( O ) <https://tc39.es/ecma262/#sec-iterator.from>
fn from(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    // 1. Let iteratorRecord be ? GetIteratorFlattenable(O, iterate-string-primitives).
    let source = arguments.get(vm, 0);
    if !source.is_object() && !source.is_string() {
        let text = vm.display(source);
        return Err(vm.throw_type_error(format!("{text} is not an object")));
    }
    let method = vm.get_method(source, symbol::keys::ITERATOR)?;
    let iterator = if method.is_undefined() { source } else { vm.call(method, source, &[])? };
    let Some(object) = iterator.as_object() else {
        let text = vm.display(iterator);
        return Err(vm.throw_type_error(format!("{text} is not an object")));
    };
    let record = vm.get_iterator_direct(object)?;
    // 2. Let hasInstance be ? OrdinaryHasInstance(%Iterator%, iteratorRecord.[[Iterator]]).
    let class = Value::object(vm.intrinsic(IntrinsicObject::Iterator));
    if vm.ordinary_has_instance(class, iterator)? {
        return Ok(iterator);
    }
    // 4. to 6.
    let prototype = vm.intrinsic(IntrinsicObject::WrapForValidIteratorPrototype);
    Ok(Value::object(vm.new_internal(Some(prototype), WRAP_TAG, vec![record.iterator, record.next])))
}

/// get Iterator.prototype.constructor <https://tc39.es/ecma262/#sec-get-iterator.prototype.constructor>
fn get_constructor(vm: &mut Vm, _: &Arguments) -> Completion<Value> {
    Ok(Value::object(vm.intrinsic(IntrinsicObject::Iterator)))
}

/// set Iterator.prototype.constructor <https://tc39.es/ecma262/#sec-set-iterator.prototype.constructor>
fn set_constructor(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let home = vm.intrinsic(IntrinsicObject::IteratorPrototype);
    let value = arguments.get(vm, 0);
    set_ignoring_prototype_properties(vm, arguments.this, home, keys::CONSTRUCTOR, value)?;
    Ok(Value::UNDEFINED)
}

/// %Iterator.prototype% \[ %Symbol.dispose% ] ( ) <https://tc39.es/proposal-explicit-resource-management/#sec-%iteratorprototype%-@@dispose>
fn dispose(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let method = vm.get_method(arguments.this, keys::RETURN)?;
    if !method.is_undefined() {
        vm.call(method, arguments.this, &[])?;
    }
    Ok(Value::UNDEFINED)
}

/// Iterator.prototype \[ %Symbol.iterator% ] ( ) <https://tc39.es/ecma262/#sec-iterator.prototype-%symbol.iterator%>
fn this_value(_: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(arguments.this)
}

/// get Iterator.prototype \[ %Symbol.toStringTag% ] <https://tc39.es/ecma262/#sec-get-iterator.prototype-%symbol.tostringtag%>
fn get_to_string_tag(vm: &mut Vm, _: &Arguments) -> Completion<Value> {
    Ok(Value::string(vm.heap.intern_str("Iterator")))
}

/// set Iterator.prototype \[ %Symbol.toStringTag% ] <https://tc39.es/ecma262/#sec-set-iterator.prototype-%symbol.tostringtag%>
fn set_to_string_tag(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let home = vm.intrinsic(IntrinsicObject::IteratorPrototype);
    let value = arguments.get(vm, 0);
    set_ignoring_prototype_properties(vm, arguments.this, home, symbol::keys::TO_STRING_TAG, value)?;
    Ok(Value::UNDEFINED)
}

/// %AsyncIteratorPrototype% \[ %Symbol.asyncDispose% ] ( ): calls `return`; the promise ignores its result
/// <https://tc39.es/proposal-explicit-resource-management/#sec-%asynciteratorprototype%-@@asyncdispose>
fn async_dispose(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let promise = vm.new_promise();
    vm.root(promise);
    let called = match vm.get_method(arguments.this, keys::RETURN) {
        Ok(method) if method.is_undefined() => Ok(Value::UNDEFINED),
        Ok(method) => vm.call(method, arguments.this, &[]),
        Err(thrown) => Err(thrown),
    };
    let constructor = Value::object(vm.intrinsic(IntrinsicObject::Promise));
    let wrapper = match called {
        Ok(result) => vm.promise_resolve(constructor, result),
        Err(thrown) => Err(thrown),
    };
    match wrapper {
        Ok(wrapper) => {
            vm.root(wrapper);
            let unwrap = Value::object(vm.new_native(&RETURN_UNDEFINED));
            let capability = crate::vm::Capability {
                promise: Value::object(promise),
                resolve: Value::UNDEFINED,
                reject: Value::UNDEFINED,
            };
            vm.perform_promise_then(wrapper, unwrap, Value::UNDEFINED, Some(capability));
        }
        Err(thrown) if vm.termination.is_some() => return Err(thrown),
        Err(_) => {
            let reason = vm.take_exception();
            vm.reject_promise(promise, reason);
        }
    }
    Ok(Value::object(promise))
}

static RETURN_UNDEFINED: crate::builtins::NativeFunction = native("", 1, |_, _| Ok(Value::UNDEFINED));
