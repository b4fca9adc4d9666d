//! The engine as the planner's worker drives it.

use std::sync::Arc;

use super::work::Valuer;
use crate::whatif::effective::effective;
use crate::whatif::{Answer, Demand, Engine, Scenario, Stage, Workers, whole};

/// Futures of a quick answer: enough to follow a slider.
const QUICK: u32 = 2_000;

/// Everything about a scenario, at once.
pub fn whole(
    demand: &Arc<Demand>,
    scenario: &Scenario,
    workers: &dyn Workers,
) -> Result<Answer, String> {
    let mut engine = <Engine as Valuer>::new(demand, scenario)?;
    engine.answer(Stage::Whole, workers, &|| false)
}

impl Valuer for Engine {
    fn new(demand: &Arc<Demand>, scenario: &Scenario) -> Result<Self, String> {
        let (scenario, _) = effective(scenario, demand);
        Engine::new(Arc::clone(demand), &scenario).map_err(|e| e.to_string())
    }

    fn set(&mut self, scenario: &Scenario) -> Result<(), String> {
        let (scenario, _) = effective(scenario, self.demand());
        Engine::set(self, &scenario).map_err(|e| e.to_string())
    }

    fn answer(
        &mut self,
        stage: Stage,
        workers: &dyn Workers,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Answer, String> {
        let said = |e: crate::whatif::EngineError| e.to_string();
        if stage == Stage::Quick {
            return self.value(QUICK, workers).map_err(said);
        }
        if stage == Stage::Settled {
            let all = self.scenario().future.paths;
            return self.value(all, workers).map_err(said);
        }
        whole::whole(self, workers, stop).map_err(said)
    }

    fn costs(&self) -> &[f64] {
        Engine::costs(self)
    }
}
