//! What AWS Batch is asked and, of its answers, what is read: ids, times, what a job asks for, how it ended. Commands and
//! environments, which may hold secrets, are passed over. Fields missing in an answer are `None`; times are milliseconds since 1970.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::super::calls::{
    DESCRIBE_COMPUTE_ENVIRONMENTS, DESCRIBE_JOB_QUEUES, DESCRIBE_JOBS, LIST_JOBS,
};
use super::super::json_api::{At, Host, Naming, Page, Question, Read, Row, Service};
use super::super::limit::Api;
use crate::domain::text;

/// AWS Batch, called without its SDK crate.
pub const BATCH: Service = Service {
    id: "Batch",
    naming: Naming::Path("/v1/"),
    signing_name: "batch",
    // No limits of reads are published; `SubmitJob` has 50 a second (AWS Batch service quotas).
    api: Api::Own { service: "batch", per_second: 10, burst: 20, in_flight: 4 },
    host,
    is_billed: false,
};

fn host(at: &At<'_>) -> Host {
    let region = at.region;
    let name = match (at.fips, at.dual_stack) {
        (true, false) if region.starts_with("us-gov-") => format!("batch.{region}"),
        (true, false) if at.suffix == "amazonaws.com" => format!("fips.batch.{region}"),
        (true, _) => format!("batch-fips.{region}"),
        (false, _) => format!("batch.{region}"),
    };
    Host { name, signed_for: None }
}

/// Words of Batch for a job that is over.
pub const OVER: [&str; 2] = ["SUCCEEDED", "FAILED"];

/// Words of Batch for one that is not.
pub const OPEN: [&str; 5] = ["SUBMITTED", "PENDING", "RUNNABLE", "STARTING", "RUNNING"];

/// Moment of a number of milliseconds; `None` for 0 and below, which stand for none.
pub fn moment(ms: Option<i64>) -> Option<Timestamp> {
    Timestamp::from_millisecond(ms.filter(|ms| *ms > 0)?).ok()
}

/// Request for a page of job queues.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DescribeJobQueues<'a> {
    /// Names of queues, at most 100; `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_queues: Option<&'a [String]>,
    /// Token of the page; `None` for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
}

impl Question for DescribeJobQueues<'_> {
    const READ: Read = Read::of(&DESCRIBE_JOB_QUEUES, &BATCH);
    type Answer = Page<QueueRow>;
}

/// Job queue.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueRow {
    /// Name of the queue.
    pub job_queue_name: Option<String>,
    /// What it sends jobs to: `ECS`, `ECS_FARGATE`, `EKS`, `SAGEMAKER_TRAINING`.
    pub job_queue_type: Option<String>,
    /// Compute environments to which it sends jobs.
    pub compute_environment_order: Option<Vec<EnvironmentRef>>,
}

impl Row for QueueRow {
    const LIST: &'static str = "jobQueues";
}

/// Compute environment of a queue.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentRef {
    /// Its ARN.
    pub compute_environment: Option<String>,
}

/// Request for a page of compute environments.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DescribeComputeEnvironments {
    /// Token of the page; `None` for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
}

impl Question for DescribeComputeEnvironments {
    const READ: Read = Read::of(&DESCRIBE_COMPUTE_ENVIRONMENTS, &BATCH);
    type Answer = Page<Environment>;
}

/// Compute environment.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Environment {
    /// Its ARN.
    pub compute_environment_arn: Option<String>,
    /// What it starts; `None` where its instances are managed by others.
    pub compute_resources: Option<Resources>,
}

impl Row for Environment {
    const LIST: &'static str = "computeEnvironments";
}

/// What a compute environment starts.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resources {
    /// `EC2`, `SPOT`, `FARGATE`, `FARGATE_SPOT`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Instance types, families of them, or `optimal`.
    pub instance_types: Option<Vec<String>>,
}

impl Resources {
    /// True where it is told what kind it is.
    pub fn is_told(&self) -> bool {
        self.kind.is_some()
    }

    /// True for Spot capacity of EC2.
    pub fn is_spot(&self) -> bool {
        self.kind.as_deref() == Some("SPOT")
    }

