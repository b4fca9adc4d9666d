//! The Overview tab: what the fleet burns, what of it is waste, and where to go from there.

use std::sync::Arc;

use super::pages;
use super::state::Overviews;
use crate::app::content::{self, Line, Target};
use crate::app::keymap::{Action, Context};
use crate::app::screen::{Hints, Screen};
use crate::app::{App, Effect, Page, Picture, Tab};
use crate::fleet::Row;
use crate::report::{FindingOptions, OverviewReport};
use crate::tabs::overview::TAB;
use crate::tabs::savings::pages::bar;

/// Screen of the Overview tab.
pub(crate) struct OverviewScreen;

impl Screen for OverviewScreen {
    fn tab(&self) -> Tab {
        TAB
    }

    fn key(&self) -> Option<Action> {
        Some(Action::TabOverview)
    }

    fn open(&self, app: &mut App) -> Vec<Effect> {
        app.go_to_savings(None);
        Vec::new()
    }

    fn contexts(&self, _: &App) -> &'static [Context] {
        &[Context::Savings, Context::Main, Context::Move, Context::Any]
    }

    fn hints(&self, app: &App) -> Hints {
        macro_rules! hints {
            ($($first:ident),*) => {
                &[
                    (Action::Enter, "why"),
                    $((Action::$first, ""),)*
                    (Action::TabIdle, "idle list"),
                    (Action::Actions, ""),
                    (Action::Command, ""),
                    (Action::Refresh, ""),
                    (Action::Log, ""),
                    (Action::Quit, ""),
                ]
            };
        }
        // Of what can be seen here instances alone can be acted on.
        let all: Hints = match (app.savings().is_some(), self.row(app).is_some()) {
            (true, true) => hints!(NextSavings, Act),
            (true, false) => hints!(NextSavings),
            (false, true) => hints!(Act),
            (false, false) => hints!(),
        };
        // Where no line in sight leads anywhere, enter does nothing.
        if app.finding_in_sight().is_some() { all } else { &all[1..] }
    }

    fn enter(&self, app: &mut App) -> Vec<Effect> {
        let target = app.target_in_sight().cloned();
        target.map(|target| app.go_to_target(target)).unwrap_or_default()
    }

    fn prepare(&self, app: &mut App) -> bool {
        app.make_overview();
        false
    }

    fn picture(&self, app: &App) -> Option<Picture> {
        let report = OverviewReport {
            fleet: app.shown()?.clone(),
            gpus: app.gpus().cloned().unwrap_or_default(),
            storage: app.storage().cloned(),
            savings: app.savings().cloned(),
            past: app.burn_past().cloned(),
            preset: app.preset().to_owned(),
            filter: String::new(),
            findings: FindingOptions::default(),
        };
        Some(Picture::new(report, app.view_context().now))
    }

    fn forget(&self, app: &mut App) {
        app.tabs.overview = Overviews::default();
    }

    fn lines(&self, app: &App, width: usize) -> Vec<Line> {
        match app.tabs.overview.newest() {
            Some(overview) if !app.is_empty() => {
                let mut lines = vec![bar(app, width)];
                lines.extend(pages::lines(app, overview, width));
                lines
            }
            _ => content::reading::lines(app, width),
        }
    }

    fn page_lines(&self, app: &App, page: &Page, width: usize) -> Vec<Line> {
        match (page, app.tabs.overview.newest()) {
            (Page::Bill(page), Some(overview)) => {
                pages::bill(overview, *page, &app.view_context(), width)
            }
            _ => Vec::new(),
        }
    }

    fn row<'a>(&self, app: &'a App) -> Option<&'a Arc<Row>> {
        match app.target_in_sight()? {
            Target::Instance(id) => app.instance(id),
            _ => None,
        }
    }
}

impl App {
    /// Where the line of the overview leads that the cursor is on, if it is on screen.
    fn target_in_sight(&self) -> Option<&Target> {
        self.body.lines.get(self.finding_in_sight()?)?.target.as_ref()
    }
}
