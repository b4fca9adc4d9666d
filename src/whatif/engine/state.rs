//! Results kept of a family between two moves of a slider.

use super::super::FamilyInputs;
use super::FamilyPaths;
use super::draws::Spread;
use super::kernel::{ChunkSum, Tables};
use super::pictures::DemandPicture;
use super::worth::Worth;

/// A family's tables and sums.
#[derive(Debug)]
pub(super) struct FamilyState {
    pub(super) tables: Tables,
    pub(super) spread: Spread,
    /// Per chunk, everything on demand.
    on_demand: Vec<Option<ChunkSum>>,
    /// Per chunk, with what the family has.
    supplied: Vec<Option<ChunkSum>>,
    /// The chunks of the last valuation, put together.
    pub(super) paths: FamilyPaths,
    pub(super) weeks: WeekMeans,
    /// The demand ahead; `None` where it is to be drawn anew.
    pub(super) picture: Option<DemandPicture>,
    /// What the offers are worth, while a slider moves and when it has settled; `None` where it is
    /// to be computed anew.
    pub(super) worth: [Option<Worth>; 2],
}

/// Means over the futures, by week.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct WeekMeans {
    /// Unit-hours of demand.
    pub(super) demand: Vec<f64>,
    /// Unit-hours that no commitment covers.
    pub(super) uncovered: Vec<f64>,
    /// USD without what is fixed.
    pub(super) usd: Vec<f64>,
}

impl FamilyState {
    pub(super) fn new(tables: Tables, spread: Spread) -> Self {
        Self {
            tables,
            spread,
            on_demand: Vec::new(),
            supplied: Vec::new(),
            paths: FamilyPaths::default(),
            weeks: WeekMeans::default(),
            picture: None,
            worth: [None, None],
        }
    }

    pub(super) fn spread_differs(&self, inputs: &FamilyInputs) -> bool {
        self.spread != Spread::of(inputs)
    }

    /// Another demand: nothing holds.
    pub(super) fn forget_all(&mut self) {
        self.on_demand.clear();
        self.supplied.clear();
        self.picture = None;
        self.worth = [None, None];
    }

    /// Drops the costs because the supply changed; the demand stays.
    pub(super) fn forget_cost(&mut self) {
        self.supplied.clear();
    }

    pub(super) fn has_on_demand(&self, chunk: usize, paths: usize) -> bool {
        self.kept_on_demand(chunk, paths).is_some()
    }

    pub(super) fn has_supplied(&self, chunk: usize, paths: usize) -> bool {
        kept(&self.supplied, chunk, paths).is_some()
    }

    pub(super) fn kept_on_demand(&self, chunk: usize, paths: usize) -> Option<&ChunkSum> {
        kept(&self.on_demand, chunk, paths)
    }

    pub(super) fn keep(&mut self, chunk: usize, supplied: bool, sum: ChunkSum) {
        let sums = if supplied { &mut self.supplied } else { &mut self.on_demand };
        if sums.len() <= chunk {
            sums.resize(chunk + 1, None);
        }
        sums[chunk] = Some(sum);
    }

    /// Puts the first `chunks` chunks together, in their order.
    pub(super) fn gather(&mut self, chunks: usize, fixed_usd: f64) {
        let paths = &mut self.paths;
        (paths.fixed_usd, self.weeks) = (fixed_usd, WeekMeans::default());
        paths.costs.clear();
        paths.on_demand.clear();
        for sum in self.supplied.iter().take(chunks).flatten() {
            paths.costs.extend(sum.usd.iter().map(|usd| usd + fixed_usd));
            add(&mut self.weeks.uncovered, &sum.hours_by_week);
            add(&mut self.weeks.usd, &sum.usd_by_week);
        }
        for sum in self.on_demand.iter().take(chunks).flatten() {
            paths.on_demand.extend(&sum.usd);
            add(&mut self.weeks.demand, &sum.hours_by_week);
        }
        let count = paths.costs.len().max(1) as f64;
        let weeks = &mut self.weeks;
        for week in [&mut weeks.demand, &mut weeks.uncovered, &mut weeks.usd] {
            week.iter_mut().for_each(|sum| *sum /= count);
        }
    }
}

fn kept(sums: &[Option<ChunkSum>], chunk: usize, paths: usize) -> Option<&ChunkSum> {
    sums.get(chunk)?.as_ref().filter(|sum| sum.usd.len() == paths)
}

fn add(sums: &mut Vec<f64>, more: &[f64]) {
    sums.resize(more.len(), 0.0);
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}
