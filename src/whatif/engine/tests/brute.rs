//! Every hour of every path, told anew from the scenario, beside the engine.

use proptest::prelude::*;

use super::super::*;
use super::make::{Dice, any_demand, any_scenario};
use crate::whatif::supply::spot;
use crate::whatif::{OfferKind, OneByOne, StepKind};

/// Part of a family's demand: hours of `source`, times `level` and the owner's growth and factor.
#[derive(Clone, Debug)]
struct Stream {
    source: usize,
    level: f64,
}

/// What one path costs: each family by itself, all together with the plans, all on demand.
struct Truth {
    families: Vec<f64>,
    total: f64,
    on_demand: f64,
}

fn growth(inputs: &FamilyInputs, week: usize) -> f64 {
    (1.0 + inputs.growth).powf((week as f64 + 1.0) / 52.0)
}

fn truth(engine: &Engine, path: usize) -> Truth {
    let scenario = engine.scenario();
    let families = &scenario.families;
    let mut streams: Vec<Vec<Stream>> =
        (0..families.len()).map(|i| vec![Stream { source: i, level: 1.0 }]).collect();
    let mut shifts = vec![0.0; families.len()];
    let mut truth = Truth { families: vec![0.0; families.len()], total: 0.0, on_demand: 0.0 };
    for week in 0..usize::from(scenario.future.weeks) {
        for (i, inputs) in families.iter().enumerate() {
            for step in inputs.steps.iter().filter(|step| usize::from(step.week) == week) {
                match &step.kind {
                    StepKind::Launch { units } => shifts[i] += units,
                    StepKind::Scale { factor } => {
                        streams[i].iter_mut().for_each(|s| s.level *= factor);
                        shifts[i] *= factor;
                    }
                    StepKind::Move { share, to, ratio } => {
                        let j = families.iter().position(|f| f.name == *to).unwrap();
                        let units_now = growth(inputs, week) / growth(&families[j], week);
                        for stream in streams[i].clone() {
                            let level = stream.level * share * ratio * units_now;
                            streams[j].push(Stream { level, ..stream });
                        }
                        shifts[j] += shifts[i] * share * ratio;
                        streams[i].iter_mut().for_each(|s| s.level *= 1.0 - share);
                        shifts[i] *= 1.0 - share;
                    }
                }
            }
        }
        let start = engine.starts[usize::from(engine.draws.bases[0][week * CHUNK + path])];
        for hour in 0..168 {
            let demand: Vec<f64> = (0..families.len())
                .map(|i| {
                    let g = engine.draws.scales[i].1[0].at(week * CHUNK + path);
                    let of = |s: &Stream| {
                        let name = &families[s.source].name;
                        s.level * engine.demand.family(name).unwrap().hours[start + hour]
                    };
                    let units: f64 = streams[i].iter().map(of).sum();
                    (shifts[i] + growth(&families[i], week) * g * units).max(0.0)
                })
                .collect();
            one_hour(scenario, week, &demand, &mut truth);
        }
    }
    truth
}

fn one_hour(scenario: &Scenario, week: usize, demand: &[f64], truth: &mut Truth) {
    // USD on demand, USD on spot, part on spot, hours to pay, hours that could be on spot.
    let mut open = Vec::new();
    for (i, inputs) in scenario.families.iter().enumerate() {
        let price = match inputs.price_cut {
            Some(cut) if week >= usize::from(cut.week) => {
                inputs.on_demand.unwrap() * (1.0 - cut.share)
            }
            _ => inputs.on_demand.unwrap(),
        };
        let (mut committed, mut reserved, mut fixed) = (0.0, 0.0, 0.0);
        for held in inputs.held.iter().filter(|held| week < usize::from(held.weeks_left)) {
            committed += held.units;
            fixed += held.units * held.rate;
        }
        for buy in &inputs.buys {
            let offer = inputs.offers.iter().find(|offer| offer.name == buy.offer).unwrap();
            if (buy.week..buy.week + offer.weeks).contains(&(week as u16)) {
                if offer.kind == OfferKind::CapacityReservation {
                    reserved += buy.units;
                } else {
                    committed += buy.units;
                    fixed += buy.units * offer.rate.unwrap();
                }
            }
        }
        // Reserved capacity is on the bill, used or not; what is not asked for cannot be on spot.
        let asked = (demand[i] - f64::max(committed, reserved)).max(0.0);
        let billed = (f64::max(demand[i], reserved) - committed).max(0.0);
        let (spot_price, share) = inputs
            .spot
            .map_or((price, 0.0), |spot| (spot::cost(&spot, price).blended.min(price), spot.share));
        let spot = f64::min(share * demand[i], asked);
        truth.families[i] += fixed + spot * spot_price + (billed - spot) * price;
        truth.total += fixed;
        truth.on_demand += demand[i] * price;
        open.push((price, spot_price, share * demand[i], billed, asked));
    }
    let mut rates = Vec::new();
    let mut money: Vec<f64> = Vec::new();
    for (at, plan) in scenario.compute_plans.iter().enumerate() {
        let from = if plan.held { 0 } else { usize::from(plan.week) };
        let runs = (from..from + usize::from(plan.weeks)).contains(&week);
        money.push(if runs { plan.usd_per_hour } else { 0.0 });
        truth.total += money[at];
        for rate in &plan.rates {
            let i = scenario.families.iter().position(|f| f.name == rate.family).unwrap();
            rates.push((at, i, rate.rate));
        }
    }
    // The highest discount first, ties to the lower rate.
    rates.sort_by(|a, b| {
        let discount = |rate: &(usize, usize, f64)| 1.0 - rate.2 / open[rate.1].0;
        discount(b).total_cmp(&discount(a)).then(a.2.total_cmp(&b.2))
    });
    for (plan, family, rate) in rates {
        let units = f64::min(money[plan] / rate, open[family].3);
        money[plan] -= units * rate;
        open[family].3 -= units;
    }
    for (price, spot_price, eligible, billed, asked) in open {
        let spot = eligible.min(asked).min(billed);
        truth.total += spot * spot_price + (billed - spot) * price;
    }
}

fn compare(seed: u64, precision: Precision, within: f64) -> Result<(), TestCaseError> {
    let mut dice = Dice::new(seed);
    let demand = any_demand(&mut dice);
    let scenario = any_scenario(&mut dice);
    let mut engine = Engine::with_precision(demand, &scenario, precision).unwrap();
    engine.figures(5, &OneByOne).unwrap();
    for path in 0..5 {
        let truth = truth(&engine, path);
        // A cost can be a small rest of the demand: the tables are exact to the demand's own cost.
        let close = |ours: f64, theirs: f64| {
            let unit = theirs.abs().max(truth.on_demand).max(1.0);
            (ours - theirs).abs() <= within * unit
        };
        let paths = engine.on_demand[path];
        prop_assert!(close(paths, truth.on_demand), "on demand: {paths} {}", truth.on_demand);
        for (i, theirs) in truth.families.iter().enumerate() {
            let ours = engine.family_costs(i).unwrap().costs[path];
            prop_assert!(close(ours, *theirs), "family {i}: {ours} for {theirs}");
        }
        let ours = engine.costs()[path];
        prop_assert!(close(ours, truth.total), "total: {ours} for {}", truth.total);
    }
    Ok(())
}

proptest! {
    #[test]
    fn fast_is_every_hour(seed in 0..u64::MAX) {
        compare(seed, Precision::Fast, 5e-6)?;
    }

    #[test]
    fn exact_is_every_hour(seed in 0..u64::MAX) {
        compare(seed, Precision::Exact, 1e-9)?;
    }
}
