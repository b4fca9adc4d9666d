//! Our buying policy: follow what would have been cheapest so far.
//!
//! A set of simple candidates buys in the shadow from the first week of the history on, each with
//! its own commitments and expiries, and each week is charged to all of them. What is wanted now is
//! what the candidate wants whose shadow has cost least. A candidate is the quantile of a look-back
//! window, or what both the last 7 and the last 14 days call for, or a part of one of them; beside
//! them stand 70% of the average, Wang, Li and Liang's rule, and nothing, so that every fixed rule
//! is among them.
//!
//! Where little has been seen, the losses say little. So each candidate begins with a handicap, in
//! weeks of on-demand cost, which evidence outweighs in time. The first choice has none. It is the
//! shortest window, which follows a launch or an end soonest. But a policy that may buy often holds
//! the most that it wanted at any date of the last term, so noise binds: where a commitment outlives
//! several further dates, the first choice is what both short windows call for. The others have
//! more, the more they leave out.
//!
//! There is no setting to choose.

use super::replay::{Past, Policy, Setting};
use super::rules::WangLiLiang;
use crate::whatif::HOURS_PER_WEEK;
use crate::whatif::optimum::Usage;

/// Days looked back: a vendor's three windows, a fortnight, and half a year for what is stable.
const WINDOWS: [usize; 5] = [7, 14, 30, 60, 180];

/// Parts of a window's quantile: the more falls or swings, the less of it pays.
const PARTS: [f64; 5] = [1.0, 0.9, 0.8, 0.7, 0.5];

/// The handicap of buying nothing, in weeks of on-demand cost; the others have a part of it.
const HANDICAP_WEEKS: f64 = 0.3;

/// The part of the handicap that a window has that is not the first choice.
const OTHER: f64 = 0.1;

/// From so many dates within a term on, noise binds.
const MANY_DATES: usize = 4;

/// A way of choosing how much to hold.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Candidate {
    /// A part of the quantile of a window: index of the window, part.
    Quantile(usize, f64),
    /// A part of the lower of the two shortest windows' quantiles.
    Both(f64),
    /// 70% of the average of 30 days.
    Average,
    /// When on-demand has cost as much as a commitment.
    Wang,
    /// Nothing.
    Nothing,
}

/// A candidate, and what it has done so far without money.
#[derive(Clone, Debug)]
struct Shadow {
    candidate: Candidate,
    /// Units held, by week of the history and beyond.
    held: Vec<f64>,
    cost_usd: f64,
}

/// The buying policy of burntop. One value replays one series, once.
#[derive(Clone, Debug)]
pub struct Burntop {
    shadows: Vec<Shadow>,
    wang: WangLiLiang,
    /// Weeks that the shadows have been charged for.
    week: usize,
}

impl Default for Burntop {
    fn default() -> Self {
        let mut candidates: Vec<Candidate> = PARTS.map(Candidate::Both).to_vec();
        for window in 0..WINDOWS.len() {
            candidates.extend(PARTS.map(|part| Candidate::Quantile(window, part)));
        }
        candidates.extend([Candidate::Average, Candidate::Wang, Candidate::Nothing]);
        let shadow = |candidate| Shadow { candidate, held: Vec::new(), cost_usd: 0.0 };
        let shadows = candidates.into_iter().map(shadow).collect();
        Self { shadows, wang: WangLiLiang::default(), week: 0 }
    }
}

impl Candidate {
    /// Handicap at the start, in weeks of on-demand cost.
    fn handicap_weeks(self, setting: &Setting) -> f64 {
        let many = setting.term_weeks >= MANY_DATES * setting.every_weeks;
        let (first, part) = match self {
            Self::Both(part) => (many, part),
            Self::Quantile(window, part) => (!many && window == 0, part),
            Self::Average | Self::Wang | Self::Nothing => return HANDICAP_WEEKS,
        };
        HANDICAP_WEEKS * (if first { 0.0 } else { OTHER } + 1.0 - part)
    }
}

impl Policy for Burntop {
    fn name(&self) -> &'static str {
        "burntop"
    }

    fn wanted(&mut self, past: &Past<'_>) -> f64 {
        self.catch_up(past);
        let month = Usage::new(past.last_days(30));
        // What a usual week costs on demand, as the measure of the handicaps.
        let usual = past.setting.on_demand * mean(&month) * HOURS_PER_WEEK as f64;
        let score = |shadow: &Shadow| {
            shadow.cost_usd + shadow.candidate.handicap_weeks(past.setting) * usual
        };
        let best = self.shadows.iter().min_by(|a, b| score(a).total_cmp(&score(b)));
        let Some(best) = best else { return 0.0 };
        if best.candidate == Candidate::Wang {
            // It buys for good when asked; the shadow itself buys when this week is charged.
            let held = &best.held[past.hours.len() / HOURS_PER_WEEK..];
            return self.wang.clone().wanted(&Past { held, ..*past });
        }
        Levels::new(past.hours, past.setting).wanted(best.candidate)
    }
}

impl Burntop {
    /// Lets the shadows buy and pay through all whole weeks that were not seen yet. They may buy on
    /// the same days as we.
    fn catch_up(&mut self, past: &Past<'_>) {
        let Past { hours, setting, .. } = *past;
        let now = hours.len() / HOURS_PER_WEEK;
        let every = setting.every_weeks.max(1);
        let term = setting.term_weeks.max(1);
        for shadow in &mut self.shadows {
            shadow.held.resize(now + term, 0.0);
        }
        // Nothing is known before the first week, so it is nobody's merit.
        for week in self.week.max(1)..now {
            let seen = week * HOURS_PER_WEEK;
            if week % every == now % every {
                let levels = Levels::new(&hours[..seen], setting);
                for shadow in &mut self.shadows {
                    let held = &mut shadow.held[week..week + term];
                    let wanted = match shadow.candidate {
                        Candidate::Wang => {
                            self.wang.wanted(&Past { hours: &hours[..seen], held, setting })
                        }
                        candidate => levels.wanted(candidate),
                    };
                    let missing = (wanted - held[0]).round().max(0.0);
                    held.iter_mut().for_each(|units| *units += missing);
                }
            }
            let usage = Usage::new(&hours[seen..seen + HOURS_PER_WEEK]);
            for shadow in &mut self.shadows {
                let held = shadow.held[week];
                shadow.cost_usd += setting.reserved * held * usage.hours() as f64
                    + setting.on_demand * usage.units_above(held);
            }
        }
        self.week = self.week.max(now);
    }
}

/// Levels of commitment that the candidates share, computed once.
struct Levels {
    quantiles: [f64; WINDOWS.len()],
    average: f64,
}

impl Levels {
    fn new(hours: &[f64], setting: &Setting) -> Self {
        let last = |days: usize| Usage::new(&hours[hours.len().saturating_sub(days * 24)..]);
        Self {
            quantiles: WINDOWS.map(|days| last(days).level(setting.break_even())),
            average: mean(&last(30)),
        }
    }

    fn wanted(&self, candidate: Candidate) -> f64 {
        match candidate {
            Candidate::Quantile(window, part) => part * self.quantiles[window],
            Candidate::Both(part) => part * self.quantiles[0].min(self.quantiles[1]),
            Candidate::Average => 0.7 * self.average,
            // It keeps its own account.
            Candidate::Wang | Candidate::Nothing => 0.0,
        }
    }
}

fn mean(usage: &Usage) -> f64 {
    if usage.hours() == 0 { 0.0 } else { usage.total() / usage.hours() as f64 }
}
