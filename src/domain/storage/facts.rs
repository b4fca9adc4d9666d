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

/// An instance that is stopped: what its volumes are billed for is nothing but being kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoppedInstance {
    /// `i-…`.
    pub id: Arc<str>,
    /// Its `Name` tag; empty for none.
    pub name: Arc<str>,
    /// Stopped since, where EC2 says it.
    pub since: Option<Timestamp>,
}

/// The volumes and snapshots of one account × region. Each list fails for itself; after a failure
/// the last good list stays, and the reading says how old it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EbsFacts {
    /// Where.
    pub scope: Scope,
    /// Volumes.
    pub volumes: Fact<Vec<Arc<Volume>>>,
    /// Instances that are stopped. On an error no volume can be said to belong to one.
    pub stopped: Fact<Vec<StoppedInstance>>,
    /// Snapshots that the account owns.
    pub snapshots: Fact<Vec<Arc<Snapshot>>>,
    /// How many images (AMIs) the account owns; those that use a snapshot stand in
    /// [`Snapshot::images`]. On an error that list is empty and no snapshot may be called an
    /// orphan.
    pub images: Fact<u32>,
    /// When the newest of it was read.
    pub taken_at: Timestamp,
}

/// Everything read of storage. Immutable: a newer picture is another value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StorageFacts {
    /// Grows with each picture in which more is new than how the sources are doing.
    pub version: u64,
    /// When the picture was put together.
    pub made_at: Timestamp,
    /// Account ids and the names the user knows them by.
    pub accounts: BTreeMap<Arc<str>, Arc<str>>,
    /// Buckets, by account and name. Where a bucket was listed and nothing else is known yet, its
    /// facts say so (`ErrorKind::Unavailable`, "not read yet").
    pub buckets: Vec<Arc<BucketFacts>>,
    /// Volumes and snapshots, by scope.
    pub ebs: Vec<Arc<EbsFacts>>,
    /// S3 prices by region.
    pub s3_prices: BTreeMap<Arc<str>, Arc<S3Prices>>,
    /// Prices of volumes and snapshots by region.
    pub ebs_prices: BTreeMap<Arc<str>, Arc<EbsPrices>>,
    /// Scans of buckets and directories, the newest of each, by bucket or path.
    pub scans: Vec<Arc<Scan>>,
    /// Readings of the storage sources, by source and scope.
    pub readings: Vec<Reading>,
}

impl StorageFacts {
    /// What was read of a bucket; `None` where no account has it.
    pub fn bucket(&self, name: &str) -> Option<&Arc<BucketFacts>> {
        self.buckets.iter().find(|b| &*b.bucket.name == name)
    }

    /// True while nothing at all was read.
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty() && self.ebs.is_empty() && self.scans.is_empty()
    }

    /// The newest scan of a bucket.
    pub fn scan(&self, bucket: &str) -> Option<&Arc<Scan>> {
        self.scans.iter().filter(|s| &*s.bucket == bucket).max_by_key(|s| s.listed_at)
    }
}
