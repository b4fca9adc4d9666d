//! What is found wrong with volumes and snapshots.

use jiff::{SignedDuration, Timestamp};

use super::gp3::gp3_offer;
use super::snapshot::{full_gib, snapshot_at_most_usd};
use super::volume::{volume_cost, volume_usd};
use crate::analyze::idle::Exemption;
use crate::domain::STOPPED_HOURS;
use crate::domain::storage::{
    EbsPrices, Effort, FindingKind, FindingReason, GIB, OfSnapshot, OfVolume, Risk, Snapshot,
    SnapshotTier, StorageFinding, Subject, Volume,
};
use crate::domain::text::clean;

/// Age from which a snapshot is called old, days.
pub const OLD_DAYS: i64 = 180;

/// Least saving of a finding about gp2, USD per month.
const LEAST_GP3_USD: f64 = 0.01;

/// Volume id of a copied snapshot.
const COPIED: &str = "vol-ffffffff";

/// An instance that has a volume, when it is stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Holder<'a> {
    /// Instance id.
    pub id: &'a str,
    /// Name; empty without one.
    pub name: &'a str,
    /// Stopped since, where that is known.
    pub since: Option<Timestamp>,
    /// True where the inventory has its tags, and they exempt it.
    pub is_exempt: bool,
}

/// A volume with what its findings are made from.
#[derive(Clone, Copy, Debug)]
pub struct VolumeCase<'a> {
    /// The volume.
    pub volume: &'a Volume,
    /// Those of the instances it is attached to that are stopped. Where nobody knows which are,
    /// empty: what is not known to be stopped counts as running.
    pub stopped: &'a [Holder<'a>],
    /// Prices of its region; `None` when there are none.
    pub prices: Option<&'a EbsPrices>,
    /// The present.
    pub now: Timestamp,
}

/// A snapshot with what its findings are made from.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotCase<'a> {
    /// The snapshot.
    pub snapshot: &'a Snapshot,
    /// True when its volume still exists; `None` when the volumes could not be read.
    pub volume_exists: Option<bool>,
    /// True when the account's images were read, so that an empty list of them means something.
    pub images_known: bool,
    /// Prices of its region; `None` when there are none.
    pub prices: Option<&'a EbsPrices>,
    /// The present.
    pub now: Timestamp,
}

/// All findings about a volume, in no order; none about one that its tag exempts.
pub fn of_volume(case: VolumeCase<'_>) -> Vec<StorageFinding> {
    if Exemption::of(&case.volume.tags, case.now).holds() {
        return Vec::new();
    }
    [unattached(case), of_stopped(case), gp2(case)].into_iter().flatten().collect()
}

/// All findings about a snapshot, in no order; none about one that its tag exempts.
pub fn of_snapshot(case: SnapshotCase<'_>) -> Vec<StorageFinding> {
    if Exemption::of(&case.snapshot.tags, case.now).holds() {
        return Vec::new();
    }
    // An orphan is old news twice: one finding per snapshot.
    orphan(case).or_else(|| old(case)).into_iter().collect()
}

/// True for a snapshot that AWS Backup or Data Lifecycle Manager made and will delete.
pub fn is_managed(snapshot: &Snapshot) -> bool {
    let marks = ["aws:backup:", "aws:dlm:", "dlm:managed"];
    snapshot.tags.iter().any(|(key, _)| marks.iter().any(|m| key.to_lowercase().starts_with(m)))
}

fn unattached(case: VolumeCase<'_>) -> Option<StorageFinding> {
    let v = case.volume;
    if &*v.state != "available" || !v.attachments.is_empty() {
        return None;
    }
    let reason = FindingReason::Unattached { volume: volume(case), made: v.created_at };
    let effort = (Effort::Low, Risk::Medium);
    Some(finding(case, FindingKind::UnattachedVolume, cost(case), effort, reason))
}

fn of_stopped(case: VolumeCase<'_>) -> Option<StorageFinding> {
    let v = case.volume;
    let holder = |id: &str| case.stopped.iter().find(|h| h.id == id);
    let holders: Vec<&Holder<'_>> =
        v.attachments.iter().map(|a| holder(&a.instance)).collect::<Option<_>>()?;
    let first = holders.first()?;
    // A box that is stopped for the night wants its volumes in the morning.
    let is_new = |at: Timestamp| hours(case.now, at) < i64::from(STOPPED_HOURS);
    if holders.iter().any(|h| h.is_exempt || h.since.is_some_and(is_new)) {
        return None;
    }
    // All of them are stopped at least since the last one was.
    let since = holders.iter().map(|h| h.since).collect::<Option<Vec<_>>>();
    let since = since.and_then(|all| all.into_iter().max());
    // It may have been stopped a minute ago: what it costs is known, what can be saved is not.
    let saves = since.and_then(|_| cost(case));
    let name = if first.name.is_empty() { first.id } else { first.name };
    let reason = FindingReason::OfStopped {
        volume: volume(case),
        instance: clean(name).as_ref().into(),
        more: holders.len() - 1,
        since: since.map(|at| (at, days(case.now, at))),
    };
    let effort = (Effort::Medium, Risk::Medium);
    Some(finding(case, FindingKind::StoppedInstanceVolume, saves, effort, reason))
}

