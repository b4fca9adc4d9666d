//! When one committed unit has paid for itself, with or without a price cut on the way.

use super::cash::{HOURS_PER_MONTH, Schedule, hours_of, months_of};
use crate::whatif::{Payback, Payment};

/// One unit, committed or run on demand for the same hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// USD per hour of the commitment, amortised.
    pub rate: f64,
    /// USD per hour on demand, before a price cut.
    pub on_demand: f64,
    /// Share of the hours in which it runs, 0–1.
    pub utilisation: f64,
    /// Term of the commitment, weeks.
    pub weeks: u16,
    /// When the commitment is paid.
    pub payment: Payment,
    /// Month in which the on-demand price falls (0 = at once), and by which share (0.44 = 44%; negative = it
    /// rises); `None` = it stays.
    pub price_cut: Option<(f64, f64)>,
}

/// Months after which demand may vanish without a loss: T (r ÷ p) ÷ u. `None` where that is after the end of
/// the term.
pub fn safe_months(rate: f64, on_demand: f64, utilisation: f64, months: f64) -> Option<f64> {
    let safe = months * (rate / on_demand) / utilisation;
    // A break-even to the last hour is one: the division may miss it by a hair.
    (safe.is_finite() && safe <= months * (1.0 + 1e-12)).then_some(safe)
}

/// Months of today's price that so many months cost on demand, with the cut: t + (m − t)(1 − x).
fn months_paid(month: f64, cut: f64, months: f64) -> f64 {
    let before = months.min(month.max(0.0));
    before + (months - before) * (1.0 - cut)
}

impl Unit {
    /// Term in months.
    pub fn months(&self) -> f64 {
        months_of(self.weeks)
    }

    /// Payments for the commitment.
    pub fn schedule(&self) -> Schedule {
        Schedule::of(self.rate, self.weeks, self.payment)
    }

    /// USD on demand for `months` months at the same utilisation.
    pub fn on_demand_usd(&self, months: f64) -> f64 {
        let (month, cut) = self.price_cut.unwrap_or((0.0, 0.0));
        let hours = hours_of(self.weeks) / self.months();
        let hours = if hours.is_finite() { hours } else { HOURS_PER_MONTH };
        self.on_demand * self.utilisation * hours * months_paid(month, cut, months)
    }

    /// Months after which demand may vanish without a loss: on-demand would have cost as much by then as the
    /// whole commitment. `None` = not within the term.
    pub fn safe_months(&self) -> Option<f64> {
        let Some((month, _)) = self.price_cut else {
            return safe_months(self.rate, self.on_demand, self.utilisation, self.months());
        };
        let total = self.schedule().total_usd;
        let term = self.months();
        first_at_least([0.0, month.clamp(0.0, term), term], |m| self.on_demand_usd(m) - total)
    }

    /// Months until the cash paid stays below on-demand's to the end of the term, monthly payments taken as
    /// running evenly. 0 where it does from the start, `None` where never.
    pub fn break_even_months(&self) -> Option<f64> {
        let schedule = self.schedule();
        let term = self.months();
        let ahead = |month: f64| {
            self.on_demand_usd(month) - schedule.upfront_usd - schedule.monthly_usd * month
        };
        let month = self.price_cut.map_or(0.0, |(month, _)| month);
        first_at_least([0.0, month.clamp(0.0, term), term], ahead)
    }

    /// Cumulative dollars to the end of the term, month by month, for a chart.
    pub fn payback(&self) -> Payback {
        let months = self.months().ceil() as u32;
        let on_demand = |month: u32| self.on_demand_usd(f64::from(month).min(self.months()));
        Payback {
            committed_usd: self.schedule().cumulative(months),
            on_demand_usd: (0..=months).map(on_demand).collect(),
            utilisation: self.utilisation,
            safe_months: self.safe_months(),
            break_even_months: self.break_even_months(),
            price_cut: self.price_cut,
        }
    }
}

/// From where on a function that is straight between `knots` stays at or above 0 to the last one.
fn first_at_least(knots: [f64; 3], f: impl Fn(f64) -> f64) -> Option<f64> {
    let [start, bend, end] = knots;
    // What rounding leaves is no loss: a billionth of what is at stake.
    let slack = 1e-9 * (f(end).abs() + f(start).abs());
    if f(end) < -slack {
        return None;
    }
    let cross = |from: f64, to: f64| from + (to - from) * -f(from) / (f(to) - f(from));
    if f(bend) < 0.0 {
        return Some(cross(bend, end).min(end));
    }
    if f(start) < -slack { Some(cross(start, bend)) } else { Some(start) }
}
