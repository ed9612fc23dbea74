//! The essential internal methods of all objects (<https://tc39.es/ecma262/#sec-object-internal-methods-and-internal-slots>).
//!
//! Lookups go along the prototype chain in the heap as far as they can; only accessors, proxies, typed arrays, String objects and
//! functions without their properties yet need more.

use super::{
    Attributes, ElementsError, Found, Lookup, Object, ObjectFlags, ObjectKind, Place, PropertyDescriptor, RawElement,
    TypedArray,
};
use crate::heap::Gc;
use crate::names::keys;
use crate::number;
use crate::property_key::PropertyKey;
use crate::value::Value;
use crate::vm::{Completion, MAX_NATIVE_DEPTH, Thrown, Vm};

/// What an exotic object says about one of its own keys.
enum Exotic {
    /// Its properties were created only now: ask again.
    Again,
    /// A proxy: its handler decides.
    Proxy,
    /// A character of a String object.
    Character(Value),
    /// An element of a typed array.
    Element(TypedArray, Option<usize>),
    /// Nothing special: look at its ordinary properties.
    Ordinary,
}

impl Vm {
    // ---- [[Get]]

    /// Get ( O, P ) <https://tc39.es/ecma262/#sec-get-o-p>
    ///
    /// # Errors
    /// What a getter or proxy throws.
    #[inline]
    pub fn get(&mut self, object: Gc<Object>, key: PropertyKey) -> Completion<Value> {
        self.get_with_receiver(object, key, Value::object(object))
    }

    /// GetV ( V, P ) <https://tc39.es/ecma262/#sec-getv>
    ///
    /// # Errors
    /// TypeError for undefined and null; what a getter or proxy throws.
    pub fn get_v(&mut self, value: Value, key: PropertyKey) -> Completion<Value> {
        if let Some(object) = value.as_object() {
            return self.get_with_receiver(object, key, value);
        }
        if value.is_nullish() {
            let name = self.heap.key_display(key);
            let base = if value.is_null() { "null" } else { "undefined" };
            return Err(self.throw_type_error(format!("Cannot read properties of {base} (reading '{name}')")));
        }
        if let Some(string) = value.as_string()
            && let Some(found) = self.heap.string_own_property(string, key)
        {
            return Ok(found);
        }
        let prototype = self.prototype_for_primitive(value);
        self.get_with_receiver(prototype, key, value)
    }

    /// \[\[Get]] ( P, Receiver )
    ///
    /// # Errors
    /// What a getter or proxy throws.
    pub fn get_with_receiver(&mut self, object: Gc<Object>, key: PropertyKey, receiver: Value) -> Completion<Value> {
        let mut current = object;
        loop {
            match self.heap.lookup(current, key) {
                Lookup::Missing => return Ok(Value::UNDEFINED),
                Lookup::Found(found) => {
                    if !found.is_accessor() {
                        return Ok(found.value);
                    }
                    let getter = self.heap.getter_of(found.value);
                    if getter.is_undefined() {
                        return Ok(Value::UNDEFINED);
                    }
                    return self.call(getter, receiver, &[]);
                }
                Lookup::Exotic(holder) => match self.exotic(holder, key) {
                    Exotic::Again => current = holder,
                    Exotic::Proxy => return self.nested(|vm| vm.proxy_get(holder, key, receiver)),
                    Exotic::Character(value) => return Ok(value),
                    Exotic::Element(array, index) => {
                        let value = index.and_then(|index| self.heap.typed_array_get_at(&array, index));
                        return Ok(value.unwrap_or(Value::UNDEFINED));
                    }
                    Exotic::Ordinary => match self.beyond_exotic(holder, key) {
                        Ok(found) if found.is_accessor() => {
                            let getter = self.heap.getter_of(found.value);
                            if getter.is_undefined() {
                                return Ok(Value::UNDEFINED);
                            }
                            return self.call(getter, receiver, &[]);
                        }
                        Ok(found) => return Ok(found.value),
                        Err(Some(parent)) => current = parent,
                        Err(None) => return Ok(Value::UNDEFINED),
                    },
                },
            }
        }
    }

    // ---- [[HasProperty]]

