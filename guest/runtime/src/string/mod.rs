//! String values: the heap cell, its representations, views over code units, search, case conversion and interning.
//!
//! A String value is a sequence of UTF-16 code units ([ECMA-262, 6.1.4]). Most strings are Latin-1 and are stored with
//! one byte per unit; the others have two. Concatenation makes ropes, long substrings make slices, and both become
//! flat payloads only when somebody reads them.
//!
//! [ECMA-262, 6.1.4]: https://tc39.es/ecma262/#sec-ecmascript-language-types-string-type

mod builder;
mod case;
mod code_points;
mod collate;
mod heap_impl;
mod normalize;
mod search;
mod table;
mod template;
mod view;
mod white_space;

#[cfg(test)]
mod tests;

pub use builder::StringBuilder;
pub use code_points::CodePoints;
pub use collate::compare_english;
pub use normalize::NormalizationForm;
pub use table::StringTable;
pub use template::{TemplatePiece, parse_template};
pub use view::{StrView, Units};
pub use white_space::is_white_space_or_line_terminator;

use crate::heap::{Arena, Cell, CellKind, Gc, Heap, Marker, Trace};

/// The greatest number of code units in a string.
pub const MAX_STRING_LENGTH: u32 = 1 << 24;

/// How many Latin-1 code units fit the cell itself.
pub(crate) const INLINE_CAPACITY: usize = 11;

/// A string would have more than [`MAX_STRING_LENGTH`] code units. Becomes the RangeError `Invalid string length`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StringTooLong;

impl StringTooLong {
    /// The text of the RangeError.
    pub const MESSAGE: &'static str = "Invalid string length";
}

/// The heap cell of a String value.
#[derive(Debug)]
pub struct JsString {
    pub(crate) length: u32,
    /// Zero when not computed yet.
    pub(crate) hash: u32,
    /// The interned string with the same code units, if known; the string itself when it is interned.
    pub(crate) atom: Option<Gc<JsString>>,
    pub(crate) repr: Repr,
}

/// Where the code units are.
///
/// ASCII text has a variant of its own because the regular expression engine reads `&str`, and a slice of one can be
/// taken without looking at its bytes.
#[derive(Debug)]
pub(crate) enum Repr {
    /// Up to [`INLINE_CAPACITY`] Latin-1 code units.
    Inline([u8; INLINE_CAPACITY]),
    /// ASCII only.
    Ascii(Box<str>),
    /// Code units up to 0xFF.
    Latin1(Box<[u8]>),
    /// At least one code unit is above 0xFF.
    Utf16(Box<[u16]>),
    /// Two strings one after the other, not joined yet.
    Rope {
        left: Gc<JsString>,
        right: Gc<JsString>,
        /// Whether any code unit is above 0xFF.
        wide: bool,
    },
    /// `length` code units of `parent`, which is never inline, a rope or a slice.
    Slice { parent: Gc<JsString>, start: u32 },
}

impl JsString {
    /// The number of code units.
    #[inline]
    pub fn len(&self) -> usize {
        self.length as usize
    }

    /// Whether the string is the empty string.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether the code units can be viewed without flattening first.
    #[inline]
    pub fn is_flat(&self) -> bool {
        !matches!(self.repr, Repr::Rope { .. })
    }

    /// The interned string with the same code units, when it is known already.
    #[inline]
    pub fn atom(&self) -> Option<Gc<JsString>> {
        self.atom
    }

    /// Bytes held outside the cell.
    pub fn payload_bytes(&self) -> usize {
        match &self.repr {
            Repr::Ascii(text) => text.len(),
            Repr::Latin1(units) => units.len(),
            Repr::Utf16(units) => units.len() * 2,
            Repr::Inline(_) | Repr::Rope { .. } | Repr::Slice { .. } => 0,
        }
    }

