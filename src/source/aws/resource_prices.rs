//! List prices of what bills by the hour and is no instance, from the Price List Query API.

use std::collections::HashMap;

use serde_json::Value;

use super::AwsProvider;
use super::product::{on_demand, steps_of_gb};
use super::storage_pricing::products_of;
use crate::domain::{
    ENDPOINT_BYTES, ENDPOINT_HOURS, NAT_BYTES, ResourceKind, ResourcePrice, SourceError,
};

/// Where the price list keeps the prices of a kind: offer and product family. The offer of load
/// balancers is one of its own, NAT gateways are sold with EC2.
fn places(kind: ResourceKind) -> &'static [(&'static str, &'static str)] {
    match kind {
        ResourceKind::Notebook | ResourceKind::Endpoint | ResourceKind::StudioApp => {
            &[("AmazonSageMaker", "ML Instance")]
        }
        ResourceKind::NatGateway => &[("AmazonEC2", "NAT Gateway")],
        ResourceKind::LoadBalancer => &[
            ("AWSELB", "Load Balancer-Application"),
            ("AWSELB", "Load Balancer-Network"),
            ("AWSELB", "Load Balancer-Gateway"),
        ],
        ResourceKind::VpcEndpoint => &[("AmazonVPC", "VpcEndpoint")],
        ResourceKind::ElasticIp | ResourceKind::StoppedInstance => &[],
    }
}

/// Current list prices of `kinds` in a region; those without a unique price are left out. Err when a call fails.
pub async fn read(
    aws: &AwsProvider,
    region: &str,
    kinds: &[ResourceKind],
) -> Result<Vec<ResourcePrice>, SourceError> {
    let mut asked: Vec<(&str, &str)> = Vec::new();
    for place in kinds.iter().flat_map(|k| places(*k)) {
        if !asked.contains(place) {
            asked.push(*place);
        }
    }
    let mut prices = Vec::new();
    for (offer, family) in asked {
        let products = products_of(aws, offer, region, Some(family)).await?;
        for product in &products {
            prices.extend(of_product(product, family, region, (aws.now)()));
        }
    }
    Ok(agreed(prices))
}

/// What a product is a price of: one price of an hour, or those of a GB by the steps of a month. Its usage type says so, after
/// the prefix of the region: `Host:`, `Notebk:` and `Studio:<app>-` with a type, `NatGateway-Hours`, `NatGateway-Bytes`,
/// `LoadBalancerUsage`, `VpcEndpoint-Hours`, `VpcEndpoint-Bytes`.
fn of_product(json: &str, family: &str, region: &str, now: jiff::Timestamp) -> Vec<ResourcePrice> {
    let Ok(product) = serde_json::from_str::<Value>(json) else { return Vec::new() };
    let Some((kind, what)) = named(&product, family, region) else { return Vec::new() };
    let price = |what: &str, usd_per_hour| ResourcePrice {
        kind,
        what: crate::domain::text::clean(what).into(),
        usd_per_hour,
    };
    if what == NAT_BYTES || ENDPOINT_BYTES.contains(&&*what) {
        let name = |from: f64| if from > 0.0 { format!("{what}/{from}") } else { what.clone() };
        let steps = steps_of_gb(&product, now).into_iter();
        return steps.map(|(from, usd)| price(&name(from), usd)).collect();
    }
    match on_demand(&product, now)[..] {
        [usd_per_hour] => vec![price(&what, usd_per_hour)],
        _ => Vec::new(),
    }
}

