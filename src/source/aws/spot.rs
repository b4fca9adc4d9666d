//! Spot prices.

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_ec2::types as ec2;
use jiff::Timestamp;

use super::AwsProvider;
use super::calls::DESCRIBE_SPOT_PRICE_HISTORY;
use super::limit::Api;
use super::time;
use crate::domain::{Offer, Platform, PriceBasis, Provenance, Rate, SourceError, Tenancy, text};

/// Types per call, so that an answer stays within a page or two.
const BATCH: usize = 100;

/// The most that one page holds (service limit, EC2 API reference).
const PAGE: i32 = 1_000;

/// Newest Spot price per type, zone and platform. With `StartTime` = now the API returns the price in force, whenever
/// it was set. Err when a page cannot be read.
pub async fn newest(
    aws: &AwsProvider,
    region: &Arc<str>,
    types: &[Arc<str>],
) -> Result<Vec<Offer>, SourceError> {
    let client = aws.clients().await.ec2(region);
    let mut found = Newest::default();
    for batch in types.chunks(BATCH) {
        let now = (aws.now)();
        let ask = |token| {
            client
                .describe_spot_price_history()
                .start_time(time::to_sdk(now))
                .set_instance_types(Some(batch.iter().map(|t| (&**t).into()).collect()))
                .set_product_descriptions(Some(products()))
                .max_results(PAGE)
                .set_next_token(token)
                .send()
        };
        aws.each_page((Api::Ec2, &DESCRIBE_SPOT_PRICE_HISTORY), region, ask, |page| {
            found.add(page.spot_price_history());
            Ok(page.next_token)
        })
        .await?;
    }
    Ok(found.finish(region, (aws.now)()))
}

/// EC2's product descriptions that burntop prices. Accounts with EC2-Classic once had separate
/// prices outside a VPC; answers use either name.
const PRODUCTS: [(&str, Platform); 8] = [
    ("Linux/UNIX", Platform::Linux),
    ("Linux/UNIX (Amazon VPC)", Platform::Linux),
    ("Windows", Platform::Windows),
    ("Windows (Amazon VPC)", Platform::Windows),
    ("Red Hat Enterprise Linux", Platform::Rhel),
    ("Red Hat Enterprise Linux (Amazon VPC)", Platform::Rhel),
    ("SUSE Linux", Platform::Suse),
    ("SUSE Linux (Amazon VPC)", Platform::Suse),
];

/// Product descriptions to filter by.
pub(super) fn products() -> Vec<String> {
    PRODUCTS.iter().map(|(name, _)| (*name).to_owned()).collect()
}

/// Type, zone and platform.
type Key = (Arc<str>, Arc<str>, Platform);

/// When each price was set, and dollars per hour.
#[derive(Default)]
struct Newest(HashMap<Key, (Timestamp, f64)>);

impl Newest {
    fn add(&mut self, page: &[ec2::SpotPrice]) {
        for raw in page {
            let Some((key, set_at, usd)) = read(raw) else { continue };
            let kept = self.0.entry(key).or_insert((set_at, usd));
            if set_at > kept.0 {
                *kept = (set_at, usd);
            }
        }
    }

    fn finish(self, region: &Arc<str>, now: Timestamp) -> Vec<Offer> {
        let mut offers: Vec<Offer> = self
            .0
            .into_iter()
            .map(|((instance_type, az, platform), (_, usd_per_hour))| Offer {
                region: Arc::clone(region),
                az: Some(az),
                instance_type,
                platform,
                tenancy: Tenancy::Shared,
                rate: Rate {
                    usd_per_hour,
                    basis: PriceBasis::Spot,
                    provenance: Provenance::Live { at: now },
                },
            })
            .collect();
        offers.sort_by(|a, b| (&a.instance_type, &a.az).cmp(&(&b.instance_type, &b.az)));
        offers
    }
}

/// Key, time and USD/h of one price; `None` when it is incomplete or of an unknown platform.
pub(super) fn read(raw: &ec2::SpotPrice) -> Option<(Key, Timestamp, f64)> {
    let product = raw.product_description()?.as_str();
    let platform = PRODUCTS.iter().find(|(name, _)| *name == product)?.1;
    let usd: f64 = raw.spot_price()?.parse().ok()?;
    let instance_type = text::clean(raw.instance_type()?.as_str()).into();
    let az = text::clean(raw.availability_zone()?).into();
    let set_at = raw.timestamp().and_then(time::from_sdk)?;
    (usd.is_finite() && usd > 0.0).then_some(((instance_type, az, platform), set_at, usd))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(az: &str, product: &str, usd: &str, at: i64) -> ec2::SpotPrice {
        ec2::SpotPrice::builder()
            .availability_zone(az)
            .instance_type(ec2::InstanceType::P4d24xlarge)
            .product_description(product.into())
            .spot_price(usd)
            .timestamp(aws_smithy_types::DateTime::from_secs(at))
            .build()
    }

    #[test]
    fn the_newest_price_of_each_zone_and_platform_wins() {
        let mut found = Newest::default();
        found.add(&[
            raw("us-east-1a", "Linux/UNIX (Amazon VPC)", "16.30", 100),
            raw("us-east-1a", "Linux/UNIX", "15.00", 50),
            raw("us-east-1b", "Linux/UNIX", "21.9576", 70),
            raw("us-east-1a", "Windows", "20.8", 10),
            raw("us-east-1a", "Something else", "1.0", 500),
            raw("us-east-1a", "Linux/UNIX", "0", 500),
            raw("us-east-1a", "Linux/UNIX", "NaN", 500),
        ]);
        let now = Timestamp::from_second(1_000).unwrap();
        let offers = found.finish(&"us-east-1".into(), now);
        let price = |az: &str, platform: Platform| {
            offers
                .iter()
                .find(|o| o.az.as_deref() == Some(az) && o.platform == platform)
                .map(|o| o.rate.usd_per_hour)
        };
        assert_eq!(offers.len(), 3);
        assert_eq!(price("us-east-1a", Platform::Linux), Some(16.30));
        assert_eq!(price("us-east-1b", Platform::Linux), Some(21.9576));
        assert_eq!(price("us-east-1a", Platform::Windows), Some(20.8));
        assert_eq!(offers[0].rate.provenance, Provenance::Live { at: now });
    }
}
