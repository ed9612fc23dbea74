//! Two places where the library reads a pattern otherwise than the language; the pattern is rewritten there.

use std::borrow::Cow;

use super::RegExpFlags;
use super::pattern::{PatternFacts, group_name, starts_with};

/// The pattern as the library has to be given it:
///
/// - Without `u` and `v`, `\u{` is the letter `u` and a brace. The library takes it for a code point.
/// - `\k<name>` of a name that several groups have stands for the one that took part. The library tries them in turn, where the
///   first that took no part already matches nothing. All of them one after the other have the right meaning, since at
///   most one took part.
pub(super) fn library_pattern<'a>(characters: &'a [u32], flags: RegExpFlags, facts: &PatternFacts) -> Cow<'a, [u32]> {
    let has_duplicates = facts.group_names.iter().any(|(_, numbers)| numbers.len() > 1);
    let has_brace_escape =
        !flags.has_either_unicode() && characters.windows(3).any(|window| starts_with(window, "\\u{"));
    if !has_duplicates && !has_brace_escape {
        return Cow::Borrowed(characters);
    }
    let mut rewritten = Vec::with_capacity(characters.len() + 16);
    let mut position = 0;
    while position < characters.len() {
        let rest = &characters[position..];
        let is_named_group = starts_with(rest, "(?<") && !starts_with(rest, "(?<=") && !starts_with(rest, "(?<!");
        let is_reference = starts_with(rest, "\\k<") && !facts.group_names.is_empty();
        let length = if is_named_group || is_reference {
            let end = rest.iter().position(|&character| character == u32::from('>'));
            end.map_or(rest.len(), |end| end + 1)
        } else if starts_with(rest, "\\") {
            rest.len().min(2)
        } else {
            1
        };
        position += length;
        let taken = &rest[..length];
        if is_reference
            && let Some((_, numbers)) = facts.group_names.iter().find(|(name, _)| *name == group_name(&taken[3..]))
            && numbers.len() > 1
        {
            let all: String = numbers.iter().map(|number| format!("\\{number}")).collect();
            rewritten.extend(format!("(?:{all})").chars().map(u32::from));
        } else if has_brace_escape && starts_with(rest, "\\u{") {
            rewritten.push(u32::from('u'));
        } else {
            rewritten.extend_from_slice(taken);
        }
    }
    Cow::Owned(rewritten)
}
