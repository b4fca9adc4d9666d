//! What can be wrong with a delivery of bills, and what to do about it.

use crate::domain::format::plural;
use crate::domain::text::clean;
use crate::domain::{ErrorKind, SourceError};
use crate::source::inventory::InventoryError;

/// Names of missing files in one message; the others are counted.
const NAMED: usize = 3;

/// Why bills at a place cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// Something cannot be read or listed.
    Unreadable(SourceError),
    /// The file is no manifest of a bill.
    Manifest {
        /// Path or URL of the file.
        at: String,
        /// What is wrong with it.
        why: String,
    },
    /// Files that the manifest names are not there.
    Missing {
        /// Path or URL of the manifest.
        at: String,
        /// Their names, as the manifest has them.
        files: Vec<String>,
    },
    /// A file is newer than its manifest, which is delivered last.
    UnderWay {
        /// Path or URL of the manifest.
        at: String,
        /// Name of the file.
        file: String,
    },
    /// Two exports of one name have a bill of the same period.
    Twice {
        /// Path or URL of the manifest.
        at: String,
        /// Path or URL of the other manifest, which counts.
        other: String,
    },
    /// No file that could be a bill.
    Nothing {
        /// Path or URL.
        at: String,
    },
    /// More folders or files than are looked through.
    TooMuch {
        /// Path or URL.
        at: String,
        /// Number of folders or files at most.
        most: usize,
    },
}

impl ExportError {
    /// The error for users: what failed, on what, what to do.
    pub fn source_error(&self) -> SourceError {
        let (kind, message, fix) = match self {
            Self::Unreadable(error) => return error.clone(),
            Self::Manifest { at, why } => (
                ErrorKind::Malformed,
                format!("{at} is no manifest of a bill: {why}"),
                "name the manifest that AWS delivered, the folder of the export, or the files \
                 themselves",
            ),
            Self::Missing { at, files } => {
                let named = files.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>();
                let more = match files.len().saturating_sub(NAMED) {
                    0 => String::new(),
                    n => format!(" and {}", plural(n, "other")),
                };
                (
                    ErrorKind::Unavailable,
                    format!("{at} names files that are not there: {}{more}", named.join(", ")),
                    "wait until they are delivered, or copy them too; the bill imported before \
                     stays",
                )
            }
            Self::UnderWay { at, file } => (
                ErrorKind::Unavailable,
                format!("{file} was written after {at}: the export is being delivered"),
                "import it again in a few minutes; the bill imported before stays",
            ),
            Self::Twice { at, other } => (
                ErrorKind::Refused,
                format!("{at} and {other} are of exports of one name"),
                "import the folder of one of them only",
            ),
            Self::Nothing { at } => (
                ErrorKind::Unavailable,
                format!("there is no bill at {at}"),
                "name a file (CSV, CSV.gz, zip, Parquet), a folder of them, or the folder of an \
                 export",
            ),
            Self::TooMuch { at, most } => (
                ErrorKind::Refused,
                format!("below {at} are more than {most} files and folders"),
                "name the folder of one export",
            ),
        };
        SourceError::new(kind, "reading the bill", &clean(&message), fix)
    }
}

impl From<InventoryError> for ExportError {
    fn from(error: InventoryError) -> Self {
        let error = SourceError::from(error);
        Self::Unreadable(SourceError { operation: "reading the bill".into(), ..error })
    }
}
