//! Code points in UTF-16: reading, iterating, well-formedness, conversion to UTF-8.

use super::StrView;

/// Whether `unit` is a leading surrogate.
#[inline]
pub(crate) fn is_lead_surrogate(unit: u16) -> bool {
    unit & 0xFC00 == 0xD800
}

/// Whether `unit` is a trailing surrogate.
#[inline]
pub(crate) fn is_trail_surrogate(unit: u16) -> bool {
    unit & 0xFC00 == 0xDC00
}

/// The code point of a surrogate pair.
/// [UTF16SurrogatePairToCodePoint](https://tc39.es/ecma262/#sec-utf16decodesurrogatepair)
#[inline]
pub(crate) fn from_surrogates(lead: u16, trail: u16) -> u32 {
    ((u32::from(lead) - 0xD800) << 10) + (u32::from(trail) - 0xDC00) + 0x10000
}

/// Iterator over the code points of a string; lone surrogates are given as themselves.
#[derive(Debug, Clone)]
pub struct CodePoints<'a> {
    view: StrView<'a>,
    position: usize,
}

impl CodePoints<'_> {
    /// The index of the code unit where the next code point starts.
    pub fn position(&self) -> usize {
        self.position
    }
}

impl Iterator for CodePoints<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.position >= self.view.len() {
            return None;
        }
        let (code_point, width) = self.view.code_point_at(self.position);
        self.position += width;
        Some(code_point)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.view.len() - self.position;
        (rest.div_ceil(2), Some(rest))
    }
}

impl<'a> StrView<'a> {
    /// The code point at code unit `index`, and how many code units it takes.
    /// [CodePointAt](https://tc39.es/ecma262/#sec-codepointat)
    ///
    /// # Panics
    /// When `index` is not below the length.
    #[inline]
    pub fn code_point_at(self, index: usize) -> (u32, usize) {
        match self {
            StrView::Latin1(units) => (u32::from(units[index]), 1),
            StrView::Utf16(units) => {
                let lead = units[index];
                if is_lead_surrogate(lead)
                    && let Some(&trail) = units.get(index + 1)
                    && is_trail_surrogate(trail)
                {
                    return (from_surrogates(lead, trail), 2);
                }
                (u32::from(lead), 1)
            }
        }
    }

    /// All code points from the start.
    /// [StringToCodePoints](https://tc39.es/ecma262/#sec-stringtocodepoints)
    pub fn code_points(self) -> CodePoints<'a> {
        CodePoints { view: self, position: 0 }
    }

    /// Whether there is no lone surrogate.
    /// [IsStringWellFormedUnicode](https://tc39.es/ecma262/#sec-isstringwellformedunicode)
    pub fn is_well_formed(self) -> bool {
        self.first_lone_surrogate(0).is_none()
    }

    /// The index of the first lone surrogate at or after `from`.
    pub fn first_lone_surrogate(self, from: usize) -> Option<usize> {
        let StrView::Utf16(units) = self else { return None };
        let mut index = from;
        while let Some(&unit) = units.get(index) {
            if is_lead_surrogate(unit) && units.get(index + 1).is_some_and(|&next| is_trail_surrogate(next)) {
                index += 2;
            } else if unit & 0xF800 == 0xD800 {
                return Some(index);
            } else {
                index += 1;
            }
        }
        None
    }

    /// UTF-8 text with U+FFFD in place of every lone surrogate.
    pub fn to_rust_string(self) -> String {
        match self {
            StrView::Latin1(units) => match std::str::from_utf8(units) {
                Ok(text) if units.is_ascii() => text.to_owned(),
                _ => units.iter().map(|&unit| char::from(unit)).collect(),
            },
            StrView::Utf16(units) => String::from_utf16_lossy(units),
        }
    }
}
