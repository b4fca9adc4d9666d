//! Lines of a file, within bounds: one that is too long is passed over, not kept.

use std::io::{BufRead, ErrorKind};

use super::error::{JobsFileError, LineError};
use crate::domain::records::RECORD_AT_MOST;
use crate::files;

/// Number of a line, from 1, and its text or why it is not read.
pub(super) type Line = (u64, Result<String, LineError>);

/// Reader of lines.
pub(super) struct Lines<R> {
    from: R,
    line: u64,
    text: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from, line: 0, text: Vec::new() }
    }

    /// The next line and its number, from 1; `None` after the last. Bytes that are no text are replaced. Err when the
    /// file cannot be read on.
    pub(super) fn next(&mut self) -> Result<Option<Line>, JobsFileError> {
        self.text.clear();
        let (mut is_long, mut has_begun) = (false, false);
        loop {
            let block = match self.from.fill_buf() {
                Ok(block) => block,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(JobsFileError::Unreadable(files::reason(&e))),
            };
            if block.is_empty() {
                if !has_begun {
                    return Ok(None);
                }
                break;
            }
            has_begun = true;
            let end = memchr::memchr(b'\n', block);
            let part = &block[..end.unwrap_or(block.len())];
            if self.text.len() + part.len() > RECORD_AT_MOST {
                is_long = true;
                self.text.clear();
            } else if !is_long {
                self.text.extend_from_slice(part);
            }
            let read = end.map_or(block.len(), |end| end + 1);
            self.from.consume(read);
            if end.is_some() {
                break;
            }
        }
        self.line += 1;
        if is_long {
            return Ok(Some((self.line, Err(LineError::Long))));
        }
        let text = self.text.strip_suffix(b"\r").unwrap_or(&self.text);
        let text =
            if self.line == 1 { text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text) } else { text };
        Ok(Some((self.line, Ok(String::from_utf8_lossy(text).into_owned()))))
    }
}
