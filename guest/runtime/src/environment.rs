//! Environments: the variables that closures share.

use thin_vec::ThinVec;

use crate::heap::{Arena, Cell, CellKind, Gc, Heap, Marker, Trace};
use crate::value::Value;

/// Slots stored in the cell itself.
const INLINE: usize = 4;

/// The captured variables of one scope. Which variable is in which slot is decided by the compiler.
pub struct Environment {
    /// The environment around this one.
    pub parent: Option<Gc<Environment>>,
    count: u32,
    inline: [Value; INLINE],
    more: ThinVec<Value>,
}

impl Environment {
    /// The value in the slot; EMPTY when the binding is not initialised, or for a slot that does not exist.
    #[inline]
    pub fn get(&self, slot: usize) -> Value {
        if slot < INLINE { self.inline[slot] } else { self.more.get(slot - INLINE).copied().unwrap_or(Value::EMPTY) }
    }

    /// Sets the value in the slot; nothing for a slot that does not exist.
    #[inline]
    pub fn set(&mut self, slot: usize, value: Value) {
        if slot < INLINE {
            self.inline[slot] = value;
        } else if let Some(place) = self.more.get_mut(slot - INLINE) {
            *place = value;
        }
    }

    /// The number of slots.
    #[inline]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are no slots.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl Heap {
    /// A new environment whose slots are all EMPTY.
    #[inline]
    pub fn new_environment(&mut self, parent: Option<Gc<Environment>>, count: usize) -> Gc<Environment> {
        self.new_environment_filled(parent, count, Value::EMPTY)
    }

    /// A new environment whose slots all hold `value`.
    #[inline]
    pub fn new_environment_filled(
        &mut self,
        parent: Option<Gc<Environment>>,
        count: usize,
        value: Value,
    ) -> Gc<Environment> {
        let mut more = ThinVec::new();
        if count > INLINE {
            more.resize(count - INLINE, value);
            self.charge(more.len() * size_of::<Value>());
        }
        self.allocate(Environment { parent, count: count as u32, inline: [value; INLINE], more })
    }

    /// A copy with the same parent: the environment of the next iteration of a loop.
    #[inline]
    pub fn copy_environment(&mut self, environment: Gc<Environment>) -> Gc<Environment> {
        let Environment { parent, count, inline, ref more } = self[environment];
        let more = more.clone();
        self.charge(more.len() * size_of::<Value>());
        self.allocate(Environment { parent, count, inline, more })
    }
}

impl Trace for Environment {
    fn trace(&self, marker: &mut Marker) {
        marker.mark_option(self.parent);
        marker.mark_values(&self.inline);
        marker.mark_values(&self.more);
    }
}

impl Cell for Environment {
    const KIND: CellKind = CellKind::Environment;

    fn vacant() -> Self {
        Self { parent: None, count: 0, inline: [Value::EMPTY; INLINE], more: ThinVec::new() }
    }

    fn payload_bytes(&self) -> usize {
        self.more.capacity() * size_of::<Value>()
    }

    fn owns_memory(&self) -> bool {
        self.more.capacity() != 0
    }

    fn arena(heap: &Heap) -> &Arena<Self> {
        &heap.environments
    }

    fn arena_mut(heap: &mut Heap) -> &mut Arena<Self> {
        &mut heap.environments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_and_copies() {
        let mut heap = Heap::new();
        let outer = heap.new_environment(None, 1);
        let inner = heap.new_environment(Some(outer), 6);
        for slot in 0..6 {
            assert!(heap[inner].get(slot).is_empty());
            heap[inner].set(slot, Value::from(slot));
        }
        let copy = heap.copy_environment(inner);
        heap[inner].set(5, Value::TRUE);
        assert_eq!(heap[copy].get(5), Value::int(5));
        assert_eq!(heap[copy].len(), 6);
        heap.collect(|marker| marker.mark(copy));
        assert_eq!(heap[copy].get(0), Value::int(0));
        assert!(heap[heap[copy].parent.unwrap()].get(0).is_empty());
        assert_eq!(heap.environments.len(), 2);
    }
}
