//! Values a scenario over many futures, fast enough to follow a slider.
//!
//! An [`Engine`] is kept between moves. [`Engine::set`] compares what the scenario comes to per week
//! with what it came to before, and forgets only what no longer holds: draws, a family's demand, a
//! family's cost, or nothing but the sums. [`Engine::value`] computes what is missing.

mod calendar;
mod check;
mod draws;
mod error;
mod flexible;
mod hindsight;
mod kernel;
mod level;
mod money;
mod offers;
mod pictures;
mod plans;
mod random;
mod regret;
mod schedule;
mod state;
mod stats;
mod tables;
mod valuation;
mod what_would;
mod worth;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use error::EngineError;
pub use offers::moved_offer;
pub use stats::{mean, worst5_savings_usd};

use self::draws::{CHUNK, Draws, Rules};
use self::kernel::Tables;
use self::plans::PlanState;
use self::schedule::Schedule;
use self::state::FamilyState;
use super::{
    Answer, Demand, Family, FamilyAnswer, FamilyInputs, HOURS_PER_WEEK, Lists, Scenario, Stage,
    Valuation, Workers,
};

/// Most base weeks that futures are drawn from, the latest ones: a full year of seasons, and no older levels.
pub const BASE_WEEKS: usize = 52;

/// Accuracy of a valuation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// By tables: within a hundred-thousandth of the hour-by-hour sum.
    #[default]
    Fast,
    /// By the sorted hours, in `f64`: within 1e-9; some ten times slower.
    Exact,
}

/// Cost of one family in each future.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FamilyPaths {
    /// USD with what is held and bought, by future.
    pub costs: Vec<f64>,
    /// USD with everything on demand, by future.
    pub on_demand: Vec<f64>,
    /// USD of commitments that are paid in every future.
    pub fixed_usd: f64,
}

/// One week of one future, as it was drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnWeek {
    /// Index of the demand's hour at which the base week begins.
    pub first_hour: usize,
    /// For each family the factor of its hours (after a move: of its mixture of hours), and the units added.
    pub families: Vec<(f64, f64)>,
}

/// Values scenarios over one demand, keeping what consecutive scenarios have in common.
#[derive(Debug)]
pub struct Engine {
    demand: Arc<Demand>,
    scenario: Scenario,
    precision: Precision,
    /// Where the base weeks begin.
    starts: Vec<usize>,
    /// What each of them is multiplied with, by the demand's family.
    levels: Vec<Vec<f64>>,
    schedule: Schedule,
    draws: Draws,
    families: Vec<FamilyState>,
    plans: PlanState,
    costs: Vec<f64>,
    on_demand: Vec<f64>,
    /// True when the last valuation was of the history.
    of_history: bool,
}

impl Engine {
    /// An engine for this demand, set to this scenario, at [`Precision::Fast`]. Fails where the scenario cannot
    /// be valued.
    pub fn new(demand: Arc<Demand>, scenario: &Scenario) -> Result<Self, EngineError> {
        Self::with_precision(demand, scenario, Precision::Fast)
    }

    /// An engine of this precision; fails as [`Engine::new`].
    pub fn with_precision(
        demand: Arc<Demand>,
        scenario: &Scenario,
        precision: Precision,
    ) -> Result<Self, EngineError> {
        check::scenario(scenario, &demand)?;
        let schedule = Schedule::new(scenario)?;
        let mut starts = demand.whole_weeks();
        starts.drain(..starts.len().saturating_sub(BASE_WEEKS));
        let levels = levels(&demand, &starts, scenario.future.from_today);
        let draws = Draws::new(rules(scenario, starts.len(), precision), &scenario.families);
        let mut engine = Self {
            demand,
            scenario: scenario.clone(),
            precision,
            levels,
            starts,
            schedule,
            draws,
            families: Vec::new(),
            plans: PlanState::default(),
            costs: Vec::new(),
            on_demand: Vec::new(),
            of_history: false,
        };
        engine.families = engine.states();
        Ok(engine)
    }

