//! What a piece of the screen means: its colour is the theme's business.

/// Meaning of a piece of the screen, from which its colour follows.
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
