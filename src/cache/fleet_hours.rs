//! How many instances ran, hour by hour: what a demand of the past is made of. It cannot be read
//! again from anywhere, so clearing the cache leaves it.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use super::checksum::RowSum;
use super::digest;
use super::notice::CacheNotice;
use super::store::Store;
use crate::domain::text::clean;
use crate::domain::{FleetHour, Hour, HourRange, Scope};

/// Hours that are kept: three years and a quarter, for the longest term that can be bought.
const KEPT_HOURS: i32 = 170 * 168;

fn sum(hour: i32, account: &str, region: &str, looks: u32, data: &[u8]) -> i64 {
    RowSum::new().int(hour.into()).text(account).text(region).int(looks.into()).blob(data).finish()
}

/// Stores an hour in place of an earlier record of it. Err when SQLite fails.
pub(super) fn put(
    conn: &Connection,
    hour: i32,
    account: &str,
    region: &str,
    looks: u32,
    data: &[u8],
) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT OR REPLACE INTO fleet_hour (hour, account, region, looks, checksum, data)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        hour,
        account,
        region,
        looks,
        sum(hour, account, region, looks, data),
        data
    ])?;
    Ok(())
}

/// Reads a row (hour, account, region, looks, checksum, data); `None` when it is not as it was
/// written.
fn row(r: &Row<'_>) -> Option<FleetHour> {
    let (hour, looks): (i32, u32) = (r.get(0).ok()?, r.get(3).ok()?);
    let account = r.get_ref(1).ok()?.as_str().ok()?;
    let region = r.get_ref(2).ok()?.as_str().ok()?;
    let data = r.get_ref(5).ok()?.as_blob().ok()?;
    if r.get::<_, i64>(4).ok()? != sum(hour, account, region, looks, data) {
        return None;
    }
    let seen = super::decode(data)?;
    let scope = Scope::new(&*clean(account), &*clean(region));
    Some(FleetHour { hour: Hour(hour), scope, looks, seen })
}

/// Name of the data in notices about damaged rows.
const WHAT: &str = "instances per hour, which nobody can read again";

/// Adds polls to the stored hours. A damaged hour is replaced, with a notice.
pub(super) fn add(store: &mut Store, looks: &[FleetHour]) {
    let damaged = store.run(|conn| {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut damaged = 0;
        {
            let mut read = tx.prepare_cached(
                "SELECT hour, account, region, looks, checksum, data FROM fleet_hour
                 WHERE hour = ?1 AND account = ?2 AND region = ?3",
            )?;
            for look in looks {
                let (hour, scope) = (look.hour.0, &look.scope);
                let mut all = look.clone();
                let key = params![hour, &*scope.account, &*scope.region];
                match read.query_row(key, |r| Ok(row(r))).optional()? {
                    None => {}
                    Some(None) => damaged += 1,
                    Some(Some(there)) => all.add(&there),
                }
                let Ok(data) = postcard::to_stdvec(&all.seen) else { continue };
                put(&tx, hour, &scope.account, &scope.region, all.looks, &data)?;
            }
        }
        if damaged > 0 {
            digest::reseal(&tx, "fleet_hour")?;
        }
        tx.commit()?;
        Ok(damaged)
    });
    store.tell_lost(WHAT, damaged.unwrap_or_default());
}

/// Stored hours in `range`, oldest first. Damaged ones are dropped with a notice.
pub(super) fn load(store: &mut Store, range: HourRange) -> Vec<FleetHour> {
    let found = store.run(|conn| {
        let mut read = conn.prepare_cached(
            "SELECT hour, account, region, looks, checksum, data, rowid FROM fleet_hour
             WHERE hour >= ?1 AND hour < ?2 ORDER BY hour, account, region",
        )?;
        let mut rows = read.query([range.from.0, range.to.0])?;
        let (mut whole, mut damaged): (Vec<_>, Vec<i64>) = (Vec::new(), Vec::new());
        while let Some(r) = rows.next()? {
            match row(r) {
                Some(hour) => whole.push(hour),
                None => damaged.push(r.get(6)?),
            }
        }
        Ok((whole, damaged))
    });
    let (whole, damaged) = found.unwrap_or_default();
    store.lost_rows(WHAT, "fleet_hour", &damaged);
    whole
}

/// Copies the undamaged rows of a file that was set aside. Err when the table cannot be read or SQLite fails on `conn`.
pub(super) fn salvage(conn: &Connection, old: &Connection) -> rusqlite::Result<()> {
    let mut read =
        old.prepare("SELECT hour, account, region, looks, checksum, data FROM fleet_hour")?;
    let mut rows = read.query([])?;
    let tx = conn.unchecked_transaction()?;
    // Up to the damage, if it lies in here.
    while let Ok(Some(r)) = rows.next() {
        if let Some(there) = row(r) {
            let (account, region) = (&there.scope.account, &there.scope.region);
            put(&tx, there.hour.0, account, region, there.looks, &r.get::<_, Vec<u8>>(5)?)?;
        }
    }
    tx.commit()
}

/// Deletes hours after `now`, written under a wrong clock, with a notice.
pub(super) fn disclaim_future(store: &mut Store, now: Timestamp) {
    let running = Hour::containing(now).0;
    let latest: Option<i32> =
        store.run(|c| c.query_row("SELECT max(hour) FROM fleet_hour", [], |r| r.get(0))).flatten();
    let Some(latest) = latest.filter(|hour| *hour > running) else { return };
    store.run(|c| c.execute("DELETE FROM fleet_hour WHERE hour > ?1", [running]));
    let claimed = Hour(latest).end();
    store.post(CacheNotice::FromFuture { what: "instances per hour".into(), claimed });
}

/// Deletes hours older than 170 weeks; returns their number. They count back from now, or from the newest hour when
/// that is earlier, so that a clock years ahead deletes nothing. Err when SQLite fails.
pub(super) fn drop_old(conn: &mut Connection, now: Timestamp) -> rusqlite::Result<u64> {
    let newest: Option<i32> =
        conn.query_row("SELECT max(hour) FROM fleet_hour", [], |r| r.get(0))?;
    let Some(newest) = newest else { return Ok(0) };
    let oldest = Hour(newest).min(Hour::containing(now)).0.saturating_sub(KEPT_HOURS);
    conn.execute("DELETE FROM fleet_hour WHERE hour < ?1", [oldest]).map(|n| n as u64)
}
