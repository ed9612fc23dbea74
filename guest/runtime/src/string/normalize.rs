//! The Unicode normalization forms.

use super::{StrView, StringBuilder};
use unicode_normalization::UnicodeNormalization;

/// A normalization form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NormalizationForm {
    /// Canonical decomposition, then composition.
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility decomposition, then composition.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
}

impl NormalizationForm {
    /// The form with this name.
    pub fn from_name(name: StrView<'_>) -> Option<NormalizationForm> {
        match name.as_ascii()? {
            "NFC" => Some(NormalizationForm::Nfc),
            "NFD" => Some(NormalizationForm::Nfd),
            "NFKC" => Some(NormalizationForm::Nfkc),
            "NFKD" => Some(NormalizationForm::Nfkd),
            _ => None,
        }
    }
}

impl StrView<'_> {
    /// The text in a normalization form; `None` when it is the same text.
    /// Lone surrogates stay, and what is on their two sides does not combine.
    pub fn normalize(self, form: NormalizationForm) -> Option<StringBuilder> {
        if let StrView::Latin1(units) = self
            && (form == NormalizationForm::Nfc || units.is_ascii())
        {
            return None;
        }
        let mut result = StringBuilder::with_capacity(self.len());
        let mut run = String::new();
        for code_point in self.code_points() {
            match char::from_u32(code_point) {
                Some(c) => run.push(c),
                None => {
                    push_normalized(&mut result, &run, form);
                    run.clear();
                    result.push_code_point(code_point);
                }
            }
        }
        push_normalized(&mut result, &run, form);
        (result.as_view() != self).then_some(result)
    }
}

fn push_normalized(result: &mut StringBuilder, run: &str, form: NormalizationForm) {
    let push = |c: char| result.push_code_point(u32::from(c));
    match form {
        NormalizationForm::Nfc => run.nfc().for_each(push),
        NormalizationForm::Nfd => run.nfd().for_each(push),
        NormalizationForm::Nfkc => run.nfkc().for_each(push),
        NormalizationForm::Nfkd => run.nfkd().for_each(push),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalize(text: &str, form: NormalizationForm) -> String {
        let units: Vec<u16> = text.encode_utf16().collect();
        StrView::Utf16(&units).normalize(form).map_or(text.to_owned(), |changed| changed.as_view().to_rust_string())
    }

    #[test]
    fn forms() {
        assert_eq!(normalize("e\u{301}", NormalizationForm::Nfc), "é");
        assert_eq!(normalize("é", NormalizationForm::Nfd), "e\u{301}");
        assert_eq!(normalize("ﬁ①", NormalizationForm::Nfkc), "fi1");
        assert_eq!(normalize("ǆ", NormalizationForm::Nfkd), "dz\u{30C}");
        assert_eq!(normalize("각", NormalizationForm::Nfd), "\u{1100}\u{1161}\u{11A8}");
        assert!(StrView::Latin1(b"plain").normalize(NormalizationForm::Nfd).is_none());
    }
}
