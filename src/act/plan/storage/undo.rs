//! How to take an action on storage back, as far as it can be taken back.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::item::VolumeMatter;
use crate::act::plan::undo::command::aws;
use crate::domain::Scope;

/// How to take an action on storage back; kept in the audit log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StorageUndo {
    /// Make the volume again from its snapshot. It gets another id.
    Restore {
        /// Account and region.
        scope: Scope,
        /// Id of the snapshot.
        snapshot: Arc<str>,
        /// The volume as it was.
        volume: Box<VolumeMatter>,
        /// Tags of the volume, without those of AWS.
        tags: Vec<(String, String)>,
    },
    /// Modify the volume back to gp2; possible six hours after the last modification.
    Gp2 {
        /// Account and region.
        scope: Scope,
        /// Id of the volume.
        volume: Arc<str>,
    },
    /// Put the configuration back as it was: `burntop storage lifecycle apply FILE`.
    Lifecycle {
        /// Name of the bucket.
        bucket: Arc<str>,
        /// Path of the undo file, which is a plan of its own.
        file: String,
        /// Path of the backup: the document as S3 gave it.
        backup: String,
    },
}

impl StorageUndo {
    /// Commands for a POSIX shell, to be run with credentials of the account. Every value is
    /// quoted.
    pub fn commands(&self) -> Vec<String> {
        match self {
            Self::Restore { scope, snapshot, volume, tags } => {
                let mut words = vec![
                    "aws".to_owned(),
                    "ec2".into(),
                    "create-volume".into(),
                    "--snapshot-id".into(),
                    snapshot.to_string(),
                    "--availability-zone".into(),
                    volume.az.to_string(),
                    "--volume-type".into(),
                    volume.volume_type.api().into(),
                ];
                // gp2's follow from its size, and EC2 refuses them.
                use crate::domain::storage::VolumeKind::{Gp3, Io1, Io2};
                if let Some(iops) =
                    volume.iops.filter(|_| matches!(volume.volume_type, Gp3 | Io1 | Io2))
                {
                    words.extend(["--iops".into(), iops.to_string()]);
                }
                if let Some(mibps) = volume.throughput_mibps.filter(|_| volume.volume_type == Gp3) {
                    words.extend(["--throughput".into(), mibps.to_string()]);
                }
                if !tags.is_empty() {
                    let tags: Vec<_> =
                        tags.iter().map(|(k, v)| json!({ "Key": k, "Value": v })).collect();
                    let all = json!([{ "ResourceType": "volume", "Tags": tags }]);
                    words.extend(["--tag-specifications".into(), all.to_string()]);
                }
                vec![aws(&words, scope)]
            }
            Self::Gp2 { scope, volume } => {
                let words = ["aws", "ec2", "modify-volume", "--volume-id", volume];
                let words = words.into_iter().chain(["--volume-type", "gp2"]);
                vec![aws(&words.map(str::to_owned).collect::<Vec<_>>(), scope)]
            }
            Self::Lifecycle { bucket, file, .. } => {
                let words = ["burntop", "storage", "lifecycle", "apply", file, "--confirm", bucket];
                let words = words.into_iter().chain(["--allow-actions"]);
                vec![crate::act::plan::undo::command::line(words)]
            }
        }
    }
}
