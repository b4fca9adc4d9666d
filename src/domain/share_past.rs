//! Shares of the fleet by hour, as burntop saw them, and where they are heading.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::hour::Hour;

/// Days of a week: the span that is compared with the one before.
const WEEK_DAYS: i32 = 7;
/// Days that are kept: both weeks, the running day among them.
const KEPT_DAYS: i32 = 2 * WEEK_DAYS;
/// Hours in which a share was seen, of a week that is compared, at least.
const LEAST_HOURS: usize = 24;
/// Days on which these hours lie, at least: a share has a course of the day.
const LEAST_DAYS: usize = 3;
/// A mean that differs by no more is the same, 0–1: a point of a percentage.
const LEVEL_WITHIN: f64 = 0.01;

/// A share of the fleet that is kept by hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptShare {
    /// Use of GPUs, by the mean of verdicts.
    GpuUse,
    /// GPUs that are idle, of those with a verdict.
    IdleGpus,
    /// GPUs on Spot.
    Spot,
    /// Instances that are tagged.
    Tagged,
}

impl KeptShare {
    /// All of them, in the order in which they are stored.
    pub const ALL: [Self; 4] = [Self::GpuUse, Self::IdleGpus, Self::Spot, Self::Tagged];
}

/// Shares in the order of [`KeptShare::ALL`], 0–1; `None` where one was not known.
pub type KeptShares = [Option<f32>; KeptShare::ALL.len()];

/// Where a value is heading; what counts as level its measure says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Above what it was before.
    Rising,
    /// Below it.
    Falling,
    /// As it was.
    Level,
}

impl Direction {
    /// The direction in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Rising => "rising",
            Self::Falling => "falling",
            Self::Level => "level",
        }
    }
}

/// Shares by hour, as they were seen last in each; hours that nobody looked at are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SharePast(Vec<(Hour, KeptShares)>);

impl SharePast {
    /// Takes in what is seen in an hour, in place of what was seen in it before; what lies more than two weeks back is
    /// dropped, and so is what a wrong clock put into the future.
    pub fn note(&mut self, hour: Hour, shares: KeptShares) {
        let first = hour.day() - KEPT_DAYS + 1;
        self.0.retain(|(kept, _)| *kept < hour && kept.day() >= first);
        self.0.sort_unstable_by_key(|(kept, _)| *kept);
        self.0.push((hour, shares));
    }

    /// Where a share is heading on a day, counted from the epoch: the mean of its hours in the seven days that end with it
    /// against that of the seven days before. `None` where either has fewer than 24 hours, or fewer than three days.
    pub fn direction(&self, of: KeptShare, today: i32) -> Option<Direction> {
        let last = self.mean(of, today - WEEK_DAYS + 1..=today)?;
        let before = self.mean(of, today - KEPT_DAYS + 1..=today - WEEK_DAYS)?;
        Some(match last - before {
            by if by > LEVEL_WITHIN => Direction::Rising,
            by if by < -LEVEL_WITHIN => Direction::Falling,
            _ => Direction::Level,
        })
    }

