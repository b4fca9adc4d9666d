//! What ran in the past, hour by hour: what burntop saw itself, or what a source remembers.

use jiff::Timestamp;

use super::{Account, Regions, facts};
use crate::cache::Cache;
use crate::domain::{BurnDay, FleetHour, HourRange, Instance, Scope};

/// Longest past that plans use, hours: three years.
const LOOKS_BACK_HOURS: u32 = 156 * 168;

/// A source that remembers everything is asked for half a year: enough to see the seasons of a week.
const REMEMBERED_HOURS: u32 = 26 * 168;

/// Hours read from the cache at once: years of them are a hundred megabytes in a large fleet.
const AT_ONCE: i32 = 4 * 168;

/// Gives `take` the running instances by hour, account and region in the closed hours before `now`.
/// Asks nobody who is paid for it: the cache, and sources that remember their past by themselves.
pub async fn past(
    cache: &Cache,
    accounts: &[Account],
    now: Timestamp,
    take: impl FnMut(FleetHour) + Send,
) {
    within(cache, accounts, now, [LOOKS_BACK_HOURS, REMEMBERED_HOURS], take).await;
}

/// What these accounts burnt by day from `from` (epoch days) on, as far as they were looked at; and the accounts and
/// regions whose inventory is known. From the cache alone: accounts that never answered are absent.
pub async fn burnt(
    cache: &Cache,
    accounts: &[Account],
    from: i32,
    now: Timestamp,
) -> (Vec<BurnDay>, Vec<Scope>) {
    let of = |account: &Account| (account.provider.label().to_owned(), account.regions.clone());
    let selection: Vec<(String, Regions)> = accounts.iter().map(of).collect();
    let wanted = facts::wanted(cache, &selection, now).await;
    // A day of burn is of all regions that were read then, whichever are asked for now.
    let is_wanted = |account: &str| wanted.iter().any(|w| **w.account() == *account);
    let mut days = cache.load_burn(from).await;
    days.retain(|day| is_wanted(&day.account));
    let known = cache.all::<Vec<Instance>>(facts::kind::INSTANCES, now).await.into_iter();
    let scopes = known.map(|(scope, _)| scope).filter(|scope| is_wanted(&scope.account));
    (days, scopes.collect())
}

/// Running instances of the last `hours` closed hours, like [`past`].
pub(super) async fn recent(
    cache: &Cache,
    accounts: &[Account],
    now: Timestamp,
    hours: u32,
) -> Vec<FleetHour> {
    let mut all = Vec::new();
    within(cache, accounts, now, [hours; 2], |hour| all.push(hour)).await;
    all
}

/// So many hours of what the cache holds, and of what a source remembers; one account after the other,
/// then the cache.
async fn within(
    cache: &Cache,
    accounts: &[Account],
    now: Timestamp,
    [seen_hours, remembered_hours]: [u32; 2],
    mut take: impl FnMut(FleetHour) + Send,
) {
    let mut selection: Vec<(String, Regions)> = Vec::new();
    for account in accounts {
        match remembered(account, now, remembered_hours).await {
            Some(hours) => hours.into_iter().for_each(&mut take),
            None => selection.push((account.provider.label().to_owned(), account.regions.clone())),
        }
    }
    let wanted = facts::wanted(cache, &selection, now).await;
    if wanted.is_empty() {
        return;
    }
    let mut rest = HourRange::last_closed(now, seen_hours);
    while !rest.is_empty() {
        let part = HourRange { to: rest.to.min(rest.from.plus(AT_ONCE)), ..rest };
        rest = rest.since(part.to);
        let seen = cache.load_fleet_hours(part).await;
        seen.into_iter().filter(|h| wanted.iter().any(|w| w.claims(&h.scope))).for_each(&mut take);
    }
}

/// Past that the source itself keeps; `None` for sources that only know the present.
async fn remembered(account: &Account, now: Timestamp, hours: u32) -> Option<Vec<FleetHour>> {
    let range = HourRange::last_closed(now, hours);
    let mut hours = account.provider.fleet_hours(range).await?;
    match &account.regions {
        Regions::Home => {
            let home = account.provider.home_region().await;
            hours.retain(|h| h.scope.region == home);
        }
        Regions::Named(names) => hours.retain(|h| names.contains(&h.scope.region)),
        Regions::Enabled => {}
    }
    Some(hours)
}
