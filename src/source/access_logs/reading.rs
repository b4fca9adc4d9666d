//! A file after the other, and what is left out.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use super::error::{FileError, LineError};
use super::event::{LogFormat, Told};
use super::flow::{self, Columns};
use super::groups::Groups;
use super::objects::{ObjectsError, objects};
use super::{FAILED_AT_MOST, FILE_AT_MOST, FailedLine, LINE_AT_MOST, LogReads, cloudtrail, s3};
use crate::domain::object_reads::{ReadEvent, ReadsBy};
use crate::files;
use crate::source::byte_lines::{ByteLine, ByteLines};

/// Bytes that are read at once.
const BUFFER: usize = 1 << 18;

/// Bytes by which the format is told, among which a head has to end.
const HEAD: usize = 1 << 16;

/// Logs while they are read.
pub(super) struct Reading<'a> {
    groups: Groups,
    send: &'a mut dyn FnMut(ReadEvent),
    reads: LogReads,
}

/// What the lines of a file are.
enum Layout {
    S3,
    Events,
    Flow(Columns),
}

impl<'a> Reading<'a> {
    pub fn new(by: ReadsBy, send: &'a mut dyn FnMut(ReadEvent)) -> Self {
        Self { groups: Groups::new(by), send, reads: LogReads::default() }
    }

    /// A file that could not be read to its end.
    pub fn broken(&mut self, name: &Arc<str>, error: FileError) {
        self.reads.broken_count += 1;
        if self.reads.broken.len() < FAILED_AT_MOST {
            self.reads.broken.push((Arc::clone(name), error));
        }
    }

    /// Reads a file.
    pub fn file(&mut self, name: &Arc<str>, from: Box<dyn Read + '_>) {
        let mut from = from.take(FILE_AT_MOST);
        let (head, error) = head(&mut from);
        let rest = Rest { from: &mut from, error };
        let mut chained = BufReader::with_capacity(BUFFER, head.chain(rest));
        let ended = self.format(name, &head, &mut chained);
        drop(chained);
        let is_all = from.limit() > 0;
        match ended {
            Ok(()) if is_all => self.reads.files += 1,
            Ok(()) => {
                self.reads.files += 1;
                self.broken(name, FileError::Large);
            }
            Err(error) => {
                let is_read = matches!(error, FileError::Cut { .. } | FileError::Event { .. });
                self.reads.files += u64::from(is_read);
                self.broken(name, error);
            }
        }
    }

    fn format(
        &mut self,
        name: &Arc<str>,
        head: &[u8],
        from: &mut impl BufRead,
    ) -> Result<(), FileError> {
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
        let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
        let (format, layout) = if line.is_empty() {
            // Nothing, or what fails before its first line.
            return self.lines(name, from, &Layout::S3);
        } else if is_document(text) {
            (LogFormat::CloudTrail, None)
        } else if line[0] == b'{' {
            (LogFormat::CloudTrail, Some(Layout::Events))
        } else if flow::is_head(line) {
            let columns = Columns::of(line)?;
            self.reads.has_no_direction |= columns.direction.is_none();
            (LogFormat::Flow, Some(Layout::Flow(columns)))
        } else if text.split(|byte| *byte == b'\n').take(100).any(s3::is_one) {
            (LogFormat::S3, Some(Layout::S3))
        } else {
            return Err(FileError::Format);
        };
        if !self.reads.formats.contains(&format) {
            self.reads.formats.push(format);
        }
        match layout {
            None => self.document(name, from),
            Some(layout) => self.lines(name, from, &layout),
        }
    }

    fn document(&mut self, name: &Arc<str>, from: &mut impl BufRead) -> Result<(), FileError> {
        let ended = objects(from, |line, text| self.event(name, line, text));
        ended.map_err(|error| match error {
            ObjectsError::Cut(line, error) => cut(line, error.as_ref()),
            ObjectsError::Long(line) => FileError::Event { line },
        })
    }

    fn lines(
        &mut self,
        name: &Arc<str>,
        from: &mut impl BufRead,
        layout: &Layout,
    ) -> Result<(), FileError> {
        let mut lines = ByteLines::new(from, LINE_AT_MOST);
        let mut is_begun = false;
        loop {
            let number = lines.number() + 1;
            let line = match lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(()),
                Err(error) => return Err(cut(number - 1, Some(&error))),
            };
            let text = match line {
                ByteLine::Long => {
                    self.told(name, number, Err(LineError::Long));
                    continue;
                }
                ByteLine::Bytes(text) => text.trim_ascii(),
            };
            if text.is_empty() {
                continue;
            }
            let is_first = !std::mem::replace(&mut is_begun, true);
            match layout {
                // Files that were put together have several heads.
                Layout::Flow(_) if is_first || flow::is_head(text) => {}
                Layout::Flow(columns) => self.told(name, number, columns.told(text)),
                Layout::S3 => self.told(name, number, s3::told(text)),
                Layout::Events => self.event(name, number, text),
            }
        }
    }

    /// Counts an event of `CloudTrail`.
    fn event(&mut self, name: &Arc<str>, line: u64, text: &[u8]) {
        let event = cloudtrail::event(text);
        let told = event.as_ref().map_err(Clone::clone).and_then(cloudtrail::Event::told);
        self.told(name, line, told);
    }

    /// Counts a line.
    fn told(&mut self, name: &Arc<str>, line: u64, told: Result<Told<'_>, LineError>) {
        self.reads.lines += 1;
        match told {
            Ok(told) => {
                match told {
                    Told::Other(other) => self.reads.left_out.count(other),
                    Told::Written(_) => self.reads.left_out.written += 1,
                    Told::Read(_) | Told::Flow { .. } => {}
                }
                if let Some(event) = self.groups.event(&told) {
                    (self.send)(event);
                }
            }
            Err(why) => {
                self.reads.failed_count += 1;
                if self.reads.failed.len() < FAILED_AT_MOST {
                    self.reads.failed.push(FailedLine { file: Arc::clone(name), line, why });
                }
            }
        }
    }

    /// What reading came to.
    pub fn finished(self) -> LogReads {
        let (groups, has_other_groups) = self.groups.finished();
        LogReads { groups, has_other_groups, ..self.reads }
    }
}

/// The beginning of a file, and why it ends there where it cannot be read on.
fn head(from: &mut impl Read) -> (Vec<u8>, Option<io::Error>) {
    let mut head = Vec::new();
    let error = from.take(HEAD as u64).read_to_end(&mut head).err();
    (head, error)
}

/// What comes after the head of a file: an error, where reading the head ended with one.
struct Rest<R> {
    from: R,
    error: Option<io::Error>,
}

impl<R: Read> Read for Rest<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.from.read(buffer),
        }
    }
}

/// Whether a text is a document with an array of events, rather than an event a line.
fn is_document(text: &[u8]) -> bool {
    if text.starts_with(b"[") {
        return true;
    }
    let inner = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start).unwrap_or_default();
    let Some(rest) = inner.strip_prefix(b"\"Records\"") else { return false };
    rest.trim_ascii_start()
        .strip_prefix(b":")
        .is_some_and(|rest| rest.trim_ascii_start().first().is_none_or(|byte| *byte == b'['))
}

fn cut(line: u64, error: Option<&io::Error>) -> FileError {
    let why = error.map_or_else(|| "it ends in the middle".to_owned(), files::reason);
    FileError::Cut { line, why }
}
