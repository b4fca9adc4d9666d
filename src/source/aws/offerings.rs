//! Which zones of a region offer which instance types.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use aws_sdk_ec2::types as ec2;

use super::AwsProvider;
use super::calls::DESCRIBE_INSTANCE_TYPE_OFFERINGS;
use super::inventory::clean;
use super::limit::Api;
use crate::domain::{SourceError, ZoneOffering};

/// The most that one page holds (service limit, EC2 API reference).
const PAGE: i32 = 1_000;

/// Instance types offered in each zone of a region, including Local Zones that the account uses. Err when a page cannot
/// be read.
pub async fn list(aws: &AwsProvider, region: &Arc<str>) -> Result<Vec<ZoneOffering>, SourceError> {
    let client = aws.clients().await.ec2(region);
    let mut found: BTreeMap<Arc<str>, BTreeSet<Arc<str>>> = BTreeMap::new();
    let ask = |token| {
        client
            .describe_instance_type_offerings()
            .location_type(ec2::LocationType::AvailabilityZone)
            .max_results(PAGE)
            .set_next_token(token)
            .send()
    };
    aws.each_page((Api::Ec2, &DESCRIBE_INSTANCE_TYPE_OFFERINGS), region, ask, |page| {
        for raw in page.instance_type_offerings() {
            if let (Some(zone), Some(name)) = (raw.location(), raw.instance_type()) {
                found.entry(clean(Some(zone))).or_default().insert(clean(Some(name.as_str())));
            }
        }
        Ok(page.next_token)
    })
    .await?;
    let zone = |(az, types): (Arc<str>, BTreeSet<Arc<str>>)| ZoneOffering {
        az,
        types: types.into_iter().collect(),
    };
    Ok(found.into_iter().map(zone).collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Reply, Server};
    use crate::source::Provider;

    #[tokio::test]
    async fn types_are_listed_by_zone_over_all_pages() {
        let server = Server::start(|_, request| {
            let form = request.text();
            assert!(form.contains("LocationType=availability-zone"), "{form}");
            let item = |zone: &str, name: &str| {
                format!(
                    "<item><instanceType>{name}</instanceType><locationType>availability-zone\
                     </locationType><location>{zone}</location></item>"
                )
            };
            let (items, next) = if form.contains("NextToken=two") {
                (item("us-east-1a", "g5.xlarge"), "")
            } else {
                (item("us-east-1b", "p5.48xlarge") + &item("us-east-1a", "m5.large"), "two")
            };
            Reply::xml(format!(
                "<DescribeInstanceTypeOfferingsResponse \
                 xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><nextToken>{next}</nextToken>\
                 <instanceTypeOfferingSet>{items}</instanceTypeOfferingSet>\
                 </DescribeInstanceTypeOfferingsResponse>"
            ))
        });
        let zones = server.provider().zone_offerings(&"us-east-1".into()).await.unwrap();
        let seen: Vec<(&str, Vec<&str>)> =
            zones.iter().map(|z| (&*z.az, z.types.iter().map(|t| &**t).collect())).collect();
        assert_eq!(
            seen,
            [("us-east-1a", vec!["g5.xlarge", "m5.large"]), ("us-east-1b", vec!["p5.48xlarge"])]
        );
    }
}
