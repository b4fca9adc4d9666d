//! The rows of the lists, and the row that keys mean.

use std::sync::Arc;

use super::answer::{TeamsPicture, TeamsTold, Told};
use super::{TeamsList, TeamsPage};
use crate::app::{App, Page, Picture, RowsStamp};
use crate::report::{
    AllocationOf, BudgetsOf, List as ReportList, ListField, PeopleOf, QuotasOf, TagsOf, UnitsOf,
};
use crate::tabs::teams::picture::{
    AllocationField, AllocationItem, BudgetField, BudgetItem, PeopleField, PeopleItem, QuotaField,
    QuotaItem, TagField, TagItem, UnitField, UnitItem,
};
use crate::view::ViewContext;

/// The rows of the lists as they were answered last; each `None` before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// Number of answers.
    version: u64,
    /// Dollars by a dimension.
    pub(crate) allocation: Option<Told<AllocationItem, AllocationOf>>,
    /// Resources without tags.
    pub(crate) tags: Option<Told<TagItem, TagsOf>>,
    /// Budgets.
    pub(crate) budgets: Option<Told<BudgetItem, BudgetsOf>>,
    /// Unit costs.
    pub(crate) units: Option<Told<UnitItem, UnitsOf>>,
    /// Quotas.
    pub(crate) quotas: Option<Told<QuotaItem, QuotasOf>>,
    /// What people and tools cost.
    pub(crate) people: Option<Told<PeopleItem, PeopleOf>>,
    /// The command that calculates the total cost; empty before it is known.
    pub(crate) tco: String,
    /// What the report of each list says below its rows: sums, and what is odd. In the order of [`TeamsList::ALL`].
    notes: [Option<Vec<String>>; TeamsList::ALL.len()],
}

/// What the report of a list says below its rows.
fn notes_of<F>(told: &Told<F::Row, F::Of>, ctx: &ViewContext) -> Vec<String>
where
    F: ListField,
    F::Of: Clone,
{
    F::notes(&ReportList::of(told.rows.to_vec(), None, told.of.clone()), ctx)
}

impl Rows {
    /// Takes the rows of an answer in, which are of `list`; where it has none, the list has none either.
    pub(super) fn take(&mut self, picture: &TeamsPicture, list: TeamsList, ctx: &ViewContext) {
        self.version += 1;
        self.notes[list as usize] = picture.told.as_ref().map(|told| match told {
            TeamsTold::Allocation(told) => {
                self.allocation = Some(told.clone());
                notes_of::<AllocationField>(told, ctx)
            }
            TeamsTold::Tags(told) => {
                self.tags = Some(told.clone());
                notes_of::<TagField>(told, ctx)
            }
            TeamsTold::Budgets(told) => {
                self.budgets = Some(told.clone());
                notes_of::<BudgetField>(told, ctx)
            }
            TeamsTold::Units(told) => {
                self.units = Some(told.clone());
                notes_of::<UnitField>(told, ctx)
            }
            TeamsTold::Quotas(told) => {
                self.quotas = Some(told.clone());
                notes_of::<QuotaField>(told, ctx)
            }
            TeamsTold::People(told, command) => {
                self.people = Some(told.clone());
                self.tco.clone_from(command);
                notes_of::<PeopleField>(told, ctx)
            }
        });
        if picture.told.is_none() {
            match list {
                TeamsList::Teams => self.allocation = None,
                TeamsList::Tags => self.tags = None,
                TeamsList::Budgets => self.budgets = None,
                TeamsList::Units => self.units = None,
                TeamsList::Quotas => self.quotas = None,
                TeamsList::People => self.people = None,
            }
        }
    }

    /// What the report of a list says below its rows; empty before the list is known.
    pub(crate) fn notes(&self, list: TeamsList) -> &[String] {
        self.notes[list as usize].as_deref().unwrap_or_default()
    }

    /// True where a list is known, with or without rows.
    pub(crate) fn knows(&self, list: TeamsList) -> bool {
        self.notes[list as usize].is_some()
    }
}

/// Rows of a list that is perhaps not known yet.
pub(crate) fn rows_of<R, O>(told: Option<&Told<R, O>>) -> &[Arc<R>] {
    told.map_or(&[], |told| &told.rows)
}

/// What the report of a list is of; `None` before it is known.
pub(crate) fn report_of<R, O: Clone>(told: Option<&Told<R, O>>) -> Option<O> {
    Some(told?.of.clone())
}

impl App {
    /// Rows of the list on screen, before any filter.
    pub fn teams_rows_on_screen(&self) -> usize {
        (self.tabs.teams.look.spec().source.len)(self)
    }

    /// Brings rows and order of the list on screen up to date; costs nothing when nothing changed.
    pub(crate) fn sync_teams(&mut self) {
        if self.teams().is_none() {
            return;
        }
        let ctx = self.view_context();
        let spec = self.tabs.teams.look.spec();
        let stamp: RowsStamp = (self.tabs.teams.rows.version, None);
        self.sync_list(&spec.list, &spec.source, stamp, &ctx);
    }

    /// The list on screen as a picture for export; `None` before it is known.
    pub(crate) fn teams_list_picture(&self) -> Option<Picture> {
        let tab = &self.tabs.teams;
        (tab.look.spec().source.shown)(self, tab.list(tab.look), self.view_context().now)
    }

    /// List and id of the row whose page is open, else of the one under the cursor; `None` without one.
    pub(crate) fn current_teams_row(&self) -> Option<(TeamsList, &Arc<str>)> {
        match self.page().map(|opened| &opened.page) {
            Some(Page::Teams(TeamsPage::Row { list, id })) => Some((*list, id)),
            Some(_) => None,
            None => {
                let look = self.tabs.teams.look;
                Some((look, self.tabs.teams.list(look).current_id()?))
            }
        }
    }

    /// What the row is known by, to be copied; of a resource without tags the command that tags it, where there is one, and of
    /// people the command that calculates the total cost.
    pub(crate) fn teams_row_words(&self) -> Option<(String, String)> {
        let (list, id) = self.current_teams_row()?;
        if list == TeamsList::People {
            return Some(("the command".to_owned(), self.tabs.teams.rows.tco.clone()));
        }
        if list == TeamsList::Tags {
            let rows = rows_of(self.tabs.teams.rows.tags.as_ref());
            let row = rows.iter().find(|row| row.id == *id)?;
            if !row.command.is_empty() {
                return Some(("the command".to_owned(), row.command.clone()));
            }
        }
        let id = id.trim().to_owned();
        Some((id.clone(), id))
    }

    /// Id and picture with all fields of the row; `None` without one.
    pub(crate) fn teams_row_to_copy(&self) -> Option<(Arc<str>, Picture)> {
        let (list, id) = self.current_teams_row()?;
        let picture = (list.spec().source.alone)(self, id, self.view_context().now)?;
        Some((id.clone(), picture))
    }
}
