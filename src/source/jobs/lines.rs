//! Lines of a file as text, within bounds: one that is too long is passed over, not kept.

use std::io::BufRead;

use super::error::{JobsFileError, LineError};
use crate::domain::records::RECORD_AT_MOST;
use crate::files;
use crate::source::byte_lines::{ByteLine, ByteLines};

/// Number of a line, from 1, and its text or why it is not read.
pub(super) type Line = (u64, Result<String, LineError>);

/// Reader of lines.
pub(super) struct Lines<R>(ByteLines<R>);

impl<R: BufRead> Lines<R> {
    pub(super) fn new(from: R) -> Self {
        Self(ByteLines::new(from, RECORD_AT_MOST))
    }

    /// The next line and its number, from 1; `None` after the last. Bytes that are no text are replaced. Err when the
    /// file cannot be read on.
    pub(super) fn next(&mut self) -> Result<Option<Line>, JobsFileError> {
        let unreadable = |e: std::io::Error| JobsFileError::Unreadable(files::reason(&e));
        let text = match self.0.next().map_err(unreadable)? {
            None => return Ok(None),
            Some(ByteLine::Long) => Err(LineError::Long),
            Some(ByteLine::Bytes(line)) => Ok(String::from_utf8_lossy(line).into_owned()),
        };
        Ok(Some((self.0.number(), text)))
    }
}
