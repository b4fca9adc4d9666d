//! Consecutive unusual days of a series.

use super::AnomalyKind;
use super::calendar::Calendar;
use super::usual::{DayState, Judged, Usual, WINDOW};

/// Standard deviations from which on a run begins.
const BEGINS: f64 = 5.0;

/// Standard deviations with which it goes on.
const GOES_ON: f64 = 2.5;

/// A spike is more than what is expected by this part of it.
const SPIKE_PART: f64 = 0.3;

/// A drop leaves at most this part of what is expected.
const DROP_LEAVES: f64 = 0.3;

/// The same, while it goes on.
const DROP_GOES_ON: f64 = 0.5;

/// Days of a drop at least: an idle day is none.
const DROP_DAYS: usize = 2;

/// Usual days that end a run.
const ENDS_AFTER: usize = 2;

/// What as large a part of the days before did by half is no news: 2 days of four weeks.
const NO_NEWS: f64 = 0.07;

/// A run begins beyond all days like it by this part of its difference.
const BEYOND: f64 = 0.5;

/// What the same day of the month before did by this part is no news either.
const RHYTHM_PART: f64 = 0.5;

/// Consecutive unusual days.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run {
    /// How they differ.
    pub kind: AnomalyKind,
    /// Place of the first day.
    pub first: usize,
    /// Place of the last unusual day.
    pub last: usize,
    /// True while it goes on at the end of the calendar.
    pub is_on: bool,
    /// Unusual days in it.
    pub days: usize,
    /// Usual days behind the last unusual one.
    pub quiet: usize,
    /// Actual less expected cost of the unusual days, USD.
    pub difference: f64,
    /// Most standard deviations of a day.
    pub score: f64,
}

impl Run {
    /// A run that ends with its last day.
    pub(super) const fn new(kind: AnomalyKind, first: usize, last: usize) -> Self {
        Self { kind, first, last, is_on: false, days: 1, quiet: 0, difference: 0.0, score: 0.0 }
    }

    /// True where days of both are the same.
    pub(super) const fn overlaps(&self, other: &Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// Finds spikes and drops in the values of a series; days in runs become [`DayState::Unusual`].
pub(super) fn runs(
    values: &[f64],
    states: &mut [DayState],
    calendar: &Calendar,
    floor: f64,
) -> Vec<Run> {
    let mut found = Vec::new();
    let mut open: Option<Run> = None;
    for at in 0..values.len() {
        if states[at] == DayState::Unread || (open.is_none() && !moves(values, at, floor)) {
            continue;
        }
        let judged = Judged { values, states, calendar };
        let before = open.map_or(at, |run| run.first);
        let Some(usual) = judged.usual(at, before) else { continue };
        if let Some(run) = &mut open {
            match goes_on(run, &usual, values[at], floor) {
                Some(true) if run.kind == AnomalyKind::Spike || at < calendar.complete => {
                    states[at] = DayState::Unusual;
                    run.last = at;
                    run.days += 1;
                    run.quiet = 0;
                    run.difference += values[at] - usual.expected;
                    run.score = run.score.max(score(&usual, values[at], floor));
                    if run.days >= WINDOW {
                        // It is usual now.
                        states[run.first..=run.last].iter_mut().for_each(|state| {
                            if *state == DayState::Unusual {
                                *state = DayState::Usual;
                            }
                        });
                        found.push(*run);
                        open = None;
                    }
                    continue;
                }
                Some(false) => {
                    run.quiet += 1;
                    if run.quiet < ENDS_AFTER {
                        continue;
                    }
                    found.push(*run);
                    open = None;
                }
                _ => continue,
            }
        }
        let judged = Judged { values, states, calendar };
        let Some(kind) = begins(&judged, &usual, at, floor) else { continue };
        states[at] = DayState::Unusual;
        if let Some(kind) = kind {
            let difference = values[at] - usual.expected;
            let score = score(&usual, values[at], floor);
            open = Some(Run { difference, score, ..Run::new(kind, at, at) });
        }
    }
    if let Some(run) = open {
        let is_on = run.quiet == 0;
        let is_drop = run.kind == AnomalyKind::Drop && is_on;
        let last = if is_drop { run.last.max(calendar.complete - 1) } else { run.last };
        found.push(Run { last, is_on, ..run });
    }
    found.retain(|run| run.kind == AnomalyKind::Spike || run.days >= DROP_DAYS);
    found
}

/// False where the day is so close to the day before and to the same weekday before that no run can begin with it.
fn moves(values: &[f64], at: usize, floor: f64) -> bool {
    let [Some(day), Some(week)] = [1, 7].map(|back| at.checked_sub(back).map(|day| values[day]))
    else {
        return true;
    };
    let least = (floor.max(SPIKE_PART * values[at].max(week) / 2.0)) / 2.0;
    (values[at] - week).abs() >= least || (values[at] - day).abs() >= least
}

/// Standard deviations from what is expected; the deviation is at least such that a difference of `floor` begins a run.
fn score(usual: &Usual, value: f64, floor: f64) -> f64 {
    (value - usual.expected).abs() / usual.deviation.max(floor / BEGINS)
}

/// The kind of run that begins with a day, `Some(None)` for one that is unusual and no news, `None` for a usual one.
fn begins(
    judged: &Judged<'_>,
    usual: &Usual,
    at: usize,
    floor: f64,
) -> Option<Option<AnomalyKind>> {
    let value = judged.values[at];
    let difference = value - usual.expected;
    if difference.abs() < floor || score(usual, value, floor) < BEGINS {
        return None;
    }
    let (least, most) = usual.range;
    let beyond = BEYOND * difference.abs();
    let kind = if difference > 0.0 {
        let is_more = difference >= SPIKE_PART * usual.expected && value - most >= beyond;
        is_more.then_some(AnomalyKind::Spike)?
    } else {
        // What is used on less than half of all days is no news when it is not.
        let is_regular = usual.level >= floor;
        let is_gone =
            is_regular && value <= DROP_LEAVES * usual.expected && least - value >= beyond;
        (is_gone && at < judged.calendar.complete).then_some(AnomalyKind::Drop)?
    };
    let is_rhythm = judged.month_before(at).map_or(is_first_of_month(judged, at), |before| {
        before * difference.signum() >= RHYTHM_PART * difference.abs()
    });
    let alike = judged.as_unusual(usual, at, RHYTHM_PART * difference) as f64;
    let is_news = !is_rhythm && alike < NO_NEWS * usual.known as f64;
    Some(is_news.then_some(kind))
}

/// The first day of a month is not judged where no month before it tells what is usual of it.
fn is_first_of_month(judged: &Judged<'_>, at: usize) -> bool {
    judged.calendar.days[at].date.day() == 1
}

/// Whether a run goes on with a day; `None` where the day tells nothing, since next to nothing is expected of it.
fn goes_on(run: &Run, usual: &Usual, value: f64, floor: f64) -> Option<bool> {
    let difference = value - usual.expected;
    let is_far = difference.abs() >= floor / 2.0 && score(usual, value, floor) >= GOES_ON;
    match run.kind {
        AnomalyKind::Spike => Some(is_far && difference >= SPIKE_PART / 2.0 * usual.expected),
        _ if usual.expected < floor => None,
        _ => Some(is_far && value <= DROP_GOES_ON * usual.expected),
    }
}
