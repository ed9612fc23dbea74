//! What kinds of objects there are, with their internal slots.

use std::any::Any;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use thin_vec::ThinVec;

use super::{ArrayBuffer, DataView, Object, ObjectFlags, OrderedTable, TypedArray};
use crate::builtins::{NativeFunction, NativeKind};
use crate::environment::Environment;
use crate::heap::{Gc, Marker, Trace};
use crate::regexp::{CompiledRegExp, RegExpFlags};
use crate::string::JsString;
use crate::value::Value;
use crate::vm::{CodeId, Coroutine, RealmId, StackFrame};

/// What an object is, with the internal slots that go with it.
#[derive(Debug, Default)]
pub enum ObjectKind {
    /// An ordinary object.
    #[default]
    Ordinary,
    /// An Array exotic object.
    Array,
    /// An ECMAScript function object.
    Closure(Closure),
    /// A built-in function object.
    Native(Native),
    /// A bound function exotic object.
    Bound(Box<BoundFunction>),
    /// An object with \[\[ErrorData]].
    Error(Box<ErrorData>),
    /// A Boolean, Number, String, Symbol or BigInt object.
    Primitive(PackedValue),
    /// A Date object: its time value.
    Date(PackedValue),
    /// A RegExp object; `lastIndex` is its first own property.
    RegExp(Box<RegExpData>),
    /// A Map object.
    Map(Box<OrderedTable>),
    /// A Set object.
    Set(Box<OrderedTable>),
    /// A WeakMap object.
    WeakMap(Box<HashMap<Value, Value, FxBuildHasher>>),
    /// A WeakSet object.
    WeakSet(Box<HashSet<Value, FxBuildHasher>>),
    /// A WeakRef object; undefined once its target is gone.
    WeakRef(PackedValue),
    /// A FinalizationRegistry object.
    FinalizationRegistry(Box<FinalizationRegistry>),
    /// A generator, async generator, or the state of an async function.
    Coroutine(Box<Coroutine>),
    /// A Promise object.
    Promise(Box<crate::vm::PromiseData>),
    /// An arguments object; the map from indices to variables when it is mapped.
    Arguments(Option<Box<ArgumentsMap>>),
    /// An ArrayBuffer or SharedArrayBuffer object.
    ArrayBuffer(Box<ArrayBuffer>),
    /// A TypedArray object.
    TypedArray(Box<TypedArray>),
    /// A DataView object.
    DataView(Box<DataView>),
    /// A Proxy exotic object.
    Proxy(Box<Proxy>),
    /// An Array Iterator.
    ArrayIterator(Box<ArrayIterator>),
    /// A Map Iterator.
    MapIterator(Box<TableIterator>),
    /// A Set Iterator.
    SetIterator(Box<TableIterator>),
    /// A String Iterator.
    StringIterator(Box<StringIterator>),
    /// An object with slots for self-hosted code.
    Internal(Box<Internal>),
    /// An object of the embedder.
    Host(Box<dyn HostObject>),
}

/// A value without alignment, so that object cells stay small.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PackedValue([u32; 2]);

impl PackedValue {
    /// Packs a value.
    #[inline]
    pub fn new(value: Value) -> Self {
        let bits = value.bits();
        Self([bits as u32, (bits >> 32) as u32])
    }

    /// The value.
    #[inline]
    pub fn get(self) -> Value {
        Value::from_bits(u64::from(self.0[0]) | u64::from(self.0[1]) << 32)
    }

    /// Replaces the value.
    #[inline]
    pub fn set(&mut self, value: Value) {
        *self = Self::new(value);
    }
}

/// Internal slots of an ECMAScript function. The home object and the fields of a class are internal slots of the object, see
/// [`Heap::home_object`](crate::Heap::home_object).
#[derive(Copy, Clone, Debug)]
pub struct Closure {
    /// \[\[ECMAScriptCode]]
    pub code: CodeId,
    /// \[\[Environment]]
    pub environment: Option<Gc<Environment>>,
    /// \[\[Realm]]
    pub realm: RealmId,
}

