//! Lists of jobs for the watch: of the last days, for what is kept goes back for years.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::kept::{Kept, LOOK_BACK, borrowed};
use super::zombies::NO_SCHEDULER;
use crate::analyze::jobs::{CancelledWeight, Costed, Judged, ZombieInput, repeats, zombies};
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::config::Env;
use crate::domain::Reading;
use crate::domain::format::grouped;
use crate::fleet::GpuFleet;
use crate::tabs::jobs::picture::{
    JobField, RepeatField, ZombieField, job_rows, repeat_rows, zombie_rows,
};
use crate::view::{Rows, TableField as _};

/// Attempts that are over are listed for so long after their end.
const LISTED_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Most attempts of the days before that are costed in a round.
const COSTED_AT_MOST: usize = 1_000_000;

/// Lists of jobs, all of one reading.
pub(in crate::cli) struct JobLists {
    /// Attempts that are not over, or have been for a week at most, with what they cost.
    pub jobs: Arc<dyn Rows>,
    /// What these lost again and again.
    pub repeats: Arc<dyn Rows>,
    /// GPUs that do nothing for a job, and of which nobody can tell; Err with why where nobody tells who holds GPUs.
    pub zombies: Result<(Arc<dyn Rows>, BTreeSet<Arc<str>>), String>,
    /// Why some attempts are not there; `None` where all are.
    pub damaged: Option<String>,
    /// How the sources of jobs were read.
    pub readings: Arc<[Reading]>,
}

/// Reads the sources of jobs, and lists what is kept then beside the GPUs of now. Fails where no jobs are known, with what to
/// do, and where there are too many.
pub(in crate::cli) fn lists(
    invocation: &Invocation,
    env: &Env,
    gpus: &GpuFleet,
    now: Timestamp,
) -> Result<JobLists, CliError> {
    let since = now.checked_sub(LOOK_BACK).ok();
    let (kept, damaged) = Kept::read_since(invocation, env, since)?;
    if kept.attempts.len() > COSTED_AT_MOST {
        let message = format!(
            "{} attempts of the last {} days are kept, more than the {} that are gone through",
            grouped(kept.attempts.len() as f64, 0),
            LOOK_BACK.as_hours() / 24,
            grouped(COSTED_AT_MOST as f64, 0)
        );
        return Err(CliError::Failed { exit: Exit::Unreadable, message });
    }
    let readings = kept.readings.clone();
    let zombies = if kept.nodes.is_empty() && kept.held.is_empty() {
        Err(NO_SCHEDULER.to_owned())
    } else {
        let held = borrowed(&kept.held);
        let (nodes, attempts) = (&kept.nodes, &kept.attempts);
        let found = zombies(&ZombieInput { gpus, nodes, held: &held, attempts, now });
        let Judged { zombies, undecided } = found;
        Ok((ZombieField::shared(&zombie_rows(zombies)), undecided))
    };
    let mut rows = kept.costs(CancelledWeight::default(), invocation)?.rows;
    let is_late = |at: Timestamp| now.duration_since(at) <= LISTED_FOR;
    rows.retain(|Costed { attempt, .. }| {
        let last = attempt.ended_at.or(attempt.seen_until).or(attempt.started_at);
        !attempt.state.is_over() || last.is_none_or(is_late)
    });
    let repeats = RepeatField::shared(&repeat_rows(repeats(&rows)));
    let jobs = JobField::shared(&job_rows(rows));
    Ok(JobLists { jobs, repeats, zombies, damaged, readings })
}
