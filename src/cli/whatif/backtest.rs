//! `burntop whatif backtest`: the buying policy on a past that it had not seen.

use std::io::Write;

use super::args::BacktestArgs;
use super::demand::{self, Want};
use super::{CliError, Ctx, Exit, scenario};
use crate::report::{self, BacktestReport, BacktestRow};
use crate::whatif::HOURS_PER_WEEK;
use crate::whatif::backtest::{Setting, backtest, default_warm_up};

pub(super) fn run(
    args: &BacktestArgs,
    ctx: &Ctx<'_>,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let on_demand = scenario::price("--on-demand", args.on_demand)?;
    let reserved = scenario::price("--reserved", args.reserved)?;
    let warnings: Vec<String> = scenario::dear(reserved, on_demand).into_iter().collect();
    let demand = demand::read(&args.demand, Want::One, ctx)?;
    let family = &demand.families[0];
    let weeks = family.hours.len().div_ceil(HOURS_PER_WEEK);
    let warm_up_weeks = args.warm_up_weeks.map_or_else(|| default_warm_up(weeks), usize::from);
    let setting = Setting {
        on_demand,
        reserved,
        term_weeks: args.term_weeks.into(),
        every_weeks: args.every_weeks.into(),
        warm_up_weeks,
    };
    let found = backtest(&family.hours, &setting)
        .map_err(|e| CliError::Usage(format!("{}: {e}", family.name)))?;
    let rows: Vec<BacktestRow> = found
        .into_iter()
        .map(|outcome| BacktestRow {
            name: outcome.name,
            cost_usd: outcome.cost_usd,
            above: outcome.cost_above_foresight,
            units_bought: outcome.bought.iter().sum(),
        })
        .collect();
    let report = BacktestReport {
        demand: &demand,
        policies: &rows,
        on_demand,
        reserved,
        term_weeks: args.term_weeks,
        every_weeks: args.every_weeks,
        warm_up_weeks,
        weeks: weeks.saturating_sub(warm_up_weeks),
        warnings: &warnings,
    };
    ctx.warn(&warnings);
    out.write_all(report::whatif_backtest(&report, ctx.format(), &ctx.view()).as_bytes())?;
    Ok(Exit::Ok)
}
