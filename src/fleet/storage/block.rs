//! One volume, one snapshot, with everything joined to it.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::InstanceState;
use crate::domain::storage::{Snapshot, StorageFinding, Volume};

/// What a volume is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VolumeUse {
    /// Attached to nothing.
    Unattached,
    /// Attached to instances that are all stopped.
    Stopped,
    /// Attached to an instance that runs, or is about to.
    InUse,
    /// Attached to an instance that nobody knows, or in a state that says nothing.
    Unknown,
}

impl VolumeUse {
    /// The name in JSON and filters.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unattached => "unattached",
            Self::Stopped => "stopped",
            Self::InUse => "in_use",
            Self::Unknown => "unknown",
        }
    }
}

/// The instance that has a volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Instance id.
    pub id: Arc<str>,
    /// Its name; empty without one.
    pub name: Arc<str>,
    /// Its state; `None` when the inventory does not have it.
    pub state: Option<InstanceState>,
    /// When it was stopped, where that is known.
    pub stopped_at: Option<Timestamp>,
}

/// One volume, joined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VolumeRow {
    /// The volume.
    pub volume: Arc<Volume>,
    /// What it is used for.
    pub used: VolumeUse,
    /// The instances it is attached to.
    pub holders: Vec<Holder>,
    /// Team, from tags.
    pub team: Option<Arc<str>>,
    /// Project, from tags.
    pub project: Option<Arc<str>>,
    /// Environment, from tags.
    pub environment: Option<Arc<str>>,
    /// What it costs with its IOPS and throughput, USD per month of 730 h, list price; `None` when
    /// the price is not known.
    pub usd_per_month: Option<f64>,
    /// Findings about it, most dollars first.
    pub findings: Vec<Arc<StorageFinding>>,
    /// What could be saved, USD per month: the greatest of its findings, at most what it costs.
    pub savings: Option<f64>,
}

/// One snapshot, joined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SnapshotRow {
    /// The snapshot.
    pub snapshot: Arc<Snapshot>,
    /// True when its volume still exists in the accounts and regions read; `None` when that cannot
    /// be told.
    pub volume_exists: Option<bool>,
    /// Team, from tags.
    pub team: Option<Arc<str>>,
    /// Project, from tags.
    pub project: Option<Arc<str>>,
    /// Environment, from tags.
    pub environment: Option<Arc<str>>,
    /// What it costs **at most**, USD per month of 730 h: its full size at list price, though what
    /// it shares with its neighbours is billed once; `None` when price or size is not known.
    pub usd_per_month_at_most: Option<f64>,
    /// Findings about it, most dollars first.
    pub findings: Vec<Arc<StorageFinding>>,
    /// What could be saved, USD per month: the greatest of its findings.
    pub savings: Option<f64>,
}
