//! List prices of S3 and EBS from the Price List Query API.

use std::sync::Arc;

use aws_sdk_pricing::types::{Filter, FilterType};

use super::AwsProvider;
use super::calls::GET_PRODUCTS;
use super::clients::PRICING_REGION;
use super::limit::Api;
use super::storage_product;
use crate::domain::SourceError;
use crate::domain::storage::{EbsPrices, S3Prices};
use crate::source::pages::Pages;
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
            products.extend(products_of(self, "AmazonEC2", region, Some(family)).await?);
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
    let filters: Vec<Filter> = [Some(("regionCode", region)), family.map(|f| ("productFamily", f))]
        .into_iter()
        .flatten()
        .filter_map(|(field, value)| {
            Filter::builder().field(field).value(value).r#type(FilterType::TermMatch).build().ok()
        })
        .collect();
    let at: Arc<str> = PRICING_REGION.into();
    let client = aws.clients().await.pricing();
    let mut products = Vec::new();
    let mut pages = Pages::of(GET_PRODUCTS.action, &at);
    while let Some(token) = pages.ask() {
        let _permit = aws.enter(Api::Pricing, &at, 0).await;
        let page = client
            .get_products()
            .service_code(offer)
            .set_filters(Some(filters.clone()))
            .set_next_token(token)
            .send()
            .await
            .map_err(|e| aws.failed(&GET_PRODUCTS, &at, &e))?;
        products.extend(page.price_list.unwrap_or_default());
        pages.follow(page.next_token)?;
    }
    Ok(products)
}
