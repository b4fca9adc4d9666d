//! What one pass over a list of objects found out.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::duplicate::PrefixPair;
use super::run::Run;
use super::tree::PrefixTree;

/// Source of the list of objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScanOrigin {
    /// S3 Inventory: location of its manifest.
    Inventory(Arc<str>),
    /// `ListObjectsV2` or `ListObjectVersions`.
    Listing,
    /// A local directory or mounted file system: its path.
    Directory(Arc<str>),
    /// Aggregation by Athena: name of the table, or location of the manifest.
    Athena(Arc<str>),
    /// The demo fleet.
    Demo,
}

/// Result of a scan. Stored in the cache as it is, so that reopening it is instant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scan {
    /// Bucket, or the path of a directory.
    pub bucket: Arc<str>,
    /// Source of the list.
    pub origin: ScanOrigin,
    /// Time of the list: when it was made by its source.
    pub listed_at: Timestamp,
    /// Time of the scan.
    pub scanned_at: Timestamp,
    /// Number of rows read.
    pub rows: u64,
    /// Why it is incomplete, one sentence; `None` when everything was read.
    pub partial: Option<String>,
    /// Remarks of the scan (files without digest, unknown columns), one sentence each.
    pub notes: Vec<String>,
    /// Sums by prefix, pruned.
    pub tree: Arc<PrefixTree>,
    /// Training runs found; `None` when not searched for.
    pub runs: Option<Arc<Vec<Run>>>,
    /// Duplicate prefixes found; `None` when not searched for, or without `ETags`.
    pub duplicates: Option<Arc<Vec<PrefixPair>>>,
}
