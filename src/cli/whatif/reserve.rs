//! `burntop whatif reserve`: the best commitment for a demand, and what any other is worth.

use std::io::Write;
use std::sync::Arc;

use super::args::ReserveArgs;
use super::demand::{self, Want};
use super::scenario::{self, Plan};
use super::{CliError, Ctx, Exit, engine_error, workers};
use crate::report::{self, HindsightOptimum, ReserveFamily, ReserveReport};
use crate::whatif::effective::effective;
use crate::whatif::engine::moved_offer;
use crate::whatif::supply::cash::months_of;
use crate::whatif::supply::payback::safe_months;
use crate::whatif::{Answer, Buy, Demand, Engine, FamilyInputs, LoadDuration, Scenario, search};

/// The look-backs of the vendors' recommenders, days.
const LOOK_BACKS: [u16; 3] = [7, 30, 60];

pub(super) fn run(
    args: &ReserveArgs,
    ctx: &Ctx<'_>,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let (of, want) = match args.scenario {
        Some(_) => (args.demand.of_all(), Want::All),
        None => (args.demand.clone(), Want::One),
    };
    let (demand, prices) = demand::priced(&of, want, ctx)?;
    let Plan { mut scenario, mut warnings } = scenario::of_reserve(args, &demand, &prices)?;
    if args.scenario.is_some() {
        scenario = scenario::of_family(scenario, args.demand.family.as_deref())?;
    }
    let demand = Arc::new(demand);
    // Fewer than a whole week has no futures; nobody asked for any.
    if args.paths.is_none() && scenario.future.paths > 0 && demand.whole_weeks().is_empty() {
        scenario.future.paths = 0;
        warnings.push(format!(
            "there is no whole week without a gap in {} h: the past itself is valued, not futures",
            demand.hours()
        ));
    }
    for family in demand.families.iter().filter(|family| scenario.counts(&family.name)) {
        if family.known().all(|units| units == 0.0) {
            warnings.push(format!(
                "{}: the demand is 0 in every known hour; any commitment is a loss",
                family.name
            ));
        }
    }
    let (mut scenario, notes) = effective(&scenario, &demand);
    warnings.extend(notes);
    if let Some(units) = args.commit {
        set_commit(&mut scenario, units)?;
    }
    let mut engine = Engine::new(Arc::clone(&demand), &scenario).map_err(engine_error)?;
    let paths = scenario.future.paths;
    let mut answer = engine.value(paths, &workers()).map_err(engine_error)?;
    let best = best_units(&demand, &scenario, &answer, &mut engine)?;
    if args.commit.is_none() && scenario.families.len() == 1 && args.scenario.is_none() {
        // Nothing was asked for: the best is what is valued.
        set_commit(&mut scenario, best[0].unwrap_or(0.0))?;
        engine.set(&scenario).map_err(engine_error)?;
        answer = engine.value(paths, &workers()).map_err(engine_error)?;
    }
    let mut families = Vec::with_capacity(scenario.families.len());
    let counted = scenario.families.iter().enumerate();
    for (at, inputs) in counted.filter(|(_, family)| scenario.counts(&family.name)) {
        let optimum = match best[at] {
            Some(units) => optimum_of(&demand, &scenario, at, units, &mut engine)?,
            None => None,
        };
        families.push(family_of(&demand, inputs, &answer, at, optimum));
    }
    let report = ReserveReport {
        demand: &demand,
        families: &families,
        total: Some(&answer.total),
        weeks: scenario.future.weeks,
        payment: args.payment.into(),
        paths,
        seed: scenario.future.seed,
        assumed: args.scenario.is_none().then_some([args.growth, args.drift, args.shock]),
        warnings: &warnings,
    };
    ctx.warn(&warnings);
    out.write_all(report::whatif_reserve(&report, ctx.format(), &ctx.view()).as_bytes())?;
    Ok(Exit::Ok)
}

/// Commits so many units of the offer that the only family's slider moves.
fn set_commit(scenario: &mut Scenario, units: f64) -> Result<(), CliError> {
    if !units.is_finite() || units < 0.0 {
        return Err(CliError::Usage(format!("--commit: {units} is no number of units, 0 or more")));
    }
    let only = scenario.only.clone();
    let is_counted = |family: &&mut FamilyInputs| only.as_ref().is_none_or(|o| *o == family.name);
    let mut counted = scenario.families.iter_mut().filter(is_counted);
    let (Some(family), None) = (counted.next(), counted.next()) else {
        let text = "--commit is of one family; the scenario has several: say it in its file";
        return Err(CliError::Usage(text.to_owned()));
    };
    let Some(offer) = moved_offer(family).and_then(|at| family.offers.get(at)) else {
        return Err(CliError::Usage("--commit: the scenario has no offer to commit to".to_owned()));
    };
    let offer = offer.name.clone();
    family.buys.retain(|buy| buy.offer != offer || buy.week != 0);
    family.buys.push(Buy { offer, units, week: 0 });
    Ok(())
}

