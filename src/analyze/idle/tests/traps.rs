//! The planted cases: what a simpler tool gets wrong.

use super::super::{Preset, next_signals};
use super::fixtures::{Case, hours_ago};
use crate::domain::VerdictKind::{Busy, Exempt, Idle, Partial, TooNew, Underused, Unknown};
use crate::domain::{
    AcceleratorKind, EvidenceRole, HourlySeries, InstanceReason, MALFORMED, Signal, Unchecked, Why,
};
use crate::view::reasons::verdict as words;

const DEFAULT: Preset = Preset::Cautious;

#[test]
fn what_is_sent_a_day_is_known_of_whole_hours_alone() {
    let of = |case: Case| case.judge(DEFAULT).network_out_bytes_per_day;
    let quiet = || Case::quiet(96, 8, DEFAULT);
    // Of 168 hours 152 are nine tenths, 151 are not; the mean of the others is 40 kB.
    let with_gaps = |hours: i32| of(quiet().with(Signal::NetworkOut, 1..=hours, f32::NAN));
    assert!((with_gaps(16).unwrap() - 960_000.0).abs() < 1.0);
    assert_eq!(with_gaps(17), None);
    assert_eq!(of(quiet().with(Signal::NetworkOut, [3], MALFORMED)), None);
    assert_eq!(of(quiet().without(Signal::NetworkOut)), None, "not read is not nothing");
}

#[test]
fn an_idle_p4d() {
    let v = Case::quiet(96, 8, DEFAULT).judge(DEFAULT);
    assert_eq!(v.kind, Idle);
    assert_eq!((v.idle_gpus, v.devices), (Some(8), 8));
    assert_eq!((v.coverage, v.gpu_percent), (1.0, Some(0.0)));
    assert!((v.cpu_percent.unwrap() - 0.2).abs() < 1e-6);
    // 24 h × (40 kB in + 40 kB out).
    assert!((v.network_bytes_per_day.unwrap() - 1_920_000.0).abs() < 1.0);
    assert!((v.network_out_bytes_per_day.unwrap() - 960_000.0).abs() < 1.0);
    assert!((v.waste_share().unwrap() - 1.0).abs() < f64::EPSILON);
    let labels: Vec<&str> = v.signals.iter().map(|s| &*s.label).collect();
    assert_eq!(labels[..2], ["GPU 0 max", "GPU 1 max"]);
    assert_eq!(labels[8..], ["CPU mean", "busy cores", "network per day"]);
    for s in &v.signals {
        assert!(!s.busy && s.got == s.expected, "{s:?}");
        let counter = !s.label.starts_with("GPU");
        assert_eq!(s.role == EvidenceRole::Counter, counter, "{s:?}");
    }
    let cores = v.signals[9].value.unwrap();
    assert!((cores - 0.192).abs() < 1e-6, "{cores}");
    insta::assert_snapshot!(words(&v.reason), @"None of 8 GPUs did anything for at least 7 d: no hour above 0% (limit 5%), CPU and network quiet.");
    assert_eq!(*v.not_checked, [Unchecked::Memory, Unchecked::Efa, Unchecked::EbsByPolicy]);
}

#[test]
fn an_idle_stretch_is_told_by_its_own_hours() {
    // Two GPUs at 80% until 48 h ago, at 0 since: the week's mean is 57%.
    let worked = 49..=168;
    let mut case = Case::quiet(96, 2, DEFAULT).fill(Signal::GpuMean(0), 168, 0.0).fill(
        Signal::GpuMean(1),
        168,
        0.0,
    );
    for gpu in 0..2 {
        case = case.with(Signal::GpuMax(gpu), worked.clone(), 95.0);
        case = case.with(Signal::GpuMean(gpu), worked.clone(), 80.0);
    }
    let v = case.judge(DEFAULT);
    assert_eq!((v.kind, v.gpu_percent), (Idle, Some(0.0)));
    // One works on: the mean of both since the other stopped.
    let case = case.fill(Signal::GpuMax(1), 168, 95.0).fill(Signal::GpuMean(1), 168, 80.0);
    let v = case.judge(DEFAULT);
    assert_eq!((v.kind, v.gpu_percent), (Partial, Some(40.0)));
    // Without the means of the one that works, nobody knows.
    let v = case.without(Signal::GpuMean(1)).judge(DEFAULT);
    assert_eq!((v.kind, v.gpu_percent), (Partial, None));
}

