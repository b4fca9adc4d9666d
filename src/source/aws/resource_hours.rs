//! What resources did by the hour, from CloudWatch: which series of which namespace, how they are
//! brought to one scale, and what their silence means.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use aws_sdk_cloudwatch::types as cw;
use jiff::Timestamp;

use super::calls::LIST_METRICS;
use super::limit::{self, Api};
use super::sagemaker::ASYNC;
use super::{AwsProvider, metrics};
use crate::domain::{
    ENDPOINT_HOURS, Hour, HourRange, Resource, ResourceKind, ResourceSignal, SourceError,
};
use crate::source::catalogue;
use crate::source::provider::{GpuDimensions, ResourceHours};

/// The namespace and metric of AWS's sample lifecycle configuration `publish-instance-metrics`
/// (aws-samples/amazon-sagemaker-notebook-instance-lifecycle-config-samples): SageMaker itself
/// publishes nothing of notebook instances.
const NOTEBOOKS: (&str, &str) = ("SageMakerNotebookInstances", "cpu_usage_idle");

/// How a raw datapoint becomes a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    /// As it is.
    One,
    /// Divided: SageMaker adds up the cores and the GPUs of an instance.
    Per(f64),
    /// What is left of 100 percent.
    Rest,
}

impl Scale {
    fn apply(self, raw: f64) -> f64 {
        match self {
            Self::One => raw,
            Self::Per(n) => raw / n,
            Self::Rest => 100.0 - raw,
        }
    }
}

/// One series to ask for.
#[derive(Clone, Debug)]
struct Asked {
    /// Index of the resource.
    resource: usize,
    signal: ResourceSignal,
    namespace: &'static str,
    metric: &'static str,
    dimensions: GpuDimensions,
    statistic: &'static str,
    scale: Scale,
    /// Of several series of a signal, which one: a variant.
    part: usize,
    /// It does not count itself: an hour in which it reported and the signal's own series did not is
    /// an hour of nothing.
    is_witness: bool,
}

/// Hourly values of the resources' signals in `range`. Err when a call fails.
pub async fn read(
    aws: &AwsProvider,
    region: &Arc<str>,
    resources: &[Resource],
    range: HourRange,
) -> Result<Vec<ResourceHours>, SourceError> {
    let notebooks = if resources.iter().any(|r| r.kind == ResourceKind::Notebook) {
        published(aws, region).await?
    } else {
        HashMap::new()
    };
    let asked: Vec<Asked> = resources
        .iter()
        .enumerate()
        .filter(|(_, r)| r.is_billed)
        .flat_map(|(i, r)| series(i, r, &notebooks))
        .collect();
    let points = limit::metric_points(asked.len(), range, (aws.now)());
    let queries = asked.iter().enumerate().map(|(i, a)| query(i, a)).collect();
    let times = (range.from.start(), range.to.start());
    let answers = metrics::request(aws, region, queries, times, points).await?;
    let mut by_query: HashMap<usize, Answer> = HashMap::new();
    for answer in answers {
        by_query.insert(answer.query, (answer.points, answer.complete));
    }
    let mut out = folded(resources, &asked, &by_query);
    let is_endpoint = |id: &Arc<str>| {
        resources.iter().any(|r| r.kind == ResourceKind::VpcEndpoint && r.id == *id)
    };
    for hours in out.iter_mut().filter(|hours| hours.complete && is_endpoint(&hours.id)) {
        hours.points = with_zeros(&hours.points, range);
    }
    Ok(out)
}

/// Points of an endpoint of a VPC by hour: CloudWatch has some only of minutes in which traffic came to it (AWS
/// `PrivateLink`, CloudWatch metrics: reporting criteria), so that an hour without one is an hour of nothing.
fn with_zeros(points: &[(Timestamp, f64)], range: HourRange) -> Vec<(Timestamp, f64)> {
    let mut hours: BTreeMap<Timestamp, f64> =
        (range.from.0..range.to.0).map(|hour| (Hour(hour).start(), 0.0)).collect();
    hours.extend(points.iter().copied());
    hours.into_iter().collect()
}

fn query(index: usize, asked: &Asked) -> cw::MetricDataQuery {
    let dimensions = metrics::pairs(&asked.dimensions);
    metrics::named_query(index, (asked.namespace, asked.metric), dimensions, asked.statistic, 3600)
}

