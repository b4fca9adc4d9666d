//! What must hold of every fleet.

use std::collections::HashMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::super::{Preset, signals_for};
use super::fixtures::{Case, background};
use crate::domain::VerdictKind::{Busy, Exempt, Idle, Partial, TooNew, Underused, Unknown};
use crate::domain::{AcceleratorKind, MALFORMED, Signal, SignalEvidence, TypeSpec, VerdictKind};

/// Hours of series that random cases hold: more than any window.
const HOURS: i32 = 400;

/// How one random source of signals (the CPU, one GPU, the network, EBS) behaves.
#[derive(Clone, Debug)]
struct Behaviour {
    /// Level between bursts, as a multiple of the background.
    level: f32,
    bursts: Vec<(i32, i32)>,
    holes: Vec<(i32, i32)>,
    malformed: Option<i32>,
}

fn behaviour() -> impl Strategy<Value = Behaviour> {
    let spans = |n| vec((1..HOURS, 1..40_i32), 0..n);
    let level = prop_oneof![4 => Just(0.0_f32), 3 => Just(1.0_f32), 1 => 0.0..60.0_f32];
    let bursts = prop_oneof![2 => Just(Vec::new()).boxed(), 1 => spans(3).boxed()];
    let holes = prop_oneof![3 => Just(Vec::new()).boxed(), 1 => spans(3).boxed()];
    let malformed = prop_oneof![9 => Just(None), 1 => (1..HOURS).prop_map(Some)];
    (level, bursts, holes, malformed).prop_map(|(level, bursts, holes, malformed)| Behaviour {
        level,
        bursts,
        holes,
        malformed,
    })
}

/// Fills the signals of one source: a mean is never above its maximum, and what is missing or
/// malformed in one statistic is so in the other, as both come of the same datapoints.
fn play(mut case: Case, b: &Behaviour, signals: &[(Signal, f32)]) -> Case {
    for &(signal, scale) in signals {
        let quiet = (background(signal) * b.level).min(100.0 * scale.max(1.0));
        case = case.fill(signal, HOURS as u32, quiet);
        for &(ago, len) in &b.bursts {
            case = case.with(signal, ago..ago + len, 90.0 * scale);
        }
        for &(ago, len) in &b.holes {
            case = case.with(signal, ago..ago + len, f32::NAN);
        }
        if let Some(ago) = b.malformed {
            case = case.with(signal, [ago], MALFORMED);
        }
    }
    case
}

