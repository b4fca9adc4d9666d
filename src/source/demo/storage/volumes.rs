//! Volumes, snapshots and images of the demo: the disks of its instances, and planted ones that
//! belong to nobody.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::super::facts;
use super::super::hash::hash;
use super::super::places::{ACCOUNTS, REGIONS};
use super::super::profile::Profile;
use super::objects::tail;
use crate::domain::storage::{Attachment, Snapshot, SnapshotTier, Volume, VolumeKind};
use crate::domain::{Instance, InstanceState, Scope, Tags, intern};
use crate::source::storage::Image;

/// A planted volume without an instance.
pub struct Loose {
    /// `Name` tag of the volume.
    pub name: &'static str,
    /// What is planted.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "what tests and docs/demo.md hold the demo against")
    )]
    /// Description of the case, as in `docs/demo.md`.
    pub what: &'static str,
    /// Indices of its account and region in `ACCOUNTS` and `REGIONS`.
    pub place: (usize, usize),
    /// Volume type.
    pub kind: VolumeKind,
    /// Provisioned size, GiB.
    pub gib: u32,
    /// Provisioned IOPS; `None` for types without.
    pub iops: Option<u32>,
    /// Provisioned throughput, MiB/s; `None` for types without.
    pub mibps: Option<u32>,
    /// Age, days.
    pub days: i64,
}

/// The planted volumes without an instance.
pub const LOOSE: [Loose; 5] = [
    Loose {
        name: "scratch-of-terminated-70b",
        what: "attached to nothing for four months, 8 TiB",
        place: (1, 0),
        kind: VolumeKind::Gp3,
        gib: 8_192,
        iops: Some(16_000),
        mibps: Some(1_000),
        days: 121,
    },
    Loose {
        name: "old-nfs-home",
        what: "large gp2 attached to nothing: parity as gp3 costs IOPS and throughput",
        place: (2, 0),
        kind: VolumeKind::Gp2,
        gib: 4_000,
        iops: Some(12_000),
        mibps: None,
        days: 840,
    },
    Loose {
        name: "jenkins-tmp",
        what: "small gp2 attached to nothing",
        place: (0, 1),
        kind: VolumeKind::Gp2,
        gib: 80,
        iops: Some(240),
        mibps: None,
        days: 410,
    },
    Loose {
        name: "db-restore-test",
        what: "io2 attached to nothing: its provisioned IOPS cost more than its bytes",
        place: (0, 0),
        kind: VolumeKind::Io2,
        gib: 500,
        iops: Some(20_000),
        mibps: None,
        days: 33,
    },
    Loose {
        name: "notebook-ana-home",
        what: "the disk of a notebook that is gone",
        place: (1, 1),
        kind: VolumeKind::Gp3,
        gib: 1_000,
        iops: Some(3_000),
        mibps: Some(125),
        days: 260,
    },
];

/// A planted snapshot whose volume is deleted.
pub struct Kept {
    /// `Name` tag of the snapshot.
    pub name: &'static str,
    /// What is planted.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "what tests and docs/demo.md hold the demo against")
    )]
    /// Description of the case, as in `docs/demo.md`.
    pub what: &'static str,
    /// Indices of its account and region in `ACCOUNTS` and `REGIONS`.
    pub place: (usize, usize),
    /// Size of the deleted volume, GiB.
    pub gib: u32,
    /// Age, days.
    pub days: i64,
    /// True when an image uses it.
    pub in_image: bool,
    /// Storage tier.
    pub tier: SnapshotTier,
}

/// The planted snapshots, whose volumes are deleted.
pub const KEPT: [Kept; 4] = [
    Kept {
        name: "before-migration-2023",
        what: "its volume is gone and no image uses it",
        place: (1, 0),
        gib: 2_000,
        days: 900,
        in_image: false,
        tier: SnapshotTier::Standard,
    },
    Kept {
        name: "golden-ami-root",
        what: "old, its volume gone, and in use by an image: no orphan",
        place: (0, 0),
        gib: 100,
        days: 700,
        in_image: true,
        tier: SnapshotTier::Standard,
    },
    Kept {
        name: "compliance-2021",
        what: "in the archive: paid for in full size, and cheap",
        place: (2, 0),
        gib: 4_000,
        days: 1_500,
        in_image: false,
        tier: SnapshotTier::Archive,
    },
    Kept {
        name: "weekly-home",
        what: "its volume is gone, from last year",
        place: (2, 1),
        gib: 500,
        days: 380,
        in_image: false,
        tier: SnapshotTier::Standard,
    },
];

fn ago(now: Timestamp, days: i64) -> Option<Timestamp> {
    let midnight = now.as_second().div_euclid(86_400) * 86_400;
    Timestamp::from_second(midnight - days * 86_400 + 36_000).ok()
}

fn id(prefix: &str, name: &str) -> Arc<str> {
    format!("{prefix}-0{}", tail(name, 16)).into()
}

