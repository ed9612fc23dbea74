//! Regular expressions: an adapter over the `regress` library.
//!
//! The library backtracks over UTF-16 (Unicode mode), over code units (without `u` and `v`), or over ASCII text, which it
//! reads in place. It searches from an index but knows neither the `y` flag nor a budget of steps: sticky matching uses a second
//! form of the pattern that always matches where it is tried, and a runaway pattern is stopped by the host (fuel, worker) only.

mod cache;
mod first_set;
mod flags;
mod pattern;
mod rewrite;

#[cfg(test)]
mod tests;

pub use cache::RegExpCache;
pub(crate) use cache::ResultShapes;
pub use flags::RegExpFlags;

use crate::heap::{Gc, Heap};
use crate::string::{JsString, StrView};
use first_set::FirstSet;
use pattern::PatternFacts;
use regress::Regex;
use rewrite::library_pattern;
use std::cell::OnceCell;
use std::ops::Range;

/// A pattern ready to match. Does not depend on the flags `d`, `g` and `y`.
#[derive(Debug)]
pub struct CompiledRegExp {
    flags: RegExpFlags,
    characters: Box<[u32]>,
    regex: Regex,
    /// Matches at the position where it is tried or gives a mark of failure; made when first needed.
    anchored: OnceCell<Option<Regex>>,
    first: Option<FirstSet>,
    facts: PatternFacts,
}

/// Where a pattern matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegExpMatch {
    /// The code units of the whole match.
    pub range: Range<usize>,
    /// The code units of each group from group 1 on; `None` for a group that took no part.
    pub captures: Vec<Option<Range<usize>>>,
}

impl RegExpMatch {
    /// The code units of a group; group 0 is the whole match.
    pub fn group(&self, number: usize) -> Option<Range<usize>> {
        match number.checked_sub(1) {
            None => Some(self.range.clone()),
            Some(index) => self.captures.get(index)?.clone(),
        }
    }
}

/// A Latin-1 text widened for the library. Kept for the next match on the same string.
#[derive(Debug, Default)]
pub(crate) struct Widened {
    /// The string, and the number of collections when it was read: after another one the handle may mean another string.
    string: Option<(Gc<JsString>, u32)>,
    units: Vec<u16>,
}

impl CompiledRegExp {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// The message of the SyntaxError when the pattern is not valid with these flags.
    pub fn compile(source: StrView<'_>, flags: RegExpFlags) -> Result<CompiledRegExp, String> {
        let flags = flags.of_matcher();
        let characters: Box<[u32]> = if flags.has_either_unicode() {
            source.code_points().collect()
        } else {
            source.iter().map(u32::from).collect()
        };
        let facts = PatternFacts::read(&characters, flags);
        let pattern = library_pattern(&characters, flags, &facts);
        let compiled = match Regex::from_unicode(pattern.iter().copied(), library_flags(flags)) {
            Ok(_) if facts.has_quantified_boundary => Err("Nothing to repeat"),
            Ok(regex) => Ok(regex),
            Err(error) => Err(reason(&error.text, &facts)),
        };
        let regex = compiled
            .map_err(|reason| format!("Invalid regular expression: /{}/{flags}: {reason}", source.to_rust_string()))?;
        let first = FirstSet::of_pattern(&characters, flags);
        Ok(CompiledRegExp { flags, characters, regex, anchored: OnceCell::new(), first, facts })
    }

    /// The number of groups, not counting the whole match.
    pub fn group_count(&self) -> usize {
        self.facts.group_count
    }

    /// The distinct names of groups in the order of the pattern, each with the numbers of its groups.
    pub fn group_names(&self) -> &[(String, Vec<usize>)] {
        &self.facts.group_names
    }

    /// Roughly how many bytes the compiled form takes.
    pub fn memory_size(&self) -> usize {
        size_of::<Self>() + self.characters.len() * 64
    }

    pub(crate) fn is_for(&self, source: StrView<'_>, flags: RegExpFlags) -> bool {
        self.flags == flags.of_matcher()
            && if self.flags.has_either_unicode() {
                self.characters.iter().copied().eq(source.code_points())
            } else {
                self.characters.iter().copied().eq(source.iter().map(u32::from))
            }
    }

