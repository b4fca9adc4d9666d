//! Metrics and verdicts of a scope: the cascade, within the own-cost cap.
//!
//! A round asks for CPU first and for the rest only where it can change the verdict
//! ([`next_signals`]); closed hours that the cache holds are not asked for again. A round that
//! fails leaves the last good verdicts standing, with their age.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use jiff::Timestamp;
use tokio::sync::mpsc;

use super::account::report;
use super::facts::{self, Judged, kind};
use super::gpus::{self, GpuMap};
use super::scope::Context;
use super::work::Work;
use super::world::{Outcome, Update};
use super::{Regions, Shared, guarded};
use crate::analyze::idle::{Policy, Subject, judge, next_signals};
use crate::domain::{
    ErrorKind, Hour, HourRange, Instance, Signal, SourceError, SourceId, TypeSpec, Verdict,
};
use crate::source::ledger::BilledApi;
use crate::source::planner::{self, Need};

/// Instances judged together: bounds the series held in memory at once.
const CHUNK: usize = 500;
/// The cascade has four steps; the rest guards against one that never ends.
const MAX_STEPS: usize = 8;
/// Requests in flight per scope.
const IN_FLIGHT: usize = 4;

/// The rounds of one scope: when the last was, what it cost.
pub(super) struct Rounds {
    last: Option<Timestamp>,
    judged: HashMap<Arc<str>, Arc<Verdict>>,
}

impl Rounds {
    /// What the last run left.
    pub async fn from_cache(ctx: &Context) -> Self {
        let policy = ctx.shared.policy.borrow().name.clone();
        let now = ctx.shared.now();
        let stored = ctx.shared.cache.get::<Judged>(kind::VERDICTS, &ctx.scope, now).await;
        match stored.filter(|s| s.value.policy == policy) {
            Some(stored) => {
                // Until a round has shown what it costs: four metrics an instance.
                note_cost(ctx, get_metric_data(stored.value.verdicts.len() as u64 * 4));
                Self { last: stored.taken_at, judged: stored.value.verdicts.into_iter().collect() }
            }
            None => Self { last: None, judged: HashMap::new() },
        }
    }

    /// Judges what is due: everything when an hour (or more, see [`cadence_hours`]) has closed
    /// since the last round or the user asks, otherwise only instances that are new.
    pub async fn run(&mut self, ctx: &Context, instances: &[Arc<Instance>], forced: bool) {
        let now = ctx.shared.now();
        let full = forced || self.is_due(ctx, now);
        let subset: Vec<Arc<Instance>> = instances
            .iter()
            .filter(|i| i.state.is_billed() && (full || !self.judged.contains_key(&i.id)))
            .cloned()
            .collect();
        if subset.is_empty() {
            if full {
                self.last = Some(now);
            }
            return;
        }
        let mut round = Round::new(ctx, now);
        round.run(subset, &mut self.judged).await;
        round.finish().await;
        if full {
            self.last = Some(now);
            note_cost(ctx, round.cost);
        }
        let running: HashSet<&Arc<str>> = instances.iter().map(|i| &i.id).collect();
        self.judged.retain(|id, _| running.contains(id));
        self.keep(ctx, &round.policy).await;
    }

    async fn keep(&self, ctx: &Context, policy: &Policy) {
        let verdicts = self.judged.iter().map(|(id, v)| (id.clone(), v.clone())).collect();
        let judged = Judged { policy: policy.name.clone(), verdicts };
        let at = self.last.unwrap_or_else(|| ctx.shared.now());
        ctx.shared.cache.put(kind::VERDICTS, &ctx.scope, at, &judged).await;
    }

    fn is_due(&self, ctx: &Context, now: Timestamp) -> bool {
        let Some(last) = self.last else { return true };
        let hours = if ctx.only_once || !ctx.shared.settings.billed {
            1
        } else {
            let costs = ctx.shared.round_costs.lock().unwrap_or_else(PoisonError::into_inner);
            cadence_hours(costs.values().sum(), ctx.shared.ledger.cap_micro_usd())
        };
        Hour::containing(now).0 - Hour::containing(last).0 >= hours
    }
}

