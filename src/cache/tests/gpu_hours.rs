//! Hours of GPUs: round trips, damage, clocks, age.

use std::collections::BTreeMap;

use super::*;
use crate::cache::checksum::checksum;
use crate::cache::schema;
use crate::domain::{GpuHour, GpuIdentity, Mig, Rung, SourceId};

fn identity(uuid: &str, slice: Option<u32>) -> Arc<GpuIdentity> {
    Arc::new(GpuIdentity {
        uuid: Some(uuid.into()),
        mig: slice.map(|gpu_instance| Mig { gpu_instance, profile: "1g.10gb".into() }),
        index: Some(3),
        model: "NVIDIA H100 80GB HBM3".into(),
        ..GpuIdentity::default()
    })
}

fn gpu(identity: Arc<GpuIdentity>, mean: f32, max: f32) -> GpuHour {
    GpuHour { identity, mean, max, samples: 120, rung: Rung::A }
}

fn hours(origin: &str, hour: i32, gpus: Vec<GpuHour>) -> Arc<GpuHours> {
    let (source, origin) = (SourceId::Prometheus, origin.into());
    Arc::new(GpuHours { source, origin, hour: Hour(hour), gpus })
}

/// The hour that runs at `now`.
fn running() -> i32 {
    Hour::containing(now()).0
}

#[tokio::test]
async fn hours_of_gpus_survive_reopening_to_a_thousandth_of_a_percent() {
    let place = Place::new();
    let cache = place.open_quietly();
    let h = running() - 2;
    let (a, b) = (identity("GPU-a", None), identity("GPU-b", Some(7)));
    let told = [gpu(a.clone(), 0.031_41, 0.5), gpu(b.clone(), 0.0, 1.0)];
    cache.store_gpu_hours(hours("main", h, told.to_vec())).await;
    cache.store_gpu_hours(hours("main", h - 1, vec![])).await;
    cache.store_gpu_hours(hours("other/one", h, vec![gpu(a.clone(), f32::NAN, 7.0)])).await;
    cache.close().await;

    let cache = place.open_quietly();
    let found = cache.load_gpu_hours(range(h - 10, h + 1)).await;
    let keys: Vec<_> = found.iter().map(|f| (&*f.origin, f.hour.0, f.gpus.len())).collect();
    assert_eq!(keys, [("main", h, 2), ("other/one", h, 1), ("main", h - 1, 0)]);
    for (want, got) in told.iter().zip(&found[0].gpus) {
        assert_eq!((&want.identity, want.samples, want.rung), (&got.identity, 120, got.rung));
        assert!((want.mean - got.mean).abs() < 1e-5 && (want.max - got.max).abs() < 1e-5);
    }
    // The ends are exact: nothing is not almost nothing.
    assert_eq!(
        (found[0].gpus[1].mean.to_bits(), found[0].gpus[1].max.to_bits()),
        (0, 1.0_f32.to_bits())
    );
    // What made no sense is kept as what made no sense.
    let odd = &found[1].gpus[0];
    assert!(odd.mean.is_infinite() && odd.max.is_infinite());
    assert!(cache.load_gpu_hours(range(h + 1, h + 9)).await.is_empty());
}

#[tokio::test]
async fn a_later_answer_replaces_the_hour() {
    let place = Place::new();
    let cache = place.open_quietly();
    let (h, a) = (running() - 1, identity("GPU-a", None));
    cache.store_gpu_hours(hours("main", h, vec![gpu(a.clone(), 0.1, 0.2)])).await;
    cache.store_gpu_hours(hours("main", h, vec![gpu(a, 0.5, 1.0)])).await;
    let found = cache.load_gpu_hours(range(h, h + 1)).await;
    assert_eq!(found.len(), 1);
    assert!((found[0].gpus[0].mean - 0.5).abs() < 1e-5);
}

#[tokio::test]
async fn damaged_hours_and_foreign_sources_are_absent() {
    let place = Place::new();
    let cache = place.open_quietly();
    let (h, a) = (running() - 5, identity("GPU-a", None));
    for i in 0..4 {
        cache.store_gpu_hours(hours("main", h + i, vec![gpu(a.clone(), 0.1, 0.2)])).await;
    }
    sql(
        &cache,
        "UPDATE gpu_hour SET data = x'01000000' || data WHERE hour % 4 = 0;
         UPDATE gpu_hour SET data = x'' WHERE hour % 4 = 1;
         UPDATE gpu_hour SET source = 'tea/leaves' WHERE hour % 4 = 2;",
    )
    .await;
    let found = cache.load_gpu_hours(range(h, h + 4)).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].hour.0.rem_euclid(4), 3);
}

