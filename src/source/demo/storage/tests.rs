//! What is planted is there, lists and sums agree, and the page names every case.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::super::places::REGIONS;
use super::super::{DemoOptions, accounts};
use super::*;
use crate::analyze::storage::checkpoints::{RunFold, WholeFold};
use crate::analyze::storage::{Fold, ListInfo};
use crate::domain::storage::{Family, VolumeKind};
use crate::source::inventory::{self, Place};
use crate::source::inventory_s3::StorageFetch;
use crate::source::objects::{Need, Supply as _};
use crate::source::storage::SizeMetric;

/// 2026-11-20, noon.
const NOW: i64 = 1_795_176_000;

fn demo(seed: u64, now: i64) -> Vec<Arc<dyn StorageSource>> {
    let clock = Arc::new(move || Timestamp::from_second(now).unwrap());
    let options = DemoOptions::new(seed, None, clock);
    accounts(&options).into_iter().map(|account| account.storage).collect()
}

async fn buckets(source: &dyn StorageSource) -> Vec<Bucket> {
    source.buckets(&"-".into(), &[]).await.unwrap().buckets
}

/// The account and bucket of a planted name.
async fn find(all: &[Arc<dyn StorageSource>], name: &str) -> (Arc<dyn StorageSource>, Bucket) {
    for source in all {
        for bucket in buckets(&**source).await {
            if bucket.name.starts_with(&format!("acme-{name}-")) {
                return (source.clone(), bucket);
            }
        }
    }
    panic!("no bucket {name}");
}

async fn listed(source: &dyn StorageSource, bucket: &Bucket, what: ListWhat) -> ObjectBatch {
    let region = bucket.scope.region.clone();
    let at = ListPlace { region: &region, bucket: &bucket.name, prefix: "" };
    let (mut batch, mut token) = (ObjectBatch::default(), None);
    loop {
        token = source.objects(at, what, token, &mut batch).await.unwrap();
        if token.is_none() {
            return batch;
        }
    }
}

fn runs_of(batch: &ObjectBatch, now: i64) -> Vec<crate::domain::storage::Run> {
    let columns = ListWhat::Versions.columns();
    let info = ListInfo { bucket: "b".into(), listed_ms: now * 1000, columns };
    let mut fold = RunFold::new(&info);
    fold.take(batch);
    fold.finish().runs
}

#[tokio::test]
async fn forty_buckets_in_three_accounts_all_with_names_of_their_own() {
    let (mut names, mut planted_names) = (BTreeSet::new(), BTreeSet::new());
    for source in demo(7, NOW) {
        let all = buckets(&*source).await;
        assert!(all.len() >= 10, "{}", all.len());
        for bucket in all {
            let region = source.region_of(&bucket.name).await.unwrap();
            assert_eq!(region, bucket.scope.region);
            planted_names.insert(bucket.name.rsplit_once('-').unwrap().0.to_owned());
            assert!(names.insert(bucket.name));
        }
    }
    assert_eq!(names.len(), planted().len() + 21);
    assert!(planted().iter().all(|p| planted_names.contains(&format!("acme-{}", p.name))));
    for source in demo(8, NOW) {
        for bucket in buckets(&*source).await {
            assert!(!names.contains(&bucket.name), "demos of two seeds share {}", bucket.name);
        }
    }
}

#[tokio::test]
async fn one_seed_is_one_demo() {
    let (a, b) = (demo(7, NOW), demo(7, NOW));
    for name in ["ml-checkpoints", "ml-artifacts", "sprawl"] {
        let ((one, bucket), (two, _)) = (find(&a, name).await, find(&b, name).await);
        let (x, y) = (
            listed(&*one, &bucket, ListWhat::Versions).await,
            listed(&*two, &bucket, ListWhat::Versions).await,
        );
        assert!(!x.is_empty());
        assert_eq!((x.keys, x.etags, x.modified_ms), (y.keys, y.etags, y.modified_ms));
    }
}

