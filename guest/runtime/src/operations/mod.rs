//! Abstract operations (<https://tc39.es/ecma262/#sec-abstract-operations>).
//!
//! Those that never run JavaScript are methods of [`Heap`](crate::Heap), the others of [`Vm`](crate::vm::Vm). The latter keep their
//! own arguments alive where they need them after running JavaScript; what the caller holds beyond is the caller's.

mod array;
mod comparison;
mod conversion;
mod iterator;
mod objects;
mod testing;

pub use conversion::Hint;
pub use iterator::IteratorRecord;
