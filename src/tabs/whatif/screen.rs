//! What the cockpit asks of the What-if tab.

use super::pages;
use super::state::WhatIf;
use crate::app::content::Line;
use crate::app::keymap::{Action, Context};
use crate::app::screen::{Hints, Screen};
use crate::app::{App, Effect, Page, Tab};
use crate::tabs::whatif::TAB;

/// The tab.
pub(crate) struct WhatIfScreen;

impl Screen for WhatIfScreen {
    fn tab(&self) -> Tab {
        TAB
    }

    fn key(&self) -> Option<Action> {
        Some(Action::TabWhatIf)
    }

    fn is_listed(&self, app: &App) -> bool {
        app.has_whatif()
    }

    fn needs_account(&self) -> bool {
        false
    }

    fn follow(&self, app: &mut App) -> Vec<Effect> {
        app.go_to_whatif(None)
    }

    fn open(&self, app: &mut App) -> Vec<Effect> {
        app.want_whatif()
    }

    fn contexts(&self, _: &App) -> &'static [Context] {
        &[Context::WhatIf, Context::Main, Context::Move, Context::Any]
    }

    fn hints(&self, app: &App) -> Hints {
        if app.whatif.chart.is_text() {
            return &[
                (Action::Raise, ""),
                (Action::Lower, ""),
                (Action::SetValue, ""),
                (Action::NextChart, ""),
                (Action::NextGroup, ""),
                (Action::HalfDown, "scroll"),
                (Action::Undo, ""),
                (Action::SlotB, ""),
                (Action::ChartAlone, ""),
                (Action::Explain, ""),
                (Action::Export, ""),
            ];
        }
        &[
            (Action::Raise, ""),
            (Action::Lower, ""),
            (Action::SetValue, ""),
            (Action::NextChart, ""),
            (Action::NextGroup, ""),
            (Action::Right, "read"),
            (Action::Undo, ""),
            (Action::BuyBest, ""),
            (Action::SlotB, ""),
            (Action::Explain, ""),
            (Action::SaveScenario, ""),
            (Action::Export, ""),
        ]
    }

    fn act_first(&self, app: &mut App, action: Action) -> Option<Vec<Effect>> {
        app.act_on_whatif(action)
    }

    fn enter(&self, _: &mut App) -> Vec<Effect> {
        Vec::new()
    }

    fn is_drawn(&self, _: &App) -> bool {
        true
    }

    fn prepare(&self, app: &mut App) -> bool {
        // What another page left is no line of this tab.
        app.body = crate::app::Body::default();
        app.settle_list();
        true
    }

    fn forget(&self, app: &mut App) {
        app.whatif = WhatIf::default();
    }

    fn page_lines(&self, app: &App, page: &Page, width: usize) -> Vec<Line> {
        match page {
            Page::WhatIf(page) => pages::page(app, *page, width),
            _ => Vec::new(),
        }
    }
}
