//! Rare internal slots of functions, kept as properties under private symbols.

use super::{Attributes, Object};
use crate::heap::{Gc, Heap};
use crate::property_key::PropertyKey;
use crate::symbol;
use crate::value::Value;

impl Heap {
    /// The value under an internal private symbol of the object itself.
    pub fn internal_slot(&self, object: Gc<Object>, key: PropertyKey) -> Option<Value> {
        let cell = &self[object];
        self.shape_find(cell.shape(), key).map(|(slot, _)| cell.slot(slot))
    }

    /// Sets the value under an internal private symbol of the object itself.
    pub fn set_internal_slot(&mut self, object: Gc<Object>, key: PropertyKey, value: Value) {
        match self.shape_find(self[object].shape(), key) {
            Some((slot, _)) => self[object].set_slot(slot, value),
            None => self.add_property(object, key, value, Attributes::WRITABLE),
        }
    }

    /// \[\[HomeObject]] of a function; undefined for none.
    pub fn home_object(&self, function: Value) -> Value {
        self.function_slot(function, symbol::keys::INTERNAL_HOME_OBJECT)
    }

    /// Sets \[\[HomeObject]] of a function.
    pub fn set_home_object(&mut self, function: Value, home: Value) {
        if let Some(function) = function.as_object() {
            self.set_internal_slot(function, symbol::keys::INTERNAL_HOME_OBJECT, home);
        }
    }

    /// The function that initialises the fields of a class; undefined for none.
    pub fn field_initializer(&self, constructor: Value) -> Value {
        self.function_slot(constructor, symbol::keys::INTERNAL_FIELDS)
    }

    /// Sets the function that initialises the fields of a class.
    pub fn set_field_initializer(&mut self, constructor: Value, function: Value) {
        if let Some(constructor) = constructor.as_object() {
            self.set_internal_slot(constructor, symbol::keys::INTERNAL_FIELDS, function);
        }
    }

    fn function_slot(&self, function: Value, key: PropertyKey) -> Value {
        function.as_object().and_then(|function| self.internal_slot(function, key)).unwrap_or(Value::UNDEFINED)
    }
}
