//! Messages of the tab: a demand, answers, kept scenarios.

use std::sync::Arc;

use super::{Plan, WhatIf};
use crate::app::{App, Effect, Level, Notice};
use crate::tabs::whatif::TAB;
use crate::tabs::whatif::picture::{Group, Peaks, words};
use crate::whatif::{Demand, FamilyInputs, PlanAnswer, PlanRequest, Scenario, Slot};

impl App {
    /// Stores a demand. Scenarios that the user changed stay, with new families added; others start anew from
    /// `start`.
    pub(crate) fn on_demand(&mut self, demand: Arc<Demand>, start: Arc<Scenario>) -> Vec<Effect> {
        let tab = &mut self.tabs.whatif;
        tab.why_not = None;
        tab.said = Some(words::demand(&demand));
        tab.demand = Some(demand);
        for plan in tab.plans.iter_mut().flatten() {
            if plan.touched {
                let known = with_families(plan.scenario(), &start);
                if let Some(more) = known {
                    plan.change(None, more);
                }
            } else {
                plan.replace(&start);
            }
        }
        if tab.plans.iter().all(Option::is_none) {
            tab.plans[tab.active.index()] = Some(Plan::new(&start));
            // The first of which something can be said without typing a rate.
            let is_known = |f: &FamilyInputs| f.offers.iter().any(|o| o.rate.is_some());
            tab.family = start.families.iter().position(is_known).unwrap_or(0);
            tab.group = Group::Family(tab.family);
        }
        tab.start = Some(start);
        tab.measure();
        tab.stay_inside();
        if std::mem::take(&mut tab.opening) && self.pages.is_empty() {
            self.go_to_tab(TAB);
        }
        if let Some(part) = self.tabs.whatif.asked_only.take()
            && let Err(why) = self.narrow_plans(&part)
        {
            self.say(Notice::new(Level::Warn, why));
        }
        Slot::ALL.into_iter().filter_map(|slot| self.ask_plan(slot)).collect()
    }

    /// Stores and shows why there is no demand.
    pub(crate) fn on_no_demand(&mut self, why: String) {
        self.tabs.whatif.opening = false;
        self.say(Notice::new(Level::Warn, why.clone()));
        self.tabs.whatif.why_not = Some(why);
    }

    /// Stores an answer, unless its request was superseded, and does what waited for it.
    pub(crate) fn on_planned(&mut self, planned: PlanAnswer) -> Vec<Effect> {
        let tab = &mut self.tabs.whatif;
        for comparison in &planned.comparisons {
            let same = (comparison.base, comparison.other);
            tab.comparisons.retain(|c| (c.base, c.other) != same);
            tab.comparisons.push(comparison.clone());
        }
        let slot = planned.slot;
        if let Some(plan) = &mut tab.plans[slot.index()] {
            plan.take(planned);
        }
        self.do_what_waits(slot)
    }

    /// Puts a loaded scenario into a slot.
    pub(crate) fn on_scenario(&mut self, slot: Slot, scenario: Arc<Scenario>) -> Vec<Effect> {
        let text = format!("{} is {}", slot.letter(), name_of(&scenario));
        let tab = &mut self.tabs.whatif;
        let whole = tab.start.as_ref().and_then(|start| with_families(&scenario, start));
        let scenario = whole.map_or(scenario, Arc::new);
        match &mut tab.plans[slot.index()] {
            // One can come back from it.
            Some(plan) => plan.change(None, Scenario::clone(&scenario)),
            empty @ None => {
                let plan = empty.insert(Plan::new(&scenario));
                plan.touched = true;
            }
        }
        tab.measure();
        tab.stay_inside();
        self.say(Notice::new(Level::Info, text));
        self.ask_plan(slot).into_iter().collect()
    }

    /// Stores the names of the saved scenarios.
    pub(crate) fn on_scenarios(&mut self, names: Vec<String>) {
        self.tabs.whatif.saved = names;
    }

    /// Asks what a slot's scenario comes to; what waited for the answer to the one before is given up. Without a
    /// demand nothing can be asked.
    pub(super) fn ask_plan(&mut self, slot: Slot) -> Option<Effect> {
        self.give_up(slot, "the scenario was changed meanwhile");
        let tab = &mut self.tabs.whatif;
        let demand = Arc::clone(tab.demand.as_ref()?);
        let plan = tab.plans[slot.index()].as_mut()?;
        tab.generation += 1;
        plan.asked = tab.generation;
        let scenario = Arc::clone(plan.scenario());
        Some(Effect::Plan(PlanRequest { generation: tab.generation, slot, demand, scenario }))
    }
}

impl WhatIf {
    /// Finds the most units that ever ran.
    pub(super) fn measure(&mut self) {
        let Some(scenario) = self.scenario() else { return };
        let peak = |name: &str| {
            let family = self.demand.as_ref().and_then(|d| d.family(name));
            family.map_or(0.0, |f| f.known().fold(0.0, f64::max))
        };
        self.peaks = Peaks(scenario.families.iter().map(|f| peak(&f.name)).collect());
    }

    /// Brings family, group and cursor back to where something is.
    pub(super) fn stay_inside(&mut self) {
        let families = self.scenario().map_or(0, |s| s.families.len());
        self.family = self.family.min(families.saturating_sub(1));
        if let Group::Family(at) = self.group {
            self.group =
                if families == 0 { Group::Future } else { Group::Family(at.min(families - 1)) };
        }
        // Where one family is planned for, no other is on screen.
        if let Some(only) = self.only_family() {
            self.family = only;
            if self.group != Group::Future {
                self.group = Group::Family(only);
            }
        }
        self.cursor = self.cursor.min(self.rows().len().saturating_sub(1));
    }
}

/// The scenario with the families of `start` that it lacks; `None` when it lacks none.
fn with_families(scenario: &Scenario, start: &Scenario) -> Option<Scenario> {
    let has = |name: &str| scenario.families.iter().any(|f| f.name == name);
    let missing: Vec<_> = start.families.iter().filter(|f| !has(&f.name)).cloned().collect();
    (!missing.is_empty()).then(|| {
        let mut out = scenario.clone();
        out.families.extend(missing);
        out
    })
}

/// Name of a scenario; `unnamed` where it has none.
pub fn name_of(scenario: &Scenario) -> &str {
    if scenario.name.is_empty() { "unnamed" } else { &scenario.name }
}
