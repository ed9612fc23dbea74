//! Proxy object internal methods (<https://tc39.es/ecma262/#sec-proxy-object-internal-methods-and-internal-slots>).

use super::{Object, ObjectFlags, ObjectKind, PropertyDescriptor, Proxy};
use crate::heap::Gc;
use crate::names::keys;
use crate::property_key::PropertyKey;
use crate::value::Value;
use crate::vm::{Completion, Thrown, Vm};

/// A proxy that is not revoked, with the trap when the handler has it. All are rooted while the internal method runs.
struct Trap {
    target: Gc<Object>,
    handler: Value,
    /// Undefined for none.
    method: Value,
}

impl Vm {
    /// ProxyCreate ( target, handler ) <https://tc39.es/ecma262/#sec-proxycreate>
    ///
    /// # Errors
    /// TypeError unless both are objects.
    pub fn proxy_create(&mut self, target: Value, handler: Value) -> Completion<Gc<Object>> {
        let (Some(target), Some(handler)) = (target.as_object(), handler.as_object()) else {
            return Err(self.throw_type_error("Cannot create proxy with a non-object as target or handler"));
        };
        let proxy = Proxy { target: Some(target), handler: Some(handler) };
        let object = self.heap.new_object_of_kind(None, ObjectKind::Proxy(Box::new(proxy)));
        let callable = self.heap[target].is_callable();
        let constructor = self.heap[target].is_constructor();
        let flags = &mut self.heap[object].flags;
        flags.set(ObjectFlags::CALLABLE, callable);
        flags.set(ObjectFlags::CONSTRUCTOR, constructor);
        Ok(object)
    }

    /// \[\[GetPrototypeOf]] ( )
    pub(super) fn proxy_get_prototype_of(&mut self, proxy: Gc<Object>) -> Completion<Option<Gc<Object>>> {
        self.with_trap(proxy, keys::GET_PROTOTYPE_OF, "getPrototypeOf", |vm, trap| {
            if trap.method.is_undefined() {
                return vm.get_prototype_of(trap.target);
            }
            let result = vm.call(trap.method, trap.handler, &[Value::object(trap.target)])?;
            if !result.is_object() && !result.is_null() {
                return Err(vm.throw_type_error("'getPrototypeOf' on proxy: trap returned neither object nor null"));
            }
            vm.root(result);
            let prototype = result.as_object();
            if vm.is_extensible(trap.target)? || vm.get_prototype_of(trap.target)? == prototype {
                return Ok(prototype);
            }
            Err(vm.throw_type_error(
                "'getPrototypeOf' on proxy: proxy target is non-extensible but the trap did not return its actual prototype",
            ))
        })
    }

    /// \[\[SetPrototypeOf]] ( V )
    pub(super) fn proxy_set_prototype_of(
        &mut self,
        proxy: Gc<Object>,
        prototype: Option<Gc<Object>>,
    ) -> Completion<bool> {
        self.with_trap(proxy, keys::SET_PROTOTYPE_OF, "setPrototypeOf", |vm, trap| {
            if trap.method.is_undefined() {
                return vm.set_prototype_of(trap.target, prototype);
            }
            let value = vm.root(Value::from(prototype));
            let result = vm.call(trap.method, trap.handler, &[Value::object(trap.target), value])?;
            if !vm.heap.to_boolean(result) {
                return Ok(false);
            }
            if vm.is_extensible(trap.target)? || vm.get_prototype_of(trap.target)? == prototype {
                return Ok(true);
            }
            Err(vm.throw_type_error(
                "'setPrototypeOf' on proxy: trap returned truish for setting a new prototype on the non-extensible proxy target",
            ))
        })
    }

    /// \[\[IsExtensible]] ( )
    pub(super) fn proxy_is_extensible(&mut self, proxy: Gc<Object>) -> Completion<bool> {
        self.with_trap(proxy, keys::IS_EXTENSIBLE, "isExtensible", |vm, trap| {
            if trap.method.is_undefined() {
                return vm.is_extensible(trap.target);
            }
            let result = vm.call(trap.method, trap.handler, &[Value::object(trap.target)])?;
            let result = vm.heap.to_boolean(result);
            let actual = vm.is_extensible(trap.target)?;
            if result == actual {
                return Ok(result);
            }
            Err(vm.throw_type_error(format!(
                "'isExtensible' on proxy: trap result does not reflect extensibility of proxy target (which is '{actual}')"
            )))
        })
    }

