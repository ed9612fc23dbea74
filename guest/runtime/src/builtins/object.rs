//! `Object`: [ECMA-262, 20.1](https://tc39.es/ecma262/#sec-object-objects). Functions that call program code in a loop are in
//! `object.js`.

use crate::builtins::{Builtin, Entry, PrototypeKind, accessor, constructor, global_constructor, hosted, method};
use crate::heap::Gc;
use crate::names;
use crate::object::{IntegrityLevel, Lookup, Object, ObjectKind, PropertyDescriptor};
use crate::property_key::PropertyKey;
use crate::symbol;
use crate::value::{Unpacked, Value};
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `Object`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("Object", 1, construct),
        IntrinsicObject::Object,
        IntrinsicObject::ObjectPrototype,
    ),
    statics: STATICS,
    prototype: PROTOTYPE,
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

const STATICS: &[Entry] = &[
    method("assign", 2, assign),
    method("create", 2, create),
    method("defineProperties", 2, define_properties),
    method("defineProperty", 3, define_property),
    method("entries", 1, entries),
    method("freeze", 1, freeze),
    hosted("fromEntries", 1, "Object_fromEntries"),
    method("getOwnPropertyDescriptor", 2, get_own_property_descriptor),
    method("getOwnPropertyDescriptors", 1, get_own_property_descriptors),
    method("getOwnPropertyNames", 1, get_own_property_names),
    method("getOwnPropertySymbols", 1, get_own_property_symbols),
    method("getPrototypeOf", 1, get_prototype_of),
    hosted("groupBy", 2, "Object_groupBy"),
    method("hasOwn", 2, has_own),
    method("is", 2, is),
    method("isExtensible", 1, is_extensible),
    method("isFrozen", 1, is_frozen),
    method("isSealed", 1, is_sealed),
    method("keys", 1, keys),
    method("preventExtensions", 1, prevent_extensions),
    method("seal", 1, seal),
    method("setPrototypeOf", 2, set_prototype_of),
    method("values", 1, values),
];

const PROTOTYPE: &[Entry] = &[
    method("hasOwnProperty", 1, has_own_property),
    method("isPrototypeOf", 1, is_prototype_of),
    method("propertyIsEnumerable", 1, property_is_enumerable),
    method("toLocaleString", 0, to_locale_string),
    method("toString", 0, to_string),
    method("valueOf", 0, value_of),
    accessor("__proto__", get_proto, set_proto),
    method("__defineGetter__", 2, define_getter),
    method("__defineSetter__", 2, define_setter),
    method("__lookupGetter__", 1, lookup_getter),
    method("__lookupSetter__", 1, lookup_setter),
];

/// Object ( \[ value ] ) <https://tc39.es/ecma262/#sec-object-value>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if arguments.is_construct() && arguments.new_target != arguments.callee {
        let object = vm.ordinary_create_from_constructor(
            arguments.new_target,
            IntrinsicObject::ObjectPrototype,
            ObjectKind::Ordinary,
        )?;
        return Ok(Value::object(object));
    }
    let value = arguments.get(vm, 0);
    if value.is_nullish() {
        return Ok(Value::object(vm.new_object()));
    }
    vm.to_object(value).map(Value::object)
}

/// Object.assign ( target, ...sources ) <https://tc39.es/ecma262/#sec-object.assign>
fn assign(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let target = arguments.get(vm, 0);
    let target = vm.to_object(target)?;
    vm.root(target);
    for index in 1..arguments.len() {
        let source = arguments.get(vm, index);
        if source.is_nullish() {
            continue;
        }
        let source = vm.to_object(source)?;
        vm.root(source);
        let keys = vm.own_property_keys(source)?;
        for key in keys {
            if let Some(value) = get_enumerable(vm, source, key)? {
                vm.set(target, key, value, true)?;
            }
        }
    }
    Ok(Value::object(target))
}

