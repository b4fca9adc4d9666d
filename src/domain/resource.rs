//! What bills by the hour and is no instance: notebooks, endpoints, Studio apps, addresses, NAT
//! gateways, load balancers.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::evidence::MALFORMED;
use super::scope::Scope;
use super::tags::Tags;

/// Price of a public IPv4 address, used or idle, Elastic IPs included: 0.005 USD/h since 1 February 2024 in every
/// commercial region (AWS News Blog, "New – AWS Public IPv4 Address Charge", 28 July 2023). Addresses of the customer's
/// own ranges are free.
pub const PUBLIC_IPV4_USD_PER_HOUR: f64 = 0.005;

/// Hours of a resource that are kept and judged: 14 days, the default look-back of AWS Compute Optimizer.
pub const RESOURCE_HOURS: u32 = 14 * 24;

/// Hours for which an instance must be stopped before its volumes count as idle: 7 days, because instances stopped
/// overnight or for a weekend are started again. burntop's own figure; AWS Trusted Advisor uses 30 days.
pub const STOPPED_HOURS: u32 = 7 * 24;

/// Name of a GB through a NAT gateway in the price list. AWS bills each GB that a gateway processes, whichever way it goes and
/// whatever its source or destination (Amazon VPC pricing: NAT gateway data processing).
pub const NAT_BYTES: &str = "NatGateway-Bytes";

/// Names of an hour of an interface of an interface endpoint, and of a Gateway Load Balancer endpoint, in the price list. AWS
/// bills each zone with an interface (AWS `PrivateLink` pricing).
pub const ENDPOINT_HOURS: [&str; 2] = ["VpcEndpoint-Hours", "VpcEndpoint-GWLBE-Hours"];

/// Names of a GB through these endpoints, in the same order. AWS bills both directions. A price from a number of GB a
/// month on has that number after a slash: `VpcEndpoint-Bytes/1048576`.
pub const ENDPOINT_BYTES: [&str; 2] = ["VpcEndpoint-Bytes", "VpcEndpoint-GWLBE-Bytes"];

/// Suffix of an entry in [`Resource::serves`] that is attached and does not work: an unhealthy target, an unused
/// interface.
pub const NOT_WORKING: &str = " (not working)";

/// Kind of a billed resource that is not a running instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResourceKind {
    /// SageMaker notebook instance, billed while it runs.
    Notebook,
    /// SageMaker real-time endpoint, billed per instance.
    Endpoint,
    /// App of SageMaker Studio that runs on an instance.
    StudioApp,
    /// Elastic IP address, billed used or idle.
    ElasticIp,
    /// NAT gateway, billed by the hour and by traffic.
    NatGateway,
    /// Application, Network or Gateway Load Balancer.
    LoadBalancer,
    /// Interface or Gateway Load Balancer endpoint of a VPC, billed by the hour and by traffic.
    VpcEndpoint,
    /// Stopped EC2 instance whose volumes are still billed.
    StoppedInstance,
}

impl ResourceKind {
    /// All kinds, in the order of declaration.
    pub const ALL: [Self; 8] = [
        Self::Notebook,
        Self::Endpoint,
        Self::StudioApp,
        Self::ElasticIp,
        Self::NatGateway,
        Self::LoadBalancer,
        Self::VpcEndpoint,
        Self::StoppedInstance,
    ];

    /// The name in JSON and filters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Notebook => "notebook",
            Self::Endpoint => "endpoint",
            Self::StudioApp => "studio_app",
            Self::ElasticIp => "elastic_ip",
            Self::NatGateway => "nat_gateway",
            Self::LoadBalancer => "load_balancer",
            Self::VpcEndpoint => "vpc_endpoint",
            Self::StoppedInstance => "stopped_instance",
        }
    }

    /// Label on screen and in tables.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Notebook => "notebook",
            Self::Endpoint => "endpoint",
            Self::StudioApp => "Studio app",
            Self::ElasticIp => "Elastic IP",
            Self::NatGateway => "NAT gateway",
            Self::LoadBalancer => "load balancer",
            Self::VpcEndpoint => "VPC endpoint",
            Self::StoppedInstance => "stopped instance",
        }
    }
}

/// Hourly CloudWatch metric of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResourceSignal {
    /// Requests per hour: invocations of an endpoint, requests of an Application Load Balancer.
    Requests,
    /// Connections in the hour: the highest number at once of a NAT gateway, new ones of a load balancer.
    Connections,
    /// Bytes through a load balancer or an endpoint of a VPC, or out through a NAT gateway, per hour.
    Bytes,
    /// Highest CPU, percent of all vCPUs, 0–100.
    CpuMax,
    /// Highest GPU utilisation, percent of all GPUs, 0–100.
    GpuMax,
    /// Bytes that came in through a NAT gateway from outside, per hour.
    BytesBack,
}

