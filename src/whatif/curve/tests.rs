use proptest::prelude::*;

use super::*;

/// Cost hour by hour.
fn brute(hours: &[f64], units: f64, p: f64, r: f64) -> f64 {
    hours.iter().map(|d| r * units + p * (d - units).max(0.0)).sum()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0)
}

fn curve(hours: &[f64]) -> LoadDuration {
    LoadDuration::new(hours.iter().copied()).unwrap()
}

/// 65 of 100 hours, as a demand that is 65% used: 100 units committed at 60% of the price.
#[test]
fn the_hundred_a100s() {
    let year = curve(&vec![65.0; 8760]);
    let (p, r) = (3.0, 1.8);
    assert!(close(year.cost(100.0, p, r), 1_576_800.0));
    assert!(close(year.on_demand_cost(p), 1_708_200.0));
    let used = year.utilisation(100.0).unwrap();
    assert!(((r / used) - 2.7692).abs() < 5e-5);
    assert!((year.esr(100.0, p, r).unwrap() - 0.0769).abs() < 5e-5);
    assert!(close(year.esr(65.0, p, r).unwrap(), 0.40));
    assert_eq!(break_even(p, r), Some(0.6));
    assert_eq!(year.optimum(p, r), 65.0);
}

/// ESR = coverage × (1 − (1 − discount) ÷ utilisation): the fact sheet's three lines.
#[test]
fn the_three_lines_of_the_identity() {
    for (coverage, utilisation, discount, esr) in
        [(0.90, 0.70, 0.30, 0.0), (0.70, 0.95, 0.40, 0.2579), (1.00, 0.65, 0.40, 0.0769)]
    {
        // Two levels with this coverage and utilisation at a commitment of 100: `used` hours run at
        // 100 and what is not covered piles up in one hour.
        let used = (utilisation * 10_000.0) as usize;
        let mut hours = vec![0.0; 10_000];
        hours[..used].fill(100.0);
        let covered = used as f64 * 100.0;
        hours[0] += covered / coverage - covered;
        let curve = curve(&hours);
        assert!((curve.coverage(100.0).unwrap() - coverage).abs() < 1e-9);
        assert!((curve.utilisation(100.0).unwrap() - utilisation).abs() < 1e-9);
        assert!((curve.esr(100.0, 1.0, 1.0 - discount).unwrap() - esr).abs() < 5e-5);
    }
}

/// Demand of 65 ± 12: the best is 62, committing 100 and 70% of the mean cost more. Here by the
/// normal's own quantiles, one hour each, beside the fact sheet's single draw (0.5%).
#[test]
fn a_normal_demand() {
    let hours: Vec<f64> =
        (0..8760).map(|i| 65.0 + 12.0 * quantile((f64::from(i) + 0.5) / 8760.0)).collect();
    let curve = curve(&hours);
    assert_eq!(curve.optimum_whole(3.0, 1.8), 62.0);
    for (units, usd) in [(62.0, 1_142_049.0), (100.0, 1_576_971.0), (45.5, 1_235_937.0)] {
        assert!((curve.cost(units, 3.0, 1.8) / usd - 1.0).abs() < 5e-3, "{units}");
    }
}

/// The normal's quantile by bisection on its distribution, by summing the density.
fn quantile(part: f64) -> f64 {
    let (mut low, mut high) = (-8.0, 8.0);
    for _ in 0..60 {
        let mid = f64::midpoint(low, high);
        if distribution(mid) < part { low = mid } else { high = mid }
    }
    low
}

