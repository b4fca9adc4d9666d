//! The grammar of the keys that come as control sequences (`ESC [ …`) and of SGR mouse reports.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// Result of parsing the bytes after `ESC [`.
#[derive(Debug, PartialEq)]
pub(super) enum Parsed {
    /// The sequence is incomplete.
    More,
    /// A key, a mouse event or a change of focus.
    Event(Event),
    /// The start of a bracketed paste.
    PasteBegins,
    /// The sequence is complete and unknown, such as the answer to another program's query.
    Nothing,
}

/// Parses the bytes after `ESC [`.
pub(super) fn parse(body: &[u8]) -> Parsed {
    let Some((&last, params)) = body.split_last() else { return Parsed::More };
    // The Linux console sends its first function keys as ESC [ [ A … E.
    if body[0] == b'[' {
        return match body {
            [b'['] => Parsed::More,
            [_, c @ b'A'..=b'E'] => event(KeyCode::F(c - b'A' + 1), KeyModifiers::NONE),
            _ => Parsed::Nothing,
        };
    }
    // The old mouse report: three raw bytes follow. It is never asked for, but must not be taken
    // for three keys if some earlier program left it on.
    if body[0] == b'M' {
        return if body.len() < 4 { Parsed::More } else { Parsed::Nothing };
    }
    match last {
        0x20..=0x3f => return Parsed::More,
        0x40..=0x7e => {}
        _ => return Parsed::Nothing,
    }
    if params.first() == Some(&b'<') {
        return mouse(&params[1..], last).map_or(Parsed::Nothing, Parsed::Event);
    }
    if params == b"200" && last == b'~' {
        return Parsed::PasteBegins;
    }
    match (params, last) {
        (b"", b'I') => Parsed::Event(Event::FocusGained),
        (b"", b'O') => Parsed::Event(Event::FocusLost),
        _ => Some(params)
            .filter(|p| !p.starts_with(b"?"))
            .and_then(|p| key(p, last))
            .map_or(Parsed::Nothing, |(code, modifiers)| {
                Parsed::Event(Event::Key(KeyEvent::new(code, modifiers)))
            }),
    }
}

/// Key of an `ESC O` sequence, by its last byte; digits before it are modifiers. `None` for an unknown one.
pub(super) fn ss3(body: &[u8]) -> Option<Event> {
    let (&last, params) = body.split_last()?;
    let modifiers = number(params).map_or(KeyModifiers::NONE, modifiers);
    let code = match last {
        b'M' => KeyCode::Enter,
        _ => letter(last)?,
    };
    Some(Event::Key(KeyEvent::new(code, modifiers)))
}

fn event(code: KeyCode, modifiers: KeyModifiers) -> Parsed {
    Parsed::Event(Event::Key(KeyEvent::new(code, modifiers)))
}

fn key(params: &[u8], last: u8) -> Option<(KeyCode, KeyModifiers)> {
    // Sub-parameters after a colon carry the kitty protocol's event types, which we never enable.
    let mut numbers =
        params.split(|&b| b == b';').map(|p| number(p.split(|&b| b == b':').next().unwrap_or(p)));
    let first = numbers.next().flatten();
    let second = numbers.next().flatten();
    let third = numbers.next().flatten();
    let with = second.map_or(KeyModifiers::NONE, modifiers);
    match last {
        b'Z' => Some((KeyCode::BackTab, with | KeyModifiers::SHIFT)),
        // xterm's modifyOtherKeys: 27 ; modifiers ; code ~
        b'~' if first == Some(27) => Some((codepoint(third?)?, with)),
        b'~' => Some((numbered(first?)?, with)),
        b'u' => Some((codepoint(first?)?, with)),
        // ESC [ row ; column R is an answer about the cursor, not F3.
        b'P'..=b'S' if first.unwrap_or(1) != 1 => None,
        _ => Some((letter(last)?, with)),
    }
}

fn letter(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        _ => return None,
    })
}

/// The VT220 numbering of the editing and function keys, with its gaps.
fn numbered(n: u32) -> Option<KeyCode> {
    let f = |first: u32, from: u32| u8::try_from(n - from + first).ok().map(KeyCode::F);
    match n {
        1 | 7 => Some(KeyCode::Home),
        2 => Some(KeyCode::Insert),
        3 => Some(KeyCode::Delete),
        4 | 8 => Some(KeyCode::End),
        5 => Some(KeyCode::PageUp),
        6 => Some(KeyCode::PageDown),
        11..=15 => f(1, 11),
        17..=21 => f(6, 17),
        23..=26 => f(11, 23),
        28..=29 => f(15, 28),
        31..=34 => f(17, 31),
        _ => None,
    }
}

fn codepoint(code: u32) -> Option<KeyCode> {
    Some(match code {
        9 => KeyCode::Tab,
        13 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        _ => KeyCode::Char(char::from_u32(code).filter(|c| !c.is_control())?),
    })
}

/// xterm's modifier parameter: 1 plus a bit set.
fn modifiers(parameter: u32) -> KeyModifiers {
    let bits = parameter.saturating_sub(1);
    let mut out = KeyModifiers::NONE;
    for (bit, modifier) in
        [(1, KeyModifiers::SHIFT), (2, KeyModifiers::ALT), (4, KeyModifiers::CONTROL)]
    {
        if bits & bit != 0 {
            out |= modifier;
        }
    }
    out
}

/// An SGR mouse report, `button ; column ; row` and `M` for press or `m` for release. Motion is
/// never asked for and dropped if it comes.
fn mouse(params: &[u8], last: u8) -> Option<Event> {
    let mut numbers = params.split(|&b| b == b';').map(number);
    let buttons = numbers.next()??;
    let column = u16::try_from(numbers.next()??).ok()?.checked_sub(1)?;
    let row = u16::try_from(numbers.next()??).ok()?.checked_sub(1)?;
    let pressed = match last {
        b'M' => true,
        b'm' => false,
        _ => return None,
    };
    let button = |n| match n {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        _ => None,
    };
    let kind = match (buttons & !0b1_1100, pressed) {
        (64, true) => MouseEventKind::ScrollUp,
        (65, true) => MouseEventKind::ScrollDown,
        (66, true) => MouseEventKind::ScrollLeft,
        (67, true) => MouseEventKind::ScrollRight,
        (n, true) => MouseEventKind::Down(button(n)?),
        (n, false) => MouseEventKind::Up(button(n)?),
    };
    let mut modifiers = KeyModifiers::NONE;
    for (bit, modifier) in
        [(4, KeyModifiers::SHIFT), (8, KeyModifiers::ALT), (16, KeyModifiers::CONTROL)]
    {
        if buttons & bit != 0 {
            modifiers |= modifier;
        }
    }
    Some(Event::Mouse(MouseEvent { kind, column, row, modifiers }))
}

fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}
