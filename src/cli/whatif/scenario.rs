//! A scenario from a file or from options.

use std::path::Path;

use super::CliError;
use super::args::ReserveArgs;
use super::demand::{Prices, text};
use super::first::begin;
use crate::domain::text::clean;
use crate::whatif::{
    Demand, FamilyInputs, Future, ListPrice, Offer, OfferKind, ReadScenario, Scenario, read,
};

/// What is to be valued, and what is odd about it.
pub(super) struct Plan {
    pub(super) scenario: Scenario,
    pub(super) warnings: Vec<String>,
}

/// Reads a file, whatever is in it.
pub(super) fn read_file(path: &Path) -> Result<ReadScenario, CliError> {
    let name = path.display().to_string();
    read(&text(path)?, &name).map_err(|e| CliError::Usage(e.to_string()))
}

/// Reads a scenario that has families.
pub(super) fn of_file(path: &Path) -> Result<Plan, CliError> {
    let name = path.display();
    let ReadScenario { scenario, warnings } = read_file(path)?;
    if scenario.families.is_empty() {
        let text = format!("{name}: there is no family in it; add a [[family]] with its name");
        return Err(CliError::Usage(text));
    }
    Ok(Plan { scenario, warnings })
}

/// The scenario for one of its families alone; without a name as it is. Fails where it has no family of that name.
pub(super) fn of_family(scenario: Scenario, name: Option<&str>) -> Result<Scenario, CliError> {
    let Some(name) = name else { return Ok(scenario) };
    if !scenario.families.iter().any(|family| family.name == name) {
        let known: Vec<&str> = scenario.families.iter().map(|family| &*family.name).collect();
        let (name, known) = (clean(name), known.join(", "));
        return Err(CliError::Usage(format!("there is no family {name}; there are: {known}")));
    }
    Ok(Scenario { only: Some(name.to_owned()), ..scenario })
}

/// The scenario that `reserve` was asked about: its file's, or one offer for the only family.
pub(super) fn of_reserve(
    args: &ReserveArgs,
    demand: &Demand,
    prices: &Prices,
) -> Result<Plan, CliError> {
    let mut plan = match &args.scenario {
        Some(path) => of_file(path)?,
        None => of_prices(args, demand, prices)?,
    };
    if let Some(paths) = args.paths {
        plan.scenario.future.paths = paths;
    }
    if let Some(seed) = args.seed {
        plan.scenario.future.seed = seed;
    }
    Ok(plan)
}

fn of_prices(args: &ReserveArgs, demand: &Demand, prices: &Prices) -> Result<Plan, CliError> {
    let known = Known::of(args, demand, prices);
    let unknown = |flag: &str, what: &str| {
        let name = demand.families.first().map_or("", |family| &family.name);
        CliError::Usage(format!(
            "the {what} of {} is not known here; give it with {flag} (or all of it with --scenario)",
            clean(name)
        ))
    };
    let on_demand = args.on_demand.or(known.on_demand);
    let on_demand = on_demand.ok_or_else(|| unknown("--on-demand", "on-demand price"))?;
    let on_demand = price("--on-demand", on_demand)?;
    let reserved = args.reserved.or(known.reserved);
    let reserved = reserved.ok_or_else(|| unknown("--reserved", "price of the commitment"))?;
    let reserved = price("--reserved", reserved)?;
    let within = |flag: &str, value: f64, low: f64, high: f64| {
        let text = format!("{flag}: {value} is not possible; a number from {low} to {high} is");
        if (low..=high).contains(&value) { Ok(value) } else { Err(CliError::Usage(text)) }
    };
    let family = FamilyInputs {
        name: demand.families.first().map(|family| family.name.clone()).unwrap_or_default(),
        on_demand: Some(on_demand),
        prices_from: known.from.unwrap_or_else(|| "the command line".to_owned()),
        growth: within("--growth", args.growth, -0.99, 100.0)?,
        drift: within("--drift", args.drift, 0.0, 0.5)?,
        shock: within("--shock", args.shock, 0.0, 2.0)?,
        offers: vec![Offer {
            name: "reserved".to_owned(),
            kind: OfferKind::StandardRi,
            weeks: args.term,
            payment: args.payment.into(),
            rate: Some(reserved),
        }],
        ..FamilyInputs::default()
    };
    let scenario = Scenario {
        families: vec![family],
        future: Future { weeks: args.term, ..Future::default() },
        ..Scenario::default()
    };
    Ok(Plan { scenario, warnings: dear(reserved, on_demand).into_iter().collect() })
}

/// The prices of the only family that the command line does not name, as a plan of the cockpit begins with them.
#[derive(Default)]
struct Known {
    on_demand: Option<f64>,
    /// Of a standard Reserved Instance over the term.
    reserved: Option<f64>,
    /// Where they are from; `None` where the command line names both.
    from: Option<String>,
}

impl Known {
    fn of(args: &ReserveArgs, demand: &Demand, prices: &Prices) -> Self {
        if args.on_demand.is_some() && args.reserved.is_some() {
            return Self::default();
        }
        let own = args.on_demand.map(|usd| ListPrice { usd, from: "the command line".to_owned() });
        let scenario = begin(demand, &|family| own.clone().or_else(|| prices.of(family)));
        let Some(family) = scenario.families.into_iter().next() else { return Self::default() };
        let is_offered = |offer: &&Offer| {
            offer.kind == OfferKind::StandardRi
                && offer.weeks == args.term
                && offer.payment == args.payment.into()
        };
        let reserved = family.offers.iter().find(is_offered).and_then(|offer| offer.rate);
        Self { on_demand: family.on_demand, reserved, from: Some(family.prices_from) }
    }
}

/// A price from the command line: above 0.
pub(super) fn price(flag: &str, usd: f64) -> Result<f64, CliError> {
    if usd.is_finite() && usd > 0.0 && usd <= 1e6 {
        return Ok(usd);
    }
    Err(CliError::Usage(format!("{flag}: {usd} is no price, USD per unit and hour above 0")))
}

/// Warning about a commitment that can never pay; `None` for a rate below the on-demand price.
pub(super) fn dear(reserved: f64, on_demand: f64) -> Option<String> {
    (reserved >= on_demand).then(|| {
        format!(
            "the reserved price {reserved} is not below the on-demand price {on_demand}: no \
             commitment can pay; look whether both are per the same unit and hour"
        )
    })
}
