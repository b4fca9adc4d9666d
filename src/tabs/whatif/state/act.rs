//! What keys and commands do on the tab.

use std::sync::Arc;

use super::later::LateDeed;
use super::take::name_of;
use super::{DemandFrom, Plan, PlanChart, PlanPage, Room};
use crate::app::keymap::{Action, Context, Key};
use crate::app::{App, Effect, Level, Notice, Page};
use crate::report::{Format, SessionPlan, SessionReport};
use crate::tabs::whatif::TAB;
use crate::tabs::whatif::picture::{Group, Row, input};
use crate::whatif::{Scenario, Slot};

impl App {
    /// Shows the tab with this chart; without a demand it says how to give one.
    pub(crate) fn go_to_whatif(&mut self, chart: Option<PlanChart>) -> Vec<Effect> {
        self.go_to_tab(TAB);
        if let Some(chart) = chart {
            self.look_at_chart(chart);
        }
        self.want_demand()
    }

    /// Asks once for what burntop saw running, and for the names of what is kept.
    pub(crate) fn want_demand(&mut self) -> Vec<Effect> {
        if std::mem::replace(&mut self.tabs.whatif.asked, true) {
            return Vec::new();
        }
        let has_demand = self.tabs.whatif.demand.is_some();
        if has_demand { Vec::new() } else { vec![Effect::ReadDemand(DemandFrom::History)] }
    }

    /// Waits for the demand that was named at the start, and opens the tab when it is there.
    pub(crate) fn await_demand(&mut self, from: &str) {
        (self.tabs.whatif.asked, self.tabs.whatif.opening) = (true, true);
        self.say(Notice::new(Level::Info, format!("reading {from}")));
    }

    /// Requests another demand.
    pub(crate) fn read_demand(&mut self, from: DemandFrom) -> Vec<Effect> {
        self.tabs.whatif.asked = true;
        let what = match &from {
            DemandFrom::History => "what ran here".to_owned(),
            DemandFrom::File(path) => path.clone(),
        };
        self.say(Notice::new(Level::Info, format!("reading {what}")));
        vec![Effect::ReadDemand(from)]
    }

    /// Requests a saved scenario for the active slot.
    pub(crate) fn load_scenario(&mut self, name: String) -> Vec<Effect> {
        vec![Effect::LoadScenario { name, slot: self.tabs.whatif.active }]
    }

    /// Makes `chart` the one that keys apply to.
    pub(crate) fn look_at_chart(&mut self, chart: PlanChart) {
        let tab = &mut self.tabs.whatif;
        if tab.chart != chart {
            tab.chart = chart;
            tab.scroll = 0;
            tab.place = 0.5;
        }
    }

    /// Handles keys that mean something else on the tab; `None` = the key has its usual meaning.
    pub(crate) fn act_on_whatif(&mut self, action: Action) -> Option<Vec<Effect>> {
        if !self.has_whatif() {
            return None;
        }
        if !matches!(action, Action::Raise | Action::Lower | Action::RaiseMore | Action::LowerMore)
            && let Some(plan) = &mut self.tabs.whatif.plans[self.tabs.whatif.active.index()]
        {
            plan.let_go();
        }
        match action {
            Action::Raise => return Some(self.move_input(true, false)),
            Action::Lower => return Some(self.move_input(false, false)),
            Action::RaiseMore => return Some(self.move_input(true, true)),
            Action::LowerMore => return Some(self.move_input(false, true)),
            Action::SetValue | Action::Enter => self.open_value(),
            Action::NextGroup | Action::PreviousGroup => {
                self.turn_group(action == Action::NextGroup);
            }
            Action::OnlyFamily => return Some(self.turn_only()),
            Action::FindInput => self.open_find(),
            Action::NextChart | Action::PreviousChart => {
                let chart = self.tabs.whatif.chart.turn(action == Action::NextChart);
                self.look_at_chart(chart);
            }
            Action::SlotA => return Some(self.go_to_slot(Slot::A)),
            Action::SlotB => return Some(self.go_to_slot(Slot::B)),
            Action::SlotC => return Some(self.go_to_slot(Slot::C)),
            Action::EmptySlot => return Some(self.empty_slot()),
            Action::Undo | Action::Redo => return Some(self.undo(action == Action::Undo)),
            Action::BuyBest => return Some(self.buy_best()),
            Action::ChartAlone => self.tabs.whatif.alone = !self.tabs.whatif.alone,
            Action::Explain => self.open(Page::WhatIf(PlanPage::Explain)),
            Action::PlanNotes => self.open(Page::WhatIf(PlanPage::Notes)),
            Action::SaveScenario => self.open_save(),
            Action::RenameScenario => self.open_rename(),
            Action::NoteScenario => self.open_note(),
            Action::LoadScenario => self.open_load(),
            Action::Act => {
                let text = "nothing is bought from here: e writes the plan down, w keeps it";
                self.say(Notice::new(Level::Info, text));
            }
            Action::CopyId | Action::CopyRow => {
                self.say(Notice::new(Level::Info, "e writes the plan to a file"));
            }
            Action::Back if self.tabs.whatif.alone => self.tabs.whatif.alone = false,
            Action::Left | Action::Right => self.move_place(action == Action::Right),
            Action::Down | Action::Up | Action::Top | Action::Bottom => self.move_cursor(action),
            Action::HalfDown | Action::HalfUp | Action::PageDown | Action::PageUp => {
                let lines = self.distance(action).unwrap_or(0);
                if self.tabs.whatif.chart.is_text() {
                    self.scroll_list(lines);
                } else {
                    self.move_section(lines > 0);
                }
            }
            _ => return None,
        }
        Some(Vec::new())
    }

