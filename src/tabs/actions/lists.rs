//! The one list: what burntop did.

use std::sync::Arc;

use super::picture::ActionField;
use crate::app::{App, List, ListSource, ListSpec, Picture, alone, list_source, shown};
use crate::report::ListField;
use crate::view::TableField;

/// Name and fields of the list, and the state that holds it.
pub(super) static LIST: ListSpec = ListSpec {
    name: "actions",
    rows: "what burntop did",
    fields: ActionField::table,
    list: |app| &app.tabs.actions.list,
    list_mut: |app| &mut app.tabs.actions.list,
    show: |app: &mut App| app.go_to_actions(),
    grouping: None,
};

/// Where its rows are.
pub(super) static SOURCE: ListSource = list_source!(
    ActionField,
    |app| app.actions().map_or(&[], |actions| &actions.rows),
    App::actions_of,
);

/// The list as it is before anything is known.
pub(super) fn start() -> List {
    List::new((LIST.fields)())
}
