//! Endpoints with interfaces: what they cost by list prices and CloudWatch, and whether a gateway endpoint, which costs
//! nothing, would carry the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::meaning::GB;
use super::billed::Billed;
use super::payer::payer;
use crate::analyze::savings::SavingsInput;
use crate::domain::{
    ENDPOINT_BYTES, ENDPOINT_HOURS, EndpointKind, Resource, ResourceSignal, RouteTable, Routing,
    VerdictKind, VpcEndpoint, has_gateway_endpoints,
};
use crate::fleet::savings::{PathAdvice, PathKind, PathRow};

/// A row per endpoint. Each is billed for the bytes of both directions, which its metric adds up, and has its share of what
/// the bytes of all cost that the steps of the price count together: of a payer's accounts in a region.
pub(super) fn rows(input: &SavingsInput<'_>, all: &[Billed<'_>]) -> Vec<PathRow> {
    let bytes: Vec<Option<f64>> =
        all.iter().map(|of| of.a_month(&[ResourceSignal::Bytes])).collect();
    let mut together: BTreeMap<PriceKey<'_>, f64> = BTreeMap::new();
    for (of, bytes) in all.iter().zip(&bytes) {
        if let Some((key, bytes)) = price_key(input, of).zip(*bytes) {
            *together.entry(key).or_default() += bytes;
        }
    }
    let with_its_share = |(of, bytes): (&Billed<'_>, Option<f64>)| {
        let bytes_usd = price_key(input, of).zip(bytes).and_then(|(key, bytes)| {
            let all = together.get(&key).copied().unwrap_or(bytes);
            let usd = of.routing.endpoint_usd(key.2, all / GB)?;
            Some(if all > 0.0 { usd * (bytes / all) } else { usd })
        });
        row(of, bytes, bytes_usd)
    };
    all.iter().zip(bytes).map(with_its_share).collect()
}

/// What the steps of a price are of: payer, region, name of the GB.
type PriceKey<'a> = (Arc<str>, &'a str, &'static str);

/// `None` without a price of a GB.
fn price_key<'a>(input: &SavingsInput<'_>, of: &Billed<'a>) -> Option<PriceKey<'a>> {
    let endpoint = &of.facts.resource;
    let what = name_of_gb(endpoint)?;
    Some((payer(input, &endpoint.scope.account), &*endpoint.scope.region, what))
}

fn row(of: &Billed<'_>, bytes: Option<f64>, bytes_usd: Option<f64>) -> PathRow {
    let endpoint = &of.facts.resource;
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
        at_most_usd: None,
        price_of: None,
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
