//! Async-from-Sync Iterators, which `for await` and `yield*` make of iterables that are not async:
//! [ECMA-262, 27.1.6](https://tc39.es/ecma262/#sec-async-from-sync-iterator-objects).

use crate::builtins::{Builtin, BuiltinKind, NativeFunction, PrototypeKind, method, native};
use crate::heap::Gc;
use crate::names::keys;
use crate::object::Object;
use crate::operations::IteratorRecord;
use crate::value::Value;
use crate::vm::{Arguments, Capability, Completion, IntrinsicObject, Vm};

/// The table of `%AsyncFromSyncIteratorPrototype%`.
pub static BUILTIN: Builtin = Builtin {
    kind: BuiltinKind::Prototype { id: IntrinsicObject::AsyncFromSyncIteratorPrototype },
    statics: &[],
    prototype: &[method("next", 1, next), method("return", 1, return_), method("throw", 1, throw)],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: Some(IntrinsicObject::AsyncIteratorPrototype),
};

/// Class tag of these objects; slots: \[\[Iterator]] and \[\[NextMethod]] of the sync iterator.
const TAG: u32 = 102;

static UNWRAP: NativeFunction = native("", 1, unwrap);
static UNWRAP_DONE: NativeFunction = native("", 1, unwrap_done);
static CLOSE_ITERATOR: NativeFunction = native("", 1, close_iterator);

impl Vm {
    /// CreateAsyncFromSyncIterator ( syncIteratorRecord ) <https://tc39.es/ecma262/#sec-createasyncfromsynciterator>: iterator and
    /// next method.
    ///
    /// # Errors
    /// None that a program can bring about: `next` is found on an intrinsic prototype.
    pub(crate) fn create_async_from_sync_iterator(
        &mut self,
        iterator: Value,
        next: Value,
    ) -> Completion<(Value, Value)> {
        let prototype = self.intrinsic(IntrinsicObject::AsyncFromSyncIteratorPrototype);
        let object = self.new_internal(Some(prototype), TAG, vec![iterator, next]);
        self.root(object);
        let next = self.get(object, keys::NEXT)?;
        Ok((Value::object(object), next))
    }
}

/// %AsyncFromSyncIteratorPrototype%.next ( \[ value ] ) <https://tc39.es/ecma262/#sec-%asyncfromsynciteratorprototype%.next>
fn next(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (record, promise) = start(vm, arguments);
    let result = vm.call(record.next, record.iterator, &arguments.rest(vm, 0));
    go_on(vm, result, promise, &record, true)
}

/// %AsyncFromSyncIteratorPrototype%.return ( \[ value ] ) <https://tc39.es/ecma262/#sec-%asyncfromsynciteratorprototype%.return>
fn return_(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (record, promise) = start(vm, arguments);
    let result = match vm.get_method(record.iterator, keys::RETURN) {
        // 7. If return is undefined, then resolve with CreateIteratorResultObject(value, true).
        Ok(method) if method.is_undefined() => {
            let result = vm.create_iter_result(arguments.get(vm, 0), true);
            vm.resolve_promise(promise, result);
            return Ok(Value::object(promise));
        }
        Ok(method) => vm.call(method, record.iterator, &arguments.rest(vm, 0)),
        Err(thrown) => Err(thrown),
    };
    go_on(vm, result, promise, &record, false)
}

/// %AsyncFromSyncIteratorPrototype%.throw ( \[ value ] ) <https://tc39.es/ecma262/#sec-%asyncfromsynciteratorprototype%.throw>
fn throw(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (record, promise) = start(vm, arguments);
    let result = match vm.get_method(record.iterator, keys::THROW) {
        // 7. If throw is undefined, then close the iterator so that it can clean up, and reject: the protocol was violated.
        Ok(method) if method.is_undefined() => match vm.iterator_close(&record) {
            Ok(()) => Err(vm.throw_type_error("The iterator does not provide a 'throw' method")),
            Err(thrown) => Err(thrown),
        },
        Ok(method) => vm.call(method, record.iterator, &arguments.rest(vm, 0)),
        Err(thrown) => Err(thrown),
    };
    go_on(vm, result, promise, &record, true)
}

/// The sync iterator record of the this value, and the promise that the method answers.
fn start(vm: &mut Vm, arguments: &Arguments) -> (IteratorRecord, Gc<Object>) {
    let promise = vm.new_promise();
    vm.root(promise);
    let slot = |index| arguments.this.as_object().map_or(Value::UNDEFINED, |object| vm.internal_slot(object, index));
    (IteratorRecord { iterator: slot(0), next: slot(1), done: false }, promise)
}

/// AsyncFromSyncIteratorContinuation ( result, promiseCapability, syncIteratorRecord, closeIterator )
/// <https://tc39.es/ecma262/#sec-asyncfromsynciteratorcontinuation>
fn go_on(
    vm: &mut Vm,
    result: Completion<Value>,
    promise: Gc<Object>,
    record: &IteratorRecord,
    close: bool,
) -> Completion<Value> {
    match continuation(vm, result, promise, record, close) {
        Ok(()) => {}
        Err(thrown) if vm.termination.is_some() => return Err(thrown),
        Err(_) => {
            let reason = vm.take_exception();
            vm.reject_promise(promise, reason);
        }
    }
    Ok(Value::object(promise))
}

fn continuation(
    vm: &mut Vm,
    result: Completion<Value>,
    promise: Gc<Object>,
    record: &IteratorRecord,
    close: bool,
) -> Completion<()> {
    let result = result?;
    let Some(object) = result.as_object() else {
        let text = vm.display(result);
        return Err(vm.throw_type_error(format!("Iterator result {text} is not an object")));
    };
    vm.root(object);
    // 2. to 5. done and value
    let done = vm.get(object, keys::DONE)?;
    let done = vm.heap.to_boolean(done);
    let value = vm.get(object, keys::VALUE)?;
    // 6. Let valueWrapper be Completion(PromiseResolve(%Promise%, value)).
    let constructor = Value::object(vm.intrinsic(IntrinsicObject::Promise));
    let wrapper = match vm.promise_resolve(constructor, value) {
        Ok(wrapper) => wrapper,
        // 7. If valueWrapper is an abrupt completion, done is false, and closeIterator is true, close the iterator.
        Err(thrown) if !done && close => return Err(vm.iterator_close_throwing(record, thrown)),
        Err(thrown) => return Err(thrown),
    };
    vm.root(wrapper);
    // 9. to 13. the reactions
    let on_fulfilled = vm.new_native(if done { &UNWRAP_DONE } else { &UNWRAP });
    let on_rejected = if done || !close {
        Value::UNDEFINED
    } else {
        Value::object(vm.new_native_closure(&CLOSE_ITERATOR, &[record.iterator]))
    };
    let capability =
        Capability { promise: Value::object(promise), resolve: Value::UNDEFINED, reject: Value::UNDEFINED };
    vm.perform_promise_then(wrapper, Value::object(on_fulfilled), on_rejected, Some(capability));
    Ok(())
}

fn unwrap(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(vm.create_iter_result(arguments.get(vm, 0), false))
}

fn unwrap_done(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(vm.create_iter_result(arguments.get(vm, 0), true))
}

/// The value was a promise that is rejected: the sync iterator is closed, the reason goes on.
fn close_iterator(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let record = IteratorRecord { iterator: arguments.capture(vm, 0), next: Value::UNDEFINED, done: false };
    let reason = arguments.get(vm, 0);
    let thrown = vm.throw(reason);
    Err(vm.iterator_close_throwing(&record, thrown))
}
