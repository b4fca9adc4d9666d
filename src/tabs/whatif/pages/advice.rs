//! What is recommended for the family on screen, and why: the first of the sums.

use crate::app::content::{Line, columns, wrap};
use crate::app::keymap::Action;
use crate::app::{App, Role};
use crate::tabs::whatif::picture::{Input, words};
use crate::tabs::whatif::state::{Plan, best_offer};
use crate::view::room::cut;
use crate::whatif::{FamilyAnswer, FamilyInputs, OfferAnswer};

/// Fewest columns, of all lines together, in which both numbers of units have room with all that parts them.
const ALL_OF_IT: usize = 170;

/// What to buy and why, in at most `height` lines of `width` columns, in as many words as there is room for. None where
/// there is no plan, or no answer to it for another reason than prices.
pub(super) fn advice(app: &App, width: usize, height: usize) -> Vec<Line> {
    let tab = app.whatif();
    let plan = tab.plan().filter(|plan| plan.trouble().is_none() && height > 0);
    let known = plan.and_then(|plan| Some((plan, plan.scenario().families.get(tab.family())?)));
    let Some((plan, family)) = known else { return Vec::new() };
    let (role, lines) = Advice { app, plan, family, size: (width, height) }.said();
    lines.into_iter().map(|line| Line::of(role, line)).collect()
}

/// What is said of a family.
struct Advice<'a> {
    app: &'a App,
    plan: &'a Plan,
    family: &'a FamilyInputs,
    /// Columns and lines.
    size: (usize, usize),
}

/// A text, made when it is tried; `None` where it need not be.
type Say<'a> = &'a dyn Fn() -> Option<String>;

