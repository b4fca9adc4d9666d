//! Two series judged together: EBS operations per second, and network over sliding days.

use super::policy::{Limit, least};
use super::stretch::{Slice, Stats, Trail, bits_and_mask, kept};

/// Hours over which network traffic is summed.
const DAY: usize = 24;

/// Two series that are judged together, with their figures.
#[derive(Clone, Copy)]
pub(super) struct Both<'a> {
    /// The series.
    pub slices: [Slice<'a>; 2],
    /// [`Slice::stats`] of each.
    pub stats: [Stats; 2],
}

impl<'a> Both<'a> {
    /// Hours of the range.
    fn hours(&self) -> usize {
        self.slices[0].hours
    }

    /// The values of both, hour by hour, where every hour of both is valid.
    fn dense(&self) -> Option<[&'a [f32]; 2]> {
        let hours = self.hours();
        let complete = self.stats.iter().all(|s| s.valid == hours);
        complete.then(|| self.slices.map(|s| &s.values[..hours]))
    }
}

/// Looks back along two series whose hourly sum is judged (EBS reads plus writes), as a rate per
/// second.
pub(super) fn trail_per_second(both: Both<'_>, limit: Limit, recent: usize) -> Trail {
    const SECONDS: f64 = 3600.0;
    let hours = both.hours();
    let limit = Limit { value: limit.value * SECONDS, ..limit };
    let mut out = if let Some([a, b]) = both.dense() {
        let sum = |i: usize| f64::from(a[i]) + f64::from(b[i]);
        look_back(hours, limit, recent, sum, |_| false)
    } else {
        let [a, b] = both.slices;
        let sum = |i| {
            let valid_or_nan =
                |v: f32| if v < 0.0 || v.is_infinite() { f64::NAN } else { f64::from(v) };
            match (valid_or_nan(a.at(i)), valid_or_nan(b.at(i))) {
                (x, y) if x.is_nan() => y,
                (x, y) if y.is_nan() => x,
                (x, y) => x + y,
            }
        };
        look_back(hours, limit, recent, sum, |i| a.malformed_at(i) || b.malformed_at(i))
    };
    out.worst = out.worst.map(|sum| sum / SECONDS);
    out
}

/// A limit that nothing reaches: a look back under it goes through all hours.
const NO_LIMIT: Limit = Limit::above(f64::INFINITY);

/// The highest rate per second of all hours; `None` without a datapoint, and where one was
/// malformed.
pub(super) fn highest_per_second(both: Both<'_>) -> Option<f64> {
    let all = trail_per_second(both, NO_LIMIT, 0);
    all.worst.filter(|_| !all.malformed)
}

/// The highest day of all hours, windowed as [`trail_per_day`] does; `None` without a datapoint, and
/// where one was malformed.
pub(super) fn highest_per_day(both: Both<'_>, stretch: usize) -> Option<f64> {
    let all = trail_per_day(both, NO_LIMIT, 0, stretch);
    all.worst.filter(|_| !all.malformed)
}

/// Looks back hour by hour at `amount`, which is NaN where nothing is known.
fn look_back(
    hours: usize,
    limit: Limit,
    recent: usize,
    amount: impl Fn(usize) -> f64,
    malformed: impl Fn(usize) -> bool,
) -> Trail {
    let mut out = Trail::default();
    let mut worst = f64::NEG_INFINITY;
    for i in (0..hours).rev() {
        let now = amount(i);
        let odd = malformed(i);
        if (odd || limit.reached(now)) && out.last_use.is_none() {
            (out.last_use, out.malformed) = (Some(i), odd);
        }
        // Use that is older than the deciding hours ends the look back and is no part of it.
        if out.last_use.is_some() && i < recent {
            break;
        }
        worst = if now > worst { now } else { worst };
    }
    out.worst = Some(worst).filter(|w| w.is_finite());
    out
}

