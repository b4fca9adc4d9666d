//! What each kind is judged by, and whose limits these are.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::{
    EvidenceRole, RESOURCE_HOURS, Resource, ResourceKind, ResourceSignal, STOPPED_HOURS, TypeSpec,
};

/// Hours of a day and of a week.
const DAY: usize = 24;
const WEEK: usize = 7 * DAY;

/// Anything above zero.
const ANY: f32 = f32::MIN_POSITIVE;

/// Requests or new connections a day below which AWS Trusted Advisor calls a load balancer idle.
pub(super) const QUIET_DAY: f64 = 100.0;

/// One signal and where use begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The signal.
    pub signal: ResourceSignal,
    /// A value of an hour that is at least this is use.
    pub level: f32,
    /// The limit as a person reads it: 0 where anything is use.
    pub shown: f64,
    /// Unit of the values.
    pub unit: &'static str,
    /// Statistic of an hour.
    pub statistic: &'static str,
    /// The rule's own test, or a counter-signal.
    pub role: EvidenceRole,
    /// Idleness rests on it: it must have reported.
    pub required: bool,
}

/// Bytes a day below which a network or gateway balancer with few flows is called underused:
/// burntop's own, the 100 MB a day of idle CPU-only instances. Trusted Advisor does not look at bytes.
pub(super) const QUIET_BYTES: f64 = 100e6;

/// How a kind is judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Hours looked at.
    pub window: u32,
    /// Hours without use before anything is called idle.
    pub stretch: usize,
    /// Signals.
    pub limits: Vec<Limit>,
}

impl Rule {
    /// The rule for a resource. `accelerated`: it runs on GPUs or other accelerators.
    pub fn of(resource: &Resource, accelerated: bool) -> Self {
        use ResourceSignal::{Bytes, Connections, CpuMax, GpuMax, Requests};
        let test = |signal: ResourceSignal, statistic| Limit {
            signal,
            level: ANY,
            shown: 0.0,
            unit: signal.unit(),
            statistic,
            role: EvidenceRole::Test,
            required: true,
        };
        let percent = |signal: ResourceSignal, level: f32, role| Limit {
            signal,
            level,
            shown: f64::from(level),
            unit: signal.unit(),
            statistic: "hourly maximum",
            role,
            required: true,
        };
        let sum = "sum of an hour";
        let (stretch, limits) = match resource.kind {
            ResourceKind::Endpoint => {
                let gpu =
                    Limit { required: accelerated, ..percent(GpuMax, 5.0, EvidenceRole::Counter) };
                let limits =
                    vec![test(Requests, sum), percent(CpuMax, 25.0, EvidenceRole::Counter), gpu];
                (WEEK, limits)
            }
            ResourceKind::Notebook => (WEEK, vec![percent(CpuMax, 5.0, EvidenceRole::Test)]),
            ResourceKind::StudioApp => (DAY, Vec::new()),
            ResourceKind::ElasticIp => (0, Vec::new()),
            ResourceKind::NatGateway => {
                let limits = vec![test(Connections, "hourly maximum"), test(Bytes, sum)];
                (WEEK, limits)
            }
            ResourceKind::LoadBalancer => {
                let limits = if resource.is_application() {
                    let few = Limit { required: false, ..test(Connections, sum) };
                    vec![test(Requests, sum), Limit { role: EvidenceRole::Counter, ..few }]
                } else {
                    vec![test(Connections, sum), test(Bytes, sum)]
                };
                (WEEK, limits)
            }
            ResourceKind::VpcEndpoint => (WEEK, vec![test(Bytes, sum)]),
            ResourceKind::StoppedInstance => (STOPPED_HOURS as usize, Vec::new()),
        };
        Self { window: RESOURCE_HOURS, stretch, limits }
    }
}

/// Where the criterion of a kind comes from, one clause.
pub fn source(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Endpoint => {
            "no invocation at all, as the SageMaker policy of Flexera asks over 30 days, here \
             over 14; that GPU and CPU must be quiet too is burntop's own"
        }
        ResourceKind::Notebook => {
            "burntop's own, that of CPU-only instances: no hour's highest CPU of 5% for 7 \
             days; only notebooks that publish their CPU can be judged"
        }
        ResourceKind::StudioApp => {
            "the user's last activity as SageMaker tells it, by which its own idle shutdown \
             goes; 24 hours are burntop's own; on GPUs never, for nothing tells what they do"
        }
        ResourceKind::ElasticIp => {
            "AWS Trusted Advisor, check Z4AUBRNSmz (Unassociated Elastic IP Addresses): not \
             associated with a running instance"
        }
        ResourceKind::NatGateway => {
            "AWS Compute Optimizer, idle NAT gateways: no active connection and no traffic, \
             here over 14 days instead of 32; that route tables are looked at is the habit of \
             cloud-governance"
        }
        ResourceKind::LoadBalancer => {
            "AWS Trusted Advisor, check hjLMh88uM8 (Idle Load Balancers): no targets, none in \
             health, or fewer than 100 requests a day for 7 days; it looks at Classic Load \
             Balancers alone, and with targets in health burntop asks for none at all"
        }
        ResourceKind::VpcEndpoint => {
            "burntop's own: no byte in 14 days; CloudWatch has datapoints of an endpoint only \
             while traffic comes, so that an hour without one counts as 0"
        }
        ResourceKind::StoppedInstance => {
            "burntop's own: stopped for 7 days; AWS Trusted Advisor (Amazon EC2 instances \
             stopped) asks for 30"
        }
    }
}

/// True when a resource runs on accelerators: its types say so, or their family does where nobody
/// knows the type. Families G, P, Trn, Inf, DL and VT have them (EC2 instance type naming).
pub(super) fn is_accelerated(
    resource: &Resource,
    types: &HashMap<Arc<str>, Arc<TypeSpec>>,
) -> bool {
    resource.instance_types().any(|name| match types.get(name) {
        Some(spec) => spec.accelerator.is_some(),
        None => {
            let family: String = name.chars().take_while(char::is_ascii_alphabetic).collect();
            ["g", "gr", "p", "trn", "inf", "dl", "vt"].contains(&family.as_str())
        }
    })
}
