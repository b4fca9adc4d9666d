//! Whether every row is still there. A row that is read is checked by its own checksum; one that is
//! gone, or that its index does not find, is seen by the digest of its table.

use rusqlite::{Connection, TransactionBehavior, params};

use super::checksum::{RowSum, checksum};
use super::store::Store;
use super::{fleet_hours, gpu_hours, summary};

/// The tables that have a digest.
pub(super) const TABLES: [&str; 8] = [
    "fact",
    "series",
    "summary",
    "gpu_device",
    "gpu_hour",
    "bucket_size",
    "fleet_hour",
    "burn_day",
];

/// Rows and exclusive or of their checksums, as they are.
fn count(conn: &Connection, table: &str) -> rusqlite::Result<(i64, i64)> {
    // Not by an index: what counts is what is in the table.
    let mut all = conn.prepare(&format!("SELECT checksum FROM {table} NOT INDEXED"))?;
    let mut rows = all.query([])?;
    let (mut n, mut sum) = (0, 0);
    while let Some(row) = rows.next()? {
        (n, sum) = (n + 1, sum ^ row.get::<_, i64>(0)?);
    }
    Ok((n, sum))
}

/// What is wrong with the tables, if anything: rows that are gone, a tree or an index that leads
/// astray. Reads no value that is long.
fn problem(conn: &mut Connection) -> rusqlite::Result<Option<String>> {
    let tx = conn.transaction()?;
    for table in TABLES {
        let stored =
            tx.query_row("SELECT rows, checksum FROM digest WHERE name = ?1", [table], |r| {
                Ok((r.get::<_, i64>(0)?, r.get::<_, i64>(1)?))
            });
        let stored = match stored {
            Err(rusqlite::Error::QueryReturnedNoRows) => None,
            other => Some(other?),
        };
        let (rows, sum) = count(&tx, table)?;
        if stored != Some((rows, sum)) {
            let were = stored.map_or_else(|| "?".to_owned(), |(rows, _)| rows.to_string());
            return Ok(Some(format!("{rows} of {were} rows of {table} are as they were")));
        }
    }
    // Of the chunks there are too many; each is checked when it is read.
    for table in TABLES.into_iter().chain(["digest"]) {
        let sql = format!("PRAGMA integrity_check({table})");
        let said: String = tx.query_row(&sql, [], |r| r.get(0))?;
        if said != "ok" {
            return Ok(Some(said));
        }
    }
    Ok(None)
}

/// Compares every table with its digest, once per process. A file that has lost rows is set aside and a new one
/// started, with the rows that cannot be read again from AWS.
pub(super) fn check(store: &mut Store) {
    if !store.begin_check() {
        return;
    }
    if let Some(Some(detail)) = store.run(problem) {
        store.condemn(detail);
    }
    summary::check(store);
}

/// Writes the digest of a table anew from its rows, after a damaged row was dropped whose checksum may have been the
/// damaged part. Err when SQLite fails.
pub(super) fn reseal(conn: &Connection, table: &str) -> rusqlite::Result<()> {
    let (rows, sum) = count(conn, table)?;
    conn.execute(
        "INSERT OR REPLACE INTO digest (name, rows, checksum) VALUES (?1, ?2, ?3)",
        params![table, rows, sum],
    )?;
    Ok(())
}

/// Deletes damaged rows of `table` with the statement `sql`, once per key in `rows`, and writes its digest anew. Err
/// when SQLite fails.
pub(super) fn drop_damaged(
    conn: &mut Connection,
    table: &str,
    sql: &str,
    rows: &[&[&dyn rusqlite::ToSql]],
) -> rusqlite::Result<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for row in rows {
        tx.execute(sql, *row)?;
    }
    reseal(&tx, table)?;
    tx.commit()
}

/// Copies hours from the tables of an older layout, `from`, which no source could provide again. Err when SQLite fails.
pub(super) fn take_over(conn: &Connection, from: i32) -> rusqlite::Result<()> {
    if from >= 5 {
        return Ok(());
    }
    // What an older layout had a checksum of is taken as far as that one holds.
    let holds = |sum: i64, data: &[u8]| sum == checksum(data);
    if from >= 2 {
        let mut old = conn.prepare("SELECT id, source, identity, last_hour FROM gpu_device_4")?;
        let mut rows = old.query([])?;
        while let Some(r) = rows.next()? {
            let (id, last): (i64, i32) = (r.get(0)?, r.get(3)?);
            let (source, identity): (String, Vec<u8>) = (r.get(1)?, r.get(2)?);
            let sum = gpu_hours::of_device(id, &source, &identity, last);
            conn.execute(
                "INSERT INTO gpu_device (id, source, identity, last_hour, checksum)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                params![id, source, identity, last, sum],
            )?;
        }
        let mut old = conn.prepare("SELECT hour, source, checksum, data FROM gpu_hour_4")?;
        let mut rows = old.query([])?;
        while let Some(r) = rows.next()? {
            let (hour, source): (i32, String) = (r.get(0)?, r.get(1)?);
            let data: Vec<u8> = r.get(3)?;
            if holds(r.get(2)?, &data) {
                conn.execute(
                    "INSERT INTO gpu_hour (hour, source, checksum, data) VALUES (?1, ?2, ?3, ?4)",
                    params![hour, source, gpu_hours::of_hour(hour, &source, &data), data],
                )?;
            }
        }
    }
    if from >= 4 {
        let mut old =
            conn.prepare("SELECT hour, account, region, looks, checksum, data FROM fleet_hour_4")?;
        let mut rows = old.query([])?;
        while let Some(r) = rows.next()? {
            let (hour, looks): (i32, u32) = (r.get(0)?, r.get(3)?);
            let (account, region): (String, String) = (r.get(1)?, r.get(2)?);
            let data: Vec<u8> = r.get(5)?;
            if holds(r.get(4)?, &data) {
                fleet_hours::put(conn, hour, &account, &region, looks, &data)?;
            }
        }
    }
    conn.execute_batch(
        "DROP TABLE IF EXISTS gpu_device_4;
         DROP TABLE IF EXISTS gpu_hour_4;
         DROP TABLE IF EXISTS fleet_hour_4;",
    )
}

/// Checksum of a fact over all its columns.
pub(super) fn of_fact(
    kind: &str,
    account: &str,
    region: &str,
    layout: i64,
    taken_ms: i64,
    data: &[u8],
) -> i64 {
    RowSum::new()
        .text(kind)
        .text(account)
        .text(region)
        .int(layout)
        .int(taken_ms)
        .blob(data)
        .finish()
}
