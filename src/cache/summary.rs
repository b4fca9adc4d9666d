//! The summary that paints first: bytes the screen made at the last refresh, read at the next start
//! before anything else is opened.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, ToSql, params};

use super::checksum::RowSum;
use super::facts::Read;
use super::store::Store;
use super::{file, schema};

/// Stores the summary of `kind` in place of the previous one. Err when SQLite fails.
pub(super) fn put(conn: &Connection, kind: &str, bytes: &[u8]) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT OR REPLACE INTO summary (kind, checksum, data) VALUES (?1, ?2, ?3)",
    )?
    .execute(params![kind, sum(kind, bytes), bytes])?;
    Ok(())
}

/// Reads the summaries of `kinds` from the cache at `path`, without the cache's thread and without
/// waiting for any lock. `None` where there is none, or the file is missing, foreign, damaged, of
/// another layout or locked: the caller then starts without it.
pub fn read_summaries_sync<const N: usize>(path: &Path, kinds: [&str; N]) -> [Option<Vec<u8>>; N] {
    let Some(conn) = open_ours(path) else { return kinds.map(|_| None) };
    kinds.map(|kind| match get(&conn, kind) {
        Ok(Read::Whole(bytes)) => Some(bytes),
        _ => None,
    })
}

fn open_ours(path: &Path) -> Option<Connection> {
    let conn = file::open_read_only(path).ok()?;
    let number = |name| conn.pragma_query_value(None, name, |r| r.get::<_, i32>(0)).ok();
    let ours = number("application_id")? == schema::CACHE.application_id
        && number("user_version")? == schema::CACHE.version();
    ours.then_some(conn)
}

/// Summary of `kind`; a damaged one is dropped with a notice. `None` when absent.
pub(super) fn read(store: &mut Store, kind: &str) -> Option<Vec<u8>> {
    match store.run(|conn| get(conn, kind))? {
        Read::Whole(bytes) => Some(bytes),
        Read::Absent => None,
        Read::Damaged => {
            let key: &[&dyn ToSql] = &[&kind];
            store.lost(
                "the first picture",
                "summary",
                "DELETE FROM summary WHERE kind = ?1",
                &[key],
            );
            None
        }
    }
}

/// True when there is a summary of `kind`, damaged or not. Err when SQLite fails.
pub(super) fn is_there(conn: &Connection, kind: &str) -> rusqlite::Result<bool> {
    conn.prepare_cached("SELECT 1 FROM summary WHERE kind = ?1")?.exists([kind])
}

/// Drops damaged summaries, with a notice.
pub(super) fn check(store: &mut Store) {
    let kinds = |conn: &mut Connection| {
        let mut all = conn.prepare_cached("SELECT kind FROM summary")?;
        all.query_map([], |r| r.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()
    };
    for kind in store.run(kinds).unwrap_or_default() {
        read(store, &kind);
    }
}

fn sum(kind: &str, bytes: &[u8]) -> i64 {
    RowSum::new().text(kind).blob(bytes).finish()
}

fn get(conn: &Connection, kind: &str) -> rusqlite::Result<Read<Vec<u8>>> {
    let found = conn
        .query_row("SELECT kind, checksum, data FROM summary WHERE kind = ?1", [kind], |r| {
            let (Ok(of), Ok(stored), Ok(data)) =
                (r.get_ref(0)?.as_str(), r.get_ref(1)?.as_i64(), r.get_ref(2)?.as_blob())
            else {
                return Ok(None);
            };
            Ok((stored == sum(of, data)).then(|| data.to_vec()))
        })
        .optional()?;
    Ok(match found {
        None => Read::Absent,
        Some(None) => Read::Damaged,
        Some(Some(data)) => Read::Whole(data),
    })
}
