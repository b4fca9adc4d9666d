//! Which glyph stands for what: one for each ink, so that no chart needs colours.

use crate::app::{Appearance, Role};
use crate::tabs::whatif::picture::chart::Ink;
use crate::view::Symbols;

/// Resolution of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Braille dots, two columns and four rows per cell.
    Braille,
    /// One block glyph per cell.
    Blocks,
    /// One ASCII character per cell.
    Ascii,
}

impl Mode {
    /// Mode of an appearance.
    pub fn of(appearance: Appearance) -> Self {
        match appearance.symbols {
            Symbols::Ascii => Self::Ascii,
            Symbols::Unicode if appearance.braille => Self::Braille,
            Symbols::Unicode => Self::Blocks,
        }
    }

    /// Points per cell, across and down.
    pub fn points(self) -> (usize, usize) {
        match self {
            Self::Braille => (2, 4),
            // Not drawn, but told apart: what fills most of a cell fills it.
            Self::Blocks | Self::Ascii => (1, 4),
        }
    }
}

/// Glyphs of a slider's bar.
pub struct Bar {
    /// Bar before the knob.
    pub done: &'static str,
    /// The knob.
    pub knob: &'static str,
    /// Bar behind the knob.
    pub rest: &'static str,
}

impl Bar {
    /// Glyphs of a character set.
    pub fn of(symbols: Symbols) -> Self {
        match symbols {
            Symbols::Unicode => Self { done: "━", knob: "●", rest: "─" },
            Symbols::Ascii => Self { done: "=", knob: "O", rest: "-" },
        }
    }
}

/// Glyph of an ink.
pub fn glyph(ink: Ink, mode: Mode) -> &'static str {
    let (unicode, ascii) = match ink {
        Ink::Used => ("█", "#"),
        Ink::Idle => ("░", "."),
        Ink::Spot => ("▓", "%"),
        Ink::OnDemand => ("▒", "+"),
        Ink::Ribbon => ("░", ":"),
        Ink::Edge => ("·", "'"),
        Ink::Middle => ("•", "o"),
        Ink::Committed => ("━", "="),
        Ink::Other => ("×", "x"),
    };
    if mode == Mode::Ascii { ascii } else { unicode }
}

/// True where the point at column `x` and row `y` of a braille plot is a dot: each area has a pattern of its
/// own.
pub fn grain(ink: Ink, x: usize, y: usize) -> bool {
    match ink {
        Ink::Used => true,
        Ink::Spot => !(x + 2 * y).is_multiple_of(4),
        Ink::OnDemand => (x + y).is_multiple_of(2),
        Ink::Idle => x.is_multiple_of(2) && y.is_multiple_of(4),
        Ink::Ribbon => (x + y).is_multiple_of(2) && y.is_multiple_of(2),
        // Lines: whole, of every second dot, of every fourth.
        Ink::Committed => true,
        Ink::Middle | Ink::Other => x.is_multiple_of(2),
        Ink::Edge => x.is_multiple_of(4),
    }
}

/// Role, and with it the colour, of an ink.
pub fn role(ink: Ink) -> Role {
    match ink {
        Ink::Used | Ink::Committed => Role::Ok,
        Ink::Idle | Ink::Other => Role::Idle,
        Ink::Spot => Role::Accent,
        Ink::OnDemand => Role::Text,
        Ink::Ribbon | Ink::Edge => Role::Dim,
        Ink::Middle => Role::Heading,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_and_lines_are_told_apart_without_colours() {
        let of = |inks: &[Ink]| {
            for mode in [Mode::Blocks, Mode::Ascii] {
                let mut glyphs: Vec<_> = inks.iter().map(|ink| glyph(*ink, mode)).collect();
                glyphs.sort_unstable();
                glyphs.dedup();
                assert_eq!(glyphs.len(), inks.len(), "{inks:?}");
            }
        };
        of(&[Ink::Used, Ink::Idle, Ink::Spot, Ink::OnDemand, Ink::Edge, Ink::Committed]);
        of(&[Ink::Ribbon, Ink::Middle, Ink::Committed, Ink::Other]);
        // In braille by the density of their dots.
        let dense = |ink: Ink| (0..64).filter(|i| grain(ink, i % 8, i / 8)).count();
        let mut all =
            [Ink::Used, Ink::Spot, Ink::OnDemand, Ink::Ribbon, Ink::Idle].map(dense).to_vec();
        all.dedup();
        assert_eq!(all, [64, 48, 32, 16, 8]);
    }
}
