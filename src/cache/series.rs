//! Hourly series: which hours were asked for, and a blob per series and UTC day with the answers.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{CachedStatement, Connection, OptionalExtension, TransactionBehavior, params};

use super::checksum::RowSum;
use super::day::{Day, HOURS};
use super::facts::Read;
use super::notice::CacheNotice;
use super::store::Store;
use crate::domain::{Hour, HourRange, HourlySeries, SeriesSet, Signal};

/// Series written in one transaction: short enough that another cockpit does not wait long.
const WRITES_PER_TRANSACTION: usize = 1_000;

/// Keys this close are read by one scan over what lies between: skipping some rows costs less than
/// starting another search.
const LARGEST_GAP: i64 = 8;

/// Result of fetching one signal of one instance.
///
/// `series.range()` is the requested range of hours, all of them closed. A datapoint replaces an older one; an hour
/// without a datapoint (`NaN`) never erases one. The fetched range grows when the new one overlaps or touches it; when
/// a gap lies between them, the later of the two is kept, because a range with a gap would count as complete.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesWrite {
    /// EC2 instance id, such as `i-0abc`.
    pub instance: Arc<str>,
    /// Signal that was fetched.
    pub signal: Signal,
    /// Requested hours with their values.
    pub series: HourlySeries,
}

/// The fetched range after `new` was fetched.
fn claim(old: HourRange, new: HourRange) -> HourRange {
    if new.from <= old.to && old.from <= new.to {
        HourRange { from: old.from.min(new.from), to: old.to.max(new.to) }
    } else if new.to > old.to {
        new
    } else {
        old
    }
}

/// The part of `range` that lies in `other`; empty when they do not meet.
fn overlap(range: HourRange, other: HourRange) -> HourRange {
    let from = range.from.max(other.from);
    HourRange { from, to: range.to.min(other.to).max(from) }
}

/// The epoch days that `range` touches.
fn days(range: HourRange) -> Range<i32> {
    if range.is_empty() { 0..0 } else { range.from.day()..range.to.plus(-1).day() + 1 }
}

/// The hours of an epoch day.
fn hours_of(day: i32) -> HourRange {
    let from = Hour(day.saturating_mul(HOURS as i32));
    HourRange { from, to: from.plus(HOURS as i32) }
}

/// Name of the data in notices about damaged rows.
const WHAT: &str = "metrics";

fn of_series(id: i64, instance: &str, signal: &str, range: HourRange) -> i64 {
    RowSum::new()
        .int(id)
        .text(instance)
        .text(signal)
        .int(range.from.0.into())
        .int(range.to.0.into())
        .finish()
}

fn of_chunk(day: i32, id: i64, data: &[u8]) -> i64 {
    RowSum::new().int(day.into()).int(id).blob(data).finish()
}

/// A row of the table of series.
struct Row {
    id: i64,
    instance: String,
    signal: String,
    range: HourRange,
}

/// Reads a row (id, instance, signal, from, to, checksum); `None` when it is not as it was written.
fn row(r: &rusqlite::Row<'_>) -> Option<Row> {
    let range = HourRange { from: Hour(r.get(3).ok()?), to: Hour(r.get(4).ok()?) };
    let row = Row { id: r.get(0).ok()?, instance: r.get(1).ok()?, signal: r.get(2).ok()?, range };
    let sum = of_series(row.id, &row.instance, &row.signal, range);
    (r.get::<_, i64>(5).ok()? == sum).then_some(row)
}

/// The values of a day; `None` when it is not as it was written.
fn chunk(day: i32, id: i64, sum: i64, data: &[u8]) -> Option<Day> {
    if sum != of_chunk(day, id, data) {
        return None;
    }
    if data.is_empty() { Some(Day::EMPTY) } else { Day::decode(data) }
}

/// Drops series of which anything is damaged: they are asked for anew, all of them at no more cost
/// than a part.
fn lose(store: &mut Store, ids: &[i64]) {
    store.lost_rows(WHAT, "series", ids);
}

/// Merges `writes` into the stored series. A damaged series starts anew with the written values, with a notice.
pub(super) fn keep(store: &mut Store, writes: &[SeriesWrite]) {
    for slice in writes.chunks(WRITES_PER_TRANSACTION) {
        let damaged = store.run(|conn| merge(conn, slice)).unwrap_or_default();
        if !damaged.is_empty() {
            lose(store, &damaged);
            // Once more, now that it is gone. What is damaged even then is left to the check.
            store.run(|conn| merge(conn, slice));
        }
    }
}