    fn open_load(&mut self) {
        if self.tabs.whatif.saved.is_empty() {
            self.say(Notice::new(Level::Info, "no scenario is kept yet: w keeps this one"));
            return;
        }
        let kind = crate::app::PromptKind::Command;
        self.prompt = Some(crate::app::Prompt::new(kind, "load "));
    }

    /// Moves the input under the cursor; what is not known is asked for.
    fn move_input(&mut self, up: bool, far: bool) -> Vec<Effect> {
        let Some((input, scenario)) =
            self.tabs.whatif.input().zip(self.tabs.whatif.scenario().cloned())
        else {
            return Vec::new();
        };
        let Some(value) = input.get(&scenario).filter(|_| !input.is_new()) else {
            self.open_value();
            return Vec::new();
        };
        let slider = input.slider(&scenario, self.tabs.whatif.peaks());
        let step = if far { slider.leap } else { slider.step };
        let (low, high) = slider.limits;
        let to = input::next(value, step, up).clamp(low, high);
        let mut changed = Scenario::clone(&scenario);
        if !input.set(&mut changed, Some(to)) {
            return Vec::new();
        }
        self.change_plan(Some(input), changed)
    }

    /// The next or previous group, round and round; a family brings its charts along.
    fn turn_group(&mut self, forward: bool) {
        let tab = &mut self.tabs.whatif;
        let Some(scenario) = tab.scenario() else { return };
        let groups: Vec<Group> = input::groups(scenario).collect();
        let at = groups.iter().position(|g| *g == tab.group).unwrap_or(0);
        let step = if forward { 1 } else { groups.len() - 1 };
        tab.group = groups[(at + step) % groups.len()];
        if let Group::Family(at) = tab.group {
            tab.family = at;
        }
        tab.stay_inside();
        self.leave_heading(true);
    }

    /// Another slot; an empty one begins as a copy of the one left. The key of the slot on screen sets all side by
    /// side.
    fn go_to_slot(&mut self, slot: Slot) -> Vec<Effect> {
        let from = self.tabs.whatif.active;
        if slot == from {
            self.look_at_chart(PlanChart::Compare);
            return Vec::new();
        }
        let tab = &mut self.tabs.whatif;
        tab.active = slot;
        if tab.plans[slot.index()].is_some() {
            tab.measure();
            tab.stay_inside();
            if let Some(text) = self.waits_of(from) {
                self.say(Notice::new(Level::Info, text));
            }
            return Vec::new();
        }
        tab.plans[slot.index()] = tab.plans[from.index()].as_ref().map(Plan::copy);
        let waits = self.waits_of(from).map_or_else(String::new, |text| format!("{text}; "));
        let action = match slot {
            Slot::A => Action::SlotA,
            Slot::B => Action::SlotB,
            Slot::C => Action::SlotC,
        };
        let key = self.keymap.keys(action).first();
        let compares =
            key.map_or_else(String::new, |key| format!(", then {key} again compares them"));
        let find = self.keymap.keys(Action::FindInput).first();
        let changes = find.map_or_else(String::new, |key| format!(" ({key} growth=30%)"));
        let [to, from] = [slot, from].map(Slot::letter);
        let text = format!("{waits}{to} begins as a copy of {from}: change it{changes}{compares}");
        self.say(Notice::new(Level::Info, text));
        self.ask_plan(slot).into_iter().collect()
    }

