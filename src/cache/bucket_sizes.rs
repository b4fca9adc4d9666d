//! Daily figures of buckets: one row per series, a blob with a number per day.

use jiff::Timestamp;
use rusqlite::{Connection, Row, TransactionBehavior, params};

use super::checksum::RowSum;
use super::store::Store;
use crate::domain::text::clean;
use crate::domain::{Hour, Scope};

/// Days after which series that nobody asked for are dropped: their buckets are gone or not read.
const KEEP_DAYS: i32 = 120;

/// Series written in one transaction: short enough that another cockpit does not wait long.
const WRITES_PER_TRANSACTION: usize = 1_000;

/// A daily CloudWatch series of a bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct BucketSize {
    /// Bucket name.
    pub bucket: String,
    /// Name of the metric, as the bus chooses it.
    pub metric: String,
    /// Value of CloudWatch's second dimension, verbatim: `StorageType` or the filter id.
    pub dimension: String,
    /// UTC day (days since 1970) of the first value.
    pub first_day: i32,
    /// UTC day (days since 1970) up to which, exclusive, values were requested.
    pub fetched_to: i32,
    /// One value per day; `NaN` without a datapoint.
    pub values: Vec<f64>,
}

/// Stores series in place of older ones with the same key. Err when SQLite fails.
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
                    sum(&scope.account, &scope.region, size, &data),
                    data
                ])?;
            }
        }
        tx.commit()?;
    }
    Ok(())
}

/// A checksum over all columns; `data` are the values.
fn sum(account: &str, region: &str, size: &BucketSize, data: &[u8]) -> i64 {
    RowSum::new()
        .text(account)
        .text(region)
        .text(&size.bucket)
        .text(&size.metric)
        .text(&size.dimension)
        .int(size.first_day.into())
        .int(size.fetched_to.into())
        .blob(data)
        .finish()
}

/// Reads a row; `None` when it is not as it was written.
fn row(scope: &Scope, r: &Row<'_>) -> Option<BucketSize> {
    let blob = r.get_ref(8).ok()?.as_blob().ok()?;
    let (values, []) = blob.as_chunks::<8>() else { return None };
    let size = BucketSize {
        bucket: r.get(2).ok()?,
        metric: r.get(3).ok()?,
        dimension: r.get(4).ok()?,
        first_day: r.get(5).ok()?,
        fetched_to: r.get(6).ok()?,
        values: values.iter().map(|v| f64::from_le_bytes(*v)).collect(),
    };
    let (account, region) = (r.get_ref(0).ok()?.as_str().ok()?, r.get_ref(1).ok()?.as_str().ok()?);
    let whole = r.get::<_, i64>(7).ok()? == sum(account, region, &size, blob)
        && (account, region) == (&*scope.account, &*scope.region);
    // The sum is of what was written.
    whole.then(|| BucketSize {
        bucket: clean(&size.bucket).into_owned(),
        metric: clean(&size.metric).into_owned(),
        dimension: clean(&size.dimension).into_owned(),
        ..size
    })
}

/// All series of a scope. Days after `now` were written under a wrong clock and are cut off. Damaged series are dropped
/// with a notice.
pub(super) fn load(store: &mut Store, scope: &Scope, now: Timestamp) -> Vec<BucketSize> {
    let end = Hour::containing(now).day().saturating_add(1);
    let found = store.run(|conn| {
        let mut read = conn.prepare_cached(
            "SELECT account, region, bucket, metric, dimension, first_day, fetched_to, checksum,
                 data, rowid
             FROM bucket_size WHERE account = ?1 AND region = ?2",
        )?;
        let mut rows = read.query(params![&*scope.account, &*scope.region])?;
        let (mut whole, mut damaged): (Vec<_>, Vec<i64>) = (Vec::new(), Vec::new());
        while let Some(r) = rows.next()? {
            match row(scope, r) {
                Some(size) => whole.push(size),
                None => damaged.push(r.get(9)?),
            }
        }
        Ok((whole, damaged))
    });
    let (mut whole, damaged) = found.unwrap_or_default();
    store.lost_rows("sizes of buckets", "bucket_size", &damaged);
    for size in &mut whole {
        size.values.truncate(usize::try_from(end.saturating_sub(size.first_day)).unwrap_or(0));
        size.fetched_to = size.fetched_to.min(end - 1);
    }
    whole
}

/// Deletes series that were not requested for 120 days; returns their number. Days count back from now, or from the
/// newest series when that is earlier, so that a clock years ahead deletes nothing. Err when SQLite fails.
pub(super) fn drop_unseen(conn: &Connection, now: Timestamp) -> rusqlite::Result<usize> {
    let newest: Option<i32> =
        conn.query_row("SELECT max(fetched_to) FROM bucket_size", [], |r| r.get(0))?;
    let Some(newest) = newest else { return Ok(0) };
    let newest = newest.min(Hour::containing(now).day());
    conn.execute("DELETE FROM bucket_size WHERE fetched_to < ?1", [newest - KEEP_DAYS])
}
