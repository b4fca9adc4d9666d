//! Verdicts tried on the hours that the cache holds, and the hours that are missing for it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::facts::kind;
use super::live::Evidence;
use super::metrics::{CHUNK, get_metric_data, on_worker};
use super::planning::Threads;
use super::work::Work;
use super::{Outcome, Parts, Shared, read_once, share};
use crate::analyze::idle::backtest::{Backtest, Past, Replay, Replayed};
use crate::analyze::idle::{Policy, signals_for};
use crate::domain::{Hour, HourRange, Instance, Signal, TypeSpec};
use crate::fleet::{Fleet, Row};

/// Threads that replay: the bus's own two.
const THREADS: usize = 2;

/// What is to be replayed.
#[derive(Clone, Debug)]
pub struct BacktestRequest {
    /// The policies.
    pub policies: Vec<Policy>,
    /// Days to look back.
    pub days: u32,
    /// True to read what the cache lacks for it first. Billed like every reading of metrics.
    pub fetch: bool,
}

/// Hours and signals that a round reads beyond what verdicts need.
pub(super) struct History {
    /// Closed hours.
    pub hours: u32,
    policies: Vec<Policy>,
}

impl History {
    /// What a policy may look at and nobody has asked for yet.
    pub fn unread(&self, work: &Work, now: jiff::Timestamp) -> Vec<Signal> {
        let devices = work.spec.as_deref().map_or(0, TypeSpec::devices);
        let mut wanted = signals_of(&self.policies, devices);
        wanted.retain(|signal| work.subject(now).series.get(*signal).is_none());
        wanted
    }
}

/// Every signal that one of the policies can use.
fn signals_of(policies: &[Policy], devices: u32) -> Vec<Signal> {
    let mut signals: Vec<Signal> =
        policies.iter().flat_map(|policy| signals_for(policy, devices)).collect();
    signals.sort_unstable();
    signals.dedup();
    signals
}

/// Reads every account once, as [`super::once`] does, and replays the policies over what the cache holds then.
pub async fn once_with_backtest(parts: Parts, request: BacktestRequest) -> (Outcome, Backtest) {
    let (handle, accounts) = share(parts);
    let shared = handle.shared;
    let replay = Replay::new(request.policies, shared.now(), request.days);
    if request.fetch {
        let history =
            History { hours: replay.range().len() as u32, policies: replay.policies().to_vec() };
        // Nobody else has set it: it is this bus's own.
        let _ = shared.history.set(history);
    }
    let outcome = read_once(shared.clone(), accounts).await;
    let backtest = of_fleet(&shared, &outcome.fleet, replay).await;
    let gone = gone(&shared, &outcome.fleet).await;
    (outcome, Backtest { gone, ..backtest })
}

/// Replays over the instances of `fleet`, some at a time: their series would fill the memory. What is gone is not
/// counted.
pub(super) async fn of_fleet(shared: &Shared, fleet: &Fleet, replay: Replay) -> Backtest {
    let replay = Arc::new(replay);
    let range = replay.range();
    let instances: Vec<Arc<Instance>> = fleet.rows.iter().map(|r| r.instance.clone()).collect();
    let types: HashMap<Arc<str>, Arc<TypeSpec>> = fleet
        .rows
        .iter()
        .filter_map(|row| Some((row.instance.instance_type.clone(), row.spec.clone()?)))
        .collect();
    let evidence = Evidence::gather(shared, &instances, &types).await;
    let mut of = Vec::with_capacity(fleet.rows.len());
    let mut missing_metrics = 0;
    for chunk in fleet.rows.chunks(CHUNK) {
        let ids: Vec<Arc<str>> = chunk.iter().map(|row| row.instance.id.clone()).collect();
        let mut stored = shared.cache.load_series(ids.clone(), range).await;
        let fetched = shared.cache.fetched(ids).await;
        let work = |row: &Arc<Row>| {
            let instance = row.instance.clone();
            let series = stored.remove(&instance.id).unwrap_or_default();
            let told = evidence.series(&instance, range);
            Work::new(instance, row.spec.clone(), &series, &fetched, range, told)
        };
        let works: Vec<Work> = chunk.iter().map(work).collect();
        let missing = works.iter().map(|work| missing(work, &replay, &fetched)).sum::<u64>();
        missing_metrics += missing;
        let rows = chunk.to_vec();
        let replay = replay.clone();
        let done = on_worker(move || replayed(works, rows, &replay)).await;
        of.extend(done.unwrap_or_default());
    }
    let settings = &shared.settings;
    Backtest {
        policies: replay.policies().iter().map(|policy| policy.name.clone()).collect(),
        policy_days: replay.policies().iter().map(|p| p.window_hours().div_ceil(24)).collect(),
        now: replay.now(),
        days: replay.days(),
        window_days: (range.len() as u32 / 24).saturating_sub(replay.days()),
        of,
        gone: 0,
        missing_metrics,
        missing_micro_usd: get_metric_data(missing_metrics),
        can_fetch: settings.billed && !settings.offline && shared.tape.is_none(),
    }
}

fn replayed(works: Vec<Work>, rows: Vec<Arc<Row>>, replay: &Replay) -> Vec<(Arc<Row>, Replayed)> {
    let works: Vec<Work> = works.into_iter().map(Work::accept_partial).collect();
    let now = replay.now();
    let pasts: Vec<Past<'_>> = works
        .iter()
        .map(|work| {
            let subject = work.subject(now);
            Past { instance: subject.instance, spec: subject.spec, series: subject.series }
        })
        .collect();
    rows.into_iter().zip(replay.all(&pasts, &Threads(THREADS))).collect()
}

/// Metrics of a running instance whose older hours are not in the cache, since its launch.
fn missing(work: &Work, replay: &Replay, fetched: &HashMap<(Arc<str>, Signal), HourRange>) -> u64 {
    let instance = &work.instance;
    if !instance.state.is_billed() {
        return 0;
    }
    let wanted = replay.range().since(Hour::containing(instance.launched_at));
    let lacks = |signal: &Signal| {
        let held = fetched.get(&(instance.id.clone(), *signal));
        held.is_none_or(|held| held.from > wanted.from)
    };
    let devices = work.spec.as_deref().map_or(0, TypeSpec::devices);
    let mut signals = signals_of(replay.policies(), devices);
    signals.retain(lacks);
    work.billed(&signals)
}

/// Instances with hours in the cache that are in no inventory.
async fn gone(shared: &Shared, fleet: &Fleet) -> usize {
    let inventories = shared.cache.all::<Vec<Instance>>(kind::INSTANCES, shared.now()).await;
    let mut listed: HashSet<&str> = fleet.rows.iter().map(|row| &*row.instance.id).collect();
    listed.extend(inventories.iter().flat_map(|(_, all)| &all.value).map(|i| &*i.id));
    let kept = shared.cache.instances_with_series().await;
    kept.iter().filter(|id| id.starts_with("i-") && !listed.contains(&***id)).count()
}
