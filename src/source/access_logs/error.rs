//! Why a line or a file of a log cannot be read.

use super::{FILES_AT_MOST, LINE_AT_MOST};

/// Why a line cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LineError {
    /// The line is too long.
    #[error("it is longer than {} KiB, the most that is read", LINE_AT_MOST >> 10)]
    Long,
    /// It ends too early.
    #[error("it ends before the field `{0}`")]
    Short(&'static str),
    /// A field holds something else.
    #[error("`{field}` is {text}, which it cannot be")]
    Field {
        /// Name of the field, as its format has it.
        field: &'static str,
        /// What it holds, cleaned.
        text: String,
    },
    /// A quote that nothing closes.
    #[error("nothing closes the quote of the field `request_uri`")]
    Quote,
    /// It has another number of fields than the head.
    #[error("it has {found} fields, the head {wanted}")]
    Fields {
        /// Number of its fields.
        found: usize,
        /// Number of columns.
        wanted: usize,
    },
    /// It is no JSON.
    #[error("{0}")]
    Json(String),
}

/// Why a file is not read, or not to its end.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FileError {
    /// It cannot be opened or listed.
    #[error("{0}")]
    Unreadable(String),
    /// It ends in the middle, or is damaged.
    #[error(
        "it is cut or damaged after line {line} ({why}); what came before is counted, fetch it again for the rest"
    )]
    Cut {
        /// Number of the last line that was read, from 1; 0 = none.
        line: u64,
        /// Why.
        why: String,
    },
    /// It has too much in it.
    #[error("it has more than 256 GiB, the most that is read; what came before is counted")]
    Large,
    /// An event of a document is too long, or nothing closes it.
    #[error(
        "an event in line {line} is longer than {} KiB, or nothing closes it; what came before is counted",
        LINE_AT_MOST >> 10
    )]
    Event {
        /// Line in which it begins, from 1.
        line: u64,
    },
    /// It is none of the formats.
    #[error(
        "it is none of these: a server access log of S3, data events of CloudTrail (`Records`, or JSON lines), a flow log \
         with a head"
    )]
    Format,
    /// A flow log without a column that is needed.
    #[error(
        "the flow log has no column `{0}`; it needs pkt-src-aws-service, pkt-dstaddr, bytes, start and, so that no byte \
         counts twice, flow-direction"
    )]
    NoColumn(&'static str),
    /// There are too many files.
    #[error(
        "there are more than {FILES_AT_MOST} files, the most that are read; name fewer folders"
    )]
    Many,
}
