//! Imported jobs, in a file of their own beside the cache.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior, params};

use super::checksum::RowSum;
use super::decode::decode;
use super::imported::{Imported, ImportedError};
use super::schema::JOBS;
use crate::domain::jobs::{Attempt, AttemptId};

/// Version of what the blobs hold. To be raised whenever [`Attempt`] changes.
const LAYOUT: i64 = 2;

/// Most attempts that are kept and read at once.
const ATTEMPTS_AT_MOST: u64 = 3_000_000;

/// Why jobs cannot be read or kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobsError {
    /// The file cannot be opened, read or written.
    #[error(transparent)]
    File(#[from] ImportedError),
    /// More attempts would be kept than are read.
    #[error(
        "{} would hold more than {ATTEMPTS_AT_MOST} attempts, the most that are read; move it away \
         and import fewer months",
        .file.display()
    )]
    Full {
        /// Path of the file.
        file: PathBuf,
    },
}

/// What is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptJobs {
    /// Attempts, by their identity.
    pub attempts: Vec<Attempt>,
    /// Number of those that cannot be read: damaged, or written by another version of burntop.
    pub unreadable: u64,
}

/// The file of imported jobs. Each request opens it anew and blocks: for threads other than the screen's.
#[derive(Clone, Debug)]
pub struct Jobs {
    file: Imported,
}

impl Jobs {
    /// Jobs beside the cache at `cache`: `jobs.db` in the same directory. Opens nothing.
    pub fn beside(cache: &Path) -> Self {
        Self { file: Imported::beside(cache, "jobs", &JOBS) }
    }

    /// Path of the file.
    #[cfg(test)]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// All attempts that are kept. Err when the file cannot be used.
    pub fn all(&self) -> Result<KeptJobs, JobsError> {
        Ok(self.file.read(read)?.unwrap_or_default())
    }

    /// Keeps attempts, all or none of them: each replaces the one with its identity, but one that is over is not replaced by
    /// an older reading in which it was not. Err when the file cannot be written; what was kept stays then.
    pub fn put(&self, attempts: &[Attempt]) -> Result<(), JobsError> {
        let is_kept = self.file.write(|conn| {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for attempt in attempts {
                write(&tx, attempt)?;
            }
            let count: i64 = tx.query_row("SELECT count(*) FROM attempt", [], |row| row.get(0))?;
            let is_full = u64::try_from(count).is_ok_and(|count| count > ATTEMPTS_AT_MOST);
            if is_full { Ok(false) } else { tx.commit().map(|()| true) }
        })?;
        match is_kept {
            true => Ok(()),
            false => Err(JobsError::Full { file: self.file.path().to_owned() }),
        }
    }
}

fn read(conn: &Connection) -> rusqlite::Result<KeptJobs> {
    let sql = "SELECT source, cluster, raw, key, layout, over, attempt, checksum FROM attempt
               ORDER BY source, cluster, raw, key LIMIT ?1";
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([ATTEMPTS_AT_MOST as i64])?;
    let mut kept = KeptJobs::default();
    while let Some(row) = rows.next()? {
        let text = |at: usize| row.get::<_, String>(at);
        let id = [text(0)?, text(1)?, text(2)?, text(3)?];
        let (layout, over): (i64, i64) = (row.get(4)?, row.get(5)?);
        let (blob, sum): (Vec<u8>, i64) = (row.get(6)?, row.get(7)?);
        let is_whole = layout == LAYOUT && sum == checksum(&id, over, &blob);
        let attempt = is_whole.then(|| decode::<Attempt>(&blob)).flatten();
        match attempt.filter(|attempt| columns(&attempt.id) == id) {
            Some(attempt) => kept.attempts.push(attempt),
            None => kept.unreadable += 1,
        }
    }
    Ok(kept)
}

fn write(conn: &Connection, attempt: &Attempt) -> rusqlite::Result<()> {
    // Nothing in it can fail to be encoded: texts, numbers and moments.
    let Ok(blob) = postcard::to_stdvec(attempt) else { return Ok(()) };
    let id = columns(&attempt.id);
    let over = i64::from(attempt.state.is_over());
    let sql = "INSERT INTO attempt (source, cluster, raw, key, layout, over, attempt, checksum)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
               ON CONFLICT (source, cluster, raw, key) DO UPDATE SET layout = excluded.layout,
                   over = excluded.over, attempt = excluded.attempt, checksum = excluded.checksum
               WHERE excluded.over >= attempt.over OR attempt.layout <> excluded.layout";
    let sum = checksum(&id, over, &blob);
    let [source, cluster, raw, key] = &id;
    let mut statement = conn.prepare_cached(sql)?;
    statement.execute(params![source, cluster, raw, key, LAYOUT, over, blob, sum]).map(|_| ())
}

fn columns(id: &AttemptId) -> [String; 4] {
    [id.source.word().to_owned(), id.cluster.to_string(), id.raw.to_string(), id.key.to_string()]
}

fn checksum(id: &[String; 4], over: i64, blob: &[u8]) -> i64 {
    let sum = id.iter().fold(RowSum::new(), |sum, text| sum.text(text));
    sum.int(LAYOUT).int(over).blob(blob).finish()
}