    /// The one instance type that it starts; `None` for several, which a family and `optimal` are as well.
    pub fn only_type(&self) -> Option<&str> {
        match self.instance_types.as_deref()? {
            [one] if one.contains('.') => Some(one),
            _ => None,
        }
    }
}

/// Request for a page of jobs: of a queue, or the children of an array or multi-node job.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListJobs<'a> {
    /// Name of the queue. Children are not among its jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_queue: Option<&'a str>,
    /// Id of the array job whose children are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array_job_id: Option<&'a str>,
    /// Id of the multi-node job whose nodes are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multi_node_job_id: Option<&'a str>,
    /// State of those that are wanted. Without it, and without a filter, Batch lists those that run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_status: Option<&'a str>,
    /// At most one filter, in place of a state; children have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters: Option<[Filter; 1]>,
    /// Token of the page; `None` for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
}

impl Question for ListJobs<'_> {
    const READ: Read = Read::of(&LIST_JOBS, &BATCH);
    type Answer = Page<Summary>;
}

/// Filter of a list of jobs.
#[derive(Clone, Debug, Serialize)]
pub struct Filter {
    name: &'static str,
    values: [String; 1],
}

impl Filter {
    /// Those that were submitted at a moment or after it, the newest first.
    pub fn created_since(at: Timestamp) -> Self {
        // One of that very millisecond is not after it.
        let before = at.as_millisecond().saturating_sub(1).max(0);
        Self { name: "AFTER_CREATED_AT", values: [before.to_string()] }
    }
}

/// Job in a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Id of the job.
    pub job_id: Option<String>,
    /// State, one of [`OVER`] or [`OPEN`].
    pub status: Option<String>,
    /// When it was submitted.
    pub created_at: Option<i64>,
    /// When it ended.
    pub stopped_at: Option<i64>,
}

impl Row for Summary {
    const LIST: &'static str = "jobSummaryList";
}

impl Summary {
    /// Its id; `None` for one that is unsafe: it would be sent back.
    pub fn id(&self) -> Option<&str> {
        self.job_id.as_deref().filter(|id| text::is_id(id))
    }

    /// True for one that ended before a moment.
    pub fn has_ended_before(&self, at: Timestamp) -> bool {
        let is_over = self.status.as_deref().is_some_and(|word| OVER.contains(&word));
        is_over && moment(self.stopped_at).is_some_and(|stopped| stopped < at)
    }
}

/// Most jobs that one call describes.
pub const DESCRIBED_AT_ONCE: usize = 100;

/// Request for jobs by their ids.
#[derive(Debug, Serialize)]
pub struct DescribeJobs<'a> {
    /// Ids, at most [`DESCRIBED_AT_ONCE`].
    pub jobs: &'a [String],
}

impl Question for DescribeJobs<'_> {
    const READ: Read = Read::of(&DESCRIBE_JOBS, &BATCH);
    type Answer = Jobs;
}

/// Jobs; those that Batch has forgotten are left out.
#[derive(Debug, Deserialize)]
pub struct Jobs {
    /// In no order.
    pub jobs: Option<Vec<Job>>,
}

/// A job.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Job {
    /// ARN of the job, which tells its account.
    pub job_arn: Option<String>,
    /// Id; of the child of an array `ID:INDEX`, of the node of a multi-node job `ID#INDEX`.
    pub job_id: Option<String>,
    /// Name.
    pub job_name: Option<String>,
    /// ARN of its queue.
    pub job_queue: Option<String>,
    /// State, one of [`OVER`] or [`OPEN`].
    pub status: Option<String>,
    /// Words on the state.
    pub status_reason: Option<String>,
    /// When it was submitted; of a child, when its parent made it.
    pub created_at: Option<i64>,
    /// When it began to run.
    pub started_at: Option<i64>,
    /// When it ended.
    pub stopped_at: Option<i64>,
    /// Its attempts, in their order.
    pub attempts: Option<Vec<AttemptDetail>>,
    /// Jobs that it waits for.
    pub depends_on: Option<Vec<IgnoredAny>>,
    /// Its container.
    pub container: Option<Container>,
    /// Tasks, of a job of several containers.
    pub ecs_properties: Option<EcsProperties>,
    /// Present for a job on EKS.
    pub eks_properties: Option<IgnoredAny>,
    /// Which node it is, of the node of a multi-node job.
    pub node_details: Option<NodeDetails>,
    /// Nodes of a multi-node job.
    pub node_properties: Option<NodeProperties>,
    /// Present for the parent of an array, and for its children.
    pub array_properties: Option<ArrayProperties>,
    /// Time limit of each attempt.
    pub timeout: Option<Timeout>,
    /// Tags.
    pub tags: Option<BTreeMap<String, String>>,
    /// `EC2` or `FARGATE`.
    pub platform_capabilities: Option<Vec<String>>,
    /// True where somebody cancelled it.
    pub is_cancelled: Option<bool>,
    /// True where somebody terminated it.
    pub is_terminated: Option<bool>,
}

