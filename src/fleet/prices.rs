//! All prices known, and which one an instance pays.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::bill::BilledRates;
use crate::domain::{
    Instance, Lifecycle, Offer, Platform, PriceBasis, PrivatePrices, Rate, Scope, Tenancy,
};

type ListKey = (Arc<str>, Arc<str>, Platform, Tenancy);
type SpotKey = (Arc<str>, Arc<str>, Platform);

/// Prices by region, type, platform and tenancy, or by zone for Spot. Later inserts replace earlier ones, so insert the
/// embedded list first and live prices last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriceBook {
    list: HashMap<ListKey, Rate>,
    spot: HashMap<SpotKey, Rate>,
    /// Prices paid in place of list prices, from the configuration.
    private: Arc<PrivatePrices>,
    /// What was charged on the newest bill, where the configuration says nothing; `None` without a bill.
    billed: Option<BilledRates>,
}

impl PriceBook {
    /// A book with the private prices of the configuration and no prices of AWS yet.
    pub fn with_private(private: Arc<PrivatePrices>) -> Self {
        Self { private, ..Self::default() }
    }

    /// Rates of the newest bill; `None` without one.
    pub fn billed(&self) -> Option<&BilledRates> {
        self.billed.as_ref()
    }

    /// Takes the rates of the newest bill in place of those of an earlier one. True when one has changed.
    pub fn set_billed(&mut self, rates: BilledRates) -> bool {
        let changed = self.billed() != Some(&rates);
        self.billed = Some(rates);
        changed
    }

