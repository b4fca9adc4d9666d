//! How many colours a terminal has.

/// How many colours may be used. The theme maps its roles to one of these; attributes (bold,
/// reverse, underline) are kept in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ColorDepth {
    /// No colour at all (`NO_COLOR`, `TERM=dumb`, a monochrome terminal): attributes alone carry meaning.
    None,
    /// The 16 colours that the terminal's own scheme defines.
    Ansi16,
    /// The 256-colour palette.
    Ansi256,
    /// 24 bits.
    TrueColor,
}
