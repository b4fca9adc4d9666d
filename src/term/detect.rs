//! What the terminal can show, told by the environment alone.
//!
//! Nothing here asks the terminal: over a slow link an answer costs a round trip, and inside tmux
//! or through `sshd` it may never come. The environment is passed in, so each rule is testable.

pub use crate::domain::ColorDepth;

/// Terminals that speak 24-bit colour and say so only by their name, since `sshd` forwards `TERM`
/// but usually not `COLORTERM`.
const TRUE_COLOR_TERMS: [&str; 7] =
    ["xterm-kitty", "xterm-ghostty", "alacritty", "wezterm", "foot", "contour", "rio"];

/// Terminals without colour, from their terminfo entries.
const MONOCHROME_TERMS: [&str; 8] =
    ["dumb", "vt52", "vt100", "vt102", "vt220", "xterm-mono", "xterm-old", "tvi925"];

/// The colour depth for an environment.
///
/// Order: `NO_COLOR` (set and not empty, <https://no-color.org>) wins over everything;
/// `CLICOLOR_FORCE` (set and not `0`, <https://bixense.com/clicolors>) raises "none" to sixteen;
/// then `COLORTERM`, then `TERM`.
pub fn color_depth(env: impl Fn(&str) -> Option<String>) -> ColorDepth {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    if set("NO_COLOR").is_some() {
        return ColorDepth::None;
    }
    let term = set("TERM").unwrap_or_default().to_lowercase();
    let depth = by_terminal(&term, set("COLORTERM").as_deref());
    let forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    if forced { depth.max(ColorDepth::Ansi16) } else { depth }
}

fn by_terminal(term: &str, colorterm: Option<&str>) -> ColorDepth {
    if term.is_empty() || MONOCHROME_TERMS.contains(&term) || term.ends_with("-m") {
        return ColorDepth::None;
    }
    // GNU screen inherits COLORTERM from outside but passes no 24-bit colour on.
    let screen = term == "screen" || term.starts_with("screen.") || term.starts_with("screen-");
    let claims_true = colorterm.is_some_and(|value| {
        value.eq_ignore_ascii_case("truecolor") || value.eq_ignore_ascii_case("24bit")
    });
    let named =
        |name: &str| term.strip_prefix(name).is_some_and(|r| r.is_empty() || r.starts_with('-'));
    if (claims_true && !screen)
        || term.ends_with("-direct")
        || TRUE_COLOR_TERMS.into_iter().any(named)
    {
        ColorDepth::TrueColor
    } else if term.contains("256color") || (claims_true && screen) {
        ColorDepth::Ansi256
    } else {
        ColorDepth::Ansi16
    }
}

