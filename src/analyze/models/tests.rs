//! Bounds worked out by hand, and what has none.

use std::collections::HashMap;
use std::sync::Arc;

use super::models;
use crate::analyze::savings::{SavingsInput, SavingsRules};
use crate::analyze::spot;
use crate::domain::jobs::{AvoidableRuns, ScriptUse};
use crate::domain::{
    Figure, GpuProcess, GpuSignal, Instance, Offer, Owner, Platform, PriceBasis, Provenance, Rate,
    SavingsFacts, Scope, TagKeys, Tags, Tenancy, Verdict, VerdictKind, sample,
};
use crate::fleet::savings::{
    CannotTell, Effort, Fits, Measure, ModelBecause, ModelRow, ModelWork, ModelsLeftOut, Need,
    PricedType, Proposal, Replicas, Risk, SizeNote, SizeVerdict,
};
use crate::fleet::{Book, GpuFleet, JoinInput, PriceBook, join};
use crate::source::catalogue::type_specs;
use crate::tabs::gpus::picture::fixture::{gpu, node};
use crate::view::fixture::{ago, now};

/// An instance of four GPUs and what was seen of it.
#[derive(Clone, Copy)]
struct Seen {
    id: &'static str,
    instance_type: &'static str,
    tags: &'static [(&'static str, &'static str)],
    kind: VerdictKind,
    /// Mean use, percent.
    percent: Option<f32>,
    /// Memory and tensor activity of each GPU, 0–1; `None` without telemetry.
    active: Option<(f64, f64)>,
    /// Memory in use on each GPU, MiB.
    mib: f64,
    process: Option<&'static str>,
}

/// Four L4 that serve at an eighth, waiting for their memory.
const SERVES: Seen = Seen {
    id: "i-1",
    instance_type: "g6.12xlarge",
    tags: &[("workload", "inference")],
    kind: VerdictKind::Underused,
    percent: Some(12.5),
    active: Some((0.40, 0.05)),
    mib: 9_000.0,
    process: None,
};

const GROUP: &[(&str, &str)] =
    &[("workload", "inference"), ("aws:autoscaling:groupName", "serve-chat")];

fn offer((instance_type, usd_per_hour): (&str, f64)) -> Offer {
    Offer {
        region: "us-east-1".into(),
        az: None,
        instance_type: instance_type.into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        rate: Rate { usd_per_hour, basis: PriceBasis::OnDemandList, provenance: Provenance::Demo },
    }
}

