//! What owns a pod, by the kind and the name under which `kubectl delete` ends it: `pytorchjob.kubeflow.org/llm`.
//!
//! A pod names what made it, which is not always what its user made: the `Job` of a `JobSet`, the `ReplicaSet` of a `Deployment`.
//! Deleted, these are made anew; so labels tell the one above, as the operators set them.

use std::sync::Arc;

use super::wire::{Meta, Owner};

/// Label with the name of the `JobSet` that a pod is of.
pub(super) const JOBSET: &str = "jobset.sigs.k8s.io/jobset-name";

/// Label with the name of the job of one of Kubeflow's operators.
pub(super) const KUBEFLOW: &str = "training.kubeflow.org/job-name";

/// Label with the name of the job of Volcano.
pub(super) const VOLCANO: &str = "volcano.sh/job-name";

/// Label with the name of the cluster of Ray.
pub(super) const RAY: &str = "ray.io/cluster";

/// Label with the name of the `LeaderWorkerSet`.
pub(super) const LEADER_WORKER_SET: &str = "leaderworkerset.sigs.k8s.io/name";

/// Label of what belongs to a `TrainJob` of Kubeflow's Trainer, which makes a `JobSet` of its own name.
const TRAIN_JOB: &str = "trainer.kubeflow.org/trainjob-ancestor-step";

/// Label of the operator of a job of Kubeflow: `pytorchjob-controller`.
const OPERATOR: &str = "training.kubeflow.org/operator-name";

/// Labels of the kind and the name of what made the cluster of Ray.
const FROM_RAY: [&str; 2] = ["ray.io/originated-from-crd", "ray.io/originated-from-cr-name"];

/// Label with the end of the name of the `ReplicaSet` of a `Deployment`.
const HASH: &str = "pod-template-hash";

/// Longest name of an object of Kubernetes.
const NAME_AT_MOST: usize = 253;

/// Labels by which owners are told.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    [RAY, LEADER_WORKER_SET, TRAIN_JOB, OPERATOR, HASH].into_iter().chain(FROM_RAY)
}

/// What owns a pod; `of_job` is what owns its job. `None` for one that stands by itself, and where the names are none.
pub(super) fn of_pod(meta: &Meta, of_job: Option<Arc<str>>) -> Option<Arc<str>> {
    of_job.or_else(|| by_labels(meta)).or_else(|| by_reference(meta))
}

/// What owns a job and would make it anew; `None` for one that stands by itself, as those do that a `CronJob` made.
pub(super) fn of_job(meta: &Meta) -> Option<Arc<str>> {
    meta.owner().filter(|owner| owner.kind != "CronJob")?;
    by_labels(meta).or_else(|| by_reference(meta))
}

/// What made it, or what that belongs to as far as its name tells.
pub(super) fn by_reference(meta: &Meta) -> Option<Arc<str>> {
    let owner = meta.owner()?;
    match owner.kind.as_str() {
        // What runs on a node by its files is deleted there.
        "Node" => None,
        "ReplicaSet" => match deployment(meta, owner) {
            Some(name) => named("deployment.apps", name),
            None => named(&kind(owner)?, &owner.name),
        },
        _ => named(&kind(owner)?, &owner.name),
    }
}

/// Name of the `Deployment` whose `ReplicaSet` owns a pod: its name without the hash. `None` where the name does not end with it.
pub(super) fn deployment<'a>(meta: &Meta, owner: &'a Owner) -> Option<&'a str> {
    owner.name.strip_suffix(meta.label(HASH)?)?.strip_suffix('-')
}

