//! What the user is told about the cache, each cause once.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use crate::domain::text;
use crate::files::Cause;

/// Why a file cannot serve as the database.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Defect {
    /// The file is not an SQLite database.
    #[error("is not an SQLite database")]
    NotSqlite,
    /// A database of another program, or of another part of burntop.
    #[error("is a database of another program (application id {application_id:#x})")]
    Foreign {
        /// `PRAGMA application_id` of the file.
        application_id: i32,
    },
    /// Written by a newer version of burntop.
    #[error("was written by a newer burntop (layout {found}, this one knows {known})")]
    FromFuture {
        /// `PRAGMA user_version` of the file.
        found: i32,
        /// Newest layout that this version knows.
        known: i32,
    },
    /// SQLite found damage in it.
    #[error("is damaged ({detail})")]
    Damaged {
        /// Message of SQLite.
        detail: String,
    },
}

/// How a ledger is mended that was set aside: by the hand of somebody who looked.
const MEND: &str = "Compare the day's own cost with the AWS bill, then delete or move away the \
                    ledger file that was set aside; until then nothing billed is called.";

/// Why the amount spent is unknown. While it is, the day's cap counts as spent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerTrouble {
    /// A ledger that broke was set aside, and nobody has looked at it yet.
    #[error(
        "an own-cost ledger that could not be read lies at {}: what was spent is not known, and \
         billed calls rest as if the day's cap were spent",
        .0.display()
    )]
    /// A damaged ledger was set aside, at this path, and is still there for the user to check.
    Aside(PathBuf),
    /// The file cannot be read or written.
    #[error(
        "the own-cost ledger {} cannot be used ({why}): billed calls rest as if the day's cap were \
         spent",
        .file.display()
    )]
    OutOfReach {
        /// Path of the ledger.
        file: PathBuf,
        /// Message of the system or SQLite.
        why: String,
        /// Cause, from which the advice follows.
        cause: Cause,
    },
}

impl LedgerTrouble {
    /// Advice for the user, one sentence.
    pub fn fix(&self) -> &'static str {
        match self {
            Self::Aside(_) => MEND,
            Self::OutOfReach { cause, .. } => cause.advice(),
        }
    }
}

/// Event in the cache that the user should know. [`CacheNotice::message`] describes it, [`CacheNotice::fix`] gives
/// advice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CacheNotice {
    /// The cache file was unusable; it was renamed and an empty one took its place.
    #[error("the cache {} {why}; it was set aside as {} and rebuilt", .file.display(), .moved_to.display())]
    SetAside {
        /// Path of the cache.
        file: PathBuf,
        /// Path of the renamed file.
        moved_to: PathBuf,
        /// Defect of the file.
        why: Defect,
    },
    /// The ledger file was unusable; it was renamed, and what could be read was taken over. As long
    /// as the file that was set aside is there, the day's cap counts as spent.
    #[error(
        "the own-cost ledger {} {why}; it was set aside as {}, {salvaged} entries were taken over; \
         billed calls rest as if the day's cap were spent",
        .file.display(), .moved_to.display()
    )]
    LedgerSetAside {
        /// Path of the ledger.
        file: PathBuf,
        /// Path of the renamed file.
        moved_to: PathBuf,
        /// Defect of the file.
        why: Defect,
        /// Entries (one per day and API) that could still be read.
        salvaged: usize,
    },
    /// The cache cannot be kept on disk; it lives in memory until this process ends.
    #[error("the cache {} cannot be written ({why}); burntop goes on in memory", .file.display())]
    InMemory {
        /// Path of the cache.
        file: PathBuf,
        /// Message of the system or SQLite.
        why: String,
        /// Cause, from which the advice follows.
        cause: Cause,
    },
    /// There is no ledger, and none can be made; spending is counted in this process alone.
    #[error(
        "the own-cost ledger {} cannot be made ({why}); this process counts its own spending only",
        .file.display()
    )]
    /// There is no ledger file and none can be made; this process counts only its own spending.
    LedgerInMemory {
        /// Path of the ledger.
        file: PathBuf,
        /// Message of the system or SQLite.
        why: String,
        /// Cause, from which the advice follows.
        cause: Cause,
    },
    /// The ledger cannot be used: the amount spent is unknown, so billed calls stop.
    #[error("{trouble}")]
    Ledger {
        /// Trouble of the ledger, with its advice.
        trouble: LedgerTrouble,
    },
    /// A request failed and was dropped: the answer is absent, or the value was not kept.
    #[error("the cache {} did not answer ({why}); the request was dropped", .file.display())]
    Dropped {
        /// Path of the cache.
        file: PathBuf,
        /// Message of SQLite.
        why: String,
    },
    /// Rows that do not match their checksum were dropped; they are read anew.
    #[error("the cache {} held {rows} damaged rows of {what}; they were dropped", .file.display())]
    Lost {
        /// Path of the cache.
        file: PathBuf,
        /// Noun for the content of the rows.
        what: String,
        /// Number of rows.
        rows: usize,
    },
    /// A value in the cache carries a future time.
    #[error("the cache holds {what} from the future ({claimed}); its age is unknown")]
    FromFuture {
        /// Noun for the value.
        what: String,
        /// Time that the value carries.
        claimed: Timestamp,
    },
    /// What the verdicts need is larger than the size limit; nothing more can be evicted.
    #[error(
        "the cache holds {bytes} bytes that the presets need, more than its limit of {max_bytes}"
    )]
    OverLimit {
        /// Bytes in use by what the presets need.
        bytes: u64,
        /// Size limit of the configuration, bytes.
        max_bytes: u64,
    },
}

