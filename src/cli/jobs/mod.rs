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

use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::list_options::Selection;
use super::reports;
use crate::analyze::jobs::{CancelledWeight, TaxSums, repeats};
use crate::config::Env;
use crate::report::{JobsOf, KeptJobsOf, ReplaysOf, RequestsOf, ScalingOf, WaitsOf};
use crate::tabs::jobs::picture::{
    JobField, NodeField, RepeatField, ReplayField, RequestField, ScalingField, TaxField, WaitField,
    job_rows, node_rows, repeat_rows, replay_rows, request_rows, scaling_rows, tax_rows, wait_rows,
};
use args::{JobsArgs, JobsCommand, ReplayArgs, RequestsArgs, ScalingArgs, TaxArgs, WaitArgs};
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
    match &args.what {
        None => attempts(args.cancelled.cancelled_weight, invocation, env, out),
        Some(JobsCommand::Tax { what, .. }) => sums(*what, invocation, env, out),
        Some(JobsCommand::Nodes { .. }) => nodes(invocation, env, out),
        Some(JobsCommand::Repeats { .. }) => again(invocation, env, out),
        Some(JobsCommand::Replay { what, .. }) => rules(*what, invocation, env, out),
        Some(JobsCommand::Zombies { .. }) => zombies::run(invocation, env, out),
        Some(JobsCommand::Wait { what, .. }) => wait(*what, invocation, env, out),
        Some(JobsCommand::Requests { what, .. }) => asked(*what, invocation, env, out),
        Some(JobsCommand::Scaling { what, .. }) => scaled(*what, invocation, env, out),
        Some(JobsCommand::Import(args)) => import::run(args, invocation, env, out),
    }
}

/// Prints attempts.
fn attempts(
    weight: CancelledWeight,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<JobField>::of(invocation)?;
    let kept = Kept::read(invocation, env)?;
    let (exit, without_region) = (kept.exit, kept.without_region());
    let readings = kept.readings.clone();
    let of = JobsOf { key: None, total: TaxSums::default(), weight, without_region, readings };
    let ctx = reports::context(invocation, env);
    let rows = kept.costs(weight, invocation)?.rows;
    let list = chosen.list(&job_rows(rows), of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    Ok(exit)
}

/// Prints sums by a key.
fn sums(
    args: TaxArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<TaxField>::of(invocation)?;
    let weight = args.cancelled.cancelled_weight;
    let kept = Kept::read(invocation, env)?;
    let (exit, without_region) = (kept.exit, kept.without_region());
    let readings = kept.readings.clone();
    let ctx = reports::context(invocation, env);
    let found = kept.tax(args.by, weight, invocation)?;
    let of = JobsOf { key: Some(args.by), total: found.total, weight, without_region, readings };
    let list = chosen.list(&tax_rows(&found), of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    Ok(exit)
}

/// Prints nodes.
fn nodes(invocation: &Invocation, env: &Env, out: &mut dyn Write) -> Result<Exit, CliError> {
    let chosen = Selection::<NodeField>::of(invocation)?;
    let kept = Kept::read(invocation, env)?;
    let exit = kept.exit;
    let ctx = reports::context(invocation, env);
    let found = kept.costs(CancelledWeight::default(), invocation)?.nodes;
    let list = chosen.list(&node_rows(found), KeptJobsOf, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    Ok(exit)
}

/// Prints what was lost again and again.
fn again(invocation: &Invocation, env: &Env, out: &mut dyn Write) -> Result<Exit, CliError> {
    let chosen = Selection::<RepeatField>::of(invocation)?;
    let kept = Kept::read(invocation, env)?;
    let exit = kept.exit;
    let ctx = reports::context(invocation, env);
    let found = repeats(&kept.costs(CancelledWeight::default(), invocation)?.rows);
    let list = chosen.list(&repeat_rows(found), KeptJobsOf, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    Ok(exit)
}

/// Prints rules replayed over what was lost.
fn rules(
    args: ReplayArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<ReplayField>::of(invocation)?;
    let kept = Kept::read(invocation, env)?;
    let exit = kept.exit;
    let ctx = reports::context(invocation, env);
    let terms = args.terms();
    let found = kept.replays(&terms, ctx.now, invocation)?;
    let of = ReplaysOf { terms, replayed: found.of };
    let list = chosen.list(&replay_rows(found.rows), of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    Ok(exit)
}

/// Prints queue waits.
fn wait(
    args: WaitArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<WaitField>::of(invocation)?;
    let kept = Kept::read(invocation, env)?;
    let exit = kept.exit;
    let ctx = reports::context(invocation, env);
    let found = kept.waits(args.by, args.days, ctx.now, invocation)?;
    let of = WaitsOf { key: args.by, days: args.days };
    let list = chosen.list(&wait_rows(found, args.by, args.user_usd_per_hour), of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    Ok(exit)
}

/// Prints what workloads asked for and did not use.
fn asked(
    args: RequestsArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<RequestField>::of(invocation)?;
    let kept = Kept::read(invocation, env)?;
    let exit = kept.exit;
    let ctx = reports::context(invocation, env);
    let found = kept.requests(args.days, ctx.now, invocation)?;
    let of = RequestsOf { days: args.days, looked_at: found.looked_at };
    let list = chosen.list(&request_rows(found.rows), of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    Ok(exit)
}

/// Prints settings of an autoscaler replayed over node groups.
fn scaled(
    args: ScalingArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<ScalingField>::of(invocation)?;
    let kept = Kept::read(invocation, env)?;
    let exit = kept.exit;
    let ctx = reports::context(invocation, env);
    let found = kept.scaling(args.days, args.boot_ms(), ctx.now, invocation)?;
    let of = ScalingOf { days: args.days, boot_minutes: args.boot_minutes, over: found.of };
    let list = chosen.list(&scaling_rows(found.rows), of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    Ok(exit)
}
