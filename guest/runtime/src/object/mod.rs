//! Objects: cells, shapes, elements, and the operations on their properties.
//!
//! The ordinary operations here and in `ordinary.rs` work on the [`Heap`](crate::Heap) alone. What may run JavaScript, which is
//! everything that meets a proxy or an accessor, is in `internal_methods.rs` on the [`Vm`](crate::vm::Vm).

mod binary;
mod elements;
mod internal_methods;
mod internal_slots;
mod kind;
#[expect(clippy::module_inception, reason = "the cell of the module's name")]
mod object;
mod ordered_table;
pub mod ordinary;
mod property;
mod proxy;
pub mod shape;
#[cfg(test)]
mod tests;
mod validate;

pub use binary::{ArrayBuffer, DataView, ElementType, RawElement, TypedArray};
pub use elements::{Elements, ElementsError, MAX_ELEMENTS, SparseElements};
pub use kind::*;
pub use object::{INLINE_SLOTS, Object, ObjectFlags};
pub use ordered_table::{OrderedTable, TableKey};
pub use ordinary::{Found, IntegrityLevel, Lookup, Place};
pub use property::{Attributes, PropertyDescriptor};
pub use shape::{PropertyEntry, PropertyTable, Shape};
