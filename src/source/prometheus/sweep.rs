//! One look at all GPUs.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use jiff::{SignedDuration, Timestamp};

use super::api::Body;
use super::hour::count_slot;
use super::json::{Head, Label};
use super::plan::{ACTIVITY, Names, OTHER_ENGINES, Query};
use super::promql::Keep;
use super::{Prometheus, State};
use crate::domain::gpu::IDLE_BELOW;
use crate::domain::{
    GpuKey, GpuSample, GpuSignal, GpuSignals, HostTrouble, RecentWindow, SourceError, SourceId,
    Sweep, Throttle,
};
use crate::source::gpu::Ask;
use crate::source::vocabulary::{
    DEVICES_AT_MOST, Dropped, Family, Gather, KEPT_AT_MOST, Metric, Part,
};

/// Every fourth sweep asks the slow queries.
const SLOW_BEAT: u64 = 4;
/// Seconds of the window before the first sweep.
const RECENT_S: u32 = 600;
/// Steps in which the first sample of that window is looked for, seconds.
const FIRST_S: u32 = 30;
/// Scrape intervals are a minute at most, as a rule: what is older was not scraped any more, and
/// its age grows until the next look at it.
const STALE_S: f64 = 90.0;
/// A difference between the server's clock and ours that is taken for a wrong clock.
const SKEW_S: i64 = 60;

/// Values of the last slow queries, kept for the sweeps between.
#[derive(Debug, Default)]
pub(super) struct Carried {
    at: Option<Timestamp>,
    gpus: HashMap<GpuKey, Slow>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slow {
    signals: GpuSignals,
    throttle: Option<Throttle>,
    age_s: Option<f64>,
    /// What the sweep before said that is asked in each.
    fast: GpuSignals,
    /// When that was measured.
    taken_at: Timestamp,
}

/// Metric that carries another number through a [`Gather`], in the slot of `signal`.
pub(super) const fn carrier(signal: GpuSignal) -> Metric {
    Metric { part: Part::Signal(signal), scale: 1.0, family: Family::Own, rank: 0 }
}

/// Adds the series of an answer to `gather`; returns the answer's head, and the Unix time (s) of the first point. Err
/// for a malformed answer.
pub(super) fn gather_into(
    gather: &mut Gather,
    body: &Body,
    metric: Option<&Metric>,
) -> Result<(Head, Option<f64>), SourceError> {
    fn pairs<'a>(labels: &'a [Label<'_>]) -> impl Iterator<Item = (&'a str, &'a str)> + Clone {
        labels.iter().map(|(name, value)| (&**name, &**value))
    }
    let mut at = None;
    let head = body.read(&mut |labels, points| {
        let Some(&(time, value)) = points.last() else { return };
        at.get_or_insert(time);
        if let Some(metric) = metric {
            gather.take(metric, pairs(labels), value);
        } else if let Some((_, name)) = labels.iter().find(|(name, _)| name == "__name__") {
            gather.series(name, pairs(labels), value);
        }
    })?;
    Ok((head, at))
}

/// Key of a sample, the same in all sweeps of this source.
pub(super) fn key(sample: &GpuSample) -> GpuKey {
    sample.identity.own_key()
}

impl Prometheus {
    /// Sweep over all GPUs. Err when a vital query fails.
    pub(super) async fn read_all(&self, ask: &Ask) -> Result<Sweep, SourceError> {
        let mut state = self.state.lock().await;
        let state = &mut *state;
        // What a sweep that was given up left behind.
        state.gather.discard();
        let names = self.names(state, ask.now).await?;
        let slow = state.sweeps % SLOW_BEAT == 0 || !ask.focus.is_empty();
        let matchers = &self.settings.matchers;
        let queries: Vec<Query> =
            names.queries(matchers, state.wide).into_iter().filter(|q| slow || !q.slow).collect();
        let mut troubles = Vec::new();
        let (mut answered, mut partial, mut server) = (0, false, None);
        let (mut left_out, mut blind) = (0, false);
        let asked = queries.len() as u32;
        let mut answers = stream::iter(queries)
            .map(|query| async move {
                let body = self.api.query(&query.text, None).await;
                (query, body)
            })
            .buffered(2);
        while let Some((query, body)) = answers.next().await {
            let read =
                body.and_then(|body| gather_into(&mut state.gather, &body, query.metric.as_ref()));
            match read {
                Ok((head, at)) => {
                    answered += 1;
                    server = server.or(at);
                    left_out += head.left_out;
                    if let Some(error) = self.warned(&head) {
                        partial = true;
                        troubles.push(trouble(query.about, error));
                    }
                }
                Err(error) if query.vital => return Err(error),
                Err(error) => {
                    blind |= WITNESSES.contains(&query.about);
                    troubles.push(trouble(query.about, error));
                }
            }
        }
        drop(answers);
        let base = moment(server, ask.now);
        let gathered = state.gather.finish(base);
        let mut samples = gathered.samples;
        if blind {
            samples.iter_mut().for_each(without_rest);
        }
        if let Some(error) = self.too_many(left_out, gathered.dropped) {
            partial = true;
            troubles.push(trouble("limit", error));
        }
        if samples.is_empty() {
            // Perhaps the names changed.
            state.names = None;
        }
        if slow {
            let ages = match names.age(matchers, state.wide) {
                Some(text) => self.ages(&text).await.unwrap_or_else(|error| {
                    troubles.push(trouble("age", error));
                    HashMap::new()
                }),
                None => HashMap::new(),
            };
            state.wide = widened(&names, &samples, state.wide);
            state.carried = carry(&samples, &ages, base, state.wide, &names);
        }
        self.complete(state, &mut samples, base, slow);
        if ask.with_recent {
            match self.recent(&names, state.wide).await {
                Ok(recent) => {
                    for sample in &mut samples {
                        sample.recent = recent.get(&key(sample)).copied();
                    }
                }
                Err(error) => troubles.push(trouble("the last 10 minutes", error)),
            }
        }
        state.sweeps += 1;
        Ok(Sweep {
            source: SourceId::Prometheus,
            origin: Arc::clone(&self.settings.name),
            taken_at: base,
            samples,
            asked,
            answered,
            troubles,
            partial,
        })
    }

