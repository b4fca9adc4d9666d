//! Jobs from files: one small file per format, and one type that all of them fill.
//!
//! | file | holds |
//! |---|---|
//! | `slurm/` | text of `sacct`: rows, trackable resources, lists of nodes |
//! | `csv`, `jsonl` | files with burntop's own columns |
//! | `columns`, `entry` | those columns, and what they make of a row |
//! | `status` | words for states |
//! | `time` | moments and spans as text |
//! | `lines` | lines of a file within bounds |
//! | `kubernetes/` | clusters of Kubernetes |
//! | `live` | the trait of sources that are asked again and again |
//! | `mlflow/`, `ray/` | runs of a tracker, jobs of a Ray cluster |
//! | `claims` | what trackers say of schedulers' jobs |
//! | `note`, `error` | what is odd but usable, and what is not |

mod claims;
mod columns;
mod csv;
mod entry;
mod error;
mod jsonl;
pub mod kubernetes;
mod lines;
pub mod live;
pub mod mlflow;
mod note;
pub mod ray;
pub mod slurm;
pub(super) mod status;
#[cfg(test)]
mod tests;
mod time;

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::domain::hash::FastMap;
use crate::domain::jobs::{Attempt, Packed};
use crate::files;
pub use error::{JobsFileError, LineError};
pub use note::JobNote;
use time::Clock;

/// Largest file that is read: 1 GiB, two and a half million rows of `sacct`.
pub const FILE_AT_MOST: u64 = 1 << 30;

/// Most attempts that one file may have.
pub const ATTEMPTS_AT_MOST: usize = 1_000_000;

/// Lines that failed of which the reason is kept; the others are counted.
pub const FAILED_AT_MOST: usize = 1_000;

/// Paths of logs that are kept of a file.
pub const LOGS_AT_MOST: usize = 10_000;

/// Bytes that are read at once, and among which the head of a file has to end.
const BUFFER: usize = 1 << 16;

/// How files are read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Zone of times that name none; `None` = such times are refused.
    pub tz: Option<TimeZone>,
    /// Now: what lies more than a day after it is refused.
    pub now: Timestamp,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedLine {
    /// Number of the line, from 1.
    pub line: u64,
    /// Why.
    pub why: LineError,
}

/// What a file holds.
#[derive(Clone, Debug, Default)]
pub struct JobsFile {
    /// Attempts, each once, in the order of the file.
    pub attempts: Packed,
    /// Lines that could not be read, in their order, at most [`FAILED_AT_MOST`].
    pub failed: Vec<FailedLine>,
    /// Number of all lines that could not be read.
    pub failed_count: u64,
    /// What is odd but usable.
    pub notes: Vec<JobNote>,
    /// Paths of the logs of attempts that failed and of which no reason is told, by the place of the attempt, the first
    /// [`LOGS_AT_MOST`]. Nothing of them is read.
    pub logs: BTreeMap<usize, PathBuf>,
}

/// Reads the jobs of a file. Err when nothing of it could be read.
pub fn read_file(path: &Path, options: &ReadOptions) -> Result<JobsFile, JobsFileError> {
    let unreadable = |error: std::io::Error| JobsFileError::Unreadable(files::explain(&error));
    let file = files::named(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    if size > FILE_AT_MOST {
        return Err(JobsFileError::Large { bytes: size });
    }
    read(file.take(FILE_AT_MOST), options)
}

/// Reads the jobs of a text. Err when nothing of it could be read.
pub fn read(from: impl Read, options: &ReadOptions) -> Result<JobsFile, JobsFileError> {
    let mut from = BufReader::with_capacity(BUFFER, from);
    let head = first_line(&mut from)?;
    let mut reading = Reading::new(options);
    if let Some(layout) = slurm::Layout::of(&head) {
        slurm::read(from, &layout, &mut reading)?;
    } else if head.trim_start().starts_with('{') {
        jsonl::read(from, &mut reading)?;
    } else {
        csv::read(from, &mut reading)?;
    }
    reading.finished()
}

/// The first line, without taking it from the reader.
fn first_line(from: &mut BufReader<impl Read>) -> Result<String, JobsFileError> {
    let error = |e: std::io::Error| JobsFileError::Unreadable(files::reason(&e));
    let begun = from.fill_buf().map_err(error)?;
    let begun = begun.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begun);
    let line = begun.split(|b| *b == b'\n').find(|line| !line.trim_ascii().is_empty());
    match line {
        None => Err(JobsFileError::Empty),
        Some(line) => Ok(String::from_utf8_lossy(line).trim_end_matches('\r').to_owned()),
    }
}

