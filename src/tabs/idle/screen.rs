//! The Idle tab: every instance with its verdict, and the page that says why.

use std::sync::Arc;

use super::pages;
use crate::app::content::Line;
use crate::app::keymap::{Action, Context};
use crate::app::screen::{Hints, Screen};
use crate::app::{App, Effect, ListSpec, Page, Picture, Tab, alone, shown};
use crate::domain::{SeriesSet, Verdict};
use crate::fleet::{Fleet, Row};
use crate::report::Instances;
use crate::tabs::idle::TAB;
use crate::tabs::idle::picture::Field;
use crate::view::TableField;

/// Screen of the Idle tab.
pub(crate) struct IdleScreen;

impl Screen for IdleScreen {
    fn tab(&self) -> Tab {
        TAB
    }

    fn key(&self) -> Option<Action> {
        Some(Action::TabIdle)
    }

    fn contexts(&self, _: &App) -> &'static [Context] {
        &[Context::Savings, Context::Table, Context::Main, Context::Move, Context::Any]
    }

    fn hints(&self, app: &App) -> Hints {
        // What was marked was marked for this.
        if app.table().marked().is_some() {
            return &[
                (Action::Act, ""),
                (Action::Mark, ""),
                (Action::Unmark, "none"),
                (Action::MarkAll, "all"),
                (Action::Enter, "why"),
                (Action::Filter, ""),
                (Action::Sort, ""),
                (Action::Actions, ""),
                (Action::Export, ""),
                (Action::Preset, ""),
                (Action::Columns, ""),
                (Action::Command, ""),
                (Action::Freeze, ""),
            ];
        }
        &[
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::Mark, ""),
            (Action::Enter, "why"),
            (Action::Act, ""),
            (Action::Actions, ""),
            (Action::Export, ""),
            (Action::Preset, ""),
            (Action::Columns, ""),
            (Action::Command, ""),
            (Action::Freeze, ""),
        ]
    }

    fn enter(&self, app: &mut App) -> Vec<Effect> {
        let Some(id) = app.current_row().map(|row| row.instance.id.clone()) else {
            return Vec::new();
        };
        app.tabs.idle.choose();
        app.open_why(id)
    }

    fn lists(&self) -> Vec<&'static ListSpec> {
        vec![&ListSpec {
            name: "idle",
            rows: "instances",
            fields: Field::table,
            list: |app| &app.tabs.idle,
            list_mut: |app| &mut app.tabs.idle,
            show: |app| app.go_to_tab(TAB),
            grouping: None,
        }]
    }

    fn shows_table(&self, app: &App) -> bool {
        app.no_credentials().is_none()
    }

    fn row<'a>(&self, app: &'a App) -> Option<&'a Arc<Row>> {
        app.tabs.idle.current()
    }

    fn marked_instances(&self, app: &App) -> Vec<Arc<str>> {
        app.tabs.idle.marks().cloned().collect()
    }

    fn picture(&self, app: &App) -> Option<Picture> {
        let list = shown::<Field>(&app.tabs.idle, app.instances_of(app.shown()?.clone()));
        Some(Picture::new(list, app.view_context().now))
    }

    fn forget(&self, app: &mut App) {
        app.tabs.idle.release();
    }

    fn page_hints(&self, _: &Page) -> Hints {
        &[
            (Action::Back, ""),
            (Action::Act, ""),
            (Action::Right, "next"),
            (Action::Left, "previous"),
            (Action::CopyMessage, "copy a message to the owner"),
            (Action::CopyId, ""),
            (Action::CopyRow, ""),
            (Action::Export, ""),
        ]
    }

    fn act_on_page(&self, app: &mut App, action: Action) -> Option<Vec<Effect>> {
        matches!(action, Action::Left | Action::Right)
            .then(|| app.next_why(action == Action::Right))
    }

    fn page_lines(&self, app: &App, page: &Page, width: usize) -> Vec<Line> {
        match page {
            Page::Why { instance, series } => pages::lines(app, instance, series.as_deref(), width),
            _ => Vec::new(),
        }
    }

    fn page_picture(&self, app: &App, page: &Page) -> Option<Picture> {
        match page {
            Page::Why { instance, .. } => app.instance_picture(instance),
            _ => None,
        }
    }

    fn page_row<'a>(&self, app: &'a App, page: &Page) -> Option<&'a Arc<Row>> {
        match page {
            Page::Why { instance, .. } => app.instance(instance),
            _ => None,
        }
    }
}

impl App {
    /// Brings the list of instances up to date: keys mean it also on a screen without a list.
    pub(crate) fn sync_instances(&mut self) {
        let ctx = self.view_context();
        if let Some(fleet) = self.shown().cloned() {
            // What would keep an instance from being stopped may be known later than its row.
            let stamp = (fleet.version ^ self.foreseen.rotate_right(16), fleet.as_of);
            self.tabs.idle.sync(stamp, &ctx, || Field::part(fleet, |fleet| &fleet.rows));
        }
    }

    /// One instance.
    pub(crate) fn instance_picture(&self, id: &str) -> Option<Picture> {
        let fleet = self.shown()?;
        let row = fleet.rows.iter().find(|r| *r.instance.id == *id)?;
        let list = alone::<Field>(row, self.instances_of(fleet.clone()));
        Some(Picture::new(list, self.view_context().now))
    }

    fn instances_of(&self, fleet: Arc<Fleet>) -> Instances {
        Instances { fleet, preset: self.preset().to_owned() }
    }

    /// Opens the Why page of an instance, and requests its series.
    pub(crate) fn open_why(&mut self, instance: Arc<str>) -> Vec<Effect> {
        self.open(Page::Why { instance: instance.clone(), series: None });
        vec![Effect::LoadSeries { instance }]
    }

    /// Verdict explained by the Why page on screen; `None` where another page is.
    pub(crate) fn why_verdict(&self) -> Option<Arc<Verdict>> {
        matches!(self.page()?.page, Page::Why { .. })
            .then(|| self.current_row()?.verdict.clone())
            .flatten()
    }

    /// Asks anew for the series behind the why page on screen where its verdict is another than
    /// before: the graphs belong to the verdict.
    pub(crate) fn explain_anew(&self, before: Option<&Arc<Verdict>>) -> Vec<Effect> {
        match self.page().map(|o| &o.page) {
            Some(Page::Why { instance, .. }) if self.why_verdict().as_ref() != before => {
                vec![Effect::LoadSeries { instance: instance.clone() }]
            }
            _ => Vec::new(),
        }
    }

    /// Takes the series of an instance whose evidence is open.
    pub(crate) fn on_series(&mut self, of: &Arc<str>, loaded: &Arc<SeriesSet>) {
        for opened in &mut self.pages {
            if let Page::Why { instance, series } = &mut opened.page
                && instance == of
            {
                *series = Some(loaded.clone());
            }
        }
    }

    /// On a why page: the page of the row above or below in the table.
    fn next_why(&mut self, below: bool) -> Vec<Effect> {
        let Some(Page::Why { instance, .. }) = self.page().map(|o| &o.page) else {
            return Vec::new();
        };
        let instance = instance.clone();
        self.sync_table();
        match self.tabs.idle.go_beside(&instance, below) {
            Some(next) => self.open_why(next),
            None => Vec::new(),
        }
    }
}
