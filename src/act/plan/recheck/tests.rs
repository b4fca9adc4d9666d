//! The re-measurement.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::*;
use crate::act::plan::fixture::{ago, item, now, recent, rules, series, spec};
use crate::domain::{Accelerator, AcceleratorKind, Signal};

fn cpu_box() -> TypeSpec {
    TypeSpec { accelerator: None, vcpus: 8, ..spec() }
}

/// A measurement without GPUs.
fn cpu_recent() -> Recent {
    let mut recent = recent();
    recent.series.retain(|s| s.signal.gpu().is_none());
    recent
}

fn of(recent: &mut Recent, signal: Signal) -> &mut RecentSeries {
    recent.series.iter_mut().find(|s| s.signal == signal).unwrap()
}

/// One word for what was found.
fn word(recent: &Recent, spec: Option<&TypeSpec>) -> &'static str {
    match judge(recent, spec, now()) {
        Activity::Quiet(_) => "quiet",
        Activity::Busy(_) => "busy",
        Activity::Missing(_) => "missing",
        Activity::Malformed(_) => "malformed",
    }
}

/// The fixture with one point changed.
fn with(signal: Signal, value: f64) -> Recent {
    let mut recent = recent();
    of(&mut recent, signal).points[4].1 = value;
    recent
}

fn cpu_with(signal: Signal, value: f64) -> Recent {
    let mut recent = cpu_recent();
    of(&mut recent, signal).points[4].1 = value;
    recent
}

#[test]
fn the_window_leaves_no_hour_between_evidence_and_action() {
    let from = |minutes_ago: i64, recheck: u32| {
        let mut item = item();
        item.judged_until = Some(ago(minutes_ago));
        let (from, to) = window(&item, &Rules { recheck_minutes: recheck, ..rules() }, now());
        assert_eq!(to, now());
        now().duration_since(from).as_mins()
    };
    // It is 12:40. Judged at 12:30, the hour from 12:00 on was not judged.
    assert_eq!(from(10, 60), 60);
    assert_eq!(from(10, 15), 40);
    assert_eq!(from(10, 0), 40, "15 minutes at least, and the hour that was not judged");
    assert_eq!(from(10, 600), 60, "60 minutes at most");
    // Judged at 09:10: from 09:00 on.
    assert_eq!(from(210, 60), 220);
    // Judged in the future: blocked elsewhere; here the minutes count.
    assert_eq!(from(-600, 30), 30);
    let never = PlanItem { judged_until: None, ..item() };
    assert!(window(&never, &rules(), now()).0 <= ago(60));
}

#[test]
fn quiet_takes_every_witness() {
    assert_eq!(word(&recent(), Some(&spec())), "quiet");
    assert_eq!(word(&cpu_recent(), Some(&cpu_box())), "quiet");
    for i in 0..recent().series.len() {
        let mut silent = recent();
        silent.series[i].points.clear();
        assert_eq!(word(&silent, Some(&spec())), "missing", "{i}");
        let mut gone = recent();
        gone.series.remove(i);
        assert_eq!(word(&gone, Some(&spec())), "missing", "{i}");
        let mut part = recent();
        part.series[i].complete = false;
        assert_eq!(word(&part, Some(&spec())), "missing", "{i}");
    }
}

#[test]
fn a_type_that_nothing_can_watch() {
    use AcceleratorKind::{AmdGpu, Neuron, NvidiaGpu, Other};
    assert_eq!(word(&recent(), None), "missing");
    assert_eq!(word(&recent(), Some(&TypeSpec { vcpus: 0, ..spec() })), "missing");
    let of_kind = |kind, devices| {
        let accelerator = spec().accelerator.map(|a| Accelerator { kind, devices, ..a });
        TypeSpec { accelerator, ..spec() }
    };
    for kind in [AmdGpu, Neuron, Other] {
        assert_eq!(word(&recent(), Some(&of_kind(kind, 2))), "missing", "{kind:?}");
    }
    assert_eq!(word(&recent(), Some(&of_kind(NvidiaGpu, 0))), "missing");
    assert_eq!(word(&recent(), Some(&of_kind(NvidiaGpu, 3))), "missing", "the third is silent");
    assert_eq!(word(&recent(), Some(&of_kind(NvidiaGpu, 1))), "quiet", "one more than it has");
    // Use is use, also where nobody knows the type or can watch the accelerator.
    for spec in [None, Some(&of_kind(Neuron, 2))] {
        assert_eq!(word(&with(Signal::GpuMax(0), 50.0), spec), "busy");
    }
}

