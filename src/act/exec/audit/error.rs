//! Errors of the log.

use super::disk::DiskError;
use crate::files::Cause;

/// Why the log could not be used, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The file cannot be read or written.
    #[error(
        "{0}; nothing is done without an audit log: {advice}, then try again",
        advice = Cause::of(&.0.error).advice()
    )]
    Disk(#[from] DiskError),
    /// A line whose hash is wrong, or which does not follow the line before.
    #[error(
        "audit log: line {line} {why}; nothing is done on a log that somebody changed: see \
         `burntop audit verify`, then move the log aside and keep it"
    )]
    Broken {
        /// Number of the line in the file, from 1; 0 for the last one, which is found from the end.
        line: u64,
        /// What is wrong with the line.
        why: &'static str,
    },
    /// A line that this version cannot read.
    #[error("audit log: line {line} says what this burntop does not know ({why}); update burntop")]
    Foreign {
        /// Number of the line in the file, from 1.
        line: u64,
        /// Error of the parser.
        why: String,
    },
    /// A line that cannot be written as JSON.
    #[error("audit log: a line cannot be written: {0}; please report it")]
    Encode(#[from] serde_json::Error),
}
