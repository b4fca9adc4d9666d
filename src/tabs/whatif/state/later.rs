//! What is asked before the answer is whole: it waits, and is done when that answer is there.

use super::{Plan, WhatIf};
use crate::app::{App, Effect, Level, Notice, Picture};
use crate::report::{Format, SessionReport};
use crate::view::format;
use crate::whatif::{Slot, Stage};

/// What waits for the whole answer of the scenario in a slot, as that scenario is now.
#[derive(Clone, Debug)]
pub(super) enum LateDeed {
    /// Buys the best amount.
    Buy {
        /// Index of the family in the scenario.
        family: usize,
        /// Index of the offer; `None` = the first that pays.
        offer: Option<usize>,
    },
    /// Writes the session to a file.
    Write {
        /// Format of the file.
        format: Format,
        /// Path of the file, as typed.
        path: String,
    },
}

impl LateDeed {
    /// What comes of it, as part of a sentence.
    fn said(&self) -> String {
        match self {
            Self::Buy { .. } => "then the best amount is taken".to_owned(),
            Self::Write { path, .. } => format!("then {path} is written"),
        }
    }

    /// That nothing came of it, as part of a sentence.
    fn undone(&self) -> String {
        match self {
            Self::Buy { .. } => "nothing was bought".to_owned(),
            Self::Write { path, .. } => format!("{path} was not written"),
        }
    }
}

impl App {
    /// Keeps a deed until the answer of the scenario on screen is whole, and says so. It takes the place of another one
    /// that waits for the same scenario.
    pub(super) fn do_when_whole(&mut self, deed: LateDeed) {
        let tab = &mut self.tabs.whatif;
        let Some(scenario) = tab.scenario() else { return };
        let of = match scenario.future.paths {
            0 => "the past itself".to_owned(),
            paths => {
                let noun = format::noun(paths as usize, "future");
                format!("{} {noun}", format::grouped(f64::from(paths), 0))
            }
        };
        let mut text = format!("worked out first: {of}; {}", deed.said());
        let undone = deed.undone();
        let slot = tab.active;
        let former = tab.later[slot.index()].replace(deed);
        let gone = former.map(|former| former.undone());
        if let Some(gone) = gone.filter(|gone| *gone != undone) {
            text = format!("{text}; {gone}");
        }
        self.say(Notice::new(Level::Info, text));
    }

    /// Does what waits for the answer of a slot, where that is whole now, or holds what is waited for. Where there is none,
    /// it says why nothing came of it.
    pub(super) fn do_what_waits(&mut self, slot: Slot) -> Vec<Effect> {
        let tab = &mut self.tabs.whatif;
        let waits = tab.later[slot.index()].as_ref();
        let is_ready = |plan: &&Plan| match waits {
            Some(LateDeed::Buy { family, .. }) => plan.is_judged(*family),
            _ => !plan.is_underway(),
        };
        let Some(plan) = tab.plans[slot.index()].as_ref().filter(is_ready) else {
            return Vec::new();
        };
        let trouble = plan.trouble().map(str::to_owned);
        let Some(deed) = tab.later[slot.index()].take() else { return Vec::new() };
        if let Some(why) = trouble {
            self.say(Notice::new(Level::Warn, format!("{}: {why}", deed.undone())));
            return Vec::new();
        }
        match deed {
            LateDeed::Buy { family, offer } => self.buy(slot, family, offer),
            LateDeed::Write { format, path } => {
                let now = self.view_context().now;
                // It was asked for while this scenario was on screen; another one may be by now.
                let of_slot = |report: SessionReport| SessionReport { active: slot, ..report };
                let report = self.plan_picture().map(of_slot);
                let picture = report.map(|report| Picture::new(report, now));
                let export = |picture| Effect::Export { path, format, picture };
                picture.map(export).into_iter().collect()
            }
        }
    }

    /// Gives up what waits for the answer of a slot, and says `why`; false where nothing waits for it.
    pub(super) fn give_up(&mut self, slot: Slot, why: &str) -> bool {
        let Some(deed) = self.tabs.whatif.later[slot.index()].take() else { return false };
        self.say(Notice::new(Level::Warn, format!("{why}: {}", deed.undone())));
        true
    }

    /// That a scenario that is left is worked out all the same, and what is done then; `None` where nothing waits for it.
    pub(super) fn waits_of(&self, slot: Slot) -> Option<String> {
        let deed = self.tabs.whatif.later[slot.index()].as_ref()?;
        Some(format!("{} is worked out meanwhile; {}", slot.letter(), deed.said()))
    }
}

impl WhatIf {
    /// How far the answer is that something waits for, and what is done then: of the scenario on screen, else of another one
    /// with its letter. `None` where nothing waits.
    pub fn waits(&self) -> Option<String> {
        let found = |slot: Slot| Some((slot, self.later[slot.index()].as_ref()?));
        let (slot, deed) = std::iter::once(self.active).chain(Slot::ALL).find_map(found)?;
        let plan = self.plan_of(slot)?;
        let of = if slot == self.active { String::new() } else { format!("{}: ", slot.letter()) };
        Some(format!("{of}{}; {}", step(plan), deed.said()))
    }
}

