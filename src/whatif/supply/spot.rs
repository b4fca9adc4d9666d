//! What spot really costs: list price over the part of the time that is not lost to checkpoints,
//! redone work and restarts (Young 1974, Daly 2006), and on demand where there is none.

use crate::whatif::Spot;

/// Interval between checkpoints that loses least: √(2 d ÷ λ) hours, with d hours to write one and λ
/// interruptions per hour (Young 1974). `None` without interruptions, when no checkpoint is needed.
pub fn best_interval(checkpoint_hours: f64, interruptions_per_hour: f64) -> Option<f64> {
    let interval = (2.0 * checkpoint_hours / interruptions_per_hour).sqrt();
    (interruptions_per_hour > 0.0 && interval.is_finite()).then_some(interval)
}

/// Share of the time whose work is kept: 1 − d ÷ τ − λ (τ ÷ 2 + R). Negative where more is lost than done.
/// First order in λ τ, so valid for intervals well below the time between interruptions. (Young 1974, Daly
/// 2006.)
pub fn efficiency(
    checkpoint_hours: f64,
    interval_hours: f64,
    interruptions_per_hour: f64,
    restart_hours: f64,
) -> f64 {
    let writing = if checkpoint_hours > 0.0 { checkpoint_hours / interval_hours } else { 0.0 };
    1.0 - writing - interruptions_per_hour * (interval_hours / 2.0 + restart_hours)
}

/// Largest overhead at which a discount (0–1) still pays, as extra hours ÷ useful hours: d ÷ (1 − d). 26% off
/// bears 0.35, 70% bears 2.33.
pub fn overhead_limit(discount: f64) -> f64 {
    if discount >= 1.0 { f64::INFINITY } else { discount / (1.0 - discount) }
}

/// Real cost of Spot for a family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpotCost {
    /// Hours between checkpoints; `None` where no checkpoint is needed.
    pub interval_hours: Option<f64>,
    /// Share of the time whose work is kept, at most 1; negative where more is lost than done.
    pub efficiency: f64,
    /// USD per unit and useful hour on Spot; `None` where no work is ever kept.
    pub effective: Option<f64>,
    /// USD per unit and useful hour, on demand in the hours without Spot capacity; never above on-demand, since
    /// what Spot makes dearer is not run on it.
    pub blended: f64,
    /// Discount of Spot's list price against on-demand, 0–1; negative = dearer.
    pub list_discount: f64,
    /// Discount that is left per useful hour on the eligible share, 0–1.
    pub real_discount: f64,
}

