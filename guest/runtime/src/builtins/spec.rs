//! The types of the builtin tables.

use crate::heap::Gc;
use crate::symbol::Symbol;
use crate::vm::{Arguments, Completion, Vm};
use crate::value::Value;
use crate::vm::IntrinsicObject;

/// The Rust function behind a builtin function object.
pub type NativeFn = fn(&mut Vm, &Arguments) -> Completion<Value>;

/// How a native function object is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NativeKind {
    /// Called; `new` is a TypeError.
    Function,
    /// Called and constructed; tells by `arguments.new_target`.
    Constructor,
    /// `Function.prototype.call`: the interpreter rewrites the call window, no native frame.
    ForwardCall,
    /// `Function.prototype.apply`
    ForwardApply,
    /// `Reflect.apply`
    ForwardReflectApply,
    /// `%GeneratorPrototype%.next`, `return`, `throw`: the interpreter resumes the frame itself.
    GeneratorNext,
    /// See `GeneratorNext`.
    GeneratorReturn,
    /// See `GeneratorNext`.
    GeneratorThrow,
}

/// A builtin function: name, length and code. Lives in a static table.
#[derive(Debug)]
pub struct NativeFunction {
    /// Initial `name`.
    pub name: &'static str,
    /// Initial `length`.
    pub length: u8,
    /// The code.
    pub function: NativeFn,
    /// How it is called.
    pub kind: NativeKind,
}