fn by_labels(meta: &Meta) -> Option<Arc<str>> {
    if let Some(name) = meta.label(JOBSET) {
        let kind = match meta.label(TRAIN_JOB) {
            Some(_) => "trainjob.trainer.kubeflow.org",
            None => "jobset.jobset.x-k8s.io",
        };
        return named(kind, name);
    }
    if let Some(name) = meta.label(LEADER_WORKER_SET) {
        return named("leaderworkerset.leaderworkerset.x-k8s.io", name);
    }
    let [ray_kind, ray_name] = FROM_RAY.map(|key| meta.label(key));
    if let (Some(kind @ ("RayJob" | "RayService")), Some(name)) = (ray_kind, ray_name) {
        return named(&format!("{}.ray.io", kind.to_ascii_lowercase()), name);
    }
    // What is owned by another kind than a `Job` names it.
    meta.owner().filter(|owner| owner.kind == "Job")?;
    if let Some(name) = meta.label(VOLCANO) {
        return named("job.batch.volcano.sh", name);
    }
    let (name, operator) = (meta.label(KUBEFLOW)?, meta.label(OPERATOR)?);
    // The second version of the operator of MPI, which starts its launcher by a `Job`.
    let kind =
        if operator == "mpi-operator" { "mpijob" } else { operator.strip_suffix("-controller")? };
    named(&format!("{kind}.kubeflow.org"), name)
}

/// A kind with its group, as kubectl names it; without the group where that is not told, and of the core group.
fn kind(of: &Owner) -> Option<String> {
    let kind = of.kind.to_ascii_lowercase();
    let group = of.api_version.as_deref().and_then(|version| version.split_once('/'));
    (!kind.is_empty())
        .then(|| group.map_or_else(|| kind.clone(), |(group, _)| format!("{kind}.{group}")))
}

