//! Reading series: how much came, the worst of it, and when the last use was.
//!
//! Everything here works on slices of the series in place; the passes over all hours are written
//! in lanes, which the compiler turns into vector instructions.

use super::policy::{enough, least};
use crate::domain::{HourRange, HourlySeries};

/// Values handled side by side.
const LANES: usize = 4;

/// The hours of a series that lie in a range. Hour 0 is the first of the range.
#[derive(Clone, Copy, Debug)]
pub(in crate::analyze) struct Slice<'a> {
    /// The values, from hour `offset` on.
    pub values: &'a [f32],
    offset: usize,
    /// Hours of the range.
    pub hours: usize,
}

/// Figures over all hours of a slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analyze) struct Stats {
    /// Hours with a datapoint, malformed ones among them.
    pub got: usize,
    /// Hours with a datapoint that made sense: finite and not negative.
    pub valid: usize,
    /// Highest valid value; −∞ without one.
    pub max: f32,
    /// Sum of the valid values.
    pub sum: f64,
}

impl Stats {
    /// True when a malformed datapoint came.
    pub fn malformed(&self) -> bool {
        self.got > self.valid
    }

    /// Mean of the valid values.
    pub fn mean(&self) -> Option<f64> {
        (self.valid > 0).then(|| self.sum / self.valid as f64)
    }

    /// Mean over `hours`, where up to the tolerated tenth of them may be missing and is taken to
    /// be like the rest. With more missing it is a lower bound: what is not witnessed is not use.
    pub fn mean_of(&self, hours: usize) -> f64 {
        self.sum / self.valid.max(least(hours)).max(1) as f64
    }
}

/// The highest of all that was seen of one thing; `None` without a value, and where a malformed one
/// was among them, which may have been any.
pub(in crate::analyze) fn highest(of: &[Stats]) -> Option<f64> {
    if of.iter().any(Stats::malformed) {
        return None;
    }
    let max = of.iter().map(|s| s.max).fold(f32::NEG_INFINITY, f32::max);
    Some(f64::from(max)).filter(|m| m.is_finite())
}

/// True for a datapoint that came but made no sense. A series marks those as +∞; a negative value
/// is one too, should it ever get this far.
fn is_malformed(v: f32) -> bool {
    v < 0.0 || v == f32::INFINITY
}

impl<'a> Slice<'a> {
    /// `hours` hours without any datapoint.
    pub fn empty(hours: usize) -> Self {
        Self { values: &[], offset: 0, hours }
    }

    /// The part of `series` in `range`.
    pub fn of(series: &'a HourlySeries, range: HourRange) -> Self {
        let hours = range.len();
        let lead = i64::from(series.start.0) - i64::from(range.from.0);
        let offset = usize::try_from(lead).unwrap_or(0).min(hours);
        let skip = usize::try_from(-lead).unwrap_or(0);
        let values = series.values.get(skip..).unwrap_or(&[]);
        let values = &values[..values.len().min(hours - offset)];
        Self { values, offset, hours }
    }

    /// The value of hour `i`; NaN where none came.
    pub fn at(&self, i: usize) -> f32 {
        i.checked_sub(self.offset).and_then(|i| self.values.get(i).copied()).unwrap_or(f32::NAN)
    }

    /// The values from hour `from` on.
    fn from(&self, from: usize) -> &'a [f32] {
        self.values.get(from.saturating_sub(self.offset)..).unwrap_or(&[])
    }

    /// Figures over all hours.
    pub fn stats(&self) -> Stats {
        stats(self.values)
    }

    /// Datapoints from hour `from` on.
    pub fn got_from(&self, from: usize) -> usize {
        stats(self.from(from)).got
    }

    /// Highest valid value from hour `from` on.
    pub fn max_from(&self, from: usize) -> Option<f32> {
        Some(stats(self.from(from)).max).filter(|m| m.is_finite())
    }

    /// The last hour with a value of at least `level` or a malformed one.
    pub fn last_use(&self, level: f32) -> Option<usize> {
        let use_at = |v: &f32| *v >= level || *v < 0.0;
        self.values.iter().rposition(use_at).map(|i| i + self.offset)
    }

    /// True when hour `i` holds a malformed datapoint.
    pub fn malformed_at(&self, i: usize) -> bool {
        is_malformed(self.at(i))
    }

    /// True when datapoints came in 90% of all hours and in 90% of those from `recent` on.
    /// `got` is [`Stats::got`].
    pub fn covers(&self, got: usize, recent: usize) -> bool {
        got == self.hours
            || (enough(got, self.hours)
                && (recent == 0
                    || enough(self.got_from(recent), self.hours.saturating_sub(recent))))
    }
}

