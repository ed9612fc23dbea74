//! Property keys: array indices, interned strings and symbols (<https://tc39.es/ecma262/#property-key>).

use crate::heap::{Gc, Heap};
use crate::string::{JsString, StrView};
use crate::symbol::Symbol;
use crate::value::Value;

/// A property key in canonical form, compared by bits: an array index (0 to 2^32 - 2) as an integer, any other string as an
/// atom, or a symbol (private names are symbols too).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct PropertyKey(Value);

impl PropertyKey {
    /// The largest array index.
    pub const MAX_INDEX: u32 = u32::MAX - 1;

    /// The key of an array index; `None` for 2^32 - 1, which is no array index.
    #[inline]
    pub const fn from_index(index: u32) -> Option<Self> {
        if index == u32::MAX { None } else { Some(Self(Value::index_key(index))) }
    }

    /// The key of an index that is known to be below 2^32 - 1 because it counts something in memory; larger ones are clamped.
    #[inline]
    pub const fn index(index: u32) -> Self {
        Self(Value::index_key(if index == u32::MAX { Self::MAX_INDEX } else { index }))
    }

    /// The key of an interned string, which must not be the text of an array index.
    pub const fn name(atom: Gc<JsString>) -> Self {
        Self(Value::string(atom))
    }

    /// The key of a symbol.
    #[inline]
    pub const fn symbol(symbol: Gc<Symbol>) -> Self {
        Self(Value::symbol(symbol))
    }

    /// The array index.
    #[inline]
    pub const fn as_index(self) -> Option<u32> {
        if self.0.is_int() { Some(self.0.payload()) } else { None }
    }

    /// The atom of a string that is no array index.
    #[inline]
    pub const fn as_atom(self) -> Option<Gc<JsString>> {
        self.0.as_string()
    }

    /// The symbol.
    #[inline]
    pub const fn as_symbol(self) -> Option<Gc<Symbol>> {
        self.0.as_symbol()
    }

    /// Whether the key is an array index.
    #[inline]
    pub const fn is_index(self) -> bool {
        self.0.is_int()
    }

    /// Whether the key is a symbol.
    #[inline]
    pub const fn is_symbol(self) -> bool {
        self.0.is_symbol()
    }

    /// Whether the key is a String, array indices included.
    #[inline]
    pub const fn is_string(self) -> bool {
        !self.0.is_symbol()
    }

    /// Whether the key is a private name (`#x`).
    #[inline]
    pub fn is_private(self, heap: &Heap) -> bool {
        self.as_symbol().is_some_and(|symbol| heap[symbol].is_private())
    }

    /// The bits, for hashing.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0.bits()
    }

    /// 32 bits for hashing.
    #[inline]
    pub const fn hash_bits(self) -> u32 {
        let bits = self.0.bits();
        (bits >> 32) as u32 ^ bits as u32
    }

    /// The value to root so that the key's string or symbol stays alive.
    #[inline]
    pub const fn root_value(self) -> Value {
        self.0
    }

    /// The key as a String or Symbol value.
    pub fn to_value(self, heap: &mut Heap) -> Value {
        match self.as_index() {
            Some(index) => Value::string(heap.number_to_string(f64::from(index))),
            None => self.0,
        }
    }

    /// The key as an error message shows it, as `String(key)` would.
    pub fn display(self, heap: &mut Heap) -> String {
        if let Some(index) = self.as_index() {
            return index.to_string();
        }
        if let Some(atom) = self.as_atom() {
            return heap.rust_string(atom);
        }
        match self.as_symbol() {
            Some(symbol) => heap.symbol_display(symbol),
            None => String::new(),
        }
    }
}

impl Heap {
    /// The key as an error message shows it.
    pub fn key_display(&mut self, key: PropertyKey) -> String {
        key.display(self)
    }

    /// The key of a string.
    pub fn key_from_string(&mut self, string: Gc<JsString>) -> PropertyKey {
        // Atoms may be texts of array indices: interning does not ask.
        let atom = match self[string].atom() {
            Some(atom) => atom,
            None => {
                self.flatten(string);
                if let Some(index) = self.view(string).array_index() {
                    return PropertyKey::index(index);
                }
                return PropertyKey::name(self.intern(string));
            }
        };
        match self.view(atom).array_index() {
            Some(index) => PropertyKey::index(index),
            None => PropertyKey::name(atom),
        }
    }

    /// The key of a text.
    pub fn key_from_str(&mut self, text: &str) -> PropertyKey {
        let index = if text.is_ascii() { StrView::Latin1(text.as_bytes()).array_index() } else { None };
        match index {
            Some(index) => PropertyKey::index(index),
            None => PropertyKey::name(self.intern_str(text)),
        }
    }

    /// The key of a String, Symbol or Number value; `None` for other values, whose conversion may run JavaScript.
    #[inline]
    pub fn key_from_primitive(&mut self, value: Value) -> Option<PropertyKey> {
        if let Some(index) = value.as_array_index() {
            return Some(PropertyKey::index(index));
        }
        if let Some(string) = value.as_string() {
            return Some(self.key_from_string(string));
        }
        if let Some(symbol) = value.as_symbol() {
            return Some(PropertyKey::symbol(symbol));
        }
        let number = value.as_number()?;
        let string = self.number_to_string(number);
        Some(self.key_from_string(string))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names;

    #[test]
    fn canonical_forms() {
        let mut heap = Heap::new();
        assert_eq!(heap.key_from_str("length"), names::keys::LENGTH);
        assert_eq!(heap.key_from_str("0").as_index(), Some(0));
        assert_eq!(heap.key_from_str("4294967294").as_index(), Some(4294967294));
        assert_eq!(heap.key_from_str("4294967295").as_index(), None);
        assert_eq!(heap.key_from_str("01").as_index(), None);
        assert_eq!(heap.key_from_str("-0").as_index(), None);
        let string = heap.new_string("12");
        assert_eq!(heap.key_from_string(string), PropertyKey::index(12));
        let left = heap.new_string("len");
        let right = heap.new_string("gth");
        let joined = heap.concat(left, right).unwrap();
        assert_eq!(heap.key_from_string(joined), names::keys::LENGTH);
        assert_eq!(heap.key_from_primitive(Value::double(-0.0)), Some(PropertyKey::index(0)));
        assert_eq!(heap.key_from_primitive(Value::NAN), Some(names::keys::NAN));
        assert_eq!(heap.key_from_primitive(Value::NULL), None);
        assert_eq!(PropertyKey::index(7).display(&mut heap), "7");
    }
}
