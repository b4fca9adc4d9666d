//! What GPUs did in closed hours: one blob per source and hour, and a dictionary of the GPUs that
//! each source knows. Ten bytes per GPU and hour: 8,000 GPUs over a week take 13 MB.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use jiff::Timestamp;
use rusqlite::{Connection, Row, TransactionBehavior, params};
use serde::{Deserialize, Serialize};

use super::checksum::RowSum;
use super::digest;
use super::notice::CacheNotice;
use super::store::Store;
use crate::domain::gpu::{ratio, steps};
use crate::domain::{GpuHour, GpuIdentity, Hour, HourRange, Rung, SourceId};

/// Layout of the blobs and of the identities in the dictionary.
const LAYOUT: u8 = 1;
/// Bytes per GPU: three for its number in the dictionary, two each for mean, maximum and samples,
/// one for the rung.
const BYTES: usize = 10;

/// Activity of all GPUs of one source in one closed hour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuHours {
    /// Kind of source.
    pub source: SourceId,
    /// Configured name or host name of the source.
    pub origin: Arc<str>,
    /// UTC hour, closed when the source was read.
    pub hour: Hour,
    /// One entry per GPU; empty when the source knew of none.
    pub gpus: Vec<GpuHour>,
}

/// The source as the tables name it.
fn name(source: SourceId, origin: &str) -> String {
    format!("{}/{origin}", source.word())
}

fn source_of(name: &str) -> Option<(SourceId, Arc<str>)> {
    let (word, origin) = name.split_once('/')?;
    let source = SourceId::ALL.into_iter().find(|s| s.word() == word)?;
    Some((source, crate::domain::text::clean(origin).into()))
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

/// Checksum of a GPU over all its columns.
pub(super) fn of_device(id: i64, source: &str, identity: &[u8], last_hour: i32) -> i64 {
    RowSum::new().int(id).text(source).blob(identity).int(last_hour.into()).finish()
}

/// Checksum of an hour over all its columns.
pub(super) fn of_hour(hour: i32, source: &str, data: &[u8]) -> i64 {
    RowSum::new().int(hour.into()).text(source).blob(data).finish()
}

/// A GPU of the dictionary.
struct Device {
    id: i64,
    identity: Vec<u8>,
    last_hour: i32,
}

/// Reads a GPU (id, source, identity, last hour, checksum); `None` when it is not as it was written.
fn device(r: &Row<'_>) -> Option<Device> {
    let (id, last_hour) = (r.get(0).ok()?, r.get(3).ok()?);
    let (source, identity): (String, Vec<u8>) = (r.get(1).ok()?, r.get(2).ok()?);
    let whole = r.get::<_, i64>(4).ok()? == of_device(id, &source, &identity, last_hour);
    whole.then_some(Device { id, identity, last_hour })
}

/// Stores an hour of a source in place of an earlier record. Err when SQLite fails.
pub(super) fn store(conn: &mut Connection, hours: &GpuHours) -> rusqlite::Result<()> {
    let source = name(hours.source, &hours.origin);
    let hour = hours.hour.0;
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        // One that is damaged has no number any more; a new row cannot take its place as long as it
        // is there.
        let mut known: HashMap<Vec<u8>, (i64, i32)> = HashMap::new();
        let mut damaged: Vec<i64> = Vec::new();
        let mut read = tx.prepare_cached(
            "SELECT id, source, identity, last_hour, checksum FROM gpu_device WHERE source = ?1",
        )?;
        let mut rows = read.query([&source])?;
        while let Some(r) = rows.next()? {
            match device(r) {
                Some(d) => drop(known.insert(d.identity, (d.id, d.last_hour))),
                None => damaged.push(r.get(0)?),
            }
        }
        drop(rows);
        if !damaged.is_empty() {
            for id in damaged {
                tx.execute("DELETE FROM gpu_device WHERE id = ?1", [id])?;
            }
            digest::reseal(&tx, "gpu_device")?;
        }
        let mut add = tx.prepare_cached(
            "INSERT INTO gpu_device (source, identity, last_hour, checksum) VALUES (?1, ?2, ?3, 0)
             RETURNING id",
        )?;
        let mut seal =
            tx.prepare_cached("UPDATE gpu_device SET last_hour = ?2, checksum = ?3 WHERE id = ?1")?;
        let mut entries = Vec::with_capacity(hours.gpus.len());
        for gpu in &hours.gpus {
            let Ok(identity) = postcard::to_stdvec(&*gpu.identity) else { continue };
            let (id, last) = match known.get(&identity) {
                Some((id, last)) => (*id, *last),
                // The checksum is over the number as well, which is not known before.
                None => (add.query_row(params![source, identity, hour], |r| r.get(0))?, i32::MIN),
            };
            if last < hour {
                seal.execute(params![id, hour, of_device(id, &source, &identity, hour)])?;
            }
            known.insert(identity, (id, last.max(hour)));
            entries.push((id, gpu));
        }
        entries.sort_unstable_by_key(|(id, _)| *id);
        let blob = encode(&entries);
        tx.prepare_cached(
            "INSERT OR REPLACE INTO gpu_hour (source, hour, checksum, data)
             VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![source, hour, of_hour(hour, &source, &blob), blob])?;
    }
    tx.commit()
}