    /// Calls `visit` with every string that this one needs.
    #[inline]
    pub fn for_each_child(&self, mut visit: impl FnMut(Gc<JsString>)) {
        match self.repr {
            Repr::Rope { left, right, .. } => {
                visit(left);
                visit(right);
            }
            Repr::Slice { parent, .. } => visit(parent),
            _ => {}
        }
        if let Some(atom) = self.atom {
            visit(atom);
        }
    }

    pub(crate) fn from_repr(length: usize, repr: Repr) -> JsString {
        JsString { length: length as u32, hash: 0, atom: None, repr }
    }

    /// A cell for Latin-1 code units that are copied.
    pub(crate) fn from_latin1(units: &[u8]) -> JsString {
        match inline(units) {
            Some(repr) => JsString::from_repr(units.len(), repr),
            None => JsString::from_latin1_vec(units.to_vec()),
        }
    }

    /// A cell for Latin-1 code units that are taken over.
    pub(crate) fn from_latin1_vec(units: Vec<u8>) -> JsString {
        let length = units.len();
        let repr = match inline(&units) {
            Some(repr) => repr,
            None if units.is_ascii() => match String::from_utf8(units) {
                Ok(text) => Repr::Ascii(text.into_boxed_str()),
                Err(error) => Repr::Latin1(error.into_bytes().into_boxed_slice()),
            },
            None => Repr::Latin1(units.into_boxed_slice()),
        };
        JsString::from_repr(length, repr)
    }

    /// A cell for ASCII text that is taken over.
    pub(crate) fn from_ascii_string(text: String) -> JsString {
        debug_assert!(text.is_ascii());
        let length = text.len();
        let repr = inline(text.as_bytes()).unwrap_or_else(|| Repr::Ascii(text.into_boxed_str()));
        JsString::from_repr(length, repr)
    }

    /// A cell for code units of any kind, narrowed when all are Latin-1.
    pub(crate) fn from_utf16(units: &[u16]) -> JsString {
        match narrow(units) {
            Some(narrow) => JsString::from_latin1_vec(narrow),
            None => JsString::from_repr(units.len(), Repr::Utf16(units.into())),
        }
    }

    /// A cell for code units of any kind that are taken over, narrowed when all are Latin-1.
    pub(crate) fn from_utf16_vec(units: Vec<u16>) -> JsString {
        match narrow(&units) {
            Some(narrow) => JsString::from_latin1_vec(narrow),
            None => JsString::from_repr(units.len(), Repr::Utf16(units.into_boxed_slice())),
        }
    }
}

fn inline(units: &[u8]) -> Option<Repr> {
    let mut bytes = [0; INLINE_CAPACITY];
    bytes.get_mut(..units.len())?.copy_from_slice(units);
    Some(Repr::Inline(bytes))
}

/// The code units as bytes when all of them are Latin-1.
pub(crate) fn narrow(units: &[u16]) -> Option<Vec<u8>> {
    is_all_latin1(units).then(|| units.iter().map(|&unit| unit as u8).collect())
}

/// Whether no code unit is above 0xFF.
pub(crate) fn is_all_latin1(units: &[u16]) -> bool {
    // Wide text usually shows it at once; the rest is scanned in blocks that the compiler can vectorise.
    units.chunks(32).all(|block| block.iter().fold(0, |all, &unit| all | unit) <= 0xFF)
}

impl Cell for JsString {
    const KIND: CellKind = CellKind::String;

    fn vacant() -> Self {
        JsString::from_repr(0, Repr::Inline([0; INLINE_CAPACITY]))
    }

    fn payload_bytes(&self) -> usize {
        JsString::payload_bytes(self)
    }

    fn owns_memory(&self) -> bool {
        !matches!(self.repr, Repr::Inline(_) | Repr::Rope { .. } | Repr::Slice { .. })
    }

    fn arena(heap: &Heap) -> &Arena<Self> {
        &heap.strings
    }

    fn arena_mut(heap: &mut Heap) -> &mut Arena<Self> {
        &mut heap.strings
    }
}

impl Trace for JsString {
    fn trace(&self, marker: &mut Marker) {
        self.for_each_child(|child| marker.mark(child));
    }
}
