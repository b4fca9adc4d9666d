//! Clocks that jump: every change of a dozen zones, held against what the clocks show minute by
//! minute.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::{DateTime, datetime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::*;

/// Zones and a moment before the changes that are looked at: whole and half hours forth and back, at
/// night, at midnight and before it, two hours at once, a day that never was, and no change at all.
const ZONES: [(&str, &str); 14] = [
    ("Europe/Berlin", "2026-01-05T00:00:00Z"),
    ("Europe/London", "2026-01-05T00:00:00Z"),
    ("America/New_York", "2026-01-05T00:00:00Z"),
    ("America/St_Johns", "2026-01-05T00:00:00Z"),
    ("Australia/Lord_Howe", "2026-01-05T00:00:00Z"),
    ("Australia/Adelaide", "2026-01-05T00:00:00Z"),
    ("Pacific/Chatham", "2026-01-05T00:00:00Z"),
    ("America/Sao_Paulo", "2017-06-05T00:00:00Z"),
    ("Africa/Cairo", "2026-01-05T00:00:00Z"),
    ("Asia/Beirut", "2026-01-05T00:00:00Z"),
    ("Asia/Tehran", "2020-06-01T00:00:00Z"),
    ("Antarctica/Troll", "2026-01-05T00:00:00Z"),
    ("Pacific/Apia", "2010-06-07T00:00:00Z"),
    ("Asia/Kathmandu", "2026-01-05T00:00:00Z"),
];

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap()
}

/// What the clocks show, and at what moment, each quarter of an hour around a moment.
fn shown(zone: &TimeZone, around: Timestamp, days: i64) -> Vec<(Timestamp, DateTime)> {
    let from = around.as_second().div_euclid(3_600) * 3_600 - days * 86_400;
    let at = |n: i64| Timestamp::from_second(from + n * 900).unwrap();
    (0..2 * days * 96).map(|n| (at(n), zone.to_datetime(at(n)))).collect()
}

fn slot(clock: DateTime) -> usize {
    clock.weekday().to_monday_zero_offset() as usize * 24 + clock.hour() as usize
}

/// The moments at which the clocks of a zone jump, by looking at them hour by hour.
fn jumps(zone: &TimeZone, from: Timestamp, hours: i64) -> Vec<Timestamp> {
    let at = |n: i64| from + SignedDuration::from_mins(n * 15);
    let offset = |n: i64| zone.to_datetime(at(n)).duration_since(TimeZone::UTC.to_datetime(at(n)));
    (1..hours * 4).filter(|n| offset(*n) != offset(n - 1)).map(at).collect()
}

#[test]
fn what_is_seen_and_used_is_what_the_clocks_show_quarter_by_quarter() {
    let mut rng = fastrand::Rng::with_seed(11);
    let mut inputs = 0;
    for (name, from) in ZONES {
        let (zone, from) = (zone(name), from.parse().unwrap());
        let mut moments = jumps(&zone, from, 24 * 366 * 2);
        moments.push(from);
        for moment in moments {
            for _ in 0..6 {
                let first = Hour::containing(moment).plus(-rng.i32(0..200));
                let length = rng.usize(1..400);
                let one =
                    |rng: &mut fastrand::Rng| [Quiet, Quiet, Quiet, Used, Unseen][rng.usize(0..5)];
                let hours: Vec<HourUse> = (0..length).map(|_| one(&mut rng)).collect();
                // By the quarters of each hour of the clocks of each day.
                let mut days: BTreeMap<(jiff::civil::Date, i8), Vec<HourUse>> = BTreeMap::new();
                for n in -4..(length as i64 + 1) * 4 {
                    let at = first.start() + SignedDuration::from_mins(n * 15);
                    let clock = zone.to_datetime(at);
                    let what = usize::try_from(n.div_euclid(4)).ok().and_then(|n| hours.get(n));
                    days.entry((clock.date(), clock.hour()))
                        .or_default()
                        .push(*what.unwrap_or(&Unseen));
                }
                let (mut seen, mut used) = ([0_u16; HOURS_PER_WEEK], [0_u16; HOURS_PER_WEEK]);
                for ((date, hour), quarters) in days {
                    let n = slot(date.at(hour, 0, 0, 0));
                    let in_use = quarters.contains(&Used);
                    seen[n] += u16::from(in_use || !quarters.contains(&Unseen));
                    used[n] += u16::from(in_use);
                }
                let profile = Profile::of(first, &hours, &zone);
                assert_eq!(profile.seen, seen, "{name} {moment} {length}");
                assert_eq!(profile.used, used, "{name} {moment} {length}");
                inputs += 1;
            }
        }
    }
    println!("hostile: hours of the week: {inputs} inputs");
    assert!(inputs >= 250, "{inputs}");
}

