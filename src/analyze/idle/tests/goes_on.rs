//! A stretch that outlasts the window: its start is kept while nothing is used.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{Policy, Preset, Subject, judge, signals_for};
use super::fixtures::{Case, background, closed, hours_ago};
use crate::domain::VerdictKind::{Idle, Partial};
use crate::domain::{
    Hour, HourRange, HourlySeries, IdleStart, InstanceReason as R, Lasted, Signal, Verdict, Why,
};

/// Hours of series: more than two windows.
const HOURS: u32 = 400;

/// A box of which every signal came in every hour, and nothing was used.
fn quiet(vcpus: u32, gpus: u32) -> Case {
    signals_for(&Preset::Cautious.policy(), gpus)
        .into_iter()
        .fold(Case::new(vcpus, gpus), |case, s| case.fill(s, HOURS, background(s)))
}

/// The verdict so many hours ago, by the hours of the window as it was then.
fn judged(case: &Case, ago: i64, policy: &Policy, before: Option<&IdleStart>) -> Verdict {
    let now = hours_ago(ago);
    let range = HourRange::last_closed(now, policy.window_hours());
    let cut = |(signal, all): (Signal, &HourlySeries)| {
        let mut series = HourlySeries::empty(range);
        (range.from.0..range.to.0).map(Hour).for_each(|h| series.set(h, all.at(h)));
        (signal, series)
    };
    let series = case.series.iter().map(cut).collect();
    let spec = case.spec.as_ref();
    judge(&Subject { instance: &case.instance, spec, series: &series, now, before }, policy)
}

/// Hour by hour: how long ago, the verdict, and with what is remembered of it.
fn hour_by_hour(case: &Case, hours: i64) -> Vec<(i64, Verdict)> {
    let policy = Preset::Cautious.policy();
    let mut known: Option<IdleStart> = None;
    let step = |ago| {
        let verdict = judged(case, ago, &policy, known.as_ref());
        known = IdleStart::of(&verdict, Hour::containing(hours_ago(ago)));
        (ago, verdict)
    };
    (0..hours).rev().map(step).collect()
}

#[test]
fn the_start_stays_where_it_was_first_seen() {
    for case in [quiet(96, 2), quiet(8, 0)] {
        let all = hour_by_hour(&case, 200);
        let first = closed(199 + 168).start();
        for (ago, verdict) in &all {
            assert_eq!((verdict.kind, verdict.idle_since), (Idle, Some(first)), "{ago}");
            assert!(verdict.idle_since_at_least);
        }
        // Fifteen days of which a week is looked at: the reason says so as well.
        let lasted = match &all.last().unwrap().1.reason.why {
            Why::Instance(R::HostQuiet { lasted, .. } | R::GpusQuiet { lasted, .. }) => *lasted,
            why => panic!("{why:?}"),
        };
        assert_eq!(lasted, Some(Lasted { hours: 15 * 24 + 7, at_least: true }));
        // Without the memory the stretch begins with the window.
        let fresh = case.judge_by(&Preset::Cautious.policy());
        assert_eq!(
            fresh.idle_since,
            Some(closed(HOURS as i32).start()),
            "older series are at hand"
        );
        let fresh = judged(&case, 0, &Preset::Cautious.policy(), None);
        assert_eq!(
            (fresh.idle_since, fresh.idle_since_at_least),
            (Some(closed(168).start()), true)
        );
    }
}

#[test]
fn a_start_that_was_witnessed_stays_exact() {
    // Used 250 h ago for the last time.
    let case = quiet(96, 2).with(Signal::GpuMax(0), [250], 90.0);
    for (ago, verdict) in hour_by_hour(&case, 220).iter().filter(|(ago, _)| *ago < 220) {
        assert_eq!(verdict.idle_since, Some(closed(249).start()), "{ago}");
        assert!(!verdict.idle_since_at_least && verdict.kind == Idle, "{ago}");
    }
}

