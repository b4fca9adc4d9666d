//! What one prediction, a thousand tokens or a run costs, and what moved it.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;

use super::budget::BudgetMonth;
use super::counts::Counts;
use super::filter::MoneyFilter;
use super::owner::Owners;
use super::rules::Rules;
use super::runs::{RunDays, RunRule};
use crate::domain::bill::{Month, UnitBound, Usd};

/// What a unit cost divides, by day.
#[derive(Clone, Debug, PartialEq)]
pub enum UnitDays {
    /// Counts, beside dollars of bills.
    Counted(Counts),
    /// What jobs brought, with dollars of their own.
    Runs(RunDays),
}

impl From<Counts> for UnitDays {
    fn from(counts: Counts) -> Self {
        Self::Counted(counts)
    }
}

/// A unit cost with the count of each day.
pub type CountedUnit = (Arc<Unit>, UnitDays);

/// A cost by a count.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Its name.
    pub name: Arc<str>,
    /// Which lines of the bill.
    pub filter: MoneyFilter,
    /// How many of what is counted one price is of: 1000 for a price per thousand.
    pub per: f64,
    /// What it shall cost at most, US dollars; `None` without a target.
    pub target: Option<f64>,
}

/// Dollars and counts of the same days.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// What the lines cost on those days.
    pub usd: Usd,
    /// What was counted on them.
    pub count: f64,
    /// Number of the days.
    pub days: usize,
    /// Attempts of jobs whose dollars are unknown: they are in the count alone. 0 for dollars of the bill.
    pub unpriced: u32,
    /// Attempts of jobs of which more may have to be counted. 0 for dollars of the bill.
    pub undercounted: u32,
    /// Attempts of jobs that are in neither number. 0 for dollars of the bill.
    pub left_out: u32,
}

impl Measured {
    /// How sure dollars per count are.
    pub fn bound(&self) -> UnitBound {
        match (self.unpriced > 0, self.undercounted > 0) {
            (false, false) => UnitBound::Exact,
            (true, false) => UnitBound::AtLeast,
            (false, true) => UnitBound::AtMost,
            (true, true) => UnitBound::Unknown,
        }
    }

    /// Dollars per `per` counted; `None` where nothing was counted, where no dollars are known, and where they are neither at least
    /// nor at most so many: that is not known, and not nothing.
    fn per(&self, per: f64) -> Option<f64> {
        let is_known = match self.bound() {
            UnitBound::Exact | UnitBound::AtMost => true,
            UnitBound::AtLeast => self.usd > Usd::ZERO,
            UnitBound::Unknown => false,
        };
        (is_known && self.count > 0.0).then(|| self.usd.to_f64() / self.count * per)
    }
}

/// What moved a unit cost, US dollars per unit; both add up to the change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitChange {
    /// By the dollars.
    pub spend: f64,
    /// By the count.
    pub volume: f64,
}

/// A unit cost in a month beside the same days of the month before.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitState {
    /// What it is.
    pub unit: Arc<Unit>,
    /// Days of the month of which bill and count are known.
    pub now: Measured,
    /// As many days of the month before, from its first; `None` where none of them is known.
    pub before: Option<Measured>,
    /// Days of the month of which the bill is known and the count is not.
    pub uncounted_days: usize,
    /// Which jobs it is of; `None` for dollars of the bill.
    pub runs: Option<RunRule>,
    /// Last moment that was witnessed of these jobs; `None` for dollars of the bill, and without any job.
    pub jobs_until: Option<Timestamp>,
}

impl UnitState {
    /// What a unit costs; `None` where nothing was counted.
    pub fn usd_per_unit(&self) -> Option<f64> {
        self.now.per(self.unit.per)
    }

    /// How sure that is.
    pub fn bound(&self) -> UnitBound {
        self.now.bound()
    }

    /// What it cost before; `None` for a bound.
    pub fn before_per_unit(&self) -> Option<f64> {
        self.before.filter(|of| of.bound() == UnitBound::Exact)?.per(self.unit.per)
    }

