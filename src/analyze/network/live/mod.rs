//! Paths without a bill: NAT gateways and endpoints with the bytes that CloudWatch counts and the routes that lead to them,
//! and buckets far from the fleet, at list prices.
//!
//! | file | holds |
//! |---|---|
//! | `billed` | resources that bytes go through, with routes, verdict and pace of a month |
//! | `nat` | NAT gateways: what they cost, and whether what goes to S3 need go through them |
//! | `endpoints` | endpoints with interfaces: what they cost, and whether a gateway endpoint would do |
//! | `far` | buckets in regions where nothing runs |
//! | `logs` | log groups that keep everything |
//! | `streams` | metric streams, which send metrics out of CloudWatch |
//! | `sent` | what the fleet sends, which CloudWatch counts without saying where it goes |
//! | `payer` | whose bytes the steps of a price count together |
//! | `rows` | the same as rows of a list of paths |

mod billed;
mod endpoints;
mod far;
mod logs;
mod nat;
mod payer;
mod rows;
mod sent;
mod streams;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use rows::{command, paths};

use crate::analyze::savings::SavingsInput;
use crate::domain::ResourceKind;
use crate::fleet::savings::{PathRow, ResourceRow};

/// Paths that are known without a bill: the largest avoidable sum first, then the costliest. `resources` are the
/// judged resources of the same input.
pub fn live(input: &SavingsInput<'_>, resources: &[Arc<ResourceRow>]) -> Vec<Arc<PathRow>> {
    let of_kind = |kind| billed::of_kind(input, resources, kind);
    let gateways = of_kind(ResourceKind::NatGateway).into_iter().map(|of| nat::row(&of));
    let endpoints = endpoints::rows(input, &of_kind(ResourceKind::VpcEndpoint));
    let all = gateways.chain(endpoints).chain(far::rows(input)).chain(logs::rows(input));
    let all = all.chain(streams::rows(input)).chain(sent::rows(input));
    let mut rows: Vec<Arc<PathRow>> = all.map(Arc::new).collect();
    let usd = |usd: Option<f64>| usd.unwrap_or(-1.0);
    rows.sort_by(|a, b| {
        usd(b.avoidable_usd)
            .total_cmp(&usd(a.avoidable_usd))
            .then_with(|| usd(b.usd).total_cmp(&usd(a.usd)))
            .then_with(|| (a.kind, &a.scope, &a.id).cmp(&(b.kind, &b.scope, &b.id)))
    });
    rows
}

/// Region whose price the ones that are embedded are of.
const US_EAST_1: &str = "us-east-1";

/// The region whose price stands in for that of `region`, where it is another one; `None` where it has that price itself.
/// Fails for China, where prices are in another currency.
fn us_east_1_for(region: &str) -> Result<Option<Arc<str>>, OtherCurrency> {
    match region {
        US_EAST_1 => Ok(None),
        _ if region.starts_with("cn-") => Err(OtherCurrency),
        _ => Ok(Some(US_EAST_1.into())),
    }
}

/// Prices of the region are not in US dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OtherCurrency;
