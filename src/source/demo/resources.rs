//! Resources of the demo that are no instances, each planted. `docs/demo.md` lists them, and a test
//! holds both the page and the verdicts against this table.

use std::sync::Arc;

use jiff::Timestamp;

use super::calendar;
use super::hash::{hash, unit};
use super::places::{ACCOUNTS, REGIONS};
use super::prices;
use crate::domain::{
    BilledUnit, ENDPOINT_BYTES, Hour, HourRange, InstanceState, NAT_BYTES,
    PUBLIC_IPV4_USD_PER_HOUR, Resource, ResourceKind, ResourcePrice, ResourceSignal, Scope, Tags,
    VerdictKind,
};
use crate::source::catalogue;
use crate::source::provider::ResourceHours;

/// What the demo takes for SageMaker over the price of the same instance of EC2. Invented; the real
/// list says it type by type.
const ML_FACTOR: f64 = 1.25;

/// Hourly prices of a load balancer and a NAT gateway of the demo in us-east-1. Invented as well.
const BALANCER_USD: f64 = 0.0225;
const GATEWAY_USD: f64 = 0.045;

/// Hourly price of an interface of an endpoint of a VPC in us-east-1, USD, and that of a GB through it, from so many GB a month
/// on: as AWS has them there; elsewhere invented.
const ENDPOINT_USD: f64 = 0.01;
const ENDPOINT_USD_PER_GB: [(&str, f64); 3] =
    [("", 0.01), ("/1048576", 0.006), ("/5242880", 0.004)];

/// Price of a GB through a NAT gateway of the demo in us-east-1, USD. Invented like that of its hour.
pub(super) const NAT_USD_PER_GB: f64 = 0.045;

/// A planted resource other than an instance, with its expected verdict.
#[derive(Debug)]
pub struct PlantedResource {
    /// Name of the resource.
    pub name: &'static str,
    /// Kind of the resource.
    pub kind: ResourceKind,
    /// What is planted.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "what tests and docs/demo.md hold the demo against")
    )]
    /// Description of the case, as in `docs/demo.md`.
    pub what: &'static str,
    /// Expected verdict; `None` where there is nothing to judge.
    pub verdict: Option<VerdictKind>,
    /// Expected reason for idling, as JSON names it (`office_hours`); `None` without one.
    pub pattern: Option<&'static str>,
    place: (usize, usize),
    units: &'static [(&'static str, u32)],
    serves: Option<&'static [&'static str]>,
    state: &'static str,
    /// Made so many days ago, by the demo's [`calendar`].
    days: i32,
    /// Last used so many hours ago, where AWS says it.
    used: Option<i32>,
    life: Life,
    tags: &'static [(&'static str, &'static str)],
}

/// What its hours look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// It publishes nothing.
    Silent,
    /// It reports, and nothing happens.
    Quiet,
    /// Day and night.
    Always,
    /// Monday to Friday in the day of its region.
    Office,
    /// From midnight to four.
    Nights,
    /// Once in two weeks.
    Once,
    /// A few at noon.
    Few,
    /// Its telemetry has ended.
    Died,
}

/// Hours from one use to the next of what is used once in two weeks: at least one lies in the window
/// of the verdict, and a whole number of them between two days of the calendar.
const ONCE_IN: i32 = 326;

const NONE: &[(&str, &str)] = &[];

const fn planted(
    name: &'static str,
    kind: ResourceKind,
    place: (usize, usize),
    what: &'static str,
    verdict: VerdictKind,
) -> PlantedResource {
    PlantedResource {
        name,
        kind,
        what,
        verdict: Some(verdict),
        pattern: None,
        place,
        units: &[],
        serves: None,
        state: "InService",
        days: 200,
        used: None,
        life: Life::Quiet,
        tags: NONE,
    }
}

impl PlantedResource {
    const fn runs(mut self, units: &'static [(&'static str, u32)]) -> Self {
        self.units = units;
        self
    }

    const fn serves(mut self, serves: &'static [&'static str]) -> Self {
        self.serves = Some(serves);
        self
    }

    const fn lives(mut self, life: Life) -> Self {
        self.life = life;
        self
    }

    const fn seems(mut self, pattern: &'static str) -> Self {
        self.pattern = Some(pattern);
        self
    }

    const fn used(mut self, hours: i32) -> Self {
        self.used = Some(hours);
        self
    }

    const fn made(mut self, days: i32) -> Self {
        self.days = days;
        self
    }

    const fn is(mut self, state: &'static str) -> Self {
        self.state = state;
        self
    }

    const fn tagged(mut self, tags: &'static [(&'static str, &'static str)]) -> Self {
        self.tags = tags;
        self
    }

    const fn unbilled(mut self) -> Self {
        self.verdict = None;
        self
    }
}

