//! How much to commit where a part of the demand can run on spot.
//!
//! Commitments are paid whatever happens, so they serve first; then spot serves what it may, at
//! most its share of the demand; on demand serves the rest.

/// Prices per unit and hour, USD, and the part of the demand that spot may serve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// Of the commitment.
    pub rate: f64,
    /// On demand.
    pub on_demand: f64,
    /// Spot per useful hour, with its lost time and what falls back: not above `on_demand`.
    pub spot: f64,
    /// Part of the demand that may run on spot, 0–1.
    pub share: f64,
}

/// Hours by what serves them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hours {
    /// Committed and used.
    pub committed_used: f64,
    /// Spot.
    pub spot: f64,
    /// On demand.
    pub on_demand: f64,
}

/// Who serves this demand, hour by hour: with C committed, spot min(φ d, (d − C)⁺), on demand
/// ((1 − φ) d − C)⁺.
pub fn hours(demand: &[f64], share: f64, committed: f64) -> Hours {
    let mut out = Hours::default();
    for &units in demand {
        let over = (units - committed).max(0.0);
        let spot = over.min(share * units);
        out.committed_used += units - over;
        out.spot += spot;
        out.on_demand += over - spot;
    }
    out
}

/// USD over all hours of the demand with so much committed.
pub fn cost(demand: &[f64], mix: &Mix, committed: f64) -> f64 {
    let hours = hours(demand, mix.share, committed);
    mix.rate * committed * demand.len() as f64
        + mix.spot * hours.spot
        + mix.on_demand * hours.on_demand
}

/// The smallest commitment with the lowest cost: where r = p S(C ÷ (1 − φ)) + s [S(C) − S(C ÷ (1 − φ))]
/// with S(x) the part of the hours in which demand is above x. It falls with C, so it is found by
/// bisection over the places where it can change. `sorted` ascending.
pub fn best(sorted: &[f64], mix: &Mix) -> f64 {
    let hours = sorted.len() as f64;
    let above =
        |level: f64| (sorted.len() - sorted.partition_point(|d| *d <= level)) as f64 / hours;
    let fixed = (1.0 - mix.share).max(0.0);
    let saves = |committed: f64, fixed_above: f64| {
        mix.on_demand * fixed_above + mix.spot * (above(committed) - fixed_above) > mix.rate
    };
    // Without a share for spot both families of places are one; with all of it the second is 0.
    let fixed_above = |c: f64| if fixed > 0.0 { above(c / fixed) } else { 0.0 };
    if sorted.is_empty() || !saves(0.0, fixed_above(0.0)) {
        return 0.0;
    }
    let whole = sorted.partition_point(|&d| saves(d, fixed_above(d)));
    // Here the place is (1 − φ) d: dividing it again could miss d by a hair.
    let part =
        sorted.partition_point(|&d| saves(fixed * d, if fixed > 0.0 { above(d) } else { 0.0 }));
    let places = [sorted.get(whole).copied(), sorted.get(part).map(|d| fixed * d)];
    places.into_iter().flatten().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_trying(demand: &[f64], mix: &Mix) -> (f64, f64) {
        let fixed = 1.0 - mix.share;
        let places = demand.iter().flat_map(|d| [*d, fixed * d]).chain([0.0]);
        places.map(|c| (c, cost(demand, mix, c))).min_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
    }

    #[test]
    fn without_spot_it_is_the_quantile() {
        let demand: Vec<f64> = (1..=100).map(f64::from).collect();
        let mix = Mix { rate: 0.6, on_demand: 1.0, spot: 1.0, share: 0.0 };
        // N(c) ÷ H ≤ 0.6 first at 40.
        assert_eq!(best(&demand, &mix), 40.0);
    }

    #[test]
    fn all_of_it_on_cheap_spot_commits_nothing() {
        let demand = [5.0; 10];
        let mix = Mix { rate: 0.6, on_demand: 1.0, spot: 0.4, share: 1.0 };
        assert_eq!(best(&demand, &mix), 0.0);
        assert!((cost(&demand, &mix, 0.0) - 20.0).abs() < 1e-12);
    }

    #[test]
    fn idle_commitments_displace_spot_for_free() {
        let demand: Vec<f64> = (1..=100).map(f64::from).collect();
        let mix = Mix { rate: 0.63, on_demand: 1.0, spot: 0.4, share: 0.6 };
        let found = best(&demand, &mix);
        // Above the quantile of the part that spot may not serve: 0.4 × 37.
        assert!(found > 0.4 * 37.0);
        let (_, tried) = by_trying(&demand, &mix);
        assert!((cost(&demand, &mix, found) - tried).abs() < 1e-9);
    }

    #[test]
    fn no_demand_no_commitment() {
        assert_eq!(best(&[], &Mix { rate: 0.6, on_demand: 1.0, spot: 0.4, share: 0.5 }), 0.0);
    }

    proptest! {
        #[test]
        fn it_costs_what_the_best_of_all_places_costs(
            mut demand in prop::collection::vec((0u32..400).prop_map(|d| f64::from(d) / 4.0), 1..60),
            rate in 0.05..1.2f64, spot in 0.0..=1.0f64, share in 0.0..=1.0f64,
        ) {
            demand.sort_by(f64::total_cmp);
            let mix = Mix { rate, on_demand: 1.0, spot, share };
            let found = best(&demand, &mix);
            let (_, tried) = by_trying(&demand, &mix);
            prop_assert!((cost(&demand, &mix, found) - tried).abs() <= 1e-9 * tried.max(1.0));
        }

        #[test]
        fn the_scaled_curve_gives_the_same_hours(
            demand in prop::collection::vec(0.0..100.0f64, 1..60),
            share in 0.0..0.99f64, committed in 0.0..120.0f64,
        ) {
            // On-demand hours = (1 − φ) L(C ÷ (1 − φ)), spot hours = L(C) − that.
            let above = |c: f64| demand.iter().map(|d| (d - c).max(0.0)).sum::<f64>();
            let on_demand = (1.0 - share) * above(committed / (1.0 - share));
            let hours = hours(&demand, share, committed);
            prop_assert!((hours.on_demand - on_demand).abs() < 1e-6);
            prop_assert!((hours.spot - (above(committed) - on_demand)).abs() < 1e-6);
            let all = hours.committed_used + hours.spot + hours.on_demand;
            prop_assert!((all - demand.iter().sum::<f64>()).abs() < 1e-6);
        }
    }
}
