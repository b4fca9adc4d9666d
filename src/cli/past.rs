//! The demand of the past, as what-if begins with it: what was seen running, priced to rank it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::invocation::Invocation;
use crate::bus;
use crate::cache::Cache;
use crate::domain::{FleetHour, Hour};
use crate::source::catalogue;
use crate::whatif::{Demand, DemandOrigin, history};

/// What ran in the past, by instance type, and its list prices; `None` before burntop has seen a whole hour. While a tape
/// is played there is none.
pub async fn demand(invocation: &Invocation, cache: &Cache) -> Option<(Demand, ListPrices)> {
    let accounts: Vec<bus::Account> =
        invocation.reaches().iter().map(super::accounts::Reach::account).collect();
    let now = invocation.options.now();
    let seen = bus::past(cache, &accounts, now).await;
    let prices = ListPrices::of(&seen);
    let is_demo = invocation.options.demo.is_some();
    let origin = if is_demo { DemandOrigin::Demo } else { DemandOrigin::History };
    let until = Hour::containing(now);
    let demand = history::demand(&seen, origin, until, &|name| prices.of_type(name))?;
    Some((demand, prices))
}

/// Embedded list prices per type: the mean over the regions in which it ran, by what ran there.
/// Regions without a price in the list count for nothing.
pub struct ListPrices(BTreeMap<Arc<str>, f64>);

impl ListPrices {
    /// Of the types that were seen.
    pub fn of(seen: &[FleetHour]) -> Self {
        let mut sums: BTreeMap<&Arc<str>, (f64, f64)> = BTreeMap::new();
        for hour in seen {
            for name in hour.seen.keys() {
                let Some(usd) = catalogue::list_price(&hour.scope.region, name) else { continue };
                let units = hour.mean(name);
                let (usd_hours, hours) = sums.entry(name).or_default();
                *usd_hours += usd * units;
                *hours += units;
            }
        }
        let price = |(name, (usd, hours)): (&Arc<str>, (f64, f64))| {
            (hours > 0.0).then(|| (name.clone(), usd / hours))
        };
        Self(sums.into_iter().filter_map(price).collect())
    }

    /// USD per hour; `None` where the list has no price of it.
    pub fn of_type(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }
}
