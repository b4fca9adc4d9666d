//! Hours of use, against the verdict.

use proptest::prelude::*;

use super::super::{HourUse, Preset, hours_of_use, judge};
use super::fixtures::{Case, closed, now};
use crate::domain::{HourRange, MALFORMED, Signal, VerdictKind};

fn uses(case: &Case, preset: Preset) -> Vec<HourUse> {
    let policy = preset.policy();
    let range = HourRange::last_closed(now(), policy.window_hours());
    hours_of_use(&case.subject(), &policy, range).unwrap().hours
}

fn with(gpus: u32, signal: Signal, value: f32) -> HourUse {
    let mut case = Case::quiet(8, gpus, Preset::Cautious);
    let mut series = case.series.get(signal).unwrap().clone();
    series.set(closed(5), value);
    case.series.insert(signal, series);
    let all = uses(&case, Preset::Cautious);
    let hour = all[all.len() - 5];
    // Nothing else changed.
    let rest = all.iter().enumerate().filter(|(i, _)| *i != all.len() - 5);
    assert!(rest.clone().all(|(_, u)| *u == HourUse::Quiet));
    hour
}

#[test]
fn each_limit_of_the_policy_is_one_of_an_hour() {
    use HourUse::{Quiet, Unseen, Used};
    // A GPU box: GPU 5%; CPU 15% and 4 cores of 8; 1 GB a day of network.
    for (signal, below, at) in [
        (Signal::GpuMax(0), 4.9, 5.0),
        (Signal::GpuMean(0), 4.9, 5.0),
        (Signal::CpuMean, 49.9, 50.0),
    ] {
        assert_eq!((with(1, signal, below), with(1, signal, at)), (Quiet, Used), "{signal:?}");
    }
    assert_eq!(with(1, Signal::NetworkIn, 4.3e7), Used);
    assert_eq!(with(1, Signal::NetworkIn, 4.0e7), Quiet);
    // A CPU box: peak 5%, half a core of 8 is 6.25% and so the peak decides; EBS 1 op/s.
    assert_eq!((with(0, Signal::CpuMax, 4.9), with(0, Signal::CpuMax, 5.0)), (Quiet, Used));
    assert_eq!((with(0, Signal::CpuMean, 4.9), with(0, Signal::CpuMean, 5.0)), (Quiet, Used));
    assert_eq!(with(0, Signal::EbsReadOps, 3700.0), Used);
    assert_eq!(with(0, Signal::NetworkOut, 4.3e6), Used);
    for gpus in [0, 1] {
        assert_eq!(with(gpus, Signal::CpuMean, MALFORMED), Used);
        assert_eq!(with(gpus, Signal::CpuMean, f32::NAN), Unseen);
    }
    assert_eq!(with(1, Signal::GpuMax(0), f32::NAN), Unseen);
}

#[test]
fn what_nobody_can_tell_is_not_told() {
    let policy = Preset::Cautious.policy();
    let range = HourRange::last_closed(now(), 24);
    let mut case = Case::quiet(8, 1, Preset::Cautious);
    case.spec = None;
    assert_eq!(hours_of_use(&case.subject(), &policy, range), None);
    // Asked for the GPU and the CPU alone: the rest was never looked at, and it says so.
    let case = Case::new(8, 1).fill(Signal::CpuMean, 24, 1.0).fill(Signal::GpuMax(0), 24, 0.0);
    let found = hours_of_use(&case.subject(), &policy, range).unwrap();
    assert!(found.hours.iter().all(|u| *u == HourUse::Quiet));
    assert_eq!(found.not_looked_at, ["network_in", "network_out"]);
    assert!(found.from == range.from && found.hours.len() == 24);
}

proptest! {
    /// Where every hour of the window is quiet, the verdict finds no use either, under each preset.
    #[test]
    fn a_week_without_an_hour_of_use_is_no_week_of_use(
        preset in proptest::sample::select(Preset::ALL.to_vec()),
        gpus in 0_u32..2,
        spikes in proptest::collection::vec((0_usize..8, 1_i32..168, 0.0_f32..1.3), 0..6),
    ) {
        let mut case = Case::quiet(8, gpus, preset);
        // Around the limit of each signal.
        let scale = [
            (Signal::CpuMean, 20.0), (Signal::CpuMax, 6.0), (Signal::NetworkIn, 4.2e7),
            (Signal::NetworkOut, 4.2e6), (Signal::EbsReadOps, 3600.0), (Signal::EbsWriteOps, 3600.0),
            (Signal::GpuMax(0), 5.0), (Signal::GpuMean(0), 5.0),
        ];
        for (which, ago, height) in spikes {
            let (signal, top) = scale[which];
            let Some(mut series) = case.series.get(signal).cloned() else { continue };
            series.set(closed(ago), top * height);
            case.series.insert(signal, series);
        }
        let quiet = uses(&case, preset).iter().all(|u| *u == HourUse::Quiet);
        let verdict = judge(&case.subject(), &preset.policy()).kind;
        if quiet {
            prop_assert_eq!(verdict, VerdictKind::Idle);
        }
    }
}
