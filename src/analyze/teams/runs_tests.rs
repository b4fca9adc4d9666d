//! What runs, GPU-hours and predictions of jobs cost, worked out by hand.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{
    MoneyFilter, PaidAttempt, Rules, RunBook, RunCount, RunDays, RunDollars, RunFilter, RunRule,
    RunsBy, Unit, UnitDays, UnitState, state_of,
};
use crate::domain::bill::{Month, UnitBound, Usd};
use crate::domain::jobs::{Attempt, AttemptId, GpuTime, Gpus, JobSource, JobState};

const NOW: &str = "2026-11-11T09:00:00Z";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// An attempt of two hours on 8 GPUs.
fn attempt(job: &str, team: &str, state: JobState, ended: &str) -> Attempt {
    let id = AttemptId {
        source: JobSource::File,
        cluster: "c".into(),
        raw: job.into(),
        key: "1".into(),
    };
    let mut of = Attempt::new(id, job.into(), state, state.word().into());
    let ended = at(ended);
    of.started_at = Some(ended - SignedDuration::from_hours(2));
    of.ended_at = Some(ended);
    of.team = Some(team.into());
    of.gpus = Some(Gpus::whole(8));
    of
}

fn usd(text: &str) -> Usd {
    Usd::parse(text.as_bytes()).unwrap()
}

fn rule(filter: &str, dollars: RunDollars, count: RunCount) -> RunRule {
    RunRule { filter: RunFilter::parse(filter).unwrap(), dollars, count }
}

type Paid = (Attempt, Option<Usd>);

fn cost(text: &str) -> Option<Usd> {
    (!text.is_empty()).then(|| usd(text))
}

/// Two months: 4 runs of nlp that completed, 2 that came to nothing, one of vision, one without a price.
fn history() -> Vec<Paid> {
    use JobState::{Cancelled, Completed, Failed};
    let of =
        |job, team, state, ended: &str, paid: &str| (attempt(job, team, state, ended), cost(paid));
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

/// All the GPU time of an attempt that did not fail is useful.
fn paid((attempt, usd): &Paid) -> PaidAttempt<'_> {
    let held = attempt.gpus.zip(attempt.held_ms()).map(|(gpus, ms)| gpus.held_for(ms));
    let useful = if attempt.state.is_lost() { Some(GpuTime::ZERO) } else { held };
    PaidAttempt { attempt, usd: *usd, useful, useful_is_lower_bound: false, used: None }
}

fn days(of: &[Paid], rule: &RunRule) -> RunDays {
    RunDays::of(of.iter().map(paid), rule, Some(at(NOW)), at(NOW))
}

fn november() -> Month {
    "2026-11".parse().unwrap()
}

/// One of a month of attempts that are all in it: an attempt long before makes all days of the month known.
fn state(of: &[Paid], dollars: RunDollars, count: RunCount) -> UnitState {
    let mut all =
        vec![(attempt("0", "old", JobState::Completed, "2026-09-01T12:00:00Z"), cost("1"))];
    all.extend_from_slice(of);
    in_month(days(&all, &rule("", dollars, count)))
}

fn in_month(days: RunDays) -> UnitState {
    let unit = Unit {
        name: "one".into(),
        filter: MoneyFilter::parse("").unwrap(),
        per: 1.0,
        target: Some(50.0),
    };
    state_of(&(Arc::new(unit), UnitDays::Runs(days)), &[], &Rules::default(), november())
}

#[test]
fn runs_bear_the_dollars_of_their_rule_on_the_days_that_are_known() {
    let all = history();
    let sums = |filter: &str, dollars, month: Month, until| {
        let days = days(&all, &rule(filter, dollars, RunCount::Completed));
        let (found, last) = days.measured(month, until);
        (found.usd.to_string(), found.count, found.unpriced, found.days, last)
    };
    let paid = |month, until| sums("team=nlp", RunDollars::Paid, month, until);
    // The 11th goes on: 1 to 10 are known. 100.5 + 49.5 + 50 over three runs, of one of which nobody knows the dollars.
    assert_eq!(paid(november(), u8::MAX), ("200".into(), 3.0, 1, 10, 10));
    let own = sums("team=nlp", RunDollars::Completed, november(), u8::MAX);
    assert_eq!(own, ("150.5".into(), 3.0, 1, 10, 10));
    assert_eq!(sums("", RunDollars::Paid, november(), 4), ("208".into(), 3.0, 0, 4, 4));
    // In October the first day is not whole, and the 20th lies behind the 10th.
    let october = november().plus(-1);
    assert_eq!(paid(october, 10), ("120".into(), 1.0, 0, 9, 10));
    let found = days(&all, &rule("team=nlp", RunDollars::Paid, RunCount::Completed));
    assert_eq!(found.newest_month(), Some(november()));
    assert!(found.counts_in(november()) && !found.counts_in(november().plus(2)));
    assert_eq!(found.until, Some(at(NOW)));
}

