//! A scenario in its slot: what it is, what it was, and what came of it.

use std::sync::Arc;

use crate::tabs::whatif::picture::Input;
use crate::whatif::{Answer, History, PlanAnswer, Scenario, Stage};

/// A scenario in a slot, with its undo steps and its valuation.
#[derive(Clone, Debug)]
pub struct Plan {
    history: History,
    answer: Option<Arc<Answer>>,
    /// Number of the request that the answer belongs to.
    answered: u64,
    /// The generation asked for last.
    pub(super) asked: u64,
    trouble: Option<String>,
    /// Counts what was done between two movements of a slider: a key held down is one change.
    moves: u32,
    /// True when somebody changed it here.
    pub(super) touched: bool,
}

impl Plan {
    pub(super) fn new(scenario: &Scenario) -> Self {
        Self {
            history: History::new(Scenario::clone(scenario)),
            answer: None,
            answered: 0,
            asked: 0,
            trouble: None,
            moves: 0,
            touched: false,
        }
    }

    /// Copy of the plan for another slot, with its valuation.
    pub(super) fn copy(&self) -> Self {
        Self { answer: self.answer.clone(), touched: true, ..Self::new(self.scenario()) }
    }

    /// The scenario as it is now.
    pub fn scenario(&self) -> &Arc<Scenario> {
        self.history.now()
    }

    /// Valuation of the scenario, or of its former version; `None` while none is known.
    pub fn answer(&self) -> Option<&Arc<Answer>> {
        self.answer.as_ref()
    }

    /// True while [`Plan::answer`] belongs to a former version of the scenario.
    pub fn is_behind(&self) -> bool {
        self.answered < self.asked
    }

    /// Why the scenario as it is has no valuation; clean text. `None` where there is no error.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// True while the whole answer to the scenario as it is may still come.
    pub fn is_underway(&self) -> bool {
        let is_whole = self.answer.as_ref().is_some_and(|a| a.stage == Stage::Whole);
        self.is_behind() || !is_whole && self.trouble.is_none()
    }

    /// True where all is known that will be known of the best units of a family, by its index, in the scenario as it is:
    /// earlier than the whole answer, where a scenario was judged that differs by purchases alone.
    pub fn is_judged(&self, family: usize) -> bool {
        if !self.is_underway() {
            return true;
        }
        let answer = self.answer().filter(|_| !self.is_behind());
        let found = answer.and_then(|answer| answer.families.get(family)?.as_ref());
        found.is_some_and(|found| {
            let mut known = found.offers.iter().filter(|offer| offer.best_units.is_some());
            known.all(|offer| offer.cautious_units.is_some())
        })
    }

    /// Changes it. `moved` = by this input's slider: then it is one change with the one before,
    /// where that was of the same slider.
    pub(super) fn change(&mut self, moved: Option<Input>, to: Scenario) {
        let input = moved.map(|input| format!("{input:?} {}", self.moves));
        self.history.change(to, input.as_deref());
        self.touched = true;
    }

    /// The next movement is a change of its own.
    pub(super) fn let_go(&mut self) {
        self.moves += 1;
    }

    /// Takes the last change back, or back again; false when there is none.
    pub(super) fn step_back(&mut self, back: bool) -> bool {
        if back { self.history.undo() } else { self.history.redo() }
    }

    /// Another scenario from the same beginning: nothing to take back. What it came to is not known.
    pub(super) fn replace(&mut self, scenario: &Scenario) {
        *self = Self { asked: self.asked, ..Self::new(scenario) };
    }

    /// Takes an answer in, unless a newer one is there.
    pub(super) fn take(&mut self, planned: PlanAnswer) {
        if planned.generation < self.answered || planned.generation > self.asked {
            return;
        }
        match planned.result {
            Ok(answer) => {
                let is_further = self.answer.as_ref().is_none_or(|a| a.stage <= answer.stage);
                if planned.generation > self.answered || is_further {
                    self.answer = Some(answer);
                }
                self.trouble = None;
            }
            Err(why) => self.trouble = Some(why),
        }
        self.answered = planned.generation;
    }
}
