//! A bound on nesting, checked on the text before the parser sees it: the parser recurses, and on wasm its stack overflow
//! would be a trap.
//!
//! The scan knows tokens, not grammar. Each open bracket costs stack for as long as it is open; operators and keywords that make
//! the parser (or the passes after it) recurse cost stack until the expression or statement ends. Costs are in units of
//! 128 bytes of stack, measured natively and rounded up.

use crate::error::{Failure, Result};

/// Half of a stack of 1 MiB.
const BUDGET: u32 = 4096;

const BRACKET: u32 = 16;
const ANGLE: u32 = 13;
const ARROW: u32 = 8;
const STATEMENT: u32 = 5;
const ASSIGNMENT: u32 = 5;
const CONDITIONAL: u32 = 5;
const COLON: u32 = 4;
const DECLARATION: u32 = 4;
const PREFIX: u32 = 3;
const LINK: u32 = 1;

/// Checks the nesting of a source.
///
/// # Errors
/// A syntax error where the nesting gets too deep.
pub(crate) fn check(source: &str) -> Result<()> {
    let mut scanner = Scanner {
        text: source.as_bytes(),
        position: 0,
        levels: vec![Level::default()],
        spent: 0,
        previous: Previous::Operator,
        after_newline: false,
    };
    match scanner.scan() {
        Ok(()) => Ok(()),
        Err(TooDeep) => Err(Failure::syntax(scanner.position as u32, "The program is nested too deeply")),
    }
}

struct TooDeep;

/// What came before the current token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Previous {
    /// An operator, an opening bracket or a separator: an operand follows.
    Operator,
    /// The end of an operand.
    Operand,
    /// `)` of the head of if, for, while or with: a statement follows.
    Head,
    /// `}` of a block: a statement or an operator follows.
    Block,
    /// A keyword that an operand or statement follows.
    Keyword,
    /// A keyword whose head in parentheses follows.
    HeadKeyword,
}

/// An open bracket.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    /// The opening bracket; `` ` `` for the text of a template.
    open: u8,
    /// `(` of a head; `{` of a block.
    special: bool,
    /// Cost of what has accumulated since the last separator.
    chain: u32,
    /// Open `<`, which separators do not end.
    angles: u32,
}

struct Scanner<'s> {
    text: &'s [u8],
    position: usize,
    levels: Vec<Level>,
    spent: u32,
    previous: Previous,
    after_newline: bool,
}

