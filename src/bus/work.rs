//! One instance on its way through the cascade: what is fresh, what is old, what was asked.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;

use super::gpus::GpuMap;
use crate::analyze::idle::Subject;
use crate::cache::SeriesWrite;
use crate::domain::{Hour, HourRange, HourlySeries, Instance, SeriesSet, Signal, TypeSpec};
use crate::source::MetricQuery;
use crate::source::planner::{self, Need};

/// The evidence of one instance during a round.
pub(super) struct Work {
    pub instance: Arc<Instance>,
    pub spec: Option<Arc<TypeSpec>>,
    /// Series that reach to the end of the window.
    fresh: SeriesSet,
    /// Series from the cache whose last hours are missing.
    stale: BTreeMap<Signal, HourlySeries>,
    /// Hours that the cache holds of a stale series.
    held: BTreeMap<Signal, HourRange>,
    /// Asked in this round and not answered.
    open: BTreeSet<Signal>,
    range: HourRange,
}

impl Work {
    /// Splits what the cache holds into fresh and stale.
    pub fn new(
        instance: Arc<Instance>,
        spec: Option<Arc<TypeSpec>>,
        stored: &SeriesSet,
        fetched: &HashMap<(Arc<str>, Signal), HourRange>,
        range: HourRange,
    ) -> Self {
        let mut work = Self {
            instance,
            spec,
            fresh: SeriesSet::default(),
            stale: BTreeMap::new(),
            held: BTreeMap::new(),
            open: BTreeSet::new(),
            range,
        };
        for (signal, series) in stored.iter() {
            let held = fetched.get(&(work.instance.id.clone(), signal)).copied();
            match held {
                Some(held) if held.to >= range.to && held.from <= range.from => {
                    work.fresh.insert(signal, series.clone());
                }
                Some(held) => {
                    work.held.insert(signal, held);
                    work.stale.insert(signal, series.clone());
                }
                None => {}
            }
        }
        work
    }

    /// What the engine judges.
    pub fn subject(&self, now: Timestamp) -> Subject<'_> {
        Subject { instance: &self.instance, spec: self.spec.as_deref(), series: &self.fresh, now }
    }

    /// Adds what has to be asked for `signal` to `needs`. A GPU that no agent reports is looked
    /// at and found without data, which is evidence of nothing.
    pub fn want(&mut self, signal: Signal, gpus: &GpuMap, priority: u8, needs: &mut Vec<Need>) {
        if !self.open.insert(signal) {
            return;
        }
        let id = &self.instance.id;
        let queries: Vec<MetricQuery> = match signal.gpu() {
            None => planner::signal_query(id, signal, None).into_iter().collect(),
            Some(gpu) => gpus
                .of(id, gpu)
                .iter()
                .filter_map(|dimensions| planner::signal_query(id, signal, Some(dimensions)))
                .collect(),
        };
        if queries.is_empty() {
            self.open.remove(&signal);
            self.fresh.insert(signal, HourlySeries::empty(self.range));
        }
        let fetched = self.held.get(&signal).copied();
        needs.extend(queries.into_iter().map(|query| Need {
            query,
            wanted: self.range,
            fetched,
            priority,
        }));
    }

    /// Takes an answer in. Several series of one GPU merge: the busier value tells, and a
    /// malformed point (∞) wins over all.
    pub fn take(&mut self, signal: Signal, points: &[(Timestamp, f64)]) {
        self.open.remove(&signal);
        let second = self.fresh.get(signal).cloned();
        let merging = second.is_some();
        let mut series = second
            .or_else(|| self.stale.remove(&signal))
            .unwrap_or_else(|| HourlySeries::empty(self.range));
        for &(at, raw) in points {
            let (hour, new) = (Hour::containing(at), signal.observe(raw));
            let old = series.at(hour);
            series.set(hour, if merging && !old.is_nan() { old.max(new) } else { new });
        }
        self.fresh.insert(signal, series);
    }

    /// The part of a series that was just asked for, for the cache.
    pub fn write(&self, signal: Signal, asked: HourRange) -> Option<SeriesWrite> {
        let series = self.fresh.get(signal)?;
        let values = (asked.from.0..asked.to.0).map(|h| series.at(Hour(h))).collect();
        let series = HourlySeries { start: asked.from, values };
        Some(SeriesWrite { instance: self.instance.id.clone(), signal, series })
    }

    /// True when something was asked in this round and no answer came.
    pub fn has_unanswered(&self) -> bool {
        !self.open.is_empty()
    }

    /// Ends the round: what could not be renewed counts with the hours it has.
    pub fn settle(mut self) -> Self {
        for (signal, series) in std::mem::take(&mut self.stale) {
            if self.open.contains(&signal) {
                self.fresh.insert(signal, series);
            }
        }
        self
    }
}
