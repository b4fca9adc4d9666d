//! What ran in the demo's past: the boxes of today as far as they go back, and runs that are over.
//!
//! Everything stands on the absolute clock, so that a session tomorrow remembers the same past. A run
//! that would still be going on belongs to no box of today: it is not told before it has ended.

use std::ops::Range;
use std::sync::Arc;

use super::hash::{hash, unit};
use super::profile::Profile;
use crate::domain::{FleetHour, Hour, HourRange, Scope, TypeCounts};

const DAY: i32 = 24;
const WEEK: i32 = 7 * DAY;

/// Of the boxes of today this part was there all along; the others came with their last launch.
const ALWAYS: f64 = 0.7;

/// How likely a box had a sibling in a given week that is gone by now.
const SIBLING: f64 = 0.45;

/// Running instances of one scope by hour, for the hours of `range` before `now`.
pub(super) fn hours(
    scope: &Scope,
    boxes: impl Iterator<Item = Profile>,
    range: HourRange,
    now: Hour,
) -> Vec<FleetHour> {
    let to = range.to.min(now);
    let blank = |hour| FleetHour {
        hour: Hour(hour),
        scope: scope.clone(),
        looks: 1,
        seen: TypeCounts::default(),
    };
    let mut all: Vec<FleetHour> = (range.from.0..to.0).map(blank).collect();
    for profile in boxes {
        let name = profile.spec.name.clone();
        let life = profile.life;
        let since = if life.renewed || unit(hash(profile.hash, 40, 0)) < ALWAYS {
            i32::MIN
        } else {
            life.launch_hour(life.launches(now)).0
        };
        for hour in &mut all {
            let ran = life.ran(life.generation(hour.hour), hour.hour);
            if ran && !profile.stopped && hour.hour.0 >= since {
                one_more(hour, &name);
            }
        }
        let weeks = range.from.0.div_euclid(WEEK) - 1..to.0.div_euclid(WEEK) + 1;
        for run in weeks.filter_map(|week| sibling(&profile, week)).filter(|run| run.end < now.0) {
            let inside = run.start.max(range.from.0)..run.end.min(to.0);
            for hour in inside {
                if let Some(hour) = all.get_mut((hour - range.from.0) as usize) {
                    one_more(hour, &name);
                }
            }
        }
    }
    all
}

fn one_more(hour: &mut FleetHour, name: &Arc<str>) {
    hour.seen.add(name, 1);
}

/// The hours of a box of the same type that began in this week of the epoch and is gone: it starts on
/// a working day, and most run for less than two days.
pub(super) fn sibling(profile: &Profile, week: i32) -> Option<Range<i32>> {
    let draw = |n: u64| unit(hash(profile.hash, 41 + n, week as u64));
    if draw(0) >= SIBLING {
        return None;
    }
    // Weeks of the epoch begin on Thursdays: days 1 and 2 of a week are Friday and Saturday.
    let day = [0, 1, 4, 5, 6].get((draw(1) * 5.0) as usize).copied().unwrap_or(0);
    let start = week * WEEK + day * DAY + 7 + (draw(2) * 11.0) as i32 - profile.region.utc_offset;
    // Log-uniform from 4 hours to 10 days.
    let length = (4.0 * 60_f64.powf(draw(3).powi(2))) as i32;
    Some(start..start + length)
}

#[cfg(test)]
mod tests {
    use super::super::places::{ACCOUNTS, REGIONS};
    use super::super::profile::Fleet;
    use super::*;

    const NOW: Hour = Hour(493_000);

    fn boxes() -> Vec<Profile> {
        let fleet = Fleet::new(1, 280);
        let here = |p: &Profile| p.account.id == ACCOUNTS[0].id && p.region.code == REGIONS[0].code;
        (0..280).filter_map(|i| fleet.profile(i)).filter(here).collect()
    }

    fn told(range: Range<i32>, now: Hour) -> Vec<FleetHour> {
        let scope = Scope::new(ACCOUNTS[0].id, REGIONS[0].code);
        let range = HourRange { from: Hour(range.start), to: Hour(range.end) };
        hours(&scope, boxes().into_iter(), range, now)
    }

    #[test]
    fn the_last_hour_holds_what_runs_today_and_a_part_is_the_same_as_the_whole() {
        let all = told(NOW.0 - 26 * WEEK..NOW.0 + 5, NOW);
        assert_eq!(all.len(), 26 * 168);
        assert_eq!(told(NOW.0 - 50..NOW.0, NOW), all[all.len() - 50..]);
        let last = all.last().unwrap();
        for (name, n) in last.seen.iter() {
            let of_type = |p: &&Profile| p.spec.name == *name && !p.stopped;
            let boxes = boxes();
            let today = boxes.iter().filter(of_type);
            let running =
                today.filter(|p| p.life.ran(p.life.generation(last.hour), last.hour)).count();
            // Runs that end within this very hour are over, but were there.
            assert!(n as usize >= running && n as usize <= running + 2, "{name}: {n}");
        }
    }

    #[test]
    fn the_past_has_more_on_working_days_and_grows() {
        let all = told(NOW.0 - 26 * WEEK..NOW.0, NOW);
        let sum = |h: &FleetHour| h.seen.iter().map(|(_, n)| n).sum::<u64>() as f64;
        let mean = |part: &[FleetHour]| part.iter().map(sum).sum::<f64>() / part.len() as f64;
        let (first, last) = (mean(&all[..4 * 168]), mean(&all[22 * 168..]));
        assert!(last > first * 1.05, "{first} -> {last}");
        let peak = all.iter().map(sum).fold(0.0, f64::max);
        assert!(peak > mean(&all) * 1.1);
    }

    #[test]
    fn tomorrow_remembers_the_same_past() {
        let today = told(NOW.0 - 1_000..NOW.0 - 400, NOW);
        let tomorrow = told(NOW.0 - 1_000..NOW.0 - 400, Hour(NOW.0 + 1));
        assert_eq!(today, tomorrow);
    }
}
