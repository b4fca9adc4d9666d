//! All savings in causal order, each on what the former leave.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Effort, Risk};
use crate::domain::{CommitmentKind, Unread};

/// The steps, in causal order: what is not run at all, then what is smaller, then what is bought
/// cheaper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Idle instances, idle resources.
    Idle,
    /// Smaller sizes.
    RightSize,
    /// Spot.
    Spot,
    /// Storage, a spend of its own: nothing before it changes it.
    Storage,
    /// Commitments for what is left on demand.
    Commitments,
}

impl StepKind {
    /// All steps, in order.
    pub const ALL: [Self; 5] =
        [Self::Idle, Self::RightSize, Self::Spot, Self::Storage, Self::Commitments];

    /// The name in JSON and CSV.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::RightSize => "right_size",
            Self::Spot => "spot",
            Self::Storage => "storage",
            Self::Commitments => "commitments",
        }
    }

    /// As a person reads it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Idle => "stop what idles",
            Self::RightSize => "right-size",
            Self::Spot => "move to Spot",
            Self::Storage => "clean up storage",
            Self::Commitments => "commit to the rest",
        }
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Which.
    pub kind: StepKind,
    /// What the bill is before the step, USD/h.
    pub before: f64,
    /// And after it: `before − after` is the saving, never negative.
    pub after: f64,
    /// What the step alone would claim at list price on the fleet as it is, USD/h.
    pub gross_alone: f64,
    /// Instances or things that it touches.
    pub items: u32,
    /// Of them without a known price or net, which are left out.
    pub unknown: u32,
    /// Work.
    pub effort: Effort,
    /// What may go wrong.
    pub risk: Risk,
    /// What was left out and why, what it rests on.
    pub notes: Vec<StepNote>,
}

impl Step {
    /// What the step saves, USD/h.
    pub fn saves(&self) -> f64 {
        self.before - self.after
    }

    /// The same; `None` where of all that it touches nothing is known, which is no 0.
    pub fn known(&self) -> Option<f64> {
        (self.items > 0 || self.unknown == 0).then(|| self.saves())
    }
}

/// What a step left out and why, or what it rests on. Sums are USD/h.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum StepNote {
    /// So many idle instances stay: the room of their capacity reservation would cost more alone.
    RoomCostsMore(u32),
    /// So much of the list price of what idles stays on the bill: commitments pay for it.
    PaidByCommitments(f64),
    /// The volumes of so many stopped instances count under storage.
    CountedUnderStorage(u32),
    /// So many idle resources are left out: a SageMaker Savings Plan may pay for them.
    SageMakerPlan(u32),
    /// So many smaller sizes are left out: a commitment pays for the larger ones.
    LargerIsPaid {
        /// Sizes.
        sizes: u32,
        /// Until when one pays; `None` where no end is known.
        until: Option<Timestamp>,
    },
    /// So much more than at list price: smaller sizes use commitments that nothing used.
    UsesCommitments(f64),
    /// So many instances are of groups that are only partly fit.
    PartlyFit(u32),
    /// So many instances that fit stay: Spot would not lower the bill.
    SpotNotLower(u32),
    /// Of storage no buckets were read.
    WithoutBuckets,
    /// Of storage no volumes and snapshots were read.
    WithoutVolumes,
    /// Storage was not read.
    WithoutStorage,
    /// So many findings have no price.
    UnpricedFindings(u32),
    /// So many volumes of stopped instances are left out: the instances are not idle.
    VolumesOfNotIdle(u32),
    /// So many are left out: whether the instances are idle is not known.
    VolumesOfUnknown(u32),
    /// What is held is not known.
    HeldUnknown,
    /// So many hours of the last week are known, too few.
    FewHours(usize),
    /// Of so many instances no rate is known, or too few hours.
    NoRate(u32),
    /// It is of what the steps before it leave.
    OfWhatIsLeft,
    /// Which rates it rests on.
    Rates,
}

/// Why the net of commitments is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NetUnknown {
    /// No commitment was read.
    NotRead,
    /// Some that may pay for what runs were not read.
    Unread(Unread),
    /// The rates of a Savings Plan are not known.
    Rates {
        /// What kind of plan.
        kind: CommitmentKind,
        /// Its id.
        id: Arc<str>,
    },
    /// A clause of a fixture, which no rule gives.
    #[cfg(test)]
    Fixture(#[serde(skip)] &'static str),
}

/// A part of the bill that a source of its own tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BillPart {
    /// What lies in buckets.
    Buckets,
    /// Volumes and snapshots.
    Volumes,
}

impl BillPart {
    /// As a person reads it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Buckets => "buckets",
            Self::Volumes => "volumes and snapshots",
        }
    }
}

/// The waterfall: the bill now, the steps, the bill after all of them. Each step begins where the
/// former ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Waterfall {
    /// The bill before the first step, commitments included whether used or not, USD/h.
    pub before: f64,
    /// Steps, in the order of [`StepKind::ALL`]; one that saves nothing stands with 0.
    pub steps: Vec<Step>,
    /// What adding up each step's list price claim would have promised, USD/h.
    pub naive: f64,
    /// Commitments in force without a known price: no bill here has what they cost.
    pub unpriced: u32,
    /// Parts that no bill here has because they were not read.
    #[serde(default)]
    pub unread: Vec<BillPart>,
    /// True while instances, their verdicts or commitments are read for the first time: it is of a part of the whole,
    /// and none of its figures says anything yet.
    #[serde(default)]
    pub early: bool,
    /// Why the net is not known; `None` when it is. Steps are at list price then, and say so.
    pub net_unknown: Option<NetUnknown>,
}

impl Waterfall {
    /// The bill after all steps, USD/h.
    pub fn after(&self) -> f64 {
        self.steps.last().map_or(self.before, |s| s.after)
    }

    /// What all steps save together, USD/h.
    pub fn saves(&self) -> f64 {
        self.before - self.after()
    }
}
