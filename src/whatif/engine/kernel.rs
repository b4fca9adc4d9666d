//! One family over one chunk of paths: dollars and unit-hours.
//!
//! In a week with demand d = a + G·g·x, commitment C, on-demand price p and a part φ of the demand
//! that may run on spot at s, commitments serve first and spot next. With D(c) = Σ(d − c)⁺:
//! on-demand hours = Σ((1−φ)d − C)⁺ = (1−φ)·D(C/(1−φ)), spot hours = D(C) − on-demand hours,
//! and D(c) = G·g·L((c − a)/(G·g)) of the base week.

use super::super::HOURS_PER_WEEK;
use super::draws::{CHUNK, Scales};
use super::schedule::{FamilySchedule, WeekDemand};
use super::tables::{ExactTable, FastTable};

/// A family's tables, one per mixture.
#[derive(Clone, Debug)]
pub(super) enum Tables {
    Fast(Vec<FastTable>),
    Exact(Vec<ExactTable>),
}

/// The paths of a chunk that are to be valued, and what was drawn for them.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    /// At most [`CHUNK`].
    pub(super) paths: usize,
    /// `[week][path]`, rows of [`CHUNK`].
    pub(super) bases: &'a [u8],
    pub(super) scales: &'a Scales,
}

/// Sums of one chunk of futures.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ChunkSum {
    /// USD of each path, without what is fixed.
    pub(super) usd: Vec<f64>,
    /// USD of each week, summed over the paths, without what is fixed.
    pub(super) usd_by_week: Vec<f64>,
    /// Unit-hours above the commitment in each week, summed over the paths.
    pub(super) hours_by_week: Vec<f64>,
}

/// Which prices apply above which level in a week: `levels` with USD per unit-hour above each.
#[derive(Clone, Copy, Debug)]
struct Priced {
    level: f64,
    usd: f64,
    /// On-demand's level and its price above spot's; nothing without spot.
    dear: Option<(f64, f64)>,
}

/// All demand on demand.
pub(super) fn on_demand(schedule: &FamilySchedule, tables: &Tables, part: Part<'_>) -> ChunkSum {
    let price =
        |week: usize| Priced { level: 0.0, usd: schedule.demand[week].on_demand, dear: None };
    value(schedule, tables, part, price)
}

/// Cost of the schedule's supply beyond what is fixed.
pub(super) fn supplied(schedule: &FamilySchedule, tables: &Tables, part: Part<'_>) -> ChunkSum {
    let share = schedule.spot_share;
    let price = |week: usize| {
        let (demand, supply) = (schedule.demand[week], schedule.supply[week]);
        let level = supply.level();
        let dearer = demand.on_demand - supply.spot;
        if share > 0.0 && dearer > 0.0 {
            // (1 − φ)·L_d(C/(1 − φ)); all of it on spot at φ = 1.
            let kept = 1.0 - share;
            let dear = (kept > 0.0).then(|| (level / kept, dearer * kept));
            Priced { level, usd: supply.spot, dear }
        } else {
            Priced { level, usd: demand.on_demand, dear: None }
        }
    };
    value(schedule, tables, part, price)
}

/// Unit-hours above `level` in each week, path by path, handed over week by week.
pub(super) fn above_by_week(
    schedule: &FamilySchedule,
    tables: &Tables,
    part: Part<'_>,
    level: f64,
    mut take: impl FnMut(usize, &[f64]),
) {
    let mut narrow = [0.0f32; CHUNK];
    let mut hours = [0.0f64; CHUNK];
    let (narrow, hours) = (&mut narrow[..part.paths], &mut hours[..part.paths]);
    for (week, demand) in schedule.demand.iter().enumerate() {
        match tables {
            Tables::Fast(tables) => {
                fast_above(&tables[demand.mixture], demand, level, part.week(week), narrow);
                hours.iter_mut().zip(&*narrow).for_each(|(wide, of)| *wide = f64::from(*of));
            }
            Tables::Exact(tables) => {
                for (path, hours) in hours.iter_mut().enumerate() {
                    *hours = exact_above(&tables[demand.mixture], demand, level, part, week, path);
                }
            }
        }
        take(week, hours);
    }
}

/// Units of a commitment that differ from path to path, in the first weeks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extra<'a> {
    pub(super) units: &'a [f64],
    pub(super) weeks: usize,
}

