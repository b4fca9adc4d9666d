//! The box in which is chosen what sums are made by.

use super::JobsList;
use crate::analyze::jobs::TaxKey;
use crate::app::{Action, App, Chooser, Popup};

/// What sums are made by.
static CHOOSE_KEY: Chooser = Chooser {
    title: "Sums by",
    entries: |app| {
        let entry = |key: TaxKey| (key.word().to_owned(), key == app.tabs.jobs.by);
        TaxKey::ALL.into_iter().map(entry).collect()
    },
    hints: &[(Action::Enter, "by this"), (Action::Back, "done")],
    toggle: |app, at| {
        app.add_jobs_up_by_place(at);
        Vec::new()
    },
    take: |app, at| {
        app.add_jobs_up_by_place(at);
        Vec::new()
    },
};

impl App {
    /// Opens the box, the cursor on the key that is chosen.
    pub(super) fn choose_jobs_key(&mut self) {
        let by = self.tabs.jobs.by;
        let cursor = TaxKey::ALL.iter().position(|key| *key == by).unwrap_or(0);
        self.popup = Some(Popup::Choose { of: &CHOOSE_KEY, cursor });
    }

    fn add_jobs_up_by_place(&mut self, at: usize) {
        if let Some(key) = TaxKey::ALL.get(at) {
            self.add_jobs_up_by(*key);
        }
    }

    /// Shows sums by a key.
    pub(crate) fn add_jobs_up_by(&mut self, key: TaxKey) {
        self.tabs.jobs.by = key;
        self.go_to_jobs(JobsList::Sums);
    }
}
