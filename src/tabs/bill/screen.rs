//! What the cockpit asks of the Bill tab.

use std::sync::Arc;

use super::state::BillTab;
use super::{commands, lists, pages};
use crate::app::command::CommandSpec;
use crate::app::content::Line;
use crate::app::keymap::{Action, Context};
use crate::app::screen::{Hints, Screen};
use crate::app::{App, Effect, Level, List, ListSpec, Notice, Page, Picture, Tab};
use crate::tabs::bill::TAB;

/// The tab.
pub(crate) struct BillScreen;

impl Screen for BillScreen {
    fn tab(&self) -> Tab {
        TAB
    }

    fn key(&self) -> Option<Action> {
        Some(Action::TabBill)
    }

    fn needs_account(&self) -> bool {
        false
    }

    fn follow(&self, app: &mut App) -> Vec<Effect> {
        app.go_to_tab(TAB);
        Vec::new()
    }

    fn on_tab_change(&self, app: &mut App) {
        app.read_bills_again();
    }

    fn contexts(&self, app: &App) -> &'static [Context] {
        if self.shows_table(app) {
            return &[
                Context::Bill,
                Context::Bills,
                Context::Table,
                Context::Main,
                Context::Move,
                Context::Any,
            ];
        }
        &[Context::Bill, Context::Bills, Context::Main, Context::Move, Context::Any]
    }

    fn hints(&self, app: &App) -> Hints {
        app.bill_hints()
    }

    fn act_first(&self, app: &mut App, action: Action) -> Option<Vec<Effect>> {
        (action == Action::Refresh).then(|| {
            app.read_bills_again();
            app.say(Notice::new(Level::Info, "reading the bills again"));
            Vec::new()
        })
    }

    fn owns(&self) -> &'static [Context] {
        &[Context::Bill, Context::Bills]
    }

    fn act(&self, app: &mut App, action: Action) -> Vec<Effect> {
        app.act_on_bill(action);
        Vec::new()
    }

    fn enter(&self, app: &mut App) -> Vec<Effect> {
        app.enter_bill();
        Vec::new()
    }

    fn back(&self, app: &mut App) -> bool {
        app.back_on_bill()
    }

    fn strip(&self, app: &App, width: usize) -> Vec<Line> {
        pages::strip(app, width)
    }

    fn strip_height(&self, _: &App, body: u16) -> u16 {
        pages::strip_height(body)
    }

    fn lists(&self) -> Vec<&'static ListSpec> {
        lists::LISTS.iter().map(|spec| &spec.list).collect()
    }

    fn commands(&self) -> &'static [CommandSpec] {
        commands::COMMANDS
    }

    fn shows_table(&self, app: &App) -> bool {
        app.bill_rows_on_screen() > 0
    }

    fn list<'a>(&self, app: &'a App) -> &'a List {
        app.tabs.bill.list(app.tabs.bill.look())
    }

    fn list_mut<'a>(&self, app: &'a mut App) -> &'a mut List {
        app.tabs.bill.list_mut(app.tabs.bill.look())
    }

    fn go_to_list(&self, app: &mut App) {
        app.close_pages();
    }

    fn sync(&self, app: &mut App) {
        app.sync_bill();
    }

    fn after_update(&self, app: &mut App, effects: &mut Vec<Effect>) {
        app.after_update_bill(effects);
    }

    fn lines(&self, app: &App, width: usize) -> Vec<Line> {
        pages::empty(app, width)
    }

    fn id_to_copy(&self, app: &App) -> Option<(String, String)> {
        let id = app.current_bill_row()?.to_string();
        Some(("the value".to_owned(), id))
    }

    fn row_to_copy(&self, app: &App) -> Option<(Arc<str>, Picture)> {
        app.bill_row_to_copy()
    }

    fn picture(&self, app: &App) -> Option<Picture> {
        app.bill_list_picture().filter(|_| self.shows_table(app))
    }

    fn forget(&self, app: &mut App) {
        app.tabs.bill = BillTab::default();
    }

    fn page_lines(&self, app: &App, page: &Page, width: usize) -> Vec<Line> {
        match page {
            Page::BillSource => pages::source(app, width),
            _ => Vec::new(),
        }
    }
}
