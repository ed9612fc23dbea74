//! Finding one string in another, over every mix of widths.

use super::StrView;
use memchr::memmem;

/// Needles longer than this are searched in wide text with a failure table, so that the time stays linear.
const NAIVE_NEEDLE: usize = 16;

impl StrView<'_> {
    /// The first index at or after `from` where `needle` occurs.
    /// [StringIndexOf](https://tc39.es/ecma262/#sec-stringindexof)
    pub fn index_of(self, needle: StrView<'_>, from: usize) -> Option<usize> {
        let length = self.len();
        if needle.is_empty() {
            return (from <= length).then_some(from);
        }
        if from >= length || needle.len() > length - from {
            return None;
        }
        let found = match (self, needle) {
            (StrView::Latin1(text), StrView::Latin1([unit])) => memchr::memchr(*unit, &text[from..]),
            (StrView::Latin1(text), StrView::Latin1(needle)) => memmem::find(&text[from..], needle),
            (StrView::Latin1(text), StrView::Utf16(needle)) => {
                let needle = super::narrow(needle)?;
                memmem::find(&text[from..], &needle)
            }
            (StrView::Utf16(text), StrView::Latin1(needle)) => {
                let needle: Vec<u16> = needle.iter().map(|&unit| u16::from(unit)).collect();
                find_wide(&text[from..], &needle)
            }
            (StrView::Utf16(text), StrView::Utf16(needle)) => find_wide(&text[from..], needle),
        };
        found.map(|index| index + from)
    }

    /// The last index at or before `from` where `needle` occurs.
    /// [StringLastIndexOf](https://tc39.es/ecma262/#sec-stringlastindexof)
    pub fn last_index_of(self, needle: StrView<'_>, from: usize) -> Option<usize> {
        let last_start = self.len().checked_sub(needle.len())?.min(from);
        if needle.is_empty() {
            return Some(last_start);
        }
        let end = last_start + needle.len();
        match (self, needle) {
            (StrView::Latin1(text), StrView::Latin1([unit])) => memchr::memrchr(*unit, &text[..end]),
            (StrView::Latin1(text), StrView::Latin1(needle)) => memmem::rfind(&text[..end], needle),
            (StrView::Latin1(text), StrView::Utf16(needle)) => {
                let needle = super::narrow(needle)?;
                memmem::rfind(&text[..end], &needle)
            }
            (StrView::Utf16(text), StrView::Latin1(needle)) => {
                let needle: Vec<u16> = needle.iter().map(|&unit| u16::from(unit)).collect();
                rfind_wide(&text[..end], &needle)
            }
            (StrView::Utf16(text), StrView::Utf16(needle)) => rfind_wide(&text[..end], needle),
        }
    }

    /// All indices where `needle`, which is not empty, occurs, each after the end of the one before; at most `limit`.
    pub fn occurrences(self, needle: StrView<'_>, limit: usize) -> Vec<usize> {
        match (self, needle) {
            (StrView::Latin1(text), StrView::Latin1([unit])) => memchr::memchr_iter(*unit, text).take(limit).collect(),
            (StrView::Latin1(text), StrView::Latin1(needle)) if !needle.is_empty() => {
                memmem::find_iter(text, needle).take(limit).collect()
            }
            _ => {
                let mut found = Vec::new();
                let mut from = 0;
                while found.len() < limit
                    && let Some(index) = self.index_of(needle, from)
                {
                    found.push(index);
                    from = index + needle.len().max(1);
                }
                found
            }
        }
    }

    /// Whether `needle` occurs exactly at `position`.
    pub fn has_at(self, needle: StrView<'_>, position: usize) -> bool {
        let Some(end) = position.checked_add(needle.len()) else { return false };
        end <= self.len() && self.slice(position, end) == needle
    }
}

fn find_wide(text: &[u16], needle: &[u16]) -> Option<usize> {
    if needle.len() > NAIVE_NEEDLE {
        return find_linear(text.iter(), needle.iter()).map(|end| end - needle.len());
    }
    let (&first, rest) = needle.split_first()?;
    let last_start = text.len().checked_sub(needle.len())?;
    let mut start = 0;
    while start <= last_start {
        start += text[start..=last_start].iter().position(|&unit| unit == first)?;
        if text[start + 1..start + needle.len()] == *rest {
            return Some(start);
        }
        start += 1;
    }
    None
}

fn rfind_wide(text: &[u16], needle: &[u16]) -> Option<usize> {
    if needle.len() > NAIVE_NEEDLE {
        return find_linear(text.iter().rev(), needle.iter().rev()).map(|end| text.len() - end);
    }
    text.windows(needle.len()).rposition(|window| window == needle)
}

/// Knuth-Morris-Pratt: the number of units of `text` read when `needle` has just been seen for the first time.
fn find_linear<'a>(text: impl Iterator<Item = &'a u16>, needle: impl Iterator<Item = &'a u16>) -> Option<usize> {
    let needle: Vec<u16> = needle.copied().collect();
    // borders[i]: the length of the longest proper border of the first i + 1 units.
    let mut borders = vec![0_usize; needle.len()];
    let mut matched = 0;
    for index in 1..needle.len() {
        while matched > 0 && needle[index] != needle[matched] {
            matched = borders[matched - 1];
        }
        if needle[index] == needle[matched] {
            matched += 1;
        }
        borders[index] = matched;
    }
    matched = 0;
    for (read, &unit) in text.enumerate() {
        while matched > 0 && unit != needle[matched] {
            matched = borders[matched - 1];
        }
        if unit == needle[matched] {
            matched += 1;
        }
        if matched == needle.len() {
            return Some(read + 1);
        }
    }
    None
}
