//! Figures as text: [`crate::domain::format`], and what depends on the symbols of the screen.

use super::Symbols;
use crate::domain::bill::UnitBound;

pub use crate::domain::format::*;

/// A figure that may be a lower bound, for a cell: `≥7d`, in ASCII `>7d`.
pub fn bound(text: String, at_least: bool, symbols: Symbols) -> String {
    match (at_least, symbols) {
        (false, _) => text,
        (true, Symbols::Unicode) => format!("≥{text}"),
        (true, Symbols::Ascii) => format!(">{text}"),
    }
}

/// What one of something costs, with the sign of a bound: `$12.50`, `≥$12.50`, `≤$12.50`.
pub fn unit_price(usd: f64, of: UnitBound, symbols: Symbols) -> String {
    let text = usd_rate(usd);
    match of {
        UnitBound::AtLeast => bound(text, true, symbols),
        UnitBound::AtMost => format!("{}{text}", symbols.at_most()),
        UnitBound::Exact | UnitBound::Unknown => text,
    }
}
