//! A calculator that another tab filled: that of the network from paths, that of failed runs from attempts.

use super::PlanPage;
use crate::app::{App, Effect, Level, Notice, Page};
use crate::domain::bill::BillHead;
use crate::tabs::jobs::picture::RunsCalculator;
use crate::tabs::network::picture::Calculator;
use crate::whatif::levers::{LeverError, LeverKind, Levers, Sheet, command};
use crate::whatif::{Scenario, Slot};

/// What a calculator was filled with.
#[derive(Clone, Debug)]
pub enum Filled {
    /// The network calculator, from paths.
    Network {
        /// Flows, cuts, and what is in neither.
        of: Calculator,
        /// The bills of the month; empty where no bill was asked.
        heads: Vec<BillHead>,
    },
    /// That of failed runs, from attempts.
    Runs(RunsCalculator),
}

impl Filled {
    /// The page that shows it.
    pub(crate) fn page(&self) -> PlanPage {
        match self {
            Self::Network { .. } => PlanPage::Network,
            Self::Runs(_) => PlanPage::FailedRuns,
        }
    }

    /// What it comes to. Fails where an input is missing or cannot be.
    pub(crate) fn sheet(&self) -> Result<Sheet, LeverError> {
        match self {
            Self::Network { of, .. } => of.network.sheet(),
            Self::Runs(of) => of.runs.sheet(),
        }
    }

    /// The command that calculates the same without a screen.
    pub(crate) fn command(&self) -> String {
        match self {
            Self::Network { of, .. } => command(LeverKind::Network, &of.network),
            Self::Runs(of) => command(LeverKind::FailedRuns, &of.runs),
        }
    }

    /// Puts it in the place of what a scenario has of it.
    fn put(&self, levers: &mut Levers) {
        match self {
            Self::Network { of, .. } => levers.network = Some(of.network.clone()),
            Self::Runs(of) => levers.failed_runs = Some(of.runs.clone()),
        }
    }

    /// What it was filled from, as part of a sentence.
    fn said(&self) -> &'static str {
        match self {
            Self::Network { heads, .. } if heads.is_empty() => {
                "the network calculator is filled from live paths"
            }
            Self::Network { .. } => "the network calculator is filled from the bill",
            Self::Runs(_) => {
                "the calculator of failed runs is filled from the attempts that are kept"
            }
        }
    }
}

/// A calculator as it was filled last.
#[derive(Clone, Debug)]
pub struct FilledCalculator {
    /// What it was filled with.
    pub of: Filled,
    /// Slot whose scenario was given it; `None` before.
    pub slot: Option<Slot>,
}

impl App {
    /// Shows a calculator filled so. No scenario is changed: whoever only looks at it plans with it in no other way.
    pub(crate) fn calculate(&mut self, of: Filled) -> Vec<Effect> {
        let (page, said) = (of.page(), of.said());
        self.tabs.whatif.filled = Some(FilledCalculator { of, slot: None });
        let is_open =
            self.page().is_some_and(|opened| matches!(opened.page, Page::WhatIf(of) if of == page));
        if !is_open {
            self.open(Page::WhatIf(page));
        }
        self.say(Notice::new(Level::Info, said));
        Vec::new()
    }

    /// Puts the calculator that was filled last into the scenario on screen, and says which. Fails without either.
    pub(crate) fn use_calculator(&mut self) -> Result<Vec<Effect>, String> {
        let tab = &mut self.tabs.whatif;
        let (active, scenario) = (tab.active, tab.scenario().cloned());
        let Some(filled) = &mut tab.filled else {
            return Err(
                "no calculator is filled: n on the Network or the Jobs tab does it".to_owned()
            );
        };
        let Some(scenario) = scenario else {
            return Err("there is no scenario yet: `:whatif` says how to give a demand".to_owned());
        };
        let mut changed = Scenario::clone(&scenario);
        filled.of.put(&mut changed.levers);
        filled.slot = Some(active);
        let text = format!(
            "{} is planned with what the calculator holds; u on the What-if tab takes it back",
            active.letter()
        );
        self.say(Notice::new(Level::Info, text));
        Ok(self.change_plan(None, changed))
    }

    /// The calculator as it was filled last; `None` before.
    pub(crate) fn calculator(&self) -> Option<&FilledCalculator> {
        self.tabs.whatif.filled.as_ref()
    }

    /// The command of the calculator on screen, with its noun; `None` where none is.
    pub(crate) fn calculator_to_copy(&self) -> Option<(String, String)> {
        let Page::WhatIf(page) = &self.page()?.page else { return None };
        let command = self.calculator().filter(|_| page.is_calculator())?.of.command();
        Some(("the command".to_owned(), command))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::fixture::{after, init, without};
    use super::*;
    use crate::whatif::levers::FailedRuns;

    fn filled(app: &App) -> Filled {
        let now = app.view_context().now;
        let runs = FailedRuns::default();
        let of = RunsCalculator { runs, from: now, to: now, unpriced: 0, without_gpu_time: 0 };
        Filled::Runs(of)
    }

    #[test]
    fn who_looks_at_a_calculator_changes_no_scenario() {
        let mut app = after((120, 40), "7B");
        let scenarios = |app: &App| {
            [Slot::A, Slot::B]
                .map(|slot| Arc::clone(app.whatif().plan_of(slot).unwrap().scenario()))
        };
        let before = scenarios(&app);
        let of = filled(&app);
        assert_eq!(app.calculate(of), []);
        assert_eq!(scenarios(&app), before);
        assert_eq!(app.calculator().unwrap().slot, None);
    }

    #[test]
    fn it_goes_into_the_scenario_on_screen_when_asked_and_that_is_said() {
        let mut app = after((120, 40), "7B");
        let of = filled(&app);
        app.calculate(of);
        let effects = app.use_calculator().unwrap();
        assert!(matches!(&effects[..], [Effect::Plan(of)] if of.slot == Slot::B), "{effects:?}");
        let has =
            |slot| app.whatif().plan_of(slot).unwrap().scenario().levers.failed_runs.is_some();
        assert_eq!(Slot::ALL[..2].iter().map(|slot| has(*slot)).collect::<Vec<_>>(), [false, true]);
        assert!(app.notice().unwrap().text.starts_with("B is planned with"));
        assert_eq!(app.calculator().unwrap().slot, Some(Slot::B));
    }

    #[test]
    fn without_a_calculator_or_a_scenario_it_is_said_why_nothing_is_put_anywhere() {
        let mut app = after((120, 40), "7");
        assert!(app.use_calculator().unwrap_err().contains("no calculator is filled"));
        let mut app = without(init((120, 40)));
        let of = filled(&app);
        app.calculate(of);
        assert!(app.use_calculator().unwrap_err().contains("no scenario yet"));
    }
}
