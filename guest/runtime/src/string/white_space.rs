//! The white space that `trim`, `Number` and the number parsers skip.

use super::StrView;

/// Whether `unit` is [WhiteSpace](https://tc39.es/ecma262/#prod-WhiteSpace) or a
/// [LineTerminator](https://tc39.es/ecma262/#prod-LineTerminator). All of them are single code units.
#[inline]
pub fn is_white_space_or_line_terminator(unit: u16) -> bool {
    match unit {
        0x09..=0x0D | 0x20 | 0xA0 => true,
        0..=0xFF => false,
        0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000 | 0xFEFF => true,
        _ => false,
    }
}

impl<'a> StrView<'a> {
    /// The range of code units that remains when white space is removed at the chosen ends.
    /// [TrimString](https://tc39.es/ecma262/#sec-trimstring) without the copy.
    pub fn trim_range(self, at_start: bool, at_end: bool) -> std::ops::Range<usize> {
        let mut start = 0;
        let mut end = self.len();
        if at_start {
            while start < end && is_white_space_or_line_terminator(self.at(start)) {
                start += 1;
            }
        }
        if at_end {
            while end > start && is_white_space_or_line_terminator(self.at(end - 1)) {
                end -= 1;
            }
        }
        start..end
    }

    /// The view without white space at both ends.
    pub fn trim(self) -> StrView<'a> {
        let range = self.trim_range(true, true);
        self.slice(range.start, range.end)
    }

    /// The view without white space at its start.
    pub fn trim_start(self) -> StrView<'a> {
        let range = self.trim_range(true, false);
        self.slice(range.start, range.end)
    }
}