/// USD of each path with units of its own beside the schedule's, without what is paid for
/// commitments; reserved capacity that they do not cover is in it.
pub(super) fn with_extra(
    schedule: &FamilySchedule,
    tables: &Tables,
    part: Part<'_>,
    extra: Extra<'_>,
) -> Vec<f64> {
    let mut usd = vec![0.0; part.paths];
    let mut levels = [0.0; CHUNK];
    let mut hours = [0.0; CHUNK];
    let (levels, hours) = (&mut levels[..part.paths], &mut hours[..part.paths]);
    let kept = 1.0 - schedule.spot_share;
    for (week, demand) in schedule.demand.iter().enumerate() {
        let supply = schedule.supply[week];
        for ((level, units), usd) in levels.iter_mut().zip(extra.units).zip(&mut usd) {
            let committed = supply.committed + if week < extra.weeks { *units } else { 0.0 };
            *level = committed.max(supply.reserved);
            let alone = (supply.reserved - committed).max(0.0);
            *usd += alone * HOURS_PER_WEEK as f64 * demand.on_demand;
        }
        let dearer = demand.on_demand - supply.spot;
        let on_spot = schedule.spot_share > 0.0 && dearer > 0.0;
        let price = if on_spot { supply.spot } else { demand.on_demand };
        above_each(tables, demand, levels, part, week, hours);
        usd.iter_mut().zip(&*hours).for_each(|(usd, hours)| *usd += price * hours);
        if on_spot && kept > 0.0 {
            levels.iter_mut().for_each(|level| *level /= kept);
            above_each(tables, demand, levels, part, week, hours);
            usd.iter_mut().zip(&*hours).for_each(|(usd, hours)| *usd += dearer * kept * hours);
        }
    }
    usd
}

/// Unit-hours of a week above each path's own level.
fn above_each(
    tables: &Tables,
    demand: &WeekDemand,
    levels: &[f64],
    part: Part<'_>,
    week: usize,
    hours: &mut [f64],
) {
    match tables {
        Tables::Fast(tables) if demand.scale > 0.0 => {
            let mut narrow = [0.0f32; CHUNK];
            let narrow = &mut narrow[..part.paths];
            let (bases, factors) = part.week(week);
            let own = |path: usize| (levels[path] - demand.shift) / demand.scale;
            tables[demand.mixture].above_each(own, bases, factors, narrow);
            let wide = hours.iter_mut().zip(narrow);
            wide.for_each(|(wide, narrow)| *wide = demand.scale * f64::from(*narrow));
        }
        Tables::Fast(_) => {
            for (hours, level) in hours.iter_mut().zip(levels) {
                *hours = HOURS_PER_WEEK as f64 * (demand.shift - level).max(0.0);
            }
        }
        Tables::Exact(tables) => {
            for (path, hours) in hours.iter_mut().enumerate() {
                let table = &tables[demand.mixture];
                *hours = exact_above(table, demand, levels[path], part, week, path);
            }
        }
    }
}

/// The most units of any hour.
pub(super) fn peak(schedule: &FamilySchedule, tables: &Tables, part: Part<'_>) -> f64 {
    let mut peak: f64 = 0.0;
    for (week, demand) in schedule.demand.iter().enumerate() {
        for path in 0..part.paths {
            let at = week * CHUNK + path;
            let base = usize::from(part.bases[at]);
            let most = match tables {
                Tables::Fast(tables) => tables[demand.mixture].peak(base),
                Tables::Exact(tables) => tables[demand.mixture].peak(base),
            };
            peak = peak.max(demand.shift + demand.scale * part.scales.at(at) * most);
        }
    }
    peak
}

impl<'a> Part<'a> {
    /// Base weeks and factors of a week, for the fast tables.
    fn week(&self, week: usize) -> (&'a [u8], &'a [f32]) {
        const ONES: [f32; CHUNK] = [1.0; CHUNK];
        let range = week * CHUNK..week * CHUNK + self.paths;
        let scales = match self.scales {
            Scales::Fast(scales) => &scales[range.clone()],
            Scales::One | Scales::Exact(_) => &ONES[..self.paths],
        };
        (&self.bases[range], scales)
    }
}

fn value(
    schedule: &FamilySchedule,
    tables: &Tables,
    part: Part<'_>,
    price: impl Fn(usize) -> Priced,
) -> ChunkSum {
    let weeks = schedule.demand.len();
    let mut sum = ChunkSum {
        usd: vec![0.0; part.paths],
        usd_by_week: vec![0.0; weeks],
        hours_by_week: vec![0.0; weeks],
    };
    match tables {
        Tables::Fast(tables) => fast(schedule, tables, part, price, &mut sum),
        Tables::Exact(tables) => exact(schedule, tables, part, price, &mut sum),
    }
    sum
}

fn fast(
    schedule: &FamilySchedule,
    tables: &[FastTable],
    part: Part<'_>,
    price: impl Fn(usize) -> Priced,
    sum: &mut ChunkSum,
) {
    let mut usd = [0.0f32; CHUNK];
    let usd = &mut usd[..part.paths];
    for (week, demand) in schedule.demand.iter().enumerate() {
        let drawn = part.week(week);
        let priced = price(week);
        let table = &tables[demand.mixture];
        let hours = fast_priced(table, demand, priced.level, priced.usd, drawn, usd);
        sum.hours_by_week[week] = hours;
        sum.usd_by_week[week] = priced.usd * hours;
        if let Some((level, more)) = priced.dear {
            let hours = fast_priced(table, demand, level, more, drawn, usd);
            sum.usd_by_week[week] += more * hours;
        }
    }
    sum.usd.iter_mut().zip(usd).for_each(|(wide, narrow)| *wide = f64::from(*narrow));
}

