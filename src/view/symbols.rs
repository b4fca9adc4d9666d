//! The characters a view may use.

use crate::domain::VerdictKind;

/// Unicode or plain ASCII.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Symbols {
    /// Dash, dot and circles beyond ASCII, each one column wide.
    #[default]
    Unicode,
    /// For terminals and fonts that have nothing else.
    Ascii,
}

impl Symbols {
    /// Stands for what is not known.
    pub fn unknown(self) -> &'static str {
        match self {
            Self::Unicode => "–",
            Self::Ascii => "-",
        }
    }

    /// Separates parts of a line.
    pub fn separator(self) -> &'static str {
        match self {
            Self::Unicode => "·",
            Self::Ascii => "|",
        }
    }

    /// Marks text that was cut.
    pub fn ellipsis(self) -> &'static str {
        match self {
            Self::Unicode => "…",
            Self::Ascii => "~",
        }
    }

    /// The glyph of a verdict, one column wide; always shown with its word.
    pub fn verdict(self, kind: VerdictKind) -> &'static str {
        use VerdictKind::{Busy, Exempt, Idle, Partial, TooNew, Underused, Unknown};
        match (self, kind) {
            (Self::Unicode, Idle) => "○",
            (Self::Unicode, Partial) => "◐",
            (Self::Unicode, Underused) => "◔",
            (Self::Unicode, TooNew) => "·",
            (Self::Unicode, Busy) => "●",
            (Self::Unicode, Exempt) => "⊘",
            (_, Unknown) => "?",
            (Self::Ascii, Idle) => "o",
            (Self::Ascii, Partial) => "%",
            (Self::Ascii, Underused) => "-",
            (Self::Ascii, TooNew) => ".",
            (Self::Ascii, Busy) => "*",
            (Self::Ascii, Exempt) => "x",
        }
    }

    /// `value` in the words of `format`, or the sign for unknown; NaN and infinities are unknown.
    pub fn or_unknown(self, value: Option<f64>, format: impl FnOnce(f64) -> String) -> String {
        match value {
            Some(v) if v.is_finite() => format(v),
            _ => self.unknown().to_owned(),
        }
    }
}
