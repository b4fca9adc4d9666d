//! Live paths as rows of a list of paths, and the commands that avoid them.

use std::sync::Arc;

use super::super::fix::{Fix, Remedy, exact};
use super::super::meaning::Purpose;
use super::super::path::{Confidence, NetworkPath};
use super::super::{NetworkPaths, NetworkRow, RowKey};
use crate::domain::bill::Usd;
use crate::fleet::savings::{PathAdvice, PathKind, PathRow};

/// Rows of paths that are known live, with their sum. Dollars are estimates at list price.
pub fn paths(live: &[Arc<PathRow>]) -> NetworkPaths {
    let rows: Vec<NetworkRow> = live.iter().map(row).collect();
    let network = rows.iter().fold(Usd::ZERO, |sum, row| sum + row.usd);
    NetworkPaths { rows, network, requests: Usd::ZERO, trend: None }
}

fn row(live: &Arc<PathRow>) -> NetworkRow {
    let dollars = |usd: Option<f64>| usd.and_then(exact);
    let region = Some(live.scope.region.clone());
    let path = match live.kind {
        PathKind::Nat => NetworkPath::Nat,
        PathKind::Endpoint => NetworkPath::Endpoint,
        PathKind::FarBucket => NetworkPath::InterRegion,
        // It may have taken any way.
        PathKind::Logs | PathKind::Sent | PathKind::Stream => NetworkPath::Other,
    };
    let fix = remedy(&live.advice).map(|remedy| Fix {
        remedy,
        avoidable: dollars(live.avoidable_usd),
        confidence: match live.advice {
            PathAdvice::Idle => Confidence::High,
            // Nobody saw the bucket read.
            PathAdvice::MoveTogether { .. } if live.bytes.is_none() => Confidence::Low,
            _ => Confidence::UpTo,
        },
        own_usd: Some(Usd::ZERO),
        once_usd: dollars(live.once_usd),
    });
    NetworkRow {
        key: RowKey {
            path,
            from: region,
            to: live.to.clone(),
            account: Some(live.scope.account.clone()),
            service: match live.kind {
                PathKind::Logs | PathKind::Stream => Some("AmazonCloudWatch".into()),
                PathKind::Sent => Some("AmazonEC2".into()),
                PathKind::Nat | PathKind::Endpoint | PathKind::FarBucket => None,
            },
            resource: Some(live.id.clone()),
            purpose: match live.kind {
                PathKind::FarBucket => Purpose::Read,
                PathKind::Nat
                | PathKind::Endpoint
                | PathKind::Logs
                | PathKind::Stream
                | PathKind::Sent => Purpose::Other,
            },
        },
        bytes: live.bytes,
        hours: live.hours,
        requests: match live.advice {
            PathAdvice::Exported { updates, .. } => updates.map(|updates| updates as f64),
            _ => None,
        },
        reads: None,
        usd: dollars(live.usd).unwrap_or_default(),
        bytes_usd: dollars(live.bytes_usd).unwrap_or_default(),
        reads_usd: Usd::ZERO,
        trend: None,
        is_told: true,
        fix,
        live: Some(live.clone()),
    }
}

fn remedy(advice: &PathAdvice) -> Option<Remedy> {
    match advice {
        PathAdvice::AddEndpoint { .. }
        | PathAdvice::ExtendEndpoint { .. }
        | PathAdvice::FreeGateway { .. } => Some(Remedy::GatewayEndpoint),
        PathAdvice::Idle => Some(Remedy::DeleteIdle),
        PathAdvice::MoveTogether { .. } => Some(Remedy::CoLocation),
        PathAdvice::KeepFor { .. } => Some(Remedy::LogRetention),
        PathAdvice::Covered
        | PathAdvice::Exempt
        | PathAdvice::Unread
        | PathAdvice::Anywhere { .. }
        | PathAdvice::Exported { .. }
        | PathAdvice::Interface { .. } => None,
    }
}

/// The command of the AWS CLI that carries the advice out, complete; `None` where there is none in one command.
pub fn command(live: &PathRow) -> Option<String> {
    let region = &live.scope.region;
    match &live.advice {
        PathAdvice::AddEndpoint { vpc, tables } => Some(format!(
            "aws ec2 create-vpc-endpoint --region {region} --vpc-id {vpc} --vpc-endpoint-type Gateway \
             --service-name com.amazonaws.{region}.s3 --route-table-ids {}",
            tables.join(" ")
        )),
        PathAdvice::ExtendEndpoint { endpoint, tables } => Some(format!(
            "aws ec2 modify-vpc-endpoint --region {region} --vpc-endpoint-id {endpoint} \
             --add-route-table-ids {}",
            tables.join(" ")
        )),
        PathAdvice::FreeGateway { service, vpc, tables } => {
            let is_complete = !tables.is_empty() && service.chars().all(is_of_a_service);
            is_complete.then(|| {
                format!(
                    "aws ec2 create-vpc-endpoint --region {region} --vpc-id {vpc} --vpc-endpoint-type Gateway \
                     --service-name {service} --route-table-ids {}",
                    tables.join(" ")
                )
            })
        }
        PathAdvice::Idle if live.kind == PathKind::Endpoint => Some(format!(
            "aws ec2 delete-vpc-endpoints --region {region} --vpc-endpoint-ids {}",
            live.id
        )),
        PathAdvice::Idle => Some(format!(
            "aws ec2 delete-nat-gateway --region {region} --nat-gateway-id {}",
            live.id
        )),
        // Names are letters, digits and `.-_/#`: what has others would not be one word of a shell.
        PathAdvice::KeepFor { .. } => live.id.chars().all(is_of_a_log_group).then(|| {
            format!(
                "aws logs put-retention-policy --region {region} --log-group-name {} --retention-in-days {DAYS}",
                live.id
            )
        }),
        _ => None,
    }
}

/// Retention that is proposed, days: what looks into last month's trouble needs.
const DAYS: u32 = 30;

fn is_of_a_log_group(c: char) -> bool {
    c.is_ascii_alphanumeric() || ".-_/".contains(c)
}

fn is_of_a_service(c: char) -> bool {
    c.is_ascii_alphanumeric() || ".-".contains(c)
}
