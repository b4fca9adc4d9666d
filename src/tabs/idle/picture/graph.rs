//! The series behind the evidence, on one common window.

use crate::domain::{Hour, HourRange, Measure, SeriesSet, Signal, Verdict};
use crate::view::ViewContext;

/// Graphs of a page over one time axis.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphPage {
    /// Hours of the axis.
    pub window: HourRange,
    /// Hours of the idle stretch, to be shaded; `None` when not idle.
    pub idle: Option<HourRange>,
    /// One graph per signal: GPUs first, then CPU, network, disks.
    pub graphs: Vec<Graph>,
}

/// Graph of one signal.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// The signal.
    pub signal: Signal,
    /// Label of the signal.
    pub label: String,
    /// Unit of the values: `%`, `bytes/h`, `ops/h`.
    pub unit: &'static str,
    /// One value per hour of the window; NaN = no datapoint, [`crate::domain::MALFORMED`] = an implausible one.
    pub values: Vec<f32>,
    /// Largest plausible value; `None` without any.
    pub max: Option<f32>,
    /// Upper end of the axis: 100 for percentages, else the largest value, or the limit of the verdict where that is higher: what
    /// is quiet lies low.
    pub ceiling: f32,
    /// Threshold of the verdict in `unit`; `None` where it has none in this unit.
    pub threshold: Option<f64>,
}

pub(super) fn graphs(
    series: Option<&SeriesSet>,
    verdict: Option<&Verdict>,
    ctx: &ViewContext,
) -> Option<GraphPage> {
    let series = series.filter(|s| !s.is_empty())?;
    let ranges = || series.iter().map(|(_, s)| s.range()).filter(|r| !r.is_empty());
    let window = HourRange {
        from: ranges().map(|r| r.from).min().unwrap_or_default(),
        to: ranges().map(|r| r.to).max().unwrap_or_default(),
    };
    let idle = verdict.and_then(|v| v.idle_since).map(|since| {
        let to = Hour::containing(ctx.now).min(window.to);
        HourRange { from: Hour::at_or_after(since).max(window.from).min(to), to }
    });
    let mut graphs: Vec<Graph> = series
        .iter()
        .map(|(signal, values)| {
            let values: Vec<f32> =
                (window.from.0..window.to.0).map(|h| values.at(Hour(h))).collect();
            let max = values.iter().copied().filter(|v| v.is_finite()).reduce(f32::max);
            let (label, unit) = words(signal);
            let threshold = verdict
                .and_then(|v| v.signals.iter().find(|s| s.signal == signal && &*s.unit == unit))
                .map(|s| s.threshold);
            let limit = verdict.and_then(|v| hourly_limit(v, signal)).unwrap_or(0.0);
            let ceiling =
                if signal.is_percent() { 100.0 } else { max.unwrap_or(0.0).max(limit as f32) };
            Graph { signal, label, unit, values, max, ceiling, threshold }
        })
        .collect();
    // Stable: GPUs keep the order of their index.
    graphs.sort_by_key(|g| (g.signal.gpu().is_none(), g.signal.gpu()));
    Some(GraphPage { window, idle: idle.filter(|r| !r.is_empty()), graphs })
}

/// Limit of the verdict for an hour of a signal whose evidence counts by the day or by the second; `None` for another signal, and
/// without a limit.
fn hourly_limit(verdict: &Verdict, signal: Signal) -> Option<f64> {
    let (unit, factor) = match signal {
        Signal::NetworkIn | Signal::NetworkOut => (Measure::Network.unit(), 1.0 / 24.0),
        Signal::EbsReadOps | Signal::EbsWriteOps => (Measure::Ebs.unit(), 3_600.0),
        _ => return None,
    };
    verdict.signals.iter().find(|s| &*s.unit == unit).map(|s| s.threshold * factor)
}

fn words(signal: Signal) -> (String, &'static str) {
    match signal {
        Signal::CpuMean => ("CPU mean".into(), "%"),
        Signal::CpuMax => ("CPU max".into(), "%"),
        Signal::NetworkIn => ("network in".into(), "bytes/h"),
        Signal::NetworkOut => ("network out".into(), "bytes/h"),
        Signal::EbsReadOps => ("EBS reads".into(), "ops/h"),
        Signal::EbsWriteOps => ("EBS writes".into(), "ops/h"),
        Signal::GpuMean(i) => (format!("GPU {i} mean"), "%"),
        Signal::GpuMax(i) => (format!("GPU {i} max"), "%"),
        Signal::Resource(signal) => (signal.label().into(), signal.unit()),
    }
}