    /// \[\[HasProperty]] ( P )
    ///
    /// # Errors
    /// What a proxy throws.
    pub fn has_property(&mut self, object: Gc<Object>, key: PropertyKey) -> Completion<bool> {
        let mut current = object;
        loop {
            match self.heap.lookup(current, key) {
                Lookup::Missing => return Ok(false),
                Lookup::Found(_) => return Ok(true),
                Lookup::Exotic(holder) => match self.exotic(holder, key) {
                    Exotic::Again => current = holder,
                    Exotic::Proxy => return self.nested(|vm| vm.proxy_has(holder, key)),
                    Exotic::Character(_) => return Ok(true),
                    Exotic::Element(_, index) => return Ok(index.is_some()),
                    Exotic::Ordinary => match self.beyond_exotic(holder, key) {
                        Ok(_) => return Ok(true),
                        Err(Some(parent)) => current = parent,
                        Err(None) => return Ok(false),
                    },
                },
            }
        }
    }

    // ---- [[Set]]

    /// Set ( O, P, V, Throw ) <https://tc39.es/ecma262/#sec-set-o-p-v-throw>
    ///
    /// # Errors
    /// What a setter or proxy throws; with `throw` a TypeError when the assignment is refused.
    pub fn set(&mut self, object: Gc<Object>, key: PropertyKey, value: Value, throw: bool) -> Completion<bool> {
        let done = self.set_with_receiver(object, key, value, Value::object(object))?;
        if !done && throw {
            return Err(self.throw_cannot_assign(object, key));
        }
        Ok(done)
    }

    /// \[\[Set]] ( P, V, Receiver )
    ///
    /// # Errors
    /// What a setter or proxy throws.
    pub fn set_with_receiver(
        &mut self,
        object: Gc<Object>,
        key: PropertyKey,
        value: Value,
        receiver: Value,
    ) -> Completion<bool> {
        let mut current = object;
        loop {
            let found = match self.heap.lookup(current, key) {
                Lookup::Found(found) => found,
                Lookup::Missing => return self.set_on_receiver(receiver, key, value),
                Lookup::Exotic(holder) => match self.exotic(holder, key) {
                    Exotic::Again => {
                        current = holder;
                        continue;
                    }
                    Exotic::Proxy => return self.nested(|vm| vm.proxy_set(holder, key, value, receiver)),
                    Exotic::Character(_) => return Ok(false),
                    Exotic::Element(array, index) => {
                        // TypedArray [[Set]] <https://tc39.es/ecma262/#sec-typedarray-set>
                        if receiver == Value::object(holder) {
                            self.set_typed_array_element(&array, index, value)?;
                            return Ok(true);
                        }
                        if index.is_none() {
                            return Ok(true);
                        }
                        return self.set_on_receiver(receiver, key, value);
                    }
                    Exotic::Ordinary => match self.beyond_exotic(holder, key) {
                        Ok(found) => found,
                        Err(Some(parent)) => {
                            current = parent;
                            continue;
                        }
                        Err(None) => return self.set_on_receiver(receiver, key, value),
                    },
                },
            };
            if found.is_accessor() {
                let setter = self.heap.setter_of(found.value);
                if setter.is_undefined() {
                    return Ok(false);
                }
                self.call(setter, receiver, &[value])?;
                return Ok(true);
            }
            if !found.attributes.is_writable() {
                return Ok(false);
            }
            if receiver == Value::object(found.holder) && found.place != Place::ArrayLength {
                self.heap.set_existing(&found, value);
                return Ok(true);
            }
            return self.set_on_receiver(receiver, key, value);
        }
    }

