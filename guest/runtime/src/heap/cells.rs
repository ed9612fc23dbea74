//! The smallest cell types.

use super::{Arena, Cell, CellKind, Heap, Marker, Trace};
use crate::value::Value;

/// Getter and setter of an accessor property, each `undefined` or callable.
#[derive(Copy, Clone, Debug)]
pub struct Accessor {
    /// \[\[Get]]
    pub getter: Value,
    /// \[\[Set]]
    pub setter: Value,
}

/// A BigInt value. Arithmetic is in [`crate::bigint`].
#[derive(Clone, Debug, Default)]
pub struct BigIntCell(pub num_bigint::BigInt);

impl Trace for Accessor {
    fn trace(&self, marker: &mut Marker) {
        marker.mark_value(self.getter);
        marker.mark_value(self.setter);
    }
}

impl Cell for Accessor {
    const KIND: CellKind = CellKind::Accessor;

    fn vacant() -> Self {
        Self { getter: Value::UNDEFINED, setter: Value::UNDEFINED }
    }

    fn owns_memory(&self) -> bool {
        false
    }

    fn payload_bytes(&self) -> usize {
        0
    }

    fn arena(heap: &Heap) -> &Arena<Self> {
        &heap.accessors
    }

    fn arena_mut(heap: &mut Heap) -> &mut Arena<Self> {
        &mut heap.accessors
    }
}

impl Trace for BigIntCell {
    fn trace(&self, _: &mut Marker) {}
}

impl Cell for BigIntCell {
    const KIND: CellKind = CellKind::BigInt;

    fn vacant() -> Self {
        // The zero of num-bigint has no digits and so owns no memory.
        Self::default()
    }

    fn payload_bytes(&self) -> usize {
        (self.0.bits() / 8) as usize
    }

    fn arena(heap: &Heap) -> &Arena<Self> {
        &heap.bigints
    }

    fn arena_mut(heap: &mut Heap) -> &mut Arena<Self> {
        &mut heap.bigints
    }
}

impl Heap {
    /// A new BigInt cell.
    pub fn new_bigint(&mut self, value: num_bigint::BigInt) -> Value {
        let cell = BigIntCell(value);
        self.charge(cell.payload_bytes());
        Value::bigint(self.allocate(cell))
    }
}
