//! A mixed fleet as the policy of an Auto Scaling group, to copy.

use serde_json::{Value, json};

use crate::domain::OwnerKind;
use crate::fleet::savings::MixedFleet;

/// The most instance types of a group (EC2 Auto Scaling API, `LaunchTemplateOverrides`).
pub const MAX_TYPES: usize = 40;

/// What stands where the user's own launch template belongs.
const TEMPLATE: &str = "YOUR-LAUNCH-TEMPLATE";
/// What stands where the group's name belongs, where there is no group yet.
const GROUP: &str = "YOUR-GROUP";
/// Looks at price and spare capacity, and is what AWS recommends (EC2 Auto Scaling user guide,
/// "Allocation strategies for multiple instance types"). The default, `lowest-price`, is interrupted
/// more.
const SPOT_STRATEGY: &str = "price-capacity-optimized";
/// In the order of the overrides, so that the base keeps the type that runs now.
const ON_DEMAND_STRATEGY: &str = "prioritized";

/// The `MixedInstancesPolicy` of the EC2 Auto Scaling API; `None` where no policy would keep on demand
/// those that must stay there (`no_policy`).
pub fn asg_policy(fleet: &MixedFleet) -> Option<Value> {
    if fleet.no_policy.is_some() {
        return None;
    }
    let overrides: Vec<Value> = types(fleet).map(|name| json!({ "InstanceType": name })).collect();
    Some(json!({
        "LaunchTemplate": {
            "LaunchTemplateSpecification": {
                "LaunchTemplateName": TEMPLATE,
                "Version": "$Latest",
            },
            "Overrides": overrides,
        },
        "InstancesDistribution": {
            "OnDemandAllocationStrategy": ON_DEMAND_STRATEGY,
            "OnDemandBaseCapacity": fleet.base,
            "OnDemandPercentageAboveBaseCapacity": fleet.percent_above_base.min(100),
            "SpotAllocationStrategy": SPOT_STRATEGY,
        },
    }))
}

/// The input of `aws autoscaling update-auto-scaling-group --cli-input-json file://…`. With capacity
/// rebalancing the group looks for another instance when EC2 says that one is likely to go.
/// `None` as in [`asg_policy`].
pub fn asg_cli_input(fleet: &MixedFleet) -> Option<Value> {
    let policy = asg_policy(fleet)?;
    let owner = fleet.owner.as_ref().filter(|owner| owner.kind == OwnerKind::Asg);
    Some(json!({
        "AutoScalingGroupName": owner.map_or(GROUP, |owner| &owner.name),
        "MixedInstancesPolicy": policy,
        "CapacityRebalance": true,
    }))
}

/// The properties of an `AWS::AutoScaling::AutoScalingGroup`, as JSON with a final newline.
/// `None` as in [`asg_policy`].
pub fn asg_cloudformation(fleet: &MixedFleet) -> Option<String> {
    let mut policy = asg_policy(fleet)?;
    // CloudFormation knows no `$Latest`: a version is a number or an attribute of the template.
    if let Some(place) = policy.pointer_mut("/LaunchTemplate/LaunchTemplateSpecification") {
        *place = json!({
            "LaunchTemplateId": { "Ref": "LaunchTemplate" },
            "Version": { "Fn::GetAtt": ["LaunchTemplate", "LatestVersionNumber"] },
        });
    }
    Some(format!("{:#}\n", json!({ "MixedInstancesPolicy": policy, "CapacityRebalance": true })))
}

/// The blocks of an `aws_autoscaling_group` in Terraform. `None` as in [`asg_policy`].
pub fn asg_terraform(fleet: &MixedFleet) -> Option<String> {
    if fleet.no_policy.is_some() {
        return None;
    }
    let mut out = format!(
        "capacity_rebalance = true\n\
         \n\
         mixed_instances_policy {{\n  \
           instances_distribution {{\n    \
             on_demand_allocation_strategy            = \"{ON_DEMAND_STRATEGY}\"\n    \
             on_demand_base_capacity                  = {}\n    \
             on_demand_percentage_above_base_capacity = {}\n    \
             spot_allocation_strategy                 = \"{SPOT_STRATEGY}\"\n  \
           }}\n\
         \n  \
           launch_template {{\n    \
             launch_template_specification {{\n      \
               launch_template_name = \"{TEMPLATE}\"\n      \
               version              = \"$Latest\"\n    \
             }}\n",
        fleet.base,
        fleet.percent_above_base.min(100),
    );
    for name in types(fleet) {
        out.push_str(&format!("    override {{\n      instance_type = \"{name}\"\n    }}\n"));
    }
    out.push_str("  }\n}\n");
    Some(out)
}

/// Types that are names and nothing else: what a source says becomes code here.
fn types(fleet: &MixedFleet) -> impl Iterator<Item = &str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let named = fleet.types.iter().map(|name| &**name);
    named.filter(move |name| !name.is_empty() && name.chars().all(plain)).take(MAX_TYPES)
}
