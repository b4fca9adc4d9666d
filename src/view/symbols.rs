//! The characters a view may use.

use crate::domain::{Direction, VerdictKind};

/// Character set of the screen and of text reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Symbols {
    /// Dash, dot and circles beyond ASCII, each one column wide.
    #[default]
    Unicode,
    /// ASCII alone, for terminals and fonts without more.
    Ascii,
}

impl Symbols {
    /// Sign for an unknown value: `–`.
    pub fn unknown(self) -> &'static str {
        match self {
            Self::Unicode => "–",
            Self::Ascii => "-",
        }
    }

    /// Sign between the parts of a line: `·`.
    pub fn separator(self) -> &'static str {
        match self {
            Self::Unicode => "·",
            Self::Ascii => "|",
        }
    }

    /// Arrow of where a value is heading, one column wide.
    pub fn direction(self, direction: Direction) -> &'static str {
        use Direction::{Falling, Level, Rising};
        match (self, direction) {
            (Self::Unicode, Rising) => "↑",
            (Self::Unicode, Falling) => "↓",
            (Self::Unicode, Level) => "→",
            (Self::Ascii, Rising) => "^",
            (Self::Ascii, Falling) => "v",
            (Self::Ascii, Level) => "=",
        }
    }

    /// Sign before an upper bound: `≤`.
    pub fn at_most(self) -> &'static str {
        match self {
            Self::Unicode => "≤",
            Self::Ascii => "<=",
        }
    }

    /// Sign at the end of truncated text: `…`.
    pub fn ellipsis(self) -> &'static str {
        match self {
            Self::Unicode => "…",
            Self::Ascii => "~",
        }
    }

    /// Glyph of a verdict, one column wide; always shown with its label.
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

    /// `value` in `format`, or the sign for unknown where it is `None`, NaN or infinite.
    pub fn or_unknown(self, value: Option<f64>, format: impl FnOnce(f64) -> String) -> String {
        match value {
            Some(v) if v.is_finite() => format(v),
            _ => self.unknown().to_owned(),
        }
    }
}
