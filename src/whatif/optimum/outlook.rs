//! The engine's futures as an [`Outlook`], and the cautious optimum over them.

use std::cell::RefCell;

use super::buy_now::Outlook;
use super::risk::{Saving, cautious};
use crate::whatif::engine::{mean, worst5_savings_usd};
use crate::whatif::{
    Buy, Engine, EngineError, FamilyInputs, FamilyPaths, Offer, OfferKind, Payment, Workers,
};

/// [`Outlook`] of one family over the first futures of an engine.
pub struct EngineOutlook<'e> {
    engine: RefCell<&'e mut Engine>,
    family: usize,
    inputs: FamilyInputs,
    weeks: usize,
    paths: u32,
    workers: &'e dyn Workers,
    failed: RefCell<Option<EngineError>>,
}

impl<'e> EngineOutlook<'e> {
    /// Outlook of the scenario's family with index `family` over the first `paths` futures; a thousand suffice
    /// for a judgement. `None` where there is no such family.
    pub fn new(
        engine: &'e mut Engine,
        family: usize,
        paths: u32,
        workers: &'e dyn Workers,
    ) -> Option<Self> {
        let inputs = engine.scenario().families.get(family)?.clone();
        let weeks = usize::from(engine.scenario().future.weeks);
        let failed = RefCell::new(None);
        Some(Self { engine: RefCell::new(engine), family, inputs, weeks, paths, workers, failed })
    }

    /// The first error of a valuation, with which all figures of this outlook are worthless; `None` without
    /// one.
    pub fn failed(&self) -> Option<EngineError> {
        self.failed.borrow().clone()
    }

    fn would(&self, inputs: &FamilyInputs) -> FamilyPaths {
        let mut engine = self.engine.borrow_mut();
        let made = engine.what_would(self.family, inputs, self.paths, self.workers);
        made.unwrap_or_else(|error| {
            *self.failed.borrow_mut() = Some(error);
            FamilyPaths::default()
        })
    }
}

impl Outlook for EngineOutlook<'_> {
    fn weeks(&self) -> usize {
        self.weeks
    }

    fn by_use_usd(&self, committed: &[f64]) -> f64 {
        // Each stretch of equal units is bought for nothing, so that only what is paid by use is
        // left.
        let mut inputs = FamilyInputs { held: Vec::new(), ..self.inputs.clone() };
        inputs.offers.clear();
        inputs.buys.clear();
        let mut from = 0;
        for stretch in committed.chunk_by(|a, b| a == b) {
            if stretch[0] > 0.0 {
                let weeks = stretch.len() as u16;
                let (name, kind) = (from.to_string(), OfferKind::InstancePlan);
                let offer =
                    Offer { name, kind, weeks, payment: Payment::NoUpfront, rate: Some(0.0) };
                let buy = Buy { offer: offer.name.clone(), units: stretch[0], week: from as u16 };
                inputs.buys.push(buy);
                inputs.offers.push(offer);
            }
            from += stretch.len();
        }
        mean(&self.would(&inputs).costs)
    }

    fn on_demand(&self, week: usize) -> f64 {
        let cut = self.inputs.price_cut.filter(|cut| usize::from(cut.week) <= week);
        self.inputs.on_demand.unwrap_or(0.0) * (1.0 - cut.map_or(0.0, |cut| cut.share))
    }
}

