//! The re-measurement at the moment of acting: did it do anything in the last minutes?

mod busy;
mod quiet;
#[cfg(test)]
mod tests;

use jiff::{SignedDuration, Timestamp};

pub use quiet::is_silent;

use super::item::PlanItem;
use super::rules::Rules;
use crate::domain::{MALFORMED, Recent, RecentSeries, TypeSpec};

/// Result of the re-measurement of the last minutes, each with its reason in words.
#[derive(Clone, Debug, PartialEq)]
pub enum Activity {
    /// Every series is there, complete and recent, and none shows use.
    Quiet(String),
    /// A series shows use.
    Busy(String),
    /// A series is missing, incomplete or too old.
    Missing(String),
    /// A series holds values that make no sense.
    Malformed(String),
}

/// The time to be measured anew: the configured minutes (15–60), and everything since the verdict was
/// made, so that no hour lies between the evidence and the action.
pub fn window(item: &PlanItem, rules: &Rules, now: Timestamp) -> (Timestamp, Timestamp) {
    let minutes = minutes(rules);
    let back = now.saturating_sub(SignedDuration::from_mins(minutes)).unwrap_or(now);
    let judged = item.judged_until.unwrap_or(back);
    // The hour that was running when the metrics were read was not judged.
    let hour = crate::domain::Hour::containing(judged).start();
    (back.min(hour), now)
}

/// Minutes to be measured anew at least, 15–60.
fn minutes(rules: &Rules) -> i64 {
    i64::from(rules.recheck_minutes.clamp(15, 60))
}

/// GPUs of which nothing is heard any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    /// Since when.
    pub since: Timestamp,
    /// True where CloudWatch, which the measurement asks, told of them and fell silent too.
    pub is_measured: bool,
}

/// What is known before anything is measured: accelerators that nothing can watch, GPUs of which CloudWatch has told
/// nothing since `silent_since`. `None` where nothing speaks against a quiet measurement.
pub fn foresee(
    spec: Option<&TypeSpec>,
    silent_since: Option<Timestamp>,
    rules: &Rules,
) -> Option<Activity> {
    match (quiet::required(spec), silent_since) {
        (Err(what), _) => Some(Activity::Missing(what)),
        (Ok(_), since) => since.map(|t| Activity::Missing(quiet::silence(t, minutes(rules)))),
    }
}

/// What the last minutes say, by the limits of the cautious preset whatever preset judged: who is
/// about to act wants the strictest eye. One witness of use is enough; quiet takes all of them.
/// Disk operations are not measured anew.
pub fn judge(recent: &Recent, spec: Option<&TypeSpec>, now: Timestamp) -> Activity {
    if let Some(what) = busy::witness(recent, spec) {
        return Activity::Busy(what);
    }
    if let Some(what) = nonsense(recent) {
        return Activity::Malformed(what);
    }
    match quiet::testimony(recent, spec, now) {
        Ok(text) => Activity::Quiet(text),
        Err(what) => Activity::Missing(what),
    }
}

/// The first thing that makes no sense.
fn nonsense(recent: &Recent) -> Option<String> {
    if recent.from >= recent.to {
        return Some(format!("a time from {} to {}", recent.from, recent.to));
    }
    recent.series.iter().find_map(|series| {
        let name = series.signal.name();
        if series.period_s == 0 {
            return Some(format!("{name} of {} has no period", series.source));
        }
        let late = |at: Timestamp| at > recent.to;
        let point = series.points.iter().find(|p| !is_sane(series, p.1) || late(p.0))?;
        Some(format!("{name} of {} is {} at {}", series.source, point.1, point.0))
    })
}

/// False for what a sensor cannot mean: see [`crate::domain::Signal::observe`].
fn is_sane(series: &RecentSeries, value: f64) -> bool {
    series.signal.observe(value) != MALFORMED
}
