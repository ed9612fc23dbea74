//! The garbage-collected heap: cells addressed by index handles, precise non-moving mark and sweep.
//!
//! `&mut Heap` allocates but never collects: [`Heap::collect`] is called at the safepoints of the virtual machine only, with
//! all roots. Sizes of cells and of the memory they own are charged to one account, which decides when to collect and whether
//! the program is over its memory limit.

mod arena;
mod cells;
mod marker;
#[cfg(test)]
mod tests;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Index, IndexMut};

pub use arena::Arena;
pub use cells::{Accessor, BigIntCell};
pub use marker::{Marker, Trace};

use crate::environment::Environment;
use crate::names;
use crate::object::shape::RootShapes;
use crate::object::{Object, ObjectKind, PropertyTable, Shape};
use crate::string::{JsString, StringTable};
use crate::symbol::{self, Symbol, SymbolRegistry};

/// The heap is first collected when it holds this many bytes.
const MIN_THRESHOLD: usize = 4 << 20;

/// A handle of a cell: an index, never a pointer. Copying it does not keep the cell alive; only what is reachable from the
/// roots at a safepoint is.
pub struct Gc<T> {
    index: NonZeroU32,
    cell: PhantomData<fn() -> T>,
}

impl<T> Gc<T> {
    /// The handle with this index; `None` for 0.
    #[inline]
    pub const fn from_index(index: u32) -> Option<Self> {
        match NonZeroU32::new(index) {
            Some(index) => Some(Self { index, cell: PhantomData }),
            None => None,
        }
    }

    /// The index.
    #[inline]
    pub const fn index(self) -> u32 {
        self.index.get()
    }

    /// A handle whose index is known when the engine is compiled; the index must not be 0.
    pub(crate) const fn fixed(index: u32) -> Self {
        match Self::from_index(index) {
            Some(gc) => gc,
            None => panic!("handles are never zero"),
        }
    }
}

impl<T> Copy for Gc<T> {}

impl<T> Clone for Gc<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> PartialEq for Gc<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

impl<T> Eq for Gc<T> {}

impl<T> Hash for Gc<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
    }
}

impl<T> fmt::Debug for Gc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.index)
    }
}

/// The cell types.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CellKind {
    /// [`Object`]
    Object,
    /// [`JsString`]
    String,
    /// [`Symbol`]
    Symbol,
    /// [`BigIntCell`]
    BigInt,
    /// [`Shape`]
    Shape,
    /// [`PropertyTable`]
    PropertyTable,
    /// [`Environment`]
    Environment,
    /// [`Accessor`]
    Accessor,
}

impl CellKind {
    /// Number of cell types.
    pub const COUNT: usize = 8;
    /// All cell types.
    pub const ALL: [CellKind; Self::COUNT] = [
        CellKind::Object,
        CellKind::String,
        CellKind::Symbol,
        CellKind::BigInt,
        CellKind::Shape,
        CellKind::PropertyTable,
        CellKind::Environment,
        CellKind::Accessor,
    ];
}

/// A type that lives in the heap.
pub trait Cell: Trace + Sized + 'static {
    /// Which type it is.
    const KIND: CellKind;

    /// What an unused cell holds: a value that owns no memory.
    fn vacant() -> Self;

    /// Bytes owned outside the cell.
    fn payload_bytes(&self) -> usize;

    /// Whether the cell owns anything that must be given back when it dies. May be true without reason, never false.
    fn owns_memory(&self) -> bool {
        true
    }

    /// Where cells of this type are.
    fn arena(heap: &Heap) -> &Arena<Self>;

    /// Where cells of this type are, for writing.
    fn arena_mut(heap: &mut Heap) -> &mut Arena<Self>;
}

/// The program would exceed its memory limit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

/// What a collection found.
#[derive(Debug, Default)]
pub struct Collection {
    /// FinalizationRegistry objects with held values to report.
    pub ready_registries: Vec<Gc<Object>>,
}

/// All cells of one engine, with their account.
pub struct Heap {
    pub(crate) objects: Arena<Object>,
    pub(crate) strings: Arena<JsString>,
    pub(crate) symbols: Arena<Symbol>,
    pub(crate) bigints: Arena<BigIntCell>,
    pub(crate) shapes: Arena<Shape>,
    pub(crate) property_tables: Arena<PropertyTable>,
    pub(crate) environments: Arena<Environment>,
    pub(crate) accessors: Arena<Accessor>,

