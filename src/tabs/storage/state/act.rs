//! What keys do on the Storage tab.

use std::sync::Arc;

use super::{
    ListHow, Listing, ListingState, MAKE_LIST, Storage, StorageList, StoragePage, TierSubject,
};
use crate::app::keymap::Action;
use crate::app::{App, Effect, Level, Notice, Page, Popup, turned};
use crate::domain::storage::{StorageFinding, Subject};
use crate::fleet::storage::{BucketKind, BucketRow};
use crate::tabs::storage::TAB;
use crate::tabs::storage::picture::{PrefixRow, findings_of_bucket, runs_of_bucket};
use crate::view::format;

/// Reads per month that `+` and `-` go through.
const READS: [f64; 12] = [0.0, 0.05, 0.1, 0.3, 0.5, 0.75, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0];

impl App {
    /// Shows a list of the tab.
    pub(crate) fn go_to_storage(&mut self, look: StorageList) {
        self.go_to_tab(TAB);
        self.look_at_storage(look);
    }

    /// Changes the list on screen. The explorer begins with the costliest bucket that has a list.
    pub(crate) fn look_at_storage(&mut self, look: StorageList) {
        if look == StorageList::Explorer && self.tabs.storage.explorer.is_none() {
            let current = self.current_bucket().map(|row| row.name.clone());
            self.explore_any(current);
        }
        self.tabs.storage.look = look;
        self.sync_storage();
    }

    /// Shows a list without a filter, the cursor on a row.
    fn look_at_storage_row(&mut self, look: StorageList, id: &Arc<str>) {
        self.look_at_storage(look);
        self.tabs.storage.list_mut(look).clear_filter();
        self.sync_storage();
        self.tabs.storage.list_mut(look).go_to(id);
    }

    /// Begins the explorer with this bucket where it has a list, else with the costliest that has.
    fn explore_any(&mut self, first: Option<Arc<str>>) {
        let Some(fleet) = self.storage().cloned() else { return };
        let listed = |name: &Arc<str>| fleet.scans.contains_key(name);
        let costliest = || fleet.buckets.iter().map(|b| b.name.clone()).find(listed);
        if let Some(name) = first.filter(listed).or_else(costliest) {
            self.tabs.storage.explore(&fleet, &name);
        }
    }

    /// Bucket that keys act on: that of the page, of the row under the cursor, or of the list walked through. `None`
    /// without one.
    pub fn current_bucket(&self) -> Option<&Arc<BucketRow>> {
        let tab = &self.tabs.storage;
        let of = |list: StorageList, id| (list.spec().ways.bucket)(self, id);
        let name = match self.page().map(|o| &o.page) {
            Some(Page::Storage(page)) => match page {
                StoragePage::Row(list, id) => of(*list, Some(id))?,
                StoragePage::Lifecycle(name)
                | StoragePage::Tiers(TierSubject::Bucket(name) | TierSubject::Prefix(name, _)) => {
                    name
                }
                StoragePage::Tiers(TierSubject::Fleet) => return None,
            },
            None if self.tab == TAB => {
                of(tab.look, tab.list(tab.look).current_id().map(|id| &**id))?
            }
            _ => return None,
        };
        self.storage()?.bucket(name)
    }

    /// Finding by its id; `None` where there is none.
    pub(crate) fn finding(&self, id: &str) -> Option<&StorageFinding> {
        let row = self.tabs.storage.rows.findings.iter().find(|r| *r.id == *id)?;
        Some(&row.finding)
    }

    /// Handles `enter` on the tab.
    pub(crate) fn enter_storage(&mut self) -> Vec<Effect> {
        self.sync_storage();
        let look = self.tabs.storage.look;
        if let Some(id) = self.tabs.storage.list(look).current_id().cloned() {
            (look.spec().ways.enter)(self, id);
        }
        Vec::new()
    }

