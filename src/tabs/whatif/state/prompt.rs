//! What is typed on the tab: values, names, notes.

use std::sync::Arc;

use super::take::name_of;
use crate::app::content::columns;
use crate::app::{App, Effect, Level, Notice};
use crate::domain::text::clean;
use crate::tabs::whatif::picture::{Group, Input, step};
use crate::whatif::{Scenario, Slot};

/// Columns that the name of an input leaves in a line beside its value, for the words around it and what is typed.
const TYPED: usize = 18;

/// The longest name, in characters: as long as a scenario file takes.
const LONGEST_NAME: usize = 80;

/// The longest note.
const LONGEST_NOTE: usize = 500;

impl App {
    /// A line for the value under the cursor.
    pub(super) fn open_value(&mut self) {
        let Some(input) = self.tabs.whatif.input() else { return };
        let Some(scenario) = self.tabs.whatif.scenario() else { return };
        let label = match input {
            Input::NewStep(_) => format!("step ({}): ", step::STEP_HINT),
            Input::NewBuy(_) => "buy later (units, offer, @week): ".to_owned(),
            Input::NewPlan => "Compute Savings Plan ($ per hour, term): ".to_owned(),
            _ => {
                let (name, now) = self.value_label(input, scenario);
                return self
                    .ask_for_value(&name, &now, move |app, text| app.take_value(input, text));
            }
        };
        self.ask_for(label, "", move |app, text| app.take_value(input, text));
    }

    /// Name of an input with what can be typed, as far as there is room beside what is typed; and what it is now.
    fn value_label(&self, input: Input, scenario: &Scenario) -> (String, String) {
        let slider = input.slider(scenario, self.tabs.whatif.peaks());
        let name = clean(slider.name.trim()).into_owned();
        let hint = slider.unit.hint();
        let symbols = self.appearance().symbols;
        let now = symbols.or_unknown(input.get(scenario), |v| slider.unit.show(v));
        let room = usize::from(self.size().0).saturating_sub(TYPED + columns(&now));
        let names = [format!("{name} ({hint}), "), format!("{name}, ")];
        (names.into_iter().find(|name| columns(name) <= room).unwrap_or_default(), now)
    }

    /// A line for the name to save under, with one in it that overwrites no other scenario of the session.
    pub(super) fn open_save(&mut self) {
        let name = self.proposed_name();
        self.ask_for_name("save scenario as: ", &name, |app, text| {
            app.warn_of_replacing(text)?;
            app.save_scenario(text)
        });
    }

    /// The saved scenario that has this name, as typed; `None` where none has it.
    pub(crate) fn kept_scenario(&self, text: &str) -> Option<String> {
        let name = name(text).ok()?;
        self.tabs.whatif.saved.contains(&name).then(|| format!("scenario {name}"))
    }

    /// Its own name, or the day where it has none; with its letter, and a number, where another slot has that name too.
    fn proposed_name(&self) -> String {
        let tab = &self.tabs.whatif;
        let Some(scenario) = tab.scenario() else { return String::new() };
        let own = match &*scenario.name {
            "" => format!("plan {}", self.view_context().now.strftime("%Y-%m-%d")),
            name => name.to_owned(),
        };
        let others = Slot::ALL.into_iter().filter(|slot| *slot != tab.active());
        let taken: Vec<&str> =
            others.filter_map(|slot| Some(&*tab.plan_of(slot)?.scenario().name)).collect();
        free_name(&own, tab.active().letter(), &taken)
    }

    pub(super) fn open_rename(&mut self) {
        let Some(scenario) = self.tabs.whatif.scenario().cloned() else { return };
        let label = format!("rename {} to: ", name_of(&scenario));
        self.ask_for_name(label, &scenario.name, Self::rename_scenario);
    }

    pub(super) fn open_note(&mut self) {
        let note = self.tabs.whatif.scenario().map_or_else(String::new, |s| s.note.clone());
        self.ask_for_name("note: ", &note, |app, text| {
            app.note_scenario(text);
            Ok(Vec::new())
        });
    }

    pub(super) fn take_value(&mut self, input: Input, text: &str) -> Result<Vec<Effect>, String> {
        let Some(before) = self.tabs.whatif.scenario().cloned() else { return Ok(Vec::new()) };
        let mut scenario = Scenario::clone(&before);
        match input {
            Input::NewStep(f) => {
                let step = step::read_step(text, &before)?;
                if let Some(family) = scenario.families.get_mut(f) {
                    family.steps.push(step);
                }
            }
            Input::NewBuy(f) => {
                if let Some(family) = scenario.families.get_mut(f) {
                    let buy = step::read_buy(text, family, before.future.weeks)?;
                    family.buys.push(buy);
                }
            }
            Input::NewPlan => scenario.compute_plans.push(step::read_plan(text, &before)?),
            _ => {
                let slider = input.slider(&before, self.tabs.whatif.peaks());
                let value = slider.unit.read(text)?;
                let (low, high) = slider.limits;
                if let Some(value) = value
                    && !(low..=high).contains(&value)
                {
                    let show = |v| slider.unit.show(v);
                    return Err(format!("between {} and {}", show(low), show(high)));
                }
                if !input.set(&mut scenario, value) {
                    return Err("a value is needed here".to_owned());
                }
            }
        }
        Ok(self.change_plan(None, scenario))
    }

