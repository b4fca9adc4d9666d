//! Each kind of finding: where it is, where it is not, and where nobody knows.

use std::sync::Arc;

use crate::domain::storage::bucket::IncompleteUploads;
use crate::domain::storage::{
    BucketFacts, FindingKind, FindingReason, Lifecycle, LifecycleRule, NoncurrentExpiration,
    ObjectFlags, Scan, StorageFinding, Tier, TreeBuilder, Unwritten, Versioning,
};
use crate::domain::{ErrorKind, SourceError, Tags};
use crate::tabs::storage::picture::fixture::{bucket, fleet_of, scan, series, sums, tree};
use crate::view::fixture::now;
use crate::view::reasons;

const TIB: f64 = 1_099_511_627_776.0;
const GIB: u64 = 1 << 30;

/// The findings of one kind about a bucket of 2 TiB Standard that grows, changed, with a list.
fn found(
    kind: FindingKind,
    change: impl FnOnce(&mut BucketFacts),
    list: Option<Scan>,
) -> Vec<StorageFinding> {
    let fleet = fleet_of(|f| {
        let sizes = vec![series("StandardStorage", Tier::Standard, TIB, 2.0 * TIB, 40)];
        let mut one = bucket("one", "", Ok(sizes));
        change(&mut one);
        f.buckets = vec![Arc::new(one)];
        f.ebs.clear();
        f.scans = list.into_iter().map(Arc::new).collect();
    });
    fleet.findings.iter().filter(|f| f.kind == kind).map(|f| (**f).clone()).collect()
}

fn unknown<T>() -> Result<T, Arc<SourceError>> {
    Err(Arc::new(SourceError::new(ErrorKind::Denied, "s3:Get", "no", "ask")))
}

fn rules(rule: LifecycleRule) -> Result<Option<Arc<Lifecycle>>, Arc<SourceError>> {
    Ok(Some(Arc::new(Lifecycle { rules: vec![rule], minimum_size: None })))
}

fn enabled() -> LifecycleRule {
    LifecycleRule { enabled: true, ..LifecycleRule::default() }
}

fn usd(found: &[StorageFinding]) -> Option<f64> {
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].usd_per_month
}

/// A list with `old` bytes in noncurrent versions beside 1 TiB.
fn with_old(old: u64) -> Scan {
    let mut s = sums(1_024, GIB, Tier::Standard, 10);
    let ms = now().as_millisecond();
    let flags = ObjectFlags(ObjectFlags::NONCURRENT);
    s.count(old, ms - 86_400_000, Tier::Standard, flags, ms);
    scan("one", TreeBuilder::new(&s).finish())
}

#[test]
fn no_lifecycle() {
    let kind = FindingKind::NoLifecycle;
    let plain = found(kind, |_| {}, None);
    assert_eq!(usd(&plain), None, "what rules save depends on the rules");
    assert!(matches!(plain[0].reason, FindingReason::NoLifecycle { grows: Some(_) }), "{plain:?}");
    let disabled = LifecycleRule::default();
    assert_eq!(found(kind, |b| b.lifecycle = rules(disabled), None).len(), 1);
    assert!(found(kind, |b| b.lifecycle = rules(enabled()), None).is_empty());
    assert!(found(kind, |b| b.lifecycle = unknown(), None).is_empty(), "unknown is not none");
    let tiny = |b: &mut BucketFacts| {
        b.sizes = Ok(vec![series("StandardStorage", Tier::Standard, 1e6, 1e6, 40)]);
    };
    assert!(found(kind, tiny, None).is_empty());
}

#[test]
fn an_exempt_bucket_has_no_findings() {
    let kind = FindingKind::NoLifecycle;
    let tagged = |value: &'static str| {
        move |b: &mut BucketFacts| b.tags = Ok(Tags::from_raw([("burntop:exempt", value)]))
    };
    assert!(found(kind, tagged("true"), None).is_empty());
    assert_eq!(found(kind, tagged("2020-01-01"), None).len(), 1, "it has ended");
    assert_eq!(found(kind, |b| b.tags = unknown(), None).len(), 1, "nobody knows of an exemption");
}

