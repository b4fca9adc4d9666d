//! How a pod stands or ended, in our words and in those of Kubernetes.

use super::super::status;
use super::jobs::Failure;
use super::wire::{Pod, Terminated};
use crate::domain::jobs::{Cause, JobState};
use jiff::Timestamp;

use JobState as S;

/// Reasons of a pod's status.
const REASONS: [(&str, JobState); 9] = [
    ("Evicted", S::Preempted),
    ("Preempting", S::Preempted),
    ("Preempted", S::Preempted),
    // The node shuts down in good order, as one of Spot does that is taken back.
    ("Shutdown", S::Preempted),
    ("NodeShutdown", S::Preempted),
    ("Terminated", S::Preempted),
    ("NodeLost", S::NodeFault),
    ("DeadlineExceeded", S::TimedOut),
    ("OOMKilled", S::OutOfMemory),
];

/// Reasons of the condition `DisruptionTarget`; any other takes the pod off its node as well.
const DISRUPTIONS: [(&str, JobState); 2] =
    [("DeletionByTaintManager", S::NodeFault), ("DeletionByPodGC", S::NodeFault)];

/// Signals by which a pod that is deleted ends.
const DELETED_BY: [u16; 2] = [9, 15];

/// How a pod stands or ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    /// State.
    pub state: JobState,
    /// The word of Kubernetes for it.
    pub word: String,
    /// Why it ended.
    pub cause: Option<Cause>,
    /// The words of Kubernetes on it.
    pub reason: Option<String>,
}

/// How a pod stands or ended. `failure` is that of its job; `ended` is when it ended.
pub(super) fn of(pod: &Pod, failure: Option<&Failure>, ended: Option<Timestamp>) -> Outcome {
    let status = &pod.status;
    let phase = status.phase.as_deref().unwrap_or("Unknown");
    let is_scheduled = pod.spec.node_name.as_deref().is_some_and(|node| !node.is_empty());
    let is_leaving = pod.metadata.deletion_timestamp.is_some();
    let open = |state, word: &str, reason: Option<&str>| Outcome {
        state,
        word: word.to_owned(),
        cause: None,
        reason: reason.map(str::to_owned),
    };
    match phase {
        "Succeeded" => open(S::Completed, phase, None),
        "Failed" => failed(pod, failure, ended),
        "Running" | "Pending" if is_scheduled && is_leaving => {
            open(S::Running, "Terminating", None)
        }
        "Running" => open(S::Running, status.waits_for().unwrap_or(phase), None),
        // It holds its node, whatever it still waits for.
        "Pending" if is_scheduled => open(S::Running, status.waits_for().unwrap_or(phase), None),
        "Pending" => {
            let waits = status.condition("PodScheduled").filter(|of| !of.is_true());
            let word = waits.and_then(|of| of.reason.as_deref()).unwrap_or(phase);
            open(S::Queued, word, waits.and_then(|of| of.message.as_deref()))
        }
        other => open(S::Unknown, other, status.message.as_deref()),
    }
}

