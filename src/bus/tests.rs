//! The bus over the demo fleet: the same path as real accounts, without a network.

mod ask;
mod backtest;
mod billed;
mod burn;
mod looks;
mod past;
mod rounds;
mod saved;
mod scopes;
pub(super) mod scripted;

pub use scripted::no_accounts;

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc;

use super::facts::kind;
use super::inventory::Inventory;
use super::scope::Context;
use super::world::Update;
use super::{Account, Clock, Event, Handle, Outcome, Parts, Regions, Settings, once, share, start};
use crate::analyze::idle::Preset;
use crate::cache::{Cache, OpenOptions};
use crate::domain::{
    ErrorKind, HourRange, Instance, Offer, Reading, Scope, SourceError, SourceId, SourceState,
    TypeSpec,
};
use crate::fleet::{Fleet, Row};
use crate::source::demo::{DEFAULT_SEED, DemoOptions, providers, traps};
use crate::source::provider::{GpuMetric, PriceWanted};
use crate::source::{Identity, MetricQuery, MetricResult, Page, Provider};

/// Reads the demo fleet once at `now`.
async fn read(now: Timestamp, preset: Preset, cache: &Cache, offline: bool) -> Outcome {
    once(parts(Arc::new(move || now), preset, cache, offline)).await
}

/// The demo fleet under `clock`.
fn parts(clock: Clock, preset: Preset, cache: &Cache, offline: bool) -> Parts {
    let fleet = DemoOptions::new(DEFAULT_SEED, None, clock.clone());
    let accounts = providers(&fleet)
        .into_iter()
        .map(|provider| Account { provider, storage: None, regions: Regions::Enabled })
        .collect();
    let mut parts = no_accounts(cache, clock);
    parts.accounts = accounts;
    parts.settings = Settings { offline, billed: false, ..parts.settings };
    parts.policy = Arc::new(preset.policy());
    parts
}

fn by_name(outcome: &Outcome) -> HashMap<String, Arc<Row>> {
    outcome.fleet.rows.iter().map(|r| (r.instance.name.to_string(), r.clone())).collect()
}

/// Moments at which the demo may be opened: every weekday, morning and night, around New Year.
const MOMENTS: [&str; 6] = [
    "2026-11-21T03:07:00Z",
    "2026-11-24T15:59:59Z",
    "2026-12-31T23:30:00Z",
    "2027-01-01T00:00:01Z",
    "2027-02-28T12:00:00Z",
    "2026-11-29T09:45:00Z",
];

#[tokio::test]
async fn every_trap_gets_its_verdict_at_any_moment() {
    for moment in MOMENTS {
        let (cache, _) = Cache::open(OpenOptions::in_memory(), moment.parse().unwrap());
        let outcome = read(moment.parse().unwrap(), Preset::Cautious, &cache, false).await;
        let rows = by_name(&outcome);
        for trap in traps() {
            let row = rows.get(trap.name).unwrap_or_else(|| panic!("{} is missing", trap.name));
            let verdict = row.verdict.as_ref().map(|v| v.kind);
            let reason = row.verdict.as_ref().map(|v| v.reason.clone());
            assert_eq!(verdict, trap.verdict, "{} at {moment}: {reason:?}", trap.name);
            if let Some(idle) = trap.idle_gpus {
                let got = row.verdict.as_ref().and_then(|v| v.idle_gpus);
                assert_eq!(got, Some(idle), "{} at {moment}", trap.name);
            }
        }
    }
}