fn gp2(case: VolumeCase<'_>) -> Option<StorageFinding> {
    let offer = gp3_offer(case.volume, case.prices?)?;
    if offer.saves() < LEAST_GP3_USD {
        return None;
    }
    let reason = FindingReason::Gp2 {
        volume: volume(case),
        iops: offer.iops,
        throughput_mibps: offer.throughput_mibps,
        gp2_usd: offer.gp2_usd,
        gp3_usd: offer.gp3_usd,
    };
    let effort = (Effort::Low, Risk::Low);
    Some(finding(case, FindingKind::Gp2, Some(offer.saves()), effort, reason))
}

fn orphan(case: SnapshotCase<'_>) -> Option<StorageFinding> {
    let s = case.snapshot;
    let used = !case.images_known || !s.images.is_empty();
    let copied = &*s.volume == COPIED || s.volume.is_empty();
    if used || copied || case.volume_exists != Some(false) || !is_kept(case) {
        return None;
    }
    let reason = FindingReason::Orphan { made: s.started_at, snapshot: of(case) };
    Some(snapshot_finding(case, FindingKind::OrphanSnapshot, reason))
}

fn old(case: SnapshotCase<'_>) -> Option<StorageFinding> {
    let s = case.snapshot;
    let days = s.started_at.map(|at| days(case.now, at)).filter(|d| *d >= OLD_DAYS)?;
    if !is_kept(case) || s.tier == SnapshotTier::Archive || !s.images.is_empty() {
        return None;
    }
    let archive_ratio = case.prices.and_then(|p| Some(p.snapshot_gib? / p.archive_gib?));
    let reason = FindingReason::Old { days, snapshot: of(case), archive_ratio };
    Some(snapshot_finding(case, FindingKind::OldSnapshot, reason))
}

/// True for a snapshot that is complete and that nothing will delete by itself.
fn is_kept(case: SnapshotCase<'_>) -> bool {
    &*case.snapshot.state == "completed" && !is_managed(case.snapshot)
}

fn cost(case: VolumeCase<'_>) -> Option<f64> {
    volume_usd(case.volume, case.prices?)
}

/// The volume as findings describe it.
fn volume(case: VolumeCase<'_>) -> OfVolume {
    let v = case.volume;
    let each = case.prices.and_then(|p| p.snapshot_gib);
    OfVolume {
        gib: v.size_gib,
        kind: v.kind,
        is_least: case.prices.and_then(|p| volume_cost(v, p)).is_some_and(|c| c.is_least),
        snapshot_usd: each.map(|each| each * f64::from(v.size_gib)),
    }
}

/// The snapshot as findings describe it.
fn of(case: SnapshotCase<'_>) -> OfSnapshot {
    let usd = case.prices.and_then(|p| snapshot_at_most_usd(case.snapshot, p));
    OfSnapshot { gib: full_gib(case.snapshot), usd }
}

fn finding(
    case: VolumeCase<'_>,
    kind: FindingKind,
    usd_per_month: Option<f64>,
    (effort, risk): (Effort, Risk),
    reason: FindingReason,
) -> StorageFinding {
    StorageFinding {
        kind,
        scope: case.volume.scope.clone(),
        subject: Subject::Volume(case.volume.id.clone()),
        bytes: Some(u64::from(case.volume.size_gib) << 30),
        usd_per_month,
        effort,
        risk,
        reason,
    }
}

fn snapshot_finding(
    case: SnapshotCase<'_>,
    kind: FindingKind,
    reason: FindingReason,
) -> StorageFinding {
    let s = case.snapshot;
    StorageFinding {
        kind,
        scope: s.scope.clone(),
        subject: Subject::Snapshot(s.id.clone()),
        bytes: Some((full_gib(s) * GIB) as u64),
        usd_per_month: case.prices.and_then(|p| snapshot_at_most_usd(s, p)),
        effort: Effort::Medium,
        risk: Risk::High,
        reason,
    }
}

fn hours(now: Timestamp, at: Timestamp) -> i64 {
    now.duration_since(at).max(SignedDuration::ZERO).as_hours()
}

fn days(now: Timestamp, at: Timestamp) -> i64 {
    hours(now, at) / 24
}
