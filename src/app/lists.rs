//! The lists that tabs show, by name: what views, the help and the configuration know of them.

use super::{App, Effect, Level, List, Notice, SavedView, Screen};
use crate::view::FieldTable;

/// A list of a tab, as saved views, help and configuration refer to it.
#[derive(Clone, Copy, Debug)]
pub struct ListSpec {
    /// Name in saved views: `idle`, `gpus`, `buckets`, …
    pub name: &'static str,
    /// Noun for its rows, plural.
    pub rows: &'static str,
    /// Table of its fields.
    pub fields: fn() -> &'static dyn FieldTable,
    /// The list.
    pub(crate) list: fn(&App) -> &List,
    /// The list, mutable.
    pub(crate) list_mut: fn(&mut App) -> &mut List,
    /// Brings the list on screen.
    pub(crate) show: fn(&mut App),
    /// Ways to group its rows; `None` for a list without groups.
    pub grouping: Option<GroupingSpec>,
}

/// Ways to group the rows of a list.
#[derive(Clone, Copy, Debug)]
pub struct GroupingSpec {
    /// Names of all ways.
    pub names: fn() -> Vec<&'static str>,
    /// Name of the way in use.
    pub(crate) by: fn(&App) -> &'static str,
    /// Groups by the way of this name; an unknown name changes nothing.
    pub(crate) group: fn(&mut App, &str),
}

/// All lists, in the order of their tabs.
pub fn lists() -> impl Iterator<Item = &'static ListSpec> {
    crate::tabs::screens().flat_map(Screen::lists)
}

/// The list of this name; `None` for an unknown name.
pub fn list_of(name: &str) -> Option<&'static ListSpec> {
    lists().find(|spec| spec.name == name)
}

impl App {
    /// Looks at a list as a saved view says.
    pub(super) fn use_view(&mut self, name: &str) {
        let Some(view) = self.views.iter().find(|v| v.name == name).cloned() else { return };
        let Some(spec) = list_of(&view.list) else { return };
        if let Err(error) = (spec.list_mut)(self).look_as(&view) {
            self.say(Notice::new(Level::Error, format!("view {name}: filter {error}")));
            return;
        }
        (spec.show)(self);
        if let Some(grouping) = spec.grouping {
            (grouping.group)(self, &view.group);
        }
    }

    /// Keeps how the list on screen is looked at.
    pub(super) fn save_view(&mut self, name: &str) -> Vec<Effect> {
        let list = self.list();
        let Some(spec) = lists().find(|spec| std::ptr::eq((spec.list)(self), list)) else {
            return Vec::new();
        };
        let group = spec.grouping.map(|grouping| (grouping.by)(self).to_owned());
        let view = SavedView {
            list: spec.name.to_owned(),
            group: group.unwrap_or_default(),
            ..list.view(name)
        };
        match self.views.iter_mut().find(|v| v.name == view.name) {
            Some(old) => *old = view.clone(),
            None => self.views.push(view.clone()),
        }
        vec![Effect::SaveView(view)]
    }
}
