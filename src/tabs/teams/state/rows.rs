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
    QuotaItem, TagField, TagItem, TeamsView, UnitField, UnitItem,
};
use crate::view::ViewContext;

/// Rows of a list with what the report says below them.
#[derive(Clone, Debug)]
pub(crate) struct Held<R, O> {
    /// The rows, and what their report is of.
    pub(crate) told: Told<R, O>,
    /// What the report says below the rows: sums, and what is odd.
    pub(crate) notes: Vec<String>,
}

/// The rows of the lists as they were answered last; each `None` before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// Number of answers.
    version: u64,
    /// Dollars by a dimension.
    pub(crate) allocation: Option<Held<AllocationItem, AllocationOf>>,
    /// Resources without tags.
    pub(crate) tags: Option<Held<TagItem, TagsOf>>,
    /// Budgets.
    pub(crate) budgets: Option<Held<BudgetItem, BudgetsOf>>,
    /// Unit costs.
    pub(crate) units: Option<Held<UnitItem, UnitsOf>>,
    /// Quotas.
    pub(crate) quotas: Option<Held<QuotaItem, QuotasOf>>,
    /// What people and tools cost.
    pub(crate) people: Option<Held<PeopleItem, PeopleOf>>,
    /// The command that calculates the total cost; empty before it is known.
    pub(crate) tco: String,
}

fn held<F>(told: &Told<F::Row, F::Of>, ctx: &ViewContext) -> Option<Held<F::Row, F::Of>>
where
    F: ListField,
    F::Of: Clone,
    Told<F::Row, F::Of>: Clone,
{
    let list = ReportList::<F>::of(told.rows.to_vec(), None, told.of.clone());
    Some(Held { notes: F::notes(&list, ctx), told: told.clone() })
}

impl Rows {
    /// Takes the rows of an answer in; where it has none, its list has none either.
    pub(super) fn take(&mut self, picture: &TeamsPicture, view: TeamsView, ctx: &ViewContext) {
        self.version += 1;
        match &picture.told {
            Some(TeamsTold::Allocation(told)) => {
                self.allocation = held::<AllocationField>(told, ctx);
            }
            Some(TeamsTold::Tags(told)) => self.tags = held::<TagField>(told, ctx),
            Some(TeamsTold::Budgets(told)) => self.budgets = held::<BudgetField>(told, ctx),
            Some(TeamsTold::Units(told)) => self.units = held::<UnitField>(told, ctx),
            Some(TeamsTold::Quotas(told)) => self.quotas = held::<QuotaField>(told, ctx),
            Some(TeamsTold::People(told, command)) => {
                self.people = held::<PeopleField>(told, ctx);
                self.tco.clone_from(command);
            }
            None => match view {
                TeamsView::Allocation(_) => self.allocation = None,
                TeamsView::Tags => self.tags = None,
                TeamsView::Budgets => self.budgets = None,
                TeamsView::Units => self.units = None,
                TeamsView::Quotas => self.quotas = None,
                TeamsView::People => self.people = None,
            },
        }
    }

    /// What the report of a list says below its rows; empty before the list is known.
    pub(crate) fn notes(&self, list: TeamsList) -> &[String] {
        let notes = match list {
            TeamsList::Teams => self.allocation.as_ref().map(|held| &held.notes),
            TeamsList::Tags => self.tags.as_ref().map(|held| &held.notes),
            TeamsList::Budgets => self.budgets.as_ref().map(|held| &held.notes),
            TeamsList::Units => self.units.as_ref().map(|held| &held.notes),
            TeamsList::Quotas => self.quotas.as_ref().map(|held| &held.notes),
            TeamsList::People => self.people.as_ref().map(|held| &held.notes),
        };
        notes.map_or(&[], |notes| notes)
    }

    /// True where a list is known, with or without rows.
    pub(crate) fn knows(&self, list: TeamsList) -> bool {
        match list {
            TeamsList::Teams => self.allocation.is_some(),
            TeamsList::Tags => self.tags.is_some(),
            TeamsList::Budgets => self.budgets.is_some(),
            TeamsList::Units => self.units.is_some(),
            TeamsList::Quotas => self.quotas.is_some(),
            TeamsList::People => self.people.is_some(),
        }
    }
}

/// Rows of a list that is perhaps not known yet.
pub(crate) fn rows_of<R, O>(held: Option<&Held<R, O>>) -> &[Arc<R>] {
    held.map_or(&[], |held| &held.told.rows)
}

/// What the report of a list is of; `None` before it is known.
pub(crate) fn report_of<R, O: Clone>(held: Option<&Held<R, O>>) -> Option<O> {
    Some(held?.told.of.clone())
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
