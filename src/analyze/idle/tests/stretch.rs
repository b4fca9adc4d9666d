//! The fast passes over series against slow ones that follow the definitions.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::policy::Limit;
use super::super::sliding::{Both, trail_per_day, trail_per_second};
use super::super::stretch::{Slice, Trail, sum_where};
use crate::domain::{Hour, HourRange, HourlySeries, MALFORMED};

const RANGE: HourRange = HourRange { from: Hour(1000), to: Hour(1050) };

/// A series that begins before, within or after the range, with holes and nonsense.
fn series() -> impl Strategy<Value = HourlySeries> {
    let value = prop_oneof![
        20 => (0..1000_u32).prop_map(|v| v as f32),
        2 => Just(f32::NAN),
        1 => prop_oneof![Just(MALFORMED), Just(-1.0_f32), Just(-0.0_f32)],
    ];
    let complete = vec((0..1000_u32).prop_map(|v| v as f32), 60).boxed();
    (970..1060_i32, prop_oneof![vec(value, 0..90).boxed(), complete])
        .prop_map(|(start, values)| HourlySeries { start: Hour(start), values })
}

/// The hours of the range, one by one.
fn hours(s: &HourlySeries) -> Vec<f32> {
    (RANGE.from.0..RANGE.to.0).map(|h| s.at(Hour(h))).collect()
}

fn valid(v: f32) -> bool {
    v.is_finite() && v >= 0.0
}

fn malformed(v: f32) -> bool {
    !v.is_nan() && !valid(v)
}

fn both<'a>(a: &'a HourlySeries, b: &'a HourlySeries) -> Both<'a> {
    let slices = [Slice::of(a, RANGE), Slice::of(b, RANGE)];
    Both { slices, stats: slices.map(|s| s.stats()) }
}

fn close(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-6 * b.abs().max(1.0),
        (a, b) => a == b,
    }
}

/// The definition: use is where `in_use` says so; the worst counts from the hour after it, and at
/// least from `recent` on.
fn slow(amounts: &[Option<f64>], odd: &[bool], limit: Limit, recent: usize) -> Trail {
    let in_use = |i: &usize| odd[*i] || amounts[*i].is_some_and(|a| limit.reached(a));
    let last_use = (0..amounts.len()).rev().find(in_use);
    let from = last_use.map_or(0, |l| (l + 1).min(recent));
    let worst = amounts[from..].iter().flatten().copied().reduce(f64::max);
    Trail { last_use, worst, malformed: last_use.is_some_and(|l| odd[l]) }
}

proptest! {
    #[test]
    fn figures_over_all_hours(s in series()) {
        let (slice, all) = (Slice::of(&s, RANGE), hours(&s));
        let fine: Vec<f32> = all.iter().copied().filter(|v| valid(*v)).collect();
        let stats = slice.stats();
        prop_assert_eq!(stats.got, all.iter().filter(|v| !v.is_nan()).count());
        prop_assert_eq!(stats.got, s.got(RANGE));
        prop_assert_eq!(stats.valid, fine.len());
        prop_assert_eq!(stats.malformed(), all.iter().any(|v| malformed(*v)));
        let max = fine.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        prop_assert!(stats.max.total_cmp(&(max + 0.0)).is_eq());
        prop_assert!((stats.sum - fine.iter().map(|v| f64::from(*v)).sum::<f64>()).abs() < 1e-6);
        for from in [0, 7, 49] {
            prop_assert_eq!(slice.got_from(from), all[from..].iter().filter(|v| !v.is_nan()).count());
        }
    }

    #[test]
    fn sums_by_another_series(a in series(), b in series(), level in 0..1000_u32) {
        let level = level as f32;
        let got = sum_where(&Slice::of(&a, RANGE), &Slice::of(&b, RANGE), level);
        let pairs = hours(&a).into_iter().zip(hours(&b));
        let picked: Vec<f64> =
            pairs.filter(|(a, b)| valid(*a) && *b >= level).map(|p| f64::from(p.0)).collect();
        prop_assert_eq!(got.1, picked.len());
        prop_assert!((got.0 - picked.iter().sum::<f64>()).abs() < 1e-6);
    }

    #[test]
    fn a_rate_per_second(a in series(), b in series(), per_hour in 1..2000_u32, recent in 0..50_usize) {
        let limit = Limit::above(f64::from(per_hour) / 3600.0);
        // Compared in sums per hour, as exactly as the limit allows.
        let exact = Limit::above(limit.value * 3600.0);
        let (x, y) = (hours(&a), hours(&b));
        let sums: Vec<Option<f64>> = x.iter().zip(&y).map(|(x, y)| {
            [*x, *y].into_iter().filter(|v| valid(*v)).map(f64::from).reduce(|p, q| p + q)
        }).collect();
        let odd: Vec<bool> = x.iter().zip(&y).map(|(x, y)| malformed(*x) || malformed(*y)).collect();
        let want = slow(&sums, &odd, exact, recent);
        let got = trail_per_second(both(&a, &b), limit, recent);
        prop_assert_eq!((got.last_use, got.malformed), (want.last_use, want.malformed));
        prop_assert!(close(got.worst.map(|w| w * 3600.0), want.worst), "{:?} {:?}", got, want);
    }

    #[test]
    fn sliding_days(
        a in series(), b in series(), limit in 1..60_000_u32, recent in 0..50_usize,
        stretch in prop_oneof![Just(6_usize), Just(24), Just(48), Just(168)]
    ) {
        // Half a byte off, so that rounding of a running sum cannot fall on the limit.
        let limit = Limit::above(f64::from(limit) + 0.5);
        let width = stretch.min(24);
        let least = (width * 9).div_ceil(10);
        let (x, y) = (hours(&a), hours(&b));
        let day = |v: &[f32]| {
            let seen: Vec<f64> = v.iter().copied().filter(|v| valid(*v)).map(f64::from).collect();
            (seen.iter().sum::<f64>() * 24.0 / seen.len().max(least) as f64, seen.is_empty())
        };
        let windows = x.len() + 1 - width;
        let moved: Vec<Option<f64>> = (0..x.len()).map(|i| {
            if i >= windows {
                return None;
            }
            let (p, q) = (day(&x[i..i + width]), day(&y[i..i + width]));
            (!(p.1 && q.1)).then_some(p.0 + q.0)
        }).collect();
        let odd: Vec<bool> = x.iter().zip(&y).map(|(x, y)| malformed(*x) || malformed(*y)).collect();
        let want = slow(&moved, &odd, limit, recent);
        let got = trail_per_day(both(&a, &b), limit, recent, stretch);
        prop_assert_eq!(got.last_use, want.last_use);
        prop_assert!(close(got.worst, want.worst), "{:?} {:?}", got, want);
    }
}