impl ResourceSignal {
    /// All signals, in the order of declaration.
    pub const ALL: [Self; 6] = [
        Self::Requests,
        Self::Connections,
        Self::Bytes,
        Self::CpuMax,
        Self::GpuMax,
        Self::BytesBack,
    ];

    /// The name in JSON and in the cache.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Connections => "connections",
            Self::Bytes => "bytes",
            Self::CpuMax => "resource_cpu_max",
            Self::GpuMax => "resource_gpu_max",
            Self::BytesBack => "bytes_back",
        }
    }

    /// Label on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Connections => "connections",
            Self::Bytes => "bytes through",
            Self::CpuMax => "CPU max",
            Self::GpuMax => "GPU max",
            Self::BytesBack => "bytes back",
        }
    }

    /// The unit of the hourly values.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Requests => "requests/h",
            Self::Connections => "connections",
            Self::Bytes | Self::BytesBack => "bytes/h",
            Self::CpuMax | Self::GpuMax => "%",
        }
    }

    /// True for signals in percent, 0–100.
    pub const fn is_percent(self) -> bool {
        matches!(self, Self::CpuMax | Self::GpuMax)
    }

    /// The signal with this [`ResourceSignal::word`]; `None` for any other text.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.word() == word)
    }

    /// Value of a raw datapoint in a series, like [`super::Signal::observe`].
    pub fn observe(self, raw: f64) -> f32 {
        let nonsense = !raw.is_finite() || raw < 0.0 || (self.is_percent() && raw > 101.0);
        if nonsense { MALFORMED } else { raw as f32 }
    }
}

/// Number of units of one price that a resource is billed for per hour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BilledUnit {
    /// Name of the unit in the price list: `ml.g5.xlarge`, `NatGateway-Hours`.
    pub what: Arc<str>,
    /// Number of units; ≥ 0.
    pub count: f64,
    /// List price per unit, USD/h; `None` when unknown.
    pub usd_per_hour: Option<f64>,
}

/// The list price of a [`BilledUnit`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourcePrice {
    /// Kind of resource: the same instance type can have different prices in a notebook and an endpoint.
    pub kind: ResourceKind,
    /// Name of the unit, as in [`BilledUnit::what`].
    pub what: Arc<str>,
    /// List price per unit, USD/h; of [`NAT_BYTES`] and [`ENDPOINT_BYTES`] USD per GB.
    pub usd_per_hour: f64,
}

/// A billed resource that is not a running instance. All text in it is clean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    /// Kind of resource.
    pub kind: ResourceKind,
    /// Id or ARN at AWS, unique.
    pub id: Arc<str>,
    /// Account and region it lies in.
    pub scope: Scope,
    /// Name of the resource; its id without one.
    pub name: Arc<str>,
    /// AWS's name of its state: `InService`, `available`, `active`.
    pub state: Arc<str>,
    /// True while it is billed.
    pub is_billed: bool,
    /// Time of creation; `None` when unknown.
    pub created_at: Option<Timestamp>,
    /// Time of its last start or change; of an address, the time since when burntop has seen it serve the same target.
    /// `None` when unknown.
    pub changed_at: Option<Timestamp>,
    /// Time of its last use, where AWS reports it (Studio apps); `None` when unknown.
    pub used_at: Option<Timestamp>,
    /// Units that it is billed for per hour; empty when nothing is.
    pub units: Vec<BilledUnit>,
    /// Targets that it is attached to: the instance of an address, the targets of a load balancer, the route tables of
    /// a gateway, the variants of an endpoint in the order of `units`; of an endpoint of a VPC its service, its VPC and its
    /// subnets, in this order. A target that is attached and does not work ends
    /// in [`NOT_WORKING`]. Empty without targets; `None` when unknown.
    pub serves: Option<Vec<Arc<str>>>,
    /// Tags, sorted by key.
    pub tags: Tags,
}

impl Resource {
    /// List price of the resource, USD/h; `None` when a unit's price is unknown, 0 when it is not billed.
    pub fn usd_per_hour(&self) -> Option<f64> {
        if !self.is_billed {
            return Some(0.0);
        }
        self.units.iter().map(|u| Some(u.count * u.usd_per_hour?)).sum()
    }