/// Remembers what a full round of a scope costs; free calls cost nothing.
fn note_cost(ctx: &Context, micro_usd: u64) {
    let cost = if ctx.shared.settings.billed { micro_usd } else { 0 };
    let mut costs = ctx.shared.round_costs.lock().unwrap_or_else(PoisonError::into_inner);
    costs.insert(ctx.scope.clone(), cost);
}

/// Micro-dollars for requesting so many metrics.
pub(super) fn get_metric_data(metrics: u64) -> u64 {
    BilledApi::GetMetricData.cost_micro_usd(metrics)
}

/// Hours between two full rounds: one, as long as a day of hourly rounds costs at most half of
/// the daily cap; otherwise as many as it takes, at most 24. The other half of the cap is left
/// for refreshes by hand and for other processes.
fn cadence_hours(round_micro_usd: u64, cap_micro_usd: u64) -> i32 {
    let budget = (cap_micro_usd / 2).max(1);
    i32::try_from((24 * round_micro_usd).div_ceil(budget)).unwrap_or(24).clamp(1, 24)
}

/// One pass over a set of instances.
struct Round<'a> {
    ctx: &'a Context,
    policy: Arc<Policy>,
    now: Timestamp,
    range: HourRange,
    viewport: HashSet<Arc<str>>,
    asked: u64,
    answered: u64,
    cost: u64,
    error: Option<SourceError>,
}

impl<'a> Round<'a> {
    fn new(ctx: &'a Context, now: Timestamp) -> Self {
        let policy = ctx.shared.policy.borrow().clone();
        let range = HourRange::last_closed(now, policy.window_hours());
        let viewport = HashSet::new();
        Self { ctx, policy, now, range, viewport, asked: 0, answered: 0, cost: 0, error: None }
    }

    async fn run(
        &mut self,
        mut subset: Vec<Arc<Instance>>,
        judged: &mut HashMap<Arc<str>, Arc<Verdict>>,
    ) {
        report(&self.ctx.updates, SourceId::CloudWatch, self.ctx.scope.clone(), Outcome::Loading)
            .await;
        self.viewport = self.ctx.shared.viewport();
        subset.sort_by_key(|i| !self.viewport.contains(&i.id));
        let gpus = match gpus::discover(self.ctx, &subset).await {
            Ok(gpus) => gpus,
            Err(error) => {
                self.error = Some(error);
                GpuMap::default()
            }
        };
        for chunk in subset.chunks(CHUNK) {
            let works = self.fetch(chunk, &gpus).await;
            let verdicts = self.judge(works, judged).await;
            judged.extend(verdicts.iter().cloned());
            let _ = self.ctx.updates.send(Update::Verdicts(verdicts)).await;
            let _ = self.ctx.updates.send(Update::OwnCost).await;
        }
    }

    /// Reports how the source did in this round.
    async fn finish(&mut self) {
        tracing::info!(
            scope = %self.ctx.scope,
            asked = self.asked,
            answered = self.answered,
            micro_usd = self.cost,
            "round of metrics"
        );
        let outcome = match self.error.take() {
            Some(error) => Outcome::Bad(Arc::new(error)),
            None if self.asked == 0 => Outcome::Good { coverage: 1.0 },
            None => Outcome::Good { coverage: self.answered as f32 / self.asked as f32 },
        };
        report(&self.ctx.updates, SourceId::CloudWatch, self.ctx.scope.clone(), outcome).await;
    }

