//! Judging again from the cache, without asking anybody: after a change of policy, and at a start
//! under another policy than the last.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use tokio::sync::{mpsc, watch};

use super::live::Evidence;
use super::metrics::{CHUNK, judged, on_worker};
use super::starts::Starts;
use super::types::known;
use super::work::Work;
use super::world::Update;
use super::{Regions, Shared, facts};
use crate::analyze::idle::{Policy, next_signals};
use crate::domain::{HourRange, Instance, SourceId, TypeSpec, Verdict};

/// What the cached evidence says under a policy.
#[derive(Default)]
pub(super) struct Rejudged {
    /// By instance id.
    pub verdicts: Vec<(Arc<str>, Arc<Verdict>)>,
    /// Metrics that the policy would want fetched before it decides.
    pub wanted: u64,
}

/// Judges everything again from the cache whenever the policy changes, and once at the start
/// when the cached verdicts are another policy's. `policy` was subscribed to before those were
/// read: who chooses another while the screen comes up is heard.
pub(super) async fn on_policy_change(
    shared: Arc<Shared>,
    mut policy: watch::Receiver<Arc<Policy>>,
    selection: Vec<(String, Regions)>,
    updates: mpsc::Sender<Update>,
    at_once: bool,
    only_once: bool,
) {
    if at_once {
        all(&shared, &selection, &updates).await;
    }
    if only_once {
        return;
    }
    loop {
        tokio::select! {
            () = shared.stop.cancelled() => return,
            changed = policy.changed() => {
                if changed.is_err() {
                    return;
                }
                all(&shared, &selection, &updates).await;
            }
        }
    }
}

async fn all(shared: &Shared, selection: &[(String, Regions)], updates: &mpsc::Sender<Update>) {
    let cached = facts::load(shared, selection).await;
    let types: HashMap<Arc<str>, Arc<TypeSpec>> =
        cached.types.iter().map(|spec| (spec.name.clone(), spec.clone())).collect();
    let policy = shared.policy.borrow().clone();
    let mut missing = 0;
    for (scope, instances) in cached.instances {
        // The evidence ends where the last round ended: judging later hours would only count
        // them as missing.
        let read_at = cached.readings.taken_at(SourceId::CloudWatch, &scope);
        let now = read_at.unwrap_or_else(|| shared.now());
        let starts = Starts::from_cache(shared, facts::kind::STARTS, &scope).await;
        let Rejudged { verdicts, wanted } =
            from_cache(shared, &policy, &instances, &types, now, &starts).await;
        missing += wanted;
        let _ = updates.send(Update::Verdicts { policy: policy.clone(), verdicts }).await;
    }
    let _ = updates.send(Update::Missing { metrics: missing }).await;
}

/// Judges the running ones of `instances` as of `now`.
pub(super) async fn from_cache(
    shared: &Shared,
    policy: &Arc<Policy>,
    instances: &[Arc<Instance>],
    types: &HashMap<Arc<str>, Arc<TypeSpec>>,
    now: Timestamp,
    starts: &Starts,
) -> Rejudged {
    let range = HourRange::last_closed(now, policy.window_hours());
    let running: Vec<_> = instances.iter().filter(|i| i.state.is_billed()).cloned().collect();
    let mut out = Rejudged::default();
    let evidence = Evidence::gather(shared, instances, types).await;
    let seen = starts.of(&facts::policy_key(policy));
    for chunk in running.chunks(CHUNK) {
        let ids: Vec<Arc<str>> = chunk.iter().map(|i| i.id.clone()).collect();
        let mut stored = shared.cache.load_series(ids.clone(), range).await;
        let fetched = shared.cache.fetched(ids).await;
        let works: Vec<Work> = chunk
            .iter()
            .map(|instance| {
                let series = stored.remove(&instance.id).unwrap_or_default();
                let spec = known(types, &instance.instance_type).cloned();
                let told = evidence.series(instance, range);
                let mut work = Work::new(instance.clone(), spec, &series, &fetched, range, told);
                work.before = seen.and_then(|of| of.get(&instance.id)).cloned();
                work
            })
            .collect();
        let policy = policy.clone();
        let judged = on_worker(move || {
            let judge = |work: Work| {
                let wanted = work.billed(&next_signals(&work.subject(now), &policy));
                let work = work.accept_partial();
                let verdict = Arc::new(judged(&work.subject(now), &policy));
                (wanted, (work.instance.id.clone(), verdict))
            };
            works.into_iter().map(judge).collect::<Vec<_>>()
        });
        for (wanted, verdict) in judged.await.unwrap_or_default() {
            out.wanted += wanted;
            out.verdicts.push(verdict);
        }
    }
    out
}
