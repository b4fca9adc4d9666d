//! The buckets of one account × region: how each is set up, and the sizes of all.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::stream::{self, StreamExt as _};
use jiff::Timestamp;

use super::super::CALL_LIMIT;
use super::super::readings::Outcome;
use super::board::Input;
use super::sizes::Sizes;
use super::{Context, Pending, keep};
use crate::domain::storage::Bucket;
use crate::domain::storage::bucket::{BucketFacts, Fact};
use crate::domain::{ErrorKind, Scope, SourceError, SourceId, is_due};
use crate::source::BucketConfig;
use crate::source::ledger::BilledApi;

/// Buckets looked at at once: eight requests each, of which the rate limiter lets as many through.
const AT_ONCE: usize = 8;

/// Requests that one reading of a bucket's settings takes.
const REQUESTS: u64 = 7;

/// Facts that a look gives, without those that serve other facts.
const FACTS: usize = 6;

/// What is known of a region.
pub(super) struct Region {
    scope: Scope,
    known: HashMap<Arc<str>, Arc<BucketFacts>>,
    /// Facts of each bucket that failed at the last look.
    failing: HashMap<Arc<str>, usize>,
    /// The request metric of each bucket that counts all of its requests.
    whole: HashMap<Arc<str>, Arc<str>>,
    sizes: Sizes,
    /// Troubles that were reported, by action and kind: one line each, not one per bucket.
    told: BTreeSet<(String, &'static str)>,
}

impl Region {
    /// Goes on from what the last run left.
    pub async fn from_cache(ctx: &Context, scope: Scope, buckets: &[Bucket]) -> Self {
        let now = ctx.shared.now();
        Self {
            known: keep::remembered(&ctx.shared, &ctx.scope.account, buckets, now).await,
            sizes: Sizes::from_cache(&ctx.shared, &scope).await,
            failing: HashMap::new(),
            whole: HashMap::new(),
            told: BTreeSet::new(),
            scope,
        }
    }

    /// Reads what is due. With `forced` how all buckets are set up; the sizes of a day that were
    /// read do not change.
    pub async fn round(&mut self, ctx: &Context, buckets: Vec<Bucket>, forced: bool) {
        let names: HashSet<Arc<str>> = buckets.iter().map(|b| b.name.clone()).collect();
        self.known.retain(|name, _| names.contains(name));
        self.failing.retain(|name, _| names.contains(name));
        if &*self.scope.region == "-" {
            return self.nowhere(ctx, buckets).await;
        }
        ctx.report(SourceId::S3, self.scope.clone(), Outcome::Loading).await;
        let due: Vec<Bucket> =
            buckets.into_iter().filter(|b| forced || self.is_due(ctx, b)).collect();
        let mut troubles = self.look(ctx, due).await;
        let sized = self.sizes.refresh(ctx, &self.scope, &names, &self.whole).await;
        let sizes_failed = sized.is_err();
        troubles.extend(sized.err().map(Arc::new));
        let now = ctx.shared.now();
        for facts in self.known.values_mut() {
            let mut new = (**facts).clone();
            self.sizes.apply(&mut new, now);
            if new != **facts {
                *facts = Arc::new(new);
                let _ = ctx.inputs.send(Input::Facts(facts.clone())).await;
            }
        }
        keep::store(&ctx.shared, &self.scope, self.known.values()).await;
        self.tell(ctx, &names, sizes_failed, troubles).await;
    }

    fn is_due(&self, ctx: &Context, bucket: &Bucket) -> bool {
        let known = self.known.get(&bucket.name);
        // What failed is tried again with the next list.
        self.failing.get(&bucket.name).is_some_and(|failed| *failed > 0)
            || known.is_none_or(|k| k.bucket.scope != bucket.scope)
            || is_due(known.map(|k| k.taken_at), ctx.settings().facts_every, ctx.shared.now())
    }

    /// Notes buckets whose region is not known: they cannot be asked anything.
    async fn nowhere(&mut self, ctx: &Context, buckets: Vec<Bucket>) {
        for bucket in buckets {
            let message = format!("bucket {}: its region is not known", bucket.name);
            let fix = "allow s3:GetBucketLocation; `burntop iam-policy` prints the policy";
            let why = SourceError::new(ErrorKind::Denied, "s3:GetBucketLocation", &message, fix);
            let facts = keep::unknown(bucket, &why, ctx.shared.now());
            let _ = ctx.inputs.send(Input::Facts(Arc::new(facts))).await;
        }
    }

