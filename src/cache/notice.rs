//! What the user is told about the cache, each cause once.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use crate::domain::text;

/// Why a file cannot serve as our database.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Defect {
    /// The file is not an SQLite database.
    #[error("is not an SQLite database")]
    NotSqlite,
    /// An SQLite database of some other program, or of another part of burntop.
    #[error("is a database of another program (application id {application_id:#x})")]
    Foreign {
        /// `PRAGMA application_id` of the file.
        application_id: i32,
    },
    /// Written by a newer burntop.
    #[error("was written by a newer burntop (layout {found}, this one knows {known})")]
    FromFuture {
        /// `PRAGMA user_version` of the file.
        found: i32,
        /// The newest layout this program knows.
        known: i32,
    },
    /// SQLite found damage.
    #[error("is damaged ({detail})")]
    Damaged {
        /// SQLite's words.
        detail: String,
    },
}

/// Something about the cache that the user should know. [`CacheNotice::message`] says what
/// happened, [`CacheNotice::fix`] what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CacheNotice {
    /// The cache file was unusable; it was renamed and an empty one took its place.
    #[error("the cache {} {why}; it was set aside as {} and rebuilt", .file.display(), .moved_to.display())]
    SetAside {
        /// The cache file.
        file: PathBuf,
        /// Its new name.
        moved_to: PathBuf,
        /// What was wrong with it.
        why: Defect,
    },
    /// The ledger file was unusable; it was renamed, and what could be read was taken over.
    #[error(
        "the own-cost ledger {} {why}; it was set aside as {}, {salvaged} entries were taken over",
        .file.display(), .moved_to.display()
    )]
    LedgerSetAside {
        /// The ledger file.
        file: PathBuf,
        /// Its new name.
        moved_to: PathBuf,
        /// What was wrong with it.
        why: Defect,
        /// Entries (one per day and API) that could still be read.
        salvaged: usize,
    },
    /// The cache cannot be kept on disk; it lives in memory until this process ends.
    #[error("the cache {} cannot be written ({why}); burntop goes on in memory", .file.display())]
    InMemory {
        /// The cache file.
        file: PathBuf,
        /// Why not.
        why: String,
    },
    /// The ledger cannot be written; spending is counted in this process alone for now.
    #[error(
        "the own-cost ledger {} cannot be written ({why}); this process counts its own spending only",
        .file.display()
    )]
    LedgerInMemory {
        /// The ledger file.
        file: PathBuf,
        /// Why not.
        why: String,
    },
    /// A request failed and was dropped: the answer is absent, or the value was not kept.
    #[error("the cache {} did not answer ({why}); the request was dropped", .file.display())]
    Dropped {
        /// The cache file.
        file: PathBuf,
        /// SQLite's words.
        why: String,
    },
    /// Something in the cache claims to be from the future.
    #[error("the cache holds {what} from the future ({claimed}); its age is unknown")]
    FromFuture {
        /// What it is.
        what: String,
        /// The time it claims.
        claimed: Timestamp,
    },
    /// What the verdicts need is larger than the size limit; nothing more can be evicted.
    #[error(
        "the cache holds {bytes} bytes that the presets need, more than its limit of {max_bytes}"
    )]
    OverLimit {
        /// Bytes in use.
        bytes: u64,
        /// The limit from the configuration.
        max_bytes: u64,
    },
}

impl CacheNotice {
    /// What happened: one line of clean text.
    pub fn message(&self) -> String {
        text::clean(&self.to_string()).into_owned()
    }

    /// What the user can do, one sentence.
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
            Self::LedgerSetAside { .. } => {
                "Compare today's own cost with the AWS bill; delete the file that was set aside \
                 when you do not need it."
            }
            Self::InMemory { .. } | Self::LedgerInMemory { .. } => {
                "Free space or make the directory writable, then restart; `burntop cache path` \
                 says where it is."
            }
            Self::Dropped { .. } => {
                "If it happens again, look for a stopped burntop process that holds the cache, or \
                 run `burntop cache clear`."
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
            Self::Dropped { .. } => "dropped".into(),
            Self::FromFuture { what, .. } => format!("future {what}"),
            Self::OverLimit { .. } => "over limit".into(),
        }
    }
}

/// Collects notices on the cache's thread until somebody takes them; forgets repetitions.
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
    /// Puts a notice up unless its cause was reported before.
    pub fn post(&self, notice: CacheNotice) {
        let mut board = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if board.seen.insert(notice.key()) {
            board.waiting.push(notice);
        }
    }

    /// Takes what was posted since the last time.
    pub fn take(&self) -> Vec<CacheNotice> {
        let mut board = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut board.waiting)
    }
}
