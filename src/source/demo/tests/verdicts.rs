//! The planted cases through the real engine: the verdict of the table, at every time of the day
//! and on every day of the week.

use std::collections::HashSet;

use jiff::Timestamp;

use super::*;
use crate::analyze::idle::{Preset, Subject, judge};
use crate::domain::{Hour, HourlySeries, SeriesSet, Verdict, VerdictKind};
use crate::source::demo::{DEFAULT_SEED, prices, traps};

/// Everything that CloudWatch would answer for `range`.
async fn series(seen: &Seen, range: HourRange) -> SeriesSet {
    let mut set = SeriesSet::default();
    for signal in all_signals(seen) {
        let mut series = HourlySeries::empty(range);
        for (at, value) in points(seen, signal, range).await {
            series.set(Hour::containing(at), signal.observe(value));
        }
        set.insert(signal, series);
    }
    set
}

async fn verdict(seen: &Seen, preset: Preset, now: i64) -> Verdict {
    let policy = preset.policy();
    let series = series(seen, window(now, policy.window_hours())).await;
    let now = Timestamp::from_second(now).unwrap();
    judge(
        &Subject {
            instance: &seen.instance,
            spec: Some(spec(seen)),
            series: &series,
            now,
            before: None,
        },
        &policy,
    )
}

#[tokio::test]
async fn every_trap_gets_its_verdict_at_any_time() {
    // 41 h apart over nine weeks: all hours of the day, all days of the week.
    for step in 0..38 {
        let now = NOW + step * 41 * 3_600;
        let all = read(&demo(DEFAULT_SEED, Some(traps().len()), now)).await;
        for trap in traps() {
            let Some(expected) = trap.verdict else { continue };
            let verdict = verdict(named(&all, trap.name), Preset::Cautious, now).await;
            assert_eq!(verdict.kind, expected, "{} at {now}: {:?}", trap.name, verdict.reason);
            if matches!(expected, VerdictKind::Idle | VerdictKind::Partial) {
                assert_eq!(verdict.idle_gpus, trap.idle_gpus, "{} at {now}", trap.name);
            }
        }
        let spike = verdict(named(&all, "weekly-report"), Preset::MeanCpu, now).await;
        assert_eq!(spike.kind, VerdictKind::Idle, "the mean hides the spike at {now}");
        for preset in Preset::ALL {
            for veto in ["pretrain-70b", "notebook-17", "agent-died-day-1", "etl-one-core"] {
                let verdict = verdict(named(&all, veto), preset, now).await;
                assert_ne!(verdict.kind, VerdictKind::Idle, "{veto} under {}", preset.name());
            }
        }
    }
}

#[tokio::test]
async fn the_default_fleet_has_a_bit_of_everything() {
    let all = read(&demo(DEFAULT_SEED, None, NOW)).await;
    let (mut kinds, mut since, mut burn, mut waste) = (HashSet::new(), HashSet::new(), 0.0, 0.0);
    for seen in all.iter().filter(|s| s.instance.state.is_billed()) {
        let verdict = verdict(seen, Preset::Cautious, NOW).await;
        let (region, name) = (&seen.instance.scope.region, &seen.instance.instance_type);
        if let Some(usd) = prices::list_price(region, name) {
            burn += usd;
            waste += usd * verdict.waste_share().unwrap_or(0.0);
        }
        since.extend(verdict.idle_since);
        kinds.insert(verdict.kind);
    }
    assert_eq!(kinds.len(), VerdictKind::ALL.len(), "{kinds:?}");
    // Not everything stopped at the edge of the window.
    assert!(since.len() >= 8, "{since:?}");
    let share = waste / burn;
    assert!((0.1..0.3).contains(&share), "{share} of {burn} $/h is waste");
}
