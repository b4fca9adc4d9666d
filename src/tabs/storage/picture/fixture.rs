//! Storage for tests: fixed time, no chance in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan};

use crate::analyze::storage::price::fixture::virginia;
use crate::analyze::storage::{PictureInput, picture};
use crate::domain::sample;
use crate::domain::storage::bucket::{Fact, IncompleteUploads, InventoryConfig};
use crate::domain::storage::{
    Attachment, Bucket, BucketFacts, Confidence, DailySeries, EbsFacts, EbsPrices, Family, GIB,
    Lifecycle, LifecycleFilter, LifecycleRule, NodeKind, ObjectFlags, ObjectLock, PrefixPair,
    PrefixTree, Run, Scan, ScanOrigin, Snapshot, Step, StoppedInstance, StorageFacts, Sums, Tier,
    Transition, TreeBuilder, Versioning, Volume, VolumeKind, VolumePrices, VolumeStep, When,
};
use crate::domain::{
    ErrorKind, Provenance, Reading, Scope, SourceError, SourceId, SourceState, TagKeys, Tags,
};
use crate::fleet::StorageFleet;
use crate::view::fixture::now;

/// The account.
pub(crate) const ACCOUNT: &str = "123456789012";
const REGION: &str = "us-east-1";
const TIB: u64 = 1 << 40;
const GB: u64 = 1 << 30;

pub(crate) fn scope() -> Scope {
    Scope::new(ACCOUNT, REGION)
}

fn days_ago(days: i64) -> Timestamp {
    now() - SignedDuration::from_hours(24 * days)
}

fn ms(days: i64) -> i64 {
    days_ago(days).as_millisecond()
}

fn today() -> Date {
    now().to_zoned(jiff::tz::TimeZone::UTC).date()
}

fn denied<T>(operation: &str) -> Fact<T> {
    Err(Arc::new(SourceError::new(
        ErrorKind::Denied,
        operation,
        "access denied",
        "Allow it for the role that burntop reads with.",
    )))
}

/// A daily series that grows evenly from `first` to `last` over `days` up to yesterday.
pub(crate) fn series(kind: &str, tier: Tier, first: f64, last: f64, days: i32) -> DailySeries {
    let point = |i: i32| {
        let day = today().checked_sub((days - i).days()).unwrap();
        (day, first + (last - first) * f64::from(i) / f64::from((days - 1).max(1)))
    };
    DailySeries {
        storage_type: kind.into(),
        tier: Some(tier),
        is_overhead: false,
        points: (0..days).map(point).collect(),
    }
}

pub(crate) fn bucket(name: &str, team: &str, sizes: Fact<Vec<DailySeries>>) -> BucketFacts {
    BucketFacts {
        bucket: Bucket {
            scope: scope(),
            name: name.into(),
            created_at: Some(days_ago(700)),
            is_directory: false,
        },
        tags: Ok(Tags::from_raw([("team", team)])),
        versioning: Ok(Versioning::Off),
        lifecycle: Ok(None),
        lock: Ok(ObjectLock { enabled: false, default_days: None }),
        replicates: Ok(false),
        inventories: Ok(vec![]),
        uploads: None,
        sizes,
        objects: Ok(Some(series("AllStorageTypes", Tier::Unknown, 40_000.0, 52_000.0, 40))),
        reads_per_month: None,
        downloaded_per_month: None,
        taken_at: days_ago(0),
    }
}

fn rule(id: &str) -> LifecycleRule {
    LifecycleRule {
        id: id.to_owned(),
        enabled: true,
        filter: LifecycleFilter { prefix: Some("raw/".into()), ..Default::default() },
        transitions: vec![Transition { when: When::Days(90), class: "GLACIER".into() }],
        ..Default::default()
    }
}

