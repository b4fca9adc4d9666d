//! What can be wrong with the file of a bill, and what to do about it.

use std::path::Path;

use crate::domain::bill::{BillFormat, BuildError};
use crate::domain::text::{clean, clean_to};
use crate::domain::{ErrorKind, SourceError};

/// Longest piece of a file that a message repeats, characters.
const QUOTED: usize = 60;

/// Why files of a bill cannot be read. Names and texts in it are clean.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BillFileError {
    /// The caller ended it.
    #[error("cancelled")]
    Cancelled,
    /// The file cannot be opened.
    #[error("{file}: {why}")]
    Unreadable {
        /// Path of the file.
        file: String,
        /// Message of the system.
        why: String,
    },
    /// The columns are of no format that is known.
    #[error("{file} is no bill in a known format: its first columns are {columns}")]
    NotABill {
        /// Path of the file.
        file: String,
        /// Names of the first columns.
        columns: String,
    },
    /// Columns are missing without which sums would be wrong.
    #[error("{file} has no column {}", .columns.join(", "))]
    MissingColumns {
        /// Path of the file.
        file: String,
        /// Format of the file.
        format: BillFormat,
        /// Names of all missing columns, as the format has them.
        columns: Vec<String>,
    },
    /// A column has a type that cannot be what its name says.
    #[error("{file}: column {column} is {found}, not {wanted}")]
    Type {
        /// Path of the file.
        file: String,
        /// Name of the column.
        column: String,
        /// Type in the file.
        found: String,
        /// What it should hold.
        wanted: &'static str,
    },
    /// Amounts are in a currency other than US dollars.
    #[error("{file}: column {column} has the currency {currency}{}", also(*.mixed))]
    Currency {
        /// Path of the file.
        file: String,
        /// Name of the column.
        column: String,
        /// The currency.
        currency: String,
        /// True where other lines are in US dollars.
        mixed: bool,
    },
    /// A value is not what its column holds.
    #[error("{file}: column {column}, line {line}: {text:?} is no {wanted}")]
    Value {
        /// Path of the file.
        file: String,
        /// Name of the column.
        column: String,
        /// Line of the file, or row of it, from 1.
        line: u64,
        /// Text of the value, cut.
        text: String,
        /// What the column holds.
        wanted: &'static str,
    },
    /// A line says no period.
    #[error("{file}: column {column} is empty in a line, and no period is given")]
    NoPeriod {
        /// Path of the file.
        file: String,
        /// Name of the column.
        column: String,
    },
    /// The files of a delivery are in two formats.
    #[error("{file} is {}, the files before it are {}", .format.word(), .before.word())]
    Formats {
        /// Path of the file.
        file: String,
        /// Its format.
        format: BillFormat,
        /// Format of the files before it.
        before: BillFormat,
    },
    /// The file is cut off or not what it says it is.
    #[error("{file} is damaged: {why}")]
    Damaged {
        /// Path of the file.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// The file exceeds a limit. It is not cut there: a sum over a part would be wrong.
    #[error("{file} is beyond what is read: {why}")]
    Beyond {
        /// Path of the file.
        file: String,
        /// What is too large, and the limit.
        why: String,
    },
    /// The bill has too many different lines.
    #[error("{file} cannot be summed up: {source}")]
    TooLarge {
        /// Path of the file at which it became too large.
        file: String,
        /// Limit.
        source: BuildError,
    },
    /// The files have no lines.
    #[error("{file} has no lines")]
    NoLines {
        /// Path of the first file.
        file: String,
    },
}

const fn also(mixed: bool) -> &'static str {
    if mixed { ", other lines are in USD" } else { "" }
}

/// Path of a file for messages.
pub(super) fn named(file: &Path) -> String {
    clean(&file.display().to_string()).into_owned()
}

/// Piece of a file for messages.
pub(super) fn quoted(text: &[u8]) -> String {
    clean_to(&String::from_utf8_lossy(text), QUOTED).into_owned()
}

impl BillFileError {
    /// Advice for the user, one sentence.
    pub const fn fix(&self) -> &'static str {
        match self {
            Self::Cancelled => "import it again when there is time",
            Self::Unreadable { .. } => "check the path and its permissions",
            Self::NotABill { .. } => {
                "name files of a Cost and Usage Report, of CUR 2.0 or of FOCUS, with their header"
            }
            Self::MissingColumns { .. } => "export it with these columns, under their own names",
            Self::Type { .. } => "export it as the provider writes it, without changing types",
            Self::Currency { .. } => {
                "export the bill in US dollars, or the accounts that are billed in them apart"
            }
            Self::Value { .. } | Self::Damaged { .. } => {
                "copy the file again from where the provider delivered it"
            }
            Self::NoPeriod { .. } => "export it with this column, or name the period",
            Self::Formats { .. } => "import each format as an export of its own",
            Self::Beyond { .. } => "use the files as the provider delivers them",
            Self::TooLarge { .. } => "keep fewer tags, or export accounts apart",
            Self::NoLines { .. } => "wait for the next delivery, or name other files",
        }
    }

    const fn kind(&self) -> ErrorKind {
        match self {
            Self::Cancelled | Self::Unreadable { .. } => ErrorKind::Other,
            Self::NoLines { .. } => ErrorKind::Unavailable,
            _ => ErrorKind::Malformed,
        }
    }
}

impl From<BillFileError> for SourceError {
    fn from(error: BillFileError) -> Self {
        Self::new(error.kind(), "reading the bill", &error.to_string(), error.fix())
    }
}
