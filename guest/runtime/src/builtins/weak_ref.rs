//! `WeakRef`: [ECMA-262, 26.1](https://tc39.es/ecma262/#sec-weak-ref-objects).

use crate::builtins::map::throw_incompatible;
use crate::builtins::weak_map::require_weak_key;
use crate::builtins::{Builtin, PrototypeKind, constructor, global_constructor, method, tag};
use crate::object::{ObjectKind, PackedValue};
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `WeakRef`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("WeakRef", 1, construct),
        IntrinsicObject::WeakRef,
        IntrinsicObject::WeakRefPrototype,
    ),
    statics: &[],
    prototype: &[method("deref", 0, deref), tag("WeakRef")],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// WeakRef ( target ) <https://tc39.es/ecma262/#sec-weak-ref-target>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.is_construct() {
        return Err(vm.throw_type_error("Constructor WeakRef requires 'new'"));
    }
    let target = arguments.get(vm, 0);
    require_weak_key(vm, target, "WeakRef target")?;
    let kind = ObjectKind::WeakRef(PackedValue::new(target));
    let object = vm.ordinary_create_from_constructor(arguments.new_target, IntrinsicObject::WeakRefPrototype, kind)?;
    vm.keep_during_job(target);
    Ok(Value::object(object))
}

/// WeakRef.prototype.deref ( ) <https://tc39.es/ecma262/#sec-weak-ref.prototype.deref>
fn deref(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let target = arguments.this.as_object().and_then(|object| match &vm.heap[object].kind {
        ObjectKind::WeakRef(target) => Some(target.get()),
        _ => None,
    });
    let Some(target) = target else { return Err(throw_incompatible(vm, "WeakRef", "deref", arguments.this)) };
    if !target.is_undefined() {
        vm.keep_during_job(target);
    }
    Ok(target)
}
