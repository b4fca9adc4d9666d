//! Bytes from the terminal, decoded into events.
//!
//! crossterm's own reader is not used: it blocks in `read` on half a sequence, spins for ever on a
//! terminal that is gone, and cannot be paused for a suspend. Its event types are, so that
//! everything behind this file speaks the common language, and its conventions are kept (an upper
//! case letter carries `SHIFT`, `0x08` is `ctrl-h`, `0x7f` is Backspace).
//!
//! The decoder is pure: bytes and the passing of [`Decoder::patience`] go in, events come out.

mod csi;

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// How long the rest of a started sequence may take. A sequence that the network split arrives
/// well within it; it is also the delay of a bare Esc key, so it must stay below notice.
const SEQUENCE_PATIENCE: Duration = Duration::from_millis(30);
/// How long a paste may be silent before it is taken as ended: a lost end marker must not swallow
/// the keyboard for ever.
const PASTE_PATIENCE: Duration = Duration::from_secs(1);
/// The longest paste that is kept, in bytes; the rest is dropped. A filter or a command never
/// needs more.
const MAX_PASTE: usize = 64 * 1024;
/// The longest control sequence worth keeping, in bytes. Longer ones are no keys.
const MAX_SEQUENCE: usize = 64;

const ESC: u8 = 0x1b;
const PASTE_END: &[u8] = b"\x1b[201~";

/// Decodes the terminal's bytes into events; a sequence may be split over several reads.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The bytes of the sequence under way.
    seq: Vec<u8>,
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    /// After ESC, in a key, or in a control sequence.
    Sequence,
    /// In a string (OSC, DCS, APC…): an answer to a question that some earlier program asked.
    /// The flag says that an ESC, perhaps the first half of the terminator, came last.
    Text { esc: bool },
    /// Inside a bracketed paste.
    Paste,
    /// In a UTF-8 character that wants this many bytes.
    Utf8 { want: usize, alt: bool },
}

impl Decoder {
    /// Time to wait for more bytes before [`Decoder::give_up`] is called; `None` when no sequence is pending.
    pub fn patience(&self) -> Option<Duration> {
        match self.state {
            State::Ground => None,
            State::Paste => Some(PASTE_PATIENCE),
            State::Sequence | State::Text { .. } | State::Utf8 { .. } => Some(SEQUENCE_PATIENCE),
        }
    }

    /// Decodes `bytes` and appends what they complete to `events`.
    pub fn push(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        for &byte in bytes {
            self.byte(byte, events);
        }
    }

    /// Ends a pending sequence after its time-out: a lone ESC is the Esc key, ESC and one byte are that key with Alt, a
    /// paste ends, any other fragment is dropped.
    pub fn give_up(&mut self, events: &mut Vec<Event>) {
        match (self.state, self.seq.as_slice()) {
            (State::Paste, _) => self.end_paste(events),
            (State::Sequence, [ESC]) => events.push(key(KeyCode::Esc, KeyModifiers::NONE)),
            (State::Sequence | State::Text { .. }, &[ESC, byte]) => {
                events.extend(ascii(byte, KeyModifiers::ALT));
            }
            _ => {}
        }
        self.reset();
    }

    fn reset(&mut self) {
        self.seq.clear();
        self.state = State::Ground;
    }

    fn byte(&mut self, byte: u8, events: &mut Vec<Event>) {
        match self.state {
            State::Ground => self.ground(byte, false, events),
            State::Sequence => self.sequence(byte, events),
            State::Text { esc } => {
                if byte == 0x07 || (esc && byte == b'\\') {
                    self.reset();
                } else {
                    self.state = State::Text { esc: byte == ESC };
                    // Only its length matters here: it tells ESC ] alone from a longer string.
                    if self.seq.len() < 3 {
                        self.seq.push(byte);
                    }
                }
            }
            State::Paste => {
                self.seq.push(byte);
                if self.seq.ends_with(PASTE_END) {
                    self.seq.truncate(self.seq.len() - PASTE_END.len());
                    self.end_paste(events);
                } else if self.seq.len() > MAX_PASTE + PASTE_END.len() {
                    // Keep the head and enough of the tail to see the end marker.
                    self.seq.remove(MAX_PASTE);
                }
            }
            State::Utf8 { want, alt } => {
                if byte & 0xc0 != 0x80 {
                    self.reset();
                    self.ground(byte, false, events);
                    return;
                }
                self.seq.push(byte);
                if self.seq.len() == want {
                    if let Ok(text) = std::str::from_utf8(&self.seq) {
                        events.extend(text.chars().next().map(|c| character(c, alt)));
                    }
                    self.reset();
                }
            }
        }
    }

