//! What the cockpit asks of the Storage tab.

use std::sync::Arc;

use super::state::{Storage, StoragePage};
use super::{commands, lists, pages};
use crate::app::command::CommandSpec;
use crate::app::content::Line;
use crate::app::keymap::{Action, Context};
use crate::app::screen::{Hints, PAGE_HINTS, Screen};
use crate::app::{App, Effect, Level, List, ListSpec, Notice, Page, Picture, Tab};
use crate::tabs::storage::TAB;
use crate::view::ViewContext;

/// The tab.
pub(crate) struct StorageScreen;

impl Screen for StorageScreen {
    fn tab(&self) -> Tab {
        TAB
    }

    fn key(&self) -> Option<Action> {
        Some(Action::TabStorage)
    }

    fn needs_account(&self) -> bool {
        false
    }

    fn follow(&self, app: &mut App) -> Vec<Effect> {
        app.go_to_storage(app.tabs.storage.look);
        Vec::new()
    }

    fn on_tab_change(&self, app: &mut App) {
        app.tabs.storage.forget_steps();
    }

    fn contexts(&self, app: &App) -> &'static [Context] {
        if self.shows_table(app) {
            return &[Context::Storage, Context::Table, Context::Main, Context::Move, Context::Any];
        }
        &[Context::Storage, Context::Main, Context::Move, Context::Any]
    }

    fn hints(&self, app: &App) -> Hints {
        if !self.shows_table(app) {
            return &[(Action::NextList, ""), (Action::Log, ""), (Action::Refresh, "")];
        }
        app.tabs.storage.look.spec().ways.hints
    }

    fn offers(&self, app: &App, action: Action) -> bool {
        match (action, app.page().map(|opened| &opened.page)) {
            (
                Action::CopyId,
                Some(Page::Storage(StoragePage::Tiers(_) | StoragePage::Lifecycle(_))),
            ) => self.id_to_copy(app).is_some(),
            _ => app.offers_on_storage(action),
        }
    }

    fn owns(&self) -> &'static [Context] {
        &[Context::Storage]
    }

    fn act(&self, app: &mut App, action: Action) -> Vec<Effect> {
        app.act_on_storage(action)
    }

    fn enter(&self, app: &mut App) -> Vec<Effect> {
        app.enter_storage()
    }

    fn level(&self, app: &App) -> usize {
        app.tabs.storage.level()
    }

    fn back(&self, app: &mut App) -> bool {
        app.back_on_storage()
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
        app.storage_rows_on_screen() > 0
    }

    fn list<'a>(&self, app: &'a App) -> &'a List {
        app.tabs.storage.list(app.tabs.storage.look)
    }

    fn list_mut<'a>(&self, app: &'a mut App) -> &'a mut List {
        app.tabs.storage.list_mut(app.tabs.storage.look)
    }

    fn go_to_list(&self, app: &mut App) {
        app.close_pages();
    }

    fn sync(&self, app: &mut App) {
        app.sync_storage();
    }

    fn after_update(&self, app: &mut App, effects: &mut Vec<Effect>) {
        app.after_update_storage(effects);
    }

    fn picture(&self, app: &App) -> Option<Picture> {
        app.storage_picture().filter(|_| self.shows_table(app))
    }

    fn lines(&self, app: &App, width: usize) -> Vec<Line> {
        pages::empty(app, width)
    }

    fn id_to_copy(&self, app: &App) -> Option<(String, String)> {
        match app.page().map(|opened| &opened.page) {
            Some(Page::Storage(StoragePage::Tiers(subject))) => pages::rule_to_copy(app, subject),
            _ => app.storage_to_copy(),
        }
    }

    fn row_to_copy(&self, app: &App) -> Option<(Arc<str>, Picture)> {
        app.storage_row_to_copy()
    }

    fn context(&self, app: &App) -> ViewContext {
        app.storage_context()
    }

    fn forget(&self, app: &mut App) {
        app.storage = None;
        app.tabs.storage = Storage::default();
    }

    fn page_contexts(&self, _: &Page) -> &'static [Context] {
        &[Context::Storage, Context::Main, Context::Move, Context::Any]
    }

    fn page_hints(&self, page: &Page) -> Hints {
        let Page::Storage(page) = page else { return PAGE_HINTS };
        match page {
            StoragePage::Tiers(_) => &[
                (Action::Back, ""),
                (Action::MoreReads, ""),
                (Action::LessReads, ""),
                (Action::SetReads, ""),
                (Action::CopyId, "copy rule"),
                (Action::Down, ""),
            ],
            StoragePage::Row(list, _) => list.spec().page.as_ref().map_or(PAGE_HINTS, |p| p.hints),
            StoragePage::Lifecycle(_) => &[
                (Action::Back, ""),
                (Action::CopyId, "copy rules"),
                (Action::BucketFindings, ""),
                (Action::BucketRuns, ""),
                (Action::Down, ""),
                (Action::PageDown, ""),
            ],
        }
    }

    fn act_on_page(&self, app: &mut App, action: Action) -> Option<Vec<Effect>> {
        if action == Action::CopyId && !self.offers(app, action) {
            app.say(Notice::new(Level::Info, "no rule is known that would save something"));
            return Some(Vec::new());
        }
        let page = app.page().map(|opened| &opened.page);
        let is_row = matches!(page, Some(Page::Storage(StoragePage::Row(..))));
        (is_row && matches!(action, Action::Left | Action::Right)).then(|| {
            app.next_on_storage(action == Action::Right);
            Vec::new()
        })
    }

    fn enter_page(&self, app: &mut App) -> Vec<Effect> {
        app.enter_storage_page()
    }

    fn page_lines(&self, app: &App, page: &Page, width: usize) -> Vec<Line> {
        match page {
            Page::Storage(page) => pages::page(app, page, width),
            _ => Vec::new(),
        }
    }
}
