//! The NaN-boxed ECMAScript language value. All bit tests of the engine live in this file.
//!
//! A double `d` is stored as `bits(d) + (1 << 48)` with one canonical NaN, so that every double is below
//! `0xFFF2 << 48` and all-zero bits never occur (which makes `Option<Value>` 8 bytes). Everything else has its tag in the
//! top 16 bits and a 32-bit payload, a handle or an integer, in the low half.

use std::fmt;
use std::num::NonZeroU64;

use crate::environment::Environment;
use crate::heap::{Accessor, BigIntCell, Gc};
use crate::object::Object;
use crate::string::JsString;
use crate::symbol::Symbol;

const DOUBLE_OFFSET: u64 = 1 << 48;
const CANONICAL_NAN: u64 = 0x7FF8 << 48;

const TAG_INT: u64 = 0xFFF2 << 48;
const NUMBER_END: u64 = 0xFFF3 << 48;
const TAG_SPECIAL: u64 = 0xFFF8 << 48;
const TAG_SYMBOL: u64 = 0xFFFA << 48;
const TAG_BIGINT: u64 = 0xFFFB << 48;
const TAG_STRING: u64 = 0xFFFC << 48;
const TAG_ACCESSOR: u64 = 0xFFFD << 48;
const TAG_ENVIRONMENT: u64 = 0xFFFE << 48;
const TAG_OBJECT: u64 = 0xFFFF << 48;
const TAG_MASK: u64 = 0xFFFF << 48;

/// An ECMAScript language value, or one of the engine's internal markers (the empty value and accessor pairs in property
/// slots).
///
/// Equality compares bits: it is neither `===` nor SameValue. In particular the integer and the double form of the same
/// number are different bits.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Value(NonZeroU64);

/// A value taken apart, for code where clarity matters more than speed.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Unpacked {
    /// The engine's marker for holes, uninitialised bindings and absent values.
    Empty,
    /// `undefined`
    Undefined,
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A Number in either form.
    Number(f64),
    /// A String.
    String(Gc<JsString>),
    /// A Symbol.
    Symbol(Gc<Symbol>),
    /// A BigInt.
    BigInt(Gc<BigIntCell>),
    /// An Object.
    Object(Gc<Object>),
    /// An accessor pair, in property slots only.
    Accessor(Gc<Accessor>),
}

impl Value {
    /// Hole in an array, binding in its temporal dead zone, absent value. Never visible to programs.
    pub const EMPTY: Value = Value::tagged(TAG_SPECIAL, 0);
    /// `undefined`
    pub const UNDEFINED: Value = Value::tagged(TAG_SPECIAL, 2);
    /// `null`
    pub const NULL: Value = Value::tagged(TAG_SPECIAL, 3);
    /// `false`
    pub const FALSE: Value = Value::tagged(TAG_SPECIAL, 4);
    /// `true`
    pub const TRUE: Value = Value::tagged(TAG_SPECIAL, 5);
    /// The Number 0.
    pub const ZERO: Value = Value::int(0);
    /// NaN.
    pub const NAN: Value = Value::from_raw(CANONICAL_NAN + DOUBLE_OFFSET);

    #[inline]
    const fn from_raw(bits: u64) -> Value {
        match NonZeroU64::new(bits) {
            Some(bits) => Value(bits),
            None => panic!("the all-zero pattern is no value"),
        }
    }

    #[inline]
    const fn tagged(tag: u64, payload: u32) -> Value {
        // The tag is never zero, so neither is the result.
        Value::from_raw(tag | payload as u64)
    }

