//! Ordinary objects and arrays: operations on own properties that never run JavaScript
//! (<https://tc39.es/ecma262/#sec-ordinary-object-internal-methods-and-internal-slots>).

use thin_vec::ThinVec;

use super::{
    ArgumentsMap, Attributes, Elements, ElementsError, INLINE_SLOTS, Object, ObjectFlags, ObjectKind,
    PropertyDescriptor, Shape,
};
use crate::heap::{Accessor, Gc, Heap};
use crate::names::keys;
use crate::property_key::PropertyKey;
use crate::string::JsString;
use crate::value::Value;

/// Where a property was found.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a slot of the holder's shape.
    Slot(u32),
    /// Among the holder's elements.
    Element(u32),
    /// The `length` of an array.
    ArrayLength,
    /// The `length` of a String object.
    StringLength,
    /// A variable, through the map of an arguments object.
    Mapped(u32),
}

/// A property that was found.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Found {
    /// The object that has it as an own property.
    pub holder: Gc<Object>,
    /// Where it is there.
    pub place: Place,
    /// Its value, or the accessor pair.
    pub value: Value,
    /// Its attributes.
    pub attributes: Attributes,
}

impl Found {
    /// Whether it is an accessor property.
    #[inline]
    pub fn is_accessor(&self) -> bool {
        self.value.is_accessor()
    }

    /// The slot of the holder's shape that it is in, if it is in one.
    #[inline]
    pub fn slot(&self) -> Option<u32> {
        match self.place {
            Place::Slot(slot) => Some(slot),
            _ => None,
        }
    }

    /// The property as a fully populated descriptor.
    pub fn descriptor(&self, heap: &Heap) -> PropertyDescriptor {
        match self.value.as_accessor() {
            Some(accessor) => {
                let Accessor { getter, setter } = heap[accessor];
                PropertyDescriptor::accessor(getter, setter, self.attributes)
            }
            None => PropertyDescriptor::data(self.value, self.attributes),
        }
    }
}

/// The outcome of looking for a property.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Lookup {
    /// There is none.
    Missing,
    /// Here it is.
    Found(Found),
    /// Only the internal methods of this object, the one looked at or one of its prototypes, can tell: a proxy, a typed array, an
    /// index into a String object, a function whose properties are not created yet.
    Exotic(Gc<Object>),
}

/// Levels of SetIntegrityLevel.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum IntegrityLevel {
    /// `Object.seal`
    Sealed,
    /// `Object.freeze`
    Frozen,
}

// ---- Looking up

impl Heap {
    /// \[\[GetOwnProperty]] as far as it needs no JavaScript.
    #[inline]
    pub fn own_lookup(&self, object: Gc<Object>, key: PropertyKey) -> Lookup {
        let cell = &self[object];
        if cell.flags.intersects(ObjectFlags::EXOTIC.union(ObjectFlags::LAZY)) {
            return self.own_lookup_exotic(object, key);
        }
        self.own_lookup_ordinary(object, key)
    }

    /// Looks along the prototype chain.
    #[inline]
    pub fn lookup(&self, object: Gc<Object>, key: PropertyKey) -> Lookup {
        let mut current = object;
        loop {
            match self.own_lookup(current, key) {
                Lookup::Missing => match self.prototype_of(current) {
                    Some(prototype) => current = prototype,
                    None => return Lookup::Missing,
                },
                found => return found,
            }
        }
    }

    /// OrdinaryGetOwnProperty, with the `length` of arrays.
    #[inline]
    pub fn own_lookup_ordinary(&self, object: Gc<Object>, key: PropertyKey) -> Lookup {
        let cell = &self[object];
        if let Some(index) = key.as_index() {
            return match cell.elements.get(index) {
                Some((value, attributes)) => Lookup::Found(Found {
                    holder: object,
                    place: Place::Element(index),
                    value,
                    attributes: match cell.elements {
                        Elements::Dense(_) => cell.dense_attributes(),
                        Elements::Sparse(_) => attributes,
                    },
                }),
                None => Lookup::Missing,
            };
        }
        if let Some((slot, attributes)) = self.shape_find(cell.shape, key) {
            let value = cell.slot(slot);
            return Lookup::Found(Found { holder: object, place: Place::Slot(slot), value, attributes });
        }
        if key == keys::LENGTH && cell.is_array() {
            return Lookup::Found(Found {
                holder: object,
                place: Place::ArrayLength,
                value: Value::from(cell.elements.length()),
                attributes: Attributes::NONE
                    .with(Attributes::WRITABLE, !cell.flags.intersects(ObjectFlags::LENGTH_READ_ONLY)),
            });
        }
        Lookup::Missing
    }

