//! Hourly metric series, the raw evidence of every verdict.

use serde::{Deserialize, Serialize};

use super::hour::{Hour, HourRange};
use super::resource::ResourceSignal;

/// Value of a series for a malformed datapoint (NaN, ∞, negative). It counts as evidence of use, never of idleness;
/// `NaN` in a series means that there is no datapoint.
pub const MALFORMED: f32 = f32::INFINITY;

/// Hourly metric of one instance. GPU signals carry the device index as the driver counts it.
///
/// Sources: `AWS/EC2` (`CPUUtilization`, `NetworkIn`, `NetworkOut`, `EBSReadOps`, `EBSWriteOps`) and `CWAgent`
/// (`nvidia_smi_utilization_gpu`); for GPUs, telemetry as well ([`super::GpuHour`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Signal {
    /// Mean CPU over the hour, percent of all vCPUs, 0–100.
    CpuMean,
    /// Highest CPU period within the hour, percent of all vCPUs, 0–100.
    CpuMax,
    /// Bytes received in the hour; ≥ 0.
    NetworkIn,
    /// Bytes sent in the hour; ≥ 0.
    NetworkOut,
    /// EBS read operations in the hour.
    EbsReadOps,
    /// EBS write operations in the hour.
    EbsWriteOps,
    /// Mean over the hour, percent, 0–100: of `utilization.gpu` (share of time with a kernel resident) from CloudWatch,
    /// or of the effective activity from GPU telemetry; the higher of both.
    GpuMean(u16),
    /// Highest sample of that utilisation or activity within the hour, percent, 0–100.
    GpuMax(u16),
    /// Signal of a resource other than an instance. The last variant: the cache stores variants by their number.
    Resource(ResourceSignal),
}

impl Signal {
    /// Device index of a GPU signal; `None` for other signals.
    pub fn gpu(self) -> Option<u16> {
        match self {
            Self::GpuMean(i) | Self::GpuMax(i) => Some(i),
            _ => None,
        }
    }

    /// True for signals in percent, 0–100.
    pub fn is_percent(self) -> bool {
        match self {
            Self::CpuMean | Self::CpuMax | Self::GpuMean(_) | Self::GpuMax(_) => true,
            Self::Resource(signal) => signal.is_percent(),
            _ => false,
        }
    }

    /// Stable name in JSON and in the cache: `cpu_mean`, `gpu_max/3`.
    pub fn name(self) -> String {
        match self {
            Self::CpuMean => "cpu_mean".into(),
            Self::CpuMax => "cpu_max".into(),
            Self::NetworkIn => "network_in".into(),
            Self::NetworkOut => "network_out".into(),
            Self::EbsReadOps => "ebs_read_ops".into(),
            Self::EbsWriteOps => "ebs_write_ops".into(),
            Self::GpuMean(i) => format!("gpu_mean/{i}"),
            Self::GpuMax(i) => format!("gpu_max/{i}"),
            Self::Resource(signal) => signal.word().into(),
        }
    }

    /// Label on screen: `CPU mean`, `GPU 3 max`.
    pub fn words(self) -> String {
        match self {
            Self::CpuMean => "CPU mean".into(),
            Self::CpuMax => "CPU max".into(),
            Self::NetworkIn => "network in".into(),
            Self::NetworkOut => "network out".into(),
            Self::EbsReadOps => "EBS reads".into(),
            Self::EbsWriteOps => "EBS writes".into(),
            Self::GpuMean(i) => format!("GPU {i} mean"),
            Self::GpuMax(i) => format!("GPU {i} max"),
            Self::Resource(signal) => signal.label().into(),
        }
    }

