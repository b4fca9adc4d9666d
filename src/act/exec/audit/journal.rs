//! The log as the operators use it: lines are appended under a lock, and read back.

use std::sync::Arc;

use jiff::Timestamp;

use super::chain::{Chain, Defect, Piece, walk};
use super::disk::{Disk, Lease, Stored};
use super::entry::{Body, Line};
use super::error::AuditError;
use super::seal::seal;
use super::tail;

/// The audit log: appended to, read and checked. Cheap to share; holds nothing but the disk, so
/// that any number of processes may write to the same log.
pub struct Journal {
    disk: Arc<dyn Disk>,
}

/// The newest lines of a log, see [`Journal::recent`].
#[derive(Clone, Debug, PartialEq)]
pub struct RecentLines {
    /// The lines, oldest first.
    pub lines: Vec<Line>,
    /// Problems: lines that were changed, cannot be read or are missing. What they said is not among the lines.
    pub damaged: usize,
    /// Bytes of older lines that were not read.
    pub left_out: u64,
}

impl Journal {
    /// The log on `disk`.
    pub fn new(disk: Arc<dyn Disk>) -> Self {
        Self { disk }
    }

    /// Appends a line and returns it once it is on disk. Blocks the thread for one fsync.
    ///
    /// What a crash left half-written at the end stays and is accounted for by a line of its own,
    /// [`Body::Recovered`], before this one. A log whose last line was changed is not written to.
    pub fn append(&self, at: Timestamp, body: Body) -> Result<Line, AuditError> {
        let mut body = Some(body);
        let mut written = Err(AuditError::Broken { line: 0, why: "was not written" });
        self.disk.append(&mut |stored| {
            let Some(body) = body.take() else { return Vec::new() };
            into_bytes(follow(stored, at, Some(body)), &mut written)
        })?;
        written?.ok_or(AuditError::Broken { line: 0, why: "was not written" })
    }

    /// Appends the body that `decide` returns after it saw every line, while nobody else can write:
    /// two processes that come to the same conclusion do not write it twice. `None` when `decide`
    /// returned none.
    pub fn append_if(
        &self,
        at: Timestamp,
        decide: &mut dyn FnMut(&[Line]) -> Option<Body>,
    ) -> Result<Option<Line>, AuditError> {
        let mut written = Ok(None);
        self.disk.append(&mut |stored| {
            let lines =
                stored.last(stored.size()).map_err(AuditError::from).and_then(|b| lines(&b));
            let line = match lines.map(|lines| decide(&lines)) {
                Ok(Some(body)) => follow(stored, at, Some(body)),
                Ok(None) => Ok((Vec::new(), None)),
                Err(error) => Err(error),
            };
            into_bytes(line, &mut written)
        })?;
        written
    }

    /// Number of the last line; 0 for an empty log.
    pub fn last(&self) -> Result<u64, AuditError> {
        let mut last = Ok(0);
        self.disk.append(&mut |stored| {
            last = tail::find(stored).map(|tail| tail.seq);
            Vec::new()
        })?;
        last
    }

    /// Accounts for what a crash left half-written at the end, if anything. True when it did.
    pub fn recover(&self, at: Timestamp) -> Result<bool, AuditError> {
        let mut found = false;
        let mut written = Ok(None);
        self.disk.append(&mut |stored| {
            let line = follow(stored, at, None);
            found = line.as_ref().is_ok_and(|(bytes, _)| !bytes.is_empty());
            into_bytes(line, &mut written)
        })?;
        written.map(|_| found)
    }

    /// Every line, in order. Half a line is passed over where the line behind it accounts for it,
    /// and at the end of the file, where a crash leaves one. Hashes are another question:
    /// [`Journal::verify`].
    pub fn read(&self) -> Result<Vec<Line>, AuditError> {
        lines(&self.bytes()?)
    }

