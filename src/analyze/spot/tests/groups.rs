//! One policy for an Auto Scaling group, and nobody moved who must stay.

use std::sync::Arc;

use super::fixture::{World, instance, near};
use crate::analyze::spot::{SPOT_TAG, SpotRule, asg_policy};
use crate::domain::{Lifecycle, VerdictKind};
use crate::fleet::savings::{MixedFleet, NoPolicy, SpotFit, SpotNote};

const ASG: (&str, &str) = ("aws:autoscaling:groupName", "workers");
const TRAINS: &[(&str, &str)] = &[("workload", "train"), ASG];

fn world() -> World {
    World::default().on_demand("g5.xlarge", 1.0).spot("g5.xlarge", &[("a", 0.4)]).many(
        8,
        "i-",
        "g5.xlarge",
        TRAINS,
    )
}

/// The one fleet of a world.
#[track_caller]
fn one(world: &World) -> Arc<MixedFleet> {
    let all = world.mixed();
    assert_eq!(all.len(), 1, "{all:?}");
    all[0].clone()
}

fn distribution(fleet: &MixedFleet) -> (u64, u64) {
    let policy = asg_policy(fleet).unwrap();
    let of = |key: &str| policy["InstancesDistribution"][key].as_u64().unwrap();
    (of("OnDemandBaseCapacity"), of("OnDemandPercentageAboveBaseCapacity"))
}

#[test]
fn a_group_that_fits_as_a_whole_has_a_base_of_none() {
    let fleet = one(&world());
    assert_eq!(distribution(&fleet), (0, 0));
    assert_eq!((fleet.count, fleet.spot(), fleet.fit), (8, 8, SpotFit::Yes));
    assert!(
        !fleet.says.iter().any(|n| matches!(n, SpotNote::UnknownMembers(_))),
        "{:?}",
        fleet.says
    );
}

/// What must stay is in the base as a number at least, but a number is not it: no policy.
#[track_caller]
fn has_no_policy(world: &World, ids: &str) {
    let fleet = one(world);
    assert_eq!((fleet.count, fleet.base, fleet.on_demand, fleet.spot()), (10, 2, 2, 8));
    assert_eq!(fleet.fit, SpotFit::Partial);
    assert_eq!(asg_policy(&fleet), None);
    let NoPolicy { pinned, fit } = fleet.no_policy.as_ref().unwrap();
    assert_eq!((pinned.names.join(", ").as_str(), pinned.more, *fit), (ids, 0, 8));
    assert!(!fleet.says.iter().any(|n| matches!(n, SpotNote::Belongs { .. })));
    // The rows of the others are worth what they were; the advice is another.
    let (row, before) = (world.row("i-0"), self::world().row("i-0"));
    assert_eq!(row.net_usd_per_hour, before.net_usd_per_hour);
    assert_eq!(row.effective, before.effective);
    assert!(row.says.iter().any(|n| matches!(**n, SpotNote::MoveAway(_))), "{:?}", row.says);
    assert!(!row.says.iter().any(|n| matches!(**n, SpotNote::Belongs { .. })));
}

#[test]
fn members_tagged_no_are_moved_by_no_policy() {
    let kept = [ASG, ("workload", "train"), (SPOT_TAG, "no")];
    has_no_policy(&world().many(2, "x-", "g5.xlarge", &kept), "x-0, x-1");
    // An idle one is stopped and not moved; nor is it moved before it is stopped.
    let idle = world().many(2, "x-", "g5.xlarge", &kept).judged("x-1", VerdictKind::Idle);
    has_no_policy(&idle, "x-0, x-1");
}

#[test]
fn exempt_members_are_moved_by_no_policy() {
    let exempt = world()
        .many(2, "x-", "g5.xlarge", TRAINS)
        .judged("x-0", VerdictKind::Exempt)
        .judged("x-1", VerdictKind::Exempt);
    has_no_policy(&exempt, "x-0, x-1");
}

#[test]
fn members_that_a_rule_or_their_work_keeps_are_moved_by_no_policy() {
    let mut world = world().many(1, "x-", "g5.xlarge", &[ASG, ("Name", "keep-me")]).many(
        1,
        "y-",
        "g5.xlarge",
        &[ASG, ("Name", "features-postgres")],
    );
    world.rules.own.push(SpotRule {
        tag: None,
        name: Some(crate::analyze::spot::Pattern::new("keep-*")),
        fit: SpotFit::No,
        why: None,
        checkpoint_hours: None,
        restart_hours: None,
        availability: None,
    });
    has_no_policy(&world, "x-0, y-0");
}

