//! Scans that the cache holds, brought to the board after the first picture.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::Shared;
use super::board::Input;
use crate::cache::Cache;
use crate::domain::storage::Scan;

/// Bytes of scans, as they are packed in the cache, that are brought at most, the newest first: a
/// tree takes up to ten times as much in memory.
const PACKED_AT_MOST: u64 = 32 << 20;

/// Brings scans in the background, each once.
#[derive(Default)]
pub(super) struct Loader {
    asked: BTreeSet<Arc<str>>,
}

impl Loader {
    /// Brings the scans of those buckets that were not named before.
    pub fn load(&mut self, shared: &Arc<Shared>, names: BTreeSet<Arc<str>>) {
        let new: BTreeSet<Arc<str>> = names.difference(&self.asked).cloned().collect();
        if new.is_empty() {
            return;
        }
        self.asked.extend(new.iter().cloned());
        let shared = shared.clone();
        tokio::spawn(async move {
            for name in held(&shared.cache, new).await {
                if shared.stop.is_cancelled() {
                    return;
                }
                if let Some(scan) = shared.cache.newest_scan(&name).await {
                    shared.storage.tell(Input::Scan(Arc::new(scan))).await;
                }
            }
        });
    }
}

/// The newest scan of each of these buckets.
pub(super) async fn of(cache: &Cache, names: BTreeSet<Arc<str>>) -> Vec<Arc<Scan>> {
    let mut scans = Vec::new();
    for name in held(cache, names).await {
        scans.extend(cache.newest_scan(&name).await.map(Arc::new));
    }
    scans
}

/// Those of the buckets that have a scan, the newest first, as far as there is room.
async fn held(cache: &Cache, mut names: BTreeSet<Arc<str>>) -> Vec<Arc<str>> {
    let mut room = PACKED_AT_MOST;
    let mut out = Vec::new();
    for held in cache.scans_held().await {
        if !names.remove(&held.bucket) {
            continue;
        }
        match room.checked_sub(held.packed_bytes) {
            Some(left) => room = left,
            None if out.is_empty() => room = 0,
            None => continue,
        }
        out.push(held.bucket);
    }
    out
}
