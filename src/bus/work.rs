//! One instance on its way through the cascade: what is fresh, what is old, what was asked.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;

use super::gpus::GpuMap;
use super::live::{is_whole, needed};
use crate::analyze::idle::Subject;
use crate::cache::SeriesWrite;
use crate::domain::{
    Hour, HourRange, HourlySeries, IdleStart, Instance, SeriesSet, Signal, TypeSpec,
};
use crate::source::planner::{self, Need};
use crate::source::{MetricKey, MetricQuery};

/// The evidence of one instance during a round.
pub(super) struct Work {
    pub instance: Arc<Instance>,
    pub spec: Option<Arc<TypeSpec>>,
    /// Earliest start that was seen of its idle stretch; `None` without one.
    pub before: Option<IdleStart>,
    /// Series from telemetry of the GPUs.
    told: SeriesSet,
    /// Series that reach to the end of the window.
    fresh: SeriesSet,
    /// Series of CloudWatch alone, for signals that telemetry has as well: these are the ones that are stored.
    own: BTreeMap<Signal, HourlySeries>,
    /// Series from the cache whose last hours are missing.
    stale: BTreeMap<Signal, HourlySeries>,
    /// Hours that the cache holds of a stale series.
    held: BTreeMap<Signal, HourRange>,
    /// Asked in this round and not answered in full.
    open: BTreeMap<Signal, Open>,
    range: HourRange,
}

/// A signal that was asked for. Several series of one GPU, and the parts of a window that is
/// cached in its middle, are answers of their own; the signal is known when all have come.
struct Open {
    /// Answers still to come.
    left: usize,
    /// Series behind the signal.
    series: usize,
    /// Values that have arrived so far.
    arrived: HourlySeries,
}

impl Work {
    /// Splits what the cache holds into fresh and stale. `told` is what the telemetry of GPUs knows
    /// of the hours in `range`; where it knows all of them, nobody else has to be asked.
    pub fn new(
        instance: Arc<Instance>,
        spec: Option<Arc<TypeSpec>>,
        stored: &SeriesSet,
        fetched: &HashMap<(Arc<str>, Signal), HourRange>,
        range: HourRange,
        told: SeriesSet,
    ) -> Self {
        let mut work = Self {
            instance,
            spec,
            before: None,
            told,
            fresh: SeriesSet::default(),
            own: BTreeMap::new(),
            stale: BTreeMap::new(),
            held: BTreeMap::new(),
            open: BTreeMap::new(),
            range,
        };
        for (signal, series) in stored.iter() {
            let held = fetched.get(&(work.instance.id.clone(), signal)).copied();
            match held {
                Some(held) if held.to >= range.to && held.from <= range.from => {
                    work.know(signal, series.clone());
                }
                Some(held) => {
                    work.held.insert(signal, held);
                    work.stale.insert(signal, series.clone());
                }
                None => {}
            }
        }
        let needed = needed(&work.instance, range);
        let whole: Vec<Signal> = work
            .told
            .iter()
            .filter(|(_, s)| is_whole(s, needed))
            .map(|(signal, _)| signal)
            .collect();
        for signal in whole {
            if work.fresh.get(signal).is_none() {
                let old = work.stale.remove(&signal);
                work.know(signal, old.unwrap_or_else(|| HourlySeries::empty(range)));
            }
        }
        work
    }

    /// Takes a series of CloudWatch as known. Where telemetry knows the signal too, the busier value
    /// of each hour counts, and a malformed one over all.
    fn know(&mut self, signal: Signal, series: HourlySeries) {
        let Some(told) = self.told.get(signal) else {
            self.fresh.insert(signal, series);
            return;
        };
        let mut both = HourlySeries::empty(self.range);
        for (value, hour) in both.values.iter_mut().zip(self.range.from.0..) {
            // `max` ignores the NaN of an hour that one of them knows nothing of.
            *value = series.at(Hour(hour)).max(told.at(Hour(hour)));
        }
        self.fresh.insert(signal, both);
        self.own.insert(signal, series);
    }

