//! What a fleet burnt, by day: what burntop saw, and how long it looked.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::hour::Hour;
use super::share_past::SharePast;

/// Hours of a day.
const DAY_HOURS: f64 = 24.0;

/// What the running instances of one team burn. As a rate per hour in a [`BurnStep`], as a sum in a [`BurnDay`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Burnt {
    /// USD at each instance's rate: list, or the Spot price.
    pub usd: f64,
    /// Part of it that verdicts call waste, USD.
    pub waste_usd: f64,
    /// GPU equivalents, or GPU-hours.
    pub gpus: f64,
    /// Running instances, or instance-hours.
    pub instances: f64,
    /// Of these without a price, which the dollars leave out.
    pub unpriced: f64,
    /// Of these with a price and without a verdict on their waste, which the waste leaves out.
    pub unjudged: f64,
}

impl Burnt {
    /// Adds `of`, `times` over.
    pub fn add(&mut self, of: &Self, times: f64) {
        self.usd += of.usd * times;
        self.waste_usd += of.waste_usd * times;
        self.gpus += of.gpus * times;
        self.instances += of.instances * times;
        self.unpriced += of.unpriced * times;
        self.unjudged += of.unjudged * times;
    }
}

/// Sums by team; `None` is the instances without one.
pub type ByTeam = Vec<(Option<Arc<str>>, Burnt)>;

/// Adds `of` to the sums of a team.
pub fn add_to_team(all: &mut ByTeam, team: Option<&Arc<str>>, of: &Burnt, times: f64) {
    match all.iter_mut().find(|(known, _)| known.as_ref() == team) {
        Some((_, sum)) => sum.add(of, times),
        None => {
            let mut sum = Burnt::default();
            sum.add(of, times);
            all.push((team.cloned(), sum));
        }
    }
}

/// A time in which an account was looked at and burnt so much per hour.
#[derive(Clone, Debug, PartialEq)]
pub struct BurnStep {
    /// 12-digit id of the account.
    pub account: Arc<str>,
    /// Beginning, milliseconds since the epoch.
    pub from_ms: i64,
    /// End, milliseconds since the epoch.
    pub to_ms: i64,
    /// Rates per hour.
    pub rates: Arc<ByTeam>,
}

/// What an account burnt on one UTC day, as far as it was looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct BurnDay {
    /// UTC day, counted from the epoch.
    pub day: i32,
    /// 12-digit id of the account.
    pub account: Arc<str>,
    /// How much, and how long it was looked at.
    pub seen: BurnSeen,
}

/// What was burnt while an account was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BurnSeen {
    /// Milliseconds that were looked at; the others are in no sum.
    pub for_ms: i64,
    /// Until when it was looked at, milliseconds since the epoch: no moment counts twice.
    pub until_ms: i64,
    /// Sums by team.
    pub teams: ByTeam,
}

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

impl BurnDay {
    /// A day that nobody looked at yet.
    pub fn new(day: i32, account: Arc<str>) -> Self {
        let seen = BurnSeen { for_ms: 0, until_ms: i64::MIN, teams: Vec::new() };
        Self { day, account, seen }
    }

    /// The days that `step` touches.
    pub fn days(step: &BurnStep) -> std::ops::RangeInclusive<i32> {
        let day = |ms: i64| ms.div_euclid(DAY_MS) as i32;
        day(step.from_ms)..=day((step.to_ms - 1).max(step.from_ms))
    }

    /// Adds the part of `step` that lies in the day and behind all that was looked at.
    pub fn add(&mut self, step: &BurnStep) {
        let begin = i64::from(self.day) * DAY_MS;
        let from = step.from_ms.max(begin).max(self.seen.until_ms);
        let to = step.to_ms.min(begin + DAY_MS);
        if from >= to {
            return;
        }
        let hours = (to - from) as f64 / 3_600_000.0;
        for (team, rates) in &*step.rates {
            add_to_team(&mut self.seen.teams, team.as_ref(), rates, hours);
        }
        self.seen.for_ms += to - from;
        self.seen.until_ms = to;
    }

    /// The calendar day; `None` beyond the calendar.
    pub fn date(&self) -> Option<Date> {
        date(self.day)
    }

