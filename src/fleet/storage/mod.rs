//! All storage of the accounts, joined: buckets × sizes × prices × tags × findings, volumes,
//! snapshots, and what was found by walking lists of objects.
//!
//! These are the rows; `analyze::storage::picture` makes them.

mod block;
mod bucket;
mod totals;

pub use block::{Holder, SnapshotRow, VolumeRow, VolumeUse};
pub use bucket::{BucketKind, BucketRow, Growth, SizedBy, TierShare};
pub use totals::StorageTotals;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::storage::{S3Prices, Scan, StorageFinding, Tier};
use crate::domain::{Provenance, Reading, Scope, SourceId};
#[cfg(test)]
pub use totals::Sum;

/// All storage known at one moment. Immutable; a change makes a new one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageFleet {
    /// Grows with every join in a process; view models are memoised by it. Readings alone may be newer
    /// than it.
    pub version: u64,
    /// The moment of the join; `None` for the empty fleet.
    pub as_of: Option<Timestamp>,
    /// Buckets and directories, costliest first, those without a price after them, then by name.
    pub buckets: Vec<Arc<BucketRow>>,
    /// Volumes, costliest first.
    pub volumes: Vec<Arc<VolumeRow>>,
    /// Snapshots, costliest first.
    pub snapshots: Vec<Arc<SnapshotRow>>,
    /// Findings by dollars per month, most first; those without dollars after them.
    pub findings: Vec<Arc<StorageFinding>>,
    /// What one pass over all objects said, by bucket name or path of the directory. Not stored
    /// with the fleet: the cache keeps scans by themselves.
    #[serde(skip)]
    pub scans: BTreeMap<Arc<str>, Arc<Scan>>,
    /// Sums over all rows.
    pub totals: StorageTotals,
    /// Rates of each account and region that has buckets and known prices.
    pub rates: Vec<AccountRates>,
    /// S3 prices by region. Not stored with the fleet.
    #[serde(skip)]
    pub s3_prices: BTreeMap<Arc<str>, Arc<S3Prices>>,
    /// Who says the prices of volumes and snapshots, by region. Not stored with the fleet.
    #[serde(skip)]
    pub ebs_priced_by: BTreeMap<Arc<str>, Provenance>,
    /// How each source in each scope is doing.
    pub readings: Vec<Reading>,
}

impl StorageFleet {
    /// True when nothing is known: no bucket, no volume, no snapshot.
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty() && self.volumes.is_empty() && self.snapshots.is_empty()
    }

    /// How much of what `source` tells was read: `None` while nothing of it was; true when every scope that was asked
    /// has answered once.
    pub fn was_read(&self, source: SourceId) -> Option<bool> {
        let mut of_source = self.readings.iter().filter(|r| r.source == source);
        let answered = |r: &Reading| r.taken_at.is_some();
        of_source.clone().any(answered).then(|| of_source.all(answered))
    }

    /// The row of a bucket or directory.
    pub fn bucket(&self, name: &str) -> Option<&Arc<BucketRow>> {
        self.buckets.iter().find(|b| &*b.name == name)
    }

    /// The rates of an account and region.
    pub fn rates(&self, scope: &Scope) -> Option<&AccountRates> {
        self.rates.iter().find(|r| r.scope == *scope)
    }

    /// The row of a volume.
    pub fn volume(&self, id: &str) -> Option<&Arc<VolumeRow>> {
        self.volumes.iter().find(|v| &*v.volume.id == id)
    }

    /// The row of a snapshot.
    pub fn snapshot(&self, id: &str) -> Option<&Arc<SnapshotRow>> {
        self.snapshots.iter().find(|s| &*s.snapshot.id == id)
    }
}

/// What a GiB-month costs in an account and region, its volume steps made linear.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccountRates {
    /// Account and region.
    pub scope: Scope,
    /// USD per GiB-month by [`Tier::index`], every byte at its share of the whole; `None` where
    /// nobody knows.
    pub blended: [Option<f64>; Tier::COUNT],
    /// The same at the last step: what freeing a byte saves.
    pub marginal: [Option<f64>; Tier::COUNT],
    /// Intelligent-Tiering: USD per monitored object and month.
    pub monitoring_usd: Option<f64>,
    /// Who says so.
    pub provenance: Provenance,
}
