//! What a run costs: dollars of attempts by the day on which they ended, and how many of them completed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::run_filter::RunFilter;
use super::unit::Measured;
use crate::domain::bill::{Month, Usd, words};
use crate::domain::daily::day_of;
use crate::domain::jobs::{Attempt, Gpus, JobSource, JobState};

words! {
    /// Which dollars bear the runs that completed.
    RunDollars {
        /// All that was paid: those of attempts that failed or were cancelled as well, which is the failed-run tax.
        Paid = "paid",
        /// Those of the attempts that completed alone.
        Completed = "completed",
    }
}

/// Which jobs are counted, and which of their dollars.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRule {
    /// Which jobs.
    pub filter: RunFilter,
    /// Which dollars.
    pub dollars: RunDollars,
}

/// An attempt of a job with what it cost.
#[derive(Clone, Copy, Debug)]
pub struct PaidAttempt<'a> {
    /// The attempt; of parts that ran side by side their sum.
    pub attempt: &'a Attempt,
    /// What it cost; `None` where that is unknown.
    pub usd: Option<Usd>,
}

/// What ended on a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RunDay {
    /// Dollars of the rule.
    usd: Usd,
    /// Attempts that completed.
    runs: u32,
    /// Attempts whose dollars are unknown: they are in neither number.
    unpriced: u32,
}

/// Runs and their dollars by day, UTC.
#[derive(Clone, Debug, PartialEq)]
pub struct RunDays {
    /// By which rule.
    pub rule: RunRule,
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
        let key = |of: &'a Attempt| (of.id.source, &*of.id.cluster, &*of.job);
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

/// The job in whose time an attempt lies.
fn above(of: &Attempt) -> Option<JobKey<'_>> {
    Some((of.id.source, &*of.id.cluster, of.parent.as_deref()?))
}

fn has_gpus(of: &Attempt) -> bool {
    of.gpus.is_some_and(|gpus| gpus > Gpus::ZERO)
}

impl RunDays {
    /// Runs of attempts. Counted is what held GPUs and is over, on the day, UTC, on which it ended. What lies inside of
    /// another job's time is no run of its own: its dollars, which that job's are without, are that job's. Days are known
    /// from the one after the first attempt began up to the day before the last moment that was witnessed: the latest of the
    /// attempts' and of `read_at`, when sources were read last, none of them after `now`.
    pub fn of<'a>(
        attempts: impl Iterator<Item = PaidAttempt<'a>>,
        rule: RunRule,
        read_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Self {
        let mut by_day: BTreeMap<Date, RunDay> = BTreeMap::new();
        let (mut first, mut last) = (None::<Timestamp>, read_at.map(|at| at.min(now)));
        let attempts: Vec<PaidAttempt<'a>> = attempts.collect();
        let outer = Outer::of(&attempts);
        for PaidAttempt { attempt, usd } in attempts {
            let begun = attempt.started_at.or(attempt.submitted_at);
            first = [first, begun].into_iter().flatten().min();
            let seen = attempt.ended_at.or(attempt.seen_until).or(begun);
            last = [last, seen.map(|at| at.min(now))].into_iter().flatten().max();
            let job = outer.around(attempt);
            let is_counted = has_gpus(job) && job.state.is_over();
            let Some(end) = job.ended_at.filter(|end| is_counted && *end <= now) else {
                continue;
            };
            let has_completed =
                matches!(job.state, JobState::Completed | JobState::CompletedStepFailed);
            let bears = has_completed || rule.dollars == RunDollars::Paid;
            if !bears || !rule.filter.holds(job) {
                continue;
            }
            let is_run = has_completed && std::ptr::eq(job, attempt);
            let day = by_day.entry(day_of(end)).or_default();
            match usd {
                Some(usd) => {
                    day.usd += usd;
                    day.runs += u32::from(is_run);
                }
                None => day.unpriced += 1,
            }
        }
        let known = first.zip(last).map(|(first, last)| {
            let from = day_of(first);
            from.tomorrow().unwrap_or(from)..day_of(last)
        });
        Self { rule, by_day, known }
    }

