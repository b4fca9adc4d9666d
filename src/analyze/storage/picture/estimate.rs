//! What a rule that moves old objects would save, where no list tells their ages: a range, from the daily sizes.

use super::ages::{OldBytes, old_bytes};
use super::bucket::is_current;
use crate::analyze::storage::findings::BucketCase;
use crate::analyze::storage::tiers::{Access, Cohort, Question, Target, compare};
use crate::domain::storage::sums::SMALL_OBJECT;
use crate::domain::storage::{GIB, StorageClass, Tier};
use crate::fleet::storage::{BucketKind, SavingsEstimate, SizedBy};

/// Age from which on objects are moved: the minimum duration of Glacier Instant Retrieval, after which most of what is
/// still there stays.
const AGE_DAYS: u32 = 90;

/// Months over which the fees of moving are spread, as in the finding of a wrong tier.
const MONTHS: u16 = 12;

/// Storage types whose bytes a rule could move to something colder that is read within milliseconds.
const MOVABLE: [(&str, Tier); 2] =
    [("StandardStorage", Tier::Standard), ("StandardIAStorage", Tier::StandardIa)];

/// What moving these bytes of each tier comes to.
struct Moved {
    usd: f64,
    to: Option<StorageClass>,
    fees_usd: f64,
}

/// The estimate of a bucket. `None` for one with a complete list, which tells more, for one that its tag exempts, and
/// where sizes, the number of objects or prices are not known, or nothing lies in a class that rules move from.
pub(super) fn of_bucket(case: &BucketCase<'_>) -> Option<SavingsEstimate> {
    let row = case.row;
    let is_listed = case.scan.is_some_and(|scan| scan.partial.is_none());
    if row.kind != BucketKind::Bucket || is_listed || case.is_exempt() {
        return None;
    }
    let SizedBy::CloudWatch(day) = row.sized_by? else { return None };
    let facts = row.facts.as_deref()?;
    let sizes: Vec<_> = facts.sizes.as_ref().ok()?.iter().filter(|s| is_current(s, day)).collect();
    let content: f64 =
        sizes.iter().filter(|s| !s.is_overhead).filter_map(|s| Some(s.last()?.1.max(0.0))).sum();
    let objects = row.objects? as f64;
    if content <= 0.0 || objects <= 0.0 {
        return None;
    }
    let mean = content / objects;
    let (mut old, mut history_days): (Vec<(Tier, OldBytes)>, _) = (Vec::new(), 0);
    for (kind, tier) in MOVABLE {
        let Some(series) = sizes.iter().find(|s| &*s.storage_type == kind) else { continue };
        let Some(found) = old_bytes(&series.points, AGE_DAYS as i32) else { continue };
        let first = series.points.first().map_or(day, |p| p.0);
        history_days = first.until(day).map_or(0, |span| span.get_days()).max(history_days);
        old.push((tier, found));
    }
    if old.is_empty() {
        return None;
    }
    let cohort = |tier: Tier, bytes: f64| Cohort {
        tier,
        objects: bytes / mean,
        bytes,
        is_small: mean < SMALL_OBJECT as f64,
        age_days: Some(f64::from(AGE_DAYS)),
    };
    let most: Vec<Cohort> = old.iter().map(|(tier, o)| cohort(*tier, o.at_most)).collect();
    let high = moved(case, &most, Access::NONE)?;
    let kept: Option<Vec<Cohort>> =
        old.iter().map(|(tier, o)| Some(cohort(*tier, o.if_kept?))).collect();
    // Of reads nobody knows which objects they are of: at worst all are of what was moved.
    let low = kept.as_ref().zip(facts.reads_per_month).and_then(|(kept, gets)| {
        let objects: f64 = kept.iter().map(|c| c.objects).sum();
        let reads = if objects > 0.0 { gets / objects } else { 0.0 };
        let access = Access { gets_per_month: Some(gets), ..Access::every(reads) };
        Some(moved(case, kept, access)?.usd)
    });
    let sum = |cohorts: &[Cohort]| cohorts.iter().map(|c| c.bytes).sum::<f64>() as u64;
    Some(SavingsEstimate {
        age_days: AGE_DAYS,
        old_at_most: sum(&most),
        old_if_kept: kept.as_deref().map(sum),
        history_days: history_days.unsigned_abs(),
        mean_object_bytes: mean as u64,
        reads_per_month: facts.reads_per_month,
        low_usd: low.unwrap_or(0.0).min(high.usd),
        high_usd: high.usd,
        to: high.to,
        fees_usd: high.fees_usd,
    })
}

