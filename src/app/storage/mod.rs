//! The Storage tab: lists of buckets, prefixes, findings, volumes, runs and copies, and what stands
//! above them.

mod act;
#[cfg(test)]
pub(crate) mod fixture;
mod look;
mod page;
mod rows;
#[cfg(test)]
mod scripts;

use std::sync::Arc;

use super::command::Fields;
use super::savings::SavingsLook;
use super::{App, Effect, Layout, Picture, Tab, Table};
use crate::fleet::StorageFleet;
use crate::view::storage::{
    BlockField, BucketField, CopyField, Explorer, FindingField, PrefixField, RunField,
};
use crate::view::{Filter, TableField, ViewContext};
pub use look::StorageLook;
pub use page::{ListHow, Listing, ListingState, StoragePage, StorageRows, TierSubject};
pub(in crate::app) use rows::Rows;

/// State of the Storage tab.
#[derive(Clone, Debug)]
pub struct Storage {
    pub(super) look: StorageLook,
    pub(super) buckets: Table<BucketField>,
    pub(super) prefixes: Table<PrefixField>,
    pub(super) findings: Table<FindingField>,
    pub(super) blocks: Table<BlockField>,
    pub(super) runs: Table<RunField>,
    pub(super) copies: Table<CopyField>,
    /// The rows that are made from the fleet, once per fleet.
    pub(super) rows: Rows,
    /// The walk through a list, where one was begun.
    pub(super) explorer: Option<Explorer>,
    /// How often each byte is read per month, in the tier what-if.
    pub(super) reads: f64,
    /// The list of objects that is being made, or was asked about.
    pub(super) listing: Option<Listing>,
    /// Somebody wants to see storage.
    pub(super) wanted: bool,
    /// It was asked for.
    pub(super) asked: bool,
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            look: StorageLook::default(),
            buckets: Table::default(),
            prefixes: Table::default(),
            findings: Table::default(),
            blocks: Table::default(),
            runs: Table::default(),
            copies: Table::default(),
            rows: Rows::default(),
            explorer: None,
            reads: page::FIRST_READS,
            listing: None,
            wanted: false,
            asked: false,
        }
    }
}

impl Storage {
    /// Which list is on screen.
    pub fn look(&self) -> StorageLook {
        self.look
    }

    /// The table of buckets.
    pub fn buckets(&self) -> &Table<BucketField> {
        &self.buckets
    }

    /// The table of the explorer.
    pub fn prefixes(&self) -> &Table<PrefixField> {
        &self.prefixes
    }

    /// The table of findings.
    pub fn findings(&self) -> &Table<FindingField> {
        &self.findings
    }

    /// The table of volumes and snapshots.
    pub fn blocks(&self) -> &Table<BlockField> {
        &self.blocks
    }

    /// The table of runs.
    pub fn runs(&self) -> &Table<RunField> {
        &self.runs
    }

    /// The table of copies.
    pub fn copies(&self) -> &Table<CopyField> {
        &self.copies
    }

    /// The rows that are made from the fleet.
    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The walk through a list.
    pub fn explorer(&self) -> Option<&Explorer> {
        self.explorer.as_ref()
    }

    /// How often each byte is read per month, in the tier what-if.
    pub fn reads(&self) -> f64 {
        self.reads
    }

    /// The list of objects that is being made, or was asked about.
    pub fn listing(&self) -> Option<&Listing> {
        self.listing.as_ref()
    }
}

impl App {
    /// State of the Storage tab.
    pub fn storage_tab(&self) -> &Storage {
        &self.storage_tab
    }

    /// The storage on screen.
    pub fn storage(&self) -> Option<&Arc<StorageFleet>> {
        self.frozen.as_ref().map_or(self.storage.as_ref(), |f| f.storage.as_ref())
    }

    /// True when there is storage to show, or trouble with reading it.
    pub fn has_storage(&self) -> bool {
        self.storage().is_some_and(|s| !s.is_empty() || !s.readings.is_empty())
    }

    /// Asks once for what is only read when somebody looks: volumes and snapshots, and all of
    /// storage where it is not read in the background.
    pub(in crate::app) fn settle_storage(&mut self, effects: &mut Vec<Effect>) {
        // What stopped instances go on billing are their volumes.
        let resources =
            self.tab == Tab::Overview && self.savings_tab.look() == SavingsLook::Resources;
        let tab = &mut self.storage_tab;
        if (tab.wanted || resources || self.tab == Tab::Storage) && !tab.asked {
            tab.asked = true;
            effects.push(Effect::ReadStorage);
        }
    }

