//! Hourly series: which hours were asked for, and a blob per series and UTC day with the answers.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{CachedStatement, Connection, OptionalExtension, TransactionBehavior, params};

use super::day::{Day, HOURS};
use super::notice::CacheNotice;
use super::store::Store;
use crate::domain::{Hour, HourRange, HourlySeries, SeriesSet, Signal};

/// Series written in one transaction: short enough that another cockpit does not wait long.
const WRITES_PER_TRANSACTION: usize = 1_000;

/// Keys this close are read by one scan over what lies between: skipping some rows costs less than
/// starting another search.
const LARGEST_GAP: i64 = 8;

/// The answer of a source for one signal of one instance.
///
/// `series.range()` is the range of hours that was asked for, all of them closed. A datapoint
/// replaces an older one; an hour without a datapoint (`NaN`) never erases one. The fetched range
/// grows when the new one overlaps or touches it; when a gap lies between them, the later of the
/// two is kept, because a range with a hole would pass for complete.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesWrite {
    /// Whose.
    pub instance: Arc<str>,
    /// Which signal.
    pub signal: Signal,
    /// The hours asked for, with their values.
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

/// Merges `writes` into the database.
pub(super) fn store(conn: &mut Connection, writes: &[SeriesWrite]) -> rusqlite::Result<()> {
    for slice in writes.chunks(WRITES_PER_TRANSACTION) {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut statements = Statements::prepare(&tx)?;
            for write in slice {
                statements.merge(write)?;
            }
        }
        tx.commit()?;
    }
    Ok(())
}

struct Statements<'c> {
    find: CachedStatement<'c>,
    insert: CachedStatement<'c>,
    extend: CachedStatement<'c>,
    read: CachedStatement<'c>,
    write: CachedStatement<'c>,
}

impl<'c> Statements<'c> {
    fn prepare(conn: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            find: conn.prepare_cached(
                "SELECT id, fetched_from, fetched_to FROM series
                 WHERE instance = ?1 AND signal = ?2",
            )?,
            insert: conn.prepare_cached(
                "INSERT INTO series (instance, signal, fetched_from, fetched_to)
                 VALUES (?1, ?2, ?3, ?4) RETURNING id",
            )?,
            extend: conn.prepare_cached(
                "UPDATE series SET fetched_from = ?2, fetched_to = ?3 WHERE id = ?1",
            )?,
            read: conn.prepare_cached("SELECT data FROM chunk WHERE day = ?2 AND series = ?1")?,
            write: conn.prepare_cached(
                "INSERT OR REPLACE INTO chunk (series, day, data) VALUES (?1, ?2, ?3)",
            )?,
        })
    }

    fn merge(&mut self, write: &SeriesWrite) -> rusqlite::Result<()> {
        let new = write.series.range();
        if new.is_empty() {
            return Ok(());
        }
        let signal = write.signal.name();
        let known = self
            .find
            .query_row(params![&*write.instance, signal], |r| {
                let range = HourRange { from: Hour(r.get(1)?), to: Hour(r.get(2)?) };
                Ok((r.get::<_, i64>(0)?, range))
            })
            .optional()?;
        let id = if let Some((id, old)) = known {
            let range = claim(old, new);
            if range != old {
                self.extend.execute(params![id, range.from.0, range.to.0])?;
            }
            id
        } else {
            self.insert
                .query_row(params![&*write.instance, signal, new.from.0, new.to.0], |r| r.get(0))?
        };
        for day in days(new) {
            let mut newer = Day::EMPTY;
            for (value, hour) in newer.0.iter_mut().zip(hours_of(day).from.0..) {
                *value = write.series.at(Hour(hour));
            }
            if newer.is_empty() {
                continue;
            }
            let old = match known {
                Some(_) => self.chunk(id, day)?,
                None => None,
            };
            let mut merged = old.unwrap_or(Day::EMPTY);
            if merged.merge(&newer) {
                self.write.execute(params![id, day, merged.encode()])?;
            }
        }
        Ok(())
    }

    fn chunk(&mut self, id: i64, day: i32) -> rusqlite::Result<Option<Day>> {
        self.read
            .query_row(params![id, day], |r| Ok(Day::decode(r.get_ref(0)?.as_blob()?)))
            .optional()
            .map(Option::flatten)
    }
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
}

