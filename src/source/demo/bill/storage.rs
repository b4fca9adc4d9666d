//! Lines of volumes, snapshots and buckets.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::compute::EC2;
use super::ledger::{Ledger, Slot, Spread, What, at_list, exact, prefix};
use super::{DAY, Estate, machines};
use crate::domain::bill::Usd;
use crate::domain::storage::prices::{EbsPrices, S3Prices, VolumeStep};
use crate::domain::storage::{Snapshot, SnapshotTier, Tier, Volume};
use crate::domain::{Hour, Scope, Tags};
use crate::source::demo::places::{BUCKET_REGIONS, REGIONS};
use crate::source::demo::storage::{self, DemoStorage, Stored, volumes};

/// Name and code of S3.
const S3: (&str, &str) = ("Amazon Simple Storage Service", "AmazonS3");

/// A GiB in bytes.
const GIB: u64 = 1 << 30;

/// Of a hundred objects, so many are written and so many read in a day. Invented.
const REQUESTS: (u64, u64) = (2, 25);

/// What CloudWatch calls a kind of bytes, what the bill calls it, and the tier that it costs the price of.
const KINDS: [(&str, &str, Tier); 17] = [
    ("StandardStorage", "TimedStorage-ByteHrs", Tier::Standard),
    ("IntelligentTieringFAStorage", "TimedStorage-INT-FA-ByteHrs", Tier::ItFrequent),
    ("IntelligentTieringIAStorage", "TimedStorage-INT-IA-ByteHrs", Tier::ItInfrequent),
    ("IntelligentTieringAIAStorage", "TimedStorage-INT-AIA-ByteHrs", Tier::ItArchiveInstant),
    ("IntelligentTieringAAStorage", "TimedStorage-INT-AA-ByteHrs", Tier::ItArchive),
    ("IntelligentTieringDAAStorage", "TimedStorage-INT-DAA-ByteHrs", Tier::ItDeepArchive),
    ("StandardIAStorage", "TimedStorage-SIA-ByteHrs", Tier::StandardIa),
    ("StandardIASizeOverhead", "TimedStorage-SIA-SmObjects", Tier::StandardIa),
    ("OneZoneIAStorage", "TimedStorage-ZIA-ByteHrs", Tier::OnezoneIa),
    ("GlacierInstantRetrievalStorage", "TimedStorage-GIR-ByteHrs", Tier::GlacierIr),
    ("GlacierInstantRetrievalSizeOverhead", "TimedStorage-GIR-SmObjects", Tier::GlacierIr),
    ("GlacierStorage", "TimedStorage-GlacierByteHrs", Tier::Glacier),
    ("GlacierS3ObjectOverhead", "TimedStorage-ByteHrs", Tier::Standard),
    ("GlacierObjectOverhead", "TimedStorage-GlacierByteHrs", Tier::Glacier),
    ("DeepArchiveStorage", "TimedStorage-GDA-ByteHrs", Tier::DeepArchive),
    ("DeepArchiveS3ObjectOverhead", "TimedStorage-ByteHrs", Tier::Standard),
    ("DeepArchiveObjectOverhead", "TimedStorage-GDA-ByteHrs", Tier::DeepArchive),
];

/// What a volume or snapshot costs in a month.
struct Part {
    /// Usage type without the prefix of the region.
    usage_type: String,
    unit: &'static str,
    quantity: f64,
    usd: Usd,
}

/// A volume or snapshot.
pub(super) struct Disk {
    scope: Scope,
    id: Arc<str>,
    tags: Tags,
    exists: Range<i32>,
    family: &'static str,
    parts: Vec<Part>,
}

