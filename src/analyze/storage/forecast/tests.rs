//! Known growth, known noise.

use std::sync::Arc;

use jiff::ToSpan;
use proptest::prelude::*;

use super::*;
use crate::domain::storage::{DailySeries, Tier};

const TIB: f64 = 1_099_511_627_776.0;
const START: Date = Date::constant(2026, 1, 1);

fn day(i: i64) -> Date {
    START.checked_add(i.days()).unwrap()
}

fn series(days: i64, size: impl Fn(i64) -> f64) -> Vec<(Date, f64)> {
    (0..days).map(|i| (day(i), size(i))).collect()
}

fn of(sizes: &[(Date, f64)], months: u16) -> Result<Forecast, Unforeseen> {
    forecast(sizes, months, sizes.last().map_or(START, |p| p.0))
}

fn near(a: f64, b: f64, share: f64) {
    assert!((a - b).abs() <= share * b.abs(), "{a} is not {b}");
}

/// Noise of a fixed seed (splitmix64), standard normal by twelve uniform numbers.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

#[test]
fn a_straight_line_goes_on() {
    let sizes = series(90, |i| 10.0 * TIB + i as f64 * 0.1 * TIB);
    let f = of(&sizes, 12).unwrap();
    assert_eq!((f.growth, f.days, f.shift), (Growth::Linear, 90, None));
    near(f.per_month, 0.1 * TIB * MONTH_DAYS, 1e-9);
    near(f.curve[12].mid, (18.9 + 0.1 * 365.0) * TIB, 1e-9);
    // Without noise, without band.
    near(f.curve[12].high, f.curve[12].low, 1e-6);
    assert_eq!(f.curve.len(), 13);
    near(f.now, 18.9 * TIB, 1e-12);
}

#[test]
fn growth_by_a_rate_is_told_from_growth_by_bytes() {
    // 10% a month.
    let sizes = series(180, |i| TIB * 1.1f64.powf(i as f64 / MONTH_DAYS));
    let f = of(&sizes, 6).unwrap();
    assert_eq!(f.growth, Growth::Exponential);
    near(f.per_month, 0.1 * f.now, 1e-6);
    near(f.curve[6].mid, f.now * 1.1f64.powi(6), 1e-6);
}

#[test]
fn the_rhythm_of_a_week_and_odd_days_do_not_matter() {
    let mut noise = Noise(7);
    let mut sizes = series(120, |i| {
        let weekend = if i % 7 >= 5 { 0.04 } else { 0.0 };
        (50.0 + 0.2 * i as f64) * (1.0 + weekend) * TIB
    });
    let plain = of(&sizes, 12).unwrap();
    near(plain.per_month, 0.2 * TIB * MONTH_DAYS, 0.05);
    for p in &mut sizes {
        if noise.uniform() < 0.08 {
            p.1 *= 1.5;
        }
    }
    let odd = of(&sizes, 12).unwrap();
    near(odd.per_month, 0.2 * TIB * MONTH_DAYS, 0.1);
}

#[test]
fn a_big_deletion_begins_the_trend_anew() {
    let cut = |i: i64| if i < 60 { 100.0 } else { 40.0 };
    let sizes = series(120, |i| (cut(i) + 0.1 * i as f64) * TIB);
    let f = of(&sizes, 3).unwrap();
    let (on, bytes) = f.shift.unwrap();
    assert_eq!((on, f.days), (day(60), 60));
    near(bytes, -59.9 * TIB, 1e-6);
    near(f.per_month, 0.1 * TIB * MONTH_DAYS, 1e-6);
    // Too short since: said, with the day.
    let why = of(&sizes[..75], 3).unwrap_err();
    assert!(matches!(why, Unforeseen::TooShortSince { days: 15, .. }), "{why}");
    assert!(why.to_string().contains("2026-03-02"), "{why}");
    // One odd value is no shift.
    let mut odd = series(120, |i| (100.0 + 0.1 * i as f64) * TIB);
    odd[60].1 = 0.0;
    assert_eq!(of(&odd, 3).unwrap().shift, None);
    // A clean-up each month is how the bucket lives.
    let saw = series(150, |i| (50.0 + (i % 30) as f64) * TIB);
    let f = of(&saw, 3).unwrap();
    assert_eq!((f.shift, f.days), (None, 150));
}

