//! What was told, as the objects of the API: so all rules for pods, jobs and nodes are those of the other way.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::super::wire::{
    Condition, Container, ContainerState, ContainerStatus, Job, JobSpec, JobStatus, Meta, Node,
    NodeAddress, NodeSpec, NodeStatus, Owner, Pod, PodSpec, PodStatus, Requirements, Resources,
    Terminated, Waiting,
};
use super::facts::{JobFacts, NamedNode, NodeFacts, PodFacts};

/// Reasons of a pod's status that tell how it ended.
const ENDS: [&str; 5] =
    ["Evicted", "NodeLost", "Shutdown", "NodeAffinity", "UnexpectedAdmissionError"];

/// Those of them that tell it also of a pod that is gone.
const ENDS_OF_GONE: [&str; 3] = ["Evicted", "NodeLost", "Shutdown"];

/// Reasons of a pod's conditions that stand beside those of its status.
const DISRUPTIONS: [&str; 2] = ["PreemptionByScheduler", "TerminationByKubelet"];

/// Words of a job that ran out of time.
pub(super) const DEADLINE: &str = "DeadlineExceeded";

/// A moment, Unix s, as the API writes it; what is none as it was told, so that it is refused where it is read.
fn text(at: f64) -> String {
    moment(at).map_or_else(|| at.to_string(), |at| at.to_string())
}

/// A moment, Unix s; `None` for what is none.
pub(super) fn moment(at: f64) -> Option<Timestamp> {
    let is_some = at.is_finite() && (0.0..1e12).contains(&at);
    is_some.then(|| Timestamp::from_millisecond((at * 1e3).round() as i64).ok()).flatten()
}

/// Key of a job, which has no id in metrics.
fn job_key(namespace: &str, name: &str) -> String {
    format!("{namespace}/{name}")
}

/// A pod. `gone` is when one was last told of that is gone and was not over.
pub(super) fn pod(uid: &str, of: &PodFacts, gone: Option<Timestamp>) -> Pod {
    let [created, scheduled, started, completed, deleted] = of.times.map(|at| at.map(text));
    let owner = of.owner.as_ref().map(|(kind, name)| Owner {
        api_version: None,
        kind: kind.clone(),
        name: name.clone(),
        uid: (kind == "Job").then(|| job_key(&of.namespace, name)),
        controller: Some(true),
    });
    let disruption = of.disruption.as_deref();
    let disruption =
        disruption.or_else(|| DISRUPTIONS.into_iter().find(|word| of.reasons.contains(*word)));
    let reason = ENDS.into_iter().find(|word| of.reasons.contains(*word));
    // What is gone ended for the reason that was told.
    let is_told = disruption.is_some() || reason.is_some_and(|word| ENDS_OF_GONE.contains(&word));
    let phase = if gone.is_some() && is_told { Some("Failed") } else { of.phase() };
    // What it held it held until it was seen to run for the last time, at least.
    let over = gone.or_else(|| moment(of.open_until?));

    let condition =
        |kind: &str, is_true: bool, reason: Option<&str>, at: Option<String>| Condition {
            kind: kind.to_owned(),
            status: Some(if is_true { "True" } else { "False" }.to_owned()),
            reason: reason.map(str::to_owned),
            message: None,
            last_transition_time: at,
        };
    let conditions = [
        scheduled.map(|at| condition("PodScheduled", true, None, Some(at))),
        (of.is_unschedulable && of.node.is_none())
            .then(|| condition("PodScheduled", false, Some("Unschedulable"), None)),
        disruption.map(|word| condition("DisruptionTarget", true, Some(word), None)),
        over.map(|at| condition("Ready", false, None, Some(at.to_string()))),
    ];
    let mut statuses: Vec<ContainerStatus> =
        of.ended().map(|reason| ended(reason, completed.clone())).collect();
    if statuses.is_empty() && completed.is_some() {
        statuses.push(ended("", completed));
    }
    if let Some(reason) = &of.waits_for {
        let waiting = Some(Waiting { reason: Some(reason.clone()) });
        statuses
            .push(ContainerStatus { state: Some(ContainerState { waiting, terminated: None }) });
    }
    let [containers, init_containers] = [0, 1].map(|kind| {
        let mut all: Vec<Container> = of.requests[kind]
            .iter()
            .map(|(name, asked)| container(asked, kind == 1 && of.sidecars.contains(name)))
            .collect();
        // Their order is not told: those that stay come first, which is the most that the pod may hold.
        all.sort_by_key(|of| of.restart_policy.is_none());
        Some(all)
    });
    Pod {
        metadata: Meta {
            name: Some(of.name.clone()),
            namespace: Some(of.namespace.clone()),
            uid: Some(uid.to_owned()),
            creation_timestamp: created,
            deletion_timestamp: deleted,
            labels: Some(of.labels.clone()),
            annotations: None,
            owner_references: owner.map(|owner| vec![owner]),
        },
        spec: PodSpec {
            node_name: of.node.clone(),
            containers,
            init_containers,
            overhead: None,
            resource_claims: Some(of.claims.iter().map(|_| IgnoredAny).collect()),
            active_deadline_seconds: None,
        },
        status: PodStatus {
            phase: phase.map(str::to_owned),
            reason: reason.map(str::to_owned),
            message: None,
            start_time: started,
            conditions: Some(conditions.into_iter().flatten().collect()),
            container_statuses: Some(statuses),
            init_container_statuses: None,
        },
    }
}

