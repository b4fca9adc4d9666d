//! What is asked of those who compute, and what they answer.

use std::sync::Arc;

use super::answer::{Answer, Comparison};
use super::demand::Demand;
use super::scenario::Scenario;

/// Place of a scenario in the side-by-side comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// The first; the others are compared with it.
    #[default]
    A,
    /// The second one.
    B,
    /// The third one.
    C,
}

impl Slot {
    /// All slots, in order.
    pub const ALL: [Slot; 3] = [Slot::A, Slot::B, Slot::C];

    /// Letter shown for the slot: `A`, `B` or `C`.
    pub fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
        }
    }

    /// Index of the slot, 0–2.
    pub fn index(self) -> usize {
        match self {
            Self::A => 0,
            Self::B => 1,
            Self::C => 2,
        }
    }
}

/// Request to value a scenario. A later request for the same slot supersedes it: no further answer to the
/// earlier one is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanRequest {
    /// Number of the request, ascending, by which its answers are recognised.
    pub generation: u64,
    /// Slot of the scenario.
    pub slot: Slot,
    /// Demand that futures are drawn from.
    pub demand: Arc<Demand>,
    /// Scenario to value.
    pub scenario: Arc<Scenario>,
}

/// Answer to a [`PlanRequest`]. One request gets up to three, each of a later [`Stage`](super::Stage).
#[derive(Clone, Debug)]
pub struct PlanAnswer {
    /// Generation of the request.
    pub generation: u64,
    /// Slot of the request.
    pub slot: Slot,
    /// The valuation, or one sentence why there is none; clean text.
    pub result: Result<Arc<Answer>, String>,
    /// This slot compared with each other slot over the same futures; the base is the earlier letter. Empty
    /// before [`Stage::Settled`](super::Stage::Settled) and where no other slot has a scenario.
    pub comparisons: Vec<SlotComparison>,
}

/// Comparison of two slots over the same futures.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotComparison {
    /// Slot that is subtracted.
    pub base: Slot,
    /// Slot that is compared with it.
    pub other: Slot,
    /// Generations of base and other that were compared.
    pub generations: [u64; 2],
    /// Difference, `other` − `base`.
    pub result: Comparison,
}
