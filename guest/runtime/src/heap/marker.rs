//! Marking: finding every cell that can be reached from the roots.

use super::{Cell, CellKind, Gc, Heap};
use crate::object::Object;
use crate::property_key::PropertyKey;
use crate::value::{Unpacked, Value};

/// Something that holds values or handles.
pub trait Trace {
    /// Reports every value and handle that this keeps alive.
    fn trace(&self, marker: &mut Marker);
}

/// The state of one marking phase: mark bits per cell type and the cells found but not yet traced. Recursion over the object
/// graph is replaced by this explicit stack.
pub struct Marker {
    marks: [Vec<u64>; CellKind::COUNT],
    stack: Vec<(CellKind, u32)>,
    /// The cell that is being traced, for diagnostics.
    #[cfg(debug_assertions)]
    current: Option<(CellKind, u32)>,
    /// Who reported each cell on the stack; `None` for a root.
    #[cfg(debug_assertions)]
    origins: Vec<Option<(CellKind, u32)>>,
    /// Weak collections, weak references and registries reached so far, to be looked at after the strong phase.
    pub(super) weak_objects: Vec<Gc<Object>>,
    /// Bytes of the cells traced so far with their payloads.
    pub(super) bytes: usize,
}

impl Marker {
    pub(super) fn new(heap: &Heap) -> Self {
        let mut marks: [Vec<u64>; CellKind::COUNT] = Default::default();
        for kind in CellKind::ALL {
            marks[kind as usize] = vec![0; heap.bitmap_words(kind)];
        }
        Self {
            marks,
            stack: Vec::new(),
            #[cfg(debug_assertions)]
            current: None,
            #[cfg(debug_assertions)]
            origins: Vec::new(),
            weak_objects: Vec::new(),
            bytes: 0,
        }
    }

    /// Keeps what the value refers to alive.
    #[inline]
    pub fn mark_value(&mut self, value: Value) {
        if value.is_number() {
            return;
        }
        match value.unpack() {
            Unpacked::Object(gc) => self.mark(gc),
            Unpacked::String(gc) => self.mark(gc),
            Unpacked::Symbol(gc) => self.mark(gc),
            Unpacked::BigInt(gc) => self.mark(gc),
            Unpacked::Accessor(gc) => self.mark(gc),
            _ => {
                if let Some(environment) = value.as_environment() {
                    self.mark(environment);
                }
            }
        }
    }

    /// Keeps all these values alive.
    pub fn mark_values(&mut self, values: &[Value]) {
        for &value in values {
            self.mark_value(value);
        }
    }

    /// Keeps the string or symbol of the key alive.
    #[inline]
    pub fn mark_key(&mut self, key: PropertyKey) {
        if let Some(atom) = key.as_atom() {
            self.mark(atom);
        } else if let Some(symbol) = key.as_symbol() {
            self.mark(symbol);
        }
    }

    /// Keeps the cell alive.
    #[inline]
    pub fn mark<T: Cell>(&mut self, gc: Gc<T>) {
        let index = gc.index() as usize;
        let Some(word) = self.marks[T::KIND as usize].get_mut(index / 64) else { return };
        let bit = 1 << (index % 64);
        if *word & bit == 0 {
            *word |= bit;
            self.stack.push((T::KIND, gc.index()));
            #[cfg(debug_assertions)]
            self.origins.push(self.current);
        }
    }

    /// Keeps the cell alive, if there is one.
    pub fn mark_option<T: Cell>(&mut self, gc: Option<Gc<T>>) {
        if let Some(gc) = gc {
            self.mark(gc);
        }
    }

    /// Whether the cell was reached.
    #[inline]
    pub fn is_marked<T: Cell>(&self, gc: Gc<T>) -> bool {
        let index = gc.index() as usize;
        self.marks[T::KIND as usize].get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Whether the value needs no cell or its cell was reached.
    pub fn is_value_marked(&self, value: Value) -> bool {
        match value.unpack() {
            Unpacked::Object(gc) => self.is_marked(gc),
            Unpacked::String(gc) => self.is_marked(gc),
            Unpacked::Symbol(gc) => self.is_marked(gc),
            Unpacked::BigInt(gc) => self.is_marked(gc),
            Unpacked::Accessor(gc) => self.is_marked(gc),
            _ => true,
        }
    }

    /// To be called by the trace function of an object with weak parts.
    pub fn note_weak(&mut self, object: Gc<Object>) {
        self.weak_objects.push(object);
    }

    /// Traces until nothing reachable is left unmarked.
    pub(super) fn drain(&mut self, heap: &Heap) {
        while let Some((kind, index)) = self.stack.pop() {
            #[cfg(debug_assertions)]
            self.check_live(heap, kind, index);
            match kind {
                CellKind::Object => self.trace_object(heap, index),
                CellKind::String => self.trace_cell(&heap.strings, index),
                CellKind::Symbol => self.trace_cell(&heap.symbols, index),
                CellKind::BigInt => self.trace_cell(&heap.bigints, index),
                CellKind::Shape => self.trace_cell(&heap.shapes, index),
                CellKind::PropertyTable => self.trace_cell(&heap.property_tables, index),
                CellKind::Environment => self.trace_cell(&heap.environments, index),
                CellKind::Accessor => self.trace_cell(&heap.accessors, index),
            }
        }
        #[cfg(debug_assertions)]
        {
            self.current = None;
        }
    }

    /// Debug builds say who holds a stale handle.
    #[cfg(debug_assertions)]
    fn check_live(&mut self, heap: &Heap, kind: CellKind, index: u32) {
        let origin = self.origins.pop().flatten();
        let live = match kind {
            CellKind::Object => heap.objects.is_live(index as usize),
            CellKind::String => heap.strings.is_live(index as usize),
            CellKind::Symbol => heap.symbols.is_live(index as usize),
            CellKind::BigInt => heap.bigints.is_live(index as usize),
            CellKind::Shape => heap.shapes.is_live(index as usize),
            CellKind::PropertyTable => heap.property_tables.is_live(index as usize),
            CellKind::Environment => heap.environments.is_live(index as usize),
            CellKind::Accessor => heap.accessors.is_live(index as usize),
        };
        assert!(live, "stale handle {index} of {kind:?}, held by {origin:?} (none: a root)");
        self.current = Some((kind, index));
    }

    pub(super) fn marks(&self, kind: CellKind) -> &[u64] {
        &self.marks[kind as usize]
    }

    fn trace_object(&mut self, heap: &Heap, index: u32) {
        if let Some(gc) = Gc::<Object>::from_index(index)
            && heap[gc].kind.is_weak()
        {
            self.note_weak(gc);
        }
        self.trace_cell(&heap.objects, index);
    }

    fn trace_cell<T: Cell>(&mut self, arena: &super::Arena<T>, index: u32) {
        let Some(gc) = Gc::from_index(index) else { return };
        let cell = arena.get(gc);
        self.bytes += size_of::<T>() + cell.payload_bytes();
        cell.trace(self);
    }
}
