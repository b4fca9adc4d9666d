//! The size bound, eviction and clearing.

use std::fs;

use jiff::SignedDuration;

use super::read_summary_sync;
use super::*;

const CPU: Signal = Signal::CpuMax;

/// Hours of `days` whole days that end with the hour now running.
fn days_before_now(days: i32) -> (i32, Vec<f32>) {
    let to = Hour::containing(now()).0;
    (to - days * 24, vec![50.0; usize::try_from(days * 24).unwrap()])
}

async fn fill(cache: &Cache, instances: usize, days: i32) {
    let (start, hours) = days_before_now(days);
    let writes = (0..instances).map(|n| write(&format!("i-{n:04}"), CPU, start, &hours)).collect();
    cache.store_series(writes).await;
}

#[tokio::test]
async fn the_oldest_days_go_and_the_file_shrinks() {
    let place = Place::new();
    let options = OpenOptions { max_bytes: 2 << 20, ..place.options() };
    let (cache, _) = Cache::open(options, now());
    fill(&cache, 500, 60).await;
    put_names(&cache, &["kept"]).await;
    let before = cache.stats().await;

    let done = cache.maintain(now()).await;
    let after = cache.stats().await;
    assert!(done.bytes_before > 3 << 20, "{done:?}");
    assert!(done.bytes_after <= 2 << 20, "{done:?}");
    assert_eq!(after.chunks, before.chunks - done.evicted_days);
    assert!(after.file_bytes <= 2 << 20, "the file itself shrank: {after:?}");
    assert_eq!(after.wal_bytes, 0);
    assert_eq!(after.newest_day, before.newest_day);
    assert!(after.oldest_day > before.oldest_day);
    assert_eq!(names(&cache).await.unwrap(), ["kept"]);
    assert_eq!(cache.take_notices(), []);

    // Evicted hours are no longer claimed, and what is claimed is still there.
    let to = Hour::containing(now()).0;
    let id: Arc<str> = "i-0007".into();
    let claimed = cache.fetched(vec![Arc::clone(&id)]).await[&(Arc::clone(&id), CPU)];
    let oldest_day = after.oldest_day.unwrap();
    assert_eq!(claimed.to, Hour(to));
    assert_eq!(claimed.from.start().to_zoned(jiff::tz::TimeZone::UTC).date(), oldest_day);
    assert_eq!(claimed.from.0 % 24, 0);
    let set = cache.load_series(vec![Arc::clone(&id)], range(to - 60 * 24, to)).await;
    assert_eq!(set[&id].get(CPU).unwrap().got(range(to - 60 * 24, to)), claimed.len());

    assert_eq!(cache.maintain(now()).await.evicted_days, 0, "once is enough");
}

#[tokio::test]
async fn what_the_presets_need_is_never_evicted() {
    let place = Place::new();
    let options = OpenOptions { max_bytes: 64 << 10, ..place.options() };
    let (cache, _) = Cache::open(options, now());
    fill(&cache, 300, 40).await;
    cache.maintain(now()).await;
    let to = Hour::containing(now()).0;
    for id in ["i-0000", "i-0299"] {
        let all = values(&cache, id, CPU, range(to - 336, to)).await;
        assert!(all.iter().all(Option::is_some), "14 days stay");
    }
    assert_eq!(cache.stats().await.chunks, 300 * 16, "15 days and the one that runs");
    let notices = cache.take_notices();
    assert!(
        matches!(notices[..], [CacheNotice::OverLimit { max_bytes: 65_536, .. }]),
        "{notices:?}"
    );
}

#[tokio::test]
async fn instances_long_gone_are_dropped_and_recent_ones_stay() {
    let place = Place::new();
    let cache = place.open_quietly();
    let to = Hour::containing(now()).0;
    cache
        .store_series(vec![
            write("i-now", CPU, to - 24, &[1.0; 24]),
            write("i-two-weeks", CPU, to - 15 * 24, &[1.0; 24]),
            write("i-gone", CPU, to - 40 * 24, &[1.0; 24]),
        ])
        .await;
    let done = cache.maintain(now()).await;
    assert_eq!(done.dropped_series, 1);
    let left = cache.fetched(vec!["i-now".into(), "i-two-weeks".into(), "i-gone".into()]).await;
    assert_eq!(left.len(), 2);
    assert!(!left.contains_key(&("i-gone".into(), CPU)));
    assert_eq!(cache.stats().await.chunks, 4, "its chunks went with it");
}

