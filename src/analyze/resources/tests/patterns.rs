//! The likely reasons, from hours made by rule.

use super::super::{hours_of_resource, office_zone, pattern_of};
use super::{facts, hours, now, resource};
use crate::analyze::idle::HourUse::{self, Quiet, Unseen, Used};
use crate::domain::{Hour, ResourceKind, ResourceSignal};
use crate::fleet::savings::Pattern;

/// Two weeks from Monday 2026-06-01 00:00 UTC, hour by hour of the week.
fn weeks(used: impl Fn(usize, usize) -> bool) -> (Hour, Vec<HourUse>) {
    let from = Hour::containing("2026-06-01T00:00:00Z".parse().unwrap());
    let hours = (0..336).map(|n| if used(n / 24 % 7, n % 24) { Used } else { Quiet });
    (from, hours.collect())
}

fn seems(from: Hour, hours: &[HourUse], region: &str) -> Option<Pattern> {
    pattern_of(from, hours, region)
}

#[test]
fn office_hours_are_those_of_the_region() {
    let (from, dublin) = weeks(|day, h| day < 5 && (9..18).contains(&h));
    assert_eq!(seems(from, &dublin, "eu-west-1"), Some(Pattern::OfficeHours));
    // 9 to 18 in Dublin is 18 to 3 in Tokyo.
    assert_eq!(seems(from, &dublin, "ap-northeast-1"), Some(Pattern::Waiting));
    // 9 to 18 in Oregon is 17 to 2 UTC, over midnight.
    let (from, oregon) = weeks(|day, h| match h {
        17.. => day < 5,
        0..2 => (1..6).contains(&day),
        _ => false,
    });
    assert_eq!(seems(from, &oregon, "us-west-2"), Some(Pattern::OfficeHours));
    assert_eq!(seems(from, &oregon, "eu-west-1"), Some(Pattern::Waiting));
    // One late evening in ninety hours changes nothing, ten do.
    let mut late = dublin.clone();
    late[22] = Used;
    assert_eq!(seems(from, &late, "eu-west-1"), Some(Pattern::OfficeHours));
    for day in 0..7 {
        late[day * 24 + 22] = Used;
    }
    assert_eq!(seems(from, &late, "eu-west-1"), Some(Pattern::Waiting));
}

#[test]
fn nights_and_weekends() {
    let (from, nights) = weeks(|day, h| day >= 5 || h < 4);
    assert_eq!(seems(from, &nights, "eu-west-1"), Some(Pattern::NightsAndWeekends));
    // The same hours are the afternoon in Tokyo.
    let (from, morning) = weeks(|_, h| h < 4);
    assert_eq!(seems(from, &morning, "eu-west-1"), Some(Pattern::NightsAndWeekends));
    assert_eq!(seems(from, &morning, "ap-northeast-1"), Some(Pattern::Waiting), "and weekends");
}

#[test]
fn never_used_forgotten_and_waiting() {
    let from = Hour::containing(now()).plus(-336);
    let mut hours = vec![Quiet; 336];
    assert_eq!(seems(from, &hours, "us-east-1"), Some(Pattern::NeverUsed));
    // At work for two days, ten days ago, and never since.
    hours[40..88].fill(Used);
    assert_eq!(seems(from, &hours, "us-east-1"), Some(Pattern::Forgotten));
    // A pause of 30 h before makes a quiet end of 72 h no news beyond twice that, and of 59 h none.
    let mut paused = vec![Used; 336];
    paused[100..140].fill(Quiet);
    paused[336 - 79..].fill(Quiet);
    assert_eq!(seems(from, &paused, "us-east-1"), None, "79 h is less than twice 40");
    paused[336 - 80..].fill(Quiet);
    assert_eq!(seems(from, &paused, "us-east-1"), Some(Pattern::Forgotten));
    // Three hours of work, five of waiting.
    let bursts: Vec<HourUse> = (0..336).map(|n| if n % 8 < 3 { Used } else { Quiet }).collect();
    assert_eq!(seems(from, &bursts, "us-east-1"), Some(Pattern::Waiting));
    assert_eq!(seems(from, &[Used; 336], "us-east-1"), None, "nothing idles");
    assert_eq!(seems(from, &[Quiet; 71], "us-east-1"), None, "too few");
    let mut unseen = vec![Quiet; 336];
    unseen[..34].fill(Unseen);
    assert_eq!(seems(from, &unseen, "us-east-1"), None, "a tenth may be missing, no more");
}

#[test]
fn hours_of_a_resource_are_quiet_when_all_that_counts_was_seen() {
    use ResourceSignal::{CpuMax, Requests};
    let it = facts(
        resource(ResourceKind::Endpoint),
        &[
            (Requests, hours(0.0, &[(1, f32::NAN), (2, 5.0), (3, f32::INFINITY)])),
            (CpuMax, hours(1.0, &[(2, f32::NAN), (5, 30.0)])),
        ],
    );
    let got = hours_of_resource(&it, now()).unwrap();
    let last: Vec<HourUse> = got.hours[336 - 5..].to_vec();
    assert_eq!(last, [Used, Quiet, Used, Used, Unseen]);
    let none = facts(resource(ResourceKind::Endpoint), &[]);
    assert_eq!(hours_of_resource(&none, now()), None);
}

#[test]
fn clocks_are_near_the_region() {
    let at = |region: &str| {
        let zone = office_zone(region);
        zone.to_datetime("2026-06-01T12:00:00Z".parse().unwrap()).hour()
    };
    for (region, hour) in [
        ("us-east-1", 7),
        ("us-west-2", 4),
        ("eu-west-1", 12),
        ("eu-west-3", 13),
        ("eu-central-1", 13),
        ("ap-south-1", 17),
        ("ap-southeast-2", 22),
        ("ap-northeast-1", 21),
        ("mars-north-1", 12),
    ] {
        assert_eq!(at(region), hour, "{region}");
    }
}
