use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::*;
use crate::domain::sample;
use crate::domain::storage::{
    Attachment, EbsPrices, FindingKind, FindingReason, OfVolume, Snapshot, SnapshotTier, Subject,
    Volume, VolumeKind, VolumePrices, VolumeStep,
};
use crate::domain::{Provenance, Scope, Tags};

fn step(from_gib: f64, usd: f64) -> VolumeStep {
    VolumeStep { from_gib, usd }
}

/// us-east-1, typed from the price pages and not from the embedded file.
fn virginia() -> EbsPrices {
    let mut p = EbsPrices::unknown(
        "us-east-1",
        Provenance::Embedded { date: jiff::civil::date(2026, 8, 1) },
    );
    let plain = |usd| VolumePrices { gib: Some(usd), ..VolumePrices::default() };
    p.kinds = vec![
        (VolumeKind::Gp2, plain(0.10)),
        (
            VolumeKind::Gp3,
            VolumePrices {
                gib: Some(0.08),
                iops: vec![step(0.0, 0.0), step(3000.0, 0.005)],
                mibps: vec![step(0.0, 0.0), step(125.0, 0.04)],
            },
        ),
        (VolumeKind::Io1, VolumePrices { iops: vec![step(0.0, 0.065)], ..plain(0.125) }),
        (
            VolumeKind::Io2,
            VolumePrices {
                iops: vec![step(0.0, 0.065), step(32_000.0, 0.0455), step(64_000.0, 0.031_85)],
                ..plain(0.125)
            },
        ),
        (VolumeKind::St1, plain(0.045)),
        (VolumeKind::Sc1, plain(0.015)),
        (VolumeKind::Magnetic, plain(0.05)),
    ];
    p.snapshot_gib = Some(0.05);
    p.archive_gib = Some(0.0125);
    p.archive_restore_gib = Some(0.03);
    p
}

fn volume(kind: VolumeKind, size_gib: u32, iops: Option<u32>, mibps: Option<u32>) -> Volume {
    Volume {
        scope: Scope::new("1", "us-east-1"),
        kind,
        size_gib,
        iops,
        throughput_mibps: mibps,
        created_at: Some(at("2026-01-02T03:04:05Z")),
        ..sample::volume()
    }
}

