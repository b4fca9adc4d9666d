//! The buckets of an account: which there are, then each region's for itself.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt as _};

use super::super::guarded;
use super::super::poll::Poll;
use super::super::readings::Outcome;
use super::super::wake::Wake;
use super::super::world::Update;
use super::board::Input;
use super::keep::{self, kind};
use super::region::Region;
use super::{Context, Pending, pricing};
use crate::domain::storage::Bucket;
use crate::domain::{Backoff, Scope, SourceError, SourceId};
use crate::source::ledger::BilledApi;

/// Regions with directory buckets (S3 user guide, "Directory bucket Availability Zones"): in others
/// there is nobody who could be asked.
const EXPRESS: [&str; 7] = [
    "us-east-1",
    "us-east-2",
    "us-west-2",
    "ap-south-1",
    "ap-northeast-1",
    "eu-west-1",
    "eu-north-1",
];

/// Buckets whose region is asked for at once.
const LOCATIONS_AT_ONCE: usize = 8;

/// After a list that failed: five minutes, doubled up to an hour, and never longer than between lists.
const AGAIN: Duration = Duration::from_mins(5);
const AGAIN_AT_MOST: Duration = Duration::from_hours(1);

/// Runs until stopped; with `only_once` one round.
pub(super) async fn run(ctx: Context, fleet_regions: Vec<Arc<str>>) {
    if !ctx.wanted(ctx.settings().buckets).await {
        return;
    }
    let express = fleet_regions.into_iter().filter(|r| EXPRESS.contains(&&**r)).collect();
    let mut buckets = Buckets::from_cache(&ctx, express).await;
    let mut wake = Wake::new(&ctx.shared);
    let mut backoff = Backoff::default();
    loop {
        wake.begin();
        // Each request to S3 is billed.
        let forced = wake.forces.take_new();
        let good = buckets.round(&ctx, forced || ctx.only_once).await;
        let _ = ctx.updates.send(Update::OwnCost).await;
        if ctx.only_once {
            return;
        }
        let mut wait = buckets.list.wait();
        if good {
            backoff.reset();
        } else {
            wait = backoff.pause(AGAIN, AGAIN_AT_MOST.min(wait));
        }
        if !ctx.wait(&mut wake, wait).await {
            return;
        }
    }
}

struct Buckets {
    scope: Scope,
    express: Vec<Arc<str>>,
    /// The newest list.
    list: Poll<Vec<Bucket>>,
    regions: BTreeMap<Arc<str>, Region>,
}

impl Buckets {
    /// Goes on from what the last run left.
    async fn from_cache(ctx: &Context, express: Vec<Arc<str>>) -> Self {
        let scope = Scope::account_wide(ctx.scope.account.clone());
        let now = ctx.shared.now();
        let stored = ctx.shared.cache.get::<Vec<Bucket>>(kind::BUCKETS, &scope, now).await;
        let list = Poll::from_cache(stored, ctx.settings().list_every);
        Self { scope, express, list, regions: BTreeMap::new() }
    }

    /// One round; false when the list could not be had.
    async fn round(&mut self, ctx: &Context, forced: bool) -> bool {
        let mut good = true;
        if forced || self.list.is_due(ctx.shared.now()) {
            ctx.report(SourceId::S3, self.scope.clone(), Outcome::Loading).await;
            good = match self.read_list(ctx).await {
                Ok(coverage) => {
                    let outcome = Outcome::Good { coverage };
                    ctx.report(SourceId::S3, self.scope.clone(), outcome).await;
                    true
                }
                Err(error) => {
                    let outcome = Outcome::Bad(Arc::new(error));
                    ctx.report(SourceId::S3, self.scope.clone(), outcome).await;
                    false
                }
            };
        }
        let taken = |b: &&Bucket| keep::is_taken(&ctx.shared, b);
        let buckets: Vec<Bucket> = self.list.value.iter().filter(taken).cloned().collect();
        let input = Input::Buckets { account: ctx.scope.account.clone(), buckets: buckets.clone() };
        let _ = ctx.inputs.send(input).await;
        self.read_regions(ctx, buckets, forced).await;
        good
    }

