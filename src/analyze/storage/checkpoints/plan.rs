//! What a policy would drop of a run, what that frees, and what it costs.

use std::collections::BTreeSet;

use super::never::{Reason, RunFacts};
use super::policy::Policy;
use crate::analyze::storage::price::{self, Rates};
use crate::domain::storage::{Fate, GIB, Run, Step, Tier};

/// Inputs that price and judge a plan.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// Time of the list, ms since 1970.
    pub listed_ms: i64,
    /// What becomes of deleted bytes.
    pub fate: Fate,
    /// USD per GiB-month of the last bytes, which are the ones saved.
    pub rates: &'a Rates,
}

/// A step that the policy does not keep but that must stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// Number of the step.
    pub step: u64,
    /// Reason why it must stay.
    pub reason: Reason,
}

/// Effect of a policy on one run. Every step is in exactly one of `keep`, `drop` and `blocked`.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPlan {
    /// Key prefix of the run.
    pub prefix: String,
    /// Numbers of the steps that the policy keeps, ascending.
    pub keep: Vec<u64>,
    /// Numbers of the steps to delete, ascending.
    pub drop: Vec<u64>,
    /// Steps that the policy does not keep and that must stay, ascending.
    pub blocked: Vec<Blocked>,
    /// Bytes of the whole run.
    pub bytes: u64,
    /// Bytes of the steps in `drop`.
    pub bytes_dropped: u64,
    /// Objects of the steps in `drop`.
    pub objects_dropped: u64,
    /// Bytes of `drop` that deleting frees; `None` where not known.
    pub bytes_freed: Option<u64>,
    /// Cost of the freed bytes, USD per month; `None` where the bytes or a price are not known.
    pub usd_per_month: Option<f64>,
    /// Cost of the dropped bytes, freed or not, USD per month; `None` without a price.
    pub usd_per_month_dropped: Option<f64>,
    /// Cost of the whole run, USD per month; `None` without a price.
    pub usd_per_month_now: Option<f64>,
    /// One-off early-delete charge for objects younger than their class's minimum storage duration, USD, by the
    /// age of the objects; more is due for objects that entered the class later. `None` without a price.
    pub early_delete_usd: Option<f64>,
    /// `DeleteObjects` requests of 1,000 keys; they are free.
    pub delete_requests: u64,
    /// Largest distance in step numbers between steps that stay: the most training that has to be repeated.
    /// `None` without such steps.
    pub largest_gap: Option<u64>,
    /// True when the policy keeps the best steps, but the names contain no metric.
    pub has_no_metric: bool,
}

/// Applies a policy to a run.
pub fn plan(run: &Run, policy: &Policy, terms: &Terms<'_>) -> RunPlan {
    let kept = policy.keeps(run, terms.listed_ms);
    let facts = RunFacts::new(run, terms.listed_ms);
    let (mut keep, mut blocked, mut dropped) = (Vec::new(), Vec::new(), Vec::new());
    for step in &run.steps {
        if kept.contains(&step.step) {
            keep.push(step.step);
        } else if let Some(reason) = facts.reason(step) {
            blocked.push(Blocked { step: step.step, reason });
        } else {
            dropped.push(step);
        }
    }
    let bytes_dropped = dropped.iter().map(|s| s.bytes).fold(0, u64::saturating_add);
    let objects_dropped = dropped.iter().map(|s| s.objects).sum();
    let usd_dropped = usd(dropped.iter().copied(), terms.rates);
    let bytes_freed = terms.fate.freed(bytes_dropped);
    RunPlan {
        prefix: run.prefix.clone(),
        bytes: run.bytes,
        bytes_dropped,
        objects_dropped,
        bytes_freed,
        usd_per_month: match bytes_freed {
            None => None,
            Some(0) => Some(0.0),
            Some(_) => usd_dropped,
        },
        usd_per_month_dropped: usd_dropped,
        usd_per_month_now: usd(run.steps.iter(), terms.rates),
        early_delete_usd: early_delete(&dropped, terms),
        delete_requests: u64::div_ceil(objects_dropped, 1000),
        largest_gap: largest_gap(&keep, &blocked),
        has_no_metric: policy.best > 0 && run.metric.is_none(),
        drop: dropped.iter().map(|s| s.step).collect(),
        keep,
        blocked,
    }
}

/// Bytes that the policy alone would leave, incomplete steps included: the goal once no run is active and no
/// pointer refers to a step.
pub fn left_by_policy(run: &Run, policy: &Policy, listed_ms: i64) -> u64 {
    let kept = policy.keeps(run, listed_ms);
    let stays = |s: &&Step| kept.contains(&s.step) || !s.complete;
    run.steps.iter().filter(stays).map(|s| s.bytes).fold(0, u64::saturating_add)
}

/// Dollars per month of steps; `None` as soon as one byte has no price.
fn usd<'a>(steps: impl Iterator<Item = &'a Step>, rates: &Rates) -> Option<f64> {
    let mut bytes = [0u64; Tier::COUNT];
    for (tier, count) in steps.flat_map(|s| &s.tiers) {
        bytes[tier.index()] = bytes[tier.index()].saturating_add(*count);
    }
    Tier::ALL
        .into_iter()
        .filter(|tier| bytes[tier.index()] > 0)
        .map(|tier| Some(rates.usd_per_gib(tier)? * bytes[tier.index()] as f64 / GIB))
        .sum()
}

fn early_delete(steps: &[&Step], terms: &Terms<'_>) -> Option<f64> {
    let one = |step: &Step| -> Option<f64> {
        let days = terms.listed_ms.saturating_sub(step.newest_ms).max(0) as f64 / 86_400_000.0;
        let all: u64 = step.tiers.iter().map(|(_, bytes)| bytes).sum();
        let part = |(tier, bytes): &(Tier, u64)| {
            let objects = step.objects as f64 * *bytes as f64 / all.max(1) as f64;
            price::early_delete_usd(*tier, objects, *bytes as f64, days, terms.rates)
        };
        step.tiers.iter().map(part).sum()
    };
    steps.iter().map(|s| one(s)).sum()
}

fn largest_gap(keep: &[u64], blocked: &[Blocked]) -> Option<u64> {
    let stays: BTreeSet<u64> = keep.iter().copied().chain(blocked.iter().map(|b| b.step)).collect();
    let stays: Vec<u64> = stays.into_iter().collect();
    stays.windows(2).map(|w| w[1] - w[0]).max()
}