#[test]
fn changes_are_those_that_the_clocks_make() {
    let mut inputs = 0;
    for (name, from) in ZONES {
        let (zone, from): (_, Timestamp) = (zone(name), from.parse().unwrap());
        let found = changes(&zone, from);
        let jumps = jumps(&zone, from, 24 * 366 * YEARS_AHEAD);
        assert_eq!(found.len(), jumps.len(), "{name}: {found:?}");
        for (change, at) in found.iter().zip(jumps) {
            assert_eq!(change.to, zone.to_datetime(at), "{name}");
            let quarter = SignedDuration::from_mins(15);
            assert_eq!(change.from, zone.to_datetime(at - quarter) + quarter, "{name}");
            inputs += 1;
        }
    }
    println!("hostile: changes of clocks: {inputs} inputs");
    assert!(inputs >= 40, "{inputs}");
}

#[test]
fn the_nights_of_the_changes() {
    // (zone, when it is looked at, what the clocks show before and after)
    for (name, now, from, to) in [
        (
            "Europe/Berlin",
            "2026-03-01",
            datetime(2026, 3, 29, 2, 0, 0, 0),
            datetime(2026, 3, 29, 3, 0, 0, 0),
        ),
        (
            "Europe/Berlin",
            "2026-10-01",
            datetime(2026, 10, 25, 3, 0, 0, 0),
            datetime(2026, 10, 25, 2, 0, 0, 0),
        ),
        (
            "America/New_York",
            "2026-03-01",
            datetime(2026, 3, 8, 2, 0, 0, 0),
            datetime(2026, 3, 8, 3, 0, 0, 0),
        ),
        (
            "America/New_York",
            "2026-10-01",
            datetime(2026, 11, 1, 2, 0, 0, 0),
            datetime(2026, 11, 1, 1, 0, 0, 0),
        ),
        (
            "Australia/Lord_Howe",
            "2026-10-01",
            datetime(2026, 10, 4, 2, 0, 0, 0),
            datetime(2026, 10, 4, 2, 30, 0, 0),
        ),
        (
            "Australia/Lord_Howe",
            "2026-04-01",
            datetime(2026, 4, 5, 2, 0, 0, 0),
            datetime(2026, 4, 5, 1, 30, 0, 0),
        ),
        (
            "America/Sao_Paulo",
            "2018-10-01",
            datetime(2018, 11, 4, 0, 0, 0, 0),
            datetime(2018, 11, 4, 1, 0, 0, 0),
        ),
        (
            "America/Sao_Paulo",
            "2019-02-01",
            datetime(2019, 2, 17, 0, 0, 0, 0),
            datetime(2019, 2, 16, 23, 0, 0, 0),
        ),
        (
            "Africa/Cairo",
            "2026-04-01",
            datetime(2026, 4, 24, 0, 0, 0, 0),
            datetime(2026, 4, 24, 1, 0, 0, 0),
        ),
        (
            "Africa/Cairo",
            "2026-10-01",
            datetime(2026, 10, 30, 0, 0, 0, 0),
            datetime(2026, 10, 29, 23, 0, 0, 0),
        ),
        (
            "Pacific/Apia",
            "2011-12-01",
            datetime(2011, 12, 30, 0, 0, 0, 0),
            datetime(2011, 12, 31, 0, 0, 0, 0),
        ),
    ] {
        let now = format!("{now}T00:00:00Z").parse().unwrap();
        let found = changes(&zone(name), now);
        assert_eq!((found[0].from, found[0].to), (from, to), "{name}");
        // A box that is used from 8 to 18 o'clock, and one that is used for an hour at the change.
        let mut off = unsettable(&found[..1]);
        let skips: Vec<usize> = (0..HOURS_PER_WEEK).filter(|s| off[*s]).collect();
        let hours = (to.duration_since(from).as_hours()).max(i64::from(to > from));
        assert_eq!(skips.len() as i64, hours.max(0), "{name}: {skips:?}");
        if let Some(skipped) = skips.first() {
            assert_eq!(*skipped, slot(from), "{name}");
            // Seven hours that end in what is skipped, and seven that begin in it.
            let before = Window { start: (skipped + 161) % 168, hours: 7 };
            let after = Window { start: *skipped, hours: hours as usize + 6 };
            let short = settable(vec![before], &off, MIN_WINDOW_HOURS);
            assert_eq!(short, [Window { hours: 6, ..before }], "{name}");
            let next = (skipped + hours as usize) % 168;
            assert_eq!(
                settable(vec![after], &off, 4),
                [Window { start: next, hours: 6 }],
                "{name}"
            );
            off = [false; HOURS_PER_WEEK];
            assert_eq!(settable(vec![before, after], &off, 4).len(), 2);
        }
    }
    assert_eq!(changes(&zone("Asia/Kathmandu"), "2026-01-05T00:00:00Z".parse().unwrap()), []);
    assert_eq!(changes(&TimeZone::UTC, "2026-01-05T00:00:00Z".parse().unwrap()), []);
}

