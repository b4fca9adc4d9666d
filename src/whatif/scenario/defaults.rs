//! The first scenario, from a demand and known prices.

use super::{FamilyInputs, Future, Offer, Scenario};
use crate::whatif::Demand;

/// Source of prices that are not the list's, as [`ListPrice::from`] begins with it.
pub const PRIVATE_PRICES: &str = "private prices of the configuration";

/// Where prices come from that the newest bill shows.
pub const BILLED_RATES: &str = "private rates of the newest bill";

/// An on-demand price and its source.
#[derive(Clone, Debug, PartialEq)]
pub struct ListPrice {
    /// USD per unit and hour.
    pub usd: f64,
    /// Source, with region and date: "list price of us-east-1, 2026-07-20". Clean text.
    pub from: String,
}

/// What is not known of the trend, per week: one draw per future. 1% a week is a factor of 1.7 after
/// a year at one standard deviation, which is what fleets that grow do to their planners.
const DRIFT: f64 = 0.01;

/// A scenario without purchases: the demand's families in their order, with prices and offers. `price` answers
/// by family, `offers` by family and on-demand price.
pub fn scenario_of(
    demand: &Demand,
    price: &dyn Fn(&str) -> Option<ListPrice>,
    offers: &dyn Fn(&str, Option<f64>) -> Vec<Offer>,
) -> Scenario {
    let families = demand.families.iter().map(|family| {
        let known = price(&family.name);
        let on_demand = known.as_ref().map(|price| price.usd);
        FamilyInputs {
            name: family.name.clone(),
            on_demand,
            prices_from: known.map(|price| price.from).unwrap_or_default(),
            drift: DRIFT,
            offers: offers(&family.name, on_demand),
            ..FamilyInputs::default()
        }
    });
    let future = Future { from_today: true, ..Future::default() };
    Scenario { families: families.collect(), future, ..Scenario::default() }
}