/// Object.create ( O, Properties ) <https://tc39.es/ecma262/#sec-object.create>
fn create(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let prototype = arguments.get(vm, 0);
    if !prototype.is_object() && !prototype.is_null() {
        let text = vm.display(prototype);
        return Err(vm.throw_type_error(format!("Object prototype may only be an Object or null: {text}")));
    }
    let object = vm.heap.new_object(prototype.as_object());
    let properties = arguments.get(vm, 1);
    if !properties.is_undefined() {
        vm.root(object);
        object_define_properties(vm, object, properties)?;
    }
    Ok(Value::object(object))
}

/// Object.defineProperties ( O, Properties ) <https://tc39.es/ecma262/#sec-object.defineproperties>
fn define_properties(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(object) = arguments.get(vm, 0).as_object() else {
        return Err(vm.throw_type_error("Object.defineProperties called on non-object"));
    };
    let properties = arguments.get(vm, 1);
    object_define_properties(vm, object, properties)?;
    Ok(Value::object(object))
}

/// Object.defineProperty ( O, P, Attributes ) <https://tc39.es/ecma262/#sec-object.defineproperty>
fn define_property(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(object) = arguments.get(vm, 0).as_object() else {
        return Err(vm.throw_type_error("Object.defineProperty called on non-object"));
    };
    let key = key_argument(vm, arguments, 1)?;
    let attributes = arguments.get(vm, 2);
    let descriptor = vm.to_property_descriptor(attributes)?;
    vm.define_property_or_throw(object, key, &descriptor)?;
    Ok(Value::object(object))
}

/// Object.entries ( O ) <https://tc39.es/ecma262/#sec-object.entries>
fn entries(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = object_argument(vm, arguments, 0)?;
    let properties = enumerable_own_properties(vm, object)?;
    let entries = properties
        .into_iter()
        .map(|(key, value)| {
            let key = key.to_value(&mut vm.heap);
            Value::object(vm.create_array(vec![key, value]))
        })
        .collect();
    Ok(Value::object(vm.create_array(entries)))
}

/// Object.freeze ( O ) <https://tc39.es/ecma262/#sec-object.freeze>
fn freeze(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let value = arguments.get(vm, 0);
    if let Some(object) = value.as_object()
        && !vm.set_integrity_level(object, IntegrityLevel::Frozen)?
    {
        return Err(vm.throw_type_error("Cannot freeze"));
    }
    Ok(value)
}

/// Object.getOwnPropertyDescriptor ( O, P ) <https://tc39.es/ecma262/#sec-object.getownpropertydescriptor>
fn get_own_property_descriptor(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = object_argument(vm, arguments, 0)?;
    let key = key_argument(vm, arguments, 1)?;
    let descriptor = vm.get_own_property(object, key)?;
    Ok(vm.from_property_descriptor(descriptor.as_ref()))
}

/// Object.getOwnPropertyDescriptors ( O ) <https://tc39.es/ecma262/#sec-object.getownpropertydescriptors>
fn get_own_property_descriptors(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = object_argument(vm, arguments, 0)?;
    let keys = vm.own_property_keys(object)?;
    let descriptors = vm.new_object();
    vm.root(descriptors);
    for key in keys {
        if let Some(descriptor) = vm.get_own_property(object, key)? {
            let value = vm.from_property_descriptor(Some(&descriptor));
            vm.create_data_property_or_throw(descriptors, key, value)?;
        }
    }
    Ok(Value::object(descriptors))
}

/// Object.getOwnPropertyNames ( O ) <https://tc39.es/ecma262/#sec-object.getownpropertynames>
fn get_own_property_names(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = object_argument(vm, arguments, 0)?;
    let keys = vm.own_property_keys(object)?;
    let names = keys.into_iter().filter(|key| key.is_string()).map(|key| key.to_value(&mut vm.heap)).collect();
    Ok(Value::object(vm.create_array(names)))
}

/// Object.getOwnPropertySymbols ( O ) <https://tc39.es/ecma262/#sec-object.getownpropertysymbols>
fn get_own_property_symbols(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = object_argument(vm, arguments, 0)?;
    let keys = vm.own_property_keys(object)?;
    let symbols = keys.into_iter().filter_map(PropertyKey::as_symbol).map(Value::symbol).collect();
    Ok(Value::object(vm.create_array(symbols)))
}

