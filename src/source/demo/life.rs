//! When an instance of the demo was launched and whether it ran in a given hour, as a pure
//! function of the clock, so that two sessions a day apart see the same fleet, one day older.

use crate::domain::Hour;

/// Hours in a day.
pub(super) const DAY: i32 = 24;

/// Launches stand on a grid of `period` hours, and every launch is first seen when it is
/// `min_age` hours old: at any moment the instance is `min_age ≤ age < min_age + period` old.
///
/// An instance that keeps its id cannot both stop now and then and never be seen young: with a
/// `gap` it needs `min_age` 0, or has to be `renewed`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    /// Hours between two launches.
    pub period: i32,
    /// Age of a launch when it becomes visible, hours.
    pub min_age: i32,
    /// Shift of the grid in hours, so that not everything restarts at once.
    pub offset: i32,
    /// Hours that it was stopped before each launch; 0 when nothing ran before.
    pub gap: i32,
    /// True when each launch is a new instance with its own id (a member of a group that replaces its instances), false
    /// when the same instance is stopped and started.
    pub renewed: bool,
}

impl Life {
    /// Old and never stopped in any window: 30 to 120 days old.
    pub(super) const fn old(offset: i32) -> Self {
        Self { period: 90 * DAY, min_age: 30 * DAY, offset, gap: 0, renewed: false }
    }

    /// Number of launches up to the one visible at `now`.
    pub(super) fn launches(self, now: Hour) -> i32 {
        (now.0 - self.offset).div_euclid(self.period)
    }

    /// Part of the instance id that changes: the launch number for renewed instances, else 0.
    pub(super) fn generation(self, now: Hour) -> i32 {
        if self.renewed { self.launches(now) } else { 0 }
    }

    /// First whole hour after launch number `launch`.
    pub(super) fn launch_hour(self, launch: i32) -> Hour {
        Hour(self.offset + launch * self.period - self.min_age)
    }

    /// True when the instance of `generation` ran during all of `hour`.
    pub(super) fn ran(self, generation: i32, hour: Hour) -> bool {
        if self.renewed {
            let born = self.launch_hour(generation).0;
            let before_the_stop = self.gap > 0 && hour.0 < born - self.gap;
            before_the_stop || (born..born + self.min_age + self.period).contains(&hour.0)
        } else {
            let since_launch = (hour.0 + self.min_age - self.offset).rem_euclid(self.period);
            since_launch < self.period - self.gap
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_stays_between_its_bounds() {
        let life = Life { period: 12, min_age: 2, offset: 5, gap: 0, renewed: true };
        for now in (490_000..490_100).map(Hour) {
            let launch = life.launch_hour(life.launches(now));
            assert!((2..14).contains(&(now.0 - launch.0)), "{now:?}");
            assert!(life.ran(life.generation(now), now));
            assert!(!life.ran(life.generation(now), launch.plus(-1)));
        }
    }

    #[test]
    fn a_stop_leaves_a_gap_before_the_launch() {
        let kept = Life { period: 72, min_age: 0, offset: 7, gap: 6, renewed: false };
        let renewed = Life { period: 72, min_age: 48, offset: 7, gap: 6, renewed: true };
        for (life, now) in (490_000..490_200).flat_map(|h| [(kept, Hour(h)), (renewed, Hour(h))]) {
            let (launch, id) = (life.launch_hour(life.launches(now)), life.generation(now));
            if !life.ran(id, now) {
                assert!(!life.renewed && now.0 - launch.0 >= 66, "{life:?} {now:?}");
                continue;
            }
            assert!((launch.0..now.0).all(|h| life.ran(id, Hour(h))), "{life:?} {now:?}");
            assert!((launch.0 - 6..launch.0).all(|h| !life.ran(id, Hour(h))), "{life:?} {now:?}");
            assert!(life.ran(id, launch.plus(-7)));
        }
    }
}
