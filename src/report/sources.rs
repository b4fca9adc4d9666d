//! Which sources each list rests on: its `readings[]` name these, whatever else was read beside them.

use crate::domain::SourceId::{
    self, CloudWatch, CloudWatchGpu, Commitments, Ebs, Ec2, Exporter, Identity, Nvml, Offerings,
    Prices, Prometheus, Resources, S3, Spot, SpotHistory, Ssh, Types,
};

/// What tells of instances and their GPUs, and these.
macro_rules! fleet_and {
    ($($source:ident),*) => {
        &[
            Identity, Ec2, Types, CloudWatch, Prices, Spot, Prometheus, Exporter, Nvml,
            CloudWatchGpu, Ssh, $($source),*
        ]
    };
}

/// Sources of GPUs, and of the instances that they belong to.
pub(super) const GPUS: &[SourceId] = fleet_and!();

/// Instances, net of commitments.
pub(super) const INSTANCES: &[SourceId] = fleet_and!(Commitments);

/// Instances, and what they may become.
pub(super) const MARKET: &[SourceId] = fleet_and!(Commitments, SpotHistory, Offerings);

/// Resources that are no instances, and those that hold them.
pub(super) const RESOURCES: &[SourceId] = fleet_and!(Commitments, Ebs, Resources);

/// Paths of the network that are read live: gateways, logs, and buckets beside the fleet.
pub(super) const NETWORK: &[SourceId] = fleet_and!(S3, Resources);

/// Buckets.
pub(super) const BUCKETS: &[SourceId] = &[S3];

/// Volumes and snapshots.
pub(super) const BLOCKS: &[SourceId] = &[Ebs];

/// All of storage.
pub(super) const STORAGE: &[SourceId] = &[S3, Ebs];
