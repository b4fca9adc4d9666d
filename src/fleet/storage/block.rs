//! One volume, one snapshot, with everything joined to it.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::InstanceState;
use crate::domain::storage::{Snapshot, StorageFinding, Volume};

/// Use of a volume, by its attachments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VolumeUse {
    /// Not attached to any instance.
    Unattached,
    /// Attached to instances that are all stopped.
    Stopped,
    /// Attached to an instance that runs or is starting.
    InUse,
    /// Attached to an unknown instance, or in an unclear state.
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

/// An instance that a volume is attached to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// EC2 instance id, such as `i-0abc`.
    pub id: Arc<str>,
    /// `Name` tag; empty without one.
    pub name: Arc<str>,
    /// State of the instance; `None` when the inventory does not list it.
    pub state: Option<InstanceState>,
    /// Time of its stop; `None` when unknown.
    pub stopped_at: Option<Timestamp>,
}

/// An EBS volume joined with its holders, price, tags and findings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VolumeRow {
    /// The volume as EC2 reports it.
    pub volume: Arc<Volume>,
    /// Use by its attachments.
    pub used: VolumeUse,
    /// The instances it is attached to.
    pub holders: Vec<Holder>,
    /// Team, from the tags; `None` without such a tag.
    pub team: Option<Arc<str>>,
    /// Project, from the tags; `None` without such a tag.
    pub project: Option<Arc<str>>,
    /// Environment, from the tags; `None` without such a tag.
    pub environment: Option<Arc<str>>,
    /// Price with its IOPS and throughput, USD per month of 730 h at list price; `None` when unknown.
    pub usd_per_month: Option<f64>,
    /// What the newest bill says that it cost in its month so far, net of discounts, USD; `None` without a bill, and where
    /// the bill does not name it.
    pub billed_usd: Option<f64>,
    /// Findings about it, most dollars first.
    pub findings: Vec<Arc<StorageFinding>>,
    /// Possible saving, USD per month: the greatest of its findings, at most its price; `None` when no finding has
    /// dollars.
    pub savings: Option<f64>,
}

/// An EBS snapshot joined with its price, tags and findings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SnapshotRow {
    /// The snapshot as EC2 reports it.
    pub snapshot: Arc<Snapshot>,
    /// True when its volume still exists in the accounts and regions read; `None` when unknown.
    pub volume_exists: Option<bool>,
    /// Team, from the tags; `None` without such a tag.
    pub team: Option<Arc<str>>,
    /// Project, from the tags; `None` without such a tag.
    pub project: Option<Arc<str>>,
    /// Environment, from the tags; `None` without such a tag.
    pub environment: Option<Arc<str>>,
    /// Upper bound of its price, USD per month of 730 h: its full size at list price, although blocks shared with its
    /// neighbours are billed once. `None` when price or size is unknown.
    pub usd_per_month_at_most: Option<f64>,
    /// What the newest bill says that it cost in its month so far, net of discounts, USD; `None` without a bill, and where
    /// the bill does not name it.
    pub billed_usd: Option<f64>,
    /// Findings about it, most dollars first.
    pub findings: Vec<Arc<StorageFinding>>,
    /// Possible saving, USD per month: the greatest of its findings; `None` when no finding has dollars.
    pub savings: Option<f64>,
}