/// The row ids of what is damaged: of GPUs, of hours.
type Damaged = (Vec<i64>, Vec<i64>);

/// Sends the stored hours in `range` to `to`, newest first, until the receiver is gone. Damaged ones are dropped with a
/// notice.
pub(super) fn load(store: &mut Store, range: HourRange, to: &SyncSender<GpuHours>) {
    let (devices, hours) = store.run(|conn| load_all(conn, range, to)).unwrap_or_default();
    store.lost_rows("names of GPUs", "gpu_device", &devices);
    store.lost_rows("GPU hours", "gpu_hour", &hours);
}

fn load_all(
    conn: &mut Connection,
    range: HourRange,
    to: &SyncSender<GpuHours>,
) -> rusqlite::Result<Damaged> {
    let tx = conn.transaction()?;
    let (mut devices, mut hours) = Damaged::default();
    {
        let mut known: HashMap<i64, Arc<GpuIdentity>> = HashMap::new();
        let mut all =
            tx.prepare_cached("SELECT id, source, identity, last_hour, checksum FROM gpu_device")?;
        let mut rows = all.query([])?;
        while let Some(r) = rows.next()? {
            match device(r) {
                // What another layout called a GPU is no damage.
                Some(d) => {
                    if let Some(identity) = super::decode(&d.identity) {
                        known.insert(d.id, Arc::new(identity));
                    }
                }
                None => devices.push(r.get(0)?),
            }
        }
        let mut read = tx.prepare_cached(
            "SELECT source, hour, checksum, data, rowid FROM gpu_hour WHERE hour >= ?1 AND hour < ?2
             ORDER BY hour DESC, source",
        )?;
        let mut rows = read.query([range.from.0, range.to.0])?;
        while let Some(r) = rows.next()? {
            match hour(r, &known) {
                None => hours.push(r.get(4)?),
                Some(None) => {}
                Some(Some(hour)) => {
                    if to.send(hour).is_err() {
                        break;
                    }
                }
            }
        }
    }
    tx.finish()?;
    Ok((devices, hours))
}

/// Reads an hour (source, hour, checksum, data); `None` when it is not as it was written, `Some(None)`
/// when this burntop does not know its source or its layout.
fn hour(r: &Row<'_>, known: &HashMap<i64, Arc<GpuIdentity>>) -> Option<Option<GpuHours>> {
    let name = r.get_ref(0).ok()?.as_str().ok()?;
    let (hour, blob) = (r.get(1).ok()?, r.get_ref(3).ok()?.as_blob().ok()?);
    if r.get::<_, i64>(2).ok()? != of_hour(hour, name, blob) {
        return None;
    }
    let read = || {
        let (source, origin) = source_of(name)?;
        Some(GpuHours { source, origin, hour: Hour(hour), gpus: decode(blob, known)? })
    };
    Some(read())
}

/// Deletes hours that have not ended at `now`, written under a wrong clock, with a notice.
pub(super) fn disclaim_future(store: &mut Store, now: Timestamp) {
    let running = Hour::containing(now).0;
    let latest: Option<i32> =
        store.run(|c| c.query_row("SELECT max(hour) FROM gpu_hour", [], |r| r.get(0))).flatten();
    let Some(latest) = latest.filter(|hour| *hour >= running) else { return };
    store.run(|c| c.execute("DELETE FROM gpu_hour WHERE hour >= ?1", [running]));
    let claimed = Hour(latest).end();
    store.post(CacheNotice::FromFuture { what: "GPU hours".into(), claimed });
}

/// Deletes hours more than `keep_days` before the newest, and GPUs without any kept hour; returns the number of hours.
/// The newest is now, or the newest stored hour when that is earlier, so that a clock years ahead deletes nothing. Err
/// when SQLite fails.
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