/// What is worked out now on the way to the whole answer.
fn step(plan: &Plan) -> &'static str {
    match plan.answer().filter(|_| !plan.is_behind()).map(|answer| answer.stage) {
        None => "step 1 of 3: a few futures",
        Some(Stage::Quick) => "step 2 of 3: all futures",
        Some(Stage::Settled | Stage::Whole) => "step 3 of 3: best amounts and lists",
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{answered, asked, init};
    use super::*;
    use crate::app::Msg;
    use crate::app::fixture::press;
    use crate::tabs::whatif::picture::Input;
    use crate::whatif::{PlanAnswer, PlanRequest, Stage};

    fn bought(app: &App) -> f64 {
        Input::Bought(0, 0).get(app.whatif().scenario().unwrap()).unwrap()
    }

    fn requests(effects: &[Effect]) -> Vec<PlanRequest> {
        let of = |e: &Effect| if let Effect::Plan(r) = e { Some(r.clone()) } else { None };
        effects.iter().filter_map(of).collect()
    }

    fn notice(app: &App) -> String {
        app.notice().unwrap().text.clone()
    }

    /// The tab with a demand that nothing is known of yet, and what was asked.
    fn fresh() -> (App, PlanRequest) {
        let (mut app, effects) = asked(init((120, 40)), 3);
        press(&mut app, "7");
        let request = requests(&effects).remove(0);
        (app, request)
    }

    #[test]
    fn the_best_is_taken_from_the_whole_answer_alone() {
        let (mut app, request) = fresh();
        for stage in [None, Some(Stage::Quick), Some(Stage::Settled)] {
            if let Some(stage) = stage {
                let effects = app.update(Msg::Planned(answered(&request, stage)));
                assert_eq!(requests(&effects).len(), 0, "{stage:?}");
            }
            assert_eq!(requests(&press(&mut app, "b")).len(), 0, "{stage:?}");
            assert_eq!(bought(&app), 0.0, "{stage:?}");
            let said = "worked out first: 10,000 futures; then the best amount is taken";
            assert_eq!(notice(&app), said, "{stage:?}");
        }
        // What explains it names no number that it will not buy.
        press(&mut app, "x");
        let said = crate::ui::golden::screen(&mut app);
        press(&mut app, "<esc>");
        assert!(said.contains("recommended with caution 50%: being worked out"), "{said}");
        // Looking elsewhere on the tab changes nothing of it.
        press(&mut app, "j]ox<esc>");
        let next = requests(&app.update(Msg::Planned(answered(&request, Stage::Whole))));
        let best = app.whatif().answer().unwrap().families[0].as_ref().unwrap().offers[0].clone();
        let cautious = best.cautious_units.unwrap().round();
        assert!(cautious < best.best_units.unwrap().round(), "a partial answer has more");
        assert_eq!((next.len(), bought(&app)), (1, cautious));
        assert!(notice(&app).contains(": caution 50%"), "{}", notice(&app));
        // Once.
        let after = app.update(Msg::Planned(answered(&next[0], Stage::Whole)));
        assert_eq!((requests(&after).len(), bought(&app)), (0, cautious));
    }

    #[test]
    fn what_was_judged_before_is_bought_before_the_answer_is_whole() {
        for keys in ["", "b"] {
            let (mut app, request) = fresh();
            press(&mut app, keys);
            // Only purchases part it from a scenario that was judged.
            let mut made =
                crate::tabs::whatif::picture::fixture::answer(&request.scenario, Stage::Whole);
            made.stage = Stage::Quick;
            let units = made.families[0].as_ref().unwrap().offers[0].cautious_units.unwrap();
            let result = Ok(std::sync::Arc::new(made));
            let mut effects =
                app.update(Msg::Planned(PlanAnswer { result, ..answered(&request, Stage::Quick) }));
            if keys.is_empty() {
                effects = press(&mut app, "b");
            }
            assert_eq!((requests(&effects).len(), bought(&app)), (1, units.round()), "{keys}");
        }
    }

    #[test]
    fn a_memo_waits_for_its_answer() {
        for keys in [
            ":export md plan.md<enter>",
            "x:export md plan.md<enter><esc>:export md plan.md<enter>",
        ] {
            let (mut app, request) = fresh();
            for stage in [Stage::Quick, Stage::Settled] {
                app.update(Msg::Planned(answered(&request, stage)));
                assert_eq!(press(&mut app, keys), [], "{stage:?}");
                let said = "worked out first: 10,000 futures; then plan.md is written";
                assert_eq!(notice(&app), said, "{stage:?}");
            }
            let effects = app.update(Msg::Planned(answered(&request, Stage::Whole)));
            let [Effect::Export { path, format, picture }] = &effects[..] else {
                panic!("{effects:?}")
            };
            assert_eq!((path.as_str(), *format), ("plan.md", Format::Md));
            let memo = picture.written(Format::Md);
            assert!(memo.contains("**Answer.** Buy nothing now"), "{memo}");
            // From here on it is written at once.
            assert_eq!(press(&mut app, keys).len(), keys.matches("export").count());
        }
    }

    #[test]
    fn of_two_that_wait_the_newer_is_done_and_the_other_named() {
        let (mut app, request) = fresh();
        press(&mut app, "b:export json plan.json<enter>");
        assert!(notice(&app).ends_with("then plan.json is written; nothing was bought"));
        press(&mut app, "b");
        let said = "then the best amount is taken; plan.json was not written";
        assert!(notice(&app).ends_with(said), "{}", notice(&app));
        let effects = app.update(Msg::Planned(answered(&request, Stage::Whole)));
        assert!(matches!(&effects[..], [Effect::Plan(_)]), "{effects:?}");
        // What was bought made another scenario: its answer is waited for.
        press(&mut app, ":export json plan.json<enter>+");
        assert!(notice(&app).ends_with(": plan.json was not written"), "{}", notice(&app));
    }

    #[test]
    fn of_another_scenario_nothing_is_bought() {
        for keys in ["+", "u", "=<ctrl-u>7<enter>"] {
            let (mut app, request) = fresh();
            press(&mut app, "b");
            let mut asked = requests(&press(&mut app, keys));
            assert!(notice(&app).ends_with(": nothing was bought"), "{keys}: {}", notice(&app));
            let before = bought(&app);
            asked.insert(0, request);
            for request in asked {
                let effects = app.update(Msg::Planned(answered(&request, Stage::Whole)));
                assert_eq!(requests(&effects).len(), 0, "{keys}");
            }
            assert_eq!(bought(&app), before, "{keys}");
        }
    }

    #[test]
    fn what_waits_is_done_in_the_scenario_it_was_asked_for_whichever_is_on_screen() {
        let (mut app, request) = fresh();
        press(&mut app, "b");
        let copied = requests(&press(&mut app, "B")).remove(0);
        let said = "A is worked out meanwhile; then the best amount is taken; B begins as a copy";
        assert!(notice(&app).starts_with(said), "{}", notice(&app));
        let units = |app: &App, slot: Slot| {
            Input::Bought(0, 0).get(app.whatif().plan_of(slot).unwrap().scenario()).unwrap()
        };
        // What is done to the other one, changes and taking them back, leaves it alone.
        press(&mut app, "+u");
        let next = requests(&app.update(Msg::Planned(answered(&request, Stage::Whole))));
        assert_eq!(next.iter().map(|request| request.slot).collect::<Vec<_>>(), [Slot::A]);
        let best = app.whatif().plan_of(Slot::A).unwrap().answer().unwrap().families[0].as_ref();
        let best = best.unwrap().offers[0].cautious_units.unwrap().round();
        assert_eq!((units(&app, Slot::A), units(&app, Slot::B)), (best, 0.0));
        assert!(notice(&app).starts_with(&format!("A: {best} ")), "{}", notice(&app));
        // Of an answer to B nothing is bought.
        assert_eq!(requests(&app.update(Msg::Planned(answered(&copied, Stage::Whole)))), []);
        assert_eq!((units(&app, Slot::B), app.whatif().waits()), (0.0, None));
    }

    #[test]
    fn how_far_the_answer_is_stands_there_while_something_waits_for_it() {
        let (mut app, request) = fresh();
        let waits = |app: &App| app.whatif().waits().unwrap();
        assert_eq!(app.whatif().waits(), None);
        press(&mut app, "b");
        assert!(waits(&app).starts_with("step 1 of 3"), "{}", waits(&app));
        for (stage, step) in [(Stage::Quick, "step 2 of 3"), (Stage::Settled, "step 3 of 3")] {
            app.update(Msg::Planned(answered(&request, stage)));
            assert!(waits(&app).starts_with(step), "{}", waits(&app));
        }
        assert!(waits(&app).ends_with("then the best amount is taken"));
        press(&mut app, "B");
        assert!(waits(&app).starts_with("A: step 3 of 3"), "{}", waits(&app));
        press(&mut app, "A");
        app.update(Msg::Planned(answered(&request, Stage::Whole)));
        assert_eq!(app.whatif().waits(), None);
    }

    #[test]
    fn without_an_answer_it_is_said_why_nothing_was_bought() {
        let (mut app, request) = fresh();
        press(&mut app, "b");
        let result = Err("no whole week is known".to_owned());
        app.update(Msg::Planned(PlanAnswer { result, ..answered(&request, Stage::Quick) }));
        assert_eq!(notice(&app), "nothing was bought: no whole week is known");
        for key in ["b", "e"] {
            press(&mut app, key);
            assert!(notice(&app).ends_with("no whole week is known"), "{}", notice(&app));
        }
        assert!(app.prompt().is_none());
        assert_eq!(bought(&app), 0.0);
    }
}