    /// Adds what only the slow queries say, and the age of the values. What was carried over is no
    /// witness: neither activity nor the driver's idle bit; and a sample that says to the last
    /// digit what the one before said is that one, until the next look at the ages.
    fn complete(&self, state: &mut State, samples: &mut [GpuSample], base: Timestamp, fresh: bool) {
        let Some(at) = state.carried.at else { return };
        let since = base.as_second() - at.as_second();
        // Two beats that failed: what was said before them holds no longer.
        let longest = 2 * SLOW_BEAT * u64::from(self.settings.every_s.max(1));
        if since < 0 || since.unsigned_abs() > longest.max(60) {
            return;
        }
        for sample in samples {
            let Some(slow) = state.carried.gpus.get_mut(&key(sample)) else { continue };
            let told = sample.signals;
            if !fresh {
                sample.signals.fill_from(&slow.signals);
                if ACTIVITY.into_iter().all(|s| told.get(s).is_none()) {
                    for signal in ACTIVITY {
                        sample.signals.unset(signal);
                    }
                }
                let reasons = slow.throttle.map_or(0, |t| t.0 & !Throttle::GPU_IDLE);
                sample.throttle = sample.throttle.map(|t| Throttle(t.0 | reasons));
            }
            if let Some(age) = slow.age_s {
                let grown = if age > STALE_S { age + since as f64 } else { age };
                let age = SignedDuration::from_millis((grown * 1000.0) as i64);
                sample.taken_at = base.checked_sub(age).unwrap_or(base);
            }
            if fresh {
                slow.taken_at = sample.taken_at;
            } else if told == slow.fast {
                sample.taken_at = slow.taken_at.min(sample.taken_at);
            } else {
                (slow.fast, slow.taken_at) = (told, sample.taken_at);
            }
        }
    }

