//! Metrics and verdicts of a scope: the cascade, within the own-cost cap.
//!
//! A round asks for CPU first and for the rest only where it can change the verdict
//! ([`next_signals`]), each metric with all of its statistics that the policy may want, which are billed
//! as one; closed hours that the cache holds are not asked for again. A round that
//! fails leaves the last good verdicts standing, with their age, and is tried again by itself.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use super::account::report;
use super::facts::{self, Judged, kind};
use super::gpus::{self, GpuMap};
use super::live::Evidence;
use super::readings::Outcome;
use super::scope::Context;
use super::starts::{Seen, Starts};
use super::work::Work;
use super::world::Update;
use super::{guarded, rejudge};
use crate::analyze::idle::{Policy, Subject, judge, next_signals, signals_for};
use crate::analyze::likely::likely_reason;
use crate::domain::{
    Backoff, ErrorKind, Hour, HourRange, Instance, Signal, SourceError, SourceId, TypeSpec,
    Verdict, VerdictKind,
};
use crate::source::ledger::BilledApi;
use crate::source::planner::{self, Need};

/// Instances judged together: bounds the series held in memory at once, in each scope. Two statistics of each
/// are the 500 queries that one request takes. Later steps, which few instances need, are requests that are not
/// full; AWS bills metrics, not requests.
pub(super) const CHUNK: usize = 250;
/// The cascade has four steps; the rest guards against one that never ends.
const MAX_STEPS: usize = 8;
/// Requests in flight per scope.
const IN_FLIGHT: usize = 4;

/// A report waits this long for the telemetry of GPUs before it asks CloudWatch for them.
const READY_WITHIN: Duration = Duration::from_secs(30);
/// The cockpit waits for what the cache remembers of it.
const READY_SOON: Duration = Duration::from_secs(3);

/// A failed round is tried again after this long, doubled with each failure in a row.
const RETRY_AFTER: Duration = Duration::from_mins(5);
/// The longest wait for that: what was refused for want of a permission costs little this way.
const RETRY_AT_MOST: Duration = Duration::from_hours(1);

/// The rounds of one scope: when the last was, what it cost.
pub(super) struct Rounds {
    policy: Arc<Policy>,
    /// When the last full round was answered.
    last: Option<Timestamp>,
    backoff: Backoff,
    /// When a failed round is tried again: it is no wait of the task, which goes on meanwhile.
    retry_at: Option<Timestamp>,
    /// How often the hours of a source of GPUs had been completed when verdicts were last made.
    filled: u64,
    judged: HashMap<Arc<str>, Arc<Verdict>>,
    /// Starts of idle stretches, beyond the window of the verdicts.
    starts: Starts,
}

impl Rounds {
    /// What the last run left.
    pub async fn from_cache(ctx: &Context, remembered: Option<facts::Verdicts>) -> Self {
        let policy = ctx.shared.policy.borrow().clone();
        let stored = match remembered {
            Some(verdicts) => Some(verdicts),
            None => Self::stored(ctx, policy.clone()).await,
        };
        let filled = ctx.shared.live.filled();
        let starts = Starts::from_cache(&ctx.shared, kind::STARTS, &ctx.scope).await;
        let none = Self {
            policy,
            last: None,
            backoff: Backoff::default(),
            retry_at: None,
            filled,
            judged: HashMap::new(),
            starts,
        };
        let Some(stored) = stored else { return none };
        // Until a round has shown what it costs: four metrics an instance.
        note_cost(ctx, get_metric_data(stored.verdicts.len() as u64 * 4));
        // Who chose another policy since finds that these are not by it.
        Self {
            policy: stored.policy,
            last: stored.taken_at,
            judged: stored.verdicts.into_iter().collect(),
            ..none
        }
    }

    /// Verdicts of the cache for a scope that was not known at the start.
    async fn stored(ctx: &Context, policy: Arc<Policy>) -> Option<facts::Verdicts> {
        let now = ctx.shared.now();
        let stored = ctx.shared.cache.get::<Judged>(kind::VERDICTS, &ctx.scope, now).await?;
        if !stored.value.is_by(&policy) {
            return None;
        }
        let (verdicts, taken_at) = (stored.value.verdicts, stored.taken_at);
        Some(facts::Verdicts { policy, verdicts, taken_at })
    }