/// A kind and a name; `None` where they cannot be those of an object of Kubernetes.
fn named(kind: &str, name: &str) -> Option<Arc<str>> {
    let is_label =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    let is_one = |text: &str| {
        let has_ends = !text.starts_with(['-', '.']) && !text.ends_with(['-', '.']);
        has_ends && (1..=NAME_AT_MOST).contains(&text.len()) && text.bytes().all(is_label)
    };
    (is_one(kind) && is_one(name)).then(|| format!("{kind}/{name}").into())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn meta(labels: Value, owner: Option<[&str; 3]>) -> Meta {
        let owners = owner.map(|[version, kind, name]| {
            json!([{"apiVersion": version, "kind": kind, "name": name, "uid": "u", "controller": true}])
        });
        serde_json::from_value(json!({"name": "p", "labels": labels, "ownerReferences": owners}))
            .unwrap()
    }

    fn of(labels: Value, owner: Option<[&str; 3]>) -> Option<String> {
        of_pod(&meta(labels, owner), None).map(|owner| owner.to_string())
    }

    #[test]
    fn operators_own_their_pods_by_their_kind() {
        let kubeflow = "kubeflow.org/v1";
        for (kind, name) in [
            ("PyTorchJob", "pytorchjob.kubeflow.org/llm"),
            ("TFJob", "tfjob.kubeflow.org/llm"),
            ("MPIJob", "mpijob.kubeflow.org/llm"),
            ("XGBoostJob", "xgboostjob.kubeflow.org/llm"),
            ("PaddleJob", "paddlejob.kubeflow.org/llm"),
            ("JAXJob", "jaxjob.kubeflow.org/llm"),
        ] {
            let operator = format!("{}-controller", kind.to_ascii_lowercase());
            let labels = json!({"training.kubeflow.org/job-name": "llm",
                "training.kubeflow.org/operator-name": operator, "training.kubeflow.org/replica-type": "worker"});
            assert_eq!(of(labels, Some([kubeflow, kind, "llm"])).as_deref(), Some(name));
        }
        // The launcher of an MPIJob is the pod of a Job.
        let launcher = json!({"training.kubeflow.org/job-name": "hpl",
            "training.kubeflow.org/operator-name": "mpi-operator", "training.kubeflow.org/job-role": "launcher"});
        let by_job = Some(["batch/v1", "Job", "hpl-launcher"]);
        assert_eq!(of(launcher, by_job).as_deref(), Some("mpijob.kubeflow.org/hpl"));
        let volcano = json!({"volcano.sh/job-name": "v", "volcano.sh/task-spec": "w"});
        for version in ["batch.volcano.sh/v1alpha1", ""] {
            let owner = of(volcano.clone(), Some([version, "Job", "v"]));
            assert_eq!(
                owner.as_deref(),
                Some("job.batch.volcano.sh/v"),
                "none of batch: {version:?}"
            );
        }
    }

    #[test]
    fn what_would_make_a_pod_anew_is_what_owns_it() {
        let set =
            json!({"jobset.sigs.k8s.io/jobset-name": "s", "jobset.sigs.k8s.io/job-index": "0"});
        let by_job = Some(["batch/v1", "Job", "s-w-0"]);
        assert_eq!(of(set.clone(), by_job).as_deref(), Some("jobset.jobset.x-k8s.io/s"));
        let job_labels = json!({"jobset.sigs.k8s.io/jobset-name": "s",
            "trainer.kubeflow.org/trainjob-ancestor-step": "trainer"});
        let job = of_job(&meta(job_labels, Some(["jobset.x-k8s.io/v1alpha2", "JobSet", "s"])));
        let owner = of_pod(&meta(set, by_job), job);
        assert_eq!(owner.as_deref(), Some("trainjob.trainer.kubeflow.org/s"), "as its job tells");
        let ray = json!({"ray.io/cluster": "r-x1", "ray.io/node-type": "worker"});
        let by_cluster = Some(["ray.io/v1", "RayCluster", "r-x1"]);
        assert_eq!(of(ray, by_cluster).as_deref(), Some("raycluster.ray.io/r-x1"));
        let from_job = json!({"ray.io/cluster": "r-x1", "ray.io/originated-from-crd": "RayJob",
            "ray.io/originated-from-cr-name": "r"});
        assert_eq!(of(from_job, by_cluster).as_deref(), Some("rayjob.ray.io/r"));
        let served = json!({"pod-template-hash": "5d9"});
        let by_set = Some(["apps/v1", "ReplicaSet", "api-5d9"]);
        assert_eq!(of(served, by_set).as_deref(), Some("deployment.apps/api"));
        assert_eq!(of(json!({}), by_set).as_deref(), Some("replicaset.apps/api-5d9"));
        let stateful = Some(["apps/v1", "StatefulSet", "web"]);
        assert_eq!(of(json!({}), stateful).as_deref(), Some("statefulset.apps/web"));
        let leader = json!({"leaderworkerset.sigs.k8s.io/name": "vllm", "leaderworkerset.sigs.k8s.io/group-index": "0"});
        let owner = of(leader, Some(["apps/v1", "StatefulSet", "vllm-0"]));
        assert_eq!(owner.as_deref(), Some("leaderworkerset.leaderworkerset.x-k8s.io/vllm"));
    }

    #[test]
    fn a_job_of_its_own_owns_its_pods_and_a_pod_of_its_own_is_owned_by_nothing() {
        let by_job = Some(["batch/v1", "Job", "train"]);
        assert_eq!(of(json!({}), by_job).as_deref(), Some("job.batch/train"));
        let by_cron = meta(json!({}), Some(["batch/v1", "CronJob", "nightly"]));
        assert_eq!(of_job(&by_cron), None, "the next night has a job of its own");
        assert_eq!(of_job(&meta(json!({}), None)), None);
        assert_eq!(of(json!({}), None), None);
        assert_eq!(of(json!({}), Some(["v1", "Node", "n1"])), None);
    }

    #[test]
    fn what_no_object_is_called_owns_nothing() {
        for name in ["", "a b", "a/b", "-x", "x;reboot", "$(x)", "a\nb", "Upper"] {
            assert_eq!(of(json!({}), Some(["batch/v1", "Job", name])), None, "{name:?}");
            assert_eq!(of(json!({"jobset.sigs.k8s.io/jobset-name": name}), None), None, "{name:?}");
        }
        for kind in ["", "job,pod", "a b"] {
            assert_eq!(of(json!({}), Some(["batch/v1", kind, "x"])), None, "{kind:?}");
        }
        assert_eq!(of(json!({}), Some(["a b/v1", "Job", "x"])), None);
        let long = "x".repeat(254);
        assert_eq!(of(json!({}), Some(["batch/v1", "Job", &long])), None);
    }
}