#[test]
fn who_ran_nothing_in_both_months_has_nothing_and_who_only_failed_has_dollars() {
    let all = history();
    let of = |filter| in_month(days(&all, &rule(filter, RunDollars::Paid, RunCount::Completed)));
    assert!(of("team=cv").is_of_nothing());
    assert!(!of("team=nlp").is_of_nothing());
    let failed = [(attempt("f", "cv", JobState::Failed, "2026-11-03T12:00:00Z"), cost("5"))];
    assert!(!state(&failed, RunDollars::Paid, RunCount::Completed).is_of_nothing());
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
    for count in [RunCount::Completed, RunCount::Runs, RunCount::UsefulHours] {
        let found = days(&all, &rule("team=nlp", RunDollars::Paid, count));
        let (sums, _) = found.measured(november(), u8::MAX);
        assert_eq!((sums.usd, sums.count, sums.days), (Usd::ZERO, 0.0, 10));
        let none = days(&[], &rule("", RunDollars::Paid, count));
        assert_eq!((none.newest_month(), none.measured(november(), 31).0.days), (None, 0));
    }
}

#[test]
fn what_lies_inside_of_another_job_is_no_run_and_its_dollars_are_that_job_s() {
    let sums = |all: &[Paid], dollars, count| {
        let (found, _) = days(all, &rule("team=nlp", dollars, count)).measured(november(), u8::MAX);
        (found.usd.to_string(), found.count)
    };
    let both = |all: &[Paid]| {
        [RunDollars::Paid, RunDollars::Completed]
            .map(|dollars| sums(all, dollars, RunCount::Completed))
    };
    // 7 holds what is left of it beside 6, which was cancelled, and 8, which another team began; 5 and 9 are other runs.
    let mut all = history();
    for (of, _) in all.iter_mut().filter(|(of, _)| matches!(&*of.job, "6" | "8")) {
        of.parent = Some("7".into());
    }
    assert_eq!(both(&all), [("208".into(), 3.0), ("208".into(), 3.0)]);
    // Those inside are no runs that were given up either.
    assert_eq!(sums(&all, RunDollars::Paid, RunCount::Runs), ("208".into(), 3.0));
    // What 7 held is not known: those inside of it stand for themselves.
    for (of, _) in all.iter_mut().filter(|(of, _)| &*of.job == "7") {
        of.gpus = None;
    }
    assert_eq!(both(&all), [("150".into(), 2.0), ("100.5".into(), 2.0)]);
    // Each in the other.
    let mut all = history();
    for (of, _) in &mut all {
        match &*of.job {
            "5" => of.parent = Some("7".into()),
            "7" => of.parent = Some("5".into()),
            _ => {}
        }
    }
    assert_eq!(both(&all)[0], ("200".into(), 3.0));
}

/// A run of three attempts, one that was given up after two, one that goes on, and a job that completed twice.
fn retries() -> Vec<Paid> {
    use JobState::{Completed, Failed, Preempted, Running};
    let of = |job, state, hour: u32, paid: &str| {
        let mut of = attempt(job, "nlp", state, &format!("2026-11-03T{hour:02}:00:00Z"));
        if state == Running {
            of.ended_at = None;
        }
        (of, cost(paid))
    };
    vec![
        of("1", Failed, 2, "10"),
        of("1", Preempted, 4, "20"),
        of("2", Failed, 5, "40"),
        of("1", Completed, 6, "30"),
        of("2", Failed, 7, "5"),
        of("3", Failed, 8, "7"),
        of("4", Completed, 9, "8"),
        of("3", Running, 10, "1000"),
        of("4", Completed, 11, "2"),
    ]
}

