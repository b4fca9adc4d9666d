//! The demand of the past, as what-if begins with it: what was seen running, priced to rank it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;

use super::invocation::Invocation;
use crate::bus;
use crate::cache::Cache;
use crate::domain::{FleetHour, Hour};
use crate::source::catalogue;
use crate::whatif::history::History;
use crate::whatif::{Demand, DemandOrigin};

/// Demand of the recorded past by instance type, with list prices; `None` before a full hour was recorded, and
/// while a tape is played.
pub async fn demand(invocation: &Invocation, cache: &Cache) -> Option<(Demand, ListPrices)> {
    let accounts: Vec<bus::Account> =
        invocation.reaches().iter().map(super::accounts::Reach::account).collect();
    let now = invocation.options.now();
    let (mut history, mut sums) = (History::until(Hour::containing(now)), ListSums::default());
    bus::past(cache, &accounts, now, |hour| {
        history.add(&hour);
        sums.add(&hour);
    })
    .await;
    let prices = sums.mean();
    let is_demo = invocation.options.demo.is_some();
    let origin = if is_demo { DemandOrigin::Demo } else { DemandOrigin::History };
    let demand = history.demand(origin, &|name| prices.of_type(name))?;
    Some((demand, prices))
}

/// Embedded list prices per type: mean over the regions in which it ran, weighted by instances, with the date
/// of the oldest list used. Regions without a price are ignored.
pub struct ListPrices(BTreeMap<Arc<str>, (f64, Date)>);

/// What list prices are made of: of each type the dollars and hours that were seen, and the date of
/// the oldest list.
#[derive(Default)]
struct ListSums(BTreeMap<Arc<str>, (f64, f64, Date)>);

impl ListSums {
    fn add(&mut self, seen: &FleetHour) {
        for (name, units) in seen.means() {
            let Some((usd, of)) = catalogue::dated_list_price(&seen.scope.region, name) else {
                continue;
            };
            let (usd_hours, hours, oldest) = self.0.entry(name.clone()).or_insert((0.0, 0.0, of));
            *usd_hours += usd * units;
            *hours += units;
            *oldest = of.min(*oldest);
        }
    }

    fn mean(self) -> ListPrices {
        let price = |(name, (usd, hours, of)): (Arc<str>, (f64, f64, Date))| {
            (hours > 0.0).then(|| (name, (usd / hours, of)))
        };
        ListPrices(self.0.into_iter().filter_map(price).collect())
    }
}

impl ListPrices {
    /// USD per hour of a type; `None` where no list has it.
    pub fn of_type(&self, name: &str) -> Option<f64> {
        self.dated(name).map(|(usd, _)| usd)
    }

    /// USD per hour of a type, and the date of the oldest list used; `None` where no list has it.
    pub fn dated(&self, name: &str) -> Option<(f64, Date)> {
        self.0.get(name).copied()
    }
}
