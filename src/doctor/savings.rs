//! What an account answers about commitments and the Spot market: one cheap call per permission.

use std::sync::Arc;

use super::probe::{Permission, judge, within};
use super::{Check, Terms};
use crate::domain::SourceError;
use crate::source::Provider;

const fn permission(action: &'static str, lost: &'static str) -> Permission {
    Permission { action, needed: false, lost }
}

/// Permissions that are probed, in the order of the report.
pub const SAVINGS_PERMISSIONS: [Permission; 5] = [
    permission("ec2:DescribeReservedInstances", "what stopping saves net is not known"),
    permission("ec2:DescribeCapacityReservations", "what stopping saves net is not known"),
    permission("savingsplans:DescribeSavingsPlans", "what stopping saves net is not known"),
    permission("savingsplans:DescribeSavingsPlanRates", "what Savings Plans cover is not known"),
    permission("ec2:DescribeInstanceTypeOfferings", "proposals may name types a zone lacks"),
];

/// Probes each permission by a cheap call in `region`, one of the fleet's.
pub async fn probes(
    provider: &dyn Provider,
    account: &Arc<str>,
    region: &Arc<str>,
    terms: &Terms,
) -> Vec<Check> {
    let limit = terms.limit;
    let [reserved, capacity, plans, rates, offerings] = SAVINGS_PERMISSIONS.map(|p| p.action);
    let (first, second, listed, last) = tokio::join!(
        within(limit, reserved, provider.reserved_instances(account, region)),
        within(limit, capacity, provider.capacity_reservations(account, region)),
        within(limit, plans, provider.savings_plans(account)),
        within(limit, offerings, provider.zone_offerings(region)),
    );
    let plan = listed.as_ref().ok().and_then(|all| all.first()).map(|plan| plan.id.clone());
    let rate = match plan {
        // Any type will do: a plan that does not cover it answers with an empty list.
        Some(plan) => {
            let (types, regions) = ([Arc::from("m5.large")], [Arc::clone(region)]);
            let call = provider.savings_plan_rates(&plan, &types, &regions);
            let answer = within(limit, rates, call).await;
            judged(rates, answer.err().as_ref())
        }
        None => {
            let why = "not asked: there is no Savings Plan to ask about";
            Some(Check::skip(&format!("permission/{rates}"), why))
        }
    };
    let checks = [
        judged(reserved, first.err().as_ref()),
        judged(capacity, second.err().as_ref()),
        judged(plans, listed.err().as_ref()),
        rate,
        judged(offerings, last.err().as_ref()),
    ];
    checks.into_iter().flatten().collect()
}

fn judged(action: &str, error: Option<&SourceError>) -> Option<Check> {
    let permission = SAVINGS_PERMISSIONS.iter().find(|p| p.action == action)?;
    Some(judge(permission, error))
}
