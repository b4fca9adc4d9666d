//! Copies, prefix against prefix.

use serde::{Deserialize, Serialize};

use super::tier::Tier;
use crate::domain::cleaned::exact;

/// How sure it is that two objects are the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Confidence {
    /// Same digest (`ETag` of one part, no KMS) and size, or the same checksum.
    A,
    /// Same `ETag` of several parts and size: same content and part size.
    B,
    /// Same size and names, `ETag` cannot tell (other part size, SSE-KMS): to be verified.
    C,
    /// Same size alone, and large.
    D,
}

impl Confidence {
    /// The letter.
    pub fn word(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
        }
    }
}

/// One prefix holds what another holds as well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrefixPair {
    /// How sure.
    pub confidence: Confidence,
    /// The older of the two: what looks like the original.
    #[serde(with = "exact")]
    pub prefix_a: String,
    /// The newer one: what looks like the copy.
    #[serde(with = "exact")]
    pub prefix_b: String,
    /// Share of A's bytes that are also in B, 0–1.
    pub containment_a_in_b: f64,
    /// Share of B's bytes that are also in A, 0–1.
    pub containment_b_in_a: f64,
    /// Objects that are in both.
    pub objects: u64,
    /// Their bytes, counted once: what deleting the copy would free.
    pub bytes: u64,
    /// Those bytes by the tier of the copy.
    pub tiers: Vec<(Tier, u64)>,
    /// Newest object of A and of B, ms since 1970.
    pub newest_ms: (i64, i64),
}