    /// The private element with this key, also of a proxy.
    #[inline]
    pub fn own_private(&self, object: Gc<Object>, key: PropertyKey) -> Lookup {
        self.own_lookup_ordinary(object, key)
    }

    /// The getter of an accessor pair; undefined for none, and for other values.
    pub fn getter_of(&self, value: Value) -> Value {
        value.as_accessor().map_or(Value::UNDEFINED, |accessor| self[accessor].getter)
    }

    /// The setter of an accessor pair; undefined for none, and for other values.
    pub fn setter_of(&self, value: Value) -> Value {
        value.as_accessor().map_or(Value::UNDEFINED, |accessor| self[accessor].setter)
    }

    /// The own property of a String value: its length or a character.
    pub fn string_own_property(&mut self, string: Gc<JsString>, key: PropertyKey) -> Option<Value> {
        if key == keys::LENGTH {
            return Some(Value::from(self[string].len()));
        }
        let index = key.as_index()? as usize;
        let unit = self.code_unit_at(string, index)?;
        Some(Value::string(self.single_char(unit)))
    }

    /// Whether no prototype of the object can have or intercept elements, so that missing elements are undefined and can be added.
    pub fn prototypes_have_no_elements(&self, object: Gc<Object>) -> bool {
        let mut current = self.prototype_of(object);
        while let Some(prototype) = current {
            let cell = &self[prototype];
            if cell.flags.intersects(ObjectFlags::EXOTIC) || !cell.elements.has_none() {
                return false;
            }
            current = self.prototype_of(prototype);
        }
        true
    }

    /// Whether [`Heap::own_keys`] and [`Heap::own_lookup`] tell all about the own properties.
    pub fn is_plain_for_copy(&self, object: Gc<Object>) -> bool {
        !self[object].flags.intersects(ObjectFlags::EXOTIC.union(ObjectFlags::LAZY))
    }

    /// The value of an own data property of an ordinary object or array.
    #[inline]
    pub fn own_data(&self, object: Gc<Object>, key: PropertyKey) -> Option<Value> {
        match self.own_lookup(object, key) {
            Lookup::Found(found) if !found.attributes.is_accessor() => Some(found.value),
            _ => None,
        }
    }

    /// \[\[Prototype]] of an object that is no proxy.
    #[inline]
    pub fn prototype_of(&self, object: Gc<Object>) -> Option<Gc<Object>> {
        self[self[object].shape].prototype()
    }

    /// The length of an array, 0 for other objects' missing elements.
    #[inline]
    pub fn array_length(&self, array: Gc<Object>) -> u32 {
        self[array].elements.length()
    }

    /// A copy of the elements of an array when they are dense; holes read as undefined.
    pub fn dense_elements(&self, array: Gc<Object>) -> Option<Vec<Value>> {
        let values = self[array].elements.dense()?;
        Some(values.iter().map(|&value| if value.is_empty() { Value::UNDEFINED } else { value }).collect())
    }