    /// Replaces the scenario; the demand stays. On an error the engine is unchanged.
    pub fn set(&mut self, scenario: &Scenario) -> Result<(), EngineError> {
        check::scenario(scenario, &self.demand)?;
        let schedule = Schedule::new(scenario)?;
        let names = |of: &Scenario| of.families.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
        let from_today = scenario.future.from_today;
        let same_families = names(scenario) == names(&self.scenario)
            && from_today == self.scenario.future.from_today;
        if from_today != self.scenario.future.from_today {
            self.levels = levels(&self.demand, &self.starts, from_today);
        }
        let rules = rules(scenario, self.starts.len(), self.precision);
        let mut same_draws = same_families && rules == self.draws.rules;
        if same_draws {
            for (state, inputs) in self.families.iter_mut().zip(&scenario.families) {
                if state.spread_differs(inputs) {
                    same_draws = false;
                    state.forget_all();
                }
            }
            self.draws.set(&scenario.families);
        } else {
            self.draws = Draws::new(rules, &scenario.families);
            self.families.iter_mut().for_each(FamilyState::forget_all);
        }
        self.scenario = scenario.clone();
        let before = std::mem::replace(&mut self.schedule, schedule);
        if before != self.schedule || !same_draws {
            self.plans.forget();
        }
        if !same_families {
            self.families = self.states();
            return Ok(());
        }
        for at in 0..self.families.len() {
            let (old, new) = (&before.families[at], &self.schedule.families[at]);
            if old.mixtures != new.mixtures {
                self.families[at].tables = self.tables(&new.mixtures);
            }
            if old.mixtures != new.mixtures || old.demand != new.demand {
                self.families[at].forget_all();
            } else if old.supply != new.supply || old.spot_share != new.spot_share {
                self.families[at].forget_cost();
            }
            self.families[at].spread = draws::Spread::of(&self.scenario.families[at]);
        }
        Ok(())
    }

    /// The scenario that is valued.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The demand that futures are drawn from.
    pub fn demand(&self) -> &Arc<Demand> {
        &self.demand
    }

    /// Values the scenario over its first `paths` futures (0 = over the history itself), or over all where it
    /// has fewer. Lists, tornado, regret and cautious units stay empty. Fails where the demand has no week
    /// without a gap (for the history: a family no known hour).
    pub fn value(&mut self, paths: u32, workers: &dyn Workers) -> Result<Answer, EngineError> {
        let wanted = self.scenario.future.paths;
        let paths = paths.min(wanted);
        if paths == 0 {
            return self.hindsight();
        }
        self.prepare(paths, workers)?;
        self.prepare_pictures(paths as usize, workers);
        let quick = paths < wanted;
        self.prepare_worth(paths as usize, quick, workers);
        let families = (0..self.families.len()).map(|at| self.family_answer(at, quick)).collect();
        Ok(Answer {
            stage: if quick { Stage::Quick } else { Stage::Settled },
            paths,
            weeks: self.scenario.future.weeks,
            total: self.total(),
            families,
            lists: Lists::default(),
            advised: None,
            tornado: Vec::new(),
            calendar: self.calendar(),
        })
    }

    /// Figures of all families together over the first `paths` futures, without charts or families: enough for
    /// a slider. Fails where a valuation does.
    pub fn figures(&mut self, paths: u32, workers: &dyn Workers) -> Result<Valuation, EngineError> {
        let paths = paths.min(self.scenario.future.paths);
        if paths == 0 {
            return self.hindsight().map(|answer| answer.total);
        }
        self.prepare(paths, workers)?;
        Ok(self.total())
    }

    /// USD of all families together, by future of the last valuation.
    pub fn costs(&self) -> &[f64] {
        &self.costs
    }

    /// How a week of a future of the last valuation was drawn; `None` where there is no such week or future.
    pub fn drawn_week(&self, path: usize, week: usize) -> Option<DrawnWeek> {
        if path >= self.costs.len() || week >= self.schedule.weeks || self.of_history {
            return None;
        }
        let (chunk, at) = (path / CHUNK, week * CHUNK + path % CHUNK);
        let base = usize::from(self.draws.bases.get(chunk)?[at]);
        let families = self.schedule.families.iter().enumerate().map(|(family, schedule)| {
            let demand = &schedule.demand[week];
            let g = self.draws.scales[family].1[chunk].at(at);
            (demand.scale * g, demand.shift)
        });
        Some(DrawnWeek { first_hour: self.starts[base], families: families.collect() })
    }

