//! The demand of the past, as what-if begins with it: what was seen running, priced to rank it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;

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

/// Embedded list prices per type: the mean over the regions in which it ran, by what ran there, and the
/// date of the oldest list that it is made of. Regions without a price in the list count for nothing.
pub struct ListPrices(BTreeMap<Arc<str>, (f64, Date)>);

impl ListPrices {
    /// Of the types that were seen.
    pub fn of(seen: &[FleetHour]) -> Self {
        let mut sums: BTreeMap<&Arc<str>, (f64, f64, Date)> = BTreeMap::new();
        for hour in seen {
            for name in hour.seen.keys() {
                let Some((usd, of)) = catalogue::dated_list_price(&hour.scope.region, name) else {
                    continue;
                };
                let units = hour.mean(name);
                let (usd_hours, hours, oldest) = sums.entry(name).or_insert((0.0, 0.0, of));
                *usd_hours += usd * units;
                *hours += units;
                *oldest = of.min(*oldest);
            }
        }
        let price = |(name, (usd, hours, of)): (&Arc<str>, (f64, f64, Date))| {
            (hours > 0.0).then(|| (name.clone(), (usd / hours, of)))
        };
        Self(sums.into_iter().filter_map(price).collect())
    }

    /// USD per hour; `None` where the list has no price of it.
    pub fn of_type(&self, name: &str) -> Option<f64> {
        self.dated(name).map(|(usd, _)| usd)
    }

    /// The same with the date of the oldest list in it.
    pub fn dated(&self, name: &str) -> Option<(f64, Date)> {
        self.0.get(name).copied()
    }
}
