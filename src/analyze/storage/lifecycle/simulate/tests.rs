//! The simulation against one that keeps every object and goes hour by hour, written from the
//! rules of S3 and not from the code.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::analyze::storage::price::fixture::virginia;
use crate::analyze::storage::{Fold, ListInfo};
use crate::domain::storage::{
    Expiration, Lifecycle, LifecycleFilter, LifecycleRule, MinimumSize, NoncurrentExpiration,
    NoncurrentTransition, ObjectBatch, ObjectColumns, ObjectFlags, Run, Step, Tier, Transition,
    When,
};

const GIB: f64 = 1_073_741_824.0;

/// Noon of 2026-01-10: day 20463 of the epoch, so that the play begins on 20464.
const LISTED: i64 = 20_463 * 86_400_000 + 43_200_000;
const START: i64 = 20_464;

#[derive(Clone, Debug)]
struct Thing {
    key: String,
    size: u64,
    /// Milliseconds before the list.
    age_ms: i64,
    tier: Tier,
    flags: u16,
    version: &'static str,
}

fn batch(things: &[Thing]) -> ObjectBatch {
    let mut out = ObjectBatch::default();
    for t in things {
        out.keys.push(t.key.as_bytes());
        out.sizes.push(t.size);
        out.modified_ms.push(LISTED - t.age_ms);
        out.tiers.push(t.tier);
        out.flags.push(ObjectFlags(t.flags));
        out.versions.push(t.version.as_bytes());
    }
    out
}

fn info() -> ListInfo {
    let columns = ObjectColumns { versions: true, ..ObjectColumns::default() };
    ListInfo { bucket: "b".into(), listed_ms: LISTED, columns }
}

fn simulate(config: &Lifecycle, things: &[Thing], assumptions: Assumptions) -> Simulated {
    let mut fold = SimulationFold::new(config, &info(), assumptions);
    fold.take(&batch(things));
    fold.finish(Some(&virginia()))
}

/// What the slow way finds.
#[derive(Debug, Default)]
struct Slow {
    /// Dollars of storage per month, with the rules and without.
    with: Vec<f64>,
    stay: Vec<f64>,
    fees: Vec<f64>,
    deleted: u64,
    deleted_bytes: u64,
    /// Rule, what, objects.
    did: BTreeMap<(usize, String), u64>,
}

fn price(tier: Tier) -> f64 {
    match tier {
        Tier::Standard | Tier::ItFrequent => 0.023,
        Tier::ItInfrequent | Tier::StandardIa => 0.0125,
        Tier::OnezoneIa => 0.01,
        Tier::ItArchiveInstant | Tier::GlacierIr => 0.004,
        Tier::Glacier => 0.0036,
        Tier::DeepArchive => 0.000_99,
        other => panic!("{other:?}"),
    }
}

/// Dollars of one object for a month in a tier.
fn per_month(tier: Tier, size: u64) -> f64 {
    let size_of = size as f64;
    match tier {
        Tier::StandardIa | Tier::OnezoneIa | Tier::GlacierIr => {
            size_of.max(131_072.0) / GIB * price(tier)
        }
        Tier::Glacier | Tier::DeepArchive => {
            (size_of + 32_768.0) / GIB * price(tier) + 8_192.0 / GIB * 0.023
        }
        Tier::ItFrequent | Tier::ItInfrequent | Tier::ItArchiveInstant => {
            let monitoring = if size >= 131_072 { 0.0025 / 1000.0 } else { 0.0 };
            size_of / GIB * price(tier) + monitoring
        }
        _ => size_of / GIB * price(tier),
    }
}

fn class_of(tier: Tier) -> &'static str {
    tier.class().unwrap().api()
}