    /// OrdinarySetWithOwnDescriptor, step 2 from b on, for a writable or missing property
    /// (<https://tc39.es/ecma262/#sec-ordinarysetwithowndescriptor>).
    fn set_on_receiver(&mut self, receiver: Value, key: PropertyKey, value: Value) -> Completion<bool> {
        let Some(object) = receiver.as_object() else { return Ok(false) };
        self.materialize(object);
        if !self.heap[object].flags.intersects(ObjectFlags::EXOTIC) {
            // OPTIMIZATION: what follows, without descriptors.
            match self.heap.own_lookup_ordinary(object, key) {
                Lookup::Missing => {
                    if !self.heap[object].is_extensible() {
                        return Ok(false);
                    }
                    return self
                        .heap
                        .create_data_property(object, key, value)
                        .map_err(|error| self.throw_elements_error(error));
                }
                Lookup::Found(found) if found.is_accessor() || !found.attributes.is_writable() => return Ok(false),
                Lookup::Found(found) if found.place != Place::ArrayLength => {
                    self.heap.set_existing(&found, value);
                    return Ok(true);
                }
                _ => return self.define_own_property(object, key, &PropertyDescriptor::only_value(value)),
            }
        }
        let saved = self.roots.len();
        self.root(receiver);
        self.root(value);
        self.root(key.root_value());
        let existing = self.get_own_property(object, key);
        let result = match existing {
            Ok(Some(existing)) if existing.is_accessor() || existing.writable == Some(false) => Ok(false),
            Ok(Some(_)) => self.define_own_property(object, key, &PropertyDescriptor::only_value(value)),
            Ok(None) => self.define_own_property(object, key, &PropertyDescriptor::data(value, Attributes::ALL)),
            Err(thrown) => Err(thrown),
        };
        self.roots.truncate(saved);
        result
    }

    /// TypedArraySetElement ( O, index, value ) <https://tc39.es/ecma262/#sec-typedarraysetelement>; `index` is `None` when it is not valid.
    ///
    /// # Errors
    /// What ToNumber and ToBigInt throw.
    pub fn set_typed_array_element(
        &mut self,
        array: &TypedArray,
        index: Option<usize>,
        value: Value,
    ) -> Completion<()> {
        let element = if array.element.is_bigint() {
            RawElement::from_bigint(&self.to_bigint(value)?)
        } else {
            RawElement::from_number(array.element, self.to_number(value)?)
        };
        // The conversion may have shrunk the buffer: storing checks again.
        if let Some(index) = index {
            self.heap.typed_array_set_at(array, index, element);
        }
        Ok(())
    }

    // ---- [[Delete]]

    /// \[\[Delete]] ( P )
    ///
    /// # Errors
    /// What a proxy throws.
    pub fn delete(&mut self, object: Gc<Object>, key: PropertyKey) -> Completion<bool> {
        self.materialize(object);
        if self.heap[object].flags.intersects(ObjectFlags::EXOTIC) {
            match self.exotic(object, key) {
                Exotic::Proxy => return self.nested(|vm| vm.proxy_delete(object, key)),
                Exotic::Character(_) => return Ok(false),
                Exotic::Element(_, index) => return Ok(index.is_none()),
                Exotic::Again | Exotic::Ordinary => {}
            }
            if key == keys::LENGTH && self.heap[object].kind.as_primitive().is_some() {
                return Ok(false);
            }
        }
        Ok(self.heap.delete_own(object, key))
    }

    // ---- [[GetOwnProperty]], [[DefineOwnProperty]], [[OwnPropertyKeys]]

    /// \[\[GetOwnProperty]] ( P ): a fully populated descriptor. Its values are not rooted.
    ///
    /// # Errors
    /// What a proxy throws.
    pub fn get_own_property(&mut self, object: Gc<Object>, key: PropertyKey) -> Completion<Option<PropertyDescriptor>> {
        self.materialize(object);
        match self.heap.own_lookup(object, key) {
            Lookup::Missing => Ok(None),
            Lookup::Found(found) => Ok(Some(found.descriptor(&self.heap))),
            Lookup::Exotic(_) => match self.exotic(object, key) {
                Exotic::Proxy => self.nested(|vm| vm.proxy_get_own_property(object, key)),
                Exotic::Character(value) => Ok(Some(PropertyDescriptor::data(value, Attributes::ENUMERABLE))),
                Exotic::Element(array, index) => {
                    let value = index.and_then(|index| self.heap.typed_array_get_at(&array, index));
                    Ok(value.map(|value| PropertyDescriptor::data(value, Attributes::ALL)))
                }
                Exotic::Again | Exotic::Ordinary => match self.heap.own_lookup_ordinary(object, key) {
                    Lookup::Found(found) => Ok(Some(found.descriptor(&self.heap))),
                    _ => Ok(None),
                },
            },
        }
    }

