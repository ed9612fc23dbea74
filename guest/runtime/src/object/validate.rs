//! Defining own properties (<https://tc39.es/ecma262/#sec-validateandapplypropertydescriptor>).

use super::{Attributes, ElementsError, Found, Lookup, Object, ObjectFlags, ObjectKind, Place, PropertyDescriptor};
use crate::heap::{Accessor, Gc, Heap};
use crate::names::keys;
use crate::property_key::PropertyKey;
use crate::value::Value;

impl Heap {
    /// \[\[DefineOwnProperty]] of ordinary objects, arrays and arguments objects; answers whether the definition was accepted.
    /// The value for the `length` of an array must be a Number already (ArraySetLength steps 3 to 5 are the caller's). A
    /// LAZY function must be materialised before.
    ///
    /// # Errors
    /// [`ElementsError`] when there are too many elements, or the length of an array is none.
    pub fn define_own(
        &mut self,
        object: Gc<Object>,
        key: PropertyKey,
        descriptor: &PropertyDescriptor,
    ) -> Result<bool, ElementsError> {
        if self[object].is_array() {
            if key == keys::LENGTH {
                return self.define_array_length(object, descriptor);
            }
            if let Some(index) = key.as_index() {
                let cell = &self[object];
                if index >= cell.elements.length() && cell.flags.intersects(ObjectFlags::LENGTH_READ_ONLY) {
                    return Ok(false);
                }
            }
        }
        let current = match self.own_lookup_ordinary_or_mapped(object, key) {
            Some(found) => found,
            None => {
                if !self[object].is_extensible() {
                    return Ok(false);
                }
                return self.define_new(object, key, descriptor).map(|()| true);
            }
        };
        let current_descriptor = current.descriptor(self);
        if !self.is_compatible_descriptor(descriptor, &current_descriptor) {
            return Ok(false);
        }
        let attributes = attributes_after(descriptor, current.attributes);
        let value = self.value_after(descriptor, &current);
        if let Place::Mapped(index) = current.place {
            return self.redefine_mapped(object, index, &current, descriptor, value, attributes).map(|()| true);
        }
        if attributes != current.attributes || value != current.value {
            self.redefine(&current, value, attributes)?;
        }
        Ok(true)
    }

    /// IsCompatiblePropertyDescriptor for a property that exists: steps 2 to 5 of ValidateAndApplyPropertyDescriptor. `current` is fully populated.
    pub fn is_compatible_descriptor(&mut self, descriptor: &PropertyDescriptor, current: &PropertyDescriptor) -> bool {
        if current.configurable == Some(true) {
            return true;
        }
        if descriptor.configurable == Some(true)
            || descriptor.enumerable.is_some_and(|enumerable| Some(enumerable) != current.enumerable)
        {
            return false;
        }
        if descriptor.is_generic() {
            return true;
        }
        if descriptor.is_accessor() != current.is_accessor() {
            return false;
        }
        if current.is_accessor() {
            return descriptor.getter.is_none_or(|getter| Some(getter) == current.getter)
                && descriptor.setter.is_none_or(|setter| Some(setter) == current.setter);
        }
        if current.writable == Some(true) {
            return true;
        }
        if descriptor.writable == Some(true) {
            return false;
        }
        match (descriptor.value, current.value) {
            (Some(new), Some(old)) => self.same_value(new, old),
            _ => true,
        }
    }

    fn define_new(
        &mut self,
        object: Gc<Object>,
        key: PropertyKey,
        descriptor: &PropertyDescriptor,
    ) -> Result<(), ElementsError> {
        let attributes = descriptor.attributes_or_false();
        let value = if descriptor.is_accessor() {
            let getter = descriptor.getter.unwrap_or(Value::UNDEFINED);
            let setter = descriptor.setter.unwrap_or(Value::UNDEFINED);
            self.new_accessor(getter, setter)
        } else {
            descriptor.value.unwrap_or(Value::UNDEFINED)
        };
        match key.as_index() {
            Some(index) => self.add_element(object, index, value, attributes),
            None => {
                self.add_property(object, key, value, attributes);
                Ok(())
            }
        }
    }

    fn value_after(&mut self, descriptor: &PropertyDescriptor, current: &Found) -> Value {
        if descriptor.is_accessor() {
            let Accessor { getter, setter } = match current.value.as_accessor() {
                Some(accessor) => self[accessor],
                None => Accessor { getter: Value::UNDEFINED, setter: Value::UNDEFINED },
            };
            let new_getter = descriptor.getter.unwrap_or(getter);
            let new_setter = descriptor.setter.unwrap_or(setter);
            if current.value.is_accessor() && new_getter == getter && new_setter == setter {
                return current.value;
            }
            return self.new_accessor(new_getter, new_setter);
        }
        if descriptor.is_data() && current.value.is_accessor() {
            return descriptor.value.unwrap_or(Value::UNDEFINED);
        }
        descriptor.value.unwrap_or(current.value)
    }

    /// ArraySetLength from step 6 on (<https://tc39.es/ecma262/#sec-arraysetlength>).
    fn define_array_length(
        &mut self,
        array: Gc<Object>,
        descriptor: &PropertyDescriptor,
    ) -> Result<bool, ElementsError> {
        let Lookup::Found(current) = self.own_lookup_ordinary(array, keys::LENGTH) else { return Ok(false) };
        let current = current.descriptor(self);
        if !self.is_compatible_descriptor(descriptor, &current) {
            return Ok(false);
        }
        let mut complete = true;
        if let Some(value) = descriptor.value {
            let length = value.as_number().ok_or(ElementsError::InvalidLength)?;
            if length != f64::from(length as u32) {
                return Err(ElementsError::InvalidLength);
            }
            let length = length as u32;
            if length != self.array_length(array) {
                complete = self.truncate_or_extend(array, length) == length;
                self.note_layout_change(array);
            }
        }
        if descriptor.writable == Some(false) {
            self[array].flags.set(ObjectFlags::LENGTH_READ_ONLY, true);
        }
        Ok(complete)
    }

    /// \[\[DefineOwnProperty]] of a mapped arguments object, steps 4 to 7
    /// (<https://tc39.es/ecma262/#sec-arguments-exotic-objects-defineownproperty-p-desc>).
    fn redefine_mapped(
        &mut self,
        object: Gc<Object>,
        index: u32,
        current: &Found,
        descriptor: &PropertyDescriptor,
        value: Value,
        attributes: Attributes,
    ) -> Result<(), ElementsError> {
        if let Some(new) = descriptor.value {
            self.set_existing(current, new);
        }
        self.redefine(current, value, attributes)?;
        if (descriptor.is_accessor() || descriptor.writable == Some(false))
            && let ObjectKind::Arguments(Some(map)) = &mut self[object].kind
        {
            map.unmap(index);
        }
        Ok(())
    }

    fn own_lookup_ordinary_or_mapped(&self, object: Gc<Object>, key: PropertyKey) -> Option<Found> {
        let lookup = if matches!(self[object].kind, ObjectKind::Arguments(Some(_))) {
            self.own_lookup(object, key)
        } else {
            self.own_lookup_ordinary(object, key)
        };
        match lookup {
            Lookup::Found(found) => Some(found),
            _ => None,
        }
    }
}

fn attributes_after(descriptor: &PropertyDescriptor, current: Attributes) -> Attributes {
    if descriptor.is_generic() {
        // Only enumerable and configurable can change; an accessor stays one.
        return descriptor.attributes_or(current).with(Attributes::ACCESSOR, current.is_accessor());
    }
    descriptor.attributes_or(current)
}
