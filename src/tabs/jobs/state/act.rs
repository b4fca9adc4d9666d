//! What keys do on the Jobs tab.

use std::sync::Arc;

use super::{JobsList, JobsPage};
use crate::analyze::jobs::TaxKey;
use crate::app::keymap::Action;
use crate::app::screen::Hints;
use crate::app::{App, Effect, Filled, Level, Notice, Page, turned};
use crate::tabs::jobs::TAB;
use crate::tabs::jobs::picture::TaxItem;

/// The keys that the footer names while attempts are selected.
const SELECTED_HINTS: Hints = &[
    (Action::CopyMessage, "messages"),
    (Action::CopyCommand, "commands"),
    (Action::Mark, ""),
    (Action::Unmark, ""),
    (Action::Filter, ""),
    (Action::Enter, "details"),
    (Action::Export, ""),
];

impl App {
    /// Shows a list of the tab.
    pub(crate) fn go_to_jobs(&mut self, look: JobsList) {
        self.go_to_tab(TAB);
        self.look_at_jobs(look);
    }

    fn look_at_jobs(&mut self, look: JobsList) {
        self.tabs.jobs.look = look;
        self.sync_jobs();
    }

    /// The keys that the footer names.
    pub(crate) fn jobs_hints(&self) -> Hints {
        match self.jobs() {
            // What was selected was selected for this.
            Some(_) if self.has_selected_attempts() => SELECTED_HINTS,
            Some(jobs) if !jobs.is_empty() => self.tabs.jobs.look.spec().hints,
            _ => &[(Action::Refresh, ""), (Action::Command, ""), (Action::NextTab, "")],
        }
    }

    /// Handles a key of the tab.
    pub(crate) fn act_on_jobs(&mut self, action: Action) -> Vec<Effect> {
        // On the page of an attempt too.
        if action == Action::CopyCommand {
            return self.copy_job_command();
        }
        if !self.pages.is_empty() || self.jobs().is_none_or(|jobs| jobs.is_empty()) {
            return Vec::new();
        }
        match action {
            Action::JobsWhatIf => return self.fill_failed_runs(),
            Action::NextJobsList | Action::PreviousJobsList => {
                let forward = action == Action::NextJobsList;
                self.look_at_jobs(turned(&JobsList::ALL, self.tabs.jobs.look, forward));
            }
            Action::JobsKey => self.choose_jobs_key(),
            _ => {}
        }
        Vec::new()
    }

    /// Fills the calculator of failed runs of What-if from the attempts that are kept.
    fn fill_failed_runs(&mut self) -> Vec<Effect> {
        let Some(of) = self.jobs().and_then(|jobs| jobs.calculator.clone()) else {
            let text = "the attempts that are kept cover less than a day, or no GPU-hours of them are known";
            self.say(Notice::new(Level::Warn, text));
            return Vec::new();
        };
        self.calculate(Filled::Runs(of))
    }

    /// Handles `enter`: everything about the row under the cursor; of sums, the attempts that they are made of.
    pub(crate) fn enter_jobs(&mut self) {
        self.sync_jobs();
        let look = self.tabs.jobs.look;
        let Some(id) = self.tabs.jobs.list(look).current_id().cloned() else { return };
        match look {
            JobsList::Sums => self.show_attempts_of(&id),
            _ => self.open_jobs_row(look, id),
        }
    }

    fn open_jobs_row(&mut self, list: JobsList, id: Arc<str>) {
        self.open(Page::Jobs(match list {
            JobsList::Attempts => JobsPage::Attempt { id },
            _ => JobsPage::Row { list, id },
        }));
    }

    /// Shows the attempts that a row of sums is made of.
    fn show_attempts_of(&mut self, id: &Arc<str>) {
        let found = self.jobs().and_then(|jobs| {
            let item = jobs.tax.iter().find(|item| item.id == *id)?;
            Some(filter_of(jobs.by, item))
        });
        let Some(found) = found else { return };
        let Some(filter) = found else {
            let text = "no filter of attempts tells these from the others";
            self.say(Notice::new(Level::Warn, text));
            return;
        };
        self.look_at_jobs(JobsList::Attempts);
        if let Err(error) = self.tabs.jobs.list_mut(JobsList::Attempts).filter_by(&filter) {
            self.say(Notice::new(Level::Warn, error.to_string()));
        }
    }

    /// The page of the next row of the list, or of the previous one.
    pub(crate) fn next_job(&mut self, below: bool) {
        let Some((look, id)) = self.current_jobs_row() else { return };
        self.sync_jobs();
        if let Some(next) = self.tabs.jobs.list_mut(look).go_beside(&id, below) {
            self.pages.pop();
            self.open_jobs_row(look, next);
        }
    }

    /// One step back on the tab; false when there is none.
    pub(crate) fn back_on_jobs(&mut self) -> bool {
        let tab = &self.tabs.jobs;
        let has_filter = !tab.list(tab.look).filter_text().is_empty();
        if !self.pages.is_empty() || has_filter || tab.look == JobsList::Attempts {
            return false;
        }
        self.look_at_jobs(JobsList::Attempts);
        true
    }
}

/// Filter that chooses the attempts of a row of sums; `None` where no field has the value that sums are made by, and for those
/// without one.
fn filter_of(by: TaxKey, item: &TaxItem) -> Option<String> {
    let field = match by {
        TaxKey::State => "state",
        TaxKey::Cause => "cause",
        TaxKey::User => "user",
        TaxKey::Team => "team",
        TaxKey::Project => "project",
        TaxKey::Model => "gpu_model",
        TaxKey::Node | TaxKey::Week => return None,
    };
    let value = item.value.as_deref()?.replace('\\', "\\\\").replace('"', "\\\"");
    // What did not fail has no cause.
    (by != TaxKey::Cause || value != "none").then(|| format!("{field}=\"{value}\""))
}