fn snapshot(days_old: i64) -> Snapshot {
    Snapshot {
        scope: Scope::new("1", "us-east-1"),
        started_at: Some(now() - SignedDuration::from_hours(24 * days_old)),
        ..sample::snapshot()
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn now() -> Timestamp {
    at("2026-11-21T12:00:00Z")
}

fn close(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-9, "{got} is not {want}");
}

#[test]
fn volumes_cost_size_iops_and_throughput() {
    let p = virginia();
    for (kind, size, iops, mibps, want) in [
        (VolumeKind::Gp2, 500, Some(1500), None, 50.0),
        (VolumeKind::Gp3, 500, Some(3000), Some(125), 40.0),
        (VolumeKind::Gp3, 500, None, None, 40.0),
        (VolumeKind::Gp3, 500, Some(4000), Some(250), 40.0 + 5.0 + 5.0),
        (VolumeKind::Io1, 100, Some(5000), None, 12.5 + 325.0),
        (VolumeKind::Io2, 100, Some(32_000), None, 12.5 + 2_080.0),
        (VolumeKind::Io2, 100, Some(100_000), None, 12.5 + 2_080.0 + 1_456.0 + 1_146.6),
        (VolumeKind::St1, 1000, None, None, 45.0),
        (VolumeKind::Sc1, 1000, None, None, 15.0),
        (VolumeKind::Magnetic, 100, None, None, 5.0),
    ] {
        close(volume_usd(&volume(kind, size, iops, mibps), &p).unwrap(), want);
    }
    assert_eq!(volume_usd(&volume(VolumeKind::Io1, 100, None, None), &p), None, "IOPS not known");
    assert_eq!(volume_usd(&volume(VolumeKind::Unknown, 100, None, None), &p), None);
    let none = EbsPrices::unknown("x", Provenance::Demo);
    assert_eq!(volume_usd(&volume(VolumeKind::Gp2, 100, None, None), &none), None);
    assert!(volume_cost(&volume(VolumeKind::Magnetic, 1, None, None), &p).unwrap().is_least);
}

/// Size, IOPS and MiB/s to ask for, and what gp3 then saves: 0.02 per GiB, less 0.005 per IOPS over
/// 3,000 and 0.04 per MiB/s over 125.
#[test]
fn gp3_with_parity() {
    let p = virginia();
    for (size, iops, mibps, saves) in [
        (1, 3000, 125, 0.02),
        (100, 3000, 125, 2.0),
        (170, 3000, 128, 3.4 - 0.12),
        (250, 3000, 188, 5.0 - 63.0 * 0.04),
        (333, 3000, 250, 6.66 - 5.0),
        (334, 3000, 250, 6.68 - 5.0),
        (1000, 3000, 250, 15.0),
        (2000, 6000, 250, 40.0 - 15.0 - 5.0),
        (5334, 16_000, 250, 106.68 - 65.0 - 5.0),
        (16_384, 16_000, 250, 327.68 - 70.0),
    ] {
        let offer = gp3_offer(&volume(VolumeKind::Gp2, size, None, None), &p).unwrap();
        assert_eq!((offer.iops, offer.throughput_mibps), (iops, mibps), "{size} GiB");
        close(offer.saves(), saves);
    }
    assert_eq!(gp3_offer(&volume(VolumeKind::Gp3, 100, None, None), &p), None);
}

#[test]
fn where_gp3_is_dearer_nothing_is_found() {
    let mut p = virginia();
    // A region where throughput is dear: parity costs more than the size saves.
    p.kinds[1].1.mibps[1].usd = 0.06;
    let v = volume(VolumeKind::Gp2, 334, None, None);
    let offer = gp3_offer(&v, &p).unwrap();
    close(offer.saves(), 6.68 - 7.5);
    let found = of_volume(VolumeCase { volume: &v, stopped: &[], prices: Some(&p), now: now() });
    assert!(found.iter().all(|f| f.kind != FindingKind::Gp2), "{found:?}");
    // And without a price for what parity asks, nothing is said either.
    p.kinds[1].1.mibps.clear();
    assert_eq!(gp3_offer(&v, &p), None);
}

#[test]
fn what_is_found_of_volumes() {
    let p = virginia();
    let free = volume(VolumeKind::Gp3, 500, None, None);
    let case = VolumeCase { volume: &free, stopped: &[], prices: Some(&p), now: now() };
    let found = of_volume(case);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, FindingKind::UnattachedVolume);
    close(found[0].usd_per_month.unwrap(), 40.0);
    let (kind, snapshot_usd) = (VolumeKind::Gp3, Some(25.0));
    let volume_said = OfVolume { gib: 500, kind, is_least: false, snapshot_usd };
    let unattached = FindingReason::Unattached { volume: volume_said, made: free.created_at };
    assert_eq!(found[0].reason, unattached);
    assert_eq!(found[0].subject, Subject::Volume("vol-1".into()));
    // Without a price it is found all the same, and its dollars are not known.
    let blind = of_volume(VolumeCase { prices: None, ..case });
    assert_eq!((blind.len(), blind[0].usd_per_month), (1, None));

    let mut held = volume(VolumeKind::Gp2, 100, Some(300), None);
    held.state = "in-use".into();
    let attach = |id: &str| Attachment {
        instance: Arc::from(id),
        device: "/dev/sda1".into(),
        attached_at: None,
        delete_on_termination: true,
    };
    held.attachments = vec![attach("i-1"), attach("i-2")];
    let holder = |id, name, since| Holder { id, name, since: Some(at(since)), is_exempt: false };
    let one = holder("i-1", "train\u{202e}er", "2026-10-01T00:00:00Z");
    let two = holder("i-2", "", "2026-11-01T00:00:00Z");
    let both = [one, two];
    let kinds = |stopped: &[Holder<'_>]| -> Vec<FindingKind> {
        let case = VolumeCase { volume: &held, stopped, prices: Some(&p), now: now() };
        of_volume(case).iter().map(|f| f.kind).collect()
    };
    assert_eq!(kinds(&both), [FindingKind::StoppedInstanceVolume, FindingKind::Gp2]);
    assert_eq!(kinds(&both[..1]), [FindingKind::Gp2], "one of the two runs");
    assert_eq!(kinds(&[]), [FindingKind::Gp2], "not known to be stopped");
    let case = VolumeCase { volume: &held, stopped: &both, prices: Some(&p), now: now() };
    let found = of_volume(case);
    let FindingReason::OfStopped { instance, more: 1, since, .. } = &found[0].reason else {
        panic!("{found:?}")
    };
    assert_eq!(*since, Some((at("2026-11-01T00:00:00Z"), 20)));
    assert!(!instance.contains('\u{202e}'));
    let gp3 = |r: &FindingReason| {
        matches!(r, FindingReason::Gp2 { iops: 3_000, throughput_mibps: 125, .. })
    };
    assert!(gp3(&found[1].reason), "{found:?}");
    close(found[1].usd_per_month.unwrap(), 2.0);
    // While it is being made or deleted a volume is not free.
    let mut making = free.clone();
    making.state = "creating".into();
    assert!(of_volume(VolumeCase { volume: &making, ..case }).is_empty());
}