    /// Saves the scenario under a name, in place of the saved one that is known to have it. Fails with the reason.
    pub(crate) fn save_scenario(&mut self, text: &str) -> Result<Vec<Effect>, String> {
        let name = name(text)?;
        let Some(scenario) = self.tabs.whatif.scenario() else {
            return Err("there is no scenario to save".to_owned());
        };
        let named = Scenario { name, ..Scenario::clone(scenario) };
        self.rewrite(named.clone());
        let replaces = self.tabs.whatif.saved.contains(&named.name);
        let named = Arc::new(named);
        let save = if replaces { Effect::ReplaceScenario } else { Effect::SaveScenario };
        Ok(vec![save(named)])
    }

    /// Renames the scenario, and the saved one of its old name. Fails with the reason.
    pub(crate) fn rename_scenario(&mut self, text: &str) -> Result<Vec<Effect>, String> {
        let to = name(text)?;
        let Some(scenario) = self.tabs.whatif.scenario() else {
            return Err("there is no scenario to rename".to_owned());
        };
        let from = scenario.name.clone();
        self.rewrite(Scenario { name: to.clone(), ..Scenario::clone(scenario) });
        let is_kept = self.tabs.whatif.saved.contains(&from) && from != to;
        Ok(if is_kept { vec![Effect::RenameScenario { from, to }] } else { Vec::new() })
    }

    /// Sets the scenario's note.
    pub(crate) fn note_scenario(&mut self, text: &str) {
        let Some(scenario) = self.tabs.whatif.scenario() else { return };
        let note: String = clean(text.trim()).chars().take(LONGEST_NOTE).collect();
        self.rewrite(Scenario { note, ..Scenario::clone(scenario) });
        self.say(Notice::new(Level::Info, "noted; w saves it with the scenario"));
    }

    /// Changes what no answer depends on.
    fn rewrite(&mut self, scenario: Scenario) {
        let slot = self.tabs.whatif.active;
        if let Some(plan) = &mut self.tabs.whatif.plans[slot.index()] {
            plan.change(None, scenario);
        }
    }

    /// Changes the scenario on screen and asks what it comes to; nothing where nothing changed.
    pub(super) fn change_plan(&mut self, moved: Option<Input>, to: Scenario) -> Vec<Effect> {
        self.change_plan_of(self.tabs.whatif.active, moved, to)
    }

    /// Changes the scenario of a slot, as [`App::change_plan`] does.
    pub(super) fn change_plan_of(
        &mut self,
        slot: Slot,
        moved: Option<Input>,
        to: Scenario,
    ) -> Vec<Effect> {
        let Some(plan) = &mut self.tabs.whatif.plans[slot.index()] else { return Vec::new() };
        if **plan.scenario() == to {
            return Vec::new();
        }
        plan.change(moved, to);
        self.tabs.whatif.stay_inside();
        self.ask_plan(slot).into_iter().collect()
    }

    /// Title of the group of inputs on screen.
    pub fn group_title(&self) -> String {
        let tab = &self.tabs.whatif;
        match tab.group {
            Group::Future => "the time ahead".to_owned(),
            Group::Plans => "Compute Savings Plans".to_owned(),
            Group::Family(at) => {
                let name = |s: &Arc<Scenario>| s.families.get(at).map(|f| f.name.clone());
                tab.scenario().and_then(name).unwrap_or_default()
            }
        }
    }
}

/// The first of `own`, `own B`, `own B 2`, … that is not `taken`, with `own` cut so that it is no longer than a name can
/// be.
fn free_name(own: &str, letter: &str, taken: &[&str]) -> String {
    let candidate = |number: usize| {
        let suffix = match number {
            0 => String::new(),
            1 => format!(" {letter}"),
            number => format!(" {letter} {number}"),
        };
        let room = LONGEST_NAME.saturating_sub(suffix.chars().count());
        let stem: String = own.chars().take(room).collect();
        format!("{}{suffix}", stem.trim_end())
    };
    // A long name that ends in its letter may come twice: one more than there are names, and one for that.
    let mut all = (0..taken.len() + 2).map(candidate);
    all.find(|name| !taken.contains(&&**name)).unwrap_or_default()
}

/// A name that can be a file's too.
fn name(text: &str) -> Result<String, String> {
    let name: String = clean(text.trim()).into_owned();
    if name.is_empty() {
        return Err("a scenario needs a name".to_owned());
    }
    if name.chars().count() > LONGEST_NAME {
        return Err(format!("at most {LONGEST_NAME} characters"));
    }
    Ok(name)
}