/// Object.getPrototypeOf ( O ) <https://tc39.es/ecma262/#sec-object.getprototypeof>
fn get_prototype_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = object_argument(vm, arguments, 0)?;
    vm.get_prototype_of(object).map(Value::from)
}

/// Object.hasOwn ( O, P ) <https://tc39.es/ecma262/#sec-object.hasown>
fn has_own(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = object_argument(vm, arguments, 0)?;
    let key = key_argument(vm, arguments, 1)?;
    vm.has_own_property(object, key).map(Value::boolean)
}

/// Object.is ( value1, value2 ) <https://tc39.es/ecma262/#sec-object.is>
fn is(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (left, right) = (arguments.get(vm, 0), arguments.get(vm, 1));
    Ok(Value::boolean(vm.heap.same_value(left, right)))
}

/// Object.isExtensible ( O ) <https://tc39.es/ecma262/#sec-object.isextensible>
fn is_extensible(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    match arguments.get(vm, 0).as_object() {
        Some(object) => vm.is_extensible(object).map(Value::boolean),
        None => Ok(Value::FALSE),
    }
}

/// Object.isFrozen ( O ) <https://tc39.es/ecma262/#sec-object.isfrozen>
fn is_frozen(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    match arguments.get(vm, 0).as_object() {
        Some(object) => vm.test_integrity_level(object, IntegrityLevel::Frozen).map(Value::boolean),
        None => Ok(Value::TRUE),
    }
}

/// Object.isSealed ( O ) <https://tc39.es/ecma262/#sec-object.issealed>
fn is_sealed(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    match arguments.get(vm, 0).as_object() {
        Some(object) => vm.test_integrity_level(object, IntegrityLevel::Sealed).map(Value::boolean),
        None => Ok(Value::TRUE),
    }
}

/// Object.keys ( O ) <https://tc39.es/ecma262/#sec-object.keys>
fn keys(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = object_argument(vm, arguments, 0)?;
    vm.materialize(object);
    let mut names = Vec::new();
    let is_plain = vm.heap.is_plain_for_copy(object);
    let keys = vm.own_property_keys(object)?;
    for key in keys {
        if key.is_symbol() {
            continue;
        }
        let is_enumerable = match vm.heap.own_lookup(object, key) {
            Lookup::Found(found) if is_plain => found.attributes.is_enumerable(),
            _ => vm.get_own_property(object, key)?.is_some_and(|descriptor| descriptor.enumerable == Some(true)),
        };
        if is_enumerable {
            names.push(key);
        }
    }
    let names = names.into_iter().map(|key| key.to_value(&mut vm.heap)).collect();
    Ok(Value::object(vm.create_array(names)))
}

/// Object.preventExtensions ( O ) <https://tc39.es/ecma262/#sec-object.preventextensions>
fn prevent_extensions(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let value = arguments.get(vm, 0);
    if let Some(object) = value.as_object()
        && !vm.prevent_extensions(object)?
    {
        return Err(vm.throw_type_error(if is_proxy(vm, object) {
            "'preventExtensions' on proxy: trap returned falsish"
        } else {
            "Cannot prevent extensions"
        }));
    }
    Ok(value)
}

/// Object.seal ( O ) <https://tc39.es/ecma262/#sec-object.seal>
fn seal(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let value = arguments.get(vm, 0);
    if let Some(object) = value.as_object()
        && !vm.set_integrity_level(object, IntegrityLevel::Sealed)?
    {
        return Err(vm.throw_type_error("Cannot seal"));
    }
    Ok(value)
}