#[test]
fn many_that_must_stay_are_not_all_named() {
    let kept = [ASG, (SPOT_TAG, "no")];
    let fleet = one(&world().many(5, "x-", "g5.xlarge", &kept));
    let pinned = &fleet.no_policy.as_ref().unwrap().pinned;
    assert_eq!((pinned.names.join(" ").as_str(), pinned.more), ("x-0 x-1 x-2", 2));
}

#[test]
fn unknown_members_are_in_the_base_and_it_is_said_that_it_is_a_number() {
    let fleet = one(&world().many(2, "x-", "g5.xlarge", &[ASG]));
    assert_eq!(distribution(&fleet), (2, 0));
    assert_eq!((fleet.count, fleet.on_demand, fleet.spot()), (10, 2, 8));
    assert_eq!((fleet.fit, &fleet.no_policy), (SpotFit::Partial, &None));
    assert!(fleet.says.contains(&SpotNote::UnknownMembers(2)), "{:?}", fleet.says);
    near(fleet.gross_usd_per_hour.unwrap(), 8.0 * 0.6);
    // A tag that cannot be read is unknown too.
    let fleet = one(&world().many(1, "x-", "g5.xlarge", &[ASG, (SPOT_TAG, "perhaps")]));
    assert_eq!(distribution(&fleet), (1, 0));
}

#[test]
fn an_idle_member_that_nothing_keeps_is_stopped_and_not_counted() {
    let idle = world().many(2, "x-", "g5.xlarge", &[ASG]).judged("x-0", VerdictKind::Idle);
    assert_eq!(distribution(&one(&idle)), (1, 0));
}

#[test]
fn members_that_fit_differently_have_the_stricter_policy() {
    let world = world().many(4, "s-", "g5.xlarge", &[ASG, ("workload", "serve")]);
    let fleet = one(&world);
    // 2 and 30% of 10 for all twelve, not 0 for eight and 2 for four.
    assert_eq!(distribution(&fleet), (2, 30));
    assert_eq!((fleet.count, fleet.on_demand, fleet.spot()), (12, 5, 7));
    assert_eq!(fleet.instances.len(), 12);
    let one_policy = SpotNote::OnePolicy { whole: 8, partly: 4 };
    assert!(fleet.says.contains(&one_policy), "{:?}", fleet.says);
    for id in ["i-0", "s-0"] {
        let row = world.row(id);
        near(row.gross_usd_per_hour.unwrap(), 0.6 * 7.0 / 12.0);
        assert!(row.says.iter().any(|note| **note == one_policy), "{:?}", row.says);
    }
    assert_eq!(world.row("i-0").fit, SpotFit::Yes, "its own fit is what it was");
}

#[test]
fn the_base_is_the_larger_of_the_rules_and_of_what_stays() {
    let serves = &[ASG, ("workload", "serve")];
    let base = |unknown: usize| {
        let world = World::default()
            .on_demand("g5.xlarge", 1.0)
            .spot("g5.xlarge", &[("a", 0.4)])
            .many(10, "s-", "g5.xlarge", serves)
            .many(unknown, "x-", "g5.xlarge", &[ASG]);
        distribution(&one(&world))
    };
    assert_eq!([base(0), base(1), base(5)], [(2, 30), (2, 30), (5, 30)]);
}

#[test]
fn those_on_spot_already_are_counted_once() {
    let mut world = world().many(4, "s-", "g5.xlarge", &[ASG, ("workload", "serve")]);
    for n in 0..3 {
        let mut spot = instance(&format!("z-{n}"), "g5.xlarge", TRAINS);
        spot.lifecycle = Lifecycle::Spot;
        world = world.with(spot);
    }
    let fleet = one(&world);
    // 2 and ⌈0.3 · 13⌉ of 15 stay: 6, so 6 of the twelve move.
    assert_eq!((fleet.count, fleet.on_demand, fleet.spot()), (15, 6, 9));
}

#[test]
fn a_pool_is_one_setting_and_a_cluster_is_not() {
    let of = |tag: (&'static str, &'static str)| {
        World::default()
            .on_demand("g5.xlarge", 1.0)
            .spot("g5.xlarge", &[("a", 0.4)])
            .many(3, "i-", "g5.xlarge", &[tag, ("workload", "train")])
            .many(1, "x-", "g5.xlarge", &[tag, (SPOT_TAG, "no")])
    };
    assert!(one(&of(("karpenter.sh/nodepool", "p"))).no_policy.is_some());
    // Nodes of an EKS cluster that no group holds: those that move get one of their own anyway.
    let cluster = one(&of(("eks:cluster-name", "c")));
    assert_eq!((cluster.count, cluster.base, &cluster.no_policy), (3, 0, &None));
}
