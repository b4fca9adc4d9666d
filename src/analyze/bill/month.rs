//! The month so far, beside the last one, and its end.

use std::sync::Arc;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::forecast::{Forecast, forecast};
use crate::domain::bill::{Bill, Charge, Month, PeriodState, Sums, Usd};
use crate::domain::hash::FastMap;

/// The newest period of some bills.
#[derive(Clone, Debug, PartialEq)]
pub struct MonthPicture {
    /// The period; `None` without bills.
    pub period: Option<Month>,
    /// One bar per day up to the last one with a line, in order; empty where usage is not told by day.
    pub days: Vec<DayBar>,
    /// The days of the period before it, in order; empty where no bill of it is there.
    pub days_before: Vec<DayBar>,
    /// Sums of all lines of the period.
    pub so_far: Sums,
    /// Effective cost of the days, without the charges of the whole period.
    pub so_far_by_day: Usd,
    /// Effective cost of as many days of the period before; compares with `so_far_by_day`. `None` where no bill of it
    /// is there, or usage is not told by day.
    pub last_to_same_day: Option<Usd>,
    /// Effective cost of the whole period before; `None` where no bill of it is there.
    pub last_total: Option<Usd>,
    /// Effective cost of the month at its end; `None` for a closed period, and with less than a week of days.
    pub forecast: Option<Forecast>,
}

/// Cost of a day, without charges of the whole period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DayBar {
    /// The day, UTC.
    pub date: Date,
    /// Effective cost, US dollars.
    pub effective: Usd,
    /// Billed cost, US dollars.
    pub billed: Usd,
}

/// The newest period of the bills, with the periods before it as its past.
pub fn month(bills: &[Arc<Bill>]) -> MonthPicture {
    let Some(period) = bills.iter().map(|bill| bill.head.period).max() else {
        return MonthPicture {
            period: None,
            days: vec![],
            days_before: vec![],
            so_far: Sums::default(),
            so_far_by_day: Usd::ZERO,
            last_to_same_day: None,
            last_total: None,
            forecast: None,
        };
    };
    let of = |period: Month| bills.iter().filter(move |bill| bill.head.period == period);
    let before = period.plus(-1);
    let (days, days_before) = (day_bars(of(period)), day_bars(of(before)));
    let sum = |days: &[DayBar]| days.iter().map(|day| day.effective).sum::<Usd>();
    let total = |period| of(period).map(|bill| &bill.head.total).sum::<Sums>();
    let has_before = of(before).next().is_some();
    let so_far_by_day = sum(&days);
    let same_days = &days_before[..days_before.len().min(days.len())];
    MonthPicture {
        period: Some(period),
        so_far: total(period),
        so_far_by_day,
        last_to_same_day: (!days.is_empty() && !days_before.is_empty()).then(|| sum(same_days)),
        last_total: has_before.then(|| total(before).effective),
        forecast: month_end(bills, period),
        days,
        days_before,
    }
}

/// One bar per day up to the last one with a line of use; empty where no bill tells usage by day.
fn day_bars<'a>(bills: impl Iterator<Item = &'a Arc<Bill>>) -> Vec<DayBar> {
    let mut days: Vec<DayBar> = Vec::new();
    for bill in bills.filter(|bill| bill.head.has_days) {
        let last = bill.cells.iter().map(|cell| cell.day).max().unwrap_or(0);
        for day in days.len() as u8 + 1..=last {
            let date = bill.head.period.day(day);
            days.push(DayBar { date, effective: Usd::ZERO, billed: Usd::ZERO });
        }
        for cell in &bill.cells {
            let place = usize::from(cell.day).checked_sub(1);
            if let Some(bar) = place.and_then(|place| days.get_mut(place)) {
                bar.effective += cell.sums.effective;
                bar.billed += cell.sums.billed;
            }
        }
    }
    days
}

/// The end of an open period.
fn month_end(bills: &[Arc<Bill>], period: Month) -> Option<Forecast> {
    let current = || bills.iter().filter(|bill| bill.head.period == period);
    if current().all(|bill| bill.head.state == PeriodState::Closed) {
        return None;
    }
    let whole = current().filter(|b| b.head.has_days).map(|b| whole_days(b)).min()?;
    let mut past: Vec<f64> = Vec::new();
    let mut months: Vec<Month> = bills.iter().map(|bill| bill.head.period).collect();
    months.sort_unstable();
    months.dedup();
    // Periods without a gap up to this one.
    let since = (0..months.len() as i32)
        .map(|n| period.plus(-n))
        .take_while(|month| months.contains(month))
        .last()?;
    for month in (0..=period.since(since)).map(|n| since.plus(n)) {
        let mut days = day_bars(bills.iter().filter(|bill| bill.head.period == month));
        if month == period {
            days.truncate(usize::from(whole));
        } else if days.len() < usize::from(month.days()) {
            // A month that lacks days would be a drop: what is before it does not count.
            past.clear();
            continue;
        }
        past.extend(days.iter().map(|day| day.effective.to_f64()));
    }
    let weekday = period.first().weekday().to_monday_zero_offset() as usize;
    // Weekday of the first day of the past, which ends after `whole` days of the period.
    let first = (weekday + usize::from(whole) + past.len() * 6) % 7;
    let so_far: Usd = current()
        .flat_map(|bill| &bill.cells)
        .filter(|cell| (1..=whole).contains(&cell.day))
        .map(|cell| cell.sums.effective)
        .sum();
    let known = so_far + month_long(bills, period);
    forecast(&past, first, usize::from(period.days() - whole), known)
}

