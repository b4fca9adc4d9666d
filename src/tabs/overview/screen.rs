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
use crate::tabs::gpus::pages as gpu_pages;
use crate::tabs::overview::TAB;
use crate::tabs::savings::pages::bar;

/// Words of the ladder.
const WORDS: [(&str, &str); 4] = [
    (
        "the bar below the parts",
        "All parts of the bill side by side, each as wide as its dollars, drawn in the sign that stands before its row.",
    ),
    (
        "! before a part",
        "Waste: it is paid for and serves nothing. The line `waste, marked !` is the sum of these.",
    ),
    (
        "paid besides",
        "What is paid for all but instances and the commitments that pay for them: storage, network, resources, and \
         commitments and reserved room that nothing uses.",
    ),
    (
        "judged, live now",
        "By verdicts, over days; as exporters see it in this minute. The lines below lead from the waste of the one to that \
         of the other.",
    ),
];

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
            ($enter:literal $(, $first:ident)*) => {
                &[
                    (Action::Enter, $enter),
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
            (true, true) => hints!("why", NextSavings, Act),
            (true, false) => hints!("", NextSavings),
            (false, true) => hints!("why", Act),
            (false, false) => hints!(""),
        };
        // Where no line in sight leads anywhere, enter does nothing.
        if app.finding_in_sight().is_some() { all } else { &all[1..] }
    }

    fn glossary(&self) -> Vec<(&'static str, &'static str)> {
        WORDS.into_iter().chain(gpu_pages::WORDS).collect()
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