/// What the cache remembers of earlier looks changes nothing but how far back a stretch is known to
/// reach, where that goes beyond the window.
#[tokio::test]
async fn one_moment_gives_one_picture_whatever_was_cached() {
    let now: Timestamp = MOMENTS[1].parse().unwrap();
    let fresh = {
        let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
        by_name(&read(now, Preset::Cautious, &cache, false).await)
    };
    let mut longer = 0;
    for before in [&[1][..], &[72, 30], &[400], &[200, 100, 2]] {
        let hours = |n: &i64| now - jiff::SignedDuration::from_hours(*n);
        let (cache, _) = Cache::open(OpenOptions::in_memory(), hours(&before[0]));
        for n in before {
            read(hours(n), Preset::Cautious, &cache, false).await;
        }
        let warm = by_name(&read(now, Preset::Cautious, &cache, false).await);
        assert_eq!(warm.len(), fresh.len());
        for (name, row) in &fresh {
            let other = &warm[name];
            assert_eq!((&row.instance, &row.rate), (&other.instance, &other.rate), "{name}");
            let (Some(one), Some(two)) = (&row.verdict, &other.verdict) else {
                assert_eq!(row, other, "{name}");
                continue;
            };
            assert_eq!((one.kind, &one.signals), (two.kind, &two.signals), "{name}");
            if one.idle_since == two.idle_since {
                assert_eq!(row.wasted_usd, other.wasted_usd, "{name}");
            } else {
                assert!(one.idle_since_at_least && two.idle_since < one.idle_since, "{name}");
                assert!(other.wasted_usd >= row.wasted_usd, "{name}");
                longer += 1;
            }
        }
    }
    assert!(longer > 0, "nothing was remembered");
}

#[tokio::test]
async fn the_weekly_spike_fools_the_mean_and_not_us() {
    let now: Timestamp = MOMENTS[0].parse().unwrap();
    let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
    let name = traps().iter().find(|t| t.name.contains("weekly")).unwrap().name;
    let verdict = |outcome: &Outcome| by_name(outcome)[name].verdict.as_ref().unwrap().kind;
    let ours = read(now, Preset::Cautious, &cache, false).await;
    let mean = read(now, Preset::MeanCpu, &cache, false).await;
    assert_eq!(verdict(&ours).name(), "busy");
    assert_eq!(verdict(&mean).name(), "idle");
}

#[tokio::test]
async fn who_chooses_another_policy_while_it_starts_is_heard() {
    let now: Timestamp = MOMENTS[0].parse().unwrap();
    let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
    let name = traps().iter().find(|t| t.name.contains("weekly")).unwrap().name;
    read(now, Preset::Cautious, &cache, false).await;
    // The clock is read at the steps of the start (three of them, where nobody is asked): at one
    // after the other, the user chooses.
    let steps = (1..=3).map(|step| (true, step)).chain((1..=8).map(|step| (false, step)));
    for (offline, step) in steps {
        let chooser: Arc<OnceLock<Handle>> = Arc::default();
        let (who, looks) = (chooser.clone(), AtomicU32::new(0));
        let clock = Arc::new(move || {
            if let Some(handle) = who.get()
                && looks.fetch_add(1, Ordering::SeqCst) + 1 == step
            {
                handle.set_policy(Arc::new(Preset::MeanCpu.policy()));
            }
            now
        });
        let (events, mut inbox) = mpsc::channel(64);
        let handle = start(parts(clock, Preset::Cautious, &cache, offline), events);
        assert!(chooser.set(handle.clone()).is_ok());
        let heard = async {
            while let Some(event) = inbox.recv().await {
                let Event::Fleet(fleet) = event else { continue };
                let mut rows = fleet.rows.iter().filter(|r| &*r.instance.name == name);
                if rows.any(|r| r.verdict.as_ref().is_some_and(|v| v.kind.name() == "idle")) {
                    return true;
                }
            }
            false
        };
        let heard = tokio::time::timeout(Duration::from_secs(20), heard).await;
        assert_eq!(heard, Ok(true), "step {step}, offline: {offline}");
        handle.stop();
    }
}

#[tokio::test]
async fn what_was_read_is_there_offline() {
    let now: Timestamp = MOMENTS[1].parse().unwrap();
    let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
    let live = read(now, Preset::Cautious, &cache, false).await;
    let offline = read(now, Preset::Cautious, &cache, true).await;
    let verdicts = |o: &Outcome| -> Vec<_> {
        o.fleet.rows.iter().map(|r| (r.instance.id.clone(), r.verdict.clone())).collect()
    };
    assert_eq!(verdicts(&live), verdicts(&offline));
    assert_eq!(live.fleet.totals, offline.fleet.totals);
    assert!(offline.fleet.readings.iter().all(|r| r.state == SourceState::Cached));
}

