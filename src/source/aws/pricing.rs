//! On-demand list prices from the Price List Query API.

use std::collections::HashMap;
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

/// Offer of EC2: instances, volumes and snapshots.
pub(super) const EC2: &str = "AmazonEC2";

/// So many types of one region, system and tenancy are cheaper to list with all others than to ask
/// for one by one: a page holds 100 products, and a region has about a thousand.
const LIST_FROM: usize = 30;

/// Current on-demand list prices of `wanted`; those without a unique price are left out. Err on the first failed call:
/// an unread price must not look like a missing one.
pub async fn list(aws: &AwsProvider, wanted: &[PriceWanted]) -> Result<Vec<Offer>, SourceError> {
    let mut alike: Vec<Vec<&PriceWanted>> = Vec::new();
    for want in wanted {
        let same = |w: &PriceWanted| {
            (&w.region, w.platform, w.tenancy) == (&want.region, want.platform, want.tenancy)
        };
        match alike.iter_mut().find(|group| same(group[0])) {
            Some(group) => group.push(want),
            None => alike.push(vec![want]),
        }
    }
    let mut offers = Vec::new();
    for group in alike {
        if group.len() >= LIST_FROM {
            offers.extend(of_many(aws, &group).await?);
            continue;
        }
        let questions: Vec<_> = group.iter().map(|want| of_one(aws, want)).collect();
        let answers: Vec<Option<Offer>> =
            stream::iter(questions).buffered(AT_ONCE).try_collect().await?;
        offers.extend(answers.into_iter().flatten());
    }
    Ok(offers)
}

async fn of_one(aws: &AwsProvider, want: &PriceWanted) -> Result<Option<Offer>, SourceError> {
    let Some(attributes) = Attributes::of(want) else { return Ok(None) };
    let mut found = Vec::new();
    products(aws, EC2, &attributes.filters(), |product| found.push(product)).await?;
    Ok(offer(aws, want, &attributes, &found))
}

/// The prices of many types that differ in nothing else, from the list of the region.
async fn of_many(aws: &AwsProvider, wanted: &[&PriceWanted]) -> Result<Vec<Offer>, SourceError> {
    let Some(any) = wanted.first().and_then(|want| Attributes::of(want)) else {
        return Ok(Vec::new());
    };
    let mut by_type: HashMap<&str, Vec<String>> =
        wanted.iter().map(|want| (&*want.instance_type, Vec::new())).collect();
    products(aws, EC2, &any.filters_of_any_type(), |product| {
        let of_type = product::instance_type(&product);
        if let Some(found) = of_type.and_then(|name| by_type.get_mut(&*name)) {
            found.push(product);
        }
    })
    .await?;
    let price = |want: &&PriceWanted| {
        let found = by_type.get(&*want.instance_type)?;
        offer(aws, want, &Attributes::of(want)?, found)
    };
    Ok(wanted.iter().filter_map(price).collect())
}

/// Passes every product of an offer that passes the filters (field and value) to `take`, as JSON and page by page. Err
/// when a page cannot be read.
pub(super) async fn products(
    aws: &AwsProvider,
    offer: &str,
    filters: &[(&str, &str)],
    mut take: impl FnMut(String),
) -> Result<(), SourceError> {
    let filters: Vec<Filter> =
        filters.iter().filter_map(|(field, value)| term(field, value)).collect();
    let region: Arc<str> = PRICING_REGION.into();
    let client = aws.clients().await.pricing();
    let ask = |token| {
        client
            .get_products()
            .service_code(offer)
            .set_filters(Some(filters.clone()))
            .set_next_token(token)
            .send()
    };
    aws.each_page((Api::Pricing, &GET_PRODUCTS), &region, ask, |page| {
        page.price_list.unwrap_or_default().into_iter().for_each(&mut take);
        Ok(page.next_token)
    })
    .await
}

/// The price that the products agree on.
fn offer(
    aws: &AwsProvider,
    want: &PriceWanted,
    attributes: &Attributes<'_>,
    products: &[String],
) -> Option<Offer> {
    let now = (aws.now)();
    let usd = product::single_price(products.iter().map(String::as_str), attributes, now);
    usd.map(|usd_per_hour| Offer {
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
    })
}

fn term(field: &str, value: &str) -> Option<Filter> {
    Filter::builder().field(field).value(value).r#type(FilterType::TermMatch).build().ok()
}
