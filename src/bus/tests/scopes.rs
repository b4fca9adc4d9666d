//! Accounts and regions that come, go and break.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::super::{Event, start};
use super::scripted::{ACCOUNT, Answer, REGION, Script, Scripted, instance, parts, read};
use crate::analyze::idle::Preset;
use crate::cache::{Cache, OpenOptions};
use crate::domain::{Instance, Scope, SourceId, SourceState};
use crate::source::ledger::Ledger;

const NOW: &str = "2026-11-21T03:07:00Z";
const PRESET: Preset = Preset::Cautious;

fn cache() -> Cache {
    Cache::open(OpenOptions::in_memory(), NOW.parse().unwrap()).0
}

fn of(account: &'static str, regions: Vec<&'static str>) -> Script {
    let mut instances: Vec<Instance> = vec![];
    for region in &regions {
        let scope = Scope::new(account, *region);
        let id = format!("i-{account}-{region}");
        instances.push(Instance { scope, ..instance(&id, "c5.large") });
    }
    Script { account, regions, ..Script::new(instances, Answer::Every(0.0)) }
}

#[tokio::test]
async fn another_account_under_the_same_label_replaces_the_cached_one() {
    let cache = cache();
    let provider = Scripted::new(of(ACCOUNT, vec![REGION]));
    read(&provider, NOW, PRESET, &cache).await;
    provider.play(of("210987654321", vec![REGION]));
    let fleet = read(&provider, NOW, PRESET, &cache).await.fleet;
    let accounts: Vec<&str> = fleet.rows.iter().map(|r| &*r.instance.scope.account).collect();
    assert_eq!(accounts, ["210987654321"]);
    assert!(fleet.readings.iter().all(|r| &*r.scope.account != ACCOUNT), "{:?}", fleet.readings);
}

#[tokio::test]
async fn a_region_that_is_not_enabled_any_more_leaves_the_picture() {
    let cache = cache();
    let provider = Scripted::new(of(ACCOUNT, vec![REGION, "eu-west-1"]));
    assert_eq!(read(&provider, NOW, PRESET, &cache).await.fleet.rows.len(), 2);
    provider.play(of(ACCOUNT, vec![REGION]));
    assert_eq!(read(&provider, NOW, PRESET, &cache).await.fleet.rows.len(), 1);
}

#[tokio::test]
async fn a_panic_in_a_region_shows_as_its_failure() {
    let cache = cache();
    let provider = Scripted::new(of(ACCOUNT, vec![REGION]));
    read(&provider, NOW, PRESET, &cache).await;
    provider.play(Script { panics: true, ..of(ACCOUNT, vec![REGION]) });
    let fleet = read(&provider, NOW, PRESET, &cache).await.fleet;
    let ec2 = fleet.readings.iter().find(|r| r.source == SourceId::Ec2).unwrap();
    assert!(matches!(&ec2.state, SourceState::Failed(e) if e.message.contains("defect")));
    assert_eq!(fleet.rows.len(), 1, "what was known stays");
}

#[tokio::test]
async fn an_account_that_answers_after_all_has_not_failed() {
    let provider = Scripted::new(Script { strangers: 1, ..of(ACCOUNT, vec![REGION]) });
    let (events, mut inbox) = tokio::sync::mpsc::channel(64);
    let handle = start(parts(&provider, NOW, PRESET, &cache(), false), events);
    let recovered = tokio::time::timeout(Duration::from_secs(20), async {
        while let Some(event) = inbox.recv().await {
            match event {
                // Ends the pause before the next attempt.
                Event::Source { error: Some(_), .. } => handle.refresh(true),
                Event::Fleet(fleet) if !fleet.rows.is_empty() => return fleet,
                _ => {}
            }
        }
        panic!("the bus ended");
    });
    let fleet = recovered.await.unwrap();
    let failed = |r: &&_| matches!(r, crate::domain::Reading { state: SourceState::Failed(_), .. });
    assert_eq!(fleet.readings.iter().find(failed), None);
    handle.stop();
}