/// Internal slots of a built-in function.
#[derive(Clone, Debug)]
pub struct Native {
    /// The code.
    pub function: &'static NativeFunction,
    /// \[\[Realm]]
    pub realm: RealmId,
    /// Values for the code.
    pub captures: ThinVec<Value>,
}

/// Internal slots of a bound function (<https://tc39.es/ecma262/#sec-bound-function-exotic-objects>).
#[derive(Clone, Debug)]
pub struct BoundFunction {
    /// \[\[BoundTargetFunction]]
    pub target: Gc<Object>,
    /// \[\[BoundThis]]
    pub this: Value,
    /// \[\[BoundArguments]]
    pub arguments: Vec<Value>,
    /// Whether the target is a constructor.
    pub is_constructor: bool,
}

/// What an error remembers of its origin.
#[derive(Clone, Debug, Default)]
pub struct ErrorData {
    /// Innermost frame first.
    pub frames: Vec<StackFrame>,
    /// A number for the embedder, to recognise its own errors.
    pub tag: u32,
    /// A value for the embedder.
    pub data: Option<Value>,
}

/// Internal slots of a RegExp object.
#[derive(Clone, Debug)]
pub struct RegExpData {
    /// \[\[OriginalSource]]
    pub source: Gc<JsString>,
    /// \[\[OriginalFlags]]
    pub flags: RegExpFlags,
    /// \[\[RegExpMatcher]]
    pub compiled: Rc<CompiledRegExp>,
}

/// Internal slots of a FinalizationRegistry (<https://tc39.es/ecma262/#sec-finalization-registry-objects>).
#[derive(Debug)]
pub struct FinalizationRegistry {
    /// \[\[CleanupCallback]]
    pub cleanup: Value,
    /// \[\[Cells]]
    pub cells: Vec<FinalizationCell>,
    /// Held values of targets that are gone, to be handed to the callback.
    pub ready: Vec<Value>,
}

/// One registration.
#[derive(Copy, Clone, Debug)]
pub struct FinalizationCell {
    /// \[\[WeakRefTarget]], not kept alive.
    pub target: Value,
    /// \[\[HeldValue]]
    pub held: Value,
    /// \[\[UnregisterToken]], not kept alive; undefined for none.
    pub token: Value,
}

impl FinalizationRegistry {
    /// Moves the held values of unreachable targets to `ready`; answers whether some are ready.
    pub(crate) fn retire(&mut self, is_marked: impl Fn(Value) -> bool) -> bool {
        let ready = &mut self.ready;
        self.cells.retain_mut(|cell| {
            if !is_marked(cell.token) {
                cell.token = Value::UNDEFINED;
            }
            let alive = is_marked(cell.target);
            if !alive {
                ready.push(cell.held);
            }
            alive
        });
        !self.ready.is_empty()
    }
}

/// The \[\[ParameterMap]] of a mapped arguments object: index `i` is the variable in slot `slots[i]` of the environment.
#[derive(Clone, Debug)]
pub struct ArgumentsMap {
    /// Where the variables are.
    pub environment: Gc<Environment>,
    /// Slot by index; `None` for an index that is not mapped (any more).
    pub slots: Vec<Option<u32>>,
}

impl ArgumentsMap {
    /// The slot of a mapped index.
    pub fn slot(&self, index: u32) -> Option<usize> {
        self.slots.get(index as usize).copied().flatten().map(|slot| slot as usize)
    }

    /// Unmaps the index.
    pub fn unmap(&mut self, index: u32) {
        if let Some(slot) = self.slots.get_mut(index as usize) {
            *slot = None;
        }
    }
}

/// Internal slots of a proxy, both `None` when revoked (<https://tc39.es/ecma262/#sec-proxy-object-internal-methods-and-internal-slots>).
#[derive(Copy, Clone, Debug)]
pub struct Proxy {
    /// \[\[ProxyTarget]]
    pub target: Option<Gc<Object>>,
    /// \[\[ProxyHandler]]
    pub handler: Option<Gc<Object>>,
}

