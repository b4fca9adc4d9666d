//! Copies, prefix against prefix.

use super::{BucketCase, LEAST_USD};
use crate::domain::storage::{
    Confidence, Effort, FindingKind, FindingReason, PrefixPair, Risk, StorageFinding,
};
use crate::domain::text::clean;

/// Pairs that become findings; the analysis itself has all of them.
const MOST: usize = 50;

/// Dollars of the copy at its class and the account's last volume step. Copies that are only of the
/// same size are no saving yet: no dollars.
pub(super) fn find(case: BucketCase<'_>) -> Vec<StorageFinding> {
    let pairs = case.scan.and_then(|s| s.duplicates.as_deref());
    let mut out: Vec<StorageFinding> =
        pairs.into_iter().flatten().filter_map(|pair| of_pair(case, pair)).collect();
    let usd = |f: &StorageFinding| f.usd_per_month.unwrap_or(0.0);
    out.sort_by(|a, b| usd(b).total_cmp(&usd(a)));
    out.truncate(MOST);
    out
}

fn of_pair(case: BucketCase<'_>, pair: &PrefixPair) -> Option<StorageFinding> {
    let is_sure = pair.confidence <= Confidence::C;
    let usd = case.usd_of(pair.tiers.iter().copied()).filter(|_| is_sure);
    if usd.is_some_and(|usd| usd < LEAST_USD) {
        return None;
    }
    let (a, b) = (clean(&pair.prefix_a), clean(&pair.prefix_b));
    let reason = FindingReason::Copies {
        original: a.as_ref().into(),
        copy: b.as_ref().into(),
        share: pair.containment_b_in_a,
        confidence: pair.confidence,
        objects: pair.objects,
        bytes: pair.bytes,
    };
    let effort = if pair.confidence <= Confidence::B { Effort::Low } else { Effort::Medium };
    Some(
        case.finding(FindingKind::Duplicates, effort, Risk::Medium)
            .prefix(&case.row.name, &b)
            .bytes(Some(pair.bytes))
            .usd(usd)
            .because(reason),
    )
}
