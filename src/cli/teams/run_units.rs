//! What a run costs by the jobs that are kept: unit costs that need neither a bill nor a question.

use std::sync::Arc;

use crate::analyze::teams::{MoneyFilter, RunDays, RunDollars, RunFilter, RunRule, Unit};
use crate::cache::Cache;
use crate::cli::invocation::Invocation;
use crate::cli::jobs::PaidJobs;
use crate::cli::session::with_cache;
use crate::config::CountSource;
use crate::domain::bill::Month;

/// Those that are shown where the configuration names none: name and dollars.
const UNNAMED: [(&str, RunDollars); 2] =
    [("GPU run", RunDollars::Completed), ("GPU run with failed ones", RunDollars::Paid)];

/// Unit costs of runs, in the order of the configuration.
pub(super) type RunUnits = Vec<(Arc<Unit>, RunRule)>;

/// Those of the configuration; where it has none, what a run on GPUs costs by itself and with what failed. A name that another
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
    let all = UNNAMED.into_iter().filter(|(name, _)| is_free(name));
    all.filter_map(|(name, dollars)| {
        let filter = MoneyFilter::parse("").ok()?;
        let unit = Unit { name: name.into(), filter, per: 1.0, target: None };
        Some((Arc::new(unit), RunRule { filter: RunFilter::ALL, dollars }))
    })
    .collect()
}

/// The days of these, beside a sentence for whatever is amiss. Where nothing names them, none is there before a run completed.
pub(super) fn days(
    units: &RunUnits,
    is_named: bool,
    invocation: &Invocation,
) -> (Vec<(Arc<Unit>, RunDays)>, Vec<String>) {
    if units.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let read = with_cache(invocation, async |cache| {
        Ok(read(units, is_named, invocation, cache, u64::MAX).await)
    });
    read.unwrap_or_else(|error| (Vec::new(), vec![format!("the jobs cannot be read: {error}")]))
}

/// The same of at most so many attempts; with a cache that is open.
pub(super) async fn read(
    units: &RunUnits,
    is_named: bool,
    invocation: &Invocation,
    cache: &Cache,
    at_most: u64,
) -> (Vec<(Arc<Unit>, RunDays)>, Vec<String>) {
    let now = invocation.options.now();
    match PaidJobs::read(invocation, cache, at_most).await {
        Ok(Some(paid)) => {
            let of =
                |(unit, rule): &(Arc<Unit>, RunRule)| (unit.clone(), paid.days(rule.clone(), now));
            let found: Vec<(Arc<Unit>, RunDays)> = units.iter().map(of).collect();
            let has_runs = |(_, days): &(Arc<Unit>, RunDays)| {
                days.newest_month().is_some_and(|month| days.has_runs(month))
            };
            let is_shown = is_named || found.iter().any(has_runs);
            (if is_shown { found } else { Vec::new() }, paid.damaged.into_iter().collect())
        }
        Ok(None) => {
            let why = |(unit, _): &(Arc<Unit>, RunRule)| {
                format!("{}: no jobs are kept: `burntop jobs` reads them", unit.name)
            };
            let troubles = units.iter().filter(|_| is_named && at_most == u64::MAX).map(why);
            let none = |(unit, rule): &(Arc<Unit>, RunRule)| {
                (unit.clone(), RunDays::of(std::iter::empty(), rule.clone(), None, now))
            };
            let found = units.iter().filter(|_| is_named).map(none);
            (found.collect(), troubles.collect())
        }
        Err(error) => (Vec::new(), vec![format!("the jobs cannot be read: {error}")]),
    }
}

/// The month of the newest day that is known.
pub(super) fn newest_month(of: &[(Arc<Unit>, RunDays)]) -> Option<Month> {
    of.iter().filter_map(|(_, days)| days.newest_month()).max()
}
