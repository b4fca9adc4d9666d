//! What instances may become: types that prices and rates are wanted for although none of them runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use jiff::{SignedDuration, Timestamp};

use super::super::facts::{CandidateOffers, kind};
use super::super::guarded;
use super::super::poll::Poll;
use super::super::readings::Outcome;
use super::super::world::Update;
use super::Context;
use crate::analyze::rightsize;
use crate::domain::{Platform, SourceError, SourceId, Tenancy, TypeSpec};
use crate::source::catalogue;
use crate::source::provider::PriceWanted;

/// List prices change a few times a year; a week bounds how stale one can be.
const PRICES_FOR: SignedDuration = SignedDuration::from_hours(24 * 7);

static TYPES: LazyLock<HashMap<Arc<str>, Arc<TypeSpec>>> = LazyLock::new(|| {
    let specs = catalogue::type_specs().iter();
    specs.map(|spec| (spec.name.clone(), Arc::new(spec.clone()))).collect()
});

/// Running types, and those that their instances may become.
pub(super) fn of(running: &BTreeSet<Arc<str>>) -> BTreeSet<Arc<str>> {
    rightsize::candidate_types(running, &TYPES)
}

/// Like [`of`], by region, where sizes are judged; otherwise the running types alone.
pub(super) fn by_region(
    ctx: &Context,
    running: &BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
) -> BTreeMap<Arc<str>, BTreeSet<Arc<str>>> {
    if !ctx.settings().market {
        return running.clone();
    }
    running.iter().map(|(region, types)| (region.clone(), of(types))).collect()
}

/// Reads list prices of what the instances of the scope may become, on Linux and shared hardware.
pub(super) async fn prices(
    ctx: &Context,
    running: &BTreeSet<Arc<str>>,
    now: Timestamp,
) -> Result<(), Arc<SourceError>> {
    let wanted: Vec<PriceWanted> = of(running)
        .into_iter()
        .map(|instance_type| PriceWanted {
            region: ctx.scope.region.clone(),
            instance_type,
            platform: Platform::Linux,
            tenancy: Tenancy::Shared,
        })
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    match guarded("pricing:GetProducts", ctx.source.list_prices(&wanted)).await {
        Ok(offers) => {
            let kept = CandidateOffers { asked: running.clone(), offers };
            ctx.shared.cache.put(kind::CANDIDATE_OFFERS, &ctx.scope, now, &kept).await;
            let _ = ctx.updates.send(Update::Offers(kept.offers)).await;
            Ok(())
        }
        Err(error) => {
            let error = Arc::new(error);
            ctx.report(SourceId::Prices, ctx.scope.clone(), Outcome::Bad(error.clone())).await;
            Err(error)
        }
    }
}

/// The running types that the prices in the cache were asked for; the first picture has the prices.
pub(super) async fn read_before(ctx: &Context) -> Poll<BTreeSet<Arc<str>>> {
    let now = ctx.shared.now();
    let stored =
        ctx.shared.cache.get::<CandidateOffers>(kind::CANDIDATE_OFFERS, &ctx.scope, now).await;
    let (asked, read_at) = stored.map_or_else(Default::default, |s| (s.value.asked, s.taken_at));
    Poll::new(asked, read_at, PRICES_FOR)
}