/// Objects of one size, tier and age.
pub(crate) fn sums(objects: u64, size: u64, tier: Tier, age_days: i64) -> Sums {
    let mut one = Sums::default();
    one.count(size, ms(age_days), tier, ObjectFlags(0), now().as_millisecond());
    let mut all = Sums::default();
    // By doubling: a million additions would be slow in a test.
    let mut power = one;
    let mut left = objects;
    while left > 0 {
        if left & 1 == 1 {
            all.add(&power);
        }
        let twice = power.clone();
        power.add(&twice);
        left >>= 1;
    }
    all
}

/// A tree of one level of prefixes with their sums, some with a level below.
pub(crate) fn tree(parts: &[(&str, Sums)], below: &[(&str, Sums)]) -> PrefixTree {
    let mut root = Sums::default();
    parts.iter().for_each(|(_, s)| root.add(s));
    let mut builder = TreeBuilder::new(&root);
    let ids: Vec<_> = parts
        .iter()
        .map(|(name, s)| {
            let is_prefix = name.ends_with('/');
            let kind = if is_prefix { NodeKind::Prefix } else { NodeKind::Object };
            builder.child(PrefixTree::ROOT, name.as_bytes(), kind, s).unwrap()
        })
        .collect();
    for (name, s) in below {
        let kind = if name.is_empty() { NodeKind::Rest } else { NodeKind::Prefix };
        builder.child(ids[0], name.as_bytes(), kind, s).unwrap();
    }
    builder.finish()
}

pub(crate) fn scan(bucket: &str, tree: PrefixTree) -> Scan {
    Scan {
        bucket: bucket.into(),
        origin: ScanOrigin::Inventory("s3://inventories/ml/manifest.json".into()),
        listed_at: days_ago(1),
        scanned_at: now(),
        rows: tree.sums(PrefixTree::ROOT).all_objects(),
        partial: None,
        notes: vec![],
        tree: Arc::new(tree),
        runs: None,
        duplicates: None,
    }
}

/// Twelve steps of a run, of which all but the last few may go.
pub(crate) fn run() -> Run {
    let steps: Vec<Step> = (1..=12)
        .map(|i| Step {
            step: i * 1_000,
            prefix: format!("runs/llama-7b/checkpoint-{}/", i * 1_000),
            bytes: 80 * GB,
            objects: 12,
            complete: i != 4,
            newest_ms: ms(60 - i as i64),
            tiers: vec![(Tier::Standard, 80 * GB)],
            metric: None,
            held: false,
        })
        .collect();
    Run {
        prefix: "runs/llama-7b/".into(),
        family: Family::HfTrainer,
        bytes: steps.iter().map(|s| s.bytes).sum(),
        steps,
        confidence: 0.97,
        active: false,
        interval_s: Some(86_400),
        pointers: vec![],
        pointed: vec![],
        metric: None,
    }
}

fn checkpoints() -> Scan {
    let runs = sums(144, 20 * GB / 3, Tier::Standard, 120);
    let below = [
        ("llama-7b/", sums(120, 20 * GB / 3, Tier::Standard, 48)),
        ("old-\u{1b}[31msweep/", sums(24, 20 * GB / 3, Tier::Standard, 400)),
    ];
    let parts = [
        ("runs/", runs),
        ("data/", sums(4_000, 64 << 20, Tier::StandardIa, 200)),
        ("tiny/", sums(900_000, 4 << 10, Tier::GlacierIr, 200)),
        ("README.md", sums(1, 2_000, Tier::Standard, 500)),
    ];
    let mut scan = scan("ml-checkpoints", tree(&parts, &below));
    scan.runs = Some(Arc::new(vec![run()]));
    scan.duplicates = Some(Arc::new(vec![PrefixPair {
        confidence: Confidence::A,
        prefix_a: "data/v1/".into(),
        prefix_b: "data/v1-copy/".into(),
        containment_a_in_b: 0.98,
        containment_b_in_a: 1.0,
        objects: 1_900,
        bytes: 1_900 * (64 << 20),
        tiers: vec![(Tier::StandardIa, 1_900 * (64 << 20))],
        newest_ms: (ms(200), ms(190)),
    }]));
    scan
}