impl Job {
    /// Its id; `None` for one that is unsafe.
    pub fn id(&self) -> Option<&str> {
        self.job_id.as_deref().filter(|id| text::is_id(id))
    }

    /// True for one that is over.
    pub fn is_over(&self) -> bool {
        self.status.as_deref().is_some_and(|word| OVER.contains(&word))
    }

    /// True where somebody cancelled or terminated it.
    pub fn is_ended(&self) -> bool {
        [self.is_terminated, self.is_cancelled].contains(&Some(true))
    }

    /// True for an array, whose children are what runs.
    pub fn is_array(&self) -> bool {
        self.array_properties.as_ref().is_some_and(|of| of.size.is_some() && of.index.is_none())
    }

    /// True for a multi-node job, whose nodes are what runs.
    pub fn has_nodes(&self) -> bool {
        self.node_properties.is_some() && self.node_details.is_none()
    }
}

/// Attempt of a job.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptDetail {
    /// Its container.
    pub container: Option<Container>,
    /// Its tasks, of a job of several containers.
    pub task_properties: Option<Vec<Task>>,
    /// When it began to run.
    pub started_at: Option<i64>,
    /// When it ended.
    pub stopped_at: Option<i64>,
    /// Words on its end.
    pub status_reason: Option<String>,
}

/// Container of a job, of an attempt, of a task, or of a range of nodes.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Container {
    /// Exit code.
    pub exit_code: Option<i64>,
    /// Words on its end.
    pub reason: Option<String>,
    /// ARN of the container instance of ECS that it is on.
    pub container_instance_arn: Option<String>,
    /// Instance type, of the node of a multi-node job.
    pub instance_type: Option<String>,
    /// CPUs, where they are not among the requirements.
    pub vcpus: Option<f64>,
    /// Memory, MiB, where it is not among the requirements.
    pub memory: Option<u64>,
    /// What it asks for.
    pub resource_requirements: Option<Vec<Requirement>>,
}

/// Something that a container asks for.
#[derive(Debug, Deserialize)]
pub struct Requirement {
    /// `GPU`, `VCPU`, `MEMORY` (MiB).
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// How much.
    pub value: Option<String>,
}

/// Tasks of a job.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EcsProperties {
    /// One task.
    pub task_properties: Option<Vec<Task>>,
}

/// Task of ECS.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Its containers.
    pub containers: Option<Vec<Container>>,
    /// ARN of the container instance of ECS that it is on.
    pub container_instance_arn: Option<String>,
}

/// Which node of a multi-node job it is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeDetails {
    /// From 0.
    pub node_index: Option<u32>,
}

/// Nodes of a multi-node job.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeProperties {
    /// Number of nodes.
    pub num_nodes: Option<u32>,
    /// What nodes ask for, by their index.
    pub node_range_properties: Option<Vec<NodeRange>>,
}

/// What some nodes ask for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeRange {
    /// Indexes, as `0:3`, `:3`, `4:`; of nested ranges the inner one counts.
    pub target_nodes: Option<String>,
    /// The container of each.
    pub container: Option<Container>,
    /// The tasks of each.
    pub ecs_properties: Option<EcsProperties>,
}

/// Place in an array.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArrayProperties {
    /// Number of children, of the parent.
    pub size: Option<u32>,
    /// Index, of a child.
    pub index: Option<u32>,
    /// Number of children by state, of the parent.
    pub status_summary: Option<BTreeMap<String, i64>>,
}

/// Time limit.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Timeout {
    /// Seconds from the start of an attempt.
    pub attempt_duration_seconds: Option<i64>,
}
