//! Guards about managers of an instance, which would bring it back or depend on it.

use super::scene::Scene;
use crate::act::plan::finding::FindingSink;
use crate::act::plan::verb::Verb;
use crate::domain::{GroupFact, Lifecycle, Owner, OwnerKind};

/// The tag by which a member names its group.
const GROUP_TAG: &str = "aws:autoscaling:groupName";

/// The tags by which Spot Fleet and EC2 Fleet name the fleet of an instance. The Spot request of
/// such an instance is a one-time one: what brings it back is the fleet.
const SPOT_FLEET_TAG: &str = "aws:ec2spot:fleet-request-id";
const EC2_FLEET_TAG: &str = "aws:ec2:fleet-id";

pub(super) fn owner(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let Some(found) = scene.found else { return };
    if let Some(fleet) = found.tags.get(SPOT_FLEET_TAG) {
        out.block(format!("Spot Fleet {fleet} replaces it: lower its target capacity"), "tags");
    }
    if let Some(fleet) = found.tags.get(EC2_FLEET_TAG) {
        let text = format!("launched by EC2 Fleet {fleet}, which replaces it if it maintains");
        out.warn(text, "tags");
    }
    for Owner { kind, name } in Owner::from_tags(&found.tags) {
        let instead = match kind {
            // The guard of the group knows more than the tag.
            OwnerKind::Asg => continue,
            OwnerKind::CloudFormation => {
                out.warn(format!("stack {name} would drift; change the stack instead"), "tags");
                continue;
            }
            OwnerKind::Eks => {
                format!("a node of EKS cluster {name}: drain it, scale its node group")
            }
            OwnerKind::Karpenter => {
                format!("Karpenter ({name}) owns it: drain it, Karpenter takes empty nodes away")
            }
            OwnerKind::Ecs => {
                format!(
                    "a container instance of ECS ({name}): drain it, scale its capacity provider"
                )
            }
            OwnerKind::Batch => {
                format!("AWS Batch ({name}) owns it: lower the vCPUs of the compute environment")
            }
            OwnerKind::Emr => format!("a node of EMR cluster {name}: resize or end the cluster"),
            OwnerKind::HyperPod => {
                format!("a node of HyperPod cluster {name}, which replaces it: update the cluster")
            }
        };
        out.block(instead, "tags");
    }
}

/// A job that its scheduler says to run there ends with it, whatever the instance seems to do.
pub(super) fn jobs(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    let by = &scene.input.item.held_by;
    if !by.is_empty() {
        out.block(format!("{by}: wait until that has ended, or end it, and check again"), "jobs");
    }
}

pub(super) fn group(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    const SOURCE: &str = "autoscaling:DescribeAutoScalingInstances";
    let fact = match &scene.input.inspection.group {
        Err(e) => return out.unknown("whether an Auto Scaling group owns it", e),
        Ok(fact) => fact.as_ref(),
    };
    let tag = scene.found.and_then(|i| i.tags.get(GROUP_TAG));
    match (fact, tag) {
        (None, None) => {}
        (None, Some(tag)) => {
            out.block(format!("tagged as member of group {tag}, which does not know it"), SOURCE);
        }
        (Some(fact), None) => {
            let text = format!("a member of group {}, and has no tag that says so", fact.name);
            out.block(text, SOURCE);
        }
        (Some(fact), Some(tag)) if *fact.name != *tag => {
            out.block(format!("a member of group {}, tagged {tag}", fact.name), SOURCE);
        }
        (Some(fact), Some(_)) => member(scene, fact, out, SOURCE),
    }
}

/// A member by its tag alone: whatever its group says of it, what is stopped is replaced.
pub(super) fn tagged(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    if let Some(name) = scene.found.and_then(|i| i.tags.get(GROUP_TAG)) {
        out.block(replaced(name), "tags");
    }
}

/// That it is a Spot instance: its request, which the check reads, says whether it can be stopped.
pub(super) fn is_spot(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    if scene.found.is_some_and(|i| i.lifecycle == Lifecycle::Spot) {
        let text =
            "a Spot instance can be stopped under a persistent request alone: the check looks";
        out.warn(text, "ec2:DescribeInstances");
    }
}

/// What a group does with a member that was stopped.
fn replaced(name: &str) -> String {
    format!("group {name} would call it unhealthy and replace it")
}

fn member(scene: &Scene<'_>, group: &GroupFact, out: &mut FindingSink<'_>, source: &str) {
    let name = &group.name;
    match scene.input.plan.verb {
        Verb::Terminate { decrement: true } => {}
        Verb::Terminate { decrement: false } => {
            let text = format!(
                "group {name} would replace it, which saves nothing; terminate with decrement \
                 (--decrement)"
            );
            return out.block(text, source);
        }
        _ => return out.block(replaced(name), source),
    }
    if group.desired <= group.min {
        let text = format!(
            "group {name} wants {} and may not want fewer than {}: lower its minimum first",
            group.desired, group.min
        );
        out.block(text, source);
    }
    if group.protected_from_scale_in {
        let text = format!("protected from scale-in in group {name}; burntop takes none away");
        out.block(text, source);
    }
    if &*group.lifecycle != "InService" {
        let text = format!("group {name} says {}, not InService", group.lifecycle);
        out.block(text, source);
    }
}

pub(super) fn spot(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    const SOURCE: &str = "ec2:DescribeSpotInstanceRequests";
    let Some(found) = scene.found else { return };
    let is_spot = found.lifecycle == Lifecycle::Spot;
    let fact = match &scene.input.inspection.spot {
        Err(e) => return out.unknown("its Spot request", e),
        Ok(fact) => fact.as_ref(),
    };
    let fact = match fact {
        None if !is_spot => return,
        Some(fact) if is_spot && !fact.request.is_empty() => fact,
        Some(fact) if !is_spot => {
            let text = format!("has Spot request {} and is not a Spot instance", fact.request);
            return out.block(text, SOURCE);
        }
        _ => return out.block("a Spot instance without a known request", SOURCE),
    };
    let request = &fact.request;
    match (fact.persistent, scene.terminates()) {
        (true, true) => {
            let text = format!("{request} is persistent and launches it anew: cancel it first");
            out.block(text, SOURCE);
        }
        (true, false) => {
            let text = format!("{request} stays, disabled, until it is started or cancelled");
            out.warn(text, SOURCE);
        }
        (false, true) => {}
        (false, false) => out.block("a one-time Spot instance cannot be stopped", SOURCE),
    }
}