/// Any instance with every signal that any preset asks for.
pub fn any_case() -> impl Strategy<Value = Case> {
    let size =
        prop_oneof![Just((8, 0)), Just((96, 0)), Just((4, 1)), Just((96, 2)), Just((192, 4))];
    let born = prop_oneof![4 => Just(1440_i64), 1 => 0..400_i64];
    let restarted = prop_oneof![4 => Just(None), 1 => (0..400_i64).prop_map(Some)];
    let tag = prop_oneof![9 => Just(None), 1 => prop_oneof![
        Just("true"), Just("2026-06-01"), Just("2027-01-01"), Just("soon")].prop_map(Some)];
    let oddity = prop_oneof![12 => Just(0), 1 => 1..4_u8];
    (size, born, restarted, tag, oddity, vec(behaviour(), 7), vec(any::<bool>(), 4)).prop_map(
        |((vcpus, gpus), born, restarted, tag, oddity, ways, calm)| {
            let mut case = Case::new(vcpus, gpus).born(born);
            if let Some(hours) = restarted.filter(|h| *h < born) {
                case = case.restarted(hours);
            }
            if let Some(tag) = tag {
                case = case.tagged("burntop:exempt", tag);
            }
            // Most sources of most boxes are calm, or nearly everything would be busy.
            let calmed = |i: usize| {
                let mut b = ways[i].clone();
                if calm[i % 4] {
                    (b.level, b.bursts, b.malformed) = (b.level.min(1.0), Vec::new(), None);
                }
                b
            };
            case = play(case, &calmed(0), &[(Signal::CpuMean, 0.6), (Signal::CpuMax, 1.0)]);
            let bytes = 1e6;
            case =
                play(case, &calmed(1), &[(Signal::NetworkIn, bytes), (Signal::NetworkOut, bytes)]);
            case =
                play(case, &calmed(2), &[(Signal::EbsReadOps, 50.0), (Signal::EbsWriteOps, 50.0)]);
            for gpu in 0..gpus as u16 {
                let b = &ways[3 + usize::from(gpu)];
                let scale = if b.level > 30.0 { 0.2 } else { 0.7 };
                case = play(case, b, &[(Signal::GpuMean(gpu), scale), (Signal::GpuMax(gpu), 1.0)]);
            }
            // What cannot report, or is not known to exist, has no series.
            let blind = |case: Case| {
                (0..gpus as u16)
                    .fold(case, |c, i| c.without(Signal::GpuMax(i)).without(Signal::GpuMean(i)))
            };
            match oddity {
                1 => blind(case.accelerator(AcceleratorKind::Neuron)),
                2 => {
                    case.spec = None;
                    blind(case)
                }
                3 if gpus > 0 => {
                    case.series.insert(Signal::GpuMax(0), crate::domain::HourlySeries::default());
                    case.series.insert(Signal::GpuMean(0), crate::domain::HourlySeries::default());
                    case
                }
                _ => case,
            }
        },
    )
}

/// The random cases are worth something only if every verdict comes up among them.
#[test]
fn every_kind_comes_up() {
    let mut runner = TestRunner::deterministic();
    let mut seen = HashMap::new();
    for _ in 0..600 {
        let case = any_case().new_tree(&mut runner).unwrap().current();
        *seen.entry(case.kind()).or_insert(0_u32) += 1;
    }
    for kind in VerdictKind::ALL {
        assert!(seen.get(&kind).is_some_and(|n| *n >= 5), "{kind:?}: {seen:?}");
    }
}

/// A case that is idle under `preset`.
fn idle_case(preset: Preset) -> impl Strategy<Value = Case> {
    (prop_oneof![Just((8, 0)), Just((96, 2)), Just((192, 8))], vec((1..168_i32, 0..8_usize), 0..12))
        .prop_map(move |((vcpus, gpus), holes)| {
            let mut case = Case::quiet(vcpus, gpus, preset);
            let signals = signals_for(&preset.policy(), gpus);
            for (ago, which) in holes {
                // Every tenth hour at most, so that the coverage stays.
                let ago = (ago / 12) * 12 + 1;
                case = case.with(signals[which % signals.len()], [ago], f32::NAN);
            }
            case
        })
}

/// The closed hours within which use counts: the minimum stretch, or the window for the presets
/// that know no stretch.
fn deciding_hours(preset: Preset, gpus: u32) -> i32 {
    let policy = preset.policy();
    let hours = match preset {
        Preset::Cautious | Preset::AwsComputeOptimizer => policy.min_stretch_hours(gpus > 0),
        Preset::AwsTrustedAdvisor | Preset::MeanCpu => policy.window_hours(),
    };
    hours as i32
}

