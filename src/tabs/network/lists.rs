//! The lists of the Network tab: a row each, with everything that is asked of it.

use std::sync::Arc;

use super::picture::NetworkField;
use crate::app::keymap::Action;
use crate::app::screen::Hints;
use crate::app::{App, List, ListSource, ListSpec, Picture, alone, list_source, shown};
use crate::report::ListField;
use crate::view::TableField;
use crate::view::table_field::field_enum;

field_enum! {
    /// A list of the tab, in the order in which a key goes through them.
    NetworkList { Paths, Fixes, Live }
}

/// Static description of a list of the tab.
pub(crate) struct NetworkListSpec {
    /// Title of the list, shown in the strip.
    pub(super) title: &'static str,
    /// Word after `:network`.
    pub(super) word: &'static str,
    /// Name and fields of the list, and the state that holds it.
    pub(super) list: ListSpec,
    /// Takes the rows from the state of the tab.
    pub(super) source: ListSource,
    /// Default columns.
    columns: &'static [NetworkField],
    /// The order of the rows as they come, in words.
    pub(super) order: &'static str,
    /// Why the list is empty.
    pub(super) empty: &'static str,
    /// The keys that the footer names.
    pub(super) hints: Hints,
}

macro_rules! list {
    ($list:ident, $name:literal, $rows:literal) => {
        ListSpec {
            name: $name,
            rows: $rows,
            fields: NetworkField::table,
            list: |app| app.tabs.network.list(NetworkList::$list),
            list_mut: |app| app.tabs.network.list_mut(NetworkList::$list),
            show: |app: &mut App| app.go_to_network(NetworkList::$list),
            grouping: None,
        }
    };
}

/// The keys that the footer names.
const HINTS: Hints = &[
    (Action::Enter, "details"),
    (Action::NextBillList, ""),
    (Action::NetworkWhatIf, ""),
    (Action::EarlierPeriod, ""),
    (Action::Filter, ""),
    (Action::Sort, ""),
    (Action::Export, ""),
];

/// All lists, each at the place of its [`NetworkList`].
pub(super) static LISTS: [NetworkListSpec; NetworkList::ALL.len()] = [
    NetworkListSpec {
        title: "Paths",
        word: "paths",
        list: list!(Paths, "network", "paths of the network"),
        source: list_source!(
            NetworkField,
            |app| app.network().map_or(&[], |network| &network.rows),
            App::network_of,
        ),
        columns: NetworkField::SCREEN_COLUMNS,
        order: "costliest first",
        empty: "The bill has no line of the network, and no request to a bucket.",
        hints: HINTS,
    },
    NetworkListSpec {
        title: "Fixes",
        word: "fixes",
        list: list!(Fixes, "network-fixes", "paths with a fix"),
        source: list_source!(
            NetworkField,
            |app| app.network().map_or(&[], |network| &network.fixes),
            App::network_of,
        ),
        columns: NetworkField::FIX_COLUMNS,
        order: "what avoids most first",
        empty: "Nothing is known that would avoid a cent of it.",
        hints: HINTS,
    },
    NetworkListSpec {
        title: "Live",
        word: "live",
        list: list!(Live, "network-live", "paths without a bill"),
        source: list_source!(
            NetworkField,
            |app| &app.tabs.network.live().rows,
            App::network_live_of,
        ),
        columns: NetworkField::SCREEN_COLUMNS,
        order: "what avoids most first",
        empty: "No NAT gateway, no endpoint, no bucket far from the GPUs, no log group that keeps everything and no metric stream was seen.",
        hints: HINTS,
    },
];

impl NetworkList {
    /// Static description of the list.
    pub(crate) fn spec(self) -> &'static NetworkListSpec {
        &LISTS[self as usize]
    }

    /// The lists as they are before anything is known.
    pub(super) fn start() -> [List; Self::ALL.len()] {
        Self::ALL.map(|list| {
            let columns = list.spec().columns.iter().map(|field| field.spec()).collect();
            List::with_columns(NetworkField::table(), columns)
        })
    }
}