use ResourceKind::{
    ElasticIp, Endpoint, LoadBalancer, NatGateway, Notebook, StudioApp, VpcEndpoint,
};
use VerdictKind::{Busy, Exempt, Idle, TooNew, Underused, Unknown};

/// Stands for the stopped instance of the demo in what an address serves.
const PARKED: &str = "{parked}";

/// All planted resources.
#[cfg(test)]
pub fn planted_resources() -> &'static [PlantedResource] {
    &PLANTED
}

static PLANTED: [PlantedResource; 29] = [
    planted(
        "ranker-v1-shadow",
        Endpoint,
        (0, 0),
        "two ml.g5.2xlarge that nobody has asked since the next version came",
        Idle,
    )
    .runs(&[("ml.g5.2xlarge", 2)])
    .serves(&["AllTraffic"])
    .seems("never_used")
    .tagged(&[("team", "recsys")]),
    planted("chat-7b-prod", Endpoint, (0, 0), "asked day and night", Busy)
        .runs(&[("ml.g5.12xlarge", 3)])
        .serves(&["AllTraffic"])
        .lives(Life::Always)
        .tagged(&[("team", "nlp")]),
    planted(
        "ocr-monthly",
        Endpoint,
        (0, 0),
        "one invocation in two weeks: asked, and so not idle; underused",
        Underused,
    )
    .runs(&[("ml.m5.xlarge", 1)])
    .serves(&["AllTraffic"])
    .lives(Life::Once)
    .tagged(&[("team", "vision")]),
    planted(
        "embed-canary",
        Endpoint,
        (0, 1),
        "its telemetry ended at least five days ago: unknown, not idle",
        Unknown,
    )
    .runs(&[("ml.g5.xlarge", 1)])
    .serves(&["AllTraffic"])
    .lives(Life::Died)
    .tagged(&[("team", "nlp")]),
    planted("score-batch", Endpoint, (2, 0), "asked from midnight to four alone", Busy)
        .runs(&[("ml.m5.4xlarge", 2)])
        .serves(&["AllTraffic"])
        .lives(Life::Nights)
        .seems("nights_and_weekends")
        .tagged(&[("team", "data")]),
    planted("tts-preview", Endpoint, (1, 0), "made three to six days ago, not asked yet", TooNew)
        .runs(&[("ml.g5.xlarge", 1)])
        .serves(&["AllTraffic"])
        .made(3)
        .tagged(&[("Team", "speech")]),
    planted(
        "nb-kaggle",
        Notebook,
        (1, 0),
        "publishes its CPU, and nothing has run for months",
        Idle,
    )
    .runs(&[("ml.m5.4xlarge", 1)])
    .seems("never_used")
    .tagged(&[("Team", "vision")]),
    planted(
        "nb-features",
        Notebook,
        (2, 0),
        "at work in office hours, running day and night",
        Busy,
    )
    .runs(&[("ml.m5.2xlarge", 1)])
    .lives(Life::Office)
    .seems("office_hours")
    .tagged(&[("team", "data")]),
    planted(
        "nb-plain",
        Notebook,
        (1, 0),
        "publishes nothing, as most do: unknown, not idle",
        Unknown,
    )
    .runs(&[("ml.m5.xlarge", 1)])
    .lives(Life::Silent)
    .tagged(&[("Team", "speech")]),
    planted(
        "nb-gpu-ana",
        Notebook,
        (1, 1),
        "quiet CPU beside a V100 that nobody watches: unknown",
        Unknown,
    )
    .runs(&[("ml.p3.2xlarge", 1)])
    .tagged(&[("Team", "robotics")]),
    planted("nb-stopped", Notebook, (1, 0), "stopped: it does not bill by the hour", Idle)
        .runs(&[("ml.m5.xlarge", 1)])
        .is("Stopped")
        .lives(Life::Silent)
        .unbilled(),
    planted("mara/JupyterLab/default", StudioApp, (1, 0), "last used at least nine days ago", Idle)
        .runs(&[("ml.m5.4xlarge", 1)])
        .used(216)
        .seems("forgotten")
        .tagged(&[("Team", "nlp")]),
    planted(
        "noor/JupyterLab/finetune",
        StudioApp,
        (1, 0),
        "its user left one to three days ago, and nobody watches its GPU: unknown",
        Unknown,
    )
    .runs(&[("ml.g4dn.xlarge", 1)])
    .used(36)
    .tagged(&[("Team", "nlp")]),
    planted("team-vision/CodeEditor/default", StudioApp, (1, 0), "used within four hours", Busy)
        .runs(&[("ml.m5.xlarge", 1)])
        .used(2)
        .tagged(&[("Team", "vision")]),
    planted(
        "kim/KernelGateway/pytorch",
        StudioApp,
        (1, 0),
        "a health check was the last activity: nobody knows when the user was there",
        Unknown,
    )
    .runs(&[("ml.g4dn.xlarge", 1)])
    .tagged(&[("Team", "speech")]),
    planted("bastion-2021", ElasticIp, (0, 0), "associated with nothing", Idle)
        .runs(&[("PublicIPv4", 1)])
        .serves(&[])
        .is("not associated"),
    planted("ingress-a", ElasticIp, (0, 0), "on an interface in use", Busy)
        .runs(&[("PublicIPv4", 1)])
        .serves(&["eni-0a1b2c3d4e5f60718"])
        .is("associated"),
    planted("parked-v100-ip", ElasticIp, (2, 1), "on an instance that is stopped", Idle)
        .runs(&[("PublicIPv4", 1)])
        .serves(&[PARKED])
        .is("associated"),
    planted(
        "nat-old-vpc",
        NatGateway,
        (0, 0),
        "no connection, and no route table leads to it",
        Idle,
    )
    .runs(&[("NatGateway-Hours", 1)])
    .serves(&[])
    .is("available")
    .seems("never_used"),
    planted(
        "nat-dr",
        NatGateway,
        (0, 2),
        "no connection, though two route tables lead to it",
        Idle,
    )
    .runs(&[("NatGateway-Hours", 1)])
    .serves(&["rtb-0d1e2f3a", "rtb-4b5c6d7e"])
    .is("available")
    .seems("never_used"),
    planted("nat-training", NatGateway, (1, 0), "in use day and night", Busy)
        .runs(&[("NatGateway-Hours", 1)])
        .serves(&["rtb-90ab12cd"])
        .is("available")
        .lives(Life::Always),
    planted("nat-standby", NatGateway, (0, 1), "no connection, and exempt by its tag", Exempt)
        .runs(&[("NatGateway-Hours", 1)])
        .serves(&["rtb-77aa88bb"])
        .is("available")
        .tagged(&[("burntop:exempt", "true")]),
    planted("alb-search-v1", LoadBalancer, (0, 0), "no target is registered any more", Idle)
        .runs(&[("LoadBalancerUsage/application", 1)])
        .serves(&[])
        .is("active")
        .lives(Life::Silent)
        .tagged(&[("team", "platform")]),
    planted("alb-gateway", LoadBalancer, (0, 0), "asked day and night", Busy)
        .runs(&[("LoadBalancerUsage/application", 1)])
        .serves(&["i-0123456789abcdef0"])
        .is("active")
        .lives(Life::Always)
        .tagged(&[("team", "platform")]),
    planted(
        "alb-admin",
        LoadBalancer,
        (0, 0),
        "a few requests at noon: fewer than 100 a day",
        Underused,
    )
    .runs(&[("LoadBalancerUsage/application", 1)])
    .serves(&["10.0.3.7"])
    .is("active")
    .lives(Life::Few)
    .seems("waiting")
    .tagged(&[("team", "platform")]),
    planted("nlb-feature-store", LoadBalancer, (2, 0), "none of its targets is in health", Idle)
        .runs(&[("LoadBalancerUsage/network", 1)])
        .serves(&["10.0.1.4 (not working)", "10.0.1.5 (not working)"])
        .is("active")
        .seems("never_used")
        .tagged(&[("team", "data")]),
    planted("alb-labs", LoadBalancer, (1, 0), "a target in health, and no request", Idle)
        .runs(&[("LoadBalancerUsage/application", 1)])
        .serves(&["i-0fedcba9876543210"])
        .is("active")
        .seems("never_used")
        .tagged(&[("Team", "vision")]),
    planted("vpce-datasets", VpcEndpoint, (1, 0), "S3 by interfaces, day and night", Busy)
        .runs(&[("VpcEndpoint-Hours", 2)])
        .serves(&[
            "com.amazonaws.us-east-1.s3",
            "vpc-0e5a1f27",
            "subnet-2b3c4d5e",
            "subnet-6f7a8b9c",
        ])
        .is("available")
        .lives(Life::Always)
        .tagged(&[("Team", "vision")]),
    planted("vpce-sagemaker", VpcEndpoint, (0, 0), "nothing goes through its interface", Idle)
        .runs(&[("VpcEndpoint-Hours", 1)])
        .serves(&["com.amazonaws.us-east-1.sagemaker.runtime", "vpc-0c2d4e6f", "subnet-0a1b2c3d"])
        .is("available")
        .seems("never_used")
        .tagged(&[("team", "platform")]),
];

