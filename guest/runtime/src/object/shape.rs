//! Shapes: what objects of the same layout have in common.
//!
//! A shape says in which slot each named property is, with which attributes, and what the prototype is. Shapes form a tree of
//! transitions; a line of descent shares one [`PropertyTable`], of which each shape uses the first `count` entries, so that
//! adding a property costs O(1) time and memory. An object with many properties, or with a deleted one, gets a dictionary: a
//! shape and table of its own that changes in place.

use hashbrown::{HashMap, HashTable};
use rustc_hash::FxBuildHasher;

use super::{Attributes, Object};
use crate::heap::{Arena, Cell, CellKind, Gc, Heap, Marker, Trace};
use crate::names;
use crate::property_key::PropertyKey;

/// Objects with more named properties become dictionaries.
const MAX_SHAPE_PROPERTIES: u32 = 64;

/// Tables with more entries have a hash index.
const MAX_LINEAR: usize = 8;

/// Marks the transitions that change the attributes of an existing property.
const RECONFIGURE: u8 = 0x80;

/// Marks the transition of an object that stops being extensible; its key does not matter.
const NON_EXTENSIBLE: u8 = 0x40;

/// Marks the transition to the shapes of functions; its key does not matter.
const FUNCTION: u8 = 0x20;

/// The layout of objects. See the module's documentation.
#[derive(Debug)]
pub struct Shape {
    prototype: Option<Gc<Object>>,
    /// The shape without the last property; keeps the line of descent alive.
    parent: Option<Gc<Shape>>,
    table: Gc<PropertyTable>,
    count: u32,
    dictionary: bool,
    /// Dictionaries only: an inline cache relies on this shape, so a change of layout needs a new one.
    cached: bool,
    transitions: Transitions,
}

/// Keys and attributes by slot.
#[derive(Debug, Default)]
pub struct PropertyTable {
    entries: Vec<PropertyEntry>,
    index: Option<Box<HashTable<u32>>>,
    /// Dictionaries only: number of entries without a key.
    deleted: u32,
}

/// The property in a slot.
#[derive(Copy, Clone, Debug)]
pub struct PropertyEntry {
    /// The key; `None` for a deleted property of a dictionary.
    pub key: Option<PropertyKey>,
    /// Its attributes.
    pub attributes: Attributes,
}

type TransitionKey = (PropertyKey, u8);

#[derive(Debug)]
enum Transitions {
    None,
    One(TransitionKey, Gc<Shape>),
    Many(Box<HashMap<TransitionKey, Gc<Shape>, FxBuildHasher>>),
}

/// The empty shape of each prototype.
#[derive(Debug, Default)]
pub(crate) struct RootShapes {
    shapes: HashMap<Option<Gc<Object>>, Gc<Shape>, FxBuildHasher>,
}

impl RootShapes {
    pub(crate) fn sweep(&mut self, marker: &Marker) {
        self.shapes.retain(|_, shape| marker.is_marked(*shape));
    }
}

impl Shape {
    /// The prototype of objects of this shape.
    #[inline]
    pub fn prototype(&self) -> Option<Gc<Object>> {
        self.prototype
    }

    /// Number of slots in use (those of deleted dictionary properties included).
    #[inline]
    pub fn slot_count(&self) -> u32 {
        self.count
    }

    /// Whether the shape belongs to one object only and changes in place. That a property is missing must not be cached for such
    /// a receiver, and a hit only after [`Heap::note_cached`].
    #[inline]
    pub fn is_dictionary(&self) -> bool {
        self.dictionary
    }

    pub(crate) fn has_transitions(&self) -> bool {
        !matches!(self.transitions, Transitions::None)
    }

    pub(crate) fn sweep_transitions(&mut self, marker: &Marker) {
        match &mut self.transitions {
            Transitions::None => {}
            Transitions::One(_, shape) => {
                if !marker.is_marked(*shape) {
                    self.transitions = Transitions::None;
                }
            }
            Transitions::Many(map) => {
                map.retain(|_, shape| marker.is_marked(*shape));
                if map.is_empty() {
                    self.transitions = Transitions::None;
                }
            }
        }
    }

    fn transition(&self, key: TransitionKey) -> Option<Gc<Shape>> {
        match &self.transitions {
            Transitions::None => None,
            Transitions::One(only, shape) => (*only == key).then_some(*shape),
            Transitions::Many(map) => map.get(&key).copied(),
        }
    }

