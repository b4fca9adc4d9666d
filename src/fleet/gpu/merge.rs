//! Merges what several sources report of one GPU.

use std::cmp::Ordering;
use std::sync::Arc;

use jiff::Timestamp;

use super::Told;
use crate::domain::{GpuIdentity, GpuSample, GpuSignal, RecentWindow, Rung, SourceId, format};

/// Two readings further apart, seconds, may differ because the work changed.
const COMPARABLE_S: i64 = 60;
/// Ratios further apart than this disagree.
const RATIO_APART: f32 = 0.2;
/// Power and memory further apart than this share of the larger disagree.
const SHARE_APART: f32 = 0.25;
/// Watts and MiB within which a GPU at rest may differ by any share.
const NOISE: f32 = 10.0;

/// Signals that are compared between sources.
const COMPARED: [(GpuSignal, &str, &str); 11] = [
    (GpuSignal::Util, "utilisation", "%"),
    (GpuSignal::SmActive, "SM active", "%"),
    (GpuSignal::GrEngine, "graphics engine active", "%"),
    (GpuSignal::Tensor, "tensor active", "%"),
    (GpuSignal::Dram, "DRAM active", "%"),
    (GpuSignal::Enc, "encoder", "%"),
    (GpuSignal::Dec, "decoder", "%"),
    (GpuSignal::NeuronCore, "NeuronCores", "%"),
    (GpuSignal::Power, "power", "W"),
    (GpuSignal::MemUsed, "memory used", "MiB"),
    (GpuSignal::MemTotal, "memory", "MiB"),
];

/// Sample of one source about a GPU, a candidate for the merged row.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Measured values.
    pub sample: &'a GpuSample,
    /// Kind of source.
    pub source: SourceId,
    /// Configured name or host name of the source.
    pub origin: &'a Arc<str>,
    /// Place in the rows of the instance that its host names identify; `None` without one.
    pub place: Option<usize>,
    /// Time of measurement, at most the time of reading (clocks differ).
    pub taken_at: Timestamp,
    /// Age from which it is stale, milliseconds.
    pub limit_ms: i64,
    /// True while it is not stale.
    pub fresh: bool,
}

impl Candidate<'_> {
    fn told(&self) -> Told {
        Told { source: self.source, origin: self.origin.clone(), taken_at: self.taken_at }
    }
}

/// One GPU as merged from all its sources.
#[derive(Clone, Debug)]
pub struct Merged {
    /// Values of the best source, completed with those that only others have.
    pub sample: GpuSample,
    /// Place in the rows of the instance it sits in; `None` without one.
    pub place: Option<usize>,
    /// Sources, best first.
    pub told: Vec<Told>,
    /// Differences between the sources, one clause; empty when they agree.
    pub disagreement: Arc<str>,
    /// Highest activity of an engine, 0–1, in the newest sample of a source other than the best; `None` without one. A
    /// single source that sees use is enough.
    pub elsewhere: Option<f32>,
    /// Age from which it is stale, milliseconds.
    pub limit_ms: i64,
    /// False when no source has a fresh sample.
    pub fresh: bool,
}

/// Merges the samples of one GPU: fresh before stale, then the best evidence, then the newest. Values that the first
/// lacks are taken from the next; nothing is averaged. When a GPU is reported on two hosts, the newest sample decides
/// the host and the others are dropped. `None` without candidates. The order of `candidates` does not matter; `quiet`
/// is the text for no disagreement; `names` returns the host name of a place.
pub fn merge(
    candidates: &mut Vec<Candidate<'_>>,
    quiet: &Arc<str>,
    names: impl Fn(usize) -> Arc<str>,
) -> Option<Merged> {
    if let [only] = &candidates[..] {
        return Some(alone(only, quiet));
    }
    let mut said: Vec<String> = Vec::new();
    one_place(candidates, &mut said, names);
    candidates.sort_by(order);
    let best = candidates.first()?;
    let mut sample = best.sample.clone();
    sample.taken_at = best.taken_at;
    let mut identity = &best.sample.identity;
    let same_age = candidates.iter().filter(|c| c.fresh == best.fresh);
    let mut place = best.place;
    for other in same_age.skip(1) {
        fill(&mut sample, other.sample);
        if completeness(&other.sample.identity) > completeness(identity) {
            identity = &other.sample.identity;
        }
        place = place.or(other.place);
    }
    sample.identity = identity.clone();
    disagreements(candidates, &mut said);
    let mut told: Vec<Told> = Vec::with_capacity(candidates.len());
    for c in &*candidates {
        if !told.iter().any(|t| t.source == c.source && t.origin == *c.origin) {
            told.push(c.told());
        }
    }
    Some(Merged {
        place,
        told,
        elsewhere: elsewhere(candidates),
        disagreement: if said.is_empty() { quiet.clone() } else { said.join("; ").into() },
        limit_ms: best.limit_ms,
        fresh: best.fresh,
        sample,
    })
}

/// Merges a GPU that one source reports, which is the rule.
fn alone(only: &Candidate<'_>, quiet: &Arc<str>) -> Merged {
    Merged {
        sample: GpuSample { taken_at: only.taken_at, ..only.sample.clone() },
        place: only.place,
        told: vec![only.told()],
        disagreement: quiet.clone(),
        elsewhere: None,
        limit_ms: only.limit_ms,
        fresh: only.fresh,
    }
}

