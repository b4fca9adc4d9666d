//! A week in hours, and the windows in it.

use std::collections::BTreeMap;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp};

use crate::analyze::idle::HourUse;
use crate::domain::Hour;

/// Hours of a week.
pub const HOURS_PER_WEEK: usize = 168;

/// How often each hour of the week was seen, and how often in use. Hour 0 is Monday 00:00 to 01:00
/// on the clocks of the zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Weeks in which the whole hour was seen.
    pub seen: [u16; HOURS_PER_WEEK],
    /// Weeks in which something used it.
    pub used: [u16; HOURS_PER_WEEK],
}

impl Profile {
    /// The profile of `hours`, one after the other from `from` on, on the clocks of `zone`.
    ///
    /// An hour of those clocks is seen when every UTC hour that it touches is, and used when one
    /// of them is: in zones off by half an hour it touches two. What the clocks skip counts in no
    /// week; an hour that they show twice in a day counts as one, with all that happened in it.
    pub fn of(from: Hour, hours: &[HourUse], zone: &TimeZone) -> Self {
        let mut out = Self { seen: [0; HOURS_PER_WEEK], used: [0; HOURS_PER_WEEK] };
        let Ok(len) = i32::try_from(hours.len()) else { return out };
        // By day and hour of the clocks: whether it was in use, and seen whole.
        let mut days: BTreeMap<(Date, i8), (bool, bool)> = BTreeMap::new();
        // What reaches into the hours before and after was not seen whole.
        for n in -1..=len {
            let seen = usize::try_from(n).ok().and_then(|i| hours.get(i)).copied();
            let seen = seen.unwrap_or(HourUse::Unseen);
            for clock in clocks(from.plus(n), zone) {
                let (in_use, whole) =
                    days.entry((clock.date(), clock.hour())).or_insert((false, true));
                *in_use |= seen == HourUse::Used;
                *whole &= seen != HourUse::Unseen;
            }
        }
        for ((date, hour), (in_use, whole)) in days {
            let slot = slot(date.at(hour, 0, 0, 0));
            // One witness is enough for use, whatever is missing beside it.
            out.seen[slot] += u16::from(whole || in_use);
            out.used[slot] += u16::from(in_use);
        }
        out
    }

    /// True when the hour was seen in at least `weeks` weeks and used in none.
    fn is_off(&self, slot: usize, weeks: u16) -> bool {
        self.seen[slot] >= weeks.max(1) && self.used[slot] == 0
    }
}

/// What the clocks of `zone` show during a UTC hour, each hour of theirs at least once. Zones are
/// off by quarters of an hour and change at quarters.
fn clocks(hour: Hour, zone: &TimeZone) -> impl Iterator<Item = DateTime> {
    const QUARTER: i32 = 900;
    let (first, second) = (zone.to_offset(hour.start()), zone.to_offset(hour.plus(1).start()));
    let minutes = if first == second && first.seconds() % 3_600 == 0 { 1 } else { 4 };
    let at =
        move |n: i32| hour.start().saturating_add(SignedDuration::from_secs((n * QUARTER).into()));
    (0..minutes).filter_map(move |n| at(n).ok()).map(|t| zone.to_datetime(t))
}

/// The hour of the week at a time of the clocks.
fn slot(clock: DateTime) -> usize {
    let day = usize::try_from(clock.weekday().to_monday_zero_offset()).unwrap_or(0);
    day * 24 + usize::try_from(clock.hour()).unwrap_or(0)
}

/// A change of the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// What the clocks show when it comes.
    pub from: DateTime,
    /// What they show from then on: later when they skip what lies between, earlier when they show
    /// it a second time.
    pub to: DateTime,
}

/// The changes of the clocks of `zone` in the [`YEARS_AHEAD`] years after `now`.
pub fn changes(zone: &TimeZone, now: Timestamp) -> Vec<Change> {
    let until = now.saturating_add(SignedDuration::from_hours(YEARS_AHEAD * 366 * 24));
    let until = until.unwrap_or(Timestamp::MAX);
    let mut before = zone.to_offset(now);
    let coming = zone.following(now).take_while(|t| t.timestamp() <= until);
    coming
        .filter_map(|t| {
            let was = std::mem::replace(&mut before, t.offset());
            let (from, to) =
                (was.to_datetime(t.timestamp()), t.offset().to_datetime(t.timestamp()));
            (from != to).then_some(Change { from, to })
        })
        .collect()
}

