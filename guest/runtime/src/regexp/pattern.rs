//! What the adapter has to know about a pattern that the matcher library does not tell: its groups and their names.

use super::RegExpFlags;

/// Facts about a pattern. Useful only when the pattern is valid: syntax is not checked here.
#[derive(Debug, Default)]
pub(super) struct PatternFacts {
    /// The number of capturing groups.
    pub group_count: usize,
    /// Each distinct group name with the numbers of the groups that have it, in the order of the pattern.
    pub group_names: Vec<(String, Vec<usize>)>,
    /// The greatest number after a backslash outside a class.
    pub greatest_decimal_escape: usize,
    /// More parentheses are opened than closed.
    pub has_open_group: bool,
    /// A character above 0xFF stands in the pattern, or may be meant by an escape.
    pub has_wide_character: bool,
    /// A quantifier follows `\b` or `\B`, which the library takes but the language does not.
    pub has_quantified_boundary: bool,
}

impl PatternFacts {
    /// Reads the whole pattern once. `characters` are code points in Unicode mode, else code units.
    pub fn read(characters: &[u32], flags: RegExpFlags) -> PatternFacts {
        // Classes nest with the v flag; else a bracket inside a class is a character like any other.
        let nested = flags.contains(RegExpFlags::UNICODE_SETS);
        let mut facts = PatternFacts::default();
        let mut class_depth = 0_usize;
        let mut open_groups = 0_i64;
        let mut position = 0;
        while let Some(&character) = characters.get(position) {
            position += 1;
            let rest = &characters[position..];
            facts.has_wide_character |= character > 0xFF;
            match char::from_u32(character).unwrap_or('\0') {
                '\\' => {
                    if class_depth == 0 {
                        facts.greatest_decimal_escape = facts.greatest_decimal_escape.max(decimal_prefix(rest));
                        facts.has_quantified_boundary |= is_boundary(rest) && is_quantifier(&rest[1..]);
                    }
                    facts.has_wide_character |= starts_with(rest, "u") && !starts_with(rest, "u00");
                    position += 1;
                }
                '[' if class_depth == 0 || nested => class_depth += 1,
                ']' => class_depth = class_depth.saturating_sub(1),
                '(' if class_depth == 0 => {
                    open_groups += 1;
                    facts.read_group_start(rest);
                }
                ')' if class_depth == 0 => open_groups -= 1,
                _ => {}
            }
        }
        facts.has_open_group = open_groups > 0;
        facts
    }

    fn read_group_start(&mut self, rest: &[u32]) {
        let is = |index: usize, wanted: char| rest.get(index) == Some(&u32::from(wanted));
        if !is(0, '?') {
            self.group_count += 1;
        } else if is(1, '<') && !is(2, '=') && !is(2, '!') {
            self.group_count += 1;
            let name = group_name(&rest[2..]);
            match self.group_names.iter_mut().find(|(known, _)| *known == name) {
                Some((_, numbers)) => numbers.push(self.group_count),
                None => self.group_names.push((name, vec![self.group_count])),
            }
        }
    }
}

pub(super) fn starts_with(characters: &[u32], text: &str) -> bool {
    text.chars().enumerate().all(|(index, c)| characters.get(index) == Some(&u32::from(c)))
}

fn is_boundary(characters: &[u32]) -> bool {
    starts_with(characters, "b") || starts_with(characters, "B")
}

fn is_quantifier(characters: &[u32]) -> bool {
    match characters.first().and_then(|&character| char::from_u32(character)) {
        Some('*' | '+' | '?') => true,
        Some('{') => {
            let digits = characters[1..].iter().take_while(|&&character| (0x30..=0x39).contains(&character)).count();
            let mut rest = &characters[1 + digits..];
            if digits > 0 && starts_with(rest, ",") {
                rest = &rest[1..];
                let digits = rest.iter().take_while(|&&character| (0x30..=0x39).contains(&character)).count();
                rest = &rest[digits..];
            }
            digits > 0 && starts_with(rest, "}")
        }
        _ => false,
    }
}

fn decimal_prefix(characters: &[u32]) -> usize {
    let digits = characters.iter().map_while(|&character| char::from_u32(character)?.to_digit(10));
    digits.take(9).fold(0, |value, digit| value * 10 + digit as usize)
}

/// The name up to `>`, with its escapes replaced.
pub(super) fn group_name(characters: &[u32]) -> String {
    let mut units: Vec<u16> = Vec::new();
    let mut position = 0;
    while let Some(&character) = characters.get(position).filter(|&&character| character != u32::from('>')) {
        position += 1;
        let character = if character == u32::from('\\') {
            let (escaped, length) = unicode_escape(&characters[position..]);
            position += length;
            escaped
        } else {
            character
        };
        match char::from_u32(character) {
            Some(c) => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
            None => units.push(character as u16),
        }
    }
    String::from_utf16_lossy(&units)
}

/// Value and length of `uXXXX` or `u{X}`.
fn unicode_escape(characters: &[u32]) -> (u32, usize) {
    let hex = |characters: &[u32]| {
        let digits = characters.iter().map_while(|&character| char::from_u32(character)?.to_digit(16));
        digits.fold((0_u32, 0), |(value, length), digit| (value.wrapping_mul(16).wrapping_add(digit), length + 1))
    };
    if characters.get(1) == Some(&u32::from('{')) {
        let (value, length) = hex(&characters[2..]);
        (value, length + 3)
    } else {
        let end = characters.len().min(5);
        let (value, length) = hex(characters.get(1..end).unwrap_or_default());
        (value, length + 1)
    }
}