    /// \[\[PreventExtensions]] ( )
    pub(super) fn proxy_prevent_extensions(&mut self, proxy: Gc<Object>) -> Completion<bool> {
        self.with_trap(proxy, keys::PREVENT_EXTENSIONS, "preventExtensions", |vm, trap| {
            if trap.method.is_undefined() {
                return vm.prevent_extensions(trap.target);
            }
            let result = vm.call(trap.method, trap.handler, &[Value::object(trap.target)])?;
            let result = vm.heap.to_boolean(result);
            if result && vm.is_extensible(trap.target)? {
                return Err(vm.throw_type_error(
                    "'preventExtensions' on proxy: trap returned truish but the proxy target is extensible",
                ));
            }
            Ok(result)
        })
    }

    /// \[\[GetOwnProperty]] ( P )
    pub(super) fn proxy_get_own_property(
        &mut self,
        proxy: Gc<Object>,
        key: PropertyKey,
    ) -> Completion<Option<PropertyDescriptor>> {
        self.with_trap(proxy, keys::GET_OWN_PROPERTY_DESCRIPTOR, "getOwnPropertyDescriptor", |vm, trap| {
            if trap.method.is_undefined() {
                return vm.get_own_property(trap.target, key);
            }
            let argument = vm.rooted_key(key);
            let result = vm.call(trap.method, trap.handler, &[Value::object(trap.target), argument])?;
            vm.root(result);
            if !result.is_object() && !result.is_undefined() {
                return Err(vm.throw_invariant(
                    "getOwnPropertyDescriptor",
                    "trap returned neither object nor undefined for property {}",
                    key,
                ));
            }
            let target = vm.get_own_property(trap.target, key)?;
            vm.root_descriptor(target.as_ref());
            if result.is_undefined() {
                let Some(target) = target else { return Ok(None) };
                if target.configurable == Some(false) {
                    return Err(vm.throw_invariant(
                        "getOwnPropertyDescriptor",
                        "trap returned undefined for property {} which is non-configurable in the proxy target",
                        key,
                    ));
                }
                if !vm.is_extensible(trap.target)? {
                    return Err(vm.throw_invariant(
                        "getOwnPropertyDescriptor",
                        "trap returned undefined for property {} which exists in the non-extensible proxy target",
                        key,
                    ));
                }
                return Ok(None);
            }
            let extensible = vm.is_extensible(trap.target)?;
            let descriptor = vm.to_property_descriptor(result)?.completed();
            if !vm.is_compatible_with_target(extensible, &descriptor, target.as_ref()) {
                return Err(vm.throw_invariant(
                    "getOwnPropertyDescriptor",
                    "trap returned descriptor for property {} that is incompatible with the existing property in the proxy target",
                    key,
                ));
            }
            if descriptor.configurable == Some(false) {
                let fits = target.is_some_and(|target| {
                    target.configurable == Some(false)
                        && !(descriptor.writable == Some(false) && target.writable == Some(true))
                });
                if !fits {
                    return Err(vm.throw_invariant(
                        "getOwnPropertyDescriptor",
                        "trap reported non-configurability for property {} which is either non-existent or configurable in the proxy target",
                        key,
                    ));
                }
            }
            Ok(Some(descriptor))
        })
    }

    /// \[\[DefineOwnProperty]] ( P, Desc )
    pub(super) fn proxy_define_own_property(
        &mut self,
        proxy: Gc<Object>,
        key: PropertyKey,
        descriptor: &PropertyDescriptor,
    ) -> Completion<bool> {
        self.with_trap(proxy, keys::DEFINE_PROPERTY, "defineProperty", |vm, trap| {
            if trap.method.is_undefined() {
                return vm.define_own_property(trap.target, key, descriptor);
            }
            let argument = vm.rooted_key(key);
            vm.root_descriptor(Some(descriptor));
            let object = vm.from_property_descriptor(Some(descriptor));
            let result = vm.call(trap.method, trap.handler, &[Value::object(trap.target), argument, object])?;
            if !vm.heap.to_boolean(result) {
                return Ok(false);
            }
            let target = vm.get_own_property(trap.target, key)?;
            vm.root_descriptor(target.as_ref());
            let extensible = vm.is_extensible(trap.target)?;
            let setting_not_configurable = descriptor.configurable == Some(false);
            match target {
                None if !extensible => Err(vm.throw_invariant(
                    "defineProperty",
                    "trap returned truish for adding property {} to the non-extensible proxy target",
                    key,
                )),
                None if setting_not_configurable => Err(vm.throw_invariant(
                    "defineProperty",
                    "trap returned truish for defining non-configurable property {} which is either non-existent or configurable in the proxy target",
                    key,
                )),
                None => Ok(true),
                Some(target) => {
                    let fits = vm.is_compatible_with_target(extensible, descriptor, Some(&target))
                        && !(setting_not_configurable && target.configurable == Some(true))
                        && !(target.is_data()
                            && target.configurable == Some(false)
                            && target.writable == Some(true)
                            && descriptor.writable == Some(false));
                    if fits {
                        return Ok(true);
                    }
                    Err(vm.throw_invariant(
                        "defineProperty",
                        "trap returned truish for adding property {} that is incompatible with the existing property in the proxy target",
                        key,
                    ))
                }
            }
        })
    }

