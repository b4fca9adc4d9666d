//! What is read of the objects of Kubernetes; everything else is passed over.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// Quantities by the name of the resource.
pub(super) type Resources = BTreeMap<String, Value>;

/// A page of a list.
#[derive(Deserialize)]
pub(super) struct List<T> {
    #[serde(default)]
    pub kind: Option<String>,
    #[serde(default)]
    pub metadata: Option<ListMeta>,
    #[serde(default = "Option::default")]
    pub items: Option<Vec<T>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ListMeta {
    #[serde(rename = "continue")]
    pub next: Option<String>,
}

/// Why a request failed.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Status {
    pub kind: Option<String>,
    pub message: Option<String>,
}

/// `/version`.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Version {
    pub git_version: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Meta {
    pub name: Option<String>,
    pub namespace: Option<String>,
    pub uid: Option<String>,
    pub creation_timestamp: Option<String>,
    pub deletion_timestamp: Option<String>,
    pub labels: Option<BTreeMap<String, String>>,
    pub annotations: Option<BTreeMap<String, String>>,
    pub owner_references: Option<Vec<Owner>>,
}

impl Meta {
    /// Value of a label; `None` where it is not there or empty.
    pub fn label(&self, key: &str) -> Option<&str> {
        let value = self.labels.as_ref()?.get(key)?;
        Some(value.as_str()).filter(|value| !value.is_empty())
    }

    /// Value of a label, else of an annotation.
    pub fn noted(&self, key: &str) -> Option<&str> {
        let annotation = || Some(self.annotations.as_ref()?.get(key)?.as_str());
        self.label(key).or_else(|| annotation().filter(|value| !value.is_empty()))
    }

    /// Who controls it.
    pub fn owner(&self) -> Option<&Owner> {
        self.owner_references.iter().flatten().find(|owner| owner.controller == Some(true))
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Owner {
    /// `GROUP/VERSION`, of the core group the version alone; `None` where it is not told, as by metrics.
    pub api_version: Option<String>,
    pub kind: String,
    pub name: String,
    pub uid: Option<String>,
    pub controller: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Pod {
    pub metadata: Meta,
    pub spec: PodSpec,
    pub status: PodStatus,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PodSpec {
    pub node_name: Option<String>,
    pub containers: Option<Vec<Container>>,
    pub init_containers: Option<Vec<Container>>,
    pub overhead: Option<Resources>,
    pub resource_claims: Option<Vec<IgnoredAny>>,
    pub active_deadline_seconds: Option<i64>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Container {
    pub resources: Option<Requirements>,
    /// Of an init container `Always`: a sidecar, which stays.
    pub restart_policy: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Requirements {
    pub requests: Option<Resources>,
    pub limits: Option<Resources>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PodStatus {
    pub phase: Option<String>,
    pub reason: Option<String>,
    pub message: Option<String>,
    pub start_time: Option<String>,
    pub conditions: Option<Vec<Condition>>,
    pub container_statuses: Option<Vec<ContainerStatus>>,
    pub init_container_statuses: Option<Vec<ContainerStatus>>,
}

impl PodStatus {
    /// The condition of a type.
    pub fn condition(&self, of: &str) -> Option<&Condition> {
        self.conditions.iter().flatten().find(|condition| condition.kind == of)
    }

    /// Ends of containers, those of init containers last.
    pub fn ends(&self) -> impl Iterator<Item = &Terminated> {
        let all = self.container_statuses.iter().chain(&self.init_container_statuses).flatten();
        all.filter_map(|of| of.state.as_ref()?.terminated.as_ref())
    }

    /// True where each container tells its end, init containers aside.
    pub fn has_ended(&self) -> bool {
        let ended =
            |of: &ContainerStatus| of.state.as_ref().is_some_and(|s| s.terminated.is_some());
        self.container_statuses.iter().flatten().all(ended)
    }

    /// Why a container waits; `None` where none does.
    pub fn waits_for(&self) -> Option<&str> {
        let all = self.container_statuses.iter().chain(&self.init_container_statuses).flatten();
        let mut reasons =
            all.filter_map(|of| of.state.as_ref()?.waiting.as_ref()?.reason.as_deref());
        // These two say nothing: each pod has them at first.
        reasons.find(|word| !matches!(*word, "ContainerCreating" | "PodInitializing"))
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Condition {
    #[serde(rename = "type")]
    pub kind: String,
    pub status: Option<String>,
    pub reason: Option<String>,
    pub message: Option<String>,
    pub last_transition_time: Option<String>,
}

impl Condition {
    pub fn is_true(&self) -> bool {
        self.status.as_deref() == Some("True")
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ContainerStatus {
    pub state: Option<ContainerState>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ContainerState {
    pub waiting: Option<Waiting>,
    pub terminated: Option<Terminated>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Waiting {
    pub reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Terminated {
    /// `None` where it is not told, as by metrics.
    pub exit_code: Option<i64>,
    pub signal: Option<i64>,
    pub reason: Option<String>,
    pub message: Option<String>,
    pub finished_at: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Job {
    pub metadata: Meta,
    pub spec: JobSpec,
    pub status: JobStatus,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct JobSpec {
    pub parallelism: Option<i64>,
    pub active_deadline_seconds: Option<i64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct JobStatus {
    pub conditions: Option<Vec<Condition>>,
}

/// `/apis/GROUP`.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ApiGroup {
    pub versions: Option<Vec<GroupVersion>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct GroupVersion {
    pub version: String,
}

/// What Kueue admits.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Workload {
    pub metadata: Meta,
    pub spec: WorkloadSpec,
    pub status: WorkloadStatus,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct WorkloadSpec {
    pub queue_name: Option<String>,
    /// False = nobody wants it to run.
    pub active: Option<bool>,
    pub pod_sets: Option<Vec<PodSet>>,
}

/// Pods that are alike.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct PodSet {
    /// Number of them; `None` = one.
    pub count: Option<i64>,
    pub template: PodTemplate,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct PodTemplate {
    pub metadata: Meta,
    pub spec: PodSpec,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct WorkloadStatus {
    pub conditions: Option<Vec<Condition>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub metadata: Meta,
    pub spec: NodeSpec,
    pub status: NodeStatus,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct NodeSpec {
    #[serde(rename = "providerID")]
    pub provider_id: Option<String>,
    pub taints: Option<Vec<Taint>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Taint {
    pub key: String,
    pub time_added: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct NodeStatus {
    pub capacity: Option<Resources>,
    pub addresses: Option<Vec<NodeAddress>>,
    pub conditions: Option<Vec<Condition>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct NodeAddress {
    #[serde(rename = "type")]
    pub kind: String,
    pub address: String,
}
