//! What a close look at one instance of the demo finds: protection, volumes, addresses, groups.

use std::sync::Arc;

use jiff::Timestamp;

use super::hash::{hash, unit};
use super::inventory;
use super::profile::{Fleet, Profile};
use super::traps::Facts;
use super::workload::Workload;
use super::world::Changes;
use crate::domain::{
    Addresses, GroupFact, Instance, InstanceState, LaunchSpec, Lifecycle, Scope, SpotFact,
    TargetGroupFact, VolumeFact,
};

/// A number in 0..1 that is fixed per box and purpose.
fn draw(profile: &Profile, purpose: u64) -> f64 {
    unit(hash(profile.hash, 0xfac7, purpose))
}

/// A planted case has what its row of the table says; of the others, `share` have it.
fn has(profile: &Profile, planted: fn(&Facts) -> bool, purpose: u64, share: f64) -> bool {
    profile.trap.map_or_else(|| draw(profile, purpose) < share, |trap| planted(trap.facts()))
}

/// True with EC2's `disableApiTermination`.
pub(super) fn termination_protection(profile: &Profile) -> bool {
    has(profile, |f| f.termination_protection, 1, 0.08)
}

/// True with EC2's `disableApiStop`.
pub(super) fn stop_protection(profile: &Profile) -> bool {
    has(profile, |f| f.stop_protection, 2, 0.02)
}

/// True for a Spot instance of a persistent request.
pub(super) fn is_persistent(profile: &Profile) -> bool {
    profile.lifecycle == Lifecycle::Spot && has(profile, |_| false, 3, 0.2)
}

/// True with a data volume that outlives the instance.
pub(super) fn has_data_volume(profile: &Profile) -> bool {
    let by_chance = profile.hash.is_multiple_of(3);
    profile.trap.and_then(|trap| trap.facts().data_volume).unwrap_or(by_chance)
}

/// Spot request of a box; `None` for one that is not Spot.
pub(super) fn spot(profile: &Profile) -> Option<SpotFact> {
    (profile.lifecycle == Lifecycle::Spot).then(|| SpotFact {
        request: format!("sir-{:08x}", hash(profile.hash, 20, 0) as u32).into(),
        persistent: is_persistent(profile),
    })
}

/// Volumes of `instance`, with sizes.
pub(super) fn volumes(profile: &Profile, instance: &Instance) -> Vec<VolumeFact> {
    const SIZES: [u64; 4] = [500, 1_000, 2_000, 4_000];
    let devices = instance.block_devices.iter().enumerate();
    devices
        .map(|(n, device)| {
            let root = n == 0;
            let provisioned = !root && draw(profile, 4) < 0.15;
            // What was made years ago and never looked at again.
            let is_gp2 =
                profile.trap.is_none() && !provisioned && draw(profile, 8 + n as u64) < 0.12;
            let size = if root {
                100 + 50 * (draw(profile, 5) * 8.0) as u64
            } else {
                SIZES.get((draw(profile, 6) * 4.0) as usize).copied().unwrap_or(500)
            };
            VolumeFact {
                id: device.volume_id.clone(),
                device: device.device.clone(),
                size_gib: Some(size),
                kind: match (provisioned, is_gp2) {
                    (true, _) => "io2",
                    (false, true) => "gp2",
                    (false, false) => "gp3",
                }
                .into(),
                iops: Some(match (provisioned, is_gp2) {
                    (true, _) => 16_000,
                    // 3 per GiB, at least 100, at most 16,000.
                    (false, true) => u32::try_from(size * 3).unwrap_or(16_000).clamp(100, 16_000),
                    (false, false) => 3_000,
                }),
                throughput_mibps: (!provisioned && !is_gp2).then_some(125),
                root,
                delete_on_termination: device.delete_on_termination,
            }
        })
        .collect()
}

/// Public addresses of a box, from the ranges that RFC 5737 reserves for documentation.
pub(super) fn addresses(profile: &Profile, state: InstanceState) -> Addresses {
    let kind = draw(profile, 7);
    if profile.trap.is_some() || kind >= 0.14 {
        return Addresses::default();
    }
    let net = if kind < 0.04 { "198.51.100" } else { "203.0.113" };
    let address: Arc<str> = format!("{net}.{}", 1 + profile.index % 254).into();
    if kind < 0.04 {
        Addresses { public_ipv4: None, elastic: vec![address] }
    } else {
        let lent = state == InstanceState::Running;
        Addresses { public_ipv4: lent.then_some(address), elastic: Vec::new() }
    }
}

