//! NAT gateways.

use aws_sdk_ec2::types as ec2;

use super::AwsProvider;
use super::calls::DESCRIBE_NAT_GATEWAYS;
use super::inventory::clean;
use super::limit::Api;
use super::resources::name;
use super::time;
use crate::domain::text::is_id;
use crate::domain::{BilledUnit, Resource, ResourceKind, Scope, SourceError, Tags};

/// All NAT gateways of a region. What they serve is in the route tables ([`super::vpcs`]). Err when a page cannot be read.
pub async fn read(aws: &AwsProvider, scope: &Scope) -> Result<Vec<Resource>, SourceError> {
    let region = &scope.region;
    let client = aws.clients().await.ec2(region);
    let ask = |token| client.describe_nat_gateways().set_next_token(token).send();
    let of = (Api::Ec2, &DESCRIBE_NAT_GATEWAYS);
    let gateways: Vec<ec2::NatGateway> =
        aws.all_pages(of, region, ask, |page| (page.nat_gateways, page.next_token)).await?;
    Ok(gateways.iter().filter_map(|g| gateway(g, scope)).collect())
}

/// `None` for a gateway that is gone, or has no id.
fn gateway(raw: &ec2::NatGateway, scope: &Scope) -> Option<Resource> {
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
        serves: None,
        tags,
    })
}
