//! Reserved Instances and reserved capacity.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::instance::{Platform, Tenancy};

/// How a commitment is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentOption {
    /// By the hour.
    NoUpfront,
    /// A part at the beginning, the rest by the hour.
    PartialUpfront,
    /// All at the beginning.
    AllUpfront,
    /// A way that this version does not know (the old utilisation classes).
    Other,
}

impl PaymentOption {
    /// As a person reads it.
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
    /// Can be exchanged.
    Convertible,
}

/// A purchase of Reserved Instances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReservedInstances {
    /// Region code.
    pub region: Arc<str>,
    /// The zone of a zonal purchase, which also reserves capacity; `None` for a regional one.
    pub az: Option<Arc<str>>,
    /// Instance type.
    pub instance_type: Arc<str>,
    /// Operating system.
    pub platform: Platform,
    /// Tenancy.
    pub tenancy: Tenancy,
    /// How many instances.
    pub count: u32,
    /// Class.
    pub class: OfferingClass,
    /// How it is paid.
    pub payment: PaymentOption,
    /// USD per instance and hour over the term, upfront spread over it: upfront ÷ hours of the term +
    /// recurring charges. Paid whether used or not. `None` where no API tells what was paid upfront:
    /// purchases that were modified list none (EC2 User Guide, "Modify Reserved Instances").
    pub usd_per_hour: Option<f64>,
    /// Paid at the beginning, USD per instance; `None` as above.
    pub upfront_usd: Option<f64>,
}

/// What a capacity reservation is billed for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReservesCapacity {
    /// On-demand price for every hour, used or not; discounts apply.
    OnDemand,
    /// A Capacity Block: paid in advance, for all of its term.
    Block {
        /// What was paid, USD for all instances and the whole term; `None` when no API tells.
        upfront_usd: Option<f64>,
    },
}

/// Capacity that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapacityReservation {
    /// Region code.
    pub region: Arc<str>,
    /// Availability zone.
    pub az: Arc<str>,
    /// Instance type.
    pub instance_type: Arc<str>,
    /// Operating system.
    pub platform: Platform,
    /// Tenancy.
    pub tenancy: Tenancy,
    /// Instances that it holds room for.
    pub total: u32,
    /// Of them unused at the time of reading.
    pub available: u32,
    /// How it is billed.
    pub reserves: ReservesCapacity,
    /// True when only instances that name it may use it.
    pub targeted: bool,
}
