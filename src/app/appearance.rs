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
    /// No colour, attributes alone.
    Mono,
}

impl ThemeName {
    /// All themes.
    pub const ALL: [Self; 4] = [Self::Dark, Self::Light, Self::Ansi16, Self::Mono];

    /// The name in `:theme` and in the config file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Ansi16 => "ansi16",
            Self::Mono => "mono",
        }
    }

    /// The theme of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.name() == name)
    }
}

/// How the cockpit should look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appearance {
    /// Which theme.
    pub theme: ThemeName,
    /// What the terminal can show.
    pub depth: ColorDepth,
    /// Unicode or ASCII.
    pub symbols: Symbols,
    /// Graphs of braille dots (two columns and four rows per cell) instead of blocks. By choice:
    /// some fonts lack them. Without effect in ASCII.
    pub braille: bool,
}

/// What a piece of the screen means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Plain text.
    Text,
    /// Names of things beside their values, rules, what is stale.
    Dim,
    /// The program's name, keys, the current tab.
    Accent,
    /// Works, in use.
    Ok,
    /// Needs attention.
    Warn,
    /// Broken, costs most.
    Crit,
    /// Idle: money for nothing.
    Idle,
    /// Column titles.
    Heading,
    /// The row or entry under the cursor.
    Selected,
    /// A marked row.
    Marked,
    /// The header of a production account.
    Production,
    /// The stretch of a graph that is idle.
    Shade,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 12] = [
        Self::Text,
        Self::Dim,
        Self::Accent,
        Self::Ok,
        Self::Warn,
        Self::Crit,
        Self::Idle,
        Self::Heading,
        Self::Selected,
        Self::Marked,
        Self::Production,
        Self::Shade,
    ];
}
