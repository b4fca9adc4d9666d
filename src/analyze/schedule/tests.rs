mod hostile;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::*;
use crate::analyze::idle::HourUse::{self, Quiet, Unseen, Used};
use crate::domain::{Hour, Owner, OwnerKind, PriceBasis, Provenance, Rate};
use crate::fleet::Row;

fn hour(text: &str) -> Hour {
    Hour::containing(text.parse().unwrap())
}

/// Three weeks from Monday 2026-06-01 UTC, used on workdays from 8 to 18 o'clock UTC.
fn office() -> (Hour, Vec<HourUse>) {
    let from = hour("2026-06-01T00:00:00Z");
    let hours = (0..3 * 168).map(|n| {
        let (day, h) = (n / 24 % 7, n % 24);
        if day < 5 && (8..18).contains(&h) { Used } else { Quiet }
    });
    (from, hours.collect())
}

#[test]
fn nights_and_weekends_of_an_office_box() {
    let (from, hours) = office();
    let profile = Profile::of(from, &hours, &TimeZone::UTC);
    assert!(profile.seen.iter().all(|n| *n == 3));
    let found = windows(&profile, 2, MIN_WINDOW_HOURS);
    let (weekend, nights): (Vec<_>, Vec<_>) = found.iter().copied().partition(|w| w.hours > 14);
    assert_eq!(weekend, [Window { start: 4 * 24 + 18, hours: 62 }]);
    assert_eq!(nights.iter().map(|w| w.start).collect::<Vec<_>>(), [18, 42, 66, 90]);
    let shifts = shifts(&found);
    assert_eq!(shifts.len(), 2);
    assert_eq!(
        cron_lines(&shifts[0], "Europe/Berlin", "eu-west-1", &["i-1", "i-2"]),
        [
            "0 18 * * 1,2,3,4  [ \"$(TZ=Europe/Berlin date +\\%H)\" = 18 ] && aws ec2 stop-instances --region eu-west-1 --instance-ids i-1 i-2",
            "0 8 * * 2,3,4,5  aws ec2 start-instances --region eu-west-1 --instance-ids i-1 i-2",
        ]
    );
    assert_eq!(eventbridge(&shifts[1]), ["cron(0 18 ? * FRI *)", "cron(0 8 ? * MON *)"]);
    // 168 − 50 hours in use; 118 × 730/168 × $2 by hand.
    let off: usize = found.iter().map(|w| w.hours).sum();
    assert_eq!(off, 118);
    assert!((usd_per_month(off, 2.0) - 1_025.476_190).abs() < 1e-6);
}

#[test]
fn one_week_is_not_enough_and_one_use_in_any_week_is() {
    let (from, mut hours) = office();
    let one = Profile::of(from, &hours[..168], &TimeZone::UTC);
    assert_eq!(windows(&one, 2, MIN_WINDOW_HOURS), []);
    assert_eq!(windows(&one, 1, MIN_WINDOW_HOURS).len(), 5);
    // Wednesday 3 o'clock of the second week.
    hours[168 + 2 * 24 + 3] = Used;
    let found = windows(&Profile::of(from, &hours, &TimeZone::UTC), 2, MIN_WINDOW_HOURS);
    assert!(found.contains(&Window { start: 42, hours: 9 }), "{found:?}");
    assert!(found.contains(&Window { start: 52, hours: 4 }), "{found:?}");
}

#[test]
fn the_day_of_the_change_to_summer_time_and_back() {
    // Berlin by its rule, without a database: forward on 2026-03-29, back on 2026-10-25.
    let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let sunday = |h: usize| 6 * 24 + h;
    // Used each day from 9 to 10 o'clock in Berlin, which is 8 UTC in winter and 7 in summer.
    for (from, changes_at) in [
        ("2026-03-23T00:00:00Z", "2026-03-29T01:00:00Z"),
        ("2026-10-19T00:00:00Z", "2026-10-25T01:00:00Z"),
    ] {
        let (from, change) = (hour(from), hour(changes_at));
        let spring = change < hour("2026-06-01T00:00:00Z");
        let hours: Vec<HourUse> = (0..14 * 24)
            .map(|n| {
                let summer = (from.plus(n) >= change) == spring;
                let nine = if summer { 7 } else { 8 };
                if (from.0 + n).rem_euclid(24) == nine { Used } else { Quiet }
            })
            .collect();
        let profile = Profile::of(from, &hours, &berlin);
        for day in 0..7 {
            for h in 0..24 {
                let used = profile.used[day * 24 + h];
                assert_eq!(used > 0, h == 9, "day {day} {h} o'clock: {used}");
            }
        }
        // The hour that was skipped was there in one of the two weeks.
        assert_eq!(profile.seen[sunday(2)], if spring { 1 } else { 2 });
        assert_eq!(profile.seen[sunday(3)], 2);
        // In UTC the same use lies in two hours of the week.
        let utc = Profile::of(from, &hours, &TimeZone::UTC);
        assert!(utc.used[7] > 0 && utc.used[8] > 0);
    }
}

