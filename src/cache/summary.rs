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
    get(&conn, kind).ok().flatten()
}

/// Reads the summary of `kind`; what is damaged is absent.
pub(super) fn get(conn: &Connection, kind: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    let stored: Option<(i64, Vec<u8>)> = conn
        .query_row("SELECT checksum, data FROM summary WHERE kind = ?1", [kind], |r| {
            Ok((r.get(0)?, r.get(1)?))
        })
        .optional()?;
    Ok(stored.filter(|(sum, data)| *sum == checksum(data)).map(|(_, data)| data))
}

/// A checksum over words of eight bytes and the length: SQLite does not notice damage inside a
/// blob. Each step can be undone, so that no change of a single word goes unseen. Not a protection
/// against malice; the file is private to the user.
pub(super) fn checksum(bytes: &[u8]) -> i64 {
    // The constants are those of FNV-1a; the rotation carries the upper bits down.
    let step =
        |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    words.chain([bytes.len() as u64]).fold(0xcbf2_9ce4_8422_2325, step) as i64
}

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn every_flipped_bit_and_every_lost_byte_shows() {
        let mut bytes: Vec<u8> = (0..100).collect();
        let whole = checksum(&bytes);
        for bit in 0..800 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum(&bytes), whole, "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        assert_eq!(checksum(&bytes), whole);
        while bytes.pop().is_some() {
            assert_ne!(checksum(&bytes), whole, "{} bytes", bytes.len());
        }
        assert_ne!(checksum(&[0; 8]), checksum(&[0; 9]));
    }
}
