//! Compute Savings Plans over the futures: every hour of every path.

use super::super::{HOURS_PER_WEEK, Workers};
use super::draws::{CHUNK, Draws, Scales, each};
use super::flexible::{Order, Relief, Room, Terms, prices, terms};
use super::schedule::Schedule;

/// Base weeks by family and mixture, hour by hour.
pub(super) type BaseHours = Vec<Vec<Vec<[f64; HOURS_PER_WEEK]>>>;

/// Effect of the plans in the futures; empty without plans.
#[derive(Debug, Default)]
pub(super) struct PlanState {
    hours: BaseHours,
    chunks: Vec<Option<ChunkRelief>>,
    /// USD that each path saves, what the plans cost not taken off.
    pub(super) saved: Vec<f64>,
    /// Means by week.
    pub(super) weeks: Vec<Relief>,
}

/// One chunk's.
#[derive(Clone, Debug)]
struct ChunkRelief {
    saved: Vec<f64>,
    /// Summed over the paths.
    weeks: Vec<Relief>,
}

impl PlanState {
    /// Forgets everything that was computed.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Computes what is missing of the first `paths` paths.
    pub(super) fn prepare(
        &mut self,
        schedule: &Schedule,
        draws: &Draws,
        paths: usize,
        workers: &dyn Workers,
        hours: impl FnOnce() -> BaseHours,
    ) {
        self.saved.clear();
        self.weeks.clear();
        if schedule.plans.is_empty() {
            return;
        }
        if self.hours.is_empty() {
            self.hours = hours();
        }
        let chunks = paths.div_ceil(CHUNK);
        let size = |chunk: usize| (paths - chunk * CHUNK).min(CHUNK);
        let missing: Vec<usize> = (0..chunks)
            .filter(|&chunk| {
                let kept = self.chunks.get(chunk).and_then(Option::as_ref);
                kept.is_none_or(|kept| kept.saved.len() != size(chunk))
            })
            .collect();
        let made = each(workers, missing.len(), |piece| {
            relieve(schedule, draws, &self.hours, missing[piece], size(missing[piece]))
        });
        if self.chunks.len() < chunks {
            self.chunks.resize(chunks, None);
        }
        for (chunk, made) in missing.into_iter().zip(made) {
            self.chunks[chunk] = Some(made);
        }
        self.weeks = vec![Relief::default(); schedule.weeks];
        for chunk in self.chunks.iter().take(chunks).flatten() {
            self.saved.extend(&chunk.saved);
            self.weeks.iter_mut().zip(&chunk.weeks).for_each(|(sum, more)| sum.add(*more));
        }
        self.weeks.iter_mut().for_each(|week| week.divide(paths as f64));
    }
}

fn relieve(
    schedule: &Schedule,
    draws: &Draws,
    hours: &BaseHours,
    chunk: usize,
    paths: usize,
) -> ChunkRelief {
    let mut made =
        ChunkRelief { saved: vec![0.0; paths], weeks: vec![Relief::default(); schedule.weeks] };
    let mut room = Room::default();
    let mut demand = vec![vec![0.0; HOURS_PER_WEEK]; schedule.families.len()];
    for (week, sum) in made.weeks.iter_mut().enumerate() {
        let order = Order::of(&schedule.plans, &prices(schedule, week), week);
        if order.is_empty() {
            continue;
        }
        let terms: Vec<Terms> = terms(schedule, week);
        for (path, saved) in made.saved.iter_mut().enumerate() {
            let at = week * CHUNK + path;
            let base = usize::from(draws.bases[chunk][at]);
            for (family, demand) in demand.iter_mut().enumerate() {
                let of = schedule.families[family].demand[week];
                let scale = of.scale * draws.scales[family].1[chunk].at(at);
                let base = &hours[family][of.mixture][base];
                for (units, x) in demand.iter_mut().zip(base) {
                    *units = (of.shift + scale * x).max(0.0);
                }
            }
            let relief = order.relief(&terms, &demand, &mut room);
            *saved += relief.saved;
            sum.add(relief);
        }
    }
    made
}

impl Scales {
    /// The factor at a place of the chunk.
    pub(super) fn at(&self, place: usize) -> f64 {
        match self {
            Self::One => 1.0,
            Self::Fast(scales) => f64::from(scales[place]),
            Self::Exact(scales) => scales[place],
        }
    }
}