#[test]
fn noncurrent_versions() {
    let kind = FindingKind::Noncurrent;
    let on = |b: &mut BucketFacts| b.versioning = Ok(Versioning::Enabled);
    // 100 GiB at the last step of 2 TiB.
    let known = found(kind, on, Some(with_old(100 * GIB)));
    assert!((usd(&known).unwrap() - 100.0 * 0.023).abs() < 1e-6, "{known:?}");
    assert_eq!(known[0].bytes, Some(100 * GIB));
    let denied = found(kind, |b| b.lifecycle = unknown(), Some(with_old(100 * GIB)));
    assert_eq!(usd(&denied), None, "a rule may delete them already");
    let expires = LifecycleRule {
        noncurrent_expiration: Some(NoncurrentExpiration { days: Some(30), newer_versions: None }),
        ..enabled()
    };
    assert!(found(kind, |b| b.lifecycle = rules(expires), Some(with_old(100 * GIB))).is_empty());
    assert!(found(kind, on, Some(with_old(0))).is_empty());
    // Without a list: that they may be there, and no figure.
    let unlisted = found(kind, on, None);
    assert_eq!((usd(&unlisted), unlisted[0].bytes), (None, None));
    assert!(found(kind, |_| {}, None).is_empty(), "versioning is off");
    assert!(found(kind, |b| b.versioning = unknown(), None).is_empty());
}

#[test]
fn incomplete_uploads() {
    let kind = FindingKind::IncompleteUploads;
    let with = |old: u64, bytes: Option<u64>| {
        move |b: &mut BucketFacts| {
            let uploads =
                IncompleteUploads { uploads: 9, older_than_7_days: old, bytes, partial: false };
            b.uploads = Some(Ok(uploads));
        }
    };
    assert!((usd(&found(kind, with(3, Some(50 * GIB)), None)).unwrap() - 1.15).abs() < 1e-9);
    assert_eq!(usd(&found(kind, with(3, None), None)), None);
    assert!(found(kind, with(0, Some(50 * GIB)), None).is_empty());
    assert!(found(kind, |_| {}, None).is_empty(), "nobody asked");
    let aborts = LifecycleRule { abort_uploads_days: Some(7), ..enabled() };
    let handled = |b: &mut BucketFacts| {
        with(3, Some(50 * GIB))(b);
        b.lifecycle = rules(aborts);
    };
    assert!(found(kind, handled, None).is_empty());
}

#[test]
fn dark_bytes() {
    let kind = FindingKind::DarkBytes;
    // CloudWatch says 2 TiB for yesterday, the list of yesterday 1.5.
    let list =
        |gib: u64| scan("one", TreeBuilder::new(&sums(gib, GIB, Tier::Standard, 9)).finish());
    let dark = found(kind, |_| {}, Some(list(1_536)));
    assert_eq!(dark[0].bytes, Some(512 * GIB));
    assert!((usd(&dark).unwrap() - 512.0 * 0.023).abs() < 1e-6);
    assert!(found(kind, |_| {}, Some(list(2_048))).is_empty());
    assert!(found(kind, |_| {}, Some(list(2_040))).is_empty(), "under a hundredth");
    let partial = Scan { partial: Some("cancelled".into()), ..list(1_536) };
    assert!(found(kind, |_| {}, Some(partial)).is_empty(), "half a list shows nothing");
    let long_ago = jiff::SignedDuration::from_hours(24 * 90);
    let old = Scan { listed_at: now() - long_ago, ..list(1_536) };
    assert!(found(kind, |_| {}, Some(old)).is_empty(), "no day of CloudWatch near it");
    assert!(found(kind, |b| b.sizes = unknown(), Some(list(1_536))).is_empty());
    // Overheads are no content.
    let overhead = |b: &mut BucketFacts| {
        let mut more = series("GlacierS3ObjectOverhead", Tier::Standard, TIB, TIB, 40);
        more.is_overhead = true;
        b.sizes.as_mut().unwrap().push(more);
    };
    assert!(found(kind, overhead, Some(list(2_048))).is_empty());
}

#[test]
fn small_objects() {
    let kind = FindingKind::SmallObjects;
    let list = |n, size, tier| scan("one", tree(&[("a/", sums(n, size, tier, 99))], &[]));
    // A million of 8 KiB in Standard-IA are each billed as 128: 120 KiB of nothing.
    let padded = found(kind, |_| {}, Some(list(1_000_000, 8 << 10, Tier::StandardIa)));
    let by_hand = 1e6 * f64::from(120 << 10) / GIB as f64 * 0.0125;
    assert!((usd(&padded).unwrap() - by_hand).abs() < 1e-6, "{padded:?}");
    // Ten million in Deep Archive have 32 KiB at its rate and 8 at Standard's each.
    let indexed = found(kind, |_| {}, Some(list(10_000_000, 8 << 10, Tier::DeepArchive)));
    let by_hand = 1e7 / GIB as f64 * (32_768.0 * 0.000_99 + 8_192.0 * 0.023);
    assert!((usd(&indexed).unwrap() - by_hand).abs() < 1e-3, "{indexed:?}");
    assert!(found(kind, |_| {}, Some(list(1_000_000, 8 << 10, Tier::Standard))).is_empty());
    assert!(found(kind, |_| {}, Some(list(100, 8 << 10, Tier::StandardIa))).is_empty());
    assert!(found(kind, |_| {}, None).is_empty());
}

