//! Housekeeping: what is unused goes, what is over the limit goes oldest first, and the file gives
//! its space back. Every step is a short transaction, so that another cockpit never waits long.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::notice::CacheNotice;
use super::stats::page_bytes;
use super::store::Store;
use super::{bucket_sizes, burn_days, digest, fleet_hours, gpu_hours, series};
use crate::domain::{Hour, HourRange};

/// Facts that were not renewed for this long are about accounts or regions no longer looked at.
const FACT_KEEP: SignedDuration = SignedDuration::from_hours(120 * 24);

/// Summaries kept; each is of one choice of accounts, regions and preset.
const SUMMARIES: u32 = 20;

/// How often the whole file is checked. Damage is noticed without it when a read meets it.
const CHECK_EVERY: SignedDuration = SignedDuration::from_hours(24);

/// Bytes a chunk takes in the file: 96 of data, the key and the record header.
const CHUNK_BYTES: u64 = 108;

/// Eviction goes down to this share of the limit, so that it does not run again at once.
const EVICT_TO_PERCENT: u64 = 90;

/// Free pages are given back to the file system from this many bytes on.
const SHRINK_FROM_BYTES: u64 = 1 << 20;

/// Result of one round of housekeeping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Maintained {
    /// Series dropped because their instances were not seen for longer than any preset looks back.
    pub dropped_series: u64,
    /// Days of series evicted to keep the size limit.
    pub evicted_days: u64,
    /// Facts dropped because they were not renewed for 120 days.
    pub dropped_facts: u64,
    /// Hours of GPUs dropped because no analysis reaches back that far.
    pub dropped_gpu_hours: u64,
    /// Bytes in use before the round.
    pub bytes_before: u64,
    /// Bytes in use after the round.
    pub bytes_after: u64,
}

/// Runs one round of housekeeping at `now`.
pub(super) fn run(store: &mut Store, now: Timestamp) -> Maintained {
    store.tell_time(now);
    digest::check(store);
    let checked = check(store, now);
    series::disclaim_future(store, now);
    gpu_hours::disclaim_future(store, now);
    fleet_hours::disclaim_future(store, now);
    burn_days::disclaim_future(store, now);
    let keep_days = i32::try_from(store.options().keep_days).unwrap_or(i32::MAX);
    let max_bytes = store.options().max_bytes;
    let in_use = |store: &mut Store| store.run(|c| page_bytes(c)).map_or(0, |b| b.0);

    let mut done = Maintained { bytes_before: in_use(store), ..Maintained::default() };
    let oldest_kept =
        store.run(|c| newest_day(c, now)).map_or(i32::MIN, |day| day.saturating_sub(keep_days));
    done.dropped_series = store.run(|c| drop_unseen(c, oldest_kept)).unwrap_or(0);
    if checked || done.dropped_series > 0 {
        store.run(|c| drop_orphans(c));
    }
    done.dropped_facts = store.run(|c| drop_facts(c, now)).unwrap_or(0);
    // Nothing reads them later, and no limit has to be reached first.
    done.dropped_gpu_hours = store.run(|c| gpu_hours::drop_old(c, now, keep_days)).unwrap_or(0);
    store.run(|c| bucket_sizes::drop_unseen(c, now));
    store.run(|c| fleet_hours::drop_old(c, now));
    store.run(|c| burn_days::drop_old(c, now));
    store.run(|c| drop_summaries(c));
    done.evicted_days = store.run(|c| evict(c, max_bytes, oldest_kept)).unwrap_or(0);
    store.run(|c| shrink(c));
    done.bytes_after = in_use(store);
    if done.bytes_after > max_bytes {
        store.post(CacheNotice::OverLimit { bytes: done.bytes_after, max_bytes });
    }
    done
}

/// Deletes everything that can be read again, and frees the space. False when it failed.
pub(super) fn clear(store: &mut Store) -> bool {
    let emptied = store.run(|conn| {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for table in
            ["chunk", "series", "fact", "summary", "gpu_hour", "gpu_device", "bucket_size", "meta"]
        {
            tx.execute(&format!("DELETE FROM {table}"), [])?;
        }
        tx.commit()
    });
    store.run(|c| shrink(c));
    emptied.is_some()
}

/// Once a day, checks the whole file and replaces it when it is damaged. True when it was due.
fn check(store: &mut Store, now: Timestamp) -> bool {
    let due = store.run(|conn| {
        let last: Option<i64> = conn
            .query_row("SELECT value FROM meta WHERE key = 'checked_at'", [], |r| r.get(0))
            .optional()?;
        let last = last.and_then(|s| Timestamp::from_second(s).ok());
        // A date in the future comes from a wrong clock and proves nothing.
        Ok(last.is_none_or(|t| t > now || now.duration_since(t) >= CHECK_EVERY))
    });
    if due != Some(true) {
        return false;
    }
    let verdict =
        store.run(|c| c.query_row("PRAGMA quick_check(1)", [], |r| r.get::<_, String>(0)));
    if let Some(detail) = verdict.filter(|v| v != "ok") {
        store.condemn(detail);
    }
    store.run(|c| {
        c.execute(
            "INSERT OR REPLACE INTO meta (key, value) VALUES ('checked_at', ?1)",
            [now.as_second()],
        )
    });
    true
}