#[test]
fn use_a_restart_and_hours_that_nobody_saw_end_it() {
    let policy = Preset::Cautious.policy();
    let case = quiet(96, 2);
    let seen = |until: i32, gpus: Option<Vec<u16>>| IdleStart {
        since: closed(300).start(),
        at_least: false,
        until: closed(until),
        gpus,
    };
    let since = |case: &Case, before: &IdleStart| {
        judged(case, 0, &policy, Some(before)).idle_since.unwrap()
    };
    let (kept, anew) = (closed(300).start(), closed(168).start());
    // To the start of the window without a gap, and no further.
    assert_eq!(since(&case, &seen(168, None)), kept);
    assert_eq!(since(&case, &seen(1, None)), kept);
    assert_eq!(since(&case, &seen(169, None)), anew, "an hour that nobody saw");
    assert_eq!(since(&case, &seen(-1, None)), anew, "from a clock ahead of this one");
    // A use within the window.
    let used = case.clone().with(Signal::GpuMax(1), [100], 50.0);
    assert_eq!(since(&used, &seen(101, None)), closed(99).start());
    // Another life.
    let young = case.clone().restarted(250);
    assert_eq!(since(&young, &seen(50, None)), anew);
    // Some GPUs idled: those are not all.
    assert_eq!(since(&case, &seen(50, Some(vec![0]))), anew);
    let works = case.with(Signal::GpuMax(1), 1..=400, 90.0).with(Signal::GpuMean(1), 1..=400, 80.0);
    assert_eq!(judged(&works, 0, &policy, None).kind, Partial);
    assert_eq!(since(&works, &seen(50, Some(vec![0]))), kept);
    assert_eq!(since(&works, &seen(50, Some(vec![1]))), anew);
    assert_eq!(since(&works, &seen(50, None)), kept);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The clock goes on hour by hour over an instance that idles: the dollars never fall.
    #[test]
    fn what_is_wasted_never_falls_while_it_idles(
        shape in prop_oneof![Just((8, 0)), Just((96, 2)), Just((192, 8))],
        holes in vec((1..HOURS as i32, 0..8_usize), 0..30), hours in 1..230_i64, usd in 0.01_f64..200.0,
    ) {
        let (vcpus, gpus) = shape;
        let signals = signals_for(&Preset::Cautious.policy(), gpus);
        let case = holes.into_iter().fold(quiet(vcpus, gpus), |case, (ago, which)| {
            // Every tenth hour at most, so that the coverage stays.
            case.with(signals[which % signals.len()], [(ago / 12) * 12 + 1], f32::NAN)
        });
        let mut last = 0.0;
        for (ago, verdict) in hour_by_hour(&case, hours) {
            prop_assert_eq!(verdict.kind, Idle);
            let since = verdict.idle_since.unwrap();
            let wasted = hours_ago(ago).duration_since(since).as_secs_f64() / 3600.0 * usd;
            prop_assert!(wasted >= last, "{} h ago: {} after {}", ago, wasted, last);
            last = wasted;
        }
    }

    /// However a stretch was carried on: no use lies in it, and one that may have begun earlier is
    /// as long as was looked.
    #[test]
    fn no_use_lies_in_a_stretch(
        bursts in vec((1..HOURS as i32, 1..30_i32, 0..2_u16), 0..6), hours in 1..230_i64,
    ) {
        let case = bursts.iter().fold(quiet(96, 2), |case, (ago, len, gpu)| {
            let hours = (*ago - len).max(1)..=*ago;
            case.with(Signal::GpuMax(*gpu), hours.clone(), 60.0)
                .with(Signal::GpuMean(*gpu), hours, 50.0)
        });
        for (ago, verdict) in hour_by_hour(&case, hours).into_iter().filter(|(_, v)| v.kind == Idle) {
            let since = Hour::containing(verdict.idle_since.unwrap());
            let used = |hour: Hour| (0..2).any(|gpu| case.series.get(Signal::GpuMax(gpu)).unwrap().at(hour) >= 5.0);
            let until = Hour::containing(hours_ago(ago));
            prop_assert!(!(since.0..until.0).map(Hour).any(used), "{} h ago", ago);
            // An exact start comes right after a use.
            prop_assert!(verdict.idle_since_at_least || used(since.plus(-1)), "{} h ago", ago);
        }
    }
}
