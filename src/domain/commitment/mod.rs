//! What was promised to be paid, used or not: Reserved Instances, Savings Plans, capacity
//! reservations and Capacity Blocks.

mod holdings;
mod plan;
mod reservation;
mod sharing;

pub use holdings::{CommitmentSource, Holdings, Unread};
pub use plan::{PlanRate, PlanType, SavingsPlan};
pub use reservation::{
    CapacityReservation, OfferingClass, PaymentOption, ReservedInstances, ReservesCapacity,
};
pub use sharing::{Beneficiary, SharingGroups};

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::price::Provenance;

/// Whether a commitment is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitmentState {
    /// Paid and applied.
    Active,
    /// Bought, not in force yet: queued, or its payment is pending.
    Pending,
    /// Over: expired, returned, cancelled, failed.
    Ended,
}

impl CommitmentState {
    /// The name in JSON and filters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Pending => "pending",
            Self::Ended => "ended",
        }
    }
}

/// Kind of commitment. The order is that in which AWS applies them, where there is such an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitmentKind {
    /// Capacity Block for ML: prepaid, and no discount applies to it.
    CapacityBlock,
    /// On-demand capacity reservation: billed at the on-demand price whether used or not;
    /// reservations and plans discount it like any usage.
    CapacityReservation,
    /// Reserved Instances, standard or convertible.
    ReservedInstances,
    /// EC2 Instance Savings Plan: one family in one region.
    Ec2InstancePlan,
    /// Compute Savings Plan: any EC2 instance in any region, Fargate and Lambda.
    ComputePlan,
    /// SageMaker Savings Plan; applies to no EC2 instance.
    SageMakerPlan,
    /// A Savings Plan of a type that this version does not apply.
    OtherPlan,
}

impl CommitmentKind {
    /// All kinds, in order of application.
    pub const ALL: [Self; 7] = [
        Self::CapacityBlock,
        Self::CapacityReservation,
        Self::ReservedInstances,
        Self::Ec2InstancePlan,
        Self::ComputePlan,
        Self::SageMakerPlan,
        Self::OtherPlan,
    ];

    /// The name in JSON and filters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::CapacityBlock => "capacity_block",
            Self::CapacityReservation => "capacity_reservation",
            Self::ReservedInstances => "reserved_instances",
            Self::Ec2InstancePlan => "ec2_instance_plan",
            Self::ComputePlan => "compute_plan",
            Self::SageMakerPlan => "sagemaker_plan",
            Self::OtherPlan => "other_plan",
        }
    }

    /// Label on screen and in tables.
    pub const fn label(self) -> &'static str {
        match self {
            Self::CapacityBlock => "Capacity Block",
            Self::CapacityReservation => "capacity reservation",
            Self::ReservedInstances => "Reserved Instances",
            Self::Ec2InstancePlan => "EC2 Instance SP",
            Self::ComputePlan => "Compute SP",
            Self::SageMakerPlan => "SageMaker SP",
            Self::OtherPlan => "other SP",
        }
    }

    /// Label where an id stands beside it: the abbreviation that people use.
    pub const fn short(self) -> &'static str {
        match self {
            Self::CapacityReservation => "ODCR",
            Self::ReservedInstances => "RI",
            Self::Ec2InstancePlan => "EC2 SP",
            _ => self.label(),
        }
    }
}

/// What a commitment buys, with its terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Commits {
    /// Reserved Instances: a discount on an instance type.
    Reserved(ReservedInstances),
    /// A Savings Plan: a spend per hour at discounted rates.
    Plan(SavingsPlan),
    /// A capacity reservation or Capacity Block.
    Capacity(CapacityReservation),
}

/// A commitment of an account. All text in it is clean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Commitment {
    /// Id at AWS: a UUID for Reserved Instances and plans, `cr-…` for capacity.
    pub id: Arc<str>,
    /// The 12-digit account that owns it.
    pub account: Arc<str>,
    /// Whether it is pending, in force or over.
    pub state: CommitmentState,
    /// Start of the term.
    pub start: Timestamp,
    /// End of the term; `None` for capacity that is kept until it is cancelled.
    pub end: Option<Timestamp>,
    /// What it buys, with its terms.
    pub commits: Commits,
    /// Source of the commitment: API or demo.
    pub provenance: Provenance,
}

impl Commitment {
    /// Kind of commitment, from `commits`.
    pub fn kind(&self) -> CommitmentKind {
        match &self.commits {
            Commits::Reserved(_) => CommitmentKind::ReservedInstances,
            Commits::Plan(plan) => match plan.plan_type {
                PlanType::Compute => CommitmentKind::ComputePlan,
                PlanType::Ec2Instance => CommitmentKind::Ec2InstancePlan,
                PlanType::SageMaker => CommitmentKind::SageMakerPlan,
                PlanType::Other => CommitmentKind::OtherPlan,
            },
            Commits::Capacity(capacity) => match capacity.reserves {
                ReservesCapacity::OnDemand => CommitmentKind::CapacityReservation,
                ReservesCapacity::Block { .. } => CommitmentKind::CapacityBlock,
            },
        }
    }

    /// True when it is in force at `at`: active and within its term.
    pub fn is_in_force(&self, at: Timestamp) -> bool {
        self.state == CommitmentState::Active
            && self.start <= at
            && self.end.is_none_or(|end| at < end)
    }
}