    fn add_transition(&mut self, key: TransitionKey, shape: Gc<Shape>) {
        match &mut self.transitions {
            Transitions::None => self.transitions = Transitions::One(key, shape),
            Transitions::One(other_key, other) => {
                let mut map = HashMap::with_capacity_and_hasher(4, FxBuildHasher);
                map.insert(*other_key, *other);
                map.insert(key, shape);
                self.transitions = Transitions::Many(Box::new(map));
            }
            Transitions::Many(map) => {
                map.insert(key, shape);
            }
        }
    }
}

impl PropertyTable {
    /// The entries by slot.
    #[inline]
    pub fn entries(&self) -> &[PropertyEntry] {
        &self.entries
    }

    /// The slot of the key among the first `count` entries.
    #[inline]
    fn find(&self, key: PropertyKey, count: u32) -> Option<(u32, Attributes)> {
        let slot = match &self.index {
            Some(index) if count as usize > MAX_LINEAR => {
                *index.find(hash(key), |&slot| self.entries[slot as usize].key == Some(key))?
            }
            _ => self.entries.iter().take(count as usize).position(|entry| entry.key == Some(key))? as u32,
        };
        if slot < count { Some((slot, self.entries[slot as usize].attributes)) } else { None }
    }

    fn push(&mut self, key: PropertyKey, attributes: Attributes) {
        let slot = self.entries.len() as u32;
        self.entries.push(PropertyEntry { key: Some(key), attributes });
        let entries = &self.entries;
        let rehash = |&slot: &u32| entries[slot as usize].key.map_or(0, hash);
        match &mut self.index {
            Some(index) => {
                index.insert_unique(hash(key), slot, rehash);
            }
            None if entries.len() > MAX_LINEAR => self.index = Some(Box::new(build_index(entries))),
            None => {}
        }
    }

    /// A table with the first `count` entries.
    fn prefix(&self, count: u32) -> PropertyTable {
        let entries = self.entries[..count as usize].to_vec();
        let index = (entries.len() > MAX_LINEAR).then(|| Box::new(build_index(&entries)));
        PropertyTable { entries, index, deleted: self.deleted }
    }

    fn remove(&mut self, slot: u32) {
        let Some(entry) = self.entries.get_mut(slot as usize) else { return };
        if let Some(key) = entry.key.take() {
            self.deleted += 1;
            if let Some(index) = &mut self.index
                && let Ok(found) = index.find_entry(hash(key), |&candidate| candidate == slot)
            {
                found.remove();
            }
        }
    }
}

fn build_index(entries: &[PropertyEntry]) -> HashTable<u32> {
    let mut index = HashTable::with_capacity(entries.len() * 2);
    for (slot, entry) in entries.iter().enumerate() {
        if let Some(key) = entry.key {
            index.insert_unique(hash(key), slot as u32, |&slot| entries[slot as usize].key.map_or(0, hash));
        }
    }
    index
}

fn hash(key: PropertyKey) -> u64 {
    // Fibonacci hashing; the high bits, which hashbrown uses for its tags, are well mixed, the low ones are folded in.
    let product = key.bits().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ product >> 32
}

impl Heap {
    /// The shape of objects with this prototype and no named properties.
    pub fn root_shape(&mut self, prototype: Option<Gc<Object>>) -> Gc<Shape> {
        if let Some(&shape) = self.root_shapes.shapes.get(&prototype) {
            return shape;
        }
        if let Some(object) = prototype {
            self[object].set_is_prototype();
        }
        let shape = self.new_root_shape(prototype);
        self.root_shapes.shapes.insert(prototype, shape);
        shape
    }

    /// The shape of an object literal with these keys (distinct, no array indices), all writable, enumerable and configurable.
    pub fn shape_for_literal(&mut self, prototype: Option<Gc<Object>>, keys: &[PropertyKey]) -> Gc<Shape> {
        let mut shape = self.root_shape(prototype);
        for &key in keys {
            shape = self.shape_with(shape, key, Attributes::ALL);
        }
        shape
    }

