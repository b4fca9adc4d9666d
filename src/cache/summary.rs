//! The summary that paints first: bytes the screen made at the last refresh, read at the next start
//! before anything else is opened.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use super::file;
use super::schema;

/// Keeps a summary.
pub(super) fn put(conn: &Connection, kind: &str, bytes: &[u8]) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT OR REPLACE INTO summary (kind, checksum, data) VALUES (?1, ?2, ?3)",
    )?
    .execute(params![kind, checksum(bytes), bytes])?;
    Ok(())
}

/// Reads the summary of `kind` from the cache at `path`, without the cache's thread and without
/// waiting for any lock. `None` when there is none, or the file is missing, foreign, damaged, of
/// another layout or locked: the caller then starts without it.
pub fn read_summary_sync(path: &Path, kind: &str) -> Option<Vec<u8>> {
    let conn = file::open_read_only(path).ok()?;
    let number = |name| conn.pragma_query_value(None, name, |r| r.get::<_, i32>(0)).ok();
    if number("application_id")? != schema::CACHE.application_id
        || number("user_version")? != schema::CACHE.version()
    {
        return None;
    }
    let (sum, data): (i64, Vec<u8>) = conn
        .query_row("SELECT checksum, data FROM summary WHERE kind = ?1", [kind], |r| {
            Ok((r.get(0)?, r.get(1)?))
        })
        .optional()
        .ok()
        .flatten()?;
    (sum == checksum(&data)).then_some(data)
}

/// FNV-1a, 64 bit: SQLite does not notice damage inside a blob. Not a protection against malice;
/// the file is private to the user.
fn checksum(bytes: &[u8]) -> i64 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash as i64
}

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn checksum_is_fnv_1a() {
        // Test vectors of the FNV reference (draft-eastlake-fnv, 64-bit FNV-1a).
        assert_eq!(checksum(b"") as u64, 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum(b"a") as u64, 0xaf63_dc4c_8601_ec8c);
        assert_eq!(checksum(b"foobar") as u64, 0x8594_4171_f739_67e8);
    }
}
