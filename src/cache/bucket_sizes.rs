//! Daily figures of buckets: one row per series, a blob with a number per day.

use jiff::Timestamp;
use rusqlite::{Connection, TransactionBehavior, params};

use super::summary::checksum;
use crate::domain::{Hour, Scope};

/// Series that were not asked for this many days are of buckets that are gone or not looked at.
const KEEP_DAYS: i32 = 120;

/// Series written in one transaction: short enough that another cockpit does not wait long.
const WRITES_PER_TRANSACTION: usize = 1_000;

/// One daily series of a bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct BucketSize {
    /// The bucket.
    pub bucket: String,
    /// What is counted: a word of the bus.
    pub metric: String,
    /// CloudWatch's second dimension, as it said it.
    pub dimension: String,
    /// UTC day (days since 1970) of the first value.
    pub first_day: i32,
    /// Days before it were asked for.
    pub fetched_to: i32,
    /// A value per day; NaN where there was no datapoint.
    pub values: Vec<f64>,
}

/// Keeps series.
pub(super) fn store(
    conn: &mut Connection,
    scope: &Scope,
    sizes: &[BucketSize],
) -> rusqlite::Result<()> {
    for slice in sizes.chunks(WRITES_PER_TRANSACTION) {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut put = tx.prepare_cached(
                "INSERT OR REPLACE INTO bucket_size
                 (account, region, bucket, metric, dimension, first_day, fetched_to, checksum, data)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?;
            for size in slice {
                let data: Vec<u8> = size.values.iter().flat_map(|v| v.to_le_bytes()).collect();
                put.execute(params![
                    &*scope.account,
                    &*scope.region,
                    size.bucket,
                    size.metric,
                    size.dimension,
                    size.first_day,
                    size.fetched_to,
                    checksum(&data),
                    data
                ])?;
            }
        }
        tx.commit()?;
    }
    Ok(())
}

/// All series of a scope. Days that have not come yet were written by a clock that ran ahead: they
/// and the claim to have asked for them are dropped.
pub(super) fn load(
    conn: &mut Connection,
    scope: &Scope,
    now: Timestamp,
) -> rusqlite::Result<Vec<BucketSize>> {
    let end = Hour::containing(now).day().saturating_add(1);
    let mut read = conn.prepare_cached(
        "SELECT bucket, metric, dimension, first_day, fetched_to, checksum, data FROM bucket_size
         WHERE account = ?1 AND region = ?2",
    )?;
    let mut rows = read.query(params![&*scope.account, &*scope.region])?;
    let mut out = Vec::new();
    while let Some(row) = rows.next()? {
        // A value of another type is damage too.
        let (Ok(sum), Ok(blob)) = (row.get_ref(5)?.as_i64(), row.get_ref(6)?.as_blob()) else {
            continue;
        };
        let (values, []) = blob.as_chunks::<8>() else { continue };
        if sum != checksum(blob) {
            continue;
        }
        let (first_day, fetched_to): (i32, i32) = (row.get(3)?, row.get(4)?);
        let kept = usize::try_from(end.saturating_sub(first_day)).unwrap_or(0);
        out.push(BucketSize {
            bucket: row.get(0)?,
            metric: row.get(1)?,
            dimension: row.get(2)?,
            first_day,
            fetched_to: fetched_to.min(end - 1),
            values: values.iter().take(kept).map(|v| f64::from_le_bytes(*v)).collect(),
        });
    }
    Ok(out)
}

/// Drops series that nobody asks for any more. The newest is now, or the newest kept when that is
/// earlier: a clock that runs years ahead cannot make everything look old.
pub(super) fn drop_unseen(conn: &Connection, now: Timestamp) -> rusqlite::Result<usize> {
    let newest: Option<i32> =
        conn.query_row("SELECT max(fetched_to) FROM bucket_size", [], |r| r.get(0))?;
    let Some(newest) = newest else { return Ok(0) };
    let newest = newest.min(Hour::containing(now).day());
    conn.execute("DELETE FROM bucket_size WHERE fetched_to < ?1", [newest - KEEP_DAYS])
}
