//! Cases seen on real machines, each with the state it must have.

use std::sync::Arc;

use super::fixtures::*;
use crate::domain::{
    AcceleratorKind, GpuAdvice, GpuAdviceKind, GpuProcess, GpuReason as R, GpuSample,
    GpuSignal as S, GpuState as G, RecentWindow, Rung, SourceId, Throttle,
};

/// A sample with the idle bit of the driver.
fn bit(mut sample: GpuSample, idle: bool) -> GpuSample {
    sample.throttle = Some(Throttle(u64::from(idle)));
    sample
}

fn model(sample: GpuSample, name: &str) -> GpuSample {
    named(sample, |i| i.model = name.into())
}

fn no_process(mut sample: GpuSample) -> GpuSample {
    sample.processes = Some(Arc::from([]));
    sample
}

#[test]
fn five_minutes_of_the_same_sample_have_the_state_of_the_golden_case() {
    use S::{
        Dec, Dram, Enc, GrEngine, MemTotal, MemUsed, Power, PowerLimit, SmActive, Tensor, Util,
    };
    let limit = (PowerLimit, 700.0);
    let total = (MemTotal, 81_559.0);
    let cases: Vec<(&str, GpuSample, G, Rung)> = vec![
        // Captures of real cards: driver 590 and 595.
        (
            "H100 idle",
            gpu(0, 0, &[(Util, 0.0), (MemUsed, 0.0), total, (Power, 69.9), limit]),
            G::UnallocatedIdle,
            Rung::C,
        ),
        (
            "H100 gpu-burn",
            gpu(0, 0, &[(Util, 1.0), (MemUsed, 20_275.0), total, (Power, 632.0), limit]),
            G::Busy,
            Rung::C,
        ),
        (
            "H200 idle",
            model(gpu(0, 0, &[(Util, 0.0), (MemUsed, 0.0), (Power, 77.7), limit]), "NVIDIA H200"),
            G::UnallocatedIdle,
            Rung::C,
        ),
        (
            "MIG mode, burn in one instance: N/A is not idle",
            gpu(0, 0, &[(MemUsed, 11_161.0), total, (Power, 434.0), limit]),
            G::Busy,
            Rung::D,
        ),
        (
            "MIG mode, nothing runs: power at rest and the driver's word",
            bit(gpu(0, 0, &[(MemUsed, 59.0), total, (Power, 71.15), limit]), true),
            G::UnallocatedIdle,
            Rung::D,
        ),
        (
            "MIG mode, power at rest alone: one witness",
            gpu(0, 0, &[(MemUsed, 59.0), total, (Power, 71.15), limit]),
            G::Unknown,
            Rung::D,
        ),
        (
            "L40S phantom: 100% with nothing on it",
            no_process(bit(
                model(
                    gpu(
                        0,
                        0,
                        &[
                            (Util, 1.0),
                            (Enc, 0.0),
                            (Dec, 0.0),
                            (MemUsed, 0.0),
                            (MemTotal, 46_068.0),
                            (Power, 144.97),
                            (PowerLimit, 350.0),
                        ],
                    ),
                    "NVIDIA L40S",
                ),
                false,
            )),
            G::Unknown,
            Rung::C,
        ),
        (
            "L40S, two transcodings: the encoder works",
            model(
                gpu(
                    0,
                    0,
                    &[
                        (Util, 0.09),
                        (Enc, 0.63),
                        (MemUsed, 1_229.0),
                        (Power, 110.0),
                        (PowerLimit, 350.0),
                    ],
                ),
                "NVIDIA L40S",
            ),
            G::Busy,
            Rung::C,
        ),
        (
            "the encoder alone",
            gpu(0, 0, &[(Util, 0.0), (Enc, 0.69), (MemUsed, 1_400.0), (Power, 84.0), limit]),
            G::Busy,
            Rung::C,
        ),
        // What DCGM says.
        (
            "a model loaded, nobody asks",
            gpu(
                0,
                0,
                &[
                    (SmActive, 0.001),
                    (Tensor, 0.0),
                    (Dram, 0.0),
                    (MemUsed, 72_000.0),
                    total,
                    (Power, 118.0),
                    limit,
                ],
            ),
            G::HeldIdle,
            Rung::A,
        ),
        (
            "a decode-bound server: DRAM high, tensor low",
            gpu(
                0,
                0,
                &[
                    (SmActive, 0.35),
                    (Tensor, 0.04),
                    (Dram, 0.7),
                    (MemUsed, 72_000.0),
                    total,
                    (Power, 410.0),
                    limit,
                ],
            ),
            G::Busy,
            Rung::A,
        ),
        (
            "an engine without profiling of SMs",
            gpu(0, 0, &[(GrEngine, 0.97), (Tensor, 0.5), (Dram, 0.4), (Power, 600.0), limit]),
            G::Busy,
            Rung::B,
        ),
        // One witness.
        ("utilisation 0 and nothing else", gpu(0, 0, &[(Util, 0.0)]), G::Unknown, Rung::C),
        (
            "utilisation 0, power far from rest",
            gpu(0, 0, &[(Util, 0.0), (MemUsed, 40_000.0), (Power, 320.0), limit]),
            G::Unknown,
            Rung::C,
        ),
        (
            "one thread: SMs quiet, something runs",
            gpu(0, 0, &[(Util, 1.0), (SmActive, 0.008), (MemUsed, 600.0), (Power, 120.0), limit]),
            G::Busy,
            Rung::A,
        ),
        ("nothing told", gpu(0, 0, &[]), G::Unknown, Rung::E),
        ("temperature alone", gpu(0, 0, &[(S::Temp, 31.0)]), G::Unknown, Rung::E),
        // Errors.
        (
            "fallen off the bus, no work since",
            gpu(0, 0, &[(Util, 0.0), (Power, 70.0), limit, (S::Xid, 79.0)]),
            G::Unhealthy,
            Rung::C,
        ),
        (
            "a hardware error of long ago: it works",
            gpu(0, 0, &[(Util, 0.9), (Power, 600.0), limit, (S::Xid, 63.0)]),
            G::Busy,
            Rung::C,
        ),
        (
            "an application's error sticks in the gauge",
            gpu(0, 0, &[(Util, 0.0), (MemUsed, 0.0), (Power, 70.0), limit, (S::Xid, 31.0)]),
            G::UnallocatedIdle,
            Rung::C,
        ),
        (
            "row remapping failed",
            gpu(0, 0, &[(Util, 0.9), (Power, 600.0), (S::RemapFailure, 1.0)]),
            G::Unhealthy,
            Rung::C,
        ),
        (
            "the driver wants a reset",
            gpu(0, 0, &[(Util, 0.9), (Power, 600.0), (S::RecoveryAction, 1.0)]),
            G::Unhealthy,
            Rung::C,
        ),
        (
            "no recovery wanted",
            gpu(0, 0, &[(Util, 0.9), (Power, 600.0), (S::RecoveryAction, 0.0)]),
            G::Busy,
            Rung::C,
        ),
    ];
    for (name, sample, state, rung) in cases {
        let row = WatchFixture::new().after_five_minutes(&sample);
        let said = (row.verdict.state, row.verdict.rung);
        assert_eq!(said, (state, rung), "{name}: {:?}", row.verdict);
        assert_ne!(row.verdict.reason, R::Nothing, "{name}");
        assert_eq!(row.verdict.idle_since.is_some(), state.is_idle(), "{name}");
    }
}

