//! Lists of jobs for the watch: of the last days, for what is kept goes back for years.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::kept::{Kept, LOOK_BACK, borrowed};
use super::live::SourcesRead;
use super::zombies::NO_SCHEDULER;
use crate::analyze::jobs::{CancelledWeight, Costed, Judged, ZombieInput, repeats, zombies};
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::domain::format::grouped;
use crate::domain::jobs::{AttemptView, JobSource, JobState, Packed};
use crate::fleet::GpuFleet;
use crate::tabs::jobs::picture::{
    JobField, RepeatField, ZombieField, job_rows, repeat_rows, zombie_rows,
};
use crate::view::{Rows, TableField as _};

/// Attempts that are over are listed for so long after their end.
const LISTED_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Most attempts that are costed in a round.
const COSTED_AT_MOST: usize = 1_000_000;

/// Lists of jobs, all of one reading.
pub(in crate::cli) struct JobLists {
    /// Attempts that are not over, or have been for a week at most, with what they cost.
    pub jobs: Arc<dyn Rows>,
    /// What these lost again and again.
    pub repeats: Arc<dyn Rows>,
    /// GPUs that do nothing for a job; Err with why where nobody tells who holds GPUs.
    pub zombies: Result<ZombieList, String>,
    /// Why some attempts are not there; `None` where all are.
    pub damaged: Option<String>,
}

/// GPUs that do nothing for a job.
pub(in crate::cli) struct ZombieList {
    /// The list.
    pub rows: Arc<dyn Rows>,
    /// GPUs of which nobody can tell whether they belong in it.
    pub undecided: BTreeSet<Arc<str>>,
    /// Which clusters of known nodes told nothing of late of who holds GPUs, a sentence; `None` where all did.
    pub silent: Option<String>,
}

/// Lists what is kept of jobs after their sources were read, beside the GPUs of now. Fails where no jobs are known, with what to
/// do, and where there are too many.
pub(in crate::cli) fn lists(
    invocation: &Invocation,
    read: &SourcesRead,
    gpus: &GpuFleet,
    now: Timestamp,
) -> Result<JobLists, CliError> {
    let (mut kept, damaged) = Kept::after(read, invocation)?;
    let zombies = zombie_list(&kept, gpus, now);
    retain_late(&mut kept.attempts, now);
    if kept.attempts.len() > COSTED_AT_MOST {
        let message = format!(
            "{} attempts of the last {} days are kept, more than the {} that are gone through",
            grouped(kept.attempts.len() as f64, 0),
            LOOK_BACK.as_hours() / 24,
            grouped(COSTED_AT_MOST as f64, 0)
        );
        return Err(CliError::Failed { exit: Exit::Unreadable, message });
    }
    let mut rows = kept.costs(CancelledWeight::default(), invocation)?.rows;
    rows.retain(|Costed { attempt: of, .. }| {
        let moments = [of.ended_at, of.seen_until, of.started_at, of.submitted_at];
        is_late(of.state, moments, now, LISTED_FOR)
    });
    let repeats = RepeatField::shared(&repeat_rows(repeats(&rows)));
    let jobs = JobField::shared(&job_rows(rows));
    Ok(JobLists { jobs, repeats, zombies, damaged })
}

/// True for an attempt that is not over, or ended so late: `moments` are its end, when it was seen last, its start, its submission.
/// One of unknown outcome that is known to have ended is over; of one without any moment nobody knows that it is old.
fn is_late(
    state: JobState,
    moments: [Option<Timestamp>; 4],
    now: Timestamp,
    within: SignedDuration,
) -> bool {
    let is_over = state.is_over() || moments[0].is_some();
    let last = moments.into_iter().flatten().next();
    !is_over || last.is_none_or(|last| now.duration_since(last) <= within)
}

/// A job, by source, cluster and id.
type Job<'a> = (JobSource, &'a str, &'a str);

