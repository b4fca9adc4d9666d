//! What is asked of those who compute, and what they answer.

use std::sync::Arc;

use super::answer::{Answer, Comparison};
use super::demand::Demand;
use super::scenario::Scenario;

/// One of the scenarios that stand side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// The first; what the others are compared with.
    #[default]
    A,
    /// The second.
    B,
    /// The third.
    C,
}

impl Slot {
    /// All of them, in their order.
    pub const ALL: [Slot; 3] = [Slot::A, Slot::B, Slot::C];

    /// Its letter.
    pub fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
        }
    }

    /// Its place, 0–2.
    pub fn index(self) -> usize {
        match self {
            Self::A => 0,
            Self::B => 1,
            Self::C => 2,
        }
    }
}

/// A scenario to value over the futures of a demand. A later request for the same slot makes an
/// earlier one outdated: what it has not said yet it never says.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanRequest {
    /// Counts up with each change, so that the asker knows an answer's question.
    pub generation: u64,
    /// Which of the scenarios.
    pub slot: Slot,
    /// The demand.
    pub demand: Arc<Demand>,
    /// The scenario.
    pub scenario: Arc<Scenario>,
}

/// What a request came to. Up to three come for one request: each further
/// ([`Stage`](super::Stage)) than the one before.
#[derive(Clone, Debug)]
pub struct PlanAnswer {
    /// That of the request.
    pub generation: u64,
    /// That of the request.
    pub slot: Slot,
    /// The answer, or why there is none: one sentence, clean text.
    pub result: Result<Arc<Answer>, String>,
    /// This slot beside the others, over the same futures: empty before the answer is settled, or
    /// where no other slot was asked for. The base is the slot with the earlier letter.
    pub comparisons: Vec<SlotComparison>,
}

/// Two slots over the same futures.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotComparison {
    /// What is compared with.
    pub base: Slot,
    /// What is compared.
    pub other: Slot,
    /// Generations of base and other when they were compared.
    pub generations: [u64; 2],
    /// Other minus base.
    pub result: Comparison,
}