#[tokio::test]
async fn a_run_of_every_framework_is_found_and_nothing_else() {
    for now in [NOW, NOW + 7 * 3_600, NOW + 5 * 86_400] {
        let all = demo(7, now);
        let (source, bucket) = find(&all, "ml-checkpoints").await;
        let runs = runs_of(&listed(&*source, &bucket, ListWhat::Objects).await, now);
        let found: BTreeSet<&str> = runs.iter().map(|r| r.prefix.trim_end_matches('/')).collect();
        assert_eq!(found, runs::directories().collect());
        let active: BTreeSet<&str> = runs.iter().filter(|r| r.active).map(|r| &*r.prefix).collect();
        assert_eq!(active, ["llm/pretrain/70b-b/", "nemo/gpt-1b/checkpoints/"].into());
        let families: BTreeSet<Family> = runs.iter().map(|r| r.family).collect();
        assert_eq!(families.len(), 11);
        let wrecks: Vec<&str> = runs
            .iter()
            .filter(|r| r.steps.last().is_some_and(|s| !s.complete))
            .map(|r| r.family.word())
            .collect();
        assert_eq!(wrecks.len(), 3, "{wrecks:?}");
    }
}

#[tokio::test]
async fn what_cloudwatch_adds_up_is_what_lists_show_and_uploads() {
    for source in demo(7, NOW) {
        for bucket in buckets(&*source).await {
            if bucket.name.contains("inventory-") || bucket.name.contains("legal-hold") {
                continue;
            }
            let region = &bucket.scope.region;
            let mine = source.size_series(region, None).await.unwrap().items;
            let mine: Vec<SizeSeries> = mine
                .into_iter()
                .filter(|s| s.bucket == bucket.name && s.metric == SizeMetric::Bytes)
                .filter(|s| !s.dimension.contains("Overhead"))
                .collect();
            let today = day_of(Timestamp::from_second(NOW).unwrap());
            let days = today.yesterday().unwrap()..today.tomorrow().unwrap();
            let answers = source.size_data(region, &mine, days).await.unwrap();
            let billed: f64 = answers
                .iter()
                .map(|a| {
                    // Today is not over: CloudWatch has nothing of it.
                    assert_eq!(a.points.len(), 1, "{}", bucket.name);
                    a.points[0].1
                })
                .sum();
            let rows = listed(&*source, &bucket, ListWhat::Versions).await;
            let shown: u64 = rows.sizes.iter().sum();
            let at = ListPlace { region, bucket: &bucket.name, prefix: "" };
            let (uploads, _) = source.uploads(at, None).await.unwrap();
            let mut dark = 0;
            for upload in &uploads {
                dark += source.upload_bytes(region, &bucket.name, upload).await.unwrap();
            }
            assert_eq!(billed as u64, shown + dark, "{}", bucket.name);
        }
    }
}

#[tokio::test]
async fn histories_show_how_buckets_came_to_their_size() {
    let all = demo(7, NOW);
    let today = day_of(Timestamp::from_second(NOW).unwrap());
    let bytes = async |name: &str, ago: i32| -> f64 {
        let (source, bucket) = find(&all, name).await;
        let series = source.size_series(&bucket.scope.region, None).await.unwrap().items;
        let series: Vec<SizeSeries> = series
            .into_iter()
            .filter(|s| s.bucket == bucket.name && &*s.dimension == "StandardStorage")
            .collect();
        let day = today - jiff::Span::new().days(ago);
        let days = day..day.tomorrow().unwrap();
        let points = source.size_data(&bucket.scope.region, &series, days).await.unwrap();
        points[0].points[0].1
    };
    let ratio = bytes("sprawl", 1).await / bytes("sprawl", 61).await;
    assert!((ratio - 2.0).abs() < 0.01, "{ratio}");
    assert!(
        (bytes("old-experiments-2023", 1).await - bytes("old-experiments-2023", 300).await).abs()
            < 1.0
    );
    let jump = bytes("ml-datasets", 300).await / bytes("ml-datasets", 1).await;
    assert!((jump - 0.55).abs() < 0.01, "{jump}");
}