    /// Cost of a family by future of the last valuation; `None` without a price.
    pub fn family_costs(&self, family: usize) -> Option<&FamilyPaths> {
        let priced = self.schedule.families.get(family)?.priced;
        priced.then(|| &self.families[family].paths)
    }

    fn states(&self) -> Vec<FamilyState> {
        let families = self.schedule.families.iter().zip(&self.scenario.families);
        families
            .map(|(schedule, inputs)| {
                FamilyState::new(self.tables(&schedule.mixtures), draws::Spread::of(inputs))
            })
            .collect()
    }

    /// The tables of these mixtures of the scenario's families.
    fn tables(&self, mixtures: &[Vec<f64>]) -> Tables {
        let weeks = mixtures.iter().map(|weights| self.mixed(weights));
        match self.precision {
            Precision::Fast => Tables::Fast(weeks.map(|w| tables::FastTable::new(&w)).collect()),
            Precision::Exact => Tables::Exact(weeks.map(|w| tables::ExactTable::new(&w)).collect()),
        }
    }

    /// The base weeks of a mixture of the scenario's families.
    fn mixed(&self, weights: &[f64]) -> Vec<[f64; HOURS_PER_WEEK]> {
        let of = |inputs: &FamilyInputs| {
            let mut families = self.demand.families.iter().zip(&self.levels);
            families.find(|(family, _)| family.name == inputs.name)
        };
        let parts = self.scenario.families.iter().map(of).zip(weights);
        let parts: Vec<_> = parts
            .filter(|(_, weight)| **weight > 0.0)
            .filter_map(|(part, weight)| {
                part.map(|(family, levels)| (&family.hours, levels, weight))
            })
            .collect();
        let week = |(at, start): (usize, &usize)| {
            std::array::from_fn(|hour| {
                let part = |(hours, levels, weight): &(&Vec<f64>, &Vec<f64>, &f64)| {
                    *weight * (levels[at] * hours[start + hour])
                };
                parts.iter().map(part).sum()
            })
        };
        self.starts.iter().enumerate().map(week).collect()
    }

    fn base_hours(&self) -> plans::BaseHours {
        let families = self.schedule.families.iter();
        families
            .map(|family| family.mixtures.iter().map(|weights| self.mixed(weights)).collect())
            .collect()
    }

    fn family_answer(&self, at: usize, quick: bool) -> Option<FamilyAnswer> {
        let (state, schedule) = (&self.families[at], &self.schedule.families[at]);
        schedule.priced.then(|| {
            let mut value = Valuation::default();
            stats::fill(&mut value, &state.paths.costs, &state.paths.on_demand);
            money::fill(&mut value, schedule, state, self.scenario.future.wacc);
            let (offers, costs) = self.worth(at, quick);
            FamilyAnswer {
                value,
                curve: self.curve_picture(at, offers::optima(&offers)),
                fan: self.fan(at),
                costs,
                payback: self.payback(at, self.costs.len()),
                offers,
            }
        })
    }

    fn total(&self) -> Valuation {
        let mut value = Valuation::default();
        stats::fill(&mut value, &self.costs, &self.on_demand);
        let wacc = self.scenario.future.wacc;
        money::fill_total(&mut value, &self.schedule, &self.families, &self.plans.weeks, wacc);
        value
    }
}

/// The level of each base week of each family of the demand.
fn levels(demand: &Demand, starts: &[usize], from_today: bool) -> Vec<Vec<f64>> {
    let level = |family: &Family| {
        if from_today { level::factors(family, starts) } else { vec![1.0; starts.len()] }
    };
    demand.families.iter().map(level).collect()
}

fn rules(scenario: &Scenario, base_weeks: usize, precision: Precision) -> Rules {
    Rules {
        seed: scenario.future.seed,
        weeks: usize::from(scenario.future.weeks),
        base_weeks: base_weeks as u32,
        correlation: scenario.future.correlation,
        exact: precision == Precision::Exact,
    }
}