/// The series of the notebooks that publish their CPU, by name of the notebook: one for each host
/// that it ran on.
async fn published(
    aws: &AwsProvider,
    region: &Arc<str>,
) -> Result<HashMap<Arc<str>, Vec<GpuDimensions>>, SourceError> {
    let mut out: HashMap<Arc<str>, Vec<GpuDimensions>> = HashMap::new();
    let client = aws.clients().await.cloudwatch(region);
    let ask = |token| {
        client
            .list_metrics()
            .namespace(NOTEBOOKS.0)
            .metric_name(NOTEBOOKS.1)
            .set_next_token(token)
            .send()
    };
    aws.each_page((Api::MetricList, &LIST_METRICS), region, ask, |page| {
        for dimensions in page.metrics().iter().filter_map(metrics::exact) {
            let find = |name: &str| dimensions.0.iter().find(|(n, _)| &**n == name).map(|d| &d.1);
            let total = find("cpu").is_none_or(|cpu| &**cpu == "cpu-total");
            let Some(name) = find("notebook_instance_name").filter(|_| total).cloned() else {
                continue;
            };
            let of = out.entry(name).or_default();
            // Some emulators list a series once per datapoint.
            if !of.contains(&dimensions) {
                of.push(dimensions);
            }
        }
        Ok(page.next_token)
    })
    .await?;
    Ok(out)
}

fn dims(pairs: &[(&str, &str)]) -> GpuDimensions {
    GpuDimensions(pairs.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect())
}

/// The series of a resource.
fn series(
    resource: usize,
    it: &Resource,
    notebooks: &HashMap<Arc<str>, Vec<GpuDimensions>>,
) -> Vec<Asked> {
    use ResourceSignal::{Bytes, BytesBack, Connections, CpuMax, GpuMax, Requests};
    let one = |signal, namespace, metric, dimensions: &GpuDimensions, statistic| Asked {
        resource,
        signal,
        namespace,
        metric,
        dimensions: dimensions.clone(),
        statistic,
        scale: Scale::One,
        part: 0,
        is_witness: false,
    };
    match it.kind {
        ResourceKind::Endpoint => {
            let variants = it.serves.iter().flatten().zip(&it.units).enumerate();
            let of = |(part, (variant, unit)): (usize, (&Arc<str>, &crate::domain::BilledUnit))| {
                let at = dims(&[("EndpointName", &it.name), ("VariantName", variant)]);
                let spec = unit.what.strip_prefix("ml.").and_then(catalogue::type_spec);
                let instances = "/aws/sagemaker/Endpoints";
                let per =
                    |asked: Asked, n: u32| Asked { scale: Scale::Per(f64::from(n)), part, ..asked };
                let cpus = spec.map_or(0, |s| s.vcpus);
                let gpus = spec.map_or(0, crate::domain::TypeSpec::devices);
                let mut out = Vec::new();
                // Asynchronous requests are counted elsewhere: what is not here proves nothing.
                if !it.state.ends_with(ASYNC) {
                    let requests = one(Requests, "AWS/SageMaker", "Invocations", &at, "Sum");
                    out.push(Asked { part, ..requests });
                }
                if cpus > 0 {
                    let cpu = one(CpuMax, instances, "CPUUtilization", &at, "Maximum");
                    out.push(per(cpu, cpus));
                }
                if gpus > 0 {
                    let gpu = one(GpuMax, instances, "GPUUtilization", &at, "Maximum");
                    out.push(per(gpu, gpus));
                }
                out
            };
            variants.flat_map(of).collect()
        }
        ResourceKind::Notebook => notebooks
            .get(&it.name)
            .into_iter()
            .flatten()
            .map(|at| Asked {
                scale: Scale::Rest,
                ..one(CpuMax, NOTEBOOKS.0, NOTEBOOKS.1, at, "Minimum")
            })
            .collect(),
        ResourceKind::NatGateway => {
            let at = dims(&[("NatGatewayId", &it.id)]);
            let of = "AWS/NATGateway";
            vec![
                one(Connections, of, "ActiveConnectionCount", &at, "Maximum"),
                // What goes out and what comes back: each byte that is billed once. The two metrics of
                // the other side (InFromSource, OutToSource) count the same bytes again.
                one(Bytes, of, "BytesOutToDestination", &at, "Sum"),
                one(BytesBack, of, "BytesInFromDestination", &at, "Sum"),
            ]
        }
        ResourceKind::LoadBalancer => {
            // The dimension is the end of the ARN: `app/name/50dc6c495c0c9188`.
            let Some((_, name)) = it.id.split_once(":loadbalancer/") else { return Vec::new() };
            let at = dims(&[("LoadBalancer", name)]);
            if it.is_application() {
                let of = "AWS/ApplicationELB";
                let witness = one(Requests, of, "ConsumedLCUs", &at, "Maximum");
                vec![
                    one(Requests, of, "RequestCount", &at, "Sum"),
                    one(Connections, of, "NewConnectionCount", &at, "Sum"),
                    Asked { is_witness: true, ..witness },
                ]
            } else {
                let gateway = name.starts_with("gwy/");
                let of = if gateway { "AWS/GatewayELB" } else { "AWS/NetworkELB" };
                vec![
                    one(Connections, of, "NewFlowCount", &at, "Sum"),
                    one(Bytes, of, "ProcessedBytes", &at, "Sum"),
                ]
            }
        }
        ResourceKind::VpcEndpoint => {
            let Some((service, vpc)) = it.service_and_vpc() else { return Vec::new() };
            let is_interface = it.units.iter().any(|unit| *unit.what == *ENDPOINT_HOURS[0]);
            let at = dims(&[
                ("Endpoint Type", if is_interface { "Interface" } else { "GatewayLoadBalancer" }),
                ("Service Name", service),
                ("VPC Endpoint Id", &it.id),
                ("VPC Id", vpc),
            ]);
            vec![one(Bytes, "AWS/PrivateLinkEndpoints", "BytesProcessed", &at, "Sum")]
        }
        ResourceKind::StudioApp | ResourceKind::ElasticIp | ResourceKind::StoppedInstance => {
            Vec::new()
        }
    }
}

