//! Prices of S3 and EBS from the price list, kept for a week. Without them the list in the binary
//! counts.

use std::sync::{Arc, PoisonError};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::guarded;
use super::Context;
use super::board::Input;
use super::keep::kind;
use crate::cache::{Cache, FactKind};
use crate::domain::storage::{Bucket, EbsPrices, S3Prices};
use crate::domain::{Scope, SourceError, SourceId, is_due};
use crate::source::storage_prices;

/// List prices change a few times a year; a week bounds how stale one can be.
const KEPT_FOR: SignedDuration = SignedDuration::from_hours(24 * 7);

/// Least time before a question that failed, or has no price list, is asked again.
const AGAIN: SignedDuration = SignedDuration::from_hours(1);

/// Reads the prices of S3 in a region when they are due. They are the same for all accounts: only
/// the first that comes asks.
pub(super) async fn s3(ctx: &Context, scope: Scope) {
    let ask = ctx.source.s3_prices(&scope.region);
    if let Some(prices) = fresh(ctx, kind::S3_PRICES, &scope, ask).await {
        let _ = ctx.inputs.send(Input::S3Prices(Arc::new(prices))).await;
    }
}

/// Like [`s3`], for volumes and snapshots.
pub(super) async fn ebs(ctx: &Context, scope: &Scope) {
    let ask = ctx.source.ebs_prices(&scope.region);
    if let Some(prices) = fresh(ctx, kind::EBS_PRICES, scope, ask).await {
        let _ = ctx.inputs.send(Input::EbsPrices(Arc::new(prices))).await;
    }
}

async fn fresh<T: Serialize + DeserializeOwned + Send + Sync + 'static>(
    ctx: &Context,
    kind: FactKind,
    scope: &Scope,
    ask: impl Future<Output = Result<Option<T>, SourceError>> + Send,
) -> Option<T> {
    let now = ctx.shared.now();
    if &*scope.region == "-" || !is_first(ctx, kind, scope, now) {
        return None;
    }
    let key = key(&scope.region);
    let stored = ctx.shared.cache.get::<T>(kind, &key, now).await;
    if stored.is_some_and(|s| s.is_fresh(now, KEPT_FOR)) {
        return None;
    }
    match guarded("pricing:GetProducts", ask).await {
        Ok(prices) => {
            let prices = prices?;
            ctx.shared.cache.put(kind, &key, now, &prices).await;
            Some(prices)
        }
        Err(error) => {
            ctx.trouble(SourceId::Prices, scope, Arc::new(error)).await;
            None
        }
    }
}

/// True for the first that asks within the hour; it is then noted.
fn is_first(ctx: &Context, kind: FactKind, scope: &Scope, now: Timestamp) -> bool {
    let mut asked = ctx.shared.storage.priced.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (kind.name, scope.region.clone());
    let due = is_due(asked.get(&key).copied(), AGAIN, now);
    if due {
        asked.insert(key, now);
    }
    due
}

/// Prices belong to no account.
fn key(region: &str) -> Scope {
    Scope::new("-", region)
}

/// Prices of all regions in the cache, however old; each has its date.
pub(super) async fn cached(cache: &Cache, now: Timestamp) -> Vec<Input> {
    let s3 = cache.all::<S3Prices>(kind::S3_PRICES, now).await;
    let ebs = cache.all::<EbsPrices>(kind::EBS_PRICES, now).await;
    let s3 = s3.into_iter().map(|(_, stored)| Input::S3Prices(Arc::new(stored.value)));
    s3.chain(ebs.into_iter().map(|(_, s)| Input::EbsPrices(Arc::new(s.value)))).collect()
}

/// The prices of S3 in a region: those of the price list that the cache holds, else the embedded
/// ones; `None` when neither knows the region.
pub async fn s3_prices(cache: &Cache, region: &str, now: Timestamp) -> Option<S3Prices> {
    let live = cache.get::<S3Prices>(kind::S3_PRICES, &key(region), now).await;
    live.map(|stored| stored.value).or_else(|| storage_prices::s3(region))
}

/// The region of a bucket as the newest list of buckets in the cache says it; `None` when it is in
/// none of them.
pub async fn bucket_region(cache: &Cache, bucket: &str, now: Timestamp) -> Option<Arc<str>> {
    let lists = cache.all::<Vec<Bucket>>(kind::BUCKETS, now).await;
    let mut all = lists.into_iter().flat_map(|(_, stored)| stored.value);
    all.find(|b| &*b.name == bucket && &*b.scope.region != "-").map(|b| b.scope.region)
}
