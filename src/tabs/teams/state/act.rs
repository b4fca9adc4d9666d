//! What keys do on the Teams tab.

use std::sync::Arc;

use super::{TeamsList, TeamsPage};
use crate::analyze::teams::{Dimension, RunsBy};
use crate::app::keymap::Action;
use crate::app::screen::Hints;
use crate::app::{App, Level, Notice, Page, turned};
use crate::domain::bill::Month;
use crate::tabs::bill::state::{kept_period, turned_period};
use crate::tabs::teams::TAB;

impl App {
    /// Shows a list of the tab.
    pub(crate) fn go_to_teams(&mut self, look: TeamsList) {
        self.go_to_tab(TAB);
        self.look_at_teams(look);
    }

    fn look_at_teams(&mut self, look: TeamsList) {
        self.tabs.teams.look = look;
        self.sync_teams();
    }

    /// Shows dollars by a dimension.
    pub(crate) fn go_to_teams_by(&mut self, by: Dimension) {
        self.tabs.teams.by = by;
        self.go_to_teams(TeamsList::Teams);
    }

    /// The keys that the footer names.
    pub(crate) fn teams_hints(&self) -> Hints {
        self.tabs.teams.look.spec().hints
    }

    /// Handles a key of the tab.
    pub(crate) fn act_on_teams(&mut self, action: Action) {
        match action {
            Action::BillSource if !self.pages.is_empty() => drop(self.pages.pop()),
            Action::BillSource => self.open(Page::Teams(TeamsPage::Source)),
            _ if !self.pages.is_empty() => {}
            Action::NextBillList | Action::PreviousBillList => {
                let forward = action == Action::NextBillList;
                self.look_at_teams(turned(&TeamsList::ALL, self.tabs.teams.look, forward));
            }
            Action::TeamsBy if self.tabs.teams.look == TeamsList::Units => {
                // After the last one all in one row again.
                let all = RunsBy::ALL.map(Some);
                let now = self.tabs.teams.units_by;
                let at = all.iter().position(|by| *by == now).map_or(0, |at| at + 1);
                self.tabs.teams.units_by = all.get(at).copied().flatten();
                self.sync_teams();
            }
            Action::TeamsBy => {
                let by = turned(&Dimension::ALL, self.tabs.teams.by, true);
                self.tabs.teams.by = by;
                self.look_at_teams(TeamsList::Teams);
            }
            Action::EarlierPeriod => self.turn_teams_period(false),
            Action::LaterPeriod => self.turn_teams_period(true),
            _ => {}
        }
    }

    fn turn_teams_period(&mut self, later: bool) {
        let Some(teams) = self.teams() else { return };
        if self.tabs.teams.look == TeamsList::Quotas || teams.period.is_none() {
            self.say(Notice::new(Level::Info, "what runs is of now, and has no months"));
            return;
        }
        let now = self.tabs.teams.period.or(teams.period);
        match turned_period(&teams.periods, now, later) {
            Ok(period) => self.tabs.teams.period = Some(period),
            Err(why) => self.say(why),
        }
    }

    /// Shows a month; one without a bill changes nothing.
    pub(crate) fn go_to_teams_period(&mut self, period: Month) {
        let periods = self.teams().map_or(&[][..], |teams| &teams.periods);
        match kept_period(periods, period) {
            Ok(period) => self.tabs.teams.period = Some(period),
            Err(why) => self.say(why),
        }
    }

    /// Handles `enter`: everything about the row under the cursor.
    pub(crate) fn enter_teams(&mut self) {
        self.sync_teams();
        let row = self.current_teams_row().map(|(list, id)| (list, id.clone()));
        if let Some((list, id)) = row {
            self.open_teams_row(list, id);
        }
    }

    fn open_teams_row(&mut self, list: TeamsList, id: Arc<str>) {
        self.open(Page::Teams(TeamsPage::Row { list, id }));
    }

    /// The page of the next row of the list, or of the previous one.
    pub(crate) fn next_teams_row(&mut self, below: bool) {
        let row = self.current_teams_row().map(|(list, id)| (list, id.clone()));
        let Some((list, id)) = row else { return };
        self.sync_teams();
        if let Some(next) = self.tabs.teams.list_mut(list).go_beside(&id, below) {
            self.pages.pop();
            self.open_teams_row(list, next);
        }
    }

    /// One step back on the tab; false when there is none.
    pub(crate) fn back_on_teams(&mut self) -> bool {
        let tab = &self.tabs.teams;
        let has_filter = !tab.list(tab.look).filter_text().is_empty();
        if !self.pages.is_empty() || has_filter || tab.look == TeamsList::Teams {
            return false;
        }
        self.look_at_teams(TeamsList::Teams);
        true
    }
}
