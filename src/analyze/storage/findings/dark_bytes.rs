//! Bytes that CloudWatch bills and no list shows: parts of incomplete uploads, and noncurrent
//! versions where the list has only current ones.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::{BucketCase, LEAST_USD, known};
use crate::domain::storage::{
    DailySeries, Effort, FindingKind, FindingReason, PrefixTree, Risk, ScanOrigin, StorageFinding,
};

/// Days that the list and CloudWatch's day may lie apart.
const APART: i32 = 2;

/// Share of the bucket under which a difference is only the time between the two, 0–1.
const LEAST_SHARE: f64 = 0.01;

pub(super) fn find(case: BucketCase<'_>) -> Option<StorageFinding> {
    let scan = case.scan.filter(|s| s.partial.is_none())?;
    if matches!(scan.origin, ScanOrigin::Directory(_)) {
        return None;
    }
    let series = known(&case.row.facts.as_ref()?.sizes)?;
    let day = scan.listed_at.to_zoned(TimeZone::UTC).date();
    let billed = content_on(series, day)?;
    let listed = scan.tree.sums(PrefixTree::ROOT).all_bytes();
    let dark = (billed - listed as f64).max(0.0);
    if dark < billed * LEAST_SHARE {
        return None;
    }
    let usd = case.usd_at_mean(dark as u64);
    if usd.is_some_and(|usd| usd < LEAST_USD) {
        return None;
    }
    let (billed, dark) = (billed as u64, dark as u64);
    Some(
        case.finding(FindingKind::DarkBytes, Effort::Low, Risk::Low)
            .bytes(Some(dark))
            .usd(usd)
            .because(FindingReason::DarkBytes { billed, listed, dark, day }),
    )
}

/// Bytes of content that CloudWatch tells for the day nearest to `day`, all storage types together;
/// overheads are no content. `None` when it is too far away.
fn content_on(series: &[DailySeries], day: Date) -> Option<f64> {
    let apart = |d: &Date| day.until(*d).map_or(i32::MAX, |span| span.get_days().abs());
    let nearest = series
        .iter()
        .filter(|s| !s.is_overhead)
        .flat_map(|s| s.points.iter().map(|p| p.0))
        .min_by_key(apart)
        .filter(|d| apart(d) <= APART)?;
    let on = |s: &DailySeries| s.points.iter().find(|p| p.0 == nearest).map(|p| p.1);
    Some(series.iter().filter(|s| !s.is_overhead).filter_map(on).sum())
}
