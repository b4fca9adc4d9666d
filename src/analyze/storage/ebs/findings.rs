//! What is found wrong with volumes and snapshots.

use jiff::{SignedDuration, Timestamp};

use super::gp3::gp3_offer;
use super::snapshot::{full_gib, snapshot_at_most_usd};
use super::volume::{volume_cost, volume_usd};
use crate::analyze::idle::Exemption;
use crate::domain::STOPPED_HOURS;
use crate::domain::storage::{
    EbsPrices, Effort, FindingKind, GIB, Risk, Snapshot, SnapshotTier, StorageFinding, Subject,
    Volume,
};
use crate::domain::text::clean;

/// Age from which a snapshot is called old, days.
pub const OLD_DAYS: i64 = 180;

/// What saves less per month is no finding of gp2, USD.
const LEAST_GP3_USD: f64 = 0.01;

/// What a snapshot's volume is called when it was copied.
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
    /// True when its volume still exists; `None` when that cannot be told.
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
    let made = v.created_at.map(|at| format!(", made {}", day(at))).unwrap_or_default();
    Some(finding(
        case,
        FindingKind::UnattachedVolume,
        cost(case),
        (Effort::Low, Risk::Medium),
        format!("A volume of {} GiB ({}) is attached to nothing{made}", v.size_gib, v.kind.api()),
        format!("Make a snapshot{}, then delete the volume", kept_for(case)),
    ))
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
    let (since, saves) = match since {
        Some(at) => (format!(" since {} ({} days)", day(at), days(case.now, at)), cost(case)),
        // It may have been stopped a minute ago: what it costs is known, what can be saved is not.
        None => (", and since when is not known".to_owned(), None),
    };
    let name = if first.name.is_empty() { first.id } else { first.name };
    let more = match holders.len() {
        1 => String::new(),
        n => format!(" and {} more", n - 1),
    };
    let says = format!(
        "A volume of {} GiB ({}) belongs to {}{more}, stopped{since}",
        v.size_gib,
        v.kind.api(),
        clean(name),
    );
    let fix = format!(
        "If the instance is not to be started again, make a snapshot{} and delete the volume with it",
        kept_for(case)
    );
    let effort = (Effort::Medium, Risk::Medium);
    Some(finding(case, FindingKind::StoppedInstanceVolume, saves, effort, says, fix))
}

fn gp2(case: VolumeCase<'_>) -> Option<StorageFinding> {
    let offer = gp3_offer(case.volume, case.prices?)?;
    if offer.saves() < LEAST_GP3_USD {
        return None;
    }
    let says = format!(
        "A gp2 volume of {} GiB costs {} a month; as gp3 with {} IOPS and {} MiB/s, what it has \
         without bursts, {}",
        case.volume.size_gib,
        usd(offer.gp2_usd),
        offer.iops,
        offer.throughput_mibps,
        usd(offer.gp3_usd),
    );
    let fix = format!(
        "Change it to gp3 with {} IOPS and {} MiB/s; it stays in use meanwhile",
        offer.iops, offer.throughput_mibps
    );
    let effort = (Effort::Low, Risk::Low);
    Some(finding(case, FindingKind::Gp2, Some(offer.saves()), effort, says, fix))
}

fn orphan(case: SnapshotCase<'_>) -> Option<StorageFinding> {
    let s = case.snapshot;
    let used = !case.images_known || !s.images.is_empty();
    let copied = &*s.volume == COPIED || s.volume.is_empty();
    if used || copied || case.volume_exists != Some(false) || !is_kept(case) {
        return None;
    }
    let says = format!(
        "A snapshot{} is of a volume that is gone, and no image uses it; {}",
        made(s),
        at_most(case),
    );
    Some(snapshot_finding(
        case,
        FindingKind::OrphanSnapshot,
        says,
        "Delete it if nobody needs the data; nothing else has it".to_owned(),
        Risk::High,
    ))
}

