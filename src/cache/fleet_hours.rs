//! How many instances ran, hour by hour: what a demand of the past is made of. It cannot be read
//! again from anywhere, so clearing the cache leaves it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::notice::CacheNotice;
use super::store::Store;
use super::summary::checksum;
use crate::domain::{FleetHour, Hour, HourRange, Scope};

/// Hours that are kept: three years and a quarter, for the longest term that can be bought.
const KEPT_HOURS: i32 = 170 * 168;

type Seen = BTreeMap<Arc<str>, u64>;

/// Adds looks to what is kept of their hours.
pub(super) fn add(conn: &mut Connection, looks: &[FleetHour]) -> rusqlite::Result<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut read = tx.prepare_cached(
            "SELECT looks, checksum, data FROM fleet_hour
             WHERE hour = ?1 AND account = ?2 AND region = ?3",
        )?;
        let mut write = tx.prepare_cached(
            "INSERT OR REPLACE INTO fleet_hour (hour, account, region, looks, checksum, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for look in looks {
            let (hour, scope) = (look.hour.0, &look.scope);
            let mut all = look.clone();
            let there = read
                .query_row(params![hour, &*scope.account, &*scope.region], |r| {
                    Ok((r.get(0)?, r.get(1)?, r.get::<_, Vec<u8>>(2)?))
                })
                .optional()?;
            // What is damaged is replaced.
            if let Some((looks, sum, data)) = there
                && let Some(seen) = decode(sum, &data)
            {
                all.add(&FleetHour { looks, seen, ..look.clone() });
            }
            let Ok(data) = postcard::to_stdvec(&all.seen) else { continue };
            write.execute(params![
                hour,
                &*scope.account,
                &*scope.region,
                all.looks,
                checksum(&data),
                data
            ])?;
        }
    }
    tx.commit()
}

fn decode(sum: i64, data: &[u8]) -> Option<Seen> {
    (sum == checksum(data)).then(|| postcard::from_bytes(data).ok()).flatten()
}

/// Reads what is kept of the hours in `range`, oldest first. What is damaged is not there.
pub(super) fn load(conn: &mut Connection, range: HourRange) -> rusqlite::Result<Vec<FleetHour>> {
    let mut read = conn.prepare_cached(
        "SELECT hour, account, region, looks, checksum, data FROM fleet_hour
         WHERE hour >= ?1 AND hour < ?2 ORDER BY hour, account, region",
    )?;
    let mut rows = read.query([range.from.0, range.to.0])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (Ok(account), Ok(region), Ok(data)) =
            (row.get_ref(1)?.as_str(), row.get_ref(2)?.as_str(), row.get_ref(5)?.as_blob())
        else {
            continue;
        };
        let Some(seen) = decode(row.get(4)?, data) else { continue };
        let scope = Scope::new(account, region);
        found.push(FleetHour { hour: Hour(row.get(0)?), scope, looks: row.get(3)?, seen });
    }
    Ok(found)
}

/// Deletes what claims to be of hours that have not begun yet.
pub(super) fn disclaim_future(store: &mut Store, now: Timestamp) {
    let running = Hour::containing(now).0;
    let latest: Option<i32> =
        store.run(|c| c.query_row("SELECT max(hour) FROM fleet_hour", [], |r| r.get(0))).flatten();
    let Some(latest) = latest.filter(|hour| *hour > running) else { return };
    store.run(|c| c.execute("DELETE FROM fleet_hour WHERE hour > ?1", [running]));
    let claimed = Hour(latest).end();
    store.post(CacheNotice::FromFuture { what: "instances per hour".into(), claimed });
}

/// Deletes hours that lie too far back for any plan. The newest is now, or the newest kept when that
/// is earlier: a clock that runs years ahead cannot make everything look old.
pub(super) fn drop_old(conn: &mut Connection, now: Timestamp) -> rusqlite::Result<u64> {
    let newest: Option<i32> =
        conn.query_row("SELECT max(hour) FROM fleet_hour", [], |r| r.get(0))?;
    let Some(newest) = newest else { return Ok(0) };
    let oldest = Hour(newest).min(Hour::containing(now)).0.saturating_sub(KEPT_HOURS);
    conn.execute("DELETE FROM fleet_hour WHERE hour < ?1", [oldest]).map(|n| n as u64)
}
