//! Figures as text: [`crate::domain::format`], and what depends on the symbols of the screen.

use super::Symbols;

pub use crate::domain::format::*;

/// A figure that may be a lower bound, for a cell: `≥7d`, in ASCII `>7d`.
pub fn bound(text: String, at_least: bool, symbols: Symbols) -> String {
    match (at_least, symbols) {
        (false, _) => text,
        (true, Symbols::Unicode) => format!("≥{text}"),
        (true, Symbols::Ascii) => format!(">{text}"),
    }
}
