//! `burntop jobs …`: what is kept, priced and printed; what is imported.

pub mod args;
mod beside;
mod import;
mod kept;
mod live;
mod log_tail;
#[cfg(test)]
mod tests;
mod types;
mod watched;
mod zombies;

use std::io::Write;
use std::sync::Arc;

use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::list_options::Selection;
use super::reports;
use crate::analyze::jobs::{CancelledWeight, TaxSums, repeats};
use crate::config::Env;
use crate::report::{JobsOf, KeptJobsOf, ListField, ReplaysOf, RequestsOf, ScalingOf, WaitsOf};
use crate::tabs::jobs::picture::{
    JobField, NodeField, RepeatField, ReplayField, RequestField, ScalingField, TaxField, WaitField,
    job_rows, node_rows, repeat_rows, replay_rows, request_rows, scaling_rows, tax_rows, wait_rows,
};
use crate::view::ViewContext;
use args::{JobsArgs, JobsCommand, TaxArgs};
use kept::Kept;
pub(super) use kept::{HoldersRead, PaidJobs, failed_runs};
pub(crate) use kept::{JobsBeside, read_kept};
pub(crate) use live::READ_WITHIN;
pub(super) use live::{SourcesRead, read as read_sources};
pub(super) use watched::{ZombieList, lists};

/// Runs `burntop jobs` or a subcommand of it. Fails for arguments that do not fit, and where nothing could be read.
pub fn run(
    args: &JobsArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    if invocation.options.fail_on.is_some() {
        let why = "--fail-on: jobs are no findings; leave it out";
        return Err(CliError::Usage(why.into()));
    }
    let given = (invocation, env);
    match &args.what {
        None => attempts(args.cancelled.cancelled_weight, given, out),
        Some(JobsCommand::Tax { what, .. }) => sums(*what, given, out),
        Some(JobsCommand::Nodes { .. }) => printed::<NodeField>(given, out, |kept, _| {
            let found = kept.costs(CancelledWeight::default(), invocation)?.nodes;
            Ok((node_rows(found), KeptJobsOf))
        }),
        Some(JobsCommand::Repeats { .. }) => printed::<RepeatField>(given, out, |kept, _| {
            let found = repeats(&kept.costs(CancelledWeight::default(), invocation)?.rows);
            Ok((repeat_rows(found), KeptJobsOf))
        }),
        Some(JobsCommand::Replay { what, .. }) => {
            printed::<ReplayField>(given, out, |kept, ctx| {
                let terms = what.terms();
                let found = kept.replays(&terms, ctx.now, invocation)?;
                Ok((replay_rows(found.rows), ReplaysOf { terms, replayed: found.of }))
            })
        }
        Some(JobsCommand::Zombies { .. }) => zombies::run(invocation, env, out),
        Some(JobsCommand::Wait { what, .. }) => printed::<WaitField>(given, out, |kept, ctx| {
            let found = kept.waits(what.by, what.days, ctx.now, invocation)?;
            let rows = wait_rows(found, what.by, what.user_usd_per_hour);
            Ok((rows, WaitsOf { key: what.by, days: what.days }))
        }),
        Some(JobsCommand::Requests { what, .. }) => {
            printed::<RequestField>(given, out, |kept, ctx| {
                let found = kept.requests(what.days, ctx.now, invocation)?;
                let of = RequestsOf { days: what.days, looked_at: found.looked_at };
                Ok((request_rows(found.rows), of))
            })
        }
        Some(JobsCommand::Scaling { what, .. }) => {
            printed::<ScalingField>(given, out, |kept, ctx| {
                let (days, boot_minutes) = (what.days, what.boot_minutes);
                let found = kept.scaling(days, what.boot_ms(), ctx.now, invocation)?;
                let of = ScalingOf { days, boot_minutes, over: found.of };
                Ok((scaling_rows(found.rows), of))
            })
        }
        Some(JobsCommand::Import(args)) => import::run(args, invocation, env, out),
    }
}

/// Prints attempts.
fn attempts(
    weight: CancelledWeight,
    given: (&Invocation, &Env),
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    printed::<JobField>(given, out, |kept, _| {
        let without_region = kept.without_region();
        let readings = kept.readings.clone();
        let of = JobsOf { key: None, total: TaxSums::default(), weight, without_region, readings };
        Ok((job_rows(kept.costs(weight, given.0)?.rows), of))
    })
}

/// Prints sums by a key.
fn sums(args: TaxArgs, given: (&Invocation, &Env), out: &mut dyn Write) -> Result<Exit, CliError> {
    let weight = args.cancelled.cancelled_weight;
    printed::<TaxField>(given, out, |kept, _| {
        let without_region = kept.without_region();
        let readings = kept.readings.clone();
        let found = kept.tax(args.by, weight, given.0)?;
        let rows = tax_rows(&found);
        let (key, total) = (Some(args.by), found.total);
        Ok((rows, JobsOf { key, total, weight, without_region, readings }))
    })
}

/// Prints a list of what is kept; `find` makes its rows, and what they are of.
fn printed<F: ListField>(
    (invocation, env): (&Invocation, &Env),
    out: &mut dyn Write,
    find: impl FnOnce(Kept, &ViewContext) -> Result<(Arc<[Arc<F::Row>]>, F::Of), CliError>,
) -> Result<Exit, CliError> {
    let chosen = Selection::<F>::of(invocation)?;
    let kept = Kept::read(invocation, env)?;
    let exit = kept.exit;
    let ctx = reports::context(invocation, env);
    let (rows, of) = find(kept, &ctx)?;
    reports::print(&chosen.list(&rows, of, &ctx), invocation, &ctx, out)?;
    Ok(exit)
}
