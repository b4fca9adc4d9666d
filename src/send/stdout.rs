//! Text on standard output, or whatever stands in its place.

use std::io::Write;

use super::error::SendError;
use super::plain;
use crate::files;
use crate::watch::message::Message;

/// Writes a message and flushes it.
pub fn send(out: &mut dyn Write, message: &Message) -> Result<(), SendError> {
    let written = out.write_all(plain::listed(message).as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| {
        let fix = "check what standard output leads to";
        SendError::later(format!("standard output: {}", files::explain(&error)), fix)
    })
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::super::error::Retry;
    use super::super::testing::message;
    use super::*;

    #[test]
    fn the_text_stands_below_the_title_and_steers_no_terminal() {
        let mut out = Vec::new();
        let odd = "a\u{1b}[2J\nb".to_owned();
        send(&mut out, &Message { lines: vec!["first".into(), odd], ..message() }).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "firing: idle-gpus: p4d.24xlarge i-0abc\n  first\n  a\u{fffd}[2J\n  b\n");
    }

    #[test]
    fn a_reader_that_went_away_is_an_error() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let error = send(&mut Gone, &message()).unwrap_err();
        assert!(error.message.starts_with("standard output: "), "{error}");
        assert_eq!(error.retry, Retry::After(None));
    }
}
