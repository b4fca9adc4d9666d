//! Daily sizes made ready for a trend.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::MOST_DAYS;
use super::trend::median;
use crate::domain::storage::{DailySeries, Tier};

/// How long the last size of a storage type is taken for the present one while others go on; after
/// that the type is empty, and CloudWatch has stopped to report it.
const CARRIED_DAYS: i64 = 2;

/// A single day's change is a shift from this share of the size on …
const SHIFT_SHARE: f64 = 0.15;

/// … when it is as many times what days usually differ by (median of absolute deviations).
const SHIFT_TIMES: f64 = 10.0;

/// So many shifts are no shifts but how the bucket lives.
const USUAL: usize = 3;

/// Days from one to another.
pub(super) fn days_between(from: Date, to: Date) -> i64 {
    i64::from(to.to_days() - from.to_days())
}

/// Days since a fixed day.
trait Days {
    fn to_days(&self) -> i32;
}

impl Days for Date {
    fn to_days(&self) -> i32 {
        self.duration_since(Self::constant(1970, 1, 1)).as_hours() as i32 / 24
    }
}

/// Bytes of a bucket by day, all storage types and overheads added up, as billed. A type without a size on a
/// day between two of its own counts with their mean; before its first size as 0.
pub fn totals(series: &[DailySeries]) -> Vec<(Date, f64)> {
    let mut days: BTreeMap<Date, f64> = BTreeMap::new();
    for (day, _) in series.iter().flat_map(|s| &s.points) {
        days.insert(*day, 0.0);
    }
    for one in series {
        let points: Vec<(Date, f64)> =
            one.points.iter().copied().filter(|p| p.1.is_finite() && p.1 >= 0.0).collect();
        for (day, sum) in &mut days {
            *sum += at(&points, *day);
        }
    }
    days.into_iter().collect()
}

/// The value of a series on a day.
fn at(points: &[(Date, f64)], day: Date) -> f64 {
    let i = points.partition_point(|p| p.0 < day);
    match (i.checked_sub(1).and_then(|b| points.get(b)), points.get(i)) {
        (_, Some(here)) if here.0 == day => here.1,
        (Some(before), Some(after)) => f64::midpoint(before.1, after.1),
        (Some(before), None) if days_between(before.0, day) <= CARRIED_DAYS => before.1,
        _ => 0.0,
    }
}

/// Newest bytes by tier, for prices: a forecast keeps today's mix. Overheads count in the tier they are billed
/// in. Empty where a storage type is unknown to this version.
pub fn mix(series: &[DailySeries]) -> Vec<(Tier, f64)> {
    let Some(newest) = series.iter().filter_map(DailySeries::last).map(|p| p.0).max() else {
        return Vec::new();
    };
    let mut out: BTreeMap<Tier, f64> = BTreeMap::new();
    for one in series {
        let bytes = at(&one.points, newest);
        match one.tier {
            Some(tier) => *out.entry(tier).or_default() += bytes,
            None if bytes > 0.0 => return Vec::new(),
            None => {}
        }
    }
    out.into_iter().filter(|(_, bytes)| *bytes > 0.0).collect()
}

/// The sizes that count: real ones, of the last half year.
pub(super) fn recent(sizes: &[(Date, f64)]) -> Vec<(Date, f64)> {
    let mut out: Vec<(Date, f64)> =
        sizes.iter().copied().filter(|p| p.1.is_finite() && p.1 >= 0.0).collect();
    out.sort_by_key(|p| p.0);
    out.dedup_by_key(|p| p.0);
    let Some(newest) = out.last().map(|p| p.0) else { return out };
    out.retain(|p| days_between(p.0, newest) < MOST_DAYS);
    out
}

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shift {
    /// Index of the first size after it.
    pub(super) from: usize,
    /// Day of that size.
    pub(super) on: Date,
    /// By how many bytes.
    pub(super) bytes: f64,
}

/// The last change of level, when there are few. A change that the days around it take back (one
/// odd value) is none.
pub(super) fn last_shift(sizes: &[(Date, f64)]) -> Option<Shift> {
    let steps: Vec<f64> = sizes
        .windows(2)
        .map(|w| (w[1].1 - w[0].1) / days_between(w[0].0, w[1].0).max(1) as f64)
        .collect();
    let usual = median(steps.clone())?;
    let spread = median(steps.iter().map(|s| (s - usual).abs()).collect())?;
    let mut found = Vec::new();
    for i in 1..sizes.len() {
        let before: Vec<f64> = sizes[i.saturating_sub(5)..i].iter().map(|p| p.1).collect();
        let after: Vec<f64> = sizes[i..sizes.len().min(i + 5)].iter().map(|p| p.1).collect();
        let change = sizes[i].1 - sizes[i - 1].1;
        let level = sizes[i].1.max(sizes[i - 1].1);
        let stays = match (median(before), median(after)) {
            (Some(b), Some(a)) => (a - b) * change.signum() > SHIFT_SHARE / 2.0 * level,
            _ => false,
        };
        if stays
            && change.abs() > SHIFT_SHARE * level
            && (change - usual).abs() > SHIFT_TIMES * spread
        {
            found.push(Shift { from: i, on: sizes[i].0, bytes: change });
        }
    }
    if found.len() >= USUAL { None } else { found.pop() }
}