    /// Into the list of a bucket, where there is one; else its page.
    pub(crate) fn enter_bucket(&mut self, name: Arc<str>) {
        let Some(fleet) = self.storage().cloned() else { return };
        let tab = &mut self.tabs.storage;
        tab.list_mut(StorageList::Buckets).choose();
        if tab.explore(&fleet, &name) {
            tab.look = StorageList::Explorer;
        } else {
            self.open(Page::Storage(StoragePage::Row(StorageList::Buckets, name)));
        }
    }

    /// One level down in the explorer.
    pub(crate) fn go_into(&mut self) {
        let tab = &mut self.tabs.storage;
        let Some(explorer) = &mut tab.explorer else { return };
        let list = &mut tab.lists[StorageList::Explorer as usize];
        let Some(row) = list.current::<PrefixRow>() else { return };
        let (node, opens) = (row.node, row.opens);
        if !explorer.enter(node) {
            let text = if opens { "it is not here" } else { "nothing is below it" };
            self.say(Notice::new(Level::Info, text));
            return;
        }
        list.clear_filter();
        list.unmark();
        list.start_over();
    }

    /// Handles `enter` on a page of the tab: from a finding it opens its subject, from a bucket the runs in it.
    pub(crate) fn enter_storage_page(&mut self) -> Vec<Effect> {
        let Some(Page::Storage(StoragePage::Row(list, id))) = self.page().map(|o| &o.page) else {
            return Vec::new();
        };
        match (*list, id.clone()) {
            (StorageList::Findings, id) => {
                if let Some(subject) = self.finding(&id).map(|f| f.subject.clone()) {
                    self.step_on_storage(|app| app.show_subject(&subject));
                }
            }
            (StorageList::Buckets, name) => self.go_to_runs_of(&name),
            _ => {}
        }
        Vec::new()
    }

    /// The page of the next row of its list, or of the previous one.
    pub(crate) fn next_on_storage(&mut self, below: bool) {
        let Some(Page::Storage(StoragePage::Row(list, id))) = self.page().map(|o| &o.page) else {
            return;
        };
        let (list, id) = (*list, id.clone());
        self.sync_storage();
        if let Some(next) = self.tabs.storage.list_mut(list).go_beside(&id, below) {
            self.open(Page::Storage(StoragePage::Row(list, next)));
        }
    }

    /// Shows the training runs of a bucket; where none is known in it, those of all buckets, and says so.
    fn go_to_runs_of(&mut self, bucket: &str) {
        let rows = &self.tabs.storage.rows;
        if rows.runs_of(bucket) > 0 {
            self.step_to_list(StorageList::Runs, &runs_of_bucket(bucket));
            return;
        }
        // Of a bucket without a list of objects none can be known.
        let Some((other, runs)) = rows.most_runs() else {
            self.say(Notice::new(
                Level::Info,
                format!("no run is known in {bucket}, nor elsewhere"),
            ));
            return;
        };
        let text = match rows.runs.len() - runs {
            0 => format!("no run is known in {bucket}: these are of {other}"),
            _ => format!("no run is known in {bucket}: these are of other buckets"),
        };
        self.step_to_list(StorageList::Runs, "");
        self.say(Notice::new(Level::Info, text));
    }

    /// Shows the findings of a bucket, where there are any.
    fn go_to_findings_of(&mut self, bucket: &BucketRow) {
        if bucket.findings.is_empty() {
            self.say(Notice::new(Level::Info, "nothing is found wrong with it"));
            return;
        }
        self.step_to_list(StorageList::Findings, &findings_of_bucket(&bucket.name));
    }

    /// Shows what a finding is about.
    pub(crate) fn go_to_subject(&mut self, subject: &Subject) {
        self.go_to_tab(TAB);
        self.show_subject(subject);
    }

