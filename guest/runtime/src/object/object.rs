//! The heap cell of an object.

use thin_vec::ThinVec;

use super::{Elements, ObjectKind, Shape};
use crate::heap::{Arena, Cell, CellKind, Gc, Heap, Marker, Trace};
use crate::value::Value;

/// Named properties stored in the cell itself.
pub const INLINE_SLOTS: usize = 4;

/// Facts about an object that do not depend on its shape.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct ObjectFlags(u16);

impl ObjectFlags {
    /// \[\[Extensible]] is false.
    pub const NON_EXTENSIBLE: ObjectFlags = ObjectFlags(1);
    /// Is or was a prototype: layout changes bump [`Heap::prototype_epoch`].
    pub const IS_PROTOTYPE: ObjectFlags = ObjectFlags(1 << 1);
    /// An array whose `length` is not writable.
    pub const LENGTH_READ_ONLY: ObjectFlags = ObjectFlags(1 << 2);
    /// Has \[\[Call]].
    pub const CALLABLE: ObjectFlags = ObjectFlags(1 << 3);
    /// Has \[\[Construct]].
    pub const CONSTRUCTOR: ObjectFlags = ObjectFlags(1 << 4);
    /// A function whose own properties `length`, `name` and `prototype` are not created yet, see
    /// [`Vm::materialize`](crate::vm::Vm).
    pub const LAZY: ObjectFlags = ObjectFlags(1 << 5);
    /// Property operations depend on the object's kind (except for arrays, which the ordinary operations know).
    pub const EXOTIC: ObjectFlags = ObjectFlags(1 << 6);
    /// Dense elements are not configurable.
    pub const ELEMENTS_SEALED: ObjectFlags = ObjectFlags(1 << 7);
    /// Dense elements are not writable.
    pub const ELEMENTS_FROZEN: ObjectFlags = ObjectFlags(1 << 8);
    /// A class constructor: cannot be called.
    pub const CLASS_CONSTRUCTOR: ObjectFlags = ObjectFlags(1 << 9);
    /// An immutable prototype exotic object (`Object.prototype`).
    pub const IMMUTABLE_PROTOTYPE: ObjectFlags = ObjectFlags(1 << 10);

    /// Whether any of `other` is set.
    #[inline]
    pub const fn intersects(self, other: ObjectFlags) -> bool {
        self.0 & other.0 != 0
    }

    /// Sets or clears `other`.
    #[inline]
    pub fn set(&mut self, other: ObjectFlags, on: bool) {
        if on {
            self.0 |= other.0;
        } else {
            self.0 &= !other.0;
        }
    }

    /// The union.
    pub const fn union(self, other: ObjectFlags) -> ObjectFlags {
        ObjectFlags(self.0 | other.0)
    }
}

/// An object: shape, slots for named properties, elements, and what its kind adds.
pub struct Object {
    pub(super) shape: Gc<Shape>,
    /// Facts that do not depend on the shape.
    pub flags: ObjectFlags,
    /// What the object is, with internal slots.
    pub kind: ObjectKind,
    inline: [Value; INLINE_SLOTS],
    more: ThinVec<Value>,
    /// Properties with index keys.
    pub elements: Elements,
}

impl Object {
    pub(super) fn new(shape: Gc<Shape>, kind: ObjectKind) -> Self {
        Self {
            shape,
            flags: kind.initial_flags(),
            kind,
            inline: [Value::EMPTY; INLINE_SLOTS],
            more: ThinVec::new(),
            elements: Elements::default(),
        }
    }

    pub(super) fn ordinary(shape: Gc<Shape>, values: [Value; INLINE_SLOTS]) -> Self {
        Self {
            shape,
            flags: ObjectFlags::default(),
            kind: ObjectKind::Ordinary,
            inline: values,
            more: ThinVec::new(),
            elements: Elements::default(),
        }
    }

    /// The shape.
    #[inline]
    pub fn shape(&self) -> Gc<Shape> {
        self.shape
    }

    /// The value in a slot of the shape: may be an accessor pair. EMPTY for a slot that does not exist.
    #[inline]
    pub fn slot(&self, slot: u32) -> Value {
        let slot = slot as usize;
        if slot < INLINE_SLOTS {
            self.inline[slot]
        } else {
            self.more.get(slot - INLINE_SLOTS).copied().unwrap_or(Value::EMPTY)
        }
    }

