//! What becomes of bytes whose objects are deleted.

use serde::{Deserialize, Serialize};

use super::Versioning;

/// What happens to bytes whose objects are deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// The bytes are gone.
    Freed,
    /// The objects stay as noncurrent versions, and a rule deletes those after some days.
    FreedLater,
    /// The objects stay as noncurrent versions, and no rule deletes those.
    Kept,
    /// The objects stay as noncurrent versions; whether a rule deletes those is not known.
    KeptAsFarAsKnown,
    /// Nobody knows whether the bucket keeps versions.
    Unknown,
}

impl Fate {
    /// From the bucket's versioning, and from whether a rule deletes noncurrent versions.
    pub fn of(versioning: Option<Versioning>, expires_noncurrent: Option<bool>) -> Self {
        match (versioning, expires_noncurrent) {
            (None, _) => Self::Unknown,
            (Some(Versioning::Off), _) => Self::Freed,
            (Some(_), Some(true)) => Self::FreedLater,
            (Some(_), Some(false)) => Self::Kept,
            (Some(_), None) => Self::KeptAsFarAsKnown,
        }
    }

    /// What is freed of `bytes` by deleting the objects, not their versions; `None` when nobody
    /// knows.
    pub fn freed(self, bytes: u64) -> Option<u64> {
        match self {
            Self::Freed | Self::FreedLater => Some(bytes),
            Self::Kept | Self::KeptAsFarAsKnown => Some(0),
            Self::Unknown => None,
        }
    }
}