/// A g6.12xlarge is $8 an hour, a g4dn.12xlarge $4.
fn found_with(
    seen: &[Seen],
    proposals: &[Arc<Proposal>],
    scripts: Vec<ScriptUse>,
) -> (Vec<Arc<ModelRow>>, ModelsLeftOut) {
    let mut prices = PriceBook::default();
    let offers = [("g6.12xlarge", 8.0), ("g4dn.12xlarge", 4.0)].map(offer);
    prices.extend(&offers);
    let types = type_specs().iter().map(|s| (s.name.clone(), Arc::new(s.clone())));
    let runs = AvoidableRuns { days: 30, scripts, ..AvoidableRuns::default() };
    let book = Arc::new(Book {
        prices,
        types: types.collect(),
        failed_runs: Some(Arc::new(runs)),
        ..Book::default()
    });
    let instance = |seen: &Seen| {
        let tags = Tags::from_raw(seen.tags.iter().copied());
        Arc::new(Instance {
            id: seen.id.into(),
            scope: Scope::new("111122223333", "us-east-1"),
            name: "box".into(),
            instance_type: seen.instance_type.into(),
            launched_at: ago(1_000),
            owners: Owner::from_tags(&tags),
            tags,
            ..sample::instance()
        })
    };
    let verdict = |seen: &Seen| {
        let of = Verdict { gpu_percent: seen.percent, devices: 4, ..sample::verdict(seen.kind) };
        (Arc::from(seen.id), Arc::new(of))
    };
    let instances: Vec<Arc<Instance>> = seen.iter().map(instance).collect();
    let verdicts: HashMap<Arc<str>, Arc<Verdict>> = seen.iter().map(verdict).collect();
    let fleet = join(JoinInput {
        version: 1,
        now: now(),
        instances: &instances,
        book: &book,
        verdicts: &verdicts,
        tag_keys: &TagKeys::default(),
        readings: Vec::new(),
    });
    let mut gpus = GpuFleet::default();
    for seen in seen {
        let Some((dram, tensor)) = seen.active else { continue };
        let row = fleet.rows.iter().find(|row| &*row.instance.id == seen.id);
        let node = node(seen.id, row);
        for at in 0..4 {
            let signals = [
                (GpuSignal::Dram, dram),
                (GpuSignal::Tensor, tensor),
                (GpuSignal::MemUsed, seen.mib),
            ];
            let mut gpu = gpu(&node, at, "L4", &signals);
            let process = |command: &str| GpuProcess {
                pid: 1,
                user: None,
                command: command.into(),
                mem_mib: None,
                sm: None,
            };
            gpu.sample.processes = seen.process.map(|command| Arc::from([process(command)]));
            gpus.rows.push(Arc::new(gpu));
        }
    }
    let input = SavingsInput {
        version: 1,
        now: now(),
        fleet: &fleet,
        gpus: &gpus,
        storage: None,
        facts: &SavingsFacts::default(),
        rules: &SavingsRules::default(),
        tag_keys: &TagKeys::default(),
        before: None,
    };
    models(&input, proposals, &spot::rows(&input))
}

fn found(seen: &[Seen]) -> (Vec<Arc<ModelRow>>, ModelsLeftOut) {
    found_with(seen, &[], Vec::new())
}

/// Bound and fit of a measure of the only workload.
fn of(rows: &[Arc<ModelRow>], measure: Measure) -> (Option<f64>, Fits) {
    let row = rows.iter().find(|row| row.measure == measure).unwrap();
    (row.up_to_usd_per_hour.map(|usd| (usd * 1e6).round() / 1e6), row.fits)
}

#[test]
fn a_group_that_serves_at_an_eighth_has_the_bounds_of_the_manual() {
    let group: Vec<Seen> =
        ["i-1", "i-2", "i-3", "i-4"].map(|id| Seen { id, tags: GROUP, ..SERVES }).into();
    let (rows, left_out) = found(&group);
    assert_eq!(left_out, ModelsLeftOut::default());
    let workload = &rows[0].workload;
    assert_eq!((&*workload.name, workload.work), ("serve-chat", ModelWork::Serving));
    assert_eq!((workload.instances.len(), workload.usd_per_hour), (4, 32.0));
    assert_eq!((workload.usage, workload.holding), (0.125, Some((16, 16))));
    assert!(matches!(workload.because, ModelBecause::Hint(_)), "a tag is a hint");
    // $32 an hour, used 12.5% where 50% would do.
    assert_eq!(of(&rows, Measure::Batching), (Some(32.0 * (1.0 - 0.25)), Fits::Yes));
    // ⌈4 × 12.5 ÷ 50⌉ = 1 of 4 is left.
    assert_eq!(of(&rows, Measure::Replicas), (Some(24.0), Fits::Yes));
    // 1.6 times as fast: 1 − 1 ÷ 1.6 = 3 ÷ 8.
    assert_eq!(of(&rows, Measure::Fp8), (Some(12.0), Fits::Yes));
    assert_eq!(of(&rows, Measure::Int8), (None, Fits::Yes), "the source names no factor");
    assert_eq!(of(&rows, Measure::Int4), (Some(24.0), Fits::Yes));
    assert_eq!(of(&rows, Measure::Pruning), (Some(0.0), Fits::No), "it waits for memory");
    assert_eq!(of(&rows, Measure::Distillation), (None, Fits::Unknown), "an example is no bound");
    assert_eq!(of(&rows, Measure::CompiledRuntime), (Some(26.666_667), Fits::Unknown));
    assert!(rows.iter().all(|row| row.measure != Measure::SmallerGpu), "right-sizing names none");
    // The largest counts, and no other one: not their sum, which is more than the price.
    let counts: Vec<Measure> =
        rows.iter().filter(|row| row.is_largest).map(|row| row.measure).collect();
    assert_eq!(counts, [Measure::CompiledRuntime]);
    assert_eq!(rows[0].measure, Measure::CompiledRuntime, "it comes first");
    assert_eq!(rows.last().unwrap().measure, Measure::Pruning, "what does not fit comes last");
}