    /// The bits, for hashing and for constants.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0.get()
    }

    /// The value with bits that came from [`Value::bits`].
    #[inline]
    pub(crate) const fn from_bits(bits: u64) -> Value {
        Value::from_raw(bits)
    }

    /// The Number of a 32-bit integer.
    #[inline]
    pub const fn int(value: i32) -> Value {
        Value::tagged(TAG_INT, value as u32)
    }

    /// The Number in double form, whatever it is. Cheap; use [`Value::number`] where integers are likely and the result is kept.
    #[inline]
    pub fn double(value: f64) -> Value {
        let bits = if value.is_nan() { CANONICAL_NAN } else { value.to_bits() };
        Value::from_raw(bits + DOUBLE_OFFSET)
    }

    /// The Number in integer form when it is an integer of 32 bits other than -0, else in double form.
    #[inline]
    pub fn number(value: f64) -> Value {
        let integer = value as i32;
        if f64::from(integer).to_bits() == value.to_bits() { Value::int(integer) } else { Value::double(value) }
    }

    /// `true` or `false`.
    #[inline]
    pub const fn boolean(value: bool) -> Value {
        Value::tagged(TAG_SPECIAL, 4 | value as u32)
    }

    /// A String.
    #[inline]
    pub const fn string(string: Gc<JsString>) -> Value {
        Value::tagged(TAG_STRING, string.index())
    }

    /// A Symbol.
    #[inline]
    pub const fn symbol(symbol: Gc<Symbol>) -> Value {
        Value::tagged(TAG_SYMBOL, symbol.index())
    }

    /// A BigInt.
    #[inline]
    pub const fn bigint(bigint: Gc<BigIntCell>) -> Value {
        Value::tagged(TAG_BIGINT, bigint.index())
    }

    /// An Object.
    #[inline]
    pub const fn object(object: Gc<Object>) -> Value {
        Value::tagged(TAG_OBJECT, object.index())
    }

    /// An environment, for registers that save one only.
    #[inline]
    pub const fn environment(environment: Gc<Environment>) -> Value {
        Value::tagged(TAG_ENVIRONMENT, environment.index())
    }

    /// An accessor pair, for property slots only.
    #[inline]
    pub const fn accessor(accessor: Gc<Accessor>) -> Value {
        Value::tagged(TAG_ACCESSOR, accessor.index())
    }

    /// The bits of a property key that is an array index: an integer-tagged unsigned payload.
    pub(crate) const fn index_key(index: u32) -> Value {
        Value::tagged(TAG_INT, index)
    }

    /// The low half: a handle, an integer or a special's number.
    #[inline]
    pub(crate) const fn payload(self) -> u32 {
        self.0.get() as u32
    }

    #[inline]
    const fn has_tag(self, tag: u64) -> bool {
        self.0.get() & TAG_MASK == tag
    }

    /// Whether this is the internal empty marker.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == Value::EMPTY
    }

    /// Whether this is `undefined`.
    #[inline]
    pub fn is_undefined(self) -> bool {
        self == Value::UNDEFINED
    }

    /// Whether this is `null`.
    #[inline]
    pub fn is_null(self) -> bool {
        self == Value::NULL
    }

    /// Whether this is `undefined` or `null`.
    #[inline]
    pub const fn is_nullish(self) -> bool {
        self.bits() | 1 == Value::NULL.bits()
    }

    /// Whether this is a Boolean.
    #[inline]
    pub const fn is_boolean(self) -> bool {
        self.bits() | 1 == Value::TRUE.bits()
    }

    /// Whether this is a Number in integer form.
    #[inline]
    pub const fn is_int(self) -> bool {
        self.has_tag(TAG_INT)
    }

    /// Whether this is a Number in double form.
    #[inline]
    pub const fn is_double(self) -> bool {
        self.bits() < TAG_INT
    }

    /// Whether this is a Number.
    #[inline]
    pub const fn is_number(self) -> bool {
        self.bits() < NUMBER_END
    }

    /// Whether this is a String.
    #[inline]
    pub const fn is_string(self) -> bool {
        self.has_tag(TAG_STRING)
    }

    /// Whether this is a Symbol.
    #[inline]
    pub const fn is_symbol(self) -> bool {
        self.has_tag(TAG_SYMBOL)
    }

    /// Whether this is a BigInt.
    #[inline]
    pub const fn is_bigint(self) -> bool {
        self.has_tag(TAG_BIGINT)
    }

    /// Whether this is an Object.
    #[inline]
    pub const fn is_object(self) -> bool {
        self.bits() >= TAG_OBJECT
    }

    /// Whether this is the internal accessor pair of a property slot.
    #[inline]
    pub const fn is_accessor(self) -> bool {
        self.has_tag(TAG_ACCESSOR)
    }

    /// The integer of a Number in integer form.
    #[inline]
    pub const fn as_int(self) -> Option<i32> {
        if self.is_int() { Some(self.payload() as i32) } else { None }
    }

    /// The Number, in whichever form it is stored.
    #[inline]
    pub fn as_number(self) -> Option<f64> {
        if self.is_int() {
            Some(f64::from(self.payload() as i32))
        } else if self.is_double() {
            Some(f64::from_bits(self.bits() - DOUBLE_OFFSET))
        } else {
            None
        }
    }

    /// The Boolean.
    #[inline]
    pub const fn as_bool(self) -> Option<bool> {
        if self.is_boolean() { Some(self.bits() & 1 == 1) } else { None }
    }

    #[inline]
    const fn handle<T>(self, tag: u64) -> Option<Gc<T>> {
        if self.has_tag(tag) { Gc::from_index(self.payload()) } else { None }
    }

    /// The String.
    #[inline]
    pub const fn as_string(self) -> Option<Gc<JsString>> {
        self.handle(TAG_STRING)
    }

    /// The Symbol.
    #[inline]
    pub const fn as_symbol(self) -> Option<Gc<Symbol>> {
        self.handle(TAG_SYMBOL)
    }

    /// The BigInt.
    #[inline]
    pub const fn as_bigint(self) -> Option<Gc<BigIntCell>> {
        self.handle(TAG_BIGINT)
    }

    /// The Object.
    #[inline]
    pub const fn as_object(self) -> Option<Gc<Object>> {
        if self.is_object() { Gc::from_index(self.payload()) } else { None }
    }

    /// The saved environment of a register.
    #[inline]
    pub const fn as_environment(self) -> Option<Gc<Environment>> {
        self.handle(TAG_ENVIRONMENT)
    }

    /// The Number of a value in double form.
    #[inline]
    pub fn as_double_only(self) -> Option<f64> {
        if self.is_double() { Some(f64::from_bits(self.bits() - DOUBLE_OFFSET)) } else { None }
    }

    /// The accessor pair of a property slot.
    #[inline]
    pub const fn as_accessor(self) -> Option<Gc<Accessor>> {
        self.handle(TAG_ACCESSOR)
    }

    /// The number as an array index (0 to 2^32 - 2), in either form.
    #[inline]
    pub fn as_array_index(self) -> Option<u32> {
        if self.is_int() {
            let payload = self.payload() as i32;
            return if payload >= 0 { Some(payload as u32) } else { None };
        }
        let number = self.as_number()?;
        let index = number as u32;
        if f64::from(index) == number && index != u32::MAX { Some(index) } else { None }
    }

    /// Both operands as 32-bit integers, when both are in integer form.
    #[inline]
    pub const fn both_int(a: Value, b: Value) -> Option<(i32, i32)> {
        // The tags are all ones in the same places exactly when both differences from the integer tag are zero.
        if ((a.bits() ^ TAG_INT) | (b.bits() ^ TAG_INT)) >> 48 == 0 {
            Some((a.payload() as i32, b.payload() as i32))
        } else {
            None
        }
    }

    /// Both operands as doubles, when both are Numbers in any form.
    #[inline]
    pub fn both_number(a: Value, b: Value) -> Option<(f64, f64)> {
        match (a.as_number(), b.as_number()) {
            (Some(a), Some(b)) => Some((a, b)),
            _ => None,
        }
    }

    /// The value taken apart.
    pub fn unpack(self) -> Unpacked {
        if let Some(number) = self.as_number() {
            return Unpacked::Number(number);
        }
        if let Some(object) = self.as_object() {
            return Unpacked::Object(object);
        }
        if let Some(string) = self.as_string() {
            return Unpacked::String(string);
        }
        if let Some(symbol) = self.as_symbol() {
            return Unpacked::Symbol(symbol);
        }
        if let Some(bigint) = self.as_bigint() {
            return Unpacked::BigInt(bigint);
        }
        if let Some(accessor) = self.as_accessor() {
            return Unpacked::Accessor(accessor);
        }
        match self {
            Value::UNDEFINED => Unpacked::Undefined,
            Value::NULL => Unpacked::Null,
            Value::TRUE => Unpacked::Boolean(true),
            Value::FALSE => Unpacked::Boolean(false),
            _ => Unpacked::Empty,
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unpack() {
            Unpacked::Number(number) => write!(f, "{number}"),
            Unpacked::Boolean(value) => write!(f, "{value}"),
            Unpacked::Undefined => f.write_str("undefined"),
            Unpacked::Null => f.write_str("null"),
            Unpacked::Empty => f.write_str("<empty>"),
            Unpacked::String(handle) => write!(f, "string#{}", handle.index()),
            Unpacked::Symbol(handle) => write!(f, "symbol#{}", handle.index()),
            Unpacked::BigInt(handle) => write!(f, "bigint#{}", handle.index()),
            Unpacked::Object(handle) => write!(f, "object#{}", handle.index()),
            Unpacked::Accessor(handle) => write!(f, "accessor#{}", handle.index()),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::boolean(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Value::int(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        match i32::try_from(value) {
            Ok(value) => Value::int(value),
            Err(_) => Value::double(f64::from(value)),
        }
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        match i32::try_from(value) {
            Ok(value) => Value::int(value),
            Err(_) => Value::double(value as f64),
        }
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::number(value)
    }
}

impl From<Gc<JsString>> for Value {
    fn from(value: Gc<JsString>) -> Self {
        Value::string(value)
    }
}

impl From<Gc<Symbol>> for Value {
    fn from(value: Gc<Symbol>) -> Self {
        Value::symbol(value)
    }
}

impl From<Gc<BigIntCell>> for Value {
    fn from(value: Gc<BigIntCell>) -> Self {
        Value::bigint(value)
    }
}

impl From<Gc<Object>> for Value {
    fn from(value: Gc<Object>) -> Self {
        Value::object(value)
    }
}

/// An absent object is `null`, as prototypes are.
impl From<Option<Gc<Object>>> for Value {
    fn from(value: Option<Gc<Object>>) -> Self {
        value.map_or(Value::NULL, Value::object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip_in_both_forms() {
        for number in [0.0, -0.0, 1.5, -1.0, f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY, 5e-324, 2147483648.0]
        {
            let double = Value::double(number);
            assert!(double.is_double() && double.is_number() && !double.is_int());
            assert_eq!(double.as_number().unwrap().to_bits(), number.to_bits());
            assert_eq!(Value::number(number).as_number().unwrap().to_bits(), number.to_bits());
        }
        assert!(Value::number(3.0).is_int());
        assert!(Value::number(-0.0).is_double());
        assert!(Value::number(2147483648.0).is_double());
        assert_eq!(Value::number(-2147483648.0).as_int(), Some(i32::MIN));
        assert!(Value::double(-f64::NAN).as_number().unwrap().is_nan());
        assert_eq!(Value::double(f64::NAN), Value::NAN);
    }

    #[test]
    fn kinds_exclude_each_other() {
        let gc = Gc::from_index(7).unwrap();
        let object = Value::object(gc);
        assert!(object.is_object() && !object.is_number() && !object.is_string());
        assert_eq!(object.as_object(), Some(gc));
        assert_eq!(object.as_string(), None);
        for special in [Value::EMPTY, Value::UNDEFINED, Value::NULL, Value::TRUE, Value::FALSE] {
            assert!(!special.is_number() && !special.is_object() && !special.is_string());
        }
        assert!(Value::NULL.is_nullish() && Value::UNDEFINED.is_nullish());
        assert!(!Value::FALSE.is_nullish() && !Value::EMPTY.is_nullish());
        assert!(Value::TRUE.is_boolean() && Value::FALSE.is_boolean() && !Value::NULL.is_boolean());
        assert_eq!(std::mem::size_of::<Option<Value>>(), 8);
    }

    #[test]
    fn pairs_and_indices() {
        assert_eq!(Value::both_int(Value::int(-1), Value::int(2)), Some((-1, 2)));
        assert_eq!(Value::both_int(Value::int(-1), Value::double(2.0)), None);
        assert_eq!(Value::both_int(Value::TRUE, Value::int(2)), None);
        assert_eq!(Value::both_number(Value::int(1), Value::double(0.5)), Some((1.0, 0.5)));
        assert_eq!(Value::int(-1).as_array_index(), None);
        assert_eq!(Value::double(4294967294.0).as_array_index(), Some(4294967294));
        assert_eq!(Value::double(4294967295.0).as_array_index(), None);
        assert_eq!(Value::double(-0.0).as_array_index(), Some(0));
        assert_eq!(Value::double(1.5).as_array_index(), None);
    }
}
