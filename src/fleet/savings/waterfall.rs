//! All savings in causal order, each on what the former leave.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{BillRow, Effort, PartlyIdleNode, Potential, Risk};
use crate::domain::NetUnknown;
use crate::domain::bill::Month;

/// Step of the waterfall. Causal order: first what need not run at all, then what can be smaller, then what can be
/// bought cheaper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Stopping idle instances and resources.
    Idle,
    /// Cheaper data transfer, by the newest bill, else by live paths; other steps do not change it.
    Network,
    /// Nodes of whose GPUs some idle: drained, shared by MIG, or made smaller.
    PartlyIdle,
    /// Smaller instance types.
    RightSize,
    /// Instances moved to Spot.
    Spot,
    /// Time of instances that failed runs take again and again; what they run on is the type and the price of the steps before.
    FailedRuns,
    /// Cleaning up storage, a separate part of the bill that other steps do not change.
    Storage,
    /// Commitments for the remaining on-demand usage.
    Commitments,
}

impl StepKind {
    /// All steps, in causal order.
    pub const ALL: [Self; 8] = [
        Self::Idle,
        Self::Network,
        Self::PartlyIdle,
        Self::RightSize,
        Self::Spot,
        Self::FailedRuns,
        Self::Storage,
        Self::Commitments,
    ];

    /// The name in JSON and CSV.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Network => "network",
            Self::PartlyIdle => "partly_idle",
            Self::RightSize => "right_size",
            Self::Spot => "spot",
            Self::FailedRuns => "failed_runs",
            Self::Storage => "storage",
            Self::Commitments => "commitments",
        }
    }

    /// Label on screen and in tables.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Idle => "stop what idles",
            Self::Network => "cut data transfer",
            Self::PartlyIdle => "pack partly idle",
            Self::RightSize => "right-size",
            Self::Spot => "move to Spot",
            Self::FailedRuns => "end failed runs",
            Self::Storage => "clean up storage",
            Self::Commitments => "commit to the rest",
        }
    }
}

/// One step of the waterfall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Kind of step.
    pub kind: StepKind,
    /// Bill before the step, USD/h.
    pub before: f64,
    /// Bill after the step, USD/h: `before − after` is the saving, never negative.
    pub after: f64,
    /// Saving at list price that the step would claim alone on the present fleet, USD/h.
    pub gross_alone: f64,
    /// Number of instances, volumes or findings that it changes.
    pub items: u32,
    /// Number of items without a known price or net cost, which are left out.
    pub unknown: u32,
    /// Effort to carry it out.
    pub effort: Effort,
    /// Possible loss by it.
    pub risk: Risk,
    /// What was left out and why, what it rests on.
    pub notes: Vec<StepNote>,
}

impl Step {
    /// Saving of the step, USD/h; ≥ 0.
    pub fn saves(&self) -> f64 {
        self.before - self.after
    }

    /// Saving of the step, USD/h; `None` when nothing is known of any item, which is not a saving of 0.
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
    /// What is done with partly idle nodes.
    NodeRemedies {
        /// Nodes whose work moves to others.
        drained: u32,
        /// Nodes that become smaller types.
        smaller: u32,
        /// Of both, those that rest on MIG.
        by_mig: u32,
    },
    /// So many partly idle nodes stay: no node beside them has room, no cheaper type holds what works.
    NodesStay(u32),
    /// So many partly idle nodes are left out: what their work needs is not known, or their price.
    NodesUnknown(u32),
    /// So many partly idle nodes are left out: they are not bought on demand.
    NodesNotOnDemand(u32),
    /// So many partly idle nodes stay: commitments pay for them.
    NodesPaid(u32),
    /// Of so many partly idle nodes it is not known whether their jobs could share GPUs.
    MigUnknown(u32),
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
    /// Which bill the network is of.
    NetworkOfBill {
        /// Its period.
        period: Month,
        /// Number of paths of which what is avoided is an upper bound.
        bounds: u32,
    },
    /// No bill is kept: the network is of live paths at list prices.
    NetworkLive {
        /// Number of paths of which what is avoided is an upper bound.
        bounds: u32,
    },
    /// Which failed runs count.
    FailedAgain {
        /// Days that are looked back.
        days: u32,
        /// Number of attempts of which what was lost is an upper bound.
        bounds: u32,
    },
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

/// A part of the bill that a source of its own tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BillPart {
    /// S3 storage.
    Buckets,
    /// EBS volumes and snapshots.
    Volumes,
}

impl BillPart {
    /// Label on screen and in tables.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Buckets => "buckets",
            Self::Volumes => "volumes and snapshots",
        }
    }
}

/// Savings in steps: the bill now, the steps, the bill after them. Each step starts where the previous one ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Waterfall {
    /// The bill before the first step, commitments included whether used or not, USD/h.
    pub before: f64,
    /// Parts of that bill, which add up to it; empty for a value of a former version.
    #[serde(default)]
    pub bill: Vec<BillRow>,
    /// Steps in the order of [`StepKind::ALL`]; a step without a saving is 0. The network's is there with an imported bill
    /// alone, that of failed runs where jobs are read.
    pub steps: Vec<Step>,
    /// Sum of the list price claims of all steps, which overlap, USD/h.
    pub naive: f64,
    /// Nodes of whose GPUs some idle, with what the step does with them, most USD/h at list price first.
    #[serde(default)]
    pub nodes: Vec<PartlyIdleNode>,
    /// Number of commitments in force without a known price: their cost is in none of the bills.
    pub unpriced: u32,
    /// Parts of the bill that were not read: they are in none of the figures.
    #[serde(default)]
    pub unread: Vec<BillPart>,
    /// True while instances, verdicts or commitments are read for the first time: the figures cover only a part and are
    /// not to be shown.
    #[serde(default)]
    pub early: bool,
    /// What models could be run cheaper for besides, on what the steps leave. It is no step and in none of the figures: each
    /// measure has to be tried first. `None` where nothing of the kind is known.
    #[serde(default)]
    pub potential: Option<Potential>,
    /// Why the net is not known; `None` when it is. Steps are at list price then, and say so.
    pub net_unknown: Option<NetUnknown>,
}

impl Waterfall {
    /// Bill after all steps, USD/h.
    pub fn after(&self) -> f64 {
        self.steps.last().map_or(self.before, |s| s.after)
    }

    /// Saving of all steps together, USD/h.
    pub fn saves(&self) -> f64 {
        self.before - self.after()
    }
}