#[test]
fn an_hour_that_is_repeated_is_seen_when_both_are() {
    let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    // From 0 to 3 UTC: 2:00 summer time, 2:00 winter time, 3:00, 4:00... in Berlin.
    let from = hour("2026-10-25T00:00:00Z");
    let two = 6 * 24 + 2;
    let of = |hours: &[HourUse]| {
        let p = Profile::of(from, hours, &berlin);
        (p.seen[two], p.used[two])
    };
    assert_eq!(of(&[Quiet, Quiet, Quiet]), (1, 0));
    assert_eq!(of(&[Quiet, Unseen, Quiet]), (0, 0));
    assert_eq!(of(&[Unseen, Used, Quiet]), (1, 1));
}

/// By UTC hour instead of by hour of the clock: which slots its first and last second fall into.
fn by_utc_hour(from: Hour, hours: &[HourUse], zone: &TimeZone) -> [bool; HOURS_PER_WEEK] {
    let mut used = [false; HOURS_PER_WEEK];
    for (n, one) in hours.iter().enumerate().filter(|(_, u)| **u == Used) {
        let start = from.plus(n as i32).start();
        for t in [start, start + SignedDuration::from_secs(3599)] {
            let local = zone.to_datetime(t);
            let day = local.date().weekday().to_monday_zero_offset() as usize;
            used[day * 24 + local.hour() as usize] = true;
        }
        let _ = one;
    }
    used
}

fn uses() -> impl Strategy<Value = Vec<HourUse>> {
    let one = prop_oneof![12 => Just(Quiet), 1 => Just(Used), 1 => Just(Unseen)];
    proptest::collection::vec(one, 1..600)
}

fn zones() -> impl Strategy<Value = TimeZone> {
    proptest::sample::select(vec![
        "UTC0",
        "CET-1CEST,M3.5.0,M10.5.0/3",
        "IST-5:30",
        "EST5EDT,M3.2.0,M11.1.0",
        "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
    ])
    .prop_map(|text| TimeZone::posix(text).unwrap())
}

proptest! {
    #[test]
    fn used_hours_are_those_that_any_use_touches(
        from in 490_000_i32..500_000, hours in uses(), zone in zones(),
    ) {
        let profile = Profile::of(Hour(from), &hours, &zone);
        let want = by_utc_hour(Hour(from), &hours, &zone);
        for (slot, want) in want.into_iter().enumerate() {
            prop_assert_eq!(profile.used[slot] > 0, want, "slot {}", slot);
            prop_assert!(profile.used[slot] <= profile.seen[slot]);
        }
        let whole = hours.iter().filter(|u| **u != Unseen).count();
        let seen: usize = profile.seen.iter().map(|n| usize::from(*n)).sum();
        // Half-hour zones count an hour of use twice; a repeated hour counts two as one.
        prop_assert!(seen <= whole * 2);
    }

    /// All windows there are, tried one by one.
    #[test]
    fn windows_are_the_longest_and_there_are_no_others(
        seen in proptest::collection::vec(0_u16..5, HOURS_PER_WEEK),
        rare in proptest::collection::vec(0_usize..HOURS_PER_WEEK, 0..12),
        weeks in 1_u16..3, sparse in any::<bool>(),
    ) {
        let mut profile = Profile { seen: [4; HOURS_PER_WEEK], used: [0; HOURS_PER_WEEK] };
        if sparse {
            profile.seen.copy_from_slice(&seen);
        }
        for s in &rare {
            profile.used[*s] = 1;
        }
        let off = |s: usize| {
            let s = s % HOURS_PER_WEEK;
            profile.seen[s] >= weeks && profile.used[s] == 0
        };
        let mut want = Vec::new();
        if (0..HOURS_PER_WEEK).all(off) {
            want.push(Window { start: 0, hours: HOURS_PER_WEEK });
        } else {
            for start in 0..HOURS_PER_WEEK {
                for hours in MIN_WINDOW_HOURS..HOURS_PER_WEEK {
                    let inside = (0..hours).all(|n| off(start + n));
                    if inside && !off(start + HOURS_PER_WEEK - 1) && !off(start + hours) {
                        want.push(Window { start, hours });
                    }
                }
            }
        }
        prop_assert_eq!(windows(&profile, weeks, MIN_WINDOW_HOURS), want.clone());
        // Shifts hold the same windows.
        let mut again: Vec<Window> = shifts(&want)
            .iter()
            .flat_map(|s| s.days.iter().map(|d| Window { start: d * 24 + s.from, hours: s.hours }))
            .collect();
        again.sort();
        prop_assert_eq!(again, want);
    }
}

