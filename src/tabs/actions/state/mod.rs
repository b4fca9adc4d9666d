//! What burntop did: the list, what it lies over, and what was asked of the audit log.

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod scripts;

use std::sync::Arc;

use crate::app::{Answered, App, Asking, Effect, Level, List, Notice, Opened, Page};
use crate::report::acting::ActionsOf;
use crate::tabs::actions::lists::{LIST, SOURCE, start};
use crate::tabs::actions::picture::{ActionRow, ActionsPicture};

/// State of the list of actions.
#[derive(Clone, Debug)]
pub(crate) struct ActionsTab {
    /// True while the list fills the body, whatever tab it was opened on.
    pub(crate) is_on: bool,
    /// Pages that were open where it was opened; `esc` brings them back.
    below: Vec<Opened>,
    /// Number of the reading; another one reads anew.
    round: u64,
    asking: Asking<u64, ActionsPicture>,
    /// Number of the answer, from 1; 0 before the first.
    version: u64,
    /// The list.
    pub(crate) list: List,
}

impl Default for ActionsTab {
    fn default() -> Self {
        let (below, asking, list) = (Vec::new(), Asking::default(), start());
        Self { is_on: false, below, round: 0, asking, version: 0, list }
    }
}

impl ActionsTab {
    /// Why the log cannot be read, one sentence; `None` while it can.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.asking.trouble()
    }

    /// True where the action sheet is among the pages that the list lies over.
    pub(crate) fn lies_over_sheet(&self) -> bool {
        self.below.iter().any(|opened| matches!(opened.page, Page::Sheet))
    }
}

impl App {
    /// What burntop did; `None` before the log was read.
    pub(crate) fn actions(&self) -> Option<&Arc<ActionsPicture>> {
        self.tabs.actions.asking.answer()
    }

    /// Rows of the list, before any filter.
    pub(crate) fn action_rows(&self) -> usize {
        (SOURCE.len)(self)
    }

    /// What the report of the list is of; `None` before the log was read.
    pub(crate) fn actions_of(&self) -> Option<ActionsOf> {
        let of = self.actions()?;
        Some(ActionsOf { damaged: of.damaged, left_out: of.left_out, file: of.file.clone() })
    }

    /// Shows the list over what is on screen, and reads the log anew.
    pub(crate) fn go_to_actions(&mut self) {
        if !self.tabs.actions.is_on {
            self.tabs.actions.below = std::mem::take(&mut self.pages);
            self.tabs.actions.is_on = true;
        }
        self.close_pages();
        self.read_actions_again();
    }

    /// Shows the entry of a run over the list, and reads the log anew.
    pub(crate) fn go_to_action(&mut self, run: Arc<str>) {
        self.go_to_actions();
        self.open(Page::Action { run });
    }

    /// True while the log is read anew.
    pub(crate) fn reads_actions(&self) -> bool {
        let asking = &self.tabs.actions.asking;
        asking.is_behind() || (asking.answer().is_none() && asking.trouble().is_none())
    }

    /// Shows the list, or goes back from it to what it lies over.
    pub(crate) fn turn_actions(&mut self) {
        if self.tabs.actions.is_on && self.pages.is_empty() {
            self.leave_actions();
        } else {
            self.go_to_actions();
        }
    }

    fn leave_actions(&mut self) {
        self.tabs.actions.is_on = false;
        self.pages = std::mem::take(&mut self.tabs.actions.below);
    }

    /// Another tab is on: what the list lay over is not to come back.
    pub(crate) fn leave_actions_behind(&mut self) {
        self.tabs.actions.is_on = false;
        self.tabs.actions.below.clear();
    }

    /// Goes one step back from the list; false while it has a filter or a range, which go first.
    pub(crate) fn back_on_actions(&mut self) -> bool {
        let tab = &self.tabs.actions;
        let is_plain = tab.list.filter_text().is_empty() && !tab.list.has_range();
        if !tab.is_on || !is_plain {
            return false;
        }
        self.leave_actions();
        true
    }

    /// Reads the log anew while the list is on screen: something was done, or somebody asks.
    pub(crate) fn read_actions_again(&mut self) {
        self.tabs.actions.round += 1;
    }

    /// Leaves nothing of another log.
    pub(crate) fn forget_actions(&mut self) {
        let round = self.tabs.actions.round + 1;
        self.tabs.actions = ActionsTab { round, ..ActionsTab::default() };
    }

    /// The log is asked while the list is on screen.
    pub(crate) fn ask_for_actions(&mut self) -> Option<Effect> {
        let tab = &mut self.tabs.actions;
        if !tab.is_on {
            return None;
        }
        tab.asking.ask(tab.round).map(Effect::ReadActions)
    }

    /// Takes in what the log holds. An answer to an earlier question is dropped.
    pub(crate) fn on_actions(&mut self, round: u64, answer: Answered<ActionsPicture>) {
        let tab = &mut self.tabs.actions;
        if !tab.asking.is_newest(&round) {
            return;
        }
        match answer {
            Ok(picture) => {
                tab.version += 1;
                tab.asking.take(picture);
            }
            Err(why) => {
                if let Some(why) = tab.asking.fail(why) {
                    self.say(Notice::new(Level::Warn, why));
                }
            }
        }
    }

    /// Brings rows and order of the list up to date; costs nothing when nothing changed.
    pub(crate) fn sync_actions(&mut self) {
        if self.actions().is_none() {
            return;
        }
        let ctx = self.view_context();
        let stamp = (self.tabs.actions.version, None);
        self.sync_list(&LIST, &SOURCE, stamp, &ctx);
    }

    /// The run whose page is open, else the one under the cursor; `None` without one.
    pub(crate) fn current_action(&self) -> Option<&Arc<ActionRow>> {
        let id = match self.page().map(|opened| &opened.page) {
            Some(Page::Action { run }) => run,
            Some(_) => return None,
            None => self.tabs.actions.list.current_id()?,
        };
        self.action(id)
    }

    /// The run of this id; `None` where it is not in what was read.
    pub(crate) fn action(&self, id: &str) -> Option<&Arc<ActionRow>> {
        self.actions()?.rows.iter().find(|row| *row.id == *id)
    }

    /// Handles `enter`: everything about the run under the cursor.
    pub(crate) fn enter_actions(&mut self) {
        self.sync_actions();
        let Some(run) = self.tabs.actions.list.current_id().cloned() else { return };
        self.open(Page::Action { run });
    }

    /// The page of the run below in the list, or above.
    pub(crate) fn next_action(&mut self, below: bool) {
        let Some(id) = self.current_action().map(|row| row.id.clone()) else { return };
        self.sync_actions();
        if let Some(run) = self.tabs.actions.list.go_beside(&id, below) {
            self.open(Page::Action { run });
        }
    }

    /// Says so where there is nothing to take back from the run; `None` where there is.
    pub(crate) fn say_without_way_back(&mut self) -> Option<Vec<Effect>> {
        if self.current_action().is_none_or(|row| !row.back.is_empty()) {
            return None;
        }
        self.say(Notice::new(Level::Warn, "there is nothing to take back"));
        Some(Vec::new())
    }

    /// The way back from the run, to be copied: its noun and the commands; `None` where there is none.
    pub(crate) fn way_back_to_copy(&self) -> Option<(String, String)> {
        let row = self.current_action()?;
        let lines = crate::view::format::plural(row.back.len(), "line");
        let noun = format!("{lines} of the way back");
        (!row.back.is_empty()).then(|| (noun, self.way_back_told(&row.back).join("\n")))
    }
}
