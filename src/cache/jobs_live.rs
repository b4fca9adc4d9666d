//! What live sources of jobs bring beside attempts: nodes, holders of GPUs, and how far each was read.
//!
//! A row that is damaged, or of another version, is passed over: the next reading brings it anew.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::de::DeserializeOwned;

use super::checksum::RowSum;
use super::decode::decode;
use super::jobs::{JobsRound, LAYOUT};
use super::jobs_events as events;
use crate::domain::jobs::{GpuHolder, HyperPodNode, JobNode, JobSource, JobsName, JobsReading};

/// Most nodes and holders that are read.
pub(super) const ROWS_AT_MOST: i64 = 200_000;

/// For how long a node that is gone is kept, milliseconds: jobs of a year ago ran on it.
pub(super) const GONE_FOR: i64 = 400 * 86_400_000;

/// Source of the rows of `node` that hold instances of HyperPod: no job of SageMaker names its nodes.
const HYPERPOD: &str = JobSource::SageMaker.word();

/// Writes what a reading brought.
pub(super) fn write(conn: &Connection, round: &JobsRound<'_>) -> rusqlite::Result<()> {
    for node in round.nodes {
        write_node(conn, node)?;
    }
    write_hyperpod(conn, round.hyperpod)?;
    let name = &round.reading.name;
    if let Some(holders) = round.holders {
        let (source, origin) = (name.kind.word(), &*name.name);
        conn.execute("DELETE FROM holder WHERE source = ?1 AND origin = ?2", (source, origin))?;
        let sql = "INSERT INTO holder (source, origin, place, layout, holder, checksum)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let mut statement = conn.prepare_cached(sql)?;
        for (place, holder) in holders.iter().enumerate() {
            let Ok(blob) = postcard::to_stdvec(holder) else { continue };
            let place = place as i64;
            let sum = holder_sum(source, origin, place, &blob);
            statement.execute(params![source, origin, place, LAYOUT, blob, sum])?;
        }
    }
    let until = round.reading.taken_at.as_millisecond().saturating_sub(GONE_FOR);
    conn.execute("DELETE FROM node WHERE seen_until < ?1", [until])?;
    events::write(conn, round.events)?;
    events::forget(conn, round.reading.taken_at.as_millisecond())?;
    write_reading(conn, round.reading)
}

fn write_node(conn: &Connection, node: &JobNode) -> rusqlite::Result<()> {
    let Ok(blob) = postcard::to_stdvec(node) else { return Ok(()) };
    let instance = node.instance_id.as_ref().or(node.private_ip.as_ref());
    let key = [node.source.word(), &node.cluster, &node.name, instance.map_or("", |of| of)];
    write_row(conn, key, (node.seen_from, node.seen_until), &blob)
}

/// Writes instances of HyperPod, each with what an earlier reading told of it and this one does not.
fn write_hyperpod(conn: &Connection, nodes: &[HyperPodNode]) -> rusqlite::Result<()> {
    if nodes.is_empty() {
        return Ok(());
    }
    let known = hyperpod(conn)?;
    let known: HashMap<(&str, &str), &HyperPodNode> =
        known.iter().map(|of| ((&*of.cluster, &*of.instance_id), of)).collect();
    for node in nodes {
        let node = match known.get(&(&*node.cluster, &*node.instance_id)) {
            Some(earlier) => node.clone().beside(earlier),
            None => node.clone(),
        };
        let Ok(blob) = postcard::to_stdvec(&node) else { continue };
        let key = [HYPERPOD, &node.cluster, &node.instance_id, &node.instance_id];
        write_row(conn, key, (node.seen_from, node.seen_until), &blob)?;
    }
    Ok(())
}