#[test]
fn owners_processes_and_memory_tell_held_from_free() {
    let idle = |extra: &[(S, f64)]| {
        let mut signals = vec![(S::Util, 0.0), (S::Power, 70.0), (S::PowerLimit, 700.0)];
        signals.extend_from_slice(extra);
        gpu(0, 0, &signals)
    };
    let state = |s: &GpuSample| WatchFixture::new().after_five_minutes(s).verdict.state;
    assert_eq!(state(&idle(&[(S::MemUsed, 600.0)])), G::HeldIdle);
    assert_eq!(state(&idle(&[(S::MemUsed, 400.0)])), G::UnallocatedIdle);
    assert_eq!(state(&owned(idle(&[(S::MemUsed, 0.0)]), "nlp", "train-0")), G::HeldIdle);
    // Nobody says: nobody may be told to take it away.
    let unsaid = WatchFixture::new().after_five_minutes(&idle(&[]));
    assert_eq!(unsaid.verdict.state, G::HeldIdle);
    assert_eq!(unsaid.verdict.reason, R::PerhapsHeld);
    assert_eq!(state(&no_process(idle(&[]))), G::UnallocatedIdle);
    let mut busy = idle(&[]);
    let process =
        GpuProcess { pid: 7, user: None, command: "python".into(), mem_mib: None, sm: None };
    busy.processes = Some(Arc::from([process]));
    assert_eq!(state(&busy), G::HeldIdle);
    let full = WatchFixture::new()
        .after_five_minutes(&idle(&[(S::MemUsed, 74_000.0), (S::MemTotal, 81_559.0)]));
    assert_eq!(full.verdict.reason, R::Preallocated { percent: 91, idle: true });
    let unload = GpuAdvice { kind: GpuAdviceKind::Unload, usd_per_month: Some(7_300) };
    assert_eq!(full.verdict.advice, Some(unload));
}

