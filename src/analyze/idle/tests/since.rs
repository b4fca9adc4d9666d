//! Since when an idle instance is idle.

use super::super::Preset;
use super::fixtures::{Case, closed, hours_ago};
use crate::domain::Signal::{CpuMax, CpuMean, GpuMax, NetworkIn, NetworkOut};
use crate::domain::VerdictKind::{Idle, Partial};
use crate::domain::{MALFORMED, Signal};

const DEFAULT: Preset = Preset::Cautious;

fn gpu_box() -> Case {
    Case::quiet(96, 2, DEFAULT)
}

#[test]
fn the_stretch_begins_after_the_last_use_of_any_signal() {
    let case = gpu_box().with(GpuMax(1), [100], 80.0).with(CpuMean, [60], 70.0);
    assert_eq!(case.judge(DEFAULT).idle_since, Some(closed(59).start()));
    // A burst of traffic belongs to every 24 h around it; idleness begins after the burst itself.
    let case = gpu_box().with(NetworkIn, [40], 5e9);
    let v = case.judge(DEFAULT);
    assert_eq!((v.kind, v.idle_since), (Idle, Some(closed(39).start())));
    let case = gpu_box().with(NetworkOut, [40], MALFORMED);
    assert_eq!(case.judge(DEFAULT).idle_since, Some(closed(39).start()));
}

#[test]
fn idle_for_the_whole_window_is_at_least_since_its_start_or_the_launch() {
    let v = gpu_box().judge(DEFAULT);
    assert_eq!((v.idle_since, v.idle_since_at_least), (Some(closed(168).start()), true));
    let v = gpu_box().restarted(50).judge(DEFAULT);
    assert_eq!((v.kind, v.idle_since), (Idle, Some(hours_ago(50))));
    assert!(!v.idle_since_at_least, "it was launched then");
    let v = gpu_box().with(GpuMax(0), [100], 80.0).judge(DEFAULT);
    assert!(!v.idle_since_at_least, "a use was seen before");
}

#[test]
fn missing_hours_are_bridged_and_do_not_begin_a_stretch() {
    let case = gpu_box().with(GpuMax(0), [70], 80.0).with(GpuMax(0), [50, 51], f32::NAN);
    assert_eq!(case.judge(DEFAULT).idle_since, Some(closed(69).start()), "bridged");
    let case = gpu_box().with(GpuMax(0), [70], 80.0).with(CpuMean, [68, 69], f32::NAN);
    assert_eq!(case.judge(DEFAULT).idle_since, Some(closed(67).start()), "first witnessed");
    let case = gpu_box().with(GpuMax(1), 160..=168, f32::NAN);
    assert_eq!(case.judge(DEFAULT).idle_since, Some(closed(159).start()), "first witnessed");
}

#[test]
fn older_series_tell_more() {
    let older = |hours| {
        [GpuMax(0), GpuMax(1), CpuMean, NetworkIn, NetworkOut]
            .into_iter()
            .fold(Case::new(96, 2), |case, s| case.fill(s, hours, 0.0))
    };
    // Quiet as far as the series go.
    let v = older(500).judge(DEFAULT);
    assert_eq!((v.idle_since, v.idle_since_at_least), (Some(closed(500).start()), true));
    // Since the last use before the window, whichever signal it was.
    let case = older(500).with(GpuMax(1), [300], 9.0).with(CpuMean, [250], 50.0);
    let v = case.judge(DEFAULT);
    assert_eq!((v.idle_since, v.idle_since_at_least), (Some(closed(249).start()), false));
    let case = older(500).with(NetworkIn, [290], 2e9);
    assert_eq!(case.judge(DEFAULT).idle_since, Some(closed(289).start()));
    // No further than the shortest of them, nor than the launch.
    let case = older(500).fill(NetworkOut, 200, 0.0);
    assert_eq!(case.judge(DEFAULT).idle_since, Some(closed(200).start()));
    assert_eq!(older(500).restarted(222).judge(DEFAULT).idle_since, Some(hours_ago(222)));
    // Not across a hole: the window's start is what is sure.
    let case = older(500).with(GpuMax(0), 200..=400, f32::NAN);
    assert_eq!(case.judge(DEFAULT).idle_since, Some(closed(168).start()));
    // For some GPUs of a box as well.
    let case = older(500).fill(GpuMax(0), 168, 90.0).with(GpuMax(1), [420], 50.0);
    let v = case.judge(DEFAULT);
    assert_eq!((v.kind, v.idle_since), (Partial, Some(closed(419).start())));
}

#[test]
fn a_day_and_a_week_are_enough() {
    let after = |signal: Signal, case: Case, ago| {
        let v = case.with(signal, [ago], 90.0).judge(DEFAULT);
        (v.kind, v.idle_since)
    };
    assert_eq!(after(GpuMax(0), gpu_box(), 25), (Idle, Some(closed(24).start())));
    // A CPU-only box that restarted 7 whole days ago, busy in the hour of its launch.
    let case = Case::quiet(8, 0, DEFAULT).fill(CpuMax, 169, 1.0).restarted(169);
    assert_eq!(after(CpuMax, case, 169), (Idle, Some(hours_ago(169))));
}
