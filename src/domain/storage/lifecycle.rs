//! A bucket's lifecycle configuration, as S3 has it.
//!
//! Classes stay text here: a configuration from a file may name one that does not exist, and the
//! linter must be able to say so.

use serde::{Deserialize, Serialize};

use crate::domain::cleaned::exact;

/// All rules of a bucket, and the one setting that belongs to all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifecycle {
    /// The rules in their order.
    pub rules: Vec<Rule>,
    /// `TransitionDefaultMinimumObjectSize`; `None` when not said. A PUT that leaves it out
    /// changes what happens to small objects.
    pub minimum_size: Option<MinimumSize>,
}

/// `TransitionDefaultMinimumObjectSize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MinimumSize {
    /// `all_storage_classes_128K`: nothing smaller moves (the default since September 2024).
    All128K,
    /// `varies_by_storage_class`: small objects do move to Glacier and Deep Archive.
    Varies,
}

impl MinimumSize {
    /// The value in the API.
    pub fn api(self) -> &'static str {
        match self {
            Self::All128K => "all_storage_classes_128K",
            Self::Varies => "varies_by_storage_class",
        }
    }

    /// The setting of an API value.
    pub fn from_api(text: &str) -> Option<Self> {
        [Self::All128K, Self::Varies].into_iter().find(|m| m.api() == text)
    }
}

/// One rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// `ID`; empty when not given.
    #[serde(with = "exact")]
    pub id: String,
    /// `Status` is `Enabled`.
    pub enabled: bool,
    /// What it applies to.
    pub filter: Filter,
    /// Current versions move.
    pub transitions: Vec<Transition>,
    /// Current versions are deleted.
    pub expiration: Option<Expiration>,
    /// Noncurrent versions move.
    pub noncurrent_transitions: Vec<NoncurrentTransition>,
    /// Noncurrent versions are deleted.
    pub noncurrent_expiration: Option<NoncurrentExpiration>,
    /// `AbortIncompleteMultipartUpload.DaysAfterInitiation`.
    pub abort_uploads_days: Option<i64>,
}

/// What a rule applies to; an empty filter is the whole bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// Key prefix; `None` when not given, which means the same as an empty one.
    #[serde(with = "exact")]
    pub prefix: Option<String>,
    /// Tags that all have to be there.
    #[serde(with = "exact")]
    pub tags: Vec<(String, String)>,
    /// `ObjectSizeGreaterThan`, bytes.
    pub larger_than: Option<i64>,
    /// `ObjectSizeLessThan`, bytes.
    pub smaller_than: Option<i64>,
    /// True when the prefix stood in the rule itself, the old form (`Rule.Prefix`). Given back as
    /// it came.
    pub legacy_prefix: bool,
}

/// When something happens to a current version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum When {
    /// Days after creation.
    Days(i64),
    /// On a date, as written.
    Date(String),
}

/// A move of current versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    /// When.
    pub when: When,
    /// `StorageClass` as written.
    #[serde(with = "exact")]
    pub class: String,
}

/// Deletion of current versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expiration {
    /// When; `None` with `expired_delete_marker` alone.
    pub when: Option<When>,
    /// `ExpiredObjectDeleteMarker`; `None` when not given.
    pub expired_delete_marker: Option<bool>,
}

/// A move of noncurrent versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoncurrentTransition {
    /// `NoncurrentDays`.
    pub days: i64,
    /// `StorageClass` as written.
    #[serde(with = "exact")]
    pub class: String,
    /// `NewerNoncurrentVersions`: as many are kept from it.
    pub newer_versions: Option<i64>,
}

/// Deletion of noncurrent versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoncurrentExpiration {
    /// `NoncurrentDays`.
    pub days: Option<i64>,
    /// `NewerNoncurrentVersions`: as many are kept.
    pub newer_versions: Option<i64>,
}

impl Filter {
    /// How many conditions the filter element holds: S3 wants `And` around more than one. A prefix
    /// of the old form stands outside and does not count.
    pub fn conditions(&self) -> usize {
        usize::from(self.prefix.is_some() && !self.legacy_prefix)
            + self.tags.len()
            + usize::from(self.larger_than.is_some())
            + usize::from(self.smaller_than.is_some())
    }

    /// The prefix; empty for all keys.
    pub fn prefix(&self) -> &str {
        self.prefix.as_deref().unwrap_or_default()
    }

    /// True with a condition on size, which overrides the configuration's minimum size.
    pub fn has_size(&self) -> bool {
        self.larger_than.is_some() || self.smaller_than.is_some()
    }
}

impl Rule {
    /// True when current versions are deleted after some time.
    pub fn expires_current(&self) -> bool {
        self.expiration.as_ref().is_some_and(|e| e.when.is_some())
    }

    /// True without any action.
    pub fn is_empty(&self) -> bool {
        let lone = |e: &Expiration| e.when.is_none() && e.expired_delete_marker.is_none();
        self.transitions.is_empty()
            && self.expiration.as_ref().is_none_or(lone)
            && self.noncurrent_transitions.is_empty()
            && self.noncurrent_expiration.is_none()
            && self.abort_uploads_days.is_none()
    }
}