    /// Judges what is due: everything when an hour (or more, see [`cadence_hours`]) has closed
    /// since the last round, when a failed one is due again or the user asks; otherwise only
    /// instances that are new or were started anew.
    pub async fn run(&mut self, ctx: &Context, instances: &[Arc<Instance>], forced: bool) {
        let now = ctx.shared.now();
        self.follow_policy(ctx, instances).await;
        let full = forced || self.is_due(ctx, now);
        if !full {
            self.follow_telemetry(ctx, instances).await;
        }
        let is_judged = |i: &Instance| self.judged.get(&i.id).is_some_and(|v| v.is_of_life(i));
        let subset: Vec<Arc<Instance>> = instances
            .iter()
            .filter(|i| i.state.is_billed() && (full || !is_judged(i)))
            .cloned()
            .collect();
        if subset.is_empty() {
            if full {
                self.answered(now);
            }
            return;
        }
        ctx.shared.live.ready(if ctx.only_once { READY_WITHIN } else { READY_SOON }).await;
        self.filled = ctx.shared.live.filled();
        let mut round = Round::new(ctx, self.policy.clone(), instances, now, full).await;
        round.run(subset, instances, &mut self.judged, &mut self.starts).await;
        let answered = round.finish().await;
        if !answered {
            let wait = self.backoff.pause(RETRY_AFTER, RETRY_AT_MOST);
            self.retry_at = Some(now.saturating_add(wait).unwrap_or(now));
        } else if full {
            self.answered(now);
            note_cost(ctx, round.cost);
        }
        // A stopped instance is judged anew when it runs again.
        let running: HashSet<&Arc<str>> =
            instances.iter().filter(|i| i.state.is_billed()).map(|i| &i.id).collect();
        self.judged.retain(|id, _| running.contains(id));
        self.starts.retain(|id, _| running.contains(id));
        self.keep(ctx).await;
    }

    /// A full round was answered.
    fn answered(&mut self, now: Timestamp) {
        (self.last, self.retry_at) = (Some(now), None);
        self.backoff.reset();
    }

    /// After a change of policy, the verdicts that the cached evidence gives under the new one.
    async fn follow_policy(&mut self, ctx: &Context, instances: &[Arc<Instance>]) {
        let policy = ctx.shared.policy.borrow().clone();
        if policy == self.policy {
            return;
        }
        let now = self.last.unwrap_or_else(|| ctx.shared.now());
        let starts = &self.starts;
        let again =
            rejudge::from_cache(&ctx.shared, &policy, instances, &ctx.types, now, starts).await;
        self.note(&policy, &again.verdicts, now);
        self.judged = again.verdicts.iter().cloned().collect();
        self.policy = policy.clone();
        // A round under the old policy may have read more since the world was told.
        let update = Update::Verdicts { policy, verdicts: again.verdicts };
        let _ = ctx.updates.send(update).await;
    }

    /// After more hours of GPUs have become known, the verdicts that follow from them: at once, and
    /// from what is there, so that it costs nothing.
    async fn follow_telemetry(&mut self, ctx: &Context, instances: &[Arc<Instance>]) {
        let filled = ctx.shared.live.filled();
        let (true, Some(last)) = (filled != self.filled, self.last) else { return };
        self.filled = filled;
        let evidence = Evidence::gather(&ctx.shared, instances, &ctx.types).await;
        let seen: Vec<_> = instances.iter().filter(|i| evidence.knows(&i.id)).cloned().collect();
        if seen.is_empty() {
            return;
        }
        let policy = self.policy.clone();
        let starts = &self.starts;
        let again =
            rejudge::from_cache(&ctx.shared, &policy, &seen, &ctx.types, last, starts).await;
        self.note(&policy, &again.verdicts, last);
        self.judged.extend(again.verdicts.iter().cloned());
        let update = Update::Verdicts { policy, verdicts: again.verdicts };
        let _ = ctx.updates.send(update).await;
        self.keep(ctx).await;
    }

