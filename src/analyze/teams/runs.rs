//! What runs cost: dollars of attempts by the day on which they ended, and what these brought: runs, GPU-hours, predictions.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::run_filter::RunFilter;
use super::unit::Measured;
use crate::domain::bill::{Month, Usd, words};
use crate::domain::daily::day_of;
use crate::domain::jobs::{Attempt, GpuTime, Gpus, JobSource, JobState};

words! {
    /// Which dollars bear what is counted.
    RunDollars {
        /// All that was paid: those of attempts that failed or were cancelled as well, which is the failed-run tax.
        Paid = "paid",
        /// Those of the attempts that completed alone.
        Completed = "completed",
    }
}

words! {
    /// What the dollars are divided by.
    RunCount {
        /// Attempts that completed.
        Completed = "completed_runs",
        /// Runs however they ended: attempts that completed, and jobs whose last attempt came to nothing. Retries are one run.
        Runs = "runs",
        /// GPU-hours held that did not come to nothing.
        UsefulHours = "useful_gpu_hours",
        /// GPU-hours in which the GPUs worked, by kept telemetry.
        UsedHours = "used_gpu_hours",
        /// Predictions that attempts tell of.
        Predictions = "predictions",
    }
}

words! {
    /// Whose runs stand in a row.
    RunsBy {
        /// Team.
        Team = "team",
        /// Project.
        Project = "project",
        /// User.
        User = "user",
    }
}

impl RunsBy {
    fn value(self, of: &Attempt) -> Option<&Arc<str>> {
        match self {
            Self::Team => of.team.as_ref(),
            Self::Project => of.project.as_ref(),
            Self::User => of.user.as_ref(),
        }
    }
}

impl RunCount {
    /// True for GPU-hours.
    pub const fn is_hours(self) -> bool {
        matches!(self, Self::UsefulHours | Self::UsedHours)
    }
}

/// Which jobs are counted, which of their dollars, and what these are divided by.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRule {
    /// Which jobs.
    pub filter: RunFilter,
    /// Which dollars.
    pub dollars: RunDollars,
    /// What is counted.
    pub count: RunCount,
}

/// An attempt of a job with what it cost.
#[derive(Clone, Copy, Debug)]
pub struct PaidAttempt<'a> {
    /// The attempt; of parts that ran side by side their sum.
    pub attempt: &'a Attempt,
    /// What it cost; `None` where that is unknown.
    pub usd: Option<Usd>,
    /// GPU time held that did not come to nothing; `None` where that is unknown.
    pub useful: Option<GpuTime>,
    /// True where a checkpoint that is not known may have made more of it useful.
    pub useful_is_lower_bound: bool,
    /// GPU time in which its GPUs worked; `None` where telemetry does not cover it.
    pub used: Option<GpuTime>,
}

/// What ended on a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RunDay {
    /// Dollars of the rule.
    usd: Usd,
    /// Runs, or predictions.
    number: u64,
    /// GPU time of the rule.
    gpu_time: GpuTime,
    /// Attempts whose dollars are unknown.
    unpriced: u32,
    /// Attempts of which more may have to be counted.
    undercounted: u32,
    /// Attempts that are in neither number.
    left_out: u32,
}

/// What an attempt tells of predictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Predictions {
    /// Its job tells of none.
    None,
    /// So many besides those of other attempts.
    More(u64),
    /// Another attempt of its job tells of some, and it does not.
    Untold,
}

/// An attempt of which what it cost counts on a day.
#[derive(Clone, Copy, Debug)]
struct RunRow<'a> {
    paid: PaidAttempt<'a>,
    /// The outermost job in whose time it lies; itself where it lies in none.
    job: &'a Attempt,
    /// When that job ended.
    day: Date,
    /// True where a run ends with it.
    ends_run: bool,
    predictions: Predictions,
}

/// Attempts as they count for what runs cost.
pub struct RunBook<'a> {
    rows: Vec<RunRow<'a>>,
    /// Days of which all is kept; `None` without any job.
    known: Option<Range<Date>>,
    /// Last moment that was witnessed; `None` without any.
    until: Option<Timestamp>,
}

/// What was counted and paid by day, UTC, by a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RunDays {
    /// By which rule.
    pub rule: RunRule,
    /// Last moment that was witnessed of jobs; `None` without any.
    pub until: Option<Timestamp>,
    by_day: BTreeMap<Date, RunDay>,
    /// Days of which all is kept; `None` without any job.
    known: Option<Range<Date>>,
}

/// Levels of jobs inside of others that are followed.
const INSIDE_AT_MOST: usize = 32;

/// A job: source, cluster, id.
type JobKey<'a> = (JobSource, &'a str, &'a str);

/// Jobs that held GPUs and in whose time others lie.
struct Outer<'a>(HashMap<JobKey<'a>, &'a Attempt>);