    /// OrdinaryOwnPropertyKeys: indices ascending, strings and then symbols in creation order. Private names are left out. A LAZY
    /// function must be materialised before; a proxy has its own way.
    pub fn own_keys(&self, object: Gc<Object>) -> Vec<PropertyKey> {
        let cell = &self[object];
        let entries = self.shape_entries(cell.shape);
        let mut keys = Vec::with_capacity(entries.len() + 1);
        match &cell.kind {
            ObjectKind::Primitive(value) => {
                if let Some(string) = value.get().as_string() {
                    keys.extend((0..self[string].len() as u32).map(PropertyKey::index));
                }
            }
            ObjectKind::TypedArray(array) => {
                let length = self.typed_array_length(array).unwrap_or(0);
                keys.extend((0..length as u32).map(PropertyKey::index));
            }
            _ => {}
        }
        keys.extend(cell.elements.indices().into_iter().map(PropertyKey::index));
        if cell.is_array() || cell.kind.as_primitive().is_some_and(Value::is_string) {
            keys.push(keys::LENGTH);
        }
        let mut has_symbols = false;
        for key in entries.iter().filter_map(|entry| entry.key) {
            if key.is_symbol() {
                has_symbols = true;
            } else {
                keys.push(key);
            }
        }
        if has_symbols {
            keys.extend(
                entries.iter().filter_map(|entry| entry.key).filter(|key| key.is_symbol() && !key.is_private(self)),
            );
        }
        keys
    }

    #[cold]
    fn own_lookup_exotic(&self, object: Gc<Object>, key: PropertyKey) -> Lookup {
        let cell = &self[object];
        if cell.flags.intersects(ObjectFlags::LAZY) && matches!(key, keys::LENGTH | keys::NAME | keys::PROTOTYPE) {
            return Lookup::Exotic(object);
        }
        match &cell.kind {
            ObjectKind::Proxy(_) => Lookup::Exotic(object),
            ObjectKind::Primitive(value) => match value.get().as_string() {
                Some(string) if key == keys::LENGTH => Lookup::Found(Found {
                    holder: object,
                    place: Place::StringLength,
                    value: Value::from(self[string].len()),
                    attributes: Attributes::NONE,
                }),
                Some(string) if key.as_index().is_some_and(|index| (index as usize) < self[string].len()) => {
                    Lookup::Exotic(object)
                }
                _ => self.own_lookup_ordinary(object, key),
            },
            ObjectKind::Arguments(Some(map)) => {
                let slot = key.as_index().and_then(|index| Some((index, map.slot(index)?)));
                match (self.own_lookup_ordinary(object, key), slot) {
                    (Lookup::Found(found), Some((index, slot))) => Lookup::Found(Found {
                        place: Place::Mapped(index),
                        value: self[map.environment].get(slot),
                        ..found
                    }),
                    (lookup, _) => lookup,
                }
            }
            ObjectKind::TypedArray(_) if key.is_index() || self.may_be_canonical_numeric(key) => Lookup::Exotic(object),
            _ => self.own_lookup_ordinary(object, key),
        }
    }

    /// Whether a key that is no array index may still be a CanonicalNumericIndexString; never false when it is.
    fn may_be_canonical_numeric(&self, key: PropertyKey) -> bool {
        let Some(atom) = key.as_atom() else { return false };
        match self.view(atom).get(0) {
            Some(unit) => matches!(u8::try_from(unit), Ok(b'0'..=b'9' | b'-' | b'I' | b'N')),
            None => false,
        }
    }
}

impl Object {
    /// The attributes of dense elements.
    #[inline]
    pub(super) fn dense_attributes(&self) -> Attributes {
        let attributes =
            Attributes::ALL.with(Attributes::WRITABLE, !self.flags.intersects(ObjectFlags::ELEMENTS_FROZEN));
        let fixed = ObjectFlags::ELEMENTS_FROZEN.union(ObjectFlags::ELEMENTS_SEALED);
        attributes.with(Attributes::CONFIGURABLE, !self.flags.intersects(fixed))
    }

    /// Whether an array takes further elements at its end.
    #[inline]
    pub fn can_grow(&self) -> bool {
        !self.flags.intersects(ObjectFlags::NON_EXTENSIBLE.union(ObjectFlags::LENGTH_READ_ONLY))
    }
}

// ---- Changing

impl Heap {
    /// Appends a named property (string or symbol key that is no array index) that the object does not have; asks for nothing.
    pub fn add_property(&mut self, object: Gc<Object>, key: PropertyKey, value: Value, attributes: Attributes) {
        debug_assert!(!key.is_index(), "elements are added by add_element");
        let mut shape = self[object].shape;
        if self.shape_is_full(shape) {
            shape = self.shape_to_dictionary(shape);
        }
        let slot = self[shape].slot_count();
        let shape = self.shape_with(shape, key, attributes);
        self.append_slot(object, shape, slot, value);
    }