#[tokio::test]
async fn the_demo_is_the_same_every_time() {
    let now: Timestamp = MOMENTS[2].parse().unwrap();
    let (first, _) = Cache::open(OpenOptions::in_memory(), now);
    let (second, _) = Cache::open(OpenOptions::in_memory(), now);
    let a = read(now, Preset::Cautious, &first, false).await;
    let b = read(now, Preset::Cautious, &second, false).await;
    assert_eq!(a.fleet.rows, b.fleet.rows);
    assert!(a.fleet.totals.instances >= 240 && a.fleet.totals.gpus >= 900.0);
}

/// A demo account that cannot say who it is the first time it is asked.
struct LateLogin {
    inner: Arc<dyn Provider>,
    /// Why not.
    kind: ErrorKind,
    asked: AtomicU32,
}

#[async_trait::async_trait]
impl Provider for LateLogin {
    fn label(&self) -> &'static str {
        "late"
    }
    async fn identity(&self) -> Result<Identity, SourceError> {
        if self.asked.fetch_add(1, Ordering::SeqCst) == 0 {
            let operation = "sts:GetCallerIdentity";
            return Err(SourceError::new(self.kind, operation, "expired", "log in"));
        }
        self.inner.identity().await
    }
    async fn home_region(&self) -> Arc<str> {
        self.inner.home_region().await
    }
    async fn regions(&self) -> Result<Vec<Arc<str>>, SourceError> {
        self.inner.regions().await
    }
    async fn instances(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<Instance>, SourceError> {
        self.inner.instances(account, region, token).await
    }
    async fn types(
        &self,
        region: &Arc<str>,
        names: &[Arc<str>],
    ) -> Result<Vec<TypeSpec>, SourceError> {
        self.inner.types(region, names).await
    }
    async fn gpu_metrics(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<GpuMetric>, SourceError> {
        self.inner.gpu_metrics(region, token).await
    }
    async fn metric_data(
        &self,
        region: &Arc<str>,
        queries: &[MetricQuery],
        range: HourRange,
    ) -> Result<Vec<MetricResult>, SourceError> {
        self.inner.metric_data(region, queries, range).await
    }
    async fn list_prices(&self, wanted: &[PriceWanted]) -> Result<Vec<Offer>, SourceError> {
        self.inner.list_prices(wanted).await
    }
    async fn spot_prices(
        &self,
        region: &Arc<str>,
        types: &[Arc<str>],
    ) -> Result<Vec<Offer>, SourceError> {
        self.inner.spot_prices(region, types).await
    }
}

#[tokio::test]
async fn a_failed_login_is_forgotten_when_the_next_one_works() {
    let now: Timestamp = MOMENTS[0].parse().unwrap();
    let clock: Clock = Arc::new(move || now);
    let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
    let fleet = DemoOptions::new(DEFAULT_SEED, None, clock.clone());
    let inner = providers(&fleet).remove(0);
    let kind = ErrorKind::Expired;
    let provider = Arc::new(LateLogin { inner, kind, asked: AtomicU32::new(0) });
    let mut parts = no_accounts(&cache, clock);
    parts.accounts = vec![Account { provider, storage: None, regions: Regions::Home }];
    parts.settings = Settings { inventory_every_s: 60, billed: false, ..parts.settings };
    let (sender, mut events) = mpsc::channel(64);
    let handle = start(parts, sender);
    let mut failed = false;
    while let Some(event) = events.recv().await {
        let Event::Fleet(fleet) = event else { continue };
        let is_failed = |r: &Reading| matches!(r.state, SourceState::Failed(_));
        if fleet.readings.iter().any(is_failed) && !failed {
            failed = true;
            // As the user does after logging in.
            handle.refresh(true);
        } else if failed && !fleet.rows.is_empty() {
            assert!(!fleet.readings.iter().any(is_failed), "{:?}", fleet.readings);
            handle.stop();
        }
    }
    assert!(failed);
}

#[tokio::test]
async fn of_two_accounts_one_that_answers_is_enough() {
    let now: Timestamp = MOMENTS[0].parse().unwrap();
    let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
    let (clock, _) = hands(now);
    for without_is_first in [true, false] {
        let fleet = DemoOptions::new(DEFAULT_SEED, None, clock.clone());
        let account = |provider| Account { provider, storage: None, regions: Regions::Home };
        let mut inner = providers(&fleet);
        let (asked, kind) = (AtomicU32::new(0), ErrorKind::NoCredentials);
        let without = account(Arc::new(LateLogin { inner: inner.remove(0), kind, asked }));
        let with = account(inner.remove(0));
        let mut accounts = vec![without, with];
        if !without_is_first {
            accounts.reverse();
        }
        let parts = parts(clock.clone(), Preset::Cautious, &cache, false);
        let outcome = once(Parts { accounts, ..parts }).await;
        assert!(outcome.no_credentials.is_none() && !outcome.fleet.rows.is_empty());
    }
}

/// A clock that is moved by hand.
fn hands(start: Timestamp) -> (Clock, Arc<AtomicI64>) {
    let seconds = Arc::new(AtomicI64::new(start.as_second()));
    let shown = seconds.clone();
    let clock: Clock =
        Arc::new(move || Timestamp::from_second(shown.load(Ordering::Relaxed)).unwrap());
    (clock, seconds)
}

#[tokio::test]
async fn an_unchanged_inventory_is_neither_told_nor_written_again() {
    let now: Timestamp = MOMENTS[1].parse().unwrap();
    let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
    let (clock, seconds) = hands(now);
    let (handle, accounts) = share(parts(clock, Preset::Cautious, &cache, false));
    let provider = accounts[0].provider.clone();
    let account = provider.identity().await.unwrap().account;
    let scope = Scope::new(account, provider.home_region().await);
    let (updates, mut told) = mpsc::channel(16);
    let ctx = Context {
        shared: handle.shared.clone(),
        provider,
        scope: scope.clone(),
        updates,
        only_once: false,
        types: HashMap::new(),
        unread: None,
    };
    let dated = async |at| {
        let stored = cache.get::<Vec<Instance>>(kind::INSTANCES, &scope, at).await.unwrap();
        stored.taken_at.unwrap().duration_since(now).as_secs()
    };
    let mut inventory = Inventory::new(None);
    let first = inventory.read(&ctx).await.unwrap().to_vec();
    assert!(matches!(told.try_recv(), Ok(Update::Instances { items, .. }) if items == first));

    seconds.fetch_add(10, Ordering::Relaxed);
    let second = inventory.read(&ctx).await.unwrap().to_vec();
    assert!(first.iter().zip(&second).all(|(a, b)| Arc::ptr_eq(a, b)));
    assert!(told.try_recv().is_err());
    assert_eq!(dated(ctx.shared.now()).await, 0);
    seconds.fetch_add(50, Ordering::Relaxed);
    inventory.read(&ctx).await.unwrap();
    assert!(told.try_recv().is_err());
    assert_eq!(dated(ctx.shared.now()).await, 60, "seen unchanged a minute later");

    // Two weeks on, something was launched anew; what was not is still the same.
    seconds.fetch_add(14 * 86_400, Ordering::Relaxed);
    let later = inventory.read(&ctx).await.unwrap().to_vec();
    let kept = later.iter().filter(|l| second.iter().any(|s| Arc::ptr_eq(s, l))).count();
    assert!(kept > 0 && kept < later.len(), "{kept} of {}", later.len());
    assert!(matches!(told.try_recv(), Ok(Update::Instances { .. })));
}

#[tokio::test]
async fn news_of_the_sources_alone_leave_the_rows_as_they_are() {
    let now: Timestamp = MOMENTS[1].parse().unwrap();
    let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
    let (clock, seconds) = hands(now);
    let (events, mut inbox) = mpsc::channel(64);
    let handle = start(parts(clock, Preset::Cautious, &cache, false), events);
    let mut last = Arc::default();
    while let Some(event) = inbox.recv().await {
        let Event::Fleet(fleet) = event else { continue };
        seconds.fetch_add(1, Ordering::Relaxed);
        let read_at = |f: &Fleet| {
            f.readings.iter().filter(|r| r.source == SourceId::Ec2).map(|r| r.taken_at).max()
        };
        let before: Arc<Fleet> = std::mem::replace(&mut last, fleet);
        if before.version == last.version && read_at(&before) < read_at(&last) {
            // The next beat: read again, nothing changed.
            assert_eq!(before.as_of, last.as_of);
            assert!(before.rows.iter().zip(&last.rows).all(|(a, b)| Arc::ptr_eq(a, b)));
            break;
        }
    }
    handle.stop();
    assert!(!last.rows.is_empty());
}
