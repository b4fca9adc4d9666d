//! What could be saved, and what it is really worth: commitments held, smaller sizes, Spot, and
//! everything else that idles.
//!
//! These are the rows; `analyze::savings` makes them.

mod bill;
mod commitment;
mod commitment_finding;
mod measure;
mod model;
mod partly_idle;
mod path;
mod proposal;
mod resource;
mod size_note;
mod spot;
mod spot_note;
mod waterfall;

pub use bill::{BillKind, BillRow};
pub use commitment::{CommitmentRow, CommitmentSums};
pub use commitment_finding::{CommitmentFinding, Elsewhere, Ending, UnusedCost};
pub use measure::{Capability, MEASURES, Measure};
pub use model::{
    BoundBy, Fits, ModelBecause, ModelRow, ModelWork, ModelWorkload, ModelsLeftOut, Potential,
    Replicas,
};
pub use partly_idle::{NodeRemedy, PartlyIdleNode};
pub use path::{PathAdvice, PathKind, PathRow};
pub use proposal::{CannotTell, CheaperType, MigShare, Need, Proposal, SizeVerdict};
pub use resource::{Pattern, ResourceRow};
pub use size_note::{
    CpuUnknown, EfaReason, GpuMemoryUnknown, GpuPeakUnknown, GpuRuntime, Gpus, PricedType,
    SizeFail, SizeNote,
};
pub use spot::{MixedFleet, SpotFit, SpotRow, ZonePrice};
pub use spot_note::{Named, NoPolicy, SpotBecause, SpotNote, SpotWork, WorkSource};
pub use waterfall::{BillPart, Step, StepKind, StepNote, Waterfall};

pub use crate::domain::storage::{Effort, Risk};

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::{Reading, Unread};

/// Sum of the known values, and the number of unknown ones; the sum is `None` when all of at least one value are
/// unknown.
pub fn known_sum(values: impl Iterator<Item = Option<f64>>) -> (Option<f64>, u32) {
    let (mut usd, mut known, mut unknown) = (0.0, 0, 0);
    for value in values {
        match value {
            Some(value) => (usd, known) = (usd + value, known + 1),
            None => unknown += 1,
        }
    }
    ((known > 0 || unknown == 0).then_some(usd), unknown)
}

/// All savings found at one moment. Immutable; a change makes a new value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Savings {
    /// Grows with every new value in a process; view models are memoised by it.
    pub version: u64,
    /// Time of the assembly; `None` for the empty value.
    pub as_of: Option<Timestamp>,
    /// Commitments held, most unused USD/h first.
    pub commitments: Vec<Arc<CommitmentRow>>,
    /// Sums over the commitments.
    pub sums: CommitmentSums,
    /// Instances that could be smaller, most net USD/h first, then those that cannot be judged.
    pub proposals: Vec<Arc<Proposal>>,
    /// On-demand instances judged for Spot, most net USD/h first.
    pub spot: Vec<Arc<SpotRow>>,
    /// Groups of instances as fleets with an on-demand base and Spot above it, most net USD/h first.
    pub mixed_fleets: Vec<Arc<MixedFleet>>,
    /// Billed resources other than instances, idle ones first, most USD/h first.
    pub resources: Vec<Arc<ResourceRow>>,
    /// Paths of the network that are known without a bill, the largest avoidable sum first.
    #[serde(default)]
    pub paths: Vec<Arc<PathRow>>,
    /// Total savings by step, without overlap.
    pub waterfall: Waterfall,
    /// Measures on models at low use, a row per workload and measure, the largest workload first. Potential: in no sum.
    #[serde(default)]
    pub models: Vec<Arc<ModelRow>>,
    /// What may run a model and has no row there.
    #[serde(default)]
    pub models_left_out: ModelsLeftOut,
    /// Commitments that could not be read: they make net savings unknown.
    pub unread: Vec<Unread>,
    /// State of each savings source in each scope.
    pub readings: Vec<Reading>,
}
