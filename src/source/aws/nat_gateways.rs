//! NAT gateways, and the route tables that lead to them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use aws_sdk_ec2::types as ec2;

use super::AwsProvider;
use super::calls::{DESCRIBE_NAT_GATEWAYS, DESCRIBE_ROUTE_TABLES};
use super::inventory::clean;
use super::limit::Api;
use super::resources::name;
use super::time;
use crate::domain::text::is_id;
use crate::domain::{BilledUnit, Resource, ResourceKind, Scope, SourceError, Tags};

/// Route tables by the gateway that a route of theirs leads to.
type Routes = HashMap<String, BTreeSet<Arc<str>>>;

/// All NAT gateways of a region, with the route tables that lead to them. Err when a page cannot be read.
pub async fn read(aws: &AwsProvider, scope: &Scope) -> Result<Vec<Resource>, SourceError> {
    let region = &scope.region;
    let client = aws.clients().await.ec2(region);
    let ask = |token| client.describe_nat_gateways().set_next_token(token).send();
    let of = (Api::Ec2, &DESCRIBE_NAT_GATEWAYS);
    let gateways: Vec<ec2::NatGateway> =
        aws.all_pages(of, region, ask, |page| (page.nat_gateways, page.next_token)).await?;
    if gateways.is_empty() {
        return Ok(Vec::new());
    }
    let routes = match routes(aws, region).await {
        Ok(routes) => Some(routes),
        Err(error) => {
            tracing::warn!(%region, %error.message, "route tables cannot be read");
            None
        }
    };
    Ok(gateways.iter().filter_map(|g| gateway(g, scope, routes.as_ref())).collect())
}

async fn routes(aws: &AwsProvider, region: &Arc<str>) -> Result<Routes, SourceError> {
    let client = aws.clients().await.ec2(region);
    let ask = |token| client.describe_route_tables().set_next_token(token).send();
    let mut out = Routes::new();
    aws.each_page((Api::Ec2, &DESCRIBE_ROUTE_TABLES), region, ask, |page| {
        for table in page.route_tables() {
            for route in table.routes() {
                if let Some(gateway) = route.nat_gateway_id().filter(|id| is_id(id)) {
                    let of = out.entry(gateway.to_owned()).or_default();
                    of.insert(clean(table.route_table_id()));
                }
            }
        }
        Ok(page.next_token)
    })
    .await?;
    Ok(out)
}

/// `None` for a gateway that is gone, or has no id.
fn gateway(raw: &ec2::NatGateway, scope: &Scope, routes: Option<&Routes>) -> Option<Resource> {
    use ec2::NatGatewayState::{Available, Deleted, Deleting, Failed};
    let own = raw.nat_gateway_id().filter(|id| is_id(id))?;
    let state = raw.state();
    if matches!(state, Some(Deleted | Deleting | Failed)) {
        return None;
    }
    let id = clean(Some(own));
    let tags = Tags::from_raw(raw.tags().iter().filter_map(|t| Some((t.key()?, t.value()?))));
    // A regional gateway bills in each zone that it is active in, which nothing here counts.
    let is_regional =
        raw.availability_mode().is_some_and(|mode| mode.as_str().eq_ignore_ascii_case("regional"));
    let what = if is_regional { "RegionalNatGateway-Hours" } else { "NatGateway-Hours" };
    Some(Resource {
        kind: ResourceKind::NatGateway,
        name: name(&tags, &id),
        id,
        scope: scope.clone(),
        state: clean(state.map(ec2::NatGatewayState::as_str)),
        is_billed: state == Some(&Available),
        created_at: raw.create_time().and_then(time::from_sdk),
        changed_at: None,
        used_at: None,
        units: vec![BilledUnit { what: what.into(), count: 1.0, usd_per_hour: None }],
        serves: routes.map(|all| all.get(own).into_iter().flatten().cloned().collect()),
        tags,
    })
}