#[test]
fn a_busy_gpu() {
    let spec = spec();
    assert_eq!(word(&with(Signal::GpuMax(1), 4.99), Some(&spec)), "quiet");
    assert_eq!(word(&with(Signal::GpuMax(1), 5.0), Some(&spec)), "busy");
    // One point is enough, from a device or a statistic that nobody asked for as well.
    let mut extra = recent();
    let one =
        RecentSeries { points: vec![(ago(12), 9.0)], ..series(Signal::GpuMean(7), ago(60), 0.0) };
    extra.series.push(one);
    assert_eq!(word(&extra, Some(&spec)), "busy");
    assert_eq!(word(&extra, Some(&cpu_box())), "busy");
    // And without any coverage.
    let mut alone = recent();
    alone.series.retain(|s| s.signal == Signal::GpuMax(0));
    of(&mut alone, Signal::GpuMax(0)).points = vec![(ago(50), 100.0)];
    of(&mut alone, Signal::GpuMax(0)).complete = false;
    assert_eq!(word(&alone, Some(&spec)), "busy");
}

#[test]
fn a_busy_cpu() {
    // 64 vCPUs: 15% are 9.6 cores. On 16 vCPUs 15% are 2.4, and 25% are four.
    let gpu =
        |vcpus, percent| word(&with(Signal::CpuMean, percent), Some(&TypeSpec { vcpus, ..spec() }));
    assert_eq!(gpu(64, 14.9), "quiet");
    assert_eq!(gpu(64, 15.0), "busy");
    assert_eq!(gpu(16, 15.0), "quiet");
    assert_eq!(gpu(16, 24.9), "quiet");
    assert_eq!(gpu(16, 25.0), "busy");
    // On a box with GPUs the maximum alone is agents and drivers.
    assert_eq!(word(&with(Signal::CpuMax, 80.0), Some(&spec())), "quiet");
    // On 8 vCPUs half a core is 6.25%.
    let cpu = |signal, percent| word(&cpu_with(signal, percent), Some(&cpu_box()));
    assert_eq!(cpu(Signal::CpuMax, 4.99), "quiet");
    assert_eq!(cpu(Signal::CpuMax, 5.0), "busy");
    assert_eq!(cpu(Signal::CpuMean, 6.24), "quiet");
    assert_eq!(cpu(Signal::CpuMean, 6.25), "busy");
}

#[test]
fn traffic_by_its_share_of_a_day() {
    // An hour's share of 1 GB is 41.67 MB; 11 quiet points are 0.32 MB.
    let spec = spec();
    assert_eq!(word(&with(Signal::NetworkIn, 41.0e6), Some(&spec)), "quiet");
    assert_eq!(word(&with(Signal::NetworkIn, 42.0e6), Some(&spec)), "busy");
    // In and out are one sum.
    let mut both = with(Signal::NetworkIn, 21.0e6);
    of(&mut both, Signal::NetworkOut).points[0].1 = 21.0e6;
    assert_eq!(word(&both, Some(&spec)), "busy");
    // A tenth of that on a box without GPUs: 4.17 MB.
    assert_eq!(word(&cpu_with(Signal::NetworkOut, 3.8e6), Some(&cpu_box())), "quiet");
    assert_eq!(word(&cpu_with(Signal::NetworkOut, 4.2e6), Some(&cpu_box())), "busy");
    // A point that came twice is counted once, and so is a second source of the same.
    let mut twice = with(Signal::NetworkIn, 30.0e6);
    let again = of(&mut twice, Signal::NetworkIn).points[4];
    of(&mut twice, Signal::NetworkIn).points.push(again);
    let other = of(&mut twice, Signal::NetworkIn).clone();
    twice.series.push(other);
    assert_eq!(word(&twice, Some(&spec)), "quiet");
}