    /// \[\[HasProperty]] ( P )
    pub(super) fn proxy_has(&mut self, proxy: Gc<Object>, key: PropertyKey) -> Completion<bool> {
        self.with_trap(proxy, keys::HAS, "has", |vm, trap| {
            if trap.method.is_undefined() {
                return vm.has_property(trap.target, key);
            }
            let argument = vm.rooted_key(key);
            let result = vm.call(trap.method, trap.handler, &[Value::object(trap.target), argument])?;
            if vm.heap.to_boolean(result) {
                return Ok(true);
            }
            if let Some(target) = vm.get_own_property(trap.target, key)? {
                if target.configurable == Some(false) {
                    return Err(vm.throw_invariant(
                        "has",
                        "trap returned falsish for property {} which exists in the proxy target as non-configurable",
                        key,
                    ));
                }
                if !vm.is_extensible(trap.target)? {
                    return Err(vm.throw_invariant(
                        "has",
                        "trap returned falsish for property {} but the proxy target is not extensible",
                        key,
                    ));
                }
            }
            Ok(false)
        })
    }

    /// \[\[Get]] ( P, Receiver )
    pub(super) fn proxy_get(&mut self, proxy: Gc<Object>, key: PropertyKey, receiver: Value) -> Completion<Value> {
        self.with_trap(proxy, keys::GET, "get", |vm, trap| {
            if trap.method.is_undefined() {
                return vm.get_with_receiver(trap.target, key, receiver);
            }
            let argument = vm.rooted_key(key);
            let value = vm.call(trap.method, trap.handler, &[Value::object(trap.target), argument, receiver])?;
            vm.root(value);
            if let Some(target) = vm.get_own_property(trap.target, key)?
                && target.configurable == Some(false)
            {
                if target.writable == Some(false)
                    && let Some(expected) = target.value
                    && !vm.heap.same_value(value, expected)
                {
                    let (expected, got) = (vm.display(expected), vm.display(value));
                    let problem = format!(
                        "property {{}} is a read-only and non-configurable data property on the proxy target but the proxy did not return its actual value (expected '{expected}' but got '{got}')"
                    );
                    return Err(vm.throw_invariant("get", &problem, key));
                }
                if target.getter == Some(Value::UNDEFINED) && !value.is_undefined() {
                    return Err(vm.throw_invariant(
                        "get",
                        "property {} is a non-configurable accessor property on the proxy target and does not have a getter function, but the trap did not return 'undefined'",
                        key,
                    ));
                }
            }
            Ok(value)
        })
    }

    /// \[\[Set]] ( P, V, Receiver )
    pub(super) fn proxy_set(
        &mut self,
        proxy: Gc<Object>,
        key: PropertyKey,
        value: Value,
        receiver: Value,
    ) -> Completion<bool> {
        self.with_trap(proxy, keys::SET, "set", |vm, trap| {
            vm.root(value);
            vm.root(receiver);
            if trap.method.is_undefined() {
                return vm.set_with_receiver(trap.target, key, value, receiver);
            }
            let argument = vm.rooted_key(key);
            let result = vm.call(trap.method, trap.handler, &[Value::object(trap.target), argument, value, receiver])?;
            if !vm.heap.to_boolean(result) {
                return Ok(false);
            }
            if let Some(target) = vm.get_own_property(trap.target, key)?
                && target.configurable == Some(false)
            {
                if target.writable == Some(false)
                    && let Some(expected) = target.value
                    && !vm.heap.same_value(value, expected)
                {
                    return Err(vm.throw_invariant(
                        "set",
                        "trap returned truish for property {} which exists in the proxy target as a non-configurable and non-writable data property with a different value",
                        key,
                    ));
                }
                if target.setter == Some(Value::UNDEFINED) {
                    return Err(vm.throw_invariant(
                        "set",
                        "trap returned truish for property {} which exists in the proxy target as a non-configurable and non-writable accessor property without a setter",
                        key,
                    ));
                }
            }
            Ok(true)
        })
    }

