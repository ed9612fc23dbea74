//! Operations on strings that need the heap.

use super::{
    Gc, INLINE_CAPACITY, JsString, MAX_STRING_LENGTH, Repr, StrView, StringBuilder, StringTooLong, is_all_latin1,
};
use crate::heap::Heap;
use crate::names;
use std::cmp::Ordering;

/// Concatenations and substrings up to this length are copied at once: a rope or a slice would cost as much memory.
const COPY_LENGTH: usize = 24;

/// Making strings.
impl Heap {
    /// A string of Latin-1 code units.
    pub fn new_string_latin1(&mut self, units: &[u8]) -> Gc<JsString> {
        self.allocate_string(JsString::from_latin1(units))
    }

    /// A string of Latin-1 code units that are taken over.
    pub fn new_string_latin1_vec(&mut self, units: Vec<u8>) -> Gc<JsString> {
        self.allocate_string(JsString::from_latin1_vec(units))
    }

    /// A string of UTF-16 code units.
    pub fn new_string_utf16(&mut self, units: &[u16]) -> Gc<JsString> {
        self.allocate_string(JsString::from_utf16(units))
    }

    /// A string from UTF-8 text.
    pub fn new_string(&mut self, text: &str) -> Gc<JsString> {
        let cell = if text.len() <= INLINE_CAPACITY && text.is_ascii() {
            JsString::from_latin1(text.as_bytes())
        } else if text.is_ascii() {
            JsString::from_ascii_string(text.to_owned())
        } else {
            cell_from_str(text)
        };
        self.allocate_string(cell)
    }

    /// A string from UTF-8 text that is taken over: ASCII is not copied.
    pub fn new_string_owned(&mut self, text: String) -> Gc<JsString> {
        let cell = if text.is_ascii() { JsString::from_ascii_string(text) } else { cell_from_str(&text) };
        self.allocate_string(cell)
    }

    /// A string with the code units of a view.
    pub fn new_string_view(&mut self, view: StrView<'_>) -> Gc<JsString> {
        match view {
            StrView::Latin1(units) => self.new_string_latin1(units),
            StrView::Utf16(units) => self.new_string_utf16(units),
        }
    }

    /// The empty string.
    #[inline]
    pub fn empty_string(&self) -> Gc<JsString> {
        names::EMPTY
    }

    /// The string of one code unit.
    #[inline]
    pub fn single_char(&mut self, unit: u16) -> Gc<JsString> {
        match u8::try_from(unit) {
            Ok(unit) => match self.string_table.single[usize::from(unit)] {
                Some(string) => string,
                None => {
                    let string = self.intern_view(StrView::Latin1(&[unit]));
                    self.string_table.single[usize::from(unit)] = Some(string);
                    string
                }
            },
            Err(_) => self.new_string_utf16(&[unit]),
        }
    }

    /// The string of one code point.
    pub fn string_from_code_point(&mut self, code_point: u32) -> Gc<JsString> {
        match u16::try_from(code_point) {
            Ok(unit) => self.single_char(unit),
            Err(_) => {
                let offset = code_point.wrapping_sub(0x10000);
                self.new_string_utf16(&[0xD800 | (offset >> 10) as u16 & 0x3FF, 0xDC00 | (offset & 0x3FF) as u16])
            }
        }
    }

    pub(crate) fn allocate_string(&mut self, cell: JsString) -> Gc<JsString> {
        self.charge(cell.payload_bytes());
        self.allocate(cell)
    }
}

/// Joining, cutting and reading.
impl Heap {
    /// The number of code units.
    #[inline]
    pub fn string_length(&self, string: Gc<JsString>) -> usize {
        self[string].len()
    }