    /// Moves the object to a shape that has one more property, in `slot` (the old shape's slot count), and stores its value there.
    #[inline]
    pub fn append_slot(&mut self, object: Gc<Object>, shape: Gc<Shape>, slot: u32, value: Value) {
        let cell = &mut self[object];
        let grown = cell.add_slot(shape, slot, value);
        if cell.flags.intersects(ObjectFlags::IS_PROTOTYPE) {
            self.bump_prototype_epoch();
        }
        if grown != 0 {
            self.charge(grown);
        }
    }

    /// Adds or replaces an element without asking for extensibility. An array grows as needed.
    ///
    /// # Errors
    /// [`ElementsError`] when there are too many elements.
    pub fn add_element(
        &mut self,
        object: Gc<Object>,
        index: u32,
        value: Value,
        attributes: Attributes,
    ) -> Result<(), ElementsError> {
        let cell = &mut self[object];
        let fixed = ObjectFlags::ELEMENTS_SEALED.union(ObjectFlags::ELEMENTS_FROZEN);
        if cell.flags.intersects(fixed) {
            if cell.elements.dense().is_some() {
                if attributes == cell.dense_attributes() && cell.elements.dense_set(index, value) {
                    return Ok(());
                }
                let present = cell.dense_attributes();
                cell.elements.make_sparse(present);
            }
            cell.flags.set(fixed, false);
        }
        let grown = cell.elements.put(index, value, attributes)?;
        if cell.flags.intersects(ObjectFlags::IS_PROTOTYPE) {
            self.bump_prototype_epoch();
        }
        self.charge(grown);
        Ok(())
    }

    /// Appends to an array that [can grow](Object::can_grow).
    ///
    /// # Errors
    /// [`ElementsError`] when there are too many elements.
    #[inline]
    pub fn array_push(&mut self, array: Gc<Object>, value: Value) -> Result<(), ElementsError> {
        let grown = self[array].elements.push(value)?;
        if grown != 0 {
            self.charge(grown);
        }
        Ok(())
    }

    /// Stores the value of a data property where it was found.
    pub fn set_existing(&mut self, found: &Found, value: Value) {
        match found.place {
            Place::Slot(slot) => self[found.holder].set_slot(slot, value),
            Place::Element(index) => {
                let cell = &mut self[found.holder];
                match &mut cell.elements {
                    Elements::Dense(_) => {
                        cell.elements.dense_set(index, value);
                    }
                    Elements::Sparse(sparse) => {
                        if let Some(entry) = sparse.entries.get_mut(&index) {
                            entry.0 = value;
                        }
                    }
                }
            }
            Place::Mapped(index) => {
                if let ObjectKind::Arguments(Some(map)) = &self[found.holder].kind
                    && let Some(slot) = map.slot(index)
                {
                    let environment = map.environment;
                    self[environment].set(slot, value);
                }
            }
            Place::ArrayLength => {
                if let Some(length) = value.as_number() {
                    self.truncate_or_extend(found.holder, length as u32);
                }
            }
            Place::StringLength => {}
        }
    }

    /// CreateDataProperty on an ordinary object or array.
    ///
    /// # Errors
    /// [`ElementsError`] when there are too many elements.
    #[inline]
    pub fn create_data_property(
        &mut self,
        object: Gc<Object>,
        key: PropertyKey,
        value: Value,
    ) -> Result<bool, ElementsError> {
        match self.own_lookup_ordinary(object, key) {
            Lookup::Found(found) if found.attributes == Attributes::ALL => {
                self.set_existing(&found, value);
                Ok(true)
            }
            Lookup::Missing if self[object].is_extensible() => match key.as_index() {
                Some(index) => {
                    let cell = &self[object];
                    if cell.flags.intersects(ObjectFlags::LENGTH_READ_ONLY) && index >= cell.elements.length() {
                        return Ok(false);
                    }
                    self.add_element(object, index, value, Attributes::ALL)?;
                    Ok(true)
                }
                None => {
                    self.add_property(object, key, value, Attributes::ALL);
                    Ok(true)
                }
            },
            _ => self.define_own(object, key, &PropertyDescriptor::data(value, Attributes::ALL)),
        }
    }

