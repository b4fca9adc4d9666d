//! A plan about storage and its rows, as they stand in a plan file.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::verb::StorageVerb;
use crate::act::plan::digest::plan_hash;
use crate::act::plan::{Chosen, EnvironmentCount, by_environment};
use crate::domain::Scope;
use crate::domain::storage::{Lifecycle, Volume, VolumeKind};

/// Schema of a plan about storage, with its version.
pub const STORAGE_PLAN_SCHEMA: &str = "burntop/plan-storage/1";

/// An action on some volumes, or on one bucket. Changes nothing by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoragePlan {
    /// [`STORAGE_PLAN_SCHEMA`].
    pub schema: String,
    /// When it was drafted.
    pub created_at: Timestamp,
    /// When it stops being valid.
    pub expires_at: Timestamp,
    /// Action.
    pub verb: StorageVerb,
    /// Why, in the words of who drafted it; needed where something is production.
    pub justification: String,
    /// The rows. A configuration is put into one bucket per plan.
    pub items: Vec<StorageItem>,
}

/// One volume or bucket of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StorageItem {
    /// Account and region.
    pub scope: Scope,
    /// Volume or bucket, with what was known of it when it was drafted.
    pub matter: Matter,
    /// What acting saves, USD per month of 730 h; `None` when not known.
    pub usd_per_month: Option<f64>,
    /// Basis and provenance of that saving in words.
    pub price_basis: String,
    /// True when account, configuration or tags say production.
    pub production: bool,
    /// The environment that its tags named; `None` where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Arc<str>>,
}

/// Volume or bucket of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Matter {
    /// A volume.
    Volume(VolumeMatter),
    /// A bucket.
    Bucket(Box<BucketMatter>),
}

/// A volume as it was when the plan was drafted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VolumeMatter {
    /// `vol-…`.
    pub id: Arc<str>,
    /// The `Name` tag; clean text, may be empty.
    pub name: Arc<str>,
    /// Availability zone.
    pub az: Arc<str>,
    /// Volume type.
    pub volume_type: VolumeKind,
    /// Size, GiB.
    pub size_gib: u32,
    /// Provisioned IOPS; `None` where the API names none.
    pub iops: Option<u32>,
    /// Provisioned throughput, MiB/s; `None` where the API names none.
    pub throughput_mibps: Option<u32>,
    /// State when it was drafted: `available`.
    pub state: Arc<str>,
    /// When it was created; another date means another volume. `None` when not known.
    pub created_at: Option<Timestamp>,
    /// gp3 parameters wanted; `None` where it is not modified.
    pub target: Option<Gp3>,
}

/// The parameters of a gp3 volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gp3 {
    /// Provisioned IOPS.
    pub iops: u32,
    /// Provisioned throughput, MiB/s.
    pub throughput_mibps: u32,
}

/// A bucket with its present and its wanted configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BucketMatter {
    /// Name of the bucket.
    pub name: Arc<str>,
    /// SHA-256 of the configuration that the plan was made on, see [`super::lifecycle_hash`].
    pub before_sha256: String,
    /// Present configuration; `None` where the bucket has none.
    pub before: Option<Lifecycle>,
    /// The configuration to be put: foreign rules as they were, and burntop's own.
    pub after: Lifecycle,
    /// Who owns the configuration where burntop may only write a patch: `Terraform`,
    /// `CloudFormation stack x`. Empty when nobody was found.
    pub owner: String,
}

impl VolumeMatter {
    /// A volume as it is now, with the gp3 parameters wanted.
    pub fn of(volume: &Volume, target: Option<Gp3>) -> Self {
        Self {
            id: volume.id.clone(),
            name: volume.tags.get("Name").unwrap_or_default().into(),
            az: volume.az.clone(),
            volume_type: volume.kind,
            size_gib: volume.size_gib,
            iops: volume.iops,
            throughput_mibps: volume.throughput_mibps,
            state: volume.state.clone(),
            created_at: volume.created_at,
            target,
        }
    }
}

impl StorageItem {
    /// The id of the volume or the name of the bucket.
    pub fn id(&self) -> &Arc<str> {
        match &self.matter {
            Matter::Volume(volume) => &volume.id,
            Matter::Bucket(bucket) => &bucket.name,
        }
    }

    /// Volume of the row; `None` for a bucket.
    pub fn volume(&self) -> Option<&VolumeMatter> {
        match &self.matter {
            Matter::Volume(volume) => Some(volume),
            Matter::Bucket(_) => None,
        }
    }

    /// Bucket of the row; `None` for a volume.
    pub fn bucket(&self) -> Option<&BucketMatter> {
        match &self.matter {
            Matter::Bucket(bucket) => Some(bucket),
            Matter::Volume(_) => None,
        }
    }
}

impl StoragePlan {
    /// SHA-256 over the plan as compact JSON: what an approval is for.
    pub fn hash(&self) -> String {
        plan_hash(self)
    }

    /// The first twelve digits of the hash: the plan's name in messages and in the audit log.
    pub fn id(&self) -> String {
        self.hash().chars().take(12).collect()
    }

    /// Rows counted by environment.
    pub fn environments(&self) -> Vec<EnvironmentCount> {
        by_environment(self.items.iter().map(|i| Chosen {
            id: i.id(),
            name: i.volume().map_or("", |v| &*v.name),
            environment: i.environment.as_deref(),
            production: i.production,
        }))
    }

    /// USD per month of all rows with a figure, and how many rows have none.
    pub fn usd_per_month(&self) -> (f64, usize) {
        let known: Vec<f64> = self.items.iter().filter_map(|i| i.usd_per_month).collect();
        (known.iter().sum(), self.items.len() - known.len())
    }
}