impl CacheNotice {
    /// What happened, one line of clean text.
    pub fn message(&self) -> String {
        text::clean(&self.to_string()).into_owned()
    }

    /// Advice for the user, one sentence.
    pub fn fix(&self) -> &'static str {
        match self {
            Self::SetAside { why: Defect::Foreign { .. }, .. } => {
                "Point `cache.path` at a file of its own; the other program's file is whole under \
                 its new name."
            }
            Self::SetAside { .. } => {
                "Nothing to do: it fills again from the cloud; delete the file that was set aside \
                 when you do not need it."
            }
            Self::LedgerSetAside { .. } => MEND,
            Self::InMemory { cause, .. } | Self::LedgerInMemory { cause, .. } => cause.advice(),
            Self::Ledger { trouble } => trouble.fix(),
            Self::Dropped { .. } => {
                "If it happens again, look for a stopped burntop process that holds the cache, or \
                 run `burntop cache clear`."
            }
            Self::Lost { .. } => {
                "Nothing to do: it is read anew; if it happens again, look at the disk."
            }
            Self::FromFuture { .. } => {
                "Check this machine's clock; a refresh replaces what is wrongly dated."
            }
            Self::OverLimit { .. } => "Raise `cache.max_mb` in the configuration.",
        }
    }

    /// Two notices with the same key have the same cause and are reported once.
    fn key(&self) -> String {
        match self {
            Self::SetAside { moved_to, .. } | Self::LedgerSetAside { moved_to, .. } => {
                format!("aside {}", moved_to.display())
            }
            Self::InMemory { .. } => "memory".into(),
            Self::LedgerInMemory { .. } => "ledger memory".into(),
            Self::Ledger { .. } => "ledger".into(),
            Self::Dropped { .. } => "dropped".into(),
            Self::Lost { what, .. } => format!("lost {what}"),
            Self::FromFuture { what, .. } => format!("future {what}"),
            Self::OverLimit { .. } => "over limit".into(),
        }
    }
}

/// Collects notices until the user interface takes them; drops repetitions of a cause.
#[derive(Debug, Default)]
pub(super) struct NoticeBoard {
    inner: Mutex<Board>,
}

#[derive(Debug, Default)]
struct Board {
    seen: HashSet<String>,
    waiting: Vec<CacheNotice>,
}

impl NoticeBoard {
    /// Adds a notice unless its cause was reported before.
    pub fn post(&self, notice: CacheNotice) {
        let mut board = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if board.seen.insert(notice.key()) {
            board.waiting.push(notice);
        }
    }

    /// Notices since the last call.
    pub fn take(&self) -> Vec<CacheNotice> {
        let mut board = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut board.waiting)
    }
}
