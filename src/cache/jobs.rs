//! Jobs that were imported, and those of sources that are asked again and again, in a file of their own beside the cache.

use std::borrow::Borrow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use rusqlite::{Connection, Row, TransactionBehavior, params};

use super::checksum::RowSum;
use super::decode::decode;
use super::imported::{Imported, ImportedError};
use super::jobs_events as events;
use super::jobs_live as live;
use super::jobs_read::{self, Read};
use super::schema::JOBS;
use crate::domain::SourceId;
use crate::domain::jobs::{
    Attempt, AttemptId, GpuHolder, HyperPodNode, JobNode, JobSource, JobsName, JobsReading,
    NodeEvent, Packed,
};

/// Version of what the blobs hold. To be raised whenever [`Attempt`] changes.
pub(super) const LAYOUT: i64 = 7;

/// Most attempts that are kept and read at once.
pub(super) const ATTEMPTS_AT_MOST: u64 = 3_000_000;

/// Most attempts that are not over and are read at once.
const OPEN_AT_MOST: i64 = 200_000;

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
#[derive(Clone, Debug, Default)]
pub struct KeptJobs {
    /// Attempts, by their identity.
    pub attempts: Packed,
    /// Number of those that cannot be read: damaged, or written by another version of burntop.
    pub unreadable: u64,
    /// Nodes of clusters, each while one instance was behind its name.
    pub nodes: Vec<JobNode>,
    /// Instances of HyperPod.
    pub hyperpod: Vec<HyperPodNode>,
    /// Who held GPUs at the last reading of each source.
    pub holders: Vec<GpuHolder>,
    /// How each source was read last.
    pub readings: Vec<JobsReading>,
    /// What happened to nodes, the oldest first.
    pub events: Vec<NodeEvent>,
}

/// What one reading of a source brought.
#[derive(Clone, Copy, Debug)]
pub struct JobsRound<'a> {
    /// How it was read.
    pub reading: &'a JobsReading,
    /// Attempts.
    pub attempts: &'a [Attempt],
    /// Nodes.
    pub nodes: &'a [JobNode],
    /// Instances of HyperPod.
    pub hyperpod: &'a [HyperPodNode],
    /// Who holds GPUs; `None` where that could not be read, and what was known stays.
    pub holders: Option<&'a [GpuHolder]>,
    /// What happened to nodes.
    pub events: &'a [NodeEvent],
}

/// The file of imported jobs. Each request opens it anew and blocks: for threads other than the screen's.
#[derive(Clone, Debug)]
pub struct Jobs {
    file: Imported,
    /// Whose turn it is to write: sources that are read side by side would lock each other out.
    turn: Arc<Mutex<()>>,
}

impl Jobs {
    /// Jobs beside the cache at `cache`: `jobs.db` in the same directory. Opens nothing.
    pub fn beside(cache: &Path) -> Self {
        Self { file: Imported::beside(cache, "jobs", &JOBS), turn: Arc::default() }
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

    /// Number of attempts that are kept, readable or not. Err when the file cannot be used.
    pub fn count(&self) -> Result<u64, JobsError> {
        let read = |conn: &Connection| {
            conn.query_row("SELECT count(*) FROM attempt", [], |row| row.get::<_, i64>(0))
        };
        Ok(self.file.read(read)?.map_or(0, |count| u64::try_from(count).unwrap_or(u64::MAX)))
    }

    /// True where no attempt is kept. Err when the file cannot be used.
    pub fn is_empty(&self) -> Result<bool, JobsError> {
        let read = |conn: &Connection| {
            conn.query_row("SELECT NOT EXISTS (SELECT 1 FROM attempt)", [], |row| row.get(0))
        };
        Ok(self.file.read(read)?.unwrap_or(true))
    }

    /// Nodes of clusters, and who held their GPUs at the last reading of each source. Err when the file cannot be used.
    pub fn held(&self) -> Result<(Vec<JobNode>, Vec<GpuHolder>), JobsError> {
        let read = |conn: &Connection| Ok((live::nodes(conn)?, live::holders(conn)?));
        Ok(self.file.read(read)?.unwrap_or_default())
    }

    /// When a source was read last; `None` where none ever was. Err when the file cannot be used.
    pub fn newest_reading(&self) -> Result<Option<Timestamp>, JobsError> {
        let all = self.file.read(live::readings)?.unwrap_or_default();
        Ok(all.iter().map(|reading| reading.taken_at).max())
    }

    /// Attempts that are not over, in no order. Err when the file cannot be used.
    pub fn running(&self) -> Result<Vec<Attempt>, JobsError> {
        let read = |conn: &Connection| {
            let sql =
                "SELECT source, cluster, raw, key, layout, over, attempt, checksum FROM attempt
                       WHERE over = 0 LIMIT ?1";
            let mut statement = conn.prepare(sql)?;
            let mut rows = statement.query([OPEN_AT_MOST])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.extend(of_row(row)?);
            }
            Ok(found)
        };
        Ok(self.file.read(read)?.unwrap_or_default())
    }