/// From the table of the user guide, by hand.
fn below(class: &str) -> &'static [&'static str] {
    match class {
        "STANDARD" => &[
            "STANDARD_IA",
            "INTELLIGENT_TIERING",
            "ONEZONE_IA",
            "GLACIER_IR",
            "GLACIER",
            "DEEP_ARCHIVE",
        ],
        "STANDARD_IA" => {
            &["INTELLIGENT_TIERING", "ONEZONE_IA", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"]
        }
        "INTELLIGENT_TIERING" => &["ONEZONE_IA", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"],
        "ONEZONE_IA" | "GLACIER_IR" => &["GLACIER", "DEEP_ARCHIVE"],
        "GLACIER" => &["DEEP_ARCHIVE"],
        _ => &[],
    }
}

fn minimum(class: &str) -> i64 {
    match class {
        "STANDARD_IA" | "ONEZONE_IA" => 30,
        "GLACIER_IR" | "GLACIER" => 90,
        "DEEP_ARCHIVE" => 180,
        _ => 0,
    }
}

fn fee(class: &str) -> f64 {
    match class {
        "STANDARD_IA" | "ONEZONE_IA" | "INTELLIGENT_TIERING" => 0.01,
        "GLACIER_IR" => 0.02,
        "GLACIER" => 0.03,
        _ => 0.05,
    }
}

fn tier_of(class: &str) -> Tier {
    Tier::of(crate::domain::storage::StorageClass::from_api(class).unwrap())
}

fn matches(rule: &LifecycleRule, thing: &Thing) -> bool {
    let f = &rule.filter;
    rule.enabled
        && f.tags.is_empty()
        && thing.key.starts_with(f.prefix.as_deref().unwrap_or(""))
        && f.larger_than.is_none_or(|n| (thing.size as i64) > n)
        && f.smaller_than.is_none_or(|n| (thing.size as i64) < n)
}

fn may_move(config: &Lifecycle, rule: &LifecycleRule, thing: &Thing, to: &str) -> bool {
    let sized = rule.filter.larger_than.is_some() || rule.filter.smaller_than.is_some();
    if thing.size >= 131_072 || sized {
        return true;
    }
    config.minimum_size == Some(MinimumSize::Varies) && (to == "GLACIER" || to == "DEEP_ARCHIVE")
}

/// True when something created at `created_ms` is due at midnight of `day`.
fn is_due(when: &When, created_ms: i64, day: i64) -> bool {
    match when {
        // Age plus the days, rounded up to the next midnight.
        When::Days(days) => created_ms + days * 86_400_000 <= day * 86_400_000,
        When::Date(text) => {
            let at: jiff::civil::Date = text.parse().unwrap();
            let epoch = jiff::civil::date(1970, 1, 1);
            let days = (at - epoch).get_days();
            i64::from(days) <= day && created_ms <= day * 86_400_000
        }
    }
}

fn slow(config: &Lifecycle, things: &[Thing], a: Assumptions) -> Slow {
    let months = usize::from(a.months);
    let mut out = Slow {
        with: vec![0.0; months],
        stay: vec![0.0; months],
        fees: vec![0.0; months],
        ..Slow::default()
    };
    for thing in things {
        let has = |bit: u16| thing.flags & bit != 0;
        if has(ObjectFlags::DELETE_MARKER) {
            continue;
        }
        let known = !has(ObjectFlags::BAD_DATE) && !has(ObjectFlags::BAD_SIZE);
        let created = LISTED - thing.age_ms;
        let mut class = class_of(thing.tier);
        let mut tier = thing.tier;
        // Day on which it came into its class; creation is rounded up to midnight.
        let mut entered =
            created.div_euclid(86_400_000) + i64::from(created.rem_euclid(86_400_000) > 0);
        let mut moved_by_us = false;
        let mut noncurrent = has(ObjectFlags::NONCURRENT).then_some(START);
        let mut gone = false;
        for hour in 0..months * 730 {
            let day = START + (hour / 24) as i64;
            let month = hour / 730;
            out.stay[month] += per_month(thing.tier, thing.size) / 730.0;
            if gone {
                continue;
            }
            if hour % 24 == 0 && known {
                // One action a day: deletion, then the coldest move, then the marker.
                let mut delete: Option<usize> = None;
                let mut to: Option<(&str, usize)> = None;
                let mut hide: Option<usize> = None;
                for (i, rule) in config.rules.iter().enumerate() {
                    if !matches(rule, thing) {
                        continue;
                    }
                    let mut offer = |target: &'static str| {
                        let allowed =
                            below(class).contains(&target) && may_move(config, rule, thing, target);
                        let order = below("STANDARD");
                        let rank = |c: &str| order.iter().position(|o| *o == c);
                        if allowed && to.is_none_or(|(t, _)| rank(target) > rank(t)) {
                            to = Some((target, i));
                        }
                    };
                    let name =
                        |class: &str| below("STANDARD").iter().find(|c| **c == class).copied();
                    match noncurrent {
                        None => {
                            for t in
                                rule.transitions.iter().filter(|t| is_due(&t.when, created, day))
                            {
                                name(&t.class).into_iter().for_each(&mut offer);
                            }
                            let end = rule.expiration.as_ref().and_then(|e| e.when.as_ref());
                            if end.is_some_and(|w| is_due(w, created, day)) {
                                let marks = match a.versioning {
                                    Some(Versioning::Enabled) => true,
                                    Some(Versioning::Suspended) => {
                                        has(ObjectFlags::LOCKED)
                                            || !matches!(thing.version, "" | "null")
                                    }
                                    _ => false,
                                };
                                if marks {
                                    hide = hide.or(Some(i));
                                } else if !has(ObjectFlags::LOCKED) {
                                    delete = delete.or(Some(i));
                                }
                            }
                        }
                        Some(since) => {
                            for t in &rule.noncurrent_transitions {
                                if t.newer_versions.is_none() && since + t.days <= day {
                                    name(&t.class).into_iter().for_each(&mut offer);
                                }
                            }
                            let end = rule.noncurrent_expiration.as_ref();
                            let due = end.is_some_and(|n| {
                                n.newer_versions.is_none()
                                    && n.days.is_some_and(|d| since + d <= day)
                            });
                            if due && !has(ObjectFlags::LOCKED) {
                                delete = delete.or(Some(i));
                            }
                        }
                    }
                }
                let early = |tier: Tier| {
                    let left = (minimum(class_of(tier)) - (day - entered)).max(0) as f64;
                    left * 24.0 / 730.0 * per_month(tier, thing.size)
                };
                let mut did = |rule: usize, what: String| {
                    *out.did.entry((rule, what)).or_default() += 1;
                };
                if let Some(rule) = delete {
                    did(rule, "delete".into());
                    out.fees[month] += early(tier);
                    out.deleted += 1;
                    out.deleted_bytes += thing.size;
                    gone = true;
                } else if let Some((target, rule)) = to {
                    did(rule, target.into());
                    out.fees[month] += early(tier) + fee(target) / 1000.0;
                    class = target;
                    tier = tier_of(target);
                    entered = day;
                    moved_by_us = true;
                } else if let Some(rule) = hide {
                    did(rule, "hide".into());
                    noncurrent = Some(day);
                }
                if gone {
                    continue;
                }
            }
            let in_it = class == "INTELLIGENT_TIERING" && moved_by_us;
            if in_it && a.is_unread && thing.size >= 131_072 {
                tier = match day - entered {
                    ..30 => Tier::ItFrequent,
                    30..90 => Tier::ItInfrequent,
                    _ => Tier::ItArchiveInstant,
                };
            }
            out.with[month] += per_month(tier, thing.size) / 730.0;
        }
    }
    out
}

fn any_class() -> impl Strategy<Value = String> {
    proptest::sample::select(vec![
        "STANDARD_IA",
        "INTELLIGENT_TIERING",
        "ONEZONE_IA",
        "GLACIER_IR",
        "GLACIER",
        "DEEP_ARCHIVE",
        "STANDARD",
        "NONSENSE",
    ])
    .prop_map(str::to_owned)
}

fn any_when() -> impl Strategy<Value = When> {
    prop_oneof![
        4 => (0i64..200).prop_map(When::Days),
        1 => proptest::sample::select(vec!["2025-12-01", "2026-01-11", "2026-03-05", "2030-01-01"])
            .prop_map(|d| When::Date(d.to_owned())),
    ]
}

fn any_rule() -> impl Strategy<Value = LifecycleRule> {
    let size =
        || proptest::option::weighted(0.2, proptest::sample::select(vec![500, 131_071, 131_072]));
    let filter = (
        proptest::sample::select(vec!["", "a/", "a/b/", "b/"]),
        size(),
        size(),
        proptest::bool::weighted(0.1),
    )
        .prop_map(|(prefix, larger_than, smaller_than, tagged)| LifecycleFilter {
            prefix: Some(prefix.to_owned()),
            tags: if tagged { vec![("k".to_owned(), "v".to_owned())] } else { Vec::new() },
            larger_than,
            smaller_than,
            legacy_prefix: false,
        });
    let newer = || proptest::option::weighted(0.1, Just(3i64));
    (
        filter,
        proptest::bool::weighted(0.9),
        proptest::collection::vec((any_when(), any_class()), 0..3),
        proptest::option::of(any_when()),
        proptest::collection::vec((0i64..60, any_class(), newer()), 0..2),
        proptest::option::of((1i64..60, newer())),
    )
        .prop_map(|(filter, enabled, moves, end, old_moves, old_end)| LifecycleRule {
            enabled,
            filter,
            transitions: moves
                .into_iter()
                .map(|(when, class)| Transition { when, class })
                .collect(),
            expiration: end
                .map(|when| Expiration { when: Some(when), expired_delete_marker: None }),
            noncurrent_transitions: old_moves
                .into_iter()
                .map(|(days, class, newer_versions)| NoncurrentTransition {
                    days,
                    class,
                    newer_versions,
                })
                .collect(),
            noncurrent_expiration: old_end.map(|(days, newer_versions)| NoncurrentExpiration {
                days: Some(days),
                newer_versions,
            }),
            ..LifecycleRule::default()
        })
}

fn any_thing() -> impl Strategy<Value = Thing> {
    let flags = proptest::sample::select(vec![
        0,
        0,
        0,
        ObjectFlags::NONCURRENT,
        ObjectFlags::LOCKED,
        ObjectFlags::NONCURRENT | ObjectFlags::LOCKED,
        ObjectFlags::BAD_DATE,
        ObjectFlags::DELETE_MARKER,
    ]);
    (
        proptest::sample::select(vec!["a/x", "a/b/y", "b/z", "c", "a"]),
        proptest::sample::select(vec![
            0u64,
            400,
            100_000,
            131_071,
            131_072,
            131_073,
            900_000_000,
            50_000_000_000,
        ]),
        prop_oneof![0i64..86_400_000 * 420, (0i64..420).prop_map(|d| d * 86_400_000 + 43_200_000)],
        proptest::sample::select(vec![
            Tier::Standard,
            Tier::Standard,
            Tier::StandardIa,
            Tier::OnezoneIa,
            Tier::GlacierIr,
            Tier::Glacier,
            Tier::DeepArchive,
            Tier::ItInfrequent,
        ]),
        flags,
        proptest::sample::select(vec!["", "null", "v1"]),
    )
        .prop_map(|(key, size, age_ms, tier, flags, version)| Thing {
            key: key.to_owned(),
            size,
            age_ms,
            tier,
            flags,
            version,
        })
}

fn any_assumptions() -> impl Strategy<Value = Assumptions> {
    let versioning = proptest::sample::select(vec![
        None,
        Some(Versioning::Off),
        Some(Versioning::Enabled),
        Some(Versioning::Suspended),
    ]);
    (versioning, 1u16..8, any::<bool>()).prop_map(|(versioning, months, is_unread)| Assumptions {
        versioning,
        months,
        is_unread,
    })
}

fn any_config() -> impl Strategy<Value = Lifecycle> {
    let minimum =
        proptest::sample::select(vec![None, Some(MinimumSize::All128K), Some(MinimumSize::Varies)]);
    (proptest::collection::vec(any_rule(), 0..5), minimum)
        .prop_map(|(rules, minimum_size)| Lifecycle { rules, minimum_size })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn it_agrees_with_every_object_hour_by_hour(
        config in any_config(),
        things in proptest::collection::vec(any_thing(), 0..12),
        assumptions in any_assumptions(),
    ) {
        let fast = simulate(&config, &things, assumptions);
        let slow = slow(&config, &things, assumptions);
        prop_assert_eq!((fast.deleted.objects, fast.deleted.bytes), (slow.deleted, slow.deleted_bytes));
        let mut did: BTreeMap<(usize, String), u64> = BTreeMap::new();
        for rule in &fast.rules {
            for (tier, all) in &rule.moves {
                did.insert((rule.index, class_of(*tier).to_owned()), all.objects);
            }
            if rule.deleted.objects > 0 {
                did.insert((rule.index, "delete".to_owned()), rule.deleted.objects);
            }
            if rule.hidden.objects > 0 {
                did.insert((rule.index, "hide".to_owned()), rule.hidden.objects);
            }
        }
        prop_assert_eq!(did, slow.did);
        let mut saved = 0.0;
        for (m, month) in fast.months.iter().enumerate() {
            let near = |a: Option<f64>, b: f64| (a.unwrap() - b).abs() < 0.005;
            prop_assert!(near(month.stay_usd, slow.stay[m]), "stay {month:?} {}", slow.stay[m]);
            prop_assert!(near(month.storage_usd, slow.with[m]), "with {month:?} {}", slow.with[m]);
            prop_assert!(near(month.fees_usd, slow.fees[m]), "fees {month:?} {}", slow.fees[m]);
            saved += slow.stay[m] - slow.with[m] - slow.fees[m];
            prop_assert!((month.saved_usd.unwrap() - saved).abs() < 0.01);
        }
        let by_rule: f64 = fast.rules.iter()
            .map(|r| r.transition_usd.unwrap() + r.early_delete_usd.unwrap()).sum();
        prop_assert!((by_rule - slow.fees.iter().sum::<f64>()).abs() < 0.005);
    }

    #[test]
    fn order_and_cuts_do_not_matter(
        config in any_config(),
        mut things in proptest::collection::vec(any_thing(), 0..20),
        cut in any::<proptest::sample::Index>(),
    ) {
        let a = Assumptions { months: 3, ..Assumptions::default() };
        let whole = simulate(&config, &things, a);
        things.reverse();
        let cut = cut.index(things.len() + 1);
        let mut first = SimulationFold::new(&config, &info(), a);
        let mut second = first.clone();
        first.take(&batch(&things[..cut]));
        second.take(&batch(&things[cut..]));
        first.merge(second);
        prop_assert_eq!(first.finish(Some(&virginia())), whole);
    }
}

fn moving(class: &str, days: i64) -> Lifecycle {
    let rule = LifecycleRule {
        id: "r".to_owned(),
        enabled: true,
        transitions: vec![Transition { when: When::Days(days), class: class.to_owned() }],
        ..LifecycleRule::default()
    };
    Lifecycle { rules: vec![rule], minimum_size: Some(MinimumSize::All128K) }
}

#[test]
fn the_move_of_a_large_cache_has_a_valley_and_pays_back_in_the_fifth_month() {
    // 53.8 million objects that make 533,627 GiB of Standard-IA, as they were moved to
    // Intelligent-Tiering in May 2026 for 623.9 dollars of requests; here one group of them.
    let config = moving("INTELLIGENT_TIERING", 0);
    let mut fold = SimulationFold::new(&config, &info(), Assumptions::default());
    let objects = 624;
    let things: Vec<Thing> = (0..objects)
        .map(|_| Thing {
            key: "nar/x".to_owned(),
            size: (533_627.0 * GIB / f64::from(objects)) as u64,
            age_ms: 400 * 86_400_000,
            tier: Tier::StandardIa,
            flags: 0,
            version: "",
        })
        .collect();
    fold.take(&batch(&things));
    let simulated = fold.finish(Some(&virginia()));
    let first = simulated.months[0];
    // 379.66 dollars a day in Frequent Access against 215.17 in Standard-IA, of 31 days each; a
    // month here has 730 h, and the last 10 of them are in Infrequent Access.
    let days = 730.0 / 24.0;
    let stay = first.stay_usd.unwrap() / days;
    assert!((stay / (215.172 * 31.0 / days) - 1.0).abs() < 0.001, "{stay}");
    let fa = 379.66 * 31.0 / days;
    let expected = (fa * 30.0 + 215.172 * 31.0 / days * (days - 30.0)) / days;
    let with = first.storage_usd.unwrap() / days;
    assert!((with / expected - 1.0).abs() < 0.01, "{with} {expected}");
    assert!(first.saved_usd.unwrap() < -4_500.0, "{first:?}");
    assert_eq!(simulated.payback_month, Some(5));
}

#[test]
fn versions_free_nothing_until_they_expire() {
    let mut config = moving("GLACIER", 9_999);
    config.rules[0].expiration =
        Some(Expiration { when: Some(When::Days(1)), expired_delete_marker: None });
    let thing = Thing {
        key: "x".to_owned(),
        size: 1 << 40,
        age_ms: 9 * 86_400_000,
        tier: Tier::Standard,
        flags: 0,
        version: "v",
    };
    let enabled = Assumptions { versioning: Some(Versioning::Enabled), ..Assumptions::default() };
    let kept = simulate(&config, std::slice::from_ref(&thing), enabled);
    assert_eq!(kept.rules[0].hidden, Counted { objects: 1, bytes: 1 << 40 });
    assert_eq!(kept.deleted, Counted::default());
    assert!(kept.months[11].saved_usd.unwrap().abs() < 1e-9);
    config.rules[0].noncurrent_expiration =
        Some(NoncurrentExpiration { days: Some(30), newer_versions: None });
    let freed = simulate(&config, &[thing], enabled);
    assert_eq!(freed.deleted.bytes, 1 << 40);
    assert_eq!(freed.months[1].storage_usd, Some(0.0));
}

#[test]
fn what_a_list_cannot_tell_is_counted_apart() {
    let mut config = moving("GLACIER", 0);
    config.rules[0].filter.tags = vec![("a".to_owned(), "b".to_owned())];
    config.rules.push(LifecycleRule {
        enabled: true,
        noncurrent_expiration: Some(NoncurrentExpiration {
            days: Some(1),
            newer_versions: Some(2),
        }),
        expiration: Some(Expiration { when: Some(When::Days(1)), expired_delete_marker: None }),
        filter: LifecycleFilter { prefix: Some("old/".to_owned()), ..LifecycleFilter::default() },
        ..LifecycleRule::default()
    });
    let thing = |key: &str, flags| Thing {
        key: key.to_owned(),
        size: 1 << 20,
        age_ms: 9 * 86_400_000,
        tier: Tier::Standard,
        flags,
        version: "v",
    };
    let things = [
        thing("x", 0),
        thing("old/x", ObjectFlags::NONCURRENT),
        thing("old/y", ObjectFlags::BAD_DATE),
        thing("old/z", ObjectFlags::DELETE_MARKER),
    ];
    let simulated = simulate(&config, &things, Assumptions::default());
    assert_eq!(simulated.deleted, Counted::default());
    assert_eq!(simulated.rules[0].moves, []);
    assert_eq!(simulated.rules[0].maybe_by_tag.objects, 2);
    assert_eq!(simulated.rules[1].maybe_by_versions.objects, 1);
    assert_eq!(simulated.unknown.objects, 1);
    assert_eq!(simulated.delete_markers, 1);
    let blind = {
        let mut fold = SimulationFold::new(&config, &info(), Assumptions::default());
        fold.take(&batch(&things));
        fold.finish(None)
    };
    assert!(blind.months.iter().all(|m| m.stay_usd.is_none() && m.saved_usd.is_none()));
}

#[test]
fn runs_say_what_they_would_lose() {
    let step = |step: u64, age_days: i64, complete| Step {
        step,
        prefix: format!("exp/a/checkpoint-{step}/"),
        bytes: 100,
        objects: 1,
        complete,
        newest_ms: LISTED - age_days * 86_400_000,
        tiers: vec![(Tier::Standard, 100)],
        metric: None,
        held: false,
    };
    let run = Run {
        prefix: "exp/a/".to_owned(),
        family: crate::domain::storage::Family::HfTrainer,
        steps: vec![step(1, 300, true), step(2, 170, true), step(3, 10, true), step(4, 9, false)],
        bytes: 400,
        confidence: 1.0,
        active: false,
        interval_s: None,
        pointers: Vec::new(),
        pointed: Vec::new(),
        metric: None,
    };
    let mut config = moving("GLACIER", 1);
    config.rules[0].expiration =
        Some(Expiration { when: Some(When::Days(180)), expired_delete_marker: None });
    let losses = run_losses(&config, std::slice::from_ref(&run), None, LISTED, 1);
    assert_eq!(losses.len(), 1);
    // Step 1 is overdue; step 2 is rounded up to the midnight after noon and 180 days.
    assert_eq!(losses[0].steps, [(1, START), (2, START + 10)]);
    assert_eq!((losses[0].bytes, losses[0].of_steps, losses[0].takes_last), (200, 4, false));
    let losses =
        run_losses(&config, std::slice::from_ref(&run), Some(Versioning::Enabled), LISTED, 12);
    assert!(losses[0].takes_last && losses[0].can_be_undone);
    config.rules[0].filter.prefix = Some("other/".to_owned());
    assert_eq!(run_losses(&config, &[run], None, LISTED, 12), []);
}
