//! Live burn of the demo's instances, as if somebody had looked at them all the time.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::machines::{self, Paid};
use super::{DAY, Estate, MONTHS};
use crate::domain::bill::Month;
use crate::domain::{BurnDay, Burnt, Hour, Scope};
use crate::source::demo::DemoOptions;
use crate::source::demo::places::{ACCOUNTS, REGIONS};
use crate::source::demo::prices::Market;

/// Milliseconds of an hour.
const HOUR_MS: i64 = 3_600_000;

/// What the instances of the part that is shown burnt on the billed days of a month, by day and account; and the
/// accounts and regions of this part. At the rates of the fleet: the list price, of Spot the price of each hour.
pub fn seen(options: &DemoOptions, month: Month) -> (Vec<BurnDay>, Vec<Scope>) {
    let estate = Estate::new(options, MONTHS);
    let part = &options.part;
    let accounts: Vec<&str> =
        ACCOUNTS.iter().filter(|account| part.has_account(account)).map(|a| a.id).collect();
    let regions = REGIONS.iter().map(|region| region.code).filter(|code| part.has_region(code));
    let scopes: Vec<Scope> = regions
        .flat_map(|region| accounts.iter().map(move |account| Scope::new(*account, region)))
        .collect();

    let day = |hour: Hour| hour.0.div_euclid(DAY);
    let from = day(Hour::containing(month.begin())).max(estate.window.start.div_euclid(DAY));
    let days = from..day(Hour::containing(month.end()).min(estate.midnight()));
    let mut sums: BTreeMap<(i32, &str), Burnt> = days
        .flat_map(|day| accounts.iter().map(move |account| ((day, *account), Burnt::default())))
        .collect();
    let machines = machines::all(&estate);
    let is_seen = |account: &str, region: &str| {
        scopes.iter().any(|scope| (&*scope.account, &*scope.region) == (account, region))
    };
    let seen = machines.iter().filter(|m| !m.is_sagemaker() && m.paid != Paid::Room);
    for machine in seen.filter(|m| is_seen(m.account, m.region)) {
        let list = machine.list.to_f64();
        let market = (machine.paid == Paid::Spot)
            .then(|| Market::new(estate.fleet.key(), &machine.zone, &machine.instance_type, list));
        for ((day, _), burnt) in sums.iter_mut().filter(|((_, of), _)| *of == machine.account) {
            let hours = (day * DAY..(day + 1) * DAY).filter(|hour| machine.ran(*hour));
            for hour in hours {
                burnt.instances += 1.0;
                burnt.usd += market.as_ref().map_or(list, |market| market.price(Hour(hour)));
            }
        }
    }
    let burn_day = |((day, account), burnt): ((i32, &str), Burnt)| {
        let mut of = BurnDay::new(day, Arc::from(account));
        of.seen.for_ms = i64::from(DAY) * HOUR_MS;
        of.seen.until_ms = i64::from(day + 1) * of.seen.for_ms;
        of.seen.teams.push((None, burnt));
        of
    };
    (sums.into_iter().map(burn_day).collect(), scopes)
}