/// Object.setPrototypeOf ( O, proto ) <https://tc39.es/ecma262/#sec-object.setprototypeof>
fn set_prototype_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let value = arguments.get(vm, 0);
    if value.is_nullish() {
        return Err(vm.throw_type_error("Object.setPrototypeOf called on null or undefined"));
    }
    let prototype = arguments.get(vm, 1);
    if !prototype.is_object() && !prototype.is_null() {
        let text = vm.display(prototype);
        return Err(vm.throw_type_error(format!("Object prototype may only be an Object or null: {text}")));
    }
    if let Some(object) = value.as_object() {
        set_prototype_or_throw(vm, object, prototype)?;
    }
    Ok(value)
}

/// Object.values ( O ) <https://tc39.es/ecma262/#sec-object.values>
fn values(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = object_argument(vm, arguments, 0)?;
    let properties = enumerable_own_properties(vm, object)?;
    let values = properties.into_iter().map(|(_, value)| value).collect();
    Ok(Value::object(vm.create_array(values)))
}

/// Object.prototype.hasOwnProperty ( V ) <https://tc39.es/ecma262/#sec-object.prototype.hasownproperty>
fn has_own_property(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let key = key_argument(vm, arguments, 0)?;
    let object = vm.to_object(arguments.this)?;
    vm.has_own_property(object, key).map(Value::boolean)
}

/// Object.prototype.isPrototypeOf ( V ) <https://tc39.es/ecma262/#sec-object.prototype.isprototypeof>
fn is_prototype_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(mut current) = arguments.get(vm, 0).as_object() else { return Ok(Value::FALSE) };
    let object = vm.to_object(arguments.this)?;
    vm.root(object);
    let mut step = 0;
    while let Some(prototype) = vm.get_prototype_of(current)? {
        if prototype == object {
            return Ok(Value::TRUE);
        }
        // Proxies can make the chain endless.
        vm.root(prototype);
        super::array::poll(vm, step)?;
        step += 1;
        current = prototype;
    }
    Ok(Value::FALSE)
}

/// Object.prototype.propertyIsEnumerable ( V ) <https://tc39.es/ecma262/#sec-object.prototype.propertyisenumerable>
fn property_is_enumerable(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let key = key_argument(vm, arguments, 0)?;
    let object = vm.to_object(arguments.this)?;
    let descriptor = vm.get_own_property(object, key)?;
    Ok(Value::boolean(descriptor.is_some_and(|descriptor| descriptor.enumerable == Some(true))))
}

/// Object.prototype.toLocaleString ( ) <https://tc39.es/ecma262/#sec-object.prototype.tolocalestring>
fn to_locale_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    vm.invoke(arguments.this, names::keys::TO_STRING, &[])
}

/// Object.prototype.toString ( ) <https://tc39.es/ecma262/#sec-object.prototype.tostring>
fn to_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    object_to_string(vm, arguments.this)
}

/// Object.prototype.valueOf ( ) <https://tc39.es/ecma262/#sec-object.prototype.valueof>
fn value_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    vm.to_object(arguments.this).map(Value::object)
}

/// get Object.prototype.\_\_proto\_\_ <https://tc39.es/ecma262/#sec-get-object.prototype.__proto__>
fn get_proto(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = vm.to_object(arguments.this)?;
    vm.get_prototype_of(object).map(Value::from)
}

/// set Object.prototype.\_\_proto\_\_ <https://tc39.es/ecma262/#sec-set-object.prototype.__proto__>
fn set_proto(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if arguments.this.is_nullish() {
        return Err(vm.throw_type_error("Object.prototype.__proto__ called on null or undefined"));
    }
    let prototype = arguments.get(vm, 0);
    if let Some(object) = arguments.this.as_object()
        && (prototype.is_object() || prototype.is_null())
    {
        set_prototype_or_throw(vm, object, prototype)?;
    }
    Ok(Value::UNDEFINED)
}

/// Object.prototype.\_\_defineGetter\_\_ ( P, getter ) <https://tc39.es/ecma262/#sec-object.prototype.__defineGetter__>
fn define_getter(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let getter = arguments.get(vm, 1);
    let descriptor = PropertyDescriptor { getter: Some(getter), ..enumerable_configurable() };
    define_accessor(vm, arguments, getter, &descriptor, "Object.prototype.__defineGetter__: Expecting function")
}