    /// Remembers since when what was judged as of `now` idles.
    fn note(&mut self, policy: &Policy, verdicts: &[(Arc<str>, Arc<Verdict>)], now: Timestamp) {
        let until = HourRange::last_closed(now, 0).to;
        let seen = verdicts.iter().map(|(id, v)| (id, Seen::of_instance(v, until)));
        self.starts.note(&facts::policy_key(policy), seen);
    }

    /// Keeps the verdicts for the next start, dated by the last round that was answered: without
    /// one there is nothing to date them by.
    async fn keep(&self, ctx: &Context) {
        let Some(at) = self.last else { return };
        let verdicts = self.judged.iter().map(|(id, v)| (id.clone(), v.clone())).collect();
        let judged = Judged { policy: facts::policy_key(&self.policy), verdicts };
        ctx.shared.cache.put(kind::VERDICTS, &ctx.scope, at, &judged).await;
        ctx.shared.cache.put(kind::STARTS, &ctx.scope, at, &self.starts).await;
    }

    fn is_due(&self, ctx: &Context, now: Timestamp) -> bool {
        // What is asked for beside the verdicts is asked for now, however new they are.
        if ctx.shared.history.get().is_some() {
            return true;
        }
        if let Some(at) = self.retry_at {
            return now >= at;
        }
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
pub(super) fn cadence_hours(round_micro_usd: u64, cap_micro_usd: u64) -> i32 {
    let budget = (cap_micro_usd / 2).max(1);
    i32::try_from((24 * round_micro_usd).div_ceil(budget)).unwrap_or(24).clamp(1, 24)
}

/// One pass over a set of instances.
struct Round<'a> {
    ctx: &'a Context,
    policy: Arc<Policy>,
    now: Timestamp,
    range: HourRange,
    /// True when every running instance of the scope is in it.
    full: bool,
    viewport: HashSet<Arc<str>>,
    /// Telemetry of the GPUs.
    evidence: Arc<Evidence>,
    asked: u64,
    answered: u64,
    cost: u64,
    error: Option<SourceError>,
    /// Every further request would be refused the same way.
    refused: bool,
}

impl<'a> Round<'a> {
    async fn new(
        ctx: &'a Context,
        policy: Arc<Policy>,
        instances: &[Arc<Instance>],
        now: Timestamp,
        full: bool,
    ) -> Self {
        let history = ctx.shared.history.get().map_or(0, |history| history.hours);
        let range = HourRange::last_closed(now, policy.window_hours().max(history));
        let viewport = ctx.shared.viewport();
        Self {
            ctx,
            policy,
            now,
            range,
            full,
            viewport,
            evidence: Evidence::gather(&ctx.shared, instances, &ctx.types).await,
            asked: 0,
            answered: 0,
            cost: 0,
            error: None,
            refused: false,
        }
    }

    async fn run(
        &mut self,
        mut subset: Vec<Arc<Instance>>,
        all: &[Arc<Instance>],
        judged: &mut HashMap<Arc<str>, Arc<Verdict>>,
        starts: &mut Starts,
    ) {
        if self.full {
            self.report(Outcome::Loading).await;
        }
        subset.sort_by_key(|i| !self.viewport.contains(&i.id));
        let gpus = match gpus::discover(self.ctx, &self.uncovered(&subset), all).await {
            Ok(gpus) => Some(gpus),
            // The host's metrics are another permission and another limit.
            Err(error) => {
                self.error = Some(error);
                None
            }
        };
        let policy = facts::policy_key(&self.policy);
        for chunk in subset.chunks(CHUNK) {
            let mut works = self.fetch(chunk, gpus.as_ref()).await;
            let known = starts.of(&policy);
            for work in &mut works {
                work.before = known.and_then(|of| of.get(&work.instance.id)).cloned();
            }
            let verdicts = self.judge(works, judged).await;
            let until = self.range.to;
            let seen = verdicts.iter().map(|(id, v)| (id, Seen::of_instance(v, until)));
            starts.note(&policy, seen);
            judged.extend(verdicts.iter().cloned());
            let update = Update::Verdicts { policy: self.policy.clone(), verdicts };
            let _ = self.ctx.updates.send(update).await;
            let _ = self.ctx.updates.send(Update::OwnCost).await;
        }
    }

