//! NAT gateways: what they cost by list prices and CloudWatch, and whether what goes to S3 need go through them.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::super::meaning::GB;
use crate::analyze::savings::SavingsInput;
use crate::domain::{
    EndpointKind, HOURS_PER_MONTH, HourRange, RESOURCE_HOURS, ResourceFacts, ResourceKind,
    ResourceSignal, RouteTable, Routing, VerdictKind, VpcEndpoint,
};
use crate::fleet::savings::{PathAdvice, PathKind, PathRow, ResourceRow};

/// Fewest hours that tell the pace of a month: a day, for most work has a rhythm of it.
const LEAST_HOURS: usize = 24;

/// Least share of the hours since the first known one that must be known, as in verdicts.
const COVERED: f64 = 0.9;

/// A row per billed gateway.
pub(super) fn rows(input: &SavingsInput<'_>, resources: &[Arc<ResourceRow>]) -> Vec<PathRow> {
    let judged: HashMap<&str, &ResourceRow> =
        resources.iter().map(|row| (&*row.resource.id, &**row)).collect();
    let scopes = input.facts.resources.values();
    let gateways = scopes.flat_map(|scope| {
        let is_gateway = |facts: &&Arc<ResourceFacts>| {
            facts.resource.kind == ResourceKind::NatGateway && facts.resource.is_billed
        };
        scope.items.iter().filter(is_gateway).map(|facts| (facts, &scope.routing))
    });
    gateways
        .map(|(facts, routing)| {
            row(facts, routing, judged.get(&*facts.resource.id).copied(), input.now)
        })
        .collect()
}

fn row(
    facts: &ResourceFacts,
    routing: &Routing,
    judged: Option<&ResourceRow>,
    now: Timestamp,
) -> PathRow {
    let gateway = &facts.resource;
    let bytes = bytes_a_month(facts, now);
    let bytes_usd = bytes.zip(routing.nat_usd_per_gb).map(|(bytes, usd)| bytes / GB * usd);
    let hours_usd = gateway.usd_per_hour().map(|usd| usd * HOURS_PER_MONTH);
    let usd = bytes_usd.zip(hours_usd).map(|(bytes, hours)| bytes + hours);
    let verdict = judged.and_then(|row| row.verdict.as_ref()).map(|verdict| verdict.kind);
    let advice = match verdict {
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
        team: judged.and_then(|row| row.team.clone()),
        hours: Some(gateway.units.iter().map(|unit| unit.count).sum::<f64>() * HOURS_PER_MONTH),
        bytes,
        bytes_usd,
        usd,
        avoidable_usd,
        once_usd: Some(0.0),
        advice,
    }
}

/// Bytes that a month of 730 h is billed for: what goes out and what comes back, each once, at the mean of the hours of the
/// last two weeks that tell both. `None` where they are fewer than a day, have gaps, or make no sense.
fn bytes_a_month(facts: &ResourceFacts, now: Timestamp) -> Option<f64> {
    let series = |signal: ResourceSignal| facts.hours.get(&signal);
    let (out, back) = (series(ResourceSignal::Bytes)?, series(ResourceSignal::BytesBack)?);
    let window = HourRange::last_closed(now, RESOURCE_HOURS);
    let hours = (window.from.0..window.to.0).map(crate::domain::Hour);
    let both: Vec<f64> =
        hours.map(|hour| f64::from(out.at(hour)) + f64::from(back.at(hour))).collect();
    // What makes no sense may have been anything.
    if both.iter().any(|bytes| bytes.is_infinite()) {
        return None;
    }
    let first = both.iter().position(|bytes| bytes.is_finite())?;
    let known: Vec<f64> = both.iter().copied().filter(|bytes| bytes.is_finite()).collect();
    let is_enough =
        known.len() >= LEAST_HOURS && known.len() as f64 >= COVERED * (both.len() - first) as f64;
    is_enough.then(|| known.iter().sum::<f64>() / known.len() as f64 * HOURS_PER_MONTH)
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