#[test]
fn retries_of_a_job_are_one_run_and_the_dollars_of_all_attempts_are_borne() {
    // 10 + 20 + 40 + 30 + 5 + 7 + 8 + 2; what runs still costs later.
    let of = |dollars, count| {
        let found = state(&retries(), dollars, count);
        (found.now.usd.to_string(), found.now.count, found.usd_per_unit().unwrap(), found.bound())
    };
    // The first job, and twice the last one.
    let each = of(RunDollars::Paid, RunCount::Completed);
    assert_eq!(each, ("122".into(), 3.0, 122.0 / 3.0, UnitBound::Exact));
    // And the second one, which came to nothing; of the third nobody knows yet.
    let any = of(RunDollars::Paid, RunCount::Runs);
    assert_eq!(any, ("122".into(), 4.0, 30.5, UnitBound::Exact));
    let own = of(RunDollars::Completed, RunCount::Completed);
    assert_eq!(own, ("40".into(), 3.0, 40.0 / 3.0, UnitBound::Exact));
}

#[test]
fn without_the_price_of_an_attempt_the_cost_of_a_run_is_a_lower_bound() {
    let mut all = retries();
    // The second attempt of the first job: $102 are left.
    all[1].1 = None;
    let found = state(&all, RunDollars::Paid, RunCount::Completed);
    assert_eq!((found.usd_per_unit(), found.bound()), (Some(34.0), UnitBound::AtLeast));
    // Whether at least $34 is above $50 nobody knows.
    assert_eq!(found.is_above_target(), None);
    all.retain(|(of, _)| &*of.job != "4");
    let found = state(&all, RunDollars::Paid, RunCount::Completed);
    assert_eq!((found.usd_per_unit(), found.is_above_target()), (Some(92.0), Some(true)));
    // A bound has no trend, though the month before is known.
    let before = || (attempt("6", "nlp", JobState::Completed, "2026-10-03T12:00:00Z"), cost("9"));
    let moved = |mut all: Vec<Paid>| {
        all.push(before());
        let found = state(&all, RunDollars::Paid, RunCount::Completed);
        (found.moved(), found.change().is_some())
    };
    assert_eq!(moved(all.clone()), (None, false));
    assert_eq!(moved(retries()), (Some((9.0, 122.0 / 3.0)), true));
    // No price at all is no $0, and what never began costs nothing.
    all.iter_mut().for_each(|(_, usd)| *usd = None);
    assert_eq!(state(&all, RunDollars::Paid, RunCount::Runs).usd_per_unit(), None);
    let mut never = attempt("5", "nlp", JobState::Cancelled, "2026-11-03T12:00:00Z");
    never.started_at = None;
    let found = state(&[(never, None)], RunDollars::Paid, RunCount::Runs);
    assert_eq!((found.now.unpriced, found.usd_per_unit()), (0, Some(0.0)));
}

#[test]
fn hours_that_came_to_nothing_are_paid_by_those_that_did_not() {
    let all = retries();
    // Three attempts completed, of 16 GPU-hours each; what failed brought none: $122 for 48.
    let found = state(&all, RunDollars::Paid, RunCount::UsefulHours);
    assert_eq!((found.now.count, found.usd_per_unit()), (48.0, Some(122.0 / 48.0)));
    // One without a price is in neither number: $92 for 32.
    let mut unpriced = retries();
    unpriced[3].1 = None;
    let found = state(&unpriced, RunDollars::Paid, RunCount::UsefulHours);
    let figures = (found.now.count, found.usd_per_unit(), found.now.left_out, found.bound());
    assert_eq!(figures, (32.0, Some(92.0 / 32.0), 1, UnitBound::Exact));
    // A checkpoint that is not known may have saved some: one costs at most so much.
    let may_be_more = all
        .iter()
        .map(|of| PaidAttempt { useful_is_lower_bound: of.0.state.is_lost(), ..paid(of) });
    let by = rule("", RunDollars::Paid, RunCount::UsefulHours);
    let first = attempt("0", "old", JobState::Completed, "2026-09-01T12:00:00Z");
    let first = (first, cost("1"));
    let all_of_them = std::iter::once(paid(&first)).chain(may_be_more);
    let found = in_month(RunDays::of(all_of_them, &by, Some(at(NOW)), at(NOW)));
    assert_eq!((found.bound(), found.now.undercounted), (UnitBound::AtMost, 5));
    assert_eq!(found.is_above_target(), Some(false), "at most $2.54 is not above $50");
    // By telemetry of one attempt alone: its $30 for half of its 16 hours.
    let worked = all.iter().map(|of| PaidAttempt {
        used: (of.1 == cost("30")).then(|| Gpus::whole(4).held_for(2 * 3_600_000)),
        ..paid(of)
    });
    let by = rule("", RunDollars::Paid, RunCount::UsedHours);
    let found = in_month(RunDays::of(
        std::iter::once(paid(&first)).chain(worked),
        &by,
        Some(at(NOW)),
        at(NOW),
    ));
    assert_eq!((found.now.count, found.usd_per_unit()), (8.0, Some(3.75)));
    assert_eq!(found.now.left_out, 7);
}

