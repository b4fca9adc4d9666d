//! The rows that are made from the fleet, and the order of the tables.

use std::sync::Arc;

use jiff::Timestamp;

use super::{Storage, StorageLook};
use crate::analyze::storage::picture::{blended_rates, marginal_rates};
use crate::analyze::storage::price::Rates;
use crate::app::{App, Picture, shown};
use crate::fleet::StorageFleet;
use crate::fleet::storage::BucketRow;
use crate::report::{Explored, Volume};
use crate::tabs::storage::picture::{
    BlockField, BlockRow, BucketField, CopyField, CopyRow, Explorer, FindingField, FindingRow,
    PrefixField, RunField, RunRow, block_rows, copy_rows, finding_rows, run_rows,
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
    pub(crate) fn sync_storage(&mut self) {
        let ctx = self.storage_context();
        let Some(fleet) = self.storage().cloned() else { return };
        self.tabs.storage.sync(&fleet, &ctx);
    }

    /// The list on screen, as it is exported.
    pub(crate) fn storage_picture(&self) -> Option<Picture> {
        let tab = &self.tabs.storage;
        let (list, of) = (tab.list(tab.look), self.storage()?.clone());
        let now = self.storage_context().now;
        Some(match tab.look {
            StorageLook::Buckets => Picture::new(shown::<BucketField>(list, of), now),
            StorageLook::Explorer => {
                let explorer = tab.explorer.as_ref()?;
                let (scan, rates) = (explorer.scan().clone(), explorer.rates().cloned());
                let volume = Volume::Account;
                let of = Explored { scan, rates, volume, from: explorer.here().node };
                Picture::new(shown::<PrefixField>(list, of), now)
            }
            StorageLook::Findings => Picture::new(shown::<FindingField>(list, of), now),
            StorageLook::Blocks => Picture::new(shown::<BlockField>(list, of), now),
            StorageLook::Runs => Picture::new(shown::<RunField>(list, of), now),
            StorageLook::Copies => Picture::new(shown::<CopyField>(list, of), now),
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
        let Self { lists, rows, explorer, look, .. } = self;
        let list = &mut lists[*look as usize];
        match look {
            StorageLook::Buckets => {
                list.sync(stamp, ctx, || BucketField::part(fleet.clone(), |fleet| &fleet.buckets));
            }
            StorageLook::Findings => {
                list.sync(stamp, ctx, || FindingField::shared(&rows.findings));
            }
            StorageLook::Blocks => list.sync(stamp, ctx, || BlockField::shared(&rows.blocks)),
            StorageLook::Runs => list.sync(stamp, ctx, || RunField::shared(&rows.runs)),
            StorageLook::Copies => list.sync(stamp, ctx, || CopyField::shared(&rows.copies)),
            StorageLook::Explorer => {
                if let Some(explorer) = explorer {
                    let rows = || PrefixField::shared(&explorer.here().rows);
                    list.sync((explorer.version(), None), ctx, rows);
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
        self.list_mut(StorageLook::Explorer).start_anew();
        true
    }
}
