//! Daily figures of buckets: round trips, damage, clocks, age.

use super::*;
use crate::cache::BucketSize;

fn today() -> i32 {
    Hour::containing(now()).day()
}

fn size(bucket: &str, fetched_to: i32, values: &[f64]) -> BucketSize {
    BucketSize {
        bucket: bucket.into(),
        metric: "bytes".into(),
        dimension: "StandardStorage".into(),
        first_day: fetched_to - values.len() as i32,
        fetched_to,
        values: values.to_vec(),
    }
}

#[tokio::test]
async fn sizes_survive_reopening_to_the_bit_with_their_gaps() {
    let place = Place::new();
    let cache = place.open_quietly();
    let values = [0.0, f64::NAN, 1.5e15, 3.25];
    let elsewhere = Scope::new("123456789012", "eu-west-1");
    cache.store_bucket_sizes(&scope(), vec![size("a", today(), &values)]).await;
    cache.store_bucket_sizes(&elsewhere, vec![size("a", today(), &[7.0])]).await;
    // The same series again takes its place.
    cache.store_bucket_sizes(&scope(), vec![size("b", today(), &[1.0])]).await;
    cache.store_bucket_sizes(&scope(), vec![size("b", today(), &[2.0])]).await;
    cache.close().await;

    let cache = place.open_quietly();
    let mut found = cache.load_bucket_sizes(&scope(), now()).await;
    found.sort_by(|a, b| a.bucket.cmp(&b.bucket));
    let bits = |v: &[f64]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&found[0].values), bits(&values));
    assert_eq!((found[0].first_day, found[0].fetched_to), (today() - 4, today()));
    assert_eq!((found.len(), &found[1].values), (2, &vec![2.0]));
    assert!(cache.clear().await);
    assert!(cache.load_bucket_sizes(&scope(), now()).await.is_empty());
}

#[tokio::test]
async fn damage_and_days_to_come_are_absent() {
    let place = Place::new();
    let cache = place.open_quietly();
    let ahead = size("ahead", today() + 5, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    cache.store_bucket_sizes(&scope(), vec![size("torn", today(), &[1.0]), ahead]).await;
    sql(&cache, "UPDATE bucket_size SET data = x'00' WHERE bucket = 'torn'").await;
    let found = cache.load_bucket_sizes(&scope(), now()).await;
    assert_eq!(found.len(), 1);
    // Of today + 5 and the seven days before it, two before today, and today.
    assert_eq!((&found[0].values, found[0].fetched_to), (&vec![1.0, 2.0, 3.0], today()));
}

#[tokio::test]
async fn what_nobody_asks_for_goes_and_a_clock_ahead_takes_nothing_with_it() {
    let place = Place::new();
    let cache = place.open_quietly();
    let old = size("old", today() - 121, &[1.0]);
    cache.store_bucket_sizes(&scope(), vec![old, size("new", today(), &[1.0])]).await;
    let years_ahead = now() + jiff::SignedDuration::from_hours(24 * 3_000);
    cache.maintain(years_ahead).await;
    let found = cache.load_bucket_sizes(&scope(), now()).await;
    let names: Vec<&str> = found.iter().map(|s| &*s.bucket).collect();
    assert_eq!(names, ["new"]);
}
