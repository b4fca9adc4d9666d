//! One bucket, or one directory, with everything joined to it.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::domain::Scope;
use crate::domain::storage::{BucketFacts, StorageFinding, Tier};

/// What a row of buckets is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BucketKind {
    /// A bucket.
    Bucket,
    /// A directory bucket (Express One Zone).
    DirectoryBucket,
    /// A local directory or mounted file system: nobody bills it by class.
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

/// Who said how large it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SizedBy {
    /// CloudWatch, for this day: all versions and parts of incomplete uploads.
    CloudWatch(Date),
    /// A list of objects of this moment.
    List(Timestamp),
}

/// The bytes of one tier and what they cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TierShare {
    /// The tier.
    pub tier: Tier,
    /// Bytes billed in it, overheads included.
    pub bytes: u64,
    /// USD per month of 730 h at the blended rate of the account and region; `None` when nobody
    /// knows the price.
    pub usd_per_month: Option<f64>,
}

/// How fast a bucket grows, between two days on which CloudWatch told its size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// Bytes per month of 730 h; negative when it shrinks.
    pub bytes_per_month: f64,
    /// The same in USD per month, each month, at the bucket's blended rate of today; `None` without
    /// a price.
    pub usd_per_month: Option<f64>,
    /// Days between the two.
    pub days: u32,
}

/// One bucket or directory, joined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BucketRow {
    /// Name of the bucket or path of the directory; clean text.
    pub name: Arc<str>,
    /// What it is.
    pub kind: BucketKind,
    /// Account and region; `-` where not known.
    pub scope: Scope,
    /// What was read of it; `None` when only a list of its objects is known.
    pub facts: Option<Arc<BucketFacts>>,
    /// Team, from tags.
    pub team: Option<Arc<str>>,
    /// Project, from tags.
    pub project: Option<Arc<str>>,
    /// Environment, from tags.
    pub environment: Option<Arc<str>>,
    /// Cost center, from tags.
    pub cost_center: Option<Arc<str>>,
    /// Who said the size; `None` when nobody did.
    pub sized_by: Option<SizedBy>,
    /// Bytes of all versions, overheads included; `None` when not known.
    pub bytes: Option<u64>,
    /// Objects, versions and delete markers, as CloudWatch or the list counts them; `None` when
    /// not known.
    pub objects: Option<u64>,
    /// Bytes and dollars by tier, in the order of [`Tier::ALL`], only tiers with bytes.
    pub tiers: Vec<TierShare>,
    /// What storing it costs, USD per month of 730 h: the sum of `tiers`; `None` when the size is
    /// not known, or no tier with bytes has a price. What has no price is in `unpriced_bytes`.
    pub usd_per_month: Option<f64>,
    /// Bytes that `usd_per_month` leaves out.
    pub unpriced_bytes: u64,
    /// How fast it grows; `None` with fewer than two days known.
    pub growth: Option<Growth>,
    /// Newest object of a complete list; `None` when no list is known.
    pub last_write: Option<Timestamp>,
    /// Findings about it and its prefixes, most dollars first.
    pub findings: Vec<Arc<StorageFinding>>,
    /// What could be saved, USD per month: of each kind of finding the sum, of the kinds the
    /// greatest (they are often about the same bytes), at most what the bucket costs. A lower bound
    /// of what all of them together save; `None` when no finding has dollars.
    pub savings: Option<f64>,
}

impl BucketRow {
    /// The share of a tier's dollars in the bucket's, 0–1, in the order of `tiers`; empty without
    /// dollars.
    pub fn dollar_shares(&self) -> impl Iterator<Item = (Tier, f64)> {
        let total = self.usd_per_month.filter(|usd| *usd > 0.0);
        self.tiers.iter().filter_map(move |t| Some((t.tier, t.usd_per_month? / total?)))
    }
}
