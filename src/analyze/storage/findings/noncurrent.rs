//! Noncurrent versions that nothing deletes.

use super::{BucketCase, LEAST_USD, known, size};
use crate::domain::storage::{Effort, FindingKind, Lifecycle, Risk, StorageFinding, Versioning};

pub(super) fn find(case: BucketCase<'_>) -> Option<StorageFinding> {
    let lifecycle = case.lifecycle();
    if lifecycle.flatten().is_some_and(expires_old_versions) {
        return None;
    }
    let draft = case.finding(FindingKind::Noncurrent, Effort::Low, Risk::Medium);
    let fix = "Add a rule that expires noncurrent versions, for example 30 days after.";
    if let Some(scan) = case.scan {
        let sums = scan.tree.sums(crate::domain::storage::PrefixTree::ROOT);
        if sums.noncurrent_bytes == 0 {
            return None;
        }
        let usd = case.usd_at_mean(sums.noncurrent_bytes);
        if usd.is_some_and(|usd| usd < LEAST_USD) {
            return None;
        }
        let what = format!(
            "{} noncurrent versions hold {}",
            sums.noncurrent_objects,
            size(sums.noncurrent_bytes)
        );
        let (usd, says) = match lifecycle {
            Some(_) => (usd, format!("{what} and no rule deletes them.")),
            None => (None, format!("{what}; whether a rule deletes them is not known.")),
        };
        return Some(draft.bytes(Some(sums.noncurrent_bytes)).usd(usd).says(says, fix));
    }
    // Without a list only that they may be there.
    let versioning = *known(&case.row.facts.as_ref()?.versioning)?;
    let is_small = case.row.usd_per_month.is_some_and(|usd| usd < LEAST_USD);
    if versioning == Versioning::Off || lifecycle.is_none() || is_small {
        return None;
    }
    let word = if versioning == Versioning::Enabled { "on" } else { "suspended" };
    let says = format!(
        "Versioning is {word} and no rule deletes old versions; how much they hold is not known \
         without a list of versions."
    );
    Some(draft.says(says, fix))
}

/// True when an enabled rule deletes old versions somewhere in the bucket: then somebody thought of
/// them.
pub(super) fn expires_old_versions(lifecycle: &Lifecycle) -> bool {
    lifecycle.rules.iter().any(|r| r.enabled && r.noncurrent_expiration.is_some())
}
