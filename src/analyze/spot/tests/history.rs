use std::sync::Arc;

use jiff::Timestamp;
use proptest::prelude::*;

use super::fixture::{World, ago, instance, near, now};
use crate::analyze::spot::market::{over, region_of};
use crate::fleet::savings::SpotRow;

#[test]
fn the_mean_is_weighted_by_time() {
    // 3 h at 10, 1 h at 20.
    let found = over([(ago(4 * 3600), 10.0), (ago(3600), 20.0)], now()).unwrap();
    assert_eq!((found.mean, found.highest, found.hours), (12.5, 20.0, 4));
    assert_eq!(over([], now()), None);
    assert_eq!(over([(now(), 10.0)], now()), None, "no time passed");
}

#[test]
fn a_price_of_long_ago_counts_for_the_window_alone() {
    let days = |n: i64| ago(n * 86_400);
    let found = over([(days(400), 10.0), (days(15), 30.0)], now()).unwrap();
    // 15 of 30 days each.
    assert_eq!((found.mean, found.hours), (20.0, 720));
    let older = over([(days(400), 99.0), (days(40), 10.0)], now()).unwrap();
    assert_eq!((older.mean, older.highest), (10.0, 10.0));
}

#[test]
fn zones_come_cheapest_first_by_what_is_counted() {
    let world = World::default()
        .with(instance("i-1", "p4d.24xlarge", &[("workload", "training")]))
        .on_demand("p4d.24xlarge", 21.957_642)
        // b is cheap at this moment and was dear; c is known from its history alone.
        .spot("p4d.24xlarge", &[("a", 8.2), ("b", 2.0), ("d", 7.9)])
        .past("p4d.24xlarge", "b", &[(ago(36_000), 21.0), (ago(3_600), 2.0)])
        .past("p4d.24xlarge", "c", &[(ago(7_200), 7.0), (ago(3_600), 9.0)]);
    let row = world.row("i-1");
    let zones: Vec<&str> = row.zones.iter().map(|z| &*z.az).collect();
    assert_eq!(zones, ["us-east-1d", "us-east-1a", "us-east-1c", "us-east-1b"]);
    let b = &row.zones[3];
    // 9 h at 21 and 1 h at 2.
    near(b.mean.unwrap(), 19.1);
    assert_eq!((b.usd_per_hour, b.highest, b.hours), (2.0, Some(21.0), 10));
    let c = &row.zones[2];
    assert_eq!((c.usd_per_hour, c.mean), (9.0, Some(8.0)));
    assert_eq!((row.zones[0].mean, row.zones[0].hours), (None, 0));
}

#[test]
fn rows_of_one_market_share_its_zones_and_their_sentences() {
    let mut local = instance("i-3", "p5.48xlarge", &[("workload", "training")]);
    local.az = "us-east-1-atl-2a".into();
    let world = World::default()
        .with(instance("i-1", "p5.48xlarge", &[("workload", "training")]))
        .with(instance("i-2", "p5.48xlarge", &[("workload", "training")]))
        .with(local)
        .on_demand("p5.48xlarge", 55.04)
        .spot("p5.48xlarge", &[("a", 20.0), ("-atl-2a", 10.0), ("-bos-1a", 5.0)]);
    let rows = world.rows();
    let row = |id: &str| rows.iter().find(|r| *r.id == *id).unwrap();
    let (first, second, local) = (row("i-1"), row("i-2"), row("i-3"));
    assert!(Arc::ptr_eq(&first.zones, &second.zones));
    let both = first.says.iter().zip(&second.says);
    assert!(!first.says.is_empty() && both.clone().all(|(a, b)| Arc::ptr_eq(a, b)));
    assert_eq!((first.says.len(), first.says.capacity()), (second.says.len(), second.says.len()));
    let date = |row: &SpotRow| row.interruption.as_ref().unwrap().1.clone();
    assert!(Arc::ptr_eq(&date(first), &date(local)));
    let zones: Vec<&str> = local.zones.iter().map(|z| &*z.az).collect();
    assert_eq!(zones, ["us-east-1-atl-2a", "us-east-1a"], "its own Local Zone and no other");
}

#[test]
fn local_zones_count_for_those_who_run_in_one() {
    let zones = [("a", 20.0), ("-atl-2a", 10.0)];
    let at = |az: &str| {
        let mut one = instance("i-1", "p5.48xlarge", &[("workload", "training")]);
        one.az = az.into();
        let world = World::default().with(one).on_demand("p5.48xlarge", 55.04);
        world.spot("p5.48xlarge", &zones).row("i-1").zones[0].az.to_string()
    };
    assert_eq!(at("us-east-1a"), "us-east-1a");
    assert_eq!(at("us-east-1-atl-2a"), "us-east-1-atl-2a");
    assert_eq!(region_of("us-east-1-atl-2a"), "us-east-1");
    assert_eq!(region_of("ap-southeast-2b"), "ap-southeast-2");
    assert_eq!(region_of("us-gov-west-1a"), "us-gov-west-1");
    assert_eq!(region_of(""), "");
}

/// Second by second.
fn brute(points: &[(Timestamp, f64)]) -> Option<(f64, f64)> {
    let (mut sum, mut n, mut highest) = (0.0, 0_u32, 0.0_f64);
    for second in (1..=20_000).rev() {
        let at = ago(second);
        if let Some((_, usd)) = points.iter().rfind(|(from, _)| *from <= at) {
            sum += usd;
            n += 1;
            highest = highest.max(*usd);
        }
    }
    (n > 0).then(|| (sum / f64::from(n), highest))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn the_mean_is_what_each_second_cost(
        points in prop::collection::btree_map(1i64..20_000, 0.0..100.0f64, 0..12),
    ) {
        let points: Vec<_> = points.into_iter().rev().map(|(s, usd)| (ago(s), usd)).collect();
        let found = over(points.iter().copied(), now()).map(|o| (o.mean, o.highest));
        match (found, brute(&points)) {
            (None, None) => {}
            (Some((mean, highest)), Some((slow, top))) => {
                prop_assert!((mean - slow).abs() < 1e-6, "{} {}", mean, slow);
                prop_assert_eq!(highest, top);
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }
}