    /// Signals that CloudWatch may have of it; empty for an address and a Studio app (SageMaker reports its last use
    /// itself), and while it is not billed.
    pub fn signals(&self) -> &'static [ResourceSignal] {
        use ResourceSignal::{Bytes, BytesBack, Connections, CpuMax, GpuMax, Requests};
        if !self.is_billed {
            return &[];
        }
        match self.kind {
            ResourceKind::Endpoint => &[Requests, CpuMax, GpuMax],
            ResourceKind::Notebook => &[CpuMax],
            ResourceKind::NatGateway => &[Connections, Bytes, BytesBack],
            ResourceKind::LoadBalancer if self.is_application() => &[Requests, Connections],
            ResourceKind::LoadBalancer => &[Connections, Bytes],
            ResourceKind::VpcEndpoint => &[Bytes],
            ResourceKind::StudioApp | ResourceKind::ElasticIp | ResourceKind::StoppedInstance => {
                &[]
            }
        }
    }

    /// Largest number of CloudWatch series for its signals, for which a request is billed. An endpoint has its series
    /// once per variant; an Application Load Balancer has one more, which tells an hour without requests from an hour
    /// without data.
    pub fn series(&self) -> usize {
        let signals = self.signals().len();
        match self.kind {
            ResourceKind::Endpoint => signals * self.serves.as_ref().map_or(0, Vec::len),
            ResourceKind::LoadBalancer if self.is_application() => signals + 1,
            _ => signals,
        }
    }

    /// True for an Application Load Balancer, recognised by its ARN.
    pub fn is_application(&self) -> bool {
        self.kind == ResourceKind::LoadBalancer && self.id.contains(":loadbalancer/app/")
    }

    /// Service and VPC of an endpoint of a VPC; `None` for any other kind, and where CloudWatch does not count its bytes.
    pub fn service_and_vpc(&self) -> Option<(&Arc<str>, &Arc<str>)> {
        match self.serves.as_deref() {
            Some([service, vpc, ..]) if self.kind == ResourceKind::VpcEndpoint => {
                Some((service, vpc))
            }
            _ => None,
        }
    }

    /// Number of its targets that work; `None` when the targets are unknown.
    pub fn working(&self) -> Option<usize> {
        Some(self.serves.as_ref()?.iter().filter(|s| !s.ends_with(NOT_WORKING)).count())
    }

    /// The instance types that it runs on, without the `ml.` of SageMaker.
    pub fn instance_types(&self) -> impl Iterator<Item = &str> {
        self.units.iter().filter_map(|u| u.what.strip_prefix("ml."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_resource_costs_is_known_or_not() {
        let unit =
            |count, usd_per_hour| BilledUnit { what: "ml.g5.xlarge".into(), count, usd_per_hour };
        let mut it = Resource {
            kind: ResourceKind::Endpoint,
            id: "arn:aws:sagemaker:us-east-1:123456789012:endpoint/a".into(),
            scope: Scope::new("123456789012", "us-east-1"),
            name: "a".into(),
            state: "InService".into(),
            is_billed: true,
            created_at: None,
            changed_at: None,
            used_at: None,
            units: vec![unit(2.0, Some(1.5)), unit(1.0, Some(0.25))],
            serves: Some(vec!["blue".into(), format!("green{NOT_WORKING}").into()]),
            tags: Tags::default(),
        };
        assert_eq!(it.usd_per_hour(), Some(3.25));
        assert_eq!((it.series(), it.working()), (6, Some(1)));
        assert_eq!(it.instance_types().collect::<Vec<_>>(), ["g5.xlarge", "g5.xlarge"]);
        it.units[1].usd_per_hour = None;
        assert_eq!(it.usd_per_hour(), None, "never the sum of what is known");
        it.is_billed = false;
        assert_eq!((it.usd_per_hour(), it.series()), (Some(0.0), 0));
    }

    #[test]
    fn words_lead_back_to_their_signals() {
        for signal in ResourceSignal::ALL {
            assert_eq!(ResourceSignal::from_word(signal.word()), Some(signal));
            let of_instances = super::super::Signal::from_name(signal.word());
            assert_eq!(of_instances, Some(super::super::Signal::Resource(signal)));
        }
    }

    #[test]
    fn nonsense_is_malformed_and_not_quiet() {
        assert_eq!(ResourceSignal::Requests.observe(200.0), 200.0);
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert_eq!(ResourceSignal::Requests.observe(bad), MALFORMED);
        }
        assert_eq!(ResourceSignal::CpuMax.observe(130.0), MALFORMED);
    }
}
