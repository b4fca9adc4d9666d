//! What a family's offers are worth over the futures: the best number of units of each, the cost by
//! units of the one that the slider moves, and when one unit of it has paid.

use super::super::supply::payback::Unit;
use super::super::{
    CostPoint, FamilyInputs, HOURS_PER_WEEK, Offer, OfferAnswer, Payback, WEEKS_PER_YEAR, Workers,
};
use super::draws::{CHUNK, each};
use super::offers;
use super::schedule::FamilySchedule;
use super::stats::{mean, p5_p50_p95, worst5_savings_usd};
use super::{Engine, kernel, money};

/// Futures that it is made from while a slider moves, the first ones.
const QUICK: usize = 256;

/// The same when it has settled. The cost is flat around the best number, so that more futures
/// move it by less than a ten-thousandth.
const SETTLED: usize = 4 * CHUNK;

/// What is known of a family's offers; it holds as long as the demand and these inputs do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Worth {
    futures: usize,
    step: f64,
    /// The family without what its slider buys.
    inputs: FamilyInputs,
    best: Vec<Option<f64>>,
    costs: Vec<CostPoint>,
}

/// One thing to compute.
enum Job {
    /// Of the offer of this index.
    Best(usize),
    /// With so many units of the offer that the slider moves.
    Cost(f64),
}

enum Done {
    Best(Option<f64>),
    Cost(CostPoint),
}

/// The family with nothing of what its slider moves.
fn unmoved(inputs: &FamilyInputs) -> FamilyInputs {
    let mut inputs = inputs.clone();
    if let Some(moved) = offers::moved_offer(&inputs) {
        let name = inputs.offers[moved].name.clone();
        let slider = inputs.buys.iter_mut().filter(|buy| buy.week == 0 && buy.offer == name);
        slider.for_each(|buy| buy.units = 0.0);
    }
    inputs
}

impl Engine {
    /// Computes anew what does not hold any more.
    pub(super) fn prepare_worth(&mut self, paths: usize, quick: bool, workers: &dyn Workers) {
        let futures = paths.min(if quick { QUICK } else { SETTLED });
        let stale: Vec<(usize, FamilyInputs)> = (0..self.families.len())
            .filter(|&at| self.schedule.families[at].priced)
            .map(|at| (at, unmoved(&self.scenario.families[at])))
            .filter(|(at, inputs)| {
                let worth = self.families[*at].worth[usize::from(quick)].as_ref();
                worth.is_none_or(|worth| {
                    let same = worth.futures == futures && worth.step == self.step(*at);
                    !same || worth.inputs != *inputs
                })
            })
            .collect();
        let jobs: Vec<(usize, Job)> = stale
            .iter()
            .enumerate()
            .flat_map(|(place, (at, inputs))| {
                let best = (0..inputs.offers.len()).map(Job::Best);
                let moved = offers::moved_offer(inputs);
                let levels = moved.map(|_| offers::levels(self.peak(*at), &[]));
                let costs = levels.into_iter().flatten().map(Job::Cost);
                best.chain(costs).map(move |job| (place, job))
            })
            .collect();
        let done = each(workers, jobs.len(), |job| {
            let (place, job) = &jobs[job];
            let (at, inputs) = &stale[*place];
            match job {
                Job::Best(offer) => Done::Best(self.best(*at, inputs, *offer, futures)),
                Job::Cost(units) => Done::Cost(self.cost_at(*at, inputs, *units, futures)),
            }
        });
        let mut made: Vec<Worth> = stale
            .iter()
            .map(|(at, inputs)| Worth {
                futures,
                step: self.step(*at),
                inputs: inputs.clone(),
                best: Vec::new(),
                costs: Vec::new(),
            })
            .collect();
        for ((place, _), done) in jobs.iter().zip(done) {
            match done {
                Done::Best(units) => made[*place].best.push(units),
                Done::Cost(point) => made[*place].costs.push(point),
            }
        }
        for ((at, _), worth) in stale.into_iter().zip(made) {
            self.families[at].worth[usize::from(quick)] = Some(worth);
        }
    }

    /// USD of a family in some futures, without what is fixed.
    fn running(&self, at: usize, schedule: &FamilySchedule, futures: usize) -> Vec<f64> {
        let mut usd = Vec::with_capacity(futures);
        for chunk in 0..futures.div_ceil(CHUNK) {
            let part = self.part(at, chunk, (futures - chunk * CHUNK).min(CHUNK));
            usd.extend(kernel::supplied(schedule, &self.families[at].tables, part).usd);
        }
        usd
    }