/// Φ by its series (converges for all |x| < 8 in f64).
fn distribution(x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (x, x, 1.0);
    while term.abs() > 1e-17 && n < 400.0 {
        n += 2.0;
        term *= x * x / n;
        sum += term;
    }
    0.5 + sum * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[test]
fn uniform_sixty_to_seventy() {
    // Traps: P(D > R) = 0.6 of the hours at R = 64.
    let hours: Vec<f64> = (0..100).map(|i| 60.0 + f64::from(i) / 10.0).collect();
    assert_eq!(curve(&hours).optimum_whole(1.0, 0.6), 64.0);
    // 14 h at 10, 10 h at 90: 70% of the mean costs 129.2 beside 118.0, without 130.0, per hour of
    // USD 3 (in thirds).
    let mut day = vec![10.0; 14];
    day.extend([90.0; 10]);
    let day = curve(&day);
    let per_hour = |units: f64| day.cost(units, 3.0, 1.8) / 24.0;
    assert_eq!(day.optimum(3.0, 1.8), 10.0);
    assert!((per_hour(10.0) - 118.0).abs() < 1e-9);
    assert!((per_hour(0.0) - 130.0).abs() < 1e-9);
    assert!((per_hour(0.7 * day.total() / 24.0) - 129.2).abs() < 0.05);
}

#[test]
fn edges() {
    assert!(LoadDuration::new([]).is_none());
    assert!(LoadDuration::new([f64::NAN]).is_none());
    // One hour: the unit pays as soon as there is any discount.
    let one = curve(&[7.0]);
    assert_eq!(one.optimum(1.0, 0.9), 7.0);
    assert_eq!(one.optimum(1.0, 1.0), 0.0);
    assert_eq!(one.optimum(1.0, 1.5), 0.0);
    assert_eq!(one.slot_utilisation(7.0), 1.0);
    assert_eq!(one.slot_utilisation(8.0), 0.0);
    // No demand: nothing to save, nothing to cover.
    let idle = curve(&[0.0; 24]);
    assert_eq!(idle.optimum(1.0, 0.5), 0.0);
    assert_eq!(idle.esr(1.0, 1.0, 0.5), None);
    assert_eq!(idle.coverage(1.0), None);
    assert_eq!(idle.utilisation(1.0), Some(0.0));
    assert_eq!(idle.utilisation(0.0), None);
    // Free commitments: all of it.
    assert_eq!(curve(&[1.0, 5.0]).optimum(1.0, 0.0), 5.0);
    assert_eq!(break_even(0.0, 0.0), None);
    // A price that nobody has: nothing is bought.
    assert_eq!(one.optimum(f64::NAN, 0.5), 0.0);
    assert_eq!(one.optimum(0.0, 0.0), 0.0);
}

prop_compose! {
    fn demand()(
        whole in any::<bool>(),
        hours in prop::collection::vec(0.0..60.0_f64, 1..80),
    ) -> Vec<f64> {
        if whole { hours.into_iter().map(f64::floor).collect() } else { hours }
    }
}

proptest! {
    #[test]
    fn costs_as_hour_by_hour(hours in demand(), c in 0.0..80.0, p in 0.1..9.0, r in 0.0..9.0) {
        let curve = curve(&hours);
        prop_assert!(close(curve.cost(c, p, r), brute(&hours, c, p, r)));
        let above = hours.iter().filter(|&&d| d > c).count();
        prop_assert_eq!(curve.hours_above(c), above);
    }

    #[test]
    fn no_level_is_cheaper(hours in demand(), p in 0.1..9.0, part in 0.0..1.2) {
        let (curve, r) = (curve(&hours), p * part);
        let best = curve.cost(curve.optimum(p, r), p, r);
        let levels = hours.iter().copied().chain([0.0]);
        for level in levels {
            let cost = brute(&hours, level, p, r);
            prop_assert!(best <= cost || close(best, cost), "{level}");
            // The smallest: whatever costs the same does not lie below.
            if close(best, cost) {
                prop_assert!(level >= curve.optimum(p, r) - 1e-9);
            }
        }
        let whole = curve.optimum_whole(p, r);
        let best = curve.cost(whole, p, r);
        for level in 0..=61 {
            let cost = brute(&hours, f64::from(level), p, r);
            prop_assert!(best <= cost || close(best, cost), "whole {level}");
        }
    }

    #[test]
    fn is_a_quantile(hours in demand(), part in 0.001..0.999) {
        let curve = curve(&hours);
        let best = curve.optimum(1.0, part);
        let total = hours.len() as f64;
        prop_assert!(curve.hours_above(best) as f64 / total <= part * (1.0 + 1e-9));
        // Anything less leaves more than that above.
        if best > 0.0 {
            prop_assert!(curve.hours_above(best * (1.0 - 1e-9)) as f64 / total > part);
        }
    }

    #[test]
    fn is_convex(hours in demand(), a in 0.0..80.0, b in 0.0..80.0, t in 0.0..1.0) {
        let curve = curve(&hours);
        let mid = t * a + (1.0 - t) * b;
        let chord = t * curve.cost(a, 3.0, 1.8) + (1.0 - t) * curve.cost(b, 3.0, 1.8);
        prop_assert!(curve.cost(mid, 3.0, 1.8) <= chord * (1.0 + 1e-12) + 1e-9);
    }

    #[test]
    fn scales(hours in demand(), g in 0.01..50.0, c in 0.0..80.0) {
        // L of g·x at c is g times L of x at c ÷ g; the optimum grows with g.
        let (curve, scaled) = (curve(&hours), curve(&hours.iter().map(|d| d * g).collect::<Vec<_>>()));
        let same: f64 = scaled.above(c) - g * curve.above(c / g);
        prop_assert!(same.abs() <= 1e-11 * scaled.total().max(1.0));
        prop_assert!(close(scaled.optimum(3.0, 1.8), g * curve.optimum(3.0, 1.8)));
    }

    #[test]
    fn esr_is_coverage_times_margin(hours in demand(), c in 0.1..80.0, part in 0.05..1.0) {
        let curve = curve(&hours);
        if let (Some(esr), Some(coverage), Some(used)) =
            (curve.esr(c, 2.0, 2.0 * part), curve.coverage(c), curve.utilisation(c))
            && used > 1e-6
        {
            prop_assert!(f64::abs(esr - coverage * (1.0 - part / used)) < 1e-9);
        }
    }

    #[test]
    fn a_slot_pays_where_its_own_use_does(hours in demand(), part in 0.05..0.95, slot in 1..60) {
        let (curve, slot) = (curve(&hours), f64::from(slot));
        let adds = curve.cost(slot, 1.0, part) - curve.cost(slot - 1.0, 1.0, part);
        // Whole demand alone: a slot in part used has no single utilisation.
        if hours.iter().all(|d| d.fract() == 0.0) {
            let used = curve.slot_utilisation(slot);
            prop_assert!((adds - (part - used) * hours.len() as f64).abs() < 1e-9);
        }
    }
}