fn old(case: SnapshotCase<'_>) -> Option<StorageFinding> {
    let s = case.snapshot;
    let age = s.started_at.map(|at| days(case.now, at)).filter(|d| *d >= OLD_DAYS)?;
    if !is_kept(case) || s.tier == SnapshotTier::Archive || !s.images.is_empty() {
        return None;
    }
    let says = format!("A snapshot is {age} days old; {}", at_most(case));
    // Without the size that is its own nobody knows whether the archive is cheaper.
    let ratio = case.prices.and_then(|p| Some(p.snapshot_gib? / p.archive_gib?));
    let archive = ratio.map(|r| {
        format!(
            ", or archive it: that is cheaper when more than a {} of it is not shared with other \
             snapshots",
            nth(r)
        )
    });
    let fix = format!("Delete it if nobody needs it{}", archive.unwrap_or_default());
    Some(snapshot_finding(case, FindingKind::OldSnapshot, says, fix, Risk::High))
}

/// True for a snapshot that is complete and that nothing will delete by itself.
fn is_kept(case: SnapshotCase<'_>) -> bool {
    &*case.snapshot.state == "completed" && !is_managed(case.snapshot)
}

fn cost(case: VolumeCase<'_>) -> Option<f64> {
    volume_usd(case.volume, case.prices?)
}

/// What keeping a snapshot of the volume costs at most.
fn kept_for(case: VolumeCase<'_>) -> String {
    let each = case.prices.and_then(|p| p.snapshot_gib);
    each.map(|each| format!(" (at most {} a month)", usd(each * f64::from(case.volume.size_gib))))
        .unwrap_or_default()
}

fn at_most(case: SnapshotCase<'_>) -> String {
    let gib = full_gib(case.snapshot);
    match case.prices.and_then(|p| snapshot_at_most_usd(case.snapshot, p)) {
        Some(most) => format!("its {gib:.0} GiB cost at most {} a month", usd(most)),
        None => format!("it has at most {gib:.0} GiB"),
    }
}

fn made(snapshot: &Snapshot) -> String {
    snapshot.started_at.map(|at| format!(" of {}", day(at))).unwrap_or_default()
}

fn finding(
    case: VolumeCase<'_>,
    kind: FindingKind,
    usd_per_month: Option<f64>,
    (effort, risk): (Effort, Risk),
    says: String,
    fix: String,
) -> StorageFinding {
    let least = case.prices.and_then(|p| volume_cost(case.volume, p)).is_some_and(|c| c.is_least);
    let says = if least { format!("{says}; its requests are billed as well") } else { says };
    StorageFinding {
        kind,
        scope: case.volume.scope.clone(),
        subject: Subject::Volume(case.volume.id.clone()),
        bytes: Some(u64::from(case.volume.size_gib) << 30),
        usd_per_month,
        effort,
        risk,
        says,
        fix,
    }
}

fn snapshot_finding(
    case: SnapshotCase<'_>,
    kind: FindingKind,
    says: String,
    fix: String,
    risk: Risk,
) -> StorageFinding {
    let s = case.snapshot;
    StorageFinding {
        kind,
        scope: s.scope.clone(),
        subject: Subject::Snapshot(s.id.clone()),
        bytes: Some((full_gib(s) * GIB) as u64),
        usd_per_month: case.prices.and_then(|p| snapshot_at_most_usd(s, p)),
        effort: Effort::Medium,
        risk,
        says,
        fix,
    }
}

/// The UTC day of a moment.
fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

fn hours(now: Timestamp, at: Timestamp) -> i64 {
    now.duration_since(at).max(SignedDuration::ZERO).as_hours()
}

fn days(now: Timestamp, at: Timestamp) -> i64 {
    hours(now, at) / 24
}

fn usd(amount: f64) -> String {
    format!("${amount:.2}")
}

/// The share that makes the archive worth it, in words where it is the usual one.
fn nth(ratio: f64) -> String {
    if (ratio - 4.0).abs() < 1e-9 { "quarter".to_owned() } else { format!("1/{ratio:.1}") }
}