    /// Empties the slot, where another one is left.
    fn empty_slot(&mut self) -> Vec<Effect> {
        let tab = &mut self.tabs.whatif;
        let slot = tab.active;
        let other = Slot::ALL.into_iter().find(|s| *s != slot && tab.plans[s.index()].is_some());
        let Some(other) = other else {
            self.say(Notice::new(Level::Info, "it is the only scenario: u takes changes back"));
            return Vec::new();
        };
        tab.plans[slot.index()] = None;
        tab.comparisons.retain(|c| c.base != slot && c.other != slot);
        tab.active = other;
        tab.measure();
        tab.stay_inside();
        let text = format!("{} is empty; this is {}", slot.letter(), other.letter());
        self.say(Notice::new(Level::Info, text));
        self.give_up(slot, "the scenario was emptied");
        Vec::new()
    }

    /// Takes the last change back or does it again. What waits comes after all changes: it goes first.
    fn undo(&mut self, back: bool) -> Vec<Effect> {
        let slot = self.tabs.whatif.active;
        if back && self.give_up(slot, "taken back") {
            return Vec::new();
        }
        let done = self.tabs.whatif.plans[slot.index()].as_mut().is_some_and(|p| p.step_back(back));
        if !done {
            let text = if back { "nothing to take back" } else { "nothing to do again" };
            self.say(Notice::new(Level::Info, text));
            return Vec::new();
        }
        self.tabs.whatif.measure();
        self.tabs.whatif.stay_inside();
        self.ask_plan(slot).into_iter().collect()
    }

    /// Brings the cursor to the first input under the next heading, or to the nearest such one above it.
    fn move_section(&mut self, forward: bool) {
        let rows = self.tabs.whatif.rows();
        let cursor = self.tabs.whatif.cursor;
        let is_input = |at: usize| matches!(rows.get(at), Some(Row::Input(_)));
        let is_first =
            |at: &usize| is_input(*at) && at.checked_sub(1).is_none_or(|at| !is_input(at));
        let mut firsts = (0..rows.len()).filter(is_first);
        let found =
            if forward { firsts.find(|at| *at > cursor) } else { firsts.rfind(|at| *at < cursor) };
        self.tabs.whatif.cursor = found.unwrap_or(cursor);
    }

    fn move_cursor(&mut self, action: Action) {
        let rows = self.tabs.whatif.rows().len();
        let Some(last) = rows.checked_sub(1) else { return };
        let cursor = self.tabs.whatif.cursor;
        self.tabs.whatif.cursor = match action {
            Action::Down => (cursor + 1).min(last),
            Action::Up => cursor.saturating_sub(1),
            Action::Bottom => last,
            _ => 0,
        };
        self.leave_heading(matches!(action, Action::Down | Action::Top));
    }

    /// Headings are passed over; above the first input none stands.
    pub(super) fn leave_heading(&mut self, down: bool) {
        let rows = self.tabs.whatif.rows();
        if matches!(rows.get(self.tabs.whatif.cursor), Some(Row::Heading(_))) {
            let next = if down {
                self.tabs.whatif.cursor + 1
            } else {
                self.tabs.whatif.cursor.saturating_sub(1)
            };
            self.tabs.whatif.cursor = next.min(rows.len().saturating_sub(1));
            // The first line may be a heading.
            if matches!(rows.get(self.tabs.whatif.cursor), Some(Row::Heading(_))) {
                self.tabs.whatif.cursor = rows
                    .iter()
                    .position(|row| matches!(row, Row::Input(_)))
                    .unwrap_or(self.tabs.whatif.cursor);
            }
        }
    }

    /// Moves the cursor of the plot by one of its points.
    fn move_place(&mut self, right: bool) {
        let tab = &mut self.tabs.whatif;
        let points = match (tab.chart, tab.family_answer()) {
            (PlanChart::Fan, Some(family)) => family.fan.len(),
            (PlanChart::Cost, Some(family)) => family.costs.len(),
            (PlanChart::Payback, Some(family)) => {
                family.payback.as_ref().map_or(0, |p| p.committed_usd.len())
            }
            _ => 101,
        };
        let step = 1.0 / points.saturating_sub(1).max(1) as f64;
        tab.place = (tab.place + if right { step } else { -step }).clamp(0.0, 1.0);
    }

    /// Shows a notice for keys of lists, since the tab has none.
    pub(crate) fn say_what_is_missing(&mut self, key: Key) {
        let of_table = self.keymap.lookup(key, &[Context::Table]);
        if matches!(of_table, Some(Action::Filter | Action::Sort | Action::Columns)) {
            let text = "there is no table here to filter, sort or choose columns of";
            self.say(Notice::new(Level::Info, text));
        }
    }