fn volume(number: u32, kind: VolumeKind, gib: u32, holder: Option<&str>) -> Volume {
    let attachments = holder.map(|id| Attachment {
        instance: id.into(),
        device: "/dev/sdf".into(),
        attached_at: Some(days_ago(100)),
        delete_on_termination: false,
    });
    Volume {
        scope: scope(),
        id: format!("vol-{number:017x}").into(),
        az: "us-east-1a".into(),
        kind,
        size_gib: gib,
        iops: (kind == VolumeKind::Gp2).then_some((gib * 3).clamp(100, 16_000)),
        throughput_mibps: None,
        state: if holder.is_some() { "in-use" } else { "available" }.into(),
        attachments: attachments.into_iter().collect(),
        created_at: Some(days_ago(300)),
        snapshot: "".into(),
        encrypted: true,
        tags: Tags::from_raw([("team", "nlp"), ("Name", "scratch")]),
    }
}

fn ebs_prices() -> EbsPrices {
    let mut p =
        EbsPrices::unknown(REGION, Provenance::Embedded { date: jiff::civil::date(2026, 8, 1) });
    let gib = |usd| VolumePrices { gib: Some(usd), iops: vec![], mibps: vec![] };
    let free_until = |from, usd| {
        vec![VolumeStep { from_gib: 0.0, usd: 0.0 }, VolumeStep { from_gib: from, usd }]
    };
    p.kinds = vec![
        (VolumeKind::Gp2, gib(0.10)),
        (
            VolumeKind::Gp3,
            VolumePrices {
                gib: Some(0.08),
                iops: free_until(3_000.0, 0.005),
                mibps: free_until(125.0, 0.04),
            },
        ),
    ];
    p.snapshot_gib = Some(0.05);
    p.archive_gib = Some(0.0125);
    p.archive_restore_gib = Some(0.03);
    p
}

fn ebs() -> EbsFacts {
    EbsFacts {
        scope: scope(),
        volumes: Ok([
            volume(1, VolumeKind::Gp2, 2_000, None),
            volume(2, VolumeKind::Gp3, 500, Some("i-0aaa")),
            volume(3, VolumeKind::Gp2, 1_000, Some("i-0bbb")),
            volume(4, VolumeKind::Io2, 100, Some("i-0ccc")),
        ]
        .map(Arc::new)
        .to_vec()),
        stopped: Ok(vec![StoppedInstance {
            id: "i-0bbb".into(),
            name: "notebook-3".into(),
            since: Some(days_ago(45)),
        }]),
        snapshots: Ok(vec![Arc::new(Snapshot {
            scope: scope(),
            id: "snap-0000000000000000a".into(),
            volume: "vol-ffffffff".into(),
            volume_gib: 800,
            started_at: Some(days_ago(400)),
            description: "before the move".into(),
            ..sample::snapshot()
        })]),
        images: Ok(3),
        taken_at: now(),
    }
}

fn reading(source: SourceId, state: SourceState) -> Reading {
    let taken_at = Some(now() - SignedDuration::from_secs(40));
    Reading { source, scope: scope(), taken_at, coverage: 1.0, state }
}

