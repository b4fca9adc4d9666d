//! An EC2 instance as burntop needs it.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::intern;
use super::scope::Scope;
use super::tags::Tags;
use super::text;

/// State of an instance in EC2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InstanceState {
    /// Starting; not billed.
    Pending,
    /// Running and billed.
    Running,
    /// Being stopped; not billed unless it hibernates.
    Stopping,
    /// Stopped: no compute charge, volumes go on billing.
    Stopped,
    /// Being terminated; not billed.
    ShuttingDown,
    /// Terminated; EC2 forgets it soon.
    Terminated,
    /// A state this version does not know.
    Unknown,
}

impl InstanceState {
    /// True while compute is billed: only in `running` (hibernation aside).
    pub fn is_billed(self) -> bool {
        self == Self::Running
    }

    /// EC2's name of the state, as in filters and JSON; `unknown` for [`Self::Unknown`].
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
            Self::ShuttingDown => "shutting-down",
            Self::Terminated => "terminated",
            Self::Unknown => "unknown",
        }
    }
}

/// Purchase option of the capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// The default; Savings Plans and reservations apply to it.
    OnDemand,
    /// Spot: spare capacity that EC2 may take back.
    Spot,
    /// Scheduled Reserved Instance.
    Scheduled,
    /// Capacity Block for ML: prepaid.
    CapacityBlock,
}

impl Lifecycle {
    /// EC2's name of the option; `on-demand` for the default.
    pub fn word(self) -> &'static str {
        match self {
            Self::OnDemand => "on-demand",
            Self::Spot => "spot",
            Self::Scheduled => "scheduled",
            Self::CapacityBlock => "capacity-block",
        }
    }
}

/// Tenancy of an instance, part of the price key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tenancy {
    /// Shared hardware, the default.
    Shared,
    /// Dedicated instance: hardware of one account.
    Dedicated,
    /// On a dedicated host, which is billed instead of the instance.
    Host,
}

/// Operating system and licensed software, part of the price key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Platform {
    /// Linux/UNIX without licence charge (`RunInstances`).
    Linux,
    /// Windows with licence (`RunInstances:0002`).
    Windows,
    /// Red Hat Enterprise Linux (`RunInstances:0010`).
    Rhel,
    /// SUSE Linux Enterprise (`RunInstances:000g`).
    Suse,
    /// Ubuntu Pro (`RunInstances:0g00`).
    UbuntuPro,
    /// Anything else (SQL Server and other licensed software): burntop does not price it.
    Other,
}

/// Service that manages an instance, and would replace it or fail without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnerKind {
    /// Auto Scaling group (`aws:autoscaling:groupName`).
    Asg,
    /// EKS node group or a `kubernetes.io/cluster/` tag.
    Eks,
    /// Karpenter (`karpenter.sh/nodepool`).
    Karpenter,
    /// ECS capacity provider (`AmazonECSManaged`, `aws:ecs:clusterName`).
    Ecs,
    /// AWS Batch compute environment (`AWSBatchServiceTag`).
    Batch,
    /// EMR (`aws:elasticmapreduce:job-flow-id`).
    Emr,
    /// CloudFormation stack (`aws:cloudformation:stack-name`).
    CloudFormation,
    /// SageMaker HyperPod cluster (`sagemaker:cluster…`). The last one: the cache stores variants
    /// by their number.
    HyperPod,
}

impl OwnerKind {
    /// Short name in JSON, CSV and filters.
    pub fn word(self) -> &'static str {
        match self {
            Self::Asg => "asg",
            Self::Eks => "eks",
            Self::Karpenter => "karpenter",
            Self::Ecs => "ecs",
            Self::Batch => "batch",
            Self::Emr => "emr",
            Self::CloudFormation => "cfn",
            Self::HyperPod => "hyperpod",
        }
    }
}

/// Service and group that manage an instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Service that manages it.
    pub kind: OwnerKind,
    /// Name of the group, cluster or environment there; clean text.
    #[serde(deserialize_with = "intern::text")]
    pub name: Arc<str>,
}

impl Owner {
    /// Every owner that the tags indicate, most binding first; empty for an unmanaged instance.
    pub fn from_tags(tags: &Tags) -> Vec<Self> {
        use OwnerKind::{Asg, Batch, CloudFormation, Ecs, Eks, Emr, HyperPod, Karpenter};
        const EXACT: &[(&str, OwnerKind)] = &[
            ("aws:autoscaling:groupName", Asg),
            ("karpenter.sh/nodepool", Karpenter),
            ("karpenter.sh/provisioner-name", Karpenter),
            ("eks:cluster-name", Eks),
            ("aws:eks:cluster-name", Eks),
            ("aws:ecs:clusterName", Ecs),
            ("AmazonECSManaged", Ecs),
            ("AWSBatchServiceTag", Batch),
            ("aws:batch:compute-environment", Batch),
            ("aws:elasticmapreduce:job-flow-id", Emr),
            ("sagemaker:cluster-name", HyperPod),
            ("sagemaker:cluster-arn", HyperPod),
            ("aws:cloudformation:stack-name", CloudFormation),
        ];
        let mut owners: Vec<Self> = Vec::new();
        let mut add = |kind: OwnerKind, name: &str| {
            if !owners.iter().any(|o| o.kind == kind) {
                owners.push(Self { kind, name: intern::shared(name) });
            }
        };
        for (key, kind) in EXACT {
            if let Some(value) = tags.get(key) {
                add(*kind, value);
            }
        }
        for (key, value) in tags.iter() {
            if let Some(cluster) = key.strip_prefix("kubernetes.io/cluster/") {
                add(Eks, cluster);
            }
            if key.starts_with("sagemaker:cluster") {
                add(HyperPod, value);
            }
        }
        owners.shrink_to_fit();
        owners
    }
}