impl PlantedResource {
    fn is_here(&self, account: &str, region: &str) -> bool {
        ACCOUNTS[self.place.0].id == account && REGIONS[self.place.1].code == region
    }

    /// What it is now; `parked` is the id of the stopped instance.
    fn resource(&self, now: Timestamp, parked: Option<&Arc<str>>) -> Resource {
        let (account, region) = (&ACCOUNTS[self.place.0], &REGIONS[self.place.1]);
        let arn = |service: &str, path: &str| {
            format!("arn:aws:{service}:{}:{}:{path}", region.code, account.id)
        };
        let number = hash(0xb0b, self.place.0 as u64, self.name.bytes().map(u64::from).sum());
        let id = match self.kind {
            Notebook => arn("sagemaker", &format!("notebook-instance/{}", self.name)),
            Endpoint => arn("sagemaker", &format!("endpoint/{}", self.name)),
            StudioApp => arn("sagemaker", &format!("app/d-abcd1234/{}", self.name)),
            ElasticIp => format!("eipalloc-{number:017x}"),
            NatGateway => format!("nat-{number:017x}"),
            VpcEndpoint => format!("vpce-{number:017x}"),
            LoadBalancer => {
                let net = self.units.iter().any(|u| u.0.ends_with("network"));
                let word = if net { "net" } else { "app" };
                let path = format!("loadbalancer/{word}/{}/{number:016x}", self.name);
                arn("elasticloadbalancing", &path)
            }
            ResourceKind::StoppedInstance => String::new(),
        };
        let ago = |hours: i32| calendar::dated(Hour::containing(now), hours);
        let serves = |all: &&[&str]| -> Vec<Arc<str>> {
            all.iter()
                .filter_map(|one| match *one {
                    PARKED => parked.cloned(),
                    other => Some(other.into()),
                })
                .collect()
        };
        let is_address = self.kind == ElasticIp;
        Resource {
            kind: self.kind,
            id: id.into(),
            scope: Scope::new(account.id, region.code),
            name: self.name.into(),
            state: self.state.into(),
            is_billed: self.verdict.is_some(),
            created_at: (!is_address).then(|| ago(self.days * 24)),
            changed_at: matches!(self.kind, Notebook | Endpoint).then(|| ago(self.days * 24)),
            used_at: self.used.map(ago),
            units: self
                .units
                .iter()
                .map(|(what, count)| BilledUnit {
                    what: (*what).into(),
                    count: f64::from(*count),
                    usd_per_hour: is_address.then_some(PUBLIC_IPV4_USD_PER_HOUR),
                })
                .collect(),
            serves: self.serves.as_ref().map(serves),
            tags: Tags::from_raw(self.tags.iter().copied()),
        }
    }

