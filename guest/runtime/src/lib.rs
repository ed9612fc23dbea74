//! Values, heap, objects, builtins and virtual machine of the CodeMode JavaScript engine.
//!
//! One law is visible in signatures: `&Heap` reads, `&mut Heap` allocates but never collects garbage and never runs
//! JavaScript, `&mut Vm` may do both.

pub mod environment;
pub mod heap;
pub mod names;
pub mod object;
pub mod property_key;
pub mod symbol;
pub mod bigint;
pub mod builtins;
pub mod number;
pub mod operations;
pub mod regexp;
pub mod string;
pub mod vm;
pub mod value;

pub use environment::Environment;
pub use heap::{Gc, Heap};
pub use object::{Object, ObjectKind};
pub use property_key::PropertyKey;
pub use symbol::Symbol;
pub use value::Value;