/// Six hours, judged long ago.
fn long() -> Recent {
    let mut recent = recent();
    recent.from = ago(360);
    for one in &mut recent.series {
        *one = series(one.signal, ago(360), 0.0);
    }
    recent
}

#[test]
fn a_long_time_thins_out_nothing() {
    assert_eq!(word(&long(), Some(&spec())), "quiet");
    // 60 MB: less than a quarter of 1 GB, but more than the last hour's share.
    let at = |minutes: i64| {
        let mut recent = long();
        let points = &mut of(&mut recent, Signal::NetworkIn).points;
        points.iter_mut().filter(|p| p.0 == ago(minutes)).for_each(|p| p.1 = 60.0e6);
        word(&recent, Some(&spec()))
    };
    assert_eq!(at(300), "quiet");
    assert_eq!(at(30), "busy");
    let mut early = long();
    of(&mut early, Signal::NetworkIn).points[0].1 = 260.0e6;
    assert_eq!(word(&early, Some(&spec())), "busy");
}

#[test]
fn nonsense_is_nonsense() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.1, 101.5] {
        for signal in [Signal::CpuMean, Signal::CpuMax, Signal::GpuMax(0)] {
            assert_eq!(
                word(&with(signal, value), Some(&spec())),
                "malformed",
                "{signal:?} {value}"
            );
        }
    }
    for value in [f64::NAN, f64::INFINITY, -1.0] {
        assert_eq!(word(&with(Signal::NetworkIn, value), Some(&spec())), "malformed", "{value}");
    }
    let mut timeless = recent();
    timeless.series[0].period_s = 0;
    assert_eq!(word(&timeless, Some(&spec())), "malformed");
    let mut late = recent();
    late.series[0].points[3].0 = now() + SignedDuration::from_secs(1);
    assert_eq!(word(&late, Some(&spec())), "malformed");
    let backwards = Recent { from: now(), to: ago(60), ..recent() };
    assert_eq!(word(&backwards, Some(&spec())), "malformed");
}

#[test]
fn how_much_has_to_have_come() {
    // Twelve periods, two of them late: nine of ten are 90%.
    let left = |keep: usize| {
        let mut recent = recent();
        let points = &mut of(&mut recent, Signal::GpuMax(0)).points;
        let skip = points.len() - keep;
        points.drain(..skip);
        word(&recent, Some(&spec()))
    };
    assert_eq!(left(10), "quiet");
    assert_eq!(left(9), "quiet");
    assert_eq!(left(8), "missing");
    // Points that came twice are not more points, and their order does not matter.
    let mut doubled = recent();
    let points = &mut of(&mut doubled, Signal::CpuMean).points;
    points.drain(..5);
    points.extend(points.clone());
    assert_eq!(word(&doubled, Some(&spec())), "missing");
    let mut mixed = recent();
    mixed.series.iter_mut().for_each(|s| s.points.reverse());
    assert_eq!(word(&mixed, Some(&spec())), "quiet");
    // A second source that is dead takes nothing away; one that is alone does.
    let mut dead = recent();
    dead.series
        .push(RecentSeries { points: Vec::new(), ..series(Signal::GpuMax(0), ago(60), 0.0) });
    assert_eq!(word(&dead, Some(&spec())), "quiet");
}

#[test]
fn a_short_time_needs_three_points_all_the_same() {
    let mut short = recent();
    short.from = ago(15);
    for one in &mut short.series {
        one.points.retain(|p| p.0 >= ago(15));
    }
    assert_eq!(short.series[0].points.len(), 2);
    assert_eq!(word(&short, Some(&spec())), "missing");
}