/// What an iterator gives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum IterationKind {
    /// `keys()`
    Keys,
    /// `values()`
    Values,
    /// `entries()`
    Entries,
}

/// State of an Array Iterator.
#[derive(Copy, Clone, Debug)]
pub struct ArrayIterator {
    /// The array-like; `None` when done.
    pub target: Option<Gc<Object>>,
    /// The next index.
    pub index: u64,
    /// What it gives.
    pub kind: IterationKind,
}

/// State of a Map or Set Iterator.
#[derive(Copy, Clone, Debug)]
pub struct TableIterator {
    /// The Map or Set; `None` when done.
    pub table: Option<Gc<Object>>,
    /// The next position, see [`OrderedTable::next_from`].
    pub position: u64,
    /// What it gives.
    pub kind: IterationKind,
}

/// State of a String Iterator.
#[derive(Copy, Clone, Debug)]
pub struct StringIterator {
    /// The string.
    pub string: Gc<JsString>,
    /// The next code unit.
    pub position: usize,
}

/// Slots of self-hosted code.
#[derive(Clone, Debug)]
pub struct Internal {
    /// What the object is, as [`ObjectKind::class_tag`] tells.
    pub tag: u32,
    /// The slots.
    pub slots: Vec<Value>,
}

/// State of an object that the embedder defines.
pub trait HostObject: Any + std::fmt::Debug {
    /// Reports values that the state keeps alive.
    fn trace(&self, _marker: &mut Marker) {}

    /// Bytes that the state owns.
    fn payload_bytes(&self) -> usize {
        0
    }

    /// For access to the concrete type.
    fn as_any(&self) -> &dyn Any;

    /// For access to the concrete type.
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

/// Numbers for kinds of objects, for self-hosted code (`$classOf`). Objects of self-hosted code have tags from
/// [`ClassTag::FIRST_INTERNAL`] on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ClassTag(pub u32);

impl ClassTag {
    /// Not an object.
    pub const NONE: ClassTag = ClassTag(0);
    /// Any object that has no number of its own.
    pub const OTHER: ClassTag = ClassTag(1);
    /// Array
    pub const ARRAY: ClassTag = ClassTag(2);
    /// Function of any kind
    pub const FUNCTION: ClassTag = ClassTag(3);
    /// Error
    pub const ERROR: ClassTag = ClassTag(4);
    /// Boolean, Number, String, Symbol or BigInt object
    pub const PRIMITIVE: ClassTag = ClassTag(5);
    /// Date
    pub const DATE: ClassTag = ClassTag(6);
    /// RegExp
    pub const REG_EXP: ClassTag = ClassTag(7);
    /// Map
    pub const MAP: ClassTag = ClassTag(8);
    /// Set
    pub const SET: ClassTag = ClassTag(9);
    /// WeakMap
    pub const WEAK_MAP: ClassTag = ClassTag(10);
    /// WeakSet
    pub const WEAK_SET: ClassTag = ClassTag(11);
    /// Promise
    pub const PROMISE: ClassTag = ClassTag(12);
    /// TypedArray
    pub const TYPED_ARRAY: ClassTag = ClassTag(13);
    /// ArrayBuffer
    pub const ARRAY_BUFFER: ClassTag = ClassTag(14);
    /// Generator or async function state
    pub const COROUTINE: ClassTag = ClassTag(15);
    /// Arguments
    pub const ARGUMENTS: ClassTag = ClassTag(16);
    /// Proxy
    pub const PROXY: ClassTag = ClassTag(17);
    /// DataView
    pub const DATA_VIEW: ClassTag = ClassTag(18);
    /// The first tag of objects made by `$newInternal`.
    pub const FIRST_INTERNAL: ClassTag = ClassTag(100);
}

impl ObjectKind {
    /// A number for the kind.
    pub fn class_tag(&self) -> ClassTag {
        match self {
            ObjectKind::Array => ClassTag::ARRAY,
            ObjectKind::Closure(_) | ObjectKind::Native(_) | ObjectKind::Bound(_) => ClassTag::FUNCTION,
            ObjectKind::Error(_) => ClassTag::ERROR,
            ObjectKind::Primitive(_) => ClassTag::PRIMITIVE,
            ObjectKind::Date(_) => ClassTag::DATE,
            ObjectKind::RegExp(_) => ClassTag::REG_EXP,
            ObjectKind::Map(_) => ClassTag::MAP,
            ObjectKind::Set(_) => ClassTag::SET,
            ObjectKind::WeakMap(_) => ClassTag::WEAK_MAP,
            ObjectKind::WeakSet(_) => ClassTag::WEAK_SET,
            ObjectKind::Promise(_) => ClassTag::PROMISE,
            ObjectKind::TypedArray(_) => ClassTag::TYPED_ARRAY,
            ObjectKind::ArrayBuffer(_) => ClassTag::ARRAY_BUFFER,
            ObjectKind::Coroutine(_) => ClassTag::COROUTINE,
            ObjectKind::Arguments(_) => ClassTag::ARGUMENTS,
            ObjectKind::Proxy(_) => ClassTag::PROXY,
            ObjectKind::DataView(_) => ClassTag::DATA_VIEW,
            ObjectKind::Internal(internal) => ClassTag(internal.tag),
            _ => ClassTag::OTHER,
        }
    }