    /// The shape with one more property, whose slot is the old [`Shape::slot_count`]. The key must not be in the shape yet. A
    /// dictionary changes in place and is returned itself. Does not turn large shapes into dictionaries.
    #[inline]
    pub fn shape_with(&mut self, shape: Gc<Shape>, key: PropertyKey, attributes: Attributes) -> Gc<Shape> {
        match self[shape].transition((key, attributes.bits())) {
            Some(next) => next,
            None => self.extend_shape(shape, key, attributes),
        }
    }

    /// The shape with one more plain property, if some object has gone that way before.
    #[inline]
    pub fn shape_transition(&self, shape: Gc<Shape>, key: PropertyKey) -> Option<Gc<Shape>> {
        self[shape].transition((key, Attributes::ALL.bits()))
    }

    /// Slot and attributes of the key.
    #[inline]
    pub fn shape_find(&self, shape: Gc<Shape>, key: PropertyKey) -> Option<(u32, Attributes)> {
        let shape = &self[shape];
        if shape.count == 0 {
            return None;
        }
        self[shape.table].find(key, shape.count)
    }

    /// The properties in creation order, by slot; entries without a key are deleted.
    pub fn shape_entries(&self, shape: Gc<Shape>) -> &[PropertyEntry] {
        let shape = &self[shape];
        &self[shape.table].entries[..shape.count as usize]
    }

    /// To be called when an inline cache remembers that a property of this shape is in some slot of the receiver itself.
    pub fn note_cached(&mut self, shape: Gc<Shape>) {
        let shape = &mut self[shape];
        if shape.dictionary {
            shape.cached = true;
        }
    }

    /// Whether adding a property should turn the object into a dictionary first.
    pub(super) fn shape_is_full(&self, shape: Gc<Shape>) -> bool {
        let shape = &self[shape];
        !shape.dictionary && shape.count >= MAX_SHAPE_PROPERTIES
    }

    /// The shape with other attributes for the property in `slot`; a dictionary changes in place or is replaced by a new one.
    pub(super) fn shape_with_attributes(&mut self, shape: Gc<Shape>, slot: u32, attributes: Attributes) -> Gc<Shape> {
        let Shape { table, count, dictionary, prototype, .. } = self[shape];
        if dictionary {
            if let Some(entry) = self[table].entries.get_mut(slot as usize) {
                entry.attributes = attributes;
            }
            return self.changed_dictionary(shape);
        }
        let Some(key) = self.shape_entries(shape).get(slot as usize).and_then(|entry| entry.key) else { return shape };
        let transition = (key, attributes.bits() | RECONFIGURE);
        if let Some(next) = self[shape].transition(transition) {
            return next;
        }
        let mut copy = self[table].prefix(count);
        copy.entries[slot as usize].attributes = attributes;
        self.charge(copy.payload_bytes());
        let table = self.allocate(copy);
        let next = self.allocate(Shape { parent: Some(shape), ..Shape::new(prototype, table, count) });
        self.charge_transition();
        self[shape].add_transition(transition, next);
        next
    }

    /// The shape of objects that are not extensible any more, so that cached additions never apply to them.
    pub(super) fn shape_without_extension(&mut self, shape: Gc<Shape>) -> Gc<Shape> {
        self.shape_twin(shape, NON_EXTENSIBLE)
    }

    /// The shape of functions: what is cached for other objects with the same prototype must not apply to functions whose properties
    /// are not created yet.
    pub(super) fn shape_for_function(&mut self, shape: Gc<Shape>) -> Gc<Shape> {
        self.shape_twin(shape, FUNCTION)
    }

    /// A shape with the same properties that differs by a mark.
    fn shape_twin(&mut self, shape: Gc<Shape>, mark: u8) -> Gc<Shape> {
        let Shape { prototype, table, count, dictionary, .. } = self[shape];
        if dictionary {
            return self.changed_dictionary(shape);
        }
        let transition = (PropertyKey::name(names::EMPTY), mark);
        if let Some(next) = self[shape].transition(transition) {
            return next;
        }
        let next = self.allocate(Shape { parent: Some(shape), ..Shape::new(prototype, table, count) });
        self.charge_transition();
        self[shape].add_transition(transition, next);
        next
    }

