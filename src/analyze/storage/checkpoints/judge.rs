//! Recognises a training run in a directory, or none.

use std::collections::BTreeMap;

use super::content::{
    COMMON, DCP_METADATA, DEEPSPEED, DISTCP, EXPECTED, HELD, MALFORMED, MARK, MEGATRON_RANK, NEMO,
    ORBAX, TEMPORARY, TF_INDEX, TRAINER_STATE, UNDATED, UNFINISHED,
};
use super::metric::Better;
use super::pattern::Pattern;
use super::table::{GroupSeen, SideFiles, StepSeen};
use crate::domain::storage::{Family, Metric, Run, Step};

/// Time after its newest object for which a run counts as active, milliseconds: an inventory lags up to 48
/// hours.
pub const ACTIVE_MS: i64 = 48 * 3_600_000;

/// Everything collected about one directory.
pub struct Seen<'a> {
    /// Convention by which the steps are named.
    pub pattern: Pattern,
    /// Key prefix of the directory.
    pub parent: &'a [u8],
    /// Steps collected in it.
    pub group: &'a GroupSeen,
    /// Contents of its pointer and side files; `None` when it has none.
    pub sides: Option<&'a SideFiles>,
}

/// The run in a directory. `None` with fewer than two steps, too many of them, steps within steps, a path that
/// is not UTF-8, or where at most half of the objects look like checkpoint files.
pub fn run(seen: &Seen<'_>, listed_ms: i64, has_dates: bool) -> Option<Run> {
    let group = seen.group;
    let (objects, looks) =
        group.steps.values().fold((0, 0), |(n, l), s| (n + s.objects, l + s.looks));
    if group.steps.len() < 2 || looks * 2 <= objects || group.is_over || group.is_nested {
        return None;
    }
    // Keys that are no UTF-8 could not be named to be acted on.
    let prefix = std::str::from_utf8(seen.parent).ok()?.to_owned();
    let ordered: BTreeMap<u64, &StepSeen> = group.steps.iter().map(|(n, s)| (*n, s)).collect();
    let family = family(seen.pattern, &ordered);
    let rules = Rules::of(family, &ordered);
    let metric = metric(group);
    let higher = metric.as_ref().and_then(|m| m.higher_is_better).unwrap_or(false);
    let mut steps = Vec::with_capacity(ordered.len());
    for (number, step) in &ordered {
        let token = std::str::from_utf8(&step.token).ok()?;
        let mut tiers: Vec<_> = step.tiers.iter().copied().filter(|(_, b)| *b > 0).collect();
        tiers.sort_unstable();
        steps.push(Step {
            step: *number,
            prefix: format!("{prefix}{token}"),
            bytes: step.bytes,
            objects: step.objects,
            complete: rules.is_complete(step),
            newest_ms: if step.bits & UNDATED == 0 { step.newest_ms } else { i64::MIN },
            tiers,
            metric: step.metric.map(|(low, high)| if higher { high } else { low }),
            held: step.bits & HELD != 0,
        });
    }
    let interval_s = interval(&steps);
    let (pointers, pointed) = pointers(seen.sides, &prefix, &steps);
    let confidence = confidence(&ordered, &rules, looks as f64 / objects as f64);
    Some(Run {
        bytes: steps.iter().map(|s| s.bytes).fold(0, u64::saturating_add),
        active: is_active(&steps, interval_s, listed_ms, has_dates),
        prefix,
        family,
        steps,
        confidence,
        interval_s,
        pointers,
        pointed,
        metric,
    })
}

fn family(pattern: Pattern, steps: &BTreeMap<u64, &StepSeen>) -> Family {
    let any = steps.values().fold(0, |bits, s| bits | s.bits);
    let has = |bit: u32| any & bit != 0;
    match pattern {
        Pattern::Checkpoint if has(DISTCP) => Family::TorchDcp,
        Pattern::Checkpoint if has(ORBAX) => Family::Orbax,
        Pattern::Checkpoint if has(DEEPSPEED) => Family::HfDeepspeed,
        Pattern::Checkpoint if has(MARK) => Family::HfTrainer,
        Pattern::Iter if has(DISTCP) || has(COMMON) => Family::MegatronDist,
        Pattern::Iter if has(MEGATRON_RANK) => Family::MegatronLegacy,
        Pattern::GlobalStep if has(DISTCP) => Family::TorchDcp,
        Pattern::GlobalStep if has(MARK) => Family::Deepspeed,
        Pattern::Step | Pattern::Epoch | Pattern::Weights if has(DISTCP) => Family::TorchDcp,
        Pattern::Step if has(ORBAX) => Family::Orbax,
        Pattern::BareStep if has(DISTCP) || has(DCP_METADATA) => Family::Olmo,
        Pattern::Number => Family::Orbax,
        Pattern::StepEquals if has(NEMO) => Family::Nemo,
        Pattern::StepEquals => Family::Lightning,
        Pattern::Tensorflow => Family::Tensorflow,
        _ => Family::Generic,
    }
}

/// When a step of this run is complete.
struct Rules {
    family: Family,
    /// Number of shards of most steps of the run.
    expected: u32,
    /// Numbers of objects that are usual in the run.
    usual: Vec<u64>,
    /// The most frequent number of objects; the larger of two that are equally frequent.
    mode: u64,
}

