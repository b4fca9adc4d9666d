//! What the cache remembers of storage: the first picture, before any account is asked.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;

use super::super::facts::{Wanted, wanted};
use super::super::readings;
use super::super::{Regions, Shared};
use super::board::{Board, Input};
use super::sizes::Sizes;
use super::{pricing, uploads};
use crate::domain::storage::bucket::BucketFacts;
use crate::domain::storage::{Bucket, EbsFacts};
use crate::domain::{ErrorKind, Scope, SourceError, SourceId};

/// Kinds of facts in the cache. A change of a stored type needs a new layout number.
pub(super) mod kind {
    use crate::cache::FactKind;

    /// `Vec<Bucket>` per account.
    pub const BUCKETS: FactKind = FactKind::new("s3-buckets", 1);
    /// `Vec<BucketFacts>` per scope, without their series.
    pub const FACTS: FactKind = FactKind::new("s3-facts", 1);
    /// `EbsFacts` per scope.
    pub const EBS: FactKind = FactKind::new("ebs", 1);
    /// `S3Prices` per region.
    pub const S3_PRICES: FactKind = FactKind::new("s3-prices", 1);
    /// `EbsPrices` per region.
    pub const EBS_PRICES: FactKind = FactKind::new("ebs-prices", 1);
    /// `IncompleteUploads` per bucket.
    pub const UPLOADS: FactKind = FactKind::new("s3-uploads", 1);
}

/// A bucket of which nothing but its name is known.
pub(super) fn not_read(bucket: Bucket, now: Timestamp) -> BucketFacts {
    let message = format!("bucket {}: not read yet", bucket.name);
    unknown(bucket, &SourceError::new(ErrorKind::Unavailable, "s3:GetBucket*", &message, ""), now)
}

/// A bucket that could not be read.
pub(super) fn unknown(bucket: Bucket, why: &SourceError, now: Timestamp) -> BucketFacts {
    let why = Arc::new(why.clone());
    BucketFacts {
        bucket,
        tags: Err(why.clone()),
        versioning: Err(why.clone()),
        lifecycle: Err(why.clone()),
        lock: Err(why.clone()),
        replicates: Err(why.clone()),
        inventories: Err(why.clone()),
        uploads: None,
        sizes: Err(why.clone()),
        objects: Err(why),
        reads_per_month: None,
        downloaded_per_month: None,
        taken_at: now,
    }
}

/// What the cache holds of the selected accounts.
pub(super) async fn board(shared: &Shared, selection: &[(String, Regions)]) -> Board {
    let now = shared.now();
    let mut board = Board::default();
    let known: BTreeMap<Arc<str>, Wanted<'_>> = wanted(&shared.cache, selection, now)
        .await
        .into_iter()
        .map(|wanted| (wanted.account().clone(), wanted))
        .collect();
    for (account, wanted) in &known {
        let label: Arc<str> = crate::domain::text::clean(wanted.label()).into();
        board.take(Input::Account { account: account.clone(), label }, shared);
    }
    for input in pricing::cached(&shared.cache, now).await {
        board.take(input, shared);
    }
    if shared.storage.settings.buckets != super::StorageRead::Never {
        for (bucket, uploads) in uploads::all(&shared.cache, now).await {
            board.take(Input::Uploads { bucket, uploads }, shared);
        }
        for account in known.keys() {
            let scope = Scope::account_wide(account.clone());
            let list = shared.cache.get::<Vec<Bucket>>(kind::BUCKETS, &scope, now).await;
            let Some(list) = list else { continue };
            board.readings.remember(readings::cached(SourceId::S3, &scope, list.taken_at));
            let kept = remembered(shared, account, &list.value, now).await;
            let mut taken: BTreeMap<Scope, Timestamp> = BTreeMap::new();
            let buckets = list.value.into_iter().filter(|b| is_taken(shared, b)).collect();
            board.take(Input::Buckets { account: account.clone(), buckets }, shared);
            for facts in kept.into_values().filter(|f| is_taken(shared, &f.bucket)) {
                let at = taken.entry(facts.bucket.scope.clone()).or_insert(facts.taken_at);
                *at = (*at).min(facts.taken_at);
                board.take(Input::Facts(facts), shared);
            }
            for (scope, at) in taken {
                board.readings.remember(readings::cached(SourceId::S3, &scope, Some(at)));
            }
        }
    }
    if shared.storage.settings.ebs != super::StorageRead::Never {
        for (scope, stored) in shared.cache.all::<EbsFacts>(kind::EBS, now).await {
            if known.get(&scope.account).is_some_and(|wanted| wanted.claims(&scope)) {
                board.readings.remember(readings::cached(SourceId::Ebs, &scope, stored.taken_at));
                board.take(Input::Ebs(Box::new(stored.value)), shared);
            }
        }
    }
    board
}

/// True when the configuration lets a bucket be read.
pub(super) fn is_taken(shared: &Shared, bucket: &Bucket) -> bool {
    let settings = &shared.storage.settings;
    settings.takes(&bucket.name) && settings.takes_region(&bucket.scope.region)
}

/// What is remembered of `buckets`, by name, with their series.
pub(super) async fn remembered(
    shared: &Shared,
    account: &Arc<str>,
    buckets: &[Bucket],
    now: Timestamp,
) -> HashMap<Arc<str>, Arc<BucketFacts>> {
    let mut by_region: BTreeMap<Scope, Vec<&Bucket>> = BTreeMap::new();
    for bucket in buckets.iter().filter(|b| b.scope.account == *account) {
        by_region.entry(bucket.scope.clone()).or_default().push(bucket);
    }
    let mut out = HashMap::new();
    for (scope, buckets) in by_region {
        let stored = shared.cache.get::<Vec<BucketFacts>>(kind::FACTS, &scope, now).await;
        let sizes = Sizes::from_cache(shared, &scope).await;
        for mut facts in stored.into_iter().flat_map(|s| s.value) {
            let Some(bucket) = buckets.iter().find(|b| b.name == facts.bucket.name) else {
                continue;
            };
            facts.bucket = (*bucket).clone();
            sizes.apply(&mut facts, now);
            out.insert(facts.bucket.name.clone(), Arc::new(facts));
        }
    }
    out
}

/// Keeps the facts of a region; their series lie in a table of their own.
pub(super) async fn store(
    shared: &Shared,
    scope: &Scope,
    facts: impl Iterator<Item = &Arc<BucketFacts>>,
) {
    let bare = |facts: &Arc<BucketFacts>| {
        let mut bare = (**facts).clone();
        bare.sizes = bare.sizes.map(|_| Vec::new());
        bare.objects = bare.objects.map(|_| None);
        bare
    };
    let all: Vec<BucketFacts> = facts.map(bare).collect();
    let newest = all.iter().map(|f| f.taken_at).max().unwrap_or_else(|| shared.now());
    shared.cache.put(kind::FACTS, scope, newest, &all).await;
}