/// All volumes and snapshots within the window.
pub(super) fn disks(estate: &Estate) -> Vec<Disk> {
    let lists: Vec<_> = REGIONS.iter().map(|r| storage::ebs_list(r.code)).collect();
    let list = |region: &str| {
        REGIONS.iter().zip(&lists).find(|(r, _)| r.code == region).and_then(|(_, l)| l.as_ref())
    };
    let since = |at: Option<jiff::Timestamp>| {
        let from = at.map_or(i32::MIN, |at| Hour::containing(at).0);
        from.max(estate.window.start)..estate.window.end
    };
    let mut out = Vec::new();
    for profile in machines::boxes(estate) {
        let Some(list) = list(profile.region.code) else { continue };
        for term in machines::terms(estate, &profile) {
            for volume in volumes::of_instance(&profile, &term.instance) {
                let copy = volumes::backup(&volume, estate.now);
                out.extend(copy.and_then(|c| snapshot(c, list, term.exists.clone())));
                out.push(disk(volume, list, term.exists.clone()));
            }
        }
    }
    for (provider, region) in estate.scopes() {
        let Some(list) = list(region.code) else { continue };
        let scope = Scope::new(provider.account.id, region.code);
        for volume in volumes::loose(&scope, estate.now) {
            let exists = since(volume.created_at);
            out.push(disk(volume, list, exists));
        }
        for kept in volumes::kept(&scope, estate.now) {
            let exists = since(kept.started_at);
            out.extend(snapshot(kept, list, exists));
        }
    }
    out
}

fn disk(volume: Volume, list: &EbsPrices, exists: Range<i32>) -> Disk {
    let kind = volume.kind.api();
    let mut parts = Vec::new();
    if let Some(prices) = list.kind(volume.kind) {
        let mut part = |what: &str, unit, quantity: u32, usd: Usd| {
            if !usd.is_zero() {
                let usage_type = format!("EBS:{what}.{kind}");
                parts.push(Part { usage_type, unit, quantity: f64::from(quantity), usd });
            }
        };
        let gib = exact(prices.gib.unwrap_or(0.0)).prorated(u64::from(volume.size_gib), 1);
        part("VolumeUsage", "GB-Mo", volume.size_gib, gib);
        let iops = volume.iops.unwrap_or(0);
        let usd = graduated(&prices.iops, 0..u64::from(iops), 1, 1);
        part("VolumeP-IOPS", "IOPS-Mo", iops, usd);
        let mibps = volume.throughput_mibps.unwrap_or(0);
        let usd = graduated(&prices.mibps, 0..u64::from(mibps), 1, 1);
        part("VolumeP-Throughput", "MiBps-Mo", mibps, usd);
    }
    Disk { scope: volume.scope, id: volume.id, tags: volume.tags, exists, family: "Storage", parts }
}

/// A snapshot at its full size; `None` where size or price is unknown.
fn snapshot(it: Snapshot, list: &EbsPrices, exists: Range<i32>) -> Option<Disk> {
    let (usage_type, price) = match it.tier {
        SnapshotTier::Archive => ("EBS:SnapshotArchiveStorage", list.archive_gib?),
        SnapshotTier::Standard => ("EBS:SnapshotUsage", list.snapshot_gib?),
    };
    let bytes = it.full_bytes?;
    let part = Part {
        usage_type: usage_type.to_owned(),
        unit: "GB-Mo",
        quantity: bytes as f64 / GIB as f64,
        usd: exact(price).prorated(bytes, GIB),
    };
    Some(Disk {
        scope: it.scope,
        id: it.id,
        tags: it.tags,
        exists,
        family: "Storage Snapshot",
        parts: vec![part],
    })
}

/// Price of the amounts in a range under prices by steps, over `of` × `times`. A step counts amounts of `of` each.
fn graduated(steps: &[VolumeStep], amounts: Range<u64>, of: u64, times: u64) -> Usd {
    let from = |step: &VolumeStep| (step.from_gib.max(0.0) as u64).saturating_mul(of);
    let end = |at: usize| steps.get(at + 1).map_or(u64::MAX, from);
    let part = |(at, step): (usize, &VolumeStep)| {
        let (first, last) = (from(step).max(amounts.start), end(at).min(amounts.end));
        exact(step.usd).prorated(last.saturating_sub(first), of * times)
    };
    steps.iter().enumerate().map(part).sum()
}

/// Buckets with the ids of their accounts, by day of the window.
pub(super) fn buckets(estate: &Estate) -> Vec<Vec<(&'static str, Stored)>> {
    let days = estate.window.start / DAY..estate.window.end / DAY;
    let dates: Vec<Date> =
        days.map(|day| Hour(day * DAY).start().to_zoned(TimeZone::UTC).date()).collect();
    let mut by_day: Vec<Vec<_>> = dates.iter().map(|_| Vec::new()).collect();
    for provider in &estate.providers {
        let stored = DemoStorage::new(provider.clone()).stored(&dates);
        for (all, stored) in by_day.iter_mut().zip(stored) {
            all.extend(stored.into_iter().map(|bucket| (provider.account.id, bucket)));
        }
    }
    by_day
}

