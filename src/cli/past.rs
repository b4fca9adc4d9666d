//! The demand of the past, as what-if begins with it: what was seen running, priced to rank it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;

use super::invocation::Invocation;
use super::whatif::private_usd;
use crate::bus;
use crate::cache::Cache;
use crate::domain::{FleetHour, Hour, PrivatePrices};
use crate::source::catalogue;
use crate::whatif::history::History;
use crate::whatif::{Demand, DemandOrigin, ListPrice, PRIVATE_PRICES};

/// Demand of the recorded past by instance type, with its prices; `None` before a full hour was recorded, and while a
/// tape is played.
pub async fn demand(invocation: &Invocation, cache: &Cache) -> Option<(Demand, PastPrices)> {
    let accounts: Vec<bus::Account> =
        invocation.reaches().iter().map(super::accounts::Reach::account).collect();
    let now = invocation.options.now();
    let private = private_prices(invocation);
    let (mut history, mut sums) = (History::until(Hour::containing(now)), PriceSums::default());
    bus::past(cache, &accounts, now, |hour| {
        history.add(&hour);
        sums.add(&hour, &private);
    })
    .await;
    let prices = sums.mean();
    let is_demo = invocation.options.demo.is_some();
    let origin = if is_demo { DemandOrigin::Demo } else { DemandOrigin::History };
    let demand = history.demand(origin, &|name| prices.of_type(name).map(|price| price.usd))?;
    Some((demand, prices))
}

/// The private prices of the configuration; none for the demo, whose accounts are not in it.
pub fn private_prices(invocation: &Invocation) -> PrivatePrices {
    match invocation.options.demo {
        Some(_) => PrivatePrices::default(),
        None => invocation.config.prices.private(),
    }
}

/// Prices per type: mean over the accounts and regions in which it ran, weighted by instances: the configuration's
/// where it has one, else the embedded list price. Regions without a price are ignored.
pub struct PastPrices(BTreeMap<Arc<str>, ListPrice>);

/// What these prices are made of: of each type the dollars and hours that were seen, the date of the oldest list, and
/// whether a private price is in them.
#[derive(Default)]
struct PriceSums(BTreeMap<Arc<str>, PriceSum>);

#[derive(Default)]
struct PriceSum {
    usd: f64,
    hours: f64,
    oldest_list: Option<Date>,
    has_private: bool,
}

impl PriceSums {
    fn add(&mut self, seen: &FleetHour, private: &PrivatePrices) {
        for (name, units) in seen.means() {
            let list = catalogue::dated_list_price(&seen.scope.region, name);
            let own = private_usd(private, &seen.scope, name, list.map(|(usd, _)| usd));
            let Some(usd) = own.or(list.map(|(usd, _)| usd)) else { continue };
            let sum = self.0.entry(name.clone()).or_default();
            sum.usd += usd * units;
            sum.hours += units;
            match own {
                Some(_) => sum.has_private = true,
                None => {
                    sum.oldest_list = sum.oldest_list.into_iter().chain(list.map(|l| l.1)).min();
                }
            }
        }
    }

    fn mean(self) -> PastPrices {
        let price = |(name, sum): (Arc<str>, PriceSum)| {
            let private = PRIVATE_PRICES;
            let from = match (sum.oldest_list, sum.has_private) {
                (Some(of), false) => format!("embedded list prices, {of}"),
                (Some(of), true) => format!("{private}; embedded list prices, {of}"),
                (None, _) => private.to_owned(),
            };
            (sum.hours > 0.0).then(|| (name, ListPrice { usd: sum.usd / sum.hours, from }))
        };
        PastPrices(self.0.into_iter().filter_map(price).collect())
    }
}

impl PastPrices {
    /// Price of a type; `None` where neither the configuration nor a list has it.
    pub fn of_type(&self, name: &str) -> Option<ListPrice> {
        self.0.get(name).cloned()
    }
}
