//! `burntop jobs zombies`: GPUs that cost and do nothing for a job.

use std::io::Write;

use super::kept::{Kept, borrowed};
use crate::analyze::jobs::{ZombieInput, covered_nodes, zombies};
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::list_options::Selection;
use crate::cli::reports;
use crate::cli::telemetry::Want;
use crate::cli::tell::tell;
use crate::config::Env;
use crate::report::ZombiesOf;
use crate::tabs::jobs::picture::{ZombieField, zombie_rows};

/// Said where no scheduler is known that tells who holds GPUs.
pub(super) const NO_SCHEDULER: &str = "nobody tells who holds GPUs: name a scheduler in [jobs], for example a \
                                       [[jobs.slurm]]; until then every GPU counts as in use";

/// Said where none of those that are known told of a holder.
const NO_HOLDER: &str = "no scheduler told of a job that holds GPUs when it was read last: that none does is not known, and \
                         every GPU counts as in use";

/// Reads all GPU sources once and prints the GPUs that do nothing for a job. Fails for options that do not fit, where nothing
/// could be read, and where nobody tells who holds GPUs.
pub(super) fn run(
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<ZombieField>::of(invocation)?;
    let kept = Kept::read(invocation, env)?;
    if kept.held.is_empty() {
        let message = if kept.nodes.is_empty() { NO_SCHEDULER } else { NO_HOLDER }.to_owned();
        return Err(CliError::Failed { exit: Exit::Unreadable, message });
    }
    let outcome = reports::read(invocation, Want::All)?;
    reports::unreadable(invocation, &outcome)?;
    let ctx = reports::context(invocation, env);
    let held = borrowed(&kept.held);
    let input = ZombieInput {
        gpus: &outcome.gpus,
        nodes: &kept.nodes,
        held: &held,
        attempts: &kept.attempts,
        now: ctx.now,
    };
    let of = ZombiesOf { fleet: outcome.fleet.clone(), nodes: covered_nodes(&input) };
    let list = chosen.list(&zombie_rows(zombies(&input).zombies), of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    reports::shortfalls(&outcome).iter().for_each(tell);
    Ok(reports::ended(&outcome.fleet.readings))
}
