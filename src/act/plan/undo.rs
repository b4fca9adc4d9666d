//! How to take an action back, as far as it can be taken back.

pub(super) mod command;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::{LaunchSpec, Scope, VolumeFact};

/// How to take an action back; kept in the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Undo {
    /// Start the instance again. Capacity may be gone, and the public address is another one.
    Start {
        /// Account and region.
        scope: Scope,
        /// Instance id.
        id: Arc<str>,
    },
    /// Launch an instance of the same kind; its own data are gone.
    Launch {
        /// Account and region.
        scope: Scope,
        /// Parameters of the launch.
        spec: Box<LaunchSpec>,
        /// Volumes that outlived it: volume id and device name, to be attached again.
        attach: Vec<(Arc<str>, Arc<str>)>,
        /// Volumes that were deleted with it: the launch makes new ones like them. Empty in logs of
        /// former versions.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lost: Vec<LostVolume>,
    },
    /// Stop the instance again.
    Stop {
        /// Account and region.
        scope: Scope,
        /// Instance id.
        id: Arc<str>,
    },
    /// Put the tags back as they were: key and former value, `None` where there was none.
    Tags {
        /// Account and region.
        scope: Scope,
        /// Instance id.
        id: Arc<str>,
        /// Tags: key and former value.
        tags: Vec<(String, Option<String>)>,
    },
}

/// A volume that a termination deletes, as it was. Its data are gone: of the like only the root has
/// some, those of the AMI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostVolume {
    /// Volume id, `vol-…`.
    pub id: Arc<str>,
    /// Device name.
    pub device: Arc<str>,
    /// Size, GiB; `None` when not known.
    pub size_gib: Option<u64>,
    /// EBS type; empty when not known.
    pub kind: Arc<str>,
    /// Provisioned IOPS; `None` for types without.
    pub iops: Option<u32>,
    /// Provisioned throughput, MiB/s; `None` for types without.
    pub throughput_mibps: Option<u32>,
    /// True for the root device.
    pub root: bool,
}

impl LostVolume {
    /// The volume as it was found.
    pub fn of(volume: &VolumeFact) -> Self {
        Self {
            id: volume.id.clone(),
            device: volume.device.clone(),
            size_gib: volume.size_gib,
            kind: volume.kind.clone(),
            iops: volume.iops,
            throughput_mibps: volume.throughput_mibps,
            root: volume.root,
        }
    }

    /// `vol-1 (/dev/sdg, 500 GiB gp3)`.
    pub fn words(&self) -> String {
        let size = self.size_gib.map(|gib| format!("{gib} GiB"));
        let kind = (!self.kind.is_empty()).then(|| self.kind.to_string());
        let size: Vec<String> = size.into_iter().chain(kind).collect();
        let what = [self.device.to_string(), size.join(" ")];
        let what: Vec<String> = what.into_iter().filter(|part| !part.is_empty()).collect();
        format!("{} ({})", self.id, what.join(", "))
    }
}

impl Undo {
    /// AWS CLI commands for a POSIX shell, to be run in order with credentials of the account.
    /// Every value is quoted.
    pub fn commands(&self) -> Vec<String> {
        command::lines(self)
    }
}
