//! Columns of burntop's own files of jobs.

use super::error::JobsFileError;

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Id,
    Attempt,
    Parent,
    Cluster,
    Name,
    User,
    Team,
    Project,
    Tracker,
    Status,
    Exit,
    Reason,
    Submit,
    Eligible,
    Start,
    End,
    Nodes,
    Count,
    Gpus,
    GpuModel,
    Cpus,
    MemoryGib,
    InstanceType,
    Region,
    Checkpoint,
    SavedAt,
    FirstStepAt,
    Predictions,
    Log,
    Seen,
    SlurmJob,
    SlurmCluster,
    KubernetesPod,
    KubernetesJob,
    SageMakerJob,
    RayJob,
}

use Column as C;

/// Columns with their names, ours first.
pub(super) const COLUMNS: [(Column, &[&str]); 36] = [
    (C::Id, &["id", "job_id", "jobid"]),
    (C::Attempt, &["attempt"]),
    (C::Parent, &["parent", "parent_id"]),
    (C::Cluster, &["cluster"]),
    (C::Name, &["name", "job_name"]),
    (C::User, &["user", "owner"]),
    (C::Team, &["team", "account"]),
    (C::Project, &["project"]),
    (C::Tracker, &["experiment", "tracker"]),
    (C::Status, &["status", "state"]),
    (C::Exit, &["exit", "exit_code"]),
    (C::Reason, &["reason"]),
    (C::Submit, &["submit", "submitted_at", "submit_time"]),
    (C::Eligible, &["eligible", "eligible_at", "eligible_time"]),
    (C::Start, &["start", "started_at", "start_time"]),
    (C::End, &["end", "ended_at", "end_time"]),
    (C::Nodes, &["nodes", "node"]),
    (C::Count, &["count", "instance_count", "node_count"]),
    (C::Gpus, &["gpus"]),
    (C::GpuModel, &["gpu_model", "model"]),
    (C::Cpus, &["cpus"]),
    (C::MemoryGib, &["memory_gib"]),
    (C::InstanceType, &["instance_type"]),
    (C::Region, &["region"]),
    (C::Checkpoint, &["checkpoint_uri", "checkpoint"]),
    (C::SavedAt, &["checkpoint_at", "saved_at"]),
    (C::FirstStepAt, &["first_step_at"]),
    (C::Predictions, &["predictions"]),
    (C::Log, &["log", "stderr"]),
    (C::Seen, &["seen_until", "heartbeat_at"]),
    (C::SlurmJob, &["slurm_job_id", "slurm_jobid"]),
    (C::SlurmCluster, &["slurm_cluster_name"]),
    (C::KubernetesPod, &["kubernetes_pod_uid", "pod_uid", "kubernetes_pod_name", "pod_name"]),
    (C::KubernetesJob, &["kubernetes_job", "kubernetes_job_name", "k8s_job_name"]),
    (C::SageMakerJob, &["training_job_name", "sm_training_job"]),
    (C::RayJob, &["ray_submission_id", "ray_job_submission_id"]),
];

/// Columns by which a run of a tracker names the job of a scheduler in which it was.
pub(super) const JOB_LABELS: [Column; 6] =
    [C::SlurmJob, C::SlurmCluster, C::KubernetesPod, C::KubernetesJob, C::SageMakerJob, C::RayJob];

impl Column {
    /// Column of this name, ignoring ASCII case; `None` for another one, which is passed over.
    pub(super) fn named(name: &str) -> Option<Self> {
        let name = name.trim();
        let has = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        COLUMNS.iter().find(|(_, names)| has(names)).map(|(column, _)| *column)
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        COLUMNS[self as usize].1[0]
    }
}

/// Values of a row by column; each is empty where the file has none.
pub(super) type Values = [String; COLUMNS.len()];

/// Columns of a head, `None` for one that is passed over. Err where one that is needed is missing, or stands twice.
pub(super) fn of_head<'a>(
    names: impl Iterator<Item = &'a str>,
) -> Result<Vec<Option<Column>>, JobsFileError> {
    let columns: Vec<Option<Column>> = names.map(Column::named).collect();
    let count = |wanted: Column| columns.iter().flatten().filter(|c| **c == wanted).count();
    if let Some((twice, _)) = COLUMNS.iter().find(|(column, _)| count(*column) > 1) {
        return Err(JobsFileError::TwoColumns(twice.name()));
    }
    for needed in [C::Id, C::Start, C::End, C::Status] {
        if count(needed) == 0 {
            return Err(JobsFileError::NoColumn(needed.name()));
        }
    }
    let names_jobs = JOB_LABELS.into_iter().any(|column| count(column) > 0);
    if count(C::Gpus) == 0 && count(C::InstanceType) == 0 && !names_jobs {
        return Err(JobsFileError::NoColumn(C::Gpus.name()));
    }
    Ok(columns)
}

/// A row of which every value is still to come.
pub(super) fn no_values() -> Values {
    std::array::from_fn(|_| String::new())
}
