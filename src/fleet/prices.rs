//! All prices known, and which one an instance pays.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::{Instance, Lifecycle, Offer, Platform, PriceBasis, Rate, Tenancy};

type ListKey = (Arc<str>, Arc<str>, Platform, Tenancy);
type SpotKey = (Arc<str>, Arc<str>, Platform);

/// Prices by key. Later inserts win, so insert the embedded list first and live prices last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriceBook {
    list: HashMap<ListKey, Rate>,
    spot: HashMap<SpotKey, Rate>,
}

impl PriceBook {
    /// Adds offers. An offer whose rate is not finite or negative is dropped: a wrong price is
    /// worse than none. True when a price is new or another one than before.
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
                (None, PriceBasis::Spot) => {}
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
            (Lifecycle::OnDemand, Tenancy::Shared | Tenancy::Dedicated) => self
                .list_price(
                    &instance.scope.region,
                    &instance.instance_type,
                    instance.platform,
                    instance.tenancy,
                )
                .cloned(),
            _ => None,
        }
    }

    /// The on-demand list price of a type in a region.
    pub fn list_price(
        &self,
        region: &Arc<str>,
        instance_type: &Arc<str>,
        platform: Platform,
        tenancy: Tenancy,
    ) -> Option<&Rate> {
        self.list.get(&(region.clone(), instance_type.clone(), platform, tenancy))
    }

    /// All Spot prices: zone, type, platform, rate; in no order.
    pub fn spot_prices(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<str>, Platform, &Rate)> {
        self.spot
            .iter()
            .map(|((az, instance_type, platform), rate)| (az, instance_type, *platform, rate))
    }

    /// Number of prices held.
    pub fn len(&self) -> usize {
        self.list.len() + self.spot.len()
    }

    /// True without any price.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::catalogue;

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
