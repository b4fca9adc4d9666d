//! `burntop whatif compare`: scenario files over the same futures.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::args::CompareArgs;
use super::demand::{self, Want};
use super::{CliError, Ctx, Exit, engine_error, scenario, workers};
use crate::domain::text::clean;
use crate::report::{self, CompareReport, CompareRow};
use crate::tabs::whatif::picture::demand_gap;
use crate::whatif::compare::{DemandDifference, demand_difference, paired};
use crate::whatif::effective::effective;
use crate::whatif::{Answer, Engine, Scenario};

pub(super) fn run(
    args: &CompareArgs,
    ctx: &Ctx<'_>,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let demand = Arc::new(demand::read(&args.demand.of_all(), Want::All, ctx)?);
    let mut warnings = Vec::new();
    let mut plans: Vec<(String, Scenario)> = Vec::with_capacity(args.scenarios.len());
    for path in &args.scenarios {
        let plan = scenario::of_file(path)?;
        warnings.extend(plan.warnings);
        let name = name_of(&plan.scenario, path);
        let family = args.demand.family.as_deref();
        plans.push((name, scenario::of_family(plan.scenario, family)?));
    }
    // The futures are the first one's: only then are they the same for all.
    let Some(mut future) = plans.first().map(|(_, scenario)| scenario.future.clone()) else {
        return Err(CliError::Usage("name at least two scenario files".to_owned()));
    };
    future.paths = args.paths.unwrap_or(future.paths);
    let mut rows: Vec<CompareRow> = Vec::with_capacity(plans.len());
    let mut first: Option<(String, Scenario, Answer)> = None;
    let mut base: Vec<f64> = Vec::new();
    for (name, mut scenario) in plans {
        let drawn = (scenario.future.weeks, scenario.future.seed);
        if drawn != (future.weeks, future.seed) {
            warnings.push(format!(
                "{name}: valued over the weeks and the seed of the first file ({}, {})",
                future.weeks, future.seed
            ));
        }
        scenario.future.weeks = future.weeks;
        scenario.future.seed = future.seed;
        scenario.future.paths = future.paths;
        // What its levers do to the demand is no input of it: both are needed.
        let (valued, notes) = effective(&scenario, &demand);
        warnings.extend(notes.into_iter().map(|note| format!("{name}: {note}")));
        let mut engine = Engine::new(Arc::clone(&demand), &valued).map_err(engine_error)?;
        let answer = engine.value(future.paths, &workers()).map_err(engine_error)?;
        let costs = match engine.costs() {
            [] => vec![answer.total.mean_usd],
            costs => costs.to_vec(),
        };
        let mut against = None;
        if let Some((base_name, base_scenario, base_answer)) = &first {
            let names = [&**base_name, &*name];
            let sides = [(base_scenario, Some(base_answer)), (&scenario, Some(&answer))];
            // Dollars of another demand would look like a gain.
            match demand_difference(sides[0], sides[1]) {
                Some(DemandDifference::None) => against = paired(&base, &costs),
                Some(DemandDifference::SameWork) => {
                    against = paired(&base, &costs);
                    warnings.push(demand_gap::same_work(names));
                }
                Some(DemandDifference::Other(gaps)) => {
                    warnings.push(demand_gap::differs(names, &gaps));
                }
                None if base_scenario.only != scenario.only => {
                    warnings.push(demand_gap::other_families(names));
                }
                None => warnings.push(demand_gap::not_compared(names)),
            }
        }
        rows.push(CompareRow { name: name.clone(), value: answer.total.clone(), against });
        if first.is_none() {
            (first, base) = (Some((name, scenario, answer)), costs);
        }
    }
    let report = CompareReport {
        demand: &demand,
        rows: &rows,
        paths: future.paths,
        weeks: future.weeks,
        seed: future.seed,
        warnings: &warnings,
    };
    ctx.warn(&warnings);
    out.write_all(report::whatif_compare(&report, ctx.format(), &ctx.view()).as_bytes())?;
    Ok(Exit::Ok)
}

/// Name of a scenario: its own, else that of its file.
fn name_of(scenario: &Scenario, path: &Path) -> String {
    match &*scenario.name {
        "" => clean(&path.file_stem().unwrap_or_default().to_string_lossy()).into_owned(),
        name => name.to_owned(),
    }
}
