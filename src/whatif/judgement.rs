//! What is advised whatever a scenario buys: cautious units and lists. They take longest, and scenarios that follow each
//! other often differ by purchases alone, so that the last few judgements are kept.

use std::sync::Arc;

use super::engine::{Engine, EngineError};
use super::lists::{Candidate, lists};
use super::optimum::{EngineOutlook, cautious_units};
use super::whole::JUDGED;
use super::{Answer, Demand, Lists, Scenario, Workers};

/// Most judgements kept: of three scenarios side by side, and of what one of them was before.
const KEPT: usize = 4;

/// Cautious units and lists of all families of a scenario.
#[derive(Clone, Debug)]
struct Judgement {
    demand: Arc<Demand>,
    /// The scenario without what the judgement does not depend on.
    scenario: Scenario,
    /// Cautious units by family and offer; `None` without a rate or an on-demand price.
    cautious: Vec<Vec<Option<f64>>>,
    lists: Lists,
}

/// The last few judgements, the one used last first.
#[derive(Clone, Debug, Default)]
pub struct Judgements(Vec<Judgement>);

impl Judgements {
    /// Judges all families of the engine's scenario over its first [`JUDGED`] futures, unless a scenario was judged that
    /// differs by name, note, purchases of families and Compute Savings Plans alone. False when `stop` returned true on the
    /// way; fails where a valuation does.
    pub fn judge(
        &mut self,
        engine: &mut Engine,
        workers: &dyn Workers,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<bool, EngineError> {
        let (demand, scenario) = (Arc::clone(engine.demand()), unbought(engine.scenario()));
        if let Some(at) = self.find(&demand, &scenario) {
            self.0[..=at].rotate_right(1);
            return Ok(true);
        }
        let mut made =
            Judgement { demand, scenario, cautious: Vec::new(), lists: Lists::default() };
        for family in 0..made.scenario.families.len() {
            if stop() {
                return Ok(false);
            }
            made.add(engine, family, workers)?;
        }
        // A demand that another one has replaced is not kept alive.
        self.0.retain(|known| Arc::ptr_eq(&known.demand, &made.demand));
        self.0.truncate(KEPT - 1);
        self.0.insert(0, made);
        Ok(true)
    }

    /// Fills cautious units and lists of an answer to the engine's scenario, where they were judged.
    pub fn fill(&self, engine: &Engine, answer: &mut Answer) {
        let found = self.find(engine.demand(), &unbought(engine.scenario()));
        let Some(known) = found.and_then(|at| self.0.get(at)) else { return };
        for (family, units) in answer.families.iter_mut().zip(&known.cautious) {
            let offers = family.iter_mut().flat_map(|family| &mut family.offers);
            offers.zip(units).for_each(|(offer, units)| offer.cautious_units = *units);
        }
        answer.lists = known.lists.clone();
    }

    /// Index of the judgement of such a scenario.
    fn find(&self, demand: &Arc<Demand>, scenario: &Scenario) -> Option<usize> {
        let is_same =
            |known: &Judgement| Arc::ptr_eq(&known.demand, demand) && known.scenario == *scenario;
        self.0.iter().position(is_same)
    }
}

impl Judgement {
    /// Adds cautious units and lists of the next family.
    fn add(
        &mut self,
        engine: &mut Engine,
        family: usize,
        workers: &dyn Workers,
    ) -> Result<(), EngineError> {
        let (future, inputs) = (&self.scenario.future, &self.scenario.families[family]);
        let mut units = Vec::with_capacity(inputs.offers.len());
        if let Some(outlook) = EngineOutlook::new(engine, family, JUDGED.min(future.paths), workers)
        {
            for at in 0..inputs.offers.len() {
                let found = cautious_units(&outlook, at, future.caution)?;
                units.push(found.map(|(units, _)| units));
            }
            let most = units.iter().flatten().copied().reduce(f64::max);
            let found = lists(&[Candidate { inputs, outlook: &outlook, most }], future);
            if let Some(error) = outlook.failed() {
                return Err(error);
            }
            self.lists.buy.extend(found.buy);
            self.lists.plan.extend(found.plan);
            self.lists.avoid.extend(found.avoid);
        }
        self.cautious.push(units);
        Ok(())
    }
}

/// The scenario without what no judgement depends on: its name, its note, what its families buy, and Compute Savings Plans,
/// which belong to no family.
fn unbought(scenario: &Scenario) -> Scenario {
    let mut rest = scenario.clone();
    rest.name.clear();
    rest.note.clear();
    rest.compute_plans.clear();
    rest.families.iter_mut().for_each(|family| family.buys.clear());
    rest
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;

    fn demand() -> Arc<Demand> {
        let hours = (0..6 * HOURS_PER_WEEK).map(|hour| (8 + hour * 5 % 23) as f64);
        Arc::new(Demand {
            origin: DemandOrigin::History,
            start: jiff::Timestamp::UNIX_EPOCH,
            families: vec![Family { name: "a".into(), hours: hours.collect() }],
            notes: Vec::new(),
        })
    }

    fn scenario(growth: f64) -> Scenario {
        let offer = Offer {
            name: "1y".into(),
            kind: OfferKind::StandardRi,
            weeks: 52,
            payment: Payment::NoUpfront,
            rate: Some(1.2),
        };
        let family = FamilyInputs {
            name: "a".into(),
            on_demand: Some(2.0),
            growth,
            offers: vec![offer],
            ..FamilyInputs::default()
        };
        let future = Future { paths: 20, ..Future::default() };
        Scenario { future, families: vec![family], ..Scenario::default() }
    }

    fn plan() -> ComputePlan {
        ComputePlan {
            name: "SP".into(),
            usd_per_hour: 4.0,
            weeks: 52,
            week: 0,
            payment: Payment::NoUpfront,
            rates: vec![PlanRate { family: "a".into(), rate: 1.5 }],
            held: false,
        }
    }

    /// Whether the cautious units of an answer are known by what was judged.
    fn is_known(kept: &Judgements, demand: &Arc<Demand>, scenario: &Scenario) -> bool {
        let mut engine = Engine::new(Arc::clone(demand), scenario).unwrap();
        let mut answer = engine.value(20, &OneByOne).unwrap();
        kept.fill(&engine, &mut answer);
        let units = answer.families[0].as_ref().unwrap().offers[0].cautious_units;
        assert_eq!(units.is_some(), !answer.lists.buy.is_empty());
        units.is_some()
    }

    #[test]
    fn only_purchases_name_and_note_leave_a_judgement_as_it_was() {
        let (demand, base) = (demand(), scenario(0.0));
        let mut kept = Judgements::default();
        let mut engine = Engine::new(Arc::clone(&demand), &base).unwrap();
        assert!(!kept.judge(&mut engine, &OneByOne, &|| true).unwrap());
        assert!(!is_known(&kept, &demand, &base), "what was stopped is not kept");
        assert!(kept.judge(&mut engine, &OneByOne, &|| false).unwrap());
        let changed = |change: fn(&mut Scenario)| {
            let mut scenario = base.clone();
            change(&mut scenario);
            is_known(&kept, &demand, &scenario)
        };
        let same: [fn(&mut Scenario); 5] = [
            |_| {},
            |s| s.name = "B".into(),
            |s| s.note = "ask first".into(),
            |s| s.families[0].buys = vec![Buy { offer: "1y".into(), units: 9.0, week: 0 }],
            |s| s.compute_plans = vec![plan()],
        ];
        assert!(same.into_iter().all(changed));
        let others: [fn(&mut Scenario); 5] = [
            |s| s.families[0].growth = 0.3,
            |s| s.families[0].offers[0].rate = Some(1.3),
            |s| s.future.caution = 0.9,
            |s| s.future.seed = 9,
            |s| s.only = Some("a".into()),
        ];
        assert!(!others.into_iter().any(changed));
        let copied = Arc::new(Demand::clone(&demand));
        assert!(!is_known(&kept, &copied, &base), "of another demand nothing is known");
    }

    #[test]
    fn beside_a_compute_plan_the_judgement_is_what_it_is_without() {
        let (demand, base) = (demand(), scenario(0.0));
        let beside = Scenario { compute_plans: vec![plan()], ..base.clone() };
        let judged = |scenario: &Scenario| {
            let mut kept = Judgements::default();
            let mut engine = Engine::new(Arc::clone(&demand), scenario).unwrap();
            assert!(kept.judge(&mut engine, &OneByOne, &|| false).unwrap());
            kept.0.remove(0)
        };
        let [alone, beside] = [judged(&base), judged(&beside)];
        assert!(alone.cautious[0][0] > Some(0.0), "{alone:?}");
        assert_eq!((alone.cautious, alone.lists), (beside.cautious, beside.lists));
    }

    #[test]
    fn the_judgements_used_last_are_kept() {
        let demand = demand();
        let mut kept = Judgements::default();
        let judge = |kept: &mut Judgements, growth: f64| {
            let mut engine = Engine::new(Arc::clone(&demand), &scenario(growth)).unwrap();
            assert!(kept.judge(&mut engine, &OneByOne, &|| false).unwrap());
        };
        for growth in [0.0, 0.1, 0.2, 0.3] {
            judge(&mut kept, growth);
        }
        // The oldest is used once more, so that the next goes in its place.
        judge(&mut kept, 0.0);
        judge(&mut kept, 0.4);
        let known = [0.0, 0.1, 0.2, 0.3, 0.4].map(|g| is_known(&kept, &demand, &scenario(g)));
        assert_eq!(known, [true, false, true, true, true]);
    }
}