impl Advice<'_> {
    fn said(&self) -> (Role, Vec<String>) {
        let (tab, plan) = (self.app.whatif(), self.plan);
        let working = || (Role::Dim, self.first(&[&|| Some(self.working())]));
        let Some(answer) = plan.answer() else { return working() };
        let found = answer.families.get(tab.family()).and_then(Option::as_ref);
        let at = found.and_then(|found| best_offer(found, tab.offer_at_cursor()));
        let offer = at.zip(found).and_then(|(at, found)| Some((at, found.offers.get(at)?)));
        let pays = offer.is_some_and(|(_, offer)| offer.advised_units() > Some(0.0));
        if plan.is_behind() && !pays {
            // What the scenario before lacked, this one may have.
            return working();
        }
        let Some(found) = found else { return (Role::Warn, self.without_a_price()) };
        let Some((at, offer)) = offer else { return self.of_none(found) };
        let is_open = plan.is_underway() && offer.cautious_units.is_none();
        let role = if plan.is_behind() || is_open { Role::Dim } else { Role::Heading };
        let lines = if is_open && offer.best_units > Some(0.0) {
            self.open(offer)
        } else if pays {
            self.buy(at, offer)
        } else {
            self.nothing(std::slice::from_ref(offer))
        };
        (role, lines)
    }

    /// The lines of the first text that has room; of the last one, cut, where none has.
    fn first(&self, says: &[Say<'_>]) -> Vec<String> {
        let (width, height) = self.size;
        let mut last = String::new();
        for text in says.iter().filter_map(|say| say()) {
            if columns(&text) <= width * height {
                let lines = wrap(&text, width);
                if lines.len() <= height {
                    return lines;
                }
            }
            last = text;
        }
        vec![cut(&last, width, self.app.appearance().symbols)]
    }

    /// What a key does, behind a text; nothing where no key does it.
    fn key(&self, action: Action, does: std::fmt::Arguments<'_>) -> String {
        let key = self.app.keymap().keys(action).first();
        key.map_or_else(String::new, |key| format!("; `{key}` {does}"))
    }

    fn buy(&self, at: usize, offer: &OfferAnswer) -> Vec<String> {
        let units = words::units(offer.advised_units().unwrap_or_default().round());
        let (name, family) = (&offer.name, &self.family.name);
        let bought = Input::Bought(self.app.whatif().family(), at).get(self.plan.scenario());
        let bought = words::units(bought.unwrap_or_default());
        let them = if units == "1" { "it" } else { "them" };
        let is_behind = self.plan.is_behind();
        // It is of the scenario before.
        let late = if is_behind { self.app.appearance().symbols.ellipsis() } else { "" };
        let does = if is_behind {
            String::new()
        } else if bought == units {
            "; bought".to_owned()
        } else if bought == "0" {
            self.key(Action::BuyBest, format_args!("buys {them}"))
        } else {
            self.key(Action::BuyBest, format_args!("buys {them} instead of {bought}"))
        };
        let caution = self.plan.scenario().future.caution;
        let even = offer.break_even.map(words::share).unwrap_or_default();
        let short = offer.why_in_short(caution).unwrap_or_default();
        let what = format!("recommended: {units}{late} {name}");
        let all_of_it = || {
            if self.size.0 * self.size.1 < ALL_OF_IT {
                return None;
            }
            let why = offer.why_units(caution)?;
            Some(format!(
                "{what} of {family}, because a unit pays when used {even} of the hours (break-even): {why}{does}"
            ))
        };
        self.first(&[
            &all_of_it,
            &|| {
                Some(format!(
                    "{what} of {family}, {short}; a unit pays when used {even} of the hours{does}"
                ))
            },
            &|| Some(format!("{what}, {short}; a unit pays when used {even} of the hours{does}")),
            &|| Some(format!("{what}, {short}{does}")),
            &|| Some(format!("{what}{does}")),
            &|| Some(what.clone()),
        ])
    }

    /// That an answer is on its way.
    fn working(&self) -> String {
        format!("recommended: being worked out{}", self.app.appearance().symbols.ellipsis())
    }

    /// That the cautious units of an offer are still being worked out.
    fn open(&self, offer: &OfferAnswer) -> Vec<String> {
        let caution = self.plan.scenario().future.caution;
        let what = self.working();
        let lowest = offer.why_units(caution).unwrap_or_default();
        let waits = self.key(Action::BuyBest, format_args!("waits for it"));
        self.first(&[
            &|| {
                Some(format!(
                    "{what} for {} of {}, with caution {}; {lowest}{waits}",
                    offer.name,
                    self.family.name,
                    words::share(caution)
                ))
            },
            &|| Some(format!("{what} {lowest}{waits}")),
            &|| Some(format!("{what} {lowest}")),
            &|| Some(what.clone()),
        ])
    }

    fn without_a_price(&self) -> Vec<String> {
        let gives = self.key(Action::SetValue, format_args!("on its line gives one"));
        let family = &self.family.name;
        self.first(&[
            &|| {
                Some(format!(
                    "nothing to buy, because the on-demand price of {family} is not known{gives}"
                ))
            },
            &|| Some(format!("nothing to buy: no on-demand price is known{gives}")),
            &|| Some("nothing to buy: no on-demand price".to_owned()),
        ])
    }

    /// Where no offer is to be bought.
    fn of_none(&self, found: &FamilyAnswer) -> (Role, Vec<String>) {
        let known = found.offers.iter().filter(|offer| offer.best_units.is_some());
        let known: Vec<OfferAnswer> = known.cloned().collect();
        if !known.is_empty() {
            return (Role::Heading, self.nothing(&known));
        }
        let gives = self.key(Action::SetValue, format_args!("on a rate's line gives one"));
        let family = &self.family.name;
        let lines = self.first(&[
            &|| {
                Some(format!(
                    "nothing to buy, because no rate of an offer for {family} is known{gives}"
                ))
            },
            &|| Some(format!("nothing to buy: no rate is known{gives}")),
            &|| Some("nothing to buy: no rate is known".to_owned()),
        ]);
        (Role::Warn, lines)
    }

    /// Why none of these offers, whose best units are known, is to be bought.
    fn nothing(&self, offers: &[OfferAnswer]) -> Vec<String> {
        let family = &self.family.name;
        let of = match offers {
            [one] => format!(" of {}", one.name),
            _ => String::new(),
        };
        let refused = offers.iter().find_map(|offer| offer.best_units.filter(|units| *units > 0.0));
        let needs = offers.iter().filter_map(|offer| offer.break_even).reduce(f64::min);
        let beyond = if self.family.held.is_empty() { "" } else { " beyond what is held" };
        // The break-even is of today's price on demand: less is saved where a part of it is on Spot, or it falls.
        let is_plain = self.family.spot.is_none() && self.family.price_cut.is_none();
        let [why, short] = match (refused, needs) {
            (Some(units), _) => {
                let caution = words::share(self.plan.scenario().future.caution);
                let units = words::units_in_words(units);
                let short = format!("with caution {caution} the worst 5% of the futures outweigh");
                [
                    format!("{short} what {units} (lowest mean) would save on average"),
                    format!("{short} it"),
                ]
            }
            (None, Some(needs)) if needs < 1.0 && is_plain => {
                let needs = words::share(needs);
                let pays = "from which on one pays (break-even)";
                [
                    format!("no unit of {family}{beyond} is used {needs} of the hours, {pays}"),
                    format!("no unit{beyond} is used {needs} of the hours (break-even)"),
                ]
            }
            (None, Some(needs)) if needs < 1.0 => [
                format!("no unit of {family}{beyond} saves what it costs"),
                format!("no unit{beyond} saves what it costs"),
            ],
            _ => [
                format!("on demand costs no more for {family}"),
                "on demand costs no more".to_owned(),
            ],
        };
        self.first(&[
            &|| Some(format!("nothing to buy{of}, because {why}")),
            &|| Some(format!("nothing to buy, because {short}")),
            &|| Some(format!("nothing to buy: {short}")),
        ])
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::app::fixture::press;
    use crate::app::{Effect, Msg};
    use crate::tabs::whatif::picture::fixture::{self, full};
    use crate::tabs::whatif::state::fixture::{after, answer, answered, asked, init, with};
    use crate::ui::golden::screen;
    use crate::whatif::{Scenario, Slot, Stage};

    const SIZES: [(u16, u16); 3] = [(200, 50), (120, 40), (80, 24)];

    /// All that is on the screen, with what is wrapped in one piece.
    fn shown(app: &mut App) -> String {
        screen(app).lines().map(str::trim).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn how_many_and_why_stand_on_every_screen_with_the_key_that_buys_them() {
        for size in SIZES {
            let mut app = after(size, "7");
            let offer = app.whatif().family_answer().unwrap().offers[0].clone();
            let [units, best] = [offer.cautious_units, offer.best_units].map(Option::unwrap);
            let said = shown(&mut app);
            for part in [
                format!("recommended: {units} 1y no-upfront"),
                "a unit pays when used 63.4% of the hours".to_owned(),
                "caution 50%".to_owned(),
                "; `b` buys them instead of 46 ".to_owned(),
            ] {
                assert!(said.contains(&part), "{size:?} {part}: {said}");
            }
            let lowest =
                [format!("lowest mean at {best} units"), format!("not {best} (lowest mean)")];
            assert!(lowest.iter().any(|part| said.contains(part)), "{size:?}: {said}");
            let effects = press(&mut app, "b");
            answer(&mut app, effects, Stage::Whole);
            let said = shown(&mut app);
            assert!(said.contains("; bought ") && !said.contains("buys them"), "{said}");
        }
    }

    #[test]
    fn until_it_is_judged_it_is_being_worked_out() {
        for size in SIZES {
            let (mut app, effects) = asked(init(size), 3);
            press(&mut app, "7");
            assert!(shown(&mut app).contains("recommended: being worked out… "));
            answer(&mut app, effects, Stage::Quick);
            let said = shown(&mut app);
            assert!(said.contains("recommended: being worked out… "), "{said}");
            assert!(
                said.contains("lowest mean at ") && said.contains("`b` waits for it"),
                "{said}"
            );
        }
    }

    #[test]
    fn where_nothing_is_known_it_says_what_is_to_be_given() {
        let mut unpriced = after((120, 40), "7]]");
        let says = "nothing to buy, because the on-demand price of p5.48xlarge is not known; `=` on its line gives one";
        assert!(shown(&mut unpriced).contains(says), "{}", shown(&mut unpriced));
        let mut unrated = full();
        unrated.families[0].buys.clear();
        unrated.families[0].offers.iter_mut().for_each(|offer| offer.rate = None);
        let mut unrated = with(init((120, 40)), unrated);
        press(&mut unrated, "7");
        let says = "nothing to buy, because no rate of an offer for p4d.24xlarge is known; `=` on a rate's line \
                    gives one";
        assert!(shown(&mut unrated).contains(says), "{}", shown(&mut unrated));
    }

    #[test]
    fn what_is_said_of_the_scenario_before_bears_a_sign_or_is_not_said() {
        let mut app = after((120, 40), "7");
        let units = app.whatif().family_answer().unwrap().offers[0].cautious_units.unwrap();
        press(&mut app, "+");
        let said = shown(&mut app);
        assert!(said.contains(&format!("recommended: {units}… 1y no-upfront")), "{said}");
        assert!(!said.contains("buys them"), "{said}");
        // A price is given where there was none: that none is known would be untrue.
        let mut unpriced = after((120, 40), "7]]");
        let mut priced = full();
        priced.families[2].on_demand = Some(98.32);
        unpriced.update(Msg::Scenario { slot: Slot::A, scenario: Arc::new(priced) });
        let said = shown(&mut unpriced);
        assert!(said.contains("recommended: being worked out… "), "{said}");
        assert!(!said.contains("nothing to buy"), "{said}");
    }

    #[test]
    fn where_nothing_pays_it_says_why() {
        let said_of = |scenario: Scenario, change: fn(&mut FamilyAnswer)| {
            let mut app = with(init((200, 50)), scenario);
            for effect in press(&mut app, "7+") {
                let Effect::Plan(request) = effect else { continue };
                let mut made = fixture::answer(&request.scenario, Stage::Whole);
                change(made.families[0].as_mut().unwrap());
                let mut planned = answered(&request, Stage::Whole);
                planned.result = Ok(Arc::new(made));
                app.update(Msg::Planned(planned));
            }
            shown(&mut app)
        };
        let said = |change: fn(&mut FamilyAnswer)| said_of(full(), change);
        let idle: fn(&mut FamilyAnswer) = |family| {
            for offer in &mut family.offers {
                (offer.best_units, offer.cautious_units) = (Some(0.0), Some(0.0));
            }
        };
        // One that holds something, whose price falls, and that runs on Spot in part.
        let mixed = full();
        let mut held = mixed.clone();
        (held.families[0].spot, held.families[0].price_cut) = (None, None);
        let mut plain = held.clone();
        plain.families[0].held.clear();
        let used = "is used 63.4% of the hours, from which on one pays (break-even)";
        for (scenario, why) in [
            (plain, used.to_owned()),
            (held, format!("beyond what is held {used}")),
            (mixed, "beyond what is held saves what it costs".to_owned()),
        ] {
            let idle = said_of(scenario, idle);
            let why =
                format!("nothing to buy of 1y no-upfront, because no unit of p4d.24xlarge {why}");
            assert!(idle.contains(&why), "{why}: {idle}");
        }
        let dear = said(|family| {
            for offer in &mut family.offers {
                (offer.best_units, offer.cautious_units) = (Some(0.0), Some(0.0));
                offer.break_even = Some(1.2);
            }
        });
        let why =
            "nothing to buy of 1y no-upfront, because on demand costs no more for p4d.24xlarge";
        assert!(dear.contains(why), "{dear}");
        let cautious = said(|family| family.offers[0].cautious_units = Some(0.0));
        assert!(cautious.contains("because with caution 50% the worst 5% of the futures outweigh"));
    }

    #[test]
    fn what_has_no_room_is_said_in_fewer_words_and_never_cut_without_a_sign() {
        let app = after((120, 40), "7");
        for width in 12..220 {
            for height in [1, 2] {
                let lines = advice(&app, width, height);
                assert!(!lines.is_empty() && lines.len() <= height, "{width}");
                let text = |line: &Line| line.spans.iter().map(|s| &*s.text).collect::<String>();
                let said = lines.iter().map(text).collect::<Vec<_>>().join(" ");
                let is_whole = ["46", "no-upfront"].iter().any(|end| said.ends_with(end));
                assert!(is_whole || said.ends_with('…'), "{width}: {said}");
                assert!(lines.iter().all(|line| text(line).chars().count() <= width), "{said}");
            }
        }
    }
}
