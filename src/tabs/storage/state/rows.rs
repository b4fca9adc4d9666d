//! The rows that are made from the fleet, and the list on screen.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Storage, StorageList};
use crate::analyze::storage::picture::{blended_rates, marginal_rates};
use crate::analyze::storage::price::Rates;
use crate::app::{App, Picture, RowsStamp};
use crate::fleet::StorageFleet;
use crate::fleet::storage::BucketRow;
use crate::tabs::storage::picture::{
    BlockRow, CopyRow, Explorer, FindingRow, RunRow, block_rows, copy_rows, finding_rows, run_rows,
};

/// Rows of the lists that are not the fleet's own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// Version of the picture that they were made from; `None` before the first.
    pub of: Option<RowsStamp>,
    /// Findings.
    pub findings: Arc<[Arc<FindingRow>]>,
    /// Volumes and snapshots.
    pub blocks: Arc<[Arc<BlockRow>]>,
    /// Runs.
    pub runs: Arc<[Arc<RunRow>]>,
    /// Copies.
    pub copies: Arc<[Arc<CopyRow>]>,
}

impl Rows {
    /// Number of training runs that were found in a bucket.
    pub(crate) fn runs_of(&self, bucket: &str) -> usize {
        self.runs.iter().filter(|run| *run.bucket == *bucket).count()
    }

    /// The bucket in which most training runs were found, and how many; of equals the first by name. `None` without runs.
    pub(crate) fn most_runs(&self) -> Option<(&str, usize)> {
        let buckets: BTreeSet<&str> = self.runs.iter().map(|run| &*run.bucket).collect();
        buckets
            .into_iter()
            .rev()
            .map(|name| (name, self.runs_of(name)))
            .max_by_key(|(_, runs)| *runs)
    }
}

impl App {
    /// Brings rows and order of the list on screen up to date; costs nothing when nothing changed.
    pub(crate) fn sync_storage(&mut self) {
        let ctx = self.storage_context();
        let Some(fleet) = self.storage().cloned() else { return };
        self.tabs.storage.make_rows(&fleet);
        let spec = self.tabs.storage.look.spec();
        if let Some(stamp) = (spec.ways.stamp)(self) {
            self.sync_list(&spec.list, &spec.source, stamp, &ctx);
        }
    }

    /// The list on screen as a picture for export; `None` before storage was read.
    pub(crate) fn storage_picture(&self) -> Option<Picture> {
        let tab = &self.tabs.storage;
        (tab.look.spec().source.shown)(self, tab.list(tab.look), self.storage_context().now)
    }
}

/// Blended rates of each bucket, or marginal ones.
fn rates_by_bucket(
    fleet: &StorageFleet,
    of: fn(&crate::fleet::storage::AccountRates) -> Rates,
) -> Vec<(Arc<str>, Rates)> {
    let known = |row: &Arc<BucketRow>| Some((row.name.clone(), of(fleet.rates(&row.scope)?)));
    let listed = fleet.buckets.iter().filter(|b| fleet.scans.contains_key(&b.name));
    listed.filter_map(known).collect()
}

impl Storage {
    fn make_rows(&mut self, fleet: &Arc<StorageFleet>) {
        let stamp = (fleet.version, fleet.as_of);
        if self.rows.of.replace(stamp) == Some(stamp) {
            return;
        }
        let find = |all: &'_ [(Arc<str>, Rates)], name: &str| {
            all.iter().position(|(bucket, _)| **bucket == *name)
        };
        let blended = rates_by_bucket(fleet, blended_rates);
        let marginal = rates_by_bucket(fleet, marginal_rates);
        self.rows.findings = finding_rows(fleet).into();
        self.rows.blocks = block_rows(fleet).into();
        self.rows.runs = run_rows(fleet, |name| find(&blended, name).map(|i| &blended[i].1)).into();
        self.rows.copies =
            copy_rows(fleet, |name| find(&marginal, name).map(|i| &marginal[i].1)).into();
        self.renew_explorer(fleet);
    }

    /// A newer list of the bucket that is walked through replaces the old one, at the same place.
    fn renew_explorer(&mut self, fleet: &Arc<StorageFleet>) {
        let Some(old) = &self.explorer else { return };
        let name = crate::domain::text::clean(&old.scan().bucket).into_owned();
        match fleet.scans.get(&*name) {
            Some(scan) if Arc::ptr_eq(scan, old.scan()) => {}
            Some(_) => {
                let way = old.path(old.here().node);
                if self.explore(fleet, &name)
                    && let Some(new) = &mut self.explorer
                {
                    new.go_to(&way);
                }
            }
            None => self.explorer = None,
        }
    }

    /// Begins a walk through the list of a bucket; false when there is none.
    pub(super) fn explore(&mut self, fleet: &StorageFleet, bucket: &str) -> bool {
        let Some(scan) = fleet.scans.get(bucket) else { return false };
        let rates = fleet.bucket(bucket).and_then(|row| fleet.rates(&row.scope));
        let version = self.explorer.as_ref().map_or(0, Explorer::version);
        let rates = rates.map(|card| Arc::new(blended_rates(card)));
        self.explorer = Some(Explorer::after(version, scan.clone(), rates));
        self.list_mut(StorageList::Explorer).start_anew();
        true
    }
}
