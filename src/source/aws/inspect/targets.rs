//! Load balancers: the target groups of a region and who is registered in them. There is no way
//! to ask for the groups of one instance, so they are read once for all instances of a look.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use aws_sdk_ec2::types as ec2;
use aws_sdk_elasticloadbalancingv2::types as elb;
use futures_util::future::try_join_all;

use super::instances::Found;
use crate::domain::{Known, SourceError, TargetGroupFact};
use crate::source::aws::AwsProvider;
use crate::source::aws::inventory::clean;
use crate::source::aws::load_balancers;

/// A target group with its targets: instance id or address, and health; a target occurs once per port.
#[derive(Debug)]
pub struct Group {
    name: Arc<str>,
    targets: Vec<(Arc<str>, Arc<str>)>,
}

/// Target groups of the region that the instances may be registered in. Err when one could not be read: it may be the
/// one that serves.
pub async fn of_region(
    aws: &AwsProvider,
    region: &Arc<str>,
    instances: &[&Found],
) -> Known<Vec<Group>> {
    if instances.is_empty() {
        return Ok(Vec::new());
    }
    read(aws, region, instances).await.map_err(Arc::new)
}

async fn read(
    aws: &AwsProvider,
    region: &Arc<str>,
    instances: &[&Found],
) -> Result<Vec<Group>, SourceError> {
    let networks: BTreeSet<&str> = instances.iter().filter_map(|f| f.raw.vpc_id()).collect();
    let groups = load_balancers::groups(aws, region).await?;
    let asked = groups.iter().filter(|g| may_hold(g, &networks));
    let read = try_join_all(asked.map(|group| registered(aws, region, group))).await?;
    Ok(read.into_iter().flatten().collect())
}

/// Instances are registered in their own VPC alone, addresses in peered ones as well.
fn may_hold(group: &elb::TargetGroup, networks: &BTreeSet<&str>) -> bool {
    match group.target_type() {
        Some(elb::TargetTypeEnum::Instance) => {
            group.vpc_id().is_none_or(|vpc| networks.contains(vpc))
        }
        Some(elb::TargetTypeEnum::Lambda | elb::TargetTypeEnum::Alb) => false,
        _ => true,
    }
}

/// `None` for a group that was deleted since it was listed.
async fn registered(
    aws: &AwsProvider,
    region: &Arc<str>,
    group: &elb::TargetGroup,
) -> Result<Option<Group>, SourceError> {
    let Some(targets) = load_balancers::health(aws, region, group).await? else { return Ok(None) };
    let targets = targets.iter().filter_map(|d| {
        let state = d.target_health().and_then(|h| h.state());
        Some((clean(d.target()?.id()), clean(state.map(elb::TargetHealthStateEnum::as_str))))
    });
    Ok(Some(Group { name: clean(group.target_group_name()), targets: targets.collect() }))
}

/// Target groups that an instance is registered in, by its id or one of its addresses. Err when they could not be read.
pub fn of(found: &Found, groups: &Known<Vec<Group>>) -> Known<Vec<TargetGroupFact>> {
    let groups = groups.as_ref().map_err(Arc::clone)?;
    let interfaces = found.raw.network_interfaces().iter();
    let addresses = interfaces.flat_map(ec2::InstanceNetworkInterface::private_ip_addresses);
    let own: BTreeSet<&str> = addresses
        .filter_map(|a| a.private_ip_address())
        .chain(found.raw.private_ip_address())
        .chain([&*found.instance.id])
        .collect();
    Ok(groups.iter().filter_map(|group| registration(group, &own)).collect())
}

fn registration(group: &Group, own: &BTreeSet<&str>) -> Option<TargetGroupFact> {
    // One entry per target: on several ports the one that serves counts.
    let mut targets: BTreeMap<&str, TargetGroupFact> = BTreeMap::new();
    for (id, health) in &group.targets {
        let fact = TargetGroupFact {
            name: Arc::clone(&group.name),
            health: Arc::clone(health),
            other_healthy: 0,
        };
        let kept = targets.entry(id).or_insert_with(|| fact.clone());
        if &*fact.health == "healthy" || !kept.is_serving() {
            *kept = fact;
        }
    }
    let others = targets.iter().filter(|(id, t)| !own.contains(*id) && &*t.health == "healthy");
    let other_healthy = others.count() as u32;
    let mine = targets.into_iter().filter(|(id, _)| own.contains(id)).map(|(_, fact)| fact);
    let busiest = mine.max_by_key(|fact| (&*fact.health == "healthy", fact.is_serving()))?;
    Some(TargetGroupFact { other_healthy, ..busiest })
}
