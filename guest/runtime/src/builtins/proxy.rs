//! `Proxy`: [ECMA-262, 28.2](https://tc39.es/ecma262/#sec-proxy-objects). The internal methods of proxies are in `object/proxy.rs`.

use crate::builtins::{Builtin, BuiltinKind, NativeFunction, PrototypeKind, constructor, method, native};
use crate::names::keys;
use crate::object::{Attributes, ObjectKind};
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `Proxy`.
pub static BUILTIN: Builtin = Builtin {
    kind: BuiltinKind::BareConstructor { function: constructor("Proxy", 2, construct), id: IntrinsicObject::Proxy },
    statics: &[method("revocable", 2, revocable)],
    prototype: &[],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

static REVOKE: NativeFunction = native("", 0, revoke);

/// Proxy ( target, handler ) <https://tc39.es/ecma262/#sec-proxy-target-handler>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.is_construct() {
        return Err(vm.throw_type_error("Constructor Proxy requires 'new'"));
    }
    let (target, handler) = (arguments.get(vm, 0), arguments.get(vm, 1));
    vm.proxy_create(target, handler).map(Value::object)
}

/// Proxy.revocable ( target, handler ) <https://tc39.es/ecma262/#sec-proxy.revocable>
fn revocable(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (target, handler) = (arguments.get(vm, 0), arguments.get(vm, 1));
    let proxy = Value::object(vm.proxy_create(target, handler)?);
    let revoker = vm.new_native_closure(&REVOKE, &[proxy]);
    let result = vm.new_object();
    vm.heap.add_property(result, keys::PROXY, proxy, Attributes::ALL);
    vm.heap.add_property(result, keys::REVOKE, Value::object(revoker), Attributes::ALL);
    Ok(Value::object(result))
}

/// Proxy Revocation Functions <https://tc39.es/ecma262/#sec-proxy-revocation-functions>
fn revoke(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let proxy = arguments.capture(vm, 0);
    arguments.set_capture(vm, 0, Value::UNDEFINED);
    if let Some(proxy) = proxy.as_object()
        && let ObjectKind::Proxy(slots) = &mut vm.heap[proxy].kind
    {
        slots.target = None;
        slots.handler = None;
    }
    Ok(Value::UNDEFINED)
}
