//! The handle: requests go to the cache's thread by a bounded queue, answers come back one by one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::thread;

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::{mpsc, oneshot};

use super::bucket_sizes::{self, BucketSize};
use super::burn_days;
use super::digest;
use super::facts::{self, FactKind, RawFact, Stored};
use super::fleet_hours;
use super::gpu_hours::{self, GpuHours};
use super::ledger::{LedgerCharge, LedgerDay, Reserved};
use super::maintain::{self, Maintained};
use super::notice::{CacheNotice, NoticeBoard};
use super::series::{self, SeriesWrite};
use super::stats::{self, CacheStats};
use super::store::Store;
use super::summary;
use crate::domain::{BurnDay, BurnStep, FleetHour, HourRange, Scope, SeriesSet, Signal};

/// Requests that may wait for the thread before senders wait too.
const QUEUE: usize = 64;

/// Location and bounds of the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenOptions {
    /// The database file; its directory is created when missing. The ledger lies beside it.
    pub path: PathBuf,
    /// Size above which the oldest series days are evicted, bytes.
    pub max_bytes: u64,
    /// Days of series, counted back from the newest, that are never evicted for size: what the
    /// longest preset needs (14 days and the day that runs).
    pub keep_days: u32,
    /// True to keep everything in memory; without a path in `ledger`, no file is touched.
    pub memory_only: bool,
    /// Path of the own-cost ledger; `None`: beside the cache, or in memory with `memory_only`.
    pub ledger: Option<PathBuf>,
}

impl OpenOptions {
    /// A cache at `path` with the default bounds: 256 MiB, 15 days.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            max_bytes: 256 << 20,
            keep_days: 15,
            memory_only: false,
            ledger: None,
        }
    }

    /// A cache that uses no file.
    pub fn in_memory() -> Self {
        Self { memory_only: true, ..Self::new(":memory:") }
    }
}

type Job = Box<dyn FnOnce(&mut Store) + Send>;

enum Request {
    Run(Job),
    Close(oneshot::Sender<()>),
}

/// Handle to the cache; clones share its thread and connection.
///
/// No call fails: what cannot be read is absent, what cannot be written to disk stays in memory, and
/// [`Cache::take_notices`] returns what the user should know. After [`Cache::close`] every answer is empty.
#[derive(Clone, Debug)]
pub struct Cache {
    requests: mpsc::Sender<Request>,
    board: Arc<NoticeBoard>,
    path: Arc<Path>,
}

impl Cache {
    /// Opens the cache and waits until it is usable (milliseconds; seconds when another process
    /// holds its lock). `now` dates a file that has to be set aside.
    ///
    /// An unusable file (not SQLite, another program's, damaged, from a newer burntop) is renamed
    /// to `<name>.broken-<unix seconds>` and an empty one takes its place; where nothing can be
    /// written, the cache lives in memory, filled with what can be read. The notices say so.
    pub fn open(options: OpenOptions, now: Timestamp) -> (Self, Vec<CacheNotice>) {
        let board = Arc::new(NoticeBoard::default());
        let path: Arc<Path> = options.path.as_path().into();
        let (requests, mut queue) = mpsc::channel(QUEUE);
        let (ready, opened) = std::sync::mpsc::sync_channel(1);
        let thread_board = Arc::clone(&board);
        let started = thread::Builder::new().name("cache".into()).spawn(move || {
            let mut store = Store::open(options, now, thread_board);
            series::disclaim_future(&mut store, now);
            gpu_hours::disclaim_future(&mut store, now);
            fleet_hours::disclaim_future(&mut store, now);
            burn_days::disclaim_future(&mut store, now);
            // The opener waits for this; it cannot have gone away.
            let _ = ready.send(());
            while let Some(request) = queue.blocking_recv() {
                match request {
                    Request::Run(job) => job(&mut store),
                    Request::Close(done) => {
                        digest::check(&mut store);
                        drop(store);
                        let _ = done.send(());
                        return;
                    }
                }
            }
        });
        let running = started.is_ok() && opened.recv().is_ok();
        if !running {
            board.post(CacheNotice::Dropped {
                file: path.to_path_buf(),
                why: "its thread could not start".into(),
            });
        }
        let notices = board.take();
        (Self { requests, board, path }, notices)
    }

    /// The path the cache was opened with.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notices since the last call; each cause appears once per process.
    pub fn take_notices(&self) -> Vec<CacheNotice> {
        self.board.take()
    }

    /// Finishes pending requests, writes the log back into the file and closes it.
    pub async fn close(self) {
        let (done, closed) = oneshot::channel();
        if self.requests.send(Request::Close(done)).await.is_ok() {
            let _ = closed.await;
        }
    }

