//! Week tables: L(y) = Σ max(x − y, 0) of each base week x, ready to be read at any y.
//!
//! Demand of a future week is g·x, and L of g·x at c is g·L of x at c ÷ g (homogeneity), so that one
//! look-up stands for 168 hours at any scale. Below 0 the function goes on linearly, which is what a
//! shift of the demand needs.
//!
//! L is convex and piecewise linear: each hour's demand is a knot. The fast table cuts the range
//! into equal cells and keeps three lines of each: the one that holds at its left border, the one at
//! its right, and the one where those two cross. The largest of them is L itself where the cell has
//! no more than two knots, and at most [`TOLERANCE`] below it otherwise: a cell that would be worse
//! is searched. No line of L is above it anywhere, so that the next cell's middle is looked at as
//! well: four lines at once are faster than three.

use super::super::HOURS_PER_WEEK;

/// Lines of a row, the one that follows the last cell aside. A power of two.
const LINES: usize = 1024;

/// Cells between 0 and the largest demand.
const CELLS: usize = LINES - 2;

/// Look-ups that are done together.
const BLOCK: usize = 64;

/// How far a row may be below L, as a part of the week's whole demand: a path is off by less than
/// that part of what it costs on demand.
pub(super) const TOLERANCE: f64 = 1e-6;

/// 2²³: a small number added to it stands in the low bits of the sum, rounded.
const ROUNDER: f32 = 8_388_608.0;

/// A line `at_zero − slope × y`, y in cells.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    at_zero: f32,
    slope: f32,
}

/// The lines of a cell, its left border's and its middle's; the right border's is the next cell's
/// left.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    at_zero: [f32; 2],
    slope: [f32; 2],
}

impl Cell {
    fn of(left: Line, middle: Line) -> Self {
        Self { at_zero: [left.at_zero, middle.at_zero], slope: [left.slope, middle.slope] }
    }
}

/// The sorted hours that lie in a cell that is searched, the first and the one after the last; twice
/// the same in any other.
type Knots = (u8, u8);

/// Cells of a base week's row: below zero, the cells, and 0 for good, twice.
const ROW: usize = LINES + 1;

/// L of each base week of a family, in `f32`.
#[derive(Clone, Debug)]
pub(super) struct FastTable {
    /// Row after row.
    cells: Vec<Cell>,
    /// All unit-hours of each week.
    totals: Vec<f32>,
    /// The weeks themselves, for the cells that are searched.
    sorted: Vec<SortedWeek>,
    /// Units of a cell.
    step: f64,
    /// By cell; empty where none is searched.
    searched: Vec<Knots>,
}

/// L of each base week of a family, without rounding.
#[derive(Clone, Debug)]
pub(super) struct ExactTable {
    weeks: Vec<SortedWeek>,
}

/// A week's hours ascending, with the sums from each to the end.
#[derive(Clone, Debug)]
struct SortedWeek {
    hours: [f64; HOURS_PER_WEEK],
    above: [f64; HOURS_PER_WEEK + 1],
}

impl SortedWeek {
    fn new(week: &[f64; HOURS_PER_WEEK]) -> Self {
        let mut hours = *week;
        hours.sort_unstable_by(f64::total_cmp);
        let mut above = [0.0; HOURS_PER_WEEK + 1];
        for at in (0..HOURS_PER_WEEK).rev() {
            above[at] = above[at + 1] + hours[at];
        }
        Self { hours, above }
    }

    /// L(y), where `y` lies between the hours before `from` and those from `to` on.
    #[inline]
    fn above_among(&self, from: usize, to: usize, y: f64) -> f64 {
        let from = from + self.hours[from..to].partition_point(|&x| x <= y);
        self.above[from] - (HOURS_PER_WEEK - from) as f64 * y
    }

    /// L(y).
    fn above(&self, y: f64) -> f64 {
        self.above_among(0, HOURS_PER_WEEK, y)
    }
}

impl ExactTable {
    pub(super) fn new(weeks: &[[f64; HOURS_PER_WEEK]]) -> Self {
        Self { weeks: weeks.iter().map(SortedWeek::new).collect() }
    }

    /// Unit-hours of base week `week` above `y`.
    pub(super) fn above(&self, week: usize, y: f64) -> f64 {
        self.weeks[week].above(y)
    }