/// Object.prototype.\_\_defineSetter\_\_ ( P, setter ) <https://tc39.es/ecma262/#sec-object.prototype.__defineSetter__>
fn define_setter(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let setter = arguments.get(vm, 1);
    let descriptor = PropertyDescriptor { setter: Some(setter), ..enumerable_configurable() };
    define_accessor(vm, arguments, setter, &descriptor, "Object.prototype.__defineSetter__: Expecting function")
}

/// Object.prototype.\_\_lookupGetter\_\_ ( P ) <https://tc39.es/ecma262/#sec-object.prototype.__lookupGetter__>
fn lookup_getter(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let descriptor = lookup_descriptor(vm, arguments)?;
    Ok(descriptor.and_then(|descriptor| descriptor.getter).unwrap_or(Value::UNDEFINED))
}

/// Object.prototype.\_\_lookupSetter\_\_ ( P ) <https://tc39.es/ecma262/#sec-object.prototype.__lookupSetter__>
fn lookup_setter(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let descriptor = lookup_descriptor(vm, arguments)?;
    Ok(descriptor.and_then(|descriptor| descriptor.setter).unwrap_or(Value::UNDEFINED))
}

/// What `Object.prototype.toString` gives for a this value.
///
/// # Errors
/// What a getter of `Symbol.toStringTag` throws; TypeError for a revoked proxy.
pub fn object_to_string(vm: &mut Vm, value: Value) -> Completion<Value> {
    match value.unpack() {
        Unpacked::Undefined => return Ok(vm.string("[object Undefined]")),
        Unpacked::Null => return Ok(vm.string("[object Null]")),
        _ => {}
    }
    let object = vm.to_object(value)?;
    vm.root(object);
    let builtin_tag = if vm.is_array(Value::object(object))? {
        "Array"
    } else {
        let cell = &vm.heap[object];
        match &cell.kind {
            _ if cell.is_callable() => "Function",
            ObjectKind::Arguments(_) => "Arguments",
            ObjectKind::Error(_) => "Error",
            ObjectKind::Date(_) => "Date",
            ObjectKind::RegExp(_) => "RegExp",
            ObjectKind::Primitive(primitive) => match primitive.get().unpack() {
                Unpacked::Boolean(_) => "Boolean",
                Unpacked::Number(_) => "Number",
                Unpacked::String(_) => "String",
                _ => "Object",
            },
            _ => "Object",
        }
    };
    let tag = vm.get(object, symbol::keys::TO_STRING_TAG)?;
    let tag = match tag.as_string() {
        Some(tag) => tag,
        None => vm.heap.intern_str(builtin_tag),
    };
    let text = format!("[object {}]", vm.heap.rust_string(tag));
    Ok(vm.string(&text))
}

// ---- Helpers

/// ToObject of an argument, rooted.
fn object_argument(vm: &mut Vm, arguments: &Arguments, index: usize) -> Completion<Gc<Object>> {
    let value = arguments.get(vm, index);
    let object = vm.to_object(value)?;
    vm.root(object);
    Ok(object)
}

/// ToPropertyKey of an argument, rooted.
fn key_argument(vm: &mut Vm, arguments: &Arguments, index: usize) -> Completion<PropertyKey> {
    let value = arguments.get(vm, index);
    let key = vm.to_property_key(value)?;
    vm.root_keys(&[key]);
    Ok(key)
}

/// The value of an own property, when there is one that is enumerable.
fn get_enumerable(vm: &mut Vm, object: Gc<Object>, key: PropertyKey) -> Completion<Option<Value>> {
    if vm.heap.is_plain_for_copy(object) {
        return match vm.heap.own_lookup(object, key) {
            Lookup::Found(found) if !found.attributes.is_enumerable() => Ok(None),
            Lookup::Found(found) if found.is_accessor() => vm.get(object, key).map(Some),
            Lookup::Found(found) => Ok(Some(found.value)),
            _ => Ok(None),
        };
    }
    match vm.get_own_property(object, key)? {
        Some(descriptor) if descriptor.enumerable == Some(true) => vm.get(object, key).map(Some),
        _ => Ok(None),
    }
}

