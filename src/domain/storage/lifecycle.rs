//! A bucket's lifecycle configuration, as S3 has it.
//!
//! Classes stay text here: a configuration from a file may name one that does not exist, and the
//! linter must be able to say so.

use serde::{Deserialize, Serialize};

use crate::domain::cleaned::exact;

/// Lifecycle configuration of a bucket: all rules, and the minimum size that they share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifecycle {
    /// Rules in the order of the document.
    pub rules: Vec<Rule>,
    /// `TransitionDefaultMinimumObjectSize`; `None` when absent. A PUT that omits it resets the handling of small
    /// objects.
    pub minimum_size: Option<MinimumSize>,
}

/// Minimum object size for transitions (`TransitionDefaultMinimumObjectSize`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MinimumSize {
    /// `all_storage_classes_128K`: nothing smaller moves (the default since September 2024).
    All128K,
    /// `varies_by_storage_class`: small objects do move to Glacier and Deep Archive.
    Varies,
}

impl MinimumSize {
    /// Value in the S3 API.
    pub fn api(self) -> &'static str {
        match self {
            Self::All128K => "all_storage_classes_128K",
            Self::Varies => "varies_by_storage_class",
        }
    }

    /// The setting with this value in the S3 API; `None` for any other text.
    pub fn from_api(text: &str) -> Option<Self> {
        [Self::All128K, Self::Varies].into_iter().find(|m| m.api() == text)
    }
}

/// One lifecycle rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// `ID` of the rule; empty when absent.
    #[serde(with = "exact")]
    pub id: String,
    /// True when `Status` is `Enabled`.
    pub enabled: bool,
    /// Objects that the rule applies to.
    pub filter: Filter,
    /// Moves of current versions to other classes.
    pub transitions: Vec<Transition>,
    /// Deletion of current versions; `None` without.
    pub expiration: Option<Expiration>,
    /// Moves of noncurrent versions to other classes.
    pub noncurrent_transitions: Vec<NoncurrentTransition>,
    /// Deletion of noncurrent versions; `None` without.
    pub noncurrent_expiration: Option<NoncurrentExpiration>,
    /// `AbortIncompleteMultipartUpload.DaysAfterInitiation`; `None` without.
    pub abort_uploads_days: Option<i64>,
}

/// Objects that a rule applies to; an empty filter is the whole bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// Key prefix; `None` when absent, which S3 treats like an empty one.
    #[serde(with = "exact")]
    pub prefix: Option<String>,
    /// Tags, key and value, that an object must all have.
    #[serde(with = "exact")]
    pub tags: Vec<(String, String)>,
    /// `ObjectSizeGreaterThan`, bytes; `None` without.
    pub larger_than: Option<i64>,
    /// `ObjectSizeLessThan`, bytes; `None` without.
    pub smaller_than: Option<i64>,
    /// True when the prefix is in the rule itself, the old form (`Rule.Prefix`). Written back in the same form.
    pub legacy_prefix: bool,
}

/// Time of an action on a current version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum When {
    /// Days after the creation of the object.
    Days(i64),
    /// A date, verbatim from the document.
    Date(String),
}

/// Move of current versions to another storage class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    /// Time of the move.
    pub when: When,
    /// `StorageClass`, verbatim.
    #[serde(with = "exact")]
    pub class: String,
}

/// Deletion of current versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expiration {
    /// Time of the deletion; `None` with `expired_delete_marker` alone.
    pub when: Option<When>,
    /// `ExpiredObjectDeleteMarker`; `None` when absent.
    pub expired_delete_marker: Option<bool>,
}

/// Move of noncurrent versions to another storage class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoncurrentTransition {
    /// `NoncurrentDays`: days after a version became noncurrent.
    pub days: i64,
    /// `StorageClass`, verbatim.
    #[serde(with = "exact")]
    pub class: String,
    /// `NewerNoncurrentVersions`: number of noncurrent versions exempt from the move; `None` without.
    pub newer_versions: Option<i64>,
}

/// Deletion of noncurrent versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoncurrentExpiration {
    /// `NoncurrentDays`: days after a version became noncurrent; `None` when absent.
    pub days: Option<i64>,
    /// `NewerNoncurrentVersions`: number of noncurrent versions that are kept; `None` without.
    pub newer_versions: Option<i64>,
}

impl Filter {
    /// Number of conditions in the filter element: S3 requires `And` around more than one. A prefix of the old form is
    /// outside it and does not count.
    pub fn conditions(&self) -> usize {
        usize::from(self.prefix.is_some() && !self.legacy_prefix)
            + self.tags.len()
            + usize::from(self.larger_than.is_some())
            + usize::from(self.smaller_than.is_some())
    }

    /// Key prefix; empty for all keys.
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

    /// True without any action: the rule does nothing.
    pub fn is_empty(&self) -> bool {
        let lone = |e: &Expiration| e.when.is_none() && e.expired_delete_marker.is_none();
        self.transitions.is_empty()
            && self.expiration.as_ref().is_none_or(lone)
            && self.noncurrent_transitions.is_empty()
            && self.noncurrent_expiration.is_none()
            && self.abort_uploads_days.is_none()
    }
}