/// The boxes of a scope.
fn boxes(fleet: Fleet, scope: &Scope) -> impl Iterator<Item = Profile> {
    (0..fleet.size())
        .filter_map(move |index| fleet.profile(index))
        .filter(|p| p.account.id == &*scope.account && p.region.code == &*scope.region)
}

/// Auto Scaling group `name` of `scope`, as seen by its member `instance`. Its desired capacity is that of the start,
/// less the instances taken out with a decrement; a group of one may go down to none.
pub(super) fn group(
    fleet: Fleet,
    changes: &Changes,
    scope: &Scope,
    name: &Arc<str>,
    instance: &Instance,
    now: Timestamp,
) -> GroupFact {
    let members = boxes(fleet, scope).filter(|p| inventory::group_of(p, now) == Some(name.clone()));
    let members = u32::try_from(members.count()).unwrap_or(u32::MAX);
    let bytes = instance.id.bytes().fold(0, |h, byte| hash(h, 21, u64::from(byte)));
    GroupFact {
        name: name.clone(),
        min: if members > 1 { members.div_ceil(2) } else { 0 },
        desired: members.saturating_sub(changes.fewer(scope, name)),
        protected_from_scale_in: &**name != "serve-llm" && unit(bytes) < 0.1,
        lifecycle: "InService".into(),
    }
}

/// The target group that a box serves in; none for what serves nobody.
fn target_group(profile: &Profile, now: Timestamp) -> Option<String> {
    if let Some(trap) = profile.trap {
        return trap.facts().target_group.map(|(name, _)| name.to_owned());
    }
    let serves = matches!(
        profile.workload,
        Workload::Serving { .. } | Workload::Service | Workload::Trickle
    );
    let name = inventory::name_of(profile, now);
    serves.then(|| name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-').to_owned())
}

/// Target groups that `instance` is registered in; empty without any.
pub(super) fn target_groups(
    fleet: Fleet,
    changes: &Changes,
    profile: &Profile,
    instance: &Instance,
    now: Timestamp,
) -> Vec<TargetGroupFact> {
    let Some(name) = target_group(profile, now) else { return Vec::new() };
    let planted = profile.trap.and_then(|trap| trap.facts().target_group);
    let others = planted.map_or_else(
        || {
            let others = boxes(fleet, &instance.scope)
                .filter(|p| p.index != profile.index && p.trap.is_none())
                .filter(|p| target_group(p, now).as_deref() == Some(&*name))
                .filter_map(|p| changes.peek(inventory::instance(fleet, &p, now), now))
                .filter(|i| i.state == InstanceState::Running);
            u32::try_from(others.count()).unwrap_or(u32::MAX)
        },
        |(_, others)| others,
    );
    let health = if instance.state == InstanceState::Running { "healthy" } else { "unused" };
    vec![TargetGroupFact { name: name.into(), health: health.into(), other_healthy: others }]
}

/// Launch settings of `instance`.
pub(super) fn launch(profile: &Profile, instance: &Instance) -> LaunchSpec {
    let id = |prefix: &str, n: u64, of: u64| Some(format!("{prefix}-0{:016x}", hash(of, 22, n)));
    let place = instance.az.bytes().fold(0, |h, byte| hash(h, 23, u64::from(byte)));
    let host = instance.private_dns.split('.').next().unwrap_or_default();
    LaunchSpec {
        image_id: Some(inventory::IMAGE.to_owned()),
        instance_type: instance.instance_type.to_string(),
        key_name: Some("ml-team".to_owned()),
        subnet_id: id("subnet", 0, place),
        security_group_ids: id("sg", 1, place).into_iter().collect(),
        iam_instance_profile: Some(format!(
            "arn:aws:iam::{}:instance-profile/ml-node",
            profile.account.id
        )),
        availability_zone: Some(instance.az.to_string()),
        placement_group: None,
        tenancy: None,
        ebs_optimized: true,
        metadata_tokens: Some("required".to_owned()),
        private_ip: host.strip_prefix("ip-").map(|ip| ip.replace('-', ".")),
        tags: instance
            .tags
            .iter()
            .filter(|(key, _)| !key.starts_with("aws:"))
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .collect(),
    }
}