    /// The newest lines, those of the last `most` bytes, for whoever looks and does nothing on them. What
    /// is damaged is counted instead of failing: the rest is still worth seeing.
    pub fn recent(&self, most: u64) -> Result<RecentLines, AuditError> {
        let (bytes, left_out) = self.disk.last(most)?;
        // The first line is rarely whole where something was left out.
        let from = match left_out {
            0 => 0,
            _ => bytes.iter().position(|b| *b == b'\n').map_or(bytes.len(), |at| at + 1),
        };
        let mut recent =
            RecentLines { lines: Vec::new(), damaged: 0, left_out: left_out + from as u64 };
        let is_cut = left_out > 0;
        walk(&bytes[from..], &mut |piece| match piece {
            Piece::Line(_, bytes) => match serde_json::from_slice::<Line>(bytes) {
                Ok(line) => recent.lines.push(line),
                Err(_) => recent.damaged += 1,
            },
            Piece::Wrong(problem) => {
                // What the first line follows was left out.
                let is_first = is_cut && recent.lines.is_empty();
                let follows = matches!(problem.defect, Defect::Unchained { .. } | Defect::Phantom);
                recent.damaged += usize::from(!(is_first && follows));
            }
            Piece::Accounted => {}
        });
        Ok(recent)
    }

    /// Checks every line of the log and its hash. Fails when the log cannot be read.
    pub fn verify(&self) -> Result<Chain, AuditError> {
        Ok(walk(&self.bytes()?, &mut |_| {}))
    }

    /// Bytes of the log file, for export and copies; empty without a file.
    pub fn bytes(&self) -> Result<Vec<u8>, AuditError> {
        Ok(self.disk.read()?)
    }

    /// Marks `run` as alive until the lease is dropped; see [`Disk::lease`].
    pub fn lease(&self, run: &str) -> Result<Box<dyn Lease>, AuditError> {
        Ok(self.disk.lease(run)?)
    }

    /// True while the process of `run` holds its lease.
    pub fn is_alive(&self, run: &str) -> Result<bool, AuditError> {
        Ok(self.disk.is_alive(run)?)
    }
}

/// Keeps the line, or the error, and hands on the bytes.
fn into_bytes(
    made: Result<(Vec<u8>, Option<Line>), AuditError>,
    written: &mut Result<Option<Line>, AuditError>,
) -> Vec<u8> {
    match made {
        Ok((bytes, line)) => {
            *written = Ok(line);
            bytes
        }
        Err(error) => {
            *written = Err(error);
            Vec::new()
        }
    }
}

/// The bytes that put the end of the log right and, with a body, the next line.
fn follow(
    stored: &dyn Stored,
    at: Timestamp,
    body: Option<Body>,
) -> Result<(Vec<u8>, Option<Line>), AuditError> {
    let tail::Tail { mut seq, mut hash, torn, unended } = tail::find(stored)?;
    let mut bytes = Vec::new();
    if unended {
        bytes.push(b'\n');
    }
    let recovered = torn.map(|(bytes, sha256)| Body::Recovered { bytes, sha256 });
    let mut last = None;
    for body in recovered.into_iter().chain(body) {
        let (line, sealed) = seal(seq + 1, at, &hash, body)?;
        bytes.extend(line);
        bytes.push(b'\n');
        (seq, hash) = (sealed.seq, sealed.hash.clone());
        last = Some(sealed);
    }
    Ok((bytes, last))
}

/// The lines of a log.
fn lines(log: &[u8]) -> Result<Vec<Line>, AuditError> {
    let mut lines = Vec::new();
    let mut failed = None;
    walk(log, &mut |piece| {
        if failed.is_some() {
            return;
        }
        match piece {
            Piece::Line(number, bytes) => match serde_json::from_slice::<Line>(bytes) {
                Ok(line) => lines.push(line),
                Err(error) => {
                    let why = crate::domain::text::clean(&error.to_string()).into_owned();
                    failed = Some(AuditError::Foreign { line: number, why });
                }
            },
            Piece::Wrong(problem) => match problem.defect {
                Defect::Changed => {
                    let why = "does not carry its own hash";
                    failed = Some(AuditError::Broken { line: problem.line, why });
                }
                Defect::Unaccounted => {
                    let why = "is no line of the log";
                    failed = Some(AuditError::Broken { line: problem.line, why });
                }
                // Gaps are for `verify`; what is there can be read.
                Defect::Unchained { .. } | Defect::Phantom | Defect::Torn | Defect::Unended => {}
            },
            Piece::Accounted => {}
        }
    });
    failed.map_or(Ok(lines), Err)
}
