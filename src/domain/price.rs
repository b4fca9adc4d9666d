//! What an instance costs per hour, on which basis, and who says so.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::instance::{Platform, Tenancy};

/// Where a figure comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Provenance {
    /// Read from an API of the cloud at this moment.
    Live {
        /// When the API answered.
        at: Timestamp,
    },
    /// The list in the binary, true on this date.
    Embedded {
        /// Date of the source the list was made from.
        date: Date,
    },
    /// The built-in demo fleet invented it.
    Demo,
    /// The configuration says so.
    Configured,
}

/// What kind of price a rate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriceBasis {
    /// On-demand list price, before commitments, credits and private discounts.
    OnDemandList,
    /// Spot market price of the zone at the time of reading.
    Spot,
    /// What one's own contract with AWS says of on-demand use: a rate, or a part off the list price.
    Private,
}

/// Dollars per hour with basis and provenance. Never shown without them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// USD per instance-hour; finite and ≥ 0.
    pub usd_per_hour: f64,
    /// What kind of price.
    pub basis: PriceBasis,
    /// Who says so.
    pub provenance: Provenance,
}

/// One price as a source publishes it: the key and the rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// Region code.
    pub region: Arc<str>,
    /// Availability zone for spot prices, `None` for list prices.
    pub az: Option<Arc<str>>,
    /// Instance type.
    pub instance_type: Arc<str>,
    /// Operating system and pre-installed software that the price includes.
    pub platform: Platform,
    /// Tenancy of the price.
    pub tenancy: Tenancy,
    /// The price.
    pub rate: Rate,
}
