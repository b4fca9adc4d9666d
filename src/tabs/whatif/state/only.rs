//! Planning for one family among several.

use super::WhatIf;
use crate::app::{App, Effect, Level, Notice};
use crate::tabs::whatif::picture::Group;
use crate::whatif::{Scenario, Slot};

/// What stands for all families where one is named.
pub(crate) const ALL: &str = "all";

impl App {
    /// Plans for the family on screen alone, or for all again.
    pub(super) fn turn_only(&mut self) -> Vec<Effect> {
        let tab = &self.tabs.whatif;
        let Some(scenario) = tab.scenario() else { return Vec::new() };
        let name = match &scenario.only {
            Some(_) => None,
            None => scenario.families.get(tab.family).map(|family| family.name.clone()),
        };
        self.set_only(name.as_deref());
        self.ask_plans()
    }

    /// Goes to the tab and plans for the family alone of whose name `part` is a part, for all with [`ALL`]; where no demand is
    /// read yet, as soon as one is. Fails where no family is called so.
    pub(crate) fn plan_only(&mut self, part: &str) -> Result<Vec<Effect>, String> {
        let mut effects = self.go_to_whatif(None);
        if self.has_whatif() {
            self.narrow_plans(part)?;
            effects.extend(self.ask_plans());
        } else {
            self.tabs.whatif.asked_only = Some(part.to_owned());
        }
        Ok(effects)
    }

    /// Fails where a scenario is there and no family of it has this in its name; [`ALL`] is none.
    pub(crate) fn check_only(&self, part: &str) -> Result<(), String> {
        let is_known = |scenario: &Scenario| part == ALL || named(scenario, part).is_some();
        match self.tabs.whatif.scenario() {
            Some(scenario) if !is_known(scenario) => {
                Err(format!("no family has `{part}` in its name"))
            }
            _ => Ok(()),
        }
    }

    /// Sets which family is planned for, by a part of its name; nothing is asked yet. Fails where none is called so.
    pub(super) fn narrow_plans(&mut self, part: &str) -> Result<(), String> {
        self.check_only(part)?;
        let found = |scenario: &Scenario| named(scenario, part).filter(|_| part != ALL);
        let at = self.tabs.whatif.scenario().and_then(|scenario| found(scenario));
        if let Some(at) = at {
            let tab = &mut self.tabs.whatif;
            (tab.group, tab.family, tab.cursor) = (Group::Family(at), at, 0);
        }
        let families = self.tabs.whatif.scenario().map(|scenario| &scenario.families);
        let name = at.zip(families).and_then(|(at, all)| Some(all.get(at)?.name.clone()));
        self.set_only(name.as_deref());
        Ok(())
    }

    /// Sets the one family that each scenario plans for, where it has it, so that they stay comparable; `None` = all.
    fn set_only(&mut self, name: Option<&str>) {
        let tab = &mut self.tabs.whatif;
        for plan in tab.plans.iter_mut().flatten() {
            let has = |name: &str| plan.scenario().families.iter().any(|f| f.name == name);
            let only = name.filter(|name| has(name)).map(str::to_owned);
            if plan.scenario().only != only {
                let changed = Scenario { only, ..Scenario::clone(plan.scenario()) };
                plan.change(None, changed);
            }
        }
        tab.stay_inside();
        let text = match name {
            Some(name) => format!("only {name}: recommendation, charts, comparison and memo"),
            None => "all families".to_owned(),
        };
        self.say(Notice::new(Level::Info, text));
    }

    /// Asks for the answer of each scenario that has none as it is now.
    fn ask_plans(&mut self) -> Vec<Effect> {
        Slot::ALL.into_iter().filter_map(|slot| self.ask_plan(slot)).collect()
    }
}

impl WhatIf {
    /// Index of the one family that is planned for; `None` for all.
    pub(super) fn only_family(&self) -> Option<usize> {
        let scenario = self.scenario()?;
        let only = scenario.only.as_deref()?;
        scenario.families.iter().position(|family| family.name == only)
    }
}

