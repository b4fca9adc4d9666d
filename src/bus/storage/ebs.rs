//! The volumes and snapshots of one account × region.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::guarded;
use super::super::poll::Poll;
use super::super::readings::Outcome;
use super::super::wake::Wake;
use super::board::Input;
use super::keep::kind;
use super::{Context, pricing};
use crate::domain::storage::EbsFacts;
use crate::domain::storage::bucket::Fact;
use crate::domain::{Scope, SourceError, SourceId, arcs};
use crate::source::Image;
use crate::source::pages::{Page, Pages};

/// Lists that a look takes.
const LISTS: usize = 4;

/// Runs until stopped; with `only_once` one round.
pub(super) async fn run(ctx: Context, scope: Scope) {
    if !ctx.wanted(ctx.settings().ebs).await {
        return;
    }
    // The board has what the cache holds: a second copy of all volumes is read where a list fails.
    let read_at = ctx.shared.cache.taken_at(kind::EBS, &scope, ctx.shared.now()).await;
    let mut poll = Poll::new((), read_at, ctx.settings().ebs_every);
    let mut wake = Wake::new(&ctx.shared);
    loop {
        let forced = wake.begin().refresh;
        if forced || ctx.only_once || poll.is_due(ctx.shared.now()) {
            ctx.report(SourceId::Ebs, scope.clone(), Outcome::Loading).await;
            let look = look(&ctx, &scope);
            let ((facts, outcome), ()) = tokio::join!(look, pricing::ebs(&ctx, &scope));
            ctx.shared.cache.put(kind::EBS, &scope, facts.taken_at, &facts).await;
            poll.good(facts.taken_at, ());
            let _ = ctx.inputs.send(Input::Ebs(Box::new(facts))).await;
            ctx.report(SourceId::Ebs, scope.clone(), outcome).await;
        }
        if ctx.only_once || !ctx.wait(&mut wake, poll.wait()).await {
            return;
        }
    }
}

/// Reads everything once; what fails keeps its last good value.
async fn look(ctx: &Context, scope: &Scope) -> (EbsFacts, Outcome) {
    let (source, region) = (&ctx.source, &scope.region);
    let (volumes, stopped, snapshots, images) = tokio::join!(
        all("ec2:DescribeVolumes", region, |t| source.volumes(scope, t)),
        all("ec2:DescribeInstances", region, |t| source.stopped(region, t)),
        all("ec2:DescribeSnapshots", region, |t| source.snapshots(scope, t)),
        all("ec2:DescribeImages", region, |t| source.images(region, t)),
    );
    let mut snapshots = snapshots;
    if let (Ok(snapshots), Ok(images)) = (&mut snapshots, &images) {
        let users = users(images);
        for snapshot in snapshots {
            snapshot.images = users.get(&snapshot.id).cloned().unwrap_or_default();
        }
    }
    let images = images.map(|i| u32::try_from(i.len()).unwrap_or(u32::MAX));
    let errors = [
        volumes.as_ref().err().cloned(),
        stopped.as_ref().err().cloned(),
        snapshots.as_ref().err().cloned(),
        images.as_ref().err().cloned(),
    ];
    let failed: Vec<Arc<SourceError>> = errors.iter().flatten().cloned().collect();
    let outcome = match (&volumes, &snapshots) {
        (Err(error), Err(_)) => Outcome::Bad(error.clone()),
        _ => Outcome::Good { coverage: 1.0 - failed.len() as f32 / LISTS as f32 },
    };
    if matches!(outcome, Outcome::Good { .. }) {
        for error in &failed {
            ctx.trouble(SourceId::Ebs, scope, error.clone()).await;
        }
    }
    let old = if volumes.is_err() || stopped.is_err() || snapshots.is_err() {
        ctx.shared.cache.get::<EbsFacts>(kind::EBS, scope, ctx.shared.now()).await.map(|s| s.value)
    } else {
        None
    };
    let taken_at = match (&old, failed.len()) {
        (Some(old), LISTS) => old.taken_at,
        _ => ctx.shared.now(),
    };
    let (old_volumes, old_stopped, old_snapshots) = match old {
        Some(old) => (old.volumes.ok(), old.stopped.ok(), old.snapshots.ok()),
        None => (None, None, None),
    };
    let facts = EbsFacts {
        scope: scope.clone(),
        volumes: kept(volumes.map(arcs), old_volumes),
        stopped: kept(stopped, old_stopped),
        snapshots: kept(snapshots.map(arcs), old_snapshots),
        // Never the old one: which images there are decides what may be called an orphan.
        images,
        taken_at,
    };
    (facts, outcome)
}

/// The last good value in place of a failure.
fn kept<T>(new: Fact<T>, old: Option<T>) -> Fact<T> {
    new.or_else(|error| old.ok_or(error))
}

/// Images by the snapshots that they are made of.
fn users(images: &[Image]) -> HashMap<Arc<str>, Vec<Arc<str>>> {
    let mut out: HashMap<Arc<str>, Vec<Arc<str>>> = HashMap::new();
    for image in images {
        for snapshot in &image.snapshots {
            out.entry(snapshot.clone()).or_default().push(image.id.clone());
        }
    }
    out
}

/// All pages, or the first failure: half a list would read as volumes gone.
async fn all<T, F>(
    call: &'static str,
    region: &str,
    mut page: impl FnMut(Option<String>) -> F,
) -> Fact<Vec<T>>
where
    F: Future<Output = Result<Page<T>, SourceError>>,
{
    let all = Pages::of(call, region).all(|token| guarded(call, page(token))).await;
    all.map_err(Arc::new)
}