impl Scanner<'_> {
    fn scan(&mut self) -> std::result::Result<(), TooDeep> {
        while let Some(&byte) = self.text.get(self.position) {
            if self.levels.last().is_some_and(|level| level.open == b'`') {
                self.template_text()?;
                continue;
            }
            match byte {
                b'\n' | b'\r' => {
                    self.after_newline = true;
                    self.position += 1;
                }
                b' ' | b'\t' => self.position += 1,
                b'/' if self.peek(1) == Some(b'/') => self.skip_line(),
                b'/' if self.peek(1) == Some(b'*') => self.skip_comment(),
                _ => {
                    self.token(byte)?;
                    self.after_newline = false;
                }
            }
        }
        Ok(())
    }

    fn token(&mut self, byte: u8) -> std::result::Result<(), TooDeep> {
        match byte {
            b'(' | b'[' | b'{' => {
                if byte == b'{' {
                    self.boundary();
                }
                let special = match byte {
                    b'(' => self.previous == Previous::HeadKeyword,
                    b'{' => self.previous != Previous::Operator && self.previous != Previous::Keyword,
                    _ => false,
                };
                self.open(byte, special)?;
            }
            b')' | b']' | b'}' => self.close(byte)?,
            b'`' => self.open(b'`', false)?,
            b'"' | b'\'' => {
                self.boundary();
                self.string(byte);
            }
            b';' => {
                self.position += 1;
                self.previous = Previous::Operator;
                if !self.word_follows("else") {
                    self.end_statement();
                }
            }
            b',' => {
                self.position += 1;
                self.previous = Previous::Operator;
                self.end_expression();
            }
            b'/' if !matches!(self.previous, Previous::Operand) => self.regular_expression(),
            b'0'..=b'9' => {
                self.boundary();
                while self.peek(0).is_some_and(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'_') {
                    self.position += 1;
                }
                self.previous = Previous::Operand;
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'\\' | b'#' | b'@' | 0x80.. => self.word()?,
            _ => self.operator(byte)?,
        }
        Ok(())
    }

    fn operator(&mut self, byte: u8) -> std::result::Result<(), TooDeep> {
        let next = self.peek(1);
        let third = self.peek(2);
        let (length, cost) = match (byte, next) {
            (b'=', Some(b'>')) => (2, ARROW),
            (b'=', Some(b'=')) => (if third == Some(b'=') { 3 } else { 2 }, 0),
            (b'=', _) => (1, ASSIGNMENT),
            (b'!', Some(b'=')) => (if third == Some(b'=') { 3 } else { 2 }, 0),
            (b'!', _) if self.previous == Previous::Operand => (1, LINK),
            (b'!' | b'~', _) => (1, PREFIX),
            (b'?', Some(b'.')) => (2, LINK),
            (b'?', Some(b'?')) => (2, LINK),
            (b'?', _) => (1, CONDITIONAL),
            (b':', _) => (1, COLON),
            (b'+' | b'-', Some(other)) if other == byte => {
                // Postfix: what follows is an operator.
                self.position += 2;
                return Ok(());
            }
            (b'+' | b'-', Some(b'=')) => (2, ASSIGNMENT),
            (b'+' | b'-', _) if self.previous != Previous::Operand => (1, PREFIX),
            (b'*', Some(b'*')) => (2, PREFIX),
            (b'&' | b'|', Some(other)) if other == byte => (2, LINK),
            (b'.', Some(b'.')) => (3, 0),
            (b'.', _) => (1, LINK),
            (b'<', Some(b'<')) => (2, 0),
            (b'<', _) => {
                self.position += 1;
                self.previous = Previous::Operator;
                if let Some(level) = self.levels.last_mut() {
                    level.angles += 1;
                }
                return self.spend(ANGLE);
            }
            (b'>', _) => {
                match self.levels.last_mut() {
                    Some(level) if level.angles > 0 => {
                        level.angles -= 1;
                        self.spent -= ANGLE;
                        // It may have been a type assertion, which is a prefix.
                        (1, PREFIX)
                    }
                    _ => (1, 0),
                }
            }
            _ => (1, 0),
        };
        self.position += length;
        self.previous = Previous::Operator;
        self.add(cost)
    }

    fn word(&mut self) -> std::result::Result<(), TooDeep> {
        let start = self.position;
        while self
            .peek(0)
            .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'\\' | b'#' | b'@') || b >= 0x80)
        {
            self.position += 1;
        }
        let word = &self.text[start..self.position];
        let after_dot = start > 0 && self.text[start - 1] == b'.';
        let continues = matches!(
            word,
            b"else" | b"instanceof" | b"in" | b"of" | b"as" | b"satisfies" | b"is" | b"extends" | b"implements"
        );
        if !continues {
            self.boundary();
        }
        let (previous, cost) = match word {
            _ if after_dot => (Previous::Operand, 0),
            b"if" | b"for" | b"while" | b"with" => (Previous::HeadKeyword, STATEMENT),
            b"do" | b"try" | b"switch" => (Previous::Head, STATEMENT),
            b"else" | b"finally" => (Previous::Head, 0),
            b"catch" => (Previous::Operand, 0),
            b"return" | b"throw" | b"case" | b"default" => {
                if matches!(word, b"case" | b"default") {
                    self.end_statement();
                }
                (Previous::Keyword, 0)
            }
            b"new" | b"typeof" | b"void" | b"delete" | b"yield" | b"keyof" | b"infer" | b"readonly" | b"unique" => {
                (Previous::Keyword, PREFIX)
            }
            b"await" => {
                // `for await (...)` is a head still.
                let previous =
                    if self.previous == Previous::HeadKeyword { Previous::HeadKeyword } else { Previous::Keyword };
                (previous, PREFIX)
            }
            b"in" | b"of" | b"instanceof" => (Previous::Operator, 0),
            b"as" | b"satisfies" => (Previous::Operand, PREFIX),
            b"extends" => (Previous::Operand, COLON),
            b"function" | b"class" => (Previous::Operand, DECLARATION),
            _ => (Previous::Operand, 0),
        };
        self.previous = previous;
        self.add(cost)
    }

    /// Whether an operand that starts here begins a new statement, by a line end or because a block ended.
    fn boundary(&mut self) {
        let begins = match self.previous {
            Previous::Block => true,
            Previous::Operand => self.after_newline && self.text.get(self.position) != Some(&b'{'),
            _ => false,
        };
        if begins {
            self.end_statement();
        }
    }

    fn open(&mut self, bracket: u8, special: bool) -> std::result::Result<(), TooDeep> {
        self.spend(BRACKET)?;
        self.levels.push(Level { open: bracket, special, ..Level::default() });
        self.position += 1;
        self.previous = Previous::Operator;
        if bracket == b'{' && special {
            self.previous = Previous::Head;
        }
        Ok(())
    }

    fn close(&mut self, bracket: u8) -> std::result::Result<(), TooDeep> {
        self.position += 1;
        if self.levels.len() == 1 {
            // Not closed properly: the parser will say so.
            self.previous = Previous::Operand;
            return Ok(());
        }
        let Some(level) = self.levels.pop() else { return Ok(()) };
        self.spent = self.spent.saturating_sub(BRACKET + level.chain + level.angles * ANGLE);
        self.previous = match (bracket, level.special) {
            (b')', true) => Previous::Head,
            (b'}', true) => Previous::Block,
            _ => Previous::Operand,
        };
        // Inside a template the text goes on; elsewhere a call or index is a link of a chain.
        if self.levels.last().is_some_and(|outer| outer.open == b'`') { Ok(()) } else { self.add(LINK) }
    }

    fn add(&mut self, cost: u32) -> std::result::Result<(), TooDeep> {
        if let Some(level) = self.levels.last_mut() {
            level.chain += cost;
        }
        self.spend(cost)
    }

    fn spend(&mut self, cost: u32) -> std::result::Result<(), TooDeep> {
        self.spent += cost;
        if self.spent > BUDGET { Err(TooDeep) } else { Ok(()) }
    }

    /// `,`: what hung on the expression is done. Statements around it are not.
    fn end_expression(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            self.spent -= level.chain;
            level.chain = 0;
        }
    }

    fn end_statement(&mut self) {
        self.end_expression();
        if let Some(level) = self.levels.last_mut() {
            self.spent -= level.angles * ANGLE;
            level.angles = 0;
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.position + ahead).copied()
    }

    /// Whether a word comes next, white space aside.
    fn word_follows(&self, word: &str) -> bool {
        let rest = &self.text[self.position..];
        let skipped = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        rest[skipped..].starts_with(word.as_bytes())
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n' && byte != b'\r') {
            self.position += 1;
        }
    }

    fn skip_comment(&mut self) {
        self.position += 2;
        while self.position < self.text.len() {
            if self.peek(0) == Some(b'*') && self.peek(1) == Some(b'/') {
                self.position += 2;
                return;
            }
            self.after_newline |= self.peek(0) == Some(b'\n');
            self.position += 1;
        }
    }

    fn string(&mut self, quote: u8) {
        self.position += 1;
        while let Some(byte) = self.peek(0) {
            self.position += 1;
            match byte {
                b'\\' => self.position += 1,
                b'\n' => break,
                _ if byte == quote => break,
                _ => {}
            }
        }
        self.position = self.position.min(self.text.len());
        self.previous = Previous::Operand;
    }

    fn template_text(&mut self) -> std::result::Result<(), TooDeep> {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' => self.position += 2,
                b'`' => return self.close(b'`'),
                b'$' if self.peek(1) == Some(b'{') => {
                    self.position += 1;
                    return self.open(b'{', false);
                }
                _ => self.position += 1,
            }
        }
        self.position = self.position.min(self.text.len());
        Ok(())
    }

    fn regular_expression(&mut self) {
        let start = self.position;
        self.position += 1;
        let mut in_class = false;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' => self.position += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    self.position = (self.position + 1).min(self.text.len());
                    self.previous = Previous::Operand;
                    return;
                }
                b'\n' | b'\r' => break,
                _ => {}
            }
            self.position += 1;
        }
        // No regular expression after all.
        self.position = start + 1;
        self.previous = Previous::Operator;
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn accepts_long_flat_sources() {
        let lines = "const a = b ? c : !d\nfoo(x => x.y.z)\nif (a) { b() } else if (c < d) e();\n".repeat(5_000);
        assert!(check(&lines).is_ok());
        assert!(check(&format!("x = [{}]", "{ a: 1, b: [f(x), a < b] }, ".repeat(5_000))).is_ok());
        assert!(check(&format!("switch (x) {{ {} }}", "case 1: case 2: y = 1\n".repeat(5_000))).is_ok());
        assert!(check(&"/[(]/.test(x); `(${y}(`; '('; // (\n /* ( */".repeat(5_000)).is_ok());
    }

    #[test]
    fn refuses_deep_sources() {
        for part in [
            "(",
            "[",
            "{a:",
            "f(",
            "`${",
            "if(a)",
            "else if(a)b;",
            "!",
            "a?b:",
            "a=",
            "a=>",
            "x=function(){}?a:",
            "A<b,",
        ] {
            assert!(check(&part.repeat(20_000)).is_err(), "{part}");
        }
    }
}
