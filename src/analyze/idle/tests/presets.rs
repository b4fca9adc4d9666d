//! The tests of each preset, and what each asks for.

use super::super::{Preset, next_signals, signals_for};
use super::fixtures::{Case, closed};
use crate::domain::Signal::{
    self, CpuMax, CpuMean, EbsReadOps, EbsWriteOps, GpuMax, GpuMean, NetworkIn, NetworkOut,
};
use crate::domain::VerdictKind::{Busy, Idle, TooNew, Unknown};
use crate::view::reasons::verdict as words;

#[test]
fn names_sources_windows_and_stretches() {
    let expected = [
        ("cautious", 168, 24, 168, true),
        ("aws-compute-optimizer", 336, 336, 336, false),
        ("aws-trusted-advisor", 336, 96, 96, false),
        ("mean-cpu", 168, 168, 168, false),
    ];
    for (preset, (name, window, gpu, cpu, uses_gpu)) in Preset::ALL.into_iter().zip(expected) {
        let policy = preset.policy();
        assert_eq!((policy.name.as_str(), preset.name()), (name, name));
        assert_eq!(Preset::from_name(name), Some(preset));
        assert_eq!(policy.source, preset.source());
        assert_eq!(policy.window_hours(), window);
        assert_eq!((policy.min_stretch_hours(true), policy.min_stretch_hours(false)), (gpu, cpu));
        assert_eq!(policy.uses_gpu(), uses_gpu);
        assert_eq!(serde_json::to_string(&preset).unwrap(), format!("\"{name}\""));
    }
    assert_eq!(Preset::from_name("strict"), None);
    assert_eq!(Preset::default(), Preset::Cautious);
}

#[test]
fn signals_of_each_preset() {
    let all = |preset: Preset, devices| signals_for(&preset.policy(), devices);
    let network = [NetworkIn, NetworkOut];
    let with = |head: &[Signal], tail: &[Signal]| [head, tail].concat();
    let gpus = [GpuMax(0), GpuMax(1)];
    assert_eq!(
        all(Preset::Cautious, 0),
        [CpuMean, CpuMax, NetworkIn, NetworkOut, EbsReadOps, EbsWriteOps]
    );
    let seen = with(&with(&[CpuMean], &network), &gpus);
    assert_eq!(all(Preset::Cautious, 2), with(&seen, &[GpuMean(0), GpuMean(1)]));
    assert_eq!(Preset::Cautious.policy().signals_needed(2), seen);
    let cpu = with(&[CpuMean, CpuMax], &network);
    assert_eq!(all(Preset::AwsComputeOptimizer, 0), cpu);
    assert_eq!(all(Preset::AwsComputeOptimizer, 2), with(&cpu, &gpus));
    assert_eq!(all(Preset::AwsTrustedAdvisor, 2), seen);
    assert_eq!(all(Preset::MeanCpu, 0), [CpuMean]);
    assert_eq!(all(Preset::MeanCpu, 2), with(&[CpuMean], &gpus));
}

#[test]
fn compute_optimizer() {
    const P: Preset = Preset::AwsComputeOptimizer;
    let quiet = || Case::quiet(8, 0, P);
    let v = quiet().judge(P);
    assert_eq!((v.kind, v.idle_since), (Idle, Some(closed(336).start())));
    assert_eq!(quiet().with(CpuMax, [330], 5.0).judge(P).kind, Busy);
    assert_eq!(quiet().with(CpuMax, [330], 4.99).judge(P).kind, Idle);
    // 5 MB a day: from exactly there on it is use.
    let moved = |bytes| {
        let case = quiet().fill(NetworkIn, 336, 0.0).fill(NetworkOut, 336, 0.0);
        case.with(NetworkIn, [200], bytes).judge(P).kind
    };
    assert_eq!((moved(4_999_999.0), moved(5_000_000.0)), (Idle, Busy));
    assert_eq!(quiet().restarted(300).judge(P).kind, TooNew);
    assert_eq!(quiet().with(CpuMax, 100..134, f32::NAN).judge(P).kind, Unknown);
    // GPU-blind: some GPUs idle is nothing it can say, and it says so.
    let v = Case::quiet(96, 2, P).fill(GpuMax(0), 336, 90.0).judge(P);
    assert_eq!(v.kind, Busy);
    assert!(v.not_checked.contains(&crate::domain::Unchecked::GpusByPolicy));
}