/// Cases and presets of which some are idle.
fn idle_cases() -> impl Strategy<Value = (Case, Preset)> {
    (0..4_usize).prop_flat_map(|i| {
        let preset = Preset::ALL[i];
        idle_case(preset).prop_map(move |case| (case, preset))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn idle_implies_coverage_and_the_whole_verdict_is_sound(case in any_case(), preset in 0..4_usize) {
        let preset = Preset::ALL[preset];
        let v = case.judge(preset);
        let devices = case.spec.as_ref().map_or(0, TypeSpec::devices);
        if matches!(v.kind, Idle | Partial) {
            prop_assert!(v.coverage >= 0.9);
            prop_assert!(v.signals.iter().all(|s| s.coverage() >= 0.9));
        }
        if v.kind == Idle {
            prop_assert!(v.signals.iter().all(|s| !s.busy));
            prop_assert!(v.signals.iter().all(|s| s.value.is_some()));
            prop_assert_eq!(v.idle_gpus, (devices > 0).then_some(devices));
        }
        if v.kind == Partial {
            prop_assert!((1..devices).contains(&v.idle_gpus.unwrap()));
        }
        if let Some(since) = v.idle_since {
            prop_assert!(matches!(v.kind, Idle | Partial));
            prop_assert!(since >= case.instance.launched_at);
            prop_assert!(since < super::fixtures::now());
        } else if preset == Preset::Cautious {
            prop_assert!(!matches!(v.kind, Idle | Partial));
        }
        if matches!(v.kind, Busy | Partial | Underused) {
            prop_assert!(v.signals.iter().any(|s| s.busy), "{:?}", v);
        }
        prop_assert!((0.0..=1.0).contains(&v.coverage));
        match v.waste_share() {
            Some(share) => prop_assert!((0.0..=1.0).contains(&share)),
            None => prop_assert!(matches!(v.kind, Unknown | TooNew)),
        }
        let said = crate::view::reasons::verdict(&v.reason);
        prop_assert!(said.ends_with('.') && said.chars().count() < 260, "{said}");
        prop_assert!(v.signals.iter().all(|s| s.value.is_none_or(f64::is_finite)));
        // The value is of some of the hours or their mean, the highest of all of them.
        for s in v.signals.iter().filter(|s| &*s.unit != "days") {
            if let Some((value, highest)) = s.value.zip(s.highest) {
                prop_assert!(highest.is_finite() && value <= highest * (1.0 + 1e-6) + 1e-6, "{:?}", s);
            }
        }
    }

    #[test]
    fn limit_value_and_word_of_each_line_agree(case in any_case(), preset in 0..4_usize) {
        let v = case.judge(Preset::ALL[preset]);
        // Cores are counted from percent, which leaves a rounding.
        let reaches = |s: &SignalEvidence| s.value.is_none_or(|value| value >= s.threshold * (1.0 - 1e-6));
        let passes = |s: &SignalEvidence| s.value.is_some_and(|value| value > s.threshold * (1.0 + 1e-6));
        for s in v.signals.iter().filter(|s| !s.joint && s.coverage() >= 0.9) {
            if &*s.unit == "days" {
                // Of low days there are to be many; with too few of them others may be low yet.
                prop_assert!(!s.busy || s.value.is_none_or(|days| days < s.threshold), "{s:?}");
            } else if s.busy {
                prop_assert!(reaches(s), "in use below its limit: {s:?}");
            } else {
                prop_assert!(!passes(s), "quiet above its limit: {s:?}");
            }
        }
        let joint: Vec<&SignalEvidence> = v.signals.iter().filter(|s| s.joint).collect();
        if joint.len() < 2 {
            prop_assert!(joint.iter().all(|s| !s.busy), "{joint:?}");
            return Ok(());
        }
        let together = joint.iter().all(|s| s.busy);
        prop_assert!(together || joint.iter().all(|s| !s.busy), "{joint:?}");
        if together {
            prop_assert!(joint.iter().all(|s| reaches(s)), "{joint:?}");
        } else if joint.iter().all(|s| s.coverage() >= 0.9) {
            prop_assert!(!joint.iter().all(|s| passes(s)), "{joint:?}");
        }
    }

    #[test]
    fn a_malformed_point_in_the_stretch_is_never_idle(
        (case, preset) in idle_cases(), which in any::<prop::sample::Index>(), ago in any::<prop::sample::Index>()
    ) {
        let gpus = case.spec.as_ref().map_or(0, TypeSpec::devices);
        prop_assert_eq!(case.judge(preset).kind, Idle);
        let signals = signals_for(&preset.policy(), gpus);
        let hours = deciding_hours(preset, gpus);
        let ago = 1 + ago.index(hours as usize) as i32;
        let odd = case.with(signals[which.index(signals.len())], [ago], MALFORMED);
        prop_assert!(!matches!(odd.judge(preset).kind, Idle | Unknown), "{:?}", odd.judge(preset));
    }

    #[test]
    fn a_busy_gpu_hour_in_the_stretch_is_never_idle(
        (case, preset) in idle_cases(), gpu in 0..2_u16, ago in any::<prop::sample::Index>(), load in 5.0..100.0_f32
    ) {
        let gpus = case.spec.as_ref().map_or(0, TypeSpec::devices);
        let hours = deciding_hours(preset, gpus);
        let ago = 1 + ago.index(hours as usize) as i32;
        // On a CPU-only box too: a GPU that works on a type without GPUs is a wrong catalogue.
        let case = if gpus == 0 { case.fill(Signal::GpuMax(gpu), 400, 0.0) } else { case };
        let busy = case.with(Signal::GpuMax(gpu), [ago], load).judge(preset);
        prop_assert!(matches!(busy.kind, Busy | Partial | Underused), "{:?}", busy.kind);
    }

    /// Taking data away never makes idle what was not, as long as the signals that spoke for use
    /// keep theirs. (To take away the very hour in which the use was seen is to unsee it: up to a
    /// tenth of the hours may be missing.)
    #[test]
    fn less_data_is_never_more_idle(
        case in any_case(), preset in 0..4_usize,
        cuts in vec((any::<prop::sample::Index>(), 1..400_i32, 1..60_i32), 1..6)
    ) {
        let preset = Preset::ALL[preset];
        let before = case.judge(preset);
        if before.kind == Idle {
            return Ok(());
        }
        let witnesses: Vec<Signal> = if matches!(before.kind, Unknown | TooNew | Exempt) {
            Vec::new()
        } else {
            let busy = before.signals.iter().filter(|s| s.busy).map(|s| s.signal);
            busy.flat_map(|s| match s {
                Signal::NetworkIn => vec![s, Signal::NetworkOut],
                Signal::EbsReadOps => vec![s, Signal::EbsWriteOps],
                Signal::GpuMax(i) => vec![s, Signal::GpuMean(i)],
                Signal::CpuMax => vec![s, Signal::CpuMean],
                _ => vec![s],
            }).collect()
        };
        let rest: Vec<Signal> =
            case.series.iter().map(|(s, _)| s).filter(|s| !witnesses.contains(s)).collect();
        prop_assume!(!rest.is_empty());
        let mut less = case.clone();
        for (which, ago, len) in cuts {
            let signal = rest[which.index(rest.len())];
            let bare = less.series.get(signal).is_none_or(|s| s.values.is_empty());
            less = if len > 50 || bare {
                less.without(signal)
            } else {
                less.with(signal, ago..ago + len, f32::NAN)
            };
            let rest_is_gone = less.series.get(signal).is_none();
            if rest_is_gone {
                less.series.insert(signal, crate::domain::HourlySeries::default());
            }
        }
        let after = less.judge(preset);
        prop_assert_ne!(after.kind, Idle, "before: {:?} {:?}", before.kind, before.reason);
    }

    #[test]
    fn more_than_a_tenth_missing_is_never_idle(
        (case, preset) in idle_cases(), which in any::<prop::sample::Index>(), from in any::<prop::sample::Index>()
    ) {
        let gpus = case.spec.as_ref().map_or(0, TypeSpec::devices);
        let policy = preset.policy();
        let needed = policy.signals_needed(gpus);
        let hours = policy.window_hours() as i32;
        let missing = hours / 10 + 1;
        let from = 1 + from.index((hours - missing) as usize) as i32;
        let signal = needed[which.index(needed.len())];
        let v = case.with(signal, from..from + missing, f32::NAN).judge(preset);
        prop_assert_eq!(v.kind, Unknown);
    }
}