/// Units of one offer, bought now on top of what is held, with the best mix of mean and worst 5% of savings at
/// `caution` (0–1), and what they save. `None` without a rate or an on-demand price; fails where a valuation
/// does.
pub fn cautious_units(
    outlook: &EngineOutlook<'_>,
    offer: usize,
    caution: f64,
) -> Result<Option<(f64, Saving)>, EngineError> {
    let inputs = &outlook.inputs;
    let Some(offered) = inputs.offers.get(offer) else { return Ok(None) };
    if offered.rate.is_none() || inputs.on_demand.is_none() {
        return Ok(None);
    }
    let saving = |units: f64| {
        let buy = Buy { offer: offered.name.clone(), units, week: 0 };
        let paths = outlook.would(&FamilyInputs { buys: vec![buy], ..inputs.clone() });
        let usd = mean(&paths.on_demand) - mean(&paths.costs);
        Saving { mean_usd: usd, worst5_usd: worst5_savings_usd(&paths.costs, &paths.on_demand) }
    };
    // More than the best for the mean alone is never wanted: look for its end first.
    let mut most = 1.0;
    while saving(most * 2.0).mean_usd > saving(most).mean_usd && most < 1e12 {
        most *= 2.0;
    }
    let found = cautious(most * 2.0, caution, &mut |units| saving(units));
    outlook.failed().map_or(Ok(Some(found)), Err)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::whatif::lists::{Candidate, lists};
    use crate::whatif::{
        Demand, DemandOrigin, Family, Future, LoadDuration, OneByOne, Precision, PriceCut, Scenario,
    };

    fn engine(drift: f64, price_cut: Option<PriceCut>) -> Engine {
        let hours: Vec<f64> = (0..168).map(|hour| 40.0 + f64::from(hour * 29 % 31)).collect();
        let family = Family { name: "a".to_owned(), hours };
        let demand = Demand {
            origin: DemandOrigin::Demo,
            start: jiff::Timestamp::UNIX_EPOCH,
            families: vec![family],
            notes: Vec::new(),
        };
        let kind = OfferKind::StandardRi;
        let (name, payment) = ("1y".to_owned(), Payment::NoUpfront);
        let inputs = FamilyInputs {
            name: "a".to_owned(),
            on_demand: Some(2.0),
            drift,
            price_cut,
            offers: vec![Offer { name, kind, weeks: 52, payment, rate: Some(1.26) }],
            ..FamilyInputs::default()
        };
        let scenario = Scenario {
            future: Future { paths: 400, ..Future::default() },
            families: vec![inputs],
            ..Scenario::default()
        };
        Engine::with_precision(Arc::new(demand), &scenario, Precision::Exact).unwrap()
    }

    #[test]
    fn one_week_repeated_is_its_load_duration_curve() {
        let cut = PriceCut { week: 26, share: 0.5 };
        let mut engine = engine(0.0, Some(cut));
        let hours = engine.demand().families[0].hours.clone();
        let outlook = EngineOutlook::new(&mut engine, 0, 4, &OneByOne).unwrap();
        let curve = LoadDuration::new(hours).unwrap();
        let mut committed = vec![45.0; 52];
        committed[10..30].iter_mut().for_each(|units| *units = 61.5);
        committed[30..40].iter_mut().for_each(|units| *units = 0.0);
        let week =
            |(week, units): (usize, &f64)| curve.above(*units) * if week < 26 { 2.0 } else { 1.0 };
        let expected: f64 = committed.iter().enumerate().map(week).sum();
        let found = outlook.by_use_usd(&committed);
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        assert_eq!((outlook.on_demand(25), outlook.on_demand(26)), (2.0, 1.0));
        assert_eq!(outlook.failed(), None);
    }

    #[test]
    fn without_risk_all_ways_agree_with_the_quantile() {
        let mut engine = engine(0.0, None);
        let curve = LoadDuration::new(engine.demand().families[0].hours.clone()).unwrap();
        let best = curve.optimum_whole(2.0, 1.26);
        let inputs = engine.scenario().families[0].clone();
        let outlook = EngineOutlook::new(&mut engine, 0, 4, &OneByOne).unwrap();
        let candidate = Candidate { inputs: &inputs, outlook: &outlook, most: None };
        assert_eq!(lists(&[candidate], &Future::default()).buy[0].units, best);
        for caution in [0.0, 0.5, 1.0] {
            assert_eq!(cautious_units(&outlook, 0, caution).unwrap().unwrap().0, best);
        }
        assert_eq!(cautious_units(&outlook, 7, 0.0).unwrap(), None);
    }

    #[test]
    fn with_risk_caution_buys_less() {
        let mut engine = engine(0.01, None);
        let outlook = EngineOutlook::new(&mut engine, 0, 400, &OneByOne).unwrap();
        let at = |caution| cautious_units(&outlook, 0, caution).unwrap().unwrap();
        let (brave, careful) = (at(0.0), at(1.0));
        assert!(careful.0 < brave.0, "{careful:?} {brave:?}");
        assert!(careful.1.worst5_usd > brave.1.worst5_usd);
        assert!(careful.1.mean_usd < brave.1.mean_usd);
    }
}