/// Merges `writes` in one transaction. When a stored series is damaged, nothing is written, and the ids of the damaged
/// ones are returned. Err when SQLite fails.
pub(super) fn merge(conn: &mut Connection, writes: &[SeriesWrite]) -> rusqlite::Result<Vec<i64>> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut damaged = Vec::new();
    {
        let mut statements = Statements::prepare(&tx)?;
        for write in writes {
            statements.merge(write, &mut damaged)?;
        }
    }
    if damaged.is_empty() {
        tx.commit()?;
    }
    Ok(damaged)
}

struct Statements<'c> {
    find: CachedStatement<'c>,
    insert: CachedStatement<'c>,
    seal: CachedStatement<'c>,
    read: CachedStatement<'c>,
    write: CachedStatement<'c>,
}

impl<'c> Statements<'c> {
    fn prepare(conn: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            find: conn.prepare_cached(
                "SELECT id, instance, signal, fetched_from, fetched_to, checksum FROM series
                 WHERE instance = ?1 AND signal = ?2",
            )?,
            insert: conn.prepare_cached(
                "INSERT INTO series (instance, signal, fetched_from, fetched_to, checksum)
                 VALUES (?1, ?2, ?3, ?4, 0) RETURNING id",
            )?,
            seal: conn.prepare_cached(SEAL)?,
            read: conn.prepare_cached(
                "SELECT checksum, data FROM chunk WHERE day = ?2 AND series = ?1",
            )?,
            write: conn.prepare_cached(
                "INSERT OR REPLACE INTO chunk (day, series, checksum, data)
                 VALUES (?1, ?2, ?3, ?4)",
            )?,
        })
    }

    /// Adds the id of the series to `damaged` where something of it is.
    fn merge(&mut self, write: &SeriesWrite, damaged: &mut Vec<i64>) -> rusqlite::Result<()> {
        let new = write.series.range();
        if new.is_empty() {
            return Ok(());
        }
        let signal = write.signal.name();
        let known = self
            .find
            .query_row(params![&*write.instance, signal], |r| Ok((r.get::<_, i64>(0)?, row(r))))
            .optional()?;
        let known = match known {
            None => None,
            Some((_, Some(row))) => Some((row.id, row.range)),
            Some((id, None)) => {
                damaged.push(id);
                return Ok(());
            }
        };
        let (id, range) = match known {
            Some((id, old)) => (id, claim(old, new)),
            // The checksum is over the id as well, which is not known before.
            None => {
                let row = params![&*write.instance, signal, new.from.0, new.to.0];
                (self.insert.query_row(row, |r| r.get(0))?, new)
            }
        };
        if known.is_none_or(|(_, old)| old != range) {
            let sum = of_series(id, &write.instance, &signal, range);
            self.seal.execute(params![id, range.from.0, range.to.0, sum])?;
        }
        for day in days(new) {
            let mut newer = Day::EMPTY;
            for (value, hour) in newer.0.iter_mut().zip(hours_of(day).from.0..) {
                *value = write.series.at(Hour(hour));
            }
            let claimed = known.is_some_and(|(_, old)| !overlap(old, hours_of(day)).is_empty());
            let old = match known {
                Some(_) => self.chunk(id, day)?,
                None => Read::Absent,
            };
            let (mut merged, is_there) = match old {
                Read::Whole(old) => (old, true),
                // Nothing was claimed of it: what lies there counts for nothing.
                Read::Absent | Read::Damaged if !claimed => (Day::EMPTY, false),
                Read::Absent | Read::Damaged => {
                    damaged.push(id);
                    return Ok(());
                }
            };
            if merged.merge(&newer) || !is_there {
                let blob = merged.encode();
                let data: &[u8] = if merged.is_empty() { &[] } else { &blob };
                self.write.execute(params![day, id, of_chunk(day, id, data), data])?;
            }
        }
        Ok(())
    }

    fn chunk(&mut self, id: i64, day: i32) -> rusqlite::Result<Read<Day>> {
        let found = self
            .read
            .query_row(params![id, day], |r| {
                let (sum, data) = (r.get_ref(0)?.as_i64(), r.get_ref(1)?.as_blob());
                Ok(sum.ok().zip(data.ok()).and_then(|(sum, data)| chunk(day, id, sum, data)))
            })
            .optional()?;
        Ok(match found {
            None => Read::Absent,
            Some(None) => Read::Damaged,
            Some(Some(day)) => Read::Whole(day),
        })
    }
}

