//! The rows that are made from the fleet, and the order of the tables.

use std::sync::Arc;

use jiff::Timestamp;

use super::{Storage, StorageLook, StorageRows};
use crate::analyze::storage::picture::{blended_rates, marginal_rates};
use crate::analyze::storage::price::Rates;
use crate::app::{App, Table};
use crate::fleet::StorageFleet;
use crate::fleet::storage::BucketRow;
use crate::view::storage::{
    BlockRow, CopyRow, Explorer, FindingRow, RunRow, block_rows, copy_rows, finding_rows, run_rows,
};
use crate::view::{TableField, ViewContext};

/// Rows of the lists that are not the fleet's own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// What they were made from.
    of: Option<(u64, Option<Timestamp>)>,
    /// Findings.
    pub findings: Arc<[Arc<FindingRow>]>,
    /// Volumes and snapshots.
    pub blocks: Arc<[Arc<BlockRow>]>,
    /// Runs.
    pub runs: Arc<[Arc<RunRow>]>,
    /// Copies.
    pub copies: Arc<[Arc<CopyRow>]>,
}

impl App {
    /// Brings rows and order of the list on screen up to date; costs nothing when nothing changed.
    pub(in crate::app) fn sync_storage(&mut self) {
        let ctx = self.storage_context();
        let Some(fleet) = self.storage().cloned() else { return };
        self.storage_tab.sync(&fleet, &ctx);
    }

    /// The rows on screen, in their order, with their columns.
    pub(in crate::app) fn storage_picture(&self) -> Option<StorageRows> {
        fn of<F: TableField>(rows: &[Arc<F::Row>], table: &Table<F>) -> (Vec<Arc<F::Row>>, Vec<F>) {
            let shown = table.order().iter().filter_map(|i| rows.get(*i as usize).cloned());
            (shown.collect(), table.columns().to_vec())
        }
        let (tab, fleet) = (&self.storage_tab, self.storage()?);
        Some(match tab.look {
            StorageLook::Buckets => {
                let (rows, columns) = of(&fleet.buckets, &tab.buckets);
                StorageRows::Buckets(rows, columns)
            }
            StorageLook::Explorer => {
                let (rows, columns) = of(&tab.explorer.as_ref()?.here().rows, &tab.prefixes);
                StorageRows::Prefixes(rows, columns)
            }
            StorageLook::Findings => {
                let (rows, columns) = of(&tab.rows.findings, &tab.findings);
                StorageRows::Findings(rows, columns)
            }
            StorageLook::Blocks => {
                let (rows, columns) = of(&tab.rows.blocks, &tab.blocks);
                StorageRows::Blocks(rows, columns)
            }
            StorageLook::Runs => {
                let (rows, columns) = of(&tab.rows.runs, &tab.runs);
                StorageRows::Runs(rows, columns)
            }
            StorageLook::Copies => {
                let (rows, columns) = of(&tab.rows.copies, &tab.copies);
                StorageRows::Copies(rows, columns)
            }
        })
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
    fn sync(&mut self, fleet: &Arc<StorageFleet>, ctx: &ViewContext) {
        let stamp = (fleet.version, fleet.as_of);
        if self.rows.of != Some(stamp) {
            self.make_rows(fleet);
            self.rows.of = Some(stamp);
        }
        let (version, as_of) = stamp;
        match self.look {
            StorageLook::Buckets => self.buckets.sync(&fleet.buckets, version, as_of, ctx),
            StorageLook::Findings => self.findings.sync(&self.rows.findings, version, as_of, ctx),
            StorageLook::Blocks => self.blocks.sync(&self.rows.blocks, version, as_of, ctx),
            StorageLook::Runs => self.runs.sync(&self.rows.runs, version, as_of, ctx),
            StorageLook::Copies => self.copies.sync(&self.rows.copies, version, as_of, ctx),
            StorageLook::Explorer => {
                if let Some(explorer) = &self.explorer {
                    let rows = explorer.here().rows.clone();
                    self.prefixes.sync(&rows, explorer.version(), None, ctx);
                }
            }
        }
    }

    fn make_rows(&mut self, fleet: &Arc<StorageFleet>) {
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
        let (sort, columns) = (self.prefixes.sort, self.prefixes.columns().to_vec());
        self.prefixes = Table::default();
        self.prefixes.sort = sort;
        self.prefixes.set_columns(columns);
        true
    }
}
