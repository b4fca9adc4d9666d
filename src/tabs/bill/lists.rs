//! The lists of the Bill tab: a row each, with everything that is asked of it.

use std::sync::Arc;

use super::picture::{
    AnatomyField, AnomalyField, BillField, BillView, ChangeField, ReconcileField,
};
use crate::app::keymap::Action;
use crate::app::screen::Hints;
use crate::app::{App, List, ListSource, ListSpec, Picture, alone, list_source, shown};
use crate::report::ListField;
use crate::view::TableField;
use crate::view::table_field::field_enum;

field_enum! {
    /// A list of the tab, in the order in which a key goes through them.
    BillList { Breakdown, Anatomy, Changes, Anomalies, LiveBurn }
}

/// Static description of a list of the tab.
pub(crate) struct BillListSpec {
    /// Title of the list, shown in the strip.
    pub(super) title: &'static str,
    /// Word after `:bill`.
    word: &'static str,
    /// Name and fields of the list, and the state that holds it.
    pub(super) list: ListSpec,
    /// Takes the rows from the state of the tab.
    pub(super) source: ListSource,
    /// The order of the rows as they come, in words.
    pub(super) order: &'static str,
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
            list: |app| app.tabs.bill.list(BillList::$list),
            list_mut: |app| app.tabs.bill.list_mut(BillList::$list),
            show: |app: &mut App| app.go_to_bill(BillList::$list),
            grouping: None,
        }
    };
}

/// All lists, each at the place of its [`BillList`].
pub(super) static LISTS: [BillListSpec; BillList::ALL.len()] = [
    BillListSpec {
        title: "Bill",
        word: "keys",
        list: list!(Breakdown, BillField, "bill", "rows of the bill"),
        source: list_source!(BillField, |app| &app.tabs.bill.rows.of.breakdown, App::billed_of),
        order: "costliest first",
        empty: "The bill has no line for it.",
        hints: &[
            (Action::Enter, "in"),
            (Action::BillOut, ""),
            (Action::BillKeys, ""),
            (Action::BillChanges, ""),
            (Action::NextBillList, ""),
            (Action::EarlierPeriod, ""),
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::Export, ""),
        ],
    },
    BillListSpec {
        title: "Anatomy",
        word: "anatomy",
        list: list!(Anatomy, AnatomyField, "bill-anatomy", "categories of the bill"),
        source: list_source!(AnatomyField, |app| &app.tabs.bill.rows.of.anatomy, App::billed_of),
        order: "by kind",
        empty: "The bill has no line.",
        hints: &[
            (Action::Enter, "in"),
            (Action::NextBillList, ""),
            (Action::EarlierPeriod, ""),
            (Action::Sort, ""),
            (Action::Export, ""),
        ],
    },
    BillListSpec {
        title: "Changes",
        word: "changes",
        list: list!(Changes, ChangeField, "bill-changes", "changes of the bill"),
        source: list_source!(ChangeField, |app| &app.tabs.bill.rows.of.changes, App::billed_of),
        order: "largest first",
        empty: "The month before has no bill that is kept: nothing to compare with.",
        hints: &[
            (Action::Enter, "in"),
            (Action::BillKeys, ""),
            (Action::BillChanges, "the bill"),
            (Action::NextBillList, ""),
            (Action::EarlierPeriod, ""),
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::Export, ""),
        ],
    },
    BillListSpec {
        title: "Anomalies",
        word: "anomalies",
        list: list!(Anomalies, AnomalyField, "bill-anomalies", "anomalies of the bill"),
        source: list_source!(AnomalyField, |app| &app.tabs.bill.rows.of.anomalies, App::billed_of),
        order: "largest first",
        empty: "Nothing is out of the ordinary: no spike, no drop, no drift.",
        hints: OF_WHOLE_BILLS,
    },
    BillListSpec {
        title: "Live",
        word: "reconcile",
        list: list!(LiveBurn, ReconcileField, "bill-reconcile", "days of the bill"),
        source: list_source!(ReconcileField, |app| &app.tabs.bill.rows.of.days, App::billed_of),
        order: "oldest first",
        empty: "Nobody looked at live burn in this month: burntop writes it down while it runs.",
        hints: OF_WHOLE_BILLS,
    },
];

/// The keys that the footer names where the rows are always of the whole bill.
const OF_WHOLE_BILLS: Hints = &[
    (Action::Enter, "in"),
    (Action::NextBillList, ""),
    (Action::EarlierPeriod, ""),
    (Action::Filter, ""),
    (Action::Sort, ""),
    (Action::Export, ""),
];

impl BillList {
    /// Static description of the list.
    pub(crate) fn spec(self) -> &'static BillListSpec {
        &LISTS[self as usize]
    }

    /// What the bills are asked to show it.
    pub(super) const fn view(self) -> BillView {
        match self {
            Self::Breakdown | Self::Anatomy => BillView::Costs,
            Self::Changes => BillView::Changes,
            Self::Anomalies => BillView::Anomalies,
            Self::LiveBurn => BillView::LiveBurn,
        }
    }

    /// True where the rows have the keys by which the bill is broken down.
    pub(super) const fn has_keys(self) -> bool {
        matches!(self, Self::Breakdown | Self::Changes)
    }

    /// Word after `:bill`.
    pub(super) fn word(self) -> &'static str {
        self.spec().word
    }

    /// The lists as they are before anything is known.
    pub(super) fn start() -> [List; Self::ALL.len()] {
        Self::ALL.map(|list| List::new((list.spec().list.fields)()))
    }
}