#[tokio::test]
async fn a_day_has_one_size_whenever_it_is_asked_about() {
    let day = day_of(Timestamp::from_second(NOW + 20 * 86_400).unwrap());
    let days = day - jiff::Span::new().days(60)..day;
    let read = async |now: i64| {
        let mut out = Vec::new();
        for source in demo(7, now) {
            for region in BUCKET_REGIONS {
                let region: Arc<str> = region.into();
                let series = source.size_series(&region, None).await.unwrap().items;
                let answers = source.size_data(&region, &series, days.clone()).await.unwrap();
                out.extend(answers.into_iter().map(|a| (series[a.query].bucket.clone(), a.points)));
            }
        }
        out
    };
    let (first, later) = (read(NOW + 20 * 86_400).await, read(NOW + 31 * 86_400 + 7_200).await);
    assert_eq!(first, later);
    let grows = |name: &str| {
        let (_, points) = first.iter().find(|(bucket, _)| bucket.contains(name)).unwrap();
        assert_eq!(points.len(), 60);
        points[59].1 / points[0].1
    };
    assert!((grows("sprawl") - (59.0_f64 / 60.0).exp2()).abs() < 1e-3);
}

#[tokio::test]
async fn what_is_downloaded_is_what_is_read_of_objects_of_the_mean_size() {
    let all = demo(7, NOW);
    let (source, bucket) = find(&all, "eval-cache").await;
    let region = &bucket.scope.region;
    assert!(REGIONS.iter().all(|r| *r.code != **region), "nothing runs in {region}");
    let is_read = |s: &SizeSeries| s.bucket == bucket.name && &*s.dimension == "EntireBucket";
    let series = source.size_series(region, None).await.unwrap().items;
    let series: Vec<SizeSeries> = series.into_iter().filter(is_read).collect();
    let metrics: Vec<SizeMetric> = series.iter().map(|s| s.metric).collect();
    assert_eq!(metrics, [SizeMetric::Reads, SizeMetric::Downloads]);
    let today = day_of(Timestamp::from_second(NOW).unwrap());
    let answers = source.size_data(region, &series, today.yesterday().unwrap()..today).await;
    let (reads, bytes) = match &answers.unwrap()[..] {
        [reads, bytes] => (reads.points[0].1, bytes.points[0].1),
        other => panic!("{other:?}"),
    };
    // A quarter of 1,200 objects a day, more or less, on a Thursday.
    assert!((240.0..=360.0).contains(&reads), "{reads}");
    let rows = listed(&*source, &bucket, ListWhat::Objects).await;
    let mean = rows.sizes.iter().sum::<u64>() as f64 / rows.len() as f64;
    // The list is of a day on which objects have two thirds of their size at least.
    assert!((0.66..=1.51).contains(&(bytes / reads / mean)), "{bytes} of {reads} of {mean}");
}

#[tokio::test]
async fn an_inventory_is_delivered_as_s3_does_and_says_what_a_list_says() {
    let all = demo(7, NOW);
    for name in ["ml-checkpoints", "ml-datasets", "ml-artifacts", "video-raw"] {
        let (source, bucket) = find(&all, name).await;
        let config = source.config(&bucket).await;
        let location = config.inventories.unwrap()[0].location.clone();
        let (to, key) = location.strip_prefix("s3://").unwrap().split_once('/').unwrap();
        let region = source.region_of(to).await.unwrap();
        let fetch = StorageFetch {
            source: source.clone(),
            region,
            bucket: to.into(),
            ledger: None,
            now: Timestamp::now,
        };
        let place =
            Place::Remote { bucket: to.into(), key: format!("{key}/"), fetch: Arc::new(fetch) };
        let inventory = inventory::open(&place).await.unwrap();
        assert!(inventory.notes.is_empty(), "{:?}", inventory.notes);
        let manifest = inventory.manifest.clone();
        assert_eq!(manifest.bucket, *bucket.name);
        let info = ListInfo {
            bucket: bucket.name.clone(),
            listed_ms: manifest.created_ms,
            columns: manifest.schema.columns(),
        };
        let pieces = inventory.pieces(Need::ALL, b"");
        let folded = tokio::task::spawn_blocking(move || {
            let mut whole = WholeFold::new(&info);
            while let Some(piece) = pieces.next() {
                piece
                    .unwrap()
                    .read(&mut |batch, _| {
                        whole.take(batch);
                        std::ops::ControlFlow::Continue(())
                    })
                    .unwrap();
            }
            whole
        })
        .await
        .unwrap();
        let rows = listed(&*source, &bucket, ListWhat::Versions).await;
        let sums = folded.sums();
        assert_eq!(sums.all_bytes(), rows.sizes.iter().sum::<u64>(), "{name}");
        assert_eq!(sums.all_objects() + sums.delete_markers, rows.len() as u64);
        assert_eq!(sums.malformed, 0);
        let is_versioned = name == "ml-artifacts";
        let versioning = folded.versioning().unwrap();
        assert_eq!(versioning != crate::domain::storage::Versioning::Off, is_versioned);
    }
}

