//! The independent check: every object, every day, every read, with prices written out again.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::analyze::storage::price::fixture::virginia;
use crate::analyze::storage::tiers::curve::curve;
use crate::domain::storage::{StorageClass, Tier};

const KIB: f64 = 1024.0;
const GIB: f64 = KIB * KIB * KIB;

#[derive(Clone, Copy, Debug)]
struct Object {
    tier: Tier,
    size: u64,
    age: u32,
}

/// USD per GiB-month, GET per request, retrieval per GiB, restore per request, minimum days.
fn price(tier: Tier) -> (f64, f64, f64, f64, u32) {
    match tier {
        Tier::Standard | Tier::ItFrequent => (0.023, 4e-7, 0.0, 0.0, 0),
        Tier::ItInfrequent => (0.0125, 4e-7, 0.0, 0.0, 0),
        Tier::ItArchiveInstant => (0.004, 4e-7, 0.0, 0.0, 0),
        Tier::ItArchive => (0.0036, 4e-7, 0.0, 0.0, 0),
        Tier::ItDeepArchive => (0.000_99, 4e-7, 0.0, 0.0, 0),
        Tier::StandardIa => (0.0125, 1e-6, 0.01, 0.0, 30),
        Tier::OnezoneIa => (0.01, 1e-6, 0.01, 0.0, 30),
        Tier::GlacierIr => (0.004, 1e-5, 0.03, 0.0, 90),
        Tier::Glacier => (0.0036, 4e-7, 0.01, 5e-5, 90),
        Tier::DeepArchive => (0.000_99, 4e-7, 0.02, 1e-4, 180),
        Tier::ReducedRedundancy => (0.024, 4e-7, 0.0, 0.0, 0),
        Tier::Express => (0.11, 3e-8, 0.0006, 0.0, 0),
        Tier::File | Tier::Unknown => unreachable!(),
    }
}

/// PUT and transition, USD per request.
fn arrival(class: StorageClass) -> (f64, f64) {
    match class {
        StorageClass::StandardIa | StorageClass::OnezoneIa => (1e-5, 1e-5),
        StorageClass::IntelligentTiering => (5e-6, 1e-5),
        StorageClass::GlacierIr => (2e-5, 2e-5),
        StorageClass::Glacier => (3e-5, 3e-5),
        StorageClass::DeepArchive => (5e-5, 5e-5),
        _ => unreachable!(),
    }
}

/// The waterfall as the user guide lists it: from → to.
const MAY: [(StorageClass, &[StorageClass]); 6] = {
    use StorageClass::{
        DeepArchive, Glacier, GlacierIr, IntelligentTiering, OnezoneIa, Standard, StandardIa,
    };
    [
        (Standard, &[StandardIa, IntelligentTiering, OnezoneIa, GlacierIr, Glacier, DeepArchive]),
        (StandardIa, &[IntelligentTiering, OnezoneIa, GlacierIr, Glacier, DeepArchive]),
        (IntelligentTiering, &[OnezoneIa, GlacierIr, Glacier, DeepArchive]),
        (OnezoneIa, &[Glacier, DeepArchive]),
        (GlacierIr, &[Glacier, DeepArchive]),
        (Glacier, &[DeepArchive]),
    ]
};

/// GiB that an object is billed for: by its own tier, and by Standard.
fn billed(tier: Tier, size: u64) -> (f64, f64) {
    let size = size as f64;
    match tier {
        Tier::StandardIa | Tier::OnezoneIa | Tier::GlacierIr => (size.max(128.0 * KIB) / GIB, 0.0),
        Tier::Glacier | Tier::DeepArchive | Tier::ItArchive | Tier::ItDeepArchive => {
            ((size + 32.0 * KIB) / GIB, 8.0 * KIB / GIB)
        }
        _ => (size / GIB, 0.0),
    }
}

/// A month's bill for a volume of a tier, in order of the steps.
fn bill(tier: Tier, gib: f64) -> f64 {
    if !matches!(tier, Tier::Standard | Tier::ItFrequent) {
        return gib * price(tier).0;
    }
    let first = gib.min(51_200.0);
    let second = (gib - 51_200.0).clamp(0.0, 460_800.0);
    let third = (gib - 512_000.0).max(0.0);
    first * 0.023 + second * 0.022 + third * 0.021
}

struct Case<'a> {
    objects: &'a [Object],
    to: Option<StorageClass>,
    moves_small: bool,
    /// Days between reads.
    period: Option<u32>,
    share: f64,
    others: f64,
}

