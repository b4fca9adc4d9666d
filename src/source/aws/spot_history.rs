//! Spot prices over time.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use aws_sdk_ec2::types as ec2;
use jiff::Timestamp;

use super::AwsProvider;
use super::calls::DESCRIBE_SPOT_PRICE_HISTORY;
use super::limit::Api;
use super::spot;
use super::time;
use crate::domain::{Platform, SourceError, SpotHistory};

/// Types per call: a week of a type in a region is some hundred prices.
const BATCH: usize = 20;

/// The most that one page holds (service limit, EC2 API reference).
const PAGE: i32 = 1_000;

/// Zone, type and platform.
type Key = (Arc<str>, Arc<str>, Platform);

/// Times and prices by key; one price is listed under the names inside and outside a VPC, and a set
/// keeps it once.
type Found = HashMap<Key, BTreeSet<(Timestamp, u64)>>;

/// All prices of `types` from `from` on, of the platforms that burntop prices. Err when a page cannot be read.
pub async fn list(
    aws: &AwsProvider,
    region: &Arc<str>,
    types: &[Arc<str>],
    from: Timestamp,
) -> Result<Vec<SpotHistory>, SourceError> {
    let client = aws.clients().await.ec2(region);
    let mut found = Found::new();
    for batch in types.chunks(BATCH) {
        let ask = |token| {
            client
                .describe_spot_price_history()
                .start_time(time::to_sdk(from))
                .set_instance_types(Some(batch.iter().map(|t| (&**t).into()).collect()))
                .set_product_descriptions(Some(spot::products()))
                .max_results(PAGE)
                .set_next_token(token)
                .send()
        };
        aws.each_page((Api::Ec2, &DESCRIBE_SPOT_PRICE_HISTORY), region, ask, |page| {
            page.spot_price_history().iter().for_each(|raw| add(&mut found, raw));
            Ok(page.next_token)
        })
        .await?;
    }
    Ok(finish(found, region))
}

fn add(found: &mut Found, raw: &ec2::SpotPrice) {
    let Some(((instance_type, az, platform), at, usd)) = spot::read(raw) else { return };
    found.entry((az, instance_type, platform)).or_default().insert((at, usd.to_bits()));
}

fn finish(found: Found, region: &Arc<str>) -> Vec<SpotHistory> {
    let history = |((az, instance_type, platform), points): (Key, BTreeSet<(Timestamp, u64)>)| {
        let points = points.into_iter().map(|(at, bits)| (at, f64::from_bits(bits))).collect();
        SpotHistory { region: Arc::clone(region), az, instance_type, platform, points }
    };
    let mut all: Vec<SpotHistory> = found.into_iter().map(history).collect();
    all.sort_by(|a, b| {
        (&a.az, &a.instance_type, a.platform as u8).cmp(&(
            &b.az,
            &b.instance_type,
            b.platform as u8,
        ))
    });
    all
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Reply, Server};
    use crate::source::Provider;

    fn item(az: &str, product: &str, usd: &str, at: &str) -> String {
        format!(
            "<item><instanceType>g5.xlarge</instanceType><productDescription>{product}\
             </productDescription><spotPrice>{usd}</spotPrice><timestamp>{at}</timestamp>\
             <availabilityZone>{az}</availabilityZone></item>"
        )
    }

    #[tokio::test]
    async fn a_week_of_prices_is_put_in_order_by_zone_with_each_price_once() {
        let server = Server::start(|_, request| {
            let form = request.text();
            assert!(form.contains("StartTime=2026-01-27T00"), "{form}");
            let (items, next) = if form.contains("NextToken=two") {
                (item("us-east-1b", "Linux/UNIX", "0.41", "2026-01-28T00:00:00.000Z"), "")
            } else {
                let a = item("us-east-1a", "Linux/UNIX", "0.52", "2026-02-01T00:00:00.000Z");
                let same = a.replace("Linux/UNIX", "Linux/UNIX (Amazon VPC)");
                let first = item("us-east-1a", "Linux/UNIX", "0.50", "2026-01-26T20:00:00.000Z");
                let bad = item("us-east-1a", "Linux/UNIX", "-1", "2026-02-02T00:00:00.000Z");
                (a + &same + &first + &bad, "two")
            };
            Reply::xml(format!(
                "<DescribeSpotPriceHistoryResponse \
                 xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><nextToken>{next}</nextToken>\
                 <spotPriceHistorySet>{items}</spotPriceHistorySet>\
                 </DescribeSpotPriceHistoryResponse>"
            ))
        });
        let from = "2026-01-27T00:00:00Z".parse().unwrap();
        let types = ["g5.xlarge".into()];
        let all = server.provider().spot_history(&"us-east-1".into(), &types, from).await.unwrap();
        let usd: Vec<(&str, Vec<f64>)> =
            all.iter().map(|h| (&*h.az, h.points.iter().map(|p| p.1).collect())).collect();
        assert_eq!(usd, [("us-east-1a", vec![0.50, 0.52]), ("us-east-1b", vec![0.41])]);
        assert!(
            all[0].points.iter().next().unwrap().0 < from,
            "the price in force when the window begins"
        );
    }
}
