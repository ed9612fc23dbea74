//! With which characters a match of a pattern can start.
//!
//! The matcher library tries every position in turn. Knowing the first characters lets the adapter skip to the first position
//! that can match at all, which is most of the work for patterns that are rare in their text.

use super::RegExpFlags;
use crate::string::StrView;

/// How deep groups are followed.
const MAX_DEPTH: usize = 32;

/// A set of first code units. Complete: a match starts with one of them, though not every one of them starts a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FirstSet {
    latin1: [bool; 256],
    /// Code units above 0xFF.
    others: bool,
    /// All members, when they are at most three, for `memchr`.
    few: Option<Vec<u8>>,
}

impl FirstSet {
    /// The first characters of the pattern; `None` when a match can be empty or when they are not found out.
    ///
    /// `characters` are those of a valid pattern: code points in Unicode mode, else code units.
    pub fn of_pattern(characters: &[u32], flags: RegExpFlags) -> Option<FirstSet> {
        if flags.contains(RegExpFlags::UNICODE_SETS) {
            return None;
        }
        let mut reader = Reader { characters, position: 0, flags, depth: 0 };
        let (set, can_be_empty) = reader.disjunction()?;
        if can_be_empty || reader.position < characters.len() {
            return None;
        }
        set.finish()
    }

    /// The first index at or after `from` where a match can start.
    pub fn find(&self, text: StrView<'_>, from: usize) -> Option<usize> {
        let found = match text {
            StrView::Latin1(units) => {
                let units = units.get(from..)?;
                match self.few.as_deref() {
                    Some(&[a]) => memchr::memchr(a, units),
                    Some(&[a, b]) => memchr::memchr2(a, b, units),
                    Some(&[a, b, c]) => memchr::memchr3(a, b, c, units),
                    _ => units.iter().position(|&unit| self.latin1[usize::from(unit)]),
                }
            }
            StrView::Utf16(units) => units.get(from..)?.iter().position(|&unit| match u8::try_from(unit) {
                Ok(unit) => self.latin1[usize::from(unit)],
                Err(_) => self.others,
            }),
        };
        found.map(|index| index + from)
    }
}

#[derive(Clone)]
struct Set {
    latin1: [bool; 256],
    others: bool,
}

impl Set {
    fn empty() -> Set {
        Set { latin1: [false; 256], others: false }
    }

    fn of(members: impl Fn(u8) -> bool, others: bool) -> Set {
        Set { latin1: std::array::from_fn(|index| members(index as u8)), others }
    }

    fn add(&mut self, character: u32) {
        match u8::try_from(character) {
            Ok(unit) => self.latin1[usize::from(unit)] = true,
            Err(_) => self.others = true,
        }
    }

    fn add_range(&mut self, first: u32, last: u32) {
        for character in first..=last.min(0xFF) {
            self.add(character);
        }
        self.others |= last > 0xFF;
    }

    fn union(&mut self, other: &Set) {
        for (member, added) in self.latin1.iter_mut().zip(&other.latin1) {
            *member |= added;
        }
        self.others |= other.others;
    }

    /// Everything else. What is known of the others is only that there may be some, so they stay.
    fn complement(&self) -> Set {
        Set { latin1: self.latin1.map(|member| !member), others: true }
    }

    /// Adds what equals a member when case is ignored. Outside ASCII that is taken to be anything outside ASCII; and in Unicode
    /// mode some ASCII letters equal two others.
    fn close_over_case(&mut self, unicode: bool) {
        for letter in b'a'..=b'z' {
            let (lower, upper) = (usize::from(letter), usize::from(letter.to_ascii_uppercase()));
            let either = self.latin1[lower] || self.latin1[upper];
            self.latin1[lower] = either;
            self.latin1[upper] = either;
        }
        let beyond_ascii = self.others || self.latin1[0x80..].contains(&true);
        // U+212A and U+017F.
        self.others |= unicode && (self.latin1[usize::from(b'k')] || self.latin1[usize::from(b's')]);
        if beyond_ascii {
            self.latin1[0x80..].fill(true);
            self.others = true;
            if unicode {
                for letter in *b"kKsS" {
                    self.latin1[usize::from(letter)] = true;
                }
            }
        }
    }

    fn finish(self) -> Option<FirstSet> {
        let members: Vec<u8> = (0..=0xFF).filter(|&unit: &u8| self.latin1[usize::from(unit)]).collect();
        if members.len() == 256 {
            return None;
        }
        let few = (1..=3).contains(&members.len()).then_some(members);
        Some(FirstSet { latin1: self.latin1, others: self.others, few })
    }
}