    /// The most units of a base week.
    pub(super) fn peak(&self, week: usize) -> f64 {
        self.weeks[week].hours[HOURS_PER_WEEK - 1]
    }
}

impl FastTable {
    pub(super) fn new(weeks: &[[f64; HOURS_PER_WEEK]]) -> Self {
        let all = || weeks.iter().flatten().copied();
        let peak = all().fold(0.0, f64::max);
        // Whole units fall on the borders, and nothing is lost at all.
        let whole = peak <= CELLS as f64 && all().all(|x| x.fract() == 0.0);
        let step = if whole || peak <= 0.0 { 1.0 } else { peak / CELLS as f64 };
        let sorted: Vec<SortedWeek> = weeks.iter().map(SortedWeek::new).collect();
        let mut cells = vec![Cell::default(); weeks.len() * ROW];
        let mut searched = vec![(0, 0); weeks.len() * ROW];
        let rows = cells.as_chunks_mut::<ROW>().0.iter_mut();
        let knots = searched.as_chunks_mut::<ROW>().0;
        for ((row, knots), week) in rows.zip(knots).zip(&sorted) {
            fill(row, knots, week, step);
        }
        if searched.iter().all(|(from, to)| from == to) {
            searched = Vec::new();
        }
        let totals = sorted.iter().map(|week| week.above[0] as f32).collect();
        Self { cells, totals, sorted, step, searched }
    }

    /// Unit-hours of the base weeks `weeks` above `level` ÷ their factors, into `hours`, each times
    /// its factor: `level` and, at factor 1, `hours` are in units.
    pub(super) fn above(&self, level: f64, weeks: &[u8], factors: &[f32], hours: &mut [f32]) {
        let mut blocks = hours.chunks_mut(BLOCK).zip(factors.chunks(BLOCK));
        self.blocks(level, weeks, factors, |_, of_one| {
            if let Some((hours, factors)) = blocks.next() {
                let each = hours.iter_mut().zip(of_one).zip(factors);
                each.for_each(|((hours, of_one), factor)| *hours = of_one * factor);
            }
        });
    }

    /// Computes hours above `level` like [`FastTable::above`], without the factors, and passes them on in blocks with
    /// the index of the first. All blocks but the last have [`BLOCK`] hours.
    pub(super) fn blocks(
        &self,
        level: f64,
        weeks: &[u8],
        factors: &[f32],
        mut take: impl FnMut(usize, &[f32]),
    ) {
        let mut room = [0.0; BLOCK];
        let parts = weeks.chunks(BLOCK).zip(factors.chunks(BLOCK));
        for (block, (weeks, factors)) in parts.enumerate() {
            let hours = &mut room[..weeks.len()];
            if level == 0.0 {
                let each = hours.iter_mut().zip(weeks);
                each.for_each(|(hours, &week)| *hours = self.totals[usize::from(week)]);
            } else {
                let level = (level / self.step) as f32;
                self.block(|_| level, weeks, factors, hours);
            }
            take(block * BLOCK, hours);
        }
    }

    /// Like [`FastTable::above`], with a level for each index.
    pub(super) fn above_each(
        &self,
        level: impl Fn(usize) -> f64,
        weeks: &[u8],
        factors: &[f32],
        hours: &mut [f32],
    ) {
        let parts = weeks.chunks(BLOCK).zip(factors.chunks(BLOCK)).zip(hours.chunks_mut(BLOCK));
        for (block, ((weeks, factors), hours)) in parts.enumerate() {
            let level = |at: usize| (level(block * BLOCK + at) / self.step) as f32;
            self.block(level, weeks, factors, hours);
            hours.iter_mut().zip(factors).for_each(|(hours, factor)| *hours *= factor);
        }
    }

    /// At most [`BLOCK`] of them, without their factors: what can be done for several numbers at
    /// once is done apart.
    fn block(
        &self,
        level: impl Fn(usize) -> f32,
        weeks: &[u8],
        factors: &[f32],
        hours: &mut [f32],
    ) {
        let mut cells = [0.0f32; BLOCK];
        let mut at = [0u32; BLOCK];
        let places = cells.iter_mut().zip(&mut at).zip(factors.iter().zip(weeks)).enumerate();
        for (place, ((cells, at), (factor, &week))) in places {
            *cells = level(place) / factor;
            // A row has one more than a power of two.
            let week = u32::from(week);
            *at = cell_of(*cells) + week * LINES as u32 + week;
        }
        for ((hours, &cells), &at) in hours.iter_mut().zip(&cells).zip(&at) {
            *hours = self.one(cells, at as usize);
        }
        if !self.searched.is_empty() {
            self.search(&cells, &at, hours);
        }
    }

