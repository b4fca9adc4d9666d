//! A week in hours, and the windows in it.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

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
    /// of them is: in zones off by half an hour it touches two. The hour that a change to summer
    /// time skips counts in no week, the one that the change back repeats lasts two.
    pub fn of(from: Hour, hours: &[HourUse], zone: &TimeZone) -> Self {
        let mut out = Self { seen: [0; HOURS_PER_WEEK], used: [0; HOURS_PER_WEEK] };
        let Ok(len) = i32::try_from(hours.len()) else { return out };
        let (first, last) = (from.start(), from.plus(len).start());
        let mut date = zone.to_datetime(first).date();
        let end = zone.to_datetime(last).date();
        while date <= end {
            for hour in 0..24_i8 {
                let Some((start, stop)) = span(date, hour, zone) else { continue };
                let (a, b) = (Hour::containing(start), Hour::at_or_after(stop));
                if a >= b {
                    continue;
                }
                let uses = (a.0..b.0).map(|h| {
                    let i = usize::try_from(h - from.0).ok();
                    i.and_then(|i| hours.get(i)).copied().unwrap_or(HourUse::Unseen)
                });
                let (mut in_use, mut whole) = (false, true);
                for one in uses {
                    in_use |= one == HourUse::Used;
                    whole &= one != HourUse::Unseen;
                }
                let day = usize::try_from(date.weekday().to_monday_zero_offset()).unwrap_or(0);
                let slot = day * 24 + usize::try_from(hour).unwrap_or(0);
                // One witness is enough for use, whatever is missing beside it.
                out.seen[slot] += u16::from(whole || in_use);
                out.used[slot] += u16::from(in_use);
            }
            let Ok(next) = date.tomorrow() else { break };
            date = next;
        }
        out
    }

    /// True when the hour was seen in at least `weeks` weeks and used in none.
    fn is_off(&self, slot: usize, weeks: u16) -> bool {
        self.seen[slot] >= weeks.max(1) && self.used[slot] == 0
    }
}

/// From when to when the clocks of `zone` show that hour of that day.
fn span(date: Date, hour: i8, zone: &TimeZone) -> Option<(jiff::Timestamp, jiff::Timestamp)> {
    let at = |t: DateTime| zone.to_ambiguous_timestamp(t).compatible().ok();
    let start = date.at(hour, 0, 0, 0);
    let stop = start.checked_add(jiff::Span::new().hours(1)).ok()?;
    Some((at(start)?, at(stop)?))
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
