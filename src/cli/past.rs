//! The demand of the past, as what-if begins with it: what was seen running, priced to rank it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;

use super::invocation::Invocation;
use super::whatif::private_usd;
use crate::bus;
use crate::cache::{Bills, Cache};
use crate::domain::bill::BilledRates;
use crate::domain::{FleetHour, Hour, Platform, PrivatePrices, Tenancy};
use crate::source::catalogue;
use crate::whatif::history::History;
use crate::whatif::{BILLED_RATES, Demand, DemandOrigin, ListPrice, PRIVATE_PRICES};

/// Demand of the recorded past by instance type, with its prices; `None` before a full hour was recorded, and while a
/// tape is played.
pub async fn demand(invocation: &Invocation, cache: &Cache) -> Option<(Demand, PastPrices)> {
    let accounts: Vec<bus::Account> =
        invocation.reaches().iter().map(super::accounts::Reach::account).collect();
    let now = invocation.options.now();
    let private = private_prices(invocation);
    let billed = billed_rates(invocation).await;
    let (mut history, mut sums) = (History::until(Hour::containing(now)), PriceSums::default());
    bus::past(cache, &accounts, now, |hour| {
        history.add(&hour);
        sums.add(&hour, &private, billed.as_ref());
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

/// The private rates of the newest bill; none of the demo, which is billed at list prices.
async fn billed_rates(invocation: &Invocation) -> Option<BilledRates> {
    let cache = invocation.cache_file().ok().filter(|_| invocation.options.demo.is_none())?;
    // What cannot be read is said where bills are shown.
    let read = move || Bills::beside(&cache).newest().ok().flatten();
    tokio::task::spawn_blocking(read).await.ok().flatten().map(|bill| bill.rates)
}

/// Prices per type: mean over the accounts and regions in which it ran, weighted by instances: the configuration's
/// where it has one, else that of the newest bill, else the embedded list price. Regions without a price are ignored.
pub struct PastPrices(BTreeMap<Arc<str>, ListPrice>);

/// What these prices are made of: of each type the dollars and hours that were seen, the date of the oldest list, and
/// whether a private price or a rate of the bill is in them.
#[derive(Default)]
struct PriceSums(BTreeMap<Arc<str>, PriceSum>);

#[derive(Default)]
struct PriceSum {
    usd: f64,
    hours: f64,
    oldest_list: Option<Date>,
    has_private: bool,
    has_billed: bool,
}

impl PriceSums {
    fn add(&mut self, seen: &FleetHour, private: &PrivatePrices, billed: Option<&BilledRates>) {
        for (name, units) in seen.means() {
            let list = catalogue::dated_list_price(&seen.scope.region, name);
            let own = private_usd(private, &seen.scope, name, list.map(|(usd, _)| usd));
            let rate =
                billed.and_then(|of| of.rate(&seen.scope, name, Platform::Linux, Tenancy::Shared));
            let rate = rate.map(|rate| rate.usd_per_hour);
            let Some(usd) = own.or(rate).or(list.map(|(usd, _)| usd)) else { continue };
            let sum = self.0.entry(name.clone()).or_default();
            sum.usd += usd * units;
            sum.hours += units;
            match (own, rate) {
                (Some(_), _) => sum.has_private = true,
                (None, Some(_)) => sum.has_billed = true,
                (None, None) => {
                    sum.oldest_list = sum.oldest_list.into_iter().chain(list.map(|l| l.1)).min();
                }
            }
        }
    }

    fn mean(self) -> PastPrices {
        let price = |(name, sum): (Arc<str>, PriceSum)| {
            let private = sum.has_private.then(|| PRIVATE_PRICES.to_owned());
            let billed = sum.has_billed.then(|| BILLED_RATES.to_owned());
            let list = sum.oldest_list.map(|of| format!("embedded list prices, {of}"));
            let from: Vec<String> = [private, billed, list].into_iter().flatten().collect();
            let from = from.join("; ");
            (sum.hours > 0.0).then(|| (name, ListPrice { usd: sum.usd / sum.hours, from }))
        };
        PastPrices(self.0.into_iter().filter_map(price).collect())
    }
}

impl PastPrices {
    /// Price of a type; `None` where neither the configuration nor a bill nor a list has it.
    pub fn of_type(&self, name: &str) -> Option<ListPrice> {
        self.0.get(name).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Scope;
    use crate::domain::bill::BilledRate;

    #[test]
    fn a_rate_of_the_bill_stands_between_the_configuration_and_the_list() {
        let scope = Scope::new("111122223333", "us-east-1");
        let rate = BilledRate {
            instance_type: "p5.48xlarge".into(),
            account: scope.account.clone(),
            region: scope.region.clone(),
            usd_per_hour: 40.0,
        };
        let rates = BilledRates::new("2026-10".parse().unwrap(), vec![rate]);
        let priced = |seen: &[(&str, &str)], billed| {
            let mut sums = PriceSums::default();
            for (account, name) in seen {
                let hour = FleetHour {
                    hour: Hour(0),
                    scope: Scope::new(*account, "us-east-1"),
                    looks: 1,
                    seen: [(Arc::from(*name), 1)].into_iter().collect(),
                };
                sums.add(&hour, &PrivatePrices::default(), billed);
            }
            sums.mean().of_type(seen[0].1).unwrap()
        };
        let (own, other) = (("111122223333", "p5.48xlarge"), ("444455556666", "p5.48xlarge"));
        let list = priced(&[own], None);
        assert!(list.from.starts_with("embedded list prices, "), "{}", list.from);
        let billed = priced(&[own], Some(&rates));
        assert_eq!((billed.usd, &*billed.from), (40.0, BILLED_RATES));
        let both = priced(&[own, other], Some(&rates));
        assert_eq!(both.usd, f64::midpoint(40.0, list.usd));
        assert_eq!(both.from, format!("{BILLED_RATES}; {}", list.from));
    }
}
