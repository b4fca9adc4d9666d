//! The lists of the Teams tab: a row each, with everything that is asked of it.

use std::sync::Arc;

use super::picture::{AllocationField, BudgetField, PeopleField, QuotaField, TagField, UnitField};
use super::state::{report_of, rows_of};
use crate::app::keymap::Action;
use crate::app::screen::Hints;
use crate::app::{App, List, ListSource, ListSpec, Picture, alone, list_source, shown};
use crate::report::ListField;
use crate::view::TableField;
use crate::view::table_field::field_enum;

field_enum! {
    /// A list of the tab, in the order in which a key goes through them.
    TeamsList { Teams, Tags, Budgets, Units, Quotas, People }
}

/// Static description of a list of the tab.
pub(crate) struct TeamsListSpec {
    /// Title of the list, shown in the strip.
    pub(super) title: &'static str,
    /// Word after `:teams`.
    pub(super) word: &'static str,
    /// Name and fields of the list, and the state that holds it.
    pub(super) list: ListSpec,
    /// Takes the rows from the state of the tab.
    pub(super) source: ListSource,
    /// The order of the rows as they come, in words.
    pub(super) order: &'static str,
    /// Title of the page of a row.
    pub(super) page: &'static str,
    /// Why the list is empty.
    pub(super) empty: &'static str,
    /// The keys that the footer names.
    pub(super) hints: Hints,
}

macro_rules! list {
    ($list:ident, $field:ty, $name:literal, $rows:literal) => {
        ListSpec {
            name: $name,
            rows: $rows,
            fields: <$field>::table,
            list: |app| app.tabs.teams.list(TeamsList::$list),
            list_mut: |app| app.tabs.teams.list_mut(TeamsList::$list),
            show: |app: &mut App| app.go_to_teams(TeamsList::$list),
            grouping: None,
        }
    };
}

macro_rules! source {
    ($field:ty, $held:ident) => {
        list_source!($field, |app| rows_of(app.tabs.teams.rows().$held.as_ref()), |app: &App| {
            report_of(app.tabs.teams.rows().$held.as_ref())
        },)
    };
}

/// The keys that the footer names.
const HINTS: Hints = &[
    (Action::Enter, "details"),
    (Action::NextBillList, ""),
    (Action::EarlierPeriod, ""),
    (Action::BillSource, ""),
    (Action::Filter, ""),
    (Action::Sort, ""),
    (Action::Export, ""),
];

/// All lists, each at the place of its [`TeamsList`].
pub(super) static LISTS: [TeamsListSpec; TeamsList::ALL.len()] = [
    TeamsListSpec {
        title: "Teams",
        word: "dollars",
        list: list!(Teams, AllocationField, "teams", "teams"),
        source: source!(AllocationField, allocation),
        order: "costliest first",
        page: "Whose",
        empty: "There is no dollar to allocate.",
        hints: &[
            (Action::Enter, "details"),
            (Action::TeamsBy, ""),
            (Action::NextBillList, ""),
            (Action::EarlierPeriod, ""),
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::Export, ""),
        ],
    },
    TeamsListSpec {
        title: "Tags",
        word: "tags",
        list: list!(Tags, TagField, "teams-tags", "resources without tags"),
        source: source!(TagField, tags),
        order: "costliest first",
        page: "Missing tags",
        empty: "Everything that can be tagged has all tags that are required.",
        hints: HINTS,
    },
    TeamsListSpec {
        title: "Budgets",
        word: "budgets",
        list: list!(Budgets, BudgetField, "budgets", "budgets"),
        source: source!(BudgetField, budgets),
        order: "as configured",
        page: "Budget",
        empty: "No budget is configured: `[[budgets]]` in the configuration has name, filter and usd.",
        hints: HINTS,
    },
    TeamsListSpec {
        title: "Units",
        word: "units",
        list: list!(Units, UnitField, "units", "unit costs"),
        source: source!(UnitField, units),
        order: "as configured",
        page: "Unit cost",
        empty: "No unit cost is configured: `[[units]]` in the configuration has name, filter and a count of each day.",
        hints: &[
            (Action::Enter, "details"),
            (Action::TeamsBy, "by team, project, user"),
            (Action::NextBillList, ""),
            (Action::EarlierPeriod, ""),
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::Export, ""),
        ],
    },
    TeamsListSpec {
        title: "Quotas",
        word: "quotas",
        list: list!(Quotas, QuotaField, "quotas", "quotas"),
        source: source!(QuotaField, quotas),
        order: "as configured",
        page: "Quota",
        empty: "No quota is configured: `[[quotas]]` in the configuration has team and gpus, usd_per_hour or instances.",
        hints: HINTS,
    },
    TeamsListSpec {
        title: "People",
        word: "people",
        list: list!(People, PeopleField, "people", "people and tools"),
        source: source!(PeopleField, people),
        order: "as configured",
        page: "People",
        empty: "No people are configured: `[people]` in the configuration has engineers, usd_per_hour and hours_per_week.",
        hints: &[
            (Action::Enter, "details"),
            (Action::CopyId, "copy total cost"),
            (Action::NextBillList, ""),
            (Action::EarlierPeriod, ""),
            (Action::Sort, ""),
            (Action::Export, ""),
        ],
    },
];

impl TeamsList {
    /// Static description of the list.
    pub(crate) fn spec(self) -> &'static TeamsListSpec {
        &LISTS[self as usize]
    }

    /// The lists as they are before anything is known.
    pub(super) fn start() -> [List; Self::ALL.len()] {
        Self::ALL.map(|list| List::new((list.spec().list.fields)()))
    }
}
