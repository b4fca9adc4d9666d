//! An attempt: one stretch in which a job held nodes, or waited for them.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Cause, Gpus, JobRef, JobSource, JobState, JobUsage};
use crate::domain::bill::Usd;
use crate::domain::intern;

/// What tells attempts apart: read again, an attempt replaces the one with the same identity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AttemptId {
    /// Where it was read.
    pub source: JobSource,
    /// Cluster; empty where none is named.
    #[serde(deserialize_with = "intern::text")]
    pub cluster: Arc<str>,
    /// Id of the record by which its source keeps it: of Slurm the raw id, which an array that waits does not change.
    #[serde(deserialize_with = "intern::single")]
    pub raw: Arc<str>,
    /// What tells the attempts of a job apart: when it was submitted, the number of the attempt, or its start.
    #[serde(deserialize_with = "intern::single")]
    pub key: Arc<str>,
}

/// One stretch in which a job held nodes, or waited for them. Texts are clean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// Identity.
    pub id: AttemptId,
    /// Id of the job as its source shows it: `8_3` is a task of an array, `11+0` a part of a heterogeneous job.
    #[serde(deserialize_with = "intern::single")]
    pub job: Arc<str>,
    /// Id of the job whose parts ran side by side (a heterogeneous job); `None` for a job of one part.
    pub parts_of: Option<Arc<str>>,
    /// Id of the job whose time includes the time of this one; `None` without one.
    pub parent: Option<Arc<str>>,
    /// What owns it in its scheduler, by kind and name (`pytorchjob.kubeflow.org/llm`): deleted, it ends with all of its pods. `None`
    /// where nobody tells, and of other schedulers than Kubernetes.
    #[serde(deserialize_with = "intern::maybe_text")]
    pub owner: Option<Arc<str>>,
    /// Name of the job.
    #[serde(deserialize_with = "intern::maybe_text")]
    pub name: Option<Arc<str>>,
    /// User.
    #[serde(deserialize_with = "intern::maybe_text")]
    pub user: Option<Arc<str>>,
    /// Team; of Slurm the account.
    #[serde(deserialize_with = "intern::maybe_text")]
    pub team: Option<Arc<str>>,
    /// Project.
    #[serde(deserialize_with = "intern::maybe_text")]
    pub project: Option<Arc<str>>,
    /// Run of an experiment tracker, or the experiment.
    #[serde(deserialize_with = "intern::maybe_text")]
    pub tracker: Option<Arc<str>>,
    /// Partition of Slurm, or the queue of another scheduler.
    #[serde(deserialize_with = "intern::maybe_text")]
    pub queue: Option<Arc<str>>,
    /// State.
    pub state: JobState,
    /// The source's own word for the state.
    #[serde(deserialize_with = "intern::text")]
    pub state_source: Arc<str>,
    /// Why it ended; `None` where nobody tells, and for what did not end or ended well.
    pub cause: Option<Cause>,
    /// The source's own words on the cause.
    #[serde(deserialize_with = "intern::maybe_text")]
    pub reason: Option<Arc<str>>,
    /// When it was submitted, or queued again.
    pub submitted_at: Option<Timestamp>,
    /// From when on nothing but nodes, limits and priority kept it from starting. `None` where nobody tells, and while a dependency,
    /// a hold or a time that was asked for does.
    pub eligible_at: Option<Timestamp>,
    /// Why it waits or waited, as its scheduler keeps it: of Slurm the last reason other than nodes and priority. `None` without one.
    #[serde(deserialize_with = "intern::maybe_text")]
    pub wait_reason: Option<Arc<str>>,
    /// When it got its nodes; `None` = never.
    pub started_at: Option<Timestamp>,
    /// When it gave its nodes back; `None` = not yet, or nobody knows.
    pub ended_at: Option<Timestamp>,
    /// Up to when a running one was witnessed; `None` where it ended or nobody says.
    pub seen_until: Option<Timestamp>,
    /// Names of the nodes, at most [`Attempt::NODES_AT_MOST`].
    #[serde(deserialize_with = "intern::texts")]
    pub nodes: Arc<[Arc<str>]>,
    /// Number of nodes, of one that never started those that it asks for; `None` = unknown.
    pub node_count: Option<u32>,
    /// GPUs held, over all nodes; `None` = unknown, which is not 0.
    pub gpus: Option<Gpus>,
    /// GPUs that it asks for, over all nodes, of an array that waits those of one task; `None` = as many as it holds.
    pub asked_gpus: Option<Gpus>,
    /// CPUs held, over all nodes; `None` = unknown.
    pub cpus: Option<u32>,
    /// Memory held, over all nodes, MiB; `None` = unknown.
    pub memory_mib: Option<u64>,
    /// Model of the GPUs.
    #[serde(deserialize_with = "intern::maybe_text")]
    pub gpu_model: Option<Arc<str>>,
    /// Instance type of the nodes.
    #[serde(deserialize_with = "intern::maybe_text")]
    pub instance_type: Option<Arc<str>>,
    /// Region of the nodes.
    #[serde(deserialize_with = "intern::maybe_text")]
    pub region: Option<Arc<str>>,
    /// Where its checkpoints are.
    #[serde(deserialize_with = "intern::maybe_text")]
    pub checkpoint: Option<Arc<str>>,
    /// When the last complete checkpoint was written.
    pub saved_at: Option<Timestamp>,
    /// When the first step of work began, after start and restore.
    pub first_step_at: Option<Timestamp>,
    /// Predictions that were made; `None` = unknown.
    pub predictions: Option<u64>,
    /// Milliseconds for which each node is billed, where its source tells another time than that between start and end;
    /// `None` = that time.
    pub billed_ms: Option<i64>,
    /// List price of one whole node, where its source has prices of its own: USD per hour, the mean where nodes have
    /// several. `None` = by the instance type.
    pub node_usd_per_hour: Option<Usd>,
    /// Job of a scheduler in which a tracker's run was; `None` where it names none, and for jobs of schedulers.
    pub in_job: Option<Box<JobRef>>,
    /// Time after which its scheduler ends it, milliseconds from its start; `None` without a limit, and where none is told.
    pub time_limit_ms: Option<i64>,
    /// What its site measured of it; `None` where nobody did, or not on all of its nodes.
    pub usage: Option<Box<JobUsage>>,
}