    /// OrdinaryDelete: answers whether the property is gone.
    pub fn delete_own(&mut self, object: Gc<Object>, key: PropertyKey) -> bool {
        let found = match self.own_lookup_ordinary(object, key) {
            Lookup::Found(found) => found,
            _ => return true,
        };
        if !found.attributes.is_configurable() {
            return false;
        }
        match found.place {
            Place::Slot(slot) => self.remove_slot(object, slot),
            Place::Element(index) => {
                let cell = &mut self[object];
                cell.elements.remove(index);
                if let ObjectKind::Arguments(Some(map)) = &mut cell.kind {
                    map.unmap(index);
                }
            }
            _ => return false,
        }
        self.note_layout_change(object);
        true
    }

    /// Sets \[\[Prototype]] without any check.
    pub fn set_prototype(&mut self, object: Gc<Object>, prototype: Option<Gc<Object>>) {
        if self.prototype_of(object) == prototype {
            return;
        }
        let extensible = self[object].is_extensible();
        let shape = self[object].shape;
        let mut next = self.shape_with_prototype(shape, prototype);
        if self[object].flags.intersects(ObjectFlags::LAZY) {
            next = self.shape_for_function(next);
        }
        if !extensible {
            next = self.shape_without_extension(next);
        }
        self[object].shape = next;
        self.note_layout_change(object);
    }

    /// \[\[PreventExtensions]] of an object that is no proxy.
    pub fn prevent_extensions(&mut self, object: Gc<Object>) {
        if self[object].is_extensible() {
            let shape = self[object].shape;
            let shape = self.shape_without_extension(shape);
            let cell = &mut self[object];
            cell.shape = shape;
            cell.flags.set(ObjectFlags::NON_EXTENSIBLE, true);
            self.note_layout_change(object);
        }
    }

    /// SetIntegrityLevel on an object that is neither a proxy nor a typed array; a LAZY function must be materialised before.
    pub fn set_integrity(&mut self, object: Gc<Object>, level: IntegrityLevel) {
        self.prevent_extensions(object);
        let frozen = level == IntegrityLevel::Frozen;
        for slot in 0..self[self[object].shape].slot_count() {
            let shape = self[object].shape;
            let Some(entry) = self.shape_entries(shape).get(slot as usize).copied() else { continue };
            let is_private = entry.key.is_none_or(|key| key.is_private(self));
            let attributes = fixed(entry.attributes, frozen);
            if !is_private && attributes != entry.attributes {
                let shape = self.shape_with_attributes(shape, slot, attributes);
                self[object].shape = shape;
            }
        }
        let mapped = matches!(self[object].kind, ObjectKind::Arguments(Some(_)));
        if mapped && frozen {
            self.unmap_all(object);
        }
        let cell = &mut self[object];
        match &mut cell.elements {
            Elements::Dense(_) => {
                cell.flags.set(ObjectFlags::ELEMENTS_SEALED, true);
                if frozen {
                    cell.flags.set(ObjectFlags::ELEMENTS_FROZEN, true);
                }
            }
            Elements::Sparse(sparse) => {
                for (_, attributes) in sparse.entries.values_mut() {
                    *attributes = fixed(*attributes, frozen);
                }
            }
        }
        if frozen && cell.is_array() {
            cell.flags.set(ObjectFlags::LENGTH_READ_ONLY, true);
        }
        self.note_layout_change(object);
    }

    /// TestIntegrityLevel on an object that is neither a proxy nor a typed array.
    pub fn test_integrity(&self, object: Gc<Object>, level: IntegrityLevel) -> bool {
        if self[object].is_extensible() {
            return false;
        }
        self.own_keys(object).into_iter().all(|key| match self.own_lookup(object, key) {
            Lookup::Found(found) => {
                !found.attributes.is_configurable()
                    && (level == IntegrityLevel::Sealed || !found.attributes.is_writable())
            }
            Lookup::Missing => true,
            // The characters of a String object are constants.
            Lookup::Exotic(_) => self[object].kind.as_primitive().is_some(),
        })
    }

