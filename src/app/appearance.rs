//! How the cockpit should look: names only, what they mean is `ui::theme`'s business.

pub use crate::domain::ColorDepth;
use crate::view::Symbols;

/// The built-in themes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThemeName {
    /// For dark backgrounds.
    Dark,
    /// For light backgrounds.
    Light,
    /// The terminal's own 16 colours.
    Ansi16,
    /// No colour, attributes only.
    Mono,
}

impl ThemeName {
    /// All themes.
    pub const ALL: [Self; 4] = [Self::Dark, Self::Light, Self::Ansi16, Self::Mono];

    /// Name in `:theme` and in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Ansi16 => "ansi16",
            Self::Mono => "mono",
        }
    }

    /// The theme of this name; `None` for another word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.name() == name)
    }
}

/// Theme and capabilities of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appearance {
    /// Theme in use.
    pub theme: ThemeName,
    /// Number of colours that the terminal shows.
    pub depth: ColorDepth,
    /// Character set: Unicode or ASCII.
    pub symbols: Symbols,
    /// Draw graphs with braille dots (two columns and four rows per cell) instead of blocks. An option, since
    /// some fonts lack them; without effect in ASCII.
    pub braille: bool,
}
