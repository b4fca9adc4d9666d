//! The engine as the planner's worker drives it.

use std::sync::Arc;

use super::work::Valuer;
use crate::whatif::effective::effective;
use crate::whatif::judgement::Judgements;
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
    engine.answer(Stage::Whole, &mut Judgements::default(), workers, &|| false)
}

impl Valuer for Engine {
    type Kept = Judgements;

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
        kept: &mut Judgements,
        workers: &dyn Workers,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Answer, String> {
        let said = |e: crate::whatif::EngineError| e.to_string();
        let paths = match stage {
            Stage::Quick => QUICK,
            Stage::Settled => self.scenario().future.paths,
            Stage::Whole => return whole::whole(self, kept, workers, stop).map_err(said),
        };
        let mut answer = self.value(paths, workers).map_err(said)?;
        kept.fill(self, &mut answer);
        Ok(answer)
    }

    fn costs(&self) -> &[f64] {
        Engine::costs(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::whatif::{
        Buy, DemandOrigin, Family, FamilyInputs, Future, Offer, OfferKind, OneByOne, Payment,
    };

    fn demand() -> Arc<Demand> {
        let hours = (0..8 * 168).map(|hour| f64::from(6 + hour * 11 % 37));
        Arc::new(Demand {
            origin: DemandOrigin::History,
            start: jiff::Timestamp::UNIX_EPOCH,
            families: vec![Family { name: "a".into(), hours: hours.collect() }],
            notes: Vec::new(),
        })
    }

    fn scenario() -> Scenario {
        let offer = Offer {
            name: "1y".into(),
            kind: OfferKind::StandardRi,
            weeks: 52,
            payment: Payment::NoUpfront,
            rate: Some(1.3),
        };
        let family = FamilyInputs {
            name: "a".into(),
            on_demand: Some(2.0),
            drift: 0.01,
            offers: vec![offer],
            ..FamilyInputs::default()
        };
        // More futures than a quick answer takes.
        let future = Future { paths: 2_500, ..Future::default() };
        Scenario { future, families: vec![family], ..Scenario::default() }
    }

    fn cautious(answer: &Answer) -> Option<f64> {
        answer.families[0].as_ref().unwrap().offers[0].cautious_units
    }

    #[test]
    fn after_a_purchase_and_in_a_copy_the_units_to_advise_are_there_at_once() {
        let (demand, start) = (demand(), scenario());
        let mut kept = Judgements::default();
        let mut first = <Engine as Valuer>::new(&demand, &start).unwrap();
        let go = |engine: &mut Engine, stage, kept: &mut Judgements| {
            engine.answer(stage, kept, &OneByOne, &|| false).unwrap()
        };
        assert_eq!(cautious(&go(&mut first, Stage::Quick, &mut kept)), None);
        let whole = go(&mut first, Stage::Whole, &mut kept);
        let units = cautious(&whole).unwrap();
        let mut bought = start.clone();
        bought.families[0].buys = vec![Buy { offer: "1y".into(), units, week: 0 }];
        Valuer::set(&mut first, &bought).unwrap();
        let mut copy = <Engine as Valuer>::new(&demand, &bought).unwrap();
        let anew = go(&mut copy, Stage::Whole, &mut Judgements::default());
        for engine in [&mut first, &mut copy] {
            for stage in [Stage::Quick, Stage::Settled] {
                let answer = go(engine, stage, &mut kept);
                assert_eq!((answer.stage, cautious(&answer)), (stage, Some(units)));
                assert_eq!((&answer.lists, cautious(&anew)), (&anew.lists, Some(units)));
            }
        }
        // Of another growth nothing is known.
        bought.families[0].growth = 0.3;
        Valuer::set(&mut first, &bought).unwrap();
        assert_eq!(cautious(&go(&mut first, Stage::Quick, &mut kept)), None);
    }
}
