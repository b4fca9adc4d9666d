//! Everything that takes longer than a slider: regret, cautious units, lists, tornado.

use super::engine::{Engine, EngineError};
use super::judgement::Judgements;
use super::tornado::tornado;
use super::{Answer, Buy, ListEntry, Scenario, Stage, Valuation, Workers};

/// Most futures that judgements and the tornado look at; they are common to all of them.
pub const JUDGED: u32 = 1_000;

/// The answer of [`Stage::Whole`] to the engine's scenario, over all its futures; of `kept` it takes what was judged
/// before, and adds what was not. When `stop` returns true on the way, the answer so far, as [`Stage::Settled`]. Fails
/// where a valuation does.
pub fn whole(
    engine: &mut Engine,
    kept: &mut Judgements,
    workers: &dyn Workers,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Answer, EngineError> {
    let scenario = engine.scenario().clone();
    let paths = scenario.future.paths;
    let mut answer = engine.value(paths, workers)?;
    if paths > 0 {
        engine.fill_regret(&mut answer, workers);
        if !kept.judge(engine, workers, stop)? {
            return Ok(answer);
        }
        kept.fill(engine, &mut answer);
    }
    let Some(bars) = tornado(engine, JUDGED.min(paths), workers, stop)? else {
        engine.value(paths, workers)?;
        return Ok(answer);
    };
    let advised = advised(engine, &scenario, &answer.lists.buy, workers);
    engine.set(&scenario)?;
    // The costs of all futures again: slots are compared by them.
    engine.value(paths, workers)?;
    Ok(Answer { stage: Stage::Whole, tornado: bars, advised: advised?, ..answer })
}

/// Valuation of `scenario` with the purchases `buy` in place of its own, over all its futures; `None` where there are
/// none. The engine stays set to that.
fn advised(
    engine: &mut Engine,
    scenario: &Scenario,
    buy: &[ListEntry],
    workers: &dyn Workers,
) -> Result<Option<Valuation>, EngineError> {
    if buy.is_empty() {
        return Ok(None);
    }
    let mut other = scenario.clone();
    other.compute_plans.retain(|plan| plan.held);
    for family in &mut other.families {
        let mine = buy.iter().filter(|entry| entry.family == family.name);
        let bought = |e: &ListEntry| Buy { offer: e.offer.clone(), units: e.units, week: e.week };
        family.buys = mine.map(bought).collect();
    }
    engine.set(&other)?;
    engine.figures(scenario.future.paths, workers).map(Some)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::*;
    use super::*;

    fn demand() -> Arc<Demand> {
        let hours = (0..20 * HOURS_PER_WEEK).map(|h| (20 + (h * 7 + h / 168 * 13) % 60) as f64);
        Arc::new(Demand {
            origin: DemandOrigin::History,
            start: jiff::Timestamp::UNIX_EPOCH,
            families: vec![Family { name: "a".into(), hours: hours.collect() }],
            notes: Vec::new(),
        })
    }

    fn engine_over(demand: &Arc<Demand>, buys: &[(f64, u16)]) -> Engine {
        let offer = |name: &str, weeks, rate| Offer {
            name: name.into(),
            kind: OfferKind::StandardRi,
            weeks,
            payment: Payment::NoUpfront,
            rate,
        };
        let scenario = Scenario {
            future: Future { paths: 60, ..Future::default() },
            families: vec![FamilyInputs {
                name: "a".into(),
                on_demand: Some(10.0),
                drift: 0.01,
                held: vec![Held { name: "old".into(), units: 4.0, rate: 6.0, weeks_left: 10 }],
                offers: vec![offer("1y", 52, Some(6.0)), offer("3y", 156, None)],
                buys: buys
                    .iter()
                    .map(|(units, week)| Buy { offer: "1y".into(), units: *units, week: *week })
                    .collect(),
                ..FamilyInputs::default()
            }],
            ..Scenario::default()
        };
        Engine::new(Arc::clone(demand), &scenario).unwrap()
    }

    fn engine(buys: &[(f64, u16)]) -> Engine {
        engine_over(&demand(), buys)
    }

    /// The whole answer where nothing was judged before.
    fn answered(engine: &mut Engine) -> Answer {
        whole(engine, &mut Judgements::default(), &OneByOne, &|| false).unwrap()
    }

    /// Counts what it is given to do.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Workers for Counting {
        fn each(&self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
            self.0.fetch_add(1, Ordering::Relaxed);
            OneByOne.each(pieces, work);
        }
    }

    #[test]
    fn the_whole_answer_has_everything() {
        let mut engine = engine(&[(20.0, 0), (5.0, 8)]);
        let before = engine.scenario().clone();
        let answer = answered(&mut engine);
        assert_eq!((answer.stage, engine.scenario()), (Stage::Whole, &before));
        assert_eq!(engine.costs().len(), 60);
        assert!(!answer.tornado.is_empty());
        assert!(!answer.lists.buy.is_empty(), "twenty of sixty always run");
        let avoid = answer.lists.avoid.iter().find(|entry| entry.offer == "3y").unwrap();
        assert_eq!(avoid.reason, lists::ListReason::NoRate(OfferKind::StandardRi));
        let family = answer.families[0].as_ref().unwrap();
        assert!(family.offers[0].cautious_units.is_some());
        assert_eq!(family.offers[1].cautious_units, None);
        let weeks: Vec<(u16, f64)> = answer.calendar.iter().map(|e| (e.week, e.units)).collect();
        assert_eq!(weeks, [(0, 20.0), (8, 5.0), (10, -4.0), (52, -20.0)]);
        assert!(answer.calendar[0].lock_in_months > 11.0);
    }

    /// What the lists say that their purchases save is what they do to the cost of what is held.
    #[test]
    fn what_is_advised_costs_less_by_what_its_purchases_save() {
        let mut held = engine(&[]);
        let base = answered(&mut held);
        for buys in [&[][..], &[(70.0, 0), (5.0, 8)]] {
            let mut engine = engine(buys);
            let answer = answered(&mut engine);
            let advised = answer.advised.unwrap();
            let saves: f64 = answer.lists.buy.iter().map(|entry| entry.saves_usd).sum();
            let expected = base.total.mean_usd - saves;
            assert!((advised.mean_usd / expected - 1.0).abs() < 1e-4, "{advised:?} {expected}");
            assert_eq!(advised.on_demand_usd, answer.total.on_demand_usd);
            let units: f64 = answer.lists.buy.iter().map(|entry| entry.units).sum();
            assert_eq!(advised.commit, 4.0 + units);
            // The costs that slots are compared by are those of the scenario itself.
            let mean = engine.costs().iter().sum::<f64>() / 60.0;
            assert!((mean / answer.total.mean_usd - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn regret_is_least_near_the_best_and_never_negative() {
        let at = |units: f64| {
            let mut engine = engine(&[(units, 0)]);
            let answer = answered(&mut engine);
            answer.total.regret_usd.unwrap()
        };
        let [none, some, all] = [0.0, 38.0, 90.0].map(at);
        assert!(some >= 0.0 && some < none && some < all, "{none} {some} {all}");
    }

    #[test]
    fn what_differs_by_purchases_alone_is_judged_once() {
        let demand = demand();
        let work = |buys: &[(f64, u16)], kept: &mut Judgements| {
            let counting = Counting::default();
            let mut engine = engine_over(&demand, buys);
            let answer = whole(&mut engine, kept, &counting, &|| false).unwrap();
            (answer, counting.0.into_inner())
        };
        let mut kept = Judgements::default();
        let (before, _) = work(&[], &mut kept);
        let bought = [(20.0, 0), (5.0, 8)];
        let (after, less) = work(&bought, &mut kept);
        let (anew, all) = work(&bought, &mut Judgements::default());
        let cautious = |answer: &Answer| answer.families[0].as_ref().unwrap().offers.clone();
        assert!(cautious(&after)[0].cautious_units.is_some());
        assert_eq!(cautious(&after), cautious(&anew));
        assert_eq!((&after.lists, &after.advised), (&anew.lists, &anew.advised));
        assert_eq!(after.lists, before.lists);
        // What is not done is exactly the judging.
        let counting = Counting::default();
        let mut engine = engine_over(&demand, &bought);
        engine.value(60, &OneByOne).unwrap();
        assert!(Judgements::default().judge(&mut engine, &counting, &|| false).unwrap());
        let judging = counting.0.into_inner();
        assert!(judging > 20, "{judging}");
        assert_eq!(less + judging, all);
    }

    #[test]
    fn whoever_is_stopped_says_what_is_settled() {
        let mut engine = engine(&[]);
        let answer = whole(&mut engine, &mut Judgements::default(), &OneByOne, &|| true).unwrap();
        assert_eq!(answer.stage, Stage::Settled);
        assert!(answer.tornado.is_empty());
    }
}
