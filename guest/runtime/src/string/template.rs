//! Replacement templates: what `$1`, `$&` and the others stand for.

use super::StrView;
use std::ops::Range;

/// A piece of a replacement template. Ranges are code units of the template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePiece {
    /// These code units as they are.
    Literal(Range<usize>),
    /// What was matched: `$&`.
    Matched,
    /// The text before the match: `` $` ``.
    Before,
    /// The text after the match: `$'`.
    After,
    /// A group by its number: `$1`.
    Group(usize),
    /// A group by its name, given as a range: `$<name>`.
    Named(Range<usize>),
}

/// Takes a replacement template apart, as [GetSubstitution](https://tc39.es/ecma262/#sec-getsubstitution) reads it, for a match with
/// `group_count` groups, with or without names.
pub fn parse_template(template: StrView<'_>, group_count: usize, has_names: bool) -> Vec<TemplatePiece> {
    const DOLLAR: u16 = b'$' as u16;
    let mut pieces = Vec::new();
    let mut literal_start = 0;
    let mut position = 0;
    while let Some(found) = template.index_of(StrView::Latin1(b"$"), position) {
        let Some(next) = template.get(found + 1) else { break };
        let digit = |index: usize| char::from(u8::try_from(template.get(index)?).ok()?).to_digit(10);
        let (piece, length) = match u8::try_from(next).unwrap_or(0) {
            // The second dollar is a literal.
            b'$' => (Some(TemplatePiece::Literal(found + 1..found + 2)), 2),
            b'&' => (Some(TemplatePiece::Matched), 2),
            b'`' => (Some(TemplatePiece::Before), 2),
            b'\'' => (Some(TemplatePiece::After), 2),
            b'0'..=b'9' => {
                let first = digit(found + 1).unwrap_or(0) as usize;
                let both = digit(found + 2).map(|second| first * 10 + second as usize);
                match both {
                    Some(number) if (1..=group_count).contains(&number) => (Some(TemplatePiece::Group(number)), 3),
                    _ if (1..=group_count).contains(&first) => (Some(TemplatePiece::Group(first)), 2),
                    _ => (None, 2),
                }
            }
            b'<' if has_names => match template.index_of(StrView::Latin1(b">"), found + 2) {
                Some(end) => (Some(TemplatePiece::Named(found + 2..end)), end + 1 - found),
                None => (None, 2),
            },
            _ => (None, 1),
        };
        debug_assert!(template.at(found) == DOLLAR);
        if let Some(piece) = piece {
            if literal_start < found {
                pieces.push(TemplatePiece::Literal(literal_start..found));
            }
            pieces.push(piece);
            literal_start = found + length;
        }
        position = found + length;
    }
    if literal_start < template.len() {
        pieces.push(TemplatePiece::Literal(literal_start..template.len()));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::{TemplatePiece::*, *};

    #[test]
    fn templates() {
        let parse = |text: &str, groups, names| parse_template(StrView::from_ascii(text), groups, names);
        assert_eq!(parse("plain", 0, false), [Literal(0..5)]);
        assert_eq!(parse("", 0, false), []);
        assert_eq!(parse("a$$b", 0, false), [Literal(0..1), Literal(2..3), Literal(3..4)]);
        assert_eq!(parse("$&$`$'", 0, false), [Matched, Before, After]);
        assert_eq!(parse("$1-$2", 1, false), [Group(1), Literal(2..5)]);
        assert_eq!(parse("$12", 1, false), [Group(1), Literal(2..3)]);
        assert_eq!(parse("$12", 12, false), [Group(12)]);
        assert_eq!(parse("$01$00", 3, false), [Group(1), Literal(3..6)]);
        assert_eq!(parse("$<n>$<m", 1, true), [Named(2..3), Literal(4..7)]);
        assert_eq!(parse("$<n>", 1, false), [Literal(0..4)]);
        assert_eq!(parse("cost $", 1, false), [Literal(0..6)]);
        assert_eq!(parse("$x$$", 1, false), [Literal(0..2), Literal(3..4)]);
    }
}