    /// The month of the last day that is known; `None` without any.
    pub fn newest_month(&self) -> Option<Month> {
        let known = self.known.as_ref().filter(|days| !days.is_empty())?;
        Some(Month::of(known.end.yesterday().unwrap_or(known.end)))
    }

    /// True where a run completed in `month`, or in the one before it.
    pub fn has_runs(&self, month: Month) -> bool {
        let days = month.plus(-1).first()..month.plus(1).first();
        self.by_day.range(days).any(|(_, day)| day.runs > 0)
    }

    /// Attempts of a month whose dollars are unknown: they are in no sum.
    pub fn unpriced(&self, month: Month) -> u32 {
        let days = month.first()..month.plus(1).first();
        self.by_day.range(days).map(|(_, day)| day.unpriced).sum()
    }

    /// Dollars and runs of the days of a month up to day number `until` that are known, and the last of them; 0 without any.
    pub(super) fn measured(&self, month: Month, until: u8) -> (Measured, u8) {
        let (mut found, mut last) = (Measured::default(), 0);
        let Some(known) = &self.known else { return (found, last) };
        for day in 1..=until.min(month.days()) {
            let date = month.day(day);
            if !known.contains(&date) {
                continue;
            }
            let of = self.by_day.get(&date).copied().unwrap_or_default();
            found.usd += of.usd;
            found.count += f64::from(of.runs);
            found.days += 1;
            last = day;
        }
        (found, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::jobs::{AttemptId, JobSource};

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn attempt(job: &str, team: &str, state: JobState, ended: &str) -> Attempt {
        let id = AttemptId {
            source: JobSource::File,
            cluster: "c".into(),
            raw: job.into(),
            key: "1".into(),
        };
        let mut of = Attempt::new(id, job.into(), state, state.word().into());
        let ended = at(ended);
        of.started_at = Some(ended - jiff::SignedDuration::from_hours(2));
        of.ended_at = Some(ended);
        of.team = Some(team.into());
        of.gpus = Some(Gpus::whole(8));
        of
    }

    fn usd(text: &str) -> Usd {
        Usd::parse(text.as_bytes()).unwrap()
    }

    fn rule(filter: &str, dollars: RunDollars) -> RunRule {
        RunRule { filter: RunFilter::parse(filter).unwrap(), dollars }
    }

    /// Two months: 5 runs of nlp that completed, 2 that came to nothing, one of vision, one without a price.
    fn history() -> Vec<(Attempt, Option<Usd>)> {
        use JobState::{Cancelled, Completed, Failed};
        let of = |job, team, state, ended: &str, cost: &str| {
            let cost = (!cost.is_empty()).then(|| usd(cost));
            (attempt(job, team, state, ended), cost)
        };
        vec![
            of("1", "nlp", Completed, "2026-10-01T12:00:00Z", "1000"),
            of("2", "nlp", Completed, "2026-10-05T12:00:00Z", "90"),
            of("3", "nlp", Failed, "2026-10-06T12:00:00Z", "30"),
            of("4", "nlp", Completed, "2026-10-20T12:00:00Z", "700"),
            of("5", "nlp", Completed, "2026-11-02T12:00:00Z", "100.5"),
            of("6", "nlp", Cancelled, "2026-11-03T12:00:00Z", "49.5"),
            of("7", "nlp", Completed, "2026-11-04T23:59:59Z", "50"),
            of("8", "vision", Completed, "2026-11-04T12:00:00Z", "8"),
            of("9", "nlp", Completed, "2026-11-05T12:00:00Z", ""),
            of("10", "nlp", Completed, "2026-11-11T08:00:00Z", "5000"),
        ]
    }

    fn days(of: &[(Attempt, Option<Usd>)], rule: RunRule) -> RunDays {
        let paid = of.iter().map(|(attempt, usd)| PaidAttempt { attempt, usd: *usd });
        RunDays::of(paid, rule, None, at("2026-11-11T09:00:00Z"))
    }

    #[test]
    fn runs_bear_the_dollars_of_their_rule_on_the_days_that_are_known() {
        let november: Month = "2026-11".parse().unwrap();
        let all = history();
        let sums = |rule: RunRule, month: Month, until| {
            let (found, last) = days(&all, rule).measured(month, until);
            (found.usd.to_string(), found.count, found.days, last)
        };
        // The 11th goes on: 1 to 10 are known. 100.5 + 49.5 + 50 over two runs, and one without a price in neither.
        let paid = || rule("team=nlp", RunDollars::Paid);
        assert_eq!(sums(paid(), november, u8::MAX), ("200".into(), 2.0, 10, 10));
        let own = || rule("team=nlp", RunDollars::Completed);
        assert_eq!(sums(own(), november, u8::MAX), ("150.5".into(), 2.0, 10, 10));
        assert_eq!(sums(rule("", RunDollars::Paid), november, 4), ("208".into(), 3.0, 4, 4));
        // In October the first day is not whole, and the 20th lies behind the 10th.
        let october = november.plus(-1);
        assert_eq!(sums(paid(), october, 10), ("120".into(), 1.0, 9, 10));
        let found = days(&all, paid());
        assert_eq!((found.unpriced(november), found.unpriced(october)), (1, 0));
        assert_eq!(found.newest_month(), Some(november));
        assert!(found.has_runs(november) && !found.has_runs(november.plus(2)));
    }

    #[test]
    fn what_runs_or_holds_no_gpu_is_no_run() {
        let mut all = history();
        for (of, _) in &mut all {
            match &*of.job {
                "5" => of.gpus = None,
                "6" | "7" => of.gpus = Some(Gpus::ZERO),
                "9" => of.state = JobState::Running,
                _ => {}
            }
        }
        let november: Month = "2026-11".parse().unwrap();
        let found = days(&all, rule("team=nlp", RunDollars::Paid));
        let (sums, _) = found.measured(november, u8::MAX);
        assert_eq!((sums.usd, sums.count, sums.days), (Usd::ZERO, 0.0, 10));
        let none = days(&[], rule("", RunDollars::Paid));
        assert_eq!((none.newest_month(), none.measured(november, 31).0.days), (None, 0));
    }
    #[test]
    fn what_lies_inside_of_another_job_is_no_run_and_its_dollars_are_that_job_s() {
        let november: Month = "2026-11".parse().unwrap();
        let sums = |all: &[(Attempt, Option<Usd>)], dollars| {
            let (found, _) = days(all, rule("team=nlp", dollars)).measured(november, u8::MAX);
            (found.usd.to_string(), found.count)
        };
        // 7 holds what is left of it beside 6, which was cancelled, and 8, which another team began; 5 is another run.
        let mut all = history();
        for (of, _) in all.iter_mut().filter(|(of, _)| matches!(&*of.job, "6" | "8")) {
            of.parent = Some("7".into());
        }
        assert_eq!(sums(&all, RunDollars::Paid), ("208".into(), 2.0));
        assert_eq!(sums(&all, RunDollars::Completed), ("208".into(), 2.0));
        // What 7 held is not known: those inside of it stand for themselves.
        for (of, _) in all.iter_mut().filter(|(of, _)| &*of.job == "7") {
            of.gpus = None;
        }
        assert_eq!(sums(&all, RunDollars::Paid), ("150".into(), 1.0));
        assert_eq!(sums(&all, RunDollars::Completed), ("100.5".into(), 1.0));
        // Each in the other.
        let mut all = history();
        for (of, _) in &mut all {
            match &*of.job {
                "5" => of.parent = Some("7".into()),
                "7" => of.parent = Some("5".into()),
                _ => {}
            }
        }
        assert_eq!(sums(&all, RunDollars::Paid), ("200".into(), 2.0));
    }
}