    /// \[\[DefineOwnProperty]] ( P, Desc )
    ///
    /// # Errors
    /// RangeError for an impossible array length; what a proxy or conversion throws.
    pub fn define_own_property(
        &mut self,
        object: Gc<Object>,
        key: PropertyKey,
        descriptor: &PropertyDescriptor,
    ) -> Completion<bool> {
        self.materialize(object);
        if self.heap[object].flags.intersects(ObjectFlags::EXOTIC) {
            match self.exotic(object, key) {
                Exotic::Proxy => return self.nested(|vm| vm.proxy_define_own_property(object, key, descriptor)),
                Exotic::Character(value) => {
                    let current = PropertyDescriptor::data(value, Attributes::ENUMERABLE);
                    return Ok(self.heap.is_compatible_descriptor(descriptor, &current));
                }
                Exotic::Element(array, index) => return self.define_typed_array_element(&array, index, descriptor),
                Exotic::Again | Exotic::Ordinary => {}
            }
            if key == keys::LENGTH
                && let Lookup::Found(found) = self.heap.own_lookup(object, key)
                && found.place == Place::StringLength
            {
                let current = found.descriptor(&self.heap);
                return Ok(self.heap.is_compatible_descriptor(descriptor, &current));
            }
        } else if key == keys::LENGTH
            && self.heap[object].is_array()
            && let Some(value) = descriptor.value
        {
            let length = self.to_array_length(value)?;
            let descriptor = PropertyDescriptor { value: Some(Value::from(length)), ..*descriptor };
            return self.heap.define_own(object, key, &descriptor).map_err(|error| self.throw_elements_error(error));
        }
        self.heap.define_own(object, key, descriptor).map_err(|error| self.throw_elements_error(error))
    }

    /// \[\[OwnPropertyKeys]] ( ). The keys are rooted until the native function returns.
    ///
    /// # Errors
    /// What a proxy throws.
    pub fn own_property_keys(&mut self, object: Gc<Object>) -> Completion<Vec<PropertyKey>> {
        self.materialize(object);
        let keys = if matches!(self.heap[object].kind, ObjectKind::Proxy(_)) {
            self.nested(|vm| vm.proxy_own_property_keys(object))?
        } else {
            self.heap.own_keys(object)
        };
        self.root_keys(&keys);
        Ok(keys)
    }

    // ---- [[GetPrototypeOf]], [[SetPrototypeOf]], [[IsExtensible]], [[PreventExtensions]]

    /// \[\[GetPrototypeOf]] ( )
    ///
    /// # Errors
    /// What a proxy throws.
    #[inline]
    pub fn get_prototype_of(&mut self, object: Gc<Object>) -> Completion<Option<Gc<Object>>> {
        if matches!(self.heap[object].kind, ObjectKind::Proxy(_)) {
            return self.nested(|vm| vm.proxy_get_prototype_of(object));
        }
        Ok(self.heap.prototype_of(object))
    }

    /// \[\[SetPrototypeOf]] ( V )
    ///
    /// # Errors
    /// What a proxy throws.
    pub fn set_prototype_of(&mut self, object: Gc<Object>, prototype: Option<Gc<Object>>) -> Completion<bool> {
        if matches!(self.heap[object].kind, ObjectKind::Proxy(_)) {
            return self.nested(|vm| vm.proxy_set_prototype_of(object, prototype));
        }
        // OrdinarySetPrototypeOf <https://tc39.es/ecma262/#sec-ordinarysetprototypeof>
        if self.heap.prototype_of(object) == prototype {
            return Ok(true);
        }
        let cell = &self.heap[object];
        if !cell.is_extensible() || cell.flags.intersects(ObjectFlags::IMMUTABLE_PROTOTYPE) {
            return Ok(false);
        }
        let mut ancestor = prototype;
        while let Some(current) = ancestor {
            if current == object {
                return Ok(false);
            }
            if matches!(self.heap[current].kind, ObjectKind::Proxy(_)) {
                break;
            }
            ancestor = self.heap.prototype_of(current);
        }
        self.heap.set_prototype(object, prototype);
        Ok(true)
    }