impl<'a> Outer<'a> {
    fn of(attempts: &[PaidAttempt<'a>]) -> Self {
        let named: HashSet<JobKey<'a>> =
            attempts.iter().filter_map(|of| above(of.attempt)).collect();
        let all = attempts.iter().map(|of| (key(of.attempt), of.attempt));
        Self(all.filter(|(key, of)| named.contains(key) && has_gpus(of)).collect())
    }

    /// The outermost job in whose time an attempt lies; itself where it lies in none, and where they lie in a circle.
    fn around(&self, attempt: &'a Attempt) -> &'a Attempt {
        let mut job = attempt;
        for _ in 0..INSIDE_AT_MOST {
            match above(job).and_then(|key| self.0.get(&key)) {
                Some(outer) => job = *outer,
                None => return job,
            }
        }
        attempt
    }
}

/// The job of an attempt.
fn key(of: &Attempt) -> JobKey<'_> {
    (of.id.source, &*of.id.cluster, &*of.job)
}

/// The job in whose time an attempt lies.
fn above(of: &Attempt) -> Option<JobKey<'_>> {
    Some((of.id.source, &*of.id.cluster, of.parent.as_deref()?))
}

fn has_gpus(of: &Attempt) -> bool {
    of.gpus.is_some_and(|gpus| gpus > Gpus::ZERO)
}

fn has_completed(of: &Attempt) -> bool {
    matches!(of.state, JobState::Completed | JobState::CompletedStepFailed)
}

impl<'a> RunBook<'a> {
    /// Of attempts in the order in which they began. Counted is what is over, on the day, UTC, on which it ended. What lies inside
    /// of another job's time is no run of its own: its dollars, which that job's are without, are that job's. Days are known
    /// from the one after the first attempt began up to the day before the last moment that was witnessed: the latest of the
    /// attempts' and of `read_at`, when sources were read last, none of them after `now`.
    pub fn of(
        attempts: impl Iterator<Item = PaidAttempt<'a>>,
        read_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Self {
        let attempts: Vec<PaidAttempt<'a>> = attempts.collect();
        let outer = Outer::of(&attempts);
        let (mut first, mut until) = (None::<Timestamp>, read_at.map(|at| at.min(now)));
        let mut last_of: HashMap<JobKey<'a>, usize> = HashMap::new();
        let (mut telling, mut predicting) = (HashSet::new(), HashSet::new());
        for (place, PaidAttempt { attempt, .. }) in attempts.iter().copied().enumerate() {
            let begun = attempt.started_at.or(attempt.submitted_at);
            first = [first, begun].into_iter().flatten().min();
            let seen = attempt.ended_at.or(attempt.seen_until).or(begun);
            until = [until, seen.map(|at| at.min(now))].into_iter().flatten().max();
            last_of.insert(key(attempt), place);
            if attempt.predictions.is_some() {
                telling.insert(key(attempt));
                predicting.insert(key(outer.around(attempt)));
            }
        }
        let predictions = |paid: &PaidAttempt<'_>, job: &Attempt| {
            let (of, is_inside) = (paid.attempt, !std::ptr::eq(job, paid.attempt));
            match of.predictions {
                _ if !predicting.contains(&key(job)) => Predictions::None,
                // As its time, what the job around it tells includes its own.
                _ if is_inside && job.predictions.is_some() => Predictions::More(0),
                Some(count) => Predictions::More(count),
                None if telling.contains(&key(of)) && paid.usd != Some(Usd::ZERO) => {
                    Predictions::Untold
                }
                None => Predictions::More(0),
            }
        };
        let mut rows = Vec::new();
        for (place, mut paid) in attempts.into_iter().enumerate() {
            let (attempt, job) = (paid.attempt, outer.around(paid.attempt));
            let Some(end) = job.ended_at.filter(|end| job.state.is_over() && *end <= now) else {
                continue;
            };
            // What never held a node costs nothing, whatever node that had been.
            if attempt.held_ms() == Some(0) && attempt.billed_ms.is_none() {
                paid.usd = paid.usd.or(Some(Usd::ZERO));
            }
            let is_last = last_of.get(&key(attempt)) == Some(&place);
            let ends_run = std::ptr::eq(job, attempt) && (has_completed(attempt) || is_last);
            let predictions = predictions(&paid, job);
            rows.push(RunRow { paid, job, day: day_of(end), ends_run, predictions });
        }
        let known = first.zip(until).map(|(first, until)| {
            let from = day_of(first);
            from.tomorrow().unwrap_or(from)..day_of(until)
        });
        Self { rows, known, until }
    }

    /// By a rule.
    pub fn days(&self, rule: &RunRule) -> RunDays {
        let mut all = self.tally(rule, |_| ());
        self.with(rule, all.remove(&()).unwrap_or_default())
    }

