//! Operations on arrays and regular expressions.

use crate::builtins::{NativeFn, array};
use crate::heap::Gc;
use crate::names::keys;
use crate::object::{Lookup, Object, ObjectKind};
use crate::symbol;
use crate::value::Value;
use crate::vm::{Completion, IntrinsicObject, Realm, Vm};

impl Vm {
    /// ArrayCreate ( length ) <https://tc39.es/ecma262/#sec-arraycreate>
    ///
    /// # Errors
    /// RangeError when no array can have the length; the memory limit.
    pub fn array_create(&mut self, length: u64) -> Completion<Gc<Object>> {
        let array = self.create_array(Vec::new());
        if length > 0 {
            let Ok(length) = u32::try_from(length) else { return Err(self.throw_range_error("Invalid array length")) };
            if self.heap.reserve(length.min(crate::object::MAX_ELEMENTS) as usize * 8).is_err() {
                return Err(self.terminate(crate::vm::Termination::OutOfMemory));
            }
            self.heap.truncate_or_extend(array, length);
        }
        Ok(array)
    }

    /// ArraySpeciesCreate ( originalArray, length ) <https://tc39.es/ecma262/#sec-arrayspeciescreate>
    ///
    /// # Errors
    /// TypeError when the species is no constructor; RangeError for a length over the limit.
    pub fn array_species_create(&mut self, original: Gc<Object>, length: u64) -> Completion<Gc<Object>> {
        match self.array_species(original)? {
            None => self.array_create(length),
            Some(constructor) => {
                let created = self.construct(constructor, &[Value::number(length as f64)], constructor)?;
                self.to_object(created)
            }
        }
    }

    /// ArraySpeciesCreate up to the constructor, which is rooted; `None` when ArrayCreate is to be used.
    ///
    /// # Errors
    /// TypeError when the species is no constructor; what getters throw.
    pub fn array_species(&mut self, original: Gc<Object>) -> Completion<Option<Value>> {
        if self.has_default_species(original) || !self.is_array(Value::object(original))? {
            return Ok(None);
        }
        let mut constructor = self.get(original, keys::CONSTRUCTOR)?;
        self.root(constructor);
        let own = Value::object(self.intrinsic(IntrinsicObject::Array));
        // The %Array% of another realm stands for that of this one.
        let is_foreign = |realm: &Realm| constructor == Value::object(realm.intrinsic(IntrinsicObject::Array));
        if constructor != own && self.realms.iter().any(is_foreign) {
            return Ok(None);
        }
        if let Some(object) = constructor.as_object() {
            constructor = self.get(object, symbol::keys::SPECIES)?;
            self.root(constructor);
            if constructor.is_null() {
                return Ok(None);
            }
        }
        if constructor.is_undefined() || constructor == own {
            return Ok(None);
        }
        if !self.heap.is_constructor(constructor) {
            return Err(self.throw_type_error("object.constructor[Symbol.species] is not a constructor"));
        }
        Ok(Some(constructor))
    }

    /// Whether the species of an array is %Array% without anybody being asked: it has neither own properties nor an unusual
    /// prototype, and `constructor` and `Symbol.species` are as they were.
    fn has_default_species(&self, array: Gc<Object>) -> bool {
        let realm = &self.realms[self.realm.0 as usize];
        if self.heap[array].shape() != realm.array_shape || !self.heap[array].is_array() {
            return false;
        }
        let constructor = realm.intrinsic(IntrinsicObject::Array);
        let prototype = realm.intrinsic(IntrinsicObject::ArrayPrototype);
        if self.heap.own_data(prototype, keys::CONSTRUCTOR) != Some(Value::object(constructor)) {
            return false;
        }
        let Lookup::Found(found) = self.heap.own_lookup(constructor, symbol::keys::SPECIES) else { return false };
        let Some(getter) = self.heap.getter_of(found.value).as_object() else { return false };
        match &self.heap[getter].kind {
            ObjectKind::Native(native) => std::ptr::fn_addr_eq(native.function.function, array::species as NativeFn),
            _ => false,
        }
    }

    /// Whether the object is a RegExp by IsRegExp ( argument ) <https://tc39.es/ecma262/#sec-isregexp>.
    ///
    /// # Errors
    /// What the getter throws.
    pub fn is_regexp(&mut self, value: Value) -> Completion<bool> {
        let Some(object) = value.as_object() else { return Ok(false) };
        let matcher = self.get(object, symbol::keys::MATCH)?;
        if !matcher.is_undefined() {
            return Ok(self.heap.to_boolean(matcher));
        }
        Ok(matches!(self.heap[object].kind, ObjectKind::RegExp(_)))
    }
}