#[tokio::test]
async fn a_clock_that_runs_years_ahead_empties_nothing() {
    let place = Place::new();
    let cache = place.open_quietly();
    fill(&cache, 3, 10).await;
    put_names(&cache, &["kept"]).await;
    let far = now() + SignedDuration::from_hours(24 * 365 * 5);
    let done = cache.maintain(far).await;
    assert_eq!((done.dropped_series, done.evicted_days, done.dropped_facts), (0, 0, 0));
    assert_eq!(cache.stats().await.series, 3);
    assert_eq!(names(&cache).await.unwrap(), ["kept"]);
}

#[tokio::test]
async fn facts_nobody_renews_are_dropped() {
    let place = Place::new();
    let cache = place.open_quietly();
    let old = Scope::new("999999999999", "eu-west-1");
    put_names_of(&cache, &old, now() - SignedDuration::from_hours(121 * 24), &["old"]).await;
    let month = Scope::new("999999999999", "eu-west-2");
    put_names_of(&cache, &month, now() - SignedDuration::from_hours(30 * 24), &["month"]).await;
    put_names(&cache, &["new"]).await;
    assert_eq!(cache.maintain(now()).await.dropped_facts, 1);
    let left = cache.all::<Vec<String>>(NAMES, now()).await;
    assert_eq!(left.len(), 2);
    assert!(left.iter().all(|(s, _)| *s != old));
}

#[tokio::test]
async fn the_summaries_written_last_are_kept() {
    let place = Place::new();
    let cache = place.open_quietly();
    for n in (0..24).chain([2]) {
        cache.put_summary(&format!("fleet {n}"), vec![n]).await;
    }
    cache.maintain(now()).await;
    let kept: Vec<u8> = (0..24)
        .filter_map(|n| read_summary_sync(&place.path, &format!("fleet {n}")))
        .flatten()
        .collect();
    assert_eq!(kept[..2], [2, 5], "2 was renewed, 0, 1, 3 and 4 are old");
    assert_eq!(kept.len(), 20);
}

#[tokio::test]
async fn clearing_keeps_the_ledger_and_frees_the_disk() {
    use crate::source::ledger::{BilledApi, Ledger};
    let place = Place::new();
    let cache = place.open_quietly();
    fill(&cache, 500, 30).await;
    put_names(&cache, &["a"]).await;
    cache.put_summary("fleet", b"x".to_vec()).await;
    let ledger = Ledger::new(cache.clone(), 1_000_000);
    ledger.charge(BilledApi::GetMetricData, 500, now()).await.unwrap();
    assert!(cache.stats().await.series == 500);

    assert!(cache.clear().await);
    let stats = cache.stats().await;
    assert_eq!((stats.series, stats.chunks, stats.facts.len()), (0, 0, 0));
    assert_eq!(stats.oldest_day, None);
    assert!(stats.file_bytes < 100_000, "{stats:?}");
    assert_eq!(names(&cache).await, None);
    assert_eq!(read_summary_sync(&place.path, "fleet"), None);
    assert_eq!(ledger.today(now()).await.unwrap().micro_usd, 5_000);
    fill(&cache, 1, 1).await;
    assert_eq!(cache.stats().await.series, 1, "usable after clearing");
}

#[tokio::test]
async fn stats_say_what_there_is() {
    let place = Place::new();
    let cache = place.open_quietly();
    let to = Hour::containing(now()).0;
    cache.store_series(vec![write("i-1", CPU, to - 36, &[1.0; 36])]).await;
    put_names(&cache, &["ab"]).await;
    cache.put(FactKind::new("a-kind", 3), &scope(), now(), &7_u8).await;
    let stats = cache.stats().await;
    assert_eq!(stats.path, place.path);
    assert_eq!((stats.series, stats.chunks), (1, 2));
    assert_eq!(stats.oldest_day.unwrap().to_string(), "2026-07-14");
    assert_eq!(stats.newest_day.unwrap().to_string(), "2026-07-15");
    let kinds: Vec<_> = stats.facts.iter().map(|f| (f.kind.as_str(), f.count, f.bytes)).collect();
    // postcard: a length byte for the list, one for the text, two letters.
    assert_eq!(kinds, [("a-kind", 1, 1), ("names", 1, 4)]);
    assert_eq!(stats.facts[0].newest, Some(now()));
    assert!(!stats.memory_only);
    assert!(stats.wal_bytes > 0);
    assert_eq!(stats.file_bytes, fs::metadata(&place.path).unwrap().len());
}