/// Dollars by month.
fn by_the_day(case: &Case<'_>, months: u32) -> Vec<f64> {
    let mut volumes: Vec<BTreeMap<Tier, f64>> = vec![BTreeMap::new(); months as usize];
    let mut other: Vec<f64> = vec![0.0; months as usize];
    // Standard's average rate for the names of archived objects that leave early.
    let mut standard = case.others;
    for o in case.objects {
        let (own, names) = billed(o.tier, o.size);
        standard += names + if o.tier == Tier::Standard { own } else { 0.0 };
    }
    let standard_rate =
        if standard > 0.0 { bill(Tier::Standard, standard) / standard } else { 0.023 };
    for o in case.objects {
        let small = o.size < 128 * 1024;
        let from = o.tier.class().unwrap();
        let moving = case.to.filter(|to| *to != from && (case.moves_small || !small));
        let allowed =
            moving.is_some_and(|to| MAY.iter().any(|(f, t)| *f == from && t.contains(&to)));
        let ia = matches!(moving, Some(StorageClass::StandardIa | StorageClass::OnezoneIa));
        let move_day = moving.map(|_| if allowed && ia && o.age < 30 { 30 } else { 0 });
        // Phases of reading: each with its weight; and the share that nobody reads.
        let mut phases: Vec<(Option<u32>, f64)> = vec![(None, 1.0)];
        if let Some(p) = case.period {
            phases = (0..p).map(|f| (Some(f), case.share / f64::from(p))).collect();
            phases.push((None, 1.0 - case.share));
        }
        for (phase, weight) in phases.into_iter().filter(|(_, w)| *w > 0.0) {
            let mut touched = 0i64;
            let mut tier = o.tier;
            for day in 0..months * 30 {
                let month = (day / 30) as usize;
                if move_day == Some(day) {
                    let to = moving.unwrap();
                    let (get, back, restore) = (price(o.tier).1, price(o.tier).2, price(o.tier).3);
                    let (put, transition) = arrival(to);
                    other[month] += weight
                        * if allowed {
                            transition
                        } else {
                            put + get + restore + back * o.size as f64 / GIB
                        };
                    let left = (f64::from(price(o.tier).4) - f64::from(o.age + day)).max(0.0);
                    let (own, names) = billed(o.tier, o.size);
                    let per_day = (own * price(o.tier).0 + names * standard_rate) * 24.0 / 730.0;
                    other[month] += weight * left * per_day;
                    tier = Tier::of(to);
                    touched = i64::from(day);
                }
                let is_read = phase
                    .zip(case.period)
                    .is_some_and(|(f, p)| day >= f && (day - f).is_multiple_of(p));
                if is_read {
                    let (_, get, back, restore, _) = price(tier);
                    other[month] += weight * (get + restore + back * o.size as f64 / GIB);
                    touched = i64::from(day);
                }
                let moved_into_it = move_day.is_some_and(|d| day >= d)
                    && moving == Some(StorageClass::IntelligentTiering);
                if moved_into_it && !small {
                    tier = match i64::from(day) - touched {
                        ..30 => Tier::ItFrequent,
                        30..90 => Tier::ItInfrequent,
                        _ => Tier::ItArchiveInstant,
                    };
                }
                let (own, names) = billed(tier, o.size);
                *volumes[month].entry(tier).or_default() += weight * own / 30.0;
                *volumes[month].entry(Tier::Standard).or_default() += weight * names / 30.0;
                if tier.class() == Some(StorageClass::IntelligentTiering) && !small {
                    other[month] += weight * 0.0025 / 1000.0 / 30.0;
                }
            }
        }
    }
    volumes
        .iter()
        .zip(other)
        .map(|(tiers, other)| {
            let storage = tiers.iter().map(|(tier, gib)| {
                let before = if *tier == Tier::Standard { case.others } else { 0.0 };
                bill(*tier, before + gib) - bill(*tier, before)
            });
            storage.sum::<f64>() + other
        })
        .collect()
}

fn any_object() -> impl Strategy<Value = Object> {
    let size = prop_oneof![
        0u64..(256 << 10),
        (120u64 << 10)..(136 << 10),
        0u64..(1 << 36),
        // Enough to climb the steps.
        (1u64 << 44)..(1 << 49),
    ];
    (0..13usize, size, 0u32..300).prop_map(|(t, size, age)| Object {
        tier: Tier::ALL[t],
        size,
        age,
    })
}

fn cohort(o: &Object) -> Cohort {
    Cohort {
        tier: o.tier,
        objects: 1.0,
        bytes: o.size as f64,
        is_small: o.size < 128 << 10,
        age_days: Some(f64::from(o.age)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn curves_are_what_every_object_costs_every_day(
        objects in prop::collection::vec(any_object(), 1..6),
        to in 0..7usize,
        moves_small: bool,
        period in prop::option::of(1u32..130),
        share in prop_oneof![Just(1.0), Just(0.0), 0.0..1.0f64],
        others in prop_oneof![Just(0.0), 0.0..600_000.0f64],
    ) {
        use StorageClass::{
            DeepArchive, Glacier, GlacierIr, IntelligentTiering, OnezoneIa, StandardIa,
        };
        let all = [StandardIa, OnezoneIa, IntelligentTiering, GlacierIr, Glacier, DeepArchive];
        let to = all.get(to).copied();
        let prices = virginia();
        let cohorts: Vec<Cohort> = objects.iter().map(cohort).collect();
        let mut volumes = Volumes::default();
        volumes.add_gib(Tier::Standard, others);
        let question = Question {
            cohorts: &cohorts,
            prices: &prices,
            others: &volumes,
            access: Access {
                reads_per_month: period.map_or(0.0, |p| 30.0 / f64::from(p)),
                share_read: share,
                gets_per_month: None,
            },
            moves_small,
            months: 7,
        };
        let got = curve(to.map_or(Target::Stay, Target::Class), &question).monthly.unwrap();
        let case = Case { objects: &objects, to, moves_small, period, share, others };
        let want = by_the_day(&case, 7);
        for (month, (got, want)) in got.iter().zip(&want).enumerate() {
            // To the cent, and to what f64 holds of sums of a million dollars.
            let within = 0.005 + want.abs() * 1e-9;
            prop_assert!((got - want).abs() <= within, "month {month}: {got} by curve, {want} by day");
        }
    }
}
