//! Rows of volumes and snapshots.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{PictureInput, ranked, savings};
use crate::analyze::idle::Exemption;
use crate::analyze::storage::ebs;
use crate::domain::storage::{EbsFacts, Snapshot, Volume};
use crate::domain::{InstanceState, Kept, Tags};
use crate::fleet::storage::{Holder, SnapshotRow, VolumeRow, VolumeUse};

/// Rows of all scopes.
pub(super) fn rows(input: &PictureInput<'_>) -> (Vec<Arc<VolumeRow>>, Vec<Arc<SnapshotRow>>) {
    let instances = input.instances.iter().map(|i| (&*i.id, &**i)).collect();
    let all = || input.facts.ebs.iter();
    let before = input.before;
    let old = before.iter().flat_map(|old| &old.volumes).map(|row| (&*row.volume.id, row));
    let old_volumes = Kept::of(old);
    let old = before.iter().flat_map(|old| &old.snapshots).map(|row| (&*row.snapshot.id, row));
    let old_snapshots = Kept::of(old);
    let mut volumes = Vec::with_capacity(all().flat_map(|ebs| &ebs.volumes).map(Vec::len).sum());
    let mut snapshots =
        Vec::with_capacity(all().flat_map(|ebs| &ebs.snapshots).map(Vec::len).sum());
    for ebs in all() {
        for volume in ebs.volumes.iter().flatten() {
            let row = volume_row(input, ebs, volume, &instances);
            volumes.push(old_volumes.or_new(&volume.id, row));
        }
        let here: Option<BTreeSet<&str>> =
            ebs.volumes.as_ref().ok().map(|v| v.iter().map(|v| &*v.id).collect());
        for snapshot in ebs.snapshots.iter().flatten() {
            let row = snapshot_row(input, ebs, snapshot, here.as_ref());
            snapshots.push(old_snapshots.or_new(&snapshot.id, row));
        }
    }
    (volumes, snapshots)
}

type Instances<'a> = BTreeMap<&'a str, &'a crate::domain::Instance>;

fn volume_row(
    input: &PictureInput<'_>,
    facts: &EbsFacts,
    volume: &Arc<Volume>,
    instances: &Instances<'_>,
) -> VolumeRow {
    let holders: Vec<Holder> =
        volume.attachments.iter().map(|a| holder(&a.instance, facts, instances)).collect();
    let prices = input.facts.ebs_prices.get(&volume.scope.region).map(|p| &**p);
    let stopped: Vec<ebs::Holder<'_>> = holders
        .iter()
        .filter(|h| h.state == Some(InstanceState::Stopped))
        .map(|h| ebs::Holder {
            id: &h.id,
            name: &h.name,
            since: h.stopped_at,
            is_exempt: instances
                .get(&*h.id)
                .is_some_and(|i| Exemption::of(&i.tags, input.now).holds()),
        })
        .collect();
    let case = ebs::VolumeCase { volume, stopped: &stopped, prices, now: input.now };
    let findings = ranked(ebs::of_volume(case));
    let usd_per_month = prices.and_then(|p| ebs::volume_usd(volume, p));
    let [team, project, environment] = tags(&volume.tags, input);
    VolumeRow {
        used: used(volume, &holders, facts.stopped.is_ok()),
        savings: savings::of_block(&findings, usd_per_month),
        findings,
        usd_per_month,
        billed_usd: input.billed.and_then(|billed| billed.usd(&volume.id)),
        holders,
        team,
        project,
        environment,
        volume: volume.clone(),
    }
}

/// Instance that a volume is attached to, from the list of stopped ones or else the inventory.
fn holder(id: &Arc<str>, ebs: &EbsFacts, instances: &Instances<'_>) -> Holder {
    let stopped = ebs.stopped.as_ref().ok().and_then(|all| all.iter().find(|s| s.id == *id));
    let known = instances.get(&**id);
    let name = stopped.map(|s| s.name.clone()).or_else(|| known.map(|i| i.name.clone()));
    let state = match stopped {
        Some(_) => Some(InstanceState::Stopped),
        // One that the inventory remembers as stopped and the newer list does not: it was started.
        None if ebs.stopped.is_ok() => {
            known.map(|i| i.state).filter(|s| *s != InstanceState::Stopped)
        }
        None => known.map(|i| i.state),
    };
    Holder {
        id: id.clone(),
        name: name.unwrap_or_default(),
        state,
        stopped_at: stopped.and_then(|s| s.since),
    }
}

/// An instance that is not on a complete list of the stopped ones is not stopped, known or not.
fn used(volume: &Volume, holders: &[Holder], stopped_known: bool) -> VolumeUse {
    if holders.is_empty() {
        // A volume that is being made or deleted is neither used nor unused.
        let free = &*volume.state == "available";
        return if free { VolumeUse::Unattached } else { VolumeUse::Unknown };
    }
    let is_stopped = |h: &Holder| h.state == Some(InstanceState::Stopped);
    if holders.iter().all(is_stopped) {
        VolumeUse::Stopped
    } else if holders.iter().any(|h| (stopped_known || h.state.is_some()) && !is_stopped(h)) {
        VolumeUse::InUse
    } else {
        VolumeUse::Unknown
    }
}

fn snapshot_row(
    input: &PictureInput<'_>,
    facts: &EbsFacts,
    snapshot: &Arc<Snapshot>,
    volumes: Option<&BTreeSet<&str>>,
) -> SnapshotRow {
    let prices = input.facts.ebs_prices.get(&snapshot.scope.region).map(|p| &**p);
    let volume_exists = volumes.map(|v| v.contains(&*snapshot.volume));
    let images_known = facts.images.is_ok();
    let now = input.now;
    let case = ebs::SnapshotCase { snapshot, volume_exists, images_known, prices, now };
    let findings = ranked(ebs::of_snapshot(case));
    let usd_per_month_at_most = prices.and_then(|p| ebs::snapshot_at_most_usd(snapshot, p));
    let [team, project, environment] = tags(&snapshot.tags, input);
    SnapshotRow {
        volume_exists,
        savings: savings::of_block(&findings, usd_per_month_at_most),
        findings,
        usd_per_month_at_most,
        billed_usd: input.billed.and_then(|billed| billed.usd(&snapshot.id)),
        team,
        project,
        environment,
        snapshot: snapshot.clone(),
    }
}

fn tags(tags: &Tags, input: &PictureInput<'_>) -> [Option<Arc<str>>; 3] {
    let keys = input.tag_keys;
    [&keys.team, &keys.project, &keys.environment].map(|keys| tags.find(keys).cloned())
}
