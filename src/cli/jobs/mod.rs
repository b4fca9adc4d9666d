//! `burntop jobs …`: what is kept, priced and printed; what is imported.

pub mod args;
mod import;
mod live;
#[cfg(test)]
mod tests;
mod types;

use std::io::Write;

use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::list_options::Selection;
use super::reports;
use super::tell::tell;
use crate::analyze::jobs::{CancelledWeight, Costed, TaxKey, TaxSums, costed, tax};
use crate::cache::{Jobs, KeptJobs};
use crate::config::Env;
use crate::domain::format::counted;
use crate::domain::jobs::Attempt;
use crate::report::JobsOf;
use crate::source::demo;
use crate::tabs::jobs::picture::{JobField, TaxField, job_rows, tax_rows};
use args::{JobsArgs, JobsCommand, TaxArgs};

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
    let (rows, of, exit) = kept(weight, None, invocation, env)?;
    let ctx = reports::context(invocation, env);
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
    let (rows, of, exit) = kept(weight, Some(args.by), invocation, env)?;
    let ctx = reports::context(invocation, env);
    let found = tax(&rows, args.by);
    let of = JobsOf { total: found.total, ..of };
    let list = chosen.list(&tax_rows(&found), of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    Ok(exit)
}

/// All attempts that are kept, or those of the demo, with their costs; configured sources are read before, unless offline. Fails
/// where there are none, with what to do.
fn kept(
    weight: CancelledWeight,
    key: Option<TaxKey>,
    invocation: &Invocation,
    env: &Env,
) -> Result<(Vec<Costed>, JobsOf, Exit), CliError> {
    let readings = live::read(invocation, env)?;
    let demo = invocation.reach.demo_fleet(&invocation.config, &invocation.options);
    let found = match demo {
        Some(demo) => KeptJobs { attempts: demo::jobs::attempts(&demo), ..KeptJobs::default() },
        None => {
            let unreadable = |error: crate::cache::JobsError| CliError::Failed {
                exit: Exit::Unreadable,
                message: error.to_string(),
            };
            Jobs::beside(&invocation.cache_file()?).all().map_err(unreadable)?
        }
    };
    let damaged = (found.unreadable > 0).then(|| {
        format!(
            "{} cannot be read, for they are damaged or of another version of burntop: import the \
             jobs again",
            counted(found.unreadable as usize, "kept attempt", "kept attempts")
        )
    });
    // A source that answers and has no jobs is no failure.
    if found.attempts.is_empty() && !readings.iter().any(live::has_answered) {
        let troubles: Vec<String> = reports::troubles(&readings).collect();
        let damaged = damaged.or_else(|| (!troubles.is_empty()).then(|| troubles.join("\n")));
        let message = damaged.unwrap_or_else(|| {
            "no jobs are known: name where they run in `[jobs]` of the configuration, or \
             `burntop jobs import FILE` reads CSV, JSON lines, and the text of `sacct -a -X -D -P`"
                .to_owned()
        });
        return Err(CliError::Failed { exit: Exit::Unreadable, message });
    }
    damaged.iter().for_each(tell);
    let without_region =
        |attempt: &&Attempt| attempt.instance_type.is_some() && attempt.region.is_none();
    let without_region = found.attempts.iter().filter(without_region).count();
    let rows = costed(&found.attempts, &types::node_type, weight);
    let is_whole = found.unreadable == 0 && readings.iter().all(live::is_whole);
    let exit = if is_whole { Exit::Ok } else { Exit::Partial };
    let (total, readings) = (TaxSums::default(), readings.into());
    Ok((rows, JobsOf { key, total, weight, without_region, readings }, exit))
}
