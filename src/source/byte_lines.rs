//! Lines of a file as bytes, within bounds: one that is too long is passed over, not kept.

use std::io::{BufRead, ErrorKind, Result};

/// A line, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteLine<'a> {
    /// Its bytes.
    Bytes(&'a [u8]),
    /// It is longer than is read.
    Long,
}

/// Reader of lines. Those that lie in the buffer of `from` as a whole are not copied.
pub(super) struct ByteLines<R> {
    from: R,
    /// Most bytes of a line.
    at_most: usize,
    /// Number of the line read last, from 1.
    line: u64,
    /// Bytes at the start of the buffer that belong to the line read last.
    used: usize,
    /// The beginning of a line that goes on behind the buffer.
    begun: Vec<u8>,
}

impl<R: BufRead> ByteLines<R> {
    /// A reader of lines of at most `at_most` bytes.
    pub fn new(from: R, at_most: usize) -> Self {
        Self { from, at_most, line: 0, used: 0, begun: Vec::new() }
    }

    /// Number of the line read last, from 1; 0 before the first.
    pub fn number(&self) -> u64 {
        self.line
    }

    /// The next line, without a carriage return at its end; `None` after the last. Err when the file cannot be read on.
    pub fn next(&mut self) -> Result<Option<ByteLine<'_>>> {
        self.from.consume(std::mem::take(&mut self.used));
        self.begun.clear();
        let (mut is_long, mut has_begun) = (false, false);
        let end = loop {
            let block = match self.from.fill_buf() {
                Ok(block) => block,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if block.is_empty() {
                if !has_begun {
                    return Ok(None);
                }
                break 0;
            }
            let end = memchr::memchr(b'\n', block);
            if let Some(end) = end
                && !has_begun
            {
                break end;
            }
            has_begun = true;
            let part = &block[..end.unwrap_or(block.len())];
            if is_long || self.begun.len() + part.len() > self.at_most {
                is_long = true;
                self.begun.clear();
            } else {
                self.begun.extend_from_slice(part);
            }
            let read = end.map_or(block.len(), |end| end + 1);
            self.from.consume(read);
            if end.is_some() {
                break 0;
            }
        };
        self.line += 1;
        if is_long || end > self.at_most {
            self.used = if has_begun { 0 } else { end + 1 };
            return Ok(Some(ByteLine::Long));
        }
        let line = if has_begun {
            &self.begun[..]
        } else {
            self.used = end + 1;
            &self.from.fill_buf()?[..end]
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line =
            if self.line == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        Ok(Some(ByteLine::Bytes(line)))
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_are_those_of_the_text_whatever_the_buffer(
            lines in prop::collection::vec("[a-z \r]{0,40}", 0..30),
            buffer in 1usize..64,
            at_most in 1usize..40,
        ) {
            let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let mut read = ByteLines::new(BufReader::with_capacity(buffer, text.as_bytes()), at_most);
            for (number, line) in lines.iter().enumerate() {
                let wanted = line.strip_suffix('\r').unwrap_or(line).as_bytes();
                let wanted = if line.len() > at_most { ByteLine::Long } else { ByteLine::Bytes(wanted) };
                prop_assert_eq!(read.next().unwrap(), Some(wanted));
                prop_assert_eq!(read.number(), number as u64 + 1);
            }
            prop_assert_eq!(read.next().unwrap(), None);
        }
    }

    #[test]
    fn the_last_line_needs_no_end_and_a_mark_of_the_first_is_left_out() {
        let mut lines = ByteLines::new(&b"\xef\xbb\xbfa\nb"[..], 9);
        assert_eq!(lines.next().unwrap(), Some(ByteLine::Bytes(b"a")));
        assert_eq!(lines.next().unwrap(), Some(ByteLine::Bytes(b"b")));
        assert_eq!(lines.next().unwrap(), None);
    }
}
