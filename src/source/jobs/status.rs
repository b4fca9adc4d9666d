//! Words for states: burntop's own, Slurm's, and those of other schedulers and trackers.

use crate::domain::jobs::{Cause, JobState};

use JobState as S;

/// Words without case, blanks, hyphens and underscores.
const WORDS: &[(&str, JobState)] = &[
    // Slurm's first: `man sacct`, "JOB STATE CODES".
    ("completed", S::Completed),
    ("failed", S::Failed),
    ("timeout", S::TimedOut),
    ("outofmemory", S::OutOfMemory),
    ("nodefail", S::NodeFault),
    ("bootfail", S::NodeFault),
    ("cancelled", S::Cancelled),
    ("revoked", S::Cancelled),
    ("preempted", S::Preempted),
    ("requeued", S::Preempted),
    ("deadline", S::TimedOut),
    ("specialexit", S::Failed),
    ("running", S::Running),
    ("suspended", S::Running),
    ("resizing", S::Running),
    ("completing", S::Running),
    ("configuring", S::Running),
    ("signaling", S::Running),
    ("stageout", S::Running),
    ("stopped", S::Running),
    ("pending", S::Queued),
    ("requeuehold", S::Queued),
    ("requeuefed", S::Queued),
    ("resvdelhold", S::Queued),
    ("launchfailed", S::NodeFault),
    // burntop's own.
    ("completedstepfailed", S::CompletedStepFailed),
    ("timedout", S::TimedOut),
    ("nodefault", S::NodeFault),
    ("queued", S::Queued),
    ("doubtful", S::Doubtful),
    // Others'.
    ("succeeded", S::Completed),
    ("success", S::Completed),
    ("finished", S::Completed),
    ("complete", S::Completed),
    ("done", S::Completed),
    ("passed", S::Completed),
    ("pass", S::Completed),
    ("error", S::Failed),
    ("fail", S::Failed),
    ("failure", S::Failed),
    ("crashed", S::Failed),
    ("backofflimitexceeded", S::Failed),
    ("oom", S::OutOfMemory),
    ("oomkilled", S::OutOfMemory),
    ("deadlineexceeded", S::TimedOut),
    ("maxruntimeexceeded", S::TimedOut),
    ("canceled", S::Cancelled),
    ("killed", S::Cancelled),
    ("aborted", S::Cancelled),
    ("terminated", S::Cancelled),
    ("evicted", S::Preempted),
    ("interrupted", S::Preempted),
    ("preempting", S::Running),
    ("inprogress", S::Running),
    ("active", S::Running),
    ("starting", S::Running),
    ("scheduled", S::Queued),
    ("waiting", S::Queued),
    ("submitted", S::Queued),
    ("runnable", S::Queued),
    ("created", S::Queued),
];

/// State that a word means; [`JobState::Unknown`] for a word that is not known. `CANCELLED by 1000` is `CANCELLED`.
pub(in crate::source) fn state(word: &str) -> JobState {
    known(word).unwrap_or(JobState::Unknown)
}

/// State that a word means; `None` for a word that is not known.
pub(super) fn known(word: &str) -> Option<JobState> {
    let plain = plain(word);
    let plain = match plain.find("by") {
        Some(at) if plain.starts_with("cancelled") => &plain[..at],
        _ => &plain[..],
    };
    WORDS.iter().find(|(known, _)| *known == plain).map(|(_, state)| *state)
}

fn plain(word: &str) -> String {
    let letters = word.chars().take(64).filter(|c| !matches!(c, ' ' | '-' | '_' | '+'));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// Why an attempt ended, by its state, the source's word for it and its exit. The state decides: a job that ran into its
/// limit has exit code 0 in Slurm.
pub(in crate::source) fn cause(state: JobState, word: &str, exit: Option<Cause>) -> Option<Cause> {
    match state {
        S::Failed => exit,
        S::OutOfMemory => Some(Cause::OutOfMemory),
        S::TimedOut if plain(word) == "deadline" => Some(Cause::Deadline),
        S::TimedOut => Some(Cause::TimeLimit),
        S::Preempted if plain(word) == "requeued" => Some(Cause::Requeued),
        S::Preempted => Some(Cause::Preempted),
        S::NodeFault if plain(word) == "bootfail" => Some(Cause::BootFault),
        S::NodeFault => Some(Cause::NodeFault),
        S::Cancelled => Some(Cause::Cancelled),
        S::CompletedStepFailed => exit.map(Cause::of_step),
        S::Completed | S::Running | S::Queued | S::Doubtful | S::Unknown => None,
    }
}

/// Code and signal of `1:0`, `0:9` or `137`; `None` for anything else.
pub(super) fn exit(text: &str) -> Option<(u16, u16)> {
    let (code, signal) = text.trim().split_once(':').unwrap_or((text.trim(), "0"));
    Some((code.parse().ok()?, signal.parse().ok()?))
}