    /// The primitive value of a wrapper object.
    #[inline]
    pub fn as_primitive(&self) -> Option<Value> {
        match self {
            ObjectKind::Primitive(value) => Some(value.get()),
            _ => None,
        }
    }

    /// The flags that every object of this kind starts with. The creator of a closure, native, bound function or proxy still
    /// decides about [`ObjectFlags::CONSTRUCTOR`] where the kind alone does not say.
    pub(super) fn initial_flags(&self) -> ObjectFlags {
        match self {
            ObjectKind::Closure(_) => ObjectFlags::CALLABLE,
            ObjectKind::Native(native) => {
                let mut flags = ObjectFlags::CALLABLE;
                flags.set(ObjectFlags::CONSTRUCTOR, native.function.kind == NativeKind::Constructor);
                flags
            }
            ObjectKind::Bound(bound) => {
                let mut flags = ObjectFlags::CALLABLE;
                flags.set(ObjectFlags::CONSTRUCTOR, bound.is_constructor);
                flags
            }
            ObjectKind::Primitive(value) if value.get().is_string() => ObjectFlags::EXOTIC,
            ObjectKind::Arguments(Some(_)) | ObjectKind::TypedArray(_) | ObjectKind::Proxy(_) => ObjectFlags::EXOTIC,
            _ => ObjectFlags::default(),
        }
    }

    /// Whether the collector has to look at the object after the strong phase.
    #[inline]
    pub(crate) fn is_weak(&self) -> bool {
        matches!(
            self,
            ObjectKind::WeakMap(_)
                | ObjectKind::WeakSet(_)
                | ObjectKind::WeakRef(_)
                | ObjectKind::FinalizationRegistry(_)
        )
    }

    /// Whether there is memory to give back.
    #[inline]
    pub(super) fn owns_memory(&self) -> bool {
        !matches!(
            self,
            ObjectKind::Ordinary
                | ObjectKind::Array
                | ObjectKind::Closure(_)
                | ObjectKind::Primitive(_)
                | ObjectKind::Date(_)
                | ObjectKind::WeakRef(_)
                | ObjectKind::Arguments(None)
        )
    }

