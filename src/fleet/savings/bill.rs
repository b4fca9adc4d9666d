//! The parts of the bill now: they add up to what the waterfall starts from.

use serde::{Deserialize, Serialize};

use crate::fleet::parts::PartKind;

/// Part of the bill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BillKind {
    /// Running instances of one use, with the commitments that pay for them.
    Instances(PartKind),
    /// Reservations, Savings Plans and Capacity Blocks that nothing uses.
    UnusedCommitments,
    /// Capacity Blocks that instances use which were not read.
    UsedElsewhere,
    /// Room of on-demand capacity reservations that no instance fills.
    EmptyCapacity,
    /// Idle resources that are no instances.
    IdleResources,
    /// All other resources that are no instances: in use, too new, exempt, and of unknown use.
    OtherResources,
    /// Buckets, volumes and snapshots.
    Storage,
    /// Bytes on their way and requests to buckets, by the newest bill.
    Network,
}

impl BillKind {
    /// All parts, in the order shown.
    pub fn all() -> impl Iterator<Item = Self> {
        PartKind::ALL.into_iter().map(Self::Instances).chain([
            Self::UnusedCommitments,
            Self::UsedElsewhere,
            Self::EmptyCapacity,
            Self::IdleResources,
            Self::OtherResources,
            Self::Storage,
            Self::Network,
        ])
    }

    /// Name in JSON and CSV.
    pub fn word(self) -> &'static str {
        match self {
            Self::Instances(kind) => kind.name(),
            Self::UnusedCommitments => "unused_commitments",
            Self::UsedElsewhere => "used_elsewhere",
            Self::EmptyCapacity => "empty_capacity",
            Self::IdleResources => "idle_resources",
            Self::OtherResources => "other_resources",
            Self::Storage => "storage",
            Self::Network => "network",
        }
    }

    /// Label on screen and in tables.
    pub fn label(self) -> &'static str {
        match self {
            Self::Instances(kind) => kind.label(),
            Self::UnusedCommitments => "unused commitments",
            Self::UsedElsewhere => "blocks used elsewhere",
            Self::EmptyCapacity => "empty reserved capacity",
            Self::IdleResources => "idle resources",
            Self::OtherResources => "other resources",
            Self::Storage => "storage",
            Self::Network => "network",
        }
    }

    /// True for the parts whose sum is the waste: they are paid for and serve nothing.
    pub fn is_waste(self) -> bool {
        match self {
            Self::Instances(kind) => kind.is_waste(),
            Self::UnusedCommitments | Self::EmptyCapacity | Self::IdleResources => true,
            Self::UsedElsewhere | Self::OtherResources | Self::Storage | Self::Network => false,
        }
    }
}

/// One part of the bill.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BillRow {
    /// Which part.
    pub kind: BillKind,
    /// On the bill, USD/h. Commitments are in it where they are known, else it is at list price.
    pub usd_per_hour: f64,
    /// At the instances' own rates (list, or Spot price for Spot), USD/h; `None` for what is no instance.
    pub list_usd_per_hour: Option<f64>,
    /// Number of instances, commitments in force, reservations, resources, or buckets with volumes and snapshots.
    pub count: u32,
    /// Number of these without a price, which the dollars leave out.
    pub unpriced: u32,
}
