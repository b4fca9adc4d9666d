//! What follows from means by week: coverage, utilisation, present value, lock-in.

use super::super::supply::lock_in::{self, Bound};
use super::super::{HOURS_PER_WEEK, Payment, Valuation, WEEKS_PER_YEAR};
use super::flexible::Relief;
use super::schedule::{FamilySchedule, Obligation, PlanSchedule, Schedule};
use super::state::{FamilyState, WeekMeans};

const WEEK: f64 = HOURS_PER_WEEK as f64;

/// USD that are paid in a week whatever happens.
fn fixed_in(schedule: &FamilySchedule, week: usize) -> f64 {
    let supply = &schedule.supply[week];
    supply.fixed + supply.reserved_alone() * WEEK * schedule.demand[week].on_demand
}

/// USD that a family pays whatever happens.
pub(super) fn fixed(schedule: &FamilySchedule) -> f64 {
    (0..schedule.supply.len()).map(|week| fixed_in(schedule, week)).sum()
}

/// Unit-hours of a family: of demand, of it covered, and committed.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    demand: f64,
    covered: f64,
    committed: f64,
}

/// Unit-hours of a family.
fn hours(schedule: &FamilySchedule, weeks: &WeekMeans) -> Use {
    let demand: f64 = weeks.demand.iter().sum();
    let uncovered: f64 = weeks.uncovered.iter().sum();
    let committed: f64 = schedule.supply.iter().map(|week| week.level() * WEEK).sum();
    Use { demand, covered: demand - uncovered, committed }
}

/// Present value of a family's mean cost: running costs at the middle of their weeks; what a
/// purchase pays at once, for the part of its term inside the scenario, at its start.
fn present(schedule: &FamilySchedule, weeks: &WeekMeans, wacc: f64) -> f64 {
    let mut sum = 0.0;
    for (week, usd) in weeks.usd.iter().enumerate() {
        let reserved = fixed_in(schedule, week) - schedule.supply[week].fixed;
        sum += (usd + reserved) * discount(wacc, week as f64 + 0.5);
    }
    let end = schedule.supply.len();
    sum + schedule.obligations.iter().map(|due| due.present(end, wacc)).sum::<f64>()
}

fn discount(wacc: f64, weeks: f64) -> f64 {
    (1.0 + wacc).powf(-weeks / WEEKS_PER_YEAR)
}

impl Obligation {
    /// Present value of what falls into the scenario's `end` weeks.
    pub(super) fn present(&self, end: usize, wacc: f64) -> f64 {
        let upfront = match self.payment {
            Payment::NoUpfront => 0.0,
            Payment::PartialUpfront => 0.5,
            Payment::AllUpfront => 1.0,
        };
        let weeks = self.from..self.to.min(end);
        let at_once = upfront * self.weekly * weeks.len() as f64 * discount(wacc, self.from as f64);
        let later = weeks.map(|week| discount(wacc, week as f64 + 0.5)).sum::<f64>();
        at_once + (1.0 - upfront) * self.weekly * later
    }
}

/// Months that the dollars running in `week` are still bound; 0 without any.
pub(super) fn lock_in<'a>(due: impl Iterator<Item = &'a Obligation>, week: usize) -> f64 {
    let running = due.filter(|due| due.from <= week && week < due.to);
    lock_in::months(running.map(|due| Bound {
        usd_per_hour: due.weekly / WEEK,
        months_left: (due.to - week) as f64 * 12.0 / WEEKS_PER_YEAR,
    }))
}

/// Fills in the figures of a family's portfolio from its weeks.
pub(super) fn fill(
    value: &mut Valuation,
    schedule: &FamilySchedule,
    state: &FamilyState,
    wacc: f64,
) {
    value.commit = schedule.supply.first().map_or(0.0, |week| week.committed);
    value.fixed_usd = fixed(schedule);
    let of = hours(schedule, &state.weeks);
    let part = |of: f64, all: f64| (all > 0.0).then(|| (of / all).clamp(0.0, 1.0));
    value.unit_hours = of.demand;
    value.coverage = part(of.covered, of.demand);
    value.utilisation = part(of.covered, of.committed);
    value.lock_in_months = lock_in(schedule.obligations.iter(), 0);
    value.npv_usd = present(schedule, &state.weeks, wacc);
}

/// USD of the Compute Savings Plans.
pub(super) fn plans_fixed(schedule: &Schedule) -> f64 {
    let weeks = |plan: &PlanSchedule| (plan.to.min(schedule.weeks) - plan.from) as f64;
    schedule.plans.iter().map(|plan| plan.obligation.weekly * weeks(plan)).sum()
}

/// Fills in the figures of all families and the plans together. Units of different families are not alike, so coverage
/// is by dollars at on-demand prices and utilisation by dollars committed.
pub(super) fn fill_total(
    value: &mut Valuation,
    schedule: &Schedule,
    families: &[FamilyState],
    relief: &[Relief],
    wacc: f64,
) {
    let (mut demand, mut covered, mut paid, mut used) = (0.0, 0.0, 0.0, 0.0);
    for (schedule, state) in schedule.families.iter().zip(families).filter(|f| f.0.priced) {
        value.commit += schedule.supply.first().map_or(0.0, |week| week.committed);
        value.npv_usd += present(schedule, &state.weeks, wacc);
        let weeks = state.weeks.demand.iter().zip(&state.weeks.uncovered).zip(&schedule.demand);
        for ((all, uncovered), week) in weeks {
            demand += all * week.on_demand;
            covered += (all - uncovered) * week.on_demand;
        }
        let own = hours(schedule, &state.weeks);
        let usd = fixed(schedule);
        paid += usd;
        if own.committed > 0.0 {
            used += usd * (own.covered / own.committed);
        }
    }
    paid += plans_fixed(schedule);
    value.npv_usd +=
        schedule.plans.iter().map(|p| p.obligation.present(schedule.weeks, wacc)).sum::<f64>();
    for (week, relief) in relief.iter().enumerate() {
        covered += relief.covered;
        used += relief.used;
        value.npv_usd -= relief.saved * discount(wacc, week as f64 + 0.5);
    }
    value.fixed_usd = paid;
    value.coverage = (demand > 0.0).then(|| (covered / demand).clamp(0.0, 1.0));
    value.utilisation = (paid > 0.0).then(|| (used / paid).clamp(0.0, 1.0));
    value.lock_in_months = lock_in(schedule.all_obligations(), 0);
}
