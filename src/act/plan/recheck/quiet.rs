//! Signals that must all be quiet in the last minutes before an action.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use crate::domain::{AcceleratorKind, Recent, RecentSeries, Signal, TypeSpec};
use crate::view::format;

/// The least share of the expected points, percent, as for a verdict.
const COVERAGE_PERCENT: usize = 90;
/// Newest periods that nobody expects: CloudWatch takes the running one and a few minutes more to
/// deliver, so at five minutes a period these two are late without anything being wrong.
const LATE_PERIODS: usize = 2;
/// Fewest points that say anything.
const LEAST_POINTS: usize = 3;
/// Length of the periods in which CloudWatch's agent usually publishes, seconds.
const USUAL_PERIOD_S: i64 = 300;
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

/// The series that have to be there for a type. Err with what nothing can watch.
pub(super) fn required(spec: Option<&TypeSpec>) -> Result<Vec<Signal>, String> {
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

/// What a series lacks, in words, and how long to wait for it; `None` when every point that can have come is there.
fn lack(recent: &Recent, series: &RecentSeries, now: Timestamp) -> Option<String> {
    let period = i64::from(series.period_s).max(1);
    let inside = || series.points.iter().map(|p| p.0).filter(|t| *t >= recent.from);
    // By period: a point that came twice is one.
    let seen: BTreeSet<i64> =
        inside().map(|t| t.duration_since(recent.from).as_secs() / period).collect();
    let periods = recent.to.duration_since(recent.from).as_secs().max(0) / period;
    let needed = needed(periods);
    let newest = inside().max();
    let is_silent = newest.is_none_or(|at| is_old(at, period, now));
    if seen.len() >= needed && !is_silent {
        return None;
    }
    let (name, points) = (series.signal.words(), format::plural(seen.len(), "point"));
    let since = moment(recent.from);
    let mut text = format!("{name} has {points} of {} since {since}", format::span(period));
    if let Some(newest) = newest.filter(|_| is_silent) {
        text.push_str(&format!(", none after {}", moment(newest)));
    }
    if seen.len() < needed {
        text.push_str(&format!("; {needed} are needed"));
    }
    let is_of_agent = is_silent && series.signal.gpu().is_some();
    let wait = wait(&seen, periods, needed).saturating_mul(period);
    Some(format!("{text}: {}", advice(is_of_agent, wait)))
}

/// Points that a window of so many periods must have.
fn needed(periods: i64) -> usize {
    let expected = usize::try_from(periods).unwrap_or(usize::MAX).saturating_sub(LATE_PERIODS);
    expected.saturating_mul(COVERAGE_PERCENT).div_ceil(100).max(LEAST_POINTS)
}

/// True for the newest point of an agent that died.
fn is_old(newest: Timestamp, period_s: i64, now: Timestamp) -> bool {
    now.duration_since(newest) > OLDEST + SignedDuration::from_secs(period_s)
}

/// Periods until enough points are there, where one comes in each from now on and a window of `periods` goes along; all of them
/// at most.
fn wait(seen: &BTreeSet<i64>, periods: i64, needed: usize) -> i64 {
    let mut oldest = seen.iter().peekable();
    let mut left = seen.len();
    for passed in 1..periods {
        while oldest.next_if(|period| **period < passed).is_some() {
            left -= 1;
        }
        if left + usize::try_from(passed).unwrap_or(usize::MAX) >= needed {
            return passed;
        }
    }
    periods.max(1)
}

/// What is missing where nothing was heard of GPUs since a moment, for a window of so many minutes.
pub(super) fn silence(since: Timestamp, minutes: i64) -> String {
    let needed = i64::try_from(needed(minutes * 60 / USUAL_PERIOD_S)).unwrap_or(i64::MAX);
    let wait = advice(true, needed.saturating_mul(USUAL_PERIOD_S));
    format!("nothing was heard of its GPUs since {}: {wait}", moment(since))
}

/// True where a source that has told of others at `told` has heard nothing of a GPU since `heard` for longer than the check allows.
pub fn is_silent(heard: Timestamp, told: Timestamp) -> bool {
    is_old(heard, USUAL_PERIOD_S, told)
}

/// What to do about points that are missing, and how long that takes.
fn advice(is_of_agent: bool, wait_s: i64) -> String {
    let first = if is_of_agent { "restart its agent, then " } else { "" };
    format!("{first}wait about {} and check again", format::span(wait_s))
}

fn moment(at: Timestamp) -> impl std::fmt::Display {
    at.strftime("%Y-%m-%d %H:%M UTC")
}
