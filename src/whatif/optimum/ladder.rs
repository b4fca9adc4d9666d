//! The exact ladder in hindsight: what to buy in which week, with the whole series known. It is
//! what every buying policy is measured against.
//!
//! Purchases may begin at certain weeks and run for their term, so each covers an interval of
//! weeks. Choosing the intervals is a flow: `peak` units walk from the first week to the last,
//! each either a week at a time without a commitment or a whole term at once with one. A unit
//! without a commitment costs the on-demand hours of the topmost slot that is left, which grows
//! with every further one, so the cheapest flow is found by one shortest path after the other,
//! and equals the linear program of the ladder.
//!
//! A plan that decides for each slot by itself (at most one commitment per slot, bound to it) is
//! not the same: two overlapping commitments can hand a slot over. Demand of 1, 2, 1 units in
//! three weeks takes two 2-week commitments, which no slot can hold alone.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::usage::Usage;

/// A commitment that may be bought at several dates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rung {
    /// Term, weeks, at least 1.
    pub term_weeks: usize,
    /// USD per unit and hour, committed.
    pub rate: f64,
    /// Weeks between possible purchases, at least 1; the first is week 0.
    pub every_weeks: usize,
}

/// A purchase of a ladder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RungBuy {
    /// Week of the purchase, 0 = the first.
    pub week: usize,
    /// Index of the rung.
    pub rung: usize,
    /// Units bought.
    pub units: f64,
}

/// The cheapest ladder of purchases.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ladder {
    /// USD over all weeks: commitments within them, the rest on demand.
    pub cost_usd: f64,
    /// Purchases, by week.
    pub buys: Vec<RungBuy>,
    /// Units committed, by week.
    pub committed: Vec<f64>,
}

/// The cheapest way to serve `weeks` from `rungs` and on demand at `on_demand` USD per unit and hour. A
/// commitment is charged up to the last week only; hours that are not known cost nothing.
pub fn ladder(weeks: &[Usage], on_demand: f64, rungs: &[Rung]) -> Ladder {
    let mut flow = Flow::new(weeks, on_demand, rungs);
    flow.fill();
    let mut found = Ladder { committed: vec![0.0; weeks.len()], ..Ladder::default() };
    for arc in &flow.terms {
        if arc.units > 0.0 {
            found.buys.push(RungBuy { week: arc.from, rung: arc.rung, units: arc.units });
            found.cost_usd += arc.cost * arc.units;
            found.committed[arc.from..arc.to].iter_mut().for_each(|units| *units += arc.units);
        }
    }
    found.buys.sort_by_key(|buy| (buy.week, buy.rung));
    let open = weeks.iter().zip(&found.committed).map(|(week, units)| week.units_above(*units));
    found.cost_usd += on_demand * open.sum::<f64>();
    found
}

/// A purchase that can be made: from a week to another.
struct TermArc {
    from: usize,
    to: usize,
    rung: usize,
    /// USD per unit over its weeks.
    cost: f64,
    units: f64,
}

/// A step of a path: how the flow reached a week.
#[derive(Clone, Copy)]
enum Step {
    /// A week further without a commitment.
    Open,
    /// A week back: one fewer without.
    Close,
    /// Along the purchase of this index.
    Buy(usize),
    /// Against it.
    Undo(usize),
}

struct Flow<'a> {
    weeks: &'a [Usage],
    on_demand: f64,
    /// Units that walk.
    peak: f64,
    /// Units covered in each week: `peak` less those that walk it without a commitment.
    covered: Vec<f64>,
    terms: Vec<TermArc>,
    leaving: Vec<Vec<usize>>,
    arriving: Vec<Vec<usize>>,
    /// Cost of the shortest path to each week so far: keeps every reduced cost at 0 or above.
    potential: Vec<f64>,
}

impl<'a> Flow<'a> {
    fn new(weeks: &'a [Usage], on_demand: f64, rungs: &[Rung]) -> Self {
        let end = weeks.len();
        // Known hours before each week.
        let mut hours = vec![0_usize; end + 1];
        for (at, week) in weeks.iter().enumerate() {
            hours[at + 1] = hours[at] + week.hours();
        }
        let mut terms = Vec::new();
        for (rung, offer) in rungs.iter().enumerate() {
            for from in (0..end).step_by(offer.every_weeks.max(1)) {
                let to = (from + offer.term_weeks.max(1)).min(end);
                let cost = offer.rate * (hours[to] - hours[from]) as f64;
                terms.push(TermArc { from, to, rung, cost, units: 0.0 });
            }
        }
        let mut leaving = vec![Vec::new(); end + 1];
        let mut arriving = vec![Vec::new(); end + 1];
        for (at, arc) in terms.iter().enumerate() {
            leaving[arc.from].push(at);
            arriving[arc.to].push(at);
        }
        let peak = weeks.iter().map(Usage::peak).fold(0.0, f64::max);
        let covered = vec![peak; end];
        let potential = vec![0.0; end + 1];
        Self { weeks, on_demand, peak, covered, terms, leaving, arriving, potential }
    }

