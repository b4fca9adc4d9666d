//! What the cockpit asks of the What-if tab.

use super::state::WhatIf;
use super::{commands, pages};
use crate::app::command::CommandSpec;
use crate::app::content::Line;
use crate::app::keymap::{Action, Context};
use crate::app::screen::{Hints, PAGE_HINTS, Screen};
use crate::app::{App, Effect, Page, Picture, Tab};
use crate::report::Format;
use crate::tabs::whatif::TAB;

/// Screen of the What-if tab.
pub(crate) struct WhatIfScreen;

/// What the key of a scenario does: copies the one on screen, or, being that of the one on screen, compares all.
const SLOTS: [(Action, &str); 4] = [
    (Action::SlotB, "copy"),
    (Action::SlotA, "compare"),
    (Action::SlotB, "compare"),
    (Action::SlotC, "compare"),
];

/// Keys beside a plot, by what the key for one family does, and then by [`SLOTS`]. The first six fit 80 columns, with the help.
static BESIDE_PLOT: [[[(Action, &str); 17]; 4]; 2] =
    [beside_plots("only one"), beside_plots("for all")];

/// Keys beside a list or table, likewise.
static BESIDE_TEXT: [[[(Action, &str); 16]; 4]; 2] =
    [beside_texts("only one"), beside_texts("for all")];

const fn beside_plots(only: &'static str) -> [[(Action, &'static str); 17]; 4] {
    let [first, second, third, fourth] = SLOTS;
    [
        beside_plot(only, first),
        beside_plot(only, second),
        beside_plot(only, third),
        beside_plot(only, fourth),
    ]
}

const fn beside_texts(only: &'static str) -> [[(Action, &'static str); 16]; 4] {
    let [first, second, third, fourth] = SLOTS;
    [
        beside_text(only, first),
        beside_text(only, second),
        beside_text(only, third),
        beside_text(only, fourth),
    ]
}

const fn beside_plot(
    only: &'static str,
    slot: (Action, &'static str),
) -> [(Action, &'static str); 17] {
    [
        (Action::FindInput, "find, set"),
        (Action::BuyBest, "buy best"),
        slot,
        (Action::SaveScenario, ""),
        (Action::Export, "memo"),
        (Action::OnlyFamily, only),
        (Action::Raise, ""),
        (Action::SetValue, ""),
        (Action::Explain, ""),
        (Action::NextChart, "chart"),
        (Action::Lower, ""),
        (Action::NextGroup, ""),
        (Action::HalfDown, "section"),
        (Action::Right, "along the chart"),
        (Action::Undo, ""),
        (Action::LoadScenario, ""),
        (Action::PlanNotes, ""),
    ]
}

const fn beside_text(
    only: &'static str,
    slot: (Action, &'static str),
) -> [(Action, &'static str); 16] {
    [
        (Action::HalfDown, "scroll"),
        (Action::SaveScenario, ""),
        (Action::Export, "memo"),
        (Action::FindInput, "find, set"),
        slot,
        (Action::NextChart, "chart"),
        (Action::OnlyFamily, only),
        (Action::Raise, ""),
        (Action::Lower, ""),
        (Action::SetValue, ""),
        (Action::NextGroup, ""),
        (Action::Undo, ""),
        (Action::LoadScenario, ""),
        (Action::ChartAlone, ""),
        (Action::Explain, ""),
        (Action::PlanNotes, ""),
    ]
}

impl Screen for WhatIfScreen {
    fn tab(&self) -> Tab {
        TAB
    }

    fn key(&self) -> Option<Action> {
        Some(Action::TabWhatIf)
    }

    fn needs_account(&self) -> bool {
        false
    }

    fn follow(&self, app: &mut App) -> Vec<Effect> {
        app.go_to_whatif(None)
    }

    fn contexts(&self, _: &App) -> &'static [Context] {
        &[Context::WhatIf, Context::Main, Context::Move, Context::Any]
    }

    fn hints(&self, app: &App) -> Hints {
        if !app.has_whatif() {
            return &[(Action::Command, ":demand FILE"), (Action::NextTab, ""), (Action::Quit, "")];
        }
        let tab = app.whatif();
        let is_one = tab.scenario().is_some_and(|scenario| scenario.only.is_some());
        let (at, slot) = (usize::from(is_one), tab.comparing().map_or(0, |slot| slot + 1));
        if tab.chart.is_text() { &BESIDE_TEXT[at][slot] } else { &BESIDE_PLOT[at][slot] }
    }

    fn act_first(&self, app: &mut App, action: Action) -> Option<Vec<Effect>> {
        app.act_on_whatif(action)
    }

    fn enter(&self, _: &mut App) -> Vec<Effect> {
        Vec::new()
    }

    fn wheel(&self, app: &mut App, lines: isize) -> bool {
        app.scroll_list(lines);
        true
    }

    fn click(&self, app: &mut App, at: (u16, u16), _: u16) -> Option<Vec<Effect>> {
        Some(app.click_whatif(at.0, at.1))
    }

    fn commands(&self) -> &'static [CommandSpec] {
        commands::COMMANDS
    }

    fn has_list(&self) -> bool {
        false
    }

    fn picture(&self, app: &App) -> Option<Picture> {
        Some(Picture::new(app.plan_picture()?, app.view_context().now))
    }

    fn id_to_copy(&self, app: &App) -> Option<(String, String)> {
        app.calculator_to_copy()
    }

    fn page_hints(&self, page: &Page) -> Hints {
        match page {
            Page::WhatIf(page) if page.is_calculator() => {
                &[(Action::Back, ""), (Action::CopyId, "copy command"), (Action::Down, "")]
            }
            _ => PAGE_HINTS,
        }
    }

    fn page_picture(&self, app: &App, page: &Page) -> Option<Picture> {
        // A calculator is no part of a plan's memo.
        let is_plan = !matches!(page, Page::WhatIf(page) if page.is_calculator());
        self.picture(app).filter(|_| is_plan)
    }

    fn export_format(&self) -> Format {
        Format::Md
    }

    fn export_stem(&self, app: &App, _: &Picture) -> String {
        app.plan_stem()
    }

    fn check_export(&self, app: &App, format: Format) -> Result<(), String> {
        app.check_plan_export(format)
    }

    fn export_waits(&self, app: &mut App, format: Format, path: &str) -> bool {
        app.plan_export_waits(format, path)
    }

    fn save(&self, app: &mut App, name: &str) -> Result<Vec<Effect>, String> {
        app.save_scenario(name)
    }

    fn replaces(&self, app: &App, name: &str) -> Option<String> {
        app.kept_scenario(name)
    }

    fn on_tab_change(&self, app: &mut App) {
        app.tabs.whatif.opening = false;
    }

    fn is_drawn(&self, app: &App) -> bool {
        app.has_whatif()
    }

    fn after_update(&self, app: &mut App, effects: &mut Vec<Effect>) {
        if app.tab() == TAB && !app.has_whatif() {
            effects.extend(app.want_demand());
        }
    }

    fn lines(&self, app: &App, width: usize) -> Vec<Line> {
        pages::how(app, width)
    }

    fn prepare(&self, app: &mut App) -> bool {
        if !app.has_whatif() {
            return false;
        }
        // What another page left is no line of this tab.
        app.body = crate::app::Body::default();
        app.clamp_list();
        true
    }

    fn forget(&self, app: &mut App) {
        app.tabs.whatif = WhatIf::default();
    }

    fn page_lines(&self, app: &App, page: &Page, width: usize) -> Vec<Line> {
        match page {
            Page::WhatIf(page) => pages::page(app, *page, width),
            _ => Vec::new(),
        }
    }
}
