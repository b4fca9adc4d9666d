//! What happened to nodes, beside the jobs that ran on them.
//!
//! A row that is damaged, or of another version, is passed over: causes of old failures are unknown then.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::checksum::RowSum;
use super::decode::decode;
use super::jobs::LAYOUT;
use super::jobs_live::{GONE_FOR, ROWS_AT_MOST, reading_sum};
use crate::domain::SourceId;
use crate::domain::jobs::NodeEvent;

/// Writes events; one that is known is written anew.
pub(super) fn write(conn: &Connection, events: &[NodeEvent]) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO node_event (key, at, layout, event, checksum)
               VALUES (?1, ?2, ?3, ?4, ?5)";
    for event in events {
        let Ok(blob) = postcard::to_stdvec(event) else { continue };
        let (key, at) = (key(event), event.at.as_millisecond());
        let sum = checksum(&key, at, &blob);
        conn.prepare_cached(sql)?.execute(params![key, at, LAYOUT, blob, sum])?;
    }
    Ok(())
}

/// Drops what happened so long before a moment, milliseconds, that nothing that ran then is looked at.
pub(super) fn forget(conn: &Connection, now: i64) -> rusqlite::Result<()> {
    let until = now.saturating_sub(GONE_FOR);
    conn.execute("DELETE FROM node_event WHERE at < ?1", [until]).map(|_| ())
}

/// All events, the oldest first; of more than are read the newest.
pub(super) fn all(conn: &Connection) -> rusqlite::Result<Vec<NodeEvent>> {
    let sql = "SELECT key, at, layout, event, checksum FROM node_event ORDER BY at DESC LIMIT ?1";
    // A file of an earlier version is not brought up to date by who reads it.
    let mut statement = match conn.prepare(sql) {
        Err(error) if error.to_string().contains("no such table") => return Ok(Vec::new()),
        statement => statement?,
    };
    let mut rows = statement.query([ROWS_AT_MOST])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        let (known, at): (String, i64) = (row.get(0)?, row.get(1)?);
        let (layout, blob, sum): (i64, Vec<u8>, i64) = (row.get(2)?, row.get(3)?, row.get(4)?);
        if layout == LAYOUT && sum == checksum(&known, at, &blob) {
            let event = decode::<NodeEvent>(&blob);
            events.extend(event.filter(|of| of.at.as_millisecond() == at && key(of) == known));
        }
    }
    events.reverse();
    Ok(events)
}

/// Up to when a source of events was read; `None` where it never was.
pub(super) fn complete_until(
    conn: &Connection,
    source: SourceId,
    name: &str,
) -> rusqlite::Result<Option<Timestamp>> {
    let sql = "SELECT taken, complete, first, checksum FROM reading
               WHERE source = ?1 AND origin = ?2";
    let mut statement = match conn.prepare(sql) {
        Err(error) if error.to_string().contains("no such column") => return Ok(None),
        statement => statement?,
    };
    let read = |row: &Row<'_>| {
        let (taken, complete): (i64, i64) = (row.get(0)?, row.get(1)?);
        let (first, sum): (Option<i64>, i64) = (row.get(2)?, row.get(3)?);
        let is_whole = sum == reading_sum(source.word(), name, [taken, complete], None, first);
        Ok(Timestamp::from_millisecond(complete).ok().filter(|_| is_whole))
    };
    statement.query_row((source.word(), name), read).optional().map(Option::flatten)
}

/// What tells events of a moment apart.
fn key(of: &NodeEvent) -> String {
    let (source, cluster) =
        of.cluster.as_ref().map_or(("", ""), |(source, name)| (source.word(), &**name));
    let host = of.hosts.first().map_or("", |host| host);
    let gpu = of.gpu.map(|gpu| gpu.to_string()).unwrap_or_default();
    [source, cluster, host, &gpu, &of.kind.word()].join("\u{1f}")
}

fn checksum(key: &str, at: i64, blob: &[u8]) -> i64 {
    RowSum::new().text(key).int(at).int(LAYOUT).blob(blob).finish()
}