    /// Stores the newest value of `kind` about `scope`, taken at `taken_at`.
    pub async fn put<T: Serialize>(
        &self,
        kind: FactKind,
        scope: &Scope,
        taken_at: Timestamp,
        value: &T,
    ) {
        // Encoded here, so that the one thread only does I/O.
        let Ok(data) = postcard::to_stdvec(value) else {
            self.board.post(CacheNotice::Dropped {
                file: self.path.to_path_buf(),
                why: format!("a value of kind {} cannot be encoded", kind.name),
            });
            return;
        };
        let scope = scope.clone();
        self.call(move |store| {
            store.run(|conn| facts::put(conn, kind, &scope, taken_at, &data));
        })
        .await;
    }

    /// Updates the time of a value that was found unchanged: taken at `before`, confirmed at `taken_at`. False when the
    /// cache holds another value by now, or none.
    pub async fn touch(
        &self,
        kind: FactKind,
        scope: &Scope,
        before: Timestamp,
        taken_at: Timestamp,
    ) -> bool {
        let scope = scope.clone();
        self.call(move |store| store.run(|conn| facts::touch(conn, kind, &scope, before, taken_at)))
            .await
            .flatten()
            .unwrap_or_default()
    }

    /// Value of `kind` about `scope`. `None` when there is none, its layout differs from that of `kind`, or it cannot
    /// be decoded. A time later than `now` is reported as unknown.
    pub async fn get<T: DeserializeOwned>(
        &self,
        kind: FactKind,
        scope: &Scope,
        now: Timestamp,
    ) -> Option<Stored<T>> {
        let scope = scope.clone();
        let raw = self.call(move |store| facts::read(store, kind, &scope)).await.flatten()?;
        raw.decode(kind, now, &self.board)
    }

    /// Time of the value of `kind` about `scope`, as [`Self::get`] returns it, without decoding the value. `None` when
    /// there is no value, its layout differs from that of `kind`, or its time is in the future.
    pub async fn taken_at(
        &self,
        kind: FactKind,
        scope: &Scope,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let scope = scope.clone();
        let read =
            move |store: &mut Store| facts::read(store, kind, &scope).map(RawFact::date_alone);
        self.call(read).await.flatten()?.decode::<()>(kind, now, &self.board)?.taken_at
    }

    /// All values of `kind`, sorted by scope; values that cannot be decoded are left out.
    pub async fn all<T: DeserializeOwned>(
        &self,
        kind: FactKind,
        now: Timestamp,
    ) -> Vec<(Scope, Stored<T>)> {
        let rows = self.call(move |store| facts::all(store, kind)).await.flatten();
        rows.into_iter()
            .flatten()
            .filter_map(|(scope, raw)| Some((scope, raw.decode(kind, now, &self.board)?)))
            .collect()
    }

    /// Merges series into the stored ones, see [`SeriesWrite`]. Atomic per 1,000 series.
    pub async fn store_series(&self, writes: Vec<SeriesWrite>) {
        self.call(move |store| series::keep(store, &writes)).await;
    }

    /// Series of the instances `ids`, cut to `range`. Instances and signals that were never fetched are absent; hours
    /// that were not fetched are `NaN`.
    pub async fn load_series(
        &self,
        ids: Vec<Arc<str>>,
        range: HourRange,
    ) -> HashMap<Arc<str>, SeriesSet> {
        self.call(move |store| series::read(store, &ids, range)).await.unwrap_or_default()
    }

    /// Fetched hours of each signal of the instances `ids`; signals that were never fetched are absent.
    pub async fn fetched(&self, ids: Vec<Arc<str>>) -> HashMap<(Arc<str>, Signal), HourRange> {
        self.call(move |store| series::fetched(store, &ids)).await.unwrap_or_default()
    }

    /// Ids of everything that has series, of instances and of other resources, in no order.
    pub async fn instances_with_series(&self) -> Vec<String> {
        self.call(series::instances).await.unwrap_or_default()
    }

    /// Stores an hour of a GPU source in place of an earlier record.
    pub async fn store_gpu_hours(&self, hours: Arc<GpuHours>) {
        self.call(move |store| store.run(|conn| gpu_hours::store(conn, &hours))).await;
    }

    /// Sends the stored GPU hours in `range` to `to`, newest first, and waits while it is full: all hours at once are
    /// tens of megabytes. Damaged hours, and those of unknown sources, are absent.
    pub async fn read_gpu_hours(&self, range: HourRange, to: SyncSender<GpuHours>) {
        self.call(move |store| gpu_hours::load(store, range, &to)).await;
    }