#[test]
fn an_engine_for_llms_batches_already_and_is_compiled() {
    let process = Some("python -m vllm.entrypoints");
    let (rows, _) = found(&[Seen { process, tags: &[], ..SERVES }]);
    let because = &rows[0].workload.because;
    assert!(matches!(because, ModelBecause::Runtime(_)), "no hint: its runtime, {because:?}");
    for measure in [Measure::Batching, Measure::CompiledRuntime] {
        assert_eq!(of(&rows, measure), (Some(0.0), Fits::No));
    }
    assert_eq!(of(&rows, Measure::Int4), (Some(6.0), Fits::Yes), "$8 × (1 − 1 ÷ 4)");
    assert_eq!(of(&rows, Measure::Replicas), (None, Fits::Unknown), "others may do the same");
}

#[test]
fn a_moment_of_little_work_speaks_against_nothing() {
    for active in [(0.05, 0.19), (0.19, 0.05)] {
        let (rows, _) = found(&[Seen { active: Some(active), ..SERVES }]);
        for measure in [Measure::Batching, Measure::Int4, Measure::Pruning] {
            let (up_to, fits) = of(&rows, measure);
            assert_eq!(fits, Fits::Unknown, "{active:?}: {measure:?}");
            assert!(up_to.is_some_and(|usd| usd > 0.0), "{active:?}: {measure:?}");
        }
    }
    let (rows, _) = found(&[Seen { active: Some((0.05, 0.21)), ..SERVES }]);
    assert_eq!(of(&rows, Measure::Batching), (Some(0.0), Fits::No));
    assert_eq!(of(&rows, Measure::Pruning), (Some(4.0), Fits::Yes), "$8 × (1 − 1 ÷ 2)");
}

#[test]
fn replicas_are_the_members_of_a_group_that_are_at_low_use() {
    let mut group: Vec<Seen> =
        ["i-1", "i-2", "i-3", "i-4"].map(|id| Seen { id, tags: GROUP, ..SERVES }).into();
    group[3].percent = Some(80.0);
    let (rows, _) = found(&group);
    assert_eq!(rows[0].workload.replicas, Replicas::Known(3));
    // ⌈3 × 12.5 ÷ 50⌉ = 1 of 3 is left; the fourth stays as it is.
    assert_eq!(of(&rows, Measure::Replicas), (Some(16.0), Fits::Yes));
}

#[test]
fn a_gpu_that_cannot_compute_in_fp8_does_not() {
    let (rows, _) = found(&[Seen { instance_type: "g4dn.12xlarge", active: None, ..SERVES }]);
    assert_eq!(of(&rows, Measure::Fp8), (Some(0.0), Fits::No), "a T4 has 7.5");
    assert_eq!(of(&rows, Measure::Pruning), (Some(0.0), Fits::No));
    assert_eq!(of(&rows, Measure::Int4), (Some(3.0), Fits::Unknown), "$4 × (1 − 1 ÷ 4)");
    assert_eq!(of(&rows, Measure::Int8), (None, Fits::Yes));
    // Without telemetry nothing tells what it waits for, and its mean use is that of CloudWatch.
    assert_eq!(of(&rows, Measure::Batching), (Some(3.0), Fits::Unknown));
    assert_eq!(rows[0].workload.holding, None);
}