    /// The value of a signal in an hour; `None` without a datapoint.
    fn value(&self, signal: ResourceSignal, hour: Hour, now: Timestamp) -> Option<f64> {
        let noise = |of: ResourceSignal| {
            unit(hash(0x5eed, of as u64 ^ self.name.len() as u64, hour.0 as u64))
        };
        // Of what goes through a gateway a tenth asks, and the rest is what comes back.
        let through = (1e9 * (1.0 + noise(ResourceSignal::Bytes))).round();
        let asks = if self.kind == NatGateway { (through / 10.0).floor() } else { through };
        let noise = noise(signal);
        let local = hour.0 + REGIONS[self.place.1].utc_offset;
        let (day, of_day) = (local.div_euclid(24), local.rem_euclid(24));
        // 1 January 1970 was a Thursday.
        let is_weekday = (day + 3).rem_euclid(7) < 5;
        let reckoned = calendar::reckoned(Hour::containing(now)).0;
        let on = match self.life {
            Life::Silent => return None,
            Life::Died if hour.0 >= reckoned - 120 => return None,
            Life::Quiet | Life::Died => false,
            Life::Always => true,
            Life::Office => is_weekday && (9..18).contains(&of_day),
            Life::Nights => of_day < 4,
            Life::Once => (hour.0 - reckoned + 9 * 24).rem_euclid(ONCE_IN) == 0,
            Life::Few => of_day == 12,
        };
        let many = if self.life == Life::Few { 20.0 } else { 400.0 };
        let many = if self.life == Life::Once { 1.0 } else { many };
        Some(match (signal, on) {
            (ResourceSignal::CpuMax, true) if self.life == Life::Once => 12.0 + noise,
            (ResourceSignal::CpuMax, true) => 35.0 + 40.0 * noise,
            (ResourceSignal::CpuMax, false) => 1.0 + noise,
            (ResourceSignal::GpuMax, true) => 45.0 + 50.0 * noise,
            (ResourceSignal::Bytes, true) => asks,
            (ResourceSignal::BytesBack, true) => through - asks,
            (ResourceSignal::Requests | ResourceSignal::Connections, true) => {
                (many * (1.0 + noise)).floor()
            }
            (_, false) => 0.0,
        })
    }
}