    /// \[\[IsExtensible]] ( )
    ///
    /// # Errors
    /// What a proxy throws.
    pub fn is_extensible(&mut self, object: Gc<Object>) -> Completion<bool> {
        if matches!(self.heap[object].kind, ObjectKind::Proxy(_)) {
            return self.nested(|vm| vm.proxy_is_extensible(object));
        }
        Ok(self.heap[object].is_extensible())
    }

    /// \[\[PreventExtensions]] ( )
    ///
    /// # Errors
    /// What a proxy throws.
    pub fn prevent_extensions(&mut self, object: Gc<Object>) -> Completion<bool> {
        self.materialize(object);
        match &self.heap[object].kind {
            ObjectKind::Proxy(_) => return self.nested(|vm| vm.proxy_prevent_extensions(object)),
            ObjectKind::TypedArray(array) => {
                // <https://tc39.es/ecma262/#sec-typedarray-preventextensions>: not with a variable length.
                let is_resizable =
                    self.heap.array_buffer(array.buffer).is_some_and(|b| b.max_length.is_some() && !b.is_shared);
                if array.length.is_none() || is_resizable {
                    return Ok(false);
                }
            }
            _ => {}
        }
        self.heap.prevent_extensions(object);
        Ok(true)
    }

    // ---- Helpers

    /// Runs what may nest on the native stack without a JavaScript frame in between.
    ///
    /// # Errors
    /// RangeError when nested too deeply.
    pub(crate) fn nested<T>(&mut self, body: impl FnOnce(&mut Vm) -> Completion<T>) -> Completion<T> {
        if self.native_depth >= MAX_NATIVE_DEPTH {
            return Err(self.throw_stack_overflow());
        }
        self.native_depth += 1;
        let result = body(self);
        self.native_depth -= 1;
        result
    }

    /// What the object, for which the heap's lookup said "exotic", is.
    fn exotic(&mut self, object: Gc<Object>, key: PropertyKey) -> Exotic {
        if self.heap[object].flags.intersects(ObjectFlags::LAZY) {
            self.materialize(object);
            return Exotic::Again;
        }
        match &self.heap[object].kind {
            ObjectKind::Proxy(_) => Exotic::Proxy,
            ObjectKind::Primitive(value) => match value.get().as_string() {
                Some(string) if key.is_index() => match self.heap.string_own_property(string, key) {
                    Some(value) => Exotic::Character(value),
                    None => Exotic::Ordinary,
                },
                _ => Exotic::Ordinary,
            },
            ObjectKind::TypedArray(array) => {
                let array = **array;
                match self.canonical_numeric_index(key) {
                    Some(index) => Exotic::Element(array, self.valid_integer_index(&array, index)),
                    None => Exotic::Ordinary,
                }
            }
            _ => Exotic::Ordinary,
        }
    }

    /// The ordinary own property of an exotic object, or its prototype.
    fn beyond_exotic(&self, object: Gc<Object>, key: PropertyKey) -> Result<Found, Option<Gc<Object>>> {
        match self.heap.own_lookup_ordinary(object, key) {
            Lookup::Found(found) => Ok(found),
            _ => Err(self.heap.prototype_of(object)),
        }
    }

    /// CanonicalNumericIndexString ( argument ) <https://tc39.es/ecma262/#sec-canonicalnumericindexstring>
    pub fn canonical_numeric_index(&mut self, key: PropertyKey) -> Option<f64> {
        if let Some(index) = key.as_index() {
            return Some(f64::from(index));
        }
        let atom = key.as_atom()?;
        let view = self.heap.view(atom);
        if !matches!(u8::try_from(view.get(0)?), Ok(b'0'..=b'9' | b'-' | b'I' | b'N')) {
            return None;
        }
        let text = view.to_rust_string();
        if text == "-0" {
            return Some(-0.0);
        }
        let value = number::string_to_number(view);
        (*number::to_string(value) == *text).then_some(value)
    }