    /// How a source was read last; `None` where it never was. Err when the file cannot be used.
    pub fn reading(&self, name: &JobsName) -> Result<Option<JobsReading>, JobsError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let all = self.file.read(live::readings)?.unwrap_or_default();
        Ok(all.into_iter().find(|reading| reading.name == *name))
    }

    /// Attempts of a cluster that were not over when they were read. Err when the file cannot be used.
    pub fn open(&self, source: JobSource, cluster: &str) -> Result<Vec<Attempt>, JobsError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(self.file.read(|conn| open(conn, source, cluster))?.unwrap_or_default())
    }

    /// Keeps what a reading brought, all or nothing of it; attempts as [`Jobs::put`] does. Err when the file cannot be
    /// written.
    pub fn put_round(&self, round: &JobsRound<'_>) -> Result<(), JobsError> {
        self.put_with(round.attempts, |tx| live::write(tx, round))
    }

    /// Up to when a source of events was read; `None` where it never was. Err when the file cannot be used.
    pub fn events_read(
        &self,
        source: SourceId,
        name: &str,
    ) -> Result<Option<Timestamp>, JobsError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(self.file.read(|conn| events::complete_until(conn, source, name))?.flatten())
    }

    /// Keeps what happened to nodes, and up to when a source of it was read, all or nothing. Err when the file cannot be written.
    pub fn put_events(
        &self,
        (source, name): (SourceId, &str),
        events: &[NodeEvent],
        taken_at: Timestamp,
        complete_until: Timestamp,
    ) -> Result<(), JobsError> {
        let times = [taken_at, complete_until].map(Timestamp::as_millisecond);
        self.put_with([] as [&Attempt; 0], |tx| {
            events::write(tx, events)?;
            events::forget(tx, times[0])?;
            live::write_times(tx, (source.word(), name), times, None, times[0])
        })
    }

    /// Keeps attempts, all or none of them: each replaces the one with its identity, but one that is over is not replaced by
    /// an older reading in which it was not. Err when the file cannot be written; what was kept stays then.
    pub fn put(
        &self,
        attempts: impl IntoIterator<Item = impl Borrow<Attempt>>,
    ) -> Result<(), JobsError> {
        self.put_with(attempts, |_| Ok(()))
    }

    fn put_with(
        &self,
        attempts: impl IntoIterator<Item = impl Borrow<Attempt>>,
        more: impl Fn(&Connection) -> rusqlite::Result<()>,
    ) -> Result<(), JobsError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let is_kept = self.file.write(|conn| {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for attempt in attempts {
                write(&tx, attempt.borrow())?;
            }
            more(&tx)?;
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
    let Read { attempts, unreadable } = jobs_read::attempts(conn)?;
    Ok(KeptJobs {
        attempts,
        unreadable,
        nodes: live::nodes(conn)?,
        hyperpod: live::hyperpod(conn)?,
        holders: live::holders(conn)?,
        readings: live::readings(conn)?,
        events: events::all(conn)?,
    })
}

/// The attempt of a row; `None` for one that is damaged, or of another version.
fn of_row(row: &Row<'_>) -> rusqlite::Result<Option<Attempt>> {
    // Borrowed: a million rows are read at once.
    let text = |at: usize| Ok::<&str, rusqlite::Error>(row.get_ref(at)?.as_str()?);
    let id = [text(0)?, text(1)?, text(2)?, text(3)?];
    let (layout, over): (i64, i64) = (row.get(4)?, row.get(5)?);
    let (blob, sum): (&[u8], i64) = (row.get_ref(6)?.as_blob()?, row.get(7)?);
    let is_whole = layout == LAYOUT && sum == checksum(id, over, blob);
    let attempt = is_whole.then(|| decode::<Attempt>(blob)).flatten();
    Ok(attempt.filter(|attempt| columns(&attempt.id) == id))
}

fn open(conn: &Connection, source: JobSource, cluster: &str) -> rusqlite::Result<Vec<Attempt>> {
    let sql = "SELECT source, cluster, raw, key, layout, over, attempt, checksum FROM attempt
               WHERE source = ?1 AND cluster = ?2 AND over = 0";
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query((source.word(), cluster))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.extend(of_row(row)?);
    }
    Ok(found)
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
    let sum = checksum(id, over, &blob);
    let [source, cluster, raw, key] = id;
    let mut statement = conn.prepare_cached(sql)?;
    statement.execute(params![source, cluster, raw, key, LAYOUT, over, blob, sum]).map(|_| ())
}

/// What tells a row from the others: source, cluster, raw id, key.
pub(super) fn columns(id: &AttemptId) -> [&str; 4] {
    [id.source.word(), &id.cluster, &id.raw, &id.key]
}

/// Checksum over the columns of a row before it.
pub(super) fn checksum(id: [&str; 4], over: i64, blob: &[u8]) -> i64 {
    let sum = id.iter().fold(RowSum::new(), |sum, text| sum.text(text));
    sum.int(LAYOUT).int(over).blob(blob).finish()
}