/// A volume in the instance's block device mapping.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockDevice {
    /// Device name, such as `/dev/sda1`.
    #[serde(deserialize_with = "intern::text")]
    pub device: Arc<str>,
    /// EBS volume id, `vol-…`.
    pub volume_id: Arc<str>,
    /// Time of the attachment; `None` when EC2 does not report it.
    pub attached_at: Option<Timestamp>,
    /// True when the volume is deleted with the instance.
    pub delete_on_termination: bool,
}

/// An EC2 instance. All text in it is clean (see [`super::text::clean`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// Instance id, `i-…`.
    #[serde(deserialize_with = "text::id")]
    pub id: Arc<str>,
    /// Account and region it lies in.
    pub scope: Scope,
    /// Availability zone, such as `us-east-1a`.
    #[serde(deserialize_with = "intern::text")]
    pub az: Arc<str>,
    /// The `Name` tag; empty without one.
    pub name: Arc<str>,
    /// Instance type, such as `p4d.24xlarge`.
    #[serde(deserialize_with = "intern::text")]
    pub instance_type: Arc<str>,
    /// EC2 state at the time of reading.
    pub state: InstanceState,
    /// Purchase option of its capacity.
    pub lifecycle: Lifecycle,
    /// EC2 tenancy (shared, dedicated, host): a part of the price key.
    pub tenancy: Tenancy,
    /// Operating system, for the price.
    pub platform: Platform,
    /// Time of the last launch; a stop and start resets it.
    pub launched_at: Timestamp,
    /// Volumes; the root device first.
    pub block_devices: Vec<BlockDevice>,
    /// True when the root device is the first of `block_devices` (false: instance-store root).
    pub ebs_root: bool,
    /// Services that manage it, most binding first; empty for an unmanaged instance.
    pub owners: Vec<Owner>,
    /// Tags, sorted by key.
    pub tags: Tags,
    /// Private DNS name, which joins agents that report by host; empty when unknown.
    pub private_dns: Arc<str>,
    /// Private IPv4 address, which identifies the host of exporters known by address; `None` without one.
    pub private_ip: Option<Arc<str>>,
    /// Id of the capacity reservation it runs in; `None` outside of any.
    pub capacity_reservation: Option<Arc<str>>,
    /// True with 1-minute CloudWatch metrics, false with 5-minute ones.
    pub detailed_monitoring: bool,
}

impl Instance {
    /// Earliest known time of the instance: last launch or attachment of the root volume, whichever is older.
    /// `LaunchTime` alone ignores a life before the last stop.
    pub fn born_at(&self) -> Timestamp {
        let root = self.block_devices.first().filter(|_| self.ebs_root).and_then(|d| d.attached_at);
        root.map_or(self.launched_at, |t| t.min(self.launched_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(pairs: &[(&str, &str)]) -> Vec<(OwnerKind, String)> {
        let owners = Owner::from_tags(&Tags::from_raw(pairs.iter().copied()));
        owners.into_iter().map(|o| (o.kind, o.name.to_string())).collect()
    }

    #[test]
    fn a_hyperpod_node_is_owned_by_its_cluster() {
        let named = |n: &str| vec![(OwnerKind::HyperPod, n.to_owned())];
        assert_eq!(kinds(&[("sagemaker:cluster-name", "llm")]), named("llm"));
        assert_eq!(kinds(&[("sagemaker:cluster-arn", "arn:x")]), named("arn:x"));
        assert_eq!(kinds(&[("sagemaker:cluster-instance-group", "w")]), named("w"));
        let both = [("sagemaker:cluster-arn", "arn:x"), ("sagemaker:cluster-name", "llm")];
        assert_eq!(kinds(&both), named("llm"));
        assert!(kinds(&[("sagemaker:domain", "x")]).is_empty());
    }

    #[test]
    fn a_new_owner_moves_no_old_one() {
        // The cache holds the number of the variant.
        let number = |kind: OwnerKind| postcard::to_stdvec(&kind).unwrap();
        assert_eq!(number(OwnerKind::Asg), [0]);
        assert_eq!(number(OwnerKind::CloudFormation), [6]);
        assert_eq!(number(OwnerKind::HyperPod), [7]);
    }
}