impl Attempt {
    /// Names of nodes that are kept.
    pub const NODES_AT_MOST: usize = 4_096;

    /// An attempt of which nothing more is known.
    pub fn new(id: AttemptId, job: Arc<str>, state: JobState, state_source: Arc<str>) -> Self {
        Self {
            id,
            job,
            parts_of: None,
            parent: None,
            owner: None,
            name: None,
            user: None,
            team: None,
            project: None,
            tracker: None,
            queue: None,
            state,
            state_source,
            cause: None,
            reason: None,
            submitted_at: None,
            eligible_at: None,
            wait_reason: None,
            started_at: None,
            ended_at: None,
            seen_until: None,
            nodes: Arc::default(),
            node_count: None,
            gpus: None,
            asked_gpus: None,
            cpus: None,
            memory_mib: None,
            gpu_model: None,
            instance_type: None,
            region: None,
            checkpoint: None,
            saved_at: None,
            first_step_at: None,
            predictions: None,
            billed_ms: None,
            node_usd_per_hour: None,
            in_job: None,
            time_limit_ms: None,
            usage: None,
        }
    }

    /// True for an attempt of the same job.
    pub fn is_of_same_job(&self, other: &Self) -> bool {
        self.id.source == other.id.source
            && self.job == other.job
            && self.id.cluster == other.id.cluster
    }

    /// For how long nodes were held, milliseconds, 0 or more: from start to end, suspension included. 0 for what never started
    /// and for a doubtful one; `None` where the end is unknown.
    pub fn held_ms(&self) -> Option<i64> {
        held_ms(self.state, self.started_at, self.ended_at.or(self.seen_until))
    }

    /// For how long it waited before it started, milliseconds; `None` where it did not start, where nobody says when it was
    /// submitted, and where the clocks disagree.
    pub fn waited_ms(&self) -> Option<i64> {
        let (from, to) = (self.submitted_at?, self.started_at?);
        let waited = to.as_millisecond().saturating_sub(from.as_millisecond());
        (waited >= 0).then_some(waited)
    }
}

/// See [`Attempt::held_ms`]; `end` is when nodes were given back, else up to when they are known to be held.
pub(super) fn held_ms(
    state: JobState,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
) -> Option<i64> {
    let Some(start) = start else { return Some(0) };
    if matches!(state, JobState::Queued | JobState::Doubtful) {
        return Some(0);
    }
    Some(end?.as_millisecond().saturating_sub(start.as_millisecond()).max(0))
}
