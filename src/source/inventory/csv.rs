//! Pieces in CSV: gzip, no header, every field quoted, keys URL-encoded.

use std::io::{BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

use super::parquet::Trouble;
use super::rows::{BATCH, KEY_AT_MOST, Making, Values, time_ms, truth, unescape};
use super::schema::{Column, Schema};
use crate::domain::records::{Record, RecordError, Records};
use crate::domain::storage::{ObjectBatch, Tier};
use crate::source::objects::Sink;

/// Counts what is read of the file.
struct Counted<R>(R, Arc<AtomicU64>);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let n = self.0.read(buf)?;
        self.1.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Reads a piece into `sink`. Err when it is damaged, has another schema, or exceeds a limit.
pub(super) fn read(
    path: &Path,
    schema: &Schema,
    making: &Making,
    sink: &mut Sink<'_>,
) -> Result<(), Trouble> {
    let file = crate::files::named(path).map_err(|e| Trouble::Damaged(crate::files::reason(&e)))?;
    let read = Arc::new(AtomicU64::new(0));
    let counted = Counted(BufReader::with_capacity(1 << 18, file), Arc::clone(&read));
    let mut records = Records::new(MultiGzDecoder::new(counted), 1 << 18);
    let mut batch = ObjectBatch::default();
    let (mut row, mut told) = (0u64, 0);
    let places = Places::of(schema);
    let mut give = |batch: &mut ObjectBatch| {
        let now = read.load(Ordering::Relaxed);
        let flow = sink(batch, now - told);
        told = now;
        batch.clear();
        flow
    };
    loop {
        let record = match records.read() {
            Ok(Some(record)) => record,
            Ok(None) => break,
            Err(error) => {
                let what = format!("after row {row}: {error}");
                return Err(match error {
                    RecordError::Unreadable { .. } => Trouble::Damaged(what),
                    _ => Trouble::Beyond(what),
                });
            }
        };
        row += 1;
        if record.len() != schema.names.len() {
            let (found, said) = (record.len(), schema.names.len());
            let what = format!("row {row} has {found} fields, the schema has {said}");
            return Err(Trouble::Damaged(what));
        }
        push(&record, &places, making, &mut batch)
            .map_err(|e| Trouble::Damaged(format!("row {row}: {e}")))?;
        if batch.len() >= BATCH && give(&mut batch) == ControlFlow::Break(()) {
            return Ok(());
        }
    }
    // The last one tells the bytes that were left, even without rows.
    let _ = give(&mut batch);
    Ok(())
}

/// Field of each column.
struct Places([Option<usize>; Column::ALL.len()]);

impl Places {
    fn of(schema: &Schema) -> Self {
        Self(Column::ALL.map(|c| schema.place(c)))
    }

    /// The text of a column; empty when the list has none.
    fn text<'a>(&self, record: &Record<'a>, column: Column) -> &'a [u8] {
        self.0[column as usize].and_then(|i| record.get(i)).unwrap_or_default()
    }
}

fn push(
    record: &Record<'_>,
    places: &Places,
    making: &Making,
    batch: &mut ObjectBatch,
) -> Result<(), String> {
    let text = |column| places.text(record, column);
    let escaped = text(Column::Key);
    if escaped.len() > KEY_AT_MOST * 3 {
        return Err(format!("a key of {} bytes", escaped.len()));
    }
    let start = batch.keys.bytes.len();
    unescape(escaped, &mut batch.keys.bytes);
    if !making.wants(&batch.keys.bytes[start..]) {
        batch.keys.bytes.truncate(start);
        return Ok(());
    }
    batch.keys.ends.push(batch.keys.bytes.len() as u32);
    let number = |t: &[u8]| std::str::from_utf8(t).ok().and_then(|t| t.trim().parse().ok());
    // Anything that is no text has no class of a known name either.
    let word = |column| std::str::from_utf8(text(column)).unwrap_or("?");
    let tier = Tier::of_object(word(Column::StorageClass), word(Column::AccessTier));
    let need = making.need;
    if need.totals_only {
        batch.keys.bytes.truncate(start);
        batch.keys.ends.pop();
        batch.keys.ends.push(start as u32);
        let size = number(text(Column::Size));
        making.push(batch, tier, &Values { size, ..Values::default() });
        return Ok(());
    }
    let values = Values {
        size: number(text(Column::Size)),
        modified_ms: time_ms(text(Column::LastModified)),
        is_latest: truth(text(Column::IsLatest)),
        is_marker: truth(text(Column::IsDeleteMarker)),
        is_multipart: truth(text(Column::IsMultipart)),
        etag: if need.etags { text(Column::Etag) } else { b"" },
        encryption: text(Column::Encryption),
        replication: text(Column::Replication),
        lock_until_ms: if need.holds { time_ms(text(Column::LockUntil)) } else { None },
        legal_hold: text(Column::LegalHold),
        version: text(Column::VersionId),
    };
    values.check()?;
    making.push(batch, tier, &values);
    Ok(())
}
