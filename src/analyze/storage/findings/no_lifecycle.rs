//! A bucket without lifecycle rules.

use super::BucketCase;
use crate::domain::storage::{Effort, FindingKind, FindingReason, Risk, StorageFinding};
use crate::fleet::storage::BucketKind;

/// Growth that is worth a word, bytes per month.
const GROWS: f64 = 1_073_741_824.0;

/// Finds a bucket without lifecycle rules; `None` for one that has rules. Without dollars: what rules would save
/// depends on the rules, and findings about what they would clean up have the dollars.
pub(super) fn find(case: BucketCase<'_>) -> Option<StorageFinding> {
    let row = case.row;
    let none = case.lifecycle()?.is_none_or(|l| l.rules.iter().all(|r| !r.enabled));
    // Rules of directory buckets can do little; a bucket that costs nothing needs none.
    let is_small = row.usd_per_month.is_some_and(|usd| usd < super::LEAST_USD);
    if !none || is_small || row.kind != BucketKind::Bucket {
        return None;
    }
    let grows = row.growth.map(|g| g.bytes_per_month).filter(|by| *by > GROWS);
    let draft = case.finding(FindingKind::NoLifecycle, Effort::Low, Risk::Low).bytes(row.bytes);
    Some(draft.because(FindingReason::NoLifecycle { grows: grows.map(|by| by as u64) }))
}