/// A container that ended for a reason. Its exit is not told: `kube_pod_container_status_last_terminated_exitcode` is that of the
/// run before the last restart.
fn ended(reason: &str, at: Option<String>) -> ContainerStatus {
    let terminated = Terminated {
        exit_code: (reason == "Completed").then_some(0),
        signal: None,
        reason: Some(reason.to_owned()).filter(|reason| !reason.is_empty()),
        message: None,
        finished_at: at,
    };
    ContainerStatus { state: Some(ContainerState { waiting: None, terminated: Some(terminated) }) }
}

fn container(asked: &BTreeMap<String, f64>, stays: bool) -> Container {
    let requests = Some(resources(asked));
    Container {
        resources: Some(Requirements { requests, limits: None }),
        restart_policy: stays.then(|| "Always".to_owned()),
    }
}

fn resources(of: &BTreeMap<String, f64>) -> Resources {
    of.iter().map(|(name, amount)| (name.clone(), Value::from(*amount))).collect()
}

/// A job; `None` where it is not told how many of its pods may run at once.
pub(super) fn job(namespace: &str, name: &str, of: &JobFacts) -> Option<Job> {
    let failed = of.failed.as_ref().map(|(reason, by)| {
        // Its time was up when it was up, whenever that was seen.
        let deadline = (reason == DEADLINE).then(|| Some(of.started? + of.deadline_s?)).flatten();
        Condition {
            kind: "Failed".to_owned(),
            status: Some("True".to_owned()),
            reason: Some(reason.clone()),
            message: None,
            last_transition_time: Some(text(deadline.unwrap_or(*by as f64))),
        }
    });
    Some(Job {
        metadata: Meta {
            name: Some(name.to_owned()),
            namespace: Some(namespace.to_owned()),
            uid: Some(job_key(namespace, name)),
            labels: Some(of.labels.clone()),
            ..Meta::default()
        },
        spec: JobSpec {
            parallelism: Some(of.parallelism? as i64),
            active_deadline_seconds: of.deadline_s.map(|seconds| seconds as i64),
        },
        status: JobStatus { conditions: Some(failed.into_iter().collect()) },
    })
}

/// A node while it was the instance of an id.
pub(super) fn node(name: &str, of: &NamedNode, provider: &str, instance: &NodeFacts) -> Node {
    // Of several with this name it was the last that was made before it was seen.
    let made = of.created.iter().copied().filter(|at| *at <= instance.seen).max_by(f64::total_cmp);
    Node {
        metadata: Meta {
            name: Some(name.to_owned()),
            creation_timestamp: made.map(text),
            labels: Some(of.labels.clone()),
            ..Meta::default()
        },
        spec: NodeSpec { provider_id: Some(provider.to_owned()), ..NodeSpec::default() },
        status: NodeStatus {
            capacity: Some(resources(&of.capacity)),
            addresses: Some(vec![NodeAddress {
                kind: "InternalIP".to_owned(),
                address: instance.address.clone(),
            }]),
            ..NodeStatus::default()
        },
    }
}
