//! What GPUs did in closed hours: one blob per source and hour, and a dictionary of the GPUs that
//! each source knows. Ten bytes per GPU and hour: 8,000 GPUs over a week take 13 MB.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{Connection, TransactionBehavior, params};
use serde::{Deserialize, Serialize};

use super::notice::CacheNotice;
use super::store::Store;
use super::summary::checksum;
use crate::domain::{GpuHour, GpuIdentity, Hour, HourRange, Rung, SourceId};

/// Layout of the blobs and of the identities in the dictionary.
const LAYOUT: u8 = 1;
/// Bytes per GPU: three for its number in the dictionary, two each for mean, maximum and samples,
/// one for the rung.
const BYTES: usize = 10;
/// Steps of a ratio: 0 is 0, the last is 1. Half a step is 0.00076 %.
const STEPS: f32 = 65_534.0;
/// Stands for a value that made no sense.
const MALFORMED: u16 = u16::MAX;

/// What all GPUs of one source did in one closed hour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuHours {
    /// The kind of source.
    pub source: SourceId,
    /// Which one of its kind.
    pub origin: Arc<str>,
    /// The hour; it was closed when the source was asked.
    pub hour: Hour,
    /// The GPUs; empty when the source knew of none.
    pub gpus: Vec<GpuHour>,
}

/// The source as the tables name it.
fn name(source: SourceId, origin: &str) -> String {
    format!("{}/{origin}", source.word())
}

fn source_of(name: &str) -> Option<(SourceId, Arc<str>)> {
    let (word, origin) = name.split_once('/')?;
    let source = SourceId::ALL.into_iter().find(|s| s.word() == word)?;
    Some((source, origin.into()))
}

fn steps(ratio: f32) -> u16 {
    if (0.0..=1.0).contains(&ratio) { (ratio * STEPS).round() as u16 } else { MALFORMED }
}

/// A ratio; ∞ for what made no sense, which counts as use.
fn ratio(steps: u16) -> f32 {
    if steps == MALFORMED { f32::INFINITY } else { f32::from(steps) / STEPS }
}

fn encode(entries: &[(i64, &GpuHour)]) -> Vec<u8> {
    let mut blob = Vec::with_capacity(1 + entries.len() * BYTES);
    blob.push(LAYOUT);
    for (id, hour) in entries {
        blob.extend_from_slice(&(*id as u32).to_le_bytes()[..3]);
        blob.extend_from_slice(&steps(hour.mean).to_le_bytes());
        blob.extend_from_slice(&steps(hour.max).to_le_bytes());
        blob.extend_from_slice(&hour.samples.min(u32::from(u16::MAX)).to_le_bytes()[..2]);
        blob.push(hour.rung as u8);
    }
    blob
}

/// Reads a blob; `None` when it is not one of ours. GPUs that the dictionary does not know are left
/// out.
fn decode(blob: &[u8], known: &HashMap<i64, Arc<GpuIdentity>>) -> Option<Vec<GpuHour>> {
    let (&layout, entries) = blob.split_first()?;
    if layout != LAYOUT || !entries.len().is_multiple_of(BYTES) {
        return None;
    }
    let mut gpus = Vec::with_capacity(entries.len() / BYTES);
    for e in entries.chunks_exact(BYTES) {
        let id = i64::from(u32::from_le_bytes([e[0], e[1], e[2], 0]));
        let rung = *Rung::ALL.get(usize::from(e[9]))?;
        let Some(identity) = known.get(&id) else { continue };
        gpus.push(GpuHour {
            identity: identity.clone(),
            mean: ratio(u16::from_le_bytes([e[3], e[4]])),
            max: ratio(u16::from_le_bytes([e[5], e[6]])),
            samples: u32::from(u16::from_le_bytes([e[7], e[8]])),
            rung,
        });
    }
    Some(gpus)
}

