//! Jobs of pods: which one a pod belongs to, which part of it it is, and why the job failed.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::owner;
use super::wire::{Job, Meta, Pod};
use crate::domain::jobs::JobState;
use crate::domain::text::clean;

/// Conditions of a job that failed. The first comes as soon as that is clear, the second once its pods are gone.
const FAILED: [&str; 2] = ["FailureTarget", "Failed"];

/// Queues of a pod or its job, by label or annotation.
pub(super) const QUEUES: [&str; 4] = [
    "kueue.x-k8s.io/queue-name",
    "kueue.x-k8s.io/local-queue-name",
    "scheduling.volcano.sh/queue-name",
    "volcano.sh/queue-name",
];

/// Kinds of owners whose pods serve and do not end by themselves; `Node` owns what runs on each node by its files.
pub(super) const SERVICES: [&str; 5] =
    ["ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Node"];

/// Why a job failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// When that was clear.
    pub at: Timestamp,
    /// The word of Kubernetes, clean: `DeadlineExceeded`.
    pub reason: String,
    /// Its words on it.
    pub message: Option<String>,
}

impl Failure {
    /// State of the pods that it ended.
    pub fn state(&self) -> JobState {
        match self.reason.as_str() {
            "DeadlineExceeded" => JobState::TimedOut,
            _ => JobState::Failed,
        }
    }
}

/// What is known of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Known {
    /// Id as it is shown.
    pub job: Arc<str>,
    /// Pods that may run at once; `None` = unknown.
    parallelism: Option<i64>,
    /// Why it failed; `None` where it did not.
    pub failure: Option<Failure>,
    /// Seconds that it may take, all of its pods together; `None` without a deadline.
    pub deadline_s: Option<i64>,
    queue: Option<Arc<str>>,
    /// What owns it; see [`owner::of_job`].
    owner: Option<Arc<str>>,
}

impl Known {
    /// What is known of a job, with its uid; `None` without one.
    pub fn of(job: &Job) -> Option<(String, Self)> {
        let uid = job.metadata.uid.clone()?;
        let conditions = || job.status.conditions.iter().flatten().filter(|of| of.is_true());
        let failure = conditions()
            .filter(|of| FAILED.contains(&of.kind.as_str()))
            .filter_map(|of| {
                let at: Timestamp = of.last_transition_time.as_deref()?.parse().ok()?;
                let reason = clean(of.reason.as_deref().unwrap_or("Failed")).into_owned();
                Some(Failure { at, reason, message: of.message.clone() })
            })
            .min_by_key(|failure| failure.at);
        let name = job.metadata.name.as_deref().unwrap_or_default();
        let known = Self {
            job: id(&job.metadata, name),
            parallelism: Some(job.spec.parallelism.unwrap_or(1)),
            failure,
            deadline_s: job.spec.active_deadline_seconds,
            queue: queue(&job.metadata),
            owner: owner::of_job(&job.metadata),
        };
        Some((uid, known))
    }
}

/// Jobs by their uid.
pub(super) type Jobs = HashMap<String, Known>;

/// What a pod is a part of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PartOf {
    /// Id of the job, or of the part of it that the pod is.
    pub job: Arc<str>,
    /// Id of the job whose parts run side by side; `None` for a job of one part.
    pub parts_of: Option<Arc<str>>,
    /// Name of the job.
    pub name: Arc<str>,
    /// Its queue, else its namespace.
    pub queue: Arc<str>,
    /// True for what ends by itself, false for what serves.
    pub is_job: bool,
    /// What owns it, by kind and name; `None` for a pod that stands by itself, and where nobody tells.
    pub owner: Option<Arc<str>>,
}

/// Labels by which operators name the job of a pod, and those that tell its parts apart.
const OPERATORS: [(&str, &[&str]); 3] = [
    (
        owner::JOBSET,
        &[
            "jobset.sigs.k8s.io/replicatedjob-name",
            "jobset.sigs.k8s.io/job-index",
            "batch.kubernetes.io/job-completion-index",
        ],
    ),
    (
        owner::KUBEFLOW,
        &["training.kubeflow.org/replica-type", "training.kubeflow.org/replica-index"],
    ),
    (owner::VOLCANO, &["volcano.sh/task-spec", "volcano.sh/task-index"]),
];

const INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// Labels by which the job of a pod without an owner is known, the present one first.
const JOB_NAMES: [&str; 2] = ["batch.kubernetes.io/job-name", "job-name"];

/// Labels and annotations by which [`PartOf::of`] goes.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    let operators = OPERATORS.into_iter();
    let operators = operators.flat_map(|(name, parts)| parts.iter().copied().chain([name]));
    operators.chain(QUEUES).chain(JOB_NAMES).chain([INDEX]).chain(owner::keys())
}

impl PartOf {
    /// What a pod is a part of.
    pub fn of(pod: &Pod, jobs: &Jobs) -> Self {
        let meta = &pod.metadata;
        let pod_name = meta.name.as_deref().unwrap_or_default();
        let owner = meta.owner();
        let known = owner.and_then(|owner| jobs.get(owner.uid.as_deref()?));
        let queue = queue(meta).or_else(|| known?.queue.clone());
        let queue =
            queue.unwrap_or_else(|| clean(meta.namespace.as_deref().unwrap_or("default")).into());
        let whose = owner::of_pod(meta, known.and_then(|known| known.owner.clone()));
        let made = |name: &str, part: Option<String>, is_job| {
            let base = id(meta, name);
            let (job, parts_of) = match part {
                Some(part) => (format!("{base}/{}", clean(&part)).into(), Some(base)),
                None => (base, None),
            };
            let name = clean(name).into();
            Self { job, parts_of, name, queue: queue.clone(), is_job, owner: whose.clone() }
        };
        for (label, parts) in OPERATORS {
            let Some(name) = meta.label(label) else { continue };
            let of: Vec<&str> = parts.iter().filter_map(|part| meta.noted(part)).collect();
            let part = if of.is_empty() { pod_name.to_owned() } else { of.join("-") };
            return made(name, Some(part), true);
        }
        if let Some(name) = meta.label(owner::RAY) {
            return made(name, Some(pod_name.to_owned()), true);
        }
        if let Some(name) = meta.label(owner::LEADER_WORKER_SET) {
            return Self { name: clean(name).into(), ..made(pod_name, None, false) };
        }
        let by_label = || JOB_NAMES.iter().find_map(|key| meta.label(key));
        let of_job = owner.filter(|owner| owner.kind == "Job").map(|owner| owner.name.as_str());
        if let Some(name) = of_job.or_else(|| owner.is_none().then(by_label).flatten()) {
            // Pods of a job that runs one at a time are one after another: attempts of the same thing.
            let is_alone = known.and_then(|known| known.parallelism) == Some(1);
            let index = meta.noted(INDEX).map(str::to_owned);
            let part = index.or_else(|| (!is_alone).then(|| pod_name.to_owned()));
            return made(name, part, true);
        }
        match owner {
            None => made(pod_name, None, false),
            Some(owner) if SERVICES.contains(&owner.kind.as_str()) => {
                let deployment = owner::deployment(meta, owner);
                let name = clean(deployment.unwrap_or(&owner.name)).into();
                Self { name, ..made(pod_name, None, false) }
            }
            Some(owner) => made(&owner.name, Some(pod_name.to_owned()), true),
        }
    }
}

/// Id of a thing in its namespace.
pub(super) fn id(meta: &Meta, name: &str) -> Arc<str> {
    let namespace = meta.namespace.as_deref().unwrap_or("default");
    format!("{}/{}", clean(namespace), clean(name)).into()
}