    /// Looks at buckets, some at a time. What failed.
    async fn look(&mut self, ctx: &Context, due: Vec<Bucket>) -> Vec<Arc<SourceError>> {
        let mut troubles = Vec::new();
        let looks: Vec<Pending<'_, (BucketConfig, Bucket)>> =
            due.into_iter().map(|bucket| look_at(ctx, bucket).boxed()).collect();
        let mut looks = stream::iter(looks).buffer_unordered(AT_ONCE);
        while let Some((config, bucket)) = looks.next().await {
            let old = self.known.get(&bucket.name);
            let name = bucket.name.clone();
            if let Ok(Some(filter)) = &config.request_metrics {
                self.whole.insert(name.clone(), filter.clone());
            }
            let before = troubles.len();
            let facts = merged(old, bucket, config, ctx.shared.now(), &mut troubles);
            self.failing.insert(name.clone(), troubles.len() - before);
            let facts = Arc::new(facts);
            self.known.insert(name, facts.clone());
            let _ = ctx.inputs.send(Input::Facts(facts)).await;
        }
        troubles
    }

    /// How the region is doing: failed when nothing was answered, else the share of the facts that
    /// were, and a line for each kind of failure.
    async fn tell(
        &mut self,
        ctx: &Context,
        names: &HashSet<Arc<str>>,
        sizes_failed: bool,
        troubles: Vec<Arc<SourceError>>,
    ) {
        let failed: usize = self.failing.values().sum::<usize>() + usize::from(sizes_failed);
        let asked = names.len() * FACTS + 1;
        let outcome = match troubles.first() {
            Some(first) if failed >= asked => Outcome::Bad(first.clone()),
            _ => Outcome::Good { coverage: 1.0 - failed as f32 / asked as f32 },
        };
        ctx.report(SourceId::S3, self.scope.clone(), outcome).await;
        let now: BTreeSet<(String, &'static str)> =
            troubles.iter().map(|e| (e.operation.clone(), e.kind.word())).collect();
        for trouble in troubles {
            if self.told.insert((trouble.operation.clone(), trouble.kind.word())) {
                ctx.trouble(SourceId::S3, &self.scope, trouble).await;
            }
        }
        if self.failing.values().all(|failed| *failed == 0) {
            self.told = now;
        }
    }
}

/// One look, charged, and over after a minute whatever its own time-outs say.
async fn look_at(ctx: &Context, bucket: Bucket) -> (BucketConfig, Bucket) {
    if let Err(refused) = ctx.shared.charge(BilledApi::S3Get, REQUESTS).await {
        return (nothing(&Arc::new(refused)), bucket);
    }
    let look = tokio::time::timeout(CALL_LIMIT, ctx.source.config(&bucket)).await;
    let look = look.unwrap_or_else(|_| {
        let message = format!("bucket {}: no answer within a minute", bucket.name);
        let fix = "check the network path to the endpoint; burntop goes on trying";
        nothing(&Arc::new(SourceError::new(ErrorKind::Timeout, "s3:GetBucket*", &message, fix)))
    });
    (look, bucket)
}

fn nothing(why: &Arc<SourceError>) -> BucketConfig {
    BucketConfig {
        tags: Err(why.clone()),
        versioning: Err(why.clone()),
        lifecycle: Err(why.clone()),
        lock: Err(why.clone()),
        replicates: Err(why.clone()),
        inventories: Err(why.clone()),
        request_metrics: Err(why.clone()),
        gone: false,
    }
}

/// The new look, with the last good value where it failed. Of a bucket that is gone nothing old is
/// kept: the next list does without it.
fn merged(
    old: Option<&Arc<BucketFacts>>,
    bucket: Bucket,
    look: BucketConfig,
    now: Timestamp,
    troubles: &mut Vec<Arc<SourceError>>,
) -> BucketFacts {
    let before = troubles.len();
    let old = old.filter(|_| !look.gone);
    let mut out = match old {
        Some(old) => BucketFacts { bucket, ..(**old).clone() },
        None => {
            // Sizes come from elsewhere, and have not come yet.
            let mut out = keep::not_read(bucket, now);
            out.tags.clone_from(&look.tags);
            out
        }
    };
    let fresh = old.is_none();
    take(&mut out.tags, look.tags, fresh, troubles);
    take(&mut out.versioning, look.versioning, fresh, troubles);
    take(&mut out.lifecycle, look.lifecycle, fresh, troubles);
    take(&mut out.lock, look.lock, fresh, troubles);
    take(&mut out.replicates, look.replicates, fresh, troubles);
    take(&mut out.inventories, look.inventories, fresh, troubles);
    // The age of a bucket of which nothing was answered is that of its last answer.
    if fresh || troubles.len() - before < FACTS {
        out.taken_at = now;
    }
    out
}

fn take<T>(slot: &mut Fact<T>, new: Fact<T>, fresh: bool, troubles: &mut Vec<Arc<SourceError>>) {
    if let Err(error) = &new {
        troubles.push(error.clone());
        // The last good value stays; the reading says that it is old.
        if !fresh && slot.is_ok() {
            return;
        }
    }
    *slot = new;
}