    /// The string of the code units of `left` followed by those of `right`.
    /// [String concatenation](https://tc39.es/ecma262/#string-concatenation)
    ///
    /// # Errors
    /// When the result would be longer than [`MAX_STRING_LENGTH`].
    pub fn concat(&mut self, left: Gc<JsString>, right: Gc<JsString>) -> Result<Gc<JsString>, StringTooLong> {
        let (left_length, right_length) = (self[left].length, self[right].length);
        if right_length == 0 {
            return Ok(left);
        }
        if left_length == 0 {
            return Ok(right);
        }
        let length = left_length.saturating_add(right_length);
        if length > MAX_STRING_LENGTH {
            return Err(StringTooLong);
        }
        if length as usize <= COPY_LENGTH && self[left].is_flat() && self[right].is_flat() {
            let cell = match (self.view(left), self.view(right)) {
                (StrView::Latin1(left), StrView::Latin1(right)) if length as usize <= INLINE_CAPACITY => {
                    let mut bytes = [0; INLINE_CAPACITY];
                    let (start, end) = bytes.split_at_mut(left.len());
                    start.copy_from_slice(left);
                    end[..right.len()].copy_from_slice(right);
                    JsString::from_repr(length as usize, Repr::Inline(bytes))
                }
                (StrView::Latin1(left), StrView::Latin1(right)) => JsString::from_latin1_vec([left, right].concat()),
                (left, right) => JsString::from_utf16_vec(left.iter().chain(right.iter()).collect()),
            };
            return Ok(self.allocate_string(cell));
        }
        let wide = self.is_wide(left) || self.is_wide(right);
        Ok(self.allocate_string(JsString::from_repr(length as usize, Repr::Rope { left, right, wide })))
    }

    /// The string of the code units from `start` up to, not including, `end`; both are clamped to the length.
    pub fn substring(&mut self, string: Gc<JsString>, start: usize, end: usize) -> Gc<JsString> {
        let full = self[string].len();
        let end = end.min(full);
        let start = start.min(end);
        let length = end - start;
        if length == full {
            return string;
        }
        if length == 0 {
            return self.empty_string();
        }
        self.flatten(string);
        let cell = match self.view(string).slice(start, end) {
            view if length == 1 => {
                let unit = view.at(0);
                return self.single_char(unit);
            }
            StrView::Latin1(units) if length <= COPY_LENGTH => JsString::from_latin1(units),
            StrView::Utf16(units) if length <= COPY_LENGTH || is_all_latin1(units) => JsString::from_utf16(units),
            _ => {
                let (parent, offset) = match self[string].repr {
                    Repr::Slice { parent, start } => (parent, start),
                    _ => (string, 0),
                };
                JsString::from_repr(length, Repr::Slice { parent, start: offset + start as u32 })
            }
        };
        self.allocate_string(cell)
    }

    /// Joins the pieces of a rope, in place; other strings stay as they are.
    #[inline]
    pub fn flatten(&mut self, string: Gc<JsString>) {
        if let Repr::Rope { wide, .. } = self[string].repr {
            self.flatten_rope(string, wide);
        }
    }

    #[cold]
    fn flatten_rope(&mut self, root: Gc<JsString>, wide: bool) {
        let length = self[root].len();
        let repr = if wide {
            let mut units: Vec<u16> = Vec::with_capacity(length);
            self.for_each_leaf(root, |leaf| match leaf {
                StrView::Latin1(leaf) => units.extend(leaf.iter().map(|&unit| u16::from(unit))),
                StrView::Utf16(leaf) => units.extend_from_slice(leaf),
            });
            JsString::from_utf16_vec(units).repr
        } else {
            let mut units: Vec<u8> = Vec::with_capacity(length);
            self.for_each_leaf(root, |leaf| match leaf {
                StrView::Latin1(leaf) => units.extend_from_slice(leaf),
                StrView::Utf16(leaf) => units.extend(leaf.iter().map(|&unit| unit as u8)),
            });
            JsString::from_latin1_vec(units).repr
        };
        let cell = &mut self[root];
        cell.repr = repr;
        let payload = cell.payload_bytes();
        self.charge(payload);
    }