    pub(crate) string_table: StringTable,
    pub(crate) symbol_registry: SymbolRegistry,
    pub(crate) root_shapes: RootShapes,

    /// Changes whenever an object that is a prototype changes its layout or prototype, so that inline caches can rely on what
    /// they found on prototypes.
    pub prototype_epoch: u32,

    bytes: usize,
    peak_bytes: usize,
    live_bytes: usize,
    threshold: usize,
    limit: usize,
    zeal: bool,
    collections: u32,
}

impl Default for Heap {
    fn default() -> Self {
        Self::new()
    }
}

impl Heap {
    /// A heap with the well-known names and symbols in it.
    pub fn new() -> Self {
        let mut heap = Self {
            objects: Arena::default(),
            strings: Arena::default(),
            symbols: Arena::default(),
            bigints: Arena::default(),
            shapes: Arena::default(),
            property_tables: Arena::default(),
            environments: Arena::default(),
            accessors: Arena::default(),
            string_table: StringTable::default(),
            symbol_registry: SymbolRegistry::default(),
            root_shapes: RootShapes::default(),
            prototype_epoch: 1,
            bytes: 0,
            peak_bytes: 0,
            live_bytes: 0,
            threshold: MIN_THRESHOLD,
            limit: usize::MAX,
            zeal: false,
            collections: 0,
        };
        names::intern_all(&mut heap);
        symbol::create_well_known(&mut heap);
        heap
    }

    /// Moves the cell into the heap. Memory that the cell owns must be charged apart, with [`Heap::charge`].
    #[inline]
    pub fn allocate<T: Cell>(&mut self, cell: T) -> Gc<T> {
        self.bytes += size_of::<T>();
        T::arena_mut(self).allocate(cell)
    }

