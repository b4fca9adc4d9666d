//! The lists that tabs show, by name: what views, the help and the configuration know of them.

use super::{App, Effect, Level, List, Notice, SavedView, Screen};
use crate::view::FieldTable;

/// A list that a tab shows.
#[derive(Clone, Copy, Debug)]
pub struct ListSpec {
    /// Its name in views: `idle`, `gpus`, `buckets`, …
    pub name: &'static str,
    /// What its rows are, several of them.
    pub rows: &'static str,
    /// Its fields.
    pub fields: fn() -> &'static dyn FieldTable,
    /// It.
    pub(crate) list: fn(&App) -> &List,
    /// The same, to change it.
    pub(crate) list_mut: fn(&mut App) -> &mut List,
    /// Brings it on screen.
    pub(crate) show: fn(&mut App),
    /// How its rows are grouped; `None` for a list without groups.
    pub grouping: Option<GroupingSpec>,
}

/// How the rows of a list can be grouped.
#[derive(Clone, Copy, Debug)]
pub struct GroupingSpec {
    /// The names of all ways.
    pub names: fn() -> Vec<&'static str>,
    /// The name of the way in force.
    pub(crate) by: fn(&App) -> &'static str,
    /// Groups in the way of this name; one that is not known changes nothing.
    pub(crate) group: fn(&mut App, &str),
}

/// All lists, in the order of their tabs.
pub fn lists() -> impl Iterator<Item = &'static ListSpec> {
    crate::tabs::screens().flat_map(Screen::lists)
}

/// The list of this name.
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
