//! Burn by day: steps add up over restarts and processes, damage, clocks, bounds, clearing.

use super::*;
use crate::cache::burn_days;
use crate::domain::{BurnDay, BurnStep, Burnt};

fn today() -> i32 {
    Hour::containing(now()).day()
}

/// A step that begins so many hours after the beginning of `day`.
fn step(account: &str, day: i32, from_hour: f64, hours: f64, usd: f64) -> BurnStep {
    let ms = |hours: f64| (hours * 3_600_000.0) as i64;
    let from_ms = i64::from(day) * 86_400_000 + ms(from_hour);
    let burnt = Burnt { usd, instances: 1.0, ..Burnt::default() };
    let rates = Arc::new(vec![(Some("nlp".into()), burnt)]);
    BurnStep { account: account.into(), from_ms, to_ms: from_ms + ms(hours), rates }
}

fn told(days: &[BurnDay]) -> Vec<(i32, &str, f64, f64)> {
    days.iter().map(|d| (d.day - today(), &*d.account, d.seen_hours(), d.all().usd)).collect()
}

#[tokio::test]
async fn steps_add_up_over_midnight_restarts_and_processes() {
    let place = Place::new();
    let day = today() - 1;
    let cache = place.open_quietly();
    cache.add_burn(vec![step("a", day, 22.0, 4.0, 3.0), step("b", day, 0.0, 1.0, 7.0)]).await;
    cache.close().await;
    let (one, two) = (place.open_quietly(), place.open_quietly());
    // Two cockpits look at the same hours; half an hour between is seen by neither.
    one.add_burn(vec![step("a", day + 1, 2.5, 1.0, 3.0)]).await;
    two.add_burn(vec![step("a", day + 1, 3.0, 1.0, 3.0), step("a", day + 1, 2.6, 0.5, 3.0)]).await;
    let days = one.load_burn(0).await;
    assert_eq!(
        told(&days),
        [(-1, "a", 2.0, 6.0), (-1, "b", 1.0, 7.0), (0, "a", 3.5, 10.5)],
        "a gap stays a gap, and no hour counts twice"
    );
    assert_eq!(days[2].seen.teams[0].0.as_deref(), Some("nlp"));
    assert_eq!(one.load_burn(day + 1).await.len(), 1);

    // They cannot be read again from anywhere: clearing leaves them.
    assert!(one.clear().await);
    assert_eq!(one.load_burn(0).await, days);
    two.close().await;
    one.close().await;
    place.open_quietly().close().await;
}

#[tokio::test]
async fn damaged_days_are_absent_and_begin_anew() {
    let place = Place::new();
    let cache = place.open_quietly();
    let day = today();
    cache.add_burn(vec![step("a", day, 0.0, 1.0, 3.0), step("b", day, 0.0, 1.0, 3.0)]).await;
    sql(&cache, "UPDATE burn_day SET data = x'00' WHERE account = 'a'").await;
    assert_eq!(told(&cache.load_burn(0).await), [(0, "b", 1.0, 3.0)]);
    cache.add_burn(vec![step("a", day, 1.0, 1.0, 5.0)]).await;
    assert_eq!(told(&cache.load_burn(0).await), [(0, "a", 1.0, 5.0), (0, "b", 1.0, 3.0)]);
}

#[tokio::test]
async fn days_of_the_future_are_disclaimed_and_the_oldest_go_first() {
    let place = Place::new();
    let cache = place.open_quietly();
    let day = today();
    let days = [day + 3, day, day - 400, day - 401];
    for day in days {
        cache.add_burn(vec![step("a", day, 0.0, 1.0, 1.0)]).await;
    }
    cache.maintain(now()).await;
    let kept: Vec<i32> = cache.load_burn(0).await.iter().map(|d| d.day - day).collect();
    // The future was disclaimed before anything was counted back from it.
    assert_eq!(kept, [-400, 0]);
}

#[tokio::test]
async fn days_over_the_bound_go_the_oldest_first() {
    let place = Place::new();
    let cache = place.open_quietly();
    let day = today();
    // 40,000 teams with names of 50 bytes take four megabytes a day.
    let team = |n: i32| (Some(format!("{n:050}").into()), Burnt { usd: 1.0, ..Burnt::default() });
    let rates = Arc::new((0..40_000).map(team).collect::<Vec<_>>());
    for back in 0..3 {
        let like = step("a", day - back, 0.0, 1.0, 1.0);
        let mut of = BurnDay::new(day - back, "a".into());
        of.seen.for_ms = like.to_ms - like.from_ms;
        of.seen.until_ms = like.to_ms;
        of.seen.teams = rates.to_vec();
        cache.call(move |store| store.run(|c| burn_days::store_day(c, &of))).await;
    }
    cache.maintain(now()).await;
    let kept: Vec<i32> = cache.load_burn(0).await.iter().map(|d| d.day - day).collect();
    assert_eq!(kept, [-1, 0]);
}