    /// Adds offers; later ones replace earlier ones. Offers with a negative or non-finite rate are dropped. True when a
    /// price is new or has changed.
    pub fn extend<'a>(&mut self, offers: impl IntoIterator<Item = &'a Offer>) -> bool {
        let mut changed = false;
        for offer in offers {
            if !offer.rate.usd_per_hour.is_finite() || offer.rate.usd_per_hour < 0.0 {
                continue;
            }
            match (&offer.az, offer.rate.basis) {
                (Some(az), PriceBasis::Spot) => {
                    let key = (az.clone(), offer.instance_type.clone(), offer.platform);
                    let old = self.spot.insert(key, offer.rate.clone());
                    changed |= old.as_ref() != Some(&offer.rate);
                }
                (_, PriceBasis::OnDemandList) => {
                    let key = (
                        offer.region.clone(),
                        offer.instance_type.clone(),
                        offer.platform,
                        offer.tenancy,
                    );
                    let old = self.list.insert(key, offer.rate.clone());
                    changed |= old.as_ref() != Some(&offer.rate);
                }
                // Nobody publishes prices of a contract.
                (None, PriceBasis::Spot) | (_, PriceBasis::Private) => {}
            }
        }
        changed
    }

    /// The rate the instance pays, or `None` when unknown.
    ///
    /// Spot instances pay the zone's spot price; without it they are unknown (the list price
    /// would overstate by a factor). Capacity Blocks and scheduled instances are prepaid and
    /// instances on dedicated hosts are billed by the host: all unknown here.
    pub fn rate_of(&self, instance: &Instance) -> Option<Rate> {
        if instance.platform == Platform::Other {
            return None;
        }
        match (instance.lifecycle, instance.tenancy) {
            (Lifecycle::Spot, _) => self
                .spot
                .get(&(instance.az.clone(), instance.instance_type.clone(), instance.platform))
                .cloned(),
            (Lifecycle::OnDemand, Tenancy::Shared | Tenancy::Dedicated) => self.on_demand(
                &instance.scope,
                &instance.instance_type,
                instance.platform,
                instance.tenancy,
            ),
            _ => None,
        }
    }

    /// On-demand price of an instance type in an account and region: the configured private price, else what the
    /// newest bill charged below the list price, else the list price. `None` when unknown.
    pub fn on_demand(
        &self,
        scope: &Scope,
        instance_type: &Arc<str>,
        platform: Platform,
        tenancy: Tenancy,
    ) -> Option<Rate> {
        let list = self.list_price(&scope.region, instance_type, platform, tenancy);
        let billed = || self.billed.as_ref()?.rate(scope, instance_type, platform, tenancy);
        let private = self.private.rate(scope, instance_type, platform, tenancy, list);
        private.or_else(billed).or_else(|| list.cloned())
    }

    /// On-demand list price of a type in a region, before any discount; for an account use [`PriceBook::on_demand`].
    /// `None` when unknown.
    pub fn list_price(
        &self,
        region: &Arc<str>,
        instance_type: &Arc<str>,
        platform: Platform,
        tenancy: Tenancy,
    ) -> Option<&Rate> {
        self.list.get(&(region.clone(), instance_type.clone(), platform, tenancy))
    }

    /// All Spot prices: zone, type, platform, rate; unordered.
    pub fn spot_prices(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<str>, Platform, &Rate)> {
        self.spot
            .iter()
            .map(|((az, instance_type, platform), rate)| (az, instance_type, *platform, rate))
    }

    /// Number of prices held, without the private ones.
    pub fn len(&self) -> usize {
        self.list.len() + self.spot.len()
    }

    /// True without any price, private ones aside.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::bill::BilledRate;
    use crate::domain::{Discount, PricedFor, PrivateRate, Provenance};
    use crate::source::catalogue;

    #[test]
    fn what_is_configured_is_paid_in_place_of_the_list_price_and_said_to_be() {
        let discount = Discount {
            of: PricedFor { family: Some("g5".into()), ..PricedFor::default() },
            percent: 25.0,
        };
        let rate = PrivateRate {
            instance_type: "p5e.48xlarge".into(),
            of: PricedFor { account: Some("111111111111".into()), ..PricedFor::default() },
            usd_per_hour: 40.0,
        };
        let private = PrivatePrices::new(vec![discount], vec![rate], Default::default());
        let mut book = PriceBook::with_private(Arc::new(private));
        book.extend(catalogue::offers());
        let pays = |account: &str, of: &str| {
            let scope = Scope::new(account, "us-east-1");
            let rate = book.on_demand(&scope, &of.into(), Platform::Linux, Tenancy::Shared)?;
            Some((rate.usd_per_hour, rate.basis, rate.provenance == Provenance::Configured))
        };
        let (a, b) = ("111111111111", "222222222222");
        assert_eq!(pays(a, "g5.xlarge"), Some((1.006 * 0.75, PriceBasis::Private, true)));
        assert_eq!(pays(a, "p5e.48xlarge"), Some((40.0, PriceBasis::Private, true)));
        assert_eq!(pays(b, "p5e.48xlarge"), None, "no list has it");
        assert_eq!(pays(b, "m5.24xlarge"), Some((4.608, PriceBasis::OnDemandList, false)));
        // Spot has its market, and the list stays what it is.
        let list = book.list_price(
            &"us-east-1".into(),
            &"g5.xlarge".into(),
            Platform::Linux,
            Tenancy::Shared,
        );
        assert_eq!(list.map(|r| r.usd_per_hour), Some(1.006));
    }

    #[test]
    fn the_bill_tells_what_an_account_pays_where_nothing_is_configured() {
        let (a, b) = ("111111111111", "222222222222");
        let billed = |instance_type: &str, usd_per_hour| BilledRate {
            instance_type: instance_type.into(),
            account: a.into(),
            region: "us-east-1".into(),
            usd_per_hour,
        };
        let rates = vec![billed("m5.24xlarge", 4.1472), billed("g5.xlarge", 0.9)];
        let rates = BilledRates::new("2026-11".parse().unwrap(), rates);
        let discount = Discount {
            of: PricedFor { family: Some("g5".into()), ..PricedFor::default() },
            percent: 25.0,
        };
        let private = PrivatePrices::new(vec![discount], vec![], Default::default());
        let mut book = PriceBook::with_private(Arc::new(private));
        book.extend(catalogue::offers());
        assert!(book.set_billed(rates.clone()));
        assert!(!book.set_billed(rates), "the same again");
        let pays = |account: &str, of: &str, platform| {
            let scope = Scope::new(account, "us-east-1");
            let rate = book.on_demand(&scope, &of.into(), platform, Tenancy::Shared)?;
            Some((rate.usd_per_hour, rate.provenance))
        };
        let linux = Platform::Linux;
        let of_bill = Provenance::Bill { period: "2026-11".parse().unwrap() };
        assert_eq!(pays(a, "m5.24xlarge", linux), Some((4.1472, of_bill.clone())));
        assert_eq!(pays(a, "g5.xlarge", linux), Some((1.006 * 0.75, Provenance::Configured)));
        for (account, platform) in [(b, linux), (a, Platform::Windows)] {
            let other = pays(account, "m5.24xlarge", platform);
            assert!(other.is_none_or(|(_, by)| by != of_bill), "{account} {platform:?}");
        }
        assert_eq!(pays(b, "m5.24xlarge", linux).map(|(usd, _)| usd), Some(4.608));
    }

    #[test]
    fn only_news_change_the_book() {
        let mut book = PriceBook::default();
        assert!(book.extend(catalogue::offers()));
        assert!(!book.extend(catalogue::offers()), "the same again");
        let mut offer = catalogue::offers()[0].clone();
        offer.rate.usd_per_hour += 1.0;
        assert!(book.extend([&offer]));
        offer.rate.usd_per_hour = f64::NAN;
        assert!(!book.extend([&offer]), "no price");
    }
}