/// Writes a row of `node`, seen from the earliest to the latest of the moments that are known.
fn write_row(
    conn: &Connection,
    key: [&str; 4],
    (from, until): (Timestamp, Timestamp),
    blob: &[u8],
) -> rusqlite::Result<()> {
    let (mut from, mut until) = (from.as_millisecond(), until.as_millisecond());
    let known = "SELECT seen_from, seen_until FROM node
                 WHERE source = ?1 AND cluster = ?2 AND name = ?3 AND instance = ?4";
    let mut known = conn.prepare_cached(known)?;
    let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    if let Some((first, last)) = known.query_row(key, read).optional()? {
        (from, until) = (from.min(first), until.max(last));
    }
    let sql = "INSERT OR REPLACE INTO node
               (source, cluster, name, instance, seen_from, seen_until, layout, node, checksum)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let [source, cluster, name, instance] = key;
    let sum = node_sum(key, from, until, blob);
    let mut statement = conn.prepare_cached(sql)?;
    let row = params![source, cluster, name, instance, from, until, LAYOUT, blob, sum];
    statement.execute(row).map(|_| ())
}

fn write_reading(conn: &Connection, reading: &JobsReading) -> rusqlite::Result<()> {
    let JobsReading { name, taken_at, complete_until, open_since, .. } = reading;
    let known = readings(conn)?.into_iter().find(|known| known.name == *name);
    let first = known.and_then(|known| known.first_at).unwrap_or(*taken_at).as_millisecond();
    let times = [taken_at.as_millisecond(), complete_until.as_millisecond()];
    let open = open_since.map(Timestamp::as_millisecond);
    write_times(conn, (name.kind.word(), &name.name), times, open, first)
}

/// Writes when a source was read, and up to when; `open` and `first` as in [`JobsReading`].
pub(super) fn write_times(
    conn: &Connection,
    (source, origin): (&str, &str),
    times: [i64; 2],
    open: Option<i64>,
    first: i64,
) -> rusqlite::Result<()> {
    let sql =
        "INSERT OR REPLACE INTO reading (source, origin, taken, complete, open, first, checksum)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let sum = reading_sum(source, origin, times, open, Some(first));
    conn.execute(sql, params![source, origin, times[0], times[1], open, first, sum]).map(|_| ())
}

/// Nodes by source, cluster, name and time.
pub(super) fn nodes(conn: &Connection) -> rusqlite::Result<Vec<JobNode>> {
    let all = rows::<JobNode>(conn, "<>")?.into_iter();
    Ok(all.map(|(node, seen_from, seen_until)| JobNode { seen_from, seen_until, ..node }).collect())
}

/// Instances of HyperPod by cluster, id and time.
pub(super) fn hyperpod(conn: &Connection) -> rusqlite::Result<Vec<HyperPodNode>> {
    let all = rows::<HyperPodNode>(conn, "=")?.into_iter();
    let of = |(node, seen_from, seen_until)| HyperPodNode { seen_from, seen_until, ..node };
    Ok(all.map(of).collect())
}

/// Rows of `node` whose source compares like this with that of HyperPod, each with when it was seen.
fn rows<T: DeserializeOwned>(
    conn: &Connection,
    compared: &'static str,
) -> rusqlite::Result<Vec<(T, Timestamp, Timestamp)>> {
    let sql = format!(
        "SELECT source, cluster, name, instance, seen_from, seen_until, layout, node, checksum
               FROM node WHERE source {compared} ?2 ORDER BY source, cluster, name, seen_from LIMIT ?1"
    );
    let mut statement = conn.prepare(&sql)?;
    let mut rows = statement.query(params![ROWS_AT_MOST, HYPERPOD])?;
    let mut nodes = Vec::new();
    while let Some(row) = rows.next()? {
        let text = |at: usize| row.get::<_, String>(at);
        let key = [text(0)?, text(1)?, text(2)?, text(3)?];
        let (from, until): (i64, i64) = (row.get(4)?, row.get(5)?);
        let (layout, blob, sum): (i64, Vec<u8>, i64) = (row.get(6)?, row.get(7)?, row.get(8)?);
        let key = [key[0].as_str(), &key[1], &key[2], &key[3]];
        if layout != LAYOUT || sum != node_sum(key, from, until, &blob) {
            continue;
        }
        let times = (Timestamp::from_millisecond(from), Timestamp::from_millisecond(until));
        if let (Some(node), (Ok(seen_from), Ok(seen_until))) = (decode::<T>(&blob), times) {
            nodes.push((node, seen_from, seen_until));
        }
    }
    Ok(nodes)
}

