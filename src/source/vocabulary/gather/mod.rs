//! Gathers series into one sample per device.

mod finish;
mod purge;

use std::collections::HashSet;
use std::sync::Arc;

use super::fingerprint::Fingerprints;
use super::identity::DeviceKey;
use super::labels::{self, Facts, Page};
use super::neuron::{self, CoreReading, CoreValue};
use super::row::Values;
use super::{Metric, Part, Vocabulary};
use crate::domain::{FastMap, GpuIdentity, GpuOwner, GpuProcess, GpuSample, GpuSignal};
use crate::source::budget::Budget;

/// Combines the series of a sweep into one sample per device.
///
/// The meaning of each label set is kept for the next sweep: labels of a known GPU are not parsed again, and its
/// identity and owner are the same `Arc`s as before.
#[derive(Debug)]
pub struct Gather {
    vocabulary: Arc<Vocabulary>,
    /// Where the page is from; `None` when the series come from a store and carry `instance`.
    page: Option<Page>,
    max_devices: usize,
    /// What may be kept, and what of it is.
    budget: Arc<Budget>,
    held: usize,
    prints: Fingerprints,
    known: FastMap<u128, u32>,
    sets: Vec<LabelSet>,
    by_key: FastMap<DeviceKey, u32>,
    rows: Vec<Row>,
    /// Rows and sets of this sweep, in the order they came.
    live_rows: Vec<u32>,
    live_sets: usize,
    cores: Vec<CoreReading>,
    owners: HashSet<Arc<GpuOwner>>,
    /// Targets whose own labels displace `namespace` and `pod`.
    displaced: HashSet<Arc<str>>,
    /// Families that were seen to name owners.
    naming: u8,
    sweep: u32,
    complete: bool,
    dropped: Dropped,
    /// Fingerprints that were turned away in this sweep.
    turned_away: usize,
    /// There was no room for something: devices that come later are not taken in by halves.
    full: bool,
}

/// Largest number of devices of one store: twice the largest fleet that burntop is tested with.
pub const DEVICES_AT_MOST: usize = 32_000;

/// Bytes that a source keeps of labels and devices: enough for 32,000 devices with two label sets each.
pub const KEPT_AT_MOST: usize = 96 << 20;

/// Sets of labels of one device in one sweep: 256 processes in four metrics.
const SETS_AT_MOST: usize = 1_024;

/// Fingerprints of labels that are turned away, so that they are not read again in the same sweep.
const TURNED_AWAY_AT_MOST: usize = 200_000;

/// In place of a set: its labels are turned away.
const TURNED_AWAY: u32 = u32::MAX;

/// What is reckoned for a set of labels and for a device, beside their text, bytes.
const SET_BYTES: usize = 640;
const ROW_BYTES: usize = 1_280;

/// The longest text that is kept of one label ([`crate::domain::text::clean`] cuts the rest).
const LABEL_AT_MOST: usize = 2_048;

/// Meaning of one set of labels.
#[derive(Debug)]
struct LabelSet {
    facts: Facts,
    /// Bytes that are reckoned for it.
    bytes: usize,
    about: About,
    seen: u32,
    families: u8,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum About {
    /// A device, by its row.
    Device(u32),
    /// A core of Trainium or Inferentia, or the hardware of a host.
    Neuron,
    /// Nothing that has a name.
    Nothing,
}

/// A device.
#[derive(Debug)]
struct Row {
    key: DeviceKey,
    identity: Arc<GpuIdentity>,
    owner: Arc<GpuOwner>,
    processes: Option<Arc<[GpuProcess]>>,
    seen: u32,
    families: u8,
    values: Values,
    /// Label sets of this sweep and of the one that made the identity.
    sets: Vec<u32>,
    sets_before: Vec<u32>,
    /// The whole device's identity that went into this slice's.
    parent: Option<Arc<GpuIdentity>>,
    /// The sweep in which some of its series were turned away: what is left would pass for all.
    cut: u32,
}

/// Numbers of series that a sweep left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Series without labels.
    pub unlabelled: u32,
    /// Series whose labels name no device (sums over a host).
    pub nameless: u32,
    /// Series with a value that means "no value", or that no device can have.
    pub impossible: u32,
    /// Series of devices beyond the limit of a page or store, and of devices with more labels than the limit. These
    /// devices are in no sample: they are unknown.
    pub excess: u32,
}

