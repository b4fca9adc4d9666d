//! Two scenarios over the same futures.

use super::Comparison;

/// Difference of two scenarios, `other` − `base`, from the cost of each future (USD). Paired, so that what both
/// have in common cancels and a scenario differs from itself by exactly 0. `None` where the numbers of futures
/// differ or are 0.
pub fn paired(base: &[f64], other: &[f64]) -> Option<Comparison> {
    if base.len() != other.len() || base.is_empty() {
        return None;
    }
    let n = base.len() as f64;
    let differences = || base.iter().zip(other).map(|(base, other)| other - base);
    let mean = differences().sum::<f64>() / n;
    let squares: f64 = differences().map(|d| (d - mean) * (d - mean)).sum();
    // Of one future there is no spread.
    let error = if base.len() > 1 { 2.0 * (squares / (n - 1.0) / n).sqrt() } else { 0.0 };
    let cheaper = differences().filter(|d| *d < 0.0).count() as f64 / n;
    Some(Comparison { mean_usd: mean, error_usd: error, cheaper })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_known_difference() {
        // Differences -1, -1, 2, 0: mean 0, variance (1 + 1 + 4 + 0) / 3 = 2, error 2 √(2 / 4).
        let found = paired(&[10.0, 20.0, 30.0, 40.0], &[9.0, 19.0, 32.0, 40.0]).unwrap();
        assert_eq!(found.mean_usd, 0.0);
        assert!((found.error_usd - 2.0 * 0.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(found.cheaper, 0.5);
        assert_eq!(paired(&[1.0], &[]), None);
        assert_eq!(paired(&[], &[]), None);
        let one = paired(&[1.0], &[0.0]).unwrap();
        assert_eq!((one.mean_usd, one.error_usd, one.cheaper), (-1.0, 0.0, 1.0));
    }

    proptest! {
        #[test]
        fn itself_is_exactly_no_difference(costs in proptest::collection::vec(-1e9..1e9_f64, 1..99)) {
            let none = Comparison { mean_usd: 0.0, error_usd: 0.0, cheaper: 0.0 };
            prop_assert_eq!(paired(&costs, &costs), Some(none));
        }

        #[test]
        fn the_other_way_round_is_the_opposite(
            pairs in proptest::collection::vec((0.0..1e6_f64, 0.0..1e6_f64), 2..99),
        ) {
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let (there, back) = (paired(&a, &b).unwrap(), paired(&b, &a).unwrap());
            prop_assert!((there.mean_usd + back.mean_usd).abs() < 1e-6);
            prop_assert!((there.error_usd - back.error_usd).abs() < 1e-6);
            prop_assert!(there.cheaper + back.cheaper <= 1.0);
        }
    }
}