#[tokio::test]
async fn an_hour_that_has_not_ended_is_not_believed() {
    let place = Place::new();
    let cache = place.open_quietly();
    let (h, a) = (running(), identity("GPU-a", None));
    for hour in [h - 1, h, h + 100] {
        cache.store_gpu_hours(hours("main", hour, vec![gpu(a.clone(), 0.0, 0.0)])).await;
    }
    cache.close().await;
    let (cache, notices) = place.open();
    assert!(
        matches!(&notices[..], [CacheNotice::FromFuture { what, .. }] if &**what == "GPU hours")
    );
    let found = cache.load_gpu_hours(range(h - 9, h + 999)).await;
    assert_eq!(found.iter().map(|f| f.hour.0).collect::<Vec<_>>(), [h - 1]);
}

#[tokio::test]
async fn old_hours_go_with_the_gpus_that_only_they_knew() {
    let place = Place::new();
    let cache = place.open_quietly();
    let h = running() - 1;
    cache
        .store_gpu_hours(hours("main", h - 40 * 24, vec![gpu(identity("GPU-old", None), 0.1, 0.2)]))
        .await;
    cache.store_gpu_hours(hours("main", h, vec![gpu(identity("GPU-new", None), 0.1, 0.2)])).await;
    assert_eq!(cache.maintain(now()).await.dropped_gpu_hours, 1);
    let left = cache
        .call(|store| {
            store
                .run(|c| c.query_row("SELECT count(*) FROM gpu_device", [], |r| r.get::<_, i64>(0)))
        })
        .await
        .flatten();
    assert_eq!(left, Some(1));
    assert_eq!(cache.load_gpu_hours(range(0, h + 1)).await.len(), 1);
}

#[tokio::test]
async fn a_cache_of_an_older_layout_keeps_the_hours_that_nobody_could_tell_again() {
    for version in 1..=4 {
        let place = Place::new();
        std::fs::create_dir_all(place.path.parent().unwrap()).unwrap();
        let old = rusqlite::Connection::open(&place.path).unwrap();
        for step in &schema::CACHE.migrations[..version] {
            old.execute_batch(step).unwrap();
        }
        old.execute("INSERT INTO fact VALUES ('names', 'a', 'b', 1, 1, x'00')", []).unwrap();
        let h = running() - 1;
        if version >= 2 {
            let device = postcard::to_stdvec(&*identity("GPU-a", None)).unwrap();
            let source = format!("{}/main", SourceId::Prometheus.word());
            old.execute(
                "INSERT INTO gpu_device VALUES (7, ?3, ?1, ?2)",
                rusqlite::params![device, h, source],
            )
            .unwrap();
            // Layout, the number, mean, maximum, samples, rung.
            let blob = [1, 7, 0, 0, 0, 0, 0xfe, 0xff, 9, 0, 0];
            for (hour, sum) in [(h, checksum(&blob)), (h - 1, 5)] {
                old.execute(
                    "INSERT INTO gpu_hour VALUES (?1, ?4, ?2, ?3)",
                    rusqlite::params![hour, sum, blob, source],
                )
                .unwrap();
            }
        }
        if version >= 4 {
            let seen = BTreeMap::from([(Arc::<str>::from("p5.48xlarge"), 3_u64)]);
            let blob = postcard::to_stdvec(&seen).unwrap();
            old.execute(
                "INSERT INTO fleet_hour VALUES (?1, 'a', 'b', 2, ?2, ?3)",
                rusqlite::params![h, checksum(&blob), blob],
            )
            .unwrap();
        }
        old.pragma_update(None, "application_id", schema::CACHE.application_id).unwrap();
        old.pragma_update(None, "user_version", version as i32).unwrap();
        drop(old);
        let cache = place.open_quietly();
        cache.checked().await;
        let found = cache.load_gpu_hours(range(h - 9, h + 1)).await;
        assert_eq!(found.len(), usize::from(version >= 2), "of {version}, whole ones");
        assert!(found.iter().all(|f| f.hour.0 == h && f.gpus[0].samples == 9));
        let seen = cache.load_fleet_hours(range(h - 9, h + 1)).await;
        assert_eq!(seen.len(), usize::from(version >= 4));
        assert!(seen.iter().all(|s| s.looks == 2));
        let later = h - 2;
        cache
            .store_gpu_hours(hours("main", later, vec![gpu(identity("GPU-b", None), 0.1, 0.2)]))
            .await;
        assert_eq!(cache.load_gpu_hours(range(later, later + 1)).await.len(), 1);
        put_names(&cache, &["a"]).await;
        assert_eq!(names(&cache).await, Some(vec!["a".to_owned()]));
        assert_eq!(cache.take_notices(), []);
        cache.close().await;
        place.open_quietly().close().await;
    }
}