/// Who held GPUs at the last reading of each source.
pub(super) fn holders(conn: &Connection) -> rusqlite::Result<Vec<GpuHolder>> {
    let sql = "SELECT source, origin, place, layout, holder, checksum FROM holder
               ORDER BY source, origin, place LIMIT ?1";
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([ROWS_AT_MOST])?;
    let mut holders = Vec::new();
    while let Some(row) = rows.next()? {
        let (source, origin): (String, String) = (row.get(0)?, row.get(1)?);
        let (place, layout): (i64, i64) = (row.get(2)?, row.get(3)?);
        let (blob, sum): (Vec<u8>, i64) = (row.get(4)?, row.get(5)?);
        if layout == LAYOUT && sum == holder_sum(&source, &origin, place, &blob) {
            holders.extend(decode::<GpuHolder>(&blob));
        }
    }
    Ok(holders)
}

/// How each source was read last.
pub(super) fn readings(conn: &Connection) -> rusqlite::Result<Vec<JobsReading>> {
    // A file of an earlier version is not brought up to date by who reads it.
    let first = match conn.prepare("SELECT first FROM reading LIMIT 0") {
        Ok(_) => "first",
        Err(_) => "NULL",
    };
    let sql = format!(
        "SELECT source, origin, taken, complete, open, {first}, checksum FROM reading
               ORDER BY source, origin"
    );
    let mut statement = conn.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let mut readings = Vec::new();
    while let Some(row) = rows.next()? {
        let (source, origin): (String, String) = (row.get(0)?, row.get(1)?);
        let times: [i64; 2] = [row.get(2)?, row.get(3)?];
        let (open, first): (Option<i64>, Option<i64>) = (row.get(4)?, row.get(5)?);
        let sum: i64 = row.get(6)?;
        if sum != reading_sum(&source, &origin, times, open, first) {
            continue;
        }
        let kind = JobSource::ALL.into_iter().find(|kind| kind.word() == source);
        let at = times.map(Timestamp::from_millisecond);
        if let (Some(kind), [Ok(taken_at), Ok(complete_until)]) = (kind, at) {
            let moment = |ms: Option<i64>| ms.and_then(|ms| Timestamp::from_millisecond(ms).ok());
            let (open_since, first_at) = (moment(open), moment(first));
            let name = JobsName { kind, name: Arc::from(origin) };
            readings.push(JobsReading { name, taken_at, first_at, complete_until, open_since });
        }
    }
    Ok(readings)
}

fn node_sum(key: [&str; 4], from: i64, until: i64, blob: &[u8]) -> i64 {
    let sum = key.iter().fold(RowSum::new(), |sum, text| sum.text(text));
    sum.int(from).int(until).int(LAYOUT).blob(blob).finish()
}

fn holder_sum(source: &str, origin: &str, place: i64, blob: &[u8]) -> i64 {
    RowSum::new().text(source).text(origin).int(place).int(LAYOUT).blob(blob).finish()
}

pub(super) fn reading_sum(
    source: &str,
    origin: &str,
    [taken, complete]: [i64; 2],
    open: Option<i64>,
    first: Option<i64>,
) -> i64 {
    let sum = RowSum::new().text(source).text(origin).int(taken).int(complete);
    // A column more for one that is there, so that no number stands for none.
    let sum = open.map_or(sum, |open| sum.int(open));
    first.map_or(sum, |first| sum.text("first").int(first)).finish()
}