    /// Instances whose GPUs telemetry does not cover in full.
    fn uncovered(&self, subset: &[Arc<Instance>]) -> Vec<Arc<Instance>> {
        let devices =
            |i: &Instance| self.ctx.types.get(&i.instance_type).map_or(0, |s| s.devices());
        let is_covered = |i: &Instance| self.evidence.covers(i, devices(i), self.range);
        subset.iter().filter(|i| !is_covered(i)).cloned().collect()
    }

    async fn report(&self, outcome: Outcome) {
        let scope = self.ctx.scope.clone();
        report(&self.ctx.updates, SourceId::CloudWatch, scope, outcome).await;
    }

    /// Reports how the source did in this round; true when it did not fail. A round over a few
    /// new instances says nothing about the age of the others' evidence.
    async fn finish(&mut self) -> bool {
        tracing::info!(
            scope = %self.ctx.scope,
            asked = self.asked,
            answered = self.answered,
            micro_usd = self.cost,
            "round of metrics"
        );
        match self.error.take() {
            Some(error) => {
                self.report(Outcome::Bad(Arc::new(error))).await;
                return false;
            }
            None if !self.full => {}
            None if self.asked == 0 => self.report(Outcome::Good { coverage: 1.0 }).await,
            None => {
                let coverage = self.answered as f32 / self.asked as f32;
                self.report(Outcome::Good { coverage }).await;
            }
        }
        true
    }

    /// Runs the cascade for a chunk until nothing more could change a verdict.
    async fn fetch(&mut self, chunk: &[Arc<Instance>], gpus: Option<&GpuMap>) -> Vec<Work> {
        let cache = &self.ctx.shared.cache;
        let ids: Vec<Arc<str>> = chunk.iter().map(|i| i.id.clone()).collect();
        let mut stored = cache.load_series(ids.clone(), self.range).await;
        let fetched = cache.fetched(ids).await;
        let mut works: Vec<Work> = chunk
            .iter()
            .map(|instance| {
                let spec = self.ctx.types.get(&instance.instance_type).cloned();
                let series = stored.remove(&instance.id).unwrap_or_default();
                let told = self.evidence.series(instance, self.range);
                Work::new(instance.clone(), spec, &series, &fetched, self.range, told)
            })
            .collect();
        for _ in 0..MAX_STEPS {
            if self.refused {
                break;
            }
            let needs = self.needs(&mut works, gpus);
            if needs.is_empty() || !self.step(&mut works, &needs).await {
                break;
            }
        }
        // Where the cascade ended early, what it would have wanted next was not answered.
        for work in &mut works {
            for signal in next_signals(&work.subject(self.now), &self.policy) {
                work.miss(signal);
            }
        }
        works
    }

    /// Queries that the cascade needs next.
    fn needs(&self, works: &mut [Work], gpus: Option<&GpuMap>) -> Vec<Need> {
        let mut needs = Vec::new();
        for work in works {
            let wanted = match self.ctx.shared.history.get() {
                Some(history) => history.unread(work, self.now),
                None => next_signals(&work.subject(self.now), &self.policy),
            };
            for signal in wanted {
                let priority = u8::from(!self.viewport.contains(&work.instance.id));
                work.want(signal, gpus, priority, &mut needs);
                // The same metric's other statistic costs nothing in the same request.
                let beside = planner::other_statistic(signal);
                let unknown = |s: &Signal| work.subject(self.now).series.get(*s).is_none();
                let known_where = signal.gpu().is_none() || gpus.is_some();
                let devices = work.spec.as_deref().map_or(0, TypeSpec::devices);
                if let Some(beside) = beside.filter(|s| known_where && unknown(s))
                    && signals_for(&self.policy, devices).contains(&beside)
                {
                    work.want(beside, gpus, priority, &mut needs);
                }
            }
        }
        needs
    }

