//! What may be spent, what is, and where the period ends.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::filter::MoneyFilter;
use super::line::{GpusOf, Line, lines};
use super::owner::Owners;
use super::rules::Rules;
use crate::analyze::bill::{BillKey, BillSettings, Forecast, Z90, each_day, forecast, whole_days};
use crate::domain::bill::{Bill, Charge, Month, PeriodState, Usd, words};
use crate::domain::hash::FastMap;

words! {
    /// How long a budget is for.
    BudgetPeriod {
        /// A calendar month.
        Monthly = "monthly",
        /// A calendar quarter.
        Quarterly = "quarterly",
    }
}

impl BudgetPeriod {
    /// The period that a month lies in: its first month, and how many it has.
    pub fn around(self, month: Month) -> (Month, i32) {
        match self {
            Self::Monthly => (month, 1),
            Self::Quarterly => {
                let into = (i32::from(month.first().month()) - 1) % 3;
                (month.plus(-into), 3)
            }
        }
    }

    /// Name of the period that a month lies in: `2026-11`, `2026-Q4`.
    pub fn name(self, month: Month) -> String {
        match self {
            Self::Monthly => month.to_string(),
            Self::Quarterly => {
                let first = month.first();
                format!("{:04}-Q{}", first.year(), (first.month() - 1) / 3 + 1)
            }
        }
    }
}

/// What may be spent on some lines in a period.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// Its name.
    pub name: Arc<str>,
    /// Which lines.
    pub filter: MoneyFilter,
    /// What they may cost in a period.
    pub limit: Usd,
    /// How long a period is.
    pub period: BudgetPeriod,
    /// Levels that are told, percent of the limit, the lowest first; 100 is one of them.
    pub levels: Vec<f64>,
}

/// Days at the end of an open bill whose lines are still coming in: they are foreseen like those to come.
pub const LATE_DAYS: u8 = 2;

/// Days that the burn rate is of.
const BURN_DAYS: usize = 7;

/// Lines of all bills of one month.
#[derive(Clone, Debug)]
pub struct BudgetMonth {
    /// The month.
    pub month: Month,
    /// Lines of days.
    by_day: Vec<Line>,
    /// Lines of resources; empty where none of the bills has resources.
    by_resource: Vec<Line>,
    /// Days whose lines are all there.
    settled: u8,
    /// True where its bills no longer change.
    pub is_closed: bool,
}

impl BudgetMonth {
    /// Lines of days, and of the whole month.
    pub(super) fn days(&self) -> impl Iterator<Item = &Line> {
        self.by_day.iter()
    }

    /// Days whose lines are all there.
    pub(super) const fn settled(&self) -> u8 {
        self.settled
    }
}

/// The months of some bills, oldest first; with their resources where `by_resource`, as [`asks_resources`] tells.
pub fn budget_months(
    bills: &[Arc<Bill>],
    settings: &BillSettings,
    gpus: GpusOf<'_>,
    by_resource: bool,
) -> Vec<BudgetMonth> {
    let mut months: Vec<Month> = bills.iter().map(|bill| bill.head.period).collect();
    months.sort_unstable();
    months.dedup();
    let of = |month: Month| {
        let bills = || bills.iter().filter(move |bill| bill.head.period == month);
        let of = |by_day| -> Vec<Line> {
            bills().flat_map(|bill| lines(bill, by_day, settings, gpus)).collect()
        };
        let is_closed = bills().all(|bill| bill.head.state == PeriodState::Closed);
        let settled = bills().filter(|bill| bill.head.has_days).map(|bill| settled(bill)).min();
        BudgetMonth {
            month,
            by_day: of(true),
            by_resource: if by_resource && bills().any(|bill| !bill.resources.is_empty()) {
                of(false)
            } else {
                Vec::new()
            },
            settled: settled.unwrap_or(0),
            is_closed,
        }
    };
    months.into_iter().map(of).collect()
}

/// Days of a bill whose lines are all there: those that ended [`LATE_DAYS`] before it was written, or all of a closed one.
fn settled(bill: &Bill) -> u8 {
    let whole = whole_days(bill);
    if bill.head.state == PeriodState::Closed {
        return bill.head.period.days();
    }
    let after = bill.head.period.day(whole).tomorrow().ok();
    let written = bill.head.written_at.map(|at| at.to_zoned(TimeZone::UTC).date());
    let age = after.zip(written).map_or(0, |(after, written)| days_between(after, written));
    let late = usize::from(LATE_DAYS).saturating_sub(age);
    whole.saturating_sub(late as u8)
}