/// Reads just enough of the pattern. Every method gives `None` as soon as something is not certain.
struct Reader<'a> {
    characters: &'a [u32],
    position: usize,
    flags: RegExpFlags,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    fn peek_at(&self, offset: usize) -> Option<char> {
        let character = *self.characters.get(self.position + offset)?;
        // A surrogate is no syntax; any other character that is none stands for it.
        Some(char::from_u32(character).unwrap_or('\u{FFFD}'))
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let found = wanted.chars().enumerate().all(|(offset, c)| self.peek_at(offset) == Some(c));
        if found {
            self.position += wanted.chars().count();
        }
        found
    }

    /// The set, and whether the disjunction can match the empty string.
    fn disjunction(&mut self) -> Option<(Set, bool)> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let (mut set, mut can_be_empty) = self.alternative()?;
        while self.eat("|") {
            let (other, other_can_be_empty) = self.alternative()?;
            set.union(&other);
            can_be_empty |= other_can_be_empty;
        }
        self.depth -= 1;
        Some((set, can_be_empty))
    }

    fn alternative(&mut self) -> Option<(Set, bool)> {
        let mut set = Set::empty();
        let mut can_be_empty = true;
        while let Some(c) = self.peek() {
            if c == '|' || c == ')' {
                break;
            }
            let (term, term_can_be_empty) = self.term()?;
            let (optional, _) = self.quantifier();
            if can_be_empty {
                set.union(&term);
                can_be_empty = term_can_be_empty || optional;
            }
        }
        Some((set, can_be_empty))
    }

    fn term(&mut self) -> Option<(Set, bool)> {
        let c = self.peek()?;
        match c {
            '^' | '$' => {
                self.position += 1;
                Some((Set::empty(), true))
            }
            '(' => self.group(),
            '[' => Some((self.class()?, false)),
            '.' => {
                self.position += 1;
                let dot_all = self.flags.contains(RegExpFlags::DOT_ALL);
                Some((Set::of(|unit| dot_all || !matches!(unit, b'\n' | b'\r'), true), false))
            }
            '\\' => match self.peek_at(1)? {
                'b' | 'B' => {
                    self.position += 2;
                    Some((Set::empty(), true))
                }
                _ => Some((self.escape(false)?.0, false)),
            },
            _ => {
                let character = *self.characters.get(self.position)?;
                self.position += 1;
                Some((self.single(character), false))
            }
        }
    }

    fn group(&mut self) -> Option<(Set, bool)> {
        let is_assertion = ["(?=", "(?!", "(?<=", "(?<!"].into_iter().any(|start| self.eat(start));
        if !is_assertion && !self.eat("(?:") {
            self.eat("(");
            if self.eat("?<") {
                while self.peek()? != '>' {
                    self.position += 1;
                }
                self.position += 1;
            } else if self.peek() == Some('?') {
                // A change of flags.
                return None;
            }
        }
        let (set, can_be_empty) = self.disjunction()?;
        if !self.eat(")") {
            return None;
        }
        // An assertion takes no characters; what follows it starts at the same place.
        if is_assertion { Some((Set::empty(), true)) } else { Some((set, can_be_empty)) }
    }

    /// Skips a quantifier: whether it allows no repetition, and whether there was one.
    fn quantifier(&mut self) -> (bool, bool) {
        let optional = match self.peek() {
            Some('*' | '?') => {
                self.position += 1;
                true
            }
            Some('+') => {
                self.position += 1;
                false
            }
            Some('{') => {
                let start = self.position;
                match self.braces() {
                    Some(minimum_is_zero) => minimum_is_zero,
                    None => {
                        self.position = start;
                        return (false, false);
                    }
                }
            }
            _ => return (false, false),
        };
        self.eat("?");
        (optional, true)
    }

    fn braces(&mut self) -> Option<bool> {
        self.eat("{");
        let mut minimum_is_zero = true;
        let mut digits = 0;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            minimum_is_zero &= digit == 0;
            digits += 1;
            self.position += 1;
        }
        if digits == 0 {
            return None;
        }
        if self.eat(",") {
            while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                self.position += 1;
            }
        }
        self.eat("}").then_some(minimum_is_zero)
    }

    fn single(&self, character: u32) -> Set {
        let mut set = Set::empty();
        set.add(character);
        self.close(&mut set);
        set
    }

    fn close(&self, set: &mut Set) {
        if self.flags.contains(RegExpFlags::IGNORE_CASE) {
            set.close_over_case(self.flags.has_either_unicode());
        }
    }

    fn class(&mut self) -> Option<Set> {
        self.eat("[");
        let negated = self.eat("^");
        let mut set = Set::empty();
        while self.peek()? != ']' {
            let (atom, first) = self.class_atom()?;
            let is_range = self.peek() == Some('-') && self.peek_at(1).is_some_and(|c| c != ']');
            match first {
                Some(first) if is_range => {
                    self.position += 1;
                    // A class on the right of a dash makes the dash a character: rare enough to give up.
                    let last = self.class_atom()?.1?;
                    set.add_range(first, last);
                }
                None if is_range => return None,
                _ => set.union(&atom),
            }
        }
        self.position += 1;
        self.close(&mut set);
        Some(if negated { set.complement() } else { set })
    }

    fn class_atom(&mut self) -> Option<(Set, Option<u32>)> {
        if self.peek()? == '\\' {
            return self.escape(true);
        }
        let character = *self.characters.get(self.position)?;
        self.position += 1;
        let mut set = Set::empty();
        set.add(character);
        Some((set, Some(character)))
    }

    /// An escape: its set, and its character when it stands for one.
    fn escape(&mut self, in_class: bool) -> Option<(Set, Option<u32>)> {
        let c = self.peek_at(1)?;
        self.position += 2;
        let is_digit = |unit: u8| unit.is_ascii_digit();
        let is_word = |unit: u8| unit.is_ascii_alphanumeric() || unit == b'_';
        let is_space = |unit: u8| matches!(unit, 9..=13 | 32 | 0xA0);
        let class = match c {
            'd' => Some(Set::of(is_digit, false)),
            'D' => Some(Set::of(|unit| !is_digit(unit), true)),
            'w' => Some(Set::of(is_word, false)),
            'W' => Some(Set::of(|unit| !is_word(unit), true)),
            's' => Some(Set::of(is_space, true)),
            'S' => Some(Set::of(|unit| !is_space(unit), true)),
            _ => None,
        };
        if let Some(mut class) = class {
            if !in_class {
                self.close(&mut class);
            }
            return Some((class, None));
        }
        let character = match c {
            't' => 9,
            'n' => 10,
            'v' => 11,
            'f' => 12,
            'r' => 13,
            'b' if in_class => 8,
            'x' => self.hex(2)?,
            'u' => self.hex(4)?,
            // The rest of the letters and digits have meanings that depend on more than the next character.
            c if c.is_ascii_alphanumeric() => return None,
            _ => *self.characters.get(self.position - 1)?,
        };
        let mut set = Set::empty();
        set.add(character);
        if !in_class {
            self.close(&mut set);
        }
        Some((set, Some(character)))
    }

    fn hex(&mut self, count: usize) -> Option<u32> {
        let mut value = 0;
        for _ in 0..count {
            value = value * 16 + self.peek()?.to_digit(16)?;
            self.position += 1;
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(pattern: &str, flags: &str) -> Option<String> {
        let characters: Vec<u32> = pattern.encode_utf16().map(u32::from).collect();
        let flags = RegExpFlags::parse(StrView::from_ascii(flags)).unwrap();
        let set = FirstSet::of_pattern(&characters, flags)?;
        let mut text: String = (0..0x80_u8).filter(|&c| set.latin1[usize::from(c)]).map(char::from).collect();
        if set.others {
            text.push('+');
        }
        Some(text)
    }

    #[test]
    fn finds_first_characters() {
        assert_eq!(first("abc", "").as_deref(), Some("a"));
        assert_eq!(first("a|bc|(?:d)", "").as_deref(), Some("abd"));
        assert_eq!(first("a?b*c", "").as_deref(), Some("abc"));
        assert_eq!(first("a{0,3}b", "").as_deref(), Some("ab"));
        assert_eq!(first("a{1,3}b", "").as_deref(), Some("a"));
        assert_eq!(first("(?<name>[x-z]+)@", "").as_deref(), Some("xyz"));
        assert_eq!(first("\\$(\\d+)", "").as_deref(), Some("$"));
        assert_eq!(first("\\d", "").as_deref(), Some("0123456789"));
        assert_eq!(first("^\\bfoo", "").as_deref(), Some("f"));
        assert_eq!(first("(?=x)y", "").as_deref(), Some("y"));
        assert_eq!(first("a", "i").as_deref(), Some("Aa"));
        assert_eq!(first("k", "i").as_deref(), Some("Kk"));
        assert_eq!(first("k", "iu").as_deref(), Some("Kk+"));
        assert_eq!(first("\\u0061", "").as_deref(), Some("a"));
        assert_eq!(first("a{x", "").as_deref(), Some("a"));
    }

    #[test]
    fn gives_up_when_unsure() {
        for pattern in ["", "a*", "(a|)", "\\1a", "(?i:a)b", "[^]", "a|", "\\p{L}"] {
            assert_eq!(first(pattern, ""), None, "{pattern}");
        }
        assert_eq!(first("[a]", "v"), None);
    }
}