    /// What cells of storage are rendered with: spans are measured to the minute, or to the moment
    /// of the join where that is later.
    pub fn storage_context(&self) -> ViewContext {
        let ctx = self.view_context();
        let joined = self.storage().and_then(|s| s.as_of);
        ViewContext { now: joined.map_or(ctx.now, |at| at.max(ctx.now)), ..ctx }
    }

    /// True on the Storage tab, without a page above it, where there is a table to show.
    pub fn shows_storage_table(&self) -> bool {
        self.pages.is_empty() && self.tab == Tab::Storage && !self.storage_tab_is_empty()
    }

    /// True when the list on screen has no row to choose from at all.
    pub fn storage_tab_is_empty(&self) -> bool {
        self.storage_rows_on_screen() == 0
    }

    /// Rows of the list on screen, before any filter.
    pub fn storage_rows_on_screen(&self) -> usize {
        let fleet = self.storage();
        let rows = &self.storage_tab.rows;
        match self.storage_tab.look {
            StorageLook::Buckets => fleet.map_or(0, |f| f.buckets.len()),
            StorageLook::Explorer => {
                self.storage_tab.explorer.as_ref().map_or(0, |e| e.here().rows.len())
            }
            StorageLook::Findings => rows.findings.len(),
            StorageLook::Blocks => rows.blocks.len(),
            StorageLook::Runs => rows.runs.len(),
            StorageLook::Copies => rows.copies.len(),
        }
    }

    /// The lines above the table of storage.
    pub fn storage_strip(&self) -> Vec<super::content::Line> {
        let shown = self.shows_storage_table().then(|| self.layout()).flatten();
        let Some(layout) = shown else { return Vec::new() };
        let mut lines = super::content::storage::strip(self, usize::from(layout.width) - 2);
        lines.truncate(usize::from(layout.body_height.saturating_sub(3) / 3));
        lines
    }

    /// The frame with the strip taken off the body.
    pub fn storage_layout(&self) -> Option<Layout> {
        let layout = self.layout()?;
        let strip = self.storage_strip().len() as u16;
        Some(Layout {
            body_top: layout.body_top + strip,
            body_height: layout.body_height - strip,
            ..layout
        })
    }

    /// Other accounts from here on: what is known of the old ones goes.
    pub(super) fn forget_storage(&mut self) {
        self.storage = None;
        self.storage_tab = Storage::default();
        if self.tab == Tab::Storage {
            self.tab = Tab::Overview;
        }
    }

    /// Takes a picture of storage in.
    pub(super) fn on_storage(&mut self, fleet: Arc<StorageFleet>) {
        // Behind a frozen picture nothing changes.
        self.dirty = self.frozen.is_none();
        self.storage = Some(fleet);
        self.fold_sources();
    }

    /// True on a page of the tab.
    pub(super) fn on_storage_page(&self) -> bool {
        matches!(self.page().map(|o| &o.page), Some(super::Page::Storage(_)))
    }

    /// The frame of the table on screen: what stands above it is taken off.
    pub fn table_layout(&self) -> Option<Layout> {
        if self.shows_storage_table() {
            self.storage_layout()
        } else if self.shows_savings_table() {
            self.savings_layout()
        } else {
            self.inner_layout()
        }
    }

    /// The fields of the list on screen.
    pub(super) fn storage_fields(&self) -> Fields {
        match self.storage_tab.look {
            StorageLook::Buckets => Fields::of::<BucketField>(),
            StorageLook::Explorer => Fields::of::<PrefixField>(),
            StorageLook::Findings => Fields::of::<FindingField>(),
            StorageLook::Blocks => Fields::of::<BlockField>(),
            StorageLook::Runs => Fields::of::<RunField>(),
            StorageLook::Copies => Fields::of::<CopyField>(),
        }
    }

    /// Says what is wrong with a filter of the list on screen.
    pub(super) fn check_storage_filter(&self, text: &str) -> Result<(), String> {
        fn check<F: TableField>(text: &str) -> Result<(), String> {
            Filter::<F>::parse(text).map(|_| ()).map_err(|e| e.to_string())
        }
        match self.storage_tab.look {
            StorageLook::Buckets => check::<BucketField>(text),
            StorageLook::Explorer => check::<PrefixField>(text),
            StorageLook::Findings => check::<FindingField>(text),
            StorageLook::Blocks => check::<BlockField>(text),
            StorageLook::Runs => check::<RunField>(text),
            StorageLook::Copies => check::<CopyField>(text),
        }
    }

    /// Rows of storage as a picture to export.
    pub(super) fn picture_of_storage(&self, rows: StorageRows) -> Picture {
        let fleet = self.shown().cloned().unwrap_or_default();
        let empty = Picture::of(rows.view(), fleet, self.storage_context().now);
        let filter = super::of_table!(self, |table| table.filter_text()).to_owned();
        Picture { filter, storage: Some(rows), ..empty }
    }
}
