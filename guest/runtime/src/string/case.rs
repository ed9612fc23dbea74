//! Case conversion with the full Unicode mappings.
//!
//! [String.prototype.toLowerCase](https://tc39.es/ecma262/#sec-string.prototype.tolowercase) and
//! [String.prototype.toUpperCase](https://tc39.es/ecma262/#sec-string.prototype.touppercase) use
//! `toLowercase` and `toUppercase` of the Unicode Default Case Conversion, which Rust's `char` and `str` implement.

use super::{StrView, StringBuilder};

const CAPITAL_SIGMA: u16 = 0x3A3;

impl StrView<'_> {
    /// The string in lower case; `None` when it is the same string.
    pub fn to_lower_case(self) -> Option<StringBuilder> {
        match self {
            StrView::Latin1(units) => {
                let first = units.iter().position(|&unit| lower_latin1(unit) != unit)?;
                let mut lower = Vec::with_capacity(units.len());
                lower.extend_from_slice(&units[..first]);
                lower.extend(units[first..].iter().map(|&unit| lower_latin1(unit)));
                Some(StringBuilder::from_latin1_vec(lower))
            }
            StrView::Utf16(units) => {
                if units.contains(&CAPITAL_SIGMA) {
                    return self.changed(lower_with_sigma(units));
                }
                let mut lower = StringBuilder::with_capacity(units.len());
                for code_point in self.code_points() {
                    match char::from_u32(code_point) {
                        Some(c) => c.to_lowercase().for_each(|c| lower.push_code_point(u32::from(c))),
                        None => lower.push_code_point(code_point),
                    }
                }
                self.changed(lower)
            }
        }
    }

    /// The string in upper case; `None` when it is the same string.
    pub fn to_upper_case(self) -> Option<StringBuilder> {
        if let StrView::Latin1(units) = self {
            let first = units.iter().position(|&unit| upper_latin1(unit) != Some(unit))?;
            if units[first..].iter().all(|&unit| upper_latin1(unit).is_some()) {
                let mut upper = Vec::with_capacity(units.len());
                upper.extend_from_slice(&units[..first]);
                upper.extend(units[first..].iter().filter_map(|&unit| upper_latin1(unit)));
                return Some(StringBuilder::from_latin1_vec(upper));
            }
        }
        let mut upper = StringBuilder::with_capacity(self.len());
        for code_point in self.code_points() {
            match char::from_u32(code_point) {
                Some(c) => c.to_uppercase().for_each(|c| upper.push_code_point(u32::from(c))),
                None => upper.push_code_point(code_point),
            }
        }
        self.changed(upper)
    }

    fn changed(self, result: StringBuilder) -> Option<StringBuilder> {
        (result.as_view() != self).then_some(result)
    }
}

/// Lower case of a text with capital sigmas, whose mapping depends on the letters around them. A lone surrogate is neither
/// cased nor case-ignorable, so the runs between them can be converted one by one.
fn lower_with_sigma(units: &[u16]) -> StringBuilder {
    let mut lower = StringBuilder::with_capacity(units.len());
    let mut run = String::new();
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok(c) => run.push(c),
            Err(lone) => {
                lower.push_str(&run.to_lowercase());
                run.clear();
                lower.push_unit(lone.unpaired_surrogate());
            }
        }
    }
    lower.push_str(&run.to_lowercase());
    lower
}

#[inline]
fn lower_latin1(unit: u8) -> u8 {
    match unit {
        b'A'..=b'Z' | 0xC0..=0xD6 | 0xD8..=0xDE => unit + 0x20,
        _ => unit,
    }
}

/// `None` for the three units whose upper case is not one Latin-1 unit: micro sign, sharp s, y with diaeresis.
#[inline]
fn upper_latin1(unit: u8) -> Option<u8> {
    match unit {
        b'a'..=b'z' | 0xE0..=0xF6 | 0xF8..=0xFE => Some(unit - 0x20),
        0xB5 | 0xDF | 0xFF => None,
        _ => Some(unit),
    }
}
