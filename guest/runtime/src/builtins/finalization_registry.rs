//! `FinalizationRegistry`: [ECMA-262, 26.2](https://tc39.es/ecma262/#sec-finalization-registry-objects).

use crate::builtins::map::throw_incompatible;
use crate::builtins::weak_map::can_be_held_weakly;
use crate::builtins::{Builtin, NativeFunction, PrototypeKind, constructor, global_constructor, method, native, tag};
use crate::heap::Gc;
use crate::object::{FinalizationCell, FinalizationRegistry, Object, ObjectKind};
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `FinalizationRegistry`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("FinalizationRegistry", 1, construct),
        IntrinsicObject::FinalizationRegistry,
        IntrinsicObject::FinalizationRegistryPrototype,
    ),
    statics: &[],
    prototype: &[method("register", 2, register), method("unregister", 1, unregister), tag("FinalizationRegistry")],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// The job that hands held values to the cleanup callback of the registry in its argument.
pub(crate) static CLEANUP: NativeFunction = native("", 1, cleanup);

/// FinalizationRegistry ( cleanupCallback ) <https://tc39.es/ecma262/#sec-finalization-registry-cleanup-callback>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.is_construct() {
        return Err(vm.throw_type_error("Constructor FinalizationRegistry requires 'new'"));
    }
    let cleanup = arguments.get(vm, 0);
    if !vm.heap.is_callable(cleanup) {
        return Err(vm.throw_type_error("FinalizationRegistry: cleanup must be callable"));
    }
    let registry = FinalizationRegistry { cleanup, cells: Vec::new(), ready: Vec::new() };
    let kind = ObjectKind::FinalizationRegistry(Box::new(registry));
    let default = IntrinsicObject::FinalizationRegistryPrototype;
    vm.ordinary_create_from_constructor(arguments.new_target, default, kind).map(Value::object)
}

/// FinalizationRegistry.prototype.register ( target, heldValue \[ , unregisterToken ] )
/// <https://tc39.es/ecma262/#sec-finalization-registry.prototype.register>
fn register(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let registry = this_registry(vm, arguments, "register")?;
    let (target, held, token) = (arguments.get(vm, 0), arguments.get(vm, 1), arguments.get(vm, 2));
    if !can_be_held_weakly(vm, target) {
        let text = vm.display(target);
        return Err(vm.throw_type_error(format!("FinalizationRegistry.prototype.register: invalid target {text}")));
    }
    if vm.heap.same_value(target, held) {
        return Err(
            vm.throw_type_error("FinalizationRegistry.prototype.register: target and holdings must not be same")
        );
    }
    if !can_be_held_weakly(vm, token) && !token.is_undefined() {
        let text = vm.display(token);
        return Err(vm.throw_type_error(format!("Invalid unregisterToken ('{text}')")));
    }
    if let ObjectKind::FinalizationRegistry(registry) = &mut vm.heap[registry].kind {
        registry.cells.push(FinalizationCell { target, held, token });
        vm.heap.charge(size_of::<FinalizationCell>());
    }
    Ok(Value::UNDEFINED)
}

/// FinalizationRegistry.prototype.unregister ( unregisterToken )
/// <https://tc39.es/ecma262/#sec-finalization-registry.prototype.unregister>
fn unregister(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let registry = this_registry(vm, arguments, "unregister")?;
    let token = arguments.get(vm, 0);
    if !can_be_held_weakly(vm, token) {
        let text = vm.display(token);
        return Err(vm.throw_type_error(format!("Invalid unregisterToken ('{text}')")));
    }
    let ObjectKind::FinalizationRegistry(registry) = &mut vm.heap[registry].kind else { return Ok(Value::FALSE) };
    let before = registry.cells.len();
    registry.cells.retain(|cell| cell.token != token);
    Ok(Value::boolean(registry.cells.len() < before))
}

/// CleanupFinalizationRegistry ( finalizationRegistry ) <https://tc39.es/ecma262/#sec-cleanup-finalization-registry>
fn cleanup(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(object) = arguments.get(vm, 0).as_object() else { return Ok(Value::UNDEFINED) };
    loop {
        let ObjectKind::FinalizationRegistry(registry) = &mut vm.heap[object].kind else { return Ok(Value::UNDEFINED) };
        if registry.ready.is_empty() {
            return Ok(Value::UNDEFINED);
        }
        let held = registry.ready.remove(0);
        let callback = registry.cleanup;
        vm.call(callback, Value::UNDEFINED, &[held])?;
    }
}

fn this_registry(vm: &mut Vm, arguments: &Arguments, method: &str) -> Completion<Gc<Object>> {
    let this = arguments.this.as_object();
    match this.filter(|&object| matches!(vm.heap[object].kind, ObjectKind::FinalizationRegistry(_))) {
        Some(registry) => Ok(registry),
        None => Err(throw_incompatible(vm, "FinalizationRegistry", method, arguments.this)),
    }
}