/// True when text beyond ASCII may be drawn: the locale (first non-empty of `LC_ALL`, `LC_CTYPE`, `LANG`, as POSIX
/// orders them) is UTF-8, and the terminal is neither dumb nor the Linux console, whose font holds at most 512 glyphs.
pub fn unicode(env: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    if matches!(set("TERM").as_deref(), None | Some("dumb" | "linux")) {
        return false;
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default();
    let locale = locale.to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Families of terminals whose entries in terminfo have a scroll region and the insertion and
/// deletion of lines (`csr`, `il`, `dl`).
const MOVING_TERMS: [&str; 27] = [
    "alacritty",
    "contour",
    "eterm",
    "foot",
    "ghostty",
    "gnome",
    "iterm",
    "iterm2",
    "kitty",
    "konsole",
    "linux",
    "mintty",
    "mlterm",
    "ms-terminal",
    "nsterm",
    "putty",
    "rio",
    "rxvt",
    "screen",
    "st",
    "stterm",
    "tmux",
    "vt220",
    "vt320",
    "vt420",
    "wezterm",
    "xterm",
];

/// True when the terminal, by `TERM`, moves lines within a region on request. On an unknown terminal lists are painted
/// anew.
pub fn moves_lines(env: impl Fn(&str) -> Option<String>) -> bool {
    let term = env("TERM").unwrap_or_default().to_lowercase();
    let family = term.split(['-', '.', '+']).next().unwrap_or_default();
    MOVING_TERMS.contains(&family)
}

/// Size in cells from `$COLUMNS` and `$LINES`, each by itself; `None` when unset, zero or no number. For terminals that
/// report 0×0, which means "unknown".
pub fn size_hint(env: impl Fn(&str) -> Option<String>) -> (Option<u16>, Option<u16>) {
    let number = |name: &str| env(name)?.trim().parse::<u16>().ok().filter(|&cells| cells > 0);
    (number("COLUMNS"), number("LINES"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env<'a>(pairs: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn colour_depths() {
        use ColorDepth::{Ansi16, Ansi256, None, TrueColor};
        let cases: &[(&[(&str, &str)], ColorDepth)] = &[
            (&[], None),
            (&[("TERM", "xterm")], Ansi16),
            (&[("TERM", "linux")], Ansi16),
            (&[("TERM", "xterm-256color")], Ansi256),
            (&[("TERM", "tmux-256color")], Ansi256),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], TrueColor),
            (&[("TERM", "xterm"), ("COLORTERM", "24bit")], TrueColor),
            (&[("TERM", "xterm"), ("COLORTERM", "yes")], Ansi16),
            (&[("TERM", "screen"), ("COLORTERM", "truecolor")], Ansi256),
            (&[("TERM", "screen-256color"), ("COLORTERM", "truecolor")], Ansi256),
            (&[("TERM", "xterm-kitty")], TrueColor),
            (&[("TERM", "foot-extra")], TrueColor),
            (&[("TERM", "football")], Ansi16),
            (&[("TERM", "xterm-direct")], TrueColor),
            (&[("TERM", "vt100")], None),
            (&[("TERM", "dumb")], None),
            (&[("TERM", "dumb"), ("COLORTERM", "truecolor")], None),
            (&[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")], Ansi16),
            (&[("TERM", "dumb"), ("CLICOLOR_FORCE", "0")], None),
            (&[("TERM", "xterm-256color"), ("CLICOLOR_FORCE", "1")], Ansi256),
            (&[("TERM", "xterm-256color"), ("NO_COLOR", "1")], None),
            (&[("TERM", "xterm-256color"), ("NO_COLOR", "")], Ansi256),
            (&[("TERM", "xterm"), ("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], None),
        ];
        for (pairs, want) in cases {
            assert_eq!(color_depth(env(pairs)), *want, "{pairs:?}");
        }
    }

    #[test]
    fn unicode_follows_the_first_locale_variable_that_is_set() {
        let cases: &[(&[(&str, &str)], bool)] = &[
            (&[("TERM", "xterm")], false),
            (&[("TERM", "xterm"), ("LANG", "en_US.UTF-8")], true),
            (&[("TERM", "xterm"), ("LANG", "C.utf8")], true),
            (&[("TERM", "xterm"), ("LANG", "en_US.ISO-8859-1")], false),
            (&[("TERM", "xterm"), ("LANG", "en_US.UTF-8"), ("LC_ALL", "C")], false),
            (&[("TERM", "xterm"), ("LANG", "C"), ("LC_CTYPE", "de_DE.UTF-8")], true),
            (&[("TERM", "xterm"), ("LC_ALL", ""), ("LANG", "de_DE.UTF-8")], true),
            (&[("TERM", "linux"), ("LANG", "en_US.UTF-8")], false),
            (&[("TERM", "dumb"), ("LANG", "en_US.UTF-8")], false),
            (&[("LANG", "en_US.UTF-8")], false),
        ];
        for (pairs, want) in cases {
            assert_eq!(unicode(env(pairs)), *want, "{pairs:?}");
        }
    }

    #[test]
    fn lines_move_on_terminals_that_are_known_to_move_them() {
        for term in [
            "xterm",
            "xterm-256color",
            "xterm-kitty",
            "xterm-ghostty",
            "tmux-256color",
            "screen",
            "screen.xterm-256color",
            "linux",
            "rxvt-unicode-256color",
            "foot",
            "alacritty",
        ] {
            assert!(moves_lines(env(&[("TERM", term)])), "{term}");
        }
        for term in ["", "dumb", "vt52", "vt100", "vt102", "ansi", "cygwin", "football", "stem"] {
            assert!(!moves_lines(env(&[("TERM", term)])), "{term}");
        }
        assert!(!moves_lines(env(&[])));
    }

    #[test]
    fn size_hints_are_positive_numbers_or_nothing() {
        assert_eq!(size_hint(env(&[("COLUMNS", "132"), ("LINES", "43")])), (Some(132), Some(43)));
        assert_eq!(size_hint(env(&[("COLUMNS", "0"), ("LINES", "-3")])), (None, None));
        assert_eq!(size_hint(env(&[("COLUMNS", "99999"), ("LINES", " 7 ")])), (None, Some(7)));
        assert_eq!(size_hint(env(&[])), (None, None));
    }
}
