//! `Reflect`: [ECMA-262, 28.1](https://tc39.es/ecma262/#sec-reflect-object).

use crate::builtins::{Builtin, BuiltinKind, Entry, Key, NativeFunction, NativeKind, PrototypeKind, method, tag};
use crate::heap::Gc;
use crate::object::Object;
use crate::property_key::PropertyKey;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `Reflect`.
pub static BUILTIN: Builtin = Builtin {
    kind: BuiltinKind::Namespace { id: IntrinsicObject::Reflect, name: "Reflect" },
    statics: &[
        Entry::Method(
            Key::Name("apply"),
            NativeFunction { name: "apply", length: 3, function: apply, kind: NativeKind::ForwardReflectApply },
        ),
        method("construct", 2, construct),
        method("defineProperty", 3, define_property),
        method("deleteProperty", 2, delete_property),
        method("get", 2, get),
        method("getOwnPropertyDescriptor", 2, get_own_property_descriptor),
        method("getPrototypeOf", 1, get_prototype_of),
        method("has", 2, has),
        method("isExtensible", 1, is_extensible),
        method("ownKeys", 1, own_keys),
        method("preventExtensions", 1, prevent_extensions),
        method("set", 3, set),
        method("setPrototypeOf", 2, set_prototype_of),
        tag("Reflect"),
    ],
    prototype: &[],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// Reflect.apply ( target, thisArgument, argumentsList ) <https://tc39.es/ecma262/#sec-reflect.apply>. The interpreter forwards
/// calls itself.
fn apply(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (target, this) = (arguments.get(vm, 0), arguments.get(vm, 1));
    let list = arguments.get(vm, 2);
    let list = vm.create_list_from_array_like(list)?;
    vm.call(target, this, &list)
}

/// Reflect.construct ( target, argumentsList \[ , newTarget ] ) <https://tc39.es/ecma262/#sec-reflect.construct>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let target = arguments.get(vm, 0);
    require_constructor(vm, target)?;
    let new_target = match arguments.get_present(vm, 2) {
        Some(new_target) => {
            require_constructor(vm, new_target)?;
            new_target
        }
        None => target,
    };
    let list = arguments.get(vm, 1);
    let list = vm.create_list_from_array_like(list)?;
    vm.construct(target, &list, new_target)
}

/// Reflect.defineProperty ( target, propertyKey, attributes ) <https://tc39.es/ecma262/#sec-reflect.defineproperty>
fn define_property(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let target = target_argument(vm, arguments, "defineProperty")?;
    let key = key_argument(vm, arguments)?;
    let attributes = arguments.get(vm, 2);
    let descriptor = vm.to_property_descriptor(attributes)?;
    vm.define_own_property(target, key, &descriptor).map(Value::boolean)
}

/// Reflect.deleteProperty ( target, propertyKey ) <https://tc39.es/ecma262/#sec-reflect.deleteproperty>
fn delete_property(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let target = target_argument(vm, arguments, "deleteProperty")?;
    let key = key_argument(vm, arguments)?;
    vm.delete(target, key).map(Value::boolean)
}

/// Reflect.get ( target, propertyKey \[ , receiver ] ) <https://tc39.es/ecma262/#sec-reflect.get>
fn get(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let target = target_argument(vm, arguments, "get")?;
    let key = key_argument(vm, arguments)?;
    let receiver = arguments.get_present(vm, 2).unwrap_or(Value::object(target));
    vm.get_with_receiver(target, key, receiver)
}

/// Reflect.getOwnPropertyDescriptor ( target, propertyKey ) <https://tc39.es/ecma262/#sec-reflect.getownpropertydescriptor>
fn get_own_property_descriptor(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let target = target_argument(vm, arguments, "getOwnPropertyDescriptor")?;
    let key = key_argument(vm, arguments)?;
    let descriptor = vm.get_own_property(target, key)?;
    Ok(vm.from_property_descriptor(descriptor.as_ref()))
}

/// Reflect.getPrototypeOf ( target ) <https://tc39.es/ecma262/#sec-reflect.getprototypeof>
fn get_prototype_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let target = target_argument(vm, arguments, "getPrototypeOf")?;
    vm.get_prototype_of(target).map(Value::from)
}

/// Reflect.has ( target, propertyKey ) <https://tc39.es/ecma262/#sec-reflect.has>
fn has(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let target = target_argument(vm, arguments, "has")?;
    let key = key_argument(vm, arguments)?;
    vm.has_property(target, key).map(Value::boolean)
}

/// Reflect.isExtensible ( target ) <https://tc39.es/ecma262/#sec-reflect.isextensible>
fn is_extensible(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let target = target_argument(vm, arguments, "isExtensible")?;
    vm.is_extensible(target).map(Value::boolean)
}

/// Reflect.ownKeys ( target ) <https://tc39.es/ecma262/#sec-reflect.ownkeys>
fn own_keys(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let target = target_argument(vm, arguments, "ownKeys")?;
    let keys = vm.own_property_keys(target)?;
    let keys = keys.into_iter().map(|key| key.to_value(&mut vm.heap)).collect();
    Ok(Value::object(vm.create_array(keys)))
}

/// Reflect.preventExtensions ( target ) <https://tc39.es/ecma262/#sec-reflect.preventextensions>
fn prevent_extensions(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let target = target_argument(vm, arguments, "preventExtensions")?;
    vm.prevent_extensions(target).map(Value::boolean)
}

/// Reflect.set ( target, propertyKey, V \[ , receiver ] ) <https://tc39.es/ecma262/#sec-reflect.set>
fn set(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let target = target_argument(vm, arguments, "set")?;
    let key = key_argument(vm, arguments)?;
    let value = arguments.get(vm, 2);
    let receiver = arguments.get_present(vm, 3).unwrap_or(Value::object(target));
    vm.set_with_receiver(target, key, value, receiver).map(Value::boolean)
}

/// Reflect.setPrototypeOf ( target, proto ) <https://tc39.es/ecma262/#sec-reflect.setprototypeof>
fn set_prototype_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let target = target_argument(vm, arguments, "setPrototypeOf")?;
    let prototype = arguments.get(vm, 1);
    if !prototype.is_object() && !prototype.is_null() {
        let text = vm.display(prototype);
        return Err(vm.throw_type_error(format!("Object prototype may only be an Object or null: {text}")));
    }
    vm.set_prototype_of(target, prototype.as_object()).map(Value::boolean)
}

fn target_argument(vm: &mut Vm, arguments: &Arguments, function: &str) -> Completion<Gc<Object>> {
    match arguments.get(vm, 0).as_object() {
        Some(target) => Ok(target),
        None => Err(vm.throw_type_error(format!("Reflect.{function} called on non-object"))),
    }
}

/// ToPropertyKey of the second argument, rooted.
fn key_argument(vm: &mut Vm, arguments: &Arguments) -> Completion<PropertyKey> {
    let value = arguments.get(vm, 1);
    let key = vm.to_property_key(value)?;
    vm.root_keys(&[key]);
    Ok(key)
}

fn require_constructor(vm: &mut Vm, value: Value) -> Completion<()> {
    if vm.heap.is_constructor(value) {
        return Ok(());
    }
    let text = vm.display(value);
    Err(vm.throw_type_error(format!("{text} is not a constructor")))
}
