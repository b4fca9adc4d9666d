//! The second line of defence on the way out: whatever is printed steers no terminal.
//!
//! Foreign text is clean where it becomes a value ([`crate::domain::text`]); this stands behind what
//! was forgotten there.

use std::io::{self, Stderr, Write};

use crate::domain::text::for_output;

/// Writer that replaces unsafe characters; line ends and tabs pass.
pub struct CleanWriter<W: Write> {
    to: W,
    /// The beginning of a character whose rest has not come yet.
    rest: Vec<u8>,
}

impl<W: Write> CleanWriter<W> {
    /// A writer in front of `to`.
    pub fn new(to: W) -> Self {
        Self { to, rest: Vec::new() }
    }
}

impl<W: Write> Write for CleanWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let all = [&self.rest, bytes].concat();
        self.rest.clear();
        let mut chunks = all.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.to.write_all(for_output(chunk.valid()).as_bytes())?;
            let invalid = chunk.invalid();
            let may_go_on = chunks.peek().is_none()
                && std::str::from_utf8(invalid).is_err_and(|e| e.error_len().is_none());
            if may_go_on {
                self.rest = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.to.write_all("\u{FFFD}".as_bytes())?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.rest).is_empty() {
            self.to.write_all("\u{FFFD}".as_bytes())?;
        }
        self.to.flush()
    }
}

/// Standard error through a [`CleanWriter`], for messages.
pub fn stderr() -> CleanWriter<Stderr> {
    CleanWriter::new(io::stderr())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parts: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut writer = CleanWriter::new(&mut out);
        for part in parts {
            writer.write_all(part).unwrap();
        }
        writer.flush().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn plain_text_passes_in_whatever_pieces_it_comes() {
        let text = "a\tb\nünïcode 数 🔥\n";
        assert_eq!(written(&[text.as_bytes()]), text);
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(written(&bytes), text);
        assert_eq!(written(&[b"\xf0\x9f", b"x"]), "\u{FFFD}x");
        assert_eq!(written(&[b"\xf0\x9f"]), "\u{FFFD}");
    }

    mod hostile {
        use super::*;
        use crate::domain::text::{hostile::TEXTS, is_unsafe};

        #[test]
        fn nothing_that_steers_a_terminal_is_printed() {
            let mut n = 0;
            for text in TEXTS {
                let mut bytes = text.as_bytes().to_vec();
                for broken in [&b""[..], b"\xff", b"\xc2", b"\xe2\x80", b"\xed\xa0\x80"] {
                    bytes.extend(broken);
                    for size in [1, 2, 3, bytes.len()] {
                        let parts: Vec<&[u8]> = bytes.chunks(size).collect();
                        let shown = written(&parts);
                        let odd = |c: char| is_unsafe(c) && !matches!(c, '\n' | '\t');
                        assert!(!shown.contains(odd), "{text:?}: {shown:?}");
                        n += 1;
                    }
                }
            }
            assert!(n >= 600, "{n}");
            println!("hostile: output: {n} inputs");
        }
    }
}