    async fn ages(&self, text: &str) -> Result<HashMap<GpuKey, f64>, SourceError> {
        // Seconds in the slot of a counter: it takes any size.
        let slot = GpuSignal::Energy;
        let by_key = self.numbers(&[(text.to_owned(), carrier(slot))], None).await?;
        let age = |s: GpuSignals| s.get(slot).map(f64::from);
        Ok(by_key.into_iter().filter_map(|(k, s)| Some((k, age(s)?))).collect())
    }

    /// Runs queries; the values per GPU. Err when one fails.
    pub(super) async fn numbers(
        &self,
        queries: &[(String, Metric)],
        at: Option<i64>,
    ) -> Result<HashMap<GpuKey, GpuSignals>, SourceError> {
        let gathered = self.samples(queries, at).await?;
        Ok(gathered.iter().map(|s| (key(s), s.signals)).collect())
    }

    /// Runs queries; one sample per GPU. Err when one fails.
    pub(super) async fn samples(
        &self,
        queries: &[(String, Metric)],
        at: Option<i64>,
    ) -> Result<Vec<GpuSample>, SourceError> {
        let mut gather = Gather::new(Arc::clone(&self.settings.vocabulary));
        for (text, metric) in queries {
            let body = self.api.query(text, at).await?;
            gather_into(&mut gather, &body, Some(metric))?;
        }
        Ok(gather.finish(Timestamp::UNIX_EPOCH).samples)
    }

    /// The ten minutes before now.
    async fn recent(
        &self,
        names: &Names,
        wide: usize,
    ) -> Result<HashMap<GpuKey, RecentWindow>, SourceError> {
        let by = Keep::Apart.list();
        let over = |function: &str, name: &str| {
            let select = self.settings.matchers.select(&[name], &[]);
            format!("max by ({by}) ({function}({select}[{RECENT_S}s]))")
        };
        let mut highest = Vec::new();
        let mut counts = Vec::new();
        let mut spans = Vec::new();
        for signal in names.activity().take(wide.max(1)) {
            let Some(slot) = count_slot(signal) else { continue };
            for (name, metric) in names.of(signal) {
                highest.push((over("max_over_time", name), metric));
                counts.push((over("count_over_time", name), carrier(slot)));
                // A series that is younger than the window says nothing of the rest of it.
                let select = self.settings.matchers.select(&[name], &[]);
                let first = format!("min_over_time(timestamp({select})[{RECENT_S}s:{FIRST_S}s])");
                let span = format!("max by ({by}) (time() - {first})");
                spans.push((span, carrier(slot)));
            }
        }
        for signal in OTHER_ENGINES.into_iter().chain([GpuSignal::Power]) {
            for (name, metric) in names.of(signal) {
                highest.push((over("max_over_time", name), metric));
            }
        }
        let highest = self.numbers(&highest, None).await?;
        let counts = self.numbers(&counts, None).await?;
        let spans = self.numbers(&spans, None).await?;
        Ok(highest
            .into_iter()
            .filter_map(|(key, high)| {
                let best = ACTIVITY.into_iter().find(|s| high.get(*s).is_some())?;
                let samples = counts.get(&key)?.get(count_slot(best)?)? as u32;
                let engines = OTHER_ENGINES.into_iter().chain([best]);
                let max_activity = engines.filter_map(|s| high.get(s)).reduce(f32::max)?;
                let max_power_w = high.get(GpuSignal::Power);
                let seconds = spans.get(&key)?.get(count_slot(best)?)? as u32;
                let seconds = seconds.min(RECENT_S);
                let window = RecentWindow { seconds, samples, max_activity, max_power_w };
                Some((key, window))
            })
            .collect())
    }

