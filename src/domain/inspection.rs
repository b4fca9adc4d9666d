//! What is known of one instance at the moment of acting: everything that a preflight asks, each
//! answer with the failure in its place where there is none. A fact that could not be read is
//! never a harmless one.

use std::sync::Arc;

use jiff::Timestamp;

use super::accelerator::TypeSpec;
use super::error::SourceError;
use super::evidence::Signal;
use super::instance::Instance;

/// A fact, or why it is not known.
pub type Known<T> = Result<T, Arc<SourceError>>;

/// Everything asked of one instance, at one moment.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// Which instance was asked about.
    pub id: Arc<str>,
    /// When the answers were complete.
    pub taken_at: Timestamp,
    /// The instance as it is now; `None` when EC2 knows no such instance (any more).
    pub instance: Known<Option<Arc<Instance>>>,
    /// Its type; `None` where nobody knows the type.
    pub spec: Known<Option<Arc<TypeSpec>>>,
    /// What it would take to launch its like again.
    pub launch: Known<LaunchSpec>,
    /// `disableApiTermination`.
    pub termination_protection: Known<bool>,
    /// `disableApiStop`.
    pub stop_protection: Known<bool>,
    /// The attached volumes.
    pub volumes: Known<Vec<VolumeFact>>,
    /// Public addresses.
    pub addresses: Known<Addresses>,
    /// The Auto Scaling group it is a member of, if any.
    pub group: Known<Option<GroupFact>>,
    /// The target groups it is registered in.
    pub target_groups: Known<Vec<TargetGroupFact>>,
    /// Its Spot request, for a Spot instance.
    pub spot: Known<Option<SpotFact>>,
}

/// A volume attached to an instance.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeFact {
    /// `vol-…`.
    pub id: Arc<str>,
    /// Device name, `/dev/sda1`.
    pub device: Arc<str>,
    /// Size in GiB; `None` when not known.
    pub size_gib: Option<u64>,
    /// `gp3`, `io2`, …; empty when not known.
    pub kind: Arc<str>,
    /// Provisioned IOPS, where the type has them.
    pub iops: Option<u32>,
    /// Provisioned throughput in MiB/s, where the type has it.
    pub throughput_mibps: Option<u32>,
    /// True for the root device.
    pub root: bool,
    /// True when it dies with the instance.
    pub delete_on_termination: bool,
}

/// Public addresses of an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    /// A public IPv4 address lent by EC2: lost on stop.
    pub public_ipv4: Option<Arc<str>>,
    /// Elastic IPs: kept, and billed while not in use as well.
    pub elastic: Vec<Arc<str>>,
}

/// Membership in an Auto Scaling group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupFact {
    /// The group's name.
    pub name: Arc<str>,
    /// Fewest instances.
    pub min: u32,
    /// Instances wanted.
    pub desired: u32,
    /// True when the member is protected from scale-in.
    pub protected_from_scale_in: bool,
    /// `InService`, `Standby`, …
    pub lifecycle: Arc<str>,
}

/// Registration in a load balancer's target group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetGroupFact {
    /// The target group's name.
    pub name: Arc<str>,
    /// Health of this instance there, as the API says it: `healthy`, `unused`, …
    pub health: Arc<str>,
    /// Other targets of the group that are healthy now.
    pub other_healthy: u32,
}

impl TargetGroupFact {
    /// True when requests reach the instance through this group now.
    pub fn is_serving(&self) -> bool {
        matches!(&*self.health, "healthy" | "initial" | "draining")
    }
}

/// A Spot request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpotFact {
    /// `sir-…`; empty when the instance names none.
    pub request: Arc<str>,
    /// True for a persistent request, which launches a new instance for one that ends.
    pub persistent: bool,
}

/// What a launch of the same kind needs: kept in the audit log so that a terminated instance can
/// be made again. User data are left out; they may hold secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LaunchSpec {
    /// AMI.
    pub image_id: Option<String>,
    /// Instance type.
    pub instance_type: String,
    /// Key pair.
    pub key_name: Option<String>,
    /// Subnet.
    pub subnet_id: Option<String>,
    /// Security groups, by id.
    pub security_group_ids: Vec<String>,
    /// ARN of the instance profile.
    pub iam_instance_profile: Option<String>,
    /// Zone.
    pub availability_zone: Option<String>,
    /// Placement group.
    pub placement_group: Option<String>,
    /// Tenancy other than shared.
    pub tenancy: Option<String>,
    /// EBS-optimised.
    pub ebs_optimized: bool,
    /// `required` when only version 2 of the metadata service is served.
    pub metadata_tokens: Option<String>,
    /// Private address, which a launch in the same subnet may ask for.
    pub private_ip: Option<String>,
    /// Tags without those that AWS reserves.
    pub tags: Vec<(String, String)>,
}

/// What an instance did in the last minutes, measured anew.
#[derive(Clone, Debug, PartialEq)]
pub struct Recent {
    /// Which instance.
    pub id: Arc<str>,
    /// Start of the time looked at.
    pub from: Timestamp,
    /// Its end.
    pub to: Timestamp,
    /// One entry for each series that was asked for, also where it came back empty.
    pub series: Vec<RecentSeries>,
}

/// One series of the last minutes.
#[derive(Clone, Debug, PartialEq)]
pub struct RecentSeries {
    /// What was measured: [`Signal::CpuMax`], [`Signal::CpuMean`], [`Signal::NetworkIn`],
    /// [`Signal::NetworkOut`], [`Signal::GpuMax`].
    pub signal: Signal,
    /// Who measured: `AWS/EC2`, `CWAgent`.
    pub source: Arc<str>,
    /// Seconds per datapoint.
    pub period_s: u32,
    /// Start of the period and raw value, in the order of time; bytes are totals per period.
    pub points: Vec<(Timestamp, f64)>,
    /// False when the service said that it left something out.
    pub complete: bool,
}

/// Who we are in an account, asked from STS at that moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// 12-digit account id.
    pub account: Arc<str>,
    /// ARN; clean text.
    pub arn: Arc<str>,
}
