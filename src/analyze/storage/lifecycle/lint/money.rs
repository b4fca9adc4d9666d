//! Moves that cost more than they save.

use super::sizes::{Covered, SMALL_BINS, covered};
use super::waterfall::{minimum_days, once_ia};
use super::{Code, LintContext, LintFinding};
use crate::analyze::storage::price::{DAYS_PER_MONTH, object_monthly, transition_usd};
use crate::domain::storage::sums::{SIZE_BOUNDS, SMALL_OBJECT};
use crate::domain::storage::{
    Lifecycle, LifecycleRule, MinimumSize, S3Prices, StorageClass, Tier, When,
};

/// Full reads per month above which an IA class costs more than Standard, at list prices of
/// us-east-1: (0.023 − 0.0125) / 0.01. Used where no prices are given.
const IA_BREAK_EVEN: f64 = 1.05;

/// Break-even of reads per month for One Zone-IA: (0.023 − 0.01) / 0.01.
const ZIA_BREAK_EVEN: f64 = 1.3;

/// Break-even of reads per month for Glacier Instant Retrieval: (0.023 − 0.004) / 0.03.
const GIR_BREAK_EVEN: f64 = 0.633;

/// Months after which a move that is not paid back is called one that does not pay.
const PATIENCE_MONTHS: f64 = 24.0;

/// A move with the day on which it ends: the next step, or the expiration.
struct Move {
    class: StorageClass,
    day: i64,
    until: Option<i64>,
    ends_in_deletion: bool,
}

pub(super) fn check(lifecycle: &Lifecycle, ctx: &LintContext<'_>, out: &mut Vec<LintFinding>) {
    for (i, rule) in lifecycle.rules.iter().enumerate().filter(|(_, r)| r.enabled) {
        let covered = covered(rule, ctx.sizes);
        let prices = ctx.sizes.map(|s| s.prices);
        for step in moves(rule) {
            let mut say = |code, text: String, usd: Option<f64>| {
                out.push(LintFinding::of(lifecycle, i, code, text).costing(usd));
            };
            reads(&step, ctx, covered.as_ref(), prices, &mut say);
            too_short(&step, covered.as_ref(), prices, &mut say);
            small(lifecycle, rule, &step, covered.as_ref(), prices, &mut say);
        }
        minimum_size(lifecycle, i, rule, covered.as_ref(), out);
    }
}

type Say<'a> = &'a mut dyn FnMut(Code, String, Option<f64>);

/// The moves of current objects by days, to classes that exist, in time.
fn moves(rule: &LifecycleRule) -> Vec<Move> {
    let mut steps: Vec<(i64, StorageClass)> = rule
        .transitions
        .iter()
        .filter_map(|t| match t.when {
            When::Days(days) => Some((days, StorageClass::from_api(&t.class)?)),
            When::Date(_) => None,
        })
        .collect();
    steps.sort_by_key(|(day, _)| *day);
    let end = match rule.expiration.as_ref().and_then(|e| e.when.as_ref()) {
        Some(When::Days(days)) => Some(*days),
        _ => None,
    };
    let after = |i: usize| steps.get(i + 1).map(|(day, _)| *day);
    (0..steps.len())
        .map(|i| Move {
            day: steps[i].0,
            class: steps[i].1,
            until: after(i).or(end),
            ends_in_deletion: after(i).is_none() && end.is_some(),
        })
        .collect()
}

fn reads(
    step: &Move,
    ctx: &LintContext<'_>,
    covered: Option<&Covered>,
    prices: Option<&S3Prices>,
    say: Say<'_>,
) {
    let Some(reads) = ctx.reads_per_month else { return };
    let (code, fallback) = match step.class {
        StorageClass::StandardIa => (Code::IaReadTooOften, IA_BREAK_EVEN),
        StorageClass::OnezoneIa => (Code::IaReadTooOften, ZIA_BREAK_EVEN),
        StorageClass::GlacierIr => (Code::GirReadTooOften, GIR_BREAK_EVEN),
        _ => return,
    };
    let to = Tier::of(step.class);
    let priced = covered.zip(prices).and_then(|(under, list)| {
        let from = under.rates.usd_per_gib(Tier::Standard)?;
        let into = under.rates.usd_per_gib(to)?;
        Some((from - into, list.tier(to)?.retrieval_per_gib?, under.standard_gib(step.day)))
    });
    let even = match priced {
        Some((saved, back, _)) if back > 0.0 => saved / back,
        _ => fallback,
    };
    if reads <= even {
        return;
    }
    let usd = priced.map(|(saved, back, gib)| gib * (reads * back - saved));
    say(
        code,
        format!(
            "{} for what is read {reads} times a month: reading it back costs more than the class \
             saves above {even:.2} full reads a month; leave it in Standard, or use \
             INTELLIGENT_TIERING",
            step.class.api()
        ),
        usd,
    );
}

