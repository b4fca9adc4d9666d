//! The scenario that a plan begins with: list prices, and the rates that are known.

use crate::domain::{Platform, PriceBasis, PrivatePrices, Provenance, Rate, Scope, Tenancy};
use crate::source::catalogue;
use crate::whatif::supply::known_rates::{self, AS_OF, REGION};
use crate::whatif::{
    Demand, ListPrice, Offer, OfferKind, PRIVATE_PRICES, Payment, Scenario, scenario_of,
};

/// The offer whose rate is estimated.
const ESTIMATED: &str = "1y standard RI, est.";

/// Relative difference up to which two list prices count as of one region.
const ALIKE: f64 = 0.005;

/// The initial scenario of a demand; `price` gives the on-demand price of a family.
pub(crate) fn begin(demand: &Demand, price: &dyn Fn(&str) -> Option<ListPrice>) -> Scenario {
    let mut scenario = scenario_of(demand, price, &offers);
    for family in &mut scenario.families {
        if family.offers.iter().any(|offer| offer.name == ESTIMATED) {
            let from = format!("; RI rate estimated with the discount of {REGION}, {AS_OF}");
            family.prices_from.push_str(&from);
        }
    }
    scenario
}

/// List price of a type in us-east-1, USD per hour, for files without a region; `None` where not known.
pub(crate) fn us_east_1(family: &str) -> Option<f64> {
    catalogue::list_price(REGION, family)
}

/// Price of a type in us-east-1, for files without a region: that of the configuration, else the list price; `None`
/// where neither is known.
pub(crate) fn us_east_1_price(private: &PrivatePrices, family: &str) -> Option<ListPrice> {
    let of = catalogue::dated_list_price(REGION, family);
    let scope = Scope::new("-", REGION);
    let usd = private_usd(private, &scope, family, of.map(|(usd, _)| usd));
    let (usd, from) = match (usd, of) {
        (Some(usd), _) => (usd, PRIVATE_PRICES.to_owned()),
        (None, Some((usd, of))) => (usd, format!("embedded list prices, {of}")),
        (None, None) => return None,
    };
    Some(ListPrice { usd, from })
}

/// On-demand price of a type in `scope` by the configuration, USD per hour, for Linux on shared hardware; `None` where
/// the list price `list` applies.
pub(crate) fn private_usd(
    private: &PrivatePrices,
    scope: &Scope,
    instance_type: &str,
    list: Option<f64>,
) -> Option<f64> {
    let list = list.map(|usd_per_hour| Rate {
        usd_per_hour,
        basis: PriceBasis::OnDemandList,
        provenance: Provenance::Configured,
    });
    let (platform, tenancy) = (Platform::Linux, Tenancy::Shared);
    let rate = private.rate(scope, instance_type, platform, tenancy, list.as_ref());
    rate.map(|rate| rate.usd_per_hour)
}

/// Offers for a family; rates that are not known stay unknown.
fn offers(family: &str, on_demand: Option<f64>) -> Vec<Offer> {
    let of_region = on_demand
        .zip(us_east_1(family))
        .is_some_and(|(usd, list)| (usd / list - 1.0).abs() < ALIKE);
    let known = known_rates::one_year_ri(REGION, family).map(|known| known.usd_per_hour);
    // Elsewhere the discount of the same type was found within 1.7 points of this region's, in 6 to
    // 19 regions each: good enough to plan with, and said to be an estimate.
    let estimated = || Some(known? / us_east_1(family)? * on_demand?);
    let offer = |name: &str, kind, weeks, payment, rate| Offer {
        name: name.to_owned(),
        kind,
        weeks,
        payment,
        rate,
    };
    let mut out = Vec::new();
    if !known_rates::has_no_ri(family) {
        let (name, rate) = match estimated() {
            _ if of_region => ("1y standard RI", known),
            Some(rate) => (ESTIMATED, Some(rate)),
            None => ("1y standard RI", None),
        };
        out.push(offer(name, OfferKind::StandardRi, 52, Payment::NoUpfront, rate));
        out.push(offer("3y standard RI", OfferKind::StandardRi, 156, Payment::NoUpfront, None));
    }
    out.push(offer("1y Instance SP", OfferKind::InstancePlan, 52, Payment::NoUpfront, None));
    out.push(offer("3y Instance SP", OfferKind::InstancePlan, 156, Payment::NoUpfront, None));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_another_region_is_an_estimate_and_said_to_be() {
        let home = offers("p4d.24xlarge", us_east_1("p4d.24xlarge"));
        assert_eq!(home[0].rate, Some(13.921_094));
        let abroad = offers("p4d.24xlarge", Some(30.097_84));
        // The discount was 36.6%; AWS's own rate there was 34.95% off.
        assert_eq!(abroad[0].name, ESTIMATED);
        assert!((abroad[0].rate.unwrap() - 30.097_84 * 0.634).abs() < 0.01, "{abroad:?}");
        assert!(abroad[1..].iter().all(|offer| offer.rate.is_none()));
        assert!(offers("p4d.24xlarge", None).iter().all(|offer| offer.rate.is_none()));
    }

    #[test]
    fn newest_types_have_no_ri_and_no_invented_rate() {
        for family in ["p5.48xlarge", "p6-b200.48xlarge"] {
            let all = offers(family, us_east_1(family));
            assert!(all.iter().all(|o| o.kind == OfferKind::InstancePlan && o.rate.is_none()));
        }
    }
}
