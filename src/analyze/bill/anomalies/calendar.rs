//! The days that bills cover.

use std::sync::Arc;

use jiff::civil::Date;

use crate::domain::bill::{Bill, Month, PeriodState};

/// Months that are looked at, the newest ones; as many as Cost Explorer has.
pub(super) const MONTHS_AT_MOST: i32 = 14;

/// Last days of a month that goes on whose lines may be missing.
const LATE_DAYS: usize = 2;

/// A day of the calendar.
#[derive(Clone, Copy, Debug)]
pub(super) struct CalendarDay {
    /// Date.
    pub date: Date,
    /// Place of its month, from 0.
    pub month: usize,
    /// Weekday, 0–6.
    pub weekday: u8,
    /// The same day of the month before, or its last day where this is the last one; `None` before the first month.
    pub month_before: Option<usize>,
}

/// All days from the first of the first month to the last one with use.
#[derive(Debug)]
pub(super) struct Calendar {
    /// The first month.
    first: Month,
    /// Place of the first day of each month.
    begins: Vec<usize>,
    /// By place.
    pub days: Vec<CalendarDay>,
    /// Days before this one are complete; drops are not told of later ones.
    pub complete: usize,
}

impl Calendar {
    /// The calendar of the bills that have days; `None` without such.
    pub(super) fn of(bills: &[Arc<Bill>]) -> Option<Self> {
        let heads = || bills.iter().map(|bill| &bill.head).filter(|head| head.has_days);
        let last = heads().map(|head| head.period).max()?;
        let first =
            heads().map(|head| head.period).filter(|m| last.since(*m) < MONTHS_AT_MOST).min()?;
        let newest = || heads().filter(|head| head.period == last);
        let is_open = |state| state == PeriodState::Open;
        let mut days = Vec::new();
        let mut begins = Vec::new();
        for place in 0..=last.since(first) {
            let month = first.plus(place);
            let until = if month == last && newest().all(|head| is_open(head.state)) {
                newest().map(|head| head.last_day).max()?.min(month.days())
            } else {
                month.days()
            };
            let before = begins.last().map(|begin| (*begin, days.len()));
            begins.push(days.len());
            for day in 1..=until {
                let date = month.day(day);
                let same = before.map(|(begin, end)| {
                    let is_last = day == month.days();
                    if is_last { end - 1 } else { (begin + usize::from(day) - 1).min(end - 1) }
                });
                days.push(CalendarDay {
                    date,
                    month: begins.len() - 1,
                    weekday: date.weekday().to_monday_zero_offset().unsigned_abs(),
                    month_before: same,
                });
            }
        }
        let open = newest().filter(|head| is_open(head.state)).map(|head| head.last_day).min();
        let begin = begins.last().copied().unwrap_or_default();
        let complete = open.map_or(days.len(), |day| {
            (begin + usize::from(day)).min(days.len()).saturating_sub(LATE_DAYS)
        });
        Some(Self { first, begins, days, complete })
    }

    /// Place of a month; `None` outside the calendar.
    pub(super) fn month(&self, month: Month) -> Option<usize> {
        usize::try_from(month.since(self.first)).ok().filter(|place| *place < self.begins.len())
    }

    /// Place of day number `day`, from 1, of the month at `month`; `None` outside the calendar and for day 0.
    pub(super) fn day(&self, month: usize, day: u8) -> Option<usize> {
        let place = self.begins.get(month)? + usize::from(day).checked_sub(1)?;
        (place < self.begins.get(month + 1).copied().unwrap_or(self.days.len())).then_some(place)
    }
}