    /// Whole units of an offer, bought now beside what is held and nothing else, with the lowest
    /// mean cost: the first one more of which costs more than it saves.
    fn best(&self, at: usize, inputs: &FamilyInputs, offer: usize, futures: usize) -> Option<f64> {
        let offer = &inputs.offers[offer];
        let rate = offer.rate.filter(|_| offers::discounts(offer))?;
        let held = FamilyInputs { buys: Vec::new(), ..inputs.clone() };
        let mine = &self.schedule.families[at];
        let alone = mine.supplied_by(&held).ok()?;
        let weeks = usize::from(offer.weeks).min(alone.supply.len());
        let step = self.step(at);
        let usd = |units: f64| {
            let with = alone.with(units, 0.0, 0..weeks);
            mean(&self.running(at, &with, futures))
        };
        let price = rate * (weeks * HOURS_PER_WEEK) as f64;
        let most = self.peak(at) / (1.0 - mine.spot_share).max(1e-3);
        Some(offers::first_whole(most, |units| {
            usd(units + step) - usd(units) + step * price >= 0.0
        }))
    }

    /// Smallest difference in units at which costs are compared: one, or a thousandth of the mean demand where that is
    /// more, so that the tables' own error stays small beside the difference.
    pub(super) fn step(&self, at: usize) -> f64 {
        let weeks = &self.families[at].weeks.demand;
        let hours = (weeks.len() * HOURS_PER_WEEK).max(1) as f64;
        (weeks.iter().sum::<f64>() / hours / 1000.0).floor().max(1.0)
    }

    /// The most units of any hour ahead, as far as it was drawn.
    fn peak(&self, at: usize) -> f64 {
        self.families[at].picture.as_ref().map_or(0.0, |picture| picture.peak)
    }

    /// The cost with so much of the offer that the slider moves.
    fn cost_at(&self, at: usize, inputs: &FamilyInputs, commit: f64, futures: usize) -> CostPoint {
        let mine = &self.schedule.families[at];
        let offer = offers::moved_offer(inputs).map(|offer| &inputs.offers[offer]);
        let known = offer.and_then(|offer| Some((offer, offer.rate?)));
        let (Some((offer, rate)), Ok(others)) = (known, mine.supplied_by(inputs)) else {
            return CostPoint::default();
        };
        let weeks = usize::from(offer.weeks).min(others.supply.len());
        let schedule = others.with(commit, rate, 0..weeks);
        let fixed = money::fixed(&schedule);
        let mut costs = self.running(at, &schedule, futures);
        costs.iter_mut().for_each(|usd| *usd += fixed);
        let on_demand = &self.families[at].paths.on_demand[..futures];
        let worst5_savings_usd = worst5_savings_usd(&costs, on_demand);
        let mean_usd = mean(&costs);
        let [p5_usd, _, p95_usd] = p5_p50_p95(&mut costs);
        CostPoint { commit, mean_usd, p5_usd, p95_usd, worst5_savings_usd }
    }

    /// The offers and the curve of cost.
    pub(super) fn worth(&self, at: usize, quick: bool) -> (Vec<OfferAnswer>, Vec<CostPoint>) {
        let inputs = &self.scenario.families[at];
        let worth = self.families[at].worth[usize::from(quick)].as_ref();
        let best = |offer: &Offer| {
            let place = inputs.offers.iter().position(|other| other.name == offer.name)?;
            *worth?.best.get(place)?
        };
        let costs = worth.map_or_else(Vec::new, |worth| worth.costs.clone());
        (offers::answers(inputs, best), costs)
    }

    /// When one unit of the moved offer has paid: the last one bought, or the first one where none
    /// is.
    pub(super) fn payback(&self, at: usize, paths: usize) -> Option<Payback> {
        let inputs = &self.scenario.families[at];
        let offer = &inputs.offers[offers::moved_offer(inputs)?];
        let (rate, on_demand) = offer.rate.zip(inputs.on_demand)?;
        let schedule = &self.schedule.families[at];
        let level = schedule.supply.first()?.level();
        let some = offers::bought(inputs, &offer.name) > 0.0;
        let below = if some { (level - 1.0).max(0.0) } else { level };
        let unit = Unit {
            rate,
            on_demand,
            utilisation: self.used(at, below, paths.min(CHUNK)),
            weeks: offer.weeks,
            payment: offer.payment,
            price_cut: inputs
                .price_cut
                .map(|cut| (f64::from(cut.week) * 12.0 / WEEKS_PER_YEAR, cut.share)),
        };
        Some(unit.payback())
    }

    /// The part of the hours ahead in which the unit above `below` is used, 0–1.
    fn used(&self, at: usize, below: f64, paths: usize) -> f64 {
        let (schedule, tables) = (&self.schedule.families[at], &self.families[at].tables);
        let mut hours = 0.0;
        for (level, sign) in [(below, 1.0), (below + 1.0, -1.0)] {
            kernel::above_by_week(schedule, tables, self.part(at, 0, paths), level, |_, above| {
                hours += sign * above.iter().sum::<f64>();
            });
        }
        let all = (paths * schedule.demand.len() * HOURS_PER_WEEK).max(1) as f64;
        (hours / all).clamp(0.0, 1.0)
    }
}
