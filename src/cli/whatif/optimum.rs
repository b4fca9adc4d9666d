//! `burntop whatif optimum`: the cheapest mix of tiers for a demand as it was.

use std::io::Write;

use super::args::OptimumArgs;
use super::demand::{self, Want, text};
use super::{CliError, Ctx, Exit};
use crate::report::{self, OptimumReport, OptimumTier};
use crate::whatif::optimum::{TierKind, portfolio, whole_terms};
use crate::whatif::tiers::{self, Tiers};

pub(super) fn run(
    args: &OptimumArgs,
    ctx: &Ctx<'_>,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let name = args.tiers.display().to_string();
    let Tiers { tiers, sources, units, mut warnings } =
        tiers::read(&text(&args.tiers)?, &name).map_err(|e| CliError::Usage(e.to_string()))?;
    let demand = demand::read(&args.demand, Want::One, ctx)?;
    let family = &demand.families[0];
    if family.known_hours() == 0 {
        let text = format!("{}: not one hour is known; there is nothing to serve", family.name);
        return Err(CliError::Usage(text));
    }
    let wrong = |e| CliError::Usage(format!("{name}: {e}"));
    let drawn = whole_terms(&family.hours, &tiers).map_err(wrong)?;
    let found = portfolio(&drawn.hours, &tiers, units).map_err(wrong)?;
    if let Some(words) = drawn.words() {
        warnings.push(format!(
            "{words}: commitments are charged for their whole terms, and all figures are of this \
             period; what the demand will be beyond what is known, nobody knows"
        ));
    }
    if found.on_demand_usd == 0.0 {
        warnings.push(format!("{}: the demand is 0 in every known hour", family.name));
    }
    let rows: Vec<OptimumTier> = found
        .tiers
        .iter()
        .zip(tiers.iter().zip(&sources))
        .map(|(tier, (asked, source))| OptimumTier {
            name: tier.name.clone(),
            rate: asked.rate,
            term_hours: match asked.kind {
                TierKind::Commitment { term_hours } => Some(term_hours),
                TierKind::Usage { .. } => None,
            },
            source: source.clone(),
            units: tier.units,
            unit_hours: tier.unit_hours,
            cost_usd: tier.cost_usd,
            periods: tier.periods.clone(),
        })
        .collect();
    let report = OptimumReport {
        demand: &demand,
        drawn: &drawn,
        tiers: &rows,
        cost_usd: found.cost_usd,
        on_demand_usd: found.on_demand_usd,
        coverage: found.coverage,
        utilisation: found.utilisation,
        warnings: &warnings,
    };
    ctx.warn(&warnings);
    out.write_all(report::whatif_optimum(&report, ctx.format(), &ctx.view()).as_bytes())?;
    Ok(Exit::Ok)
}