    /// Unit-hours above `cells`, which lie in cell `at` of all rows.
    #[inline]
    fn one(&self, cells: f32, at: usize) -> f32 {
        // The later one first: where it is there, the other one is.
        let Some(next) = self.cells.get(at + 1) else { return 0.0 };
        let Some(cell) = self.cells.get(at) else { return 0.0 };
        let at_zero = [cell.at_zero[0], cell.at_zero[1], next.at_zero[0], next.at_zero[1]];
        let slope = [cell.slope[0], cell.slope[1], next.slope[0], next.slope[1]];
        let [a, b, c, d]: [f32; 4] =
            std::array::from_fn(|line| at_zero[line] - slope[line] * cells);
        larger(larger(a, c), larger(b, d))
    }

    /// Puts right what lies in cells that have too many knots.
    fn search(&self, cells: &[f32], at: &[u32], hours: &mut [f32]) {
        for ((hours, &cells), &at) in hours.iter_mut().zip(cells).zip(at) {
            let (from, to) = self.searched.get(at as usize).copied().unwrap_or_default();
            if from < to {
                let week = &self.sorted[at as usize / ROW];
                let units = f64::from(cells) * self.step;
                *hours = week.above_among(from.into(), to.into(), units) as f32;
            }
        }
    }

    /// The most units of a base week.
    pub(super) fn peak(&self, week: usize) -> f64 {
        self.sorted[week].hours[HOURS_PER_WEEK - 1]
    }
}

/// As `f32::max`, without its care for what is not a number.
#[inline]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The cell that `cells` falls in; on a border either side is right.
#[inline]
fn cell_of(cells: f32) -> u32 {
    let at = (cells + 0.5).max(0.0).min((LINES - 1) as f32);
    (at + ROUNDER).to_bits() & (LINES - 1) as u32
}

/// Fills the row of a base week, in cells of `step` units.
fn fill(row: &mut [Cell; ROW], searched: &mut [Knots; ROW], week: &SortedWeek, step: f64) {
    let below = Tangent { above: week.above[0], count: HOURS_PER_WEEK as f64 }.line(step);
    row[0] = Cell::of(below, below);
    let mut left = week.tangent(0.0);
    for (at, (cell, knots)) in row.iter_mut().zip(searched).skip(1).take(LINES - 1).enumerate() {
        let right = week.tangent((at + 1) as f64 * step);
        let crosses = left.count > right.count;
        let middle = if crosses { week.tangent(left.crossing(right)) } else { left };
        *cell = Cell::of(left.line(step), middle.line(step));
        let error = week.gap(left, middle).max(week.gap(middle, right));
        if at < CELLS && error > TOLERANCE * week.above[0] {
            // No week has as many hours as a byte has values.
            let first = |count: f64| (HOURS_PER_WEEK - count as usize) as u8;
            *knots = (first(left.count), first(right.count));
        }
        left = right;
    }
}

/// A line of L: the hours above some y, their sum and number.
#[derive(Clone, Copy, Debug)]
struct Tangent {
    above: f64,
    count: f64,
}

impl Tangent {
    fn line(self, step: f64) -> Line {
        Line { at_zero: self.above as f32, slope: (self.count * step) as f32 }
    }

    /// Where another line, with fewer hours, takes over.
    fn crossing(self, next: Self) -> f64 {
        (self.above - next.above) / (self.count - next.count)
    }
}

impl SortedWeek {
    /// The line of L to the right of `y`.
    fn tangent(&self, y: f64) -> Tangent {
        let from = self.hours.partition_point(|&x| x <= y);
        Tangent { above: self.above[from], count: (HOURS_PER_WEEK - from) as f64 }
    }

    /// How far the larger of two lines is below L, at worst: where they cross. To the left of it L
    /// leaves its left line ever further, to the right it comes ever closer to the right one.
    fn gap(&self, left: Tangent, right: Tangent) -> f64 {
        if left.count <= right.count {
            return 0.0;
        }
        let at = left.crossing(right);
        self.above(at) - (left.above - left.count * at)
    }
}

#[cfg(test)]
mod tests;