/// Kind and name of what a product is a price of; `None` for what is not asked for.
fn named(product: &Value, family: &str, region: &str) -> Option<(ResourceKind, String)> {
    let usage = usage_in(product, region)?;
    Some(match family {
        "ML Instance" => {
            let (place, rest) = of_machine(usage)?;
            match place {
                "Host" => (ResourceKind::Endpoint, rest.to_owned()),
                "Notebk" => (ResourceKind::Notebook, rest.to_owned()),
                "Studio" => {
                    let (_, what) = rest.split_once("-ml.")?;
                    (ResourceKind::StudioApp, format!("ml.{what}"))
                }
                _ => return None,
            }
        }
        "NAT Gateway" => {
            let what = ["RegionalNatGateway-Hours", "NatGateway-Hours", NAT_BYTES]
                .into_iter()
                .find(|what| is_usage(usage, what))?;
            (ResourceKind::NatGateway, what.to_owned())
        }
        "VpcEndpoint" => {
            let mut all = ENDPOINT_HOURS.into_iter().chain(ENDPOINT_BYTES);
            let what = all.find(|what| is_usage(usage, what))?;
            (ResourceKind::VpcEndpoint, what.to_owned())
        }
        _ => {
            let (_, word) = family.split_once('-')?;
            if !is_usage(usage, "LoadBalancerUsage") {
                return None;
            }
            let what = format!("LoadBalancerUsage/{}", word.to_ascii_lowercase());
            (ResourceKind::LoadBalancer, what)
        }
    })
}

/// Place and instance type of a usage type of SageMaker. Regions other than the first have a prefix: `EUW1-Host:…`.
fn of_machine(usage: &str) -> Option<(&str, &str)> {
    let (place, rest) = usage.split_once(':')?;
    Some((place.rsplit('-').next().unwrap_or(place), rest))
}

/// Current list prices of SageMaker's machines for jobs in a region, USD per hour by place (`Train`, `Processing`, `Cluster`, which is
/// HyperPod) and instance type; `None` where products disagree. Err when a call fails.
pub async fn of_jobs(aws: &AwsProvider, region: &str) -> Result<JobPrices, SourceError> {
    let products = products_of(aws, "AmazonSageMaker", region, Some("ML Instance")).await?;
    let mut prices = JobPrices::new();
    for json in &products {
        let Ok(product) = serde_json::from_str::<Value>(json) else { continue };
        let Some(usage) = usage_in(&product, region) else { continue };
        let Some((place, what)) = of_machine(usage) else { continue };
        let [usd] = on_demand(&product, (aws.now)())[..] else { continue };
        if matches!(place, "Train" | "Processing" | "Cluster") {
            let known = prices.entry((place.to_owned(), what.to_owned())).or_insert(Some(usd));
            *known = known.filter(|known| *known == usd);
        }
    }
    Ok(prices)
}

/// Prices by place and instance type, as [`of_jobs`] returns them.
pub type JobPrices = HashMap<(String, String), Option<f64>>;

/// Usage type of a product of a region; `None` for one of another place.
fn usage_in<'p>(product: &'p Value, region: &str) -> Option<&'p str> {
    let text = |name: &str| {
        product.pointer(&format!("/product/attributes/{name}")).and_then(Value::as_str)
    };
    let is_there = text("regionCode") == Some(region)
        && text("locationType").is_none_or(|place| place == "AWS Region");
    text("usagetype").filter(|_| is_there)
}

/// True when a usage type is `what`, with or without the prefix of a region: capitals and a digit.
/// `TS-` (trust stores) and `Outposts-` are no regions.
fn is_usage(usage: &str, what: &str) -> bool {
    let Some(prefix) = usage.strip_suffix(what) else { return false };
    let Some(region) = prefix.strip_suffix('-') else { return prefix.is_empty() };
    region != "TS" && region.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
}

/// Prices on which all products of a thing agree; where they do not, nobody knows which applies.
fn agreed(mut prices: Vec<ResourcePrice>) -> Vec<ResourcePrice> {
    prices.sort_by(|a, b| (a.kind, &a.what).cmp(&(b.kind, &b.what)));
    prices
        .chunk_by(|a, b| (a.kind, &a.what) == (b.kind, &b.what))
        .filter(|same| same.iter().all(|p| p.usd_per_hour == same[0].usd_per_hour))
        .map(|same| same[0].clone())
        .collect()
}
