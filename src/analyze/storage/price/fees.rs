//! What is paid once: moving, reading back, deleting too early. Deleting itself is free, by hand
//! (`DELETE`) and by lifecycle.

use super::DAYS_PER_MONTH;
use super::month::{ARCHIVE_NAME, billed_bytes, has_archive_overhead};
use super::rates::Rates;
use crate::domain::storage::{GIB, S3Prices, Tier};

/// Days that an object is billed for in a tier at least, counted from when it came into it ("S3
/// storage classes", Amazon S3 user guide). Intelligent-Tiering has none.
pub fn minimum_days(tier: Tier) -> u32 {
    match tier {
        Tier::StandardIa | Tier::OnezoneIa => 30,
        Tier::GlacierIr | Tier::Glacier => 90,
        Tier::DeepArchive => 180,
        _ => 0,
    }
}

/// Days that are still to be paid when an object leaves a tier, or is deleted, after `days_in_tier`.
pub fn early_delete_days(tier: Tier, days_in_tier: f64) -> f64 {
    (f64::from(minimum_days(tier)) - days_in_tier.max(0.0)).max(0.0)
}

/// Dollars for leaving a tier, or being deleted, after `days_in_tier` days: the rest of the minimum,
/// pro rata, of what the objects are billed for (padding and the archive's overheads included).
/// `bytes` are the billed bytes of `objects` without the archive's index and names. `None` when the
/// price is not known; 0 for tiers without a minimum.
pub fn early_delete_usd(
    tier: Tier,
    objects: f64,
    bytes: f64,
    days_in_tier: f64,
    rates: &Rates,
) -> Option<f64> {
    let days = early_delete_days(tier, days_in_tier);
    if days <= 0.0 {
        return Some(0.0);
    }
    let mut per_month = rates.usd_per_gib(tier)? * bytes / GIB;
    if has_archive_overhead(tier) {
        let index = billed_bytes(tier, 0) as f64;
        per_month += rates.usd_per_gib(tier)? * objects * index / GIB;
        per_month += rates.usd_per_gib(Tier::Standard)? * objects * ARCHIVE_NAME as f64 / GIB;
    }
    Some(per_month * days / DAYS_PER_MONTH)
}

/// Dollars for moving `objects` into a tier by lifecycle; `None` when the price is not known, or
/// when nothing can be moved there.
pub fn transition_usd(prices: &S3Prices, to: Tier, objects: f64) -> Option<f64> {
    Some(prices.tier(to)?.transition_per_1000? * objects / 1000.0)
}

/// Dollars for reading `bytes` out of a tier with `objects` restore requests where it asks for them
/// (standard speed); the GET requests are not in it, see [`requests_usd`].
pub fn retrieval_usd(prices: &S3Prices, from: Tier, objects: f64, bytes: f64) -> Option<f64> {
    let tier = prices.tier(from)?;
    let restore = if matches!(from, Tier::Glacier | Tier::DeepArchive) {
        tier.restore_per_1000? * objects / 1000.0
    } else {
        0.0
    };
    Some(tier.retrieval_per_gib? * bytes / GIB + restore)
}

/// Cost of `gets` GET requests to objects of a tier, USD; `None` when the price is not known.
pub fn requests_usd(prices: &S3Prices, tier: Tier, gets: f64) -> Option<f64> {
    Some(prices.tier(tier)?.get_per_1000? * gets / 1000.0)
}