/// Bits of +∞. Of floats that are not negative, the bits compare as the values do, and those of
/// NaN come above.
const INFINITY_BITS: i32 = f32::INFINITY.to_bits() as i32;

/// The bits of a value, and all ones where it is valid (finite and not negative).
#[inline]
pub(super) fn bits_and_mask(v: f32) -> (i32, i32) {
    // Adding 0 makes +0 of −0, whose sign bit would read as negative.
    let bits = (v + 0.0).to_bits() as i32;
    // As unsigned, what is negative is above +∞ too.
    (bits, -i32::from((bits as u32) < INFINITY_BITS as u32))
}

/// The value that `mask` keeps, or 0.
#[inline]
pub(super) fn kept(bits: i32, mask: i32) -> f64 {
    f64::from(f32::from_bits((bits & mask) as u32))
}

/// Sums up `values` in lanes and without branches: a select on a float would become a jump for
/// every hour, at ten times the cost.
fn stats(values: &[f32]) -> Stats {
    let mut got = [0_i32; LANES];
    let mut valid = [0_i32; LANES];
    // Bits of the highest valid value, −1 without one.
    let mut max = [-1_i32; LANES];
    let mut sum = [0_f64; LANES];
    let mut add = |lane: usize, v: f32| {
        let (bits, mask) = bits_and_mask(v);
        got[lane] += i32::from((bits & i32::MAX) <= INFINITY_BITS);
        valid[lane] -= mask;
        max[lane] = max[lane].max(bits | !mask);
        sum[lane] += kept(bits, mask);
    };
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, v) in chunk.iter().enumerate() {
            add(lane, *v);
        }
    }
    for v in rest {
        add(0, *v);
    }
    let max = max.into_iter().max().unwrap_or(-1);
    Stats {
        got: got.iter().sum::<i32>() as usize,
        valid: valid.iter().sum::<i32>() as usize,
        max: if max < 0 { f32::NEG_INFINITY } else { f32::from_bits(max as u32) },
        sum: sum.iter().sum(),
    }
}

/// Sum and number of the valid values of `of` in the hours in which `by` is at least `level`.
pub(super) fn sum_where(of: &Slice<'_>, by: &Slice<'_>, level: f32) -> (f64, usize) {
    let mut count = [0_i32; LANES];
    let mut sum = [0_f64; LANES];
    let mut add = |lane: usize, v: f32, by: f32| {
        let (bits, mask) = bits_and_mask(v);
        let mask = mask & -i32::from(by >= level);
        count[lane] -= mask;
        sum[lane] += kept(bits, mask);
    };
    let from = of.offset.max(by.offset);
    let (of, by) = (of.from(from), by.from(from));
    let len = of.len().min(by.len());
    let (of, of_rest) = of[..len].as_chunks::<LANES>();
    let (by, by_rest) = by[..len].as_chunks::<LANES>();
    for (of, by) in of.iter().zip(by) {
        for lane in 0..LANES {
            add(lane, of[lane], by[lane]);
        }
    }
    for (of, by) in of_rest.iter().zip(by_rest) {
        add(0, *of, *by);
    }
    (sum.iter().sum(), count.iter().sum::<i32>() as usize)
}

/// Result of looking back from the end of the hours for use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::analyze) struct Trail {
    /// The last hour that speaks for use.
    pub last_use: Option<usize>,
    /// The highest value since then, and at least over the hours from `recent` on.
    pub worst: Option<f64>,
    /// True when a malformed datapoint made the last use.
    pub malformed: bool,
}

/// Looks back along one series, hour by hour.
pub(in crate::analyze) fn trail(
    slice: &Slice<'_>,
    stats: &Stats,
    level: f32,
    recent: usize,
) -> Trail {
    if stats.max < level && !stats.malformed() {
        let worst = Some(f64::from(stats.max)).filter(|m| m.is_finite());
        return Trail { last_use: None, worst, malformed: false };
    }
    let last_use = slice.last_use(level);
    let from = last_use.map_or(0, |l| (l + 1).min(recent));
    Trail {
        last_use,
        worst: slice.max_from(from).map(f64::from),
        malformed: last_use.is_some_and(|l| slice.malformed_at(l)),
    }
}

impl Trail {
    /// Takes in another look at the same thing: the later use and the higher value count.
    pub fn join(&mut self, other: Self) {
        if other.last_use > self.last_use {
            (self.last_use, self.malformed) = (other.last_use, other.malformed);
        }
        self.worst = max(self.worst, other.worst);
    }
}

/// The higher of two values, where there are two.
pub(super) fn max(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(x), Some(y)) => Some(x.max(y)),
        (x, y) => x.or(y),
    }
}
