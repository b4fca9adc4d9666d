//! Instances of the demo as `DescribeInstances` would list them.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::facts;
use super::hash::{hash, mix, pick, unit, unmix};
use super::places::{TEAMS, Team, ZONES};
use super::profile::{Fleet, Profile};
use super::workload::Workload;
use crate::domain::{
    BlockDevice, Hour, Instance, InstanceState, Lifecycle, Owner, Platform, Scope, Tags, Tenancy,
    intern,
};

/// Bits of an id that hold the number in the fleet; the rest holds the generation.
const INDEX_BITS: u32 = 24;

/// Id of the image that every instance is launched from.
pub(super) const IMAGE: &str = "ami-0123456789abcdef0";

/// Instance id of `profile` in `generation`: both numbers, scrambled with the fleet's key.
pub(super) fn id(fleet: Fleet, profile: &Profile, generation: i32) -> Arc<str> {
    let payload = (generation as u64) << INDEX_BITS | u64::from(profile.index);
    format!("i-0{:016x}", mix(payload ^ fleet.key())).into()
}

/// Box and generation of an instance id; `None` when it is no id of this fleet.
pub(super) fn resolve(fleet: Fleet, id: &str, now: Hour) -> Option<(Profile, i32)> {
    let scrambled = u64::from_str_radix(id.strip_prefix("i-0")?, 16).ok()?;
    let payload = unmix(scrambled) ^ fleet.key();
    let profile = fleet.profile((payload & ((1 << INDEX_BITS) - 1)) as u32)?;
    let generation = i32::try_from(payload >> INDEX_BITS).ok()?;
    let exists = if profile.life.renewed {
        (0..=profile.life.generation(now)).contains(&generation)
    } else {
        generation == 0
    };
    exists.then_some((profile, generation))
}

/// Availability zone of an instance of the demo.
pub(super) fn zone(profile: &Profile) -> Arc<str> {
    let letter = ZONES.get((profile.hash % 3) as usize).copied().unwrap_or('a');
    intern::shared(&format!("{}{letter}", profile.region.code))
}

/// The private DNS name of a box, which also is the host name that its agent reports.
pub(super) fn private_dns(profile: &Profile) -> Arc<str> {
    let [a, b, c, d] = octets(profile);
    format!("ip-{a}-{b}-{c}-{d}.{}", profile.region.dns_suffix).into()
}

/// The private address that the name is made of.
fn private_ip(profile: &Profile) -> Arc<str> {
    let [a, b, c, d] = octets(profile);
    format!("{a}.{b}.{c}.{d}").into()
}

fn octets(profile: &Profile) -> [u8; 4] {
    // The lower half is the number of the box, which keeps the addresses apart.
    let [.., middle, low] = profile.index.to_be_bytes();
    let net = hash(profile.hash, 7, 0) % 256;
    [10, net as u8, middle, low]
}

/// Time of the last launch of a box before `now`.
pub(super) fn launched_at(profile: &Profile, now: Timestamp) -> Timestamp {
    let life = profile.life;
    let hour = life.launch_hour(life.launches(Hour::containing(now)));
    // Some minutes before the first whole hour, so that launches do not all fall on the hour.
    before(hour.start(), (profile.hash % 1_800) as i64)
}

/// Instance of a box at `now`.
pub(super) fn instance(fleet: Fleet, profile: &Profile, now: Timestamp) -> Instance {
    let hour = Hour::containing(now);
    let generation = profile.life.generation(hour);
    let runs = !profile.stopped && profile.life.ran(generation, hour);
    let tags = Tags::from_raw(raw_tags(profile, now));
    let launched_at = launched_at(profile, now);
    Instance {
        id: id(fleet, profile, generation),
        scope: Scope::new(intern::shared(profile.account.id), intern::shared(profile.region.code)),
        az: zone(profile),
        name: tags.get("Name").unwrap_or_default().into(),
        instance_type: profile.spec.name.clone(),
        state: if runs { InstanceState::Running } else { InstanceState::Stopped },
        lifecycle: profile.lifecycle,
        tenancy: Tenancy::Shared,
        platform: Platform::Linux,
        launched_at,
        block_devices: block_devices(profile, generation, launched_at),
        ebs_root: true,
        owners: Owner::from_tags(&tags),
        tags,
        private_dns: private_dns(profile),
        private_ip: Some(private_ip(profile)),
        capacity_reservation: reservation(profile),
        detailed_monitoring: false,
    }
}

fn before(t: Timestamp, seconds: i64) -> Timestamp {
    t.checked_sub(SignedDuration::from_secs(seconds)).unwrap_or(t)
}

fn block_devices(profile: &Profile, generation: i32, launched: Timestamp) -> Vec<BlockDevice> {
    // What was never stopped came with its disk; the others have kept theirs for months.
    let fresh = profile.life.renewed && profile.life.gap == 0;
    let months = if fresh { 0 } else { 1 + (hash(profile.hash, 9, 0) % 6) as i64 };
    let born = before(launched, months * 30 * 86_400);
    let volume = |n: u64| format!("vol-0{:016x}", hash(profile.hash, 10 + n, generation as u64));
    let root = BlockDevice {
        device: intern::shared("/dev/xvda"),
        volume_id: volume(0).into(),
        attached_at: Some(born),
        delete_on_termination: true,
    };
    let data = facts::has_data_volume(profile).then(|| BlockDevice {
        device: intern::shared("/dev/sdf"),
        volume_id: volume(1).into(),
        attached_at: Some(launched),
        delete_on_termination: false,
    });
    std::iter::once(root).chain(data).collect()
}

type RawTags = Vec<(String, String)>;

