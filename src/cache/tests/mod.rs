//! Tests on real files.

mod bills;
mod broken;
mod bucket_sizes;
mod burn_days;
mod credentials;
mod facts;
mod fleet_hours;
mod flips;
mod gpu_hours;
mod jobs;
mod ledger;
mod limits;
mod merge;
mod places;
mod series;
mod sharing;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use tempfile::TempDir;

use super::{Cache, CacheNotice, FactKind, GpuHours, OpenOptions, SeriesWrite};
use crate::domain::{Hour, HourRange, HourlySeries, Scope, Signal};

const NAMES: FactKind = FactKind::new("names", 1);

/// 2026-07-15T12:30:00Z, a Wednesday.
fn now() -> Timestamp {
    "2026-07-15T12:30:00Z".parse().unwrap()
}

fn scope() -> Scope {
    Scope::new("123456789012", "us-east-1")
}

/// A directory that goes away with the test, and the cache's path in it.
struct Place {
    _dir: TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("burntop/cache.db");
        Self { _dir: dir, path }
    }

    fn options(&self) -> OpenOptions {
        OpenOptions::new(&self.path)
    }

    fn open(&self) -> (Cache, Vec<CacheNotice>) {
        Cache::open(self.options(), now())
    }

    /// Opens and insists that there was nothing to say.
    fn open_quietly(&self) -> Cache {
        let (cache, notices) = self.open();
        assert_eq!(notices, []);
        cache
    }

    /// Names in the cache's directory that contain `part`.
    fn files(&self, part: &str) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.path.parent().unwrap())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .filter(|n| n.contains(part))
            .collect();
        names.sort();
        names
    }
}

impl Cache {
    /// All that is kept of GPUs in the hours of `range`.
    async fn load_gpu_hours(&self, range: HourRange) -> Vec<GpuHours> {
        let (to, all) = std::sync::mpsc::sync_channel(100);
        self.read_gpu_hours(range, to).await;
        all.into_iter().collect()
    }
}

/// Runs SQL on the cache's own connection, without its error handling.
async fn sql(cache: &Cache, sql: &'static str) {
    cache.call(move |store| store.run(|c| c.execute_batch(sql)).unwrap()).await.unwrap();
}

async fn put_names(cache: &Cache, names: &[&str]) {
    put_names_of(cache, &scope(), now(), names).await;
}

async fn put_names_of(cache: &Cache, scope: &Scope, taken_at: Timestamp, names: &[&str]) {
    cache.put(NAMES, scope, taken_at, &names).await;
}

async fn names(cache: &Cache) -> Option<Vec<String>> {
    cache.get::<Vec<String>>(NAMES, &scope(), now()).await.map(|s| s.value)
}

fn range(from: i32, to: i32) -> HourRange {
    HourRange { from: Hour(from), to: Hour(to) }
}

fn write(instance: &str, signal: Signal, start: i32, values: &[f32]) -> SeriesWrite {
    SeriesWrite {
        instance: instance.into(),
        signal,
        series: HourlySeries { start: Hour(start), values: values.to_vec() },
    }
}

/// The values of one series, `None` for no datapoint; panics when the signal was never fetched.
async fn values(
    cache: &Cache,
    instance: &str,
    signal: Signal,
    range: HourRange,
) -> Vec<Option<f32>> {
    let id: Arc<str> = instance.into();
    let sets = cache.load_series(vec![Arc::clone(&id)], range).await;
    let series = sets[&id].get(signal).unwrap();
    assert_eq!(series.range(), range);
    series.values.iter().map(|v| (!v.is_nan()).then_some(*v)).collect()
}

/// The summary of one kind.
fn read_summary_sync(path: &Path, kind: &str) -> Option<Vec<u8>> {
    let [summary] = crate::cache::read_summaries_sync(path, [kind]);
    summary
}
