//! What Spot did: prices of a zone over time, how often it interrupts, and where a type can be had.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::instance::Platform;

/// The Spot price of a type in a zone over time (`DescribeSpotPriceHistory`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpotHistory {
    /// Region code.
    pub region: Arc<str>,
    /// Availability zone.
    pub az: Arc<str>,
    /// Instance type.
    pub instance_type: Arc<str>,
    /// Operating system.
    pub platform: Platform,
    /// Price from each moment on until the next, USD/h, oldest first; finite and ≥ 0. EC2 sends the
    /// price in force at the beginning of the window as the first.
    pub points: Vec<(Timestamp, f64)>,
}

/// How often Spot of a type was taken back within a month, as the Spot Instance Advisor publishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    /// Below 5 %.
    Below5,
    /// 5–10 %.
    From5To10,
    /// 10–15 %.
    From10To15,
    /// 15–20 %.
    From15To20,
    /// Above 20 %.
    Above20,
}

impl Interruption {
    /// All bands, seldom first.
    pub const ALL: [Self; 5] =
        [Self::Below5, Self::From5To10, Self::From10To15, Self::From15To20, Self::Above20];

    /// Reads the Advisor's word.
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|band| band.label() == label)
    }

    /// The upper edge, 0–1 of what ran within a month; `None` where there is none: above 20 %.
    pub const fn at_most(self) -> Option<f64> {
        match self {
            Self::Below5 => Some(0.05),
            Self::From5To10 => Some(0.10),
            Self::From10To15 => Some(0.15),
            Self::From15To20 => Some(0.20),
            Self::Above20 => None,
        }
    }

    /// As the Advisor writes it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Below5 => "<5%",
            Self::From5To10 => "5-10%",
            Self::From10To15 => "10-15%",
            Self::From15To20 => "15-20%",
            Self::Above20 => ">20%",
        }
    }
}

/// Where a type is offered (`DescribeInstanceTypeOfferings` by zone).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneOffering {
    /// Availability zone.
    pub az: Arc<str>,
    /// Instance types offered there, sorted.
    pub types: Vec<Arc<str>>,
}