/// Unit-hours above `level` in a week, for each path.
fn fast_above(
    table: &FastTable,
    demand: &WeekDemand,
    level: f64,
    (bases, scales): (&[u8], &[f32]),
    hours: &mut [f32],
) {
    if demand.scale <= 0.0 {
        hours.fill((HOURS_PER_WEEK as f64 * (demand.shift - level).max(0.0)) as f32);
        return;
    }
    // L of s·g·x above c is s·g·L of x above (c ÷ s) ÷ g.
    table.above((level - demand.shift) / demand.scale, bases, scales, hours);
    let scale = demand.scale as f32;
    hours.iter_mut().for_each(|hours| *hours *= scale);
}

/// Adds to `usd` what the unit-hours of each path above `level` in a week cost at a price; says how
/// many they are in all paths.
fn fast_priced(
    table: &FastTable,
    demand: &WeekDemand,
    level: f64,
    price: f64,
    (bases, scales): (&[u8], &[f32]),
    usd: &mut [f32],
) -> f64 {
    let price = price as f32;
    let mut sum = Lanes::default();
    if demand.scale <= 0.0 {
        let hours = (HOURS_PER_WEEK as f64 * (demand.shift - level).max(0.0)) as f32;
        let paths = ..usd.len();
        sum.add(usd, &[hours; CHUNK][paths], &[1.0; CHUNK][paths], 1.0, price);
        return sum.total();
    }
    let scale = demand.scale as f32;
    table.blocks((level - demand.shift) / demand.scale, bases, scales, |first, of_one| {
        let places = first..first + of_one.len();
        sum.add(&mut usd[places.clone()], of_one, &scales[places], scale, price);
    });
    sum.total()
}

/// A sum over eight lanes: fast, always the same, and closer than one after the other.
#[derive(Clone, Copy, Debug, Default)]
struct Lanes {
    eight: [f32; 8],
    /// What came in no eight: the last few paths of a chunk.
    rest: f64,
}

impl Lanes {
    /// Adds the hours of some paths, each times its factor and `scale`, and what they cost to `usd`.
    #[inline]
    fn add(&mut self, usd: &mut [f32], of_one: &[f32], factors: &[f32], scale: f32, price: f32) {
        let (eights, rest) = usd.as_chunks_mut::<8>();
        let (of_eight, of_rest) = of_one.as_chunks::<8>();
        let (by_eight, by_rest) = factors.as_chunks::<8>();
        let mut sum = self.eight;
        for ((usd, of_one), factor) in eights.iter_mut().zip(of_eight).zip(by_eight) {
            let hours: [f32; 8] = std::array::from_fn(|at| of_one[at] * factor[at] * scale);
            *usd = std::array::from_fn(|at| usd[at] + price * hours[at]);
            sum = std::array::from_fn(|at| sum[at] + hours[at]);
        }
        self.eight = sum;
        for ((usd, of_one), factor) in rest.iter_mut().zip(of_rest).zip(by_rest) {
            let hours = of_one * factor * scale;
            *usd += price * hours;
            self.rest += f64::from(hours);
        }
    }

    fn total(self) -> f64 {
        self.eight.iter().map(|&lane| f64::from(lane)).sum::<f64>() + self.rest
    }
}

fn exact(
    schedule: &FamilySchedule,
    tables: &[ExactTable],
    part: Part<'_>,
    price: impl Fn(usize) -> Priced,
    sum: &mut ChunkSum,
) {
    for (week, demand) in schedule.demand.iter().enumerate() {
        let (priced, table) = (price(week), &tables[demand.mixture]);
        for path in 0..part.paths {
            let above = |level: f64| exact_above(table, demand, level, part, week, path);
            let hours = above(priced.level);
            let mut usd = priced.usd * hours;
            if let Some((level, more)) = priced.dear {
                usd += more * above(level);
            }
            sum.usd[path] += usd;
            sum.usd_by_week[week] += usd;
            sum.hours_by_week[week] += hours;
        }
    }
}

/// Unit-hours above `level` in one week of one path.
fn exact_above(
    table: &ExactTable,
    demand: &WeekDemand,
    level: f64,
    part: Part<'_>,
    week: usize,
    path: usize,
) -> f64 {
    let at = week * CHUNK + path;
    let scale = demand.scale * part.scales.at(at);
    if scale <= 0.0 {
        return HOURS_PER_WEEK as f64 * (demand.shift - level).max(0.0);
    }
    scale * table.above(usize::from(part.bases[at]), (level - demand.shift) / scale)
}