/// Buckets of every kind, a directory, volumes and a snapshot.
pub(crate) fn facts() -> StorageFacts {
    let tib = |n: f64| n * TIB as f64;
    let mut checkpoint = bucket(
        "ml-checkpoints",
        "nlp",
        Ok(vec![
            series("StandardStorage", Tier::Standard, tib(0.8), tib(1.4), 40),
            series("StandardIAStorage", Tier::StandardIa, tib(0.24), tib(0.24), 40),
            series("GlacierInstantRetrievalStorage", Tier::GlacierIr, tib(0.1), tib(0.11), 40),
        ]),
    );
    checkpoint.inventories = Ok(vec![InventoryConfig {
        id: "daily".into(),
        location: "s3://inventories/ml/ml-checkpoints/daily".into(),
        format: "Parquet".into(),
        enabled: true,
    }]);
    let mut datasets = bucket(
        "datasets",
        "vision",
        Ok(vec![
            series("StandardStorage", Tier::Standard, tib(60.0), tib(62.0), 40),
            series("GlacierStorage", Tier::Glacier, tib(10.0), tib(10.0), 40),
        ]),
    );
    datasets.versioning = Ok(Versioning::Enabled);
    datasets.lifecycle = Ok(Some(Arc::new(Lifecycle {
        rules: vec![rule("archive-raw"), rule("")],
        minimum_size: None,
    })));
    let mut logs = bucket(
        "logs-数据",
        "",
        Ok(vec![series("StandardStorage", Tier::Standard, tib(0.5), tib(0.5), 100)]),
    );
    logs.objects = Ok(Some(series("AllStorageTypes", Tier::Unknown, 9e6, 9e6, 100)));
    logs.lifecycle = denied("s3:GetLifecycleConfiguration");
    logs.uploads = Some(Ok(IncompleteUploads {
        uploads: 40,
        older_than_7_days: 31,
        bytes: Some(300 * GB),
        partial: false,
    }));
    let mut closed = bucket("closed", "", denied("cloudwatch:GetMetricData"));
    closed.tags = denied("s3:GetBucketTagging");
    closed.versioning = denied("s3:GetBucketVersioning");
    closed.lifecycle = denied("s3:GetLifecycleConfiguration");
    closed.lock = denied("s3:GetBucketObjectLockConfiguration");
    closed.objects = denied("cloudwatch:GetMetricData");
    let mut scratch =
        scan("/fsx/scratch", tree(&[("tmp/", sums(3_000, 10 << 20, Tier::File, 3))], &[]));
    scratch.origin = ScanOrigin::Directory("/fsx/scratch".into());
    StorageFacts {
        version: 7,
        made_at: now(),
        accounts: BTreeMap::new(),
        buckets: [checkpoint, datasets, logs, closed].map(Arc::new).to_vec(),
        ebs: vec![Arc::new(ebs())],
        s3_prices: [(REGION.into(), Arc::new(virginia()))].into(),
        ebs_prices: [(REGION.into(), Arc::new(ebs_prices()))].into(),
        scans: vec![Arc::new(checkpoints()), Arc::new(scratch)],
        readings: vec![
            reading(SourceId::S3, SourceState::Live),
            reading(SourceId::Ebs, SourceState::Live),
        ],
    }
}

/// The picture of [`facts`], changed.
pub(crate) fn fleet_of(change: impl FnOnce(&mut StorageFacts)) -> StorageFleet {
    let mut facts = facts();
    change(&mut facts);
    let tag_keys = TagKeys::default();
    let (version, now) = (facts.version, now());
    picture(&PictureInput {
        version,
        now,
        facts: &facts,
        instances: &[],
        tag_keys: &tag_keys,
        billed: None,
        before: None,
    })
}

/// The picture of [`facts`].
pub(crate) fn fleet() -> StorageFleet {
    fleet_of(|_| {})
}

/// The same with a directory of `entries` entries in the bucket of checkpoints.
pub(crate) fn huge(entries: u64) -> StorageFleet {
    fleet_of(|facts| {
        let of = |i: u64| {
            let tier = [Tier::Standard, Tier::StandardIa, Tier::Glacier][(i % 3) as usize];
            sums(1 + i % 7, (1 + i * 7_919 % 1_000) << 16, tier, (i % 900) as i64)
        };
        let mut root = Sums::default();
        let each: Vec<Sums> = (0..entries).map(of).collect();
        each.iter().for_each(|s| root.add(s));
        let mut builder = TreeBuilder::new(&root);
        let flat = builder.child(PrefixTree::ROOT, b"flat/", NodeKind::Prefix, &root).unwrap();
        for (i, sums) in each.iter().enumerate() {
            let name = format!("part-{i:06}.tar");
            builder.child(flat, name.as_bytes(), NodeKind::Object, sums).unwrap();
        }
        facts.scans[0] = Arc::new(scan("ml-checkpoints", builder.finish()));
    })
}

/// Bytes as GiB.
pub(crate) fn gib(bytes: u64) -> f64 {
    bytes as f64 / GIB
}