    /// \[\[Delete]] ( P )
    pub(super) fn proxy_delete(&mut self, proxy: Gc<Object>, key: PropertyKey) -> Completion<bool> {
        self.with_trap(proxy, keys::DELETE_PROPERTY, "deleteProperty", |vm, trap| {
            if trap.method.is_undefined() {
                return vm.delete(trap.target, key);
            }
            let argument = vm.rooted_key(key);
            let result = vm.call(trap.method, trap.handler, &[Value::object(trap.target), argument])?;
            if !vm.heap.to_boolean(result) {
                return Ok(false);
            }
            if let Some(target) = vm.get_own_property(trap.target, key)? {
                if target.configurable == Some(false) {
                    return Err(vm.throw_invariant(
                        "deleteProperty",
                        "trap returned truish for property {} which is non-configurable in the proxy target",
                        key,
                    ));
                }
                if !vm.is_extensible(trap.target)? {
                    return Err(vm.throw_invariant(
                        "deleteProperty",
                        "trap returned truish for property {} but the proxy target is non-extensible",
                        key,
                    ));
                }
            }
            Ok(true)
        })
    }

    /// \[\[OwnPropertyKeys]] ( )
    pub(super) fn proxy_own_property_keys(&mut self, proxy: Gc<Object>) -> Completion<Vec<PropertyKey>> {
        self.with_trap(proxy, keys::OWN_KEYS, "ownKeys", |vm, trap| {
            if trap.method.is_undefined() {
                return vm.own_property_keys(trap.target);
            }
            let result = vm.call(trap.method, trap.handler, &[Value::object(trap.target)])?;
            vm.root(result);
            let reported = vm.own_keys_from_list(result)?;
            let extensible = vm.is_extensible(trap.target)?;
            let target_keys = vm.own_property_keys(trap.target)?;
            let mut configurable = Vec::new();
            let mut fixed = Vec::new();
            for key in target_keys {
                match vm.get_own_property(trap.target, key)? {
                    Some(descriptor) if descriptor.configurable == Some(false) => fixed.push(key),
                    _ => configurable.push(key),
                }
            }
            if extensible && fixed.is_empty() {
                return Ok(reported);
            }
            let mut unchecked: std::collections::HashSet<PropertyKey, rustc_hash::FxBuildHasher> =
                reported.iter().copied().collect();
            for key in fixed {
                if !unchecked.remove(&key) {
                    return Err(vm.throw_own_keys_missing(key));
                }
            }
            if extensible {
                return Ok(reported);
            }
            for key in configurable {
                if !unchecked.remove(&key) {
                    return Err(vm.throw_own_keys_missing(key));
                }
            }
            if unchecked.is_empty() {
                return Ok(reported);
            }
            Err(vm.throw_type_error("'ownKeys' on proxy: trap returned extra keys but proxy target is non-extensible"))
        })
    }

    /// \[\[Call]] ( thisArgument, argumentsList )
    pub(crate) fn proxy_call(&mut self, proxy: Gc<Object>, this: Value, arguments: &[Value]) -> Completion<Value> {
        self.nested(|vm| {
            vm.with_trap(proxy, keys::APPLY, "apply", |vm, trap| {
                if trap.method.is_undefined() {
                    return vm.call(Value::object(trap.target), this, arguments);
                }
                let list = vm.create_array(arguments.to_vec());
                vm.call(trap.method, trap.handler, &[Value::object(trap.target), this, Value::object(list)])
            })
        })
    }

