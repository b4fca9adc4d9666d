//! The Teams tab: its month, what dollars are allocated by, what was answered, and the lists.

mod act;
mod answer;
#[cfg(test)]
pub(crate) mod fixture;
mod rows;
#[cfg(test)]
mod scripts;

use std::sync::Arc;

use crate::analyze::teams::{Dimension, RunsBy};
use crate::app::{Answered, App, Asking, BillsQuestion, Effect, Level, List, Notice};
use crate::domain::bill::Month;
use crate::tabs::teams::TAB;
pub use crate::tabs::teams::lists::TeamsList;
use crate::tabs::teams::picture::{TeamsQuestion, TeamsView};
pub use answer::{
    AwsBudgetsShown, MONTHS_BEFORE, RunUnits, TeamsBooks, TeamsPicture, Told, allocated, longest,
    months_of, of_bills, of_fleet, tagged,
};
pub(crate) use rows::{Rows, report_of, rows_of};

/// Words of what dollars are allocated by.
pub(crate) const DIMENSIONS: [&str; Dimension::ALL.len()] = Dimension::WORDS;

/// What dollars are allocated by, by its word; `None` for any other text.
pub(crate) fn dimension_of(word: &str) -> Option<Dimension> {
    Dimension::of(word)
}

/// A page of the tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TeamsPage {
    /// Everything about a row.
    Row {
        /// List of the row.
        list: TeamsList,
        /// Id of the row.
        id: Arc<str>,
    },
    /// Where the dollars come from, and what is odd about the rules.
    Source,
}

impl TeamsPage {
    /// Title of the page, shown above the body.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Row { list, .. } => list.spec().page,
            Self::Source => "About the dollars",
        }
    }
}

/// State of the Teams tab.
#[derive(Clone, Debug)]
pub struct TeamsTab {
    /// List on screen.
    look: TeamsList,
    /// What dollars are allocated by.
    by: Dimension,
    /// Whose unit costs of jobs have a row each; `None` for all in one.
    units_by: Option<RunsBy>,
    /// Month; `None` for the newest one.
    period: Option<Month>,
    /// Month, dimension and whose unit costs the answer on screen was asked for.
    answered: (Option<Month>, Dimension, Option<RunsBy>),
    /// Version of the fleet that was asked about; `None` before one is known.
    fleet: Option<u64>,
    /// What was asked, and what was answered.
    asking: Asking<TeamsQuestion, TeamsPicture>,
    /// The rows of each list as they were answered last.
    rows: Rows,
    /// The lists, in the order of [`TeamsList::ALL`].
    lists: [List; TeamsList::ALL.len()],
}

impl Default for TeamsTab {
    fn default() -> Self {
        Self {
            look: TeamsList::Teams,
            by: Dimension::Team,
            units_by: None,
            period: None,
            answered: (None, Dimension::Team, None),
            fleet: None,
            asking: Asking::default(),
            rows: Rows::default(),
            lists: TeamsList::start(),
        }
    }
}

impl TeamsTab {
    /// Which list is on screen.
    pub fn look(&self) -> TeamsList {
        self.look
    }

    /// What dollars are allocated by.
    pub fn by(&self) -> Dimension {
        self.by
    }

    /// Whose unit costs of jobs have a row each; `None` for all in one.
    pub fn units_by(&self) -> Option<RunsBy> {
        self.units_by
    }

    /// One of the lists.
    pub fn list(&self, list: TeamsList) -> &List {
        &self.lists[list as usize]
    }

    /// One of the lists, mutable.
    pub(crate) fn list_mut(&mut self, list: TeamsList) -> &mut List {
        &mut self.lists[list as usize]
    }

    /// The rows of the lists.
    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// True while the picture on screen answers an earlier question than the last one.
    pub fn is_behind(&self) -> bool {
        self.asking.is_behind()
    }

    /// Why nothing can be read, one sentence; `None` while it can.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.asking.trouble()
    }

    fn view(&self) -> TeamsView {
        match self.look {
            TeamsList::Teams => TeamsView::Allocation(self.by),
            TeamsList::Tags => TeamsView::Tags,
            TeamsList::Budgets => TeamsView::Budgets,
            TeamsList::Units => TeamsView::Units(self.units_by),
            TeamsList::Quotas => TeamsView::Quotas,
            TeamsList::People => TeamsView::People,
        }
    }
}

impl App {
    /// State of the Teams tab.
    pub fn teams_tab(&self) -> &TeamsTab {
        &self.tabs.teams
    }

    /// What was answered last; `None` before the first answer.
    pub fn teams(&self) -> Option<&Arc<TeamsPicture>> {
        self.tabs.teams.asking.answer()
    }

    /// Asks again when the tab is opened: another process may have imported a bill.
    pub(crate) fn read_teams_again(&mut self) {
        if self.tab == TAB {
            self.tabs.teams.asking.ask_again();
        }
    }

    /// Asks for the list on screen, where that was not asked yet; of what runs again with each fleet.
    pub(crate) fn after_update_teams(&mut self, effects: &mut Vec<Effect>) {
        if self.tab != TAB {
            return;
        }
        let version = self.shown().map(|fleet| fleet.version);
        let tab = &mut self.tabs.teams;
        let view = tab.view();
        let is_without_bill = tab.asking.answer().is_some_and(|teams| teams.period.is_none());
        let is_live = match view {
            TeamsView::Quotas => true,
            TeamsView::Allocation(_) | TeamsView::Tags | TeamsView::People => is_without_bill,
            TeamsView::Budgets | TeamsView::Units(_) => false,
        };
        // What rests on bills is asked once, whatever fleets come.
        if is_live || tab.fleet.is_none() {
            tab.fleet = version;
        }
        let asked = tab.asking.ask(TeamsQuestion { view, period: tab.period, fleet: tab.fleet });
        effects.extend(asked.map(|question| Effect::ReadBills(BillsQuestion::Teams(question))));
    }

    /// Takes an answer in. One to an earlier question is dropped.
    pub(crate) fn on_teams(&mut self, question: TeamsQuestion, answer: Answered<TeamsPicture>) {
        let ctx = self.view_context();
        let tab = &mut self.tabs.teams;
        if !tab.asking.is_newest(&question) {
            return;
        }
        match answer {
            Ok(picture) => {
                let of = |of: &Arc<TeamsPicture>| of.period;
                let is_other_month = tab.asking.answer().is_some_and(|old| of(old) != of(&picture));
                if is_other_month {
                    tab.rows = Rows::default();
                }
                // Another list is another question: this one is of the list on screen.
                tab.rows.take(&picture, tab.look, &ctx);
                tab.answered = (tab.period, tab.by, tab.units_by);
                tab.asking.take(picture);
            }
            Err(why) => {
                if let Some(why) = tab.asking.fail(why) {
                    (tab.period, tab.by, tab.units_by) = tab.answered;
                    self.say(Notice::new(Level::Warn, why));
                }
            }
        }
    }
}
