//! A past for the demo, which nobody watched: what runs there is taken to have run since its launch, what is stopped to have
//! been stopped after it idled.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::analyze::trend::{Deed, DeedKind};
use crate::domain::hash::mix;
use crate::domain::{BurnDay, BurnStep, Burnt, ByTeam, Hour, InstanceState, SourceId, add_to_team};
use crate::fleet::{Fleet, Row};

/// Days that the demo remembers.
const DAYS: i32 = 120;
/// One day of so many was not looked at, and another for half of it.
const GAPS: i32 = 17;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// Days after its launch on which what is stopped now was stopped.
const RAN: i64 = 10;
/// Days before that in which it idled.
const IDLED: i64 = 4;
/// Days for which verdicts know since when an instance idles. Before, one of so many weeks of an instance was idle.
const JUDGED: i64 = 14;
const IDLE_WEEKS: u64 = 8;

/// What each account burnt by day, up to now.
pub(super) fn past(fleet: &Fleet, now: Timestamp) -> Vec<BurnDay> {
    let today = Hour::containing(now).day();
    let ran: Vec<&Row> = fleet
        .rows
        .iter()
        .map(|row| &**row)
        .filter(|row| row.instance.state.is_billed() || stopped_at(row, now).is_some())
        .collect();
    let listed = fleet.readings.iter().filter(|reading| reading.source == SourceId::Ec2);
    let accounts: BTreeSet<Arc<str>> =
        listed.map(|reading| reading.scope.account.clone()).collect();
    (today.saturating_sub(DAYS - 1)..=today)
        .filter_map(|day| looked_at(day, now).map(|(from, to)| (day, from, to)))
        .flat_map(|(day, from_ms, to_ms)| {
            let mut rates: BTreeMap<&Arc<str>, ByTeam> =
                accounts.iter().map(|account| (account, ByTeam::new())).collect();
            for row in &ran {
                let Some(teams) = rates.get_mut(&row.instance.scope.account) else { continue };
                if let Some(burnt) = burnt(row, from_ms, now) {
                    add_to_team(teams, row.team.as_ref(), &burnt, 1.0);
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

/// What an instance burnt per hour at a moment; `None` where it did not run.
fn burnt(row: &Row, at_ms: i64, now: Timestamp) -> Option<Burnt> {
    if row.instance.launched_at.as_millisecond() > at_ms {
        return None;
    }
    if let Some(stopped) = stopped_at(row, now) {
        let left = stopped.as_millisecond() - at_ms;
        let usd = row.rate.as_ref()?.usd_per_hour;
        let waste_usd = if left <= IDLED * DAY_MS { usd } else { 0.0 };
        let gpus = row.gpus().unwrap_or(0.0);
        return (left > 0).then(|| Burnt {
            usd,
            waste_usd,
            gpus,
            instances: 1.0,
            ..Burnt::default()
        });
    }
    let of = row.burnt();
    let is_judged = now.as_millisecond() - at_ms <= JUDGED * DAY_MS;
    let verdict = row.verdict.as_ref();
    let is_idle = verdict.and_then(|verdict| verdict.idle_since).is_some_and(|since| {
        let is_longer = is_judged && verdict.is_some_and(|verdict| verdict.idle_since_at_least);
        since.as_millisecond() <= at_ms || is_longer
    });
    if is_idle {
        return Some(of);
    }
    let is_idle = !is_judged && was_idle(row, at_ms);
    let waste_usd = if is_idle { of.usd } else { 0.0 };
    Some(Burnt { waste_usd, ..of })
}

/// True in the weeks of an instance that are taken to have been idle: by its id, so that tomorrow's past is the same.
fn was_idle(row: &Row, at_ms: i64) -> bool {
    let of_id = row.instance.id.bytes().fold(0, |sum, byte| mix(sum ^ u64::from(byte)));
    mix(of_id ^ at_ms.div_euclid(7 * DAY_MS) as u64).is_multiple_of(IDLE_WEEKS)
}

/// When what is stopped now was stopped; `None` for what is not stopped, or has no known price.
fn stopped_at(row: &Row, now: Timestamp) -> Option<Timestamp> {
    let of = &row.instance;
    let at_ms = of.launched_at.as_millisecond() + RAN * DAY_MS;
    let is_past = of.state == InstanceState::Stopped && at_ms < now.as_millisecond();
    (is_past && row.rate.is_some()).then(|| Timestamp::from_millisecond(at_ms).ok()).flatten()
}

/// What was done in it: what is stopped was stopped, and stayed so.
pub(super) fn done(fleet: &Fleet, now: Timestamp) -> Vec<Deed> {
    let deed = |row: &Arc<Row>| {
        let of = &row.instance;
        let usd_per_hour = row.rate.as_ref().map(|rate| rate.usd_per_hour);
        Some(Deed {
            id: of.id.clone(),
            name: of.name.clone(),
            account: of.scope.account.clone(),
            region: of.scope.region.clone(),
            kind: DeedKind::Stopped,
            at: stopped_at(row, now)?,
            launched_at: Some(of.launched_at),
            usd_per_hour,
            net_usd_per_hour: usd_per_hour,
        })
    };
    fleet.rows.iter().filter_map(deed).collect()
}