    /// \[\[Construct]] ( argumentsList, newTarget )
    pub(crate) fn proxy_construct(
        &mut self,
        proxy: Gc<Object>,
        arguments: &[Value],
        new_target: Value,
    ) -> Completion<Value> {
        self.nested(|vm| {
            vm.with_trap(proxy, keys::CONSTRUCT, "construct", |vm, trap| {
                if trap.method.is_undefined() {
                    return vm.construct(Value::object(trap.target), arguments, new_target);
                }
                let list = vm.create_array(arguments.to_vec());
                let result =
                    vm.call(trap.method, trap.handler, &[Value::object(trap.target), Value::object(list), new_target])?;
                if result.is_object() {
                    return Ok(result);
                }
                let text = vm.display(result);
                Err(vm.throw_type_error(format!("'construct' on proxy: trap returned non-object ('{text}')")))
            })
        })
    }

    /// ValidateNonRevokedProxy and GetMethod of the trap; then the body, with all of it rooted.
    fn with_trap<T>(
        &mut self,
        proxy: Gc<Object>,
        key: PropertyKey,
        name: &str,
        body: impl FnOnce(&mut Vm, &Trap) -> Completion<T>,
    ) -> Completion<T> {
        let slots = match &self.heap[proxy].kind {
            ObjectKind::Proxy(slots) => **slots,
            _ => Proxy { target: None, handler: None },
        };
        let (Some(target), Some(handler)) = (slots.target, slots.handler) else {
            return Err(self.throw_type_error(format!("Cannot perform '{name}' on a proxy that has been revoked")));
        };
        let saved = self.roots.len();
        self.root(proxy);
        self.root(target);
        let handler = self.root(handler);
        let result = match self.get_trap(handler, key, name) {
            Ok(method) => {
                self.root(method);
                body(self, &Trap { target, handler, method })
            }
            Err(thrown) => Err(thrown),
        };
        self.roots.truncate(saved);
        result
    }

    /// GetMethod ( handler, name ), with a message that says what is wrong.
    fn get_trap(&mut self, handler: Value, key: PropertyKey, name: &str) -> Completion<Value> {
        let method = self.get_v(handler, key)?;
        if method.is_nullish() {
            return Ok(Value::UNDEFINED);
        }
        if !self.heap.is_callable(method) {
            let (method, handler) = (self.display(method), self.display(handler));
            return Err(self.throw_type_error(format!(
                "{method} returned for property '{name}' of object '{handler}' is not a function"
            )));
        }
        Ok(method)
    }

    /// CreateListFromArrayLike ( obj, property-key ) without duplicates.
    fn own_keys_from_list(&mut self, list: Value) -> Completion<Vec<PropertyKey>> {
        let values = self.create_list_from_array_like(list)?;
        self.roots.extend_from_slice(&values);
        let mut keys = Vec::with_capacity(values.len());
        let mut seen: std::collections::HashSet<PropertyKey, rustc_hash::FxBuildHasher> = Default::default();
        for value in values {
            if !value.is_string() && !value.is_symbol() {
                let text = self.display(value);
                return Err(self.throw_type_error(format!("{text} is not a valid property name")));
            }
            let key = self.to_property_key(value)?;
            self.root(key.root_value());
            if !seen.insert(key) {
                return Err(self.throw_type_error("'ownKeys' on proxy: trap returned duplicate entries"));
            }
            keys.push(key);
        }
        Ok(keys)
    }

    /// IsCompatiblePropertyDescriptor ( Extensible, Desc, Current )
    fn is_compatible_with_target(
        &mut self,
        extensible: bool,
        descriptor: &PropertyDescriptor,
        current: Option<&PropertyDescriptor>,
    ) -> bool {
        match current {
            None => extensible,
            Some(current) => self.heap.is_compatible_descriptor(descriptor, current),
        }
    }

    fn rooted_key(&mut self, key: PropertyKey) -> Value {
        self.root(key.root_value());
        let value = key.to_value(&mut self.heap);
        self.root(value)
    }

    fn root_descriptor(&mut self, descriptor: Option<&PropertyDescriptor>) {
        if let Some(descriptor) = descriptor {
            self.roots.extend([descriptor.value, descriptor.getter, descriptor.setter].into_iter().flatten());
        }
    }

    #[cold]
    fn throw_invariant(&mut self, trap: &str, problem: &str, key: PropertyKey) -> Thrown {
        let name = self.heap.key_display(key);
        self.throw_type_error(format!("'{trap}' on proxy: {}", problem.replace("{}", &format!("'{name}'"))))
    }

    #[cold]
    fn throw_own_keys_missing(&mut self, key: PropertyKey) -> Thrown {
        self.throw_invariant("ownKeys", "trap result did not include {}", key)
    }
}
