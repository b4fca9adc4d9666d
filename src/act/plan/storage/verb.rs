//! What can be done to storage.

use serde::{Deserialize, Serialize};

/// Action on storage.
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
    /// All verbs, in the order of the enum.
    pub const ALL: [Self; 3] = [Self::DeleteVolume, Self::ModifyVolume, Self::PutLifecycle];

    /// Name in plans, messages and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::DeleteVolume => "delete-volume",
            Self::ModifyVolume => "modify-volume",
            Self::PutLifecycle => "put-lifecycle",
        }
    }
}

/// One call of an action; deleting a volume takes two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Begin a snapshot of the volume.
    Snapshot,
    /// Delete the volume.
    Delete,
    /// Modify the volume.
    Modify,
    /// Put the configuration, or delete it where no rule is left.
    Put,
}

impl Step {
    /// Name in messages and the audit log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot",
            Self::Delete => "delete",
            Self::Modify => "modify",
            Self::Put => "put",
        }
    }
}