    /// Fetches one step of the cascade, in batches at the limits of the API. False when a batch
    /// failed, so that asking on makes no sense for now.
    async fn step(&mut self, works: &mut [Work], needs: &[Need]) -> bool {
        use futures_util::stream::{self, StreamExt as _};
        let index: HashMap<Arc<str>, usize> =
            works.iter().enumerate().map(|(i, w)| (w.instance.id.clone(), i)).collect();
        let ctx = self.ctx;
        let mut answers = stream::iter(planner::plan(needs))
            .map(|batch| async move { (charge_and_ask(ctx, &batch).await, batch) })
            .buffer_unordered(IN_FLIGHT);
        let mut touched = BTreeSet::new();
        let mut go_on = true;
        while let Some((answer, batch)) = answers.next().await {
            self.asked += batch.queries.len() as u64;
            match answer {
                Ok(results) => {
                    if self.ctx.shared.settings.billed {
                        self.cost += get_metric_data(batch.billed());
                    }
                    for result in results.into_iter().filter(|r| r.complete) {
                        let Some(query) = batch.queries.get(result.query) else { continue };
                        let Some(&i) = index.get(&query.instance) else { continue };
                        self.answered += 1;
                        works[i].take(query, &result.points);
                        touched.insert((i, query.signal, batch.range.from, batch.range.to));
                    }
                }
                Err(error) => {
                    go_on &= error.kind == ErrorKind::Malformed;
                    self.refused |= !error.kind.is_transient();
                    self.error = Some(error);
                }
            }
        }
        drop(answers);
        let writes = touched
            .into_iter()
            .filter_map(|(i, signal, from, to)| works[i].write(signal, HourRange { from, to }))
            .collect();
        self.ctx.shared.cache.store_series(writes).await;
        go_on
    }

    /// Judges a chunk on a worker thread. An instance whose evidence could not be read in full
    /// keeps its last good verdict, unless what was read is a new witness of use.
    async fn judge(
        &mut self,
        works: Vec<Work>,
        last_good: &HashMap<Arc<str>, Arc<Verdict>>,
    ) -> Vec<(Arc<str>, Arc<Verdict>)> {
        let works: Vec<(Work, Option<Arc<Verdict>>)> = works
            .into_iter()
            .map(|work| {
                let old = last_good.get(&work.instance.id);
                let old = old.filter(|v| work.has_unanswered() && v.is_of_life(&work.instance));
                let old = old.cloned();
                (work, old)
            })
            .collect();
        let (policy, now) = (self.policy.clone(), self.now);
        let judged = on_worker(move || {
            works
                .into_iter()
                .filter_map(|(work, old)| {
                    let work = if work.has_unanswered() { work.accept_partial() } else { work };
                    let new = judged(&work.subject(now), &policy);
                    let keep = old.is_some_and(|old| !overrides(&new, &old));
                    (!keep).then(|| (work.instance.id.clone(), Arc::new(new)))
                })
                .collect()
        })
        .await;
        judged.unwrap_or_else(|| {
            self.error = Some(SourceError::new(
                ErrorKind::Other,
                "burntop:judge",
                "the verdicts of some instances could not be computed: a defect in burntop",
                "please report it with the crash file in the state directory",
            ));
            Vec::new()
        })
    }
}

/// The verdict on a subject, with the likely reason beside it.
pub(super) fn judged(subject: &Subject<'_>, policy: &Policy) -> Verdict {
    let verdict = judge(subject, policy);
    let likely = likely_reason(subject, policy, &verdict).map(Box::new);
    Verdict { likely, ..verdict }
}

/// True when a verdict on incomplete evidence counts for more than the last good one: use needs
/// one witness, and who is exempt or new is known without metrics.
fn overrides(new: &Verdict, old: &Verdict) -> bool {
    let seen = |label: &str| old.signals.iter().any(|s| s.busy && *s.label == *label);
    matches!(new.kind, VerdictKind::Exempt | VerdictKind::TooNew)
        || new.signals.iter().any(|s| s.busy && !seen(&s.label))
}

/// Runs heavy pure work off the async threads; `None` when it panicked.
pub(super) async fn on_worker<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

/// Charges a batch to the ledger, then asks.
async fn charge_and_ask(
    ctx: &Context,
    batch: &planner::Batch,
) -> Result<Vec<crate::source::MetricResult>, SourceError> {
    ctx.shared.charge(BilledApi::GetMetricData, batch.billed()).await?;
    let call = ctx.provider.metric_data(&ctx.scope.region, &batch.queries, batch.range);
    guarded("cloudwatch:GetMetricData", call).await
}
