//! What CloudWatch would hold of the demo: which GPU series exist, and the points of a query.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::inventory;
use super::profile::{Agent, Fleet, Profile};
use super::workload;
use super::world::{Story, World};
use crate::domain::{Hour, HourRange, Signal};
use crate::source::GpuDimensions;
use crate::source::provider::{GpuMetric, MetricKey, MetricQuery, Statistic};

/// CloudWatch lists a series until two weeks after its last point.
const LISTED_HOURS: i32 = 14 * 24;

/// GPU series that CloudWatch lists for a box; empty without an agent.
pub(super) fn gpu_series(
    fleet: Fleet,
    world: &World,
    profile: &Profile,
    now: Timestamp,
) -> Vec<GpuMetric> {
    let hour = Hour::containing(now);
    let id = inventory::id(fleet, profile, profile.life.generation(hour));
    let began = || world.story(&id).is_some_and(|story| story.began().is_some());
    if profile.agent == Agent::Absent || (profile.stopped && !began()) {
        return Vec::new();
    }
    if let Agent::Died { after } = profile.agent {
        let launch = profile.life.launch_hour(profile.life.launches(hour));
        if hour.0 - launch.0 - after > LISTED_HOURS {
            return Vec::new();
        }
    }
    let by_host = profile.agent == Agent::ByHost;
    (0..profile.spec.devices() as u16)
        .map(|index| GpuMetric {
            instance: (!by_host).then(|| id.clone()),
            host: by_host.then(|| inventory::private_dns(profile)),
            index,
            dimensions: dimensions(profile, &id, index),
        })
        .collect()
}

/// The dimensions of a GPU series: with `host`, or with what the agent's EC2 tagger appends in
/// its place.
fn dimensions(profile: &Profile, id: &Arc<str>, index: u16) -> GpuDimensions {
    let model = profile.spec.accelerator.as_ref().map(|a| a.model.clone()).unwrap_or_default();
    let mut pairs: Vec<(Arc<str>, Arc<str>)> = if profile.agent == Agent::ByHost {
        vec![("host".into(), inventory::private_dns(profile))]
    } else {
        vec![
            ("InstanceId".into(), id.clone()),
            ("ImageId".into(), inventory::IMAGE.into()),
            ("InstanceType".into(), profile.spec.name.clone()),
        ]
    };
    pairs.push(("name".into(), format!("NVIDIA {model}").into()));
    pairs.push(("index".into(), index.to_string().into()));
    GpuDimensions(pairs)
}

/// CloudWatch does not mind the order of dimensions.
fn same(a: &GpuDimensions, b: &GpuDimensions) -> bool {
    a.0.len() == b.0.len() && a.0.iter().all(|pair| b.0.contains(pair))
}

/// Datapoints of one query; empty for an unknown instance or series, as in CloudWatch. `here` is true for the boxes of
/// the queried account and region.
pub(super) fn points(
    fleet: Fleet,
    world: &World,
    query: &MetricQuery,
    range: HourRange,
    now: Timestamp,
    here: impl Fn(&Profile) -> bool,
) -> Vec<(Timestamp, f64)> {
    let hour = Hour::containing(now);
    let Some((profile, generation)) = inventory::resolve(fleet, &query.instance, hour) else {
        return Vec::new();
    };
    if !here(&profile) || !asks_for(query, &profile) {
        return Vec::new();
    }
    let story = world.story(&query.instance);
    (range.from.0..range.to.0.min(hour.0 + 1))
        .map(Hour)
        .filter(|h| {
            ran_in(&profile, generation, story.as_ref(), *h)
                && reported(&profile, generation, query.signal, *h)
        })
        .map(|h| (h.start(), workload::value(&profile, query.signal, h)))
        .collect()
}

/// True when the box ran at `at`.
pub(super) fn ran(
    profile: &Profile,
    generation: i32,
    story: Option<&Story>,
    at: Timestamp,
) -> bool {
    let fleet = !profile.stopped && profile.life.ran(generation, Hour::containing(at));
    story.map_or(fleet, |story| story.ran(fleet, at))
}

/// True when CloudWatch has a datapoint of `hour`: one of a part of it is one.
fn ran_in(profile: &Profile, generation: i32, story: Option<&Story>, hour: Hour) -> bool {
    let last = hour.end().checked_sub(SignedDuration::from_secs(1)).unwrap_or(hour.end());
    ran(profile, generation, story, hour.start()) || ran(profile, generation, story, last)
}

/// True when the query's metric, statistic and dimensions are those of its signal.
fn asks_for(query: &MetricQuery, profile: &Profile) -> bool {
    let (metric, statistic) = match query.signal {
        Signal::CpuMean => ("CPUUtilization", Statistic::Average),
        Signal::CpuMax => ("CPUUtilization", Statistic::Maximum),
        Signal::NetworkIn => ("NetworkIn", Statistic::Sum),
        Signal::NetworkOut => ("NetworkOut", Statistic::Sum),
        Signal::EbsReadOps => ("EBSReadOps", Statistic::Sum),
        Signal::EbsWriteOps => ("EBSWriteOps", Statistic::Sum),
        Signal::GpuMean(_) => ("", Statistic::Average),
        Signal::GpuMax(_) => ("", Statistic::Maximum),
        Signal::Resource(_) => return false,
    };
    let key_fits = match (&query.key, query.signal.gpu()) {
        (MetricKey::Ec2 { metric: asked }, None) => *asked == metric,
        (MetricKey::AgentGpu { dimensions: asked }, Some(index)) => {
            profile.agent != Agent::Absent
                && u32::from(index) < profile.spec.devices()
                && same(asked, &dimensions(profile, &query.instance, index))
        }
        _ => false,
    };
    key_fits && query.statistic == statistic
}

/// True when the agent delivered the datapoint. Only renewed instances have agents that died, so that the generation is
/// the launch.
pub(super) fn reported(profile: &Profile, generation: i32, signal: Signal, hour: Hour) -> bool {
    let of_gpu = signal.gpu().is_some();
    match profile.agent {
        Agent::Died { after } if of_gpu => {
            let launch = profile.life.launch_hour(generation);
            (0..after).contains(&(hour.0 - launch.0))
        }
        Agent::Patchy if of_gpu => !matches!(hour.0.rem_euclid(5), 0 | 3),
        _ => true,
    }
}
