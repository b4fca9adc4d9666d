//! Series: merging, fetched ranges, cutting.

use super::*;
use crate::domain::MALFORMED;

const CPU: Signal = Signal::CpuMax;

/// An hour in the middle of a day, so that ranges cross midnight.
const H: i32 = 480_000 + 20;

#[tokio::test]
async fn a_series_survives_reopening() {
    let place = Place::new();
    let cache = place.open_quietly();
    let hours: Vec<f32> = (0..60_u8).map(f32::from).collect();
    cache
        .store_series(vec![
            write("i-1", CPU, H, &hours),
            write("i-1", Signal::GpuMax(7), H, &[MALFORMED, f32::NAN, 0.0]),
        ])
        .await;
    cache.close().await;

    let cache = place.open_quietly();
    let all = values(&cache, "i-1", CPU, range(H, H + 60)).await;
    assert_eq!(all, (0..60_u8).map(|v| Some(f32::from(v))).collect::<Vec<_>>());
    let gpu = values(&cache, "i-1", Signal::GpuMax(7), range(H, H + 3)).await;
    assert_eq!(gpu, [Some(MALFORMED), None, Some(0.0)]);
    let stats = cache.stats().await;
    assert_eq!((stats.series, stats.chunks), (2, 5), "60 hours from 20 o'clock touch four days");
}

#[tokio::test]
async fn loading_cuts_to_the_range() {
    let place = Place::new();
    let cache = place.open_quietly();
    cache.store_series(vec![write("i-1", CPU, H, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]).await;
    assert_eq!(
        values(&cache, "i-1", CPU, range(H - 2, H + 2)).await,
        [None, None, Some(1.0), Some(2.0)]
    );
    assert_eq!(
        values(&cache, "i-1", CPU, range(H + 3, H + 8)).await,
        [Some(4.0), Some(5.0), Some(6.0), None, None]
    );
    assert_eq!(values(&cache, "i-1", CPU, range(H + 100, H + 102)).await, [None, None]);
    assert_eq!(values(&cache, "i-1", CPU, range(H + 2, H + 2)).await, []);
}

#[tokio::test]
async fn looked_at_and_empty_differs_from_never_looked_at() {
    let place = Place::new();
    let cache = place.open_quietly();
    cache.store_series(vec![write("i-1", CPU, H, &[f32::NAN; 30])]).await;
    let ids: Vec<Arc<str>> = vec!["i-1".into(), "i-2".into()];
    let sets = cache.load_series(ids.clone(), range(H, H + 30)).await;
    assert_eq!(sets.len(), 1, "i-2 was never asked about");
    let set = &sets["i-1"];
    assert_eq!(set.get(CPU).unwrap().got(range(H, H + 30)), 0);
    assert!(set.get(Signal::CpuMean).is_none());
    let room = cache
        .call(|store| {
            let sql = "SELECT count(*), sum(length(data)) FROM chunk";
            store.run(|c| c.query_row(sql, [], |r| Ok((r.get::<_, i64>(0)?, r.get::<_, i64>(1)?))))
        })
        .await
        .flatten();
    let days = i64::from((H + 29).div_euclid(24) - H.div_euclid(24) + 1);
    assert_eq!(room, Some((days, 0)), "a day that was asked about has its row; absence no bytes");
    let fetched = cache.fetched(ids).await;
    assert_eq!(fetched.len(), 1);
    assert_eq!(fetched[&("i-1".into(), CPU)], range(H, H + 30));
}

#[tokio::test]
async fn datapoints_replace_and_absence_does_not() {
    let place = Place::new();
    let cache = place.open_quietly();
    cache.store_series(vec![write("i-1", CPU, H, &[1.0, 2.0, f32::NAN])]).await;
    cache.store_series(vec![write("i-1", CPU, H, &[f32::NAN, 5.0, 6.0])]).await;
    assert_eq!(
        values(&cache, "i-1", CPU, range(H, H + 3)).await,
        [Some(1.0), Some(5.0), Some(6.0)]
    );
}

#[tokio::test]
async fn fetched_ranges_grow_without_holes() {
    let place = Place::new();
    let cache = place.open_quietly();
    let fetched = async || cache.fetched(vec!["i-1".into()]).await[&("i-1".into(), CPU)];
    let store = async |from: i32, to: i32| {
        let hours = vec![1.0; usize::try_from(to - from).unwrap()];
        cache.store_series(vec![write("i-1", CPU, from, &hours)]).await;
    };
    store(H, H + 10).await;
    assert_eq!(fetched().await, range(H, H + 10));
    store(H + 10, H + 12).await;
    assert_eq!(fetched().await, range(H, H + 12), "touching at the end");
    store(H - 5, H).await;
    assert_eq!(fetched().await, range(H - 5, H + 12), "touching at the start");
    store(H, H + 3).await;
    assert_eq!(fetched().await, range(H - 5, H + 12), "inside");
    store(H + 13, H + 15).await;
    assert_eq!(fetched().await, range(H + 13, H + 15), "a gap: the later range counts");
    assert_eq!(
        values(&cache, "i-1", CPU, range(H + 11, H + 14)).await,
        [None, None, Some(1.0)],
        "what is outside the fetched range is not shown as known"
    );
    store(H - 9, H - 8).await;
    assert_eq!(fetched().await, range(H + 13, H + 15), "an earlier range with a gap is ignored");
    store(H + 12, H + 13).await;
    assert_eq!(fetched().await, range(H + 12, H + 15));
}

#[tokio::test]
async fn an_empty_write_claims_nothing() {
    let place = Place::new();
    let cache = place.open_quietly();
    cache.store_series(vec![write("i-1", CPU, H, &[])]).await;
    assert!(cache.fetched(vec!["i-1".into()]).await.is_empty());
}

#[tokio::test]
async fn claims_on_the_future_are_given_up() {
    let place = Place::new();
    let cache = place.open_quietly();
    let running = Hour::containing(now()).0;
    cache
        .store_series(vec![
            write("i-1", CPU, running - 3, &[1.0; 30]),
            write("i-2", CPU, running + 3, &[1.0; 3]),
            write("i-3", CPU, running - 3, &[1.0; 3]),
        ])
        .await;
    cache.close().await;
    let (cache, notices) = place.open();
    assert!(
        matches!(&notices[..], [CacheNotice::FromFuture { what, .. }] if what == "metrics"),
        "{notices:?}"
    );
    let fetched = cache.fetched(vec!["i-1".into(), "i-2".into(), "i-3".into()]).await;
    assert_eq!(fetched.len(), 2);
    assert_eq!(fetched[&("i-1".into(), CPU)], range(running - 3, running));
    assert_eq!(fetched[&("i-3".into(), CPU)], range(running - 3, running));
}

#[tokio::test]
async fn many_series_in_one_call() {
    let place = Place::new();
    let cache = place.open_quietly();
    let ids: Vec<Arc<str>> = (0..1_200).map(|n| format!("i-{n}").into()).collect();
    let writes = ids.iter().enumerate().map(|(n, id)| write(id, CPU, H, &[n as f32; 30])).collect();
    cache.store_series(writes).await;
    let sets = cache.load_series(ids.clone(), range(H, H + 30)).await;
    assert_eq!(sets.len(), 1_200);
    for (n, id) in ids.iter().enumerate() {
        let series = sets[id].get(CPU).unwrap();
        assert!(series.values.iter().all(|v| v.to_bits() == (n as f32).to_bits()));
    }
}
