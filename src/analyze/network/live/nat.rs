//! NAT gateways: what they cost by list prices and CloudWatch, and whether what goes to S3 need go through them.

use super::super::meaning::GB;
use super::billed::Billed;
use crate::domain::{EndpointKind, ResourceSignal, RouteTable, Routing, VerdictKind, VpcEndpoint};
use crate::fleet::savings::{PathAdvice, PathKind, PathRow};

/// The row of a gateway. It is billed for what goes out and what comes back, each byte once.
pub(super) fn row(of: &Billed<'_>) -> PathRow {
    let (gateway, routing) = (&of.facts.resource, of.routing);
    let bytes = of.a_month(&[ResourceSignal::Bytes, ResourceSignal::BytesBack]);
    let bytes_usd = bytes.zip(routing.nat_usd_per_gb).map(|(bytes, usd)| bytes / GB * usd);
    let hours_usd = of.hours_usd();
    let usd = bytes_usd.zip(hours_usd).map(|(bytes, hours)| bytes + hours);
    let advice = match of.verdict() {
        Some(VerdictKind::Idle) => PathAdvice::Idle,
        Some(VerdictKind::Exempt) => PathAdvice::Exempt,
        _ => advice(&gateway.id, routing),
    };
    let avoidable_usd = match advice {
        // The bytes tell no destination: up to all of them.
        PathAdvice::AddEndpoint { .. } | PathAdvice::ExtendEndpoint { .. } => bytes_usd,
        PathAdvice::Idle => usd.or(hours_usd),
        _ => None,
    };
    PathRow {
        id: gateway.id.clone(),
        name: gateway.name.clone(),
        kind: PathKind::Nat,
        scope: gateway.scope.clone(),
        to: None,
        team: of.judged.and_then(|row| row.team.clone()),
        hours: Some(of.hours()),
        bytes,
        bytes_usd,
        usd,
        at_most_usd: None,
        price_of: None,
        avoidable_usd,
        once_usd: Some(0.0),
        advice,
    }
}

/// What the routes say of the way to S3. An endpoint whose state or route is in doubt is none that works, and a
/// list that was not read claims nothing.
fn advice(gateway: &str, routing: &Routing) -> PathAdvice {
    let (Some(leading), Some(all), Some(endpoints)) =
        (routing.leading_to(gateway), &routing.tables, &routing.endpoints)
    else {
        return PathAdvice::Unread;
    };
    let of_s3: Vec<&VpcEndpoint> = endpoints.iter().filter(|e| e.is_of_s3()).collect();
    let is_open = |table: &RouteTable| table.is_used() && !is_covered(table, &of_s3);
    let Some(vpc) = leading.iter().find(|table| is_open(table)).map(|table| table.vpc.clone())
    else {
        return PathAdvice::Covered;
    };
    // One endpoint serves the tables of all gateways of the VPC.
    let is_of_it =
        |table: &&RouteTable| table.vpc == vpc && !table.nat_gateways.is_empty() && is_open(table);
    let tables = all.iter().filter(is_of_it).map(|table| table.id.clone()).collect();
    let is_there = |e: &&&VpcEndpoint| e.kind == EndpointKind::Gateway && e.vpc == vpc;
    match of_s3.iter().find(is_there) {
        Some(endpoint) => PathAdvice::ExtendEndpoint { endpoint: endpoint.id.clone(), tables },
        None => PathAdvice::AddEndpoint { vpc, tables },
    }
}

/// True where what goes to S3 by a table takes an endpoint: a gateway endpoint with a route in it, or interfaces in the
/// VPC to which the usual names of S3 lead.
fn is_covered(table: &RouteTable, of_s3: &[&VpcEndpoint]) -> bool {
    of_s3.iter().any(|endpoint| match endpoint.kind {
        EndpointKind::Gateway => {
            endpoint.route_tables.contains(&table.id) || table.endpoints.contains(&endpoint.id)
        }
        EndpointKind::Interface => endpoint.vpc == table.vpc && endpoint.has_private_dns,
        EndpointKind::Other => false,
    })
}