    /// Shows what a finding is about, on the tab.
    fn show_subject(&mut self, subject: &Subject) {
        let Some(fleet) = self.storage().cloned() else { return };
        self.close_pages();
        match subject {
            Subject::Bucket(name) => {
                self.look_at_storage_row(StorageList::Buckets, name);
            }
            Subject::Prefix(name, prefix) => {
                if !self.tabs.storage.explore(&fleet, name) {
                    self.look_at_storage_row(StorageList::Buckets, name);
                    return;
                }
                self.tabs.storage.look = StorageList::Explorer;
                if let Some(explorer) = &mut self.tabs.storage.explorer {
                    explorer.go_to(prefix.as_bytes());
                }
                self.sync_storage();
            }
            Subject::Volume(id) | Subject::Snapshot(id) => {
                self.look_at_storage_row(StorageList::Blocks, id);
            }
        }
    }

    /// One step back on the tab; false when there is none.
    pub(crate) fn back_on_storage(&mut self) -> bool {
        if self.tab != TAB || !self.pages.is_empty() {
            return false;
        }
        if self.step_back_on_storage() {
            return true;
        }
        let Storage { look, lists, explorer, .. } = &mut self.tabs.storage;
        let list = &mut lists[*look as usize];
        let is_plain = list.filter_text().is_empty();
        if *look == StorageList::Explorer
            && is_plain
            && let Some(explorer) = explorer
            && let Some(left) = explorer.leave()
        {
            let row = explorer.here().rows.iter().find(|r| r.node == left);
            let id = row.map(|r| r.id.clone());
            list.unmark();
            self.sync_storage();
            if let Some(id) = id {
                self.list_mut().go_to(&id);
            }
            return true;
        }
        if *look != StorageList::Buckets && is_plain {
            self.tabs.storage.forget_steps_beyond(StorageList::Buckets);
            self.look_at_storage(StorageList::Buckets);
            return true;
        }
        false
    }

    /// False for a key that leads nowhere with the bucket that is meant: no findings, no runs in any bucket, nothing that could be
    /// listed; and where none is meant.
    pub(crate) fn offers_on_storage(&self, action: Action) -> bool {
        let bucket = || self.current_bucket();
        let runs = || !self.tabs.storage.rows.runs.is_empty();
        match action {
            Action::BucketFindings => bucket().is_some_and(|row| !row.findings.is_empty()),
            Action::BucketRuns => bucket().is_some() && runs(),
            Action::ListObjects => bucket().is_some_and(|row| row.kind != BucketKind::Directory),
            Action::LifecycleRules | Action::Details => bucket().is_some(),
            _ => true,
        }
    }

    /// Handles a key of the tab.
    pub(crate) fn act_on_storage(&mut self, action: Action) -> Vec<Effect> {
        self.sync_storage();
        match action {
            Action::NextList | Action::PreviousList if self.pages.is_empty() => {
                let forward = action == Action::NextList;
                self.look_at_storage(turned(&StorageList::ALL, self.tabs.storage.look, forward));
            }
            Action::Details => {
                if let Some(name) = self.current_bucket().map(|row| row.name.clone()) {
                    self.open(Page::Storage(StoragePage::Row(StorageList::Buckets, name)));
                }
            }
            Action::Tiers => self.open(Page::Storage(StoragePage::Tiers(self.tier_subject()))),
            Action::MoreReads | Action::LessReads => self.move_reads(action == Action::MoreReads),
            Action::SetReads => {
                let now = format::count(self.tabs.storage.reads);
                self.ask_for_value("reads per month, ", &now, |app, text| {
                    app.set_reads(text).map(|()| Vec::new())
                });
            }
            Action::LifecycleRules | Action::BucketFindings | Action::BucketRuns => {
                match (self.current_bucket().cloned(), action) {
                    (None, _) => {
                        self.say(Notice::new(Level::Warn, "which bucket? none is meant here"));
                    }
                    (Some(row), Action::BucketFindings) => self.go_to_findings_of(&row),
                    (Some(row), Action::BucketRuns) => self.go_to_runs_of(&row.name),
                    (Some(row), _) => {
                        self.open(Page::Storage(StoragePage::Lifecycle(row.name.clone())));
                    }
                }
            }
            Action::ListObjects => return self.ask_for_list(),
            _ => {}
        }
        Vec::new()
    }