    /// Moves the cursor to the input clicked; a second click opens the prompt for its value.
    pub(crate) fn click_whatif(&mut self, x: u16, y: u16) -> Vec<Effect> {
        let inputs = self.room().and_then(|room| room.inputs);
        let Some(area) = inputs
            .filter(|a| (a.x..a.x + a.width).contains(&x) && (a.y..a.y + a.height).contains(&y))
        else {
            return Vec::new();
        };
        let rows = self.tabs.whatif.rows();
        let top = self.tabs.whatif.inputs_top(rows.len(), usize::from(area.height));
        let at = top + usize::from(y - area.y);
        if !matches!(rows.get(at), Some(Row::Input(_))) {
            return Vec::new();
        }
        if at == self.tabs.whatif.cursor {
            self.open_value();
        }
        self.tabs.whatif.cursor = at;
        Vec::new()
    }

    /// Scrolls the list on screen.
    pub(crate) fn scroll_list(&mut self, lines: isize) {
        if !self.tabs.whatif.chart.is_text() {
            return;
        }
        let last = self.last_list_line();
        self.tabs.whatif.scroll = self.tabs.whatif.scroll.saturating_add_signed(lines).min(last);
    }

    /// Brings scrolling back to where something is; called before drawing.
    pub(crate) fn clamp_list(&mut self) {
        if self.tabs.whatif.chart.is_text() && self.tabs.whatif.scroll > 0 {
            self.tabs.whatif.scroll = self.tabs.whatif.scroll.min(self.last_list_line());
        }
    }

    /// The first line of the list when it is scrolled to its end.
    fn last_list_line(&self) -> usize {
        let Some(area) = self.room().and_then(|room| room.charts[0]) else { return 0 };
        // One line is the title.
        let height = usize::from(area.height.saturating_sub(1));
        let lines = crate::tabs::whatif::pages::list(self, self.tabs.whatif.chart, area);
        lines.len().saturating_sub(height)
    }

    /// Positions of the tab's parts; `None` where it is not on screen.
    pub fn room(&self) -> Option<Room> {
        let layout = self.layout().filter(|_| self.shows_whatif())?;
        let tab = &self.tabs.whatif;
        Some(Room::of(&layout, tab.alone || Room::is_alone(&layout, tab.chart)))
    }

    /// The planning session as a report; `None` without a demand.
    pub(crate) fn plan_picture(&self) -> Option<SessionReport> {
        let tab = &self.tabs.whatif;
        let demand = Arc::clone(tab.demand.as_ref()?);
        let plans: Vec<SessionPlan> = Slot::ALL
            .into_iter()
            .filter_map(|slot| {
                let plan = tab.plan_of(slot)?;
                let answer = plan.answer().filter(|_| !plan.is_behind()).cloned();
                Some(SessionPlan { slot, scenario: Arc::clone(plan.scenario()), answer })
            })
            .collect();
        let pairs = [(Slot::A, Slot::B), (Slot::A, Slot::C), (Slot::B, Slot::C)];
        let known = pairs.into_iter().filter_map(|(base, other)| tab.comparison(base, other));
        let comparisons = known.cloned().collect();
        Some(SessionReport { demand, plans, active: tab.active, comparisons })
    }

    /// Fails with the reason where the session cannot be written in this format.
    pub(crate) fn check_plan_export(&self, format: Format) -> Result<(), String> {
        if format == Format::Table {
            return Err("a plan is written as md (the memo), csv or json".to_owned());
        }
        let tab = &self.tabs.whatif;
        let (Some(_), Some(plan)) = (&tab.demand, tab.plan()) else {
            return Err("there is no plan to write down yet".to_owned());
        };
        match plan.trouble().filter(|_| !plan.is_underway()) {
            Some(why) => Err(format!("there is no answer to write down: {why}")),
            None => Ok(()),
        }
    }

    /// Keeps an export back while the whole answer is on its way: without it a memo has no answer and no lists. False
    /// where it is there.
    pub(crate) fn plan_export_waits(&mut self, format: Format, path: &str) -> bool {
        let waits = self.tabs.whatif.plan().is_some_and(Plan::is_underway);
        if waits {
            self.do_when_whole(LateDeed::Write { format, path: path.to_owned() });
        }
        waits
    }

    /// First part of an export's file name.
    pub(crate) fn plan_stem(&self) -> String {
        let name = self.tabs.whatif.scenario().map_or("unnamed", |s| name_of(s));
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
        let name: String = name.chars().map(safe).take(40).collect();
        // A name like `plan 2026-11-30` says it already.
        let is_said = name.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("plan-"));
        if is_said { name } else { format!("plan-{name}") }
    }
}
