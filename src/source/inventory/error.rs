//! What can be wrong with an inventory, and what to do about it.

use crate::domain::text::clean;
use crate::domain::{ErrorKind, SourceError};

/// Why an inventory, or a piece of it, cannot be read. Names in it are as they came; they are made
/// safe when this becomes a [`SourceError`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InventoryError {
    /// A file or object could not be had.
    #[error("{at}: {why}")]
    Unreadable {
        /// Which.
        at: String,
        /// Why, in the words of the system or of S3.
        why: String,
        /// The kind of trouble.
        kind: ErrorKind,
        /// What to do.
        fix: String,
    },
    /// The manifest is none.
    #[error("{at} is no manifest of an S3 Inventory: {why}")]
    Manifest {
        /// Where it lies.
        at: String,
        /// What is wrong with it.
        why: String,
    },
    /// The manifest is not the one its checksum is of.
    #[error("{at} does not match its manifest.checksum")]
    ManifestChecksum {
        /// Where it lies.
        at: String,
    },
    /// A format that is not read.
    #[error("{at}: inventories in {format} are not read")]
    Format {
        /// Where the manifest lies.
        at: String,
        /// The format.
        format: String,
    },
    /// The manifest's schema, or that of a piece, is not usable.
    #[error("{at}: {why}")]
    Schema {
        /// The manifest or piece.
        at: String,
        /// What is wrong.
        why: String,
    },
    /// A piece that the manifest names is not there.
    #[error("piece {piece} is missing")]
    Missing {
        /// Its key.
        piece: String,
    },
    /// A piece has another size than the manifest says.
    #[error("piece {piece} has {found} bytes, the manifest says {expected}")]
    Size {
        /// Its key.
        piece: String,
        /// Bytes by the manifest.
        expected: u64,
        /// Bytes found.
        found: u64,
    },
    /// A piece has another MD5 than the manifest says.
    #[error("piece {piece} has another MD5 than the manifest says")]
    Md5 {
        /// Its key.
        piece: String,
    },
    /// A piece cannot be decoded.
    #[error("piece {piece} is damaged: {why}")]
    Damaged {
        /// Its key.
        piece: String,
        /// What the decoder says.
        why: String,
    },
    /// A piece is larger somewhere than anything that is read: none of what it says may be missing
    /// from a sum, so it is not cut there.
    #[error("piece {piece} is beyond what is read: {why}")]
    Beyond {
        /// Its key.
        piece: String,
        /// What is too large, and the limit.
        why: String,
    },
    /// No snapshot under a prefix is complete.
    #[error("{at} holds no complete inventory{}", detail(.seen))]
    NoSnapshot {
        /// The directory or prefix.
        at: String,
        /// Why each snapshot that was looked at was passed over.
        seen: Vec<String>,
    },
    /// Several inventories lie under a prefix.
    #[error("{at} holds several inventories: {}", .found.join(", "))]
    Several {
        /// The directory or prefix.
        at: String,
        /// Where they lie.
        found: Vec<String>,
    },
}

fn detail(seen: &[String]) -> String {
    if seen.is_empty() { String::new() } else { format!(" ({})", seen.join("; ")) }
}

impl InventoryError {
    /// What the user can do, one sentence.
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

    /// A file of this machine that could not be had.
    pub(super) fn io(at: impl Into<String>, error: &std::io::Error) -> Self {
        Self::Unreadable {
            at: at.into(),
            why: error.to_string(),
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
