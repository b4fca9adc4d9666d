//! What decides a plan beside its figures: said by the memo, and on a page of the tab.

use std::collections::BTreeSet;

use crate::view::Symbols;
use crate::view::room::cut;
use crate::whatif::{BILLED_RATES, Demand, FamilyInputs, OfferKind, PRIVATE_PRICES, Scenario};

/// Which demand a plan is for.
pub const AS_IT_RAN: &str = "For the demand as it ran: whatever is stopped, made smaller or moved to Spot first needs no \
                             commitment. The Overview commits to what these leave, and to less.";

/// Most columns of names on the page: as many as anybody reads.
const NAMES: usize = 600;

/// All notes on a plan, a sentence or two each: those of the demand first.
pub fn notes(demand: &Demand, scenario: &Scenario, symbols: Symbols) -> Vec<String> {
    let mut notes = demand.notes.clone();
    notes.push(AS_IT_RAN.to_owned());
    notes.extend(gaps(scenario, NAMES, symbols));
    notes.push(made_of(scenario));
    notes
}

/// How many [`notes`] there are. Allocates nothing: each frame says it.
pub fn count(demand: &Demand, scenario: &Scenario) -> usize {
    let families = || scenario.counted();
    let is_unpriced = families().any(|family| family.on_demand.is_none());
    let is_gap = |(at, family): &(usize, &FamilyInputs)| {
        let is_said = families().take(*at).any(|before| unrated(before).eq(unrated(family)));
        unrated(family).next().is_some() && !is_said
    };
    let gaps = families().enumerate().filter(is_gap).count();
    // Which demand it is for, and what futures are made of, is always said.
    demand.notes.len() + usize::from(is_unpriced) + gaps + 2
}

/// Names of a family's offers whose rate is not known.
fn unrated(family: &FamilyInputs) -> impl Iterator<Item = &str> {
    let offers = family.offers.iter();
    let offers = offers.filter(|o| o.rate.is_none() && o.kind != OfferKind::CapacityReservation);
    offers.map(|offer| &*offer.name)
}

/// What is not known of the families planned for and their offers, so that it is not valued; names take at most `width`
/// columns.
pub fn gaps(scenario: &Scenario, width: usize, symbols: Symbols) -> Vec<String> {
    let mut gaps = Vec::new();
    let names = |of: &dyn Fn(&FamilyInputs) -> bool| {
        let names: Vec<&str> = scenario.counted().filter(|f| of(f)).map(|f| &*f.name).collect();
        (!names.is_empty()).then(|| cut(&names.join(", "), width, symbols))
    };
    if let Some(names) = names(&|family| family.on_demand.is_none()) {
        gaps.push(format!("{names}: no on-demand price; nothing of it is valued."));
    }
    // Families whose offers without a rate are the same ones stand together.
    let without = |family: &FamilyInputs| unrated(family).collect::<Vec<_>>().join(", ");
    let offers: BTreeSet<String> = scenario.counted().map(without).collect();
    for offers in offers.iter().filter(|offers| !offers.is_empty()) {
        let Some(names) = names(&|family| without(family) == *offers) else { continue };
        let offers = cut(offers, width, symbols);
        gaps.push(format!("{names}: no rate of {offers}; not compared."));
    }
    gaps
}

/// What futures are made of, and which prices are not in them.
pub fn made_of(scenario: &Scenario) -> String {
    // What the configuration or a bill says of prices is in them, and said with them.
    let from = [PRIVATE_PRICES, BILLED_RATES];
    let is_private = |f: &FamilyInputs| from.iter().any(|from| f.prices_from.contains(from));
    let without = if scenario.counted().any(is_private) {
        "Other private discounts, credits and taxes are not."
    } else {
        "Private discounts, credits and taxes are not."
    };
    format!(
        "Futures are made of weeks of the past under the stated growth: what never happened is in them only as a \
         step. {without}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabs::whatif::picture::fixture::{demand_of, full, start_of};

    #[test]
    fn as_many_are_counted_as_are_said() {
        // One of the demand and two always. The second family lacks a rate, the third both and its price; then the same
        // again.
        for (families, expected) in [(0, 3), (1, 3), (2, 4), (3, 6), (20, 6)] {
            let (demand, scenario) = (demand_of(families), start_of(families));
            let said = notes(&demand, &scenario, Symbols::Unicode);
            assert_eq!((said.len(), count(&demand, &scenario)), (expected, expected), "{said:?}");
        }
        assert_eq!(count(&demand_of(3), &full()), 6);
        // Of one family nothing is said of what is not known of the others.
        let only = |name: &str| Scenario { only: Some(name.into()), ..start_of(3) };
        for (name, expected) in [("p4d.24xlarge", 3), ("g5.48xlarge", 4), ("p5.48xlarge", 5)] {
            let (demand, scenario) = (demand_of(3), only(name));
            let said = notes(&demand, &scenario, Symbols::Unicode);
            assert_eq!((said.len(), count(&demand, &scenario)), (expected, expected), "{said:?}");
        }
    }
}
