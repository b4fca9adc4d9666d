//! From datapoints to samples.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::series::{self, Device, Found};
use crate::domain::{GpuSample, GpuSignal, GpuSignals, RecentWindow};
use crate::source::provider::{MetricResult, Minutes};

/// A series with its datapoints.
pub struct Answer<'a> {
    /// Series that was queried.
    pub of: &'a Found,
    /// Raw datapoints: start of the period and value.
    pub points: Vec<(Timestamp, f64)>,
    /// False when the answer may lack datapoints.
    pub complete: bool,
}

/// Answers in the order of `batch`; a series without an answer is included as incomplete.
pub fn pair(batch: &[Found], results: Vec<MetricResult>) -> Vec<Answer<'_>> {
    let mut by_query: HashMap<usize, MetricResult> =
        results.into_iter().map(|r| (r.query, r)).collect();
    let of = |(i, of): (usize, _)| {
        let (points, complete) =
            by_query.remove(&i).map_or_else(|| (Vec::new(), false), |r| (r.points, r.complete));
        Answer { of, points, complete }
    };
    batch.iter().enumerate().map(of).collect()
}

/// One value per period, `None` where it makes no sense.
type Points = BTreeMap<Timestamp, Option<f32>>;

/// The points of several series of one thing: per period the highest, and nonsense where one of them
/// sent nonsense, so that nobody takes it for rest.
fn merged(signal: GpuSignal, scale: f64, answers: &[&Answer<'_>]) -> Points {
    let mut out = Points::new();
    for (at, raw) in answers.iter().flat_map(|a| &a.points) {
        let value = signal.observe(raw * scale);
        out.entry(*at)
            .and_modify(|kept| *kept = kept.zip(value).map(|(a, b)| a.max(b)))
            .or_insert(value);
    }
    out
}

/// The mean over parts, of the periods in which every part has a value.
fn mean(parts: &[Points]) -> Points {
    let Some(first) = parts.first() else { return Points::new() };
    let of = |at: &Timestamp| {
        let values: Option<Vec<f32>> = parts.iter().map(|p| p.get(at).copied().flatten()).collect();
        values.map(|v| v.iter().sum::<f32>() / v.len() as f32)
    };
    first.keys().map(|at| (*at, of(at))).collect()
}

/// Samples of all GPUs with a datapoint in `minutes`.
pub fn samples(answers: &[Answer<'_>], minutes: Minutes, now: Timestamp) -> Vec<GpuSample> {
    let mut by_device: BTreeMap<&Device, Vec<&Answer<'_>>> = BTreeMap::new();
    for answer in answers {
        by_device.entry(&answer.of.device).or_default().push(answer);
    }
    by_device.into_iter().filter_map(|(device, of)| sample(device, &of, minutes, now)).collect()
}

fn sample(
    device: &Device,
    answers: &[&Answer<'_>],
    minutes: Minutes,
    now: Timestamp,
) -> Option<GpuSample> {
    let mut signals = GpuSignals::default();
    let (mut taken_at, mut activity, mut power) = (None, None, None);
    let mut by_signal: BTreeMap<GpuSignal, Vec<&Answer<'_>>> = BTreeMap::new();
    for answer in answers {
        by_signal.entry(answer.of.field.signal).or_default().push(answer);
    }
    for (signal, answers) in by_signal {
        let points = points_of(signal, &answers);
        let Some((at, value)) = points.last_key_value() else { continue };
        // The newest value, or none: an older one would hide that the newest makes no sense.
        if let Some(value) = value {
            signals.set(signal, f64::from(*value));
        }
        let complete = answers.iter().all(|a| a.complete);
        match signal {
            GpuSignal::Util | GpuSignal::NeuronCore => {
                taken_at = Some(*at);
                activity = Some((points, complete));
            }
            GpuSignal::Power => power = highest(&points).filter(|_| complete),
            _ => {}
        }
    }
    let end = taken_at?.checked_add(SignedDuration::from_secs(i64::from(minutes.period_s))).ok()?;
    let (points, complete) = activity?;
    let recent = highest(&points).filter(|_| complete).map(|max_activity| RecentWindow {
        seconds: u32::try_from(minutes.to.as_second() - minutes.from.as_second()).unwrap_or(0),
        samples: points.len() as u32,
        max_activity,
        max_power_w: power,
    });
    let found: Vec<&Found> = answers.iter().map(|a| a.of).collect();
    Some(GpuSample {
        recent,
        ..GpuSample::new(Arc::new(series::identity(device, &found)), end.min(now), signals)
    })
}

/// The values of a signal: over the series of each part the highest, over the parts the mean.
fn points_of(signal: GpuSignal, answers: &[&Answer<'_>]) -> Points {
    let mut by_part: BTreeMap<&Arc<str>, Vec<&Answer<'_>>> = BTreeMap::new();
    for answer in answers {
        by_part.entry(&answer.of.part).or_default().push(answer);
    }
    let parts: Vec<Points> = by_part
        .values()
        .map(|of| merged(signal, of.first().map_or(1.0, |a| a.of.field.scale), of))
        .collect();
    mean(&parts)
}

/// The highest value; `None` when one of them makes no sense, or there is none.
fn highest(points: &Points) -> Option<f32> {
    points.values().try_fold(None, |highest: Option<f32>, value| {
        let value = (*value)?;
        Some(Some(highest.map_or(value, |h| h.max(value))))
    })?
}