/// Set of exporter families.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Families(u8);

impl Families {
    /// Union of both sets.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True when the sets have a family in common.
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Result of a sweep.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// One sample per device or slice, in the order of their first appearance.
    pub samples: Vec<GpuSample>,
    /// Families with series in this sweep.
    pub families: Families,
    /// Families that ever reported owners here.
    pub naming: Families,
    /// Numbers of series left out.
    pub dropped: Dropped,
}

impl Gather {
    /// For series from a store (Prometheus), which carry the label `instance`.
    pub fn new(vocabulary: Arc<Vocabulary>) -> Self {
        Self {
            vocabulary,
            page: None,
            max_devices: DEVICES_AT_MOST,
            budget: Arc::new(Budget::new(KEPT_AT_MOST)),
            held: 0,
            prints: Fingerprints::default(),
            known: FastMap::default(),
            sets: Vec::new(),
            by_key: FastMap::default(),
            rows: Vec::new(),
            live_rows: Vec::new(),
            live_sets: 0,
            cores: Vec::new(),
            owners: HashSet::new(),
            displaced: HashSet::new(),
            naming: 0,
            sweep: 1,
            complete: false,
            dropped: Dropped::default(),
            turned_away: 0,
            full: false,
        }
    }

    /// For the page of one exporter, with at most `max_devices` devices.
    pub fn of_page(vocabulary: Arc<Vocabulary>, page: Page, max_devices: usize) -> Self {
        let mut gather = Self::new(vocabulary);
        (gather.page, gather.max_devices) = (Some(page), max_devices);
        gather
    }

    /// Counts kept label sets and devices against `budget`, shared with other gatherers.
    #[must_use]
    pub fn within(mut self, budget: Arc<Budget>) -> Self {
        self.budget = budget;
        self
    }

