//! One policy over one series, hour by hour.

use crate::whatif::HOURS_PER_WEEK;
use crate::whatif::optimum::Usage;

/// Prices and dates of a back-test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// USD per unit and hour on demand.
    pub on_demand: f64,
    /// USD per unit and hour committed.
    pub reserved: f64,
    /// Term of a commitment, weeks, at least 1.
    pub term_weeks: usize,
    /// Weeks between purchases, at least 1.
    pub every_weeks: usize,
    /// Weeks of history before the first purchase; they are not charged.
    pub warm_up_weeks: usize,
}

impl Setting {
    /// Share of the hours that a unit must run to pay: rate ÷ on-demand.
    pub fn break_even(&self) -> f64 {
        self.reserved / self.on_demand
    }
}

/// Past that a policy may use at a purchase date.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// Units of all hours so far; `NaN` where not known.
    pub hours: &'a [f64],
    /// Units held in each coming week: falls as commitments expire.
    pub held: &'a [f64],
    /// Prices and dates.
    pub setting: &'a Setting,
}

impl Past<'_> {
    /// The last `days` days, or all hours where the history is shorter.
    pub fn last_days(&self, days: usize) -> &[f64] {
        &self.hours[self.hours.len().saturating_sub(days * 24)..]
    }

    /// Units held in the coming week.
    pub fn held_now(&self) -> f64 {
        self.held.first().copied().unwrap_or(0.0)
    }
}

/// A rule that decides how much to buy.
pub trait Policy {
    /// Name in results.
    fn name(&self) -> &'static str;

    /// Units wanted in total for the coming weeks; the difference to what is held is bought, in whole units.
    fn wanted(&mut self, past: &Past<'_>) -> f64;
}

/// Purchases and cost of one policy over a series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replay {
    /// USD, from the end of the warm-up on.
    pub cost_usd: f64,
    /// Units bought, by week from the end of the warm-up on.
    pub bought: Vec<f64>,
    /// Units held, by week from the end of the warm-up on.
    pub held: Vec<f64>,
}

/// Cuts hours into weeks; the last one may be shorter.
pub fn weeks(hours: &[f64]) -> Vec<Usage> {
    hours.chunks(HOURS_PER_WEEK).map(Usage::new).collect()
}

/// Replays a policy over `hours`; the policy never sees an hour at or after its purchase.
pub fn replay(
    hours: &[f64],
    weeks: &[Usage],
    setting: &Setting,
    policy: &mut dyn Policy,
) -> Replay {
    let first = setting.warm_up_weeks.min(weeks.len());
    let ahead = weeks.len() - first;
    let mut done = Replay { cost_usd: 0.0, bought: vec![0.0; ahead], held: vec![0.0; ahead] };
    for week in 0..ahead {
        if week % setting.every_weeks.max(1) == 0 {
            let seen = ((first + week) * HOURS_PER_WEEK).min(hours.len());
            let end = (week + setting.term_weeks.max(1)).min(ahead);
            let past = Past { hours: &hours[..seen], held: &done.held[week..end], setting };
            let missing = (policy.wanted(&past) - past.held_now()).round().max(0.0);
            done.bought[week] = missing;
            done.held[week..end].iter_mut().for_each(|units| *units += missing);
        }
    }
    done.cost_usd = cost(&weeks[first..], setting, &done.held);
    done
}

/// USD of holding `held` units in each week: commitments, used or not, and on-demand for the rest.
pub fn cost(weeks: &[Usage], setting: &Setting, held: &[f64]) -> f64 {
    let week = |(week, held): (&Usage, &f64)| {
        let fixed = setting.reserved * held * week.hours() as f64;
        fixed + setting.on_demand * week.units_above(*held)
    };
    weeks.iter().zip(held).map(week).sum()
}