    /// Runs the cascade for a chunk until nothing more could change a verdict.
    async fn fetch(&mut self, chunk: &[Arc<Instance>], gpus: &GpuMap) -> Vec<Work> {
        let cache = &self.ctx.shared.cache;
        let ids: Vec<Arc<str>> = chunk.iter().map(|i| i.id.clone()).collect();
        let mut stored = cache.load_series(ids.clone(), self.range).await;
        let fetched = cache.fetched(ids).await;
        let mut works: Vec<Work> = chunk
            .iter()
            .map(|instance| {
                let spec = self.ctx.types.get(&instance.instance_type).cloned();
                let series = stored.remove(&instance.id).unwrap_or_default();
                Work::new(instance.clone(), spec, &series, &fetched, self.range)
            })
            .collect();
        for _ in 0..MAX_STEPS {
            let needs = self.needs(&mut works, gpus);
            if needs.is_empty() {
                break;
            }
            self.step(&mut works, &needs).await;
            if self.is_hopeless() {
                break;
            }
        }
        works
    }

    /// True when asking on makes no sense: every further request would fail the same way.
    fn is_hopeless(&self) -> bool {
        self.error.as_ref().is_some_and(|e| !matches!(e.kind, ErrorKind::Malformed))
    }

    /// What the cascade wants next.
    fn needs(&self, works: &mut [Work], gpus: &GpuMap) -> Vec<Need> {
        let mut needs = Vec::new();
        for work in works {
            let wanted = next_signals(&work.subject(self.now), &self.policy);
            for signal in wanted {
                let priority = u8::from(!self.viewport.contains(&work.instance.id));
                work.want(signal, gpus, priority, &mut needs);
            }
        }
        needs
    }

    /// Fetches one step of the cascade, in batches at the limits of the API.
    async fn step(&mut self, works: &mut [Work], needs: &[Need]) {
        use futures_util::stream::{self, StreamExt as _};
        let index: HashMap<Arc<str>, usize> =
            works.iter().enumerate().map(|(i, w)| (w.instance.id.clone(), i)).collect();
        self.asked += needs.len() as u64;
        let ctx = self.ctx;
        let mut answers = stream::iter(planner::plan(needs))
            .map(|batch| async move { (charge_and_ask(ctx, &batch).await, batch) })
            .buffer_unordered(IN_FLIGHT);
        let mut touched = BTreeSet::new();
        while let Some((answer, batch)) = answers.next().await {
            match answer {
                Ok(results) => {
                    if self.ctx.shared.settings.billed {
                        self.cost += get_metric_data(batch.queries.len() as u64);
                    }
                    for result in results.into_iter().filter(|r| r.complete) {
                        let Some(query) = batch.queries.get(result.query) else { continue };
                        let Some(&i) = index.get(&query.instance) else { continue };
                        self.answered += 1;
                        works[i].take(query.signal, &result.points);
                        touched.insert((i, query.signal, batch.range.from, batch.range.to));
                    }
                }
                Err(error) => self.error = Some(error),
            }
        }
        drop(answers);
        let writes = touched
            .into_iter()
            .filter_map(|(i, signal, from, to)| works[i].write(signal, HourRange { from, to }))
            .collect();
        self.ctx.shared.cache.store_series(writes).await;
    }

    /// Judges a chunk on a worker thread. An instance whose evidence could not be read now keeps
    /// its last good verdict.
    async fn judge(
        &self,
        works: Vec<Work>,
        last_good: &HashMap<Arc<str>, Arc<Verdict>>,
    ) -> Vec<(Arc<str>, Arc<Verdict>)> {
        let keep: HashSet<Arc<str>> = works
            .iter()
            .filter(|w| w.has_unanswered() && last_good.contains_key(&w.instance.id))
            .map(|w| w.instance.id.clone())
            .collect();
        let (policy, now) = (self.policy.clone(), self.now);
        on_worker(move || {
            works
                .into_iter()
                .filter(|work| !keep.contains(&work.instance.id))
                .map(|work| {
                    let work = work.settle();
                    (work.instance.id.clone(), Arc::new(judge(&work.subject(now), &policy)))
                })
                .collect()
        })
        .await
        .unwrap_or_default()
    }
}

