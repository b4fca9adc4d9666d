//! Instances per hour: looks add up, damage, clocks, age, clearing.

use super::*;
use crate::domain::FleetHour;

fn running() -> i32 {
    Hour::containing(now()).0
}

fn look(hour: i32, region: &str, n: u64) -> FleetHour {
    FleetHour {
        hour: Hour(hour),
        scope: Scope::new("123456789012", region),
        looks: 1,
        seen: [("p4d.24xlarge".into(), n), (format!("m5.{region}").into(), 1)]
            .into_iter()
            .collect(),
    }
}

#[tokio::test]
async fn looks_of_an_hour_add_up_over_restarts() {
    let place = Place::new();
    let h = running();
    let cache = place.open_quietly();
    cache.add_fleet_hours(vec![look(h - 1, "a", 3), look(h, "a", 1), look(h - 1, "b", 7)]).await;
    cache.close().await;
    let cache = place.open_quietly();
    cache.add_fleet_hours(vec![look(h - 1, "a", 4)]).await;
    let all = cache.load_fleet_hours(range(h - 9, h + 1)).await;
    let told: Vec<_> = all
        .iter()
        .map(|f| (f.hour.0 - h, &*f.scope.region, f.looks, f.mean("p4d.24xlarge")))
        .collect();
    assert_eq!(told, [(-1, "a", 2, 3.5), (-1, "b", 1, 7.0), (0, "a", 1, 1.0)]);
    assert_eq!(cache.load_fleet_hours(range(h, h + 1)).await.len(), 1);

    // They cannot be read again from anywhere: clearing leaves them.
    assert!(cache.clear().await);
    assert_eq!(cache.load_fleet_hours(range(h - 9, h + 1)).await.len(), 3);
}

#[tokio::test]
async fn damaged_hours_are_absent_and_replaced() {
    let place = Place::new();
    let h = running() - 1;
    let cache = place.open_quietly();
    cache.add_fleet_hours(vec![look(h, "a", 3), look(h, "b", 3)]).await;
    sql(&cache, "UPDATE fleet_hour SET data = x'00' WHERE region = 'a'").await;
    assert_eq!(cache.load_fleet_hours(range(h, h + 1)).await.len(), 1);
    cache.add_fleet_hours(vec![look(h, "a", 5)]).await;
    let all = cache.load_fleet_hours(range(h, h + 1)).await;
    assert_eq!((all.len(), all[0].looks, all[0].mean("p4d.24xlarge")), (2, 1, 5.0));
}

#[tokio::test]
async fn hours_from_the_future_are_disclaimed_and_old_ones_dropped() {
    let place = Place::new();
    let h = running();
    let cache = place.open_quietly();
    cache.add_fleet_hours(vec![look(h, "a", 1), look(h + 1, "a", 1), look(h + 900, "a", 1)]).await;
    cache.add_fleet_hours(vec![look(h - 170 * 168, "a", 1), look(h - 170 * 168 - 1, "a", 1)]).await;
    cache.maintain(now()).await;
    let all = cache.load_fleet_hours(range(0, i32::MAX)).await;
    let hours: Vec<i32> = all.iter().map(|f| f.hour.0 - h).collect();
    assert_eq!(hours, [-170 * 168, 0]);
}
