//! What the cockpit asks of the Jobs tab.

use std::sync::Arc;

use super::state::{JobsList, JobsPage};
use super::{commands, lists, pages};
use crate::app::command::CommandSpec;
use crate::app::content::Line;
use crate::app::keymap::{Action, Context};
use crate::app::screen::{Hints, PAGE_HINTS, Screen};
use crate::app::{App, Effect, Level, List, ListSpec, Notice, Page, Picture, Tab};
use crate::tabs::bill::pages::strip_height;
use crate::tabs::jobs::TAB;

/// The tab.
pub(crate) struct JobsScreen;

impl Screen for JobsScreen {
    fn tab(&self) -> Tab {
        TAB
    }

    fn key(&self) -> Option<Action> {
        Some(Action::TabJobs)
    }

    fn needs_account(&self) -> bool {
        false
    }

    fn on_tab_change(&self, app: &mut App) {
        app.read_jobs_again();
    }

    fn contexts(&self, app: &App) -> &'static [Context] {
        if self.shows_table(app) {
            return &[Context::Jobs, Context::Table, Context::Main, Context::Move, Context::Any];
        }
        &[Context::Jobs, Context::Main, Context::Move, Context::Any]
    }

    fn hints(&self, app: &App) -> Hints {
        app.jobs_hints()
    }

    fn act_first(&self, app: &mut App, action: Action) -> Option<Vec<Effect>> {
        match action {
            Action::Refresh => {
                app.read_jobs_again();
                app.say(Notice::new(Level::Info, "reading jobs again"));
                Some(Vec::new())
            }
            Action::CopyMessage => Some(app.copy_job_message()),
            _ => None,
        }
    }

    fn owns(&self) -> &'static [Context] {
        &[Context::Jobs]
    }

    fn act(&self, app: &mut App, action: Action) -> Vec<Effect> {
        app.act_on_jobs(action)
    }

    fn enter(&self, app: &mut App) -> Vec<Effect> {
        app.enter_jobs();
        Vec::new()
    }

    fn back(&self, app: &mut App) -> bool {
        app.back_on_jobs()
    }

    fn strip(&self, app: &App, width: usize) -> Vec<Line> {
        pages::strip(app, width)
    }

    fn strip_height(&self, _: &App, body: u16) -> u16 {
        strip_height(body)
    }

    fn lists(&self) -> Vec<&'static ListSpec> {
        lists::LISTS.iter().map(|spec| &spec.list).collect()
    }

    fn commands(&self) -> &'static [CommandSpec] {
        commands::COMMANDS
    }

    fn shows_table(&self, app: &App) -> bool {
        app.jobs_rows_on_screen() > 0
    }

    fn list<'a>(&self, app: &'a App) -> &'a List {
        app.tabs.jobs.list(app.tabs.jobs.look())
    }

    fn list_mut<'a>(&self, app: &'a mut App) -> &'a mut List {
        app.tabs.jobs.list_mut(app.tabs.jobs.look())
    }

    fn go_to_list(&self, app: &mut App) {
        app.close_pages();
    }

    fn sync(&self, app: &mut App) {
        app.sync_jobs();
    }

    fn after_update(&self, app: &mut App, effects: &mut Vec<Effect>) {
        app.after_update_jobs(effects);
    }

    fn lines(&self, app: &App, width: usize) -> Vec<Line> {
        pages::empty(app, width)
    }

    fn id_to_copy(&self, app: &App) -> Option<(String, String)> {
        app.job_to_copy()
    }

    fn row_to_copy(&self, app: &App) -> Option<(Arc<str>, Picture)> {
        app.job_row_to_copy()
    }

    fn picture(&self, app: &App) -> Option<Picture> {
        app.jobs_list_picture().filter(|_| self.shows_table(app))
    }

    fn forget(&self, app: &mut App) {
        app.forget_jobs();
    }

    fn page_contexts(&self, _: &Page) -> &'static [Context] {
        &[Context::Jobs, Context::Main, Context::Move, Context::Any]
    }

    fn page_hints(&self, page: &Page) -> Hints {
        match page {
            Page::Jobs(JobsPage::Attempt { .. }) => &[
                (Action::Back, ""),
                (Action::Right, "next"),
                (Action::Left, "previous"),
                (Action::CopyMessage, ""),
                (Action::CopyCommand, ""),
                (Action::CopyId, ""),
                (Action::CopyRow, ""),
                (Action::Down, ""),
            ],
            Page::Jobs(JobsPage::Row { list: JobsList::Replays | JobsList::Scaling, .. }) => &[
                (Action::Back, ""),
                (Action::Right, "next"),
                (Action::Left, "previous"),
                (Action::CopyId, "copy lines"),
                (Action::CopyRow, ""),
                (Action::Down, ""),
            ],
            Page::Jobs(_) => &[
                (Action::Back, ""),
                (Action::Right, "next"),
                (Action::Left, "previous"),
                (Action::CopyId, ""),
                (Action::CopyRow, ""),
                (Action::Down, ""),
            ],
            _ => PAGE_HINTS,
        }
    }

    fn act_on_page(&self, app: &mut App, action: Action) -> Option<Vec<Effect>> {
        match action {
            Action::Left | Action::Right => {
                app.next_job(action == Action::Right);
                Some(Vec::new())
            }
            Action::CopyMessage => Some(app.copy_job_message()),
            _ => None,
        }
    }

    fn page_lines(&self, app: &App, page: &Page, width: usize) -> Vec<Line> {
        match page {
            Page::Jobs(JobsPage::Attempt { id }) => pages::attempt(app, id, width),
            Page::Jobs(JobsPage::Row { list, id }) => pages::row(app, *list, id, width),
            _ => Vec::new(),
        }
    }
}
