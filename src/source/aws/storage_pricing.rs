//! List prices of S3 and EBS from the Price List Query API.

use super::{AwsProvider, pricing, storage_product};
use crate::domain::SourceError;
use crate::domain::storage::{EbsPrices, S3Prices};
use crate::source::storage_prices;

/// Offers that hold the prices of S3: Deep Archive is sold apart from the rest.
const S3_OFFERS: [&str; 2] = ["AmazonS3", "AmazonS3GlacierDeepArchive"];

/// Families of `AmazonEC2` that hold the prices of volumes and snapshots.
const EBS_FAMILIES: [&str; 4] =
    ["Storage", "System Operation", "Provisioned Throughput", "Storage Snapshot"];

impl AwsProvider {
    /// Current S3 prices of a region. Prices missing in the API are taken from the embedded list of that region, with a
    /// note, or stay unknown. Err when a call fails.
    pub async fn s3_prices(&self, region: &str) -> Result<S3Prices, SourceError> {
        let mut products = Vec::new();
        for offer in S3_OFFERS {
            products.extend(products_of(self, offer, region, None).await?);
        }
        let live = storage_product::s3(products.iter().map(String::as_str), region, (self.now)());
        Ok(storage_prices::completed_s3(live))
    }

    /// Current prices of volumes and snapshots in a region, completed like [`AwsProvider::s3_prices`]. Err when a call
    /// fails.
    pub async fn ebs_prices(&self, region: &str) -> Result<EbsPrices, SourceError> {
        let mut products = Vec::new();
        for family in EBS_FAMILIES {
            products.extend(products_of(self, pricing::EC2, region, Some(family)).await?);
        }
        let live = storage_product::ebs(products.iter().map(String::as_str), region, (self.now)());
        Ok(storage_prices::completed_ebs(live))
    }
}

/// All products of an offer in a region as JSON, of one product family or, with `None`, of all. Err when a page cannot
/// be read.
pub(super) async fn products_of(
    aws: &AwsProvider,
    offer: &str,
    region: &str,
    family: Option<&str>,
) -> Result<Vec<String>, SourceError> {
    let filters = [Some(("regionCode", region)), family.map(|f| ("productFamily", f))];
    let filters: Vec<_> = filters.into_iter().flatten().collect();
    let mut products = Vec::new();
    pricing::products(aws, offer, &filters, |product| products.push(product)).await?;
    Ok(products)
}
