//! Building a string piece by piece.

use super::{Gc, JsString, MAX_STRING_LENGTH, StrView, StringTooLong};
use crate::heap::Heap;

/// Collects code units; stores bytes until the first code unit above 0xFF arrives.
///
/// Once the text is longer than [`MAX_STRING_LENGTH`] further pieces are dropped, and [`StringBuilder::finish`] fails.
#[derive(Debug)]
pub struct StringBuilder {
    units: Buffer,
    too_long: bool,
}

#[derive(Debug)]
enum Buffer {
    Latin1(Vec<u8>),
    Utf16(Vec<u16>),
}

impl Default for StringBuilder {
    fn default() -> Self {
        StringBuilder::new()
    }
}

impl StringBuilder {
    /// An empty builder.
    pub fn new() -> StringBuilder {
        StringBuilder::from_latin1_vec(Vec::new())
    }

    /// An empty builder with room for `capacity` Latin-1 code units.
    pub fn with_capacity(capacity: usize) -> StringBuilder {
        StringBuilder::from_latin1_vec(Vec::with_capacity(capacity.min(MAX_STRING_LENGTH as usize)))
    }

    pub(crate) fn from_latin1_vec(units: Vec<u8>) -> StringBuilder {
        StringBuilder { units: Buffer::Latin1(units), too_long: false }
    }

    /// The number of code units so far.
    pub fn len(&self) -> usize {
        match &self.units {
            Buffer::Latin1(units) => units.len(),
            Buffer::Utf16(units) => units.len(),
        }
    }

    /// Whether nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the text has become longer than a string can be. Loops that may produce much text stop when it has.
    pub fn is_too_long(&self) -> bool {
        self.too_long
    }

    /// The code units so far.
    pub fn as_view(&self) -> StrView<'_> {
        match &self.units {
            Buffer::Latin1(units) => StrView::Latin1(units),
            Buffer::Utf16(units) => StrView::Utf16(units),
        }
    }

    /// Adds one code unit.
    #[inline]
    pub fn push_unit(&mut self, unit: u16) {
        if !self.has_room(1) {
            return;
        }
        match &mut self.units {
            Buffer::Latin1(units) => match u8::try_from(unit) {
                Ok(unit) => units.push(unit),
                Err(_) => self.widen(1).push(unit),
            },
            Buffer::Utf16(units) => units.push(unit),
        }
    }

    /// Adds a code point as one or two code units; a surrogate is added as it is.
    /// [UTF16EncodeCodePoint](https://tc39.es/ecma262/#sec-utf16encodecodepoint)
    #[inline]
    pub fn push_code_point(&mut self, code_point: u32) {
        match u16::try_from(code_point) {
            Ok(unit) => self.push_unit(unit),
            Err(_) => {
                let offset = code_point.wrapping_sub(0x10000);
                self.push_utf16(&[0xD800 | (offset >> 10) as u16 & 0x3FF, 0xDC00 | (offset & 0x3FF) as u16]);
            }
        }
    }

    /// Adds text.
    pub fn push_str(&mut self, text: &str) {
        if text.is_ascii() {
            self.push_latin1(text.as_bytes());
        } else {
            text.chars().for_each(|c| self.push_code_point(u32::from(c)));
        }
    }

    /// Adds Latin-1 code units.
    pub fn push_latin1(&mut self, added: &[u8]) {
        if !self.has_room(added.len()) {
            return;
        }
        match &mut self.units {
            Buffer::Latin1(units) => units.extend_from_slice(added),
            Buffer::Utf16(units) => units.extend(added.iter().map(|&unit| u16::from(unit))),
        }
    }

    /// Adds code units.
    pub fn push_utf16(&mut self, added: &[u16]) {
        if !self.has_room(added.len()) {
            return;
        }
        match &mut self.units {
            Buffer::Latin1(units) if super::is_all_latin1(added) => units.extend(added.iter().map(|&unit| unit as u8)),
            Buffer::Latin1(_) => self.widen(added.len()).extend_from_slice(added),
            Buffer::Utf16(units) => units.extend_from_slice(added),
        }
    }

    /// Adds the code units of a view.
    #[inline]
    pub fn push_view(&mut self, view: StrView<'_>) {
        match view {
            StrView::Latin1(units) => self.push_latin1(units),
            StrView::Utf16(units) => self.push_utf16(units),
        }
    }

    /// Adds the code units of a string, which is flattened first.
    pub fn push_string(&mut self, heap: &mut Heap, string: Gc<JsString>) {
        heap.flatten(string);
        self.push_view(heap.view(string));
    }

    /// Makes the string.
    ///
    /// # Errors
    /// When more than [`MAX_STRING_LENGTH`] code units were added.
    pub fn finish(self, heap: &mut Heap) -> Result<Gc<JsString>, StringTooLong> {
        if self.too_long {
            return Err(StringTooLong);
        }
        Ok(match self.units {
            Buffer::Latin1(units) => heap.new_string_latin1_vec(units),
            Buffer::Utf16(units) => heap.allocate_string(JsString::from_utf16_vec(units)),
        })
    }

    #[inline]
    fn has_room(&mut self, added: usize) -> bool {
        let fits = added <= MAX_STRING_LENGTH as usize && self.len() + added <= MAX_STRING_LENGTH as usize;
        if !fits {
            self.too_long = true;
        }
        fits && !self.too_long
    }

    /// Changes to two bytes per code unit and gives the buffer, with room for `added` more.
    fn widen(&mut self, added: usize) -> &mut Vec<u16> {
        if let Buffer::Latin1(narrow) = &self.units {
            let mut wide = Vec::with_capacity(narrow.capacity().max(narrow.len() + added));
            wide.extend(narrow.iter().map(|&unit| u16::from(unit)));
            self.units = Buffer::Utf16(wide);
        }
        match &mut self.units {
            Buffer::Utf16(units) => units,
            Buffer::Latin1(_) => unreachable!("the buffer was widened above"),
        }
    }
}