    /// Adds polls of the inventory to the stored hours.
    pub async fn add_fleet_hours(&self, looks: Vec<FleetHour>) {
        self.call(move |store| fleet_hours::add(store, &looks)).await;
    }

    /// Instances per hour in `range`, oldest first; damaged hours are absent.
    pub async fn load_fleet_hours(&self, range: HourRange) -> Vec<FleetHour> {
        self.call(move |store| fleet_hours::load(store, range)).await.unwrap_or_default()
    }

    /// Adds what was burnt to the stored days. A moment that was looked at before counts once.
    pub async fn add_burn(&self, steps: Vec<BurnStep>) {
        self.call(move |store| burn_days::add(store, &steps)).await;
    }

    /// What was burnt from `from` (epoch days) on, by day and account, oldest first; damaged days are absent.
    pub async fn load_burn(&self, from: i32) -> Vec<BurnDay> {
        self.call(move |store| burn_days::load(store, from)).await.unwrap_or_default()
    }

    /// Stores daily series of buckets in place of older ones with the same key.
    pub async fn store_bucket_sizes(&self, scope: &Scope, sizes: Vec<BucketSize>) {
        let scope = scope.clone();
        self.call(move |store| store.run(|conn| bucket_sizes::store(conn, &scope, &sizes))).await;
    }

    /// Daily series of all buckets of a scope; damaged series and days after `now` are absent.
    pub async fn load_bucket_sizes(&self, scope: &Scope, now: Timestamp) -> Vec<BucketSize> {
        let scope = scope.clone();
        self.call(move |store| bucket_sizes::load(store, &scope, now)).await.unwrap_or_default()
    }

    /// Stores the summary of `kind` that [`super::read_summaries_sync`] reads at the next start.
    pub async fn put_summary(&self, kind: &str, bytes: Vec<u8>) {
        let kind = kind.to_owned();
        self.call(move |store| store.run(|conn| summary::put(conn, &kind, &bytes))).await;
    }

    /// Summary of `kind`; `None` when there is none, or it is damaged.
    pub async fn summary(&self, kind: &str) -> Option<Vec<u8>> {
        let kind = kind.to_owned();
        self.call(move |store| summary::read(store, &kind)).await.flatten()
    }

    /// True when there is a summary of `kind`, damaged or not; its content is not read.
    pub async fn has_summary(&self, kind: &str) -> bool {
        let kind = kind.to_owned();
        let there = self.call(move |store| store.run(|conn| summary::is_there(conn, &kind))).await;
        there.flatten().unwrap_or(false)
    }

    /// Housekeeping: evicts series over the size limit, drops unused values, and checks the file once a day. To be
    /// called about every hour; occupies the thread for up to a few hundred milliseconds.
    pub async fn maintain(&self, now: Timestamp) -> Maintained {
        self.call(move |store| maintain::run(store, now)).await.unwrap_or_default()
    }

    /// Compares every table with its digest, unless that was done in this process. Also part of housekeeping and of
    /// closing.
    pub async fn checked(&self) {
        self.call(digest::check).await;
    }

    /// Number and size of the stored values.
    pub async fn stats(&self) -> CacheStats {
        let path = self.path.to_path_buf();
        self.call(stats::read).await.unwrap_or_else(|| CacheStats::nothing(path))
    }

    /// Deletes everything except the own-cost ledger, the instances per hour and the burn by day, which no source could
    /// provide again, and frees the space. False when it failed.
    pub async fn clear(&self) -> bool {
        self.call(maintain::clear).await.unwrap_or(false)
    }

    /// Reserves the cost of a billed call in the ledger before the call is made: refused when the day's total of all
    /// processes plus this charge would exceed the cap. `None` when the cache is closed.
    pub async fn ledger_reserve(&self, charge: LedgerCharge) -> Option<Reserved> {
        self.call(move |store| store.ledger.reserve(&charge)).await
    }

    /// The ledger of the UTC day that contains `now`. `None` when the cache is closed.
    pub async fn ledger_day(&self, now: Timestamp) -> Option<LedgerDay> {
        self.call(move |store| store.ledger.day(now)).await
    }

    /// Puts up a notice for the user, unless its cause was reported before.
    pub(super) fn post(&self, notice: CacheNotice) {
        self.board.post(notice);
    }

    /// Runs `f` on the cache's thread; `None` when the thread has ended.
    pub(super) async fn call<R: Send + 'static>(
        &self,
        f: impl FnOnce(&mut Store) -> R + Send + 'static,
    ) -> Option<R> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |store| {
            // The caller may have been cancelled; the work is done all the same.
            let _ = answer.send(f(store));
        });
        self.requests.send(Request::Run(job)).await.ok()?;
        answered.await.ok()
    }
}
