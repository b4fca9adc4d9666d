//! Verdicts tried on the past of the demo fleet.

use std::collections::HashSet;

use jiff::SignedDuration;

use super::*;
use crate::analyze::idle::backtest::{Backtest, Sums};
use crate::bus::{BacktestRequest, once_with_backtest};
use crate::domain::VerdictKind;

const NOW: &str = "2026-11-24T15:59:59Z";

async fn tried(cache: &Cache, fetch: bool, days: u32) -> Backtest {
    let now: Timestamp = NOW.parse().unwrap();
    let policies = Preset::ALL.iter().map(|preset| preset.policy()).collect();
    let request = BacktestRequest { policies, days, fetch };
    let parts = parts(Arc::new(move || now), Preset::Cautious, cache, false);
    once_with_backtest(parts, request).await.1
}

/// What was read a week ago is what the replay says of a week ago, of all that has not been started anew since.
#[tokio::test]
async fn the_replay_says_what_was_said_a_week_ago() {
    let now: Timestamp = NOW.parse().unwrap();
    let then = now - SignedDuration::from_hours(7 * 24);
    let (cache, _) = Cache::open(OpenOptions::in_memory(), then);
    let read = read(then, Preset::Cautious, &cache, false).await;
    let lived = |row: &Row| (row.instance.id.clone(), row.instance.launched_at);
    let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
    let test = tried(&cache, true, 8).await;
    let same: HashSet<_> = test.of.iter().map(|(row, _)| lived(row)).collect();
    let mut said: Vec<Arc<str>> = read
        .fleet
        .rows
        .iter()
        .filter(|row| row.verdict.as_ref().is_some_and(|v| v.kind == VerdictKind::Idle))
        .filter(|row| same.contains(&lived(row)))
        .map(|row| row.instance.id.clone())
        .collect();
    let was = |days: u32| -> Vec<Arc<str>> {
        let called = |replayed: &crate::analyze::idle::backtest::Replayed| {
            replayed.tracks[0].called.iter().any(|(ago, _)| *ago == days)
        };
        let of = test.of.iter().filter(|(_, replayed)| called(replayed));
        of.map(|(row, _)| row.instance.id.clone()).collect()
    };
    let mut called = was(7);
    said.sort();
    called.sort();
    assert!(said.len() > 10, "{}", said.len());
    assert_eq!(said, called);
    let day = test.day(0, 7).unwrap();
    assert_eq!(day.called as usize, called.len());
    assert_eq!(day.called, day.idle + day.ended + day.woke + day.unseen);
}

#[tokio::test]
async fn what_a_verdict_needs_is_too_little_for_a_past() {
    let now: Timestamp = NOW.parse().unwrap();
    let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
    let test = tried(&cache, false, 30).await;
    // Only lives that began within the week have all of their hours.
    assert!(test.sums(0).oldest_judged < Some(7), "{:?}", test.sums(0).oldest_judged);
    assert_eq!(test.day(0, 7), None);
    // What looks back 14 days finds as many hours at no moment, whoever lives how long.
    let long = test.policies.iter().position(|name| name == "aws-compute-optimizer").unwrap();
    assert_eq!(test.sums(long), Sums::default());
    assert!(test.missing_metrics > 0 && !test.can_fetch);
    // Once more, from what the cache holds after everything was read.
    let whole = tried(&cache, true, 30).await;
    assert!(whole.sums(0).oldest_judged.is_some_and(|days| days >= 28));
    assert!(whole.missing_metrics < test.missing_metrics);
    let again = tried(&cache, false, 30).await;
    assert_eq!(again.sums(0), whole.sums(0));
}

/// Dollars against a sum of their own.
#[tokio::test]
async fn stops_save_the_price_of_the_hours_that_were_idle() {
    let (cache, _) = Cache::open(OpenOptions::in_memory(), NOW.parse().unwrap());
    let test = tried(&cache, true, 14).await;
    for at in 0..test.policies.len() {
        let (mut saved, mut restarts, mut woke) = (0.0, 0.0, 0);
        for (row, replayed) in &test.of {
            for spell in &replayed.tracks[at].spells {
                let price = row.rate.as_ref().map_or(0.0, |rate| rate.usd_per_hour);
                saved += price * f64::from(spell.idle_hours);
                if format!("{:?}", spell.outcome).starts_with("Woke") {
                    restarts += price / 2.0;
                    woke += 1;
                }
            }
        }
        let sums = test.sums(at);
        assert!((sums.saved_usd - saved).abs() < 1e-6 * saved.max(1.0));
        assert!((sums.restart_usd - restarts).abs() < 1e-6 * restarts.max(1.0));
        assert_eq!((sums.spells.woke as usize, test.wakes(at).len()), (woke, woke));
    }
}
