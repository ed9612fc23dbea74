//! Errors of compilation, located in the submitted source.

use std::fmt;

/// What kind of error a [`CompileError`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompileErrorKind {
    /// The source is not valid JavaScript or TypeScript.
    Syntax,
    /// Valid, but deliberately not supported here: modules, decorators and the like.
    UnsupportedSyntax,
    /// Valid, but beyond what one function can hold.
    TooComplex,
}

/// An error with its place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// The kind.
    pub kind: CompileErrorKind,
    /// What is wrong, without place.
    pub message: String,
    /// Byte offset in the source.
    pub offset: u32,
    /// Line, 1-based.
    pub line: u32,
    /// Column in UTF-16 code units, 1-based.
    pub column: u32,
    /// The source line with a caret below.
    pub excerpt: String,
}

impl fmt::Display for CompileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({}:{})", self.message, self.line, self.column)
    }
}

impl std::error::Error for CompileError {}

/// An error inside the compiler, not yet located.
#[derive(Debug)]
pub(crate) struct Failure {
    pub kind: CompileErrorKind,
    pub message: String,
    pub offset: u32,
}

/// Boxed, so that results of the many small lowering functions stay one word.
pub(crate) type Result<T> = std::result::Result<T, Box<Failure>>;

impl Failure {
    pub fn syntax(offset: u32, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { kind: CompileErrorKind::Syntax, message: message.into(), offset })
    }

    pub fn unsupported(offset: u32, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { kind: CompileErrorKind::UnsupportedSyntax, message: message.into(), offset })
    }

    pub fn complex(offset: u32, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { kind: CompileErrorKind::TooComplex, message: message.into(), offset })
    }

    /// Adds line, column and excerpt.
    pub fn locate(self, source: &str) -> CompileError {
        let (line, column, excerpt) = locate(source, self.offset);
        CompileError { kind: self.kind, message: self.message, offset: self.offset, line, column, excerpt }
    }
}

/// Widest excerpt, in characters: longer lines are cut around the caret.
const EXCERPT_WIDTH: usize = 100;

/// Line and column (1-based, UTF-16 code units) of a byte offset, and the line with a caret below.
pub fn locate(source: &str, offset: u32) -> (u32, u32, String) {
    let mut offset = (offset as usize).min(source.len());
    while !source.is_char_boundary(offset) {
        offset -= 1;
    }
    let is_break = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let before = &source[..offset];
    let mut line = 1;
    let mut start = 0;
    let mut characters = before.char_indices().peekable();
    while let Some((index, character)) = characters.next() {
        if character == '\r' && source[index + 1..].starts_with('\n') {
            continue;
        }
        if is_break(character) {
            line += 1;
            start = index + character.len_utf8();
        }
    }
    // An offset between the two characters of a line end belongs to the line that ends.
    let column = before[start..].encode_utf16().count() as u32 + 1;
    let text = source[start..].split(is_break).next().unwrap_or("");

    let prefix: Vec<char> = before[start..].chars().collect();
    let cut = prefix.len().saturating_sub(EXCERPT_WIDTH * 2 / 3);
    let shown: String = text.chars().skip(cut).take(EXCERPT_WIDTH).collect();
    let padding: String = prefix[cut..].iter().map(|&c| if c == '\t' { '\t' } else { ' ' }).collect();
    (line, column, format!("{shown}\n{padding}^"))
}
