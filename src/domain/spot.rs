//! What Spot did: prices of a zone over time, how often it interrupts, and where a type can be had.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::instance::Platform;

/// The Spot price of a type in a zone over time (`DescribeSpotPriceHistory`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpotHistory {
    /// AWS region code, such as `us-east-1`.
    pub region: Arc<str>,
    /// Availability zone, such as `us-east-1a`.
    pub az: Arc<str>,
    /// EC2 instance type, such as `p5.48xlarge`.
    pub instance_type: Arc<str>,
    /// Operating system and licence: a part of the price key.
    pub platform: Platform,
    /// Price from each time until the next, USD/h, oldest first; finite and ≥ 0. EC2 returns the price in force at the
    /// start of the window as the first.
    pub points: SpotPoints,
}

/// Times and prices in columns: a week of a large market is hundreds of thousands of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpotPoints {
    /// Times in whole seconds since 1970, the resolution of EC2.
    seconds: Box<[u32]>,
    /// USD/h.
    prices: Box<[f64]>,
}

impl SpotPoints {
    /// Each time with the price from then on, USD/h, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Timestamp, f64)> {
        let at = |second: &u32| Timestamp::from_second(i64::from(*second)).unwrap_or_default();
        self.seconds.iter().map(at).zip(self.prices.iter().copied())
    }

    /// Newest time and price, USD/h; `None` when empty.
    pub fn last(&self) -> Option<(Timestamp, f64)> {
        self.iter().next_back()
    }
}

impl FromIterator<(Timestamp, f64)> for SpotPoints {
    fn from_iter<I: IntoIterator<Item = (Timestamp, f64)>>(points: I) -> Self {
        let second = |at: Timestamp| at.as_second().clamp(0, i64::from(u32::MAX)) as u32;
        let (seconds, prices): (Vec<u32>, Vec<f64>) =
            points.into_iter().map(|(at, usd)| (second(at), usd)).unzip();
        Self { seconds: seconds.into(), prices: prices.into() }
    }
}

/// Share of Spot capacity of a type that was interrupted within a month, as the Spot Instance Advisor publishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    /// Less than 5% per month.
    Below5,
    /// 5–10% per month.
    From5To10,
    /// 10–15% per month.
    From10To15,
    /// 15–20% per month.
    From15To20,
    /// More than 20% per month.
    Above20,
}

impl Interruption {
    /// All bands, lowest first.
    pub const ALL: [Self; 5] =
        [Self::Below5, Self::From5To10, Self::From10To15, Self::From15To20, Self::Above20];

    /// The band with this [`Interruption::label`]; `None` for any other text.
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|band| band.label() == label)
    }

    /// Upper edge of the band, as a share of 0–1 interrupted within a month; `None` above 20%, which has none.
    pub const fn at_most(self) -> Option<f64> {
        match self {
            Self::Below5 => Some(0.05),
            Self::From5To10 => Some(0.10),
            Self::From10To15 => Some(0.15),
            Self::From15To20 => Some(0.20),
            Self::Above20 => None,
        }
    }

    /// Label in the Advisor: `<5%`, `5-10%`.
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

/// Instance types offered in an availability zone (`DescribeInstanceTypeOfferings`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneOffering {
    /// Availability zone, such as `us-east-1a`.
    pub az: Arc<str>,
    /// Instance types offered there, sorted.
    pub types: Vec<Arc<str>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_come_back_at_their_moments() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let all = [(at(1_700_000_000), 0.25), (at(1_700_003_600), 0.5)];
        let points: SpotPoints = all.into_iter().collect();
        assert_eq!(points.iter().collect::<Vec<_>>(), all);
        assert_eq!((points.last(), SpotPoints::default().last()), (Some(all[1]), None));
        let bytes = postcard::to_stdvec(&points).unwrap();
        assert_eq!(postcard::from_bytes::<SpotPoints>(&bytes).unwrap(), points);
    }
}
