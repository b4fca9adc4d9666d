//! Figures over futures. Order statistics are exact, by selection: the ⌈q·n⌉th smallest.

use super::super::Valuation;

/// A cost counts as above on-demand's only by more than this part of it: the tables' own error.
const NOISE: f64 = 1e-6;

/// Index of the ⌈q·n⌉th smallest of `n` values, in `n` > 0 sorted ones.
fn rank(n: usize, q: f64) -> usize {
    // The tolerance keeps 0.95 × 200 at 190.
    ((n as f64 * q - 1e-9).ceil() as usize).clamp(1, n.max(1)) - 1
}

/// The values that 5%, 50% and 95% do not exceed; zeros without any. Reorders `values`.
pub(super) fn p5_p50_p95(values: &mut [f64]) -> [f64; 3] {
    let n = values.len();
    if n == 0 {
        return [0.0; 3];
    }
    let [low, mid, high] = [0.05, 0.5, 0.95].map(|q| rank(n, q));
    let (below, &mut median, above) = values.select_nth_unstable_by(mid, f64::total_cmp);
    let pick = |part: &mut [f64], at: usize| *part.select_nth_unstable_by(at, f64::total_cmp).1;
    let p5 = if low < mid { pick(below, low) } else { median };
    let p95 = if high > mid { pick(above, high - mid - 1) } else { median };
    [p5, median, p95]
}

/// Mean of the worst 5% (the ⌈n/20⌉ smallest, at least one) of savings against on-demand, USD; negative = a
/// loss. 0 without futures.
pub fn worst5_savings_usd(costs: &[f64], on_demand: &[f64]) -> f64 {
    let mut savings: Vec<f64> = on_demand.iter().zip(costs).map(|(all, cost)| all - cost).collect();
    let n = savings.len();
    if n == 0 {
        return 0.0;
    }
    let last = rank(n, 0.05);
    savings.select_nth_unstable_by(last, f64::total_cmp);
    savings[..=last].iter().sum::<f64>() / (last + 1) as f64
}

/// Arithmetic mean; 0 without values.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Two standard errors of the mean; 0 with fewer than two values.
pub fn mean_error(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    if n < 2.0 {
        return 0.0;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    2.0 * (squares / (n - 1.0) / n).sqrt()
}

/// What the costs of the futures say; what does not follow from them is left as it is.
pub(super) fn fill(value: &mut Valuation, costs: &[f64], on_demand: &[f64]) {
    value.mean_usd = mean(costs);
    value.mean_error_usd = mean_error(costs);
    let [p5, p50, p95] = p5_p50_p95(&mut costs.to_vec());
    (value.p5_usd, value.p50_usd, value.p95_usd) = (p5, p50, p95);
    value.on_demand_usd = mean(on_demand);
    value.worst5_savings_usd = worst5_savings_usd(costs, on_demand);
    let above = costs.iter().zip(on_demand).filter(|(cost, all)| **cost > **all * (1.0 + NOISE));
    value.prob_above_on_demand = above.count() as f64 / costs.len().max(1) as f64;
    value.esr = (value.on_demand_usd > 0.0).then(|| 1.0 - value.mean_usd / value.on_demand_usd);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranks_are_the_golden_ones() {
        let mut values: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        assert_eq!(p5_p50_p95(&mut values), [10.0, 100.0, 190.0]);
        let (costs, all) = (vec![0.0; 200], values);
        assert_eq!(worst5_savings_usd(&costs, &all), 5.5);
        assert_eq!(p5_p50_p95(&mut [3.0]), [3.0; 3]);
        assert_eq!(p5_p50_p95(&mut []), [0.0; 3]);
        assert_eq!(worst5_savings_usd(&[1.0], &[4.0]), 3.0);
    }

    proptest! {
        #[test]
        fn selects_what_sorting_gives(values in prop::collection::vec(-9.0..9.0_f64, 1..300)) {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let n = values.len();
            let at = |q: f64| sorted[(n as f64 * q - 1e-9).ceil() as usize - 1];
            prop_assert_eq!(p5_p50_p95(&mut values.clone()), [at(0.05), at(0.5), at(0.95)]);
            let worst = n.div_ceil(20);
            let mean = sorted[..worst].iter().sum::<f64>() / worst as f64;
            let zeros = vec![0.0; n];
            prop_assert!(f64::abs(worst5_savings_usd(&zeros, &values) - mean) < 1e-12);
        }
    }
}