#[test]
fn a_p5_with_three_of_eight_gpus_busy() {
    let mut case = Case::quiet(192, 8, DEFAULT);
    for gpu in [1, 2, 6] {
        case = case.fill(Signal::GpuMax(gpu), 168, 98.0).fill(Signal::GpuMean(gpu), 168, 80.0);
    }
    // Its CPUs feed the three; that is no reason to keep the five.
    let v = case.clone().fill(Signal::CpuMean, 168, 30.0).judge(DEFAULT);
    assert_eq!((v.kind, v.idle_gpus), (Partial, Some(5)));
    assert!((v.waste_share().unwrap() - 0.625).abs() < f64::EPSILON);
    assert!((v.gpu_percent.unwrap() - 30.0).abs() < 1e-4);
    insta::assert_snapshot!(words(&v.reason), @"5 of 8 GPUs idle for at least 7 d (GPU 0, 3–5, 7) while the others work.");

    // One of the five was busy 30 h ago, another 50 h ago: the later one tells since when.
    let v = case.clone().with(Signal::GpuMax(0), [30], 60.0).with(Signal::GpuMax(7), [50], 60.0);
    let v = v.judge(DEFAULT);
    assert_eq!((v.kind, v.idle_gpus), (Partial, Some(5)));
    assert_eq!(v.idle_since, Some(super::fixtures::closed(29).start()));

    // One was busy 5 h ago: it is not idle for the minimum stretch.
    let v = case.clone().with(Signal::GpuMax(0), [5], 60.0).judge(DEFAULT);
    assert_eq!((v.kind, v.idle_gpus), (Partial, Some(4)));

    // One does not report: nothing may be said of idle GPUs.
    let v = case.clone().without(Signal::GpuMax(7)).judge(DEFAULT);
    assert_eq!((v.kind, v.idle_gpus), (Busy, None));
    // The network that the preset names is not known either.
    let v = case.without(Signal::NetworkOut).judge(DEFAULT);
    assert_eq!(v.kind, Busy);
}

#[test]
fn a_gpu_box_with_two_percent_cpu_and_busy_gpus() {
    let mut case = Case::quiet(96, 8, DEFAULT).fill(Signal::CpuMean, 168, 2.0);
    for gpu in 0..8 {
        case = case.fill(Signal::GpuMax(gpu), 168, 100.0).fill(Signal::GpuMean(gpu), 168, 95.0);
    }
    let v = case.judge(DEFAULT);
    assert_eq!((v.kind, v.idle_gpus, v.idle_since), (Busy, Some(0), None));
    insta::assert_snapshot!(words(&v.reason), @"In use: GPU 0 reached 100% (limit 5%).");
    // The presets that look at CPU and network alone do not override the GPUs.
    for preset in Preset::ALL {
        let mut case = Case::quiet(96, 8, preset);
        for gpu in 0..8 {
            let hours = preset.policy().window_hours();
            case = case.fill(Signal::GpuMax(gpu), hours, 99.0);
            case = case.fill(Signal::GpuMean(gpu), hours, 95.0);
        }
        assert_eq!(case.judge(preset).kind, Busy, "{preset:?}");
        let v = Case::quiet(96, 8, preset).judge(preset);
        assert_eq!(v.kind, Idle, "{preset:?}: {:?}", v.reason);
    }
}

#[test]
fn one_busy_core_of_96() {
    // 1.04% of 96 vCPUs: under every limit in percent, and a core at work all the same.
    for preset in Preset::ALL {
        let hours = preset.policy().window_hours();
        let case = Case::quiet(96, 0, preset).fill(Signal::CpuMean, hours, 1.04);
        let case = case.fill(Signal::CpuMax, hours, 1.2);
        let v = case.judge(preset);
        assert!(matches!(v.kind, Busy | Underused), "{preset:?}: {:?} {:?}", v.kind, v.reason);
        assert_eq!(Case::quiet(96, 0, preset).judge(preset).kind, Idle, "{preset:?}");
    }
    let v = Case::quiet(96, 0, DEFAULT).fill(Signal::CpuMean, 168, 1.04).judge(DEFAULT);
    assert_eq!(v.kind, Underused);
    let cores = v.signals.iter().find(|s| &*s.label == "busy cores").unwrap();
    assert!(cores.busy && (cores.value.unwrap() - 0.9984).abs() < 1e-4, "{cores:?}");
    insta::assert_snapshot!(words(&v.reason), @"In use: an hour's mean load was 1 cores (limit 0.5 cores), but no hour's mean CPU passed 1.04% (underused up to 20%).");
}

