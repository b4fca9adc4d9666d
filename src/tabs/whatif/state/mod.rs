//! The What-if tab: scenarios being edited, and what came of them. Nothing is computed here: each
//! change asks for an answer, and the newest answer is shown.

mod act;
mod best;
mod calculator;
mod chart;
mod demand;
mod find;
#[cfg(test)]
pub(crate) mod fixture;
mod later;
mod only;
mod plan;
mod prompt;
#[cfg(test)]
mod purchase;
mod room;
#[cfg(test)]
mod scripts;
mod take;

use std::sync::Arc;

pub(crate) use best::best_offer;
pub use calculator::{Filled, FilledCalculator};
pub use chart::PlanChart;
pub use demand::DemandFrom;
pub(crate) use only::ALL as ALL_FAMILIES;
pub use plan::Plan;
pub use room::{Area, Room};

use crate::app::App;
use crate::tabs::whatif::TAB;
use crate::tabs::whatif::picture::{Group, Input, Peaks, Row, input};
use crate::whatif::{Answer, Demand, FamilyAnswer, Scenario, Slot, SlotComparison};

/// A page of the tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanPage {
    /// Arithmetic of the value under the cursor.
    Explain,
    /// What decides the plan beside its figures.
    Notes,
    /// The network calculator.
    Network,
    /// The calculator of failed runs.
    FailedRuns,
}

impl PlanPage {
    /// Title above the body.
    pub fn title(self) -> &'static str {
        match self {
            Self::Explain => "Explain",
            Self::Notes => "Notes on the plan",
            Self::Network => "Network calculator",
            Self::FailedRuns => "Calculator of failed runs",
        }
    }

    /// True for those of a calculator.
    pub(crate) fn is_calculator(self) -> bool {
        matches!(self, Self::Network | Self::FailedRuns)
    }
}

/// State of the What-if tab.
#[derive(Clone, Debug)]
pub struct WhatIf {
    demand: Option<Arc<Demand>>,
    /// Scenario that a plan for the demand begins with; `None` without a demand.
    start: Option<Arc<Scenario>>,
    /// Why there is no demand.
    why_not: Option<String>,
    plans: [Option<Plan>; 3],
    active: Slot,
    /// Number of the newest request.
    generation: u64,
    comparisons: Vec<SlotComparison>,
    /// What is done when the whole answer of a slot is there, by slot; `None` where nothing waits.
    later: [Option<later::LateDeed>; 3],
    /// The group on screen, and the family whose charts are.
    group: Group,
    family: usize,
    /// The line of the inputs that the cursor is on.
    cursor: usize,
    /// Chart that keys apply to.
    pub(crate) chart: PlanChart,
    /// True when the chart has all the room.
    alone: bool,
    /// Where the cursor of the plots is, 0–1 of the axis.
    place: f64,
    /// The first line of the list on screen.
    scroll: usize,
    saved: Vec<String>,
    peaks: Peaks,
    /// What is said of the demand.
    said: Option<[String; 4]>,
    /// The calculator as it was filled last; `None` before.
    filled: Option<FilledCalculator>,
    /// Family to plan for alone once a demand is read, a part of its name; `None` without one.
    asked_only: Option<String>,
    /// True once a demand was asked for.
    asked: bool,
    /// True while the tab is to open when a demand arrives, unless the user goes elsewhere.
    pub(crate) opening: bool,
}

impl Default for WhatIf {
    fn default() -> Self {
        Self {
            demand: None,
            start: None,
            why_not: None,
            plans: [None, None, None],
            active: Slot::A,
            generation: 0,
            comparisons: Vec::new(),
            later: [None, None, None],
            group: Group::Family(0),
            family: 0,
            cursor: 0,
            chart: PlanChart::default(),
            alone: false,
            place: 0.5,
            scroll: 0,
            saved: Vec::new(),
            peaks: Peaks::default(),
            said: None,
            filled: None,
            asked_only: None,
            asked: false,
            opening: false,
        }
    }
}

impl WhatIf {
    /// Demand planned for; `None` before one is read.
    pub fn demand(&self) -> Option<&Arc<Demand>> {
        self.demand.as_ref()
    }

