//! What is known of one instance at the moment of acting: everything that a preflight asks, each
//! answer with the failure in its place where there is none. A fact that could not be read is
//! never a harmless one.

use std::sync::Arc;

use jiff::Timestamp;

use super::accelerator::TypeSpec;
use super::error::SourceError;
use super::evidence::Signal;
use super::instance::Instance;

/// A fact that was read, or the error of reading it.
pub type Known<T> = Result<T, Arc<SourceError>>;

/// Facts of one instance at one moment, read before an action. Each fact fails by itself.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// Id of the inspected instance.
    pub id: Arc<str>,
    /// Time of the last answer.
    pub taken_at: Timestamp,
    /// The instance as it is now; `None` when EC2 does not know the id (any more).
    pub instance: Known<Option<Arc<Instance>>>,
    /// Instance type; `None` when EC2 does not know the type.
    pub spec: Known<Option<Arc<TypeSpec>>>,
    /// Settings of a launch of an equal instance.
    pub launch: Known<LaunchSpec>,
    /// EC2's `disableApiTermination`.
    pub termination_protection: Known<bool>,
    /// EC2's `disableApiStop`.
    pub stop_protection: Known<bool>,
    /// Attached EBS volumes.
    pub volumes: Known<Vec<VolumeFact>>,
    /// Public addresses: lent and Elastic IPs.
    pub addresses: Known<Addresses>,
    /// Auto Scaling group it is a member of; `None` without one.
    pub group: Known<Option<GroupFact>>,
    /// Target groups it is registered in; empty without any.
    pub target_groups: Known<Vec<TargetGroupFact>>,
    /// Spot request; `None` for an instance that is not Spot.
    pub spot: Known<Option<SpotFact>>,
}

/// A volume attached to an instance.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeFact {
    /// Volume id, `vol-…`.
    pub id: Arc<str>,
    /// Device name, such as `/dev/sda1`.
    pub device: Arc<str>,
    /// Size in GiB; `None` when not known.
    pub size_gib: Option<u64>,
    /// EBS type, `gp3`, `io2`, …; empty when unknown.
    pub kind: Arc<str>,
    /// Provisioned IOPS; `None` for types without.
    pub iops: Option<u32>,
    /// Provisioned throughput in MiB/s; `None` for types without.
    pub throughput_mibps: Option<u32>,
    /// True for the root device.
    pub root: bool,
    /// True when the volume is deleted with the instance.
    pub delete_on_termination: bool,
}

/// Public addresses of an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    /// Public IPv4 address lent by EC2, lost on stop; `None` without one.
    pub public_ipv4: Option<Arc<str>>,
    /// Elastic IP addresses: kept on stop, and billed used or idle.
    pub elastic: Vec<Arc<str>>,
}

/// Membership in an Auto Scaling group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupFact {
    /// Name of the group.
    pub name: Arc<str>,
    /// Minimum size of the group, instances.
    pub min: u32,
    /// Desired capacity of the group, instances.
    pub desired: u32,
    /// True when the member is protected from scale-in.
    pub protected_from_scale_in: bool,
    /// Lifecycle state of the member: `InService`, `Standby`, …
    pub lifecycle: Arc<str>,
}

/// Registration in a load balancer's target group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetGroupFact {
    /// Name of the target group.
    pub name: Arc<str>,
    /// Health of this instance there, as the API names it: `healthy`, `unused`, …
    pub health: Arc<str>,
    /// Number of other healthy targets in the group.
    pub other_healthy: u32,
}

impl TargetGroupFact {
    /// True when requests reach the instance through this group now.
    pub fn is_serving(&self) -> bool {
        matches!(&*self.health, "healthy" | "initial" | "draining")
    }
}

/// Spot request of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpotFact {
    /// Id of the request, `sir-…`; empty when the instance names none.
    pub request: Arc<str>,
    /// True for a persistent request, which launches a new instance for one that ends.
    pub persistent: bool,
}

/// Launch settings of an instance, kept in the audit log so that a terminated instance can be launched again. User data
/// are left out; they may hold secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LaunchSpec {
    /// AMI id; `None` when EC2 names none.
    pub image_id: Option<String>,
    /// EC2 instance type, such as `p5.48xlarge`.
    pub instance_type: String,
    /// Name of the key pair; `None` without one.
    pub key_name: Option<String>,
    /// Subnet id; `None` when EC2 names none.
    pub subnet_id: Option<String>,
    /// Ids of the security groups.
    pub security_group_ids: Vec<String>,
    /// ARN of the instance profile; `None` without one.
    pub iam_instance_profile: Option<String>,
    /// Availability zone; `None` when EC2 names none.
    pub availability_zone: Option<String>,
    /// Name of the placement group; `None` without one.
    pub placement_group: Option<String>,
    /// Tenancy; `None` when shared.
    pub tenancy: Option<String>,
    /// True for an EBS-optimised instance.
    pub ebs_optimized: bool,
    /// `required` when only IMDS version 2 is served; `None` when EC2 does not report it.
    pub metadata_tokens: Option<String>,
    /// Private IPv4 address, which a launch in the same subnet may request; `None` when EC2 names none.
    pub private_ip: Option<String>,
    /// Tags, keys and values, without those that AWS reserves (`aws:`).
    pub tags: Vec<(String, String)>,
}

/// Metrics of an instance over the last minutes, measured anew before an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Recent {
    /// Id of the instance.
    pub id: Arc<str>,
    /// Start of the measured window.
    pub from: Timestamp,
    /// End of the measured window.
    pub to: Timestamp,
    /// One entry for each requested series, also where it is empty.
    pub series: Vec<RecentSeries>,
}

/// One series of the last minutes.
#[derive(Clone, Debug, PartialEq)]
pub struct RecentSeries {
    /// Metric: [`Signal::CpuMax`], [`Signal::CpuMean`], [`Signal::NetworkIn`], [`Signal::NetworkOut`] or
    /// [`Signal::GpuMax`].
    pub signal: Signal,
    /// CloudWatch namespace: `AWS/EC2`, `CWAgent`.
    pub source: Arc<str>,
    /// Length of a datapoint's period, seconds.
    pub period_s: u32,
    /// Start of the period and raw value, in the order of time; bytes are totals per period.
    pub points: Vec<(Timestamp, f64)>,
    /// False when CloudWatch reported that data are missing.
    pub complete: bool,
}

/// Caller's identity in an account, from STS at that moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// 12-digit account id.
    pub account: Arc<str>,
    /// ARN of the caller; clean text.
    pub arn: Arc<str>,
}