/// A file while it is read.
struct Reading {
    clock: Clock,
    attempts: Packed,
    /// Places of the attempts by the hash of their identity; of several with one hash each is at the next free one.
    places: FastMap<u64, u32>,
    failed: Vec<FailedLine>,
    failed_count: u64,
    repeated: u64,
    notes: Vec<JobNote>,
    logs: BTreeMap<usize, PathBuf>,
    /// Rows that are no attempts: steps of jobs.
    steps: u64,
}

impl Reading {
    fn new(options: &ReadOptions) -> Self {
        Self {
            clock: Clock::new(options.tz.clone(), options.now),
            attempts: Packed::default(),
            places: FastMap::default(),
            failed: Vec::new(),
            failed_count: 0,
            repeated: 0,
            notes: Vec::new(),
            logs: BTreeMap::new(),
            steps: 0,
        }
    }

    /// Keeps an attempt, the later of two with one identity, and the path of its log where that may tell why it failed;
    /// an empty path is none. Err beyond [`ATTEMPTS_AT_MOST`].
    fn keep(&mut self, attempt: Attempt, log: &str) -> Result<(), JobsFileError> {
        let may_tell = attempt.state.is_lost() && attempt.reason.is_none() && !log.is_empty();
        let mut hash = self.places.hasher().hash_one(&attempt.id);
        let known = loop {
            match self.places.get(&hash).map(|place| *place as usize) {
                Some(place) if !self.attempts.is(place, &attempt.id) => hash = hash.wrapping_add(1),
                known => break known,
            }
        };
        let place = known.unwrap_or(self.attempts.len());
        if known.is_some() {
            self.repeated += 1;
            self.attempts.set(place, attempt);
            self.logs.remove(&place);
        } else if place >= ATTEMPTS_AT_MOST {
            return Err(JobsFileError::Many);
        } else {
            self.places.insert(hash, place as u32);
            self.attempts.push(attempt);
        }
        if may_tell && self.logs.len() < LOGS_AT_MOST {
            self.logs.insert(place, log.into());
        }
        Ok(())
    }

    fn fail(&mut self, line: u64, why: LineError) {
        self.failed_count += 1;
        if self.failed.len() < FAILED_AT_MOST {
            self.failed.push(FailedLine { line, why });
        }
    }

    fn finished(self) -> Result<JobsFile, JobsFileError> {
        if self.attempts.is_empty() {
            return Err(match self.failed.into_iter().next() {
                Some(first) => JobsFileError::NoLine {
                    lines: self.failed_count,
                    line: first.line,
                    why: first.why,
                },
                None if self.steps > 0 => JobsFileError::StepsAlone { steps: self.steps },
                None => JobsFileError::Empty,
            });
        }
        Ok(self.gathered())
    }

    /// What was read, be it nothing.
    fn gathered(mut self) -> JobsFile {
        if self.steps > 0 {
            self.notes.push(JobNote::Steps { steps: self.steps });
        }
        if self.repeated > 0 {
            self.notes.push(JobNote::Repeated { lines: self.repeated });
        }
        self.notes.extend(self.clock.notes());
        JobsFile {
            attempts: self.attempts,
            failed: self.failed,
            failed_count: self.failed_count,
            notes: self.notes,
            logs: self.logs,
        }
    }
}