/// Index of the family that is called so, else of the first with this part in its name, in any case.
fn named(scenario: &Scenario, part: &str) -> Option<usize> {
    let names = || scenario.families.iter().map(|family| family.name.to_lowercase());
    let part = part.trim().to_lowercase();
    names().position(|name| name == part).or_else(|| names().position(|name| name.contains(&part)))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{after, answer, app, go, init, without};
    use super::*;
    use crate::app::Msg;
    use crate::app::fixture::press;
    use crate::report::Format;
    use crate::tabs::whatif::picture::fixture::{demand_of, start_of};
    use crate::tabs::whatif::picture::input;
    use crate::ui::golden::screen;
    use crate::whatif::Stage;

    fn only(app: &App) -> Option<&str> {
        app.whatif().scenario()?.only.as_deref()
    }

    fn groups(app: &App) -> Vec<Group> {
        input::groups(app.whatif().scenario().unwrap()).collect()
    }

    #[test]
    fn one_family_is_planned_for_and_all_again() {
        let mut app = after((120, 40), "7]");
        let all = app.whatif().answer().unwrap().total.mean_usd;
        assert!(screen(&mut app).contains("· `.` plans for it alone ]"));
        go(&mut app, ".");
        assert_eq!(only(&app), Some("g5.48xlarge"));
        assert_eq!(groups(&app), [Group::Family(1), Group::Future]);
        // What it costs is what it costs among all.
        let answer = app.whatif().answer().unwrap();
        let own = answer.families[1].as_ref().unwrap().value.mean_usd;
        assert!((answer.total.mean_usd - own).abs() < 1e-9 && own < all);
        assert!(answer.families[0].is_none());
        let shown = screen(&mut app);
        for said in ["[ only g5.48xlarge · `.` plans for all ]", "only g5.48xlarge: mean"] {
            assert!(shown.contains(said), "{said}:\n{shown}");
        }
        // Another family is not on screen: round and round.
        press(&mut app, "]]");
        assert_eq!(app.whatif().group(), Group::Family(1));
        press(&mut app, "/p4d<enter>");
        assert!(app.prompt().unwrap().error.is_some());
        go(&mut app, "<esc>.");
        assert_eq!((only(&app), app.whatif().family()), (None, 1));
        assert!((app.whatif().answer().unwrap().total.mean_usd - all).abs() < 1e-9);
        press(&mut app, "u");
        assert_eq!(only(&app), Some("g5.48xlarge"), "it is a change like others");
    }

    #[test]
    fn scenarios_plan_for_the_same_families() {
        let mut app = after((120, 40), "7B");
        let effects = press(&mut app, ".");
        let asked = effects.iter().filter(|e| matches!(e, Effect::Plan(_))).count();
        assert_eq!(asked, 2);
        answer(&mut app, effects, Stage::Whole);
        for slot in [Slot::A, Slot::B] {
            let scenario = app.whatif().plan_of(slot).unwrap().scenario();
            assert_eq!(scenario.only.as_deref(), Some("p4d.24xlarge"));
        }
    }

    #[test]
    fn a_command_names_the_family_also_before_a_demand_is_read() {
        let mut app = app((120, 40));
        go(&mut app, ":only G5<enter>");
        assert_eq!((app.tab().title(), only(&app)), ("What-if", Some("g5.48xlarge")));
        assert_eq!(app.whatif().group(), Group::Family(1));
        go(&mut app, ":only all<enter>");
        assert_eq!(only(&app), None);
        press(&mut app, ":only h100<enter>");
        let error = app.prompt().unwrap().error.clone().unwrap().message;
        assert_eq!(error, "no family has `h100` in its name");

        let mut early = without(init((120, 40)));
        let effects = press(&mut early, ":only g5<enter>");
        assert!(matches!(&effects[..], [Effect::ReadDemand(_)]), "{effects:?}");
        let effects =
            early.update(Msg::Demand { demand: demand_of(3).into(), scenario: start_of(3).into() });
        let asked = effects.iter().find_map(|effect| match effect {
            Effect::Plan(request) => request.scenario.only.as_deref(),
            _ => None,
        });
        assert_eq!(asked, Some("g5.48xlarge"));
    }

    #[test]
    fn the_memo_is_of_the_one_family() {
        let mut app = after((120, 40), ":only p4d<enter>");
        let effects = press(&mut app, ":export md plan.md<enter>");
        let [Effect::Export { picture, .. }] = &effects[..] else { panic!("{effects:?}") };
        let memo = picture.written(Format::Md);
        assert!(
            memo.contains("Which commitments to buy for p4d.24xlarge over 52 weeks?"),
            "{memo}"
        );
        // What is odd about the demand decides which weeks futures are drawn from. What would change the answer is the
        // fixture's own.
        let (memo, _) = memo.split_once("## What would change it").unwrap();
        let mut of_others = memo.lines().filter(|line| line.contains("g5.48xlarge"));
        assert!(of_others.all(|line| line.starts_with("- Demand: one hour")), "{memo}");
        assert!(!memo.contains("Compute SP 1"), "{memo}");
    }
}