/// Planted resources of a kind in an account and region. `instances` are those there: id, name, state.
pub(super) fn of_kind(
    account: &str,
    region: &str,
    kind: ResourceKind,
    instances: &[(Arc<str>, Arc<str>, InstanceState)],
    now: Timestamp,
) -> Vec<Resource> {
    let parked = instances
        .iter()
        .find(|(_, name, state)| &**name == "parked-v100" && *state == InstanceState::Stopped)
        .map(|(id, ..)| id);
    PLANTED
        .iter()
        .filter(|p| p.kind == kind && p.is_here(account, region))
        .map(|p| p.resource(now, parked))
        .collect()
}

/// Hourly values of the resources' signals in `range`.
pub(super) fn hours(
    resources: &[Resource],
    range: HourRange,
    now: Timestamp,
) -> Vec<ResourceHours> {
    let mut out = Vec::new();
    for resource in resources {
        let of = |p: &&PlantedResource| {
            p.kind == resource.kind && p.is_here(&resource.scope.account, &resource.scope.region)
        };
        let mut all = PLANTED.iter().filter(of);
        let Some(planted) = all.find(|p| *p.name == *resource.name) else { continue };
        let made = resource.created_at.map_or(range.from, Hour::at_or_after);
        let has_gpu = resource
            .instance_types()
            .filter_map(catalogue::type_spec)
            .any(|spec| spec.devices() > 0);
        for signal in resource.signals() {
            if *signal == ResourceSignal::GpuMax && !has_gpu {
                continue;
            }
            let hours = (range.from.max(made).0..range.to.0).map(Hour);
            let points = hours.filter_map(|h| Some((h.start(), planted.value(*signal, h, now)?)));
            out.push(ResourceHours {
                id: resource.id.clone(),
                signal: *signal,
                points: points.collect(),
                complete: true,
            });
        }
    }
    out
}

/// Prices of billed units in a region, USD per unit and hour.
pub(super) fn price_list(region: &str, kinds: &[ResourceKind]) -> Vec<ResourcePrice> {
    let factor = REGIONS.iter().find(|r| r.code == region).map_or(1.0, |r| r.price_factor);
    let mut out: Vec<ResourcePrice> = Vec::new();
    for (kind, what) in PLANTED.iter().flat_map(|p| p.units.iter().map(|u| (p.kind, u.0))) {
        let usd = match kind {
            LoadBalancer => Some(BALANCER_USD * factor),
            NatGateway => Some(GATEWAY_USD * factor),
            VpcEndpoint => Some(ENDPOINT_USD * factor),
            ElasticIp | ResourceKind::StoppedInstance => None,
            Notebook | Endpoint | StudioApp => what
                .strip_prefix("ml.")
                .and_then(|name| prices::list_price(region, name))
                .map(|usd| (usd * ML_FACTOR * 1e4).round() / 1e4),
        };
        let known = out.iter().any(|p| p.kind == kind && *p.what == *what);
        if let Some(usd_per_hour) = usd.filter(|_| kinds.contains(&kind) && !known) {
            out.push(ResourcePrice { kind, what: what.into(), usd_per_hour });
        }
    }
    if kinds.contains(&NatGateway) {
        let usd_per_hour = NAT_USD_PER_GB * factor;
        out.push(ResourcePrice { kind: NatGateway, what: NAT_BYTES.into(), usd_per_hour });
    }
    if kinds.contains(&VpcEndpoint) {
        out.extend(ENDPOINT_USD_PER_GB.map(|(from, usd)| ResourcePrice {
            kind: VpcEndpoint,
            what: format!("{}{from}", ENDPOINT_BYTES[0]).into(),
            usd_per_hour: usd * factor,
        }));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::NOT_WORKING;

    #[test]
    fn what_does_not_work_is_marked_as_elsewhere() {
        for planted in planted_resources() {
            for one in planted.serves.into_iter().flatten() {
                assert!(!one.contains("not working") || one.ends_with(NOT_WORKING), "{one}");
            }
        }
    }
}
