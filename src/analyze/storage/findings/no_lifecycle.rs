//! A bucket without lifecycle rules.

use super::{BucketCase, size};
use crate::domain::storage::{Effort, FindingKind, Risk, StorageFinding};
use crate::fleet::storage::BucketKind;

/// Growth that is worth a word, bytes per month.
const GROWS: f64 = 1_073_741_824.0;

/// What rules would save depends on the rules: no dollars. The findings about what such rules would
/// clean up have them.
pub(super) fn find(case: BucketCase<'_>) -> Option<StorageFinding> {
    let row = case.row;
    let none = case.lifecycle()?.is_none_or(|l| l.rules.iter().all(|r| !r.enabled));
    // Rules of directory buckets can do little; a bucket that costs nothing needs none.
    let is_small = row.usd_per_month.is_some_and(|usd| usd < super::LEAST_USD);
    if !none || is_small || row.kind != BucketKind::Bucket {
        return None;
    }
    let grows = match row.growth {
        Some(g) if g.bytes_per_month > GROWS => {
            format!(", and it grows by {} a month", size(g.bytes_per_month as u64))
        }
        _ => String::new(),
    };
    Some(case.finding(FindingKind::NoLifecycle, Effort::Low, Risk::Low).bytes(row.bytes).says(
        format!("No lifecycle rule is in force{grows}."),
        "Begin with a rule that aborts incomplete uploads after 7 days.",
    ))
}