#[test]
fn what_cannot_be_known_is_not_said() {
    assert_eq!(of(&[], 3), Err(Unforeseen::NoSizes));
    let short = series(27, |_| TIB);
    assert_eq!(of(&short, 3), Err(Unforeseen::TooShort { days: 27 }));
    let gaps: Vec<_> = series(90, |_| TIB).into_iter().step_by(2).collect();
    assert_eq!(of(&gaps, 3), Err(Unforeseen::Gaps { have: 45, days: 89 }));
    let stale = forecast(&series(90, |_| TIB), 3, day(100));
    assert_eq!(stale, Err(Unforeseen::Stale { days: 11 }));
    let bad: Vec<_> = series(90, |i| if i % 2 == 0 { f64::NAN } else { -1.0 });
    assert_eq!(of(&bad, 3), Err(Unforeseen::NoSizes));
    assert!(of(&series(28, |_| TIB), 3).is_ok());
}

/// How often the truth lies in the band `months` ahead, of 400 simulated histories.
fn coverage(months: u16, days: i64, path: &dyn Fn(&mut Noise, i64) -> Vec<f64>) -> f64 {
    let ahead = (f64::from(months) * MONTH_DAYS).round() as i64;
    let mut hits = 0;
    for seed in 0..400 {
        let mut noise = Noise(seed * 7919 + 13);
        let all = path(&mut noise, days + ahead);
        let sizes = series(days, |i| all[i as usize]);
        let f = of(&sizes, months).unwrap();
        let e = f.curve[usize::from(months)];
        let truth = all[(days + ahead - 1) as usize];
        hits += i32::from((e.low..=e.high).contains(&truth));
    }
    f64::from(hits) / 400.0
}

#[test]
fn four_of_five_futures_lie_in_the_band() {
    // A walk: every day something is added, more or less.
    let walk = |noise: &mut Noise, days: i64| {
        let mut at = 100.0 * TIB;
        let mut out = Vec::new();
        for _ in 0..days {
            at += (0.1 + 0.15 * noise.normal()) * TIB;
            out.push(at);
        }
        out
    };
    // The same in shares.
    let rate = |noise: &mut Noise, days: i64| {
        let mut at = 50.0 * TIB;
        let mut out = Vec::new();
        for _ in 0..days {
            at *= 1.0 + 0.004 + 0.003 * noise.normal();
            out.push(at);
        }
        out
    };
    for (name, path) in [("walk", &walk as &dyn Fn(&mut Noise, i64) -> Vec<f64>), ("rate", &rate)] {
        for (months, days) in [(1, 90), (3, 120), (6, 180)] {
            let share = coverage(months, days, path);
            assert!((0.70..=0.92).contains(&share), "{name} {months}: {share}");
        }
    }
    // Noise around a line: the band must not miss; it may be too wide.
    let line = |noise: &mut Noise, days: i64| {
        (0..days).map(|i| (100.0 + 0.1 * i as f64 + 0.5 * noise.normal()) * TIB).collect()
    };
    let share = coverage(3, 120, &line);
    assert!(share >= 0.75, "line: {share}");
}

#[test]
fn totals_add_types_and_fill_their_gaps() {
    let one = |name: &str, tier, points: Vec<(Date, f64)>| DailySeries {
        storage_type: Arc::from(name),
        tier,
        is_overhead: false,
        points,
    };
    let std = one(
        "StandardStorage",
        Some(Tier::Standard),
        vec![(day(0), 4.0), (day(2), 8.0), (day(9), 8.0)],
    );
    let ia = one("StandardIAStorage", Some(Tier::StandardIa), vec![(day(1), 10.0), (day(2), 10.0)]);
    let all = totals(&[std.clone(), ia]);
    assert_eq!(all, [(day(0), 4.0), (day(1), 16.0), (day(2), 18.0), (day(9), 8.0)]);
    let gone = one("NewStorage", None, vec![(day(9), 1.0)]);
    assert_eq!(mix(std::slice::from_ref(&std)), [(Tier::Standard, 8.0)]);
    assert_eq!(mix(&[std, gone]), []);
}

proptest! {
    #[test]
    fn no_size_is_negative_and_the_band_holds_the_trend(
        sizes in prop::collection::vec(prop_oneof![0.0..1e3, 0.0..1e18, Just(0.0), Just(f64::MAX), Just(f64::NAN)], 0..200),
        months in 0u16..60,
    ) {
        let sizes = series(sizes.len() as i64, |i| sizes[i as usize]);
        if let Ok(f) = of(&sizes, months) {
            prop_assert_eq!(f.curve.len(), usize::from(months) + 1);
            for e in f.curve {
                prop_assert!(e.low >= 0.0 && e.low <= e.mid && e.mid <= e.high, "{e:?}");
            }
        }
    }

    #[test]
    fn a_falling_line_ends_at_nothing(days in 28i64..180, drop in 0.001f64..0.005) {
        let sizes = series(days, |i| TIB * (1.0 - drop * i as f64));
        let f = of(&sizes, 60).unwrap();
        prop_assert!(f.per_month < 0.0);
        prop_assert!(f.curve[60].mid >= 0.0 && f.curve[60].mid < f.now);
    }
}