#[test]
fn younger_than_the_window() {
    // Busy or not: too new comes first.
    for (gpus, minimum) in [(8, 24), (0, 168)] {
        let case = Case::quiet(96, gpus, DEFAULT).born(minimum - 1);
        let case = case.fill(Signal::CpuMean, minimum as u32 - 2, 90.0);
        assert_eq!(case.kind(), TooNew, "{gpus}");
    }
    let case = Case::quiet(96, 8, DEFAULT).born(5).fill(Signal::CpuMean, 4, 0.1);
    let v = case.judge(DEFAULT);
    assert_eq!((v.kind, v.idle_since), (TooNew, None));
    insta::assert_snapshot!(words(&v.reason), @"Too new: 5 h old, 24 h of evidence are needed.");
    // A launch in the future is a wrong clock, and too new.
    let v = Case::quiet(96, 8, DEFAULT).born(-2).without(Signal::CpuMean).judge(DEFAULT);
    assert_eq!(v.kind, TooNew);
    insta::assert_snapshot!(words(&v.reason), @"Too new: its launch lies in the future, so a clock is wrong; 24 h are needed.");
}

#[test]
fn a_restart_does_not_make_an_old_box_new() {
    // Restarted 3 h ago and working: busy, it is not new.
    let case = Case::quiet(96, 1, DEFAULT).restarted(3).with(Signal::GpuMax(0), [1], 90.0);
    assert!(matches!(case.kind(), Busy));
    // Restarted 3 h ago and quiet: the evidence since then is too short to call it idle, whatever
    // the hours before say.
    let v = Case::quiet(96, 1, DEFAULT).restarted(3).judge(DEFAULT);
    assert_eq!(v.kind, TooNew);
    insta::assert_snapshot!(words(&v.reason), @"Restarted: 60 d old, but only 2 whole hours since the last launch, 24 h are needed.");
    // Use before the restart is of another life.
    let case = Case::quiet(96, 1, DEFAULT).restarted(30).with(Signal::GpuMax(0), 31..60, 90.0);
    let v = case.judge(DEFAULT);
    assert_eq!((v.kind, v.idle_since), (Idle, Some(hours_ago(30))));
    // The root volume and the first CPU datapoint tell the age too, where LaunchTime does not.
    let case = Case::quiet(96, 1, DEFAULT).born(3).with(Signal::GpuMax(0), [1], 90.0);
    assert_eq!(case.kind(), Busy, "the CPU series begins 7 days ago");
    assert_eq!(case.without(Signal::CpuMean).kind(), TooNew);
}

#[test]
fn an_agent_that_died_on_day_one() {
    let mut case = Case::quiet(96, 8, DEFAULT);
    for gpu in 0..8 {
        case = case.with(Signal::GpuMax(gpu), 1..=144, f32::NAN);
    }
    let v = case.judge(DEFAULT);
    assert_eq!((v.kind, v.idle_gpus, v.idle_since), (Unknown, None, None));
    assert!((v.coverage - 24.0 / 168.0).abs() < 1e-6);
    insta::assert_snapshot!(words(&v.reason), @"Unknown: 8 of 8 GPUs report too little, the worst in 24 of 168 h; 90% are needed, in the last 24 h too.");
    // It died yesterday evening: the week is covered to 91%, the day that counts is not.
    let mut case = Case::quiet(96, 8, DEFAULT);
    for gpu in 0..8 {
        case = case.with(Signal::GpuMax(gpu), 1..=15, f32::NAN);
    }
    assert!(case.judge(DEFAULT).coverage > 0.9);
    assert_eq!(case.kind(), Unknown);
}

