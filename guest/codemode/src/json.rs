//! JSON text, written piece by piece.

/// Appends a JSON string literal.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    let mut from = 0;
    for (index, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0C => "\\f",
            0..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[from..index]);
        if escape.is_empty() {
            push_unicode_escape(out, u16::from(byte));
        } else {
            out.push_str(escape);
        }
        from = index + 1;
    }
    out.push_str(&text[from..]);
    out.push('"');
}

/// Appends `\u` and four hexadecimal digits.
fn push_unicode_escape(out: &mut String, unit: u16) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        out.push(char::from(DIGITS[usize::from(unit >> shift & 15)]));
    }
}

/// The text as a JSON string literal.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_string(&mut out, text);
    out
}

/// Writes the members of a JSON object.
pub(crate) struct ObjectWriter<'a> {
    out: &'a mut String,
    is_empty: bool,
}

impl<'a> ObjectWriter<'a> {
    /// Opens the object.
    pub fn new(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, is_empty: true }
    }

    /// Begins a member; its value is to be appended to the answer.
    pub fn member(&mut self, key: &str) -> &mut String {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(',');
        }
        push_string(self.out, key);
        self.out.push(':');
        self.out
    }

    /// A member with a text.
    pub fn text(&mut self, key: &str, value: &str) {
        push_string(self.member(key), value);
    }

    /// A member with anything that prints as JSON.
    pub fn raw(&mut self, key: &str, value: impl std::fmt::Display) {
        let out = self.member(key);
        out.push_str(&value.to_string());
    }

    /// Closes the object.
    pub fn end(self) {
        self.out.push('}');
    }
}

/// Writes a JSON array.
pub(crate) fn push_array<T>(out: &mut String, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut String, T)) {
    out.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("a\"\\\n\u{1}\u{7f}é😀"), "\"a\\\"\\\\\\n\\u0001\u{7f}é😀\"");
    }

    #[test]
    fn objects() {
        let mut out = String::new();
        let mut object = ObjectWriter::new(&mut out);
        object.text("a", "b");
        object.raw("c", 1);
        object.end();
        assert_eq!(out, "{\"a\":\"b\",\"c\":1}");
    }
}