fn order(a: &Candidate<'_>, b: &Candidate<'_>) -> Ordering {
    let rung = |c: &Candidate<'_>| Rung::of(&c.sample.signals);
    b.fresh
        .cmp(&a.fresh)
        .then_with(|| rung(a).cmp(&rung(b)))
        .then_with(|| b.taken_at.cmp(&a.taken_at))
        // Of one moment: the one that says most work.
        .then_with(|| {
            let value = |c: &Candidate<'_>, s| c.sample.signals.get(s).unwrap_or(-1.0);
            GpuSignal::ALL
                .into_iter()
                .map(|s| value(b, s).total_cmp(&value(a, s)))
                .find(|o| o.is_ne())
                .unwrap_or(Ordering::Equal)
        })
        .then_with(|| (a.source, a.origin).cmp(&(b.source, b.origin)))
        .then_with(|| a.sample.owner.cmp(&b.sample.owner))
}

/// Highest activity of the engines in fresh samples of sources besides the best one, 0–1; `None` without any.
fn elsewhere(candidates: &[Candidate<'_>]) -> Option<f32> {
    let (best, others) = candidates.split_first()?;
    let same = |a: &Candidate<'_>, b: &Candidate<'_>| (a.source, a.origin) == (b.source, b.origin);
    let is_newest = |c: &Candidate<'_>| {
        others.iter().all(|other| !same(c, other) || other.taken_at <= c.taken_at)
    };
    let others = others.iter().filter(|c| c.fresh && !same(c, best) && is_newest(c));
    others.filter_map(|c| c.sample.signals.busiest()).reduce(f32::max)
}

/// Keeps the candidates of the host that was reported last.
fn one_place(
    candidates: &mut Vec<Candidate<'_>>,
    said: &mut Vec<String>,
    names: impl Fn(usize) -> Arc<str>,
) {
    let newest = candidates
        .iter()
        .filter_map(|c| Some((c.taken_at, c.place?)))
        .max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    let Some((_, here)) = newest else { return };
    let mut left: Vec<usize> =
        candidates.iter().filter_map(|c| c.place.filter(|p| *p != here)).collect();
    if left.is_empty() {
        return;
    }
    left.sort_unstable();
    left.dedup();
    said.extend(left.into_iter().map(|p| format!("also told on {}, longer ago", names(p))));
    candidates.retain(|c| c.place.is_none_or(|p| p == here));
}

fn fill(sample: &mut GpuSample, other: &GpuSample) {
    sample.signals.fill_from(&other.signals);
    sample.throttle = sample.throttle.or(other.throttle);
    if sample.owner.is_nobody() && !other.owner.is_nobody() {
        sample.owner = other.owner.clone();
    }
    sample.names_owners |= other.names_owners;
    if sample.processes.is_none() {
        sample.processes.clone_from(&other.processes);
    }
    // One that saw use within its window is right, whatever the others missed.
    let saw_more = |a: RecentWindow, b: RecentWindow| {
        if a.max_activity >= b.max_activity || a.max_activity.is_nan() { a } else { b }
    };
    sample.recent = match (sample.recent, other.recent) {
        (Some(a), Some(b)) => Some(saw_more(a, b)),
        (a, b) => a.or(b),
    };
}

/// How much an identity says; the fullest is kept.
fn completeness(identity: &GpuIdentity) -> u32 {
    let mig = identity.mig.as_ref().map_or(0, |m| 1 + u32::from(!m.profile.is_empty()));
    16 * u32::from(identity.uuid.is_some())
        + 8 * u32::from(identity.index.is_some())
        + 2 * mig
        + u32::from(!identity.model.is_empty())
        + u32::from(!identity.pci_bus_id.is_empty())
}

/// Every signal on which a source differs from the best one that has it.
fn disagreements(candidates: &[Candidate<'_>], said: &mut Vec<String>) {
    for (signal, name, unit) in COMPARED {
        let mut having = candidates
            .iter()
            .filter(|c| c.fresh)
            .filter_map(|c| Some((c, c.sample.signals.get(signal)?)));
        let Some((best, a)) = having.next() else { continue };
        let differs = having.find(|(other, b)| {
            let apart_s = other.taken_at.duration_since(best.taken_at).as_secs().abs();
            let same = (other.source, other.origin) == (best.source, best.origin);
            !same && apart_s <= COMPARABLE_S && disagree(unit, a, *b)
        });
        if let Some((other, b)) = differs {
            let value = |value: f32| match unit {
                "%" => format::percent(100.0 * value, 0),
                _ => format!("{value:.0} {unit}"),
            };
            said.push(format!(
                "{name}: {} {} says {}, {} {} says {}",
                best.source.word(),
                best.origin,
                value(a),
                other.source.word(),
                other.origin,
                value(b),
            ));
        }
    }
}

fn disagree(unit: &str, a: f32, b: f32) -> bool {
    let apart = (a - b).abs();
    match unit {
        "%" => apart > RATIO_APART,
        _ => apart > NOISE && apart > SHARE_APART * a.max(b),
    }
}