/// Sets what a series claims.
const SEAL: &str =
    "UPDATE series SET fetched_from = ?2, fetched_to = ?3, checksum = ?4 WHERE id = ?1";

/// Changes the fetched range of the series that the SQL condition `which` selects (`hour` is its parameter); a series
/// with an empty range is deleted. Err when SQLite fails.
pub(super) fn reclaim(
    conn: &Connection,
    which: &str,
    hour: i32,
    change: impl Fn(HourRange) -> HourRange,
) -> rusqlite::Result<()> {
    let sql = format!(
        "SELECT id, instance, signal, fetched_from, fetched_to, checksum FROM series WHERE {which}"
    );
    let mut all = conn.prepare_cached(&sql)?;
    let rows = all.query_map([hour], |r| Ok(row(r)))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut seal = conn.prepare_cached(SEAL)?;
    // A damaged one stays as it is, and is met when it is read.
    for row in rows.into_iter().flatten() {
        let range = change(row.range);
        let sum = of_series(row.id, &row.instance, &row.signal, range);
        seal.execute(params![row.id, range.from.0, range.to.0, sum])?;
    }
    Ok(())
}

/// Ids of everything that has series.
pub(super) fn instances(store: &mut Store) -> Vec<String> {
    let read = |conn: &mut Connection| {
        let mut all = conn.prepare_cached("SELECT DISTINCT instance FROM series")?;
        all.query_map([], |r| r.get(0))?.collect()
    };
    store.run(read).unwrap_or_default()
}

/// A series that is being read.
struct Wanted {
    key: i64,
    /// Index of its instance.
    id: usize,
    signal: Signal,
    /// The hours that are wanted and were fetched.
    hours: HourRange,
    series: HourlySeries,
    /// Days of them that were not found yet.
    missing: usize,
}

/// Series of `ids`, cut to `range`, from one state of the database. Damaged series are dropped with a notice, as if
/// never fetched.
pub(super) fn read(
    store: &mut Store,
    ids: &[Arc<str>],
    range: HourRange,
) -> HashMap<Arc<str>, SeriesSet> {
    let (found, damaged) = store.run(|conn| load(conn, ids, range)).unwrap_or_default();
    lose(store, &damaged);
    found
}

type Loaded = (HashMap<Arc<str>, SeriesSet>, Vec<i64>);

/// Undamaged series of `ids`, cut to `range`, and the ids of damaged ones. Err when SQLite fails.
pub(super) fn load(
    conn: &mut Connection,
    ids: &[Arc<str>],
    range: HourRange,
) -> rusqlite::Result<Loaded> {
    let tx = conn.transaction()?;
    let mut wanted = Vec::with_capacity(ids.len());
    let mut damaged = Vec::new();
    {
        let mut known = Known::prepare(&tx)?;
        for (id, instance) in ids.iter().enumerate() {
            for (key, signal, fetched) in known.of(instance, &mut damaged)? {
                let (hours, series) = (overlap(range, fetched), HourlySeries::empty(range));
                let missing = days(hours).len();
                wanted.push(Wanted { key, id, signal, hours, series, missing });
            }
        }
        // The order of the table, so that its pages are read one after the other.
        wanted.sort_unstable_by_key(|w| w.key);
        let mut chunks = tx.prepare_cached(
            "SELECT series, checksum, data FROM chunk WHERE day = ?1 AND series BETWEEN ?2 AND ?3
             ORDER BY series",
        )?;
        for day in days(range) {
            for run in wanted.chunk_by_mut(|a, b| b.key - a.key <= LARGEST_GAP) {
                read_day(&mut chunks, day, run)?;
            }
        }
    }
    tx.finish()?;
    let mut found: HashMap<Arc<str>, SeriesSet> = HashMap::with_capacity(ids.len());
    for Wanted { key, id, signal, series, missing, .. } in wanted {
        if missing > 0 {
            damaged.push(key);
        } else {
            found.entry(Arc::clone(&ids[id])).or_default().insert(signal, series);
        }
    }
    Ok((found, damaged))
}