/// Writes the lines of volumes, snapshots and buckets.
pub(super) fn write(
    ledger: &mut Ledger,
    estate: &Estate,
    disks: &[Disk],
    buckets: &[Vec<(&'static str, Stored)>],
) {
    for disk in disks {
        disk_lines(ledger, disk);
    }
    let lists = BUCKET_REGIONS.map(|region| (region, storage::s3_list(region)));
    let mut slots = Slots::new();
    for (day, hours) in ledger.days() {
        // What the organization has stored so far, by region and tier: prices fall with it.
        let mut before: BTreeMap<(&str, usize), u64> = BTreeMap::new();
        let at = (hours.start - estate.window.start) / DAY;
        for (account, bucket) in buckets.get(at as usize).into_iter().flatten() {
            let list = lists.iter().find(|(region, _)| *region == bucket.region);
            let Some(list) = list.and_then(|(_, list)| list.as_ref()) else { continue };
            bucket_lines(ledger, &mut slots, (account, day), bucket, list, &mut before);
        }
    }
}

fn disk_lines(ledger: &mut Ledger, disk: &Disk) {
    let month = ledger.month_hours();
    for part in &disk.parts {
        let usage_type = format!("{}{}", prefix(&disk.scope.region), part.usage_type);
        let what = What {
            family: disk.family,
            usage_type: &usage_type,
            operation: "CreateVolume",
            unit: part.unit,
            resource: &disk.id,
            ..What::usage(&disk.scope.account, &disk.scope.region, EC2)
        };
        let slot = ledger.slot(&what, &disk.tags);
        let mut spread = Spread::new(part.usd, month);
        for (day, hours) in ledger.days() {
            let hours = disk.exists.end.min(hours.end) - disk.exists.start.max(hours.start);
            if hours > 0 {
                let usd = spread.next(hours as u64);
                ledger.add(
                    slot,
                    day,
                    at_list(usd, part.quantity * f64::from(hours) / month as f64),
                );
            }
        }
    }
}

/// Interned lines of buckets, by bucket and operation.
type Slots = BTreeMap<(Arc<str>, &'static str), Slot>;

fn bucket_lines(
    ledger: &mut Ledger,
    slots: &mut Slots,
    (account, day): (&str, u8),
    bucket: &Stored,
    list: &S3Prices,
    before: &mut BTreeMap<(&str, usize), u64>,
) {
    let mut line =
        |ledger: &mut Ledger, operation: &'static str, what: [&str; 3], usd, quantity| {
            let slot = *slots.entry((bucket.name.clone(), operation)).or_insert_with(|| {
                let [family, usage, unit] = what;
                let usage_type = format!("{}{usage}", prefix(bucket.region));
                let what = What {
                    family,
                    usage_type: &usage_type,
                    operation,
                    unit,
                    resource: &bucket.name,
                    ..What::usage(account, bucket.region, S3)
                };
                ledger.slot(&what, &bucket.tags)
            });
            ledger.add(slot, day, at_list(usd, quantity));
        };
    let days = u64::from(ledger.month.days());
    for (kind, bytes) in &bucket.bytes {
        let Some((kind, usage, tier)) = KINDS.iter().find(|(name, ..)| *name == &**kind) else {
            continue;
        };
        let stored = before.entry((bucket.region, tier.index())).or_default();
        let amounts = *stored..*stored + bytes;
        *stored += bytes;
        let Some(prices) = list.tier(*tier) else { continue };
        let usd = graduated(&prices.storage, amounts, GIB, days);
        let quantity = *bytes as f64 / GIB as f64 / days as f64;
        line(ledger, kind, ["Storage", usage, "GB-Mo"], usd, quantity);
    }
    let Some(prices) = list.tier(Tier::Standard) else { return };
    for (usage, operation, share, price) in [
        ("Requests-Tier1", "PutObject", REQUESTS.0, prices.put_per_1000),
        ("Requests-Tier2", "GetObject", REQUESTS.1, prices.get_per_1000),
    ] {
        let requests = bucket.objects * share / 100;
        if let Some(price) = price.filter(|_| requests > 0) {
            let usd = exact(price).prorated(requests, 1_000);
            line(ledger, operation, ["API Request", usage, "Requests"], usd, requests as f64);
        }
    }
}
