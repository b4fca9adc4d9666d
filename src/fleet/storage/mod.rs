//! All storage of the accounts, joined: buckets × sizes × prices × tags × findings, volumes,
//! snapshots, and what was found by walking lists of objects.
//!
//! These are the rows; `analyze::storage::picture` makes them.

mod activity;
mod block;
mod bucket;
mod estimate;
mod totals;

pub use activity::Activity;
pub use block::{Holder, SnapshotRow, VolumeRow, VolumeUse};
pub use bucket::{BucketKind, BucketRow, Growth, SizedBy, TierShare};
pub use estimate::SavingsEstimate;
pub use totals::StorageTotals;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::storage::{S3Prices, Scan, StorageFinding, Tier};
use crate::domain::{Provenance, Reading, Scope, SourceId};
#[cfg(test)]
pub use totals::Sum;

/// All storage at one moment. Immutable; a change makes a new value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageFleet {
    /// Grows with every join in a process; view models are memoised by it. Readings alone may be newer
    /// than it.
    pub version: u64,
    /// The moment of the join; `None` for the empty fleet.
    pub as_of: Option<Timestamp>,
    /// Buckets and directories: costliest first, those without a price last, then by name.
    pub buckets: Vec<Arc<BucketRow>>,
    /// EBS volumes, costliest first.
    pub volumes: Vec<Arc<VolumeRow>>,
    /// EBS snapshots, costliest first.
    pub snapshots: Vec<Arc<SnapshotRow>>,
    /// Findings by dollars per month, most first; those without dollars after them.
    pub findings: Vec<Arc<StorageFinding>>,
    /// Newest scan of each bucket or directory, by bucket name or path. Not stored with the fleet: the cache keeps
    /// scans by themselves.
    #[serde(skip)]
    pub scans: BTreeMap<Arc<str>, Arc<Scan>>,
    /// Sums over all rows.
    pub totals: StorageTotals,
    /// Rates of each account and region that has buckets and known prices.
    pub rates: Vec<AccountRates>,
    /// S3 prices by region. Not stored with the fleet.
    #[serde(skip)]
    pub s3_prices: BTreeMap<Arc<str>, Arc<S3Prices>>,
    /// Source of the prices of volumes and snapshots, by region. Not stored with the fleet.
    #[serde(skip)]
    pub ebs_priced_by: BTreeMap<Arc<str>, Provenance>,
    /// State of each source in each scope.
    pub readings: Vec<Reading>,
}

impl StorageFleet {
    /// True when nothing is known: no bucket, no volume, no snapshot.
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty() && self.volumes.is_empty() && self.snapshots.is_empty()
    }

    /// Whether `source` was read completely: `None` before any answer, true when every scope has answered at least
    /// once.
    pub fn was_read(&self, source: SourceId) -> Option<bool> {
        let mut of_source = self.readings.iter().filter(|r| r.source == source);
        let answered = |r: &Reading| r.taken_at.is_some();
        of_source.clone().any(answered).then(|| of_source.all(answered))
    }

    /// Row of a bucket by name, or of a directory by path; `None` when unknown.
    pub fn bucket(&self, name: &str) -> Option<&Arc<BucketRow>> {
        self.buckets.iter().find(|b| &*b.name == name)
    }

    /// Rates of an account and region; `None` without known prices.
    pub fn rates(&self, scope: &Scope) -> Option<&AccountRates> {
        self.rates.iter().find(|r| r.scope == *scope)
    }

    /// Row of a volume by its id; `None` when unknown.
    pub fn volume(&self, id: &str) -> Option<&Arc<VolumeRow>> {
        self.volumes.iter().find(|v| &*v.volume.id == id)
    }

    /// Row of a snapshot by its id; `None` when unknown.
    pub fn snapshot(&self, id: &str) -> Option<&Arc<SnapshotRow>> {
        self.snapshots.iter().find(|s| &*s.snapshot.id == id)
    }
}

/// Storage rates of an account and region, with the volume steps made linear.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccountRates {
    /// Account and region it lies in.
    pub scope: Scope,
    /// USD per GiB-month by [`Tier::index`], averaged over the account's volume steps; `None` when unknown.
    pub blended: [Option<f64>; Tier::COUNT],
    /// USD per GiB-month by [`Tier::index`] at the last step: the saving per GiB freed; `None` when unknown.
    pub marginal: [Option<f64>; Tier::COUNT],
    /// Intelligent-Tiering: USD per monitored object and month; `None` when unknown.
    pub monitoring_usd: Option<f64>,
    /// Source of the prices.
    pub provenance: Provenance,
}
