//! Bytes in a tier that is dearer than another for their age and use.

use super::{BucketCase, LEAST_USD, size};
use crate::analyze::storage::tiers::{Access, Question, Target, cohorts, compare};
use crate::domain::storage::{Effort, FindingKind, PrefixTree, Risk, StorageFinding};
use crate::fleet::storage::BucketKind;

/// Months over which the fees of moving are spread.
const MONTHS: u16 = 12;

/// Where nobody knows how often a bucket is read, each byte is taken to be read once in three
/// months: Glacier Instant Retrieval pays below 0.63 full reads a month.
const ASSUMED_READS: f64 = 1.0 / 3.0;

/// Dollars are those of a year with all fees in it, by twelve, for the cheapest option that gives up
/// nothing: read in milliseconds, kept in several zones.
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
    if target == Target::Stay || usd < LEAST_USD {
        return None;
    }
    let bytes = found.curve(target)?.moved.1;
    let fees = found.curve(target)?.fees.total();
    let when = match reads {
        Some(reads) => format!("at its {reads:.2} reads of each object a month"),
        None => "if each byte is read at most once in 3 months, which nobody measured".to_owned(),
    };
    let payback = found
        .payback_month(target)
        .map_or(String::new(), |month| format!(", and is paid back in month {month}"));
    let says = format!(
        "{} would cost less in {} {when}; moving costs ${fees:.0} once{payback}.",
        size(bytes.max(0.0) as u64),
        target.word().replace('_', " "),
    );
    Some(
        case.finding(FindingKind::WrongTier, Effort::Low, Risk::Low)
            .bytes(Some(bytes.max(0.0) as u64))
            .usd(Some(usd))
            .says(says, "Look at the tier what-if, then let a lifecycle rule move them."),
    )
}