/// Today, or the newest day that was fetched when that is earlier: a clock that runs years ahead
/// cannot make everything look old.
fn newest_day(conn: &Connection, now: Timestamp) -> rusqlite::Result<i32> {
    let today = Hour::containing(now).day();
    let newest: Option<i32> =
        conn.query_row("SELECT max(fetched_to) FROM series", [], |r| r.get(0))?;
    Ok(newest.map_or(today, |hour| Hour(hour).day().min(today)))
}

/// The first hour of an epoch day.
fn first_hour(day: i32) -> i32 {
    day.saturating_mul(24)
}

fn drop_unseen(conn: &Connection, oldest_kept: i32) -> rusqlite::Result<u64> {
    let limit = first_hour(oldest_kept);
    conn.execute("DELETE FROM series WHERE fetched_to <= ?1", [limit]).map(|n| n as u64)
}

/// Deletes chunks whose series are gone, a day at a time.
fn drop_orphans(conn: &Connection) -> rusqlite::Result<()> {
    let mut delete = conn.prepare_cached(
        "DELETE FROM chunk WHERE day = ?1 AND series NOT IN (SELECT id FROM series)",
    )?;
    for day in stored_days(conn, i32::MAX)? {
        delete.execute([day])?;
    }
    Ok(())
}

/// The days before `end` of which anything is stored, oldest first.
fn stored_days(conn: &Connection, end: i32) -> rusqlite::Result<Vec<i32>> {
    // Jumps from day to day along the key instead of looking at every chunk.
    conn.prepare_cached(
        "WITH RECURSIVE stored (day) AS (
             SELECT min(day) FROM chunk
             UNION ALL
             SELECT (SELECT min(day) FROM chunk WHERE day > stored.day) FROM stored
             WHERE stored.day IS NOT NULL
         )
         SELECT day FROM stored WHERE day < ?1",
    )?
    .query_map([end], |r| r.get(0))?
    .collect()
}

fn drop_facts(conn: &Connection, now: Timestamp) -> rusqlite::Result<u64> {
    let newest: Option<i64> = conn.query_row(
        "SELECT max(taken_ms) FROM fact WHERE taken_ms <= ?1",
        [now.as_millisecond()],
        |r| r.get(0),
    )?;
    let Some(newest) = newest else { return Ok(0) };
    let limit = newest.saturating_sub(FACT_KEEP.as_millis() as i64);
    conn.execute("DELETE FROM fact WHERE taken_ms < ?1", [limit]).map(|n| n as u64)
}

/// Deletes the summaries written longest ago; writing one gives it the highest rowid.
fn drop_summaries(conn: &Connection) -> rusqlite::Result<usize> {
    conn.execute(
        "DELETE FROM summary WHERE rowid NOT IN
             (SELECT rowid FROM summary ORDER BY rowid DESC LIMIT ?1)",
        [SUMMARIES],
    )
}

/// Deletes the oldest days until the pages in use fit, but nothing from `oldest_kept` on.
fn evict(conn: &mut Connection, max_bytes: u64, oldest_kept: i32) -> rusqlite::Result<u64> {
    let excess = page_bytes(conn)?.0;
    if excess <= max_bytes {
        return Ok(0);
    }
    let excess = excess - max_bytes / 100 * EVICT_TO_PERCENT;
    let (mut evicted, mut freed) = (0, 0);
    for day in stored_days(conn, oldest_kept)? {
        if freed >= excess {
            break;
        }
        // The claim goes with the data, or its hours would pass for hours without datapoints.
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let from = first_hour(day.saturating_add(1));
        series::reclaim(&tx, "fetched_from < ?1", from, |r| {
            let from = Hour(from);
            HourRange { from, to: r.to.max(from) }
        })?;
        let deleted = tx.prepare_cached("DELETE FROM chunk WHERE day = ?1")?.execute([day])? as u64;
        tx.commit()?;
        evicted += deleted;
        freed += deleted * CHUNK_BYTES;
    }
    Ok(evicted)
}

/// Gives free pages back to the file system and empties the log.
fn shrink(conn: &Connection) -> rusqlite::Result<()> {
    let (in_use, all) = page_bytes(conn)?;
    if all - in_use >= SHRINK_FROM_BYTES {
        let mut vacuum = conn.prepare("PRAGMA incremental_vacuum")?;
        let mut rows = vacuum.query([])?;
        // Each step frees one page.
        while rows.next()?.is_some() {}
    }
    // Reports "busy" in its row instead of failing when another process reads: next time then.
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}
