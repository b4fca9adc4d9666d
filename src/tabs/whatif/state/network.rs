//! The network calculator, filled from a bill, or from what was read of the account.

use super::PlanPage;
use crate::app::{App, Effect, Level, Notice, Page};
use crate::domain::bill::BillHead;
use crate::tabs::network::picture::Calculator;
use crate::whatif::levers::{LeverKind, command};
use crate::whatif::{Scenario, Slot};

/// The network calculator as paths filled it.
#[derive(Clone, Debug)]
pub struct FilledNetwork {
    /// Flows, cuts, and what is in neither.
    pub of: Calculator,
    /// The bills of the month; empty where no bill was asked.
    pub heads: Vec<BillHead>,
    /// Slot whose scenario has it, too; `None` without a scenario.
    pub slot: Option<Slot>,
}

impl FilledNetwork {
    /// The command that calculates the same without a screen.
    pub fn command(&self) -> String {
        command(LeverKind::Network, &self.of.network)
    }
}

impl App {
    /// Shows the network calculator filled so. The scenario that is edited, where there is one, has it from here on: it is
    /// kept with it.
    pub(crate) fn calculate_network(
        &mut self,
        of: Calculator,
        heads: Vec<BillHead>,
    ) -> Vec<Effect> {
        let tab = &mut self.tabs.whatif;
        let scenario = tab.scenario().cloned();
        let slot = scenario.is_some().then_some(tab.active);
        let from = if heads.is_empty() { "live paths" } else { "the bill" };
        tab.network = Some(FilledNetwork { of: of.clone(), heads, slot });
        if self.page().is_none_or(|opened| !matches!(opened.page, Page::WhatIf(PlanPage::Network)))
        {
            self.open(Page::WhatIf(PlanPage::Network));
        }
        self.say(Notice::new(Level::Info, format!("the network calculator is filled from {from}")));
        let Some(scenario) = scenario else { return Vec::new() };
        let mut changed = Scenario::clone(&scenario);
        changed.levers.network = Some(of.network);
        self.change_plan(None, changed)
    }

    /// The network calculator as it was filled last; `None` before.
    pub(crate) fn network_calculator(&self) -> Option<&FilledNetwork> {
        self.tabs.whatif.network.as_ref()
    }

    /// The command of the calculator on screen, with its noun; `None` where none is.
    pub(crate) fn calculator_to_copy(&self) -> Option<(String, String)> {
        let opened = self.page()?;
        let is_on = matches!(opened.page, Page::WhatIf(PlanPage::Network));
        let command = self.network_calculator().filter(|_| is_on)?.command();
        Some(("the command".to_owned(), command))
    }
}
