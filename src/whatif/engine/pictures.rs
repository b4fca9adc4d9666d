//! What the charts of a family show: demand ahead as a load-duration curve and by week.

use super::super::{CurvePicture, FanWeek, HOURS_PER_WEEK, Workers};
use super::Engine;
use super::draws::{CHUNK, each};
use super::hindsight::CURVE_POINTS;
use super::kernel;
use super::stats::p5_p50_p95;

/// Futures that the curve is made from, the first ones: its edges are the 6th lowest and highest.
const CURVE_PATHS: usize = 128;

/// Levels at which the curve is looked up, between 0 and the peak.
const CURVE_LEVELS: usize = 97;

/// Futures that the fan is made from, the first ones.
const FAN_PATHS: usize = 2 * CHUNK;

/// A family's demand ahead; it holds as long as the demand does.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DemandPicture {
    /// Futures that were asked for when it was made.
    paths: usize,
    /// Units at parts of the hours: mean, low and high edge.
    units: [Vec<f64>; 3],
    /// By week: mean units that 5%, 50% and 95% are not above.
    fan: Vec<[f64; 3]>,
    /// The most units of any hour in the futures of the curve.
    pub(super) peak: f64,
}

impl Engine {
    /// Draws the demand of each family anew where it is another.
    pub(super) fn prepare_pictures(&mut self, paths: usize, workers: &dyn Workers) {
        let wanted = paths.min(FAN_PATHS);
        let stale: Vec<usize> = (0..self.families.len())
            .filter(|&at| self.schedule.families[at].priced)
            .filter(|&at| {
                let picture = self.families[at].picture.as_ref();
                picture.is_none_or(|picture| picture.paths != wanted)
            })
            .collect();
        let made = each(workers, stale.len(), |piece| self.demand_picture(stale[piece], wanted));
        for (at, made) in stale.into_iter().zip(made) {
            self.families[at].picture = Some(made);
        }
    }

    fn demand_picture(&self, at: usize, paths: usize) -> DemandPicture {
        let schedule = &self.schedule.families[at];
        let weeks = schedule.demand.len();
        let mut means = vec![Vec::with_capacity(paths); weeks];
        for chunk in 0..paths.div_ceil(CHUNK) {
            let part = self.part(at, chunk, (paths - chunk * CHUNK).min(CHUNK));
            let tables = &self.families[at].tables;
            kernel::above_by_week(schedule, tables, part, 0.0, |week, hours| {
                means[week].extend(hours.iter().map(|units| units / HOURS_PER_WEEK as f64));
            });
        }
        let fan = means.iter_mut().map(|means| p5_p50_p95(means)).collect();
        let (peak, units) = self.curve(at, paths.min(CURVE_PATHS));
        DemandPicture { paths, units, fan, peak }
    }

    /// The peak, and units at parts of the hours: the curve of all hours of these futures together,
    /// and the edges of the futures' own.
    fn curve(&self, at: usize, paths: usize) -> (f64, [Vec<f64>; 3]) {
        let (schedule, tables) = (&self.schedule.families[at], &self.families[at].tables);
        let part = self.part(at, 0, paths);
        let peak = kernel::peak(schedule, tables, part);
        let step = if peak > 0.0 { peak / (CURVE_LEVELS - 1) as f64 } else { 1.0 };
        let mut above = vec![vec![0.0; paths]; CURVE_LEVELS];
        for (level, above) in above.iter_mut().enumerate() {
            let add = |_, hours: &[f64]| {
                above.iter_mut().zip(hours).for_each(|(sum, more)| *sum += more);
            };
            kernel::above_by_week(schedule, tables, part, level as f64 * step, add);
        }
        let hours = (schedule.demand.len() * HOURS_PER_WEEK) as f64;
        // The mean part of the hours in which so many units run, between two levels.
        let parts = |above: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let between = |level: usize| (above(level) - above(level + 1)) / (step * hours);
            (0..CURVE_LEVELS - 1).map(between).collect()
        };
        let mean = |level: usize| above[level].iter().sum::<f64>() / paths.max(1) as f64;
        let all = units_at_parts(&parts(&mean), step);
        let each: Vec<Vec<f64>> = (0..paths)
            .map(|path| units_at_parts(&parts(&|level| above[level][path]), step))
            .collect();
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for at in 0..CURVE_POINTS {
            let mut units: Vec<f64> = each.iter().map(|units| units[at]).collect();
            let [p5, _, p95] = p5_p50_p95(&mut units);
            low.push(p5);
            high.push(p95);
        }
        (peak, [all, low, high])
    }

    /// The curve of a family with what it has and could have.
    pub(super) fn curve_picture(&self, at: usize, optima: Vec<(usize, f64)>) -> CurvePicture {
        let Some(picture) = &self.families[at].picture else { return CurvePicture::default() };
        let [units, low, high] = picture.units.clone();
        let committed = self.schedule.families[at].supply.first().map_or(0.0, |w| w.committed);
        CurvePicture { units, low, high, committed, optima }
    }

    /// Demand by week, with what is committed in each.
    pub(super) fn fan(&self, at: usize) -> Vec<FanWeek> {
        let Some(picture) = &self.families[at].picture else { return Vec::new() };
        let weeks = picture.fan.iter().zip(&self.schedule.families[at].supply);
        weeks
            .map(|(&[p5, p50, p95], supply)| FanWeek { p5, p50, p95, committed: supply.committed })
            .collect()
    }
}

/// Units at parts 0, 1/(n−1), …, 1 of the hours, from the parts of the hours between levels `step`
/// apart, which fall.
fn units_at_parts(parts: &[f64], step: f64) -> Vec<f64> {
    let mut units = vec![0.0; CURVE_POINTS];
    // The part between two levels stands in their middle.
    let middle = |at: usize| (at as f64 + 0.5) * step;
    for (point, units) in units.iter_mut().enumerate() {
        let wanted = point as f64 / (CURVE_POINTS - 1) as f64;
        // Parts that differ by rounding alone are the same.
        let at = parts.partition_point(|&part| part >= wanted - 1e-4);
        *units = match (at.checked_sub(1), parts.get(at)) {
            (None, _) => 0.0,
            (Some(before), None) => middle(before) + step / 2.0,
            (Some(before), Some(&after)) => {
                let way = (parts[before] - wanted) / (parts[before] - after);
                middle(before) + way.clamp(0.0, 1.0) * step
            }
        };
    }
    units
}