/// Reads the series of `ids`, cut to `range`, from one state of the database.
pub(super) fn load(
    conn: &mut Connection,
    ids: &[Arc<str>],
    range: HourRange,
) -> rusqlite::Result<HashMap<Arc<str>, SeriesSet>> {
    let tx = conn.transaction()?;
    let mut wanted = Vec::with_capacity(ids.len());
    {
        let mut known = Known::prepare(&tx)?;
        for (id, instance) in ids.iter().enumerate() {
            for (key, signal, fetched) in known.of(instance)? {
                let (hours, series) = (overlap(range, fetched), HourlySeries::empty(range));
                wanted.push(Wanted { key, id, signal, hours, series });
            }
        }
        // The order of the table, so that its pages are read one after the other.
        wanted.sort_unstable_by_key(|w| w.key);
        let mut chunks = tx.prepare_cached(
            "SELECT series, data FROM chunk WHERE day = ?1 AND series BETWEEN ?2 AND ?3
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
    for Wanted { id, signal, series, .. } in wanted {
        found.entry(Arc::clone(&ids[id])).or_default().insert(signal, series);
    }
    Ok(found)
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
        let Some(values) = Day::decode(row.get_ref(1)?.as_blob()?) else { continue };
        let part = overlap(wanted.hours, hours_of(day));
        for hour in part.from.0..part.to.0 {
            let value = values.0[hour.rem_euclid(HOURS as i32) as usize];
            wanted.series.set(Hour(hour), value);
        }
    }
    Ok(())
}

/// Reads the fetched ranges of `ids`.
pub(super) fn fetched(
    conn: &mut Connection,
    ids: &[Arc<str>],
) -> rusqlite::Result<HashMap<(Arc<str>, Signal), HourRange>> {
    let tx = conn.transaction()?;
    let mut ranges = HashMap::with_capacity(ids.len());
    {
        let mut known = Known::prepare(&tx)?;
        for id in ids {
            for (_, signal, range) in known.of(id)? {
                ranges.insert((Arc::clone(id), signal), range);
            }
        }
    }
    tx.finish()?;
    Ok(ranges)
}

/// The series known of an instance.
struct Known<'c>(CachedStatement<'c>);

impl<'c> Known<'c> {
    fn prepare(conn: &'c Connection) -> rusqlite::Result<Self> {
        let sql = "SELECT id, signal, fetched_from, fetched_to FROM series WHERE instance = ?1";
        conn.prepare_cached(sql).map(Self)
    }

    /// Row id, signal and fetched range of each; signals of a newer burntop are left out.
    fn of(&mut self, instance: &str) -> rusqlite::Result<Vec<(i64, Signal, HourRange)>> {
        let mut rows = self.0.query([instance])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let Some(signal) = Signal::from_name(row.get_ref(1)?.as_str()?) else { continue };
            let range = HourRange { from: Hour(row.get(2)?), to: Hour(row.get(3)?) };
            found.push((row.get(0)?, signal, range));
        }
        Ok(found)
    }
}

/// Gives up claims on hours that have not happened yet: a clock that was wrong when they were
/// fetched would otherwise make burntop believe for ever that nothing happened in them.
pub(super) fn disclaim_future(store: &mut Store, now: Timestamp) {
    let running = Hour::containing(now).0;
    let latest: Option<i32> = store
        .run(|conn| conn.query_row("SELECT max(fetched_to) FROM series", [], |r| r.get(0)))
        .flatten();
    let Some(latest) = latest.filter(|hour| *hour > running) else { return };
    store.run(|conn| {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.execute("DELETE FROM series WHERE fetched_from >= ?1", [running])?;
        tx.execute("UPDATE series SET fetched_to = ?1 WHERE fetched_to > ?1", [running])?;
        tx.commit()
    });
    let claimed = Hour(latest).start();
    store.post(CacheNotice::FromFuture { what: "metrics".into(), claimed });
}
