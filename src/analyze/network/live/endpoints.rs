//! Endpoints with interfaces: what they cost by list prices and CloudWatch, and whether a gateway endpoint, which costs
//! nothing, would carry the same.

use super::super::meaning::GB;
use super::billed::Billed;
use crate::domain::{
    ENDPOINT_BYTES, ENDPOINT_HOURS, EndpointKind, Resource, ResourceSignal, RouteTable, Routing,
    VerdictKind, VpcEndpoint, has_gateway_endpoints,
};
use crate::fleet::savings::{PathAdvice, PathKind, PathRow};

/// The row of an endpoint. It is billed for the bytes of both directions, which its metric adds up; steps of the price
/// are taken for each by itself.
pub(super) fn row(of: &Billed<'_>) -> PathRow {
    let endpoint = &of.facts.resource;
    let bytes = of.a_month(&[ResourceSignal::Bytes]);
    let bytes_usd = bytes
        .zip(name_of_gb(endpoint))
        .and_then(|(bytes, what)| of.routing.endpoint_usd(what, bytes / GB));
    let hours_usd = of.hours_usd();
    let usd = bytes_usd.zip(hours_usd).map(|(bytes, hours)| bytes + hours);
    let advice = match of.verdict() {
        Some(VerdictKind::Idle) => PathAdvice::Idle,
        Some(VerdictKind::Exempt) => PathAdvice::Exempt,
        _ => advice(endpoint, of.routing),
    };
    let avoidable_usd = match advice {
        // Whether something needs the interfaces the bytes do not tell: up to all of it.
        PathAdvice::FreeGateway { .. } => usd,
        PathAdvice::Idle => usd.or(hours_usd),
        _ => None,
    };
    PathRow {
        id: endpoint.id.clone(),
        name: endpoint.name.clone(),
        kind: PathKind::Endpoint,
        scope: endpoint.scope.clone(),
        to: None,
        team: of.judged.and_then(|row| row.team.clone()),
        hours: Some(of.hours()),
        bytes,
        bytes_usd,
        usd,
        avoidable_usd,
        once_usd: Some(0.0),
        advice,
    }
}

/// Name of its GB in the price list, by that of its hour.
fn name_of_gb(endpoint: &Resource) -> Option<&'static str> {
    let mut names = ENDPOINT_HOURS.into_iter().zip(ENDPOINT_BYTES);
    let has = |hours: &str| endpoint.units.iter().any(|unit| *unit.what == *hours);
    names.find(|(hours, _)| has(hours)).map(|(_, bytes)| bytes)
}

/// Where the VPC has a gateway endpoint of the service beside the interfaces, these serve what comes from elsewhere.
fn advice(endpoint: &Resource, routing: &Routing) -> PathAdvice {
    let Some((service, vpc)) = endpoint.service_and_vpc() else {
        return PathAdvice::Interface { service: None };
    };
    let plain = PathAdvice::Interface { service: Some(service.clone()) };
    if !has_gateway_endpoints(service) || &*endpoint.state != "available" {
        return plain;
    }
    let Some(all) = &routing.endpoints else { return PathAdvice::Unread };
    let is_beside =
        |e: &VpcEndpoint| e.kind == EndpointKind::Gateway && e.vpc == *vpc && e.service == *service;
    if all.iter().any(is_beside) {
        return plain;
    }
    let is_used = |table: &&RouteTable| table.vpc == *vpc && table.is_used();
    let tables = routing.tables.iter().flatten().filter(is_used).map(|table| table.id.clone());
    PathAdvice::FreeGateway { service: service.clone(), vpc: vpc.clone(), tables: tables.collect() }
}
