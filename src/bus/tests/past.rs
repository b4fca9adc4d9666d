//! What was looked at becomes the past, of the selected regions alone; who remembers is asked.

use super::super::{Account, Regions};
use super::scripted::{Answer, REGION, Script, Scripted, instance, parts, read};
use super::{DEFAULT_SEED, DemoOptions, providers};
use crate::analyze::idle::Preset;
use crate::cache::{Cache, OpenOptions};
use crate::domain::{FleetHour, Hour, InstanceState};
use std::sync::Arc;

async fn past(cache: &Cache, accounts: &[Account], now: jiff::Timestamp) -> Vec<FleetHour> {
    let mut all = Vec::new();
    super::super::past(cache, accounts, now, |hour| all.push(hour)).await;
    all
}

const PRESET: Preset = Preset::Cautious;

#[tokio::test]
async fn each_look_counts_what_runs() {
    let at = |text: &str| text.parse::<jiff::Timestamp>().unwrap();
    let cache = Cache::open(OpenOptions::in_memory(), at("2026-11-21T03:07:00Z")).0;
    let mut stopped = instance("i-3", "p4d.24xlarge");
    stopped.state = InstanceState::Stopped;
    let two = vec![instance("i-1", "p4d.24xlarge"), instance("i-2", "p4d.24xlarge"), stopped];
    let provider = Scripted::new(Script::new(two.clone(), Answer::Nothing));
    read(&provider, "2026-11-21T03:07:00Z", PRESET, &cache).await;
    provider.play(Script::new(two[..1].to_vec(), Answer::Nothing));
    read(&provider, "2026-11-21T03:38:00Z", PRESET, &cache).await;

    let now = at("2026-11-21T04:10:00Z");
    let account = parts(&provider, "2026-11-21T04:10:00Z", PRESET, &cache, false).accounts;
    let seen = past(&cache, &account, now).await;
    let told: Vec<_> = seen.iter().map(|h| (h.hour, h.looks, h.mean("p4d.24xlarge"))).collect();
    assert_eq!(told, [(Hour::containing(at("2026-11-21T03:00:00Z")), 2, 1.5)]);
    // The hour that still runs is not the past.
    assert!(past(&cache, &account, at("2026-11-21T03:59:00Z")).await.is_empty());

    let elsewhere =
        Account { regions: Regions::Named(vec!["eu-west-1".into()]), ..account[0].clone() };
    assert!(past(&cache, &[elsewhere], now).await.is_empty());
    let here = Account { regions: Regions::Named(vec![REGION.into()]), ..account[0].clone() };
    assert_eq!(past(&cache, &[here], now).await.len(), 1);
}

#[tokio::test]
async fn the_demo_remembers_half_a_year() {
    let now: jiff::Timestamp = "2026-11-21T04:10:00Z".parse().unwrap();
    let cache = Cache::open(OpenOptions::in_memory(), now).0;
    let fleet = DemoOptions::new(DEFAULT_SEED, None, Arc::new(move || now));
    let accounts: Vec<Account> = providers(&fleet)
        .into_iter()
        .map(|provider| Account { provider, storage: None, regions: Regions::Enabled })
        .collect();
    let seen = past(&cache, &accounts, now).await;
    assert_eq!(seen.len(), 3 * 4 * 26 * 168);
    assert!(seen.iter().all(|h| h.hour < Hour::containing(now)));
    let last = Hour::containing(now).plus(-1);
    let p4d: f64 = seen.iter().filter(|h| h.hour == last).map(|h| h.mean("p4d.24xlarge")).sum();
    assert!(p4d > 5.0, "{p4d}");
}

#[tokio::test]
async fn years_of_looks_are_read_in_parts_oldest_first_each_once() {
    let now: jiff::Timestamp = "2026-11-21T04:10:00Z".parse().unwrap();
    let cache = Cache::open(OpenOptions::in_memory(), now).0;
    let running = Hour::containing(now);
    let provider = Scripted::new(Script::new(vec![], Answer::Nothing));
    let accounts = parts(&provider, "2026-11-21T04:10:00Z", PRESET, &cache, false).accounts;
    read(&provider, "2026-11-21T04:10:00Z", PRESET, &cache).await;
    let scope = crate::domain::Scope::new(super::scripted::ACCOUNT, REGION);
    let back = [156 * 168, 156 * 168 - 1, 8 * 168, 4 * 168 + 1, 4 * 168, 4 * 168 - 1, 1];
    let looks = back.iter().map(|ago| FleetHour {
        hour: running.plus(-ago),
        scope: scope.clone(),
        looks: 1,
        seen: [("p5.48xlarge".into(), 1)].into_iter().collect(),
    });
    cache.add_fleet_hours(looks.collect()).await;
    let seen = past(&cache, &accounts, now).await;
    let ago: Vec<i32> = seen.iter().map(|h| running.0 - h.hour.0).collect();
    assert_eq!(ago, back);
}