/// Days of a bill that are over: the last one may still lack hours while the period is open.
pub(in crate::analyze) fn whole_days(bill: &Bill) -> u8 {
    let last = bill.head.last_day;
    if bill.head.state == PeriodState::Closed {
        return last;
    }
    let end = bill.head.period.day(last).tomorrow().ok();
    let end = end.and_then(|date| date.to_zoned(TimeZone::UTC).ok()).map(|at| at.timestamp());
    let is_over = bill.head.written_at.zip(end).is_some_and(|(written, end)| written >= end);
    if is_over { last } else { last.saturating_sub(1) }
}

/// Charges of the whole period: of each kind what the period has, else what the period before had of those that recur
/// (tax, support, fees, discounts, monthly use).
fn month_long(bills: &[Arc<Bill>], period: Month) -> Usd {
    let of = |period: Month| {
        let mut sums: FastMap<Charge, Usd> = FastMap::default();
        let cells = bills.iter().filter(|b| b.head.period == period).flat_map(|b| &b.cells);
        for cell in cells.filter(|cell| cell.day == 0) {
            *sums.entry(cell.key.charge).or_default() += cell.sums.effective;
        }
        sums
    };
    let (now, before) = (of(period), of(period.plus(-1)));
    let recurs =
        |charge: Charge| !matches!(charge, Charge::Credit | Charge::Refund | Charge::Adjustment);
    let missing = before.iter().filter(|(charge, _)| recurs(**charge) && !now.contains_key(charge));
    now.values().copied().sum::<Usd>() + missing.map(|(_, usd)| *usd).sum::<Usd>()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{LineOf, bill_of, usd};
    use super::*;

    /// A month with a dollar amount per day; open where `written`, the moment it was written, is given.
    fn of_days(period: &str, days: u8, tax: &str, written: Option<&str>) -> Arc<Bill> {
        let month: Month = period.parse().unwrap();
        let cost = |day: u8| {
            let weekend = month.day(day).weekday().to_monday_zero_offset() >= 5;
            if weekend { "40" } else { "100" }
        };
        let mut lines: Vec<LineOf<'_>> =
            (1..=days).map(|day| LineOf { day, usd: cost(day), ..LineOf::default() }).collect();
        if tax != "0" {
            lines.push(LineOf { day: 0, charge: Charge::Tax, usd: tax, ..LineOf::default() });
        }
        let mut bill = Arc::unwrap_or_clone(bill_of(period, &[], &lines));
        if let Some(written) = written {
            bill.head.state = PeriodState::Open;
            bill.head.written_at = Some(written.parse().unwrap());
        }
        Arc::new(bill)
    }

    #[test]
    fn the_month_compares_with_the_last_one_to_the_same_day_and_its_end_follows_the_weekdays() {
        let written = Some("2026-11-11T05:00:00Z");
        let bills = [
            of_days("2026-09", 30, "20", None),
            of_days("2026-10", 31, "25", None),
            of_days("2026-11", 10, "0", written),
        ];
        let found = month(&bills);
        assert_eq!(found.days.len(), 10);
        assert_eq!(found.so_far_by_day, usd("820"));
        assert_eq!(found.last_to_same_day, Some(usd("820")));
        assert_eq!(found.last_total, Some(bills[1].head.total.effective));
        let end = found.forecast.unwrap();
        // 21 weekdays and 9 days of weekends, and the tax of October.
        let whole = 21.0 * 100.0 + 9.0 * 40.0 + 25.0;
        for part in [end.p10, end.p50, end.p90] {
            assert!((part.to_f64() - whole).abs() < 0.01, "{part}");
        }
        assert!(end.error.unwrap() < 1e-9 && end.tested > 10);
    }

    #[test]
    fn a_day_that_is_not_over_is_no_drop() {
        let bill = of_days("2026-11", 20, "0", Some("2026-11-20T05:00:00Z"));
        assert_eq!(whole_days(&bill), 19);
        let end = month(&[bill]).forecast.unwrap();
        assert!((end.p50.to_f64() - (21.0 * 100.0 + 9.0 * 40.0)).abs() < 0.01, "{end:?}");
    }

    #[test]
    fn closed_months_few_days_and_no_bills_have_no_forecast() {
        assert_eq!(month(&[of_days("2026-10", 31, "1", None)]).forecast, None);
        let few = of_days("2026-11", 6, "0", Some("2026-11-09T00:00:00Z"));
        assert_eq!(month(&[few]).forecast, None);
        assert_eq!(month(&[]).period, None);
    }
}