fn scope(place: (usize, usize)) -> Option<Scope> {
    let (account, region) = (ACCOUNTS.get(place.0)?, REGIONS.get(place.1)?);
    Some(Scope::new(intern::shared(account.id), intern::shared(region.code)))
}

/// Planted volumes of a scope at `now`.
pub fn loose(here: &Scope, now: Timestamp) -> Vec<Volume> {
    let volume = |v: &Loose| Volume {
        scope: here.clone(),
        id: id("vol", v.name),
        az: intern::shared(&format!("{}a", here.region)),
        kind: v.kind,
        size_gib: v.gib,
        iops: v.iops,
        throughput_mibps: v.mibps,
        state: intern::shared("available"),
        attachments: Vec::new(),
        created_at: ago(now, v.days),
        snapshot: "".into(),
        encrypted: true,
        tags: Tags::from_raw([("Name", v.name)]),
    };
    LOOSE.iter().filter(|v| scope(v.place).as_ref() == Some(here)).map(volume).collect()
}

/// Volumes of an instance, equal to those that its inspection finds.
pub fn of_instance(profile: &Profile, instance: &Instance) -> Vec<Volume> {
    let devices = instance.block_devices.iter();
    facts::volumes(profile, instance)
        .into_iter()
        .zip(devices)
        .map(|(fact, device)| Volume {
            scope: instance.scope.clone(),
            id: fact.id,
            az: instance.az.clone(),
            kind: VolumeKind::from_api(&fact.kind),
            size_gib: fact.size_gib.and_then(|gib| u32::try_from(gib).ok()).unwrap_or(0),
            iops: fact.iops,
            throughput_mibps: fact.throughput_mibps,
            state: intern::shared("in-use"),
            attachments: vec![Attachment {
                instance: instance.id.clone(),
                device: device.device.clone(),
                attached_at: device.attached_at,
                delete_on_termination: device.delete_on_termination,
            }],
            created_at: device.attached_at,
            snapshot: if fact.root { root_snapshot() } else { Arc::default() },
            encrypted: !hash(profile.hash, 0x57, 1).is_multiple_of(9),
            tags: Tags::from_raw([("Name", &*instance.name)]),
        })
        .collect()
}

/// The snapshot that every root disk was made from: one of AWS's, not the account's own.
fn root_snapshot() -> Arc<str> {
    intern::shared("snap-0123456789abcdef0")
}

/// Time when an instance was stopped, some days after its launch; `None` when it is not stopped.
pub fn stopped_since(profile: &Profile, instance: &Instance, now: Timestamp) -> Option<Timestamp> {
    if instance.state != InstanceState::Stopped {
        return None;
    }
    let ran = SignedDuration::from_hours(24 + (hash(profile.hash, 0x57, 2) % 400) as i64);
    instance.launched_at.checked_add(ran).ok().filter(|at| *at < now)
}

/// Planted snapshots of a scope at `now`.
pub fn kept(here: &Scope, now: Timestamp) -> Vec<Snapshot> {
    let snapshot = |s: &Kept| Snapshot {
        scope: here.clone(),
        id: id("snap", s.name),
        volume: id("vol", &format!("gone {}", s.name)),
        volume_gib: s.gib,
        full_bytes: Some(u64::from(s.gib) << 29),
        started_at: ago(now, s.days),
        state: intern::shared("completed"),
        tier: s.tier,
        images: Vec::new(),
        description: "".into(),
        tags: Tags::from_raw([("Name", s.name)]),
    };
    KEPT.iter().filter(|s| scope(s.place).as_ref() == Some(here)).map(snapshot).collect()
}

/// Snapshot of last night for a data volume; `None` for other volumes.
pub fn backup(volume: &Volume, now: Timestamp) -> Option<Snapshot> {
    let is_data = volume.snapshot.is_empty() && !volume.attachments.is_empty();
    is_data.then(|| Snapshot {
        scope: volume.scope.clone(),
        id: id("snap", &format!("backup {}", volume.id)),
        volume: volume.id.clone(),
        volume_gib: volume.size_gib,
        full_bytes: Some(u64::from(volume.size_gib) << 29),
        started_at: ago(now, 1),
        state: intern::shared("completed"),
        tier: SnapshotTier::Standard,
        images: Vec::new(),
        description: "nightly".into(),
        tags: Tags::from_raw([("Name", "nightly")]),
    })
}

/// Images (AMIs) that the account owns in a region.
pub fn images(account: usize, region: &str) -> Vec<Image> {
    KEPT.iter()
        .filter(|s| s.in_image && s.place.0 == account)
        .filter(|s| REGIONS.get(s.place.1).is_some_and(|r| r.code == region))
        .map(|s| Image { id: id("ami", s.name), snapshots: vec![id("snap", s.name)] })
        .collect()
}
