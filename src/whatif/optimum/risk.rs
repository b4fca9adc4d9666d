//! The cautious optimum: units with the best mix of what is saved on average and in the worst 5%
//! of the futures.

use std::collections::HashMap;

/// Saving of a number of units against on-demand, USD.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saving {
    /// Mean over the futures.
    pub mean_usd: f64,
    /// Mean of the worst 5% of the futures; negative = a loss.
    pub worst5_usd: f64,
}

/// Whole units from 0 to `most` with the largest (1 − caution) · mean + caution · worst 5%, and what they save;
/// the fewest of equal ones. `caution` is 0 (the mean alone) to 1 (the worst alone).
///
/// Each future's saving is concave in the units, and so are the mean of the futures and the mean of the worst
/// of them, so one narrowing interval finds the best, with about 1.44 · log₂(most) valuations.
///
/// The risk is that of *savings*, never that of cost. The futures of highest cost are those of highest demand,
/// in which every commitment pays: the mean of the worst 5% of *cost* would ask for more commitments the more
/// risk counts, up to a loss in every second future.
pub fn cautious(most: f64, caution: f64, saving: &mut dyn FnMut(f64) -> Saving) -> (f64, Saving) {
    let caution = caution.clamp(0.0, 1.0);
    let mut known: HashMap<u64, (f64, Saving)> = HashMap::new();
    let mut score = |units: u64| {
        *known.entry(units).or_insert_with(|| {
            let saved = saving(units as f64);
            ((1.0 - caution) * saved.mean_usd + caution * saved.worst5_usd, saved)
        })
    };
    // Fibonacci search: the golden section on whole numbers. The best lies in `low`..=`low + wide`.
    let most = if most.is_finite() { most.max(0.0).floor() as u64 } else { 0 };
    let (mut before, mut wide) = (1_u64, 1_u64);
    while wide < most {
        (before, wide) = (wide, wide + before);
    }
    let mut low = 0;
    while wide > 2 {
        // At `low` + F(n−2) and `low` + F(n−1); beyond `most` nothing is bought.
        let (left, right) = (low + (wide - before), low + before);
        let rises = left < most && (right > most || score(left).0 < score(right).0);
        let rises = rises && right <= most;
        if rises {
            low = left;
        }
        (before, wide) = (wide - before, before);
    }
    let mut best = (low, score(low));
    for units in low + 1..=(low + wide).min(most) {
        let found = score(units);
        if found.0 > best.1.0 {
            best = (units, found);
        }
    }
    (best.0 as f64, best.1.1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Futures of a level each: units are used in full up to it.
    fn saving(levels: &[f64], rate: f64, units: f64) -> Saving {
        let mut saved: Vec<f64> =
            levels.iter().map(|level| units.min(*level) - rate * units).collect();
        saved.sort_by(f64::total_cmp);
        let worst = levels.len().div_ceil(20);
        Saving {
            mean_usd: saved.iter().sum::<f64>() / levels.len() as f64,
            worst5_usd: saved[..worst].iter().sum::<f64>() / worst as f64,
        }
    }

    proptest! {
        #[test]
        fn equals_a_scan(
            levels in prop::collection::vec(0.0_f64..300.0, 1..60), rate in 0.05_f64..1.2,
            caution in 0.0_f64..1.0, most in 0_u32..400,
        ) {
            let score = |saved: Saving| (1.0 - caution) * saved.mean_usd + caution * saved.worst5_usd;
            let mut calls = 0;
            let (units, saved) = cautious(f64::from(most), caution, &mut |units| {
                calls += 1;
                saving(&levels, rate, units)
            });
            prop_assert!(calls <= 18, "{}", calls);
            prop_assert_eq!(saved, saving(&levels, rate, units));
            let all = (0..=most).map(|units| score(saving(&levels, rate, f64::from(units))));
            let best = all.fold(f64::NEG_INFINITY, f64::max);
            prop_assert!((score(saved) - best).abs() <= 1e-9, "{} {} {}", units, score(saved), best);
        }

        #[test]
        fn savings_are_concave(
            levels in prop::collection::vec(0.0_f64..50.0, 1..60), rate in 0.05_f64..1.2,
        ) {
            for units in 1..50 {
                let [a, b, c] = [units - 1, units, units + 1]
                    .map(|units| saving(&levels, rate, f64::from(units)));
                prop_assert!(2.0 * b.mean_usd >= a.mean_usd + c.mean_usd - 1e-9);
                prop_assert!(2.0 * b.worst5_usd >= a.worst5_usd + c.worst5_usd - 1e-9);
            }
        }
    }

    #[test]
    fn caution_buys_less() {
        let levels: Vec<f64> = (0..100).map(f64::from).collect();
        let units = |caution| cautious(200.0, caution, &mut |units| saving(&levels, 0.63, units)).0;
        // The quantile at 1 − 0.63; then what even the worst five futures use.
        assert_eq!(units(0.0), 37.0);
        assert!(units(0.5) < units(0.0) && units(0.5) > units(1.0));
        assert!(units(1.0) <= 4.0);
    }

    #[test]
    fn nothing_to_buy_is_nothing() {
        let loss = &mut |units: f64| Saving { mean_usd: -units, worst5_usd: -units };
        assert_eq!(cautious(1000.0, 0.3, loss).0, 0.0);
        assert_eq!(cautious(0.0, 0.3, loss).0, 0.0);
        assert_eq!(cautious(f64::NAN, 0.3, loss).0, 0.0);
    }
}
