//! What is wrong with a commitment. `view::reasons` words it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::CommitmentKind;

/// What is wrong with a commitment. Days are counted from the moment of the picture, shares are 0–1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CommitmentFinding {
    /// It is queued and begins in so many days.
    Queued(f64),
    /// Its payment is under way.
    PaymentUnderWay,
    /// It begins in so many days.
    Begins(f64),
    /// It is over.
    Over,
    /// It pays for SageMaker, whose use is not measured.
    SageMaker,
    /// It is of a kind that is not applied.
    KindUnknown,
    /// Its rates were not read.
    RatesUnread,
    /// The rates of another plan were not read.
    OtherRatesUnread,
    /// Some of its capacity is unused.
    UnusedCapacity {
        /// Instances that are unused.
        unused: f64,
        /// Instances held.
        total: u32,
        /// What that costs.
        costs: UnusedCost,
    },
    /// It is used less than it should be.
    Underused {
        /// The part that was used.
        used: f64,
        /// Over so many hours; 0 = in this hour alone.
        hours: u32,
        /// What pays for nothing, USD/h.
        usd_per_hour: f64,
    },
    /// Services that are not read may use the rest.
    OtherServices,
    /// Another commitment pays for what it could pay for.
    Overlaps {
        /// The kind of the other.
        kind: CommitmentKind,
        /// The id of the other.
        id: Arc<str>,
        /// What it pays for.
        instance_type: Arc<str>,
        /// Where.
        region: Arc<str>,
    },
    /// It costs so much more than what it covers would on demand, USD/h.
    CostsMore(f64),
    /// Not all Reserved Instances were read, which come before it.
    ReservedUnread,
    /// Nothing that it covers runs.
    NothingCovered,
    /// Nothing runs in the capacity.
    NothingInside,
    /// Nothing of its type runs where it counts.
    NothingSuch {
        /// A family or an instance type.
        of: Arc<str>,
        /// True when it counts for each size of the family `of`.
        any_size: bool,
        /// The region or zone where it counts.
        place: Arc<str>,
        /// Where such instances run.
        elsewhere: Elsewhere,
    },
    /// It ends in so many days.
    Ends {
        /// Days.
        days: f64,
        /// What then.
        then: Ending,
    },
    /// A sentence of a fixture, which no rule gives.
    #[cfg(test)]
    Fixture(#[serde(skip)] &'static str),
}

/// What unused capacity costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum UnusedCost {
    /// USD/h that were prepaid.
    Prepaid(f64),
    /// USD/h that are paid for empty room.
    Room(f64),
    /// Instance-hours that were prepaid and are left until it ends; their price is not known.
    PrepaidHours(f64),
    /// The price of the room is not known.
    Unknown,
}

/// Where instances run that a commitment could not pay for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Elsewhere {
    /// Nowhere.
    Nowhere,
    /// In an account with which discounts are not shared.
    Account {
        /// The account.
        account: Arc<str>,
        /// True when discounts are shared within a group, and it is outside of it.
        sharing: bool,
    },
    /// In other regions, in the order of their names.
    Regions(Vec<Arc<str>>),
}

/// What comes when a commitment ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ending {
    /// The instances of a Capacity Block are terminated before.
    Terminated,
    /// The bill grows by so many USD/h if usage stays.
    BillGrows(f64),
    /// Nothing that is known.
    Nothing,
}
