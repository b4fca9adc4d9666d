//! A scenario from a file or from options.

use std::path::Path;

use super::CliError;
use super::args::ReserveArgs;
use super::demand::text;
use crate::whatif::{Demand, FamilyInputs, Future, Offer, OfferKind, ReadScenario, Scenario, read};

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

/// The scenario that `reserve` was asked about: its file's, or one offer for the only family.
pub(super) fn of_reserve(args: &ReserveArgs, demand: &Demand) -> Result<Plan, CliError> {
    let mut plan = match (&args.scenario, args.on_demand, args.reserved) {
        (Some(path), _, _) => of_file(path)?,
        (None, Some(on_demand), Some(reserved)) => of_prices(args, on_demand, reserved, demand)?,
        // The command line insists on one of them.
        _ => return Err(CliError::Usage("give --on-demand and --reserved, or --scenario".into())),
    };
    if let Some(paths) = args.paths {
        plan.scenario.future.paths = paths;
    }
    if let Some(seed) = args.seed {
        plan.scenario.future.seed = seed;
    }
    Ok(plan)
}

fn of_prices(
    args: &ReserveArgs,
    on_demand: f64,
    reserved: f64,
    demand: &Demand,
) -> Result<Plan, CliError> {
    let on_demand = price("--on-demand", on_demand)?;
    let reserved = price("--reserved", reserved)?;
    let within = |flag: &str, value: f64, low: f64, high: f64| {
        let text = format!("{flag}: {value} is not possible; a number from {low} to {high} is");
        if (low..=high).contains(&value) { Ok(value) } else { Err(CliError::Usage(text)) }
    };
    let family = FamilyInputs {
        name: demand.families.first().map(|family| family.name.clone()).unwrap_or_default(),
        on_demand: Some(on_demand),
        prices_from: "the command line".to_owned(),
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
