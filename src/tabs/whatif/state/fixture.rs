//! A cockpit over a plan, for tests.

use std::sync::Arc;

use crate::app::fixture::press;
use crate::app::{App, AppInit, Effect, Msg};
use crate::tabs::gpus::picture::fixture::hosts;
use crate::tabs::whatif::picture::fixture;
use crate::view::fixture::now;
use crate::whatif::{PlanAnswer, PlanRequest, Scenario, Slot, Stage};

/// What a cockpit over a plan starts with.
pub fn init(size: (u16, u16)) -> AppInit {
    AppInit { now: now(), ..crate::app::fixture::init(None, size) }
}

/// A cockpit that has heard of a fleet.
pub fn without(init: AppInit) -> App {
    let mut app = App::new(init);
    app.update(Msg::Fleet(Arc::new(hosts())));
    app.update(Msg::OwnCost(crate::app::fixture::own_cost()));
    app
}

/// A cockpit with a demand of so many families, and what its plan begins with; not answered.
pub fn asked(init: AppInit, families: usize) -> (App, Vec<Effect>) {
    let mut app = without(init);
    let effects = app.update(Msg::Demand {
        demand: Arc::new(fixture::demand_of(families)),
        scenario: Arc::new(fixture::start_of(families)),
    });
    (app, effects)
}

/// Answers what was asked, as far as a stage.
pub fn answer(app: &mut App, effects: Vec<Effect>, stage: Stage) {
    for effect in effects {
        if let Effect::Plan(request) = effect {
            app.update(Msg::Planned(answered(&request, stage)));
        }
    }
}

/// The answer to a request.
pub fn answered(request: &PlanRequest, stage: Stage) -> PlanAnswer {
    PlanAnswer {
        generation: request.generation,
        slot: request.slot,
        result: Ok(fixture::shared(&request.scenario, stage)),
        comparisons: Vec::new(),
    }
}

/// A cockpit of `init` over a full scenario, wholly answered.
pub fn heard(init: AppInit) -> App {
    with(init, fixture::full())
}

/// A cockpit of `init` over this scenario, wholly answered.
pub fn with(init: AppInit, scenario: Scenario) -> App {
    let families = scenario.families.len();
    let (mut app, _) = asked(init, families);
    let effects = app.update(Msg::Scenario { slot: Slot::A, scenario: Arc::new(scenario) });
    answer(&mut app, effects, Stage::Whole);
    app.update(Msg::Scenarios(vec!["base".into(), "p5 early".into()]));
    app
}

/// A cockpit over a full scenario, wholly answered.
pub fn app(size: (u16, u16)) -> App {
    heard(init(size))
}

/// Presses keys, and answers what they ask.
pub fn go(app: &mut App, keys: &str) {
    let effects = press(app, keys);
    answer(app, effects, Stage::Whole);
}

/// The cockpit after keys, everything answered.
pub fn after(size: (u16, u16), keys: &str) -> App {
    let mut app = app(size);
    go(&mut app, keys);
    app
}
