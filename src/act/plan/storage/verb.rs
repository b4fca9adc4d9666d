//! What can be done to storage.

use serde::{Deserialize, Serialize};

/// What can be done to storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StorageVerb {
    /// Delete unattached volumes, each after a snapshot of it has completed.
    DeleteVolume,
    /// gp2 to gp3, with the IOPS and the throughput that the volume had.
    ModifyVolume,
    /// Put a bucket's lifecycle configuration with burntop's own rules in it.
    PutLifecycle,
}

impl StorageVerb {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::DeleteVolume, Self::ModifyVolume, Self::PutLifecycle];

    /// The word for it, as in the plan file.
    pub fn word(self) -> &'static str {
        match self {
            Self::DeleteVolume => "delete-volume",
            Self::ModifyVolume => "modify-volume",
            Self::PutLifecycle => "put-lifecycle",
        }
    }
}

/// One call on the way: a volume is deleted in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A snapshot of the volume is begun.
    Snapshot,
    /// The volume is deleted.
    Delete,
    /// The volume is modified.
    Modify,
    /// The configuration is put, or taken away where no rule is left of it.
    Put,
}

impl Step {
    /// The word for it in messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot",
            Self::Delete => "delete",
            Self::Modify => "modify",
            Self::Put => "put",
        }
    }
}