/// Days and hour of an expression of five or six fields, as (hour, days from Monday).
fn read(fields: &[&str], days: usize, names: &[&str; 7]) -> (usize, Vec<usize>) {
    assert_eq!(fields[0], "0");
    let number = |day: &str| names.iter().position(|n| *n == day).unwrap();
    (fields[1].parse().unwrap(), fields[days].split(',').map(number).collect())
}

/// The hour of the week at which each of two lines is due.
fn due(shift: &Shift, zone: &str) -> [usize; 2] {
    let one = |(hour, days): (usize, Vec<usize>)| {
        assert_eq!(days.len(), 1);
        days[0] * 24 + hour
    };
    let events = eventbridge(shift).map(|text| {
        let fields = text.strip_prefix("cron(").unwrap().strip_suffix(')').unwrap();
        let fields: Vec<&str> = fields.split(' ').collect();
        one(read(&fields, 4, &["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]))
    });
    let lines = cron_lines(shift, zone, "eu-west-1", &["i-1"]);
    let guard = format!("[ \"$(TZ={zone} date +\\%H)\" = {:02} ] && aws", shift.from);
    assert!(lines[0].contains(&guard) && !lines[1].contains("date"), "{lines:?}");
    let lines = lines.map(|text| {
        let fields: Vec<&str> = text.split(' ').collect();
        one(read(&fields, 4, &["1", "2", "3", "4", "5", "6", "0"]))
    });
    assert_eq!(events, lines, "one schedule means what the other does");
    events
}

/// A scheduler that does each thing the first time that the clocks show its hour, and nothing where
/// they never do (`EventBridge` Scheduler's rule), on every night on which they change: the instance
/// is off in the hours that were proposed, all of them, and in no other.
#[test]
fn by_either_snippet_it_is_off_in_the_hours_that_were_said_through_every_change() {
    let mut inputs = 0;
    for (name, from) in ZONES {
        let (zone, from): (_, Timestamp) = (zone(name), from.parse().unwrap());
        let never = unsettable(&changes(&zone, from));
        for moment in jumps(&zone, from, 24 * 366 * YEARS_AHEAD) {
            let mut begun = BTreeSet::new();
            let clocks: Vec<(usize, bool)> = shown(&zone, moment, 2)
                .into_iter()
                .map(|(_, c)| (slot(c), c.minute() == 0 && begun.insert((c.date(), c.hour()))))
                .collect();
            for start in 0..HOURS_PER_WEEK {
                for hours in [4, 14] {
                    let wanted = Window { start, hours };
                    let found = settable(vec![wanted], &never, MIN_WINDOW_HOURS);
                    let end = (start + hours) % HOURS_PER_WEEK;
                    if !never[start] && !never[end] {
                        assert_eq!(found, [wanted], "{name}");
                    }
                    let Some(window) = found.first() else { continue };
                    let [stop, go] = due(&shifts(&found)[0], name);
                    let inside = |s: usize| {
                        (s + HOURS_PER_WEEK - window.start) % HOURS_PER_WEEK < window.hours
                    };
                    let mut off = inside(clocks[0].0);
                    for (slot, begins) in &clocks {
                        off = (off || (*begins && *slot == stop)) && !(*begins && *slot == go);
                        assert_eq!(off, inside(*slot), "{name} {moment} {window:?} at {slot}");
                    }
                    inputs += 1;
                }
            }
        }
    }
    println!("hostile: schedules over changes of clocks: {inputs} inputs");
    assert!(inputs >= 15_000, "{inputs}");
}