/// Days from one date to another; 0 where the other is earlier.
fn days_between(from: Date, to: Date) -> usize {
    from.until(to).map_or(0, |span| span.get_days().max(0)) as usize
}

/// A budget beside what was spent.
#[derive(Clone, Debug, PartialEq)]
pub struct BudgetState {
    /// The budget.
    pub budget: Arc<Budget>,
    /// Name of the period.
    pub period: String,
    /// First and last day of it.
    pub days: (Date, Date),
    /// What the lines cost so far.
    pub spent: Usd,
    /// What a day cost, mean of the last week of which all lines are there; `None` without a day.
    pub burn_per_day: Option<f64>,
    /// Cost at the end of the period; `None` where it is over and no longer changes, and with less than a week of days.
    pub forecast: Option<Forecast>,
    /// The day on which the limit was exceeded, or on which it is expected to be; `None` where neither.
    pub exceeds_on: Option<Date>,
    /// Probability that the period ends above the limit, 0–1; `None` where the end is not foreseen.
    pub probability: Option<f64>,
    /// The highest level that is reached, percent; `None` below all.
    pub level: Option<f64>,
    /// True where the filter took a line.
    pub takes_any: bool,
    /// True where bills of the period may still change.
    pub is_open: bool,
    /// Months of the period of which there is no bill though they have begun.
    pub missing_months: usize,
}

impl BudgetState {
    /// Share of the limit that is spent, 0 = nothing.
    pub fn share(&self) -> f64 {
        self.spent.to_f64() / self.budget.limit.to_f64()
    }

    /// True where `percent` of the limit is spent.
    pub fn has_reached(&self, percent: f64) -> bool {
        self.share() * 100.0 >= percent
    }

    /// True where more than the limit is spent.
    pub fn is_over(&self) -> bool {
        self.spent > self.budget.limit
    }
}

/// Sums of one month of what a budget is about.
struct OfMonth<'a> {
    of: &'a BudgetMonth,
    /// What it cost, to the last digit.
    spent: Usd,
    /// Cost of each day; by their resources where the filter asks for them.
    days: Vec<f64>,
    /// Charges of the whole month, by what they charge for.
    whole: FastMap<Charge, Usd>,
    takes_any: bool,
}

/// A budget in the period of `month`, by months of bills, oldest first; `more_per_day` is spent on each day to come beside
/// what is foreseen, US dollars.
pub fn budget_state(
    budget: &Arc<Budget>,
    months: &[BudgetMonth],
    rules: &Rules,
    month: Month,
    more_per_day: f64,
) -> BudgetState {
    let (first, count) = budget.period.around(month);
    let last = first.plus(count - 1);
    let in_period = |month: Month| (0..count).contains(&month.since(first));
    let all: Vec<OfMonth<'_>> = months
        .iter()
        .filter(|of| of.month <= last)
        .map(|of| of_month(of, &budget.filter, rules))
        .collect();
    let period = || all.iter().filter(|of| in_period(of.of.month));
    let spent: Usd = period().map(|of| of.spent).sum();
    let newest = all.last().map(|of| of.of.month);
    let is_open = period().any(|of| !of.of.is_closed) || newest.is_some_and(|newest| newest < last);
    let past = Past::of(&all);
    let end = is_open.then(|| past.end(&all, first, last, more_per_day)).flatten();
    let (limit, spent_known) = (budget.limit, spent.to_f64());
    let over = crossing(
        period().map(|of| (of.of.month, of.days.clone(), total(&of.whole))),
        limit.to_f64(),
    );
    let mut exceeds_on = over.filter(|_| spent > limit);
    let mut probability = None;
    let band = end.map(|end| {
        let low = |usd: Usd| if usd < spent { spent } else { usd };
        let found = Forecast {
            p10: low(end.forecast.p10),
            p50: low(end.forecast.p50),
            p90: low(end.forecast.p90),
            ..end.forecast
        };
        probability = Some(if spent > limit { 1.0 } else { chance_above(&found, limit) });
        if spent <= limit && found.p50 > limit {
            exceeds_on = end.crossing(limit.to_f64());
        }
        found
    });
    let reached = |percent: &&f64| spent_known / limit.to_f64() * 100.0 >= **percent;
    let missing = (0..count).map(|n| first.plus(n)).filter(|month| {
        newest.is_some_and(|newest| *month <= newest) && period().all(|of| of.of.month != *month)
    });
    BudgetState {
        budget: budget.clone(),
        period: budget.period.name(month),
        days: (first.first(), last.day(31)),
        spent,
        burn_per_day: past.burn_per_day(),
        forecast: band,
        exceeds_on,
        probability,
        level: budget.levels.iter().filter(reached).copied().reduce(f64::max),
        takes_any: period().any(|of| of.takes_any),
        is_open,
        missing_months: missing.count(),
    }
}