    /// Adds to the account: memory owned by a cell has grown.
    #[inline]
    pub fn charge(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Takes from the account: memory owned by a cell was given back before a collection.
    #[inline]
    pub fn discharge(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// Asks before a single large allocation (more than about 64 KiB) is made. Does not charge.
    ///
    /// # Errors
    /// [`OutOfMemory`] when the limit would be exceeded even if much of what was allocated since the last collection were garbage.
    pub fn reserve(&self, bytes: usize) -> Result<(), OutOfMemory> {
        let certain = self.live_bytes.saturating_add(bytes);
        let possible = self.bytes.saturating_add(bytes);
        if certain > self.limit || possible > self.limit.saturating_mul(2) { Err(OutOfMemory) } else { Ok(()) }
    }

    /// Whether a safepoint should collect now.
    #[inline]
    pub fn should_collect(&self) -> bool {
        self.bytes > self.threshold
    }

    /// Whether the account exceeds the limit. Garbage counts: collect before giving up.
    #[inline]
    pub fn over_limit(&self) -> bool {
        self.bytes > self.limit
    }

    /// Bytes in the account at present, garbage included.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The most that the account held.
    pub fn peak_bytes(&self) -> usize {
        self.peak_bytes.max(self.bytes)
    }

    /// Number of collections so far.
    pub fn collections(&self) -> u32 {
        self.collections
    }

    /// Sets the memory limit in bytes, or removes it.
    pub fn set_limit(&mut self, limit: Option<usize>) {
        self.limit = limit.unwrap_or(usize::MAX);
        self.set_threshold();
    }

    /// In zeal mode every safepoint collects, and freed cells are reused late, so that debug builds find stale handles.
    pub fn set_zeal(&mut self, zeal: bool) {
        self.zeal = zeal;
        self.set_threshold();
    }

    /// Frees every cell that cannot be reached. `mark_roots` reports all roots; names, well-known symbols and registered symbols
    /// are roots of their own.
    pub fn collect(&mut self, mark_roots: impl FnOnce(&mut Marker)) -> Collection {
        self.peak_bytes = self.peak_bytes();
        let mut marker = Marker::new(self);
        names::mark_all(&mut marker);
        symbol::mark_permanent(&self.symbol_registry, &mut marker);
        mark_roots(&mut marker);
        marker.drain(self);
        self.mark_ephemerons(&mut marker);
        let collection = self.clear_weak_parts(&mut marker);
        self.sweep(&marker);
        self.bytes = marker.bytes;
        self.live_bytes = marker.bytes;
        self.collections = self.collections.wrapping_add(1);
        self.set_threshold();
        collection
    }

    pub(crate) fn bitmap_words(&self, kind: CellKind) -> usize {
        match kind {
            CellKind::Object => self.objects.bitmap_words(),
            CellKind::String => self.strings.bitmap_words(),
            CellKind::Symbol => self.symbols.bitmap_words(),
            CellKind::BigInt => self.bigints.bitmap_words(),
            CellKind::Shape => self.shapes.bitmap_words(),
            CellKind::PropertyTable => self.property_tables.bitmap_words(),
            CellKind::Environment => self.environments.bitmap_words(),
            CellKind::Accessor => self.accessors.bitmap_words(),
        }
    }

    fn set_threshold(&mut self) {
        self.threshold =
            if self.zeal { 0 } else { self.live_bytes.saturating_mul(2).max(MIN_THRESHOLD).min(self.limit) };
    }

    /// Marks the values of weak collections whose keys are reachable, until no more are found.
    fn mark_ephemerons(&self, marker: &mut Marker) {
        loop {
            let mut reached = Vec::new();
            for &object in &marker.weak_objects {
                if let ObjectKind::WeakMap(table) = &self[object].kind {
                    reached.extend(
                        table
                            .iter()
                            .filter(|(key, value)| marker.is_value_marked(**key) && !marker.is_value_marked(**value))
                            .map(|(_, value)| *value),
                    );
                }
            }
            if reached.is_empty() {
                return;
            }
            marker.mark_values(&reached);
            marker.drain(self);
        }
    }

    /// Drops weak references to unreachable cells.
    fn clear_weak_parts(&mut self, marker: &mut Marker) -> Collection {
        let mut collection = Collection::default();
        for object in std::mem::take(&mut marker.weak_objects) {
            match &mut self.objects.get_mut(object).kind {
                ObjectKind::WeakMap(table) => table.retain(|key, _| marker.is_value_marked(*key)),
                ObjectKind::WeakSet(table) => table.retain(|key| marker.is_value_marked(*key)),
                ObjectKind::WeakRef(target) if !marker.is_value_marked(target.get()) => target.set(crate::Value::UNDEFINED),
                ObjectKind::FinalizationRegistry(registry) => {
                    let is_ready = registry.retire(|value| marker.is_value_marked(value));
                    if is_ready {
                        collection.ready_registries.push(object);
                    }
                }
                _ => {}
            }
        }
        self.string_table.sweep(|string| marker.is_marked(string));
        self.root_shapes.sweep(marker);
        for shape in self.shapes_with_transitions(marker) {
            self.shapes.get_mut(shape).sweep_transitions(marker);
        }
        collection
    }

    fn shapes_with_transitions(&self, marker: &Marker) -> Vec<Gc<Shape>> {
        let mut shapes = Vec::new();
        for (word, &marked) in marker.marks(CellKind::Shape).iter().enumerate() {
            let mut bits = marked;
            while bits != 0 {
                let index = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if let Some(gc) = Gc::from_index(index as u32)
                    && self.shapes.get(gc).has_transitions()
                {
                    shapes.push(gc);
                }
            }
        }
        shapes
    }

    fn sweep(&mut self, marker: &Marker) {
        let late = self.zeal;
        self.objects.sweep(marker.marks(CellKind::Object), late);
        self.strings.sweep(marker.marks(CellKind::String), late);
        self.symbols.sweep(marker.marks(CellKind::Symbol), late);
        self.bigints.sweep(marker.marks(CellKind::BigInt), late);
        self.shapes.sweep(marker.marks(CellKind::Shape), late);
        self.property_tables.sweep(marker.marks(CellKind::PropertyTable), late);
        self.environments.sweep(marker.marks(CellKind::Environment), late);
        self.accessors.sweep(marker.marks(CellKind::Accessor), late);
    }
}

impl<T: Cell> Index<Gc<T>> for Heap {
    type Output = T;

    #[inline]
    fn index(&self, gc: Gc<T>) -> &T {
        T::arena(self).get(gc)
    }
}

impl<T: Cell> IndexMut<Gc<T>> for Heap {
    #[inline]
    fn index_mut(&mut self, gc: Gc<T>) -> &mut T {
        T::arena_mut(self).get_mut(gc)
    }
}
