//! What a source said, when, about what, and how completely.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::error::SourceError;
use super::scope::Scope;

/// Source of data, as the header and `readings[]` in JSON name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceId {
    /// STS `GetCallerIdentity` and the list of enabled regions.
    Identity,
    /// EC2 inventory: the list of instances.
    Ec2,
    /// EC2 instance types and their hardware.
    Types,
    /// CloudWatch metrics of instances, hourly.
    CloudWatch,
    /// On-demand list prices of EC2.
    Prices,
    /// Spot prices at the moment.
    Spot,
    /// GPU telemetry from a Prometheus HTTP API.
    Prometheus,
    /// GPU telemetry scraped from exporters.
    Exporter,
    /// NVML: the GPUs of this host.
    Nvml,
    /// GPU telemetry from CloudWatch, by the minute.
    CloudWatchGpu,
    /// `nvidia-smi` on hosts, over ssh.
    Ssh,
    /// S3 buckets: names, configuration, daily sizes.
    S3,
    /// EBS volumes and snapshots.
    Ebs,
    /// Reserved Instances, Savings Plans and capacity reservations.
    Commitments,
    /// Spot prices of the last days.
    SpotHistory,
    /// Instance types offered in each zone.
    Offerings,
    /// Notebooks, endpoints, addresses, NAT gateways, load balancers.
    Resources,
    /// Jobs of Slurm.
    Slurm,
    /// Training and processing jobs of SageMaker.
    SageMaker,
    /// Runs of MLflow.
    MlFlow,
    /// Jobs of a Ray cluster.
    Ray,
    /// Pods and jobs of Kubernetes.
    Kubernetes,
    /// Jobs of AWS Batch.
    Batch,
}

/// Some of the sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceSet(u32);

impl SourceSet {
    /// These.
    pub fn of(sources: &[SourceId]) -> Self {
        Self(sources.iter().fold(0, |bits, source| bits | 1 << (*source as u8)))
    }

    /// Adds a source.
    pub fn add(&mut self, source: SourceId) {
        *self = self.and(Self::of(&[source]));
    }

    /// These and the others.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// True where a source is in both.
    pub fn meets(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }
}

impl SourceId {
    /// All sources, in the order of the header.
    pub const ALL: [Self; 23] = [
        Self::Identity,
        Self::Ec2,
        Self::CloudWatch,
        Self::Prometheus,
        Self::Exporter,
        Self::Nvml,
        Self::Ssh,
        Self::CloudWatchGpu,
        Self::Prices,
        Self::Spot,
        Self::Types,
        Self::S3,
        Self::Ebs,
        Self::Commitments,
        Self::SpotHistory,
        Self::Offerings,
        Self::Resources,
        Self::Slurm,
        Self::SageMaker,
        Self::MlFlow,
        Self::Ray,
        Self::Kubernetes,
        Self::Batch,
    ];

    /// True for the sources of GPU telemetry.
    pub fn is_gpu(self) -> bool {
        matches!(
            self,
            Self::Prometheus | Self::Exporter | Self::Nvml | Self::Ssh | Self::CloudWatchGpu
        )
    }

    /// True for the sources of storage.
    pub fn is_storage(self) -> bool {
        matches!(self, Self::S3 | Self::Ebs)
    }

    /// Short name in the header and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Identity => "sts",
            Self::Ec2 => "ec2",
            Self::Types => "types",
            Self::CloudWatch => "cw",
            Self::Prices => "prices",
            Self::Spot => "spot",
            Self::Prometheus => "prom",
            Self::Exporter => "dcgm",
            Self::Nvml => "nvml",
            Self::CloudWatchGpu => "cw-gpu",
            Self::Ssh => "ssh",
            Self::S3 => "s3",
            Self::Ebs => "ebs",
            Self::Commitments => "commitments",
            Self::SpotHistory => "spot-history",
            Self::Offerings => "offerings",
            Self::Resources => "resources",
            Self::Slurm => "slurm",
            Self::SageMaker => "sagemaker",
            Self::MlFlow => "mlflow",
            Self::Ray => "ray",
            Self::Kubernetes => "kubernetes",
            Self::Batch => "batch",
        }
    }
}

/// The result of one reading of one source in one scope, without its payload: what the header,
/// the event log and `readings[]` of the JSON show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Source that was read.
    pub source: SourceId,
    /// Account and region that were read.
    pub scope: Scope,
    /// Time of the last successful reading; `None` when there never was one.
    pub taken_at: Option<Timestamp>,
    /// Share of the requested facts that were answered, 0–1.
    pub coverage: f32,
    /// State of the source.
    pub state: SourceState,
}

impl Reading {
    /// Merges lists of readings in this order; of readings with the same source and scope the first stays.
    pub fn merged<'a>(all: impl IntoIterator<Item = &'a Self>) -> Vec<Self> {
        let mut told = HashSet::new();
        let all = all.into_iter();
        all.filter(|r| told.insert((r.source, &r.scope))).cloned().collect()
    }

    /// Why the last request failed; `None` where it did not.
    pub fn failed(&self) -> Option<&SourceError> {
        match &self.state {
            SourceState::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// The failure in words, such as `s3 111122223333/eu-west-1 denied: s3:ListBuckets: access denied; allow it`: source,
    /// scope, kind, error, and what helps behind a semicolon. `None` where the last request did not fail.
    pub fn trouble(&self) -> Option<String> {
        let error = self.failed()?.with_fix();
        Some(format!("{} {} {}: {error}", self.source.word(), self.scope, self.state.word()))
    }
}

/// State of a source in one scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SourceState {
    /// Not read yet in this run; what is shown comes from the cache.
    Cached,
    /// A request is running.
    Loading,
    /// The last request was answered.
    Live,
    /// The last request failed; the last good value stays on screen.
    Failed(Arc<SourceError>),
}

impl SourceState {
    /// Name in JSON: `cached`, `loading`, `live`, or the kind of the failure such as `denied`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Cached => "cached",
            Self::Loading => "loading",
            Self::Live => "live",
            Self::Failed(e) => e.kind.word(),
        }
    }
}