/// What lines of a filter cost in the period of `month`: charges of whole months, and each day, foreseen where it is not
/// settled. Days are missing where less than a week is known.
pub fn spent_by_day(
    filter: &MoneyFilter,
    length: BudgetPeriod,
    months: &[BudgetMonth],
    rules: &Rules,
    month: Month,
) -> (f64, Vec<f64>) {
    let (first, count) = length.around(month);
    let last = first.plus(count - 1);
    let all: Vec<OfMonth<'_>> =
        months.iter().filter(|of| of.month <= last).map(|of| of_month(of, filter, rules)).collect();
    let in_period = |of: &&OfMonth<'_>| (0..count).contains(&of.of.month.since(first));
    let settled = all.iter().filter(in_period).flat_map(|of| {
        let settled = usize::from(of.of.settled).min(of.days.len());
        of.days[..settled].iter().copied()
    });
    let settled: Vec<f64> = settled.collect();
    let end = Past::of(&all).end(&all, first, last, 0.0);
    let path = end.map(|end| end.path).unwrap_or_default();
    (whole_months(&all, first, last), settled.into_iter().chain(path).collect())
}

fn total(whole: &FastMap<Charge, Usd>) -> f64 {
    whole.values().map(|usd| usd.to_f64()).sum()
}

/// True where only resources tell which lines a filter takes: it names them, or the rules do.
pub fn asks_resources(filter: &MoneyFilter, rules: &Rules) -> bool {
    let by_name = || rules.mappings.iter().any(|mapping| mapping.name.is_some());
    let asks = |key: &&BillKey| match key {
        BillKey::Resource => true,
        BillKey::Team => by_name(),
        _ => false,
    };
    filter.keys().iter().any(asks)
}

/// Sums of a month.
fn of_month<'a>(of: &'a BudgetMonth, filter: &MoneyFilter, rules: &Rules) -> OfMonth<'a> {
    let by_resource = asks_resources(filter, rules) && !of.by_resource.is_empty();
    let mut owners = Owners::new(rules);
    let mut days = vec![0.0; usize::from(of.month.days())];
    let mut whole: FastMap<Charge, Usd> = FastMap::default();
    let (mut spent, mut takes_any) = (Usd::ZERO, false);
    for line in of.by_day.iter().filter(|line| owners.passes(filter, line)) {
        takes_any = true;
        spent += line.usd;
        match usize::from(line.day).checked_sub(1).and_then(|day| days.get_mut(day)) {
            Some(day) => *day += line.usd.to_f64(),
            None => *whole.entry(line.charge).or_default() += line.usd,
        }
    }
    if by_resource {
        // Days do not name resources: their course is that of what they tell, their sum that of the resources.
        let (by_days, course) = (spent.to_f64(), days.iter().sum::<f64>());
        spent = Usd::ZERO;
        for line in of.by_resource.iter().filter(|line| owners.passes(filter, line)) {
            takes_any = true;
            spent += line.usd;
        }
        let wanted = spent.to_f64() - (by_days - course);
        if course > 0.0 && wanted > 0.0 {
            days.iter_mut().for_each(|day| *day *= wanted / course);
        } else {
            let known = usize::from(of.settled.saturating_add(LATE_DAYS)).min(days.len()).max(1);
            days.fill(0.0);
            days.iter_mut().take(known).for_each(|day| *day = wanted / known as f64);
        }
    }
    OfMonth { of, spent, days, whole, takes_any }
}

/// Days of which all lines are there, without a gap, up to the newest.
struct Past {
    days: Vec<f64>,
    /// Date of the first of them.
    begin: Option<Date>,
    /// The day after the last of them.
    end: Option<Date>,
}

