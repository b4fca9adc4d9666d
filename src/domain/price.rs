//! Price of an instance per hour, with basis and provenance.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::bill::Month;
use super::instance::{Platform, Tenancy};

/// Source of a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Provenance {
    /// An API of AWS, at this time.
    Live {
        /// Time of the API's answer.
        at: Timestamp,
    },
    /// The list embedded in the program, of this date.
    Embedded {
        /// Date of the source that the list was made from.
        date: Date,
    },
    /// Invented by the demo.
    Demo,
    /// Set in the user's configuration.
    Configured,
    /// What an imported bill charged.
    Bill {
        /// Billing period of the bill.
        period: Month,
    },
}

/// Kind of price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriceBasis {
    /// On-demand list price, before commitments, credits and private discounts.
    OnDemandList,
    /// Spot price of the zone at the time of reading.
    Spot,
    /// Private price of the user's contract: a rate, or a discount on the list price; or what the bill charged.
    Private,
}

/// Dollars per hour with basis and provenance. Never shown without them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// USD per instance-hour; finite and ≥ 0.
    pub usd_per_hour: f64,
    /// Kind of price.
    pub basis: PriceBasis,
    /// Source of the price.
    pub provenance: Provenance,
}

/// Price that a source publishes for one region, type, platform and tenancy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// AWS region code, such as `us-east-1`.
    pub region: Arc<str>,
    /// Availability zone for spot prices, `None` for list prices.
    pub az: Option<Arc<str>>,
    /// EC2 instance type, such as `p5.48xlarge`.
    pub instance_type: Arc<str>,
    /// Operating system and pre-installed software that the price includes.
    pub platform: Platform,
    /// EC2 tenancy that the price is for.
    pub tenancy: Tenancy,
    /// Price per hour with basis and source.
    pub rate: Rate,
}
