use std::collections::BTreeSet;

use super::fixture::World;
use crate::analyze::spot::{
    MAX_TYPES, asg_cli_input, asg_cloudformation, asg_policy, asg_terraform,
};
use crate::fleet::savings::{MixedFleet, Named, NoPolicy, SpotNote};
use crate::source::catalogue;

const SERVES: &[(&str, &str)] =
    &[("workload", "serve"), ("aws:autoscaling:groupName", "asr \"x\"")];

fn world() -> World {
    let mut world = World::default().many(10, "i-", "g5.xlarge", SERVES);
    world.prices.extend(catalogue::offers());
    // Nearly twice the price on demand: it is proposed for its price on Spot.
    world
        .spot("g5.xlarge", &[("a", 0.4), ("b", 0.5), ("c", 1.006)])
        .spot("g6e.xlarge", &[("a", 0.7)])
}

fn fleet() -> MixedFleet {
    (*world().mixed()[0]).clone()
}

#[test]
fn the_policy_is_what_the_api_takes() {
    let policy = asg_policy(&fleet()).unwrap();
    let distribution = &policy["InstancesDistribution"];
    assert_eq!(distribution["OnDemandBaseCapacity"], 2);
    assert_eq!(distribution["OnDemandPercentageAboveBaseCapacity"], 30);
    assert_eq!(distribution["SpotAllocationStrategy"], "price-capacity-optimized");
    assert_eq!(distribution["OnDemandAllocationStrategy"], "prioritized");
    let overrides = policy["LaunchTemplate"]["Overrides"].as_array().unwrap();
    assert_eq!(overrides[0]["InstanceType"], "g5.xlarge", "what runs now comes first");
    let names: BTreeSet<&str> =
        overrides.iter().map(|o| o["InstanceType"].as_str().unwrap()).collect();
    assert_eq!(names.len(), overrides.len(), "each once");
    assert!(names.contains("g6e.xlarge"), "{names:?}");
    assert!(!names.contains("g6.xlarge"), "half the memory bandwidth");
    assert!(!names.contains("g4dn.xlarge"), "16 GB for 24");
    assert!(!names.contains("p5.4xlarge"), "seven times the price");
    let input = asg_cli_input(&fleet()).unwrap();
    assert_eq!(input["AutoScalingGroupName"], "asr \"x\"");
    assert_eq!(input["MixedInstancesPolicy"], policy);
}

#[test]
fn all_forms_say_the_same() {
    let fleet = fleet();
    let json: serde_json::Value =
        serde_json::from_str(&asg_cloudformation(&fleet).unwrap()).unwrap();
    let inner = &json["MixedInstancesPolicy"];
    let policy = asg_policy(&fleet).unwrap();
    assert_eq!(inner["LaunchTemplate"]["Overrides"], policy["LaunchTemplate"]["Overrides"]);
    assert_eq!(inner["InstancesDistribution"], policy["InstancesDistribution"]);
    assert!(!asg_cloudformation(&fleet).unwrap().contains("$Latest"));
    let terraform = asg_terraform(&fleet).unwrap();
    assert_eq!(terraform.matches('{').count(), terraform.matches('}').count());
    assert_eq!(terraform.matches("override {").count(), fleet.types.len());
    for name in &fleet.types {
        assert!(terraform.contains(&format!("instance_type = \"{name}\"")));
    }
    assert!(terraform.contains("on_demand_base_capacity                  = 2\n"), "{terraform}");
    assert!(
        terraform
            .starts_with("capacity_rebalance = true\n\nmixed_instances_policy {\n  instances_")
    );
}

#[test]
fn no_name_becomes_code() {
    let odd = MixedFleet {
        types: vec!["g5.xlarge".into(), "x\"}\nprovisioner".into(), "".into()],
        ..fleet()
    };
    assert_eq!(
        asg_policy(&odd).unwrap()["LaunchTemplate"]["Overrides"].as_array().unwrap().len(),
        1
    );
    assert!(!asg_terraform(&odd).unwrap().contains("provisioner"));
}

#[test]
fn no_more_types_than_a_group_takes() {
    let many =
        MixedFleet { types: (0..60).map(|n| format!("g{n}.xlarge").into()).collect(), ..fleet() };
    assert_eq!(
        asg_policy(&many).unwrap()["LaunchTemplate"]["Overrides"].as_array().unwrap().len(),
        MAX_TYPES
    );
    let mut world = World::default().many(3, "i-", "m5.large", &[("workload", "batch")]);
    world.prices.extend(catalogue::offers());
    let world = world.spot("m5.large", &[("a", 0.03)]);
    assert!(world.mixed()[0].types.len() <= MAX_TYPES);
}

#[test]
fn what_no_zone_offers_is_no_override() {
    let all = fleet();
    assert!(all.types.len() > 2 && all.says.contains(&SpotNote::OfferingsUnread));
    let world = world().offers("a", &["g5.xlarge", "g6e.xlarge"]);
    let some = &world.mixed()[0];
    let names: Vec<&str> = some.types.iter().map(|t| &**t).collect();
    assert_eq!(names, ["g5.xlarge", "g6e.xlarge"]);
    assert!(!some.says.contains(&SpotNote::OfferingsUnread));
    assert!(some.says.contains(&SpotNote::FewTypes(2)));
}

#[test]
fn zones_at_the_price_of_on_demand_are_left_out() {
    let zones: Vec<String> = fleet().zones.iter().map(ToString::to_string).collect();
    assert_eq!(zones, ["us-east-1a", "us-east-1b"]);
    let says = world().row("i-0").says.clone();
    let dear = SpotNote::DearZones { dear: vec!["us-east-1c".into()], of: 3 };
    assert!(says.iter().any(|note| **note == dear), "{says:?}");
}

#[test]
fn a_stand_in_whose_spot_is_dearer_than_on_demand_is_left_out() {
    let names = |world: World| world.mixed()[0].types.clone();
    assert!(names(world()).iter().any(|t| &**t == "g6e.xlarge"));
    let dear = world().spot("g6e.xlarge", &[("a", 1.2), ("b", 1.1)]);
    assert!(!names(dear).iter().any(|t| &**t == "g6e.xlarge"));
}

#[test]
fn a_fleet_without_a_policy_has_none_in_any_form() {
    let kept = MixedFleet {
        no_policy: Some(NoPolicy { pinned: Named::of(&["i-1".into()]), fit: 1 }),
        ..fleet()
    };
    assert_eq!(asg_policy(&kept), None);
    assert_eq!(asg_cli_input(&kept), None);
    assert_eq!(asg_cloudformation(&kept), None);
    assert_eq!(asg_terraform(&kept), None);
}
