//! The Storage tab: lists of buckets, prefixes, findings, volumes, runs and copies, and what stands
//! above them.

mod act;
mod copy;
#[cfg(test)]
pub(crate) mod fixture;
mod page;
mod rows;
#[cfg(test)]
mod scripts;
mod trail;

use std::sync::Arc;

use crate::app::{App, Effect, List, Tab};
use crate::fleet::StorageFleet;
use crate::tabs::savings::state::SavingsList;
use crate::tabs::storage::TAB;
pub use crate::tabs::storage::lists::StorageList;
use crate::tabs::storage::picture::Explorer;
use crate::view::ViewContext;
pub use page::{ListHow, Listing, ListingState, MAKE_LIST, StoragePage, TierSubject};
pub(crate) use rows::Rows;

/// State of the Storage tab.
#[derive(Clone, Debug)]
pub struct Storage {
    /// Which of its lists is shown.
    pub(crate) look: StorageList,
    /// The lists, in the order of [`StorageList::ALL`].
    lists: [List; StorageList::ALL.len()],
    /// The rows that are made from the fleet, once per fleet.
    pub(crate) rows: Rows,
    /// Walk through a list of objects; `None` before one is opened.
    pub(crate) explorer: Option<Explorer>,
    /// How often each byte is read per month, in the tier what-if.
    pub(crate) reads: f64,
    /// List of objects that is being made, or waits for an answer to its question; `None` without one.
    pub(crate) listing: Option<Listing>,
    /// True once the bus was asked to read storage.
    pub(crate) asked: bool,
    /// Steps from list to list that `esc` takes back, the last one last.
    trail: Vec<trail::Step>,
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            look: StorageList::Buckets,
            lists: StorageList::start(),
            rows: Rows::default(),
            explorer: None,
            reads: page::FIRST_READS,
            listing: None,
            asked: false,
            trail: Vec::new(),
        }
    }
}

impl Storage {
    /// Which list is on screen.
    pub fn look(&self) -> StorageList {
        self.look
    }

    /// One of the lists.
    pub fn list(&self, list: StorageList) -> &List {
        &self.lists[list as usize]
    }

    /// One of the lists, mutable.
    pub(crate) fn list_mut(&mut self, list: StorageList) -> &mut List {
        &mut self.lists[list as usize]
    }

    /// The rows that are made from the fleet.
    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Walk through a list of objects; `None` before one is opened.
    pub fn explorer(&self) -> Option<&Explorer> {
        self.explorer.as_ref()
    }

    /// How many steps down the explorer is, while it is on; else 0.
    pub(crate) fn level(&self) -> usize {
        let explorer = self.explorer().filter(|_| self.look == StorageList::Explorer);
        explorer.map_or(0, |explorer| explorer.way().count())
    }

    /// How often each byte is read per month, in the tier what-if.
    pub fn reads(&self) -> f64 {
        self.reads
    }

    /// List of objects that is being made, or waits for an answer to its question; `None` without one.
    pub fn listing(&self) -> Option<&Listing> {
        self.listing.as_ref()
    }
}

impl App {
    /// State of the Storage tab.
    pub fn storage_tab(&self) -> &Storage {
        &self.tabs.storage
    }

    /// Asks once for what is only read when somebody looks: volumes and snapshots, and all of
    /// storage where it is not read in the background.
    pub(crate) fn after_update_storage(&mut self, effects: &mut Vec<Effect>) {
        // What stopped instances go on billing are their volumes.
        let resources =
            self.tab == Tab::Overview && self.tabs.savings.look() == Some(SavingsList::Resources);
        let tab = &mut self.tabs.storage;
        if (resources || self.tab == TAB) && !tab.asked {
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

    /// Rows of the list on screen, before any filter.
    pub fn storage_rows_on_screen(&self) -> usize {
        (self.tabs.storage.look.spec().source.len)(self)
    }

    /// Takes a picture of storage in.
    pub(crate) fn on_storage(&mut self, fleet: Arc<StorageFleet>) {
        self.storage = Some(fleet);
        let on_screen = (self.tab == TAB).then_some(self.tabs.storage.look as usize);
        let lists = self.tabs.storage.lists.iter_mut().enumerate();
        lists.filter(|(at, _)| Some(*at) != on_screen).for_each(|(_, list)| list.release());
        self.fold_sources();
    }
}
