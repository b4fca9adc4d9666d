//! Why a file of jobs, or a line of it, cannot be read.

use super::{ATTEMPTS_AT_MOST, FILE_AT_MOST};
use crate::domain::format::counted;
use crate::domain::records::RECORD_AT_MOST;

/// Why nothing of a file could be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JobsFileError {
    /// The file cannot be opened or read.
    #[error("{0}")]
    Unreadable(String),
    /// The file is too large.
    #[error(
        "the file has {} MiB, more than the {} MiB that are read; export fewer days at a time",
        bytes >> 20, FILE_AT_MOST >> 20
    )]
    Large {
        /// Its size.
        bytes: u64,
    },
    /// The file has too many attempts.
    #[error(
        "the file has more than {} attempts, the most that are read; export fewer days at a time",
        ATTEMPTS_AT_MOST
    )]
    Many,
    /// Nothing is in it.
    #[error("the file has no jobs in it")]
    Empty,
    /// A column that is needed is missing.
    #[error(
        "the file has no column `{0}`; the columns of jobs are id, start, end, status, and gpus or \
         instance_type and count; of Slurm the text of `sacct -a -X -D -P`"
    )]
    NoColumn(&'static str),
    /// Two columns mean the same.
    #[error("two columns of the file are both `{0}`; leave one of them out")]
    TwoColumns(&'static str),
    /// Only steps of jobs are in it.
    #[error(
        "the file has {} of jobs and no job; export jobs with `sacct -a -X -D -P`",
        counted(*steps as usize, "step", "steps")
    )]
    StepsAlone {
        /// Number of steps.
        steps: u64,
    },
    /// No line could be read.
    #[error(
        "none of the {} could be read; line {line}: {why}",
        counted(*lines as usize, "line", "lines")
    )]
    NoLine {
        /// Number of lines.
        lines: u64,
        /// Number of the first one.
        line: u64,
        /// Why it could not be read.
        why: LineError,
    },
}

/// Why a line could not be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LineError {
    /// A field that is needed is empty.
    #[error("`{0}` is empty")]
    Empty(&'static str),
    /// A field is no moment.
    #[error(
        "`{field}` is no time: {text}; times are RFC 3339 with an offset, or seconds since 1970"
    )]
    Time {
        /// Column.
        field: &'static str,
        /// What it holds, cleaned.
        text: String,
    },
    /// A time names no zone.
    #[error(
        "`{field}` names no zone: {text}; --tz names it, or SLURM_TIME_FORMAT=%s makes sacct write \
         seconds since 1970"
    )]
    NoZone {
        /// Column.
        field: &'static str,
        /// What it holds, cleaned.
        text: String,
    },
    /// A local time that does not exist.
    #[error("`{field}` is left out when the clocks change: {text}")]
    Gap {
        /// Column.
        field: &'static str,
        /// What it holds, cleaned.
        text: String,
    },
    /// A time to come.
    #[error("`{field}` lies in the future: {text}; look at the clock, or at --tz")]
    Future {
        /// Column.
        field: &'static str,
        /// What it holds, cleaned.
        text: String,
    },
    /// It ends before it starts.
    #[error("it ends {} before it starts", crate::domain::format::span(*seconds))]
    Backwards {
        /// By how much, seconds.
        seconds: i64,
    },
    /// It is over and has no end.
    #[error("it is {0} and has no `end`")]
    NoEnd(&'static str),
    /// It held nodes and has no start.
    #[error("it is {0} and has no `start`")]
    NoStart(&'static str),
    /// A field is no number that fits.
    #[error("`{field}` is no number that fits: {text}")]
    Number {
        /// Column.
        field: &'static str,
        /// What it holds, cleaned.
        text: String,
    },
    /// Neither GPUs nor an instance type.
    #[error("it has neither `gpus` nor `instance_type` and `count`")]
    NoGpus,
    /// The line has another number of fields than the head.
    #[error(
        "{found} fields instead of {wanted}: a delimiter or a line break stands in one of them; of \
         Slurm, export with --delimiter=$'\\x1f'"
    )]
    Fields {
        /// Number of its fields.
        found: usize,
        /// Number of columns.
        wanted: usize,
    },
    /// No JSON object.
    #[error("this is no JSON object: {0}")]
    Json(String),
    /// The line is too long.
    #[error("the line is longer than {} MiB, the most that is read", RECORD_AT_MOST >> 20)]
    Long,
    /// The rest of the file cannot be read.
    #[error("{0}; nothing after it was read")]
    Cut(String),
}
