//! Bytes in a tier that is dearer than another for their age and use.

use super::{BucketCase, LEAST_USD};
use crate::analyze::storage::tiers::{Access, Question, Target, cohorts, compare};
use crate::domain::storage::{
    Effort, FindingKind, FindingReason, PrefixTree, Risk, StorageFinding,
};
use crate::fleet::storage::BucketKind;

/// Months over which the fees of moving are spread.
const MONTHS: u16 = 12;

/// Where nobody knows how often a bucket is read, each byte is taken to be read once in three
/// months: Glacier Instant Retrieval pays below 0.63 full reads a month.
const ASSUMED_READS: f64 = 1.0 / 3.0;

/// Finds a bucket that would cost less in another class; `None` for the others. Dollars are a twelfth of a year's
/// saving with all fees, for the cheapest option that gives up nothing: read in milliseconds, kept in several zones.
pub(super) fn find(case: BucketCase<'_>) -> Option<StorageFinding> {
    if case.row.kind != BucketKind::Bucket {
        return None;
    }
    let sums = case.scan.filter(|s| s.partial.is_none())?.tree.sums(PrefixTree::ROOT);
    let objects = sums.all_objects() as f64;
    let known = case.row.facts.as_ref().and_then(|f| f.reads_per_month);
    let reads = known.filter(|_| objects > 0.0).map(|gets| gets / objects);
    let access = Access { gets_per_month: known, ..Access::every(reads.unwrap_or(ASSUMED_READS)) };
    let cohorts = cohorts(&sums);
    let found = compare(&Question {
        cohorts: &cohorts,
        prices: case.prices?,
        others: case.others?,
        access,
        moves_small: false,
        months: MONTHS,
    });
    let target = found.best.iter().find(|b| b.horizon_months == MONTHS)?.instant;
    let usd = found.saved_by(target, MONTHS)? / f64::from(MONTHS);
    let Target::Class(to) = target else { return None };
    if usd < LEAST_USD {
        return None;
    }
    let curve = found.curve(target)?;
    let (bytes, fees) = (curve.moved.1.max(0.0) as u64, curve.fees.total());
    let (payback, is_copied) = (found.payback_month(target), curve.is_copied());
    Some(
        case.finding(FindingKind::WrongTier, Effort::Low, Risk::Low)
            .bytes(Some(bytes))
            .usd(Some(usd))
            .because(FindingReason::WrongTier { bytes, to, reads, fees, payback, is_copied }),
    )
}