#[test]
fn trusted_advisor() {
    const P: Preset = Preset::AwsTrustedAdvisor;
    let days = |low: i32| {
        // The oldest days are the low ones; the others run at 50%.
        let case = Case::quiet(8, 0, P);
        case.with(CpuMean, 1..=(14 - low) * 24, 50.0)
    };
    assert_eq!(days(3).judge(P).kind, Busy);
    let v = days(4).judge(P);
    assert_eq!((v.kind, v.idle_since), (Idle, None), "low days, but in use now");
    insta::assert_snapshot!(words(&v.reason), @"Idle by low days: 4 of the last 14 had low CPU and network, 4 suffice.");
    insta::assert_snapshot!(words(&days(3).judge(P).reason), @"In use: only 3 low days, 4 are needed.");
    let v = Case::quiet(8, 0, P).with(CpuMean, 73..=96, 50.0).judge(P);
    assert_eq!((v.kind, v.idle_since), (Idle, Some(closed(72).start())));
    // At the limits a day is still low: 10% and 5 MB.
    let edge = |cpu, bytes: f32| {
        let case = Case::quiet(4, 0, P).fill(CpuMean, 336, cpu);
        case.fill(NetworkIn, 336, bytes / 24.0).fill(NetworkOut, 336, 0.0).judge(P).kind
    };
    assert_eq!(edge(10.0, 4_999_999.0), Idle);
    assert_eq!(edge(10.1, 0.0), Busy);
    assert_eq!(edge(1.0, 5_100_000.0), Busy);
    // Three low days for sure, and a fourth that lacks data: unknown.
    let v = days(4).with(NetworkIn, 330..=336, f32::NAN).judge(P);
    assert_eq!(v.kind, Unknown);
    insta::assert_snapshot!(words(&v.reason), @"Unknown: too many days lack data to count the low ones.");
    assert_eq!(Case::quiet(8, 0, P).restarted(97).judge(P).kind, Idle);
    assert_eq!(Case::quiet(8, 0, P).restarted(90).judge(P).kind, TooNew);
}

#[test]
fn mean_cpu() {
    const P: Preset = Preset::MeanCpu;
    let at = |cpu| Case::quiet(8, 0, P).fill(CpuMean, 168, cpu).judge(P);
    assert_eq!(at(4.99).kind, Idle);
    assert_eq!(at(5.0).kind, Busy);
    insta::assert_snapshot!(words(&at(6.25).reason), @"In use: CPU averaged 6.25% (limit 5%).");
    insta::assert_snapshot!(words(&at(1.5).reason), @"Idle by the mean: CPU averaged 1.5% (limit 5%).");
    // The spike is averaged away; the idle stretch is said to begin after it all the same.
    let v = Case::quiet(8, 0, P).fill(CpuMean, 168, 1.0).with(CpuMean, [100], 100.0).judge(P);
    assert_eq!((v.kind, v.idle_since), (Idle, Some(closed(99).start())));
    assert!((v.signals[0].value.unwrap() - 1.589).abs() < 1e-3);
    // 17 hours missing of 168: unknown, unless what came is enough to reach 5% anyway.
    let holes = |cpu| {
        Case::quiet(8, 0, P).fill(CpuMean, 168, cpu).with(CpuMean, 1..=17, f32::NAN).judge(P).kind
    };
    assert_eq!((holes(1.0), holes(4.99), holes(6.0)), (Unknown, Unknown, Busy));
}

#[test]
fn what_is_asked_first() {
    let policy = Preset::Cautious.policy();
    let first = |case: Case| next_signals(&case.subject(), &policy);
    assert_eq!(first(Case::new(8, 0)), [CpuMean]);
    assert_eq!(first(Case::new(96, 2)), [CpuMean, GpuMax(0), GpuMax(1)]);
    assert_eq!(first(Case::new(96, 2).born(3)), [CpuMean], "its age first");
    assert_eq!(first(Case::new(96, 2).tagged("burntop:exempt", "true")), []);

    // A busy CPU-only box costs one metric, a quiet one six.
    let asked = |case: Case| case.cascade(&policy).1.len();
    assert_eq!(asked(Case::quiet(8, 0, Preset::Cautious).fill(CpuMean, 168, 60.0)), 1);
    assert_eq!(asked(Case::quiet(8, 0, Preset::Cautious)), 6);
    // An idle GPU box: CPU, its GPUs once, network. Means of GPUs at 0 are not asked for.
    assert_eq!(asked(Case::quiet(96, 8, Preset::Cautious)), 1 + 8 + 2);
    // A busy one: CPU, and each GPU twice.
    let busy =
        (0..8).fold(Case::quiet(96, 8, Preset::Cautious), |c, i| c.fill(GpuMax(i), 168, 90.0));
    assert_eq!(asked(busy), 1 + 16);
    assert_eq!(asked(Case::quiet(8, 0, Preset::Cautious).born(5).fill(CpuMean, 4, 0.0)), 1);
}
