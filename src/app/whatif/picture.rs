//! What leaves the tab for a file, and where a demand is from.

use std::sync::Arc;

use jiff::Timestamp;

use crate::whatif::{Answer, Demand, Scenario, Slot, SlotComparison};

/// Where a demand is to be read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DemandFrom {
    /// What burntop saw running, as the cache holds it.
    History,
    /// A CSV file or a bill, by its path as typed.
    File(String),
}

/// A plan as it is on screen, to be written down.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanPicture {
    /// The demand.
    pub demand: Arc<Demand>,
    /// The scenarios that are there.
    pub plans: Vec<PlanOf>,
    /// Which of them is meant.
    pub active: Slot,
    /// How they compare, as far as that is known for the scenarios as they are.
    pub comparisons: Vec<SlotComparison>,
    /// When.
    pub now: Timestamp,
}

/// A scenario with what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanOf {
    /// Its slot.
    pub slot: Slot,
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// What came of it; `None` while nothing did, or where it came of an older version.
    pub answer: Option<Arc<Answer>>,
}
