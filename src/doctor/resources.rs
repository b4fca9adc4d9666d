//! What an account answers about resources that are no instances: each kind is listed once, and what
//! the list takes is judged by how it went.

use std::sync::Arc;

use futures_util::future::{join, join_all, join4};

use super::probe::{Asked, Permission, judge, within};
use super::{Check, Terms};
use crate::domain::{ErrorKind, Resource, ResourceKind};
use crate::source::provider::Provider;

const fn permission(action: &'static str, lost: &'static str) -> Permission {
    Permission { action, needed: false, lost }
}

/// Permissions that are probed, in the order of the report.
pub const RESOURCE_PERMISSIONS: [Permission; 18] = [
    permission("sagemaker:ListNotebookInstances", "no notebook is seen"),
    permission("sagemaker:ListEndpoints", "no endpoint is seen"),
    permission("sagemaker:DescribeEndpoint", "no endpoint is seen"),
    permission("sagemaker:DescribeEndpointConfig", "no endpoint is seen"),
    permission("sagemaker:ListApps", "no Studio app is seen"),
    permission("sagemaker:DescribeApp", "no Studio app is seen"),
    permission("sagemaker:ListTags", "notebooks, endpoints and Studio apps are not seen"),
    permission("ec2:DescribeAddresses", "no Elastic IP is seen"),
    permission("ec2:DescribeNetworkInterfaces", "Elastic IPs on interfaces stay unknown"),
    permission("ec2:DescribeNatGateways", "no NAT gateway is seen"),
    permission("ec2:DescribeRouteTables", "which routes lead to a NAT gateway is not known"),
    permission("ec2:DescribeVpcEndpoints", "no endpoint of a VPC is seen"),
    permission("logs:DescribeLogGroups", "no log group is seen"),
    permission("cloudwatch:ListMetricStreams", "no metric stream is seen"),
    permission("elasticloadbalancing:DescribeLoadBalancers", "no load balancer is seen"),
    permission("elasticloadbalancing:DescribeTags", "no load balancer is seen"),
    permission("elasticloadbalancing:DescribeTargetGroups", "targets are not known"),
    permission("elasticloadbalancing:DescribeTargetHealth", "targets are not known"),
];

/// What listing a kind takes, in the order of the calls; the first is made in any case.
fn takes(kind: ResourceKind) -> &'static [&'static str] {
    match kind {
        ResourceKind::Notebook => &["sagemaker:ListNotebookInstances", "sagemaker:ListTags"],
        ResourceKind::Endpoint => &[
            "sagemaker:ListEndpoints",
            "sagemaker:DescribeEndpoint",
            "sagemaker:DescribeEndpointConfig",
            "sagemaker:ListTags",
        ],
        ResourceKind::StudioApp => {
            &["sagemaker:ListApps", "sagemaker:DescribeApp", "sagemaker:ListTags"]
        }
        ResourceKind::ElasticIp => &["ec2:DescribeAddresses", "ec2:DescribeNetworkInterfaces"],
        ResourceKind::NatGateway => &["ec2:DescribeNatGateways"],
        ResourceKind::LoadBalancer => &[
            "elasticloadbalancing:DescribeLoadBalancers",
            "elasticloadbalancing:DescribeTags",
            "elasticloadbalancing:DescribeTargetGroups",
            "elasticloadbalancing:DescribeTargetHealth",
        ],
        // A list of its own asks for the endpoints of VPCs.
        ResourceKind::VpcEndpoint | ResourceKind::StoppedInstance => &[],
    }
}

/// Lists each kind of resource once in `region`, and judges the permissions by the results.
pub async fn probes(
    provider: &dyn Provider,
    account: &Arc<str>,
    region: &Arc<str>,
    terms: &Terms,
) -> Vec<Check> {
    let asks = ResourceKind::ALL.into_iter().filter(|k| !takes(*k).is_empty()).map(async |kind| {
        let operation = takes(kind).first().copied().unwrap_or_default();
        let ask = provider.resources(account, region, kind);
        (kind, within(terms.limit, operation, ask).await)
    });
    let (answers, lists) = join(join_all(asks), lists(provider, account, region, terms)).await;
    let check = |permission: &Permission| match lists
        .iter()
        .find(|(action, _)| *action == permission.action)
    {
        Some((_, Err(error))) if error.kind == ErrorKind::Timeout => late(permission),
        Some((_, answer)) => judge(permission, answer.as_ref().err()),
        None => of(permission, &answers),
    };
    RESOURCE_PERMISSIONS.iter().map(check).collect()
}

/// Lists that one call answers, by their actions.
async fn lists(
    provider: &dyn Provider,
    account: &Arc<str>,
    region: &Arc<str>,
    terms: &Terms,
) -> [(&'static str, Asked<()>); 4] {
    const TABLES: &str = "ec2:DescribeRouteTables";
    const ENDPOINTS: &str = "ec2:DescribeVpcEndpoints";
    const LOGS: &str = "logs:DescribeLogGroups";
    const STREAMS: &str = "cloudwatch:ListMetricStreams";
    let (tables, endpoints, logs, streams) = join4(
        within(terms.limit, TABLES, provider.route_tables(account, region)),
        within(terms.limit, ENDPOINTS, provider.vpc_endpoints(account, region)),
        within(terms.limit, LOGS, provider.log_groups(account, region)),
        within(terms.limit, STREAMS, provider.metric_streams(account, region)),
    )
    .await;
    [
        (TABLES, tables.map(drop)),
        (ENDPOINTS, endpoints.map(drop)),
        (LOGS, logs.map(drop)),
        (STREAMS, streams.map(drop)),
    ]
}

fn late(permission: &Permission) -> Check {
    skip(permission, "not told: listing them all takes longer than a check may")
}

fn skip(permission: &Permission, why: &str) -> Check {
    Check::skip(&format!("permission/{}", permission.action), why)
}

/// What the answers say of one permission: the worst that any of them says.
fn of(permission: &Permission, answers: &[(ResourceKind, Asked<Vec<Resource>>)]) -> Check {
    let (mut used, mut is_late) = (false, false);
    for (kind, answer) in answers {
        let Some(at) = takes(*kind).iter().position(|a| *a == permission.action) else { continue };
        match answer {
            Ok(found) => {
                // What could not be read is left open in the resource itself.
                let open = at > 0
                    && matches!(kind, ResourceKind::ElasticIp | ResourceKind::LoadBalancer)
                    && found.iter().any(|r| r.serves.is_none());
                used |= at == 0 || (!found.is_empty() && !open);
            }
            Err(error) if error.operation == permission.action => {
                return judge(permission, Some(error));
            }
            Err(error) if error.kind == ErrorKind::Timeout => is_late = true,
            // It failed at another call: those before it were allowed.
            Err(error) => {
                let failed = takes(*kind).iter().position(|a| *a == error.operation);
                used |= failed.is_some_and(|failed| at < failed);
            }
        }
    }
    match (used, is_late) {
        (true, _) => judge(permission, None),
        (false, true) => late(permission),
        (false, false) => skip(permission, "not asked: there is nothing to ask about"),
    }
}