    /// Metric names in use.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// Adds a series by its metric name. False when the name is not in the vocabulary. `__name__` may be among the
    /// labels.
    pub fn series<'a>(
        &mut self,
        metric: &str,
        labels: impl Iterator<Item = (&'a str, &'a str)> + Clone,
        value: f64,
    ) -> bool {
        let Some(metric) = self.vocabulary.get(metric) else { return false };
        self.take(&metric, labels, value);
        true
    }

    /// Takes a sample like [`Gather::series`], with the metric looked up once ([`Vocabulary::get`]) for many series.
    pub fn take<'a>(
        &mut self,
        metric: &Metric,
        labels: impl Iterator<Item = (&'a str, &'a str)> + Clone,
        value: f64,
    ) {
        let print = self.prints.of(labels.clone());
        let id = match self.known.get(&print) {
            Some(id) => *id,
            None => self.learn(print, labels),
        };
        let Some(set) = self.sets.get_mut(id as usize) else {
            self.dropped.excess += 1;
            return;
        };
        let first = set.seen != self.sweep;
        set.seen = self.sweep;
        set.families |= metric.family.bit();
        self.live_sets += usize::from(first);
        match set.about {
            About::Nothing if !set.facts.labelled => self.dropped.unlabelled += 1,
            About::Nothing => self.dropped.nameless += 1,
            About::Neuron => self.core(metric, id, value),
            About::Device(row) => self.device(metric, id, row, first, value),
        }
    }

    fn device(&mut self, metric: &Metric, id: u32, at: u32, first: bool, value: f64) {
        let (Some(row), Some(set)) = (self.rows.get_mut(at as usize), self.sets.get(id as usize))
        else {
            return;
        };
        if row.seen != self.sweep {
            if self.live_rows.len() >= self.max_devices {
                self.dropped.excess += 1;
                return;
            }
            row.begin(self.sweep);
            self.live_rows.push(at);
        }
        if first || !row.sets.contains(&id) {
            if row.sets.len() >= SETS_AT_MOST {
                row.cut = self.sweep;
                self.dropped.excess += 1;
                return;
            }
            row.sets.push(id);
        }
        row.families |= metric.family.bit();
        if matches!(metric.part, Part::JobId | Part::UserId) {
            self.naming |= metric.family.bit();
        }
        self.dropped.impossible += u32::from(!row.values.take(metric, &set.facts, value));
    }

    fn core(&mut self, metric: &Metric, set: u32, value: f64) {
        let what = match metric.part {
            Part::Signal(GpuSignal::NeuronCore) => CoreValue::Busy,
            Part::CoreMem(purpose) => CoreValue::Mem(purpose),
            Part::Labels => CoreValue::Hardware,
            _ => return,
        };
        let value = value * metric.scale;
        let signal =
            if what == CoreValue::Busy { GpuSignal::NeuronCore } else { GpuSignal::MemUsed };
        if signal.observe(value).is_none() {
            self.dropped.impossible += 1;
        } else if self.cores.len() < self.max_devices.saturating_mul(64) {
            self.cores.push(CoreReading { set, what, value });
        } else {
            self.dropped.excess += 1;
        }
    }

    /// Reads labels that were not seen before. What there is no room for is turned away.
    fn learn<'a>(
        &mut self,
        print: u128,
        labels: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    ) -> u32 {
        let text: usize = labels.clone().map(|(_, value)| value.len().min(LABEL_AT_MOST)).sum();
        let mut facts = labels::read(labels, self.page.as_ref());
        let neuron = &facts.neuron;
        let about = if neuron.core.is_some() || neuron.devices.is_some() {
            if let Some(model) = neuron.instance_type.as_deref().and_then(neuron::model) {
                facts.model = Some(model.into());
            }
            self.room(SET_BYTES + text).then_some(About::Neuron)
        } else {
            match DeviceKey::of(&facts) {
                None => self.room(SET_BYTES + text).then_some(About::Nothing),
                Some(key) => self.row_of(key, SET_BYTES + text).map(About::Device),
            }
        };
        let Some(about) = about else {
            self.full = true;
            if self.turned_away < TURNED_AWAY_AT_MOST {
                self.turned_away += 1;
                self.known.insert(print, TURNED_AWAY);
            }
            return TURNED_AWAY;
        };
        let id = self.sets.len() as u32;
        let bytes = SET_BYTES + text;
        self.sets.push(LabelSet { facts, bytes, about, seen: 0, families: 0 });
        self.known.insert(print, id);
        id
    }

    /// Takes room for `bytes`.
    fn room(&mut self, bytes: usize) -> bool {
        let fits = self.budget.take(bytes);
        self.held += if fits { bytes } else { 0 };
        fits
    }

    /// The row of a device for one more set of labels of `bytes`; `None` where there is no room.
    fn row_of(&mut self, key: DeviceKey, bytes: usize) -> Option<u32> {
        if let Some(row) = self.by_key.get(&key).copied() {
            if self.room(bytes) {
                return Some(row);
            }
            if let Some(row) = self.rows.get_mut(row as usize) {
                row.cut = self.sweep;
            }
            return None;
        }
        let fits = !self.full && self.live_rows.len() < self.max_devices;
        let fits = fits && self.room(bytes + ROW_BYTES);
        fits.then(|| self.row(key))
    }

    /// The row of a device, made if need be.
    fn row(&mut self, key: DeviceKey) -> u32 {
        if let Some(row) = self.by_key.get(&key) {
            return *row;
        }
        let at = self.rows.len() as u32;
        self.by_key.insert(key.clone(), at);
        self.rows.push(Row {
            key,
            identity: Arc::default(),
            owner: Arc::default(),
            processes: None,
            seen: 0,
            families: 0,
            values: Values::default(),
            sets: Vec::new(),
            sets_before: Vec::new(),
            parent: None,
            cut: 0,
        });
        at
    }

    /// Marks the page as read to its end: what is missing in it does not exist (NeuronCores without a runtime have no
    /// series).
    pub fn complete(&mut self) {
        self.complete = true;
    }

    /// Drops the series of this sweep, whose page broke off.
    pub fn discard(&mut self) {
        self.forget_turned_away();
        self.next_sweep();
    }

    fn next_sweep(&mut self) {
        self.live_rows.clear();
        self.cores.clear();
        self.live_sets = 0;
        self.complete = false;
        self.full = false;
        self.dropped = Dropped::default();
        self.sweep = self.sweep.wrapping_add(1).max(1);
    }

    /// How many sets of labels are remembered.
    #[cfg(test)]
    pub fn remembered(&self) -> usize {
        self.sets.len()
    }
}

impl Drop for Gather {
    fn drop(&mut self) {
        self.budget.give(self.held);
    }
}

impl Row {
    fn begin(&mut self, sweep: u32) {
        self.seen = sweep;
        self.families = 0;
        self.sets.clear();
        self.values.clear();
    }
}