fn failed(pod: &Pod, failure: Option<&Failure>, ended: Option<Timestamp>) -> Outcome {
    let status = &pod.status;
    let first = first_failure(pod);
    let told = |state: JobState, word: &str, said: Option<&str>| {
        let own = first.and_then(|of| of.message.as_deref());
        let said = [own, said, status.message.as_deref()].into_iter().flatten();
        let mut said = said.map(str::trim).filter(|said| !said.is_empty());
        Outcome {
            state,
            word: word.to_owned(),
            cause: status::cause(state, word, first.and_then(exit)),
            reason: said.next().map(str::to_owned),
        }
    };
    let own = status.reason.as_deref().unwrap_or_default();
    if let Some((word, state)) = REASONS.iter().find(|(word, _)| *word == own) {
        return told(*state, word, None);
    }
    let disrupted = status.condition("DisruptionTarget").filter(|of| of.is_true());
    if let Some(condition) = disrupted {
        let word = condition.reason.as_deref().unwrap_or("DisruptionTarget");
        let known = DISRUPTIONS.iter().find(|(of, _)| *of == word);
        let state = known.map_or(S::Preempted, |(_, state)| *state);
        return told(state, word, condition.message.as_deref());
    }
    if first.is_some_and(|of| of.reason.as_deref() == Some("OOMKilled")) {
        return told(S::OutOfMemory, "OOMKilled", None);
    }
    // What ended after its job had failed was ended by that.
    let after = failure.filter(|failure| ended.is_some_and(|ended| ended >= failure.at));
    if let Some(failure) = after {
        return told(failure.state(), &failure.reason, failure.message.as_deref());
    }
    let signal = match first.and_then(exit) {
        Some(Cause::Signal(signal)) => Some(signal),
        _ => None,
    };
    let is_deleted = pod.metadata.deletion_timestamp.is_some();
    if is_deleted && signal.is_some_and(|signal| DELETED_BY.contains(&signal)) {
        return told(S::Cancelled, "Deleted", None);
    }
    // Whether that ended it is told by its exit alone.
    if is_deleted && first.is_some_and(|of| of.exit_code.is_none()) {
        return told(S::Unknown, "Deleted", None);
    }
    let word = first.and_then(|of| of.reason.as_deref()).filter(|word| !word.is_empty());
    let word = word.or(Some(own).filter(|own| !own.is_empty())).unwrap_or("Failed");
    // The job's verdict stands beside the pod's own word.
    let verdict = failure.map(|failure| failure.reason.as_str());
    told(S::Failed, word, verdict)
}

/// The container that failed: one that ran out of memory, else the one that failed first.
fn first_failure(pod: &Pod) -> Option<&Terminated> {
    let failed = || pod.status.ends().filter(|of| of.exit_code != Some(0));
    let oom = failed().find(|of| of.reason.as_deref() == Some("OOMKilled"));
    let time = |of: &&Terminated| {
        let at = of.finished_at.as_deref().and_then(|text| text.parse::<Timestamp>().ok());
        at.unwrap_or(Timestamp::MAX)
    };
    oom.or_else(|| failed().min_by_key(time))
}

