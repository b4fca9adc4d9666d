//! What runs, GPU-hours and predictions cost by the jobs that are kept: unit costs that need neither a bill nor a question.

use std::sync::Arc;

use crate::analyze::teams::{
    MoneyFilter, RunCount, RunDays, RunDollars, RunFilter, RunRule, RunsBy, Unit,
};
use crate::cache::Cache;
use crate::cli::invocation::Invocation;
use crate::cli::jobs::PaidJobs;
use crate::cli::session::with_cache;
use crate::config::CountSource;
use crate::domain::bill::Month;

/// Those that are shown where the configuration names none: name, dollars, what is counted, and of how many one price is.
const UNNAMED: [(&str, RunDollars, RunCount, f64); 6] = [
    ("GPU run", RunDollars::Completed, RunCount::Completed, 1.0),
    (WITH_FAILED, RunDollars::Paid, RunCount::Completed, 1.0),
    ("GPU run of any end", RunDollars::Paid, RunCount::Runs, 1.0),
    ("useful GPU-hour", RunDollars::Paid, RunCount::UsefulHours, 1.0),
    ("GPU-hour at work", RunDollars::Paid, RunCount::UsedHours, 1.0),
    ("thousand predictions of jobs", RunDollars::Paid, RunCount::Predictions, 1_000.0),
];

/// Name of what a run costs with what failed, which is paid as well.
pub(super) const WITH_FAILED: &str = "GPU run with failed ones";

/// Unit costs of jobs, in the order of the configuration.
pub(super) type RunUnits = Vec<(Arc<Unit>, RunRule)>;

/// Those of the configuration; where it has none, what a run on GPUs, a GPU-hour and a prediction cost. A name that another
/// unit cost has is left out.
pub(super) fn of(typed: &[(Arc<Unit>, CountSource)]) -> RunUnits {
    let named = typed.iter().filter_map(|(unit, source)| match source {
        CountSource::Jobs(rule) => Some((unit.clone(), rule.clone())),
        _ => None,
    });
    let named: RunUnits = named.collect();
    if !named.is_empty() {
        return named;
    }
    let is_free = |name: &str| typed.iter().all(|(unit, _)| !unit.name.eq_ignore_ascii_case(name));
    let all = UNNAMED.into_iter().filter(|(name, ..)| is_free(name));
    all.filter_map(|(name, dollars, count, per)| {
        let filter = MoneyFilter::parse("").ok()?;
        let unit = Unit { name: name.into(), filter, per, target: None };
        Some((Arc::new(unit), RunRule { filter: RunFilter::ALL, dollars, count }))
    })
    .collect()
}

/// Which of the unit costs of jobs are made.
#[derive(Clone, Copy)]
pub(super) struct RunsAsked {
    /// True where the configuration names them: they are there though nothing was counted.
    pub is_named: bool,
    /// Whose runs have a row each; `None` for all in one.
    pub by: Option<RunsBy>,
    /// Most attempts that are gone through.
    pub at_most: u64,
}

/// The days of these, beside a sentence for whatever is amiss. Where nothing names them, none is there before a run completed, and
/// none of which nothing was counted.
pub(super) fn days(
    units: &RunUnits,
    asked: RunsAsked,
    invocation: &Invocation,
) -> (Vec<(Arc<Unit>, RunDays)>, Vec<String>) {
    if units.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let read =
        with_cache(invocation, async |cache| Ok(read(units, asked, invocation, cache).await));
    read.unwrap_or_else(|error| (Vec::new(), vec![format!("the jobs cannot be read: {error}")]))
}

/// The same with a cache that is open.
pub(super) async fn read(
    units: &RunUnits,
    asked: RunsAsked,
    invocation: &Invocation,
    cache: &Cache,
) -> (Vec<(Arc<Unit>, RunDays)>, Vec<String>) {
    let RunsAsked { is_named, by, at_most } = asked;
    let with_hours = units.iter().any(|(_, rule)| rule.count.is_hours());
    match PaidJobs::read(invocation, cache, at_most, with_hours).await {
        Ok(Some(paid)) => {
            let book = paid.book(invocation.options.now());
            let all = |(unit, rule): &(Arc<Unit>, RunRule)| (unit.clone(), book.days(rule));
            let mut found: Vec<(Arc<Unit>, RunDays)> = units.iter().map(all).collect();
            let month = newest_month(&found);
            let counts = |days: &RunDays| month.is_some_and(|month| days.counts_in(month));
            if !is_named {
                let is_run = |days: &RunDays| days.rule.count == RunCount::Completed;
                let has_runs = found.iter().any(|(_, days)| is_run(days) && counts(days));
                found.retain(|(_, days)| has_runs && counts(days));
            }
            let found = match by {
                None => found,
                Some(by) => {
                    let each = |(unit, all): (Arc<Unit>, RunDays)| {
                        let parts = book.days_by(&all.rule, by).into_iter();
                        parts.map(move |(value, days)| (of_whom(&unit, by, value.as_deref()), days))
                    };
                    found.into_iter().flat_map(each).collect()
                }
            };
            (found, paid.damaged.iter().cloned().collect())
        }
        Ok(None) => {
            let why = |(unit, _): &(Arc<Unit>, RunRule)| {
                format!("{}: no jobs are kept: `burntop jobs` reads them", unit.name)
            };
            let troubles = units.iter().filter(|_| is_named && at_most == u64::MAX).map(why);
            let none =
                |(unit, rule): &(Arc<Unit>, RunRule)| (unit.clone(), RunDays::none(rule.clone()));
            let found = units.iter().filter(|_| is_named).map(none);
            (found.collect(), troubles.collect())
        }
        Err(error) => (Vec::new(), vec![format!("the jobs cannot be read: {error}")]),
    }
}

/// A unit cost of one team, project or user: `GPU run: nlp`, `GPU run: without a team`.
fn of_whom(unit: &Unit, by: RunsBy, value: Option<&str>) -> Arc<Unit> {
    let name = match value {
        Some(value) => format!("{}: {value}", unit.name),
        None => format!("{}: without a {}", unit.name, by.word()),
    };
    Arc::new(Unit { name: name.into(), ..unit.clone() })
}

/// The month of the newest day that is known.
pub(super) fn newest_month(of: &[(Arc<Unit>, RunDays)]) -> Option<Month> {
    of.iter().filter_map(|(_, days)| days.newest_month()).max()
}
