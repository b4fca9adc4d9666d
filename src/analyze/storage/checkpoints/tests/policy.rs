//! Policy and plan on the inventory with known truth, by hand.

use super::sample::{LISTED_MS, Object, batch, found, sample};
use crate::analyze::storage::checkpoints::{
    Picks, Policy, Reason, RunPlan, Terms, left_by_policy, plan,
};
use crate::analyze::storage::price::{Rates, Volumes, fixture};
use crate::domain::storage::{Fate, Run, Tier, Versioning};

const TIB: f64 = 1_099_511_627_776.0;

fn golden_policy() -> Policy {
    Policy { keep_last: 3, every: Some(10_000), best: 1, ..Policy::default() }
}

fn rates() -> Rates {
    let mut volumes = Volumes::default();
    volumes.add_gib(Tier::Standard, 49.0 * 1024.0);
    Rates::marginal(&fixture::virginia(), &volumes)
}

fn plans(runs: &[Run], policy: &Policy, fate: Fate) -> Vec<RunPlan> {
    let rates = rates();
    let terms = Terms { listed_ms: LISTED_MS, fate, rates: &rates };
    runs.iter().map(|run| plan(run, policy, &terms)).collect()
}

fn tib(bytes: u64) -> f64 {
    (bytes as f64 / TIB * 1000.0).round() / 1000.0
}

/// "48.3 → 8.0 TiB, −83.5%" is the policy alone: last 3 complete, every 10,000 (counted from 0 by
/// Lightning), the best steps that the truth names (one of them stands in no key, only in
/// `trainer_state.json`), incomplete steps kept. The figures are those of a script of ten lines
/// over ground-truth.json.
#[test]
fn the_policy_alone_leaves_8_of_48_tib() {
    let runs = found(&sample());
    let total: u64 = runs.iter().map(|r| r.bytes).sum();
    assert_eq!(tib(total), 48.338);
    let left = |policy: &Policy| -> u64 {
        runs.iter().map(|r| left_by_policy(r, policy, LISTED_MS)).sum()
    };
    let mut policy = golden_policy();
    assert_eq!(tib(left(&policy)), 7.892);
    policy.pinned = vec![
        "team-rlhf/exp-0412/output/checkpoint-14500/".to_owned(),
        "vision/exp_77/lightning_logs/version_3/checkpoints/epoch=87-step=87999.ckpt".to_owned(),
    ];
    assert_eq!(tib(left(&policy)), 7.991);
    assert_eq!((left(&policy) as f64 / total as f64 * 1000.0 - 1000.0).round() / 10.0, -83.5);
}

/// With the list of what is never touched, two runs that may still be written stay whole.
#[test]
fn what_is_never_touched_leaves_more() {
    let runs = found(&sample());
    let plans = plans(&runs, &golden_policy(), Fate::Freed);
    let dropped: u64 = plans.iter().map(|p| p.bytes_dropped).sum();
    let total: u64 = plans.iter().map(|p| p.bytes).sum();
    assert_eq!(tib(total - dropped), 21.548);
    let of = |prefix: &str| plans.iter().find(|p| p.prefix.starts_with(prefix)).unwrap();
    let megatron = of("llm/pretrain/70b-run-a/");
    assert_eq!(megatron.keep, [10_000, 20_000, 30_000, 40_000, 50_000, 58_000, 59_000, 60_000]);
    assert_eq!(megatron.drop.len(), 52);
    assert!(megatron.blocked.is_empty());
    assert_eq!(megatron.largest_gap, Some(10_000));
    // 52 steps of 32 × 11 GiB, at 0.023 per GiB-month: below 50 TiB.
    let usd = 52.0 * 352.0 * 0.023;
    assert!((megatron.usd_per_month.unwrap() - usd).abs() < 1e-6);
    assert_eq!(megatron.early_delete_usd, Some(0.0));
    assert_eq!((megatron.objects_dropped, megatron.delete_requests), (52 * 32, 2));

    let active = of("llm/pretrain/70b-run-b/");
    assert!(active.drop.is_empty());
    let reasons: Vec<Reason> = active.blocked.iter().map(|b| b.reason).collect();
    assert!(reasons.contains(&Reason::ActiveRun) && reasons.contains(&Reason::Incomplete));

    let orbax = of("jax/gemma-ft/ckpts/");
    // 30,000 was never committed, and is a multiple of 10,000; what training can go on from stays.
    assert_eq!(orbax.keep, [10_000, 20_000, 27_000, 28_000, 29_000, 30_000]);
    let lightning = of("vision/exp_77/");
    assert_eq!(lightning.keep[..2], [9_999, 19_999]);
    assert_eq!(lightning.keep.last(), Some(&99_999));
    assert!(lightning.has_no_metric && !of("nemo/").has_no_metric);
}

