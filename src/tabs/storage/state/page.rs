//! The pages of the tab, and what is asked about lists of objects.

use std::sync::Arc;

/// Reads per month that the tier what-if begins with: each byte once in about three months.
pub(super) const FIRST_READS: f64 = 0.3;

/// A page above the tab.
#[derive(Clone, Debug, PartialEq)]
pub enum StoragePage {
    /// Everything known of a bucket.
    Bucket(Arc<str>),
    /// A volume or snapshot.
    Block(Arc<str>),
    /// A finding, by its id.
    Finding(Arc<str>),
    /// A run, by its id.
    Run(Arc<str>),
    /// A pair of copies, by its id.
    Copy(Arc<str>),
    /// What each class would cost.
    Tiers(TierSubject),
    /// The lifecycle rules of a bucket.
    Lifecycle(Arc<str>),
}

impl StoragePage {
    /// Its name, for the line above the body.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Bucket(_) => "Bucket",
            Self::Block(_) => "EBS",
            Self::Finding(_) => "Finding",
            Self::Run(_) => "Run",
            Self::Copy(_) => "Copies",
            Self::Tiers(_) => "Tier what-if",
            Self::Lifecycle(_) => "Lifecycle",
        }
    }
}

/// What the tier what-if is about.
#[derive(Clone, Debug, PartialEq)]
pub enum TierSubject {
    /// Everything that is listed.
    Fleet,
    /// A bucket.
    Bucket(Arc<str>),
    /// A prefix of a bucket: its node in the list's tree.
    Prefix(Arc<str>, crate::domain::storage::NodeId),
}

/// What is wanted of a list of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListHow {
    /// Say what it takes; reads nothing that is billed by the object.
    Ask,
    /// Make it.
    Go,
    /// Stop making it.
    Cancel,
}

/// A list of a bucket's objects, while it is asked about and made.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The bucket.
    pub bucket: Arc<str>,
    /// How far it is.
    pub state: ListingState,
}

/// How far a list is.
#[derive(Clone, Debug, PartialEq)]
pub enum ListingState {
    /// Asked what it takes; no answer yet.
    Asked,
    /// What it takes.
    Offer {
        /// One sentence: from what, how many rows, how long.
        says: String,
        /// What the requests cost, USD; `None` when not known.
        usd: Option<f64>,
    },
    /// Being made.
    Running {
        /// Rows so far.
        rows: u64,
        /// Of how many, where that is known.
        of: Option<u64>,
        /// Seconds to go, where that can be told.
        seconds_left: Option<u64>,
    },
    /// It could not be made: why, one sentence.
    Failed(String),
    /// It is there; the next picture holds it.
    Done,
}