    /// Visits the flat strings of a rope from left to right. Not recursive: a rope may be as deep as it is long.
    fn for_each_leaf(&self, root: Gc<JsString>, mut visit: impl FnMut(StrView<'_>)) {
        let mut pending = vec![root];
        while let Some(string) = pending.pop() {
            let mut string = string;
            while let Repr::Rope { left, right, .. } = self[string].repr {
                pending.push(right);
                string = left;
            }
            visit(self.view(string));
        }
    }

    /// The code units of a flat string.
    ///
    /// # Panics
    /// When the string is a rope, which is a mistake of the caller: see [`Heap::flat_view`].
    #[inline]
    pub fn view(&self, string: Gc<JsString>) -> StrView<'_> {
        let cell = &self[string];
        match &cell.repr {
            Repr::Inline(units) => StrView::Latin1(&units[..cell.len()]),
            Repr::Ascii(text) => StrView::Latin1(text.as_bytes()),
            Repr::Latin1(units) => StrView::Latin1(units),
            Repr::Utf16(units) => StrView::Utf16(units),
            &Repr::Slice { parent, start } => self.slice_view(parent, start, cell.length),
            Repr::Rope { .. } => panic!("a rope was viewed without flattening it"),
        }
    }

    fn slice_view(&self, parent: Gc<JsString>, start: u32, length: u32) -> StrView<'_> {
        let range = start as usize..start as usize + length as usize;
        match &self[parent].repr {
            Repr::Ascii(text) => StrView::Latin1(&text.as_bytes()[range]),
            Repr::Latin1(units) => StrView::Latin1(&units[range]),
            Repr::Utf16(units) => StrView::Utf16(&units[range]),
            Repr::Inline(_) | Repr::Rope { .. } | Repr::Slice { .. } => {
                panic!("the parent of a slice has no payload of its own")
            }
        }
    }

    /// Flattens the string and gives its code units.
    #[inline]
    pub fn flat_view(&mut self, string: Gc<JsString>) -> StrView<'_> {
        self.flatten(string);
        self.view(string)
    }

    /// The text of a flat string that is known to be ASCII, without reading it (except a very short one).
    pub fn ascii_view(&self, string: Gc<JsString>) -> Option<&str> {
        let cell = &self[string];
        match &cell.repr {
            Repr::Ascii(text) => Some(text),
            Repr::Inline(units) => StrView::Latin1(&units[..cell.len()]).as_ascii(),
            &Repr::Slice { parent, start } => match &self[parent].repr {
                Repr::Ascii(text) => text.get(start as usize..start as usize + cell.len()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The code unit at `index`, if there is one.
    #[inline]
    pub fn code_unit_at(&mut self, string: Gc<JsString>, index: usize) -> Option<u16> {
        self.flat_view(string).get(index)
    }

    /// Whether any code unit is above 0xFF.
    pub(crate) fn is_wide(&self, string: Gc<JsString>) -> bool {
        match self[string].repr {
            Repr::Inline(_) | Repr::Ascii(_) | Repr::Latin1(_) => false,
            Repr::Utf16(_) => true,
            Repr::Rope { wide, .. } => wide,
            Repr::Slice { parent, .. } => matches!(self[parent].repr, Repr::Utf16(_)),
        }
    }

    /// UTF-8 text with U+FFFD in place of every lone surrogate.
    pub fn rust_string(&mut self, string: Gc<JsString>) -> String {
        self.flat_view(string).to_rust_string()
    }
}

/// Comparing.
impl Heap {
    /// Whether both strings have the same code units.
    #[inline]
    pub fn strings_equal(&mut self, left: Gc<JsString>, right: Gc<JsString>) -> bool {
        if left == right {
            return true;
        }
        let (a, b) = (&self[left], &self[right]);
        if a.length != b.length {
            return false;
        }
        // Two different atoms are two different strings.
        if let (Some(a), Some(b)) = (a.atom, b.atom) {
            return a == b;
        }
        self.flatten(left);
        self.flatten(right);
        self.view(left) == self.view(right)
    }

    /// The order of both strings by code units.
    pub fn compare_strings(&mut self, left: Gc<JsString>, right: Gc<JsString>) -> Ordering {
        if left == right {
            return Ordering::Equal;
        }
        self.flatten(left);
        self.flatten(right);
        self.view(left).cmp(&self.view(right))
    }

    /// The hash of the code units, never zero; kept in the cell.
    pub fn string_hash(&mut self, string: Gc<JsString>) -> u32 {
        match self[string].hash {
            0 => {
                let hash = self.flat_view(string).hash();
                self[string].hash = hash;
                hash
            }
            hash => hash,
        }
    }

    /// The hash of a string whose hash or code units can be read without flattening; `None` for a rope.
    pub fn known_string_hash(&self, string: Gc<JsString>) -> Option<u32> {
        let cell = &self[string];
        match cell.hash {
            0 => cell.is_flat().then(|| self.view(string).hash()),
            hash => Some(hash),
        }
    }
}

/// Interning.
impl Heap {
    /// The one string that stands for all strings with these code units.
    #[inline]
    pub fn intern(&mut self, string: Gc<JsString>) -> Gc<JsString> {
        match self[string].atom {
            Some(atom) => atom,
            None => self.intern_slow(string),
        }
    }

    fn intern_slow(&mut self, string: Gc<JsString>) -> Gc<JsString> {
        let hash = self.string_hash(string);
        if let Some(atom) = self.find_atom_with_hash(self.view(string), hash) {
            self[string].atom = Some(atom);
            return atom;
        }
        if matches!(self[string].repr, Repr::Slice { .. }) {
            // An atom may live long: it must not keep the text that it was cut from.
            let mut copy = StringBuilder::new();
            copy.push_view(self.view(string));
            let Ok(atom) = copy.finish(self) else { return string };
            self[atom].hash = hash;
            self[string].atom = Some(atom);
            self.add_atom(atom, hash);
            return atom;
        }
        self.add_atom(string, hash);
        string
    }

    /// The atom of some text.
    pub fn intern_str(&mut self, text: &str) -> Gc<JsString> {
        if text.is_ascii() {
            return self.intern_view(StrView::Latin1(text.as_bytes()));
        }
        let string = self.new_string(text);
        self.intern(string)
    }

    /// The atom of some code units.
    pub fn intern_view(&mut self, view: StrView<'_>) -> Gc<JsString> {
        let hash = view.hash();
        if let Some(atom) = self.find_atom_with_hash(view, hash) {
            return atom;
        }
        let atom = self.new_string_view(view);
        self[atom].hash = hash;
        self.add_atom(atom, hash);
        atom
    }

    /// The atom of some code units, if there is one already.
    pub fn find_atom(&self, view: StrView<'_>) -> Option<Gc<JsString>> {
        self.find_atom_with_hash(view, view.hash())
    }

    fn find_atom_with_hash(&self, view: StrView<'_>, hash: u32) -> Option<Gc<JsString>> {
        let found = self
            .string_table
            .entries
            .find(spread(hash), |&(other_hash, atom)| other_hash == hash && self.view(atom) == view);
        found.map(|&(_, atom)| atom)
    }

    fn add_atom(&mut self, atom: Gc<JsString>, hash: u32) {
        self[atom].atom = Some(atom);
        self.string_table.entries.insert_unique(spread(hash), (hash, atom), |&(hash, _)| spread(hash));
    }
}

/// The table takes its control bits from the top of 64 bits and the bucket from the bottom.
#[inline]
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

fn cell_from_str(text: &str) -> JsString {
    if text.chars().all(|c| u32::from(c) <= 0xFF) {
        JsString::from_latin1_vec(text.chars().map(|c| c as u8).collect())
    } else {
        JsString::from_utf16_vec(text.encode_utf16().collect())
    }
}