    /// True where nothing was paid and nothing counted in either month, as of a team that ran nothing in them.
    pub fn is_of_nothing(&self) -> bool {
        let is_nothing = |of: &Measured| *of == Measured { days: of.days, ..Measured::default() };
        is_nothing(&self.now) && self.before.as_ref().is_none_or(is_nothing)
    }

    /// What it cost before and costs now, where neither is a bound.
    pub fn moved(&self) -> Option<(f64, f64)> {
        let now = self.usd_per_unit().filter(|_| self.bound() == UnitBound::Exact)?;
        Some((self.before_per_unit()?, now))
    }

    /// What moved it, each at the mean of what the other was: with dollars *s* and count *v*, spend is
    /// (s₁ − s₀)(1/v₀ + 1/v₁)/2, volume (s₀ + s₁)(1/v₁ − 1/v₀)/2, of days that are not as many by their number.
    /// `None` without both months, and where one is a bound.
    pub fn change(&self) -> Option<UnitChange> {
        let before = self.before?;
        self.moved()?;
        let daily = |of: &Measured| (of.usd.to_f64() / of.days as f64, of.count / of.days as f64);
        let ((spent, count), (spent_before, count_before)) = (daily(&self.now), daily(&before));
        let per = self.unit.per / 2.0;
        Some(UnitChange {
            spend: (spent - spent_before) * (1.0 / count_before + 1.0 / count) * per,
            volume: (spent + spent_before) * (1.0 / count - 1.0 / count_before) * per,
        })
    }

    /// True where it costs more than its target; `None` where either is not known.
    pub fn is_above_target(&self) -> Option<bool> {
        self.bound().is_above(self.usd_per_unit()?, self.unit.target?)
    }
}

/// A unit cost in `month`, by months of bills and the counts of days. Days that the bill may still change count nothing.
pub(super) fn unit_state(
    unit: &Arc<Unit>,
    counts: &Counts,
    months: &[BudgetMonth],
    rules: &Rules,
    month: Month,
) -> UnitState {
    let (now, uncounted_days, last) = measured(unit, counts, months, rules, month, u8::MAX);
    let (before, _, _) = measured(unit, counts, months, rules, month.plus(-1), last);
    let before = (before.days > 0).then_some(before);
    let unit = unit.clone();
    UnitState { unit, now, before, uncounted_days, runs: None, jobs_until: None }
}

/// A unit cost in `month`, of whatever its days are. Runs of jobs need no bill.
pub fn state_of(
    (unit, days): &CountedUnit,
    months: &[BudgetMonth],
    rules: &Rules,
    month: Month,
) -> UnitState {
    let runs = match days {
        UnitDays::Counted(counts) => return unit_state(unit, counts, months, rules, month),
        UnitDays::Runs(runs) => runs,
    };
    let (now, last) = runs.measured(month, u8::MAX);
    let (before, _) = runs.measured(month.plus(-1), last);
    UnitState {
        unit: unit.clone(),
        now,
        before: (before.days > 0).then_some(before),
        uncounted_days: 0,
        runs: Some(runs.rule.clone()),
        jobs_until: runs.until,
    }
}

/// Dollars and counts of the days of a month up to `until`; days without a count; the last day that is in it.
fn measured(
    unit: &Unit,
    counts: &Counts,
    months: &[BudgetMonth],
    rules: &Rules,
    month: Month,
    until: u8,
) -> (Measured, usize, u8) {
    let mut found = Measured::default();
    let Some(of) = months.iter().find(|of| of.month == month) else { return (found, 0, 0) };
    let (mut uncounted, mut last) = (0, 0);
    let mut usd = [Usd::ZERO; 32];
    let mut owners = Owners::new(rules);
    for line in of.days().filter(|line| owners.passes(&unit.filter, line)) {
        if let Some(sum) = usd.get_mut(usize::from(line.day)) {
            *sum += line.usd;
        }
    }
    for day in 1..=of.settled().min(until).min(month.days()) {
        let date: Date = month.day(day);
        match counts.get(&date) {
            Some(count) => {
                found.usd += usd.get(usize::from(day)).copied().unwrap_or_default();
                found.count += count;
                found.days += 1;
                last = day;
            }
            None => uncounted += 1,
        }
    }
    (found, uncounted, last)
}