    /// The shape before the property in `slot` was added, when that is the last one of an ordinary shape.
    pub(super) fn shape_before_last(&self, shape: Gc<Shape>, slot: u32) -> Option<Gc<Shape>> {
        let Shape { parent, count, dictionary, prototype, table, .. } = self[shape];
        let parent = parent.filter(|_| !dictionary && slot + 1 == count)?;
        let before = &self[parent];
        (before.count == slot && before.prototype == prototype && before.table == table).then_some(parent)
    }

    /// A dictionary with the same properties in the same slots.
    pub(super) fn shape_to_dictionary(&mut self, shape: Gc<Shape>) -> Gc<Shape> {
        let Shape { prototype, table, count, dictionary, .. } = self[shape];
        if dictionary {
            return shape;
        }
        let copy = self[table].prefix(count);
        self.charge(copy.payload_bytes());
        let table = self.allocate(copy);
        self.allocate(Shape { dictionary: true, ..Shape::new(prototype, table, count) })
    }

    /// Removes the property in `slot` of a dictionary. The slot stays unused.
    pub(super) fn dictionary_remove(&mut self, shape: Gc<Shape>, slot: u32) -> Gc<Shape> {
        let table = self[shape].table;
        self[table].remove(slot);
        self.changed_dictionary(shape)
    }

    /// The slots still in use, in order, when so many are deleted that the dictionary should be compacted; it then is, and
    /// the object must move its values accordingly.
    pub(super) fn compact_dictionary(&mut self, shape: Gc<Shape>) -> Option<(Gc<Shape>, Vec<u32>)> {
        let Shape { table, .. } = self[shape];
        let old = &mut self[table];
        if old.deleted < 32 || (old.deleted as usize) < old.entries.len() / 2 {
            return None;
        }
        let mut slots = Vec::with_capacity(old.entries.len() - old.deleted as usize);
        let mut entries = Vec::with_capacity(old.entries.len() - old.deleted as usize);
        for (slot, entry) in old.entries.iter().enumerate() {
            if entry.key.is_some() {
                slots.push(slot as u32);
                entries.push(*entry);
            }
        }
        let index = (entries.len() > MAX_LINEAR).then(|| Box::new(build_index(&entries)));
        *old = PropertyTable { entries, index, deleted: 0 };
        self[shape].count = slots.len() as u32;
        Some((self.changed_dictionary(shape), slots))
    }

    /// The same properties in the same slots under another prototype.
    pub(super) fn shape_with_prototype(&mut self, shape: Gc<Shape>, prototype: Option<Gc<Object>>) -> Gc<Shape> {
        if self[shape].dictionary {
            if let Some(object) = prototype {
                self[object].set_is_prototype();
            }
            self[shape].prototype = prototype;
            return self.changed_dictionary(shape);
        }
        let entries = self.shape_entries(shape).to_vec();
        let mut next = self.root_shape(prototype);
        for PropertyEntry { key, attributes } in entries {
            if let Some(key) = key {
                next = self.shape_with(next, key, attributes);
            }
        }
        next
    }

    fn new_root_shape(&mut self, prototype: Option<Gc<Object>>) -> Gc<Shape> {
        let table = self.allocate(PropertyTable::default());
        self.allocate(Shape::new(prototype, table, 0))
    }

    #[cold]
    fn extend_shape(&mut self, shape: Gc<Shape>, key: PropertyKey, attributes: Attributes) -> Gc<Shape> {
        let Shape { prototype, table, count, dictionary, .. } = self[shape];
        let capacity = self[table].entries.capacity();
        if dictionary {
            self[table].push(key, attributes);
            self[shape].count = count + 1;
            self.charge_growth(table, capacity);
            return shape;
        }
        let next_table = if self[table].entries.len() == count as usize {
            table
        } else {
            // Another shape has gone on from here in another direction.
            let copy = self[table].prefix(count);
            self.charge(copy.payload_bytes());
            self.allocate(copy)
        };
        self[next_table].push(key, attributes);
        self.charge_growth(next_table, capacity);
        let next = self.allocate(Shape { parent: Some(shape), ..Shape::new(prototype, next_table, count + 1) });
        self.charge_transition();
        self[shape].add_transition((key, attributes.bits()), next);
        next
    }

    fn charge_growth(&mut self, table: Gc<PropertyTable>, old_capacity: usize) {
        let grown = self[table].entries.capacity().saturating_sub(old_capacity);
        self.charge(grown * (size_of::<PropertyEntry>() + size_of::<u32>()));
    }

