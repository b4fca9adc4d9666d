//! How the private networks of a region are routed: route tables, and endpoints of services.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Route tables and endpoints of an account and region. All text in it is clean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Routing {
    /// All route tables, by id; `None` where they could not be read to the end.
    pub tables: Option<Vec<RouteTable>>,
    /// All endpoints that are there or being made, by id; `None` where they could not be read to the end.
    pub endpoints: Option<Vec<VpcEndpoint>>,
    /// List price of a GB through a NAT gateway, USD; `None` when unknown. A GB is 2³⁰ bytes.
    pub nat_usd_per_gb: Option<f64>,
    /// List prices of a GB through endpoints, by [`super::ENDPOINT_BYTES`]; empty when unknown.
    #[serde(default)]
    pub endpoint_gb: Vec<GbPrice>,
}

/// List price of a GB from so many GB a month on. A GB is 2³⁰ bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GbPrice {
    /// Name of the GB in the price list.
    pub what: Arc<str>,
    /// GB of a month from which it holds; ≥ 0.
    pub from_gb: f64,
    /// List price of a GB, USD.
    pub usd: f64,
}

impl GbPrice {
    /// Price by its name, which may have a number of GB after a slash; `None` where that is none.
    pub fn named(name: &str, usd: f64) -> Option<Self> {
        let (what, from) = name.split_once('/').unwrap_or((name, "0"));
        let from_gb: f64 = from.parse().ok()?;
        (from_gb.is_finite() && from_gb >= 0.0).then(|| Self { what: what.into(), from_gb, usd })
    }
}

/// A route table of a VPC.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteTable {
    /// Id, `rtb-…`.
    pub id: Arc<str>,
    /// Id of its VPC.
    pub vpc: Arc<str>,
    /// True for the main table, which all subnets use that have none of their own.
    pub is_main: bool,
    /// Subnets that are associated with it by name.
    pub subnets: Vec<Arc<str>>,
    /// NAT gateways that a route which works leads to.
    pub nat_gateways: Vec<Arc<str>>,
    /// Gateway endpoints that a route which works leads to, by a prefix list.
    pub endpoints: Vec<Arc<str>>,
}

impl RouteTable {
    /// True where a subnet may use it.
    pub fn is_used(&self) -> bool {
        self.is_main || !self.subnets.is_empty()
    }
}

/// Kind of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointKind {
    /// A route to S3 or `DynamoDB`, which costs nothing.
    Gateway,
    /// Interfaces in subnets, billed by the hour and by traffic.
    Interface,
    /// Any other: of Gateway Load Balancers, of resources.
    Other,
}

/// An endpoint of a service in a VPC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VpcEndpoint {
    /// Id, `vpce-…`.
    pub id: Arc<str>,
    /// Id of its VPC.
    pub vpc: Arc<str>,
    /// Name of the service, `com.amazonaws.us-east-1.s3`.
    pub service: Arc<str>,
    /// Kind of the endpoint.
    pub kind: EndpointKind,
    /// AWS's name of its state, in lower case: `available`, `pending`.
    pub state: Arc<str>,
    /// Route tables with its route, of a gateway endpoint.
    pub route_tables: Vec<Arc<str>>,
    /// Subnets with an interface of it.
    pub subnets: Vec<Arc<str>>,
    /// True where the usual names of the service lead to it.
    pub has_private_dns: bool,
}

impl VpcEndpoint {
    /// True for one of S3 that works.
    pub fn is_of_s3(&self) -> bool {
        &*self.state == "available" && self.service.ends_with(".s3")
    }
}

/// True for the name of a service that has gateway endpoints, which cost nothing: S3 and `DynamoDB`.
pub fn has_gateway_endpoints(service: &str) -> bool {
    service.starts_with("com.amazonaws.")
        && [".s3", ".dynamodb"].iter().any(|end| service.ends_with(end))
}

impl Routing {
    /// Route tables by which bytes come to a NAT gateway; `None` where the tables are not known.
    pub fn leading_to<'a>(&'a self, gateway: &'a str) -> Option<Vec<&'a RouteTable>> {
        let leads = |table: &&RouteTable| table.nat_gateways.iter().any(|id| **id == *gateway);
        Some(self.tables.as_ref()?.iter().filter(leads).collect())
    }

    /// List price of so many GB a month through an endpoint, step by step, USD; `None` where the first GB has no price.
    pub fn endpoint_usd(&self, what: &str, gb: f64) -> Option<f64> {
        let mut steps: Vec<&GbPrice> =
            self.endpoint_gb.iter().filter(|p| *p.what == *what).collect();
        steps.sort_by(|a, b| a.from_gb.total_cmp(&b.from_gb));
        steps.first().filter(|first| first.from_gb == 0.0)?;
        let ends = steps.iter().skip(1).map(|step| step.from_gb).chain([f64::INFINITY]);
        let parts = steps.iter().zip(ends);
        Some(parts.map(|(step, end)| (gb.min(end) - step.from_gb).max(0.0) * step.usd).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gb_through_an_endpoint_costs_less_from_a_pebibyte_on() {
        let steps = [("A", 0.01), ("A/1048576", 0.006), ("A/5242880", 0.004), ("B/10", 1.0)];
        let endpoint_gb: Vec<GbPrice> =
            steps.iter().filter_map(|(name, usd)| GbPrice::named(name, *usd)).collect();
        assert_eq!((endpoint_gb.len(), GbPrice::named("A/many", 1.0)), (4, None));
        let routing = Routing { endpoint_gb, ..Routing::default() };
        let usd = |gb| routing.endpoint_usd("A", gb).unwrap();
        assert_eq!((usd(0.0), usd(1_000.0)), (0.0, 10.0));
        // 10,485.76 + 4,194,304 × 0.006 + 1,000 × 0.004.
        assert!((usd(5_243_880.0) - 35_655.584).abs() < 1e-6);
        assert_eq!(routing.endpoint_usd("B", 5.0), None, "the first GB has no price");
        assert_eq!(routing.endpoint_usd("C", 5.0), None);
    }
}
