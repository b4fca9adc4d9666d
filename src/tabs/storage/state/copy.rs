//! What is copied on the tab: the rules that would save something, the name of what the cursor is on, the row as JSON.

use std::sync::Arc;

use super::{StorageList, StoragePage};
use crate::analyze::storage::findings::{has_rules, rule_of, rules_of};
use crate::analyze::storage::lifecycle::print;
use crate::app::{App, Page, Picture};
use crate::domain::storage::Lifecycle;
use crate::domain::text::clean;
use crate::tabs::storage::TAB;

impl App {
    /// List and id of the row whose page is open, else of the one under the cursor; `None` without one, and on other pages.
    fn current_storage_row(&self) -> Option<(StorageList, Arc<str>)> {
        match self.page().map(|opened| &opened.page) {
            Some(Page::Storage(StoragePage::Row(list, id))) => Some((*list, id.clone())),
            None if self.tab == TAB => {
                let look = self.tabs.storage.look;
                Some((look, self.tabs.storage.list(look).current_id()?.clone()))
            }
            _ => None,
        }
    }

    /// What is copied of the page or row in front: what it is, and the text. Of a finding the rule that ends it, where a
    /// rule can; of the page of rules all that the bucket's findings ask for.
    pub(crate) fn storage_to_copy(&self) -> Option<(String, String)> {
        if let Some(Page::Storage(StoragePage::Lifecycle(name))) = self.page().map(|o| &o.page) {
            let row = self.storage()?.bucket(name).filter(|row| has_rules(row))?;
            return Some(("the rules".to_owned(), print::json(&rules_of(row))));
        }
        let (list, id) = self.current_storage_row()?;
        let tab = &self.tabs.storage;
        let named = |name: String| Some((name.clone(), name));
        match list {
            StorageList::Buckets | StorageList::Blocks => named(id.to_string()),
            StorageList::Findings => {
                let row = tab.rows.findings.iter().find(|row| row.id == id)?;
                let Some(rule) = rule_of(&row.finding) else {
                    return named(row.subject.to_string());
                };
                let rules = Lifecycle { rules: vec![rule], minimum_size: None };
                Some(("the rule".to_owned(), print::json(&rules)))
            }
            StorageList::Runs => {
                let run = tab.rows.runs.iter().find(|run| run.id == id)?;
                named(format!("{}/{}", run.bucket, run.prefix))
            }
            StorageList::Copies => {
                let pair = tab.rows.copies.iter().find(|pair| pair.id == id)?;
                named(format!("{}/{}", pair.bucket, pair.prefix_b))
            }
            StorageList::Explorer => {
                let explorer = tab.explorer.as_ref()?;
                let row = explorer.here().rows.iter().find(|row| row.id == id)?;
                let key = explorer.path(row.node);
                let key = clean(&String::from_utf8_lossy(&key)).into_owned();
                named(format!("{}/{key}", explorer.way().next()?))
            }
        }
    }

    /// The row in front as a picture of its own, by its id.
    pub(crate) fn storage_row_to_copy(&self) -> Option<(Arc<str>, Picture)> {
        let (list, id) = self.current_storage_row()?;
        let picture = (list.spec().source.alone)(self, &id, self.storage_context().now)?;
        Some((id, picture))
    }
}
