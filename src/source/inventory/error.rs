//! What can be wrong with an inventory, and what to do about it.

use crate::domain::text::clean;
use crate::domain::{ErrorKind, SourceError};

/// Why an inventory, or a piece of it, cannot be read. Names in it are verbatim; they are cleaned when this becomes a
/// [`SourceError`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InventoryError {
    /// A file or object cannot be read.
    #[error("{at}: {why}")]
    Unreadable {
        /// Path or URL.
        at: String,
        /// Message of the system or of S3.
        why: String,
        /// Kind of failure.
        kind: ErrorKind,
        /// Advice for the user, one sentence.
        fix: String,
    },
    /// The file is not a manifest.
    #[error("{at} is no manifest of an S3 Inventory: {why}")]
    Manifest {
        /// Path or URL of the file.
        at: String,
        /// What is wrong with it.
        why: String,
    },
    /// The manifest does not match its checksum.
    #[error("{at} does not match its manifest.checksum")]
    ManifestChecksum {
        /// Path or URL of the manifest.
        at: String,
    },
    /// The format of the inventory is not supported.
    #[error("{at}: inventories in {format} are not read")]
    Format {
        /// Path or URL of the manifest.
        at: String,
        /// Name of the format.
        format: String,
    },
    /// The schema of the manifest, or of a piece, is unusable.
    #[error("{at}: {why}")]
    Schema {
        /// Path or URL of the manifest or piece.
        at: String,
        /// What is wrong with it.
        why: String,
    },
    /// A piece of the manifest does not exist.
    #[error("piece {piece} is missing")]
    Missing {
        /// Key of the piece.
        piece: String,
    },
    /// The size of a piece differs from the manifest.
    #[error("piece {piece} has {found} bytes, the manifest says {expected}")]
    Size {
        /// Key of the piece.
        piece: String,
        /// Size in the manifest, bytes.
        expected: u64,
        /// Size found, bytes.
        found: u64,
    },
    /// The MD5 of a piece differs from the manifest.
    #[error("piece {piece} has another MD5 than the manifest says")]
    Md5 {
        /// Key of the piece.
        piece: String,
    },
    /// A piece cannot be decoded.
    #[error("piece {piece} is damaged: {why}")]
    Damaged {
        /// Key of the piece.
        piece: String,
        /// Message of the decoder.
        why: String,
    },
    /// A piece exceeds a limit. It is not cut there: a sum over a part would be wrong.
    #[error("piece {piece} is beyond what is read: {why}")]
    Beyond {
        /// Key of the piece.
        piece: String,
        /// What is too large, and the limit.
        why: String,
    },
    /// No snapshot under a prefix is complete.
    #[error("{at} holds no complete inventory{}", detail(.seen))]
    NoSnapshot {
        /// Directory or prefix.
        at: String,
        /// Reason for each snapshot that was passed over.
        seen: Vec<String>,
    },
    /// Several inventories lie under a prefix.
    #[error("{at} holds several inventories: {}", .found.join(", "))]
    Several {
        /// Directory or prefix.
        at: String,
        /// Locations of the inventories.
        found: Vec<String>,
    },
}

fn detail(seen: &[String]) -> String {
    if seen.is_empty() { String::new() } else { format!(" ({})", seen.join("; ")) }
}

impl InventoryError {
    /// Advice for the user, one sentence.
    pub fn fix(&self) -> String {
        match self {
            Self::Unreadable { fix, .. } => fix.clone(),
            Self::Manifest { .. } => {
                "name the manifest.json that S3 delivered, or a prefix of inventories".into()
            }
            Self::ManifestChecksum { .. } => {
                "copy manifest.json again, or take the snapshot of another day".into()
            }
            Self::Format { .. } => "set the inventory's output format to Parquet or CSV; the next \
                                    delivery can be read"
                .into(),
            Self::Schema { .. } => {
                "use the pieces of this very snapshot, as S3 delivered them".into()
            }
            Self::Missing { .. } => {
                "copy the piece beside the manifest (or as S3 lays it out), or \
                                     take another snapshot"
                    .into()
            }
            Self::Size { .. } | Self::Md5 { .. } | Self::Damaged { .. } => {
                "copy the piece again, or take another snapshot".into()
            }
            Self::Beyond { .. } => {
                "use the pieces as S3 delivers them, which are far below the limits; a copy that \
                 other software wrote has to keep them"
                    .into()
            }
            Self::NoSnapshot { .. } => {
                "wait for the next delivery, or name a manifest.json itself".into()
            }
            Self::Several { .. } => "name one of them".into(),
        }
    }

    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreadable { kind, .. } => *kind,
            Self::Format { .. } | Self::NoSnapshot { .. } | Self::Several { .. } => {
                ErrorKind::Unavailable
            }
            _ => ErrorKind::Malformed,
        }
    }

    /// Error for a local file that cannot be read.
    pub(super) fn io(at: impl Into<String>, error: &std::io::Error) -> Self {
        Self::Unreadable {
            at: at.into(),
            why: crate::files::reason(error),
            kind: if error.kind() == std::io::ErrorKind::PermissionDenied {
                ErrorKind::Denied
            } else {
                ErrorKind::Other
            },
            fix: "check the path and its permissions".into(),
        }
    }
}

impl From<InventoryError> for SourceError {
    fn from(error: InventoryError) -> Self {
        let text = error.to_string();
        Self::new(error.kind(), "reading the inventory", &clean(&text), &error.fix())
    }
}