#[test]
fn what_is_not_known_or_is_of_another_step_is_counted_and_has_no_row() {
    let left = |seen: Seen| {
        let (rows, left_out) = found(&[seen]);
        assert!(rows.is_empty(), "{rows:?}");
        left_out
    };
    let none = ModelsLeftOut::default();
    let one = |change: fn(&mut ModelsLeftOut)| {
        let mut left = none;
        change(&mut left);
        left
    };
    let unmeasured = one(|left| left.unmeasured = 1);
    assert_eq!(left(Seen { percent: None, ..SERVES }), unmeasured);
    assert_eq!(left(Seen { kind: VerdictKind::Unknown, ..SERVES }), unmeasured);
    assert_eq!(left(Seen { instance_type: "g6.48xlarge", ..SERVES }), unmeasured, "no price");
    let unnamed = one(|left| left.unnamed = 1);
    assert_eq!(left(Seen { tags: &[], ..SERVES }), unnamed);
    assert_eq!(left(Seen { mib: 3.0, ..SERVES }), unnamed, "no GPU holds a model");
    let partly_idle = one(|left| left.partly_idle = 1);
    assert_eq!(left(Seen { kind: VerdictKind::Partial, ..SERVES }), partly_idle);
    // Idle: another step. Training: nothing of it is meant. Half used: as it should be.
    assert_eq!(left(Seen { kind: VerdictKind::Idle, ..SERVES }), none);
    assert_eq!(left(Seen { tags: &[("workload", "training")], ..SERVES }), none);
    assert_eq!(left(Seen { percent: Some(50.0), ..SERVES }), none);
    assert_eq!(left(Seen { instance_type: "m7i.4xlarge", ..SERVES }), none);
}

#[test]
fn a_smaller_gpu_is_what_right_sizing_says_would_do_with_less_memory() {
    let note = SizeNote::FitsIfMemory {
        memory_mib: 24_576,
        to: PricedType { name: "g6.4xlarge".into(), usd_per_hour: Figure(1.5) },
    };
    let proposal = Proposal {
        id: "i-1".into(),
        name: "box".into(),
        scope: Scope::new("111122223333", "us-east-1"),
        az: "us-east-1a".into(),
        team: None,
        from: "g6.12xlarge".into(),
        usd_per_hour: Some(8.0),
        need: Need::default(),
        verdict: SizeVerdict::Cannot(CannotTell::PreAllocated),
        mig: None,
        gross_usd_per_hour: None,
        net_usd_per_hour: None,
        worthless_until: None,
        effort: Effort::Medium,
        risk: Risk::Medium,
        says: vec![Arc::new(note)],
    };
    let (rows, _) = found_with(&[SERVES], &[Arc::new(proposal)], Vec::new());
    assert_eq!(of(&rows, Measure::SmallerGpu), (Some(6.5), Fits::Unknown), "8.00 − 1.50");
}

#[test]
fn a_script_of_low_use_has_measures_and_one_that_nobody_measured_is_counted() {
    let script = |usage, usd_per_hour| ScriptUse {
        id: "file batch-embed".into(),
        name: "batch-embed".into(),
        team: None,
        instance_type: Some("g6.12xlarge".into()),
        usage,
        usd_per_hour,
    };
    let scripts =
        vec![script(Some(0.1), Some(2.0)), script(None, Some(2.0)), script(Some(0.1), None)];
    let (rows, left_out) = found_with(&[], &[], scripts);
    assert_eq!(left_out.scripts, 2);
    assert_eq!(rows[0].workload.work, ModelWork::Script);
    // $2 an hour, used 10% where 50% would do.
    assert_eq!(of(&rows, Measure::Batching), (Some(1.6), Fits::Unknown));
    assert_eq!(of(&rows, Measure::Fp8), (Some(0.75), Fits::Yes));
    assert!(rows.iter().all(|row| row.measure != Measure::Replicas));
    let (rows, _) = found_with(&[], &[], vec![script(Some(0.9), Some(2.0))]);
    assert!(rows.is_empty(), "well used");
}