#[test]
fn a_phantom_neither_makes_busy_nor_ends_an_idle_spell() {
    let mut fixture = WatchFixture::new();
    let quiet = [(S::Util, 0.0), (S::MemUsed, 0.0), (S::Power, 70.0), (S::PowerLimit, 700.0)];
    let idle = fixture.watch(0, 300, |at| gpu(0, at, &quiet));
    assert_eq!(idle.rows[0].verdict.state, G::UnallocatedIdle);
    let phantom = [(S::Util, 1.0), (S::MemUsed, 0.0), (S::Power, 70.0), (S::PowerLimit, 700.0)];
    let now = fixture.watch(330, 330, |at| gpu(0, at, &phantom));
    assert_eq!(now.rows[0].verdict.state, G::UnallocatedIdle);
    let after = fixture.watch(360, 360, |at| gpu(0, at, &quiet));
    assert_eq!(after.rows[0].verdict.idle_since, Some(t(0)));
}

#[test]
fn a_hang_is_stalled_after_ten_minutes_and_an_honest_load_is_not() {
    let hang = [
        (S::Util, 1.0),
        (S::SmActive, 0.2),
        (S::Tensor, 0.0),
        (S::Dram, 0.01),
        (S::MemUsed, 60_000.0),
        (S::Power, 180.0),
        (S::PowerLimit, 700.0),
    ];
    let mut fixture = WatchFixture::new();
    let early = fixture.watch(0, 570, |at| gpu(0, at, &hang));
    assert_eq!(early.rows[0].verdict.state, G::Busy);
    let late = fixture.watch(600, 660, |at| gpu(0, at, &hang));
    assert_eq!(late.rows[0].verdict.state, G::Stalled);
    assert_eq!(late.rows[0].waste_usd_per_hour, Some(10.0));
    // Each of these is a reason not to call it a hang.
    let but = |signal: S, value: f64| {
        let mut signals = hang.to_vec();
        signals.retain(|(s, _)| *s != signal);
        if value.is_finite() {
            signals.push((signal, value));
        }
        let mut fixture = WatchFixture::new();
        fixture.watch(0, 720, |at| gpu(0, at, &signals)).rows[0].verdict.state
    };
    assert_ne!(but(S::Tensor, 0.3), G::Stalled, "tensor works");
    assert_ne!(but(S::Tensor, f64::NAN), G::Stalled, "tensor not known");
    assert_ne!(but(S::Power, 500.0), G::Stalled, "draws power");
    assert_ne!(but(S::Power, f64::NAN), G::Stalled, "power not known");
    assert_ne!(but(S::Dram, 0.6), G::Stalled, "memory-bound");
    assert_ne!(but(S::MemUsed, 0.0), G::Stalled, "nothing on it");
    assert_ne!(but(S::Util, 0.8), G::Stalled, "not full");
}

#[test]
fn low_use_is_inefficient_by_its_kind_of_work() {
    let low = [(S::SmActive, 0.3), (S::Dram, 0.1), (S::Power, 300.0), (S::PowerLimit, 700.0)];
    let after = |sample: fn(GpuSample) -> GpuSample, seconds| {
        let mut fixture = WatchFixture::new();
        let picture = fixture.watch(0, seconds, |at| sample(gpu(0, at, &low)));
        picture.rows[0].clone()
    };
    assert_eq!(after(|s| s, 600).verdict.state, G::Busy, "not for long enough");
    let row = after(|s| s, 960);
    assert_eq!(row.verdict.state, G::Inefficient);
    // $10/h × 730 h × 70%.
    let fit = GpuAdvice { kind: GpuAdviceKind::Fit { mig: true }, usd_per_month: Some(5_110) };
    assert_eq!(row.verdict.advice, Some(fit));
    assert_eq!(row.waste_usd_per_hour, Some(0.0));
    let serving = after(|s| owned(s, "nlp", "vllm-serve-0"), 960);
    assert_eq!(serving.verdict.state, G::Busy, "inference waits for requests");
    let training = after(|s| owned(s, "nlp", "train-7b-0"), 960);
    assert_eq!(training.verdict.advice.map(|a| a.kind), Some(GpuAdviceKind::Training));
}

