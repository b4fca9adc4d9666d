//! GPUs as CloudWatch knows them: what its agent publishes, and Container Insights. Each read is
//! billed, so it is charged to the ledger first, comes no more often than each five minutes, and
//! asks for utilisation alone; power, memory and heat are read of the hosts in focus.

mod accounts;
mod budget;
mod fields;
mod readings;
mod series;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

pub use self::accounts::CloudWatchGpus;
pub use self::budget::{Budget, SHORTEST_S};
use self::fields::{FIELDS, Field};
use self::readings::Answer;
use self::series::Found;
use super::gpu::{Ask, GpuHost, GpuSource};
use super::ledger::BilledApi;
use super::pages::Pages;
use super::planner::{MAX_POINTS, MAX_QUERIES};
use super::provider::{GpuDimensions, MetricResult, Minutes, Provider, SeriesQuery, Statistic};
use crate::domain::{AcceleratorKind, HostTrouble, Scope, SourceError, SourceId, Sweep};

/// Seconds per datapoint: the agent's interval as it comes.
const PERIOD_S: u32 = 60;
/// How far back a sweep looks. It costs the same as one datapoint, and is the evidence of the
/// minutes before.
const WINDOW_S: i64 = 900;
/// Series are listed anew after this time.
const LISTED_FOR: SignedDuration = SignedDuration::from_mins(15);
/// CloudWatch as a source for the GPUs of one account and region.
pub struct CloudWatchGpu {
    provider: Arc<dyn Provider>,
    scope: Scope,
    origin: Arc<str>,
    budget: Arc<Budget>,
    kept: std::sync::Mutex<Kept>,
}

/// State kept from one sweep to the next.
#[derive(Default)]
struct Kept {
    /// The series, and when they were listed.
    series: HashMap<&'static str, (Timestamp, Arc<[GpuDimensions]>)>,
    /// The last answers, by what was in focus.
    sweeps: HashMap<Arc<[Arc<str>]>, Sweep>,
}

impl CloudWatchGpu {
    /// GPUs of `scope` read through `provider` and charged to `budget`.
    pub fn new(provider: Arc<dyn Provider>, scope: Scope, budget: Arc<Budget>) -> Self {
        let origin = scope.to_string().into();
        Self { provider, scope, origin, budget, kept: std::sync::Mutex::default() }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer of a moment ago, where a new one would come too soon.
    fn fresh(&self, ask: &Ask) -> Option<Sweep> {
        let kept = self.kept();
        let last = kept.sweeps.get(&ask.focus)?;
        let age = ask.now.duration_since(last.taken_at);
        (SignedDuration::ZERO..SignedDuration::from_secs(SHORTEST_S as i64))
            .contains(&age)
            .then(|| last.clone())
    }

    /// The series of a metric, listed anew each quarter of an hour. A list that cannot be read to its end is an
    /// error: what is missing in it would look like no telemetry.
    async fn listed(
        &self,
        field: &Field,
        now: Timestamp,
    ) -> Result<Arc<[GpuDimensions]>, SourceError> {
        if let Some((at, series)) = self.kept().series.get(field.name.metric)
            && now.duration_since(*at) < LISTED_FOR
        {
            return Ok(series.clone());
        }
        let region = &self.scope.region;
        let pages = Pages::of("cloudwatch:ListMetrics", region).all(|token| async move {
            self.budget.charge(BilledApi::ListMetrics, 1, now).await?;
            self.provider.recent_series(region, field.name, token).await
        });
        let all: Arc<[GpuDimensions]> = pages.await?.into();
        self.kept().series.insert(field.name.metric, (now, all.clone()));
        Ok(all)
    }

    /// The series of `hosts`, those of all GPUs before those of the hosts in focus.
    async fn series(&self, ask: &Ask, hosts: &[GpuHost]) -> Result<Vec<Found>, SourceError> {
        let is_kind = |kind| hosts.iter().any(|h| kind_of(h) == Some(kind));
        let (nvidia, neuron) =
            (is_kind(AcceleratorKind::NvidiaGpu), is_kind(AcceleratorKind::Neuron));
        let mut out = Vec::new();
        for field in &FIELDS {
            let wanted = match field.publisher {
                fields::Publisher::Neuron => neuron,
                _ => nvidia,
            };
            if !wanted || (!field.of_all && ask.focus.is_empty()) {
                continue;
            }
            let listed = self.listed(field, ask.now).await?.to_vec();
            // A host name is looked up among all hosts: it may be that of another one as well.
            let found = series::found(field, listed, hosts);
            out.extend(found.into_iter().filter(|f| in_focus(hosts, &f.device.0, &ask.focus)));
        }
        Ok(once(out))
    }

    /// One batch, charged before it is asked.
    async fn batch(
        &self,
        batch: &[Found],
        minutes: Minutes,
        now: Timestamp,
    ) -> Result<Vec<MetricResult>, SourceError> {
        self.budget.charge(BilledApi::GetMetricData, batch.len() as u64, now).await?;
        let query = |f: &Found| SeriesQuery {
            name: f.field.name,
            dimensions: f.dimensions.clone(),
            statistic: Statistic::Average,
        };
        let queries: Vec<SeriesQuery> = batch.iter().map(query).collect();
        self.provider.recent_data(&self.scope.region, &queries, minutes).await
    }
}

/// Where the agent and Container Insights both publish a signal of a GPU, the agent's is read: a
/// second series would be paid for twice.
fn once(found: Vec<Found>) -> Vec<Found> {
    let mut by: HashMap<(series::Device, crate::domain::GpuSignal), fields::Publisher> =
        HashMap::new();
    for f in &found {
        let first = by.entry((f.device.clone(), f.field.signal)).or_insert(f.field.publisher);
        *first = (*first).min(f.field.publisher);
    }
    let keep = |f: &Found| by.get(&(f.device.clone(), f.field.signal)) == Some(&f.field.publisher);
    found.into_iter().filter(keep).collect()
}

fn kind_of(host: &GpuHost) -> Option<AcceleratorKind> {
    Some(host.spec.as_ref()?.accelerator.as_ref()?.kind)
}

/// True for an instance that is looked at closely; all are when none is named.
fn in_focus(hosts: &[GpuHost], id: &Arc<str>, focus: &[Arc<str>]) -> bool {
    let named = |f: &Arc<str>| {
        f == id
            || hosts.iter().any(|h| {
                h.instance.id == *id && (h.instance.name == *f || h.instance.private_dns == *f)
            })
    };
    focus.is_empty() || focus.iter().any(named)
}

/// The last whole minutes before `now`.
fn minutes(now: Timestamp) -> Option<Minutes> {
    let end = now.as_second() - now.as_second().rem_euclid(i64::from(PERIOD_S));
    let from = Timestamp::from_second(end - WINDOW_S).ok()?;
    Some(Minutes { from, to: Timestamp::from_second(end).ok()?, period_s: PERIOD_S })
}

#[async_trait::async_trait]
impl GpuSource for CloudWatchGpu {
    fn source(&self) -> SourceId {
        SourceId::CloudWatchGpu
    }

