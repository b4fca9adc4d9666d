//! The instances of one scope: what is new is told and kept, what stayed the same costs nothing.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::facts::{Instances, kind};
use super::guarded;
use super::scope::Context;
use super::world::Update;
use crate::domain::{FleetHour, Hour, Instance, Scope, SourceError};
use crate::source::pages::Pages;

/// An unchanged inventory is dated anew in the cache this often; its age after a restart is off by
/// no more. A little under a minute, so that a rhythm of one minute is not missed by a moment.
const DATED_EVERY: SignedDuration = SignedDuration::from_secs(50);

/// Instances counted as running in one inventory, for demands made of the past.
fn look(scope: &Scope, instances: &[Arc<Instance>], now: Timestamp) -> FleetHour {
    let running = instances.iter().filter(|i| i.state.is_billed());
    let seen = running.map(|instance| (instance.instance_type.clone(), 1)).collect();
    FleetHour { hour: Hour::containing(now), scope: scope.clone(), looks: 1, seen }
}

/// What a scope read last.
pub(super) struct Inventory {
    /// Sorted by id. `None` before anything was read or remembered.
    known: Option<Vec<Arc<Instance>>>,
    /// The date of what the cache holds.
    kept_at: Option<Timestamp>,
}

impl Inventory {
    /// Goes on from what the last run left.
    pub fn new(remembered: Option<Instances>) -> Self {
        match remembered {
            Some((instances, kept_at)) => Self { known: Some(instances), kept_at },
            None => Self { known: None, kept_at: None },
        }
    }

    /// Reads all pages, or fails and stays as it was: half an inventory would read as instances
    /// gone. What changed is published and remembered for the next start.
    pub async fn read(&mut self, ctx: &Context) -> Result<&[Arc<Instance>], SourceError> {
        let read = self.pages(ctx).await?;
        let now = ctx.shared.now();
        let same = |old: &Vec<Arc<Instance>>| {
            old.len() == read.len() && old.iter().zip(&read).all(|(a, b)| Arc::ptr_eq(a, b))
        };
        let changed = !self.known.as_ref().is_some_and(same);
        if changed {
            let update = Update::Instances { scope: ctx.scope.clone(), items: read.clone() };
            let _ = ctx.updates.send(update).await;
        }
        ctx.shared.cache.add_fleet_hours(vec![look(&ctx.scope, &read, now)]).await;
        let known = self.known.insert(read);
        let dated = self.kept_at.filter(|_| !changed);
        let kept = match dated {
            Some(at) if now.duration_since(at) < DATED_EVERY => return Ok(known),
            Some(at) => ctx.shared.cache.touch(kind::INSTANCES, &ctx.scope, at, now).await,
            None => false,
        };
        if !kept {
            ctx.shared.cache.put(kind::INSTANCES, &ctx.scope, now, &*known).await;
        }
        self.kept_at = Some(now);
        Ok(known)
    }

    /// All instances, sorted by id; those that did not change are the ones already held.
    async fn pages(&self, ctx: &Context) -> Result<Vec<Arc<Instance>>, SourceError> {
        let held: HashMap<&Arc<str>, &Arc<Instance>> =
            self.known.iter().flatten().map(|i| (&i.id, i)).collect();
        let mut all: Vec<Arc<Instance>> = Vec::with_capacity(held.len());
        const CALL: &str = "ec2:DescribeInstances";
        let mut pages = Pages::of(CALL, &ctx.scope.region);
        while let Some(token) = pages.ask() {
            let call = ctx.provider.instances(&ctx.scope.account, &ctx.scope.region, token);
            let page = guarded(CALL, call).await?;
            all.extend(pages.take(page)?.into_iter().map(|item| match held.get(&item.id) {
                Some(old) if ***old == item => (*old).clone(),
                _ => Arc::new(item),
            }));
        }
        all.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(all)
    }
}
