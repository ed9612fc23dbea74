//! Realms: intrinsic objects, global object and global lexical bindings.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::heap::{Gc, Heap, Marker, Trace};
use crate::object::{Object, Shape};
use crate::property_key::PropertyKey;
use crate::value::Value;
use crate::vm::IntrinsicObject;

/// Names a realm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RealmId(pub u16);

/// A global let, const or class binding.
#[derive(Clone, Copy, Debug)]
pub struct GlobalLexical {
    /// EMPTY before initialisation.
    pub value: Value,
    /// Assignment throws.
    pub is_const: bool,
}

/// See <https://tc39.es/ecma262/#realm-record>.
pub struct Realm {
    /// By number of [`IntrinsicObject`]. Intrinsics that this build does not have stand in as %Object.prototype%.
    pub(crate) intrinsics: Box<[Gc<Object>]>,
    /// Shape of `{}`.
    pub(crate) object_shape: Gc<Shape>,
    /// Shape of `[]`.
    pub(crate) array_shape: Gc<Shape>,
    /// Shape of `{ value, done }`.
    pub(crate) iter_result_shape: Gc<Shape>,
    /// Declarative global bindings by name.
    pub(crate) lexical_names: HashMap<PropertyKey, u32, FxBuildHasher>,
    /// Their values.
    pub(crate) lexicals: Vec<GlobalLexical>,
    /// Shapes and slots by which array iteration is known to be unobservable, see `iteration.rs`.
    pub(crate) pristine: crate::vm::iteration::Pristine,
}

impl Realm {
    /// The intrinsic object.
    #[inline]
    pub fn intrinsic(&self, id: IntrinsicObject) -> Gc<Object> {
        self.intrinsics[id as usize]
    }

    /// `{}`
    #[inline]
    pub(crate) fn new_object(&self, heap: &mut Heap) -> Gc<Object> {
        heap.new_object_with_shape(self.object_shape, &[])
    }
}

impl Trace for Realm {
    fn trace(&self, marker: &mut Marker) {
        for &object in &self.intrinsics {
            marker.mark(object);
        }
        marker.mark(self.object_shape);
        marker.mark(self.array_shape);
        marker.mark(self.iter_result_shape);
        for &key in self.lexical_names.keys() {
            marker.mark_key(key);
        }
        for lexical in &self.lexicals {
            marker.mark_value(lexical.value);
        }
        self.pristine.trace(marker);
    }
}
