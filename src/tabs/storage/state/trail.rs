//! The way through the lists of the tab: a key leads from a bucket to its findings or its runs, from a finding to what it is
//! about, and `esc` there comes back, step by step.

use std::sync::Arc;

use super::{Storage, StorageList};
use crate::app::{App, Opened};

/// Bucket and prefix that the explorer shows.
type Explored = (Arc<str>, Vec<u8>);

/// A list with its filter, and how deep the explorer is where that is the list.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    list: StorageList,
    filter: String,
    level: usize,
}

/// A step to another place of the tab.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The list that it came from.
    from: StorageList,
    /// Row under the cursor there.
    row: Option<Arc<str>>,
    /// Pages that were open there.
    pages: Vec<Opened>,
    /// What the explorer showed; `None` without one.
    explored: Option<Explored>,
    /// What it led to.
    to: Place,
    /// Filter of the list that it led to, from before.
    former: String,
}

impl Storage {
    fn place(&self) -> Place {
        let filter = self.list(self.look).filter_text().to_owned();
        Place { list: self.look, filter, level: self.level() }
    }

    fn explored(&self) -> Option<Explored> {
        let explorer = self.explorer()?;
        Some((explorer.way().next()?.into(), explorer.path(explorer.here().node)))
    }

    /// Forgets the steps, where a list is gone to by itself.
    pub(in crate::tabs::storage) fn forget_steps(&mut self) {
        self.trail.clear();
    }

    /// Forgets the steps beyond a list that is gone back to.
    pub(super) fn forget_steps_beyond(&mut self, list: StorageList) {
        while self.trail.last().is_some_and(|step| step.to.list != list) {
            self.trail.pop();
        }
    }
}

impl App {
    /// Does what leads to another place of the tab; `esc` there comes back to this one.
    pub(super) fn step_on_storage(&mut self, go: impl FnOnce(&mut Self)) {
        let tab = &mut self.tabs.storage;
        let from = tab.look;
        tab.list_mut(from).choose();
        let filters = StorageList::ALL.map(|list| tab.list(list).filter_text().to_owned());
        let (row, explored) = (tab.list(from).current_id().cloned(), tab.explored());
        let (pages, before) = (self.pages.clone(), tab.place());
        go(self);
        let tab = &mut self.tabs.storage;
        let to = tab.place();
        // A page may lead to the list below it.
        if to != before {
            let former = filters.into_iter().nth(to.list as usize).unwrap_or_default();
            tab.trail.push(Step { from, row, pages, explored, to, former });
        }
    }

    /// Shows a list by a filter, from its first row; `esc` there comes back.
    pub(super) fn step_to_list(&mut self, list: StorageList, filter: &str) {
        self.step_on_storage(|app| {
            app.close_pages();
            app.look_at_storage(list);
            let rows = app.tabs.storage.list_mut(list);
            if rows.filter_by(filter).is_err() {
                rows.clear_filter();
            }
            rows.start_over();
            app.sync_storage();
        });
    }

    /// Takes the last step back; false where there was none, and where what it led to looks otherwise by now.
    pub(super) fn step_back_on_storage(&mut self) -> bool {
        let tab = &mut self.tabs.storage;
        let here = tab.place();
        let has_range = tab.list(here.list).has_range();
        let Some(step) = tab.trail.pop_if(|step| !has_range && step.to == here) else {
            return false;
        };
        let list = tab.list_mut(here.list);
        if list.filter_text() != step.former && list.filter_by(&step.former).is_err() {
            list.clear_filter();
        }
        tab.look = step.from;
        if tab.explored() != step.explored
            && let Some((bucket, prefix)) = &step.explored
            && let Some(fleet) = self.storage().cloned()
        {
            let tab = &mut self.tabs.storage;
            let is_there = tab.explored().is_some_and(|(there, _)| there == *bucket);
            if (is_there || tab.explore(&fleet, bucket))
                && let Some(explorer) = &mut tab.explorer
            {
                explorer.go_to(prefix);
            }
        }
        self.sync_storage();
        if let Some(row) = &step.row {
            self.tabs.storage.list_mut(step.from).go_to(row);
        }
        self.pages = step.pages;
        true
    }
}
