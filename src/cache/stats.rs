//! Figures about the cache, for `burntop cache stats` and the doctor.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rusqlite::{Connection, Row};

use super::decode::column;
use super::file;
use super::store::{Medium, Store};
use crate::domain::Hour;

/// Number and size of the facts of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactStats {
    /// Name of the kind, such as `inventory`.
    pub kind: String,
    /// Number of scopes it is kept for.
    pub count: u64,
    /// Size of the encoded values, bytes.
    pub bytes: u64,
    /// Time of the newest value; `None` without a valid time.
    pub newest: Option<Timestamp>,
}

/// Number and size of everything in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheStats {
    /// Path of the cache.
    pub path: PathBuf,
    /// Size of the file, bytes; with `memory_only`, bytes in memory.
    pub file_bytes: u64,
    /// Size of the write-ahead log beside it, bytes.
    pub wal_bytes: u64,
    /// Number of hourly series.
    pub series: u64,
    /// Number of stored days of hourly series.
    pub chunks: u64,
    /// Oldest UTC day of any series; `None` without series.
    pub oldest_day: Option<Date>,
    /// Newest UTC day of any series; `None` without series.
    pub newest_day: Option<Date>,
    /// Facts by kind, sorted by name.
    pub facts: Vec<FactStats>,
    /// Requests dropped since this process started.
    pub dropped: u64,
    /// True when nothing is written to the file.
    pub memory_only: bool,
}

impl CacheStats {
    /// Figures of an empty cache at `path`.
    pub(super) fn nothing(path: PathBuf) -> Self {
        Self {
            path,
            file_bytes: 0,
            wal_bytes: 0,
            series: 0,
            chunks: 0,
            oldest_day: None,
            newest_day: None,
            facts: Vec::new(),
            dropped: 0,
            memory_only: true,
        }
    }
}

/// The UTC date of an epoch day.
fn date(day: i32) -> Date {
    Hour(day.saturating_mul(24)).start().to_zoned(TimeZone::UTC).date()
}

/// Bytes of the pages in use, and of all pages of the database. Err when SQLite fails.
pub(super) fn page_bytes(conn: &Connection) -> rusqlite::Result<(u64, u64)> {
    let number = |name: &str| conn.pragma_query_value(None, name, |r| r.get::<_, u32>(0));
    let (size, pages, free) =
        (number("page_size")?, number("page_count")?, number("freelist_count")?);
    let bytes = |n: u32| u64::from(n) * u64::from(size);
    Ok((bytes(pages.saturating_sub(free)), bytes(pages)))
}

/// Reads the figures; a failing database counts as empty.
pub(super) fn read(store: &mut Store) -> CacheStats {
    let path = store.options().path.clone();
    let mut stats =
        store.run(|conn| query(conn, &path)).unwrap_or_else(|| CacheStats::nothing(path.clone()));
    stats.dropped = store.dropped();
    stats.memory_only = store.medium() == Medium::Memory;
    if !stats.memory_only {
        let size = |path: PathBuf| fs::metadata(path).map_or(0, |m| m.len());
        stats.wal_bytes = size(file::beside(&path, "-wal"));
        stats.file_bytes = size(path);
    }
    stats
}

/// A count from a column; SQLite knows signed integers only.
fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(|n| u64::try_from(n).unwrap_or(0))
}

fn query(conn: &Connection, path: &Path) -> rusqlite::Result<CacheStats> {
    let mut stats = CacheStats::nothing(path.to_path_buf());
    stats.file_bytes = page_bytes(conn)?.1;
    stats.series = conn.query_row("SELECT count(*) FROM series", [], |r| count(r, 0))?;
    (stats.chunks, stats.oldest_day, stats.newest_day) =
        conn.query_row("SELECT count(*), min(day), max(day) FROM chunk", [], |r| {
            Ok((
                count(r, 0)?,
                r.get::<_, Option<i32>>(1)?.map(date),
                r.get::<_, Option<i32>>(2)?.map(date),
            ))
        })?;
    stats.facts = conn
        .prepare(
            "SELECT kind, count(*), sum(length(data)), max(taken_ms) FROM fact
             GROUP BY kind ORDER BY kind",
        )?
        .query_map([], |r| {
            Ok(FactStats {
                kind: column(r, 0)?,
                count: count(r, 1)?,
                bytes: count(r, 2)?,
                newest: Timestamp::from_millisecond(r.get(3)?).ok(),
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(stats)
}
