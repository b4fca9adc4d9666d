//! What the cockpit asks of the list of actions, which lies over whatever it was opened from.

use std::sync::Arc;

use super::{commands, lists, pages};
use crate::app::command::CommandSpec;
use crate::app::content::Line;
use crate::app::keymap::{Action, Context};
use crate::app::screen::{Hints, PAGE_HINTS, Screen};
use crate::app::{App, Effect, Level, List, ListSpec, Notice, Page, Picture, Tab};

/// The list.
pub(crate) struct ActionsScreen;

impl Screen for ActionsScreen {
    fn tab(&self) -> Tab {
        Tab::Overview
    }

    fn is_on(&self, app: &App) -> bool {
        app.tabs.actions.is_on
    }

    fn title(&self) -> Option<&'static str> {
        Some("Actions")
    }

    fn needs_account(&self) -> bool {
        false
    }

    fn key(&self) -> Option<Action> {
        Some(Action::Actions)
    }

    fn open(&self, app: &mut App) -> Vec<Effect> {
        app.turn_actions();
        Vec::new()
    }

    fn on_tab_change(&self, app: &mut App) {
        app.leave_actions_behind();
    }

    fn contexts(&self, app: &App) -> &'static [Context] {
        if self.shows_table(app) {
            return &[Context::Table, Context::Main, Context::Move, Context::Any];
        }
        &[Context::Main, Context::Move, Context::Any]
    }

    fn hints(&self, app: &App) -> Hints {
        if !self.shows_table(app) {
            return &[(Action::Back, ""), (Action::Refresh, "")];
        }
        &[
            (Action::Back, ""),
            (Action::Enter, "details"),
            (Action::CopyId, "copy the way back"),
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::Export, ""),
        ]
    }

    fn act_first(&self, app: &mut App, action: Action) -> Option<Vec<Effect>> {
        match action {
            Action::Refresh => {
                app.read_actions_again();
                app.say(Notice::new(Level::Info, "reading the audit log again"));
            }
            Action::CopyId => return app.say_without_way_back(),
            _ => return None,
        }
        Some(Vec::new())
    }

    fn enter(&self, app: &mut App) -> Vec<Effect> {
        app.enter_actions();
        Vec::new()
    }

    fn back(&self, app: &mut App) -> bool {
        app.back_on_actions()
    }

    fn strip(&self, app: &App, width: usize) -> Vec<Line> {
        pages::strip(app, width)
    }

    fn lists(&self) -> Vec<&'static ListSpec> {
        vec![&lists::LIST]
    }

    fn commands(&self) -> &'static [CommandSpec] {
        commands::COMMANDS
    }

    fn shows_table(&self, app: &App) -> bool {
        app.action_rows() > 0
    }

    fn list<'a>(&self, app: &'a App) -> &'a List {
        &app.tabs.actions.list
    }

    fn list_mut<'a>(&self, app: &'a mut App) -> &'a mut List {
        &mut app.tabs.actions.list
    }

    fn go_to_list(&self, app: &mut App) {
        app.close_pages();
    }

    fn sync(&self, app: &mut App) {
        app.sync_actions();
    }

    fn after_update(&self, app: &mut App, effects: &mut Vec<Effect>) {
        effects.extend(app.ask_for_actions());
    }

    fn lines(&self, app: &App, width: usize) -> Vec<Line> {
        pages::empty(app, width)
    }

    fn id_to_copy(&self, app: &App) -> Option<(String, String)> {
        app.way_back_to_copy()
    }

    fn row_to_copy(&self, app: &App) -> Option<(Arc<str>, Picture)> {
        let id = app.current_action()?.id.clone();
        let picture = (lists::SOURCE.alone)(app, &id, app.view_context().now)?;
        Some((id, picture))
    }

    fn picture(&self, app: &App) -> Option<Picture> {
        let list = Some(&app.tabs.actions.list).filter(|_| self.shows_table(app))?;
        (lists::SOURCE.shown)(app, list, app.view_context().now)
    }

    fn forget(&self, app: &mut App) {
        app.forget_actions();
    }

    fn page_hints_now(&self, app: &App, page: &Page) -> Hints {
        match page {
            Page::Action { .. } if app.current_action().is_none_or(|row| row.back.is_empty()) => &[
                (Action::Back, ""),
                (Action::Right, "next"),
                (Action::Left, "previous"),
                (Action::CopyRow, ""),
                (Action::Down, ""),
            ],
            Page::Action { .. } => &[
                (Action::Back, ""),
                (Action::CopyId, "copy the way back"),
                (Action::Right, "next"),
                (Action::Left, "previous"),
                (Action::CopyRow, ""),
                (Action::Down, ""),
            ],
            _ => PAGE_HINTS,
        }
    }

    fn act_on_page(&self, app: &mut App, action: Action) -> Option<Vec<Effect>> {
        match action {
            Action::Left | Action::Right => app.next_action(action == Action::Right),
            Action::CopyId => return app.say_without_way_back(),
            _ => return None,
        }
        Some(Vec::new())
    }

    fn page_lines(&self, app: &App, page: &Page, width: usize) -> Vec<Line> {
        match page {
            Page::Action { run } => pages::action(app, run, width),
            _ => Vec::new(),
        }
    }

    fn page_picture(&self, app: &App, page: &Page) -> Option<Picture> {
        match page {
            Page::Action { run } => (lists::SOURCE.alone)(app, run, app.view_context().now),
            _ => None,
        }
    }
}