    fn charge_transition(&mut self) {
        self.charge(size_of::<(TransitionKey, Gc<Shape>)>());
    }

    /// A dictionary that caches rely on must not change under the same handle.
    fn changed_dictionary(&mut self, shape: Gc<Shape>) -> Gc<Shape> {
        let Shape { prototype, table, count, cached, .. } = self[shape];
        if cached { self.allocate(Shape { dictionary: true, ..Shape::new(prototype, table, count) }) } else { shape }
    }
}

impl Shape {
    fn new(prototype: Option<Gc<Object>>, table: Gc<PropertyTable>, count: u32) -> Self {
        Self { prototype, parent: None, table, count, dictionary: false, cached: false, transitions: Transitions::None }
    }
}

impl Trace for Shape {
    fn trace(&self, marker: &mut Marker) {
        marker.mark_option(self.prototype);
        marker.mark_option(self.parent);
        marker.mark(self.table);
        // Keys of transitions belong to children, which keep them alive; transitions to dead children are swept.
    }
}

impl Cell for Shape {
    const KIND: CellKind = CellKind::Shape;

    fn vacant() -> Self {
        Shape::new(None, Gc::fixed(1), 0)
    }

    fn payload_bytes(&self) -> usize {
        match &self.transitions {
            Transitions::Many(map) => map.capacity() * size_of::<(TransitionKey, Gc<Shape>)>(),
            _ => 0,
        }
    }

    fn arena(heap: &Heap) -> &Arena<Self> {
        &heap.shapes
    }

    fn arena_mut(heap: &mut Heap) -> &mut Arena<Self> {
        &mut heap.shapes
    }
}

impl Trace for PropertyTable {
    fn trace(&self, marker: &mut Marker) {
        for key in self.entries.iter().filter_map(|entry| entry.key) {
            marker.mark_key(key);
        }
    }
}

impl Cell for PropertyTable {
    const KIND: CellKind = CellKind::PropertyTable;

    fn vacant() -> Self {
        Self::default()
    }

    fn payload_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<PropertyEntry>()
            + self.index.as_ref().map_or(0, |index| index.capacity() * size_of::<u32>())
    }

    fn arena(heap: &Heap) -> &Arena<Self> {
        &heap.property_tables
    }

    fn arena_mut(heap: &mut Heap) -> &mut Arena<Self> {
        &mut heap.property_tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transitions_are_shared_and_branch() {
        let mut heap = Heap::new();
        let keys: Vec<PropertyKey> = (0..20).map(|i| heap.key_from_str(&format!("k{i}"))).collect();
        let first = heap.shape_for_literal(None, &keys);
        assert_eq!(heap.shape_for_literal(None, &keys), first);
        for (slot, &key) in keys.iter().enumerate() {
            assert_eq!(heap.shape_find(first, key), Some((slot as u32, Attributes::ALL)));
        }
        // A branch after ten properties sees the first ten and its own, and nothing of the other line.
        let ten = heap.shape_for_literal(None, &keys[..10]);
        let other = heap.key_from_str("other");
        let branch = heap.shape_with(ten, other, Attributes::HIDDEN);
        assert_eq!(heap.shape_find(branch, other), Some((10, Attributes::HIDDEN)));
        assert_eq!(heap.shape_find(branch, keys[10]), None);
        assert_eq!(heap.shape_find(ten, keys[10]), None);
        assert_eq!(heap.shape_find(first, other), None);
    }

    #[test]
    fn unused_shapes_are_collected() {
        let mut heap = Heap::new();
        let keys: Vec<PropertyKey> = (0..3).map(|i| heap.key_from_str(&format!("k{i}"))).collect();
        let kept = heap.shape_for_literal(None, &keys[..1]);
        heap.shape_for_literal(None, &keys[..2]);
        heap.shape_for_literal(None, &keys[2..]);
        assert_eq!(heap.shapes.len(), 4);
        heap.collect(|marker| marker.mark(kept));
        assert_eq!(heap.shapes.len(), 2);
        assert_eq!(heap.shape_for_literal(None, &[]), heap[kept].parent.unwrap());
        let key = heap.key_from_str("k1");
        let again = heap.shape_with(kept, key, Attributes::ALL);
        assert_eq!(heap[again].slot_count(), 2);
    }
}