#[tokio::test]
async fn a_bucket_that_denies_says_so_and_shows_its_size_alone() {
    let all = demo(7, NOW);
    let (source, bucket) = find(&all, "legal-hold-archive").await;
    let config = source.config(&bucket).await;
    assert!(config.tags.is_err() && config.lifecycle.is_err() && !config.gone);
    let region = &bucket.scope.region;
    let at = ListPlace { region, bucket: &bucket.name, prefix: "" };
    let refused = source.objects(at, ListWhat::Objects, None, &mut ObjectBatch::default()).await;
    assert_eq!(refused.unwrap_err().kind, ErrorKind::Denied);
    let series = source.size_series(region, None).await.unwrap().items;
    assert!(series.iter().any(|s| s.bucket == bucket.name));
}

#[tokio::test]
async fn volumes_are_those_of_the_instances_and_the_planted_ones() {
    let (mut loose, mut kinds, mut stopped_volumes) = (0, BTreeSet::new(), 0);
    for source in demo(7, NOW) {
        for region in REGIONS.iter().map(|r| Arc::<str>::from(r.code)) {
            let account = ACCOUNTS.iter().find(|a| a.label == source.label()).unwrap().id;
            let scope = Scope::new(account, region.clone());
            let volumes = source.volumes(&scope, None).await.unwrap();
            assert!(volumes.next().is_none());
            let stopped = source.stopped(&region, None).await.unwrap().items;
            let ids: BTreeSet<&str> = volumes.items.iter().map(|v| &*v.id).collect();
            assert_eq!(ids.len(), volumes.items.len());
            for volume in &volumes.items {
                kinds.insert(volume.kind.api());
                loose += usize::from(volume.attachments.is_empty());
                stopped_volumes += volume
                    .attachments
                    .iter()
                    .filter(|a| stopped.iter().any(|s| s.id == a.instance))
                    .count();
            }
            let snapshots = source.snapshots(&scope, None).await.unwrap().items;
            let planted = KEPT.iter().filter(|s| {
                ACCOUNTS[s.place.0].id == account && REGIONS[s.place.1].code == &*region
            });
            assert!(snapshots.len() >= planted.count());
            for image in source.images(&region, None).await.unwrap().items {
                assert!(image.snapshots.iter().all(|id| snapshots.iter().any(|s| s.id == *id)));
            }
        }
    }
    assert_eq!(loose, LOOSE.len());
    assert!(stopped_volumes > 0);
    assert!(["gp2", "gp3", "io2"].iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    assert!(LOOSE.iter().any(|v| v.kind == VolumeKind::Gp2 && v.gib > 1_000));
}

#[test]
fn the_page_lists_every_planted_case() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/demo.md");
    let page = std::fs::read_to_string(path).unwrap();
    let planted_buckets = planted();
    let rows = planted_buckets
        .iter()
        .filter(|p| !p.what.is_empty())
        .map(|p| (&*p.name, p.what))
        .chain(LOOSE.iter().map(|v| (v.name, v.what)))
        .chain(KEPT.iter().map(|s| (s.name, s.what)));
    for (name, what) in rows {
        assert!(page.contains(&format!("| `{name}` | {what} |")), "{name}: {what}");
    }
}
