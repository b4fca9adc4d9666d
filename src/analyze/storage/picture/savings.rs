//! What the findings about one thing save together: not their sum, for they overlap.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::storage::{FindingKind, StorageFinding};

/// Savings of a bucket, USD per month: for each kind the sum of its findings, of the kinds the greatest, at most what
/// the bucket costs. `None` when no finding has dollars.
pub(super) fn of_bucket(findings: &[Arc<StorageFinding>], costs: Option<f64>) -> Option<f64> {
    let mut kinds: BTreeMap<FindingKind, f64> = BTreeMap::new();
    for finding in findings {
        if let Some(usd) = finding.usd_per_month {
            *kinds.entry(finding.kind).or_default() += usd;
        }
    }
    let most = kinds.into_values().max_by(f64::total_cmp)?;
    Some(costs.map_or(most, |usd| most.min(usd)))
}

/// Savings of a volume or snapshot, USD per month: the greatest of its findings, at most its cost. `None` when no
/// finding has dollars.
pub(super) fn of_block(findings: &[Arc<StorageFinding>], costs: Option<f64>) -> Option<f64> {
    let most = findings.iter().filter_map(|f| f.usd_per_month).max_by(f64::total_cmp)?;
    Some(costs.map_or(most, |usd| most.min(usd)))
}