/// Keeps what is not over or ended of late, and with it what its costs rest on: the other attempts and parts of its jobs, parents
/// and children, and the jobs that trackers name.
fn retain_late(attempts: &mut Packed, now: Timestamp) {
    let is_late = |of: &AttemptView<'_>| {
        let moments = [of.ended_at, of.seen_until, of.started_at, of.submitted_at];
        is_late(of.state, moments, now, LOOK_BACK)
    };
    let mut jobs: HashSet<Job<'_>> = HashSet::new();
    let mut named: HashSet<(&str, &str)> = HashSet::new();
    for of in attempts.views().filter(is_late) {
        let others = [of.parent, of.parts_of].into_iter().flatten().map(|job| &**job);
        let all = others.chain([of.job]);
        jobs.extend(all.map(|job| (of.source, &**of.cluster, job)));
        named.extend(of.in_job.map(|job| (&*job.scheduler, &*job.id)));
    }
    let is_tied = |of: &AttemptView<'_>| {
        let has = |job: &str| jobs.contains(&(of.source, &**of.cluster, job));
        let names = [Some(of.raw), Some(of.job), of.name.map(|name| &**name)];
        has(of.job)
            || [of.parent, of.parts_of].into_iter().flatten().any(|job| has(job))
            || names.into_iter().flatten().any(|name| named.contains(&(of.source.word(), name)))
    };
    let is_kept: Vec<bool> = attempts.views().map(|of| is_late(&of) || is_tied(&of)).collect();
    attempts.remove(|place| !is_kept[place]);
}

fn zombie_list(kept: &Kept, gpus: &GpuFleet, now: Timestamp) -> Result<ZombieList, String> {
    if kept.nodes.is_empty() && kept.held.is_empty() {
        return Err(NO_SCHEDULER.to_owned());
    }
    let held = borrowed(&kept.held);
    let (nodes, attempts) = (&kept.nodes, &kept.attempts);
    let input = ZombieInput { gpus, nodes, held: &held, attempts, now };
    let Judged { zombies, undecided, silent } = zombies(&input);
    let silent: Vec<&str> = silent.iter().map(|name| &**name).collect();
    let silent = (!silent.is_empty()).then(|| {
        format!(
            "who holds GPUs was not told of late of {}: they count as in use",
            silent.join(", ")
        )
    });
    Ok(ZombieList { rows: ZombieField::shared(&zombie_rows(zombies)), undecided, silent })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::jobs::{Attempt, AttemptId, JobRef};

    fn now() -> Timestamp {
        "2026-11-28T12:00:00Z".parse().unwrap()
    }

    fn days_ago(days: i64) -> Timestamp {
        now().checked_sub(SignedDuration::from_hours(24 * days)).unwrap()
    }

    /// An attempt that ended so many days ago.
    fn ended(source: JobSource, job: &str, key: &str, days: i64) -> Attempt {
        let id = AttemptId { source, cluster: "c".into(), raw: job.into(), key: key.into() };
        let mut of = Attempt::new(id, job.into(), JobState::Failed, "FAILED".into());
        (of.started_at, of.ended_at) = (Some(days_ago(days + 1)), Some(days_ago(days)));
        of
    }

    #[test]
    fn late_attempts_are_kept_with_all_that_their_costs_rest_on() {
        let slurm = |job: &str, key: &str, days| ended(JobSource::Slurm, job, key, days);
        let child = Attempt { parent: Some("20".into()), ..slurm("21", "a", 90) };
        let mut run = ended(JobSource::MlFlow, "run", "a", 0);
        (run.state, run.ended_at) = (JobState::Running, None);
        let named = JobRef { scheduler: "slurm".into(), cluster: None, id: "30".into() };
        run.in_job = Some(Box::new(named));
        let mut gone = slurm("41", "a", 90);
        gone.state = JobState::Unknown;
        let all = vec![
            slurm("10", "a", 90),
            slurm("10", "b", 59),
            slurm("11", "a", 61),
            slurm("20", "a", 1),
            child,
            run,
            slurm("30", "a", 90),
            slurm("40", "a", 90),
            gone,
        ];
        let mut packed: Packed = all.into();
        retain_late(&mut packed, now());
        let kept: Vec<String> =
            packed.attempts().map(|of| format!("{}/{}", of.id.raw, of.id.key)).collect();
        // The first try of a job that was tried again, the child of a parent, the job of a run that goes on.
        assert_eq!(kept, ["10/a", "10/b", "20/a", "21/a", "run/a", "30/a"]);
    }
}