/// Years ahead in which changes of the clocks are looked for.
pub const YEARS_AHEAD: i64 = 2;

/// True for each hour of the week at whose beginning nothing can be set to happen, by one of
/// `changes`: the clocks skip it, or they show it twice and the hour before it once more in between.
pub fn unsettable(changes: &[Change]) -> [bool; HOURS_PER_WEEK] {
    let mut out = [false; HOURS_PER_WEEK];
    for &Change { from, to } in changes {
        // An hour that is repeated as a whole begins for the first time with what it repeats.
        let (first, end) = if from < to { (from, to) } else { (to, from) };
        let mut at = first;
        while at < end {
            if at.minute() == 0 && at.second() == 0 && (from < to || at > first) {
                out[slot(at)] = true;
            }
            let Ok(next) = at.checked_add(Span::new().minutes(15)) else { break };
            at = next;
        }
    }
    out
}

/// Hours of the week, one after the other, over the end of the week where it has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window {
    /// First hour of the week, 0–167.
    pub start: usize,
    /// Number of hours, 1–168.
    pub hours: usize,
}

/// The longest windows of at least `min_hours` hours that were each seen in `weeks` weeks and used
/// in none, in the order of their starts. A week that is off as a whole is one window from 0.
pub fn windows(profile: &Profile, weeks: u16, min_hours: usize) -> Vec<Window> {
    let off: Vec<bool> = (0..HOURS_PER_WEEK).map(|s| profile.is_off(s, weeks)).collect();
    if off.iter().all(|o| *o) {
        return vec![Window { start: 0, hours: HOURS_PER_WEEK }];
    }
    let before = |s: usize| off[(s + HOURS_PER_WEEK - 1) % HOURS_PER_WEEK];
    (0..HOURS_PER_WEEK)
        .filter(|s| off[*s] && !before(*s))
        .map(|start| {
            let hours = (0..HOURS_PER_WEEK).take_while(|n| off[(start + n) % HOURS_PER_WEEK]);
            Window { start, hours: hours.count() }
        })
        .filter(|w| w.hours >= min_hours)
        .collect()
}

/// The windows without beginnings and ends that are `unsettable`: schedulers leave out what has no
/// moment, and a start that is left out leaves the instance stopped. They become shorter, and those
/// of fewer than `min_hours` hours are gone.
pub fn settable(
    windows: Vec<Window>,
    unsettable: &[bool; HOURS_PER_WEEK],
    min_hours: usize,
) -> Vec<Window> {
    let shorter = |mut w: Window| {
        if w.hours == HOURS_PER_WEEK {
            return w;
        }
        while w.hours > 0 && unsettable[w.start] {
            w = Window { start: (w.start + 1) % HOURS_PER_WEEK, hours: w.hours - 1 };
        }
        while w.hours > 0 && unsettable[(w.start + w.hours) % HOURS_PER_WEEK] {
            w.hours -= 1;
        }
        w
    };
    let mut out: Vec<Window> =
        windows.into_iter().map(shorter).filter(|w| w.hours >= min_hours).collect();
    out.sort();
    out
}

/// Windows of the same clock times on several days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shift {
    /// Days on which they begin, 0 is Monday, in order.
    pub days: Vec<usize>,
    /// Hour of the day at which they begin.
    pub from: usize,
    /// Hours that they last.
    pub hours: usize,
}

impl Shift {
    /// Hour of the day at which they end.
    pub fn to(&self) -> usize {
        (self.from + self.hours) % 24
    }

    /// Days on which they end, 0 is Monday, in the order of [`Shift::days`].
    pub fn end_days(&self) -> Vec<usize> {
        self.days.iter().map(|d| (d + (self.from + self.hours) / 24) % 7).collect()
    }
}

/// Windows with the same clock times together, for one line of cron each.
pub fn shifts(windows: &[Window]) -> Vec<Shift> {
    let mut out: Vec<Shift> = Vec::new();
    for window in windows {
        let (day, from) = (window.start / 24, window.start % 24);
        match out.iter_mut().find(|s| s.from == from && s.hours == window.hours) {
            Some(shift) => shift.days.push(day),
            None => out.push(Shift { days: vec![day], from, hours: window.hours }),
        }
    }
    out
}
