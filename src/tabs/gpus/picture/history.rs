//! The past of a GPU as graphs on one axis of time.

use jiff::Timestamp;

use crate::domain::gpu::SignalUnit;
use crate::domain::{GpuHistory, GpuSignal, GpuTrace, GpuVerdict};

/// Graphs of a GPU over one time axis.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuGraphPage {
    /// Time of the first value.
    pub from: Timestamp,
    /// Seconds between values.
    pub step_s: u32,
    /// Number of values.
    pub len: usize,
    /// Values within the idle spell: index of the first one, and of the first one after it; `None` when the GPU
    /// is not idle, or became so after the last value.
    pub idle: Option<(usize, usize)>,
    /// One graph per signal, those that decide the state first.
    pub graphs: Vec<GpuGraph>,
}

/// Graph of one signal.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuGraph {
    /// The signal.
    pub signal: GpuSignal,
    /// Label of the signal.
    pub label: &'static str,
    /// Unit of the values as shown; ratios are percentages (0–100) here.
    pub unit: &'static str,
    /// `len` values; NaN = no sample.
    pub values: Vec<f32>,
    /// Smallest value; `None` without samples.
    pub min: Option<f32>,
    /// Largest value; `None` without samples.
    pub max: Option<f32>,
    /// Newest value; `None` without samples.
    pub last: Option<f32>,
    /// Upper end of the axis: the physical limit where known (100%, the device's memory, the power limit, the
    /// highest clock), else the largest value.
    pub ceiling: f32,
}

/// The signal in words.
pub(super) fn label(signal: GpuSignal) -> &'static str {
    match signal {
        GpuSignal::Util => "utilisation",
        GpuSignal::GrEngine => "engine active",
        GpuSignal::SmActive => "SM active",
        GpuSignal::SmOccupancy => "SM occupancy",
        GpuSignal::Tensor => "tensor active",
        GpuSignal::Dram => "DRAM active",
        GpuSignal::MemCopy => "memory access",
        GpuSignal::Enc => "encoder",
        GpuSignal::Dec => "decoder",
        GpuSignal::NeuronCore => "NeuronCores",
        GpuSignal::MemUsed => "memory used",
        GpuSignal::MemTotal => "memory",
        GpuSignal::Power => "power",
        GpuSignal::PowerLimit => "power limit",
        GpuSignal::Energy => "energy",
        GpuSignal::Temp => "temperature",
        GpuSignal::MemTemp => "memory temperature",
        GpuSignal::SmClock => "SM clock",
        GpuSignal::SmClockMax => "highest SM clock",
        GpuSignal::MemClock => "memory clock",
        GpuSignal::PcieTx => "PCIe sent",
        GpuSignal::PcieRx => "PCIe received",
        GpuSignal::Nvlink => "NVLink",
        GpuSignal::Xid => "last XID",
        GpuSignal::EccUncorrected => "uncorrected ECC errors",
        GpuSignal::RemapFailure => "row remap failure",
        GpuSignal::RecoveryAction => "recovery action",
    }
}

/// The unit as it is shown.
pub(super) fn unit(signal: GpuSignal) -> &'static str {
    match signal.unit() {
        SignalUnit::Ratio => "%",
        SignalUnit::Mebibytes => "MiB",
        SignalUnit::Watts => "W",
        SignalUnit::Joules => "J",
        SignalUnit::Celsius => "°C",
        SignalUnit::Megahertz => "MHz",
        SignalUnit::BytesPerSecond => "B/s",
        SignalUnit::Number => "",
    }
}

/// The graphs of `history`; `None` when it holds nothing.
pub(super) fn graphs(
    history: &GpuHistory,
    verdict: &GpuVerdict,
    now: Timestamp,
) -> Option<GpuGraphPage> {
    let from = history.from?;
    let len = history.traces.iter().map(|t| t.values.len()).max().filter(|n| *n > 0)?;
    let step = i64::from(history.step_s.max(1));
    let idle = verdict.idle_since.and_then(|since| {
        let index = |t: Timestamp| t.duration_since(from).as_secs().max(0);
        let first = index(since).unsigned_abs().div_ceil(step.unsigned_abs()) as usize;
        let end = (index(now) / step + 1).unsigned_abs() as usize;
        let end = end.min(len);
        (first < end).then_some((first, end))
    });
    let graphs = history
        .traces
        .iter()
        .filter(|trace| trace.signal.is_some_and(|signal| is_drawn(signal, trace)))
        .filter_map(|trace| graph(trace, len, &history.traces))
        .collect();
    Some(GpuGraphPage { from, step_s: history.step_s.max(1), len, idle, graphs })
}

/// True for what has a course: limits are the ends of other graphs' axes, counters only grow, and
/// of errors that never were the page's health says enough.
fn is_drawn(signal: GpuSignal, trace: &GpuTrace) -> bool {
    match signal {
        GpuSignal::MemTotal | GpuSignal::PowerLimit | GpuSignal::SmClockMax | GpuSignal::Energy => {
            false
        }
        GpuSignal::Xid
        | GpuSignal::EccUncorrected
        | GpuSignal::RemapFailure
        | GpuSignal::RecoveryAction => trace.values.iter().any(|v| *v > 0.0),
        _ => true,
    }
}

/// The highest that `signal` can be, as its own trace or that of its limit tells.
fn reach(signal: GpuSignal, traces: &[GpuTrace]) -> Option<f32> {
    let limit = match signal {
        GpuSignal::MemUsed => GpuSignal::MemTotal,
        GpuSignal::Power => GpuSignal::PowerLimit,
        GpuSignal::SmClock => GpuSignal::SmClockMax,
        // No GPU runs hotter; its own maximum would draw every temperature as a full bar.
        GpuSignal::Temp | GpuSignal::MemTemp => return Some(100.0),
        _ => return None,
    };
    let trace = traces.iter().find(|trace| trace.signal == Some(limit))?;
    trace.values.iter().copied().filter(|v| v.is_finite()).reduce(f32::max)
}

fn graph(trace: &GpuTrace, len: usize, traces: &[GpuTrace]) -> Option<GpuGraph> {
    let signal = trace.signal?;
    let is_ratio = signal.unit() == SignalUnit::Ratio;
    let scale = if is_ratio { 100.0 } else { 1.0 };
    let mut values: Vec<f32> = trace.values.iter().map(|v| v * scale).collect();
    values.resize(len, f32::NAN);
    let known = || values.iter().copied().filter(|v| v.is_finite());
    let (min, max) = (known().reduce(f32::min), known().reduce(f32::max));
    let last = known().next_back();
    let most = max.unwrap_or(0.0);
    let reach = reach(signal, traces).map_or(most, |reach| reach.max(most));
    let ceiling = if is_ratio { 100.0 } else { reach };
    Some(GpuGraph {
        signal,
        label: label(signal),
        unit: unit(signal),
        min,
        max,
        last,
        ceiling,
        values,
    })
}