fn exit(of: &Terminated) -> Option<Cause> {
    let signal = of.signal.unwrap_or_default();
    Cause::of_exit(u16::try_from(of.exit_code?).ok()?, u16::try_from(signal).ok()?)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn of_pod(value: Value, failure: Option<&Failure>) -> Outcome {
        let pod: Pod = serde_json::from_value(value).unwrap();
        of(&pod, failure, Some(at("2026-11-20T10:00:00Z")))
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn ended(code: i64, reason: &str) -> Value {
        json!({"state": {"terminated": {"exitCode": code, "reason": reason,
            "finishedAt": "2026-11-20T10:00:00Z"}}})
    }

    fn deadline(time: &str) -> Failure {
        Failure { at: at(time), reason: "DeadlineExceeded".into(), message: None }
    }

    #[test]
    fn each_way_to_fail_has_its_state_its_word_and_its_cause() {
        let gone =
            |reason: &str| json!({"type": "DisruptionTarget", "status": "True", "reason": reason});
        let cases = [
            (
                json!({"containerStatuses": [ended(137, "OOMKilled")]}),
                S::OutOfMemory,
                "OOMKilled",
                Some(Cause::OutOfMemory),
            ),
            (
                json!({"containerStatuses": [ended(1, "Error")]}),
                S::Failed,
                "Error",
                Some(Cause::Exit(1)),
            ),
            (
                json!({"containerStatuses": [ended(139, "Error")]}),
                S::Failed,
                "Error",
                Some(Cause::Signal(11)),
            ),
            (
                json!({"reason": "Evicted", "message": "The node was low on resource: memory."}),
                S::Preempted,
                "Evicted",
                Some(Cause::Preempted),
            ),
            (
                json!({"reason": "DeadlineExceeded"}),
                S::TimedOut,
                "DeadlineExceeded",
                Some(Cause::TimeLimit),
            ),
            (json!({"reason": "NodeLost"}), S::NodeFault, "NodeLost", Some(Cause::NodeFault)),
            (
                json!({"conditions": [gone("PreemptionByScheduler")], "containerStatuses": [ended(143, "Error")]}),
                S::Preempted,
                "PreemptionByScheduler",
                Some(Cause::Preempted),
            ),
            (
                json!({"conditions": [gone("DeletionByTaintManager")]}),
                S::NodeFault,
                "DeletionByTaintManager",
                Some(Cause::NodeFault),
            ),
            (
                json!({"conditions": [gone("TerminationByKubelet")]}),
                S::Preempted,
                "TerminationByKubelet",
                Some(Cause::Preempted),
            ),
            (
                json!({"reason": "UnexpectedAdmissionError"}),
                S::Failed,
                "UnexpectedAdmissionError",
                None,
            ),
            (json!({}), S::Failed, "Failed", None),
        ];
        for (mut status, state, word, cause) in cases {
            status["phase"] = "Failed".into();
            let found = of_pod(json!({"status": status}), None);
            assert_eq!((found.state, found.word.as_str(), found.cause), (state, word, cause));
        }
    }

    #[test]
    fn of_several_containers_the_one_that_failed_first_tells() {
        let later = json!({"state": {"terminated": {"exitCode": 143, "reason": "Error",
            "finishedAt": "2026-11-20T10:00:30Z"}}});
        let status = json!({"phase": "Failed", "containerStatuses": [later, ended(3, "Error"), ended(0, "Completed")]});
        assert_eq!(of_pod(json!({"status": status}), None).cause, Some(Cause::Exit(3)));
    }

    #[test]
    fn what_its_job_ended_has_the_words_of_the_job() {
        let pod = json!({"metadata": {"deletionTimestamp": "2026-11-20T09:59:58Z"},
            "status": {"phase": "Failed", "containerStatuses": [ended(143, "Error")]}});
        let before = deadline("2026-11-20T09:59:57Z");
        let found = of_pod(pod.clone(), Some(&before));
        assert_eq!((found.state, found.word.as_str()), (S::TimedOut, "DeadlineExceeded"));
        assert_eq!(found.cause, Some(Cause::TimeLimit), "not signal 15");
        // A pod that was over before is none of it, and one that somebody deleted is cancelled.
        let after = deadline("2026-11-20T10:00:01Z");
        assert_eq!(of_pod(pod.clone(), Some(&after)).state, S::Cancelled);
        assert_eq!(of_pod(pod, None).word, "Deleted");
        let limit = Failure { reason: "BackoffLimitExceeded".into(), ..after };
        let pod = json!({"status": {"phase": "Failed", "containerStatuses": [ended(1, "Error")]}});
        let found = of_pod(pod, Some(&limit));
        assert_eq!((found.word.as_str(), found.cause), ("Error", Some(Cause::Exit(1))));
        assert_eq!(found.reason.as_deref(), Some("BackoffLimitExceeded"));
    }

    #[test]
    fn what_is_not_over_holds_its_node_or_waits_for_one() {
        let pulls = json!({"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]});
        let found = of_pod(json!({"spec": {"nodeName": "n"}, "status": pulls}), None);
        assert_eq!((found.state, found.word.as_str()), (S::Running, "ImagePullBackOff"));
        let waits = json!({"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes"});
        let found = of_pod(json!({"status": {"phase": "Pending", "conditions": [waits]}}), None);
        assert_eq!((found.state, found.word.as_str()), (S::Queued, "Unschedulable"));
        assert_eq!(found.reason.as_deref(), Some("0/3 nodes"));
        for phase in ["Unknown", "Hibernated"] {
            let found =
                of_pod(json!({"spec": {"nodeName": "n"}, "status": {"phase": phase}}), None);
            assert_eq!((found.state, found.word.as_str()), (S::Unknown, phase));
        }
        let leaving = json!({"metadata": {"deletionTimestamp": "2026-11-20T09:00:00Z"},
            "spec": {"nodeName": "n"}, "status": {"phase": "Running"}});
        assert_eq!(of_pod(leaving, None).word, "Terminating");
    }
}