    fn tier_subject(&self) -> TierSubject {
        let tab = &self.tabs.storage;
        if tab.look == StorageList::Explorer
            && self.pages.is_empty()
            && let Some(explorer) = &tab.explorer
            && let Some(bucket) = explorer.way().next().map(Arc::<str>::from)
        {
            // The row under the cursor where it is a prefix, else where one is.
            let here = explorer.here();
            let row = tab.list(tab.look).current::<PrefixRow>().filter(|row| row.opens);
            return TierSubject::Prefix(bucket, row.map_or(here.node, |row| row.node));
        }
        let listed =
            |row: &&Arc<BucketRow>| self.storage().is_some_and(|f| f.scans.contains_key(&row.name));
        match self.current_bucket().filter(listed) {
            Some(row) => TierSubject::Bucket(row.name.clone()),
            None => TierSubject::Fleet,
        }
    }

    fn move_reads(&mut self, more: bool) {
        let now = self.tabs.storage.reads;
        let next = if more {
            READS.into_iter().find(|r| *r > now + 1e-9)
        } else {
            READS.into_iter().rev().find(|r| *r < now - 1e-9)
        };
        if let Some(reads) = next {
            self.tabs.storage.reads = reads;
        }
    }

    /// Takes a typed number of reads per month in.
    pub(crate) fn set_reads(&mut self, text: &str) -> Result<(), String> {
        let reads: f64 = text.trim().parse().map_err(|_| "a number like 0.5 or 4".to_owned())?;
        if !reads.is_finite() || !(0.0..=10_000.0).contains(&reads) {
            return Err("between 0 and 10000 reads per month".to_owned());
        }
        self.tabs.storage.reads = reads;
        Ok(())
    }

    /// Asks what a list of the bucket's objects takes; a running one may be stopped.
    fn ask_for_list(&mut self) -> Vec<Effect> {
        let Some(row) = self.current_bucket().cloned() else {
            self.say(Notice::new(Level::Warn, "which bucket? none is meant here"));
            return Vec::new();
        };
        if row.kind == BucketKind::Directory {
            self.say(Notice::new(
                Level::Warn,
                "a directory is read by `burntop storage explore --dir DIR`",
            ));
            return Vec::new();
        }
        let bucket = row.name.clone();
        if let Some(listing) = &self.tabs.storage.listing
            && matches!(listing.state, ListingState::Running { .. })
        {
            let bucket = listing.bucket.clone();
            self.say(Notice::new(Level::Info, format!("stopping the list of {bucket}")));
            return vec![Effect::ListObjects { bucket, how: ListHow::Cancel }];
        }
        self.tabs.storage.listing =
            Some(Listing { bucket: bucket.clone(), state: ListingState::Asked });
        self.say(Notice::new(Level::Info, format!("asking what a list of {bucket} takes")));
        vec![Effect::ListObjects { bucket, how: ListHow::Ask }]
    }

    /// Takes in the progress of a list of objects.
    pub(crate) fn on_listing(&mut self, listing: Listing) {
        match &listing.state {
            ListingState::Offer { .. } => {
                // What was said while it was asked is over.
                self.unsay();
                self.popup = Some(Popup::Ask(&MAKE_LIST));
            }
            ListingState::Failed(why) => {
                let text = format!("the list of {}: {why}", listing.bucket);
                self.say(Notice::new(Level::Error, text));
            }
            ListingState::Done => {
                let text = format!("the list of {} is there: enter opens it", listing.bucket);
                self.say(Notice::new(Level::Info, text));
            }
            ListingState::Asked | ListingState::Running { .. } => {}
        }
        let over = matches!(listing.state, ListingState::Done | ListingState::Failed(_));
        self.tabs.storage.listing = (!over).then_some(listing);
    }

    /// Makes the list that was offered.
    pub(crate) fn go_on_listing(&mut self) -> Vec<Effect> {
        let Some(listing) = &mut self.tabs.storage.listing else { return Vec::new() };
        listing.state = ListingState::Running { rows: 0, of: None, seconds_left: None };
        vec![Effect::ListObjects { bucket: listing.bucket.clone(), how: ListHow::Go }]
    }
}
