//! Prices of a scope: list prices kept for a week, spot prices for ten minutes.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use jiff::SignedDuration;

use super::account::report_result;
use super::facts::kind;
use super::guarded;
use super::poll::Poll;
use super::scope::Context;
use super::world::Update;
use crate::domain::{Instance, Lifecycle, Offer, Platform, SourceId, Tenancy};
use crate::source::provider::PriceWanted;

/// List prices change a few times a year; a week bounds how stale one can be.
const LIST_FOR: SignedDuration = SignedDuration::from_hours(24 * 7);
/// Spot prices move slowly since 2017, but in a crunch within the hour.
const SPOT_FOR: SignedDuration = SignedDuration::from_mins(10);

/// Prices asked for together: all regions share the price list's own rate limit, and a long list
/// must not run into the time limit of a call.
const PRICES_PER_CALL: usize = 25;

/// The prices that one scope has read.
pub(super) struct Prices {
    list: Poll<Vec<Offer>>,
    /// Wanted prices that do not exist: not asked for again before the list is renewed.
    without: Vec<PriceWanted>,
    spot: Poll<()>,
}

impl Prices {
    /// What the last run left.
    pub async fn from_cache(ctx: &Context) -> Self {
        let now = ctx.shared.now();
        let list = ctx.shared.cache.get::<Vec<Offer>>(kind::OFFERS, &ctx.scope, now).await;
        let spot = ctx.shared.cache.get::<Vec<Offer>>(kind::SPOT, &ctx.scope, now).await;
        let spot_at = spot.and_then(|s| s.taken_at);
        Self {
            list: Poll::from_cache(list, LIST_FOR),
            without: Vec::new(),
            spot: Poll::new((), spot_at, SPOT_FOR),
        }
    }

    /// Reads what is missing or too old.
    pub async fn refresh(&mut self, ctx: &Context, instances: &[Arc<Instance>]) {
        let running = || instances.iter().filter(|i| i.state.is_billed());
        let spot_types: BTreeSet<Arc<str>> = running()
            .filter(|i| i.lifecycle == Lifecycle::Spot)
            .map(|i| i.instance_type.clone())
            .collect();
        let mut seen = HashSet::new();
        let wanted: Vec<PriceWanted> = running()
            .filter(|i| is_listed(i) && seen.insert((&i.instance_type, i.platform, i.tenancy)))
            .map(|instance| PriceWanted {
                region: instance.scope.region.clone(),
                instance_type: instance.instance_type.clone(),
                platform: instance.platform,
                tenancy: instance.tenancy,
            })
            .collect();
        tokio::join!(
            Self::list(&mut self.list, &mut self.without, ctx, wanted),
            Self::spot(&mut self.spot, ctx, spot_types)
        );
    }

    async fn list(
        list: &mut Poll<Vec<Offer>>,
        without: &mut Vec<PriceWanted>,
        ctx: &Context,
        mut wanted: Vec<PriceWanted>,
    ) {
        let now = ctx.shared.now();
        let fresh = !list.is_due(now);
        if fresh {
            wanted.retain(|want| {
                !without.contains(want) && !list.value.iter().any(|offer| answers(offer, want))
            });
        }
        if wanted.is_empty() {
            return;
        }
        let mut offers = Vec::new();
        let mut failed = None;
        for some in wanted.chunks(PRICES_PER_CALL) {
            match guarded("pricing:GetProducts", ctx.provider.list_prices(some)).await {
                Ok(found) => offers.extend(found),
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        // What was answered before a failure counts; the rest is asked for again.
        let answer = failed.map_or(Ok(()), Err);
        if report_result(&ctx.updates, SourceId::Prices, &ctx.scope, answer).await.is_some() {
            if !fresh {
                without.clear();
                list.read_at = Some(now);
            }
            without.extend(
                wanted.into_iter().filter(|want| !offers.iter().any(|offer| answers(offer, want))),
            );
        } else if offers.is_empty() {
            return;
        }
        list.value.retain(|old| !offers.iter().any(|new| same_key(old, new)));
        list.value.extend(offers.iter().cloned());
        // Without a complete answer there is no date; the next start asks again.
        if let Some(at) = list.read_at {
            ctx.shared.cache.put(kind::OFFERS, &ctx.scope, at, &list.value).await;
        }
        let _ = ctx.updates.send(Update::Offers(offers)).await;
    }

    async fn spot(spot: &mut Poll<()>, ctx: &Context, types: BTreeSet<Arc<str>>) {
        let now = ctx.shared.now();
        if types.is_empty() || !spot.is_due(now) {
            return;
        }
        let names: Vec<Arc<str>> = types.into_iter().collect();
        let call = ctx.provider.spot_prices(&ctx.scope.region, &names);
        let answer = guarded("ec2:DescribeSpotPriceHistory", call).await;
        if let Some(offers) = report_result(&ctx.updates, SourceId::Spot, &ctx.scope, answer).await
        {
            spot.good(now, ());
            ctx.shared.cache.put(kind::SPOT, &ctx.scope, now, &offers).await;
            let _ = ctx.updates.send(Update::Offers(offers)).await;
        }
    }
}

/// True when the on-demand price list applies to the instance.
fn is_listed(instance: &Instance) -> bool {
    instance.lifecycle == Lifecycle::OnDemand
        && instance.tenancy != Tenancy::Host
        && instance.platform != Platform::Other
}

fn answers(offer: &Offer, want: &PriceWanted) -> bool {
    offer.region == want.region
        && offer.instance_type == want.instance_type
        && offer.platform == want.platform
        && offer.tenancy == want.tenancy
}

fn same_key(a: &Offer, b: &Offer) -> bool {
    a.region == b.region
        && a.az == b.az
        && a.instance_type == b.instance_type
        && a.platform == b.platform
        && a.tenancy == b.tenancy
}
