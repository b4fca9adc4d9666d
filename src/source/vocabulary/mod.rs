//! What exporters call things: from metric names to [`GpuSignal`]s in burntop's units, from label
//! names to who a GPU is and whose.
//!
//! Exporters rename their metrics (DCGM 4.6 did, in July 2026) and sites invent their own, so the
//! names are data (`table`) and the configuration may add to them. [`Gather`] takes
//! the series of one sweep, whatever spelled them, and gives one sample per GPU or slice.

mod fingerprint;
mod gather;
mod identity;
mod labels;
mod neuron;
mod owner;
mod row;
mod table;

use std::collections::{BTreeMap, HashMap};

pub use gather::{DEVICES_AT_MOST, Dropped, Families, Gather, Gathered, KEPT_AT_MOST};
pub use labels::{IDENTITY_LABELS, OWNER_LABELS, Page, read as read_labels};

use crate::domain::GpuSignal;

/// Family of exporters that publishes a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// dcgm-exporter, and others with its names (GPU operator, fake-gpu-operator).
    Dcgm,
    /// `nvidia_gpu_exporter`, which runs `nvidia-smi`.
    NvidiaSmi,
    /// all-smi in API mode.
    AllSmi,
    /// neuron-monitor (Trainium, Inferentia).
    Neuron,
    /// Exporter of Jobstats.
    Jobstats,
    /// Names from the configuration.
    Own,
}

impl Family {
    /// A bit of its own.
    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Meaning of a series for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Value of a signal.
    Signal(GpuSignal),
    /// Free device memory, MiB; used + free + reserved is the total.
    MemFree,
    /// Device memory reserved by the driver, MiB.
    MemReserved,
    /// Used ÷ (total − reserved), 0–1.
    MemShare,
    /// Bytes sent over NVLink, B/s.
    NvlinkTx,
    /// Bytes received over NVLink, B/s.
    NvlinkRx,
    /// Bit mask of all clock event reasons, as in NVML.
    Throttle,
    /// One clock event reason, 0 or 1; this is its bit.
    ThrottleBit(u64),
    /// Unix time (s) when an XID (label `xid`) was last seen: the latest is the last XID.
    XidSeen,
    /// No value; only the labels count.
    Labels,
    /// Number of processes on the device.
    Processes,
    /// One process (labels `pid`, `process_name`) and its memory, MiB.
    ProcessMem,
    /// One process, by its labels.
    Process,
    /// Id of the job that holds the device; 0 = none.
    JobId,
    /// Id of the user that holds the device; 0 = none.
    UserId,
    /// Memory of one core of a Neuron device for one purpose, MiB; the number identifies the purpose.
    CoreMem(u8),
}

/// Meaning of one metric name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// Meaning of its values.
    pub part: Part,
    /// Factor from its unit to burntop's.
    pub scale: f64,
    /// Family of exporters that publishes it.
    pub family: Family,
    /// Rank among metrics for the same part: the lowest is used; of equal ranks the larger value.
    pub rank: u8,
}

/// All metric names that burntop knows.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    metrics: HashMap<Box<str>, Metric>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        let metrics = table::all().map(|(name, metric)| (Box::from(name), metric)).collect();
        Self { metrics }
    }
}

impl Vocabulary {
    /// Vocabulary with the user's own names: from a signal's name ([`GpuSignal::name`]) to metric names. `metric*0.01`
    /// means that the value × 0.01 is in the signal's unit ([`GpuSignal::unit`]). Err, with the entry, for an unknown
    /// signal or an invalid name.
    pub fn with_aliases(aliases: &BTreeMap<String, Vec<String>>) -> Result<Self, String> {
        let mut vocabulary = Self::default();
        for (signal, metrics) in aliases {
            let Some(known) = GpuSignal::from_name(signal) else {
                let known: Vec<_> = GpuSignal::ALL.iter().map(|s| s.name()).collect();
                return Err(format!(
                    "`{signal}` is no signal; the signals are {}",
                    known.join(", ")
                ));
            };
            for text in metrics {
                let (name, scale) = alias(text)?;
                let part = Part::Signal(known);
                let metric = Metric { part, scale, family: Family::Own, rank: 0 };
                vocabulary.metrics.insert(name.into(), metric);
            }
        }
        Ok(vocabulary)
    }

    /// Meaning of a metric name; `None` for an unknown one.
    pub fn get(&self, name: &str) -> Option<Metric> {
        self.metrics.get(name).copied()
    }

    /// Names of the metrics that measure a signal itself, in its unit, sorted.
    pub fn names_of(&self, signal: GpuSignal) -> Vec<&str> {
        let is_it = |of: &Metric| of.part == Part::Signal(signal) && of.scale == 1.0;
        let found = self.metrics.iter().filter(|(_, of)| is_it(of));
        let mut names: Vec<&str> = found.map(|(name, _)| &**name).collect();
        names.sort_unstable();
        names
    }

    /// All names with their meaning, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Metric)> {
        self.metrics.iter().map(|(name, metric)| (&**name, *metric))
    }
}

/// `metric` or `metric*scale`.
fn alias(text: &str) -> Result<(&str, f64), String> {
    let (name, scale) = match text.split_once('*') {
        None => (text.trim(), 1.0),
        Some((name, factor)) => {
            let scale = factor.trim().parse::<f64>().ok().filter(|s| s.is_finite() && *s > 0.0);
            let Some(scale) = scale else {
                return Err(format!("`{text}`: `{}` is no positive number", factor.trim()));
            };
            (name.trim(), scale)
        }
    };
    let first = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | ':');
    let fits = name.starts_with(first) && name.chars().all(|c| first(c) || c.is_ascii_digit());
    if !fits {
        return Err(format!("`{text}`: `{name}` is no metric name of Prometheus"));
    }
    Ok((name, scale))
}

#[cfg(test)]
mod tests;
