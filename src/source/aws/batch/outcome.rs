//! How an attempt ended, by the words and numbers of Batch.

use std::sync::Arc;

use super::super::account_jobs::clean;
use super::wire::{AttemptDetail, Container, Job, Task};
use crate::domain::jobs::{Cause, JobState};
use crate::domain::text;
use crate::source::jobs::status;

/// Longest reason that is kept, characters. Batch's own have 255 at most, those of people more.
const REASON_AT_MOST: usize = 1_024;

/// Start of `OutOfMemoryError: Container killed due to memory usage` ("Stopped tasks error messages" of the ECS guide).
const OUT_OF_MEMORY: &str = "OutOfMemory";

/// Start of `Host EC2 (instance i-0123…) terminated.` ("Automated job retries" of the AWS Batch guide).
const HOST_GONE: &str = "Host EC2";

/// Part of `Job attempt duration exceeded timeout` ("Job timeouts" there).
const TIMED_OUT: &str = "exceeded timeout";

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// State.
    pub state: JobState,
    /// Why; `None` where nobody tells.
    pub cause: Option<Cause>,
    /// The words of the source, clean; `None` for what ended well.
    pub reason: Option<Arc<str>>,
}

/// Exit code and words of the container that an attempt ran in, of several the first that failed.
#[derive(Clone, Copy, Default)]
struct Ran<'a> {
    exit: Option<i64>,
    reason: Option<&'a str>,
}

impl<'a> Ran<'a> {
    fn of(container: Option<&'a Container>, tasks: Option<&'a [Task]>) -> Self {
        let of_tasks = tasks.unwrap_or_default().iter();
        let all = container.into_iter();
        let all = all.chain(of_tasks.flat_map(|task| task.containers.iter().flatten()));
        let all: Vec<&Container> = all.collect();
        let failed = all.iter().find(|of| of.exit_code.is_some_and(|code| code != 0));
        let told = failed.or_else(|| all.iter().find(|of| of.reason.is_some()));
        told.or(all.first())
            .map(|of| Self { exit: of.exit_code, reason: of.reason.as_deref() })
            .unwrap_or_default()
    }
}

/// How an attempt of a job ended: its last one, where `is_last`, as the job did, one before as one that was tried again. `attempt` is
/// `None` where Batch tells of the job alone. `is_spot` says whether its hosts are Spot capacity.
pub fn outcome(
    job: &Job,
    attempt: Option<&AttemptDetail>,
    is_last: bool,
    is_spot: Option<bool>,
) -> Outcome {
    let word = if is_last { job.status.as_deref().unwrap_or_default() } else { "FAILED" };
    let state = status::state(word);
    if state != JobState::Failed {
        return Outcome { state, cause: None, reason: None };
    }
    let ran = match attempt {
        Some(of) => Ran::of(of.container.as_ref(), of.task_properties.as_deref()),
        None => Ran::of(job.container.as_ref(), None),
    };
    let of_job = job.status_reason.as_deref().filter(|_| is_last);
    let words = [ran.reason, attempt.and_then(|of| of.status_reason.as_deref()), of_job];
    let says = |fits: &dyn Fn(&str) -> bool| words.into_iter().flatten().find(|text| fits(text));
    let (state, told) = if let Some(told) = says(&|text| text.starts_with(HOST_GONE)) {
        // A host on demand does not go by itself. AWS gives these words for Spot capacity that was taken back.
        let is_fault = is_spot == Some(false);
        (if is_fault { JobState::NodeFault } else { JobState::Preempted }, Some(told))
    } else if let Some(told) = says(&|text| text.contains(TIMED_OUT)) {
        (JobState::TimedOut, Some(told))
    } else if let Some(told) = says(&|text| text.starts_with(OUT_OF_MEMORY)) {
        (JobState::OutOfMemory, Some(told))
    } else if is_last && job.is_ended() {
        // What the one who ended it says.
        (JobState::Cancelled, of_job)
    } else {
        (JobState::Failed, None)
    };
    let code = ran.exit.and_then(|code| u16::try_from(code).ok());
    let exit = code.and_then(|code| Cause::of_exit(code, 0));
    let told = told.or_else(|| says(&|text| !text.trim().is_empty()));
    let reason = told.map(|told| text::clean_to(told.trim(), REASON_AT_MOST).into());
    Outcome { state, cause: status::cause(state, word, exit), reason }
}

