//! A past for the demo, which nobody watched: what runs there is taken to have run since its launch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::{BurnDay, BurnStep, Burnt, ByTeam, Hour, SourceId, add_to_team};
use crate::fleet::{Fleet, Row};

/// Days that the demo remembers.
const DAYS: i32 = 120;
/// One day of so many was not looked at, and another for half of it.
const GAPS: i32 = 17;

const HOUR_MS: i64 = 3_600_000;

/// What each account burnt by day, up to now.
pub(super) fn past(fleet: &Fleet, now: Timestamp) -> Vec<BurnDay> {
    let today = Hour::containing(now).day();
    let running: Vec<&Row> =
        fleet.rows.iter().map(|row| &**row).filter(|row| row.instance.state.is_billed()).collect();
    let listed = fleet.readings.iter().filter(|reading| reading.source == SourceId::Ec2);
    let accounts: BTreeSet<Arc<str>> =
        listed.map(|reading| reading.scope.account.clone()).collect();
    (today.saturating_sub(DAYS - 1)..=today)
        .filter_map(|day| looked_at(day, now).map(|(from, to)| (day, from, to)))
        .flat_map(|(day, from_ms, to_ms)| {
            let mut rates: BTreeMap<&Arc<str>, ByTeam> =
                accounts.iter().map(|account| (account, ByTeam::new())).collect();
            for row in &running {
                let Some(teams) = rates.get_mut(&row.instance.scope.account) else { continue };
                if row.instance.launched_at.as_millisecond() <= from_ms {
                    add_to_team(teams, row.team.as_ref(), &burnt(row, from_ms), 1.0);
                }
            }
            let of = |(account, rates): (&Arc<str>, ByTeam)| {
                let mut of = BurnDay::new(day, account.clone());
                let rates = rates.into();
                of.add(&BurnStep { account: account.clone(), from_ms, to_ms, rates });
                of
            };
            rates.into_iter().map(of).collect::<Vec<_>>()
        })
        .collect()
}

/// The time of a day that was looked at, milliseconds since the epoch; `None` of a day that was not.
fn looked_at(day: i32, now: Timestamp) -> Option<(i64, i64)> {
    let from = i64::from(day) * 24 * HOUR_MS;
    let hours = match day.rem_euclid(GAPS) {
        5 => return None,
        11 => 12,
        _ => 24,
    };
    let to = (from + hours * HOUR_MS).min(now.as_millisecond());
    (from < to).then_some((from, to))
}

/// What an instance burnt per hour at a moment: waste only since it idles.
fn burnt(row: &Row, at_ms: i64) -> Burnt {
    let now = row.burnt();
    let since = row.verdict.as_ref().and_then(|verdict| verdict.idle_since);
    if since.is_some_and(|since| since.as_millisecond() > at_ms) {
        return Burnt { waste_usd: 0.0, ..now };
    }
    now
}
