//! One commitment with what became of it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::CommitmentFinding;
use crate::domain::{Commitment, CommitmentKind};

/// A commitment held, with its use in the observed hours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommitmentRow {
    /// The commitment and its terms.
    pub commitment: Arc<Commitment>,
    /// True when it is in force now; false when it is over, queued or not paid yet.
    pub is_in_force: bool,
    /// Short text of what it covers: `3 × p4d.24xlarge`, `$12.00/h of p5 in us-east-1`.
    pub covers: Arc<str>,
    /// Cost of the commitment, USD/h, upfront spread over the term; for a capacity reservation the on-demand price of
    /// all its room. `None` when unknown.
    pub usd_per_hour: Option<f64>,
    /// Share of it that was used, 0–1, over the observed hours; `None` when no hour is known, or it was not in force.
    pub utilisation: Option<f64>,
    /// Share of it that is used in the current hour, 0–1; `None` under the same conditions.
    pub utilisation_now: Option<f64>,
    /// Cost of its unused part now, USD/h; `None` when unknown.
    pub unused_usd_per_hour: Option<f64>,
    /// What of it nothing used in the month of the newest bill so far, USD, by that bill; `None` where no bill names it.
    pub billed_unused_usd: Option<f64>,
    /// Actual cost of one instance-hour that it covers: paid ÷ used, USD/h; `None` when several types share it, or
    /// nothing used it.
    pub effective_usd_per_hour: Option<f64>,
    /// On-demand price of one such instance-hour, USD/h; `None` under the same conditions.
    pub on_demand_usd_per_hour: Option<f64>,
    /// Mean saving, USD/h: on-demand cost of the covered hours less the amount paid; negative when it costs more than
    /// it saves. `None` when unknown.
    pub saves_usd_per_hour: Option<f64>,
    /// Number of observed hours.
    pub hours: u32,
    /// What is wrong with it: unused, ends soon, overlaps another, cannot be applied.
    pub findings: Vec<CommitmentFinding>,
}

impl CommitmentRow {
    /// True when it is in force and billed by itself. The room of a capacity reservation is usage, which other
    /// commitments may pay for.
    pub fn is_paid(&self) -> bool {
        self.is_in_force && !self.is_room()
    }

    /// True for an on-demand capacity reservation, whose room is billed like usage.
    pub fn is_room(&self) -> bool {
        self.commitment.kind() == CommitmentKind::CapacityReservation
    }
}

/// Sums over commitments in force and the usage they could cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommitmentSums {
    /// Amount paid for reservations, plans and Capacity Blocks in force, USD/h, as far as known; `None` when known of
    /// none. The room of capacity reservations is usage and no payment of its own.
    pub committed_usd_per_hour: Option<f64>,
    /// Number of those whose price is unknown.
    pub committed_unknown: u32,
    /// Used share of the amount paid for reservations, plans and Capacity Blocks, 0–1, over the observed hours, of
    /// those with known price and use. `None` when known of none.
    pub utilisation: Option<f64>,
    /// Number of commitments in `utilisation`.
    #[serde(default)]
    pub utilisation_of: u32,
    /// Number of reservations, plans and Capacity Blocks in force that `utilisation` leaves out because price or use is
    /// unknown.
    #[serde(default)]
    pub left_out: u32,
    /// On-demand value of covered usage ÷ that of all coverable usage (no Spot, no Capacity Blocks), 0–1; `None` when
    /// unknown.
    pub coverage: Option<f64>,
    /// Effective savings rate: 1 − actual cost ÷ on-demand cost of the same usage; at most 1, may be negative. `None`
    /// when unknown.
    pub effective_savings_rate: Option<f64>,
    /// Cost of what is unused now, USD/h, as far as known: reservations, plans, and billed capacity; `None` when known
    /// of none.
    pub unused_usd_per_hour: Option<f64>,
    /// Part of that for empty room of capacity reservations, which is in no commitment's price, USD/h; `None` when
    /// known of none.
    pub unused_room_usd_per_hour: Option<f64>,
    /// Number of commitments in force whose unused part is unknown.
    pub unused_unknown: u32,
    /// Number of observed hours.
    pub hours: u32,
}
