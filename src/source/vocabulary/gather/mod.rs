//! Series in, one sample per device out.

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

/// Puts the series of a sweep together, device by device.
///
/// What it learnt of a set of labels it keeps for the next sweep: the labels of a known GPU are not
/// read again, and its identity and owner are the same `Arc`s as before.
#[derive(Debug)]
pub struct Gather {
    vocabulary: Arc<Vocabulary>,
    /// Where the page is from; `None` when the series come from a store and carry `instance`.
    page: Option<Page>,
    max_devices: usize,
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
}

/// What one set of labels means.
#[derive(Debug)]
struct LabelSet {
    facts: Facts,
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
}

/// What was left out of a sweep, in series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Without any label.
    pub unlabelled: u32,
    /// With labels that name no device (sums over a host).
    pub nameless: u32,
    /// With a value that means "no value", or that no device can have.
    pub impossible: u32,
    /// Of devices above the bound of one page.
    pub excess: u32,
}

impl Dropped {
    /// All of them.
    pub fn total(&self) -> u32 {
        self.unlabelled + self.nameless + self.impossible + self.excess
    }
}

/// Families of exporters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Families(u8);

impl Families {
    /// Those in either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True when there is one in both.
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// The result of a sweep.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// One per device or slice, in the order they were first seen.
    pub samples: Vec<GpuSample>,
    /// Who spoke.
    pub families: Families,
    /// Of all that ever spoke here, those that name owners.
    pub naming: Families,
    /// What was left out.
    pub dropped: Dropped,
}

impl Gather {
    /// For series from a store (Prometheus): they carry the label `instance`.
    pub fn new(vocabulary: Arc<Vocabulary>) -> Self {
        Self {
            vocabulary,
            page: None,
            max_devices: 250_000,
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
        }
    }

    /// For the page of one exporter, with at most `max_devices`.
    pub fn of_page(vocabulary: Arc<Vocabulary>, page: Page, max_devices: usize) -> Self {
        Self { page: Some(page), max_devices, ..Self::new(vocabulary) }
    }

    /// The names in use.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// Takes in a series by the name of its metric. False when the name tells nothing of GPUs.
    /// `__name__` may be among the labels.
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

    /// As [`Gather::series`], with the name looked up ([`Vocabulary::get`]) once for many series.
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
        let Some(set) = self.sets.get_mut(id as usize) else { return };
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

    /// Reads labels that were not seen before.
    fn learn<'a>(&mut self, print: u128, labels: impl Iterator<Item = (&'a str, &'a str)>) -> u32 {
        let mut facts = labels::read(labels, self.page.as_ref());
        let neuron = &facts.neuron;
        let about = if neuron.core.is_some() || neuron.devices.is_some() {
            if let Some(model) = neuron.instance_type.as_deref().and_then(neuron::model) {
                facts.model = Some(model.into());
            }
            About::Neuron
        } else {
            DeviceKey::of(&facts).map_or(About::Nothing, |key| About::Device(self.row(key)))
        };
        let id = self.sets.len() as u32;
        self.sets.push(LabelSet { facts, about, seen: 0, families: 0 });
        self.known.insert(print, id);
        id
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
        });
        at
    }

    /// Says that the whole page was read: what it does not speak of is not there (NeuronCores
    /// without a runtime have no series).
    pub fn complete(&mut self) {
        self.complete = true;
    }

    /// Forgets the series of this sweep: the page broke off.
    pub fn discard(&mut self) {
        self.next_sweep();
    }

    fn next_sweep(&mut self) {
        self.live_rows.clear();
        self.cores.clear();
        self.live_sets = 0;
        self.complete = false;
        self.dropped = Dropped::default();
        self.sweep = self.sweep.wrapping_add(1).max(1);
    }

    /// How many sets of labels are remembered.
    #[cfg(test)]
    pub fn remembered(&self) -> usize {
        self.sets.len()
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
