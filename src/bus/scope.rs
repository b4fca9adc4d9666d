//! One account × region, on its own: inventory, types, prices, metrics, verdicts, and again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::account::report;
use super::facts::kind;
use super::world::{Outcome, Update};
use super::{Shared, guarded, metrics, pause, pricing, types, wait};
use crate::domain::{Instance, Scope, SourceError, SourceId, TypeSpec};
use crate::source::Provider;

/// What the tasks of a scope work with.
#[derive(Clone)]
pub(super) struct Context {
    pub shared: Arc<Shared>,
    pub provider: Arc<dyn Provider>,
    pub scope: Scope,
    pub updates: mpsc::Sender<Update>,
    pub only_once: bool,
    /// Types that the instances of this scope use.
    pub types: HashMap<Arc<str>, Arc<TypeSpec>>,
}

/// Runs until stopped; with `only_once` one round.
pub(super) async fn run(mut ctx: Context) {
    let mut prices = pricing::Prices::from_cache(&ctx).await;
    let mut rounds = metrics::Rounds::from_cache(&ctx).await;
    let mut refreshes = *ctx.shared.refresh.borrow();
    let mut attempt = 0;
    loop {
        report(&ctx.updates, SourceId::Ec2, ctx.scope.clone(), Outcome::Loading).await;
        let again = match inventory(&ctx).await {
            Ok(instances) => {
                attempt = 0;
                keep(&ctx, &instances).await;
                report(
                    &ctx.updates,
                    SourceId::Ec2,
                    ctx.scope.clone(),
                    Outcome::Good { coverage: 1.0 },
                )
                .await;
                types::ensure(&mut ctx, &instances).await;
                // A user's refresh reaches the metrics as well, whatever their own rhythm.
                let now_at = *ctx.shared.refresh.borrow();
                let forced = std::mem::replace(&mut refreshes, now_at) != now_at;
                tokio::join!(
                    prices.refresh(&ctx, &instances),
                    rounds.run(&ctx, &instances, forced)
                );
                if ctx.only_once {
                    return;
                }
                let every = u64::from(ctx.shared.settings.inventory_every_s) * 1000;
                let jitter = fastrand::u64(..=every / 10);
                // Who asked for a refresh during the round has not been served by it.
                *ctx.shared.refresh.borrow() != refreshes
                    || wait(&ctx.shared, Duration::from_millis(every + jitter)).await
            }
            Err(error) => {
                let outcome = Outcome::Bad(Arc::new(error));
                report(&ctx.updates, SourceId::Ec2, ctx.scope.clone(), outcome).await;
                if ctx.only_once {
                    return;
                }
                pause(&ctx.shared, &mut attempt).await
            }
        };
        if !again {
            return;
        }
    }
}

/// All pages of the inventory, or nothing: half an inventory would read as instances gone.
async fn inventory(ctx: &Context) -> Result<Vec<Arc<Instance>>, SourceError> {
    let mut all = Vec::new();
    let mut token = None;
    loop {
        let call = ctx.provider.instances(&ctx.scope.account, &ctx.scope.region, token);
        let page = guarded("ec2:DescribeInstances", call).await?;
        all.extend(page.items.into_iter().map(Arc::new));
        token = page.next;
        if token.is_none() {
            return Ok(all);
        }
    }
}

/// Publishes the inventory and remembers it for the next start.
async fn keep(ctx: &Context, instances: &[Arc<Instance>]) {
    let items = instances.to_vec();
    let update = Update::Instances { scope: ctx.scope.clone(), items };
    let _ = ctx.updates.send(update).await;
    let now = ctx.shared.now();
    ctx.shared.cache.put(kind::INSTANCES, &ctx.scope, now, &instances).await;
}
