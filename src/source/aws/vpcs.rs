//! Route tables and endpoints of the VPCs of a region, and those endpoints that are billed, as resources.

use std::sync::Arc;

use aws_sdk_ec2::types as ec2;

use super::calls::{DESCRIBE_ROUTE_TABLES, DESCRIBE_VPC_ENDPOINTS};
use super::inventory::clean;
use super::limit::Api;
use super::resources::name;
use super::{AwsProvider, time};
use crate::domain::text::is_id;
use crate::domain::{
    BilledUnit, ENDPOINT_HOURS, EndpointKind, Resource, ResourceKind, RouteTable, Scope,
    SourceError, Tags, VpcEndpoint,
};

/// All route tables of a region, by id. Err when a page cannot be read.
pub async fn route_tables(
    aws: &AwsProvider,
    region: &Arc<str>,
) -> Result<Vec<RouteTable>, SourceError> {
    let client = aws.clients().await.ec2(region);
    let ask = |token| client.describe_route_tables().set_next_token(token).send();
    let of = (Api::Ec2, &DESCRIBE_ROUTE_TABLES);
    let raw: Vec<ec2::RouteTable> =
        aws.all_pages(of, region, ask, |page| (page.route_tables, page.next_token)).await?;
    let mut tables: Vec<RouteTable> = raw.iter().filter_map(table).collect();
    tables.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(tables)
}

/// All endpoints of a region that are there or being made, by id. Err when a page cannot be read.
pub async fn endpoints(
    aws: &AwsProvider,
    region: &Arc<str>,
) -> Result<Vec<VpcEndpoint>, SourceError> {
    let raw = list(aws, region).await?;
    let mut endpoints: Vec<VpcEndpoint> = raw.iter().filter_map(endpoint).collect();
    endpoints.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(endpoints)
}

/// Endpoints of a region that are billed by the hour, without those that a service of AWS made for itself. Err when a page
/// cannot be read.
pub async fn billed(aws: &AwsProvider, scope: &Scope) -> Result<Vec<Resource>, SourceError> {
    let raw = list(aws, &scope.region).await?;
    Ok(raw.iter().filter_map(|endpoint| resource(endpoint, scope)).collect())
}

async fn list(aws: &AwsProvider, region: &Arc<str>) -> Result<Vec<ec2::VpcEndpoint>, SourceError> {
    let client = aws.clients().await.ec2(region);
    let ask = |token| client.describe_vpc_endpoints().set_next_token(token).send();
    let of = (Api::Ec2, &DESCRIBE_VPC_ENDPOINTS);
    aws.all_pages(of, region, ask, |page| (page.vpc_endpoints, page.next_token)).await
}

fn id(raw: Option<&str>) -> Option<Arc<str>> {
    raw.filter(|id| is_id(id)).map(|id| clean(Some(id)))
}

fn ids<'a>(raw: impl Iterator<Item = Option<&'a str>>) -> Vec<Arc<str>> {
    let mut ids: Vec<Arc<str>> = raw.filter_map(id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// `None` for a table without an id.
fn table(raw: &ec2::RouteTable) -> Option<RouteTable> {
    // What a route that leads nowhere any more would have carried takes another way.
    let is_open = |route: &&ec2::Route| route.state() != Some(&ec2::RouteState::Blackhole);
    let routes = || raw.routes().iter().filter(is_open);
    let associations = raw.associations();
    Some(RouteTable {
        id: id(raw.route_table_id())?,
        vpc: id(raw.vpc_id()).unwrap_or_default(),
        is_main: associations.iter().any(|a| a.main() == Some(true)),
        subnets: ids(associations.iter().map(ec2::RouteTableAssociation::subnet_id)),
        nat_gateways: ids(routes().map(ec2::Route::nat_gateway_id)),
        endpoints: ids(routes().map(|route| route.gateway_id().filter(|id| is_endpoint(id)))),
    })
}

fn is_endpoint(id: &str) -> bool {
    id.starts_with("vpce-")
}

/// `None` for an endpoint that is gone, or has no id.
fn endpoint(raw: &ec2::VpcEndpoint) -> Option<VpcEndpoint> {
    use ec2::VpcEndpointType::{Gateway, Interface};
    let state = raw.state().map_or("", ec2::State::as_str).to_ascii_lowercase();
    if matches!(&*state, "deleted" | "deleting" | "failed" | "rejected" | "expired") {
        return None;
    }
    Some(VpcEndpoint {
        id: id(raw.vpc_endpoint_id())?,
        vpc: id(raw.vpc_id()).unwrap_or_default(),
        service: clean(raw.service_name()),
        kind: match raw.vpc_endpoint_type() {
            Some(Gateway) => EndpointKind::Gateway,
            Some(Interface) => EndpointKind::Interface,
            _ => EndpointKind::Other,
        },
        state: clean(Some(&state)),
        route_tables: ids(raw.route_table_ids().iter().map(|id| Some(id.as_str()))),
        subnets: ids(raw.subnet_ids().iter().map(|id| Some(id.as_str()))),
        has_private_dns: raw.private_dns_enabled() == Some(true),
    })
}

/// `None` for an endpoint that is gone, is not billed by the hour of its interfaces, or belongs to a service of AWS.
fn resource(raw: &ec2::VpcEndpoint, scope: &Scope) -> Option<Resource> {
    use ec2::VpcEndpointType::{GatewayLoadBalancer, Interface};
    let [interface, balancer] = ENDPOINT_HOURS;
    let what = match raw.vpc_endpoint_type() {
        Some(Interface) => interface,
        Some(GatewayLoadBalancer) => balancer,
        _ => return None,
    };
    if raw.requester_managed() == Some(true) {
        return None;
    }
    let of = endpoint(raw)?;
    let tags = Tags::from_raw(raw.tags().iter().filter_map(|t| Some((t.key()?, t.value()?))));
    // Of a service in another region CloudWatch counts nothing.
    let is_here = raw.service_region().is_none_or(|region| region == &*scope.region);
    let is_known = is_here && !of.service.is_empty() && !of.vpc.is_empty();
    Some(Resource {
        kind: ResourceKind::VpcEndpoint,
        name: name(&tags, &of.id),
        id: of.id,
        scope: scope.clone(),
        state: of.state,
        // Whatever the state of its association with the service (AWS PrivateLink pricing).
        is_billed: true,
        created_at: raw.creation_timestamp().and_then(time::from_sdk),
        changed_at: None,
        used_at: None,
        units: vec![BilledUnit {
            what: what.into(),
            // A zone has one interface.
            count: of.subnets.len() as f64,
            usd_per_hour: None,
        }],
        serves: is_known.then(|| [of.service, of.vpc].into_iter().chain(of.subnets).collect()),
        tags,
    })
}
