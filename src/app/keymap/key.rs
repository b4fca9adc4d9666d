//! One key press as text: `ctrl-u`, `G`, `tab`, `f5`.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with its modifiers in normal form, so that a terminal's event and a name in the configuration compare
/// equal: an upper-case letter has no `shift`, `shift-tab` is one code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// A key name that cannot be parsed; holds the message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown key `{0}`: write a character, a name such as `tab`, `esc`, `pgdn`, `f5`, or `ctrl-u`"
)]
pub struct KeyError(pub String);

/// Names of keys that are not characters; the first name of a code is the one shown.
const NAMES: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("return", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("escape", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("shift-tab", KeyCode::BackTab),
    ("backtab", KeyCode::BackTab),
    ("space", KeyCode::Char(' ')),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("del", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pgup", KeyCode::PageUp),
    ("pageup", KeyCode::PageUp),
    ("pgdn", KeyCode::PageDown),
    ("pagedown", KeyCode::PageDown),
];

impl Key {
    /// A key in normal form.
    pub fn new(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let mut modifiers =
            modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let mut code = code;
        match code {
            KeyCode::Char(c) => {
                if modifiers.contains(KeyModifiers::SHIFT) && c.is_ascii_lowercase() {
                    code = KeyCode::Char(c.to_ascii_uppercase());
                }
                modifiers -= KeyModifiers::SHIFT;
                // Terminals send the same byte for ctrl-u and ctrl-U.
                if let (KeyCode::Char(c), true) = (code, modifiers.contains(KeyModifiers::CONTROL))
                {
                    code = KeyCode::Char(c.to_ascii_lowercase());
                }
            }
            KeyCode::Tab if modifiers.contains(KeyModifiers::SHIFT) => {
                code = KeyCode::BackTab;
                modifiers -= KeyModifiers::SHIFT;
            }
            KeyCode::BackTab => modifiers -= KeyModifiers::SHIFT,
            _ => {}
        }
        Self { code, modifiers }
    }

    /// The key of a terminal event.
    pub fn of(event: KeyEvent) -> Self {
        Self::new(event.code, event.modifiers)
    }

    /// Character that the key types into a text field; `None` with `ctrl` or `alt`, and for other keys.
    pub fn text(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }

    /// Every key that one finger presses and that is on any keyboard: letters, digits, signs, `f1` to `f12`.
    pub fn singles() -> impl Iterator<Item = Self> {
        let signs = ('!'..='~').filter(char::is_ascii_punctuation);
        let chars = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(signs);
        let codes = chars.map(KeyCode::Char).chain((1..=12).map(KeyCode::F));
        codes.map(|code| Self::new(code, KeyModifiers::NONE))
    }

    /// The event that a terminal sends for this key.
    pub fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }

    /// Parses a key name. Modifiers (`ctrl-`, `alt-`, `shift-`) come first, in any order. Fails with a message
    /// that names the mistake.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let fail = || KeyError(text.to_owned());
        let mut rest = text;
        let mut modifiers = KeyModifiers::NONE;
        loop {
            if let Some(code) = named(rest) {
                return Ok(Self::new(code, modifiers));
            }
            let Some((head, tail)) = rest.split_once('-') else { return Err(fail()) };
            if tail.is_empty() {
                return Err(fail());
            }
            modifiers |= match head.to_ascii_lowercase().as_str() {
                "ctrl" | "c" => KeyModifiers::CONTROL,
                "alt" | "meta" => KeyModifiers::ALT,
                "shift" => KeyModifiers::SHIFT,
                _ => return Err(fail()),
            };
            rest = tail;
        }
    }
}

/// The code of a name without modifiers.
fn named(text: &str) -> Option<KeyCode> {
    let mut chars = text.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return (!c.is_control()).then_some(KeyCode::Char(c));
    }
    if let Some((_, code)) = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Some(*code);
    }
    let number = text.strip_prefix(['f', 'F'])?.parse::<u8>().ok()?;
    (1..=12).contains(&number).then_some(KeyCode::F(number))
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (flag, name) in [
            (KeyModifiers::CONTROL, "ctrl-"),
            (KeyModifiers::ALT, "alt-"),
            (KeyModifiers::SHIFT, "shift-"),
        ] {
            if self.modifiers.contains(flag) {
                f.write_str(name)?;
            }
        }
        match NAMES.iter().find(|(_, code)| *code == self.code) {
            Some((name, _)) => f.write_str(name),
            None => match self.code {
                KeyCode::Char(c) => write!(f, "{c}"),
                KeyCode::F(n) => write!(f, "f{n}"),
                other => write!(f, "{other}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for name in [
            "j",
            "G",
            "$",
            "?",
            "ctrl-u",
            "tab",
            "shift-tab",
            "space",
            "esc",
            "enter",
            "pgdn",
            "f5",
            "alt-x",
            "ctrl-alt-x",
            "-",
            "ctrl--",
            "shift-up",
            "/",
        ] {
            let key = Key::parse(name).unwrap();
            assert_eq!(key.to_string(), name);
        }
    }

    #[test]
    fn what_a_terminal_sends_equals_what_a_file_says() {
        let upper = KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT);
        assert_eq!(Key::of(upper), Key::parse("G").unwrap());
        let enhanced = KeyEvent::new(KeyCode::Char('g'), KeyModifiers::SHIFT);
        assert_eq!(Key::of(enhanced), Key::parse("G").unwrap());
        let back = KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT);
        assert_eq!(Key::of(back), Key::parse("shift-tab").unwrap());
        let control = KeyEvent::new(KeyCode::Char('U'), KeyModifiers::CONTROL);
        assert_eq!(Key::of(control), Key::parse("ctrl-u").unwrap());
    }

    #[test]
    fn nonsense_is_refused() {
        for name in ["", "ctrl-", "hyper-x", "tabb", "f13", "f0", "\u{1b}", "ctrl-tabb"] {
            assert_eq!(Key::parse(name), Err(KeyError(name.to_owned())), "{name:?}");
        }
    }
}