/// The tags as the API would send them: not cleaned.
fn raw_tags(profile: &Profile, now: Timestamp) -> RawTags {
    let own = |(k, v): &(&str, &str)| ((*k).to_owned(), dated(v, now));
    let Some(trap) = profile.trap else { return ordinary_tags(profile).unwrap_or_default() };
    let mut tags: RawTags = trap.tags().iter().map(own).collect();
    if !tags.iter().any(|(key, _)| key == "Name") {
        tags.push(("Name".into(), trap.name.into()));
    }
    tags
}

/// `{n}` in a planted value is midnight (UTC) `n` days from today.
fn dated(value: &str, now: Timestamp) -> String {
    let parts = value.split_once('{').and_then(|(head, rest)| {
        let (days, tail) = rest.split_once('}')?;
        Some((head, days.parse::<i32>().ok()?, tail))
    });
    parts.map_or_else(
        || value.to_owned(),
        |(head, days, tail)| {
            let midnight = Hour((Hour::containing(now).day() + days) * 24).start();
            format!("{head}{midnight}{tail}")
        },
    )
}

/// `Name` tag of a box; empty without one.
pub(super) fn name_of(profile: &Profile, now: Timestamp) -> String {
    let name = raw_tags(profile, now).into_iter().find(|(key, _)| key == "Name");
    name.map(|(_, value)| value).unwrap_or_default()
}

/// Auto Scaling group that a box is a member of; `None` without one.
pub(super) fn group_of(profile: &Profile, now: Timestamp) -> Option<Arc<str>> {
    let mut tags = raw_tags(profile, now).into_iter();
    tags.find(|(key, _)| key == "aws:autoscaling:groupName").map(|(_, value)| value.into())
}

/// Id of the capacity reservation or Capacity Block that a box runs in; `None` outside of any.
pub(super) fn reservation(profile: &Profile) -> Option<Arc<str>> {
    is_reserved(profile).then(|| format!("cr-0{:016x}", hash(profile.hash, 8, 0)).into())
}

fn is_reserved(profile: &Profile) -> bool {
    profile.lifecycle == Lifecycle::CapacityBlock
        || profile.trap.is_some_and(|trap| trap.facts().reserved)
}

/// What a box is called for by what it does.
fn role(profile: &Profile) -> &'static str {
    match profile.workload {
        Workload::Runs { .. } | Workload::ColdCpu => "train",
        Workload::Serving { .. } | Workload::Trickle => "serve",
        Workload::Notebook => "notebook",
        Workload::SomeGpus { .. } => "sweep",
        Workload::Nothing { .. } | Workload::Garbled if profile.spec.devices() > 0 => "exp",
        Workload::Service => "api",
        Workload::Nightly | Workload::WeeklySpike => "batch",
        Workload::Steady => "stream",
        _ => "worker",
    }
}

fn ordinary_tags(profile: &Profile) -> Option<RawTags> {
    let draw = |purpose| unit(hash(profile.hash, 3, purpose));
    let cpu_only = profile.spec.devices() == 0;
    // Data and platform run the CPU boxes, the ML teams the GPUs.
    let team: &Team = match (draw(1), cpu_only) {
        (u, true) => TEAMS.get(5 + usize::from(u > 0.6))?,
        (u, false) => TEAMS.get((u * 5.0) as usize)?,
    };
    let project = team.projects.get((draw(2) * 3.0) as usize)?;
    let role = role(profile);
    let mut tags: RawTags = vec![("Name".into(), format!("{project}-{role}-{}", profile.index))];
    let [team_key, project_key, environment_key, cost_center_key] = profile.account.tag_keys;
    let environment = profile.account.environments[usize::from(draw(3) > 0.75)];
    // One in nine was started by hand and has a name alone; cost centers are rarer still.
    if draw(4) > 0.11 {
        tags.push((team_key.into(), team.name.into()));
        tags.push((project_key.into(), (*project).into()));
        tags.push((environment_key.into(), environment.into()));
        if draw(5) > 0.3 {
            tags.push((cost_center_key.into(), team.cost_center.into()));
        }
    }
    tags.extend(owner_tags(profile, &format!("{project}-{role}"), draw(6)));
    Some(tags)
}

/// Tags that AWS services set on what they manage.
fn owner_tags(profile: &Profile, name: &str, draw: f64) -> RawTags {
    let tag = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let owner = match (profile.life.renewed, profile.workload) {
        // What is replaced every few days always has an owner that does so.
        (true, Workload::Runs { .. }) => "batch",
        (true, _) => *pick(&[("asg", 3), ("karpenter", 3), ("ecs", 1)], draw).unwrap_or(&"asg"),
        (false, Workload::Serving { .. } | Workload::Service | Workload::Trickle) => {
            *pick(&[("asg", 3), ("eks", 3), ("ecs", 1), ("", 4)], draw).unwrap_or(&"")
        }
        _ => *pick(&[("cfn", 1), ("", 9)], draw).unwrap_or(&""),
    };
    match owner {
        "asg" => vec![tag("aws:autoscaling:groupName", name)],
        "eks" => vec![
            tag("eks:cluster-name", "ml-cluster"),
            tag("eks:nodegroup-name", name),
            tag("kubernetes.io/cluster/ml-cluster", "owned"),
            tag("aws:autoscaling:groupName", &format!("eks-{name}")),
        ],
        "karpenter" => vec![
            tag("karpenter.sh/nodepool", name),
            tag("kubernetes.io/cluster/ml-cluster", "owned"),
        ],
        "batch" => vec![
            tag("AWSBatchServiceTag", "batch"),
            tag("aws:batch:compute-environment", &format!("{name}-ce")),
        ],
        "ecs" => vec![tag("AmazonECSManaged", ""), tag("aws:ecs:clusterName", "serving")],
        "cfn" => vec![tag("aws:cloudformation:stack-name", name)],
        _ => RawTags::new(),
    }
}