    /// The signal with this [`Signal::name`]; `None` for any other text.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "cpu_mean" => Self::CpuMean,
            "cpu_max" => Self::CpuMax,
            "network_in" => Self::NetworkIn,
            "network_out" => Self::NetworkOut,
            "ebs_read_ops" => Self::EbsReadOps,
            "ebs_write_ops" => Self::EbsWriteOps,
            _ => {
                if let Some(signal) = ResourceSignal::from_word(name) {
                    return Some(Self::Resource(signal));
                }
                let (kind, index) = name.split_once('/')?;
                let index = index.parse().ok()?;
                match kind {
                    "gpu_mean" => Self::GpuMean(index),
                    "gpu_max" => Self::GpuMax(index),
                    _ => return None,
                }
            }
        })
    }

    /// Value of a raw datapoint in a series: [`MALFORMED`] for NaN, infinite and negative values and for percentages
    /// above 100 (a tolerance of 1 covers rounding).
    pub fn observe(self, raw: f64) -> f32 {
        let nonsense = !raw.is_finite() || raw < 0.0 || (self.is_percent() && raw > 101.0);
        if nonsense { MALFORMED } else { raw as f32 }
    }
}

/// Consecutive hourly values of one signal. `NaN` = no datapoint, [`MALFORMED`] = a malformed one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HourlySeries {
    /// Hour of `values[0]`.
    pub start: Hour,
    /// One value per hour, in the signal's unit; `NaN` = no datapoint, [`MALFORMED`] = a nonsensical one.
    pub values: Vec<f32>,
}

impl HourlySeries {
    /// A series of `range` without any datapoint.
    pub fn empty(range: HourRange) -> Self {
        Self { start: range.from, values: vec![f32::NAN; range.len()] }
    }

    /// The value at `hour`; `NaN` outside the series.
    pub fn at(&self, hour: Hour) -> f32 {
        usize::try_from(hour.0 - self.start.0)
            .ok()
            .and_then(|i| self.values.get(i).copied())
            .unwrap_or(f32::NAN)
    }

    /// Sets the value at `hour`; hours outside the series are ignored.
    pub fn set(&mut self, hour: Hour, value: f32) {
        if let Some(slot) =
            usize::try_from(hour.0 - self.start.0).ok().and_then(|i| self.values.get_mut(i))
        {
            *slot = value;
        }
    }

    /// Hours that the series covers, with or without datapoints.
    pub fn range(&self) -> HourRange {
        HourRange { from: self.start, to: self.start.plus(self.values.len() as i32) }
    }

    /// Number of hours in `range` with a datapoint, malformed ones included.
    pub fn got(&self, range: HourRange) -> usize {
        (range.from.0..range.to.0).filter(|&h| !self.at(Hour(h)).is_nan()).count()
    }
}

/// All series fetched for one instance, sorted by signal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeriesSet {
    entries: Vec<(Signal, HourlySeries)>,
}

impl SeriesSet {
    /// Adds or replaces the series of `signal`.
    pub fn insert(&mut self, signal: Signal, series: HourlySeries) {
        match self.entries.binary_search_by_key(&signal, |e| e.0) {
            Ok(i) => self.entries[i].1 = series,
            Err(i) => self.entries.insert(i, (signal, series)),
        }
    }

    /// Series of `signal`; `None` when it was not fetched. A series full of `NaN` was fetched and has no datapoint.
    pub fn get(&self, signal: Signal) -> Option<&HourlySeries> {
        self.entries.binary_search_by_key(&signal, |e| e.0).ok().map(|i| &self.entries[i].1)
    }

    /// All series, sorted by signal.
    pub fn iter(&self) -> impl Iterator<Item = (Signal, &HourlySeries)> {
        self.entries.iter().map(|(s, v)| (*s, v))
    }

    /// True when nothing was fetched.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl FromIterator<(Signal, HourlySeries)> for SeriesSet {
    fn from_iter<I: IntoIterator<Item = (Signal, HourlySeries)>>(iter: I) -> Self {
        let mut set = Self::default();
        for (signal, series) in iter {
            set.insert(signal, series);
        }
        set
    }
}