/// A property key in a table.
#[derive(Clone, Copy, Debug)]
pub enum Key {
    /// A string key.
    Name(&'static str),
    /// A well-known symbol and how it reads in function names, for example `[Symbol.iterator]`.
    Symbol(Gc<Symbol>),
}

/// A constant in a table.
#[derive(Clone, Copy, Debug)]
pub enum ConstantValue {
    /// A number.
    Number(f64),
    /// A string.
    Text(&'static str),
    /// `undefined`
    Undefined,
}

/// One property of a builtin object. Attributes are the usual ones of ECMA-262 section 18 unless the variant says so.
#[derive(Debug)]
pub enum Entry {
    /// Writable, configurable, not enumerable function.
    Method(Key, NativeFunction),
    /// As `Method`, not writable (`Symbol.prototype[@@toPrimitive]`, `Date.prototype[@@toPrimitive]`, `Function.prototype[@@hasInstance]` has neither).
    ReadonlyMethod(Key, NativeFunction, /** configurable */ bool),
    /// Accessor with a getter and perhaps a setter; configurable, not enumerable. Function names get their `get `/`set ` prefix from the table builder.
    Accessor(Key, NativeFunction, Option<NativeFunction>),
    /// A constant: not writable, not enumerable, not configurable (`Math.PI`).
    Constant(Key, ConstantValue),
    /// A data property that is configurable only (`Symbol.toStringTag`).
    Tag(&'static str),
    /// A writable, configurable data property (`Error.prototype.message`).
    Data(Key, ConstantValue),
    /// The same function object as another string key of this object (`trimLeft`, `Array.prototype[Symbol.iterator]`).
    Alias(Key, &'static str),
    /// A self-hosted function: key, length, name of the function declaration in the `.js` file.
    Hosted(Key, u8, &'static str),
    /// A self-hosted getter.
    HostedGetter(Key, &'static str),
    /// An intrinsic object as a writable, configurable property (`Number.parseFloat`, `globalThis.Array`).
    Intrinsic(Key, IntrinsicObject),
    /// An intrinsic object as a property that is configurable only (`GeneratorFunction.prototype.prototype`).
    ReadonlyIntrinsic(Key, IntrinsicObject),
    /// `Symbol.unscopables`: an object without prototype in which these names are true.
    Unscopables(&'static [&'static str]),
    /// A well-known symbol constant on `Symbol`.
    SymbolConstant(&'static str, Gc<Symbol>),
}

/// What a builtin's main object is.
#[derive(Debug)]
pub enum BuiltinKind {
    /// A constructor function, put into the global object under its name when `global`.
    Constructor {
        /// The function.
        function: NativeFunction,
        /// The constructor's intrinsic.
        id: IntrinsicObject,
        /// The constructor's [[Prototype]], %Function.prototype% when absent.
        parent: Option<IntrinsicObject>,
        /// Its `prototype` object.
        prototype: IntrinsicObject,
        /// Whether the global object has it.
        global: bool,
    },
    /// A constructor without a `prototype` property (`Proxy`), in the global object.
    BareConstructor {
        /// The function.
        function: NativeFunction,
        /// Its intrinsic.
        id: IntrinsicObject,
    },
    /// A plain object in the global object (`Math`, `JSON`, `Reflect`, `console`).
    Namespace {
        /// Its intrinsic.
        id: IntrinsicObject,
        /// Its global name.
        name: &'static str,
    },
    /// A prototype object without a reachable constructor of its own (`%ArrayIteratorPrototype%`).
    Prototype {
        /// Its intrinsic.
        id: IntrinsicObject,
    },
    /// Functions of the global object (`parseInt`, `globalThis`); statics are its entries.
    Globals,
}

/// What kind of object the prototype is: `Array.prototype` is an array, `Number.prototype` a Number object and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrototypeKind {
    /// An ordinary object.
    Ordinary,
    /// An empty array.
    Array,
    /// A Boolean object of false.
    Boolean,
    /// A Number object of 0.
    Number,
    /// A String object of "".
    String,
    /// A function that returns undefined (`Function.prototype`).
    Function,
}

/// One table of the standard library.
#[derive(Debug)]
pub struct Builtin {
    /// What the main object is.
    pub kind: BuiltinKind,
    /// Properties of the constructor or namespace (or of the global object).
    pub statics: &'static [Entry],
    /// Properties of the prototype object. `constructor` is added by the realm for constructors.
    pub prototype: &'static [Entry],
    /// Exotic kind of the prototype object.
    pub prototype_kind: PrototypeKind,
    /// The prototype's [[Prototype]]: %Object.prototype% when absent.
    pub prototype_parent: Option<IntrinsicObject>,
}

/// A method under a string key.
pub const fn method(name: &'static str, length: u8, function: NativeFn) -> Entry {
    Entry::Method(Key::Name(name), native(name, length, function))
}

/// A method under a well-known symbol; `name` is its function name, for example `[Symbol.iterator]`.
pub const fn symbol_method(symbol: Gc<Symbol>, name: &'static str, length: u8, function: NativeFn) -> Entry {
    Entry::Method(Key::Symbol(symbol), native(name, length, function))
}

/// A getter under a string key. The function's name gets its `get ` prefix when it is made.
pub const fn getter(name: &'static str, function: NativeFn) -> Entry {
    Entry::Accessor(Key::Name(name), native(name, 0, function), None)
}

/// A getter under a well-known symbol.
pub const fn symbol_getter(symbol: Gc<Symbol>, name: &'static str, function: NativeFn) -> Entry {
    Entry::Accessor(Key::Symbol(symbol), native(name, 0, function), None)
}

/// A getter and setter under a string key.
pub const fn accessor(name: &'static str, get: NativeFn, set: NativeFn) -> Entry {
    Entry::Accessor(Key::Name(name), native(name, 0, get), Some(native(name, 1, set)))
}

/// A numeric constant.
pub const fn number(name: &'static str, value: f64) -> Entry {
    Entry::Constant(Key::Name(name), ConstantValue::Number(value))
}

/// `Symbol.toStringTag`
pub const fn tag(text: &'static str) -> Entry {
    Entry::Tag(text)
}

/// A second key for the function under `of`.
pub const fn alias(name: &'static str, of: &'static str) -> Entry {
    Entry::Alias(Key::Name(name), of)
}

/// A well-known symbol as a second key for the function under `of`.
pub const fn symbol_alias(symbol: Gc<Symbol>, of: &'static str) -> Entry {
    Entry::Alias(Key::Symbol(symbol), of)
}

/// A self-hosted method: `body` names the function declaration in the `.js` file.
pub const fn hosted(name: &'static str, length: u8, body: &'static str) -> Entry {
    Entry::Hosted(Key::Name(name), length, body)
}

/// A self-hosted method under a well-known symbol.
pub const fn symbol_hosted(symbol: Gc<Symbol>, length: u8, body: &'static str) -> Entry {
    Entry::Hosted(Key::Symbol(symbol), length, body)
}

/// A native function that is not a constructor.
pub const fn native(name: &'static str, length: u8, function: NativeFn) -> NativeFunction {
    NativeFunction { name, length, function, kind: NativeKind::Function }
}

/// A native constructor.
pub const fn constructor(name: &'static str, length: u8, function: NativeFn) -> NativeFunction {
    NativeFunction { name, length, function, kind: NativeKind::Constructor }
}

/// A global constructor with its prototype.
pub const fn global_constructor(function: NativeFunction, id: IntrinsicObject, prototype: IntrinsicObject) -> BuiltinKind {
    BuiltinKind::Constructor { function, id, parent: None, prototype, global: true }
}
