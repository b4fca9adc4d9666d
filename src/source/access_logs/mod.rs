//! Logs that tell which objects were read: one small file per format, told by the content.
//!
//! | file | holds |
//! |---|---|
//! | `s3` | server access logs of S3 |
//! | `cloudtrail` | data events of `CloudTrail`, as documents with `Records` or as JSON lines |
//! | `flow` | flow logs of a VPC: bytes by reader, no objects |
//! | `objects` | JSON objects of a document, one after the other within bounds |
//! | `moment` | times of server access logs |
//! | `event` | what a line tells, whatever the format |
//! | `groups` | bytes of names to groups and hashes |
//! | `window` | events in their order |
//! | `files` | files and folders, packed or not |
//! | `reading` | a file after the other, and what is left out |
//! | `note` | what is odd or left out |
//! | `error` | why a line or a file cannot be read |

mod cloudtrail;
mod error;
mod event;
mod files;
mod flow;
mod groups;
mod moment;
mod note;
mod objects;
mod reading;
mod s3;
#[cfg(test)]
mod tests;
mod window;

use std::io::{Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;

pub use error::{FileError, LineError};
pub use event::{LeftOut, LogFormat};
use reading::Reading;
use window::Window;

use crate::domain::object_reads::{ReadEvent, ReadsBy};

/// Longest line, and longest event of `CloudTrail`, bytes.
pub const LINE_AT_MOST: usize = 1 << 18;

/// Files that are read at most.
pub const FILES_AT_MOST: usize = 200_000;

/// Groups that are told apart at most; what comes after them is one more.
pub const GROUPS_AT_MOST: usize = 4_096;

/// Lines that failed of which the reason is kept, and files; the others are counted.
pub const FAILED_AT_MOST: usize = 1_000;

/// Bytes of a file that are read at most after unpacking: 256 GiB.
const FILE_AT_MOST: u64 = 1 << 38;

/// Events that go from one thread to the other at a time, and parcels of them on the way.
const PARCEL: usize = 4_096;
const PARCELS: usize = 16;

/// A log.
#[derive(Debug)]
pub enum Log {
    /// Files, and folders with all that is in them.
    Paths(Vec<PathBuf>),
    /// The text of one, with the name that messages have for it.
    Text(Arc<str>, String),
}

/// What reading a log came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogReads {
    /// Names of the groups by their places, clean; one with an empty name where nothing is told apart.
    pub groups: Vec<Arc<str>>,
    /// Files that were read, those in part among them.
    pub files: u64,
    /// Lines that were read, those that failed among them.
    pub lines: u64,
    /// Formats that were found, each once.
    pub formats: Vec<LogFormat>,
    /// Lines that could not be read, at most [`FAILED_AT_MOST`].
    pub failed: Vec<FailedLine>,
    /// Number of all lines that could not be read.
    pub failed_count: u64,
    /// Files that could not be read to their end, at most [`FAILED_AT_MOST`], each with why.
    pub broken: Vec<(Arc<str>, FileError)>,
    /// Number of all of them.
    pub broken_count: u64,
    /// Lines that tell of no read.
    pub left_out: LeftOut,
    /// Events that came so late that others after them were counted before.
    pub late: u64,
    /// Whether there were more groups than are told apart.
    pub has_other_groups: bool,
    /// Whether flow logs lack the direction: bytes that pass two interfaces are counted at both.
    pub has_no_direction: bool,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedLine {
    /// Its file, clean.
    pub file: Arc<str>,
    /// Number of the line, from 1.
    pub line: u64,
    /// Why.
    pub why: LineError,
}

/// Reads a log; `take` gets its events in the order in which they happened, as far as they are not too late for it. What
/// cannot be read is told by what is returned.
pub fn read(log: Log, by: ReadsBy, take: &mut dyn FnMut(&ReadEvent)) -> LogReads {
    let (sender, parcels) = sync_channel::<Vec<ReadEvent>>(PARCELS);
    thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let mut parcel = Vec::with_capacity(PARCEL);
            let mut send = |event: ReadEvent| {
                parcel.push(event);
                if parcel.len() == PARCEL {
                    // Nobody takes them any more: the events of the rest go nowhere.
                    let _ = sender.send(std::mem::replace(&mut parcel, Vec::with_capacity(PARCEL)));
                }
            };
            let reads = all(log, by, &mut send);
            let _ = sender.send(parcel);
            reads
        });
        let mut window = Window::new();
        for parcel in parcels {
            parcel.into_iter().for_each(|event| window.push(event, take));
        }
        let late = window.finish(take);
        match reader.join() {
            Ok(reads) => LogReads { late, ..reads },
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Reads all files on the thread that calls it.
fn all(log: Log, by: ReadsBy, send: &mut dyn FnMut(ReadEvent)) -> LogReads {
    let mut reading = Reading::new(by, send);
    match log {
        Log::Text(name, text) => reading.file(&name, Box::new(Cursor::new(text)) as Box<dyn Read>),
        Log::Paths(paths) => {
            let (found, left_out) = files::all(&paths);
            for (name, error) in left_out {
                reading.broken(&name, error);
            }
            for path in found {
                let name = files::name(&path);
                match files::open(&path) {
                    Ok(file) => reading.file(&name, file),
                    Err(error) => reading.broken(&name, error),
                }
            }
        }
    }
    reading.finished()
}