fn row() -> Row {
    Row {
        rate: Some(Rate {
            usd_per_hour: 2.0,
            basis: PriceBasis::OnDemandList,
            provenance: Provenance::Demo,
        }),
        ..Row::new(crate::view::fixture::instance("i-1", "g5.xlarge", &[]))
    }
}

fn advice(row: &Row, hours: Vec<HourUse>, weeks: u16) -> Advice {
    let from = hour("2026-06-01T00:00:00Z");
    let hours = crate::analyze::idle::HoursOfUse { from, hours, not_looked_at: vec![] };
    let now: Timestamp = "2026-06-22T00:00:00Z".parse().unwrap();
    propose(row, Some(&hours), &TimeZone::UTC, weeks, now)
}

#[test]
fn who_gets_a_proposal_and_who_does_not() {
    let (_, hours) = office();
    let Advice::Off(proposal) = advice(&row(), hours.clone(), 2) else { panic!() };
    assert_eq!((proposal.hours_per_week, proposal.weeks), (118, 3));
    assert!((proposal.usd_per_month.unwrap() - 1_025.476_190).abs() < 1e-6);
    let why = |row: &Row, hours: &[HourUse]| match advice(row, hours.to_vec(), 2) {
        Advice::None(why) => why,
        Advice::Off(p) => panic!("{p:?}"),
    };
    assert_eq!(why(&row(), &hours[..168]), Obstacle::TooFewWeeks(2));
    assert_eq!(why(&row(), &[Quiet; 400]), Obstacle::NeverUsed);
    assert_eq!(why(&row(), &[Used; 400]), Obstacle::NoWindow(4));
    assert_eq!(why(&row(), &[Unseen; 400]), Obstacle::NeverSeen);
    let changed = |change: &dyn Fn(&mut crate::domain::Instance)| {
        let mut row = row();
        let mut i = (*row.instance).clone();
        change(&mut i);
        row.instance = i.into();
        why(&row, &hours)
    };
    let owner = Owner { kind: OwnerKind::Asg, name: "g".into() };
    assert_eq!(changed(&|i| i.owners = vec![owner.clone()]), Obstacle::Managed(owner.clone()));
    assert_eq!(changed(&|i| i.lifecycle = crate::domain::Lifecycle::Spot), Obstacle::Spot);
    assert_eq!(changed(&|i| i.ebs_root = false), Obstacle::InstanceStoreRoot);
    let exempt = crate::domain::Tags::from_raw([("burntop:exempt", "true")]);
    assert_eq!(changed(&|i| i.tags = exempt.clone()), Obstacle::Exempt);
    let now: Timestamp = "2026-06-22T00:00:00Z".parse().unwrap();
    let blind = propose(&row(), None, &TimeZone::UTC, 1, now);
    assert_eq!(blind, Advice::None(Obstacle::NoTelemetry));
    let mut unpriced = row();
    unpriced.rate = None;
    let Advice::Off(proposal) = advice(&unpriced, hours, 2) else { panic!() };
    assert_eq!(proposal.usd_per_month, None);
}
