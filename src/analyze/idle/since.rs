//! Since when: the start of the uninterrupted idle stretch.

use jiff::Timestamp;

use super::judge::Subject;
use super::machine::Machine;
use super::policy::Policy;
use super::survey::{Finding, Frame, Survey};
use super::surveyor::survey;
use crate::domain::{Hour, HourRange};

/// When an idle stretch began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub at: Timestamp,
    /// True where no use was seen before it: it may have begun earlier.
    pub at_least: bool,
}

impl Start {
    /// The start that an earlier verdict saw, where its stretch goes on: this one reaches back to
    /// where looking began, nothing lies between the hours of both, the instance was not launched
    /// anew, and what idles idled then. `gpus` are those that idle, where others work.
    pub fn or_earlier(self, subject: &Subject<'_>, frame: Frame, gpus: Option<&[u16]>) -> Self {
        let Some(before) = subject.before.filter(|_| self.at_least) else { return self };
        let looked_from = self.at.min(frame.judged.from.start());
        let launched = Some(subject.instance.launched_at);
        let goes_on = before.goes_on(self.at, looked_from, frame.judged.to, launched);
        let idled = match (&before.gpus, gpus) {
            (None, _) => true,
            (Some(then), Some(now)) => now.iter().all(|gpu| then.contains(gpu)),
            (Some(_), None) => false,
        };
        if goes_on && idled { Self { at: before.since, at_least: before.at_least } } else { self }
    }
}

/// The moment from which everything that `select` picks has been quiet until the end of the
/// judged hours; `None` where it was not quiet in the last one.
///
/// The moment is a lower bound of the idleness: where the judged hours were quiet from their
/// start, older series, if any are at hand, are asked as far as they go with 90% coverage.
/// Missing hours at the start of the stretch are left out of it.
pub(super) fn quiet_since(
    subject: &Subject<'_>,
    policy: &Policy,
    machine: Machine,
    frame: Frame,
    surveyed: &Survey,
    select: &dyn Fn(&Finding) -> bool,
) -> Option<Start> {
    let start = quiet_from(surveyed, select);
    if start == 0
        && let Some(older) = older_range(subject, frame, surveyed, select)
    {
        let judge = |judged| {
            let frame = Frame { judged, ..Frame::new(policy, machine, judged) };
            (survey(subject.series, subject.spec, policy, machine, frame), frame)
        };
        // First the whole past, for the last use in it; then the stretch since, for its coverage.
        let (whole, _) = judge(older);
        let since = older.from.plus(quiet_from(&whole, select) as i32);
        if since < frame.judged.from {
            let range = HourRange { from: since, to: older.to };
            let (rest, rest_frame) = judge(range);
            let covered = rest.findings.iter().filter(|f| select(f)).all(|f| f.covered);
            if covered {
                let start = quiet_from(&rest, select);
                let found = first_witnessed(subject, rest_frame, &rest, select, start)?;
                // What lies right before it is a use, unless it begins where the series begin.
                let at_least = found.at_least && since == older.from;
                return Some(Start { at_least, ..found });
            }
        }
    }
    first_witnessed(subject, frame, surveyed, select, start)
}

/// The first hour of the quiet stretch.
fn quiet_from(surveyed: &Survey, select: &dyn Fn(&Finding) -> bool) -> usize {
    let after = |f: &Finding| f.last_use.map_or(0, |l| l + 1);
    surveyed.findings.iter().filter(|f| select(f)).map(after).max().unwrap_or(0)
}

/// The hours of this life of the instance for which every selected series has something, if that
/// reaches further back than the judged hours.
fn older_range(
    subject: &Subject<'_>,
    frame: Frame,
    surveyed: &Survey,
    select: &dyn Fn(&Finding) -> bool,
) -> Option<HourRange> {
    let starts = surveyed
        .findings
        .iter()
        .filter(|f| select(f))
        .flat_map(|f| f.series.into_iter().flatten())
        .filter_map(|s| subject.series.get(s).map(|s| s.start));
    let from = starts.max()?.max(Hour::at_or_after(subject.instance.launched_at));
    (from < frame.judged.from).then_some(HourRange { from, to: frame.judged.to })
}

/// The start of the first hour from `start` on in which every selected series has a datapoint. A
/// stretch that goes back to the launch begins with it.
fn first_witnessed(
    subject: &Subject<'_>,
    frame: Frame,
    surveyed: &Survey,
    select: &dyn Fn(&Finding) -> bool,
    start: usize,
) -> Option<Start> {
    let witnessed = |i: usize| {
        let hour = frame.judged.from.plus(i as i32);
        surveyed.findings.iter().filter(|f| select(f)).all(|f| {
            f.series
                .into_iter()
                .flatten()
                .all(|s| subject.series.get(s).is_some_and(|s| !s.at(hour).is_nan()))
        })
    };
    let first = (start..frame.hours()).find(|i| witnessed(*i))?;
    let launch = subject.instance.launched_at;
    if first == 0 && frame.judged.from == Hour::at_or_after(launch) {
        return Some(Start { at: launch, at_least: false });
    }
    let at = frame.judged.from.plus(first as i32).start();
    Some(Start { at, at_least: start == 0 })
}