    /// The sums of all teams.
    pub fn all(&self) -> Burnt {
        let mut sum = Burnt::default();
        self.seen.teams.iter().for_each(|(_, team)| sum.add(team, 1.0));
        sum
    }

    /// Seen hours, 0–24.
    pub fn seen_hours(&self) -> f64 {
        (self.seen.for_ms as f64 / 3_600_000.0).clamp(0.0, DAY_HOURS)
    }
}

/// One UTC day of several accounts together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BurnOfDay {
    /// UTC day, counted from the epoch.
    pub day: i32,
    /// Sums of all accounts and teams over what was seen.
    pub burnt: Burnt,
    /// Mean burn while it was looked at, USD/h, each account by its own time; `None` where it was not, or nothing had a
    /// price.
    pub usd_per_hour: Option<f64>,
    /// The least that an account was looked at, hours; the burn of the other hours is not known.
    pub seen_hours: f64,
}

impl BurnOfDay {
    /// Adds up `days` by day, oldest first. Of `accounts` accounts, a day on which one was not looked at is seen for 0
    /// hours and has no mean: the fleet was not seen as a whole.
    pub fn of(days: &[BurnDay], accounts: usize) -> Vec<Self> {
        let mut all: Vec<(Self, usize)> = Vec::new();
        let mut sorted: Vec<&BurnDay> = days.iter().filter(|day| day.seen.for_ms > 0).collect();
        sorted.sort_by_key(|day| day.day);
        for day in sorted {
            if all.last().is_none_or(|(last, _)| last.day != day.day) {
                let new = Self { day: day.day, seen_hours: DAY_HOURS, ..Self::default() };
                all.push((new, 0));
            }
            let Some((of, seen)) = all.last_mut() else { continue };
            let sum = day.all();
            of.burnt.add(&sum, 1.0);
            of.seen_hours = of.seen_hours.min(day.seen_hours());
            *of.usd_per_hour.get_or_insert(0.0) += sum.usd / day.seen_hours();
            *seen += 1;
        }
        let whole = |(mut of, seen): (Self, usize)| {
            let priced = of.burnt.unpriced < of.burnt.instances || of.burnt.instances <= 0.0;
            if seen < accounts {
                of.seen_hours = 0.0;
            }
            of.usd_per_hour = of.usd_per_hour.filter(|_| priced && seen >= accounts);
            of
        };
        all.into_iter().map(whole).collect()
    }

    /// The calendar day.
    pub fn date(&self) -> Option<Date> {
        date(self.day)
    }
}

/// The date of a day counted from the epoch; `None` beyond the calendar.
fn date(day: i32) -> Option<Date> {
    let start = Hour(day.checked_mul(24)?).start();
    Some(start.to_zoned(jiff::tz::TimeZone::UTC).date())
}

/// A group of instances that came, went or woke up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moved {
    /// How many.
    pub instances: u32,
    /// What those with a price burn, USD/h: now, or then of those that went.
    pub usd_per_hour: f64,
    /// How many have no price.
    pub unpriced: u32,
    /// Some names, the most expensive first.
    pub names: Vec<Arc<str>>,
}

/// What changed since a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Since {
    /// Since what.
    pub what: SinceWhat,
    /// The moment.
    pub at: Timestamp,
    /// Burn then and now, USD/h; `None` where nothing had a price.
    pub burn: [Option<f64>; 2],
    /// Waste then and now, USD/h; `None` where nothing had a verdict.
    pub waste: [Option<f64>; 2],
    /// Run now and did not then.
    pub new: Moved,
    /// Ran then and do not now.
    pub gone: Moved,
    /// Were idle then and are used now.
    pub woke: Moved,
    /// Were used then and are idle now.
    pub idled: Moved,
}

/// Which moment a change is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SinceWhat {
    /// A day ago, or the nearest moment before.
    Yesterday,
    /// The end of the last run.
    LastRun,
}

/// What is known of the past of the fleet that is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BurnPast {
    /// By day, oldest first; days that nobody looked at are absent.
    pub days: Vec<BurnOfDay>,
    /// What changed; a moment of which nothing is known is absent.
    pub since: Vec<Since>,
    /// The running UTC day, counted from the epoch.
    pub today: i32,
    /// Shares of the fleet by hour.
    pub shares: SharePast,
}
