//! A bucket that nothing was written to for a long time.

use jiff::Timestamp;

use super::{BucketCase, LEAST_USD};
use crate::domain::storage::{Effort, FindingKind, FindingReason, Risk, StorageFinding, Unwritten};
use crate::fleet::storage::BucketRow;

/// Days without a new object that make a bucket look abandoned, by a list.
const LISTED_DAYS: i64 = 365;

/// Days of sizes and counts without any change, by CloudWatch.
const STILL_DAYS: u32 = 90;

/// A bucket that is read is not abandoned. Where request metrics show no read, the dollars are all
/// that it costs: what deleting it would save. Whether it is read is mostly not known; then nothing
/// is claimed to be saved, and the reason has what it costs.
pub(super) fn find(case: BucketCase<'_>) -> Option<StorageFinding> {
    let row = case.row;
    let reads = row.facts.as_ref().and_then(|f| f.reads_per_month);
    if reads.is_some_and(|reads| reads > 0.0) || row.usd_per_month.is_some_and(|u| u < LEAST_USD) {
        return None;
    }
    let since = match row.last_write {
        Some(at) => {
            let days = days_between(at, case.now);
            (days >= LISTED_DAYS).then_some(Unwritten::Newest(days))?
        }
        None => Unwritten::Unchanged(still_days(row)?),
    };
    let (is_unread, costs) = (reads.is_some(), row.usd_per_month);
    Some(
        case.finding(FindingKind::Abandoned, Effort::Medium, Risk::High)
            .bytes(row.bytes)
            .usd(row.usd_per_month.filter(|_| reads.is_some()))
            .because(FindingReason::Abandoned { since, is_unread, costs }),
    )
}

fn days_between(from: Timestamp, to: Timestamp) -> i64 {
    to.duration_since(from).as_secs() / 86_400
}

/// Days over which CloudWatch saw neither the size nor the number of objects change; `None` when
/// they did, or when that is not known for long enough.
fn still_days(row: &BucketRow) -> Option<u32> {
    let facts = row.facts.as_ref()?;
    let counts = facts.objects.as_ref().ok()?.as_ref()?;
    let days = |points: &[(jiff::civil::Date, f64)]| {
        let (first, last) = (points.first()?, points.last()?);
        let still = points.iter().all(|p| (p.1 - first.1).abs() < 0.5);
        let span = first.0.until(last.0).ok()?.get_days();
        still.then(|| u32::try_from(span).unwrap_or(0))
    };
    let mut least = days(&counts.points)?;
    for series in facts.sizes.as_ref().ok()?.iter().filter(|s| !s.is_overhead) {
        least = least.min(days(&series.points)?);
    }
    (least >= STILL_DAYS).then_some(least)
}
