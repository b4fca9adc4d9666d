//! Signals that must all be quiet in the last minutes before an action.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use crate::domain::{AcceleratorKind, Recent, RecentSeries, Signal, TypeSpec};

/// The least share of the expected points, percent, as for a verdict.
const COVERAGE_PERCENT: usize = 90;
/// Newest periods that nobody expects: CloudWatch takes the running one and a few minutes more to
/// deliver, so at five minutes a period these two are late without anything being wrong.
const LATE_PERIODS: usize = 2;
/// Fewest points that say anything.
const LEAST_POINTS: usize = 3;
/// Age at which the newest point, beyond its own period, is old: an agent that died.
const OLDEST: SignedDuration = SignedDuration::from_mins(15);

/// Signals that were quiet, in words. Err with the signal that is missing or was not quiet.
pub(super) fn testimony(
    recent: &Recent,
    spec: Option<&TypeSpec>,
    now: Timestamp,
) -> Result<String, String> {
    let wanted = required(spec)?;
    if let Some(series) = recent.series.iter().find(|s| !s.complete) {
        return Err(format!("{} of {} came in part", series.signal.words(), series.source));
    }
    for signal in &wanted {
        // Another source of the same series may be dead or empty; one that saw it all is enough.
        let mut worst = format!("{} was not measured", signal.words());
        let full = recent
            .series
            .iter()
            .filter(|s| s.signal == *signal)
            .any(|series| lack(recent, series, now).map(|why| worst = why).is_none());
        if !full {
            return Err(worst);
        }
    }
    let minutes = recent.to.duration_since(recent.from).as_mins();
    Ok(format!("quiet for {minutes} min: {} series, measured anew", wanted.len()))
}

/// The series that have to be there for a type.
fn required(spec: Option<&TypeSpec>) -> Result<Vec<Signal>, String> {
    let spec = spec.filter(|s| s.vcpus > 0).ok_or("its type is not known")?;
    let gpus = match &spec.accelerator {
        None => 0,
        Some(a) if a.kind == AcceleratorKind::NvidiaGpu && a.devices > 0 => a.devices,
        Some(a) => return Err(format!("nothing can watch its {}", a.model)),
    };
    let mut out = vec![Signal::CpuMean, Signal::CpuMax, Signal::NetworkIn, Signal::NetworkOut];
    out.extend((0..gpus).map(|gpu| Signal::GpuMax(u16::try_from(gpu).unwrap_or(u16::MAX))));
    Ok(out)
}

/// What a series lacks, in words; `None` when every point that can have come is there.
fn lack(recent: &Recent, series: &RecentSeries, now: Timestamp) -> Option<String> {
    let name = series.signal.words();
    let period = i64::from(series.period_s).max(1);
    let inside = || series.points.iter().map(|p| p.0).filter(|t| *t >= recent.from);
    // By period: a point that came twice is one.
    let seen: BTreeSet<i64> =
        inside().map(|t| t.duration_since(recent.from).as_secs() / period).collect();
    let Some(newest) = inside().max() else { return Some(format!("{name} has no point")) };
    let span = recent.to.duration_since(recent.from).as_secs().max(0) / period;
    let expected = usize::try_from(span).unwrap_or(usize::MAX).saturating_sub(LATE_PERIODS);
    if seen.len() < LEAST_POINTS || seen.len() * 100 < expected.saturating_mul(COVERAGE_PERCENT) {
        let expected = expected.max(LEAST_POINTS);
        return Some(format!("{name} has {} points of {expected}", seen.len()));
    }
    let age = now.duration_since(newest);
    (age > OLDEST + SignedDuration::from_secs(period))
        .then(|| format!("{name} ends at {newest}, {} min ago", age.as_mins()))
}