    /// What the engine judges.
    pub fn subject(&self, now: Timestamp) -> Subject<'_> {
        Subject {
            instance: &self.instance,
            spec: self.spec.as_deref(),
            series: &self.fresh,
            now,
            before: self.before.as_ref(),
        }
    }

    /// Adds what has to be asked for `signal` to `needs`. A GPU that no agent reports is looked
    /// at and found without data, which is evidence of nothing; where the list of GPU series
    /// itself could not be read (`gpus` is `None`), nobody knows, and the signal stays open.
    pub fn want(
        &mut self,
        signal: Signal,
        gpus: Option<&GpuMap>,
        priority: u8,
        needs: &mut Vec<Need>,
    ) {
        if self.open.contains_key(&signal) {
            return;
        }
        let id = &self.instance.id;
        let queries: Vec<MetricQuery> = match (signal.gpu(), gpus) {
            _ if self.is_of_volumes(signal) => planner::volume_queries(&self.instance, signal),
            (None, _) => planner::signal_query(id, signal, None).into_iter().collect(),
            (Some(_), None) => return self.miss(signal),
            (Some(gpu), Some(gpus)) => gpus
                .of(id, gpu)
                .iter()
                .filter_map(|dimensions| planner::signal_query(id, signal, Some(dimensions)))
                .collect(),
        };
        let fetched = self.held.get(&signal).copied();
        let parts = planner::missing(self.range, fetched).len();
        if queries.is_empty() || parts == 0 {
            self.know(signal, HourlySeries::empty(self.range));
            return;
        }
        let arrived = HourlySeries::empty(self.range);
        let open = Open { left: queries.len() * parts, series: queries.len(), arrived };
        self.open.insert(signal, open);
        needs.extend(queries.into_iter().map(|query| Need {
            query,
            wanted: self.range,
            fetched,
            priority,
        }));
    }

    /// Notes that `signal` is wanted and cannot be asked for in this round.
    pub fn miss(&mut self, signal: Signal) {
        let arrived = HourlySeries::empty(self.range);
        self.open.entry(signal).or_insert(Open { left: 1, series: 1, arrived });
    }

    /// True for EBS operations of a type without them in `AWS/EC2`: they are summed over its volumes.
    fn is_of_volumes(&self, signal: Signal) -> bool {
        matches!(signal, Signal::EbsReadOps | Signal::EbsWriteOps)
            && self.spec.as_ref().is_some_and(|spec| !spec.reports_ebs())
    }

    /// Metrics that reading these signals is billed for.
    pub fn billed(&self, signals: &[Signal]) -> u64 {
        let (volumes, own): (Vec<Signal>, Vec<Signal>) =
            signals.iter().copied().partition(|signal| self.is_of_volumes(*signal));
        let each = self.instance.block_devices.len() as u64;
        planner::billed_signals(&own) + volumes.len() as u64 * each
    }

    /// Takes the answer to a query in. Several series of one GPU merge: the busier value tells, and a
    /// malformed point (∞) wins over all. Those of volumes add up, each from when it was attached: before,
    /// it worked for another instance.
    pub fn take(&mut self, query: &MetricQuery, points: &[(Timestamp, f64)]) {
        let signal = query.signal;
        let Some(open) = self.open.get_mut(&signal) else { return };
        let volume = match &query.key {
            MetricKey::Volume { volume, .. } => Some(volume),
            _ => None,
        };
        let mut devices = self.instance.block_devices.iter();
        let attached = volume
            .and_then(|volume| devices.find(|device| device.volume_id == *volume)?.attached_at)
            .map_or(Hour(i32::MIN), Hour::containing);
        let mut series: BTreeMap<Hour, f32> = BTreeMap::new();
        for &(at, raw) in points {
            let (hour, new) = (Hour::containing(at), signal.observe(raw));
            let value = series.entry(hour).or_insert(new);
            *value = value.max(new);
        }
        for (hour, new) in series.into_iter().filter(|(hour, _)| *hour >= attached) {
            let old = open.arrived.at(hour);
            let both = match volume {
                Some(_) if !old.is_nan() => old + new,
                // `max` ignores the NaN of an hour that nothing has come for.
                _ => old.max(new),
            };
            open.arrived.set(hour, both);
        }
        open.left = open.left.saturating_sub(1);
        if open.left > 0 {
            return;
        }
        if let Some(open) = self.open.remove(&signal) {
            let series = self.renewed(signal, &open.arrived);
            self.stale.remove(&signal);
            self.know(signal, series);
        }
    }

    /// Series of the cache with the values that have arrived in place of the old ones.
    fn renewed(&self, signal: Signal, arrived: &HourlySeries) -> HourlySeries {
        let Some(stale) = self.stale.get(&signal) else { return arrived.clone() };
        let mut series = stale.clone();
        for (hour, value) in (arrived.start.0..).zip(&arrived.values) {
            if !value.is_nan() {
                series.set(Hour(hour), *value);
            }
        }
        series
    }

    /// The part of a series that was just asked for, for the cache; `None` while answers are
    /// missing, because the hours would count as fetched from then on.
    pub fn write(&self, signal: Signal, asked: HourRange) -> Option<SeriesWrite> {
        let series = self.own.get(&signal).or_else(|| self.fresh.get(signal))?;
        let values = (asked.from.0..asked.to.0).map(|h| series.at(Hour(h))).collect();
        let series = HourlySeries { start: asked.from, values };
        Some(SeriesWrite { instance: self.instance.id.clone(), signal, series })
    }

    /// True when something was wanted in this round and no full answer came.
    pub fn has_unanswered(&self) -> bool {
        !self.open.is_empty()
    }

    /// Ends a round that could not be finished: what was not renewed counts with the hours it
    /// has. Of a GPU with several series nothing new counts until all have answered: the one that
    /// is missing may be the one that works.
    pub fn accept_partial(mut self) -> Self {
        for (signal, open) in std::mem::take(&mut self.open) {
            if open.series == 1 && open.arrived.values.iter().any(|v| !v.is_nan()) {
                let series = self.renewed(signal, &open.arrived);
                self.stale.insert(signal, series);
            }
        }
        for (signal, series) in std::mem::take(&mut self.stale) {
            self.know(signal, series);
        }
        // What telemetry saw counts though nobody else answered.
        let told: Vec<Signal> = self.told.iter().map(|(signal, _)| signal).collect();
        for signal in told {
            if self.fresh.get(signal).is_none() {
                self.know(signal, HourlySeries::empty(self.range));
            }
        }
        self
    }
}
