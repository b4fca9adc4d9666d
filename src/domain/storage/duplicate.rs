//! Copies, prefix against prefix.

use serde::{Deserialize, Serialize};

use super::tier::Tier;
use crate::domain::cleaned::exact;

/// Confidence that two objects hold the same bytes, highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Confidence {
    /// Equal size and digest (`ETag` of one part without KMS), or equal checksum.
    A,
    /// Equal size and `ETag` of several parts: same content and part size.
    B,
    /// Equal size and names; the `ETag` cannot tell (other part size, SSE-KMS): to be verified.
    C,
    /// Equal size alone, of large objects.
    D,
}

impl Confidence {
    /// Letter in JSON and on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
        }
    }
}

/// Two prefixes that hold the same objects, wholly or in part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrefixPair {
    /// Confidence that the objects are equal.
    pub confidence: Confidence,
    /// The older prefix, likely the original; raw key.
    #[serde(with = "exact")]
    pub prefix_a: String,
    /// The newer prefix, likely the copy; raw key.
    #[serde(with = "exact")]
    pub prefix_b: String,
    /// Share of A's bytes that are also in B, 0–1.
    pub containment_a_in_b: f64,
    /// Share of B's bytes that are also in A, 0–1.
    pub containment_b_in_a: f64,
    /// Number of objects in both.
    pub objects: u64,
    /// Bytes of these objects, counted once: the saving of deleting the copy.
    pub bytes: u64,
    /// These bytes by the storage tier of the copy.
    pub tiers: Vec<(Tier, u64)>,
    /// Newest object of A and of B, ms since 1970.
    pub newest_ms: (i64, i64),
}
