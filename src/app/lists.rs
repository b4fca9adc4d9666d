//! The lists that tabs show, by name: what views, the help and the configuration know of them.

use std::sync::Arc;

use jiff::Timestamp;

use super::{App, Effect, Level, List, Notice, Picture, RowsStamp, SavedView, Screen};
use crate::view::{FieldTable, Rows, ViewContext};

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

/// Where the rows of a list are that a screen shows beside others, and what is made of them.
pub(crate) struct ListSource {
    /// Number of rows, before any filter.
    pub(crate) len: fn(&App) -> usize,
    /// All of them.
    pub(crate) rows: fn(&App) -> Arc<dyn Rows>,
    /// Those that the list shows, as they are exported at a moment.
    pub(crate) shown: fn(&App, &List, Timestamp) -> Option<Picture>,
    /// One of them with all fields, by its id.
    pub(crate) alone: fn(&App, &str, Timestamp) -> Option<Picture>,
}

/// The source of the rows that fields of a type tell of: where they are held, before any filter, and
/// what their report is of.
macro_rules! list_source {
    ($field:ty, $held:expr, $of:expr $(,)?) => {{
        const HELD: fn(&App) -> &[Arc<<$field as TableField>::Row>] = $held;
        const OF: fn(&App) -> Option<<$field as ListField>::Of> = $of;
        ListSource {
            len: |app| HELD(app).len(),
            rows: |app| <$field>::shared(&HELD(app).into()),
            shown: |app, list, now| Some(Picture::new(shown::<$field>(list, OF(app)?), now)),
            alone: |app, id, now| {
                let row = HELD(app).iter().find(|row| **<$field>::id(row) == *id)?;
                Some(Picture::new(alone::<$field>(row, OF(app)?), now))
            },
        }
    }};
}
pub(crate) use list_source;

/// The one before or behind in a list, round and round.
pub(crate) fn turned<T: Copy + PartialEq>(all: &[T], now: T, forward: bool) -> T {
    let at = all.iter().position(|t| *t == now).unwrap_or(0);
    let step = if forward { 1 } else { all.len() - 1 };
    all[(at + step) % all.len()]
}

/// How the rows of a list can be grouped.
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
    /// Brings a list up to date with its rows, which are identified by `stamp`.
    pub(crate) fn sync_list(
        &mut self,
        spec: &ListSpec,
        source: &ListSource,
        stamp: RowsStamp,
        ctx: &ViewContext,
    ) {
        let known = (spec.list)(self).rows_of(stamp).cloned();
        let rows = known.unwrap_or_else(|| (source.rows)(self));
        (spec.list_mut)(self).sync(stamp, ctx, || rows);
    }

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
