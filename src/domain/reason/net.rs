//! What commitments leave open about the cost of an instance.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::{CommitmentKind, Unread};

/// Why the net of commitments is not known, of one instance or of the fleet.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NetUnknown {
    /// No commitment was read.
    NotRead,
    /// Some that may pay for what runs were not read.
    Unread(Unread),
    /// The rates of a Savings Plan that may pay for what runs are not known.
    Rates {
        /// Kind of the plan.
        kind: CommitmentKind,
        /// Id of the plan.
        id: Arc<str>,
    },
    /// The on-demand price of the instance is not known.
    OnDemandPrice,
    /// The on-demand price of another type, which shares commitments with the instance, is not known.
    OnDemandPriceOf {
        /// The other type.
        instance_type: Arc<str>,
        /// Region in which it runs.
        region: Arc<str>,
    },
    /// The Spot price of the instance is not known.
    SpotPrice,
    /// The price of the instance's software is not known.
    SoftwarePrice,
    /// The instance runs in this capacity reservation, which is of an account that is not read.
    ForeignCapacity(Arc<str>),
    /// Clause of a fixture.
    #[cfg(test)]
    Fixture(#[serde(skip)] &'static str),
}

/// What the net of an instance does not show by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NetNote {
    /// The capacity reservation in which the instance runs is billed after a stop, too.
    CapacityStaysBilled,
    /// The Capacity Block in which the instance runs is prepaid.
    BlockPrepaid,
    /// As [`NetNote::BlockPrepaid`], and the price of the block is not known.
    BlockPrepaidUnpriced,
    /// The instance is prepaid as a scheduled one.
    ScheduledPrepaid,
    /// The dedicated host is billed in place of the instance.
    HostBilled,
}
