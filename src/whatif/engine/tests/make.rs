//! Demands and scenarios for tests, from a seed.

use std::sync::Arc;

use jiff::Timestamp;

use super::super::random::Stream;
use crate::whatif::{
    Buy, ComputePlan, Demand, DemandOrigin, Family, FamilyInputs, Future, Held, Offer, OfferKind,
    Payment, PlanRate, PriceCut, Scenario, Spot, Step, StepKind,
};

/// Numbers from a seed, one after the other.
pub struct Dice(Stream, u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(Stream::new(seed, 99, 0), 0)
    }

    pub fn below(&mut self, end: u32) -> u32 {
        self.1 += 1;
        self.0.below(self.1, end)
    }

    /// A number from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * f64::from(self.below(1 << 24)) / f64::from(1 << 24)
    }

    pub fn flip(&mut self) -> bool {
        self.below(2) == 0
    }
}

pub fn demand(families: Vec<(&str, Vec<f64>)>) -> Arc<Demand> {
    let families =
        families.into_iter().map(|(name, hours)| Family { name: name.to_owned(), hours }).collect();
    Arc::new(Demand {
        origin: DemandOrigin::Demo,
        start: Timestamp::UNIX_EPOCH,
        families,
        notes: Vec::new(),
    })
}

pub const NAMES: [&str; 3] = ["p4d", "p5", "g5"];

/// Some weeks of three families: days and nights, noise, in whole units or not, now and then a spike
/// or nothing at all.
pub fn any_demand(dice: &mut Dice) -> Arc<Demand> {
    let hours = 168 * (2 + dice.below(3)) + dice.below(100);
    let families = NAMES.map(|name| {
        let (level, whole) = (dice.between(0.0, 60.0), dice.flip());
        let spike = if dice.below(4) == 0 { dice.between(100.0, 5000.0) } else { 0.0 };
        let series = (0..hours).map(|hour| {
            let day = 1.0 + 0.5 * (f64::from(hour) / 24.0 * std::f64::consts::TAU).sin();
            let units = level * day * dice.between(0.2, 1.8);
            let units = if hour % 97 == 5 { units + spike } else { units };
            if whole { units.floor() } else { units }
        });
        (name, series.collect())
    });
    demand(families.into())
}

pub fn offer(name: &str, kind: OfferKind, weeks: u16, rate: f64) -> Offer {
    let payment = Payment::PartialUpfront;
    Offer { name: name.to_owned(), kind, weeks, payment, rate: Some(rate) }
}

/// A scenario with everything on, at random.
pub fn any_scenario(dice: &mut Dice) -> Scenario {
    let weeks = 4 + dice.below(6) as u16;
    let families = (0..3).map(|at| any_family(dice, at, weeks)).collect();
    let plans = dice.below(3);
    Scenario {
        future: Future {
            weeks,
            paths: 5,
            seed: u64::from(dice.below(1000)),
            correlation: [0.0, 0.3, 1.0][dice.below(3) as usize],
            ..Future::default()
        },
        families,
        compute_plans: (0..plans).map(|_| any_plan(dice)).collect(),
        ..Scenario::default()
    }
}

fn any_family(dice: &mut Dice, at: usize, weeks: u16) -> FamilyInputs {
    let price = dice.between(1.0, 9.0);
    let week = |dice: &mut Dice| dice.below(u32::from(weeks)) as u16;
    let count = dice.below(4);
    let step = |dice: &mut Dice| {
        let kind = match dice.below(3) {
            0 => StepKind::Launch { units: dice.between(-20.0, 30.0) },
            1 => StepKind::Scale { factor: dice.between(0.0, 1.5) },
            _ => StepKind::Move {
                share: [dice.between(0.0, 1.0), 1.0][dice.below(2) as usize],
                to: NAMES[(at + 1 + dice.below(2) as usize) % 3].to_owned(),
                ratio: dice.between(0.2, 1.5),
            },
        };
        Step { week: week(dice), kind }
    };
    let steps: Vec<Step> = (0..count).map(|_| step(dice)).collect();
    let (spots, fixed) = (dice.flip(), dice.flip());
    let spot = spots.then(|| Spot {
        share: [dice.between(0.0, 1.0), 1.0][dice.below(2) as usize],
        price: dice.between(0.1, 1.2) * price,
        availability: dice.between(0.0, 1.0),
        interruptions_per_hour: dice.between(0.0, 0.1),
        checkpoint_hours: dice.between(0.0, 0.2),
        interval_hours: fixed.then(|| dice.between(0.5, 5.0)),
        restart_hours: dice.between(0.0, 0.3),
    });
    let offers = vec![
        offer("short", OfferKind::CapacityBlock, 1 + dice.below(5) as u16, 0.9 * price),
        offer("1y", OfferKind::StandardRi, 52, 0.63 * price),
        offer("room", OfferKind::CapacityReservation, 3, price),
    ];
    let buys = ["short", "1y", "room"].map(|offer| {
        let units = if dice.flip() { dice.between(0.0, 50.0).floor() } else { 0.0 };
        Buy { offer: offer.to_owned(), units, week: week(dice) }
    });
    let count = dice.below(3);
    let hold = |dice: &mut Dice| Held {
        name: "held".to_owned(),
        units: dice.between(0.0, 20.0).floor(),
        rate: dice.between(0.3, 0.9) * price,
        weeks_left: dice.below(12) as u16,
    };
    let held: Vec<Held> = (0..count).map(|_| hold(dice)).collect();
    let (drifts, shocks, cut) = (dice.flip(), dice.flip(), dice.flip());
    FamilyInputs {
        name: NAMES[at].to_owned(),
        on_demand: Some(price),
        growth: dice.between(-0.5, 2.0),
        drift: if drifts { dice.between(0.0, 0.03) } else { 0.0 },
        shock: if shocks { dice.between(0.0, 0.2) } else { 0.0 },
        steps,
        price_cut: cut.then(|| PriceCut { week: 2, share: dice.between(-0.2, 0.6) }),
        spot,
        held,
        offers,
        buys: buys.into(),
        ..FamilyInputs::default()
    }
}

fn any_plan(dice: &mut Dice) -> ComputePlan {
    let names = NAMES.iter().filter(|_| dice.below(3) > 0).copied().collect::<Vec<_>>();
    ComputePlan {
        name: "plan".to_owned(),
        usd_per_hour: dice.between(0.0, 120.0),
        weeks: 1 + dice.below(8) as u16,
        week: dice.below(4) as u16,
        payment: Payment::AllUpfront,
        rates: names
            .into_iter()
            .map(|name| PlanRate { family: name.to_owned(), rate: dice.between(0.4, 5.0) })
            .collect(),
        held: dice.flip(),
    }
}
