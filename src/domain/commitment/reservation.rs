//! Reserved Instances and reserved capacity.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::instance::{Platform, Tenancy};

/// How a commitment is paid, in AWS's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentOption {
    /// Nothing at the start, all by the hour.
    NoUpfront,
    /// A part at the beginning, the rest by the hour.
    PartialUpfront,
    /// All at the start.
    AllUpfront,
    /// An option that this version does not know (the old utilisation classes).
    Other,
}

impl PaymentOption {
    /// Label on screen and in tables.
    pub const fn label(self) -> &'static str {
        match self {
            Self::NoUpfront => "no upfront",
            Self::PartialUpfront => "partial upfront",
            Self::AllUpfront => "all upfront",
            Self::Other => "other",
        }
    }
}

/// The classes of Reserved Instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfferingClass {
    /// Can be sold on the marketplace, not exchanged.
    Standard,
    /// Can be exchanged for another type or region, not sold.
    Convertible,
}

/// A purchase of Reserved Instances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReservedInstances {
    /// AWS region code, such as `us-east-1`.
    pub region: Arc<str>,
    /// Zone of a zonal reservation, which also reserves capacity; `None` for a regional one.
    pub az: Option<Arc<str>>,
    /// EC2 instance type, such as `p5.48xlarge`.
    pub instance_type: Arc<str>,
    /// Operating system and licence: a part of the price key.
    pub platform: Platform,
    /// EC2 tenancy (shared, dedicated, host): a part of the price key.
    pub tenancy: Tenancy,
    /// Number of instances reserved.
    pub count: u32,
    /// Standard or convertible.
    pub class: OfferingClass,
    /// Payment option.
    pub payment: PaymentOption,
    /// Effective USD per instance and hour over the term: upfront ÷ hours of the term + recurring charges. Paid used or
    /// not. `None` when no API reports the upfront amount, as for modified reservations (EC2 User Guide, "Modify
    /// Reserved Instances").
    pub usd_per_hour: Option<f64>,
    /// Paid at the start, USD per instance; `None` under the same condition as `usd_per_hour`.
    pub upfront_usd: Option<f64>,
}

/// How a capacity reservation is billed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReservesCapacity {
    /// On-demand price for every hour, used or not; discounts apply.
    OnDemand,
    /// A Capacity Block: paid in advance, for all of its term.
    Block {
        /// Price paid, USD for all instances and the whole term; `None` when no API reports it.
        upfront_usd: Option<f64>,
    },
}

/// Capacity reserved in one zone: an on-demand capacity reservation or a Capacity Block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapacityReservation {
    /// AWS region code, such as `us-east-1`.
    pub region: Arc<str>,
    /// Availability zone, such as `us-east-1a`.
    pub az: Arc<str>,
    /// EC2 instance type, such as `p5.48xlarge`.
    pub instance_type: Arc<str>,
    /// Operating system and licence: a part of the price key.
    pub platform: Platform,
    /// EC2 tenancy (shared, dedicated, host): a part of the price key.
    pub tenancy: Tenancy,
    /// Number of instances that it reserves capacity for.
    pub total: u32,
    /// Unused instances among `total` at the time of reading.
    pub available: u32,
    /// How the capacity is billed.
    pub reserves: ReservesCapacity,
    /// True when only instances that name it can use it.
    pub targeted: bool,
}