    /// Overwrites the value in a slot of the shape.
    #[inline]
    pub fn set_slot(&mut self, slot: u32, value: Value) {
        let slot = slot as usize;
        if slot < INLINE_SLOTS {
            self.inline[slot] = value;
        } else if let Some(place) = self.more.get_mut(slot - INLINE_SLOTS) {
            *place = value;
        }
    }

    /// Moves to a shape that has one more property, in `slot`. Answers by how many bytes memory has grown.
    #[inline]
    pub(super) fn add_slot(&mut self, shape: Gc<Shape>, slot: u32, value: Value) -> usize {
        self.shape = shape;
        let slot = slot as usize;
        if slot < INLINE_SLOTS {
            self.inline[slot] = value;
            return 0;
        }
        let before = self.more.capacity();
        let place = slot - INLINE_SLOTS;
        if place < self.more.len() {
            self.more[place] = value;
        } else {
            self.more.resize(place, Value::EMPTY);
            self.more.push(value);
        }
        (self.more.capacity() - before) * size_of::<Value>()
    }

    /// Sets the values of all slots that are not in the cell. Answers by how many bytes memory has grown.
    pub(super) fn set_more(&mut self, values: &[Value]) -> usize {
        self.more = ThinVec::from(values);
        self.more.capacity() * size_of::<Value>()
    }

    /// Keeps only the values in these slots, in this order.
    pub(super) fn compact_slots(&mut self, slots: &[u32]) {
        let values: Vec<Value> = slots.iter().map(|&slot| self.slot(slot)).collect();
        self.inline = [Value::EMPTY; INLINE_SLOTS];
        self.more = values.iter().skip(INLINE_SLOTS).copied().collect();
        for (place, value) in self.inline.iter_mut().zip(values) {
            *place = value;
        }
    }

    /// \[\[Extensible]] of an object that is no proxy.
    #[inline]
    pub fn is_extensible(&self) -> bool {
        !self.flags.intersects(ObjectFlags::NON_EXTENSIBLE)
    }

    /// Whether elements that are present can be overwritten without asking anything else: false for frozen elements only.
    #[inline]
    pub fn has_writable_elements(&self) -> bool {
        !self.flags.intersects(ObjectFlags::ELEMENTS_FROZEN)
    }

    /// Whether the object has \[\[Call]].
    #[inline]
    pub fn is_callable(&self) -> bool {
        self.flags.intersects(ObjectFlags::CALLABLE)
    }

    /// Whether the object has \[\[Construct]].
    #[inline]
    pub fn is_constructor(&self) -> bool {
        self.flags.intersects(ObjectFlags::CONSTRUCTOR)
    }

    /// Whether the object is an Array exotic object.
    #[inline]
    pub fn is_array(&self) -> bool {
        matches!(self.kind, ObjectKind::Array)
    }

    /// Notes that the object is a prototype of others.
    #[inline]
    pub fn set_is_prototype(&mut self) {
        self.flags.set(ObjectFlags::IS_PROTOTYPE, true);
    }
}

impl Trace for Object {
    fn trace(&self, marker: &mut Marker) {
        marker.mark(self.shape);
        marker.mark_values(&self.inline);
        marker.mark_values(&self.more);
        self.elements.trace(marker);
        self.kind.trace(marker);
    }
}

impl Cell for Object {
    const KIND: CellKind = CellKind::Object;

    fn vacant() -> Self {
        Object::ordinary(Gc::fixed(1), [Value::EMPTY; INLINE_SLOTS])
    }

    fn payload_bytes(&self) -> usize {
        self.more.capacity() * size_of::<Value>() + self.elements.payload_bytes() + self.kind.payload_bytes()
    }

    #[inline]
    fn owns_memory(&self) -> bool {
        self.more.capacity() != 0 || self.elements.owns_memory() || self.kind.owns_memory()
    }

    fn arena(heap: &Heap) -> &Arena<Self> {
        &heap.objects
    }

    fn arena_mut(heap: &mut Heap) -> &mut Arena<Self> {
        &mut heap.objects
    }
}

// The size of the most frequent cell is a decision, not an accident.
#[cfg(target_pointer_width = "32")]
const _: () = assert!(size_of::<Object>() <= 72);