#[tokio::test]
async fn a_refresh_during_a_round_is_not_lost() {
    let provider = Scripted::new(of(ACCOUNT, vec![REGION]));
    let (events, mut inbox) = tokio::sync::mpsc::channel(64);
    let mut parts = parts(&provider, NOW, PRESET, &cache(), false);
    parts.settings.inventory_every_s = 24 * 3600;
    let handle = start(parts, events);
    let (asking, mut asked) = (handle.clone(), false);
    *provider.on_data.lock().unwrap() = Some(Box::new(move || {
        if !std::mem::replace(&mut asked, true) {
            asking.refresh(true);
        }
    }));
    let again = tokio::time::timeout(Duration::from_secs(20), async {
        while provider.listed.load(Ordering::Relaxed) < 2 {
            inbox.recv().await.unwrap();
        }
    });
    again.await.expect("the inventory is read again at once");
    handle.stop();
}

#[tokio::test]
async fn prices_that_came_before_a_failure_count() {
    // Two lists of 25: the second one fails.
    let boxes =
        (0..26).map(|i| instance(&format!("i-{i:02}"), &format!("x{i:02}.large"))).collect();
    let mut script = Script::new(boxes, Answer::Every(0.0));
    script.no_price_of = Some("x25.large");
    let fleet = read(&Scripted::new(script), NOW, PRESET, &cache()).await.fleet;
    assert_eq!(fleet.totals.unpriced, 1);
    let prices = fleet.readings.iter().find(|r| r.source == SourceId::Prices).unwrap();
    assert_eq!(prices.state.word(), "throttled");
}

/// What `GetMetricData` was asked for by a refresh when an hour has closed since the first round, and the next one is not
/// due: by the cap a round is due every few hours.
async fn bought_by_a_refresh(force: bool, billed: bool) -> usize {
    let provider = Scripted::new(of(ACCOUNT, vec![REGION]));
    let (events, mut inbox) = tokio::sync::mpsc::channel(64);
    let cache = cache();
    let mut parts = parts(&provider, NOW, PRESET, &cache, false);
    parts.settings.inventory_every_s = 24 * 3600;
    parts.settings.billed = billed;
    parts.ledger = Ledger::new(cache.clone(), 700);
    let (began, hours) = (NOW.parse::<Timestamp>().unwrap(), Arc::new(AtomicI64::new(0)));
    let passed = hours.clone();
    parts.clock =
        Arc::new(move || began + SignedDuration::from_hours(passed.load(Ordering::Relaxed)));
    let handle = start(parts, events);
    let asked = || provider.asked.lock().unwrap().len();
    let wait = async {
        let judged = |event: Event| match event {
            Event::Fleet(fleet) => fleet.rows.iter().any(|row| row.verdict.is_some()),
            _ => false,
        };
        while !judged(inbox.recv().await.unwrap()) {}
        let before = asked();
        hours.store(1, Ordering::Relaxed);
        handle.refresh(force);
        while provider.listed.load(Ordering::Relaxed) < 2 {
            inbox.recv().await.unwrap();
        }
        // The metrics come after the inventory; where they are asked for there is no need to wait long.
        for _ in 0..50 {
            if asked() > before {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        asked() - before
    };
    let bought = tokio::time::timeout(Duration::from_secs(20), wait).await.unwrap();
    handle.stop();
    let due_every = super::super::metrics::cadence_hours(handle.refresh_cost_micro_usd(), 700);
    assert!(!billed || due_every > 1, "a round is due by itself");
    bought
}

#[tokio::test]
async fn a_refresh_buys_nothing_that_is_not_due_unless_it_is_forced() {
    assert_eq!(bought_by_a_refresh(false, true).await, 0, "nobody agreed to pay");
    assert!(bought_by_a_refresh(true, true).await > 0);
    assert!(bought_by_a_refresh(false, false).await > 0, "calls that are free are made");
}
