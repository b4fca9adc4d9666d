//! The Spot market of one account and region: prices of the last week, and what zones offer.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::super::guarded;
use super::super::poll::Poll;
use super::super::readings::Outcome;
use super::super::wake::Wake;
use super::keep::{Market, kind};
use super::{Context, Input, candidates};
use crate::domain::{Hour, SourceError, SourceId, SpotHistory};

/// How far back prices are read: what a week shows, and hundreds of prices a type.
const WINDOW: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Between two looks at prices: sums stand on them, so that what the cache holds is brought to the
/// hour. Only what came since is asked for, which is a page where a week has many.
const PRICED_EVERY: Duration = Duration::from_hours(1);

/// Runs until stopped; with `only_once` one round.
pub(super) async fn run(ctx: Context) {
    let now = ctx.shared.now();
    // The board has what the cache holds; here it is what was asked for, and when.
    let stored = ctx.shared.cache.get::<Market>(kind::SPOT_HISTORY, &ctx.scope, now).await;
    let (mut spot_at, mut asked) =
        stored.map_or_else(Default::default, |s| (s.taken_at, s.value.asked));
    let offered_at = ctx.shared.cache.taken_at(kind::OFFERINGS, &ctx.scope, now).await;
    let mut offered = Poll::new((), offered_at, ctx.settings().market_every);
    let mut priced = candidates::read_before(&ctx).await;
    // Spot prices are due in each hour, whatever their age.
    let wait = offered.wait().min(PRICED_EVERY);
    let mut types = ctx.shared.savings.types();
    let mut wake = Wake::new(&ctx.shared);
    ctx.shared.savings.known(ctx.only_once).await;
    loop {
        let forced = wake.begin().refresh;
        let running = types.borrow_and_update().running(&ctx.scope);
        let now = ctx.shared.now();
        let (mut first, mut second, mut third) = (Ok(()), Ok(()), Ok(()));
        // A type that is new may become what nothing else could.
        let more = !running.is_subset(&priced.value);
        if more || priced.is_due(now) {
            third = candidates::prices(&ctx, &running, now).await;
            if third.is_ok() && !running.is_empty() {
                priced.good(now, running.clone());
            }
        }
        let new = !running.is_subset(&asked);
        let same_hour = |at: Timestamp| at <= now && Hour::containing(at) == Hour::containing(now);
        if forced || new || !spot_at.is_some_and(same_hour) {
            let known = spot_at.filter(|at| !new && *at <= now);
            first = spot(&ctx, &running, known, now).await;
            if first.is_ok() {
                spot_at = Some(now);
                asked = running;
            } else {
                asked.clear();
            }
        }
        if forced || offered.is_due(now) {
            second = offerings(&ctx, now).await;
            offered.read_at = second.is_ok().then_some(now);
        }
        let failed =
            |r: &Result<(), Arc<SourceError>>| r.as_ref().is_err_and(|error| error.kind.may_pass());
        if ctx.only_once {
            return;
        }
        if failed(&first) || failed(&second) || failed(&third) {
            if !wake.pause().await {
                return;
            }
            continue;
        }
        wake.worked();
        tokio::select! {
            going = wake.wait(wait) => if !going { return },
            seen = types.changed() => if seen.is_err() { return },
        }
    }
}

/// Reads prices of the last week; of what the cache holds up to `known` those since.
async fn spot(
    ctx: &Context,
    asked: &BTreeSet<Arc<str>>,
    known: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), Arc<SourceError>> {
    let source = SourceId::SpotHistory;
    ctx.report(source, ctx.scope.clone(), Outcome::Loading).await;
    let names: Vec<Arc<str>> = asked.iter().cloned().collect();
    let window = now - WINDOW;
    let old = match known {
        Some(_) => ctx.shared.cache.get::<Market>(kind::SPOT_HISTORY, &ctx.scope, now).await,
        None => None,
    };
    // EC2 may list a price late. Without what was there before the whole week is read.
    let known = known.filter(|_| old.is_some());
    let from = known.map_or(window, |at| window.max(at - PRICED_EVERY));
    let answer = if names.is_empty() {
        Ok(Vec::new())
    } else {
        let call = ctx.source.spot_history(&ctx.scope.region, &names, from);
        guarded("ec2:DescribeSpotPriceHistory", call).await
    };
    match answer {
        Ok(histories) => {
            let old = old.map(|stored| stored.value.histories).unwrap_or_default();
            let old = old.into_iter().filter(|h| names.contains(&h.instance_type));
            let market = Market { asked: asked.clone(), histories: joined(old, histories, window) };
            ctx.shared.cache.put(kind::SPOT_HISTORY, &ctx.scope, now, &market).await;
            let input = Input::Spot { scope: ctx.scope.clone(), histories: market.histories };
            let _ = ctx.inputs.send(input).await;
            ctx.report(source, ctx.scope.clone(), Outcome::Good { coverage: 1.0 }).await;
            Ok(())
        }
        Err(error) => failed(ctx, source, error).await,
    }
}

/// Old and new prices as one history of each zone and type, from the price in force at `from` on.
fn joined(
    old: impl Iterator<Item = SpotHistory>,
    new: Vec<SpotHistory>,
    from: Timestamp,
) -> Vec<SpotHistory> {
    let key = |h: &SpotHistory| (h.az.clone(), h.instance_type.clone(), h.platform);
    let mut out = new;
    let places: HashMap<_, usize> = out.iter().enumerate().map(|(n, h)| (key(h), n)).collect();
    for history in old {
        match places.get(&key(&history)).and_then(|n| out.get_mut(*n)) {
            Some(newer) => {
                // Of a moment that both have the newer answer counts.
                let first = newer.points.iter().next().map_or(Timestamp::MAX, |p| p.0);
                let before = history.points.iter().filter(|p| p.0 < first);
                newer.points = before.chain(newer.points.iter()).collect();
            }
            None => out.push(history),
        }
    }
    for history in &mut out {
        let expired = history.points.iter().take_while(|p| p.0 <= from).count().saturating_sub(1);
        if expired > 0 {
            history.points = history.points.iter().skip(expired).collect();
        }
    }
    out
}

async fn offerings(ctx: &Context, now: Timestamp) -> Result<(), Arc<SourceError>> {
    let source = SourceId::Offerings;
    ctx.report(source, ctx.scope.clone(), Outcome::Loading).await;
    let call = ctx.source.zone_offerings(&ctx.scope.region);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Platform;

    #[test]
    fn a_cached_week_with_what_came_since_is_the_week_read_anew() {
        let at = |hour: i32| Hour(500_000 + hour).start();
        let history = |az: &str, points: &[(i32, f64)]| SpotHistory {
            region: "us-east-1".into(),
            az: az.into(),
            instance_type: "g5.xlarge".into(),
            platform: Platform::Linux,
            points: points.iter().map(|(hour, usd)| (at(*hour), *usd)).collect(),
        };
        let old =
            [history("a", &[(0, 0.1), (2, 0.2), (7, 0.3), (8, 0.35)]), history("b", &[(0, 0.5)])];
        // Its first point was in force when it was asked from, and the newer answer counts.
        let new = vec![history("a", &[(8, 0.4), (9, 0.6)])];
        let got = joined(old.into_iter(), new, at(4));
        let a = history("a", &[(2, 0.2), (7, 0.3), (8, 0.4), (9, 0.6)]);
        assert_eq!(got, [a, history("b", &[(0, 0.5)])]);
    }
}