    /// IsValidIntegerIndex ( O, index ) <https://tc39.es/ecma262/#sec-isvalidintegerindex>
    fn valid_integer_index(&self, array: &TypedArray, index: f64) -> Option<usize> {
        let length = self.heap.typed_array_length(array)?;
        if index.trunc() != index || (index == 0.0 && index.is_sign_negative()) || index < 0.0 || index >= length as f64
        {
            return None;
        }
        Some(index as usize)
    }

    /// TypedArray \[\[DefineOwnProperty]] for a numeric key <https://tc39.es/ecma262/#sec-typedarray-defineownproperty>
    fn define_typed_array_element(
        &mut self,
        array: &TypedArray,
        index: Option<usize>,
        descriptor: &PropertyDescriptor,
    ) -> Completion<bool> {
        if index.is_none()
            || descriptor.configurable == Some(false)
            || descriptor.enumerable == Some(false)
            || descriptor.is_accessor()
            || descriptor.writable == Some(false)
        {
            return Ok(false);
        }
        if let Some(value) = descriptor.value {
            self.set_typed_array_element(array, index, value)?;
        }
        Ok(true)
    }

    /// ArraySetLength, steps 3 to 5 <https://tc39.es/ecma262/#sec-arraysetlength>
    fn to_array_length(&mut self, value: Value) -> Completion<u32> {
        if let Some(length) = value.as_array_index() {
            return Ok(length);
        }
        let length = self.to_uint32(value)?;
        if f64::from(length) != self.to_number(value)? {
            return Err(self.throw_elements_error(ElementsError::InvalidLength));
        }
        Ok(length)
    }

    /// RangeError for elements that cannot be stored.
    #[cold]
    pub fn throw_elements_error(&mut self, _: ElementsError) -> Thrown {
        self.throw_range_error(ElementsError::MESSAGE)
    }

    /// TypeError of a refused assignment to an own or inherited property.
    #[cold]
    pub(crate) fn throw_cannot_assign(&mut self, object: Gc<Object>, key: PropertyKey) -> Thrown {
        let name = self.heap.key_display(key);
        let text = self.display(Value::object(object));
        match self.heap.lookup(object, key) {
            Lookup::Found(found) if found.is_accessor() => {
                self.throw_type_error(format!("Cannot set property {name} of {text} which has only a getter"))
            }
            Lookup::Missing => self.throw_type_error(format!("Cannot add property {name}, object is not extensible")),
            Lookup::Exotic(holder) if matches!(self.heap[holder].kind, ObjectKind::Proxy(_)) => {
                self.throw_type_error(format!("'set' on proxy: trap returned falsish for property '{name}'"))
            }
            Lookup::Found(_) | Lookup::Exotic(_) => {
                let word = if self.heap[object].is_callable() { "function" } else { "object" };
                self.throw_type_error(format!("Cannot assign to read only property '{name}' of {word} '{text}'"))
            }
        }
    }

    /// TypeError of a refused deletion.
    #[cold]
    pub(crate) fn throw_cannot_delete(&mut self, object: Gc<Object>, key: PropertyKey) -> Thrown {
        let name = self.heap.key_display(key);
        if matches!(self.heap[object].kind, ObjectKind::Proxy(_)) {
            return self
                .throw_type_error(format!("'deleteProperty' on proxy: trap returned falsish for property '{name}'"));
        }
        let text = self.display(Value::object(object));
        self.throw_type_error(format!("Cannot delete property '{name}' of {text}"))
    }

    /// TypeError of a refused definition.
    #[cold]
    pub(crate) fn throw_cannot_define(&mut self, object: Gc<Object>, key: PropertyKey) -> Thrown {
        let name = self.heap.key_display(key);
        match self.heap.own_lookup(object, key) {
            Lookup::Exotic(_) if matches!(self.heap[object].kind, ObjectKind::Proxy(_)) => {
                self.throw_type_error(format!("'defineProperty' on proxy: trap returned falsish for property '{name}'"))
            }
            Lookup::Missing => {
                self.throw_type_error(format!("Cannot define property {name}, object is not extensible"))
            }
            Lookup::Found(_) | Lookup::Exotic(_) => self.throw_type_error(format!("Cannot redefine property: {name}")),
        }
    }
}
