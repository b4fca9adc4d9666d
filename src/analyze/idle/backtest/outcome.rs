//! What became of an instance after each moment, by one yardstick.

use super::super::policy::{Policy, enough, gpu_indices};
use super::super::stretch::Slice;
use super::calls::Levels;
use super::days::Days;
use super::{DAY, HELD_HOURS, Outcome, Spell};
use crate::domain::Signal;

/// Hours of a day, as an index.
const HOURS: usize = DAY as usize;

/// The first use after each moment, and which hours were seen.
pub(super) struct Aftermath {
    /// First hour at or after the first of each day that speaks for use; `None` for none.
    first_use: Vec<Option<usize>>,
    /// Hours before each hour in which the CPU and every GPU reported.
    seen: Vec<u32>,
    /// The hour after the last one that counts: the end of the instance, or now.
    end: usize,
}

impl Aftermath {
    /// By the limits of `yardstick`.
    pub fn new(days: &Days<'_>, yardstick: &Policy) -> Self {
        let levels = Levels::of(days, yardstick);
        let used = levels.used_days(days);
        let mut first_use = vec![None; days.count];
        let mut next = None;
        for day in (0..days.count).rev() {
            let by_hour = if used[day] { levels.first_used(days, day) } else { None };
            let by_network =
                levels.network.and_then(|limit| days.network().first_reached(day, limit));
            next = [by_hour, by_network, next].into_iter().flatten().min();
            first_use[day] = next;
        }
        let signals = std::iter::once(Signal::CpuMean)
            .chain(gpu_indices(days.machine.gpus()).map(Signal::GpuMax));
        let series: Option<Vec<Slice<'_>>> =
            signals.map(|signal| Some(days.get(signal)?.hours)).collect();
        let mut count = 0;
        let mut seen = Vec::with_capacity(days.count * HOURS + 1);
        seen.push(0);
        for hour in 0..days.count * HOURS {
            let all = |series: &Vec<Slice<'_>>| series.iter().all(|s| !s.at(hour).is_nan());
            count += u32::from(series.as_ref().is_some_and(all));
            seen.push(count);
        }
        Self { first_use, seen, end: days.ended.unwrap_or(days.count * HOURS) }
    }

    /// What became of it after the moment before day `day`, as a spell that begins there.
    pub fn after(&self, days: &Days<'_>, day: usize) -> Spell {
        let moment = day * HOURS;
        let first_use = self.first_use.get(day).copied().flatten();
        let woke = first_use.filter(|hour| *hour < self.end);
        let seen = |to: usize| (self.seen[to.max(moment)] - self.seen[moment]) as usize;
        let is_covered = |to: usize| enough(seen(to), to.saturating_sub(moment));
        let outcome = match woke {
            Some(hour) => Outcome::Woke { after_hours: (hour - moment) as u32 },
            None if !is_covered(self.end) => Outcome::Unseen,
            None if days.ended.is_some() => Outcome::Ended,
            None => Outcome::Idle,
        };
        let held_until = (moment + HELD_HOURS as usize).min(self.end);
        let held = match woke {
            Some(hour) if hour < held_until => Some(false),
            _ => is_covered(held_until).then_some(true),
        };
        let idle_hours = seen(woke.unwrap_or(self.end)) as u32;
        let called_at = days.range.from.plus(moment as i32);
        Spell { called_at, outcome, held, idle_hours }
    }
}
