//! Who launched an instance: one look into the audit trail per launch, when somebody looks at the instance or a report asks;
//! what was found, and that nothing was, is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::{oneshot, watch};

use super::facts::kind;
use super::guarded;
use super::scope::Context;
use super::world::Update;
use crate::domain::{
    ErrorKind, Instance, LaunchLook, LaunchOf, Scope, SourceError, SourceId, TRAIL_KEEPS,
};
use crate::fleet::{Fleet, Row};

/// Name of the call, as IAM has it.
const CALL: &str = "cloudtrail:LookupEvents";

/// Looks that are kept of a scope at most; beyond it those of instances that are gone are dropped.
const KEPT_AT_MOST: usize = 2_000;

/// Answers by instance id.
pub(super) type Looks = BTreeMap<Arc<str>, Arc<LaunchOf>>;

/// What the cache keeps of a scope.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct KeptLooks(Vec<(Arc<str>, LaunchOf)>);

impl KeptLooks {
    /// The looks by instance id.
    pub fn into_looks(self) -> Looks {
        self.0.into_iter().map(|(id, of)| (id, Arc::new(of))).collect()
    }
}

/// Instances that somebody looks at, and how many times somebody began to.
pub(super) struct Wanted(watch::Sender<BTreeMap<Arc<str>, u64>>);

impl Default for Wanted {
    fn default() -> Self {
        Self(watch::channel(BTreeMap::new()).0)
    }
}

impl Wanted {
    /// Somebody looks at an instance; again after a failure asks again.
    pub fn add(&self, instance: Arc<str>) {
        self.0.send_modify(|all| *all.entry(instance).or_default() += 1);
    }
}

/// Answers what is wanted of a scope until the bus stops.
pub(super) async fn run(ctx: Context) {
    let mut wanted = ctx.shared.wanted.0.subscribe();
    let mut asker: Option<Asker> = None;
    // What failed is asked again when somebody looks at that instance again, and not with each other one.
    let mut tried: BTreeMap<Arc<str>, u64> = BTreeMap::new();
    loop {
        tokio::select! {
            () = ctx.shared.stop.cancelled() => return,
            changed = wanted.changed() => if changed.is_err() { return },
        }
        let times = wanted.borrow_and_update().clone();
        let fleet = ctx.shared.live.fleet();
        let is_new = |row: &Row| {
            let id = &row.instance.id;
            times.get(id).is_some_and(|times| tried.get(id) != Some(times))
        };
        let here = rows(&fleet, &ctx.scope, is_new);
        if here.is_empty() {
            continue;
        }
        if asker.is_none() {
            asker = Some(Asker::from_cache(&ctx).await);
        }
        if let Some(asker) = &mut asker {
            asker.answer(&ctx, &here).await;
        }
        tried.extend(here.iter().filter_map(|of| Some((of.id.clone(), *times.get(&of.id)?))));
    }
}

/// Answers of as many idle instances of a scope as the settings want, those that waste most first.
pub(super) async fn once(ctx: &Context) {
    let at_most = ctx.shared.settings.ask_of;
    if at_most == 0 {
        return;
    }
    // The verdicts of this round are on their way.
    let (seen, shown) = oneshot::channel();
    if ctx.updates.send(Update::Seen(seen)).await.is_err() || shown.await.is_err() {
        return;
    }
    let fleet = ctx.shared.live.fleet();
    let mut here = rows(&fleet, &ctx.scope, |_| true);
    here.truncate(at_most);
    Asker::from_cache(ctx).await.answer(ctx, &here).await;
}

/// Instances of a scope that are worth asking about and whose tags name nobody.
fn rows(fleet: &Fleet, scope: &Scope, is_wanted: impl Fn(&Row) -> bool) -> Vec<Arc<Instance>> {
    let here = fleet.rows.iter().filter(|row| row.instance.scope == *scope && is_wanted(row));
    let here = here.filter(|row| row.is_worth_asking() && !row.names_owner());
    here.map(|row| row.instance.clone()).collect()
}

