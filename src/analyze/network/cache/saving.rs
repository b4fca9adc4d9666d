//! What a cache is worth in a month of 730 hours, and what it costs itself.

use super::CurvePoint;
use crate::domain::HOURS_PER_MONTH;
use crate::domain::storage::GIB as GB;
use crate::whatif::levers::network::{NAT, internet_usd};

/// Milliseconds of a month.
const MONTH_MS: f64 = HOURS_PER_MONTH * 3_600_000.0;

/// USD per GB from us-east-1 to most other regions (AWS price list, `AWSDataTransfer`, 2026-09-16).
const INTER_REGION: f64 = 0.02;

/// Share of the largest ratio of hits that the size which is proposed has at least.
const NEARLY_ALL: f64 = 0.95;

/// Capacity of `FSx` for Lustre: the smallest file system, and the step from twice that on, GiB (AWS, "`FSx` for Lustre: managing
/// storage capacity").
const LUSTRE_GIB: (f64, f64) = (1_200.0, 2_400.0);

/// The way that the bytes take, and which charges for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachePath {
    /// From another region.
    InterRegion,
    /// Through a NAT gateway.
    Nat,
    /// Over the internet, or to another cloud.
    Internet,
    /// Within the region, past no NAT gateway: requests alone cost something.
    Requests,
}

/// What the path charges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathPrice {
    /// US dollars per GB.
    PerGb(f64),
    /// The list price of a path.
    List(CachePath),
}

/// Prices of a region; `None` = not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CachePrices {
    /// A thousand GET requests to S3 Standard, US dollars.
    pub get_per_1000: Option<f64>,
    /// A GiB of gp3 for a month, US dollars.
    pub gp3_gib: Option<f64>,
    /// A GiB of `FSx` for Lustre (scratch, SSD) for a month, US dollars.
    pub lustre_gib: Option<f64>,
    /// Region whose price of it stands in, because that of the own region is not known; `None` where it is.
    pub lustre_of: Option<&'static str>,
}

/// Where a cache lies that costs something: disks that instances have are free beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A gp3 volume on each instance.
    Gp3,
    /// A file system of `FSx` for Lustre.
    Lustre,
}

impl Medium {
    /// What `bytes` cost for a month, US dollars; `None` where the price is not known.
    pub fn usd_per_month(self, bytes: f64, prices: &CachePrices) -> Option<f64> {
        match self {
            Self::Gp3 => Some(prices.gp3_gib? * (bytes / GB)),
            Self::Lustre => Some(prices.lustre_gib? * lustre_gib(bytes)),
        }
    }
}

/// Capacity of the smallest file system of `FSx` for Lustre that holds `bytes`, GiB.
pub fn lustre_gib(bytes: f64) -> f64 {
    let (smallest, step) = LUSTRE_GIB;
    let gib = bytes / GB;
    if gib <= smallest { smallest } else { (gib / step).ceil() * step }
}

/// What a cache of one size saves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saving {
    /// Bytes read in a month; `None` where the log has no span.
    pub read_bytes_per_month: Option<f64>,
    /// US dollars a month before the price of the cache; `None` where the path's price, or the span, is not known.
    pub usd_per_month: Option<f64>,
}

/// What a cache saves that has `point` of `read_bytes` and `requests` in a log of `span_ms` milliseconds.
pub fn saving(
    point: Option<&CurvePoint>,
    (read_bytes, requests): (u64, u64),
    span_ms: i64,
    price: Option<PathPrice>,
    prices: &CachePrices,
) -> Saving {
    let months = (span_ms > 0).then(|| span_ms as f64 / MONTH_MS);
    let gb = months.map(|months| read_bytes as f64 / GB / months);
    let (bytes_ratio, requests_ratio) =
        point.map_or((0.0, 0.0), |point| (point.hit_bytes_ratio, point.hit_requests_ratio));
    let usd = |gb: f64, requests: f64| {
        let hits = gb * bytes_ratio;
        match price? {
            PathPrice::PerGb(usd) => Some(hits * usd),
            PathPrice::List(CachePath::InterRegion) => Some(hits * INTER_REGION),
            PathPrice::List(CachePath::Nat) => Some(hits * NAT),
            // What is left goes on at the first, dearest steps.
            PathPrice::List(CachePath::Internet) => {
                Some(internet_usd(gb) - internet_usd(gb - hits))
            }
            PathPrice::List(CachePath::Requests) => {
                Some(requests * requests_ratio / 1_000.0 * prices.get_per_1000?)
            }
        }
    };
    Saving {
        read_bytes_per_month: gb.map(|gb| gb * GB),
        usd_per_month: gb.zip(months).and_then(|(gb, months)| usd(gb, requests as f64 / months)),
    }
}

/// The point of the smallest cache that has nearly all hits of the largest; `None` where no cache has any.
pub fn best_size(curve: &[CurvePoint]) -> Option<&CurvePoint> {
    let most = curve.iter().map(|point| point.hit_bytes_ratio).fold(0.0, f64::max);
    let is_enough = |point: &&CurvePoint| point.hit_bytes_ratio >= NEARLY_ALL * most;
    (most > 0.0).then(|| curve.iter().find(is_enough))?
}