impl Past {
    fn of(all: &[OfMonth<'_>]) -> Self {
        let mut past = Self { days: Vec::new(), begin: None, end: None };
        for of in all {
            let first = of.of.month.first();
            if past.end != Some(first) {
                past.days.clear();
                past.begin = Some(first);
            }
            let settled = usize::from(of.of.settled).min(of.days.len());
            past.days.extend(&of.days[..settled]);
            past.end = first.checked_add((settled as i64).days()).ok();
        }
        past
    }

    fn burn_per_day(&self) -> Option<f64> {
        let last = &self.days[self.days.len().saturating_sub(BURN_DAYS)..];
        (!last.is_empty()).then(|| last.iter().sum::<f64>() / last.len() as f64)
    }

    /// The end of the period from `first` to `last`. `None` with less than a week of days.
    fn end(&self, all: &[OfMonth<'_>], first: Month, last: Month, more: f64) -> Option<End> {
        let (begin, end) = (self.begin?, self.end?);
        let weekday = begin.weekday().to_monday_zero_offset() as usize;
        let after = last.plus(1).first();
        let to_come = days_between(end, after);
        let in_period = self.days.len().min(days_between(first.first(), end));
        let so_far: f64 = self.days[self.days.len() - in_period..].iter().sum();
        let known = so_far + whole_months(all, first, last);
        let known_usd = Usd::from_f64((known * 100.0).round() / 100.0)?;
        let found = forecast(&self.days, weekday, to_come, known_usd)?;
        let path: Vec<f64> = each_day(&self.days, weekday, to_come).map(|usd| usd + more).collect();
        let added = Usd::from_f64((more * to_come as f64 * 100.0).round() / 100.0)?;
        let forecast = Forecast {
            p10: found.p10 + added,
            p50: found.p50 + added,
            p90: found.p90 + added,
            ..found
        };
        Some(End { forecast, known, from: end, path })
    }
}

/// Charges of whole months in the period: what there is, and for months without any those that recur from the newest
/// month that has some.
fn whole_months(all: &[OfMonth<'_>], first: Month, last: Month) -> f64 {
    let recurs =
        |charge: Charge| !matches!(charge, Charge::Credit | Charge::Refund | Charge::Adjustment);
    let mut sum = 0.0;
    for month in (0..=last.since(first)).map(|n| first.plus(n)) {
        let own = all.iter().find(|of| of.of.month == month);
        let own_usd = own.map_or(0.0, |of| total(&of.whole));
        let before = all.iter().rev().find(|of| of.of.month < month && !of.whole.is_empty());
        let is_closed = own.is_some_and(|of| of.of.is_closed);
        let missing = before.filter(|_| !is_closed).map_or(0.0, |before| {
            let lacks = |charge: &Charge| own.is_none_or(|of| !of.whole.contains_key(charge));
            let of = before.whole.iter().filter(|(charge, _)| recurs(**charge) && lacks(charge));
            of.map(|(_, usd)| usd.to_f64()).sum()
        });
        sum += own_usd + missing;
    }
    sum
}

/// The end of a period, with the way there.
struct End {
    forecast: Forecast,
    /// What is known of the period: settled days, and charges of whole months.
    known: f64,
    /// The first day that is foreseen.
    from: Date,
    /// Cost of each day from then on.
    path: Vec<f64>,
}

impl End {
    /// The day on which more than `limit` is spent.
    fn crossing(&self, limit: f64) -> Option<Date> {
        let mut sum = self.known;
        let at = self.path.iter().position(|usd| {
            sum += usd;
            sum > limit
        })?;
        self.from.checked_add((at as i64).days()).ok()
    }
}

/// The day on which the sum of these months went above `limit`; charges of a whole month count from its begin.
fn crossing(months: impl Iterator<Item = (Month, Vec<f64>, f64)>, limit: f64) -> Option<Date> {
    let mut sum = 0.0;
    for (month, days, whole) in months {
        sum += whole;
        for (day, usd) in (1_u8..).zip(days) {
            sum += usd;
            if sum > limit {
                return Some(month.day(day));
            }
        }
    }
    None
}

/// Probability of an end above `limit`, by the half of the band on its side: two halves of normal distributions.
fn chance_above(found: &Forecast, limit: Usd) -> f64 {
    let (middle, limit) = (found.p50.to_f64(), limit.to_f64());
    let half =
        if limit > middle { found.p90.to_f64() - middle } else { middle - found.p10.to_f64() };
    if half <= 0.0 {
        return if middle > limit { 1.0 } else { 0.0 };
    }
    let z = (limit - middle) / (half / Z90);
    (1.0 - normal(z)).clamp(0.0, 1.0)
}

/// Standard normal distribution function, to 10⁻⁷ (Abramowitz and Stegun 26.2.17).
fn normal(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let series = t
        * (0.319_381_530
            + t * (-0.356_563_782
                + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let above = density * series;
    if z >= 0.0 { 1.0 - above } else { above }
}

/// Budget that a key has by itself: the sum of the monthly budgets whose filter is this one value of this key.
pub fn budget_of(budgets: &[Arc<Budget>], key: &BillKey, value: &str) -> Option<Usd> {
    let is_of = |budget: &&Arc<Budget>| {
        budget.period == BudgetPeriod::Monthly
            && budget.filter.only(key).is_some_and(|of| of.eq_ignore_ascii_case(value))
    };
    budgets.iter().filter(is_of).map(|budget| budget.limit).reduce(|a, b| a + b)
}