#[test]
fn an_agent_that_died_is_missed() {
    // A day of one-minute points that ends a while ago: the coverage is fine, the silence is not.
    let ends = |minutes: i64| {
        let mut recent = recent();
        recent.from = ago(24 * 60);
        for one in &mut recent.series {
            *one = series(one.signal, ago(24 * 60), 0.0);
        }
        let last = ago(minutes);
        of(&mut recent, Signal::GpuMax(1)).points.retain(|p| p.0 <= last);
        word(&recent, Some(&spec()))
    };
    assert_eq!(ends(20), "quiet");
    assert_eq!(ends(25), "missing");
}

/// What is said where the first GPU told so much only.
fn said(keep: impl Fn(Timestamp) -> bool) -> String {
    let mut recent = recent();
    of(&mut recent, Signal::GpuMax(0)).points.retain(|p| keep(p.0));
    match judge(&recent, Some(&spec()), now()) {
        Activity::Missing(text) => text,
        other => panic!("{other:?}"),
    }
}

/// It is 12:40. Of the twelve periods since 11:40 two may be late, and 90% of ten are nine.
#[test]
fn what_is_missing_says_how_long_to_wait() {
    // From 12:10 to 12:30 there are five points; after four more periods there are nine, and the window still holds the first.
    let young = said(|at| at >= ago(30));
    assert!(
        young.ends_with(
            "has 5 points of 5m since 2026-07-01 11:40 UTC; 9 are needed: wait about 20m and check \
             again"
        ),
        "{young}"
    );
    // From 11:40 to 12:05 there are six, which leave the window as new ones come in: nine new ones are needed.
    let silent = said(|at| at <= ago(35));
    assert!(
        silent.ends_with(
            "has 6 points of 5m since 2026-07-01 11:40 UTC, none after 2026-07-01 12:05 UTC; 9 are \
             needed: restart its agent, then wait about 45m and check again"
        ),
        "{silent}"
    );
    let nothing = said(|_| false);
    assert!(
        nothing.ends_with(
            "has 0 points of 5m since 2026-07-01 11:40 UTC; 9 are needed: restart its agent, then \
             wait about 45m and check again"
        ),
        "{nothing}"
    );
    // A window that is full but for a gap of four periods in its middle has what it needs once the gap has gone by as far as it takes.
    let gap = said(|at| at < ago(40) || at >= ago(20));
    assert!(gap.contains("has 7 points") && gap.contains("wait about 30m"), "{gap}");
}

proptest! {
    /// Whatever comes: quiet means that no value of any series reaches a limit, and that every
    /// series is there.
    #[test]
    fn quiet_is_quiet(
        values in prop::collection::vec((0_usize..6, 0_usize..11, prop_oneof![
            0.0..20.0_f64, Just(f64::NAN), Just(1e8), -5.0..0.0_f64,
        ]), 0..6),
        cut in prop::option::of((0_usize..6, 0_usize..11)),
        gone in prop::option::of(0_usize..6),
    ) {
        let mut recent = recent();
        for (series, point, value) in values {
            recent.series[series].points[point].1 = value;
        }
        if let Some((series, keep)) = cut {
            recent.series[series].points.truncate(keep);
        }
        if let Some(series) = gone {
            recent.series.remove(series);
        }
        let quiet = word(&recent, Some(&spec())) == "quiet";
        let all = |signals: &[Signal], limit: f64| recent.series.iter()
            .filter(|s| signals.contains(&s.signal))
            .all(|s| s.points.iter().all(|p| p.1 >= 0.0 && p.1 < limit));
        let bytes: f64 = recent.series.iter()
            .filter(|s| matches!(s.signal, Signal::NetworkIn | Signal::NetworkOut))
            .flat_map(|s| s.points.iter().map(|p| p.1)).sum();
        let expected = recent.series.len() == 6
            // The newest of a truncated series is too old before its coverage is too low.
            && recent.series.iter().all(|s| s.points.len() >= 9)
            && all(&[Signal::GpuMax(0), Signal::GpuMax(1)], 5.0)
            && all(&[Signal::CpuMean], 15.0)
            && all(&[Signal::CpuMax], 101.1)
            && all(&[Signal::NetworkIn, Signal::NetworkOut], f64::INFINITY)
            && bytes <= 1e9 / 24.0;
        prop_assert_eq!(quiet, expected);
    }
}
