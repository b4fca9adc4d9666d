//! What ran in the past, hour by hour: what burntop saw itself, or what a source remembers.

use jiff::Timestamp;

use super::{Account, Regions, facts};
use crate::cache::Cache;
use crate::domain::{FleetHour, HourRange};

/// The longest past that plans look at: three years.
const LOOKS_BACK_HOURS: u32 = 156 * 168;

/// A source that remembers everything is asked for half a year: enough to see the seasons of a week.
const REMEMBERED_HOURS: u32 = 26 * 168;

/// Running instances by hour, account and region in the closed hours before `now`. Asks nobody who
/// is paid for it: the cache, and sources that remember their past by themselves.
pub async fn past(cache: &Cache, accounts: &[Account], now: Timestamp) -> Vec<FleetHour> {
    within(cache, accounts, now, LOOKS_BACK_HOURS, REMEMBERED_HOURS).await
}

/// As [`past`], the last `hours` closed hours alone.
pub(super) async fn recent(
    cache: &Cache,
    accounts: &[Account],
    now: Timestamp,
    hours: u32,
) -> Vec<FleetHour> {
    within(cache, accounts, now, hours, hours).await
}

/// `seen_hours` of what the cache holds, `remembered_hours` of what a source remembers.
async fn within(
    cache: &Cache,
    accounts: &[Account],
    now: Timestamp,
    seen_hours: u32,
    remembered_hours: u32,
) -> Vec<FleetHour> {
    let mut all = Vec::new();
    let mut selection: Vec<(String, Regions)> = Vec::new();
    for account in accounts {
        match remembered(account, now, remembered_hours).await {
            Some(hours) => all.extend(hours),
            None => selection.push((account.provider.label().to_owned(), account.regions.clone())),
        }
    }
    let wanted = facts::wanted(cache, &selection, now).await;
    if !wanted.is_empty() {
        let range = HourRange::last_closed(now, seen_hours);
        let seen = cache.load_fleet_hours(range).await;
        all.extend(seen.into_iter().filter(|h| wanted.iter().any(|w| w.claims(&h.scope))));
    }
    all
}

/// What the source itself remembers; `None` from all that only know the present.
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