    /// Sets the length of an array; elements that cannot be deleted keep it longer. Answers the length reached.
    pub fn truncate_or_extend(&mut self, array: Gc<Object>, length: u32) -> u32 {
        let cell = &mut self[array];
        let current = cell.elements.length();
        if length < current && cell.elements.dense().is_some() && !cell.dense_attributes().is_configurable() {
            let present = cell.dense_attributes();
            cell.elements.make_sparse(present);
        }
        let before = cell.elements.payload_bytes();
        let reached = cell.elements.set_length(length);
        let after = cell.elements.payload_bytes();
        if after > before {
            self.charge(after - before);
        } else {
            self.discharge(before - after);
        }
        reached
    }

    /// To be called when an object changes in a way that inline caches could have missed otherwise.
    #[inline]
    pub(super) fn note_layout_change(&mut self, object: Gc<Object>) {
        if self[object].flags.intersects(ObjectFlags::IS_PROTOTYPE) {
            self.bump_prototype_epoch();
        }
    }

    pub(super) fn bump_prototype_epoch(&mut self) {
        self.prototype_epoch = self.prototype_epoch.wrapping_add(1);
    }

    /// Replaces attributes and value of the property at the place.
    ///
    /// # Errors
    /// [`ElementsError`] when there are too many elements.
    pub(super) fn redefine(
        &mut self,
        found: &Found,
        value: Value,
        attributes: Attributes,
    ) -> Result<(), ElementsError> {
        let object = found.holder;
        match found.place {
            Place::Slot(slot) => {
                if attributes != found.attributes {
                    let shape = self[object].shape;
                    let shape = self.shape_with_attributes(shape, slot, attributes);
                    self[object].shape = shape;
                    self.note_layout_change(object);
                }
                self[object].set_slot(slot, value);
            }
            Place::Element(index) | Place::Mapped(index) => {
                if attributes == found.attributes && found.place == Place::Element(index) {
                    self.set_existing(found, value);
                } else {
                    self.add_element(object, index, value, attributes)?;
                }
            }
            Place::ArrayLength | Place::StringLength => {}
        }
        Ok(())
    }

    fn remove_slot(&mut self, object: Gc<Object>, slot: u32) {
        let shape = self[object].shape;
        if let Some(before) = self.shape_before_last(shape, slot) {
            let cell = &mut self[object];
            cell.set_slot(slot, Value::EMPTY);
            cell.shape = before;
            return;
        }
        let shape = self.shape_to_dictionary(shape);
        let mut shape = self.dictionary_remove(shape, slot);
        self[object].set_slot(slot, Value::EMPTY);
        if let Some((compacted, slots)) = self.compact_dictionary(shape) {
            shape = compacted;
            self[object].compact_slots(&slots);
        }
        self[object].shape = shape;
    }

    /// Ends the mapping of an arguments object; the elements get the present values.
    fn unmap_all(&mut self, object: Gc<Object>) {
        let ObjectKind::Arguments(map) = &mut self[object].kind else { return };
        let Some(map) = map.take() else { return };
        for (index, slot) in map.slots.iter().enumerate() {
            if let Some(slot) = slot {
                let value = self[map.environment].get(*slot as usize);
                if let Elements::Sparse(sparse) = &mut self[object].elements
                    && let Some(entry) = sparse.entries.get_mut(&(index as u32))
                {
                    entry.0 = value;
                }
            }
        }
    }
}

fn fixed(attributes: Attributes, frozen: bool) -> Attributes {
    let attributes = attributes.without(Attributes::CONFIGURABLE);
    if frozen { attributes.without(Attributes::WRITABLE) } else { attributes }
}

// ---- Creating