#[test]
fn a_volume_of_what_was_stopped_lately_or_is_exempt_is_left_alone() {
    let p = virginia();
    let mut held = volume(VolumeKind::Gp3, 500, None, None);
    held.state = "in-use".into();
    held.attachments = ["i-1", "i-2"]
        .map(|id| Attachment {
            instance: id.into(),
            device: "/dev/sda1".into(),
            attached_at: None,
            delete_on_termination: true,
        })
        .into();
    let ago = |hours| now() - SignedDuration::from_hours(hours);
    let found = |since: [Option<Timestamp>; 2], is_exempt: bool| {
        let one = Holder { id: "i-1", name: "", since: since[0], is_exempt: false };
        let two = Holder { id: "i-2", name: "", since: since[1], is_exempt };
        of_volume(VolumeCase { volume: &held, stopped: &[one, two], prices: Some(&p), now: now() })
    };
    // A week to the hour, of all that have it.
    let (week, long) = (Some(ago(7 * 24)), Some(ago(900)));
    assert_eq!(found([long, week], false)[0].usd_per_month, Some(40.0));
    assert!(found([long, Some(ago(7 * 24 - 1))], false).is_empty());
    assert!(found([long, Some(ago(-5))], false).is_empty(), "a clock that is wrong");
    assert!(found([long, long], true).is_empty());
    // Since when is not known: said, and no saving.
    let unknown = found([long, None], false);
    assert_eq!((unknown.len(), unknown[0].usd_per_month), (1, None));
    let reason = &unknown[0].reason;
    assert!(matches!(reason, FindingReason::OfStopped { since: None, .. }), "{reason:?}");
    assert!(found([Some(ago(1)), None], false).is_empty());
}

#[test]
fn what_its_own_tag_exempts_has_no_finding() {
    let p = virginia();
    let of = |tags: &[(&str, &str)]| {
        let tags = Tags::from_raw(tags.iter().copied());
        let free = Volume { tags: tags.clone(), ..volume(VolumeKind::Gp2, 500, None, None) };
        let old = Snapshot { tags, ..snapshot(400) };
        let volume = VolumeCase { volume: &free, stopped: &[], prices: Some(&p), now: now() };
        let snapshot = SnapshotCase {
            snapshot: &old,
            volume_exists: Some(true),
            images_known: true,
            prices: Some(&p),
            now: now(),
        };
        (of_volume(volume).len(), of_snapshot(snapshot).len())
    };
    // Unattached and gp2; old.
    assert_eq!(of(&[]), (2, 1));
    assert_eq!(of(&[("burntop:exempt", "true")]), (0, 0));
    assert_eq!(of(&[("Burntop:Exempt", "keep it")]), (0, 0), "whoever wrote it meant it");
    assert_eq!(of(&[("burntop:exempt", "2020-01-01")]), (2, 1), "it has ended");
}

#[test]
fn what_is_found_of_snapshots() {
    let p = virginia();
    let found = |s: &Snapshot, exists, images_known| {
        of_snapshot(SnapshotCase {
            snapshot: s,
            volume_exists: exists,
            images_known,
            prices: Some(&p),
            now: now(),
        })
    };
    let kinds = |s: &Snapshot, exists, images| -> Vec<FindingKind> {
        found(s, exists, images).iter().map(|f| f.kind).collect()
    };
    let young = snapshot(10);
    assert_eq!(kinds(&young, Some(false), true), [FindingKind::OrphanSnapshot]);
    assert_eq!(kinds(&young, Some(true), true), []);
    assert_eq!(kinds(&young, None, true), [], "nobody knows whether the volume is there");
    assert_eq!(kinds(&young, Some(false), false), [], "nobody knows whether an image uses it");
    let f = &found(&young, Some(false), true)[0];
    close(f.usd_per_month.unwrap(), 5.0);
    let FindingReason::Orphan { snapshot: said, .. } = &f.reason else { panic!("{f:?}") };
    close(said.usd.unwrap(), 5.0);

    let old = snapshot(200);
    assert_eq!(kinds(&old, Some(true), true), [FindingKind::OldSnapshot]);
    assert_eq!(kinds(&old, Some(false), true), [FindingKind::OrphanSnapshot]);
    assert_eq!(kinds(&snapshot(179), Some(true), true), []);
    let said = &found(&old, Some(true), true)[0].reason;
    let FindingReason::Old { archive_ratio: Some(ratio), .. } = said else { panic!("{said:?}") };
    close(*ratio, 4.0);

    let mut imaged = old.clone();
    imaged.images = vec!["ami-1".into()];
    assert_eq!(kinds(&imaged, Some(false), true), []);
    let mut copied = young.clone();
    copied.volume = "vol-ffffffff".into();
    assert_eq!(kinds(&copied, Some(false), true), [], "a copy's volume was never there");
    let mut pending = old.clone();
    pending.state = "pending".into();
    assert_eq!(kinds(&pending, Some(false), true), []);
    for key in ["aws:backup:source-resource", "aws:dlm:lifecycle-policy-id", "dlm:managed"] {
        let mut managed = old.clone();
        managed.tags = Tags::from_raw([(key, "x")]);
        assert_eq!(kinds(&managed, Some(false), true), [], "{key}: something else deletes it");
    }
    let mut archived = old.clone();
    archived.tier = SnapshotTier::Archive;
    assert_eq!(kinds(&archived, Some(true), true), []);
    close(snapshot_at_most_usd(&archived, &p).unwrap(), 1.25);

    let mut sized = young.clone();
    sized.full_bytes = Some(10 << 30);
    close(snapshot_at_most_usd(&sized, &p).unwrap(), 0.5);
    sized.full_bytes = Some(u64::MAX);
    close(snapshot_at_most_usd(&sized, &p).unwrap(), 5.0);
}