fn too_short(step: &Move, covered: Option<&Covered>, prices: Option<&S3Prices>, say: Say<'_>) {
    let Some(until) = step.until.filter(|u| *u > step.day) else { return };
    let days = until - step.day;
    let least = minimum_days(step.class);
    let class = step.class.api();
    if days < least {
        let what = if step.ends_in_deletion { "deleted" } else { "moved on" };
        say(
            Code::EarlyDelete,
            format!(
                "{what} {days} days after the move to {class}, which is billed for {least} days at least"
            ),
            None,
        );
    }
    let Some((covered, prices)) = covered.zip(prices) else { return };
    let at = Tier::Standard.index();
    let (objects, bytes) = (covered.sums.objects[at], covered.sums.bytes[at]);
    if objects == 0 {
        return;
    }
    // Of an object of the mean size: what the days in the class save, against the fee.
    let mean = bytes / objects;
    let to = Tier::of(step.class);
    let sum = || {
        let before = object_monthly(Tier::Standard, mean, &covered.rates)?;
        let after = object_monthly(to, mean, &covered.rates)?;
        let fee = transition_usd(prices, to, 1.0)?;
        let months = days as f64 / DAYS_PER_MONTH;
        let billed = days.max(least) as f64 / DAYS_PER_MONTH;
        Some(fee + after * billed - before * months)
    };
    let Some(loss) = sum().filter(|loss| *loss > 0.0) else { return };
    // In the steady state as many objects are moved per month as expire.
    let per_month = objects as f64 / (until as f64 / DAYS_PER_MONTH);
    say(
        Code::NeverPaysBack,
        format!(
            "{days} days in {class} do not pay back the move of objects of {mean} bytes on average; drop it"
        ),
        Some(loss * per_month),
    );
}

/// True when the configuration lets objects under 128 KiB move into a class.
fn moves_small(lifecycle: &Lifecycle, rule: &LifecycleRule, class: StorageClass) -> bool {
    if rule.filter.has_size() {
        return rule.filter.larger_than.is_none_or(|n| n < SMALL_OBJECT as i64 - 1);
    }
    lifecycle.minimum_size == Some(MinimumSize::Varies)
        && matches!(class, StorageClass::Glacier | StorageClass::DeepArchive)
}

fn small(
    lifecycle: &Lifecycle,
    rule: &LifecycleRule,
    step: &Move,
    covered: Option<&Covered>,
    prices: Option<&S3Prices>,
    say: Say<'_>,
) {
    if !moves_small(lifecycle, rule, step.class) {
        return;
    }
    let class = step.class.api();
    if step.class == StorageClass::IntelligentTiering {
        say(
            Code::TooSmallForTiering,
            "objects under 128 KB are moved for a fee and then neither watched nor moved on: add \
             ObjectSizeGreaterThan 131072"
                .into(),
            None,
        );
        return;
    }
    let overhead = if once_ia(step.class) || step.class == StorageClass::GlacierIr {
        "is billed as 128 KB"
    } else {
        "carries 40 KB of overhead"
    };
    let text = format!(
        "objects under 128 KB move to {class} as well, where each {overhead}, for a fee of its \
         own: add ObjectSizeGreaterThan 131072"
    );
    let Some((covered, prices)) = covered.zip(prices) else {
        say(Code::SmallObjects, text, None);
        return;
    };
    let (mut objects, mut more) = (0u64, Some(0.0));
    for bin in 0..SMALL_BINS {
        let count = covered.sums.size_objects[bin];
        if count == 0 {
            continue;
        }
        let mean = covered.sums.size_bytes[bin] / count;
        let to = Tier::of(step.class);
        let dearer = || {
            let before = object_monthly(Tier::Standard, mean, &covered.rates)?;
            let after = object_monthly(to, mean, &covered.rates)?;
            let fee = transition_usd(prices, to, 1.0)?;
            Some((after - before, fee))
        };
        let Some((dearer, fee)) = dearer() else {
            more = None;
            objects += count;
            continue;
        };
        // What saves too little is a loss for as long as anybody waits.
        if dearer + fee / PATIENCE_MONTHS > 0.0 {
            objects += count;
            let monthly = count as f64 * (dearer + fee / PATIENCE_MONTHS);
            more = more.map(|m: f64| m + monthly);
        }
    }
    if objects > 0 {
        let bound = SIZE_BOUNDS[SMALL_BINS - 1];
        say(
            Code::SmallObjects,
            format!(
                "{text} ({objects} objects under {bound} bytes, the fee spread over 24 months)"
            ),
            more,
        );
    }
}

/// Finding about the default minimum size, where a rule moves objects and sets no size.
fn minimum_size(
    lifecycle: &Lifecycle,
    index: usize,
    rule: &LifecycleRule,
    covered: Option<&Covered>,
    out: &mut Vec<LintFinding>,
) {
    if rule.transitions.is_empty() || rule.filter.has_size() {
        return;
    }
    let small: Option<u64> = covered.map(|c| c.sums.size_objects[..SMALL_BINS].iter().sum());
    if small == Some(0) {
        return;
    }
    let count = small.map_or(String::new(), |n| format!(" ({n} of the list)"));
    let text = match lifecycle.minimum_size {
        Some(MinimumSize::Varies) => {
            format!(
                "objects under 128 KB{count} move to GLACIER and DEEP_ARCHIVE, and to no other class (varies_by_storage_class)"
            )
        }
        Some(MinimumSize::All128K) => {
            format!("objects under 128 KB{count} stay where they are (all_storage_classes_128K)")
        }
        None => format!(
            "objects under 128 KB{count} stay where they are, if the bucket has today's default \
             (all_storage_classes_128K); one from before September 2024 moves them to GLACIER and \
             DEEP_ARCHIVE"
        ),
    };
    out.push(LintFinding::of(lifecycle, index, Code::MinimumSize, text));
}