    /// By a rule, of each team, project or user by itself, those without one last.
    pub fn days_by(&self, rule: &RunRule, by: RunsBy) -> Vec<(Option<Arc<str>>, RunDays)> {
        let mut all = self.tally(rule, |job| by.value(job));
        let nobody = all.remove(&None);
        let known = all.into_iter().map(|(value, days)| (value.cloned(), days));
        let all = known.chain(nobody.map(|days| (None, days)));
        all.map(|(value, days)| (value, self.with(rule, days))).collect()
    }

    fn with(&self, rule: &RunRule, by_day: BTreeMap<Date, RunDay>) -> RunDays {
        RunDays { rule: rule.clone(), until: self.until, by_day, known: self.known.clone() }
    }

    fn tally<K: Ord>(
        &self,
        rule: &RunRule,
        whose: impl Fn(&'a Attempt) -> K,
    ) -> BTreeMap<K, BTreeMap<Date, RunDay>> {
        let mut all: BTreeMap<K, BTreeMap<Date, RunDay>> = BTreeMap::new();
        for row in &self.rows {
            let is_of_kind = match rule.count {
                RunCount::Predictions => row.predictions != Predictions::None,
                _ => has_gpus(row.job),
            };
            let bears = has_completed(row.job) || rule.dollars == RunDollars::Paid;
            if is_of_kind && bears && rule.filter.holds(row.job) {
                let days = all.entry(whose(row.job)).or_default();
                days.entry(row.day).or_default().add(row, rule.count);
            }
        }
        all
    }
}

impl RunDay {
    fn add(&mut self, row: &RunRow<'_>, count: RunCount) {
        let paid = &row.paid;
        let hours = if count == RunCount::UsefulHours { paid.useful } else { paid.used };
        match (paid.usd, hours) {
            (Some(usd), Some(hours)) if count.is_hours() => {
                self.usd += usd;
                self.gpu_time += hours;
                let is_bound = count == RunCount::UsefulHours && paid.useful_is_lower_bound;
                self.undercounted += u32::from(is_bound);
            }
            // Dollars and hours are both its own: without one of them it tells nothing.
            _ if count.is_hours() => self.left_out += 1,
            (Some(usd), _) => self.usd += usd,
            (None, _) => self.unpriced += 1,
        }
        match count {
            RunCount::Completed => {
                self.number += u64::from(row.ends_run && has_completed(paid.attempt));
            }
            RunCount::Runs => self.number += u64::from(row.ends_run),
            RunCount::Predictions => match row.predictions {
                Predictions::More(more) => self.number = self.number.saturating_add(more),
                Predictions::Untold => self.undercounted += 1,
                Predictions::None => {}
            },
            RunCount::UsefulHours | RunCount::UsedHours => {}
        }
    }
}

impl RunDays {
    /// Of attempts by a rule: see [`RunBook::of`].
    #[cfg(test)]
    pub fn of<'a>(
        attempts: impl Iterator<Item = PaidAttempt<'a>>,
        rule: &RunRule,
        read_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Self {
        RunBook::of(attempts, read_at, now).days(rule)
    }

    /// Without any attempt.
    pub fn none(rule: RunRule) -> Self {
        Self { rule, until: None, by_day: BTreeMap::new(), known: None }
    }

    /// The month of the last day that is known; `None` without any.
    pub fn newest_month(&self) -> Option<Month> {
        let known = self.known.as_ref().filter(|days| !days.is_empty())?;
        Some(Month::of(known.end.yesterday().unwrap_or(known.end)))
    }

    /// True where something was counted in `month`, or in the one before it.
    pub fn counts_in(&self, month: Month) -> bool {
        let days = month.plus(-1).first()..month.plus(1).first();
        self.by_day.range(days).any(|(_, day)| day.number > 0 || !day.gpu_time.is_zero())
    }

    /// Dollars and counts of the days of a month up to day number `until` that are known, and the last of them; 0 without any.
    pub(super) fn measured(&self, month: Month, until: u8) -> (Measured, u8) {
        let (mut found, mut last) = (Measured::default(), 0);
        let Some(known) = &self.known else { return (found, last) };
        let (mut number, mut gpu_time) = (0_u64, GpuTime::ZERO);
        for day in 1..=until.min(month.days()) {
            let date = month.day(day);
            if !known.contains(&date) {
                continue;
            }
            let of = self.by_day.get(&date).copied().unwrap_or_default();
            found.usd += of.usd;
            number = number.saturating_add(of.number);
            gpu_time += of.gpu_time;
            found.unpriced += of.unpriced;
            found.undercounted += of.undercounted;
            found.left_out += of.left_out;
            found.days += 1;
            last = day;
        }
        found.count = if self.rule.count.is_hours() { gpu_time.hours() } else { number as f64 };
        (found, last)
    }
}
