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
    /// Slot whose scenario has it, too; `None` without a scenario.
    pub slot: Option<Slot>,
}

impl App {
    /// Shows a calculator filled so. The scenario that is edited, where there is one, has it from here on: it is kept with it.
    pub(crate) fn calculate(&mut self, of: Filled) -> Vec<Effect> {
        let tab = &mut self.tabs.whatif;
        let scenario = tab.scenario().cloned();
        let slot = scenario.is_some().then_some(tab.active);
        let page = of.page();
        let changed = scenario.map(|scenario| {
            let mut changed = Scenario::clone(&scenario);
            of.put(&mut changed.levers);
            changed
        });
        let said = of.said();
        tab.filled = Some(FilledCalculator { of, slot });
        let is_open =
            self.page().is_some_and(|opened| matches!(opened.page, Page::WhatIf(of) if of == page));
        if !is_open {
            self.open(Page::WhatIf(page));
        }
        self.say(Notice::new(Level::Info, said));
        changed.map_or_else(Vec::new, |changed| self.change_plan(None, changed))
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
