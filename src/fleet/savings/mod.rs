//! What could be saved, and what it is really worth: commitments held, smaller sizes, Spot, and
//! everything else that idles.
//!
//! These are the rows; `analyze::savings` makes them.

mod commitment;
mod commitment_finding;
mod proposal;
mod resource;
mod spot;
mod waterfall;

pub use commitment::{CommitmentRow, CommitmentSums};
pub use commitment_finding::{CommitmentFinding, Elsewhere, Ending, UnusedCost};
pub use proposal::{CannotTell, Need, Proposal, SizeVerdict};
pub use resource::{Pattern, ResourceRow};
pub use spot::{MixedFleet, SpotFit, SpotRow, ZonePrice};
pub use waterfall::{BillPart, NetUnknown, Step, StepKind, StepNote, Waterfall};

pub use crate::domain::storage::{Effort, Risk};

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::{Reading, Unread};

/// The sum of what is known, and how many are not; `None` where there are some and none is known.
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

/// All that could be saved, as known at one moment. Immutable; a change makes a new one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Savings {
    /// Grows with every picture in a process; view models are memoised by it.
    pub version: u64,
    /// The moment of the picture; `None` for the empty one.
    pub as_of: Option<Timestamp>,
    /// Commitments held, most unused $/h first.
    pub commitments: Vec<Arc<CommitmentRow>>,
    /// Sums over them.
    pub sums: CommitmentSums,
    /// Instances that could be smaller, most net $/h first, then those of which it cannot be told.
    pub proposals: Vec<Arc<Proposal>>,
    /// Instances that run on demand and could run on Spot or could not, most net $/h first.
    pub spot: Vec<Arc<SpotRow>>,
    /// Fleets of them with a base on demand and Spot above it, most net $/h first.
    pub mixed_fleets: Vec<Arc<MixedFleet>>,
    /// Other things that bill, idle ones first, most $/h first.
    pub resources: Vec<Arc<ResourceRow>>,
    /// What it all comes to, without overlap.
    pub waterfall: Waterfall,
    /// Commitments that could not be read: nets that are not known.
    pub unread: Vec<Unread>,
    /// How each source of it is doing.
    pub readings: Vec<Reading>,
}