/// The best units of each family's moved offer: of the past exactly, of futures in whole units.
fn best_units(
    demand: &Demand,
    scenario: &Scenario,
    answer: &Answer,
    engine: &mut Engine,
) -> Result<Vec<Option<f64>>, CliError> {
    let mut all = Vec::with_capacity(scenario.families.len());
    for (at, inputs) in scenario.families.iter().enumerate() {
        let offer = moved_offer(inputs);
        let found = answer.families.get(at).and_then(Option::as_ref);
        let known = offer.zip(found).and_then(|(o, found)| found.offers.get(o)?.best_units);
        all.push(match known {
            _ if answer.paths == 0 && is_plain(inputs) => of_past(demand, inputs),
            Some(units) => Some(units),
            None if answer.paths == 0 => None,
            None => {
                search::best_units(engine, at, answer.paths, &workers()).map_err(engine_error)?
            }
        });
    }
    Ok(all)
}

/// Exactly, from the hours themselves.
fn of_past(demand: &Demand, inputs: &FamilyInputs) -> Option<f64> {
    let rate = inputs.offers.get(moved_offer(inputs)?)?.rate?;
    let curve = LoadDuration::new(demand.family(&inputs.name)?.known())?;
    Some(curve.optimum(inputs.on_demand?, rate))
}

/// True where nothing but the demand and one price decides.
fn is_plain(inputs: &FamilyInputs) -> bool {
    inputs.held.is_empty()
        && inputs.spot.is_none()
        && inputs.steps.is_empty()
        && inputs.price_cut.is_none()
}

/// Valuation with the best units of a family, all else unchanged.
fn optimum_of(
    demand: &Demand,
    scenario: &Scenario,
    at: usize,
    units: f64,
    engine: &mut Engine,
) -> Result<Option<HindsightOptimum>, CliError> {
    let inputs = &scenario.families[at];
    let Some(offer) = moved_offer(inputs).and_then(|at| inputs.offers.get(at)) else {
        return Ok(None);
    };
    if scenario.future.paths == 0 && is_plain(inputs) {
        let curve = demand.family(&inputs.name).and_then(|f| LoadDuration::new(f.known()));
        let found = curve.zip(inputs.on_demand).zip(offer.rate);
        return Ok(found.map(|((curve, on_demand), rate)| HindsightOptimum {
            commit: units,
            cost_usd: curve.cost(units, on_demand, rate),
            on_demand_usd: curve.on_demand_cost(on_demand),
            esr: curve.esr(units, on_demand, rate),
            coverage: curve.coverage(units),
            utilisation: curve.utilisation(units),
        }));
    }
    let mut best = scenario.clone();
    let name = offer.name.clone();
    let family = &mut best.families[at];
    family.buys.retain(|buy| buy.offer != name || buy.week != 0);
    family.buys.push(Buy { offer: name, units, week: 0 });
    engine.set(&best).map_err(engine_error)?;
    let answer = engine.value(best.future.paths, &workers()).map_err(engine_error)?;
    let value = answer.families.get(at).and_then(Option::as_ref).map(|family| &family.value);
    Ok(value.map(|value| HindsightOptimum {
        commit: units,
        cost_usd: value.mean_usd,
        on_demand_usd: value.on_demand_usd,
        esr: value.esr,
        coverage: value.coverage,
        utilisation: value.utilisation,
    }))
}

fn family_of(
    demand: &Demand,
    inputs: &FamilyInputs,
    answer: &Answer,
    at: usize,
    optimum: Option<HindsightOptimum>,
) -> ReserveFamily {
    let offer = moved_offer(inputs).and_then(|at| inputs.offers.get(at));
    let valuation = answer.families.get(at).and_then(Option::as_ref).map(|f| f.value.clone());
    let used = valuation.as_ref().and_then(|value| value.utilisation);
    let rate = offer.and_then(|offer| offer.rate);
    let priced = inputs.on_demand.zip(rate);
    let safe = priced.zip(used).zip(offer).and_then(|(((on_demand, rate), used), offer)| {
        safe_months(rate, on_demand, used, months_of(offer.weeks))
    });
    let hours = demand.family(&inputs.name).map(|family| &family.hours[..]).unwrap_or_default();
    let look_back = LOOK_BACKS.map(|days| {
        let last = hours.len().checked_sub(usize::from(days) * 24).map(|from| &hours[from..]);
        let curve = last.and_then(|hours| LoadDuration::new(hours.iter().copied()));
        let units =
            curve.zip(priced).map(|(curve, (on_demand, rate))| curve.optimum(on_demand, rate));
        (days, units)
    });
    ReserveFamily {
        family: inputs.name.clone(),
        on_demand: inputs.on_demand,
        offer: offer.and_then(|offer| Some((offer.name.clone(), offer.rate?))),
        optimum,
        valuation,
        safe_months: safe,
        look_back: look_back.to_vec(),
    }
}
