//! The flags of a regular expression.

use crate::string::StrView;

/// A set of regular expression flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RegExpFlags(u8);

impl RegExpFlags {
    /// `d`
    pub const HAS_INDICES: RegExpFlags = RegExpFlags(1);
    /// `g`
    pub const GLOBAL: RegExpFlags = RegExpFlags(2);
    /// `i`
    pub const IGNORE_CASE: RegExpFlags = RegExpFlags(4);
    /// `m`
    pub const MULTILINE: RegExpFlags = RegExpFlags(8);
    /// `s`
    pub const DOT_ALL: RegExpFlags = RegExpFlags(16);
    /// `u`
    pub const UNICODE: RegExpFlags = RegExpFlags(32);
    /// `v`
    pub const UNICODE_SETS: RegExpFlags = RegExpFlags(64);
    /// `y`
    pub const STICKY: RegExpFlags = RegExpFlags(128);

    /// Letters in the order in which `RegExp.prototype.flags` lists them.
    const LETTERS: [(u8, RegExpFlags); 8] = [
        (b'd', Self::HAS_INDICES),
        (b'g', Self::GLOBAL),
        (b'i', Self::IGNORE_CASE),
        (b'm', Self::MULTILINE),
        (b's', Self::DOT_ALL),
        (b'u', Self::UNICODE),
        (b'v', Self::UNICODE_SETS),
        (b'y', Self::STICKY),
    ];

    /// The flags with these letters; `None` for an unknown or repeated letter, and for `u` together with `v`.
    pub fn parse(text: StrView<'_>) -> Option<RegExpFlags> {
        let mut flags = RegExpFlags::default();
        for unit in text.iter() {
            let (_, flag) = Self::LETTERS.into_iter().find(|&(letter, _)| u16::from(letter) == unit)?;
            if flags.contains(flag) {
                return None;
            }
            flags.0 |= flag.0;
        }
        let both = flags.contains(Self::UNICODE) && flags.contains(Self::UNICODE_SETS);
        (!both).then_some(flags)
    }

    /// Whether the flag is set.
    #[inline]
    pub const fn contains(self, flag: RegExpFlags) -> bool {
        self.0 & flag.0 != 0
    }

    /// Whether the pattern is matched by code points: `u` or `v`.
    #[inline]
    pub const fn has_either_unicode(self) -> bool {
        self.0 & (Self::UNICODE.0 | Self::UNICODE_SETS.0) != 0
    }

    /// The flags that the matcher depends on, without `d`, `g` and `y`.
    pub(crate) const fn of_matcher(self) -> RegExpFlags {
        RegExpFlags(self.0 & !(Self::HAS_INDICES.0 | Self::GLOBAL.0 | Self::STICKY.0))
    }
}

impl std::fmt::Display for RegExpFlags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (letter, flag) in Self::LETTERS {
            if self.contains(flag) {
                write!(f, "{}", char::from(letter))?;
            }
        }
        Ok(())
    }
}