    fn origin(&self) -> &Arc<str> {
        &self.origin
    }

    fn every(&self) -> Duration {
        self.budget.every()
    }

    fn focus_every(&self) -> Option<Duration> {
        Some(Duration::from_secs(SHORTEST_S))
    }

    async fn sweep(&self, ask: &Ask) -> Result<Sweep, SourceError> {
        if let Some(last) = self.fresh(ask) {
            return Ok(last);
        }
        let here = ask.hosts.iter().filter(|h| h.instance.scope == self.scope);
        let hosts: Vec<GpuHost> = here.cloned().collect();
        let mut sweep = ask.answer(self);
        let Some(minutes) = minutes(ask.now) else { return Ok(sweep) };
        let series = self.series(ask, &hosts).await?;
        if ask.focus.is_empty() {
            self.budget.note(&self.scope, series.len() as u64);
        }
        let at_once = MAX_QUERIES.min(MAX_POINTS / minutes.points().max(1)).max(1);
        let mut answers: Vec<Answer<'_>> = Vec::with_capacity(series.len());
        for batch in series.chunks(at_once) {
            sweep.asked += 1;
            match self.batch(batch, minutes, ask.now).await {
                Ok(results) => {
                    sweep.answered += 1;
                    answers.extend(readings::pair(batch, results));
                }
                Err(error) if sweep.answered == 0 => return Err(error),
                Err(error) => {
                    // What was read counts; whatever refused this call refuses the next one.
                    let host = self.origin.clone();
                    sweep.troubles.push(HostTrouble { host, error: Arc::new(error) });
                    sweep.partial = true;
                    break;
                }
            }
        }
        sweep.samples = readings::samples(&answers, minutes, ask.now);
        let mut kept = self.kept();
        // Whoever moves through a large fleet leaves a trail of places once looked at.
        kept.sweeps
            .retain(|_, old| ask.now.duration_since(old.taken_at).as_secs() < SHORTEST_S as i64);
        kept.sweeps.insert(ask.focus.clone(), sweep.clone());
        Ok(sweep)
    }
}
