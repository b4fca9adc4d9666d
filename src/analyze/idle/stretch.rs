//! Reading series: how much came, the worst of it, and when the last use was.
//!
//! Everything here works on slices of the series in place; the passes over all hours are written
//! in lanes, which the compiler turns into vector instructions.

use super::policy::{Limit, enough, least};
use crate::domain::{HourRange, HourlySeries};

/// Hours over which network traffic is summed.
const DAY: usize = 24;
/// Values handled side by side.
const LANES: usize = 8;

/// The hours of a series that lie in a range. Hour 0 is the first of the range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice<'a> {
    values: &'a [f32],
    offset: usize,
    /// Hours of the range.
    pub hours: usize,
}

/// Figures over all hours of a slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stats {
    /// Hours with a datapoint, malformed ones among them.
    pub got: usize,
    /// Hours with a datapoint that made sense.
    pub sound: usize,
    /// Highest sound value; −∞ without one.
    pub max: f32,
    /// Sum of the sound values.
    pub sum: f64,
}

impl Stats {
    /// True when a malformed datapoint came.
    pub fn malformed(&self) -> bool {
        self.got > self.sound
    }

    /// Mean of the sound values.
    pub fn mean(&self) -> Option<f64> {
        (self.sound > 0).then(|| self.sum / self.sound as f64)
    }

    /// Mean over `hours`, where up to the tolerated tenth of them may be missing and is taken to
    /// be like the rest. With more missing it is a lower bound: what is not witnessed is not use.
    pub fn mean_of(&self, hours: usize) -> f64 {
        self.sum / self.sound.max(least(hours)).max(1) as f64
    }
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

    /// Highest sound value from hour `from` on.
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

    /// True when datapoints came in 90 % of all hours and in 90 % of those from `recent` on.
    /// `got` is [`Stats::got`].
    pub fn covers(&self, got: usize, recent: usize) -> bool {
        got == self.hours
            || (enough(got, self.hours)
                && (recent == 0
                    || enough(self.got_from(recent), self.hours.saturating_sub(recent))))
    }
}

fn stats(values: &[f32]) -> Stats {
    let mut got = [0_u32; LANES];
    let mut sound = [0_u32; LANES];
    let mut max = [f32::NEG_INFINITY; LANES];
    let mut sum = [0_f64; LANES];
    let mut step = |lane: usize, v: f32| {
        // NaN fails every comparison, so a missing hour changes nothing.
        let fine = (v >= 0.0) & (v < f32::INFINITY);
        got[lane] += u32::from(!v.is_nan());
        sound[lane] += u32::from(fine);
        let kept = if fine { v } else { f32::NEG_INFINITY };
        max[lane] = if kept > max[lane] { kept } else { max[lane] };
        sum[lane] += f64::from(if fine { v } else { 0.0 });
    };
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &v) in chunk.iter().enumerate() {
            step(lane, v);
        }
    }
    for (lane, &v) in rest.iter().enumerate() {
        step(lane, v);
    }
    Stats {
        got: got.iter().sum::<u32>() as usize,
        sound: sound.iter().sum::<u32>() as usize,
        max: max.iter().copied().fold(f32::NEG_INFINITY, f32::max),
        sum: sum.iter().sum(),
    }
}

/// What a look back from the end of the hours found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Trail {
    /// The last hour that speaks for use.
    pub last_use: Option<usize>,
    /// The highest value since then, and at least over the hours from `recent` on.
    pub worst: Option<f64>,
    /// True when a malformed datapoint made the last use.
    pub malformed: bool,
}

/// Looks back along one series, hour by hour.
pub(super) fn trail(slice: &Slice<'_>, stats: &Stats, level: f32, recent: usize) -> Trail {
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

/// Looks back along two series whose hourly sum is judged (EBS reads plus writes), as a rate per
/// second.
pub(super) fn trail_per_second(a: &Slice<'_>, b: &Slice<'_>, limit: Limit, recent: usize) -> Trail {
    let mut out = Trail::default();
    for i in (0..a.hours).rev() {
        let (x, y) = (a.at(i), b.at(i));
        let malformed = is_malformed(x) || is_malformed(y);
        let seen = [x, y].into_iter().filter(|v| !v.is_nan() && !is_malformed(*v));
        let rate = seen.map(f64::from).reduce(|p, q| p + q).map(|sum| sum / 3600.0);
        let in_use = malformed || rate.is_some_and(|r| limit.reached(r));
        if in_use && out.last_use.is_none() {
            (out.last_use, out.malformed) = (Some(i), malformed);
        }
        // Use that is older than the deciding hours ends the look back and is no part of it.
        if out.last_use.is_some() && i < recent {
            break;
        }
        out.worst = max(out.worst, rate);
    }
    out
}

/// Looks back along network in and out, summed over sliding windows of a day (of `stretch`, the
/// minimum stretch in hours, where that is shorter) and scaled to a day.
///
/// Missing hours are taken to be like the seen ones as far as 10 % of the window; beyond that the
/// sum is a lower bound. A window that reaches the limit ends the quiet stretch at its first hour:
/// a burst belongs to every window around it, and the last of them begins with the burst.
pub(super) fn trail_per_day(
    input: &Slice<'_>,
    output: &Slice<'_>,
    limit: Limit,
    recent: usize,
    stretch: usize,
) -> Trail {
    let hours = input.hours;
    let width = DAY.min(stretch.max(1));
    let least = least(width);
    let mut out = Trail::default();
    // Malformed datapoints carry no amount; each ends the quiet stretch by itself.
    for slice in [input, output] {
        out.last_use = out.last_use.max(slice.last_use(f32::INFINITY));
    }
    out.malformed = out.last_use.is_some();

    let slices = [input, output];
    let mut sums = [Sum::default(), Sum::default()];
    let first = hours.saturating_sub(width);
    for (sum, slice) in sums.iter_mut().zip(slices) {
        for i in first..hours {
            sum.add(slice.at(i));
        }
    }
    for start in (0..=first).rev() {
        if start < first {
            for (sum, slice) in sums.iter_mut().zip(slices) {
                sum.add(slice.at(start));
                sum.remove(slice.at(start + width));
            }
        }
        let seen = sums.iter().any(|s| s.got > 0);
        let per_day =
            sums.iter().map(|s| s.total * DAY as f64 / s.got.max(least) as f64).sum::<f64>();
        if seen && limit.reached(per_day) && out.last_use.is_none_or(|l| l < start) {
            (out.last_use, out.malformed) = (Some(start), false);
        }
        // Use that is older than the deciding hours ends the look back and is no part of it.
        if out.last_use.is_some_and(|l| l >= start) && start < recent {
            break;
        }
        if seen {
            out.worst = max(out.worst, Some(per_day));
        }
    }
    out
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

/// A running sum over a window.
#[derive(Clone, Copy, Default)]
struct Sum {
    total: f64,
    got: usize,
}

impl Sum {
    fn add(&mut self, v: f32) {
        if v >= 0.0 && v < f32::INFINITY {
            self.total += f64::from(v);
            self.got += 1;
        }
    }

    fn remove(&mut self, v: f32) {
        if v >= 0.0 && v < f32::INFINITY {
            self.total = (self.total - f64::from(v)).max(0.0);
            self.got -= 1;
        }
    }
}

/// The higher of two values, where there are two.
pub(super) fn max(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(x), Some(y)) => Some(x.max(y)),
        (x, y) => x.or(y),
    }
}
