//! What one pass over a list of objects found out.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::duplicate::PrefixPair;
use super::run::Run;
use super::tree::PrefixTree;

/// Where the list of objects came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScanOrigin {
    /// An S3 Inventory: where its manifest is.
    Inventory(Arc<str>),
    /// `ListObjectsV2` or `ListObjectVersions`.
    Listing,
    /// A local directory or mounted file system: its path.
    Directory(Arc<str>),
    /// The same aggregation by Athena: the table or manifest.
    Athena(Arc<str>),
    /// The demo.
    Demo,
}

/// The result of a scan. Stored in the cache as it is, so that reopening it is instant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scan {
    /// Bucket, or the path of a directory.
    pub bucket: Arc<str>,
    /// Where the list came from.
    pub origin: ScanOrigin,
    /// The moment the list is of.
    pub listed_at: Timestamp,
    /// When it was read.
    pub scanned_at: Timestamp,
    /// Rows read.
    pub rows: u64,
    /// `None` when all was read; otherwise why not, one sentence.
    pub partial: Option<String>,
    /// What was noticed on the way (pieces without digest, unknown columns), sentences.
    pub notes: Vec<String>,
    /// Sums by prefix.
    pub tree: Arc<PrefixTree>,
    /// Runs; `None` when nobody looked for them.
    pub runs: Option<Arc<Vec<Run>>>,
    /// Copies; `None` when nobody looked, or the list has no `ETags`.
    pub duplicates: Option<Arc<Vec<PrefixPair>>>,
}