impl Heap {
    /// OrdinaryObjectCreate
    #[inline]
    pub fn new_object(&mut self, prototype: Option<Gc<Object>>) -> Gc<Object> {
        let shape = self.root_shape(prototype);
        self.allocate(Object::ordinary(shape, [Value::EMPTY; INLINE_SLOTS]))
    }

    /// A new ordinary object of the shape; `values` are those of its slots, in order.
    #[inline]
    pub fn new_object_with_shape(&mut self, shape: Gc<Shape>, values: &[Value]) -> Gc<Object> {
        let mut inline = [Value::EMPTY; INLINE_SLOTS];
        if let Some((first, more)) = values.split_at_checked(INLINE_SLOTS) {
            inline.copy_from_slice(first);
            let mut object = Object::ordinary(shape, inline);
            let grown = object.set_more(more);
            self.charge(grown);
            return self.allocate(object);
        }
        for (place, &value) in inline.iter_mut().zip(values) {
            *place = value;
        }
        self.allocate(Object::ordinary(shape, inline))
    }

    /// A new object with internal slots.
    pub fn new_object_of_kind(&mut self, prototype: Option<Gc<Object>>, kind: ObjectKind) -> Gc<Object> {
        let shape = match kind {
            ObjectKind::Closure(_) | ObjectKind::Native(_) => self.function_shape(prototype),
            _ => self.root_shape(prototype),
        };
        self.new_object_of_kind_with_shape(shape, kind)
    }

    /// The shape of a function without named properties, for [`Heap::new_object_of_kind_with_shape`].
    pub fn function_shape(&mut self, prototype: Option<Gc<Object>>) -> Gc<Shape> {
        let shape = self.root_shape(prototype);
        self.shape_for_function(shape)
    }

    /// A new object with internal slots and of a shape; its named properties are EMPTY until their slots are set.
    pub fn new_object_of_kind_with_shape(&mut self, shape: Gc<Shape>, kind: ObjectKind) -> Gc<Object> {
        let bytes = kind.payload_bytes();
        let count = self[shape].slot_count() as usize;
        let mut object = Object::new(shape, kind);
        let mut grown = bytes;
        if count > INLINE_SLOTS {
            grown += object.set_more(&vec![Value::EMPTY; count - INLINE_SLOTS]);
        }
        if grown != 0 {
            self.charge(grown);
        }
        self.allocate(object)
    }

    /// A new array.
    pub fn new_array(&mut self, prototype: Option<Gc<Object>>, values: &[Value]) -> Gc<Object> {
        let shape = self.root_shape(prototype);
        self.new_array_with_shape(shape, values)
    }

    /// A new array of the shape, which has no named properties.
    #[inline]
    pub fn new_array_with_shape(&mut self, shape: Gc<Shape>, values: &[Value]) -> Gc<Object> {
        self.new_array_from_elements(shape, ThinVec::from(values))
    }

    /// A new array of the shape, which has no named properties; takes over the elements. EMPTY ones are holes.
    #[inline]
    pub fn new_array_from_elements(&mut self, shape: Gc<Shape>, elements: ThinVec<Value>) -> Gc<Object> {
        self.charge(elements.capacity() * size_of::<Value>());
        let mut object = Object::new(shape, ObjectKind::Array);
        object.elements = Elements::Dense(elements);
        self.allocate(object)
    }

    /// A new mapped arguments object. Its elements are a tree, so that nobody takes them for plain dense ones.
    pub fn new_mapped_arguments(
        &mut self,
        prototype: Option<Gc<Object>>,
        values: &[Value],
        map: ArgumentsMap,
    ) -> Gc<Object> {
        let object = self.new_object_of_kind(prototype, ObjectKind::Arguments(Some(Box::new(map))));
        let cell = &mut self[object];
        cell.elements = Elements::Dense(ThinVec::from(values));
        cell.elements.make_sparse(Attributes::ALL);
        let bytes = cell.elements.payload_bytes();
        self.charge(bytes);
        object
    }

    /// A new accessor pair for a property slot.
    pub fn new_accessor(&mut self, getter: Value, setter: Value) -> Value {
        Value::accessor(self.allocate(Accessor { getter, setter }))
    }
}