    /// Sends all units from the first week to the end.
    fn fill(&mut self) {
        let mut left = self.peak;
        // Rounding of real-valued units may leave a sliver, which costs nothing that counts.
        let sliver = self.peak * 1e-12;
        while left > sliver {
            let Some(path) = self.shortest() else { return };
            let room = path.iter().map(|(at, step)| self.room(*at, *step)).fold(left, f64::min);
            if room <= 0.0 {
                return;
            }
            for (at, step) in path {
                match step {
                    Step::Open => self.covered[at] -= room,
                    Step::Close => self.covered[at] += room,
                    Step::Buy(arc) => self.terms[arc].units += room,
                    Step::Undo(arc) => self.terms[arc].units -= room,
                }
            }
            self.snap();
            left -= room;
        }
    }

    /// Sets slivers of rounding to 0, so that no path runs along them for ever.
    fn snap(&mut self) {
        let sliver = self.peak * 1e-13;
        for arc in &mut self.terms {
            if arc.units.abs() < sliver {
                arc.units = 0.0;
            }
        }
        for units in &mut self.covered {
            if units.abs() < sliver {
                *units = 0.0;
            }
        }
    }

    /// USD of one unit more without a commitment in this week: the hours of the slot it gives up.
    fn open_cost(&self, week: usize) -> f64 {
        let level = self.covered[week];
        let sorted = self.weeks[week].sorted();
        let below = sorted.partition_point(|units| *units < level - self.peak * 1e-12);
        self.on_demand * (sorted.len() - below) as f64
    }

    /// USD of one unit fewer: negative.
    fn close_cost(&self, week: usize) -> f64 {
        let level = self.covered[week] + self.peak * 1e-12;
        -self.on_demand * self.weeks[week].hours_above(level) as f64
    }

    /// Units for which the cost of a step holds.
    fn room(&self, at: usize, step: Step) -> f64 {
        match step {
            Step::Open => {
                let level = self.covered[at];
                let sorted = self.weeks[at].sorted();
                let below = sorted.partition_point(|units| *units < level - self.peak * 1e-12);
                level - if below == 0 { 0.0 } else { sorted[below - 1] }
            }
            Step::Close => {
                let level = self.covered[at];
                let sorted = self.weeks[at].sorted();
                let next = sorted.partition_point(|u| *u <= level + self.peak * 1e-12);
                sorted.get(next).copied().unwrap_or(self.peak) - level
            }
            Step::Buy(_) => f64::INFINITY,
            Step::Undo(arc) => self.terms[arc].units,
        }
    }

    /// The cheapest way from the first week to the end (Dijkstra over reduced costs).
    fn shortest(&mut self) -> Option<Vec<(usize, Step)>> {
        let end = self.weeks.len();
        let mut cost = vec![f64::INFINITY; end + 1];
        let mut from: Vec<Option<(usize, Step)>> = vec![None; end + 1];
        let mut done = vec![false; end + 1];
        let mut next = BinaryHeap::new();
        cost[0] = 0.0;
        next.push(Reverse(Reach { cost: 0.0, week: 0 }));
        while let Some(Reverse(Reach { week, .. })) = next.pop() {
            if done[week] {
                continue;
            }
            done[week] = true;
            let base = cost[week] + self.potential[week];
            let mut reach = |to: usize, price: f64, step: Step| {
                // Below 0 only by rounding.
                let reached = (base + price - self.potential[to]).max(cost[week]);
                if !done[to] && reached < cost[to] {
                    cost[to] = reached;
                    from[to] = Some((week, step));
                    next.push(Reverse(Reach { cost: reached, week: to }));
                }
            };
            if week < end && self.covered[week] > 0.0 {
                reach(week + 1, self.open_cost(week), Step::Open);
            }
            if week > 0 && self.covered[week - 1] < self.peak * (1.0 - 1e-12) {
                reach(week - 1, self.close_cost(week - 1), Step::Close);
            }
            for arc in &self.leaving[week] {
                reach(self.terms[*arc].to, self.terms[*arc].cost, Step::Buy(*arc));
            }
            for arc in &self.arriving[week] {
                if self.terms[*arc].units > 0.0 {
                    reach(self.terms[*arc].from, -self.terms[*arc].cost, Step::Undo(*arc));
                }
            }
        }
        for (known, found) in self.potential.iter_mut().zip(&cost) {
            if found.is_finite() {
                *known += found;
            }
        }
        let mut path = Vec::new();
        let mut week = end;
        while week != 0 {
            let (before, step) = from[week]?;
            // Weeks are named by their beginning: a step back covers the week before.
            path.push((if matches!(step, Step::Close) { week } else { before }, step));
            week = before;
        }
        Some(path)
    }
}

/// A week to go on from, the cheapest first.
#[derive(PartialEq)]
struct Reach {
    cost: f64,
    week: usize,
}

impl Eq for Reach {}

impl PartialOrd for Reach {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Reach {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.week.cmp(&other.week))
    }
}
