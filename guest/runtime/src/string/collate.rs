//! The order of texts in the `en` locale, for `localeCompare`.
//!
//! A compact stand-in for the Unicode Collation Algorithm: characters are compared without accents and case first, then by
//! accents, then by case with lower case first. White space, punctuation, symbols and digits come before letters, in the
//! order of the default collation table for ASCII; other scripts follow in the order of their code points.

use super::StrView;
use std::cmp::Ordering;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// ASCII characters other than letters in collation order.
const BEFORE_LETTERS: &[u8] = b"_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";

/// One character with its marks.
struct Element {
    primary: u32,
    marks: Vec<char>,
    is_upper: bool,
}

/// The order of two texts; equal for texts that are canonically equivalent.
pub fn compare_english(left: StrView<'_>, right: StrView<'_>) -> Ordering {
    let (left, right) = (elements(left), elements(right));
    let by_primary = left.iter().map(|element| element.primary).cmp(right.iter().map(|element| element.primary));
    by_primary
        .then_with(|| left.iter().map(|element| &element.marks).cmp(right.iter().map(|element| &element.marks)))
        .then_with(|| left.iter().map(|element| element.is_upper).cmp(right.iter().map(|element| element.is_upper)))
}

fn elements(text: StrView<'_>) -> Vec<Element> {
    let mut elements: Vec<Element> = Vec::with_capacity(text.len());
    let text = text.to_rust_string();
    for c in text.nfd() {
        if is_combining_mark(c) {
            if let Some(element) = elements.last_mut() {
                element.marks.push(c);
                continue;
            }
        } else if is_ignored(c) {
            continue;
        }
        let lower = c.to_lowercase().next().unwrap_or(c);
        elements.push(Element { primary: primary(lower), marks: Vec::new(), is_upper: lower != c });
    }
    elements
}

/// Control characters have no weight at all.
fn is_ignored(c: char) -> bool {
    matches!(c, '\0'..='\x08' | '\x0E'..='\x1F' | '\x7F'..='\u{84}' | '\u{86}'..='\u{9F}' | '\u{AD}' | '\u{200B}'..='\u{200F}')
}

fn primary(c: char) -> u32 {
    const LETTERS: u32 = 0x10000;
    match c {
        '\t'..='\r' | '\u{85}' => u32::from(c),
        ' ' | '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{3000}' => 0x20,
        'a'..='z' => LETTERS + (u32::from(c) - u32::from('a')) * 4,
        // Letters that do not decompose, next to those they are sorted with.
        'ß' => LETTERS + (u32::from('s') - u32::from('a')) * 4 + 1,
        'æ' => LETTERS + 1,
        'ð' | 'đ' => LETTERS + (u32::from('d') - u32::from('a')) * 4 + 1,
        'ø' => LETTERS + (u32::from('o') - u32::from('a')) * 4 + 1,
        'œ' => LETTERS + (u32::from('o') - u32::from('a')) * 4 + 2,
        'ł' => LETTERS + (u32::from('l') - u32::from('a')) * 4 + 1,
        'ı' => LETTERS + (u32::from('i') - u32::from('a')) * 4 + 1,
        'þ' => LETTERS + 27 * 4,
        c if c.is_ascii() => {
            let position = BEFORE_LETTERS.iter().position(|&other| char::from(other) == c);
            0x100 + position.unwrap_or(BEFORE_LETTERS.len()) as u32 * 0x10
        }
        c if c.is_alphanumeric() => 2 * LETTERS + u32::from(c),
        // Symbols that are not ASCII: after those that are and after the digits, before the letters.
        c => (0x8000 + u32::from(c)).min(LETTERS - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(left: &str, right: &str) -> Ordering {
        let (left, right): (Vec<u16>, Vec<u16>) = (left.encode_utf16().collect(), right.encode_utf16().collect());
        compare_english(StrView::Utf16(&left), StrView::Utf16(&right))
    }

    #[test]
    fn english_order() {
        for (less, greater) in [
            ("a", "b"),
            ("a", "B"),
            ("A", "b"),
            ("a", "A"),
            ("a", "á"),
            ("á", "b"),
            ("résumé", "Résumé"),
            ("resume", "résumé"),
            ("résume", "resumes"),
            ("1", "a"),
            ("_", "1"),
            (" ", "_"),
            ("-", "$"),
            ("item 10", "item 9"),
            ("z", "я"),
            ("", "a"),
            ("Äpfel", "Birne"),
            ("o", "ø"),
            ("ø", "p"),
        ] {
            assert_eq!(order(less, greater), Ordering::Less, "{less} {greater}");
            assert_eq!(order(greater, less), Ordering::Greater, "{greater} {less}");
        }
        assert_eq!(order("e\u{301}", "é"), Ordering::Equal);
        assert_eq!(order("same", "same"), Ordering::Equal);
    }
}
