//! Early errors about single tokens and places, which the parser leaves to its users.

/// Words that are no identifiers in strict code.
pub(super) fn is_strict_reserved(name: &str) -> bool {
    matches!(
        name,
        "implements" | "interface" | "let" | "package" | "private" | "protected" | "public" | "static" | "yield"
    )
}

/// Names that strict code must not bind or assign.
pub(super) fn is_restricted(name: &str) -> bool {
    matches!(name, "eval" | "arguments")
}

/// Whether the text of a number is a legacy octal-like literal: `010`, `09`.
pub(super) fn is_legacy_octal(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    bytes.len() > 1 && bytes[0] == b'0' && (bytes[1].is_ascii_digit() || bytes[1] == b'_')
}

/// Whether the text of a string has an escape that strict code forbids: `\1`, `\08`, `\9`.
pub(super) fn has_legacy_escape(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        if bytes[index] != b'\\' {
            index += 1;
            continue;
        }
        match (bytes.get(index + 1), bytes.get(index + 2)) {
            (Some(b'1'..=b'9'), _) => return true,
            (Some(b'0'), Some(b'0'..=b'9')) => return true,
            _ => index += 2,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{has_legacy_escape, is_legacy_octal};

    #[test]
    fn legacy_literals() {
        assert!(is_legacy_octal("010") && is_legacy_octal("09"));
        assert!(!is_legacy_octal("0") && !is_legacy_octal("0.5") && !is_legacy_octal("0x1") && !is_legacy_octal("10"));
        assert!(has_legacy_escape(r"'\1'") && has_legacy_escape(r"'\08'") && has_legacy_escape(r"'\9'"));
        assert!(!has_legacy_escape(r"'\0'") && !has_legacy_escape(r"'\\1'") && !has_legacy_escape(r"'\x41'"));
    }
}