    /// Why there is no demand; clean text. `None` where there is one, or none was requested.
    pub fn why_not(&self) -> Option<&str> {
        self.why_not.as_deref()
    }

    /// Slot being edited.
    pub fn active(&self) -> Slot {
        self.active
    }

    /// Plan in a slot; `None` where it is empty.
    pub fn plan_of(&self, slot: Slot) -> Option<&Plan> {
        self.plans[slot.index()].as_ref()
    }

    /// Plan being edited; `None` where its slot is empty.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan_of(self.active)
    }

    /// Scenario being edited; `None` where its slot is empty.
    pub fn scenario(&self) -> Option<&Arc<Scenario>> {
        self.plan().map(Plan::scenario)
    }

    /// Valuation of the scenario being edited, or of its former version; `None` while none is known.
    pub fn answer(&self) -> Option<&Arc<Answer>> {
        self.plan()?.answer()
    }

    /// Group of inputs on screen.
    pub fn group(&self) -> Group {
        self.group
    }

    /// Index of the family whose charts are on screen.
    pub fn family(&self) -> usize {
        self.family
    }

    /// Valuation of that family; `None` while none is known, or without a price.
    pub fn family_answer(&self) -> Option<&FamilyAnswer> {
        self.answer()?.families.get(self.family)?.as_ref()
    }

    /// Lines of the inputs on screen.
    pub fn rows(&self) -> Vec<Row> {
        self.scenario().map_or_else(Vec::new, |s| input::rows(s, self.group))
    }

    /// Index of the line with the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Index of the first input on screen: the cursor is in the middle where there are enough lines around it.
    pub fn inputs_top(&self, rows: usize, height: usize) -> usize {
        self.cursor.saturating_sub(height / 2).min(rows.saturating_sub(height))
    }

    /// Input under the cursor; `None` on a heading.
    pub fn input(&self) -> Option<Input> {
        match self.rows().get(self.cursor)? {
            Row::Input(input) => Some(*input),
            Row::Heading(_) => None,
        }
    }

    /// Chart that keys apply to.
    pub fn chart(&self) -> PlanChart {
        self.chart
    }

    /// Position of the cursor in plots, 0–1 of the axis.
    pub fn place(&self) -> f64 {
        self.place
    }

    /// First line on screen of a list.
    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// Most units of any hour, by family of the scenario.
    pub fn peaks(&self) -> &Peaks {
        &self.peaks
    }

    /// Source of the demand and its hours as text, the longest first; `None` without a demand.
    pub fn said(&self) -> Option<&[String; 4]> {
        self.said.as_ref()
    }

    /// Names of the saved scenarios.
    pub fn saved(&self) -> &[String] {
        &self.saved
    }

    /// Index of the slot on screen, where its key sets scenarios side by side; `None` where a copy is to be made first.
    pub(crate) fn comparing(&self) -> Option<usize> {
        let mut others = Slot::ALL.into_iter().filter(|slot| *slot != self.active);
        let has_other = others.any(|slot| self.plan_of(slot).is_some());
        // Its own key copies nothing into the slot on screen.
        (has_other || self.active == Slot::B).then(|| self.active.index())
    }

    /// Comparison of `other` with `base`; `None` where it is not known for the scenarios as they are now.
    pub fn comparison(&self, base: Slot, other: Slot) -> Option<&SlotComparison> {
        let asked = |slot| self.plan_of(slot).map(|p| p.asked);
        let now = [asked(base)?, asked(other)?];
        self.comparisons.iter().find(|c| (c.base, c.other) == (base, other) && c.generations == now)
    }
}

impl App {
    /// State of the What-if tab.
    pub fn whatif(&self) -> &WhatIf {
        &self.tabs.whatif
    }

    /// True when there is a demand or a scenario.
    pub fn has_whatif(&self) -> bool {
        self.tabs.whatif.demand.is_some() || self.tabs.whatif.plans.iter().any(Option::is_some)
    }

    /// True when inputs and charts fill the body.
    pub fn shows_whatif(&self) -> bool {
        self.pages.is_empty() && self.tab == TAB
    }
}
