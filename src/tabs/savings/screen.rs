//! What the cockpit asks of the lists of what could be saved, which stand behind the overview.

use std::sync::Arc;

use super::state::SavingsTab;
use super::{commands, lists, pages};
use crate::app::command::CommandSpec;
use crate::app::content::Line;
use crate::app::keymap::{Action, Context};
use crate::app::screen::{Hints, PAGE_CONTEXTS, PAGE_HINTS, Screen};
use crate::app::{App, Effect, List, ListSpec, Page, Picture, Tab};
use crate::fleet::Row;
use crate::view::ViewContext;

/// The lists.
pub(crate) struct SavingsScreen;

impl Screen for SavingsScreen {
    fn tab(&self) -> Tab {
        Tab::Overview
    }

    fn is_on(&self, app: &App) -> bool {
        app.is_on_savings()
    }

    fn contexts(&self, app: &App) -> &'static [Context] {
        if self.shows_table(app) {
            return &[Context::Savings, Context::Table, Context::Main, Context::Move, Context::Any];
        }
        &[Context::Savings, Context::Main, Context::Move, Context::Any]
    }

    fn hints(&self, app: &App) -> Hints {
        if !self.shows_table(app) {
            return &[(Action::NextSavings, "next list"), (Action::Log, ""), (Action::Refresh, "")];
        }
        if app.tabs.savings.shown().spec().of_instances {
            return &[
                (Action::Enter, ""),
                (Action::NextSavings, "next list"),
                (Action::Filter, ""),
                (Action::Sort, ""),
                (Action::Mark, ""),
                (Action::Act, ""),
                (Action::Export, ""),
                (Action::CopyRow, ""),
                (Action::Columns, ""),
            ];
        }
        &[
            (Action::Enter, ""),
            (Action::NextSavings, "next list"),
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::Mark, ""),
            (Action::Export, ""),
            (Action::CopyRow, ""),
            (Action::Columns, ""),
        ]
    }

    fn owns(&self) -> &'static [Context] {
        &[Context::Savings]
    }

    fn act(&self, app: &mut App, action: Action) -> Vec<Effect> {
        app.act_on_savings(action);
        Vec::new()
    }

    fn enter(&self, app: &mut App) -> Vec<Effect> {
        app.enter_savings()
    }

    fn back(&self, app: &mut App) -> bool {
        app.back_on_savings()
    }

    fn strip(&self, app: &App, width: usize) -> Vec<Line> {
        pages::strip(app, width)
    }

    fn lists(&self) -> Vec<&'static ListSpec> {
        lists::LISTS.iter().map(|spec| &spec.list).collect()
    }

    fn commands(&self) -> &'static [CommandSpec] {
        commands::COMMANDS
    }

    fn shows_table(&self, app: &App) -> bool {
        app.savings_rows_on_screen() > 0
    }

    fn list<'a>(&self, app: &'a App) -> &'a List {
        app.tabs.savings.list(app.tabs.savings.shown())
    }

    fn list_mut<'a>(&self, app: &'a mut App) -> &'a mut List {
        app.tabs.savings.list_mut(app.tabs.savings.shown())
    }

    fn go_to_list(&self, app: &mut App) {
        app.close_pages();
    }

    fn sync(&self, app: &mut App) {
        app.sync_savings();
    }

    fn lines(&self, app: &App, width: usize) -> Vec<Line> {
        pages::empty(app, width)
    }

    fn context(&self, app: &App) -> ViewContext {
        app.savings_context()
    }

    fn row<'a>(&self, app: &'a App) -> Option<&'a Arc<Row>> {
        app.instance(&app.instance_of_saving()?)
    }

    fn marked_instances(&self, app: &App) -> Vec<Arc<str>> {
        app.instances_of_marked_savings().into_iter().cloned().collect()
    }

    fn id_to_copy(&self, app: &App) -> Option<(String, String)> {
        app.saving_to_copy()
    }

    fn row_to_copy(&self, app: &App) -> Option<(Arc<str>, Picture)> {
        app.current_saving_picture()
    }

    fn picture(&self, app: &App) -> Option<Picture> {
        app.savings_picture().filter(|_| self.shows_table(app))
    }

    fn forget(&self, app: &mut App) {
        app.savings = None;
        app.tabs.savings = SavingsTab::default();
    }

    fn page_contexts(&self, page: &Page) -> &'static [Context] {
        match page {
            // Its sliders have the keys of those of the What-if tab.
            Page::Guide => &[Context::WhatIf, Context::Main, Context::Move, Context::Any],
            _ => PAGE_CONTEXTS,
        }
    }

    fn page_hints(&self, page: &Page) -> Hints {
        match page {
            Page::Guide => &[
                (Action::Back, ""),
                (Action::Raise, ""),
                (Action::Lower, ""),
                (Action::SetValue, ""),
                (Action::NextChart, "next list"),
                (Action::Down, "next"),
                (Action::PageDown, "answer"),
            ],
            Page::Savings(page) => page.list.spec().page.hints,
            _ => PAGE_HINTS,
        }
    }

    fn act_on_page(&self, app: &mut App, action: Action) -> Option<Vec<Effect>> {
        if app.on_guide() {
            return app.act_on_guide(action);
        }
        if !matches!(action, Action::Left | Action::Right) {
            return None;
        }
        app.next_saving(action == Action::Right);
        Some(Vec::new())
    }

    fn enter_page(&self, app: &mut App) -> Vec<Effect> {
        app.enter_savings_page()
    }

    fn page_lines(&self, app: &App, page: &Page, width: usize) -> Vec<Line> {
        match page {
            Page::Savings(page) => (page.list.spec().page.lines)(app, &page.id, width),
            // The guide is made with its cursor.
            _ => Vec::new(),
        }
    }

    fn page_with_cursor(&self, app: &App, page: &Page, width: usize) -> (Vec<Line>, Option<usize>) {
        if matches!(page, Page::Guide) {
            let (lines, cursor) = pages::guide(app, width);
            return (lines, Some(cursor));
        }
        (self.page_lines(app, page, width), None)
    }

    fn page_row<'a>(&self, app: &'a App, _: &Page) -> Option<&'a Arc<Row>> {
        self.row(app)
    }
}
