//! Random runs and policies: what is never touched is never dropped. The rules are written here a
//! second time, from the words of the documentation and not from the code.

use proptest::prelude::*;

use super::sample::{DAY_MS, LISTED_MS};
use crate::analyze::storage::checkpoints::{Policy, RunPlan, Terms, plan};
use crate::analyze::storage::price::Rates;
use crate::domain::Provenance;
use crate::domain::storage::{Family, Fate, Metric, Run, Step, Tier};

fn step() -> impl Strategy<Value = Step> {
    (
        1u64..5000,
        any::<bool>(),
        0u64..1000,
        prop::option::of(-3i64..400),
        prop::option::of(0.0..1.0f64),
        0u8..12,
    )
        .prop_map(|(gap, complete, bytes, days, metric, odd)| Step {
            step: gap,
            prefix: String::new(),
            bytes,
            objects: 1 + bytes % 7,
            complete: complete || odd > 3,
            newest_ms: days.map_or(i64::MIN, |d| LISTED_MS - d * DAY_MS),
            tiers: vec![(Tier::Standard, bytes)],
            metric,
            held: odd == 0,
        })
}

fn run() -> impl Strategy<Value = Run> {
    (
        prop::collection::vec(step(), 2..40),
        any::<bool>(),
        prop::sample::select(&[0.4, 0.6, 0.95][..]),
        prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        prop::option::of(prop::option::of(any::<bool>())),
        0u64..2000,
    )
        .prop_map(|(mut steps, active, confidence, pointed, metric, first)| {
            let mut number = first;
            for step in &mut steps {
                number += step.step;
                step.step = number;
                step.prefix = format!("r/checkpoint-{number}/");
            }
            let mut pointed: Vec<u64> = pointed.iter().map(|i| i.get(&steps).step).collect();
            pointed.sort_unstable();
            Run {
                prefix: "r/".to_owned(),
                family: Family::HfTrainer,
                bytes: steps.iter().map(|s| s.bytes).sum(),
                steps,
                confidence,
                active,
                interval_s: Some(3600),
                pointers: Vec::new(),
                pointed,
                metric: metric
                    .map(|higher_is_better| Metric { name: "m".to_owned(), higher_is_better }),
            }
        })
}

fn policy() -> impl Strategy<Value = Policy> {
    (
        0u32..5,
        prop::option::of(0u64..9000),
        0u32..4,
        any::<bool>(),
        prop::option::of(0i64..200),
        prop::option::of(0u64..9000),
    )
        .prop_map(|(keep_last, every, best, keep_first, age, pin)| Policy {
            keep_last,
            every,
            best,
            keep_first,
            min_age_ms: age.map(|d| d * DAY_MS),
            pinned: pin.map(|p| p.to_string()).into_iter().collect(),
        })
}

fn planned(run: &Run, policy: &Policy) -> RunPlan {
    let rates = Rates::unknown("-", Provenance::Demo);
    plan(run, policy, &Terms { listed_ms: LISTED_MS, fate: Fate::Freed, rates: &rates })
}

/// Why a step must not be dropped, in other words than the code's.
fn forbidden(run: &Run, at: usize) -> Option<&'static str> {
    let steps = &run.steps;
    let here = &steps[at];
    if run.confidence < 0.6 {
        return Some("unsure");
    }
    if run.active {
        return Some("active");
    }
    if here.held {
        return Some("locked or replica");
    }
    if !here.complete {
        return Some("incomplete");
    }
    if at + 1 < steps.len() && !steps[at + 1].complete {
        return Some("before an incomplete one");
    }
    if !steps[at + 1..].iter().any(|s| s.complete) {
        return Some("latest complete");
    }
    if !steps.iter().any(|s| s.complete && (s.newest_ms, s.step) > (here.newest_ms, here.step)) {
        return Some("newest complete");
    }
    if run.pointed.contains(&here.step) {
        return Some("pointed to");
    }
    (here.newest_ms > LISTED_MS).then_some("newer than the list")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_never_touched_is_never_dropped(run in run(), policy in policy()) {
        let plan = planned(&run, &policy);
        for (at, step) in run.steps.iter().enumerate() {
            let why = forbidden(&run, at);
            let is_dropped = plan.drop.contains(&step.step);
            prop_assert!(!is_dropped || why.is_none(), "{} {why:?}", step.step);
            // And nothing is held back for no reason.
            let is_blocked = plan.blocked.iter().any(|b| b.step == step.step);
            prop_assert!(!is_blocked || why.is_some(), "{}", step.step);
        }
    }

    #[test]
    fn keep_drop_and_blocked_are_all_steps_each_once(run in run(), policy in policy()) {
        let plan = planned(&run, &policy);
        let mut all: Vec<u64> = plan.keep.iter().chain(&plan.drop).copied()
            .chain(plan.blocked.iter().map(|b| b.step)).collect();
        all.sort_unstable();
        prop_assert_eq!(all, run.steps.iter().map(|s| s.step).collect::<Vec<_>>());
        let dropped: u64 = run.steps.iter().filter(|s| plan.drop.contains(&s.step)).map(|s| s.bytes).sum();
        prop_assert_eq!(plan.bytes_dropped, dropped);
        if run.steps.iter().any(|s| s.complete) {
            prop_assert!(run.steps.iter().any(|s| s.complete && !plan.drop.contains(&s.step)));
        }
    }

    #[test]
    fn each_rule_only_adds_to_what_is_kept(run in run(), policy in policy(), more in policy()) {
        let both = Policy {
            keep_last: policy.keep_last.max(more.keep_last),
            best: policy.best.max(more.best),
            keep_first: policy.keep_first || more.keep_first,
            min_age_ms: policy.min_age_ms.max(more.min_age_ms),
            pinned: policy.pinned.iter().chain(&more.pinned).cloned().collect(),
            every: policy.every,
        };
        let (few, many) = (planned(&run, &policy), planned(&run, &both));
        prop_assert!(many.drop.iter().all(|s| few.drop.contains(s)));
    }
}
