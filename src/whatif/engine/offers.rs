//! What each offer is worth, and which of them the slider moves.

use super::super::curve::break_even;
use super::super::{FamilyInputs, Offer, OfferAnswer, OfferKind};

/// Points of a curve of cost over commitment, where the most units ever are at least as many.
const LEVELS: usize = 33;

/// Index of the offer that a family's slider moves: the first with a rate that the scenario buys now, else the
/// one with the lowest rate. Reserved capacity is no discount and is not moved. `None` without an offer that
/// has a rate.
pub fn moved_offer(inputs: &FamilyInputs) -> Option<usize> {
    let usable = |offer: &Offer| discounts(offer) && offer.rate.is_some();
    let of_buys = inputs.buys.iter().filter(|buy| buy.week == 0);
    let mut bought = of_buys.filter_map(|buy| {
        inputs.offers.iter().position(|offer| offer.name == buy.offer && usable(offer))
    });
    bought.next().or_else(|| {
        let known = inputs.offers.iter().enumerate().filter(|(_, offer)| usable(offer));
        let rate = |offer: &Offer| offer.rate.unwrap_or(f64::INFINITY);
        known.min_by(|(_, a), (_, b)| rate(a).total_cmp(&rate(b))).map(|(at, _)| at)
    })
}

/// True for what has a rate of its own; reserved capacity costs what on-demand does.
pub(super) fn discounts(offer: &Offer) -> bool {
    offer.kind != OfferKind::CapacityReservation
}

/// Units of an offer that a family buys in the coming week.
pub(super) fn bought(inputs: &FamilyInputs, offer: &str) -> f64 {
    let buys = inputs.buys.iter().filter(|buy| buy.offer == offer && buy.week == 0);
    buys.map(|buy| buy.units).sum()
}

/// Answer for each offer, with the units that `best` computes; `None` there = not known.
pub(super) fn answers(
    inputs: &FamilyInputs,
    best: impl Fn(&Offer) -> Option<f64>,
) -> Vec<OfferAnswer> {
    let answer = |offer: &Offer| {
        let all = inputs.buys.iter().filter(|buy| buy.offer == offer.name);
        OfferAnswer {
            name: offer.name.clone(),
            kind: offer.kind,
            weeks: offer.weeks,
            payment: offer.payment,
            rate: offer.rate,
            break_even: offer.rate.zip(inputs.on_demand).and_then(|(r, p)| break_even(p, r)),
            best_units: if discounts(offer) { best(offer) } else { None },
            cautious_units: None,
            bought: all.map(|buy| buy.units).sum(),
        }
    };
    inputs.offers.iter().map(answer).collect()
}

/// Indices of the offers with their best units.
pub(super) fn optima(offers: &[OfferAnswer]) -> Vec<(usize, f64)> {
    offers.iter().enumerate().filter_map(|(at, offer)| Some((at, offer.best_units?))).collect()
}

/// The first whole number from 0 for which `enough`, which stays true once it is; `most`, rounded
/// up, where it never is.
pub(super) fn first_whole(most: f64, mut enough: impl FnMut(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0_f64, most.ceil().max(0.0));
    while low < high {
        let mid = f64::midpoint(low, high).floor();
        if enough(mid) { high = mid } else { low = mid + 1.0 }
    }
    low
}

/// Levels of commitment at which the cost is computed, ascending: whole units, as nothing else can be bought, evenly from 0
/// to beyond the peak and what is in `also`, and these.
pub(super) fn levels(peak: f64, also: &[f64]) -> Vec<f64> {
    let top = (also.iter().copied().fold(peak.max(1.0), f64::max) * 1.05).ceil();
    let even = (0..LEVELS).map(|at| (top * at as f64 / (LEVELS - 1) as f64).round());
    let mut levels: Vec<f64> = even.chain(also.iter().copied()).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_whole_units_each_once_from_none_to_beyond_the_peak() {
        for peak in [0.0, 0.4, 1.0, 9.0, 37.6, 79.0, 12_345.0] {
            let levels = levels(peak, &[]);
            assert!(levels.is_sorted_by(|a, b| a < b), "{levels:?}");
            assert!(levels.iter().all(|units| units.fract() == 0.0), "{levels:?}");
            let last = levels[levels.len() - 1];
            assert!(levels.len() >= 2 && levels[0] == 0.0 && last >= peak, "{levels:?}");
        }
        assert_eq!(levels(2.0, &[]), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(levels(79.0, &[]).len(), LEVELS);
        // What is bought in parts has its own cost.
        assert_eq!(levels(2.0, &[1.5, 1.0]), [0.0, 1.0, 1.5, 2.0, 3.0]);
    }
}
