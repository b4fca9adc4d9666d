//! What each account burnt, by day: it cannot be read again from anywhere, so clearing the cache leaves it.

use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, TransactionBehavior, params};

use super::checksum::RowSum;
use super::digest;
use super::notice::CacheNotice;
use super::store::Store;
use crate::domain::text::clean;
use crate::domain::{BurnDay, BurnStep, Hour};

/// Days that are kept.
const KEPT_DAYS: i32 = 400;
/// Bytes that all days may take; the oldest go first.
const MAX_BYTES: i64 = 8 << 20;

/// What is told of days that are not as they were written.
const WHAT: &str = "burn by day, which nobody can read again";

fn sum(day: i32, account: &str, data: &[u8]) -> i64 {
    RowSum::new().int(day.into()).text(account).blob(data).finish()
}

/// Stores a day in place of an earlier record of it. Err when SQLite fails.
fn put(conn: &Connection, day: i32, account: &str, data: &[u8]) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT OR REPLACE INTO burn_day (day, account, checksum, data) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![day, account, sum(day, account, data), data])?;
    Ok(())
}

/// Stores a day in place of an earlier record of it; false where it cannot be encoded. Err when SQLite fails.
pub(super) fn store_day(conn: &Connection, day: &BurnDay) -> rusqlite::Result<bool> {
    let Ok(data) = postcard::to_stdvec(&day.seen) else { return Ok(false) };
    put(conn, day.day, &day.account, &data).map(|()| true)
}

/// Reads a row (day, account, checksum, data); `None` when it is not as it was written.
fn row(r: &Row<'_>) -> Option<BurnDay> {
    let day: i32 = r.get(0).ok()?;
    let account = r.get_ref(1).ok()?.as_str().ok()?;
    let data = r.get_ref(3).ok()?.as_blob().ok()?;
    if r.get::<_, i64>(2).ok()? != sum(day, account, data) {
        return None;
    }
    Some(BurnDay { day, account: clean(account).as_ref().into(), seen: super::decode(data)? })
}

/// Adds steps to the stored days. A moment that was looked at before, by this process or another, counts once. All of
/// them or none. A damaged day begins anew, with a notice.
pub(super) fn add(store: &mut Store, steps: &[BurnStep]) {
    let damaged = store.run(|conn| {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut damaged = 0;
        {
            let mut read = tx.prepare_cached(
                "SELECT day, account, checksum, data FROM burn_day WHERE day = ?1 AND account = ?2",
            )?;
            for step in steps {
                for day in BurnDay::days(step) {
                    let key = params![day, &*step.account];
                    let mut known = match read.query_row(key, |r| Ok(row(r))).optional()? {
                        Some(Some(there)) => there,
                        other => {
                            damaged += usize::from(other.is_some());
                            BurnDay::new(day, step.account.clone())
                        }
                    };
                    known.add(step);
                    if known.seen.for_ms > 0 {
                        store_day(&tx, &known)?;
                    }
                }
            }
        }
        if damaged > 0 {
            digest::reseal(&tx, "burn_day")?;
        }
        tx.commit()?;
        Ok(damaged)
    });
    store.tell_lost(WHAT, damaged.unwrap_or_default());
}

/// Stored days from `from` (epoch days) on, oldest first. Damaged ones are dropped with a notice.
pub(super) fn load(store: &mut Store, from: i32) -> Vec<BurnDay> {
    let found = store.run(|conn| {
        let mut read = conn.prepare_cached(
            "SELECT day, account, checksum, data FROM burn_day WHERE day >= ?1
             ORDER BY day, account",
        )?;
        let mut rows = read.query([from])?;
        let (mut whole, mut damaged): (Vec<_>, Vec<[Value; 2]>) = (Vec::new(), Vec::new());
        while let Some(r) = rows.next()? {
            match row(r) {
                Some(day) => whole.push(day),
                None => damaged.push([r.get(0)?, r.get(1)?]),
            }
        }
        Ok((whole, damaged))
    });
    let (whole, damaged) = found.unwrap_or_default();
    let keys: Vec<[&dyn ToSql; 2]> =
        damaged.iter().map(|[day, account]| [day as _, account as _]).collect();
    let keys: Vec<&[&dyn ToSql]> = keys.iter().map(|key| &key[..]).collect();
    let sql = "DELETE FROM burn_day WHERE day = ?1 AND account = ?2";
    store.lost(WHAT, "burn_day", sql, &keys);
    whole
}

/// Copies the undamaged rows of a file that was set aside. Err when the table cannot be read or SQLite fails on `conn`.
pub(super) fn salvage(conn: &Connection, old: &Connection) -> rusqlite::Result<()> {
    let mut read = old.prepare("SELECT day, account, checksum, data FROM burn_day")?;
    let mut rows = read.query([])?;
    let tx = conn.unchecked_transaction()?;
    // Up to the damage, if it lies in here.
    while let Ok(Some(r)) = rows.next() {
        if let Some(there) = row(r) {
            put(&tx, there.day, &there.account, &r.get::<_, Vec<u8>>(3)?)?;
        }
    }
    tx.commit()
}

/// Deletes days after `now`, written under a wrong clock, with a notice.
pub(super) fn disclaim_future(store: &mut Store, now: Timestamp) {
    let today = Hour::containing(now).day();
    let latest: Option<i32> =
        store.run(|c| c.query_row("SELECT max(day) FROM burn_day", [], |r| r.get(0))).flatten();
    let Some(latest) = latest.filter(|day| *day > today) else { return };
    store.run(|c| c.execute("DELETE FROM burn_day WHERE day > ?1", [today]));
    let claimed = Hour(latest.saturating_mul(24)).end();
    store.post(CacheNotice::FromFuture { what: "burn by day".into(), claimed });
}

/// Deletes days older than 400, and the oldest while all of them take more than 8 MiB; returns their number. They count
/// back from now, or from the newest day when that is earlier, so that a clock years ahead deletes nothing. Err when
/// SQLite fails.
pub(super) fn drop_old(conn: &mut Connection, now: Timestamp) -> rusqlite::Result<u64> {
    let newest: Option<i32> = conn.query_row("SELECT max(day) FROM burn_day", [], |r| r.get(0))?;
    let Some(newest) = newest else { return Ok(0) };
    let today = Hour::containing(now).day();
    let by_age = newest.min(today).saturating_sub(KEPT_DAYS);
    // The newest days that fit.
    let by_size: Option<i32> = conn.query_row(
        "SELECT min(day) FROM (
             SELECT day, sum(sum(length(data))) OVER (ORDER BY day DESC) AS total
             FROM burn_day GROUP BY day
         ) WHERE total <= ?1",
        [MAX_BYTES],
        |r| r.get(0),
    )?;
    let oldest = by_age.max(by_size.unwrap_or(newest));
    conn.execute("DELETE FROM burn_day WHERE day < ?1", [oldest]).map(|n| n as u64)
}
