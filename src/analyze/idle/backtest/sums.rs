//! A back-test of a fleet, and what it comes to.

use std::sync::Arc;

use jiff::Timestamp;

use super::{Outcome, RESTART_HOURS, Replayed, Spell};
use crate::domain::Hour;
use crate::fleet::Row;

/// Verdicts of the past of a fleet, with what became of them.
#[derive(Clone, Debug)]
pub struct Backtest {
    /// Names of the policies, in the order of [`Replayed::tracks`].
    pub policies: Vec<String>,
    /// Days of hours before a moment that each of them looks at.
    pub policy_days: Vec<u32>,
    /// The present moment.
    pub now: Timestamp,
    /// Days looked back.
    pub days: u32,
    /// Days of hours before the oldest moment that the longest policy looks at.
    pub window_days: u32,
    /// Every instance of the fleet.
    pub of: Vec<(Arc<Row>, Replayed)>,
    /// Instances with hours in the cache that are in no inventory any more: terminated, mostly. Their types and prices
    /// are not kept, so that they are not judged.
    pub gone: usize,
    /// Metrics that would have to be fetched for all these days, at most.
    pub missing_metrics: u64,
    /// What CloudWatch bills for them, millionths of a dollar.
    pub missing_micro_usd: u64,
    /// False where no account is asked for it: offline, the demo, a tape.
    pub can_fetch: bool,
}

/// The calls of one policy on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayCount {
    /// Days ago.
    pub days_ago: u32,
    /// Instances called idle then.
    pub called: u32,
    /// Of these idle until now.
    pub idle: u32,
    /// Idle until they were stopped or terminated.
    pub ended: u32,
    /// In use again since.
    pub woke: u32,
    /// Too little seen since.
    pub unseen: u32,
}

impl DayCount {
    fn add(&mut self, outcome: Outcome) {
        self.called += 1;
        match outcome {
            Outcome::Idle => self.idle += 1,
            Outcome::Ended => self.ended += 1,
            Outcome::Woke { .. } => self.woke += 1,
            Outcome::Unseen => self.unseen += 1,
        }
    }
}

/// All spells of one policy. Dollars are USD at each instance's present price.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    /// Moments of instances at which there was a verdict, idle, or in use by enough hours for either.
    pub judged: u64,
    /// Days ago of the oldest of them; `None` without one: too little history.
    pub oldest_judged: Option<u32>,
    /// The spells by what became of them; `days_ago` means nothing.
    pub spells: DayCount,
    /// Spells that stayed idle for [`super::HELD_HOURS`], or until the instance ended before.
    pub held: u32,
    /// Spells of which that can be told.
    pub held_of: u32,
    /// What stopping at each first call would have saved: price × the hours of idleness that were seen.
    pub saved_usd: f64,
    /// What starting again those that woke up would have cost: price × [`RESTART_HOURS`] each.
    pub restart_usd: f64,
    /// Price of those that woke up, USD/h.
    pub woke_usd_per_hour: f64,
    /// Spells of instances without a price, which the dollars leave out.
    pub unpriced: u32,
}

impl Sums {
    /// Share of the spells that stayed idle for [`super::HELD_HOURS`], 0–1; `None` where it can be told of none.
    pub fn precision(&self) -> Option<f64> {
        (self.held_of > 0).then(|| f64::from(self.held) / f64::from(self.held_of))
    }

    /// True when a spell has a price.
    pub fn is_priced(&self) -> bool {
        self.spells.called > self.unpriced
    }
}

impl Backtest {
    /// The sums of the policy with this index.
    pub fn sums(&self, policy: usize) -> Sums {
        let mut sums = Sums::default();
        for (row, replayed) in &self.of {
            let Some(track) = replayed.tracks.get(policy) else { continue };
            sums.judged += u64::from(track.judged);
            sums.oldest_judged = sums.oldest_judged.max(track.oldest_judged);
            for spell in &track.spells {
                sums.spells.add(spell.outcome);
                sums.held += u32::from(spell.held == Some(true));
                sums.held_of += u32::from(spell.held.is_some());
                let Some(price) = price(row) else {
                    sums.unpriced += 1;
                    continue;
                };
                sums.saved_usd += price * f64::from(spell.idle_hours);
                if matches!(spell.outcome, Outcome::Woke { .. }) {
                    sums.restart_usd += price * RESTART_HOURS;
                    sums.woke_usd_per_hour += price;
                }
            }
        }
        sums
    }

    /// What a policy called idle so many days ago; `None` where it could judge nothing then.
    pub fn day(&self, policy: usize, days_ago: u32) -> Option<DayCount> {
        let mut count = DayCount { days_ago, ..DayCount::default() };
        let mut judged = false;
        for track in self.of.iter().filter_map(|(_, replayed)| replayed.tracks.get(policy)) {
            judged |= track.oldest_judged.is_some_and(|oldest| oldest >= days_ago);
            if let Ok(at) = track.called.binary_search_by(|(ago, _)| days_ago.cmp(ago)) {
                count.add(track.called[at].1);
            }
        }
        judged.then_some(count)
    }

    /// Every spell of a policy, by instance.
    pub fn spells(&self, policy: usize) -> impl Iterator<Item = (&Arc<Row>, &Spell)> {
        self.of.iter().flat_map(move |(row, replayed)| {
            let spells = replayed.tracks.get(policy).into_iter().flat_map(|track| &track.spells);
            spells.map(move |spell| (row, spell))
        })
    }

    /// Instances that a policy called idle and that were used again, and after how many hours: the soonest first.
    pub fn wakes(&self, policy: usize) -> Vec<(&Arc<Row>, u32)> {
        let woke = |(row, spell): (_, &Spell)| match spell.outcome {
            Outcome::Woke { after_hours } => Some((row, after_hours)),
            _ => None,
        };
        let mut wakes: Vec<(&Arc<Row>, u32)> = self.spells(policy).filter_map(woke).collect();
        wakes.sort_by(|a, b| (a.1, &a.0.instance.id).cmp(&(b.1, &b.0.instance.id)));
        wakes
    }

    /// First hour that is kept of any instance; `None` without one.
    pub fn first_hour(&self) -> Option<Hour> {
        self.of.iter().filter_map(|(_, replayed)| replayed.first_hour).min()
    }

    /// Instances whose hours before their last launch are kept and not judged.
    pub fn earlier_lives(&self) -> usize {
        self.of.iter().filter(|(_, replayed)| replayed.had_earlier_life).count()
    }
}

/// Price while it runs, USD/h, whether it runs now or not; `None` when unknown.
fn price(row: &Row) -> Option<f64> {
    row.rate.as_ref().map(|rate| rate.usd_per_hour)
}