#[test]
fn abandoned() {
    let kind = FindingKind::Abandoned;
    let list = |age| scan("one", tree(&[("a/", sums(2_048, GIB, Tier::Standard, age))], &[]));
    let old = found(kind, |_| {}, Some(list(500)));
    assert_eq!(usd(&old), None, "whether it is read is not known");
    let FindingReason::Abandoned { since, is_unread: false, costs: Some(costs) } = old[0].reason
    else {
        panic!("{old:?}")
    };
    assert!(since == Unwritten::Newest(500) && (costs - 2_048.0 * 0.023).abs() < 1e-6, "{costs}");
    assert!(found(kind, |_| {}, Some(list(300))).is_empty());
    assert!(found(kind, |b| b.reads_per_month = Some(12.0), Some(list(500))).is_empty());
    let unread = found(kind, |b| b.reads_per_month = Some(0.0), Some(list(500)));
    let is_unread =
        |r: &FindingReason| matches!(r, FindingReason::Abandoned { is_unread: true, .. });
    assert!(is_unread(&unread[0].reason), "{unread:?}");
    // All that it costs: 2 TiB.
    assert!((usd(&unread).unwrap() - 2_048.0 * 0.023).abs() < 1e-6);
    let still = |days: i32| {
        move |b: &mut BucketFacts| {
            b.sizes = Ok(vec![series("StandardStorage", Tier::Standard, TIB, TIB, days)]);
            b.objects = Ok(Some(series("AllStorageTypes", Tier::Unknown, 9e3, 9e3, days)));
        }
    };
    assert_eq!(found(kind, still(100), None).len(), 1);
    assert!(found(kind, still(60), None).is_empty(), "not long enough to tell");
    assert!(found(kind, |_| {}, None).is_empty(), "it grows");
    let counts_unknown = |b: &mut BucketFacts| {
        still(100)(b);
        b.objects = unknown();
    };
    assert!(found(kind, counts_unknown, None).is_empty());
}

#[test]
fn wrong_tier() {
    let kind = FindingKind::WrongTier;
    let list = |age| scan("one", tree(&[("a/", sums(2_048, GIB, Tier::Standard, age))], &[]));
    let cold = found(kind, |_| {}, Some(list(400)));
    // Glacier Instant Retrieval read once in 3 months: 0.023 − 0.004 − 0.03 / 3 per GiB, less
    // 2,048 requests to move.
    let by_hand = 2_048.0 * (0.023 - 0.004 - 0.03 / 3.0);
    assert!((usd(&cold).unwrap() - by_hand).abs() < 0.1, "{cold:?} {by_hand}");
    assert!(matches!(cold[0].reason, FindingReason::WrongTier { reads: None, .. }), "{cold:?}");
    // Read 8 times a month it is where it belongs.
    let hot = |b: &mut BucketFacts| b.reads_per_month = Some(8.0 * 2_048.0);
    assert!(found(kind, hot, Some(list(400))).is_empty());
    assert!(found(kind, |_| {}, None).is_empty(), "sizes and ages are not known");
}

#[test]
fn keys_of_other_people_do_not_reach_the_sentences() {
    let fleet = fleet_of(|f| {
        let list = Arc::make_mut(&mut f.scans[0]);
        let mut pairs = (**list.duplicates.as_ref().unwrap()).clone();
        pairs[0].prefix_b = "a\u{1b}[2Jb\u{202e}/".into();
        list.duplicates = Some(Arc::new(pairs));
    });
    let copies = fleet.findings.iter().filter(|f| f.kind == FindingKind::Duplicates);
    let texts: Vec<String> =
        copies.map(|f| format!("{} {:?}", reasons::storage(&f.reason), f.subject)).collect();
    assert_eq!(texts.len(), 1);
    assert!(!texts[0].contains('\u{1b}') && !texts[0].contains('\u{202e}'), "{texts:?}");
}