#[test]
fn a_source_with_a_memory_is_believed_at_once() {
    let signals = [(S::SmActive, 0.0), (S::MemUsed, 0.0), (S::Power, 70.0), (S::PowerLimit, 700.0)];
    let look = |recent: Option<RecentWindow>| {
        let mut sample = gpu(0, 0, &signals);
        sample.recent = recent;
        WatchFixture::new().see(0, &[sweep(SourceId::Exporter, 0, vec![sample])]).rows[0].clone()
    };
    let window = |samples, max_activity, max_power_w| {
        Some(RecentWindow { seconds: 900, samples, max_activity, max_power_w })
    };
    assert_eq!(look(None).verdict.state, G::Unknown, "one sample");
    let idle = look(window(30, 0.01, Some(75.0)));
    assert_eq!(idle.verdict.state, G::UnallocatedIdle);
    assert_eq!(idle.verdict.idle_since, Some(t(-900)));
    assert!(idle.verdict.idle_since_at_least);
    assert_eq!(look(window(30, 0.01, None)).verdict.state, G::Unknown, "power not known");
    assert_eq!(look(window(30, 0.01, Some(400.0))).verdict.state, G::Unknown);
    assert_eq!(look(window(2, 0.01, Some(75.0))).verdict.state, G::Unknown, "two samples");
    assert_eq!(look(window(30, f32::NAN, Some(75.0))).verdict.state, G::Unknown);
    let bursty = look(window(30, 0.62, Some(500.0)));
    assert_eq!(bursty.verdict.state, G::Busy);
    assert_eq!(bursty.verdict.reason, R::UsedLately { percent: 62, minutes: 15 });
}

#[test]
fn a_memory_that_comes_after_a_later_look_counts_all_the_same() {
    let signals = [(S::SmActive, 0.0), (S::MemUsed, 0.0), (S::Power, 70.0), (S::PowerLimit, 700.0)];
    let direct = sweep(SourceId::Exporter, 3, vec![gpu(0, 3, &signals)]);
    let mut remembered = gpu(0, 0, &signals);
    let window =
        RecentWindow { seconds: 900, samples: 30, max_activity: 0.01, max_power_w: Some(75.0) };
    remembered.recent = Some(window);
    let remembered = sweep(SourceId::Prometheus, 0, vec![remembered]);
    let mut fixture = WatchFixture::new();
    assert_eq!(
        fixture.see(3, std::slice::from_ref(&direct)).rows[0].verdict.state,
        G::Unknown,
        "one sample"
    );
    let both = fixture.see(4, &[direct, remembered]);
    assert_eq!(both.rows[0].verdict.state, G::UnallocatedIdle);
}

#[test]
fn neuron_devices_need_no_power() {
    let mut row = instance(1);
    row.spec = Some(Arc::new(spec(AcceleratorKind::Neuron, "Trainium2", 16, 16.0)));
    let device = |cores: f64, mem: Option<f64>| {
        let mut signals = vec![(S::NeuronCore, cores)];
        signals.extend(mem.map(|m| (S::MemUsed, m)));
        named(gpu(0, 0, &signals), |i| {
            i.uuid = None;
            i.model = "".into();
        })
    };
    let state = |sample: &GpuSample, seconds| {
        let mut fixture = WatchFixture::of(vec![row.clone()]);
        let at = |now| GpuSample { taken_at: t(now), ..sample.clone() };
        fixture.watch(0, seconds, at).rows[0].clone()
    };
    assert_eq!(state(&device(0.0, Some(0.0)), 300).verdict.state, G::UnallocatedIdle);
    assert_eq!(state(&device(0.0, Some(9_000.0)), 300).verdict.state, G::Unknown);
    let held = state(&device(0.0, Some(9_000.0)), 1_830);
    assert_eq!(held.verdict.state, G::HeldIdle);
    assert_eq!(&*held.model, "Trainium2", "from the type");
    assert_eq!(state(&device(0.8, None), 300).verdict.state, G::Busy);
    assert_eq!(state(&device(0.02, Some(9_000.0)), 3_000).verdict.state, G::Unknown);
}