#[test]
fn missing_gpu_telemetry_is_never_idle() {
    for preset in Preset::ALL {
        let quiet = Case::quiet(96, 8, preset);
        let none = (0..8).fold(quiet.clone(), |c, i| c.without(Signal::GpuMax(i)));
        assert_eq!(none.judge(preset).kind, Unknown, "{preset:?}");
        let one = quiet.without(Signal::GpuMax(5));
        assert_eq!(one.judge(preset).kind, Unknown, "{preset:?}");
        let mut empty = one.clone();
        empty.series.insert(Signal::GpuMax(5), HourlySeries::default());
        let v = empty.judge(preset);
        assert_eq!(v.kind, Unknown, "{preset:?}");
        assert!(v.coverage < 0.9);
        // Hourly means do not stand in for maxima where they speak for idleness, only for use.
        let hours = preset.policy().window_hours();
        let means = one.clone().fill(Signal::GpuMean(5), hours, 0.0);
        assert_eq!(means.judge(preset).kind, Unknown, "{preset:?}");
        let means = one.fill(Signal::GpuMean(5), hours, 50.0);
        assert_eq!(means.judge(preset).kind, Busy, "{preset:?}");
    }
    let v = (0..8).fold(Case::quiet(96, 8, DEFAULT), |c, i| c.without(Signal::GpuMax(i)));
    // Whether an agent is there is not known before somebody asked.
    insta::assert_snapshot!(words(&v.judge(DEFAULT).reason), @"Unknown: the GPU metrics were not fetched, so nothing says that the GPUs are idle.");
    let v = (0..8).fold(v, |mut case, i| {
        case.series.insert(Signal::GpuMax(i), HourlySeries::default());
        case
    });
    insta::assert_snapshot!(words(&v.judge(DEFAULT).reason), @"Unknown: no GPU telemetry; install the CloudWatch agent with nvidia_gpu.");
}

#[test]
fn accelerators_without_telemetry_and_unknown_types() {
    use AcceleratorKind::{AmdGpu, Neuron, Other};
    for preset in Preset::ALL {
        for kind in [Neuron, AmdGpu, Other] {
            let case = Case::quiet(96, 8, preset).accelerator(kind);
            assert_eq!(case.judge(preset).kind, Unknown, "{preset:?} {kind:?}");
            let busy = case.fill(Signal::CpuMean, preset.policy().window_hours(), 60.0);
            assert_eq!(busy.judge(preset).kind, Busy, "{preset:?} {kind:?}");
        }
        let mut case = Case::quiet(96, 0, preset);
        case.spec = None;
        assert_eq!(case.judge(preset).kind, Unknown, "{preset:?}");
        let busy = case.clone().fill(Signal::CpuMean, preset.policy().window_hours(), 60.0);
        assert_eq!(busy.judge(preset).kind, Busy, "{preset:?}");
        let veto = case.fill(Signal::GpuMax(0), preset.policy().window_hours(), 60.0);
        assert_eq!(veto.judge(preset).kind, Busy, "{preset:?}");
    }
    // The veto of a GPU that the type does not have is shown like any other.
    let v = Case::quiet(96, 0, DEFAULT).fill(Signal::GpuMean(2), 168, 60.0).judge(DEFAULT);
    assert!(v.signals.iter().any(|s| &*s.label == "GPU 2 max" && s.busy), "{:?}", v.signals);
    // A GPU type whose catalogue row forgot the devices.
    let mut case = Case::quiet(4, 1, DEFAULT);
    if let Some(a) = case.spec.as_mut().and_then(|s| s.accelerator.as_mut()) {
        a.devices = 0;
    }
    assert_eq!(case.kind(), Unknown);
    let v = Case::quiet(96, 8, DEFAULT).accelerator(Neuron).judge(DEFAULT);
    insta::assert_snapshot!(words(&v.reason), @"Unknown: no telemetry source for the accelerators of x.large yet; CPU and network do not speak for use.");
}

#[test]
fn exempt_by_tag() {
    let busy = Case::quiet(96, 8, DEFAULT).fill(Signal::GpuMax(0), 168, 90.0);
    for case in [Case::quiet(96, 8, DEFAULT), busy, Case::quiet(96, 8, DEFAULT).born(1)] {
        assert_eq!(case.clone().tagged("burntop:exempt", "true").kind(), Exempt);
        assert_eq!(case.clone().tagged("burntop:exempt", "2026-07-01").kind(), Exempt);
        assert_ne!(case.tagged("burntop:exempt", "2026-06-30").kind(), Exempt);
    }
    let v = Case::quiet(96, 8, DEFAULT).tagged("burntop:exempt", "forever").judge(DEFAULT);
    assert_eq!((v.kind, v.idle_since), (Exempt, None));
    insta::assert_snapshot!(words(&v.reason), @"Exempt, to be safe: the tag burntop:exempt holds neither `true` nor a date like 2026-12-31; set one of them or remove the tag.");
    let v = Case::quiet(96, 8, DEFAULT).tagged("burntop:exempt", "2026-06-30").judge(DEFAULT);
    assert_eq!(v.kind, Idle);
    insta::assert_snapshot!(words(&v.reason), @"None of 8 GPUs did anything for at least 7 d: no hour above 0% (limit 5%), CPU and network quiet. The exemption by tag ended with 2026-06-30.");
}