/// EnumerableOwnProperties ( O, key+value ) <https://tc39.es/ecma262/#sec-enumerableownproperties>; keys and values are rooted.
fn enumerable_own_properties(vm: &mut Vm, object: Gc<Object>) -> Completion<Vec<(PropertyKey, Value)>> {
    vm.materialize(object);
    let keys = vm.own_property_keys(object)?;
    let mut properties = Vec::with_capacity(keys.len());
    for key in keys {
        if key.is_symbol() {
            continue;
        }
        if let Some(value) = get_enumerable(vm, object, key)? {
            vm.root(value);
            properties.push((key, value));
        }
    }
    Ok(properties)
}

/// ObjectDefineProperties ( O, Properties ) <https://tc39.es/ecma262/#sec-objectdefineproperties>
fn object_define_properties(vm: &mut Vm, object: Gc<Object>, properties: Value) -> Completion<()> {
    let properties = vm.to_object(properties)?;
    vm.root(properties);
    let keys = vm.own_property_keys(properties)?;
    let mut descriptors = Vec::new();
    for key in keys {
        if let Some(value) = get_enumerable(vm, properties, key)? {
            vm.root(value);
            descriptors.push((key, vm.to_property_descriptor(value)?));
        }
    }
    for (key, descriptor) in descriptors {
        vm.define_property_or_throw(object, key, &descriptor)?;
    }
    Ok(())
}

fn set_prototype_or_throw(vm: &mut Vm, object: Gc<Object>, prototype: Value) -> Completion<()> {
    if vm.set_prototype_of(object, prototype.as_object())? {
        return Ok(());
    }
    if object == vm.intrinsic(IntrinsicObject::ObjectPrototype) {
        return Err(
            vm.throw_type_error("Immutable prototype object 'Object.prototype' cannot have their prototype set")
        );
    }
    if is_proxy(vm, object) {
        return Err(vm.throw_type_error("'setPrototypeOf' on proxy: trap returned falsish for property 'undefined'"));
    }
    if !vm.is_extensible(object)? {
        let text = vm.display(Value::object(object));
        return Err(vm.throw_type_error(format!("{text} is not extensible")));
    }
    Err(vm.throw_type_error("Cyclic __proto__ value"))
}

fn is_proxy(vm: &Vm, object: Gc<Object>) -> bool {
    matches!(vm.heap[object].kind, ObjectKind::Proxy(_))
}

fn enumerable_configurable() -> PropertyDescriptor {
    PropertyDescriptor { enumerable: Some(true), configurable: Some(true), ..PropertyDescriptor::default() }
}

fn define_accessor(
    vm: &mut Vm,
    arguments: &Arguments,
    function: Value,
    descriptor: &PropertyDescriptor,
    message: &str,
) -> Completion<Value> {
    let object = vm.to_object(arguments.this)?;
    vm.root(object);
    if !vm.heap.is_callable(function) {
        return Err(vm.throw_type_error(message));
    }
    let key = key_argument(vm, arguments, 0)?;
    vm.define_property_or_throw(object, key, descriptor)?;
    Ok(Value::UNDEFINED)
}

/// The property on the prototype chain of the this value.
fn lookup_descriptor(vm: &mut Vm, arguments: &Arguments) -> Completion<Option<PropertyDescriptor>> {
    let object = vm.to_object(arguments.this)?;
    vm.root(object);
    let key = key_argument(vm, arguments, 0)?;
    let mut current = Some(object);
    let mut step = 0;
    while let Some(object) = current {
        if let Some(descriptor) = vm.get_own_property(object, key)? {
            return Ok(Some(descriptor));
        }
        current = vm.get_prototype_of(object)?;
        if let Some(prototype) = current {
            vm.root(prototype);
        }
        super::array::poll(vm, step)?;
        step += 1;
    }
    Ok(None)
}
