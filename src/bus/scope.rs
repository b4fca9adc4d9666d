//! One account × region, on its own: inventory, types, prices, metrics, verdicts, and again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::account::report;
use super::inventory::Inventory;
use super::readings::Outcome;
use super::wake::Wake;
use super::world::Update;
use super::{Beside, Shared, ask, metrics, pricing, types};
use crate::domain::{Scope, SourceId, TypeSpec};
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
    /// Held until the first reading of the inventory has ended; `None` after it.
    pub unread: Option<mpsc::Sender<()>>,
}

/// Runs until stopped; with `only_once` one round.
pub(super) async fn run(mut ctx: Context) {
    let remembered = ctx.shared.recall(&ctx.scope);
    let mut inventory = Inventory::new(remembered.instances);
    let mut rounds = metrics::Rounds::from_cache(&ctx, remembered.verdicts).await;
    let mut prices = pricing::Prices::from_cache(&ctx).await;
    let mut wake = Wake::new(&ctx.shared);
    loop {
        report(&ctx.updates, SourceId::Ec2, ctx.scope.clone(), Outcome::Loading).await;
        wake.begin();
        let read = inventory.read(&ctx).await;
        if let Ok(instances) = &read {
            ctx.shared.savings.see(&ctx.scope, instances);
        }
        ctx.unread = None;
        let again = match read {
            Ok(instances) => {
                wake.worked();
                report(
                    &ctx.updates,
                    SourceId::Ec2,
                    ctx.scope.clone(),
                    Outcome::Good { coverage: 1.0 },
                )
                .await;
                if ctx.shared.storage.settings.beside == Beside::Inventory {
                    return;
                }
                types::ensure(&mut ctx, instances).await;
                // What the user has agreed to pay for reaches the metrics, whatever their rhythm.
                wake.refreshes.take_new();
                let forced = wake.forces.take_new();
                tokio::join!(prices.refresh(&ctx, instances), rounds.run(&ctx, instances, forced));
                if ctx.only_once {
                    ask::once(&ctx).await;
                    return;
                }
                let every = Duration::from_secs(ctx.shared.settings.inventory_every_s.into());
                wake.wait_or_look(until_beat(ctx.shared.started.elapsed(), every)).await
            }
            Err(error) => {
                let outcome = Outcome::Bad(Arc::new(error));
                report(&ctx.updates, SourceId::Ec2, ctx.scope.clone(), outcome).await;
                if ctx.only_once {
                    return;
                }
                wake.pause().await
            }
        };
        if !again {
            return;
        }
    }
}

/// Time until the next common beat, when `elapsed` of the run has passed: between a half and one
/// and a half of `every`. All scopes read on the same beat, so that the machine wakes once and
/// one picture takes all of them in; EC2 limits each region of an account by itself. Processes
/// keep apart by when they were started.
pub(super) fn until_beat(elapsed: Duration, every: Duration) -> Duration {
    let every = every.max(Duration::from_secs(1));
    let beats = (elapsed + every / 2).as_millis() / every.as_millis() + 1;
    (every * u32::try_from(beats).unwrap_or(u32::MAX)).saturating_sub(elapsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_that_finish_at_different_times_meet_on_the_next_beat() {
        let s = Duration::from_secs;
        let next = |elapsed| elapsed + until_beat(elapsed, s(60));
        assert_eq!(next(s(0)), s(60));
        assert_eq!(next(s(2)), s(60));
        assert_eq!(next(s(29)), s(60));
        assert_eq!(next(s(31)), s(120), "too close to the beat to read again");
        assert_eq!(next(s(3_601)), s(3_660));
        assert!(until_beat(s(5), Duration::ZERO) > Duration::ZERO);
    }
}