#[test]
fn a_weekly_spike() {
    // One hour at 100% in a week of 1%: the mean is 1.6% and says nothing.
    for ago in [1, 24, 25, 100, 168] {
        let case = Case::quiet(8, 0, DEFAULT).fill(Signal::CpuMean, 168, 1.0);
        let case = case.with(Signal::CpuMean, [ago], 100.0).with(Signal::CpuMax, [ago], 100.0);
        let v = case.judge(DEFAULT);
        assert_eq!(v.kind, Busy, "{ago}");
        assert!((v.cpu_percent.unwrap() - 1.589).abs() < 1e-3);
        let classic = case.judge(Preset::MeanCpu);
        assert_eq!(classic.kind, Idle, "the classic script calls it idle");
    }
    let case = Case::quiet(8, 0, DEFAULT).with(Signal::CpuMean, [100], 100.0);
    insta::assert_snapshot!(words(&case.judge(DEFAULT).reason), @"Idle for only 4 d 3 h, minimum 7 d: CPU peaked at 100% (limit 5%).");
    // On a GPU box the spike ends the stretch; what came after may be long enough.
    let case = Case::quiet(96, 1, DEFAULT).with(Signal::GpuMax(0), [25], 90.0);
    assert_eq!(case.kind(), Idle);
    let case = Case::quiet(96, 1, DEFAULT).with(Signal::GpuMax(0), [24], 90.0);
    let v = case.with(Signal::GpuMean(0), [24], 70.0).judge(DEFAULT);
    assert_eq!(v.kind, Busy);
    insta::assert_snapshot!(words(&v.reason), @"Idle for only 23 h, minimum 24 h: GPU 0 reached 90% (limit 5%).");
}

#[test]
fn malformed_evidence_means_in_use() {
    for preset in Preset::ALL {
        for gpus in [0, 2] {
            let policy = preset.policy();
            for signal in policy.signals_needed(gpus) {
                for odd in [MALFORMED, f32::NEG_INFINITY, -1.0] {
                    let case = Case::quiet(8, gpus, preset).with(signal, [3], odd);
                    let v = case.judge(preset);
                    assert!(
                        matches!(v.kind, Busy | Partial | Underused),
                        "{preset:?} {gpus} {signal:?} {odd}: {:?}",
                        v.kind
                    );
                    assert!(v.signals.iter().all(|s| s.value.is_none_or(f64::is_finite)));
                }
            }
        }
    }
    // The zeros around it decided nothing.
    let v = Case::quiet(8, 1, DEFAULT).with(Signal::GpuMax(0), [3], MALFORMED).judge(DEFAULT);
    let gpu = v.signals.iter().find(|s| s.signal == Signal::GpuMax(0)).unwrap();
    assert!(gpu.busy && gpu.value.is_none() && gpu.is_malformed());
    assert!(v.signals.iter().filter(|s| *s != gpu).all(|s| !s.is_malformed()));
    // A valid value that passes the limit decides by itself.
    let both = Case::quiet(8, 1, DEFAULT).with(Signal::GpuMax(0), [3], MALFORMED);
    let v = both.with(Signal::GpuMax(0), [2], 90.0).judge(DEFAULT);
    let gpu = v.signals.iter().find(|s| s.signal == Signal::GpuMax(0)).unwrap();
    assert_eq!((gpu.busy, gpu.value, gpu.is_malformed()), (true, Some(90.0), false));
    let v = Case::quiet(8, 1, DEFAULT).with(Signal::NetworkIn, [3], MALFORMED).judge(DEFAULT);
    insta::assert_snapshot!(words(&v.reason), @"Idle for only 2 h, minimum 24 h: a network datapoint made no sense (NaN, infinite or negative), which counts as use; no GPU worked.");
}

