//! What is known of storage, raw: before prices are multiplied and findings are made.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::bucket::{BucketFacts, Fact};
use super::prices::{EbsPrices, S3Prices};
use super::scan::Scan;
use super::volume::{Snapshot, Volume};
use crate::domain::{Reading, Scope};

/// A stopped instance, whose volumes are still billed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoppedInstance {
    /// Instance id, `i-…`.
    pub id: Arc<str>,
    /// `Name` tag; empty for none.
    pub name: Arc<str>,
    /// Time of the stop; `None` when EC2 does not report it.
    pub since: Option<Timestamp>,
}

/// Volumes and snapshots of one account and region. Each list fails by itself; after a failure the last good list
/// stays, and the reading has its age.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EbsFacts {
    /// Account and region.
    pub scope: Scope,
    /// EBS volumes, or why they could not be read.
    pub volumes: Fact<Vec<Arc<Volume>>>,
    /// Stopped instances. On an error no volume is attributed to one.
    pub stopped: Fact<Vec<StoppedInstance>>,
    /// Snapshots that the account owns.
    pub snapshots: Fact<Vec<Arc<Snapshot>>>,
    /// Number of images (AMIs) that the account owns; those that use a snapshot are in [`Snapshot::images`]. On an
    /// error that list is empty, and no snapshot may be called an orphan.
    pub images: Fact<u32>,
    /// Time of the newest of these facts.
    pub taken_at: Timestamp,
}

/// Everything read about storage. Immutable: a newer reading is another value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StorageFacts {
    /// Grows with each new value that differs in more than the state of the sources.
    pub version: u64,
    /// Time when the value was assembled.
    pub made_at: Timestamp,
    /// Labels of accounts in the configuration, by account id.
    pub accounts: BTreeMap<Arc<str>, Arc<str>>,
    /// Facts of all buckets, by account and name. Facts of a bucket that is only listed so far are errors
    /// (`ErrorKind::Unavailable`, "not read yet").
    pub buckets: Vec<Arc<BucketFacts>>,
    /// Volumes and snapshots, by scope.
    pub ebs: Vec<Arc<EbsFacts>>,
    /// S3 prices, by region code.
    pub s3_prices: BTreeMap<Arc<str>, Arc<S3Prices>>,
    /// Prices of volumes and snapshots by region.
    pub ebs_prices: BTreeMap<Arc<str>, Arc<EbsPrices>>,
    /// Scans of buckets and directories, the newest of each, by bucket or path.
    pub scans: Vec<Arc<Scan>>,
    /// State of the storage sources, by source and scope.
    pub readings: Vec<Reading>,
}

impl StorageFacts {
    /// Facts of a bucket; `None` when no account has it.
    pub fn bucket(&self, name: &str) -> Option<&Arc<BucketFacts>> {
        self.buckets.iter().find(|b| &*b.bucket.name == name)
    }

    /// True until anything was read.
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty() && self.ebs.is_empty() && self.scans.is_empty()
    }

    /// Newest scan of a bucket; `None` when it was never scanned.
    pub fn scan(&self, bucket: &str) -> Option<&Arc<Scan>> {
        self.scans.iter().filter(|s| &*s.bucket == bucket).max_by_key(|s| s.listed_at)
    }
}