/// The cheapest class that gives up nothing for these objects, beside the rest of the bucket, which stays. `None` where a
/// price is not known.
fn moved(case: &BucketCase<'_>, cohorts: &[Cohort], access: Access) -> Option<Moved> {
    let mut others = case.others?.clone();
    for share in &case.row.tiers {
        let own: f64 = cohorts.iter().filter(|c| c.tier == share.tier).map(|c| c.bytes).sum();
        others.add_gib(share.tier, (share.bytes as f64 - own) / GIB);
    }
    let found = compare(&Question {
        cohorts,
        prices: case.prices?,
        others: &others,
        access,
        moves_small: false,
        months: MONTHS,
    });
    let target = found.best.iter().find(|b| b.horizon_months == MONTHS)?.instant;
    let usd = found.saved_by(target, MONTHS)?.max(0.0) / f64::from(MONTHS);
    let to = match target {
        Target::Class(class) => Some(class),
        Target::Stay => None,
    };
    Some(Moved { usd, to, fees_usd: found.curve(target)?.fees.total() })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::Tags;
    use crate::domain::storage::{BucketFacts, DailySeries, Scan};
    use crate::tabs::storage::picture::fixture::{bucket, fleet_of, scan, series, sums, tree};

    const TIB: f64 = 1_099_511_627_776.0;

    fn standard(first: f64, last: f64, days: i32) -> DailySeries {
        series("StandardStorage", Tier::Standard, first, last, days)
    }

    /// The estimate of a bucket of 1,048,576 objects, changed, with a list.
    fn of(
        sizes: DailySeries,
        list: Option<Scan>,
        change: impl FnOnce(&mut BucketFacts),
    ) -> Option<SavingsEstimate> {
        let fleet = fleet_of(|f| {
            let mut one = bucket("one", "", Ok(vec![sizes]));
            let n = f64::from(1 << 20);
            one.objects = Ok(Some(series("AllStorageTypes", Tier::Unknown, n, n, 40)));
            change(&mut one);
            f.buckets = vec![Arc::new(one)];
            f.ebs.clear();
            f.scans = list.into_iter().map(Arc::new).collect();
        });
        fleet.bucket("one").unwrap().estimate
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6 * b.abs().max(1.0), "{a} instead of {b}");
    }

    #[test]
    fn what_never_shrank_may_all_be_old_and_saves_from_nothing_to_the_colder_class() {
        let found = of(standard(TIB, TIB, 200), None, |_| {}).unwrap();
        // By hand: 1,024 GiB from 0.023 to 0.004; 1,048,576 transitions at 0.02 per 1,000, over twelve months.
        let fees = 1_048_576.0 * 0.02 / 1_000.0;
        near(found.high_usd, 1_024.0 * (0.023 - 0.004) - fees / 12.0);
        near(found.fees_usd, fees);
        assert_eq!(found.to, Some(StorageClass::GlacierIr));
        assert_eq!(found.low_usd, 0.0, "nobody knows how often it is read");
        assert_eq!(found.old_at_most, 1 << 40);
        assert_eq!(found.old_if_kept, Some(1 << 40));
        assert_eq!((found.age_days, found.history_days), (90, 199));
        assert_eq!(found.mean_object_bytes, 1 << 20);
    }

    #[test]
    fn without_reads_the_range_closes_and_with_many_it_begins_at_nothing() {
        let never = of(standard(TIB, TIB, 200), None, |f| f.reads_per_month = Some(0.0)).unwrap();
        near(never.low_usd, never.high_usd);
        let often = of(standard(TIB, TIB, 200), None, |f| f.reads_per_month = Some(9e6)).unwrap();
        assert_eq!(often.low_usd, 0.0);
        near(often.high_usd, never.high_usd);
    }

    #[test]
    fn what_came_within_three_months_is_not_moved() {
        // From 0 to 1 TiB over 199 days: 90 days before the last it were 109/199.
        let found = of(standard(0.0, TIB, 200), None, |_| {}).unwrap();
        near(found.old_at_most as f64 / TIB, 109.0 / 199.0);
        let young = of(standard(TIB / 2.0, TIB, 40), None, |_| {}).unwrap();
        assert_eq!((young.old_at_most, young.old_if_kept), (1 << 39, None));
    }

    #[test]
    fn small_objects_are_not_moved_and_save_nothing() {
        // 1 GiB in 1,048,576 objects: 1 KiB each.
        let found = of(standard(GIB, GIB, 200), None, |_| {}).unwrap();
        assert_eq!((found.low_usd, found.high_usd, found.to), (0.0, 0.0, None));
        assert_eq!(found.fees_usd, 0.0);
    }

    #[test]
    fn a_list_an_exemption_or_no_count_leaves_no_estimate() {
        let all = || standard(TIB, TIB, 200);
        let parts = [("a/", sums(1_024, 1 << 30, Tier::Standard, 9))];
        let whole = || scan("one", tree(&parts, &[]));
        assert_eq!(of(all(), Some(whole()), |_| {}), None);
        let mut cut = whole();
        cut.partial = Some("cancelled".into());
        assert!(of(all(), Some(cut), |_| {}).is_some());
        let exempt = of(all(), None, |f| f.tags = Ok(Tags::from_raw([("burntop:exempt", "true")])));
        assert_eq!(exempt, None);
        assert_eq!(of(all(), None, |f| f.objects = Ok(None)), None);
        let archive = series("GlacierStorage", Tier::Glacier, TIB, TIB, 200);
        assert_eq!(of(archive, None, |_| {}), None);
    }
}
