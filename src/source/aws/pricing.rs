//! On-demand list prices from the Price List Query API.

use std::sync::Arc;

use aws_sdk_pricing::types::{Filter, FilterType};
use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::AwsProvider;
use super::calls::GET_PRODUCTS;
use super::clients::PRICING_REGION;
use super::limit::Api;
use super::product::{self, Attributes};
use crate::domain::{Offer, PriceBasis, Provenance, Rate, SourceError};
use crate::source::provider::PriceWanted;

/// Questions at a time; the rate limiter has the last word.
const AT_ONCE: usize = 4;

/// Current prices of what is wanted; what has no single price is left out. The first failure
/// fails the request: what could not be asked must not look as if it had no price.
pub async fn list(aws: &AwsProvider, wanted: &[PriceWanted]) -> Result<Vec<Offer>, SourceError> {
    let questions: Vec<_> = wanted.iter().map(|want| price(aws, want)).collect();
    let answers: Vec<Option<Offer>> =
        stream::iter(questions).buffered(AT_ONCE).try_collect().await?;
    Ok(answers.into_iter().flatten().collect())
}

async fn price(aws: &AwsProvider, want: &PriceWanted) -> Result<Option<Offer>, SourceError> {
    let Some(attributes) = Attributes::of(want) else { return Ok(None) };
    let filters: Vec<Filter> =
        attributes.filters().into_iter().filter_map(|(field, value)| term(field, value)).collect();
    let region: Arc<str> = PRICING_REGION.into();
    let client = aws.clients().await.pricing();
    let mut products: Vec<String> = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let _permit = aws.enter(Api::Pricing, &region, 0).await;
        let page = client
            .get_products()
            .service_code("AmazonEC2")
            .set_filters(Some(filters.clone()))
            .set_next_token(token.take())
            .send()
            .await
            .map_err(|e| aws.failed(&GET_PRODUCTS, &region, &e))?;
        products.extend(page.price_list.unwrap_or_default());
        token = page.next_token.filter(|t| !t.is_empty());
        if token.is_none() {
            break;
        }
    }
    let now = (aws.now)();
    let usd = product::single_price(products.iter().map(String::as_str), &attributes, now);
    Ok(usd.map(|usd_per_hour| Offer {
        region: Arc::clone(&want.region),
        az: None,
        instance_type: Arc::clone(&want.instance_type),
        platform: want.platform,
        tenancy: want.tenancy,
        rate: Rate {
            usd_per_hour,
            basis: PriceBasis::OnDemandList,
            provenance: Provenance::Live { at: now },
        },
    }))
}

fn term(field: &str, value: &str) -> Option<Filter> {
    Filter::builder().field(field).value(value).r#type(FilterType::TermMatch).build().ok()
}