impl Rules {
    fn of(family: Family, steps: &BTreeMap<u64, &StepSeen>) -> Self {
        let have = |bit: u32| steps.values().filter(|s| s.bits & bit != 0).count();
        let expected =
            EXPECTED.into_iter().filter(|bit| have(*bit) * 2 > steps.len()).fold(0, |a, b| a | b);
        let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
        for step in steps.values() {
            *counts.entry(step.objects).or_default() += 1;
        }
        let mode = counts.iter().max_by_key(|(n, c)| (**c, **n)).map_or(0, |(n, _)| *n);
        // A run that went on with fewer ranks has steps of two sizes, and many of each.
        let many = (steps.len() / 10).max(3);
        let usual = counts.into_iter().filter(|(_, c)| *c >= many).map(|(n, _)| n).collect();
        Self { family, expected, usual, mode }
    }

    fn is_complete(&self, step: &StepSeen) -> bool {
        let has = |bit: u32| step.bits & bit != 0;
        let sets = match &step.shards {
            Some(sets) => sets.iter().all(|(shard, n)| *n == shard.of),
            // More sets than are told apart: only their number can be compared.
            None => true,
        };
        sets && !has(TEMPORARY | UNFINISHED | MALFORMED | UNDATED)
            && step.bits & self.expected == self.expected
            && (!has(DISTCP) || has(DCP_METADATA))
            && (self.family != Family::Tensorflow
                || has(TF_INDEX) && step.shards.as_ref().is_none_or(|s| !s.is_empty()))
            && (step.objects >= self.mode || self.usual.contains(&step.objects))
    }
}

/// 0–1. Half of it is for steps in numbers and weights in them; the rest for names that only this
/// writer gives, for weights alone, and for steps that are alike. Without a single such name it is
/// a half at most, which is too little to prune by.
fn confidence(steps: &BTreeMap<u64, &StepSeen>, rules: &Rules, looks: f64) -> f64 {
    let count = steps.len() as f64;
    let share =
        |is: &dyn Fn(&StepSeen) -> bool| steps.values().filter(|s| is(s)).count() as f64 / count;
    let marked = share(&|s| s.bits & (MARK | TRAINER_STATE) != 0);
    let alike = share(&|s| s.objects == rules.mode);
    let few = if steps.len() < 3 { 0.1 } else { 0.0 };
    let sure = 0.5 + 0.2 * marked + 0.15 * looks + 0.15 * alike - few;
    let cap = if marked > 0.0 { 1.0 } else { 0.5 };
    (sure.min(cap) * 100.0).round() / 100.0
}

fn metric(group: &GroupSeen) -> Option<Metric> {
    let (name, better) = group.metrics.first.as_ref().filter(|_| !group.metrics.is_mixed)?;
    Some(Metric {
        name: std::str::from_utf8(name).ok()?.to_owned(),
        higher_is_better: match better {
            Better::Lower => Some(false),
            Better::Higher => Some(true),
            Better::Unknown => None,
        },
    })
}

/// Median time between two steps in seconds; `None` with fewer than three dated steps.
fn interval(steps: &[Step]) -> Option<u64> {
    let dates: Vec<i64> = steps.iter().map(|s| s.newest_ms).filter(|ms| *ms != i64::MIN).collect();
    if dates.len() < 3 {
        return None;
    }
    let mut gaps: Vec<u64> = dates.windows(2).map(|w| w[1].abs_diff(w[0]) / 1000).collect();
    gaps.sort_unstable();
    gaps.get(gaps.len() / 2).copied()
}

/// Active until the opposite is known: without dates nobody can say that a run has ended.
fn is_active(steps: &[Step], interval_s: Option<u64>, listed_ms: i64, has_dates: bool) -> bool {
    if !has_dates || steps.iter().any(|s| s.newest_ms == i64::MIN) {
        return true;
    }
    let Some(newest) = steps.iter().map(|s| s.newest_ms).max() else { return true };
    let interval_ms =
        i64::try_from(interval_s.unwrap_or(0)).unwrap_or(i64::MAX).saturating_mul(1000);
    listed_ms.saturating_sub(newest) < interval_ms.saturating_mul(3).max(ACTIVE_MS)
}

/// Side files as keys, and the steps they lead to: the one in the name, or the newest that was
/// there when the pointer was written.
fn pointers(sides: Option<&SideFiles>, prefix: &str, steps: &[Step]) -> (Vec<String>, Vec<u64>) {
    /// A pointer is written after the step, but dates of S3 are whole seconds and uploads overlap.
    const SLACK_MS: i64 = 60_000;
    let mut keys = Vec::new();
    let mut pointed = Vec::new();
    for (name, (modified_ms, step)) in sides.into_iter().flat_map(|s| &s.0) {
        let Ok(name) = std::str::from_utf8(name) else { continue };
        keys.push(format!("{prefix}{name}"));
        let newest_then = || {
            steps
                .iter()
                .filter(|s| s.newest_ms != i64::MIN)
                .filter(|s| s.newest_ms <= modified_ms.saturating_add(SLACK_MS))
                .max_by_key(|s| (s.newest_ms, s.step))
                .map(|s| s.step)
        };
        let target = step.filter(|n| steps.iter().any(|s| s.step == *n)).or_else(newest_then);
        pointed.extend(target);
    }
    pointed.sort_unstable();
    pointed.dedup();
    (keys, pointed)
}