/// Real cost of a scenario's Spot against `on_demand` USD per unit and hour.
pub fn cost(spot: &Spot, on_demand: f64) -> SpotCost {
    let interval_hours = spot
        .interval_hours
        .or_else(|| best_interval(spot.checkpoint_hours, spot.interruptions_per_hour));
    let efficiency = match interval_hours {
        Some(interval) if interval > 0.0 => efficiency(
            spot.checkpoint_hours,
            interval,
            spot.interruptions_per_hour,
            spot.restart_hours,
        ),
        // Whoever writes all the time does nothing else, unless writing is free: then only the
        // restarts are lost.
        Some(_) if spot.checkpoint_hours > 0.0 => f64::NEG_INFINITY,
        Some(_) => 1.0 - spot.interruptions_per_hour * spot.restart_hours,
        None => 1.0,
    };
    let effective = (efficiency > 0.0).then(|| spot.price / efficiency);
    let on_spot = effective.map_or(on_demand, |usd| usd.min(on_demand));
    let blended = spot.availability * on_spot + (1.0 - spot.availability) * on_demand;
    SpotCost {
        interval_hours,
        efficiency,
        effective,
        blended,
        list_discount: 1.0 - spot.price / on_demand,
        real_discount: 1.0 - blended / on_demand,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spot() -> Spot {
        Spot {
            share: 0.6,
            price: 0.3,
            availability: 1.0,
            interruptions_per_hour: 0.05,
            checkpoint_hours: 0.1,
            interval_hours: None,
            restart_hours: 0.2,
        }
    }

    #[test]
    fn young_and_daly_by_hand() {
        // √(2 · 0.1 ÷ 0.05) = 2 h; 1 − 0.1/2 − 0.05 (1 + 0.2) = 0.89.
        let cost = cost(&spot(), 1.0);
        assert_eq!(cost.interval_hours, Some(2.0));
        assert!((cost.efficiency - 0.89).abs() < 1e-12);
        assert!((cost.effective.unwrap() - 0.3 / 0.89).abs() < 1e-12);
    }

    #[test]
    fn seventy_percent_off_at_half_the_time_is_no_seventy() {
        let half = Spot { availability: 0.5, ..spot() };
        let cost = cost(&half, 1.0);
        assert!((cost.list_discount - 0.7).abs() < 1e-12);
        assert!((cost.real_discount - 0.5 * (1.0 - 0.3 / 0.89)).abs() < 1e-12);
    }

    #[test]
    fn what_never_finishes_runs_on_demand() {
        let hopeless = Spot { interruptions_per_hour: 6.0, ..spot() };
        let cost = cost(&hopeless, 1.0);
        assert_eq!((cost.effective, cost.blended, cost.real_discount), (None, 1.0, 0.0));
    }

    #[test]
    fn without_interruptions_spot_is_its_price() {
        let calm = Spot { interruptions_per_hour: 0.0, ..spot() };
        assert_eq!(cost(&calm, 1.0).effective, Some(0.3));
        let always = Spot { interval_hours: Some(0.0), ..spot() };
        assert_eq!(cost(&always, 1.0).effective, None);
        let free = Spot { checkpoint_hours: 0.0, ..spot() };
        assert!((cost(&free, 1.0).efficiency - (1.0 - 0.05 * 0.2)).abs() < 1e-12);
    }

    #[test]
    fn the_limit_of_overhead_is_the_fact_sheets() {
        assert!((overhead_limit(0.26) - 0.351).abs() < 1e-3);
        assert!((overhead_limit(0.70) - 2.333).abs() < 1e-3);
    }

    /// Hours kept of a long run that is interrupted again and again, step by step.
    #[test]
    fn the_formula_is_what_a_run_loses() {
        // Interrupted every 500 h, always half-way through an interval of 10 h, 1 h to write,
        // 3 h to restart: of 500 h, 3 + 5 are lost and 49.2 checkpoints are written.
        let (between, interval, write, restart) = (500.0, 10.0, 1.0, 3.0);
        let by_formula = efficiency(write, interval, 1.0 / between, restart);
        let kept = (between - restart - interval / 2.0) / (interval / (interval - write)) / between;
        assert!((by_formula - kept).abs() < 2e-3, "{by_formula} {kept}");
    }

    proptest! {
        #[test]
        fn no_other_interval_is_better(
            write in 0.001..0.5f64, often in 0.0005..0.05f64, restart in 0.0..1.0f64,
            other in 0.01..100.0f64,
        ) {
            let best = best_interval(write, often).unwrap();
            let at = |interval| efficiency(write, interval, often, restart);
            prop_assert!(at(best) >= at(other) - 1e-12);
        }

        #[test]
        fn the_limit_is_where_spot_costs_what_on_demand_does(discount in 0.01..0.95f64) {
            // Hours per useful hour: 1 + overhead; at the limit, dollars are equal.
            let hours = 1.0 + overhead_limit(discount);
            prop_assert!((hours * (1.0 - discount) - 1.0).abs() < 1e-12);
        }

        #[test]
        fn blended_is_between_spot_and_on_demand(
            price in 0.01..2.0f64, available in 0.0..=1.0f64, often in 0.0..0.5f64,
        ) {
            let spot = Spot { price, availability: available, interruptions_per_hour: often, ..spot() };
            let cost = cost(&spot, 1.0);
            prop_assert!(cost.blended <= 1.0 + 1e-12 && cost.blended >= price.min(1.0) - 1e-12);
        }
    }
}
