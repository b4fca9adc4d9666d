//! One commitment with what became of it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::CommitmentFinding;
use crate::domain::{Commitment, CommitmentKind};

/// A commitment held, and how it was used in the hours that were looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommitmentRow {
    /// The commitment.
    pub commitment: Arc<Commitment>,
    /// True when it is paid and applied now; false when it is over, queued or not yet paid.
    pub is_in_force: bool,
    /// What it covers in words: `3 × p4d.24xlarge`, `$12.00/h of p5 in us-east-1`.
    pub covers: Arc<str>,
    /// What is paid for it, USD/h, upfront spread over the term; a capacity reservation costs the
    /// on-demand price of all it holds. `None` when not known.
    pub usd_per_hour: Option<f64>,
    /// The part of it that was used, 0–1, over the hours that were looked at; `None` when no hour is
    /// known, or it was not in force.
    pub utilisation: Option<f64>,
    /// The same in this very hour.
    pub utilisation_now: Option<f64>,
    /// What nothing used now, USD/h; `None` when not known.
    pub unused_usd_per_hour: Option<f64>,
    /// What one instance-hour that it covered really cost: paid ÷ used, USD/h; `None` where different
    /// types share it, or nothing used it.
    pub effective_usd_per_hour: Option<f64>,
    /// On-demand price of one such instance-hour; `None` as above.
    pub on_demand_usd_per_hour: Option<f64>,
    /// What the hours it covered would have cost on demand, less what was paid, USD/h on average:
    /// negative where it costs more than it saves. `None` when not known.
    pub saves_usd_per_hour: Option<f64>,
    /// Hours that were looked at.
    pub hours: u32,
    /// What is wrong with it: unused, ends soon, overlaps another, cannot be applied.
    pub findings: Vec<CommitmentFinding>,
}

impl CommitmentRow {
    /// True where it is paid for by itself now. The room of a capacity reservation is usage, which
    /// others pay for.
    pub fn is_paid(&self) -> bool {
        self.is_in_force && !self.is_room()
    }

    /// True for room that is reserved and billed as it goes.
    pub fn is_room(&self) -> bool {
        self.commitment.kind() == CommitmentKind::CapacityReservation
    }
}

/// Sums over commitments in force and the usage they could cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommitmentSums {
    /// Paid for reservations, plans and Capacity Blocks in force, USD/h, as far as it is known; `None`
    /// when of none. The room of capacity reservations is usage and no payment of its own.
    pub committed_usd_per_hour: Option<f64>,
    /// Of them those whose price is not known.
    pub committed_unknown: u32,
    /// Used of what is paid for reservations, plans and Capacity Blocks, in dollars, 0–1, over the hours
    /// looked at, of those whose price and use are known. `None` when it is known of none.
    pub utilisation: Option<f64>,
    /// Commitments that it is of.
    #[serde(default)]
    pub utilisation_of: u32,
    /// Reservations, plans and Capacity Blocks in force that it leaves out: their price or use is not known.
    #[serde(default)]
    pub left_out: u32,
    /// On-demand value of covered usage over that of all usage that could be covered (no Spot, no
    /// Capacity Blocks), 0–1; `None` when not known.
    pub coverage: Option<f64>,
    /// 1 − actual cost ÷ on-demand cost of the same usage, the effective savings rate; may be
    /// negative. `None` when not known.
    pub effective_savings_rate: Option<f64>,
    /// What nothing used now: reservations, plans, and capacity that is billed, USD/h, as far as it is
    /// known; `None` when of none.
    pub unused_usd_per_hour: Option<f64>,
    /// Of it the empty room of capacity reservations, which is in no commitment's price, USD/h;
    /// `None` as above.
    pub unused_room_usd_per_hour: Option<f64>,
    /// Commitments in force of which that is not known.
    pub unused_unknown: u32,
    /// Hours that were looked at.
    pub hours: u32,
}
