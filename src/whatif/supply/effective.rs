//! What a discount is worth once its use is known.

/// USD per used hour of a unit at `rate` that is used in `utilisation` (0–1) of the hours: r ÷ u.
pub fn rate_per_used_hour(rate: f64, utilisation: f64) -> f64 {
    rate / utilisation
}

/// USD saved on what costs `full_usd` on demand for all hours, at a discount (0–1), used in a part
/// of the hours: C (u − (1 − d)). Negative below the break-even 1 − d.
pub fn saving(full_usd: f64, discount: f64, utilisation: f64) -> f64 {
    full_usd * (utilisation - (1.0 - discount))
}

/// The effective savings rate, 1 − cost ÷ on-demand cost, by coverage, discount and utilisation of
/// the commitments (all 0–1): v (1 − (1 − d) ÷ u).
pub fn savings_rate(coverage: f64, discount: f64, utilisation: f64) -> f64 {
    coverage * (1.0 - (1.0 - discount) / utilisation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_fact_sheets_three() {
        assert!(savings_rate(0.9, 0.3, 0.7).abs() < 1e-12);
        assert!((savings_rate(0.7, 0.4, 0.95) - 0.2579).abs() < 5e-5);
        assert!((savings_rate(1.0, 0.4, 0.65) - 0.0769).abs() < 5e-5);
    }

    proptest! {
        #[test]
        fn it_is_what_the_hours_say(
            demand in prop::collection::vec(0.0..100.0f64, 1..60), committed in 1.0..100.0f64,
            discount in 0.01..0.9f64,
        ) {
            let total: f64 = demand.iter().sum();
            prop_assume!(total > 1.0);
            let used: f64 = demand.iter().map(|d| d.min(committed)).sum();
            prop_assume!(used > 1.0);
            let fixed = (1.0 - discount) * committed * demand.len() as f64;
            let by_hours = 1.0 - (fixed + total - used) / total;
            let utilisation = used / (committed * demand.len() as f64);
            let by_formula = savings_rate(used / total, discount, utilisation);
            prop_assert!((by_hours - by_formula).abs() < 1e-9);
        }
    }
}
