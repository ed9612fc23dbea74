//! A borrowed, flat run of code units.

use std::cmp::Ordering;

/// The code units of a flat string, or of a part of it.
///
/// Comparison, equality and hash are those of the code units, whatever the width they are stored with.
#[derive(Debug, Clone, Copy)]
pub enum StrView<'a> {
    /// One byte per code unit.
    Latin1(&'a [u8]),
    /// Two bytes per code unit.
    Utf16(&'a [u16]),
}

impl<'a> StrView<'a> {
    /// The view of ASCII text.
    ///
    /// The text must be ASCII: other text would be read as Latin-1, byte by byte.
    #[inline]
    pub fn from_ascii(text: &'a str) -> StrView<'a> {
        debug_assert!(text.is_ascii());
        StrView::Latin1(text.as_bytes())
    }

    /// The number of code units.
    #[inline]
    pub fn len(self) -> usize {
        match self {
            StrView::Latin1(units) => units.len(),
            StrView::Utf16(units) => units.len(),
        }
    }

    /// Whether there is no code unit.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The code unit at `index`.
    ///
    /// # Panics
    /// When `index` is not below the length.
    #[inline]
    pub fn at(self, index: usize) -> u16 {
        match self {
            StrView::Latin1(units) => u16::from(units[index]),
            StrView::Utf16(units) => units[index],
        }
    }

    /// The code unit at `index`, if there is one.
    #[inline]
    pub fn get(self, index: usize) -> Option<u16> {
        match self {
            StrView::Latin1(units) => units.get(index).map(|&unit| u16::from(unit)),
            StrView::Utf16(units) => units.get(index).copied(),
        }
    }

    /// The code units from `start` up to, not including, `end`; both are clamped to the length.
    #[inline]
    pub fn slice(self, start: usize, end: usize) -> StrView<'a> {
        let end = end.min(self.len());
        let start = start.min(end);
        match self {
            StrView::Latin1(units) => StrView::Latin1(&units[start..end]),
            StrView::Utf16(units) => StrView::Utf16(&units[start..end]),
        }
    }

    /// The code units one by one.
    #[inline]
    pub fn iter(self) -> Units<'a> {
        Units { view: self, position: 0 }
    }

    /// The bytes when all code units are ASCII.
    pub fn as_ascii(self) -> Option<&'a str> {
        match self {
            StrView::Latin1(units) if units.is_ascii() => std::str::from_utf8(units).ok(),
            _ => None,
        }
    }

    /// Whether the code units are exactly those of the ASCII text `text`.
    #[inline]
    pub fn equals_ascii(self, text: &str) -> bool {
        self == StrView::from_ascii(text)
    }

    /// The array index ([ECMA-262, 6.1.7](https://tc39.es/ecma262/#array-index)) that this string is the canonical form of.
    pub fn array_index(self) -> Option<u32> {
        let length = self.len();
        if length == 0 || length > 10 {
            return None;
        }
        let first = self.at(0);
        if first == u16::from(b'0') {
            return (length == 1).then_some(0);
        }
        let mut value: u64 = 0;
        for unit in self.iter() {
            if !(u16::from(b'0')..=u16::from(b'9')).contains(&unit) {
                return None;
            }
            value = value * 10 + u64::from(unit - u16::from(b'0'));
        }
        // 2^32 - 1 is not an array index.
        (value < u64::from(u32::MAX)).then_some(value as u32)
    }

    /// A hash of the code units, never zero.
    pub fn hash(self) -> u32 {
        const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
        #[inline]
        fn mix(state: u64, word: u64) -> u64 {
            let product = (state ^ word).wrapping_mul(MULTIPLIER);
            product ^ (product >> 29)
        }
        fn fold<T: Copy + Into<u64>>(units: &[T]) -> u64 {
            let mut state = (units.len() as u64).wrapping_mul(MULTIPLIER);
            let mut blocks = units.chunks_exact(4);
            for block in &mut blocks {
                let word = block.iter().rev().fold(0, |word, &unit| word << 16 | unit.into());
                state = mix(state, word);
            }
            mix(state, blocks.remainder().iter().rev().fold(0, |word, &unit| word << 16 | unit.into()))
        }
        let state = match self {
            StrView::Latin1(units) => fold(units),
            StrView::Utf16(units) => fold(units),
        };
        ((state ^ (state >> 32)) as u32).max(1)
    }
}

impl PartialEq for StrView<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (StrView::Latin1(a), StrView::Latin1(b)) => a == b,
            (StrView::Utf16(a), StrView::Utf16(b)) => a == b,
            (StrView::Latin1(narrow), StrView::Utf16(wide)) | (StrView::Utf16(wide), StrView::Latin1(narrow)) => {
                narrow.len() == wide.len() && narrow.iter().zip(wide).all(|(&a, &b)| u16::from(a) == b)
            }
        }
    }
}

impl Eq for StrView<'_> {}

impl PartialOrd for StrView<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for StrView<'_> {
    /// Order by code units, as [IsLessThan](https://tc39.es/ecma262/#sec-islessthan) compares strings.
    fn cmp(&self, other: &Self) -> Ordering {
        match (*self, *other) {
            (StrView::Latin1(a), StrView::Latin1(b)) => a.cmp(b),
            (StrView::Utf16(a), StrView::Utf16(b)) => a.cmp(b),
            (StrView::Latin1(a), StrView::Utf16(b)) => a.iter().map(|&unit| u16::from(unit)).cmp(b.iter().copied()),
            (StrView::Utf16(a), StrView::Latin1(b)) => a.iter().copied().cmp(b.iter().map(|&unit| u16::from(unit))),
        }
    }
}

/// Iterator over code units.
#[derive(Debug, Clone)]
pub struct Units<'a> {
    view: StrView<'a>,
    position: usize,
}

impl Iterator for Units<'_> {
    type Item = u16;

    #[inline]
    fn next(&mut self) -> Option<u16> {
        let unit = self.view.get(self.position)?;
        self.position += 1;
        Some(unit)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.view.len() - self.position;
        (rest, Some(rest))
    }
}

impl ExactSizeIterator for Units<'_> {}