/// Reads a day of series whose keys lie close together, in the order of the keys, by one scan.
fn read_day(
    chunks: &mut CachedStatement<'_>,
    day: i32,
    run: &mut [Wanted],
) -> rusqlite::Result<()> {
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return Ok(()) };
    let mut rows = chunks.query(params![day, first.key, last.key])?;
    let mut rest = run.iter_mut().peekable();
    while let Some(row) = rows.next()? {
        let key = row.get::<_, i64>(0)?;
        while rest.next_if(|w| w.key < key).is_some() {}
        let Some(wanted) = rest.next_if(|w| w.key == key) else { continue };
        let part = overlap(wanted.hours, hours_of(day));
        // A day that is not claimed may be left from a claim that was given up.
        if part.is_empty() {
            continue;
        }
        let (Ok(sum), Ok(data)) = (row.get_ref(1)?.as_i64(), row.get_ref(2)?.as_blob()) else {
            continue;
        };
        let Some(values) = chunk(day, key, sum, data) else { continue };
        wanted.missing = wanted.missing.saturating_sub(1);
        for hour in part.from.0..part.to.0 {
            let value = values.0[hour.rem_euclid(HOURS as i32) as usize];
            wanted.series.set(Hour(hour), value);
        }
    }
    Ok(())
}

/// Fetched ranges of `ids`. Damaged ones are dropped with a notice.
pub(super) fn fetched(
    store: &mut Store,
    ids: &[Arc<str>],
) -> HashMap<(Arc<str>, Signal), HourRange> {
    let (ranges, damaged) = store.run(|conn| claims(conn, ids)).unwrap_or_default();
    lose(store, &damaged);
    ranges
}

/// Hours claimed by series, and ids of damaged rows.
type Claims = (HashMap<(Arc<str>, Signal), HourRange>, Vec<i64>);

/// Fetched ranges of `ids`, and the ids of damaged series. Err when SQLite fails.
pub(super) fn claims(conn: &mut Connection, ids: &[Arc<str>]) -> rusqlite::Result<Claims> {
    let tx = conn.transaction()?;
    let (mut ranges, mut damaged) = (HashMap::with_capacity(ids.len()), Vec::new());
    {
        let mut known = Known::prepare(&tx)?;
        for id in ids {
            for (_, signal, range) in known.of(id, &mut damaged)? {
                ranges.insert((Arc::clone(id), signal), range);
            }
        }
    }
    tx.finish()?;
    Ok((ranges, damaged))
}

/// The series known of an instance.
struct Known<'c>(CachedStatement<'c>);

impl<'c> Known<'c> {
    fn prepare(conn: &'c Connection) -> rusqlite::Result<Self> {
        let sql = "SELECT id, instance, signal, fetched_from, fetched_to, checksum FROM series
                   WHERE instance = ?1";
        conn.prepare_cached(sql).map(Self)
    }

    /// Row id, signal and fetched range of each; signals of a newer burntop are left out. The ids of
    /// those that are not as they were written go to `damaged`.
    fn of(
        &mut self,
        instance: &str,
        damaged: &mut Vec<i64>,
    ) -> rusqlite::Result<Vec<(i64, Signal, HourRange)>> {
        let mut rows = self.0.query([instance])?;
        let mut found = Vec::new();
        while let Some(r) = rows.next()? {
            let Some(row) = row(r).filter(|row| row.instance == instance) else {
                damaged.push(r.get(0)?);
                continue;
            };
            let Some(signal) = Signal::from_name(&row.signal) else { continue };
            found.push((row.id, signal, row.range));
        }
        Ok(found)
    }
}

/// Cuts fetched ranges at `now`, with a notice: hours fetched under a wrong clock would count as fetched, and empty,
/// for ever.
pub(super) fn disclaim_future(store: &mut Store, now: Timestamp) {
    let running = Hour::containing(now).0;
    let latest: Option<i32> = store
        .run(|conn| conn.query_row("SELECT max(fetched_to) FROM series", [], |r| r.get(0)))
        .flatten();
    let Some(latest) = latest.filter(|hour| *hour > running) else { return };
    store.run(|conn| {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.execute("DELETE FROM series WHERE fetched_from >= ?1", [running])?;
        let end = Hour(running);
        reclaim(&tx, "fetched_to > ?1", running, |r| HourRange { to: end, ..r })?;
        tx.commit()
    });
    let claimed = Hour(latest).start();
    store.post(CacheNotice::FromFuture { what: "metrics".into(), claimed });
}
