//! Copying to the clipboard of the machine the user sits at, through the terminal (OSC 52).

use crossterm::Command;
use crossterm::clipboard::CopyToClipboard;

/// Longest text that is sent, bytes. Its base64 form with the frame around it stays under 100,000 bytes, the most that
/// `xterm` and several others accept; the terminal would silently drop more.
pub const MAX_BYTES: usize = 74_994;

/// A text that is too long for a terminal's clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{bytes} bytes are too many for the terminal's clipboard (at most {MAX_BYTES}); export to a file instead"
)]
/// Error: the text is too long for a terminal's clipboard.
pub struct TooLong {
    /// Length of the text, bytes.
    pub bytes: usize,
}

/// Control sequence that copies `text` to the terminal's clipboard. Err when `text` is longer than [`MAX_BYTES`].
///
/// The terminal does not answer, so that only the sending is certain. Inside tmux (`$TMUX` is set) both forms are sent,
/// because its options decide which one it obeys, and the other is dropped silently: the plain sequence with
/// `set-clipboard on`, the sequence in tmux's pass-through wrapping with `allow-passthrough on` (and always before tmux
/// 3.3). Where tmux obeys both, the clipboard gets the same text twice; with the defaults of 3.3a it obeys neither.
pub fn osc52(text: &str, in_tmux: bool) -> Result<Vec<u8>, TooLong> {
    if text.len() > MAX_BYTES {
        return Err(TooLong { bytes: text.len() });
    }
    let mut plain = String::new();
    // Writing into a String cannot fail.
    let _ = CopyToClipboard::to_clipboard_from(text).write_ansi(&mut plain);
    let mut out = plain.clone().into_bytes();
    if in_tmux {
        out.extend_from_slice(b"\x1bPtmux;");
        out.extend_from_slice(plain.replace('\x1b', "\x1b\x1b").as_bytes());
        out.extend_from_slice(b"\x1b\\");
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_sequence() {
        // printf i-0abc | base64 = aS0wYWJj
        assert_eq!(osc52("i-0abc", false).unwrap(), b"\x1b]52;c;aS0wYWJj\x1b\\");
    }

    #[test]
    fn tmux_gets_the_plain_and_the_wrapped_sequence() {
        let got = osc52("i-0abc", true).unwrap();
        let want: &[u8] =
            b"\x1b]52;c;aS0wYWJj\x1b\\\x1bPtmux;\x1b\x1b]52;c;aS0wYWJj\x1b\x1b\\\x1b\\";
        assert_eq!(got, want);
    }

    #[test]
    fn the_longest_text_stays_under_a_hundred_thousand_bytes() {
        let sent = osc52(&"x".repeat(MAX_BYTES), false).unwrap();
        assert!(sent.len() > 99_000 && sent.len() <= 100_001, "{}", sent.len());
        assert_eq!(osc52(&"x".repeat(MAX_BYTES + 1), false), Err(TooLong { bytes: MAX_BYTES + 1 }));
    }

    #[test]
    fn control_characters_travel_as_base64_only() {
        let sent = osc52("\x1b]0;owned\x07", false).unwrap();
        assert_eq!(sent, b"\x1b]52;c;G10wO293bmVkBw==\x1b\\");
    }
}