/// The numbers that the dictionary has for the GPUs of `source`.
fn numbers(conn: &Connection, source: &str) -> rusqlite::Result<HashMap<Vec<u8>, i64>> {
    conn.prepare_cached("SELECT identity, id FROM gpu_device WHERE source = ?1")?
        .query_map([source], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect()
}

/// Keeps what the GPUs of a source did in an hour, in place of what was kept of it before.
pub(super) fn store(conn: &mut Connection, hours: &GpuHours) -> rusqlite::Result<()> {
    let source = name(hours.source, &hours.origin);
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut known = numbers(&tx, &source)?;
        let mut add = tx.prepare_cached(
            "INSERT INTO gpu_device (source, identity, last_hour) VALUES (?1, ?2, ?3)
             RETURNING id",
        )?;
        let mut entries = Vec::with_capacity(hours.gpus.len());
        for gpu in &hours.gpus {
            let Ok(identity) = postcard::to_stdvec(&*gpu.identity) else { continue };
            let id = if let Some(id) = known.get(&identity) {
                *id
            } else {
                let new = params![source, identity, hours.hour.0];
                let id = add.query_row(new, |r| r.get(0))?;
                known.insert(identity, id);
                id
            };
            entries.push((id, gpu));
        }
        entries.sort_unstable_by_key(|(id, _)| *id);
        let blob = encode(&entries);
        tx.prepare_cached(
            "INSERT OR REPLACE INTO gpu_hour (source, hour, checksum, data)
             VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![source, hours.hour.0, checksum(&blob), blob])?;
        tx.prepare_cached(
            "UPDATE gpu_device SET last_hour = ?2 WHERE source = ?1 AND last_hour < ?2
             AND id IN (SELECT value FROM json_each(?3))",
        )?
        .execute(params![source, hours.hour.0, ids(&entries)])?;
    }
    tx.commit()
}

/// The numbers as a JSON array, for `json_each`.
fn ids(entries: &[(i64, &GpuHour)]) -> String {
    let ids: Vec<String> = entries.iter().map(|(id, _)| id.to_string()).collect();
    format!("[{}]", ids.join(","))
}

/// Reads what is kept of the hours in `range`, newest first. What is damaged is not there.
pub(super) fn load(conn: &mut Connection, range: HourRange) -> rusqlite::Result<Vec<GpuHours>> {
    let tx = conn.transaction()?;
    let mut found = Vec::new();
    {
        let known: HashMap<i64, Arc<GpuIdentity>> = tx
            .prepare_cached("SELECT id, identity FROM gpu_device")?
            .query_map([], |r| Ok((r.get(0)?, r.get::<_, Vec<u8>>(1)?)))?
            .filter_map(|row| match row {
                Ok((id, bytes)) => Some(Ok((id, Arc::new(postcard::from_bytes(&bytes).ok()?)))),
                Err(error) => Some(Err(error)),
            })
            .collect::<rusqlite::Result<_>>()?;
        let mut read = tx.prepare_cached(
            "SELECT source, hour, checksum, data FROM gpu_hour WHERE hour >= ?1 AND hour < ?2
             ORDER BY hour DESC, source",
        )?;
        let mut rows = read.query([range.from.0, range.to.0])?;
        while let Some(row) = rows.next()? {
            // A value of another type is damage too.
            let (Ok(name), Ok(blob)) = (row.get_ref(0)?.as_str(), row.get_ref(3)?.as_blob()) else {
                continue;
            };
            let Some((source, origin)) = source_of(name) else { continue };
            if row.get_ref(2)?.as_i64() != Ok(checksum(blob)) {
                continue;
            }
            let Some(gpus) = decode(blob, &known) else { continue };
            found.push(GpuHours { source, origin, hour: Hour(row.get(1)?), gpus });
        }
    }
    tx.finish()?;
    Ok(found)
}

/// Deletes what claims to be of hours that have not ended yet.
pub(super) fn disclaim_future(store: &mut Store, now: Timestamp) {
    let running = Hour::containing(now).0;
    let latest: Option<i32> =
        store.run(|c| c.query_row("SELECT max(hour) FROM gpu_hour", [], |r| r.get(0))).flatten();
    let Some(latest) = latest.filter(|hour| *hour >= running) else { return };
    store.run(|c| c.execute("DELETE FROM gpu_hour WHERE hour >= ?1", [running]));
    let claimed = Hour(latest).end();
    store.post(CacheNotice::FromFuture { what: "GPU hours".into(), claimed });
}

/// Deletes hours of more than `keep_days` before the newest, and the GPUs that no kept hour speaks
/// of. The newest is now, or the newest kept when that is earlier: a clock that runs years ahead
/// cannot make everything look old.
pub(super) fn drop_old(
    conn: &mut Connection,
    now: Timestamp,
    keep_days: i32,
) -> rusqlite::Result<u64> {
    let newest: Option<i32> = conn.query_row("SELECT max(hour) FROM gpu_hour", [], |r| r.get(0))?;
    let Some(newest) = newest else { return Ok(0) };
    let newest = Hour(newest).min(Hour::containing(now)).day();
    let oldest = newest.saturating_sub(keep_days).saturating_mul(24);
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let dropped = tx.execute("DELETE FROM gpu_hour WHERE hour < ?1", [oldest])?;
    tx.execute("DELETE FROM gpu_device WHERE last_hour < ?1", [oldest])?;
    tx.commit()?;
    Ok(dropped as u64)
}