/// Why a job waits; `None` where Batch does not say.
pub fn wait_reason(job: &Job) -> Option<Arc<str>> {
    job.status_reason.as_deref().and_then(clean)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// State, cause and words of the one attempt of a job that failed.
    fn failed(
        job: &Value,
        attempt: Value,
        is_spot: Option<bool>,
    ) -> (JobState, Option<Cause>, String) {
        let job: Job = serde_json::from_value(job.clone()).unwrap();
        let attempt: AttemptDetail = serde_json::from_value(attempt).unwrap();
        let of = outcome(&job, Some(&attempt), true, is_spot);
        (of.state, of.cause, of.reason.as_deref().unwrap_or_default().to_owned())
    }

    #[test]
    fn words_of_batch_tell_why_an_attempt_failed() {
        use JobState as S;
        let job = json!({"status": "FAILED", "statusReason": "Essential container in task exited"});
        let ended =
            |code: i64, reason: &str| json!({"container": {"exitCode": code, "reason": reason}});
        let oom = "OutOfMemoryError: Container killed due to memory usage";
        let found = failed(&job, ended(137, oom), None);
        assert_eq!(found, (S::OutOfMemory, Some(Cause::OutOfMemory), oom.to_owned()));
        let plain = failed(&job, json!({"container": {"exitCode": 1}}), None);
        let words = "Essential container in task exited".to_owned();
        assert_eq!(plain, (S::Failed, Some(Cause::Exit(1)), words));
        let killed = failed(&job, json!({"container": {"exitCode": 137}}), None);
        assert_eq!(killed.1, Some(Cause::Signal(9)));
        let late = json!({"status": "FAILED", "statusReason": "Job attempt duration exceeded timeout",
            "isTerminated": true});
        let found = failed(&late, json!({"container": {"exitCode": 137}}), None);
        assert_eq!((found.0, found.1), (S::TimedOut, Some(Cause::TimeLimit)));
        // Nothing tells.
        let silent = failed(&json!({"status": "FAILED"}), json!({}), None);
        assert_eq!(silent, (S::Failed, None, String::new()));
    }

    #[test]
    fn a_host_that_is_gone_was_taken_back_unless_its_queue_has_none_of_spot() {
        let host = "Host EC2 (instance i-0123456789abcdef0) terminated.";
        let job = json!({"status": "FAILED", "statusReason": host});
        for (is_spot, state, cause) in [
            (Some(true), JobState::Preempted, Cause::Preempted),
            (None, JobState::Preempted, Cause::Preempted),
            (Some(false), JobState::NodeFault, Cause::NodeFault),
        ] {
            let found = failed(&job, json!({"statusReason": host}), is_spot);
            assert_eq!(found, (state, Some(cause), host.to_owned()), "{is_spot:?}");
        }
    }

    #[test]
    fn what_somebody_ended_is_cancelled_and_what_was_tried_again_failed() {
        let job = json!({"status": "FAILED", "statusReason": "wrong data", "isTerminated": true,
            "isCancelled": false});
        let attempt = json!({"container": {"exitCode": 143}});
        let found = failed(&job, attempt.clone(), None);
        assert_eq!(found, (JobState::Cancelled, Some(Cause::Cancelled), "wrong data".to_owned()));
        let job: Job = serde_json::from_value(job).unwrap();
        let attempt: AttemptDetail = serde_json::from_value(attempt).unwrap();
        let before = outcome(&job, Some(&attempt), false, None);
        assert_eq!((before.state, before.cause), (JobState::Failed, Some(Cause::Signal(15))));
        // The words of its end are not those of an attempt before.
        assert_eq!(before.reason, None);
    }

    #[test]
    fn of_several_containers_the_one_that_failed_tells() {
        let attempt = json!({"taskProperties": [{"containers": [
            {"exitCode": 0}, {"exitCode": 3, "reason": "no such file"}]}]});
        let found = failed(&json!({"status": "FAILED"}), attempt, None);
        assert_eq!(found, (JobState::Failed, Some(Cause::Exit(3)), "no such file".to_owned()));
        let well: Job = serde_json::from_value(json!({"status": "SUCCEEDED"})).unwrap();
        let well = outcome(&well, None, true, None);
        assert_eq!(well, Outcome { state: JobState::Completed, cause: None, reason: None });
    }
}
