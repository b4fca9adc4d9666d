//! From a file to its lines: what it is packed in is told by its first bytes.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

use super::error::{BillFileError, named};
use super::fold::Fold;
use super::{Progress, csv, parquet, zip};

/// Bytes of a file that are read at a time.
const BLOCK: usize = 1 << 18;

/// Tells the caller how far reading has come.
pub(super) struct Teller<'a> {
    tell: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
    so_far: Progress,
    /// Bytes of the files before this one.
    before: u64,
}

impl Teller<'_> {
    /// Tells that further `lines` were read, and of this file `bytes` in all. Err when the caller ends it.
    pub fn tell(&mut self, lines: usize, bytes: u64) -> Result<(), BillFileError> {
        self.so_far.lines += lines as u64;
        let bytes = (self.before + bytes).min(self.so_far.of_bytes);
        self.so_far.bytes = self.so_far.bytes.max(bytes);
        match (self.tell)(&self.so_far) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(BillFileError::Cancelled),
        }
    }
}

/// A file that is being read.
pub(super) struct OpenFile<'a> {
    /// Its path.
    pub path: &'a Path,
    /// The file.
    pub file: File,
    /// Its size, bytes.
    pub bytes: u64,
}

impl OpenFile<'_> {
    /// Path for messages.
    pub fn name(&self) -> String {
        named(self.path)
    }

    /// What is wrong with it.
    pub fn damaged(&self, why: impl Into<String>) -> BillFileError {
        BillFileError::Damaged { file: self.name(), why: why.into() }
    }

    /// What of it is too large.
    pub fn beyond(&self, why: impl Into<String>) -> BillFileError {
        BillFileError::Beyond { file: self.name(), why: why.into() }
    }

    fn unreadable(&self, error: &std::io::Error) -> BillFileError {
        BillFileError::Unreadable { file: self.name(), why: crate::files::reason(error) }
    }
}

/// Counts what is read of a file.
struct Counted<R>(R, Arc<AtomicU64>);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Reads all files into `fold`. Err for the first thing that would make a sum wrong.
pub(super) fn all(
    paths: &[PathBuf],
    fold: &mut Fold<'_>,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(), BillFileError> {
    let mut files = vec![];
    for path in paths {
        let unreadable = |e: std::io::Error| BillFileError::Unreadable {
            file: named(path),
            why: crate::files::reason(&e),
        };
        let file = crate::files::named(path).map_err(unreadable)?;
        let bytes = file.metadata().map_err(unreadable)?.len();
        // Thousands of files are opened one after the other.
        drop(file);
        files.push((path, bytes));
    }
    let of_bytes = files.iter().map(|(_, bytes)| bytes).sum();
    let so_far = Progress { of_bytes, ..Progress::default() };
    let mut teller = Teller { tell: progress, so_far, before: 0 };
    for (path, bytes) in files {
        let file = crate::files::named(path).map_err(|e| BillFileError::Unreadable {
            file: named(path),
            why: crate::files::reason(&e),
        })?;
        one(OpenFile { path, file, bytes }, fold, &mut teller)?;
        teller.before += bytes;
        teller.tell(0, 0)?;
    }
    Ok(())
}

fn one(
    mut open: OpenFile<'_>,
    fold: &mut Fold<'_>,
    teller: &mut Teller<'_>,
) -> Result<(), BillFileError> {
    let mut head = vec![];
    let read = (&open.file).take(4).read_to_end(&mut head);
    read.and_then(|_| open.file.seek(SeekFrom::Start(0))).map_err(|e| open.unreadable(&e))?;
    if head == b"PAR1" {
        return parquet::read(&open, fold, teller);
    }
    let count = Arc::new(AtomicU64::new(0));
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        for member in zip::members(&open.file, open.bytes).map_err(|why| open.damaged(why))? {
            let unpacked = zip::open(&open.file, &member).map_err(|why| open.damaged(why))?;
            csv::read(&open, Counted(unpacked, count.clone()), &|| member.offset, fold, teller)?;
        }
        return Ok(());
    }
    let file = open.file.try_clone().map_err(|e| open.unreadable(&e))?;
    let counted = Counted(BufReader::with_capacity(BLOCK, file), count.clone());
    let done = || count.load(Ordering::Relaxed);
    if head.starts_with(&[0x1f, 0x8b]) {
        csv::read(&open, MultiGzDecoder::new(counted), &done, fold, teller)
    } else {
        csv::read(&open, counted, &done, fold, teller)
    }
}