/// Runs heavy pure work off the async threads; `None` when it panicked.
async fn on_worker<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

/// Charges a batch to the ledger, then asks.
async fn charge_and_ask(
    ctx: &Context,
    batch: &planner::Batch,
) -> Result<Vec<crate::source::MetricResult>, SourceError> {
    if ctx.shared.settings.billed {
        let units = batch.queries.len() as u64;
        let charge = ctx.shared.ledger.charge(BilledApi::GetMetricData, units, ctx.shared.now());
        if let Err(refused) = charge.await {
            return Err(SourceError::new(
                ErrorKind::OwnCostCap,
                "cloudwatch:GetMetricData",
                &refused.to_string(),
                "raise own_cost.cap_usd_per_day in the configuration, or wait for the next UTC day",
            ));
        }
    }
    let call = ctx.provider.metric_data(&ctx.scope.region, &batch.queries, batch.range);
    guarded("cloudwatch:GetMetricData", call).await
}

/// Judges everything again from the cache whenever the policy changes, and once at the start
/// when the cached verdicts are another policy's.
pub(super) async fn rejudge_on_policy_change(
    shared: Arc<Shared>,
    selection: Vec<(String, Regions)>,
    updates: mpsc::Sender<Update>,
    at_once: bool,
    only_once: bool,
) {
    let mut policy = shared.policy.subscribe();
    if at_once {
        rejudge(&shared, &selection, &updates).await;
    }
    if only_once {
        return;
    }
    loop {
        tokio::select! {
            () = shared.stop.cancelled() => return,
            changed = policy.changed() => {
                if changed.is_err() {
                    return;
                }
                rejudge(&shared, &selection, &updates).await;
            }
        }
    }
}

async fn rejudge(shared: &Shared, selection: &[(String, Regions)], updates: &mpsc::Sender<Update>) {
    let cached = facts::load(shared, selection).await;
    let types: HashMap<Arc<str>, Arc<TypeSpec>> =
        cached.types.iter().map(|spec| (spec.name.clone(), spec.clone())).collect();
    let policy = shared.policy.borrow().clone();
    let mut missing = 0;
    for (scope, instances) in cached.instances {
        // The evidence ends where the last round ended: judging later hours would only count
        // them as missing.
        let reading = cached.readings.get(&(SourceId::CloudWatch, scope));
        let now = reading.and_then(|r| r.taken_at).unwrap_or_else(|| shared.now());
        let range = HourRange::last_closed(now, policy.window_hours());
        let running: Vec<_> = instances.into_iter().filter(|i| i.state.is_billed()).collect();
        for chunk in running.chunks(CHUNK) {
            let ids: Vec<Arc<str>> = chunk.iter().map(|i| i.id.clone()).collect();
            let stored = shared.cache.load_series(ids, range).await;
            let (chunk, types, policy) = (chunk.to_vec(), types.clone(), policy.clone());
            let judged = on_worker(move || {
                let mut wanted: Vec<Signal> = Vec::new();
                let verdicts: Vec<_> = chunk
                    .iter()
                    .map(|instance| {
                        let empty = crate::domain::SeriesSet::default();
                        let subject = Subject {
                            instance,
                            spec: super::types::known(&types, &instance.instance_type),
                            series: stored.get(&instance.id).unwrap_or(&empty),
                            now,
                        };
                        wanted.extend(next_signals(&subject, &policy));
                        (instance.id.clone(), Arc::new(judge(&subject, &policy)))
                    })
                    .collect();
                (verdicts, wanted.len() as u64)
            })
            .await;
            let Some((verdicts, wanted)) = judged else { continue };
            missing += wanted;
            let _ = updates.send(Update::Verdicts(verdicts)).await;
        }
    }
    let _ = updates.send(Update::Missing { metrics: missing }).await;
}