/// Looks back along network in and out, summed over sliding windows of a day (of `stretch`, the
/// minimum stretch in hours, where that is shorter) and scaled to a day.
///
/// Missing hours are taken to be like the seen ones as far as 10% of the window; beyond that the
/// sum is a lower bound. A window that reaches the limit ends the quiet stretch at its first hour:
/// a burst belongs to every window around it, and the last of them begins with the burst.
pub(super) fn trail_per_day(both: Both<'_>, limit: Limit, recent: usize, stretch: usize) -> Trail {
    let hours = both.hours();
    let width = DAY.min(stretch.max(1));
    let mut out = Trail::default();
    if let Some(values) = both.dense() {
        // With nothing missing, nothing is scaled but the width (and a life shorter than it).
        let scale = DAY as f64 / hours.min(width).max(least(width)) as f64;
        let window = Dense { values, sum: 0.0, scale };
        roll(window, hours, width, recent, limit, &mut out);
        return out;
    }
    // Malformed datapoints carry no amount; each ends the quiet stretch by itself.
    out.last_use = both.slices.iter().filter_map(|s| s.last_use(f32::INFINITY)).max();
    out.malformed = out.last_use.is_some();
    if both.stats.iter().any(|s| s.valid > 0) {
        let (sum, got) = ([0.0; 2], [0; 2]);
        let window = Sparse { slices: both.slices, sum, got, least: least(width) as i32 };
        roll(window, hours, width, recent, limit, &mut out);
    }
    out
}

/// Moves a window of `width` hours back from the end, an hour at a time.
fn roll(
    mut window: impl Window,
    hours: usize,
    width: usize,
    recent: usize,
    limit: Limit,
    out: &mut Trail,
) {
    let first = hours.saturating_sub(width);
    (first..hours).for_each(|i| window.add(i));
    let mut worst = f64::NEG_INFINITY;
    for start in (0..=first).rev() {
        if start < first {
            window.add(start);
            window.remove(start + width);
        }
        let moved = window.per_day();
        if limit.reached(moved) && out.last_use.is_none_or(|l| l < start) {
            (out.last_use, out.malformed) = (Some(start), false);
        }
        // Use that is older than the deciding hours ends the look back and is no part of it.
        if start < recent && out.last_use.is_some_and(|l| l >= start) {
            break;
        }
        // A plain comparison: NaN never wins, and `f64::max` would cost as much as all the rest.
        worst = if moved > worst { moved } else { worst };
    }
    out.worst = Some(worst).filter(|w| w.is_finite());
}

/// Amounts within a moving window.
trait Window {
    /// Takes in hour `i`.
    fn add(&mut self, i: usize);
    /// Drops hour `i`, which was taken in before.
    fn remove(&mut self, i: usize);
    /// The amount, scaled to a day; NaN where nothing is known.
    fn per_day(&self) -> f64;
}

/// A window over two complete series.
struct Dense<'a> {
    values: [&'a [f32]; 2],
    sum: f64,
    scale: f64,
}

impl Window for Dense<'_> {
    fn add(&mut self, i: usize) {
        self.sum += f64::from(self.values[0][i]) + f64::from(self.values[1][i]);
    }

    fn remove(&mut self, i: usize) {
        self.sum -= f64::from(self.values[0][i]) + f64::from(self.values[1][i]);
    }

    fn per_day(&self) -> f64 {
        // What is left of rounding must not become a negative amount.
        let sum = if self.sum > 0.0 { self.sum } else { 0.0 };
        sum * self.scale
    }
}

/// A window over two series with holes.
struct Sparse<'a> {
    slices: [Slice<'a>; 2],
    sum: [f64; 2],
    got: [i32; 2],
    least: i32,
}

impl Sparse<'_> {
    /// The amounts of hour `i`, and whether each is valid.
    fn hour(&self, i: usize) -> [(f64, i32); 2] {
        self.slices.map(|s| {
            let (bits, mask) = bits_and_mask(s.at(i));
            (kept(bits, mask), -mask)
        })
    }
}

impl Window for Sparse<'_> {
    fn add(&mut self, i: usize) {
        for (k, (amount, valid)) in self.hour(i).into_iter().enumerate() {
            self.sum[k] += amount;
            self.got[k] += valid;
        }
    }

    fn remove(&mut self, i: usize) {
        for (k, (amount, valid)) in self.hour(i).into_iter().enumerate() {
            self.sum[k] -= amount;
            self.got[k] -= valid;
        }
    }

    fn per_day(&self) -> f64 {
        if self.got == [0, 0] {
            return f64::NAN;
        }
        let scaled =
            |k: usize| self.sum[k].max(0.0) * DAY as f64 / f64::from(self.got[k].max(self.least));
        scaled(0) + scaled(1)
    }
}