    /// Bytes owned by the internal slots.
    pub(super) fn payload_bytes(&self) -> usize {
        match self {
            ObjectKind::Native(native) => native.captures.capacity() * size_of::<Value>(),
            ObjectKind::Bound(bound) => size_of::<BoundFunction>() + bound.arguments.capacity() * size_of::<Value>(),
            ObjectKind::Error(error) => size_of::<ErrorData>() + error.frames.capacity() * size_of::<StackFrame>(),
            ObjectKind::RegExp(_) => size_of::<RegExpData>(),
            ObjectKind::Map(table) | ObjectKind::Set(table) => table.payload_bytes(),
            ObjectKind::WeakMap(table) => table.capacity() * 17,
            ObjectKind::WeakSet(table) => table.capacity() * 9,
            ObjectKind::FinalizationRegistry(registry) => {
                registry.cells.capacity() * size_of::<FinalizationCell>()
                    + registry.ready.capacity() * size_of::<Value>()
            }
            ObjectKind::Coroutine(coroutine) => coroutine.payload_bytes(),
            ObjectKind::Promise(promise) => promise.payload_bytes(),
            ObjectKind::Arguments(Some(map)) => size_of::<ArgumentsMap>() + map.slots.capacity() * 8,
            ObjectKind::ArrayBuffer(buffer) => buffer.payload_bytes(),
            ObjectKind::TypedArray(_) => size_of::<TypedArray>(),
            ObjectKind::DataView(_) => size_of::<DataView>(),
            ObjectKind::ArrayIterator(_) | ObjectKind::MapIterator(_) | ObjectKind::SetIterator(_) => {
                size_of::<ArrayIterator>()
            }
            ObjectKind::Internal(internal) => size_of::<Internal>() + internal.slots.capacity() * size_of::<Value>(),
            ObjectKind::Host(host) => host.payload_bytes(),
            _ => 0,
        }
    }
}

impl Trace for ObjectKind {
    fn trace(&self, marker: &mut Marker) {
        match self {
            ObjectKind::Ordinary | ObjectKind::Array | ObjectKind::Date(_) | ObjectKind::ArrayBuffer(_) => {}
            ObjectKind::Closure(closure) => marker.mark_option(closure.environment),
            ObjectKind::Native(native) => marker.mark_values(&native.captures),
            ObjectKind::Bound(bound) => {
                marker.mark(bound.target);
                marker.mark_value(bound.this);
                marker.mark_values(&bound.arguments);
            }
            ObjectKind::Error(error) => {
                if let Some(value) = error.data {
                    marker.mark_value(value);
                }
            }
            ObjectKind::Primitive(value) => marker.mark_value(value.get()),
            ObjectKind::RegExp(regexp) => marker.mark(regexp.source),
            ObjectKind::Map(table) | ObjectKind::Set(table) => table.trace(marker),
            // Weak: the collector looks at these after the strong phase.
            ObjectKind::WeakMap(_) | ObjectKind::WeakSet(_) | ObjectKind::WeakRef(_) => {}
            ObjectKind::FinalizationRegistry(registry) => {
                marker.mark_value(registry.cleanup);
                marker.mark_values(&registry.ready);
                for cell in &registry.cells {
                    marker.mark_value(cell.held);
                }
            }
            ObjectKind::Coroutine(coroutine) => coroutine.trace(marker),
            ObjectKind::Promise(promise) => promise.trace(marker),
            ObjectKind::Arguments(map) => {
                if let Some(map) = map {
                    marker.mark(map.environment);
                }
            }
            ObjectKind::TypedArray(array) => marker.mark(array.buffer),
            ObjectKind::DataView(view) => marker.mark(view.buffer),
            ObjectKind::Proxy(proxy) => {
                marker.mark_option(proxy.target);
                marker.mark_option(proxy.handler);
            }
            ObjectKind::ArrayIterator(iterator) => marker.mark_option(iterator.target),
            ObjectKind::MapIterator(iterator) | ObjectKind::SetIterator(iterator) => marker.mark_option(iterator.table),
            ObjectKind::StringIterator(iterator) => marker.mark(iterator.string),
            ObjectKind::Internal(internal) => marker.mark_values(&internal.slots),
            ObjectKind::Host(host) => host.trace(marker),
        }
    }
}