    /// Trouble about series that were left out, with advice; `None` when none was. GPUs left out are unknown.
    fn too_many(&self, series: usize, dropped: Dropped) -> Option<SourceError> {
        let series = series + dropped.excess as usize;
        (series > 0).then(|| {
            SourceError::new(
                crate::domain::ErrorKind::Other,
                "prometheus:query",
                &format!(
                    "{}: {series} series left out: at most {DEVICES_AT_MOST} GPUs and {} MiB of their \
                     labels are kept",
                    self.settings.name,
                    KEPT_AT_MOST >> 20
                ),
                "name a part of the fleet with `matchers`, in several sources if need be; GPUs \
                 that are left out are unknown",
            )
        })
    }

    /// Trouble from a warning of the server; `None` without one. Remarks about the query itself (`PromQL …`) are not
    /// about data.
    fn warned(&self, head: &Head) -> Option<SourceError> {
        let words = head.warnings.iter().find(|w| !w.starts_with("PromQL"))?;
        let words: String = words.chars().take(300).collect();
        Some(SourceError::new(
            crate::domain::ErrorKind::Other,
            "prometheus:query",
            &format!("{}: the answer is partial: {words}", self.settings.name),
            "check the stores behind this server; GPUs that are missing may only be hidden",
        ))
    }
}

/// Queries whose answer can be the only word of use: without it nothing rests.
const WITNESSES: [&str; 3] = ["tensor", "dram", "enc and dec"];

/// Takes away what says that a GPU rests, where another engine was asked about and nobody answered.
fn without_rest(sample: &mut GpuSample) {
    for signal in ACTIVITY {
        if sample.signals.get(signal).is_some_and(|busy| busy < IDLE_BELOW) {
            sample.signals.unset(signal);
        }
    }
}

fn trouble(about: &str, error: SourceError) -> HostTrouble {
    HostTrouble { host: about.into(), error: Arc::new(error) }
}

/// The moment of the values: the server's time, or ours where its clock is off.
fn moment(server: Option<f64>, now: Timestamp) -> Timestamp {
    server
        .and_then(|s| Timestamp::from_millisecond((s * 1000.0) as i64).ok())
        .filter(|t| (t.as_second() - now.as_second()).abs() <= SKEW_S)
        .unwrap_or(now)
}

/// How many activity signals each sweep has to read: one more when some GPU is known only by the
/// next.
fn widened(names: &Names, samples: &[GpuSample], wide: usize) -> usize {
    let signals: Vec<_> = names.activity().collect();
    let (first, rest) = signals.split_at(wide.min(signals.len()));
    let has = |s: &GpuSample, of: &[GpuSignal]| of.iter().any(|a| s.signals.get(*a).is_some());
    if samples.iter().any(|s| !has(s, first) && has(s, rest)) { wide + 1 } else { wide }
}

/// What is kept of a slow sweep: what fast ones do not ask for.
fn carry(
    samples: &[GpuSample],
    ages: &HashMap<GpuKey, f64>,
    at: Timestamp,
    wide: usize,
    names: &Names,
) -> Carried {
    let mut fast: Vec<GpuSignal> = names.activity().take(wide.max(1)).collect();
    fast.extend([
        GpuSignal::Tensor,
        GpuSignal::Dram,
        GpuSignal::Power,
        GpuSignal::MemUsed,
        GpuSignal::Enc,
        GpuSignal::Dec,
        GpuSignal::NeuronCore,
    ]);
    let gpus = samples
        .iter()
        .map(|sample| {
            let key = key(sample);
            let mut signals = sample.signals;
            for signal in &fast {
                signals.unset(*signal);
            }
            let known = ages.get(&key).copied();
            let mut fast = sample.signals;
            signals.iter().for_each(|(signal, _)| fast.unset(signal));
            let throttle = sample.throttle;
            (key, Slow { signals, throttle, age_s: known, fast, taken_at: at })
        })
        .collect();
    Carried { at: Some(at), gpus }
}