/// The trail of one scope.
struct Asker {
    known: Looks,
    /// Set once the trail was refused: it is not asked again in this run.
    denied: Option<LaunchLook>,
}

impl Asker {
    async fn from_cache(ctx: &Context) -> Self {
        let stored =
            ctx.shared.cache.get::<KeptLooks>(kind::LAUNCHES, &ctx.scope, ctx.shared.now()).await;
        let known = stored.map(|s| s.value.into_looks()).unwrap_or_default();
        Self { known, denied: None }
    }

    /// Looks up those instances whose launch is not known yet, one after the other.
    async fn answer(&mut self, ctx: &Context, instances: &[Arc<Instance>]) {
        let mut found = false;
        for instance in instances {
            if ctx.shared.stop.is_cancelled() {
                break;
            }
            let launched_at = instance.launched_at;
            if self.known.get(&instance.id).is_some_and(|of| of.launched_at == launched_at) {
                continue;
            }
            let (look, is_kept) = self.look(ctx, instance).await;
            let of = Arc::new(LaunchOf { launched_at, look });
            let update = Update::Launches(vec![(instance.id.clone(), of.clone())]);
            let _ = ctx.updates.send(update).await;
            if is_kept {
                self.known.insert(instance.id.clone(), of);
                found = true;
            }
        }
        if found {
            self.keep(ctx).await;
        }
    }

    /// What the trail says of an instance, and whether that is final.
    async fn look(&mut self, ctx: &Context, instance: &Instance) -> (LaunchLook, bool) {
        let now = ctx.shared.now();
        if is_too_old(instance.launched_at, now) {
            return (LaunchLook::TooOld, true);
        }
        if let Some(denied) = &self.denied {
            return (denied.clone(), false);
        }
        let region = &ctx.scope.region;
        let call = ctx.provider.launch(region, &instance.id, instance.launched_at);
        match guarded(CALL, call).await {
            Ok(Some(launch)) => (LaunchLook::Found(launch), true),
            // Events reach the history some minutes after they happened.
            Ok(None) => (LaunchLook::NotFound, has_arrived(instance.launched_at, now)),
            Err(error) => {
                let look = unread(&error);
                if error.kind == ErrorKind::Denied {
                    self.denied = Some(look.clone());
                    let (source, scope) = (SourceId::Ec2, ctx.scope.clone());
                    let error = Some(Arc::new(error));
                    let _ = ctx.updates.send(Update::Trouble { source, scope, error }).await;
                }
                (look, false)
            }
        }
    }

    async fn keep(&mut self, ctx: &Context) {
        if self.known.len() > KEPT_AT_MOST {
            let fleet = ctx.shared.live.fleet();
            let here: BTreeSet<&str> = fleet.rows.iter().map(|row| &*row.instance.id).collect();
            self.known.retain(|id, _| here.contains(&**id));
        }
        let kept = self.known.iter().map(|(id, of)| (id.clone(), (**of).clone())).collect();
        let now = ctx.shared.now();
        ctx.shared.cache.put(kind::LAUNCHES, &ctx.scope, now, &KeptLooks(kept)).await;
    }
}

/// True for a launch that the trail does not reach back to.
fn is_too_old(launched_at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(launched_at) > TRAIL_KEEPS
}

/// True for a launch so long ago that its event has arrived: `CloudTrail` delivers within about five minutes on average, and
/// an hour is beyond all doubt.
fn has_arrived(launched_at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(launched_at) > jiff::SignedDuration::from_hours(1)
}

fn unread(error: &SourceError) -> LaunchLook {
    LaunchLook::Unread { why: error.to_string().into(), fix: error.advice().into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trail_goes_back_ninety_days() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = at("2026-11-28T12:00:00Z");
        // 90 days before are August 30.
        assert!(!is_too_old(at("2026-08-30T12:00:00Z"), now));
        assert!(is_too_old(at("2026-08-30T11:59:59Z"), now));
        assert!(has_arrived(at("2026-11-28T10:59:00Z"), now));
        assert!(!has_arrived(at("2026-11-28T11:30:00Z"), now));
    }
}