#[test]
fn a_bucket_with_versions_frees_nothing_and_nobody_knows_is_said() {
    let runs = found(&sample());
    let freed = |versioning, expires| -> Vec<Option<u64>> {
        let plans = plans(&runs, &golden_policy(), Fate::of(versioning, expires));
        plans.iter().map(|p| p.bytes_freed).collect()
    };
    let dropped: Vec<Option<u64>> =
        plans(&runs, &golden_policy(), Fate::Freed).iter().map(|p| Some(p.bytes_dropped)).collect();
    assert_eq!(freed(Some(Versioning::Off), None), dropped);
    assert_eq!(freed(Some(Versioning::Enabled), Some(true)), dropped);
    for versioning in [Versioning::Enabled, Versioning::Suspended] {
        for expires in [Some(false), None] {
            assert!(freed(Some(versioning), expires).iter().all(|f| *f == Some(0)));
        }
    }
    assert!(freed(None, Some(true)).iter().all(Option::is_none));
    let none = plans(&runs, &golden_policy(), Fate::Unknown);
    assert!(none.iter().all(|p| p.usd_per_month.is_none()));
    assert!(none.iter().any(|p| p.usd_per_month_dropped.unwrap() > 100.0));
}

#[test]
fn rules_of_a_policy_one_by_one() {
    let objects: Vec<Object> = (1..=8u64)
        .map(|s| {
            Object::new(
                &format!("r/m--val_acc=0.{}-step={}-consumed_samples=1.0.ckpt", (s * 3) % 8, s * 5),
                1 << 30,
                100.0 - s as f64,
            )
        })
        .collect();
    let run = &found(&objects)[0];
    let keeps = |policy: Policy| -> Vec<u64> { policy.keeps(run, LISTED_MS).into_iter().collect() };
    let none = Policy::default;
    assert!(none().is_empty());
    assert_eq!(keeps(Policy { keep_last: 2, ..none() }), [35, 40]);
    assert_eq!(keeps(Policy { every: Some(10), ..none() }), [10, 20, 30, 40]);
    assert_eq!(keeps(Policy { every: Some(0), ..none() }), Vec::<u64>::new());
    // 0.7 stands at step 25, 0.6 at 10.
    assert_eq!(keeps(Policy { best: 1, ..none() }), [25]);
    assert_eq!(keeps(Policy { best: 2, ..none() }), [10, 25]);
    assert_eq!(keeps(Policy { keep_first: true, ..none() }), [5]);
    let day = 86_400_000;
    assert_eq!(keeps(Policy { min_age_ms: Some(94 * day), ..none() }), [35, 40]);
    let pin = |pin: &str| keeps(Policy { pinned: vec![pin.to_owned()], ..none() });
    assert_eq!(pin("15"), [15]);
    assert_eq!(pin("r/"), [5, 10, 15, 20, 25, 30, 35, 40]);
    assert_eq!(pin("r/m--val_acc=0.3-step=5"), [5]);
    assert_eq!(pin("other/"), Vec::<u64>::new());
    assert_eq!(pin(""), Vec::<u64>::new());
}

#[test]
fn a_pin_of_500_does_not_pin_5000() {
    let objects: Vec<Object> = [500u64, 5000]
        .map(|s| Object::new(&format!("r/checkpoint-{s}/optimizer.pt"), 1, 100.0))
        .to_vec();
    let run = &found(&objects)[0];
    for pin in ["r/checkpoint-500", "r/checkpoint-500/", "500", "r/checkpoint-500/optimizer.pt"] {
        let policy = Policy { pinned: vec![pin.to_owned()], ..Policy::default() };
        assert_eq!(policy.keeps(run, LISTED_MS).into_iter().collect::<Vec<_>>(), [500], "{pin}");
    }
}

#[test]
fn deleting_early_costs_the_rest_of_the_minimum() {
    let objects: Vec<Object> = (1..=4u64)
        .map(|s| {
            let mut o = Object::new(&format!("r/checkpoint-{s}/optimizer.pt"), 100 << 30, 30.0);
            o.tier = Tier::GlacierIr;
            o
        })
        .collect();
    let runs = found(&objects);
    let policy = Policy { keep_last: 1, ..Policy::default() };
    let plan = &plans(&runs, &policy, Fate::Freed)[0];
    assert_eq!(plan.drop, [1, 2, 3]);
    // 300 GiB at 0.004 for the 60 of 90 days that are left, of a month of 730 h.
    let usd = 300.0 * 0.004 * 60.0 * 24.0 / 730.0;
    assert!((plan.early_delete_usd.unwrap() - usd).abs() < 1e-9);
}

/// What the second pass picks is exactly what the plan counted.
#[test]
fn picks_are_the_objects_of_dropped_steps_and_no_other() {
    let all = sample();
    let runs = found(&all);
    let plans = plans(&runs, &golden_policy(), Fate::Freed);
    let picks = Picks::new(&runs, &plans);
    let rows = batch(&all);
    let picked: Vec<&Object> =
        all.iter().enumerate().filter(|(i, _)| picks.picks(&rows, *i)).map(|(_, o)| o).collect();
    assert_eq!(picked.len() as u64, picks.objects());
    assert_eq!(picked.len() as u64, plans.iter().map(|p| p.objects_dropped).sum::<u64>());
    let bytes: u64 = picked.iter().map(|o| o.size).sum();
    assert_eq!(bytes, plans.iter().map(|p| p.bytes_dropped).sum::<u64>());
    for never in ["last.ckpt", "release/", "datasets/", "latest", "old/", "weird key"] {
        assert!(
            !picked.iter().any(|o| String::from_utf8_lossy(&o.key).contains(never)
                && !String::from_utf8_lossy(&o.key).contains("checkpoint-")),
            "{never}"
        );
    }
    // Step 0 of TensorFlow is a prefix of nothing, step 10000 of 100000.
    assert!(!picks.picks_key(b"tf/recsys-2024/model.ckpt-100000.index"));
}
