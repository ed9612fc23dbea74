//! `Promise`: [ECMA-262, 27.2](https://tc39.es/ecma262/#sec-promise-objects). The operations are in vm/jobs.rs.

use crate::builtins::map::throw_incompatible;
use crate::builtins::{Builtin, PrototypeKind, constructor, global_constructor, hosted, method, symbol_getter, tag};
use crate::names::keys;
use crate::object::ObjectKind;
use crate::symbol;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, PromiseData, Vm};

/// The table of `Promise`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("Promise", 1, construct),
        IntrinsicObject::Promise,
        IntrinsicObject::PromisePrototype,
    ),
    statics: &[
        hosted("all", 1, "Promise_all"),
        hosted("allSettled", 1, "Promise_allSettled"),
        hosted("any", 1, "Promise_any"),
        hosted("race", 1, "Promise_race"),
        method("reject", 1, reject),
        method("resolve", 1, resolve),
        symbol_getter(symbol::SPECIES, "[Symbol.species]", species),
        method("try", 1, try_),
        method("withResolvers", 0, with_resolvers),
    ],
    prototype: &[
        method("catch", 1, catch),
        hosted("finally", 1, "Promise_prototype_finally"),
        method("then", 2, then),
        tag("Promise"),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// Promise ( executor ) <https://tc39.es/ecma262/#sec-promise-executor>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.is_construct() {
        return Err(vm.throw_type_error("Promise constructor cannot be invoked without 'new'"));
    }
    let executor = arguments.get(vm, 0);
    if !vm.heap.is_callable(executor) {
        let text = vm.display(executor);
        return Err(vm.throw_type_error(format!("Promise resolver {text} is not a function")));
    }
    let kind = ObjectKind::Promise(Box::new(PromiseData::pending()));
    let promise = vm.ordinary_create_from_constructor(arguments.new_target, IntrinsicObject::PromisePrototype, kind)?;
    vm.root(promise);
    let (resolve, reject) = vm.create_resolving_functions(promise);
    vm.root(resolve);
    vm.root(reject);
    if let Err(thrown) = vm.call(executor, Value::UNDEFINED, &[resolve, reject]) {
        if vm.termination.is_some() {
            return Err(thrown);
        }
        let reason = vm.take_exception();
        vm.call(reject, Value::UNDEFINED, &[reason])?;
    }
    Ok(Value::object(promise))
}

/// Promise.reject ( r ) <https://tc39.es/ecma262/#sec-promise.reject>
fn reject(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let capability = vm.new_promise_capability(arguments.this)?;
    vm.root(capability.promise);
    let reason = arguments.get(vm, 0);
    vm.settle_capability(capability, Err(reason))?;
    Ok(capability.promise)
}

/// Promise.resolve ( x ) <https://tc39.es/ecma262/#sec-promise.resolve>
fn resolve(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.this.is_object() {
        return Err(vm.throw_type_error("PromiseResolve called on non-object"));
    }
    let value = arguments.get(vm, 0);
    vm.promise_resolve(arguments.this, value).map(Value::object)
}

/// get Promise \[ %Symbol.species% ] <https://tc39.es/ecma262/#sec-get-promise-%symbol.species%>
fn species(_: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(arguments.this)
}

/// Promise.try ( callback, ...args ) <https://tc39.es/ecma262/#sec-promise.try>
fn try_(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.this.is_object() {
        return Err(vm.throw_type_error("Promise.try called on non-object"));
    }
    let capability = vm.new_promise_capability(arguments.this)?;
    vm.root(capability.promise);
    vm.root(capability.resolve);
    vm.root(capability.reject);
    let callback = arguments.get(vm, 0);
    let outcome = match vm.call(callback, Value::UNDEFINED, &arguments.rest(vm, 1)) {
        Ok(value) => Ok(value),
        Err(thrown) if vm.termination.is_some() => return Err(thrown),
        Err(_) => Err(vm.take_exception()),
    };
    vm.settle_capability(capability, outcome)?;
    Ok(capability.promise)
}

/// Promise.withResolvers ( ) <https://tc39.es/ecma262/#sec-promise.withResolvers>
fn with_resolvers(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let mut capability = vm.new_promise_capability(arguments.this)?;
    if capability.resolve.is_undefined()
        && let Some(promise) = capability.promise.as_object()
    {
        (capability.resolve, capability.reject) = vm.create_resolving_functions(promise);
    }
    let prototype = vm.intrinsic(IntrinsicObject::ObjectPrototype);
    let shape = vm.heap.shape_for_literal(Some(prototype), &[keys::PROMISE, keys::RESOLVE, keys::REJECT]);
    let values = [capability.promise, capability.resolve, capability.reject];
    Ok(Value::object(vm.heap.new_object_with_shape(shape, &values)))
}

/// Promise.prototype.catch ( onRejected ) <https://tc39.es/ecma262/#sec-promise.prototype.catch>
fn catch(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let on_rejected = arguments.get(vm, 0);
    vm.invoke(arguments.this, keys::THEN, &[Value::UNDEFINED, on_rejected])
}

/// Promise.prototype.then ( onFulfilled, onRejected ) <https://tc39.es/ecma262/#sec-promise.prototype.then>
fn then(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let promise = arguments.this.as_object().filter(|&object| vm.promise_data(object).is_some());
    let Some(promise) = promise else { return Err(throw_incompatible(vm, "Promise", "then", arguments.this)) };
    let default = Value::object(vm.intrinsic(IntrinsicObject::Promise));
    let constructor = vm.species_constructor(promise, default)?;
    let capability = vm.new_promise_capability(constructor)?;
    let (on_fulfilled, on_rejected) = (arguments.get(vm, 0), arguments.get(vm, 1));
    vm.perform_promise_then(promise, on_fulfilled, on_rejected, Some(capability));
    Ok(capability.promise)
}