    /// Reads the list and keeps it. What share of it was answered: directory buckets are listed by
    /// region.
    async fn read_list(&mut self, ctx: &Context) -> Result<f32, SourceError> {
        ctx.shared.charge(BilledApi::S3List, 1 + self.express.len() as u64).await?;
        let call = ctx.source.buckets(&ctx.scope.account, &self.express);
        let mut list = guarded("s3:ListAllMyBuckets", call).await?;
        for (region, error) in &list.troubles {
            let scope = Scope::new(ctx.scope.account.clone(), region.clone());
            ctx.trouble(SourceId::S3, &scope, Arc::new(error.clone())).await;
        }
        self.locate(ctx, &mut list.buckets).await;
        let now = ctx.shared.now();
        ctx.shared.cache.put(kind::BUCKETS, &self.scope, now, &list.buckets).await;
        self.list.good(now, list.buckets);
        let asked = 1 + self.express.len();
        Ok((asked - list.troubles.len().min(asked - 1)) as f32 / asked as f32)
    }

    /// Finds the regions that the list does not name: those of the last list, else by asking.
    async fn locate(&self, ctx: &Context, buckets: &mut [Bucket]) {
        let known: HashMap<&Arc<str>, &Arc<str>> = self
            .list
            .value
            .iter()
            .filter(|b| &*b.scope.region != "-")
            .map(|b| (&b.name, &b.scope.region))
            .collect();
        let mut asked: Vec<Pending<'_, ()>> = Vec::new();
        for bucket in buckets.iter_mut().filter(|b| &*b.scope.region == "-") {
            if let Some(region) = known.get(&bucket.name) {
                bucket.scope.region = Arc::clone(region);
            } else if ctx.settings().takes(&bucket.name) {
                asked.push(locate(ctx, bucket).boxed());
            }
        }
        stream::iter(asked).buffer_unordered(LOCATIONS_AT_ONCE).collect::<()>().await;
    }

    /// Reads what is due of each region, all regions side by side.
    async fn read_regions(&mut self, ctx: &Context, buckets: Vec<Bucket>, forced: bool) {
        let mut by_region: BTreeMap<Arc<str>, Vec<Bucket>> = BTreeMap::new();
        for bucket in buckets {
            by_region.entry(bucket.scope.region.clone()).or_default().push(bucket);
        }
        self.regions.retain(|region, _| by_region.contains_key(region));
        for (region, buckets) in &by_region {
            if !self.regions.contains_key(region) {
                let scope = Scope::new(ctx.scope.account.clone(), region.clone());
                let new = Region::from_cache(ctx, scope, buckets).await;
                self.regions.insert(region.clone(), new);
            }
        }
        let mut rounds: Vec<Pending<'_, ()>> = Vec::new();
        for (region, state) in &mut self.regions {
            if let Some(buckets) = by_region.remove(region) {
                rounds.push(state.round(ctx, buckets, forced).boxed());
                let scope = Scope::new(ctx.scope.account.clone(), region.clone());
                rounds.push(pricing::s3(ctx, scope).boxed());
            }
        }
        join_all(rounds).await;
    }
}

/// Asks for the region of a bucket; without an answer it stays unknown.
async fn locate(ctx: &Context, bucket: &mut Bucket) {
    let asked = match ctx.shared.charge(BilledApi::S3Get, 1).await {
        Ok(()) => guarded("s3:GetBucketLocation", ctx.source.region_of(&bucket.name)).await,
        Err(refused) => Err(refused),
    };
    match asked {
        Ok(region) => bucket.scope.region = region,
        Err(error) => ctx.trouble(SourceId::S3, &bucket.scope, Arc::new(error)).await,
    }
}
