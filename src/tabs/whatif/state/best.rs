//! Buying what is recommended.

use super::later::LateDeed;
use super::{Plan, WhatIf};
use crate::app::keymap::Action;
use crate::app::{App, Effect, Level, Notice};
use crate::tabs::whatif::picture::{Input, words};
use crate::whatif::{FamilyAnswer, Scenario, Slot};

/// Index of the offer to buy: `wanted`, where a number of its units is known, else the first of which there is one above
/// zero; `None` where nothing is to be bought.
pub(crate) fn best_offer(answer: &FamilyAnswer, wanted: Option<usize>) -> Option<usize> {
    let best = |at: usize| answer.offers.get(at)?.advised_units();
    let pays = |at: &usize| best(*at).is_some_and(|units| units > 0.0);
    wanted.filter(|at| best(*at).is_some()).or_else(|| (0..answer.offers.len()).find(pays))
}

impl WhatIf {
    /// Offer of the family on screen whose purchase the cursor is on, by its index; `None` elsewhere.
    pub(crate) fn offer_at_cursor(&self) -> Option<usize> {
        match self.input()? {
            Input::Bought(of, offer) if of == self.family => Some(offer),
            _ => None,
        }
    }
}

impl App {
    /// Buys as many units as are recommended: of the offer under the cursor, else of the first that pays. While they are
    /// being worked out this waits for them.
    pub(super) fn buy_best(&mut self) -> Vec<Effect> {
        let tab = &self.tabs.whatif;
        let (family, offer) = (tab.family, tab.offer_at_cursor());
        if tab.plan().is_some_and(|plan| !plan.is_judged(family)) {
            self.do_when_whole(LateDeed::Buy { family, offer });
            return Vec::new();
        }
        self.buy(self.tabs.whatif.active, family, offer)
    }

    /// Buys, in the scenario of a slot, as many units of a family as its answer recommends, of an offer, both by their
    /// index; of another one where nothing is known of that.
    pub(super) fn buy(&mut self, slot: Slot, family: usize, offer: Option<usize>) -> Vec<Effect> {
        let tab = &self.tabs.whatif;
        // What comes late may be of a scenario that is not on screen.
        let of = if slot == tab.active { String::new() } else { format!("{}: ", slot.letter()) };
        let plan = tab.plan_of(slot);
        let trouble = plan.and_then(Plan::trouble);
        let found = plan.and_then(Plan::answer).filter(|_| trouble.is_none());
        let found = found.and_then(|answer| answer.families.get(family)?.as_ref());
        let (Some(answer), Some(scenario)) = (found, plan.map(Plan::scenario)) else {
            let why = trouble.unwrap_or("the family has no on-demand price");
            let text = format!("{of}there is no answer to take it from: {why}");
            self.say(Notice::new(Level::Warn, text));
            return Vec::new();
        };
        let best = |at: usize| Some((at, answer.offers.get(at)?.advised_units()?));
        let Some((at, units)) = best_offer(answer, offer).and_then(best) else {
            let text = format!("{of}no number of units is known to be best here");
            self.say(Notice::new(Level::Info, text));
            return Vec::new();
        };
        let mut changed = Scenario::clone(scenario);
        Input::Bought(family, at).set(&mut changed, Some(units.round()));
        let offer = &answer.offers[at];
        let why = offer.why_in_short(scenario.future.caution);
        let why = why.map_or_else(String::new, |why| format!(", {why}"));
        let key = self.keymap.keys(Action::Explain).first();
        let explains = key.map_or_else(String::new, |key| format!(", {key} explains"));
        let units = words::units_in_words(units.round());
        let text = format!("{of}{units}{why}; {}{explains}", offer.name);
        self.say(Notice::new(Level::Info, text));
        self.change_plan_of(slot, None, changed)
    }
}
