//! Noncurrent versions that nothing deletes.

use super::{BucketCase, LEAST_USD, known};
use crate::domain::storage::{
    Effort, FindingKind, FindingReason, Lifecycle, Risk, StorageFinding, Versioning,
};

pub(super) fn find(case: BucketCase<'_>) -> Option<StorageFinding> {
    let lifecycle = case.lifecycle();
    if lifecycle.flatten().is_some_and(expires_old_versions) {
        return None;
    }
    let draft = case.finding(FindingKind::Noncurrent, Effort::Low, Risk::Medium);
    if let Some(scan) = case.scan {
        let sums = scan.tree.sums(crate::domain::storage::PrefixTree::ROOT);
        if sums.noncurrent_bytes == 0 {
            return None;
        }
        let usd = case.usd_at_mean(sums.noncurrent_bytes);
        if usd.is_some_and(|usd| usd < LEAST_USD) {
            return None;
        }
        let (versions, bytes) = (sums.noncurrent_objects, sums.noncurrent_bytes);
        let is_rule_known = lifecycle.is_some();
        let draft = draft.bytes(Some(bytes)).usd(usd.filter(|_| is_rule_known));
        return Some(draft.because(FindingReason::OldVersions { versions, bytes, is_rule_known }));
    }
    // Without a list only that they may be there.
    let versioning = *known(&case.row.facts.as_ref()?.versioning)?;
    let is_small = case.row.usd_per_month.is_some_and(|usd| usd < LEAST_USD);
    if versioning == Versioning::Off || lifecycle.is_none() || is_small {
        return None;
    }
    Some(draft.because(FindingReason::Versioning { is_on: versioning == Versioning::Enabled }))
}

/// True when an enabled rule deletes old versions somewhere in the bucket: then somebody thought of
/// them.
pub(super) fn expires_old_versions(lifecycle: &Lifecycle) -> bool {
    lifecycle.rules.iter().any(|r| r.enabled && r.noncurrent_expiration.is_some())
}
