//! One bucket, or one directory, with everything joined to it.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::SavingsEstimate;
use crate::domain::Scope;
use crate::domain::storage::{BucketFacts, StorageFinding, Tier};

/// Kind of a row in the list of buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BucketKind {
    /// A general purpose bucket.
    Bucket,
    /// A directory bucket (Express One Zone).
    DirectoryBucket,
    /// A local directory or mounted file system, which is not billed by class.
    Directory,
}

impl BucketKind {
    /// The name in JSON and filters.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bucket => "bucket",
            Self::DirectoryBucket => "directory_bucket",
            Self::Directory => "directory",
        }
    }
}

/// Source of a bucket's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SizedBy {
    /// CloudWatch, on this day: all versions and parts of incomplete uploads.
    CloudWatch(Date),
    /// List of objects made at this time.
    List(Timestamp),
}

/// Bytes in one tier and their price.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TierShare {
    /// Storage tier.
    pub tier: Tier,
    /// Bytes billed in it, overheads included.
    pub bytes: u64,
    /// USD per month of 730 h at the blended rate of the account and region; `None` when the price is unknown.
    pub usd_per_month: Option<f64>,
}

/// Growth of a bucket between two days of CloudWatch sizes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// Growth, bytes per month of 730 h; negative when it shrinks.
    pub bytes_per_month: f64,
    /// Monthly growth of the price, USD per month per month, at the bucket's blended rate of today; `None` without a
    /// price.
    pub usd_per_month: Option<f64>,
    /// Number of days between the two sizes.
    pub days: u32,
}

/// A bucket or directory joined with its size, price, tags and findings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BucketRow {
    /// Name of the bucket or path of the directory; clean text.
    pub name: Arc<str>,
    /// Kind of bucket or directory.
    pub kind: BucketKind,
    /// Account and region; `-` when unknown.
    pub scope: Scope,
    /// Facts read from S3 and CloudWatch; `None` when only a list of its objects is known.
    pub facts: Option<Arc<BucketFacts>>,
    /// Team, from the tags; `None` without such a tag.
    pub team: Option<Arc<str>>,
    /// Project, from the tags; `None` without such a tag.
    pub project: Option<Arc<str>>,
    /// Environment, from the tags; `None` without such a tag.
    pub environment: Option<Arc<str>>,
    /// Cost center, from the tags; `None` without such a tag.
    pub cost_center: Option<Arc<str>>,
    /// Source of the size; `None` while it is unknown.
    pub sized_by: Option<SizedBy>,
    /// Bytes of all versions, overheads included; `None` when not known.
    pub bytes: Option<u64>,
    /// Number of objects, versions and delete markers, as CloudWatch or the list counts them; `None` when unknown.
    pub objects: Option<u64>,
    /// Bytes and dollars by tier, in the order of [`Tier::ALL`], only tiers with bytes.
    pub tiers: Vec<TierShare>,
    /// Storage price, USD per month of 730 h: the sum over `tiers`; `None` when the size is unknown, or no tier with
    /// bytes has a price. Bytes without a price are in `unpriced_bytes`.
    pub usd_per_month: Option<f64>,
    /// What the newest bill says that it cost in its month so far, net of discounts, USD; `None` without a bill, and where
    /// the bill does not name it.
    pub billed_usd: Option<f64>,
    /// Bytes that `usd_per_month` leaves out.
    pub unpriced_bytes: u64,
    /// Growth; `None` with fewer than two known days.
    pub growth: Option<Growth>,
    /// Time of the newest object in a complete list; `None` without such a list.
    pub last_write: Option<Timestamp>,
    /// Findings about it and its prefixes, most dollars first.
    pub findings: Vec<Arc<StorageFinding>>,
    /// Possible saving, USD per month: the greatest sum of one kind of finding (kinds often overlap in bytes), at most
    /// the bucket's price. A lower bound of the saving of all findings together; `None` when no finding has dollars.
    pub savings: Option<f64>,
    /// What tiering would save by the daily sizes alone, a range that is in no sum; `None` with a complete list of the
    /// objects, and where too little is known.
    #[serde(default)]
    pub estimate: Option<SavingsEstimate>,
}

impl BucketRow {
    /// Share of each tier in the bucket's price, 0–1, in the order of `tiers`; empty without a price.
    pub fn dollar_shares(&self) -> impl Iterator<Item = (Tier, f64)> {
        let total = self.usd_per_month.filter(|usd| *usd > 0.0);
        self.tiers.iter().filter_map(move |t| Some((t.tier, t.usd_per_month? / total?)))
    }
}
