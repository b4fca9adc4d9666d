//! Route tables and endpoints of the demo: those that lead to its NAT gateways, and those beside its interface
//! endpoints. `docs/demo.md` lists them.

use std::sync::Arc;

use super::places::{ACCOUNTS, REGIONS};
use crate::domain::{EndpointKind, Resource, RouteTable, VpcEndpoint};

/// A planted VPC with its private route tables, all of whose routes lead to one gateway, where it has one.
struct PlantedVpc {
    id: &'static str,
    place: (usize, usize),
    /// Name of the gateway; empty without one.
    gateway: &'static str,
    /// Route tables and their subnets.
    tables: &'static [(&'static str, &'static [&'static str])],
    /// The gateway endpoint of S3 that all tables have; `None` = what they read of S3 goes through the gateway.
    endpoint: Option<&'static str>,
}

const PLANTED: [PlantedVpc; 4] = [
    PlantedVpc {
        id: "vpc-0a7e5c31",
        place: (1, 0),
        gateway: "nat-training",
        tables: &[("rtb-90ab12cd", &["subnet-11aa22bb", "subnet-33cc44dd"])],
        endpoint: None,
    },
    PlantedVpc {
        id: "vpc-0d3f9b60",
        place: (0, 2),
        gateway: "nat-dr",
        tables: &[("rtb-0d1e2f3a", &["subnet-55ee66ff"]), ("rtb-4b5c6d7e", &["subnet-77a1b2c3"])],
        endpoint: Some("vpce-0c4d8e12"),
    },
    PlantedVpc {
        id: "vpc-0b1c77d4",
        place: (0, 1),
        gateway: "nat-standby",
        tables: &[("rtb-77aa88bb", &["subnet-99d4e5f6"])],
        endpoint: Some("vpce-0f6a2b38"),
    },
    PlantedVpc {
        id: "vpc-0e5a1f27",
        place: (1, 0),
        gateway: "",
        tables: &[("rtb-5e6f7a8b", &["subnet-2b3c4d5e", "subnet-6f7a8b9c"])],
        endpoint: None,
    },
];

fn here<'a>(account: &'a str, region: &'a str) -> impl Iterator<Item = &'static PlantedVpc> + 'a {
    PLANTED.iter().filter(move |vpc| {
        ACCOUNTS[vpc.place.0].id == account && REGIONS[vpc.place.1].code == region
    })
}

/// Route tables of an account and region; `gateways` are its NAT gateways.
pub(super) fn route_tables(account: &str, region: &str, gateways: &[Resource]) -> Vec<RouteTable> {
    let tables = here(account, region).flat_map(|vpc| {
        let gateway = gateways.iter().find(|g| *g.name == *vpc.gateway).map(|g| g.id.clone());
        vpc.tables.iter().map(move |(id, subnets)| RouteTable {
            id: (*id).into(),
            vpc: vpc.id.into(),
            is_main: false,
            subnets: subnets.iter().map(|subnet| Arc::from(*subnet)).collect(),
            nat_gateways: gateway.iter().cloned().collect(),
            endpoints: vpc.endpoint.iter().map(|id| Arc::from(*id)).collect(),
        })
    });
    tables.collect()
}

/// Endpoints of an account and region; `billed` are those with interfaces.
pub(super) fn endpoints(account: &str, region: &str, billed: &[Resource]) -> Vec<VpcEndpoint> {
    let interface = |of: &Resource| {
        let (service, vpc) = of.service_and_vpc()?;
        Some(VpcEndpoint {
            id: of.id.clone(),
            vpc: vpc.clone(),
            service: service.clone(),
            kind: EndpointKind::Interface,
            state: of.state.clone(),
            route_tables: Vec::new(),
            subnets: of.serves.iter().flatten().skip(2).cloned().collect(),
            has_private_dns: true,
        })
    };
    let endpoints = here(account, region).filter_map(|vpc| {
        Some(VpcEndpoint {
            id: vpc.endpoint?.into(),
            vpc: vpc.id.into(),
            service: format!("com.amazonaws.{region}.s3").into(),
            kind: EndpointKind::Gateway,
            state: "available".into(),
            route_tables: vpc.tables.iter().map(|(id, _)| Arc::from(*id)).collect(),
            subnets: Vec::new(),
            has_private_dns: false,
        })
    });
    endpoints.chain(billed.iter().filter_map(interface)).collect()
}