#[test]
fn underused() {
    // A box of 8 GPUs that serve at 18%.
    let mut case = Case::quiet(96, 8, DEFAULT);
    for gpu in 0..8 {
        case = case.fill(Signal::GpuMax(gpu), 168, 60.0).fill(Signal::GpuMean(gpu), 168, 18.0);
    }
    let v = case.judge(DEFAULT);
    assert_eq!((v.kind, v.idle_gpus), (Underused, Some(0)));
    insta::assert_snapshot!(words(&v.reason), @"In use, but working GPUs average only 18% (underused below 30%).");
    // Working hours alone count: 8 h a day at 80% is not underused, it is part-time.
    let night = (1..=168).filter(|n| n % 24 < 16);
    let mut part_time = Case::quiet(96, 1, DEFAULT).fill(Signal::GpuMax(0), 168, 100.0).fill(
        Signal::GpuMean(0),
        168,
        80.0,
    );
    for n in night {
        part_time = part_time.with(Signal::GpuMax(0), [n], 0.0).with(Signal::GpuMean(0), [n], 0.0);
    }
    assert_eq!(part_time.kind(), Busy);
    // Without the means nothing is said of how hard it works, nor without a tenth of them.
    let no_mean = case.clone().without(Signal::GpuMean(3));
    assert_eq!(no_mean.kind(), Busy);
    assert_eq!(case.with(Signal::GpuMean(3), 1..=17, f32::NAN).kind(), Busy);
    // A GPU box used for its CPUs: busy, and the GPUs are counted.
    let v = Case::quiet(96, 8, DEFAULT).fill(Signal::CpuMean, 168, 40.0).judge(DEFAULT);
    assert_eq!((v.kind, v.idle_gpus), (Busy, Some(8)));
    insta::assert_snapshot!(words(&v.reason), @"In use: an hour's mean CPU was 40% (limit 15%); no GPU worked.");
}

#[test]
fn signals_never_fetched() {
    for signal in Preset::Cautious.policy().signals_needed(0) {
        let v = Case::quiet(8, 0, DEFAULT).without(signal).judge(DEFAULT);
        assert_eq!((v.kind, v.coverage), (Unknown, 0.0), "{signal:?}");
        assert!(
            matches!(
                v.reason.why,
                Why::Instance(InstanceReason::NotFetched(_) | InstanceReason::GpusNotFetched)
            ),
            "{:?}",
            v.reason
        );
        // Something else decided already: it need not be fetched.
        let other = if signal == Signal::CpuMean { Signal::CpuMax } else { Signal::CpuMean };
        let busy = Case::quiet(8, 0, DEFAULT).without(signal).fill(other, 168, 90.0);
        let v = busy.judge(DEFAULT);
        assert_eq!((v.kind, v.coverage), (Busy, 1.0), "{signal:?}");
        assert!(v.not_checked.contains(&Unchecked::NotFetched));
    }
    // Nothing at all is known.
    assert_eq!(Case::new(8, 0).kind(), Unknown);
    assert_eq!(Case::new(96, 8).kind(), Unknown);
}

#[test]
fn what_a_type_cannot_report_is_not_demanded_of_it() {
    let of = |name: &str| {
        let mut case =
            Case::quiet(8, 0, DEFAULT).without(Signal::EbsReadOps).without(Signal::EbsWriteOps);
        case.spec.as_mut().unwrap().name = name.into();
        case
    };
    for name in ["t2.large", "m4.2xlarge", "c4.2xlarge", "r4.2xlarge", "m5.metal", "c7i.metal-24xl"]
    {
        let mut case = of(name);
        case.instance.block_devices.clear();
        let v = case.judge(DEFAULT);
        assert_eq!((v.kind, v.coverage), (Idle, 1.0), "{name}");
        assert!(v.signals.iter().all(|s| !s.label.starts_with("EBS operations")), "{name}");
        assert!(v.not_checked.contains(&Unchecked::EbsUnreported), "{name}");
        assert!(
            next_signals(&case.subject(), &DEFAULT.policy()).is_empty(),
            "what does not exist is not asked for: {name}"
        );
        // Its volumes have a metric each; without their answer it is what it was.
        let stored = of(name);
        assert_eq!(stored.kind(), Idle, "{name}");
        assert_eq!(
            next_signals(&stored.subject(), &DEFAULT.policy()),
            [Signal::EbsReadOps, Signal::EbsWriteOps],
            "{name}"
        );
        // What comes speaks for use, and says whose it is.
        let wrote =
            stored.fill(Signal::EbsReadOps, 168, 0.0).fill(Signal::EbsWriteOps, 168, 7200.0);
        let v = wrote.judge(DEFAULT);
        assert_eq!(v.kind, Underused, "{name}");
        let line = v.signals.iter().find(|s| s.label.starts_with("EBS operations")).unwrap();
        assert_eq!(&*line.label, "EBS operations of its volumes");
        assert!(v.not_checked.contains(&Unchecked::EbsByVolumes), "{name}");
    }
    let nitro = of("m5.2xlarge");
    assert_eq!(nitro.kind(), Unknown);
    assert_eq!(
        next_signals(&nitro.subject(), &DEFAULT.policy()),
        [Signal::EbsReadOps, Signal::EbsWriteOps]
    );
}