    fn ground(&mut self, byte: u8, alt: bool, events: &mut Vec<Event>) {
        let want = match byte {
            ESC => {
                self.seq.push(byte);
                self.state = State::Sequence;
                return;
            }
            0x00..=0x7f => {
                let modifiers = if alt { KeyModifiers::ALT } else { KeyModifiers::NONE };
                events.extend(ascii(byte, modifiers));
                return;
            }
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            // No UTF-8 character begins so: dropped.
            _ => return,
        };
        self.seq.push(byte);
        self.state = State::Utf8 { want, alt };
    }

    fn sequence(&mut self, byte: u8, events: &mut Vec<Event>) {
        if self.seq.len() == 1 {
            match byte {
                b'[' | b'O' => self.seq.push(byte),
                b']' | b'P' | b'_' | b'^' | b'X' => {
                    self.seq.push(byte);
                    self.state = State::Text { esc: false };
                }
                // Esc pressed twice: one key now, and the second may begin something.
                ESC => events.push(key(KeyCode::Esc, KeyModifiers::NONE)),
                _ => {
                    self.reset();
                    self.ground(byte, true, events);
                }
            }
            return;
        }
        // A control character never belongs to a key's sequence: the sequence was cut off.
        if byte < 0x20 {
            self.reset();
            self.ground(byte, false, events);
            return;
        }
        self.seq.push(byte);
        if self.seq.starts_with(b"\x1bO") {
            // SS3: one byte follows, after digits in some terminals' modified keys.
            if !byte.is_ascii_digit() || self.seq.len() > 4 {
                events.extend(csi::ss3(&self.seq[2..]));
                self.reset();
            }
            return;
        }
        match csi::parse(&self.seq[2..]) {
            csi::Parsed::More if self.seq.len() <= MAX_SEQUENCE => {}
            csi::Parsed::Event(event) => {
                self.reset();
                events.push(event);
            }
            csi::Parsed::PasteBegins => {
                self.reset();
                self.state = State::Paste;
            }
            csi::Parsed::More | csi::Parsed::Nothing => self.reset(),
        }
    }

    fn end_paste(&mut self, events: &mut Vec<Event>) {
        self.seq.truncate(MAX_PASTE);
        events.push(Event::Paste(String::from_utf8_lossy(&self.seq).into_owned()));
        self.reset();
    }
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

fn character(c: char, alt: bool) -> Event {
    let mut modifiers = if alt { KeyModifiers::ALT } else { KeyModifiers::NONE };
    if c.is_uppercase() {
        modifiers |= KeyModifiers::SHIFT;
    }
    key(KeyCode::Char(c), modifiers)
}

/// The key behind one ASCII byte other than ESC.
fn ascii(byte: u8, modifiers: KeyModifiers) -> Option<Event> {
    let control = |c: u8| key(KeyCode::Char(char::from(c)), modifiers | KeyModifiers::CONTROL);
    Some(match byte {
        0x00 => control(b' '),
        b'\t' => key(KeyCode::Tab, modifiers),
        b'\r' => key(KeyCode::Enter, modifiers),
        0x01..=0x1a => control(byte - 1 + b'a'),
        0x1c..=0x1f => control(byte - 0x1c + b'4'),
        0x7f => key(KeyCode::Backspace, modifiers),
        0x20..=0x7e => character(char::from(byte), modifiers.contains(KeyModifiers::ALT)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