/// True for a value that speaks for use even where another part did not report.
fn is_use(signal: ResourceSignal, value: f64) -> bool {
    if signal.is_percent() { value >= 5.0 } else { value > 0.0 }
}

/// Values by hour.
type Values = BTreeMap<Timestamp, f64>;

/// Points of a query, and whether they are all that there is.
type Answer = (Vec<(Timestamp, f64)>, bool);

/// One series per resource and signal. Requests, connections and bytes of several variants add up, of
/// percentages the highest counts. Where one of them did not report, what the others say counts as
/// use and never as silence. Hosts that a notebook ran on one after the other stand in for each other.
fn folded(
    resources: &[Resource],
    asked: &[Asked],
    answers: &HashMap<usize, Answer>,
) -> Vec<ResourceHours> {
    let mut groups: BTreeMap<(usize, ResourceSignal), Vec<usize>> = BTreeMap::new();
    for (i, a) in asked.iter().enumerate() {
        groups.entry((a.resource, a.signal)).or_default().push(i);
    }
    let values = |i: usize| -> Values {
        let points = answers.get(&i).map_or(&[][..], |(points, _)| points);
        points.iter().map(|(t, raw)| (*t, asked[i].scale.apply(*raw))).collect()
    };
    let complete = |i: &usize| answers.get(i).is_some_and(|(_, complete)| *complete);
    let mut out = Vec::new();
    for ((resource, signal), members) in &groups {
        let Some(it) = resources.get(*resource) else { continue };
        let mut parts: BTreeMap<usize, Values> = BTreeMap::new();
        let mut whole = members.iter().all(complete);
        for i in members.iter().filter(|i| !asked[**i].is_witness) {
            let part = parts.entry(asked[*i].part).or_default();
            for (t, v) in values(*i) {
                let slot = part.entry(t).or_insert(v);
                *slot = slot.max(v);
            }
        }
        // Who saw the hours in which nothing was counted: a witness of its own, or the CPU of the
        // same variant, which reports as long as the instance runs.
        let stands_by = |i: &&usize, part: usize| {
            let a = &asked[**i];
            a.is_witness || (*signal == ResourceSignal::Requests && a.part == part)
        };
        let cpu = groups
            .get(&(*resource, ResourceSignal::CpuMax))
            .filter(|_| *signal == ResourceSignal::Requests && it.kind == ResourceKind::Endpoint);
        for (part, known) in &mut parts {
            let witnesses = members
                .iter()
                .filter(|i| asked[**i].is_witness)
                .chain(cpu.into_iter().flatten().filter(|i| stands_by(i, *part)));
            for i in witnesses {
                whole &= complete(i);
                for (t, v) in values(*i) {
                    if v.is_finite() {
                        known.entry(t).or_insert(0.0);
                    }
                }
            }
        }
        out.push(ResourceHours {
            id: it.id.clone(),
            signal: *signal,
            points: together(*signal, &parts),
            complete: whole,
        });
    }
    out
}

fn together(signal: ResourceSignal, parts: &BTreeMap<usize, Values>) -> Vec<(Timestamp, f64)> {
    let mut hours: BTreeMap<Timestamp, Vec<f64>> = BTreeMap::new();
    for (t, v) in parts.values().flatten() {
        hours.entry(*t).or_default().push(*v);
    }
    let fold = |values: &[f64]| -> f64 {
        // What makes no sense in one part makes none of the whole.
        if let Some(odd) = values.iter().find(|v| !v.is_finite() || **v < 0.0) {
            return *odd;
        }
        match signal {
            ResourceSignal::Requests
            | ResourceSignal::Bytes
            | ResourceSignal::BytesBack
            | ResourceSignal::Connections => values.iter().sum(),
            ResourceSignal::CpuMax | ResourceSignal::GpuMax => {
                values.iter().copied().fold(0.0, f64::max)
            }
        }
    };
    hours
        .into_iter()
        .map(|(t, values)| (t, values.len(), fold(&values)))
        .filter(|(_, n, v)| *n == parts.len() || !v.is_finite() || is_use(signal, *v))
        .map(|(t, _, v)| (t, v))
        .collect()
}
