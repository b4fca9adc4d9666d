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

impl Routing {
    /// Route tables by which bytes come to a NAT gateway; `None` where the tables are not known.
    pub fn leading_to<'a>(&'a self, gateway: &'a str) -> Option<Vec<&'a RouteTable>> {
        let leads = |table: &&RouteTable| table.nat_gateways.iter().any(|id| **id == *gateway);
        Some(self.tables.as_ref()?.iter().filter(leads).collect())
    }
}
