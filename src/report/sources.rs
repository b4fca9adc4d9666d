//! Which sources each list rests on: its `readings[]` name these, whatever else was read beside them.

use crate::domain::SourceId::{
    self, CloudWatch, CloudWatchGpu, Commitments, Ebs, Ec2, Exporter, Identity, Nvml, Offerings,
    Prices, Prometheus, Resources, S3, Spot, SpotHistory, Ssh, Types,
};

/// GPUs, and the instances that they are of.
pub(super) const GPUS: &[SourceId] = &[
    Identity,
    Ec2,
    Types,
    CloudWatch,
    Prices,
    Spot,
    Prometheus,
    Exporter,
    Nvml,
    CloudWatchGpu,
    Ssh,
];

/// Instances, net of commitments.
pub(super) const INSTANCES: &[SourceId] = &[
    Identity,
    Ec2,
    Types,
    CloudWatch,
    Prices,
    Spot,
    Prometheus,
    Exporter,
    Nvml,
    CloudWatchGpu,
    Ssh,
    Commitments,
];

/// Instances, and what they may become.
pub(super) const MARKET: &[SourceId] = &[
    Identity,
    Ec2,
    Types,
    CloudWatch,
    Prices,
    Spot,
    Prometheus,
    Exporter,
    Nvml,
    CloudWatchGpu,
    Ssh,
    Commitments,
    SpotHistory,
    Offerings,
];

/// Resources that are no instances, and those that hold them.
pub(super) const RESOURCES: &[SourceId] = &[
    Identity,
    Ec2,
    Types,
    CloudWatch,
    Prices,
    Spot,
    Prometheus,
    Exporter,
    Nvml,
    CloudWatchGpu,
    Ssh,
    Commitments,
    Ebs,
    Resources,
];

/// Buckets.
pub(super) const BUCKETS: &[SourceId] = &[S3];

/// Volumes and snapshots.
pub(super) const BLOCKS: &[SourceId] = &[Ebs];

/// All of storage.
pub(super) const STORAGE: &[SourceId] = &[S3, Ebs];