    /// The first match at or after code unit `from`, or exactly there when `sticky`. The string must be flat.
    pub(crate) fn find(
        &self,
        heap: &Heap,
        string: Gc<JsString>,
        from: usize,
        sticky: bool,
        widened: &mut Widened,
    ) -> Option<RegExpMatch> {
        let view = heap.view(string);
        if from > view.len() {
            return None;
        }
        let start = match &self.first {
            Some(first) if sticky => (first.find(view.slice(from, from + 1), 0)? == 0).then_some(from)?,
            Some(first) => first.find(view, from)?,
            None => from,
        };
        // The library's loops over one character give up when that character is not of one byte.
        if !self.facts.has_wide_character
            && let Some(text) = heap.ascii_view(string)
        {
            return self.run(start, sticky, |regex, start| regex.find_from_ascii(text, start).next());
        }
        match view {
            StrView::Utf16(units) => self.find_wide(units, start, sticky),
            StrView::Latin1(units) => {
                let key = Some((string, heap.collections()));
                if widened.string != key {
                    widened.units.clear();
                    widened.units.extend(units.iter().map(|&unit| u16::from(unit)));
                    widened.string = key;
                }
                self.find_wide(&widened.units, start, sticky)
            }
        }
    }

    fn find_wide(&self, units: &[u16], start: usize, sticky: bool) -> Option<RegExpMatch> {
        if !self.flags.has_either_unicode() {
            return self.run(start, sticky, |regex, start| regex.find_from_ucs2(units, start).next());
        }
        // Between the halves of a pair, matching starts with the whole character.
        let inside = start > 0
            && units.get(start).is_some_and(|unit| unit & 0xFC00 == 0xDC00)
            && units.get(start - 1).is_some_and(|unit| unit & 0xFC00 == 0xD800);
        let start = start - usize::from(inside);
        self.run(start, sticky, |regex, start| regex.find_from_utf16(units, start).next())
    }

    fn run(
        &self,
        start: usize,
        sticky: bool,
        find: impl Fn(&Regex, usize) -> Option<regress::Match>,
    ) -> Option<RegExpMatch> {
        if !sticky {
            let found = find(&self.regex, start)?;
            return Some(RegExpMatch { range: found.range, captures: found.captures });
        }
        let Some(anchored) = self.anchored.get_or_init(|| self.compile_anchored()) else {
            let found = find(&self.regex, start).filter(|found| found.range.start == start)?;
            return Some(RegExpMatch { range: found.range, captures: found.captures });
        };
        let mut found = find(anchored, start)?;
        match found.captures.pop() {
            Some(None) => Some(RegExpMatch { range: found.range, captures: found.captures }),
            _ => None,
        }
    }

    /// The pattern with a last alternative that matches the empty string in a group of its own, so that the library never moves on to
    /// the next position. Not possible when a backslash and a number would come to mean this group.
    fn compile_anchored(&self) -> Option<Regex> {
        if self.facts.greatest_decimal_escape > self.facts.group_count {
            return None;
        }
        let pattern = library_pattern(&self.characters, self.flags, &self.facts);
        let wrapped = "(?:".chars().map(u32::from).chain(pattern.iter().copied());
        let wrapped: Vec<u32> = wrapped.chain(")|()".chars().map(u32::from)).collect();
        Regex::from_unicode(wrapped.into_iter(), library_flags(self.flags)).ok()
    }
}

fn library_flags(flags: RegExpFlags) -> regress::Flags {
    regress::Flags {
        icase: flags.contains(RegExpFlags::IGNORE_CASE),
        multiline: flags.contains(RegExpFlags::MULTILINE),
        dot_all: flags.contains(RegExpFlags::DOT_ALL),
        no_opt: false,
        // The library's v mode adds to its u mode.
        unicode: flags.has_either_unicode(),
        unicode_sets: flags.contains(RegExpFlags::UNICODE_SETS),
    }
}

/// The library's reason in the words that JavaScript programmers know.
fn reason(text: &str, facts: &PatternFacts) -> &'static str {
    match text {
        "Unbalanced parenthesis" if facts.has_open_group => "Unterminated group",
        "Unbalanced parenthesis" => "Unmatched ')'",
        "Unbalanced bracket" | "Unbalanced class set bracket" => "Unterminated character class",
        "Invalid atom character" | "Quantifier not allowed here" | "Invalid braced quantifier" => "Nothing to repeat",
        "Invalid quantifier" => "numbers out of order in {} quantifier",
        "Incomplete escape" | "Unterminated escape" => "\\ at end of pattern",
        "Invalid token at named capture group identifier" => "Invalid capture group name",
        "Invalid named backreference syntax" => "Invalid named reference",
        "Duplicate capture group name" => "Duplicate capture group name",
        "Invalid property name" | "Invalid property escape" => "Invalid property name",
        "Invalid unicode escape" => "Invalid Unicode escape",
        "Invalid group modifier" => "Invalid group",
        "Regular expression is too deeply nested"
        | "Capture group count limit exceeded"
        | "Loop count limit exceeded" => "Regular expression too large",
        text if text.starts_with("Backreference to invalid named") => "Invalid named capture referenced",
        text if text.contains("range") || text.contains("Range") => "Range out of order in character class",
        text if text.contains("class") => "Invalid character class",
        _ => "Invalid escape",
    }
}
