//! Back-tests: buying policies that see only the past, replayed over a real series and measured
//! against perfect foresight.

pub mod burntop;
#[cfg(test)]
pub(crate) mod dice;
pub mod replay;
#[cfg(test)]
mod report;
pub mod rules;
#[cfg(test)]
mod tests;

pub use burntop::Burntop;
pub use replay::{Policy, Setting, replay, weeks};
pub use rules::{LookBack, Nothing, PartOfAverage, WangLiLiang};

use crate::whatif::optimum::{Rung, ladder};

/// Why a back-test cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BacktestError {
    /// A price is zero, negative or not a number.
    #[error("the {what} price is {usd}: give dollars per unit and hour, above 0")]
    Price {
        /// Name of the price.
        what: &'static str,
        /// The value given, USD.
        usd: f64,
    },
    /// A number of weeks is zero.
    #[error("{what} is 0 weeks: give at least 1")]
    Weeks {
        /// Name of the setting.
        what: &'static str,
    },
    /// The series is not longer than the warm-up.
    #[error(
        "the series has {weeks} weeks and {warm_up} of them are the first history: give a longer \
         series, or fewer weeks of first history"
    )]
    Short {
        /// Weeks of the series, an incomplete one counted.
        weeks: usize,
        /// Weeks of the warm-up.
        warm_up: usize,
    },
}

/// Result of one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Name of the policy: `perfect_foresight`, `burntop`, …
    pub name: &'static str,
    /// USD over the weeks after the warm-up.
    pub cost_usd: f64,
    /// (cost − foresight's) ÷ foresight's, 0.005 = 0.5% more; `None` where foresight costs nothing.
    pub cost_above_foresight: Option<f64>,
    /// Units bought, by week after the warm-up. Whole numbers, except for foresight on a series of fractions.
    pub bought: Vec<f64>,
}

/// Default number of weeks before the first purchase: a quarter of the series, from 1 to 9 weeks (the longest
/// look-back is 60 days).
pub fn default_warm_up(weeks: usize) -> usize {
    (weeks / 4).clamp(1, 9)
}

/// Replays every policy over hourly units (`NaN` = not known): foresight first, then burntop's, then the fixed
/// rules. Fails where a price or a number of weeks is out of range, or the series is too short.
///
/// All may buy in the first week after the warm-up and every `every_weeks` later; nothing is held before. A
/// commitment that outlives the series is charged to the series' end only, for all policies.
pub fn backtest(hours: &[f64], setting: &Setting) -> Result<Vec<Outcome>, BacktestError> {
    check(setting)?;
    let weeks = weeks(hours);
    let warm_up = setting.warm_up_weeks;
    if weeks.len() <= warm_up {
        return Err(BacktestError::Short { weeks: weeks.len(), warm_up });
    }
    let rung = Rung {
        term_weeks: setting.term_weeks,
        rate: setting.reserved,
        every_weeks: setting.every_weeks,
    };
    let best = ladder(&weeks[warm_up..], setting.on_demand, &[rung]);
    let mut bought = vec![0.0; weeks.len() - warm_up];
    for buy in &best.buys {
        bought[buy.week] += buy.units;
    }
    let above = |cost: f64| (best.cost_usd > 0.0).then(|| cost / best.cost_usd - 1.0);
    let mut outcomes = vec![Outcome {
        name: "perfect_foresight",
        cost_usd: best.cost_usd,
        cost_above_foresight: above(best.cost_usd),
        bought,
    }];
    for mut policy in policies() {
        let done = replay(hours, &weeks, setting, policy.as_mut());
        outcomes.push(Outcome {
            name: policy.name(),
            cost_usd: done.cost_usd,
            cost_above_foresight: above(done.cost_usd),
            bought: done.bought,
        });
    }
    Ok(outcomes)
}

/// Ours, then the fixed rules.
fn policies() -> Vec<Box<dyn Policy>> {
    vec![
        Box::new(Burntop::default()),
        Box::new(LookBack { days: 7 }),
        Box::new(LookBack { days: 30 }),
        Box::new(LookBack { days: 60 }),
        Box::new(PartOfAverage { part: 0.7 }),
        Box::new(WangLiLiang::default()),
        Box::new(Nothing),
    ]
}

fn check(setting: &Setting) -> Result<(), BacktestError> {
    for (what, usd) in [("on-demand", setting.on_demand), ("reserved", setting.reserved)] {
        if !(usd > 0.0 && usd.is_finite()) {
            return Err(BacktestError::Price { what, usd });
        }
    }
    for (what, weeks) in
        [("the term", setting.term_weeks), ("the time between purchases", setting.every_weeks)]
    {
        if weeks == 0 {
            return Err(BacktestError::Weeks { what });
        }
    }
    Ok(())
}
