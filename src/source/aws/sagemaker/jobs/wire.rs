//! What SageMaker is asked of its jobs and, of its answers, what is read. Fields missing in an answer are `None`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::super::calls::{
    DESCRIBE_PROCESSING_JOB, DESCRIBE_TRAINING_JOB, LIST_PROCESSING_JOBS, LIST_TRAINING_JOBS,
};
use super::super::super::json_api::{Page, Question, Read, Row};
use super::super::super::time;
use super::super::wire::{PAGE, SAGEMAKER};

/// Which jobs are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those that were changed after this moment, seconds since 1970.
    ChangedAfter(i64),
    /// Those that have not ended.
    InProgress,
}

/// Parameters of both lists.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Asked {
    max_results: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_modified_time_after: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_equals: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

impl Asked {
    fn of(which: Which, next_token: Option<String>) -> Self {
        let (last_modified_time_after, status_equals) = match which {
            Which::ChangedAfter(seconds) => (Some(seconds), None),
            Which::InProgress => (None, Some("InProgress")),
        };
        Self { max_results: PAGE, last_modified_time_after, status_equals, next_token }
    }
}

/// Request for a page of training jobs.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct ListTrainingJobs(Asked);

impl ListTrainingJobs {
    /// The page of a token; `None` for the first.
    pub fn page(which: Which, token: Option<String>) -> Self {
        Self(Asked::of(which, token))
    }
}

impl Question for ListTrainingJobs {
    const READ: Read = Read::of(&LIST_TRAINING_JOBS, &SAGEMAKER);
    type Answer = Page<TrainingRow>;
}

/// Request for a page of processing jobs.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct ListProcessingJobs(Asked);

impl ListProcessingJobs {
    /// The page of a token; `None` for the first.
    pub fn page(which: Which, token: Option<String>) -> Self {
        Self(Asked::of(which, token))
    }
}

impl Question for ListProcessingJobs {
    const READ: Read = Read::of(&LIST_PROCESSING_JOBS, &SAGEMAKER);
    type Answer = Page<ProcessingRow>;
}

/// Job in a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct JobRow {
    /// Name of the job.
    #[serde(alias = "TrainingJobName", alias = "ProcessingJobName")]
    pub name: Option<String>,
    /// Time of the last change.
    #[serde(default, deserialize_with = "time::from_json")]
    pub last_modified_time: Option<Timestamp>,
}

/// Training job in the list.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct TrainingRow(pub JobRow);

impl Row for TrainingRow {
    const LIST: &'static str = "TrainingJobSummaries";
}

/// Processing job in the list.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct ProcessingRow(pub JobRow);

impl Row for ProcessingRow {
    const LIST: &'static str = "ProcessingJobSummaries";
}

/// Request for one training job.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct DescribeTrainingJob<'a> {
    /// Name of the job.
    pub training_job_name: &'a str,
}

impl Question for DescribeTrainingJob<'_> {
    const READ: Read = Read::of(&DESCRIBE_TRAINING_JOB, &SAGEMAKER);
    type Answer = Training;
}

/// Request for one processing job.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct DescribeProcessingJob<'a> {
    /// Name of the job.
    pub processing_job_name: &'a str,
}

impl Question for DescribeProcessingJob<'_> {
    const READ: Read = Read::of(&DESCRIBE_PROCESSING_JOB, &SAGEMAKER);
    type Answer = Processing;
}

/// A training job.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Training {
    /// Name of the job.
    pub training_job_name: Option<String>,
    /// ARN of the job, which tells its account.
    pub training_job_arn: Option<String>,
    /// State: `InProgress`, `Completed`, `Failed`, `Stopping`, `Stopped`.
    pub training_job_status: Option<String>,
    /// State in more detail: `MaxRuntimeExceeded`, `Interrupted`, `Pending`.
    pub secondary_status: Option<String>,
    /// Why it failed.
    pub failure_reason: Option<String>,
    /// Instances that it runs on.
    pub resource_config: Option<Machines>,
    /// When it was submitted.
    #[serde(default, deserialize_with = "time::from_json")]
    pub creation_time: Option<Timestamp>,
    /// When it started on its instances.
    #[serde(default, deserialize_with = "time::from_json")]
    pub training_start_time: Option<Timestamp>,
    /// When it gave its instances back.
    #[serde(default, deserialize_with = "time::from_json")]
    pub training_end_time: Option<Timestamp>,
    /// Stretches of its life.
    pub secondary_status_transitions: Option<Vec<Stretch>>,
    /// Where its checkpoints are.
    pub checkpoint_config: Option<Checkpoints>,
    /// Seconds that are billed of each instance; less than it ran for with managed Spot.
    pub billable_time_in_seconds: Option<u64>,
    /// Its instances after its end.
    pub warm_pool_status: Option<WarmPool>,
    /// Experiment that it belongs to.
    pub experiment_config: Option<Experiment>,
    /// Limits of its time.
    pub stopping_condition: Option<Limits>,
    /// ARN of the tuning job that started it.
    pub tuning_job_arn: Option<String>,
}

/// Limits of the time of a job.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Limits {
    /// Seconds on its instances after which it is stopped.
    pub max_runtime_in_seconds: Option<i64>,
}

/// Instances of a job.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Machines {
    /// Instance type, as in `ml.p4d.24xlarge`.
    pub instance_type: Option<String>,
    /// Number of instances.
    pub instance_count: Option<u32>,
    /// Instances of several types, in place of the two above.
    pub instance_groups: Option<Vec<Group>>,
}

/// Instances of one type of a job.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Group {
    /// Instance type.
    pub instance_type: Option<String>,
    /// Number of instances.
    pub instance_count: Option<u32>,
}

/// Stretch of the life of a training job.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Stretch {
    /// State, as in [`Training::secondary_status`].
    pub status: Option<String>,
    /// When it began.
    #[serde(default, deserialize_with = "time::from_json")]
    pub start_time: Option<Timestamp>,
}

/// Place of checkpoints.
#[derive(Debug, Deserialize)]
pub struct Checkpoints {
    /// Prefix in S3.
    #[serde(rename = "S3Uri")]
    pub s3_uri: Option<String>,
}

/// Instances that are kept after the end of a job.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct WarmPool {
    /// Seconds of it that are billed of each instance.
    pub resource_retained_billable_time_in_seconds: Option<u64>,
}

/// Experiment of a job.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Experiment {
    /// Name of the experiment.
    pub experiment_name: Option<String>,
}

/// A processing job.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Processing {
    /// Name of the job.
    pub processing_job_name: Option<String>,
    /// ARN of the job, which tells its account.
    pub processing_job_arn: Option<String>,
    /// State: `InProgress`, `Completed`, `Failed`, `Stopping`, `Stopped`.
    pub processing_job_status: Option<String>,
    /// Why it failed.
    pub failure_reason: Option<String>,
    /// Instances that it runs on.
    pub processing_resources: Option<ProcessingResources>,
    /// When it was submitted.
    #[serde(default, deserialize_with = "time::from_json")]
    pub creation_time: Option<Timestamp>,
    /// When it started on its instances.
    #[serde(default, deserialize_with = "time::from_json")]
    pub processing_start_time: Option<Timestamp>,
    /// When it gave its instances back.
    #[serde(default, deserialize_with = "time::from_json")]
    pub processing_end_time: Option<Timestamp>,
    /// Experiment that it belongs to.
    pub experiment_config: Option<Experiment>,
    /// Limits of its time.
    pub stopping_condition: Option<Limits>,
}

/// What a processing job runs on.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ProcessingResources {
    /// Its instances.
    pub cluster_config: Option<Machines>,
}