fn queue(meta: &Meta) -> Option<Arc<str>> {
    QUEUES.iter().find_map(|key| meta.noted(key)).map(|queue| clean(queue).into())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn part(metadata: Value, jobs: &Jobs) -> (String, Option<String>, String, bool) {
        let mut pod: Pod = serde_json::from_value(json!({ "metadata": metadata })).unwrap();
        pod.metadata.namespace = Some("ml".into());
        let of = PartOf::of(&pod, jobs);
        (of.job.to_string(), of.parts_of.map(|of| of.to_string()), of.name.to_string(), of.is_job)
    }

    fn owned(kind: &str, name: &str) -> Value {
        json!([{"kind": kind, "name": name, "uid": "j1", "controller": true}])
    }

    fn job(parallelism: i64) -> Jobs {
        let job = json!({"metadata": {"name": "train", "namespace": "ml", "uid": "j1"},
            "spec": {"parallelism": parallelism}});
        Known::of(&serde_json::from_value(job).unwrap()).into_iter().collect()
    }

    #[test]
    fn retries_are_attempts_of_one_job_and_pods_side_by_side_are_its_parts() {
        let pod = json!({"name": "train-x1", "ownerReferences": owned("Job", "train")});
        let of = |jobs| part(pod.clone(), &jobs);
        assert_eq!(of(job(1)), ("ml/train".into(), None, "train".into(), true));
        let side_by_side =
            ("ml/train/train-x1".into(), Some("ml/train".into()), "train".into(), true);
        assert_eq!(of(job(4)), side_by_side);
        assert_eq!(of(Jobs::default()), side_by_side, "not known to run one at a time");
        let indexed = json!({"name": "train-3-x1", "ownerReferences": owned("Job", "train"),
            "annotations": {"batch.kubernetes.io/job-completion-index": "3"}});
        let (job_id, parts, ..) = part(indexed, &job(8));
        assert_eq!((job_id.as_str(), parts.as_deref()), ("ml/train/3", Some("ml/train")));
    }

    #[test]
    fn operators_name_jobs_and_parts_by_labels() {
        let torch = json!({"name": "llm-worker-1", "ownerReferences": owned("PyTorchJob", "llm"), "labels": {
            "training.kubeflow.org/job-name": "llm", "training.kubeflow.org/replica-type": "worker",
            "training.kubeflow.org/replica-index": "1"}});
        let none = Jobs::default();
        assert_eq!(
            part(torch, &none),
            ("ml/llm/worker-1".into(), Some("ml/llm".into()), "llm".into(), true)
        );
        let set = json!({"name": "s-w-0-1-x", "ownerReferences": owned("Job", "s-w-0"), "labels": {
            "jobset.sigs.k8s.io/jobset-name": "s", "jobset.sigs.k8s.io/replicatedjob-name": "w",
            "jobset.sigs.k8s.io/job-index": "0", "batch.kubernetes.io/job-completion-index": "1"}});
        assert_eq!(part(set, &none).0, "ml/s/w-0-1");
        let ray = json!({"name": "r-head", "labels": {"ray.io/cluster": "r"}});
        assert_eq!(part(ray, &none).0, "ml/r/r-head");
        let other = json!({"name": "w-1", "ownerReferences": owned("Workflow", "w")});
        assert_eq!(part(other, &none), ("ml/w/w-1".into(), Some("ml/w".into()), "w".into(), true));
    }

    #[test]
    fn what_serves_is_no_job_and_its_pods_are_none_of_each_other() {
        let none = Jobs::default();
        let served = json!({"name": "api-5d9-x", "ownerReferences": owned("ReplicaSet", "api-5d9"),
            "labels": {"pod-template-hash": "5d9"}});
        assert_eq!(part(served, &none), ("ml/api-5d9-x".into(), None, "api".into(), false));
        assert_eq!(
            part(json!({"name": "shell"}), &none),
            ("ml/shell".into(), None, "shell".into(), false)
        );
    }

    #[test]
    fn a_job_fails_when_that_is_clear_and_not_when_its_pods_are_gone() {
        let condition = |kind: &str, at: &str| {
            json!({"type": kind, "status": "True",
            "reason": "DeadlineExceeded", "lastTransitionTime": at})
        };
        let job = json!({"metadata": {"name": "j", "uid": "u"}, "status": {"conditions": [
            condition("Failed", "2026-11-20T10:00:30Z"), condition("FailureTarget", "2026-11-20T10:00:00Z")]}});
        let (_, known) = Known::of(&serde_json::from_value(job).unwrap()).unwrap();
        let failure = known.failure.unwrap();
        assert_eq!(failure.at.to_string(), "2026-11-20T10:00:00Z");
        assert_eq!(failure.state(), JobState::TimedOut);
    }
}
