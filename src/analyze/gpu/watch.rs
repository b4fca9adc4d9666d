//! Keeps what must be remembered between sweeps, and draws the picture of the GPU fleet.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::evidence::teaches;
use super::floors::Floors;
use super::group::{Member, group};
use super::item::{Item, Read, read};
use super::order::worst_first;
use super::rules::GpuRules;
use super::track::Track;
use crate::domain::{
    FastMap, GpuKey, GpuModel, GpuOwner, GpuVerdict, HourTable, IdleStarts, SourceId, Sweep,
    Workload,
};
use crate::fleet::gpu::{Sources, blind};
use crate::fleet::{Fleet, GpuFleet, GpuRow, GpuTotals};

/// Model names remembered at most; a fleet has a dozen.
pub(super) const MAX_MODELS: usize = 1_000;
/// GPUs remembered at most, whatever the sources say: about a kilobyte each.
pub(super) const MAX_GPUS: usize = 200_000;

/// Time between two sweeps of everything, by source and origin. A source that is not named here
/// is taken to sweep each 30 s.
pub type Intervals = HashMap<(SourceId, Arc<str>), Duration>;

/// Input of a picture of the GPU fleet.
#[derive(Clone, Copy)]
pub struct WatchInput<'a> {
    /// Version of the result.
    pub version: u64,
    /// The present moment.
    pub now: Timestamp,
    /// The latest sweep of each source; partial ones (hosts in focus) beside the full one, or
    /// merged into it. The order does not matter.
    pub sweeps: &'a [Arc<Sweep>],
    /// Intervals of the sources that are configured, whether or not they have answered yet.
    pub intervals: &'a Intervals,
    /// The instances.
    pub fleet: &'a Fleet,
    /// What the judgement goes by.
    pub rules: &'a GpuRules,
    /// Closed hours. Keys as in [`crate::fleet::GpuRow::key`].
    pub hours: &'a HourTable,
    /// Since when GPUs idle, as far as it was seen before those hours; by [`crate::fleet::GpuRow::id`].
    pub starts: Option<&'a IdleStarts>,
}

/// A model as the rows name it.
#[derive(Clone, Debug)]
pub(super) struct Modelled {
    pub(super) name: Arc<str>,
    pub(super) model: Option<&'static GpuModel>,
}

/// Kind of work and team, and what they were made of.
#[derive(Clone, Debug)]
pub(super) struct Labels {
    pub(super) owner: Arc<GpuOwner>,
    pub(super) fleet: u64,
    pub(super) instance: Option<Arc<str>>,
    pub(super) workload: Workload,
    pub(super) team: Option<Arc<str>>,
}

/// One GPU between sweeps.
#[derive(Debug)]
pub(super) struct Entry {
    pub key: GpuKey,
    pub track: Track,
    /// Row of the GPU in the last picture; `None` before the first.
    pub row: Option<Arc<GpuRow>>,
    /// Milliseconds after which its news are stale.
    pub limit_ms: i64,
    pub(super) verdict: Option<Arc<GpuVerdict>>,
    pub(super) labels: Option<Labels>,
    /// The picture it was in last.
    pub(super) seen: u64,
}

/// The memory of the judgement: per GPU what was seen of it lately, per model its idle power.
#[derive(Debug, Default)]
pub struct Watch {
    pub(super) entries: Vec<Entry>,
    /// The places of `entries`.
    pub(super) slots: FastMap<GpuKey, u32>,
    pub(super) floors: Floors,
    pub(super) models: FastMap<Arc<str>, Modelled>,
    pub(super) rules: Option<GpuRules>,
    pub(super) pictures: u64,
}

impl Watch {
    /// Takes in what the sources say and concludes. The same input in any order gives the same
    /// picture.
    pub fn picture(&mut self, input: WatchInput<'_>) -> GpuFleet {
        self.pictures += 1;
        if self.rules.as_ref() != Some(input.rules) {
            self.rules = Some(input.rules.clone());
            self.entries.iter_mut().for_each(|e| e.labels = None);
        }
        let known = self.known(&input);
        let Read { mut items, places } = read(&input, &known);
        for item in &mut items {
            item.slot = self.slots.get(&item.key).copied();
        }
        self.add_vanished(&mut items, &input, &places);
        let mut groups = group(&mut items, &input.fleet.rows);
        // Each reading teaches once, however often it is looked at.
        for item in items.iter().filter(|i| i.fresh && teaches(&i.sample, input.rules)) {
            let entry = self.remembered(item).and_then(|slot| self.entries.get(slot as usize));
            if entry.is_some_and(|e| e.track.at >= item.sample.taken_at.as_millisecond()) {
                continue;
            }
            let power = item.sample.signals.get(crate::domain::GpuSignal::Power);
            if let Some(watts) = power {
                let modelled = self.modelled(item, &input);
                self.floors.learn(&modelled.name, watts);
            }
        }
        let (mut told, mut silent) = (FastMap::default(), HashSet::new());
        let mut rows = Vec::with_capacity(items.len());
        // Each is in one group, and is used up there.
        let mut items: Vec<Option<Item>> = items.into_iter().map(Some).collect();
        for group in &mut groups {
            if let Some(place) = group.place {
                told.insert(place, group.fresh_devices);
                let is_silent = |m: &Member| items[m.item].as_ref().is_some_and(|i| !i.fresh);
                if group.members.iter().any(is_silent) {
                    silent.insert(place);
                }
            }
            for member in &group.members {
                let item = items[member.item].take();
                rows.extend(item.and_then(|item| self.row(group, member, item, &input)));
            }
        }
        self.forget();
        // Before they are sorted: rows lie side by side as they were made.
        let totals = GpuTotals::of(rows.iter().map(|r| &**r));
        worst_first(&mut rows);
        let sources = Sources {
            any: !input.intervals.is_empty() || !input.sweeps.is_empty(),
            sweeps: input.sweeps,
            silent: &silent,
        };
        GpuFleet {
            version: input.version,
            as_of: Some(input.now),
            blind: blind(
                &input.fleet.rows,
                &places,
                |at| told.get(&at).copied().unwrap_or(0),
                sources,
            ),
            totals,
            rows,
        }
    }
}
