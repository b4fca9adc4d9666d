//! The Spot market of one account and region: prices of the last week, and what zones offer.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::super::guarded;
use super::super::readings::Outcome;
use super::super::retry::Retry;
use super::super::wishes::Wishes;
use super::keep::{Market, kind};
use super::{Context, Input, is_due, kin, waiting};
use crate::domain::{SourceError, SourceId};

/// How far back prices are read: what a week shows, and hundreds of prices a type.
const WINDOW: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Runs until stopped; with `only_once` one round. What is young enough in the cache is not read
/// again: a market moves slowly, and an answer has many pages.
pub(super) async fn run(ctx: Context) {
    let every = ctx.settings().market_every;
    let now = ctx.shared.now();
    // The board has what the cache holds; here it is what was asked for, and when.
    let stored = ctx.shared.cache.get::<Market>(kind::SPOT_HISTORY, &ctx.scope, now).await;
    let (mut spot_at, mut asked) =
        stored.map_or_else(Default::default, |s| (s.taken_at, s.value.asked));
    let mut offered_at = ctx.shared.cache.taken_at(kind::OFFERINGS, &ctx.scope, now).await;
    let (mut priced_at, mut priced) = kin::read_before(&ctx).await;
    let mut types = ctx.shared.savings.types();
    let mut refreshes = Wishes::from_now(&ctx.shared.refresh);
    let mut retry = Retry::new(&ctx.shared);
    ctx.shared.savings.known(ctx.only_once).await;
    loop {
        retry.begin();
        let forced = refreshes.serve();
        let running = types.borrow_and_update().running(&ctx.scope);
        let now = ctx.shared.now();
        let (mut first, mut second, mut third) = (Ok(()), Ok(()), Ok(()));
        // A type that is new may become what nothing else could.
        let more = !running.is_subset(&priced);
        if more || is_due(priced_at, kin::PRICES_FOR, now) {
            third = kin::prices(&ctx, &running, now).await;
            if third.is_ok() && !running.is_empty() {
                priced_at = Some(now);
                priced.clone_from(&running);
            }
        }
        let new = !running.is_subset(&asked);
        if forced || new || is_due(spot_at, every, now) {
            first = spot(&ctx, &running, now).await;
            if first.is_ok() {
                spot_at = Some(now);
                asked = running;
            } else {
                asked.clear();
            }
        }
        if forced || is_due(offered_at, every, now) {
            second = offerings(&ctx, now).await;
            // What failed is due, however young what was there before.
            offered_at = second.is_ok().then_some(now);
        }
        let failed =
            |r: &Result<(), Arc<SourceError>>| r.as_ref().is_err_and(|error| error.kind.may_pass());
        if ctx.only_once {
            return;
        }
        if failed(&first) || failed(&second) || failed(&third) {
            if !retry.pause(&ctx.shared.stop).await {
                return;
            }
            continue;
        }
        retry.worked();
        tokio::select! {
            going = ctx.wait(&mut refreshes, waiting(every)) => if !going { return },
            seen = types.changed() => if seen.is_err() { return },
        }
    }
}

async fn spot(
    ctx: &Context,
    asked: &BTreeSet<Arc<str>>,
    now: Timestamp,
) -> Result<(), Arc<SourceError>> {
    let source = SourceId::SpotHistory;
    ctx.report(source, ctx.scope.clone(), Outcome::Loading).await;
    let names: Vec<Arc<str>> = asked.iter().cloned().collect();
    let from = now - WINDOW;
    let answer = if names.is_empty() {
        Ok(Vec::new())
    } else {
        let call = ctx.provider.spot_history(&ctx.scope.region, &names, from);
        guarded("ec2:DescribeSpotPriceHistory", call).await
    };
    match answer {
        Ok(histories) => {
            let market = Market { asked: asked.clone(), histories };
            ctx.shared.cache.put(kind::SPOT_HISTORY, &ctx.scope, now, &market).await;
            let input = Input::Spot { scope: ctx.scope.clone(), histories: market.histories };
            let _ = ctx.inputs.send(input).await;
            ctx.report(source, ctx.scope.clone(), Outcome::Good { coverage: 1.0 }).await;
            Ok(())
        }
        Err(error) => failed(ctx, source, error).await,
    }
}

async fn offerings(ctx: &Context, now: Timestamp) -> Result<(), Arc<SourceError>> {
    let source = SourceId::Offerings;
    ctx.report(source, ctx.scope.clone(), Outcome::Loading).await;
    let call = ctx.provider.zone_offerings(&ctx.scope.region);
    match guarded("ec2:DescribeInstanceTypeOfferings", call).await {
        Ok(zones) => {
            ctx.shared.cache.put(kind::OFFERINGS, &ctx.scope, now, &zones).await;
            let _ = ctx.inputs.send(Input::Offerings { scope: ctx.scope.clone(), zones }).await;
            ctx.report(source, ctx.scope.clone(), Outcome::Good { coverage: 1.0 }).await;
            Ok(())
        }
        Err(error) => failed(ctx, source, error).await,
    }
}

async fn failed(
    ctx: &Context,
    source: SourceId,
    error: SourceError,
) -> Result<(), Arc<SourceError>> {
    let error = Arc::new(error);
    ctx.report(source, ctx.scope.clone(), Outcome::Bad(error.clone())).await;
    Err(error)
}