    fn mean(&self, of: KeptShare, days: std::ops::RangeInclusive<i32>) -> Option<f64> {
        let seen = self.0.iter().filter(|(hour, _)| days.contains(&hour.day()));
        let known = seen.filter_map(|(hour, shares)| {
            let share = shares.get(of as usize).copied().flatten().filter(|s| s.is_finite());
            share.map(|share| (hour.day(), f64::from(share)))
        });
        let known: Vec<(i32, f64)> = known.collect();
        let on: BTreeSet<i32> = known.iter().map(|(day, _)| *day).collect();
        let is_enough = known.len() >= LEAST_HOURS && on.len() >= LEAST_DAYS;
        is_enough.then(|| known.iter().map(|(_, share)| share).sum::<f64>() / known.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TODAY: i32 = 20_000;

    /// Spot at `share(day)` in the first `hours` hours of each of the last 14 days.
    fn past(hours: i32, share: impl Fn(i32) -> Option<f32>) -> SharePast {
        let mut past = SharePast::default();
        for day in TODAY - 13..=TODAY {
            for hour in 0..hours {
                past.note(Hour(day * 24 + hour), [None, None, share(day), None]);
            }
        }
        past
    }

    fn spot(past: &SharePast) -> Option<Direction> {
        past.direction(KeptShare::Spot, TODAY)
    }

    #[test]
    fn the_last_seven_days_are_held_against_the_seven_before() {
        let step = |before: f32, last: f32| {
            past(24, move |day| Some(if day > TODAY - 7 { last } else { before }))
        };
        assert_eq!(spot(&step(0.20, 0.22)), Some(Direction::Rising));
        assert_eq!(spot(&step(0.22, 0.20)), Some(Direction::Falling));
        assert_eq!(spot(&step(0.20, 0.209)), Some(Direction::Level));
        // The day before the last seven is of the week before: 1/7 of it at 0.9 is 0.1 more.
        let late = past(24, |day| Some(if day == TODAY - 7 { 0.9 } else { 0.2 }));
        assert_eq!(spot(&late), Some(Direction::Falling));
        let first = past(24, |day| Some(if day == TODAY - 6 { 0.9 } else { 0.2 }));
        assert_eq!(spot(&first), Some(Direction::Rising));
        assert_eq!(late.direction(KeptShare::GpuUse, TODAY), None, "another share is not known");
    }

    #[test]
    fn too_few_hours_or_days_on_either_side_have_no_direction() {
        let of = |hours: i32, days: std::ops::Range<i32>| {
            past(hours, move |day| days.contains(&(TODAY - day)).then_some(0.5))
        };
        assert_eq!(spot(&of(4, 0..14)), Some(Direction::Level), "28 hours in each week");
        assert_eq!(spot(&of(3, 0..14)), None, "21 hours in each week");
        assert_eq!(spot(&of(24, 0..9)), None, "two days of the week before");
        assert_eq!(spot(&of(24, 0..10)), Some(Direction::Level));
        assert_eq!(spot(&of(24, 5..14)), None, "two days of the last week");
        assert_eq!(spot(&SharePast::default()), None);
    }

    #[test]
    fn an_hour_counts_as_it_was_seen_last_and_no_more_than_two_weeks_are_kept() {
        let mut past = past(24, |_| Some(0.5));
        let now = Hour(TODAY * 24 + 23);
        past.note(now, [Some(0.1), None, None, Some(1.0)]);
        assert_eq!(past.0.len(), 14 * 24);
        assert_eq!(past.0.last(), Some(&(now, [Some(0.1), None, None, Some(1.0)])));
        past.note(now.plus(1), [None; 4]);
        assert_eq!(past.0.first().map(|(hour, _)| *hour), Some(Hour((TODAY - 12) * 24)));
        // A clock that was set back leaves nothing in the future.
        past.note(now.plus(-48), [None; 4]);
        assert_eq!(past.0.last().map(|(hour, _)| *hour), Some(now.plus(-48)));
        let bytes = postcard::to_stdvec(&past).unwrap();
        assert_eq!(postcard::from_bytes::<SharePast>(&bytes).unwrap(), past);
    }

    proptest! {
        /// Against sums made hour by hour.
        #[test]
        fn directions_are_those_of_the_means(
            shares in prop::collection::vec(prop::option::weighted(0.6, 0.0f32..1.0), 14 * 24)
        ) {
            let mut past = SharePast::default();
            let first = (TODAY - 13) * 24;
            for (at, share) in shares.iter().enumerate() {
                past.note(Hour(first + at as i32), [*share, None, None, None]);
            }
            let mean = |part: &[Option<f32>]| {
                let (mut sum, mut n) = (0.0, 0);
                for share in part.iter().flatten() {
                    sum += f64::from(*share);
                    n += 1;
                }
                (n, sum / f64::from(n))
            };
            let ((before_n, before), (last_n, last)) =
                (mean(&shares[..7 * 24]), mean(&shares[7 * 24..]));
            prop_assume!(before_n >= 72 && last_n >= 72 && ((last - before).abs() - 0.01).abs() > 1e-6);
            let want = if (last - before).abs() < 0.01 {
                Direction::Level
            } else if last > before {
                Direction::Rising
            } else {
                Direction::Falling
            };
            prop_assert_eq!(past.direction(KeptShare::GpuUse, TODAY), Some(want));
        }
    }
}