#[test]
fn a_prediction_costs_what_all_attempts_of_its_job_cost_and_none_for_none() {
    let told = |job, state, hour: u32, paid: &str, predictions: Option<u64>| {
        let mut of = attempt(job, "nlp", state, &format!("2026-11-03T{hour:02}:00:00Z"));
        (of.predictions, of.gpus) = (predictions, (job != "cpu").then(|| Gpus::whole(8)));
        (of, cost(paid))
    };
    use JobState::{Completed, Failed};
    let each = |all: &[Paid]| {
        let found = state(all, RunDollars::Paid, RunCount::Predictions);
        (found.now.count, found.usd_per_unit(), found.bound())
    };
    // A training run tells of none: its dollars are no prediction's. $10 and $30 for 300, on CPUs $8 for 100.
    let all = [
        told("train", Completed, 1, "999", None),
        told("score", Failed, 2, "10", Some(0)),
        told("score", Completed, 4, "30", Some(300)),
        told("cpu", Completed, 5, "8", Some(100)),
    ];
    assert_eq!(each(&all), (400.0, Some(48.0 / 400.0), UnitBound::Exact));
    // None were made: unknown, and not $0.
    assert_eq!(each(&all[1..2]), (0.0, None, UnitBound::Exact));
    // Of an attempt that failed nobody knows how many: at most so much.
    let untold =
        [told("score", Failed, 2, "10", None), told("score", Completed, 4, "30", Some(300))];
    assert_eq!(each(&untold), (300.0, Some(40.0 / 300.0), UnitBound::AtMost));
    // Neither at least nor at most.
    let neither = [
        told("score", Failed, 2, "10", None),
        told("score", Completed, 4, "30", Some(300)),
        told("other", Completed, 5, "", Some(300)),
    ];
    assert_eq!(each(&neither), (600.0, None, UnitBound::Unknown));
    // What a job tells includes what those in its time tell.
    let mut inside = [
        told("sweep", Completed, 6, "20", Some(500)),
        told("member", Completed, 5, "5", Some(500)),
    ];
    inside[1].0.parent = Some("sweep".into());
    assert_eq!(each(&inside), (500.0, Some(0.05), UnitBound::Exact));
    // Where it tells of none, theirs count, with its dollars.
    inside[0].0.predictions = None;
    assert_eq!(each(&inside), (500.0, Some(0.05), UnitBound::Exact));
}

#[test]
fn the_rows_of_teams_add_up_to_all_and_those_without_one_come_last() {
    let mut all = history();
    all[5].0.team = None;
    for count in RunCount::ALL {
        let by = rule("", RunDollars::Paid, count);
        let book = RunBook::of(all.iter().map(paid), None, at(NOW));
        let parts = book.days_by(&by, RunsBy::Team);
        let teams: Vec<Option<&str>> = parts.iter().map(|(team, _)| team.as_deref()).collect();
        let has_any = count != RunCount::Predictions;
        let wanted: &[Option<&str>] =
            if has_any { &[Some("nlp"), Some("vision"), None] } else { &[] };
        assert_eq!(teams, wanted, "{}", count.word());
        let of = |days: &RunDays| days.measured(november(), u8::MAX).0;
        let whole = of(&book.days(&by));
        let usd: Usd = parts.iter().map(|(_, days)| of(days).usd).sum();
        let counted: f64 = parts.iter().map(|(_, days)| of(days).count).sum();
        assert_eq!((usd, counted), (whole.usd, whole.count), "{}", count.word());
    }
}
