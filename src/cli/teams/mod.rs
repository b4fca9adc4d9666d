//! `burntop teams`, `budgets` and `quotas`: whose the money is, and what it may be.

pub mod args;
mod ask;
pub mod aws_budgets;
mod budgets;
mod demo;
mod money;
mod people;
mod quotas;
mod run_units;
pub mod settings;
#[cfg(test)]
mod tests;
mod unit_costs;
mod unit_counts;
mod units;

use std::io::Write;
use std::sync::Arc;

use super::bill::args::OfArgs;
use super::bill::kept::Kept;
use super::exit::{CliError, Exit};
use super::fail_on::{FailOn, Found};
use super::invocation::Invocation;
use super::list_options::Selection;
use super::reports;
use super::tell::tell;
use crate::analyze::teams::{
    Budget, BudgetPeriod, Dimension, MissingTags, tag_policy, tag_specifications,
};
use crate::config::Env;
use crate::domain::bill::Month;
use crate::report::{AllocationOf, MoneyFrom};
use crate::tabs::teams::picture::{AllocationField, AllocationItem, TagField};
use crate::tabs::teams::state::{Told, allocated, tagged};
use args::{TagText, TagsArgs, TeamsArgs, TeamsCommand};
pub use ask::{Asked, asked};
pub(super) use budgets::forecasts as budget_forecasts;
pub use budgets::run as budgets;
pub use people::run as people;
pub(super) use quotas::of_fleet as quotas_of;
pub use quotas::run as quotas;
pub use unit_costs::{KeptCounts, UNIT_MONTHS, UnitCosts, run_costs};
pub(super) use units::listed as listed_units;
pub use units::run as units;

/// Runs `burntop teams` or what is below it. Fails for arguments that do not fit, and where nothing could be read.
pub fn run(
    args: &TeamsArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    match &args.what {
        None => allocation(args, invocation, env, out),
        Some(TeamsCommand::Tags(args)) => tags(args, invocation, env, out),
    }
}

/// Prints dollars by a dimension.
fn allocation(
    args: &TeamsArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<AllocationField>::of(invocation)?;
    if invocation.options.fail_on.is_some() {
        let why = "--fail-on: dollars of a team are no findings; `burntop budgets` has them";
        return Err(CliError::Usage(why.into()));
    }
    let (Told { rows, of }, exit) = allocation_of(&args.of, args.by, invocation)?;
    let ctx = reports::context(invocation, env);
    reports::print(&chosen.list(&rows, of, &ctx), invocation, &ctx, out)?;
    Ok(exit)
}

/// Rows of dollars by team.
type TeamRows = Arc<[Arc<AllocationItem>]>;

/// Dollars of the newest bill by team, as `burntop teams` lists them, and how well bills could be read. Fails where no bill is
/// kept, or it cannot be read.
pub(super) fn by_team(invocation: &Invocation) -> Result<(TeamRows, Exit), CliError> {
    if Kept::is_empty(invocation)? {
        let message = "no bill is kept: `burntop bill import FILE` reads one".to_owned();
        return Err(CliError::Failed { exit: Exit::Unreadable, message });
    }
    let (Told { rows, .. }, exit) = allocation_of(&OfArgs::default(), Dimension::Team, invocation)?;
    Ok((rows, exit))
}

/// Dollars by a dimension, and how the run ends that read them.
fn allocation_of(
    asked: &OfArgs,
    by: Dimension,
    invocation: &Invocation,
) -> Result<(Told<AllocationItem, AllocationOf>, Exit), CliError> {
    let settings = super::bill::settings(invocation);
    let rules = settings::rules(invocation);
    let money = money::money(asked, invocation, &settings)?;
    let budgets = match &money.from {
        MoneyFrom::Bills(of) => {
            let period = of.bills.iter().map(|bill| bill.period).max();
            period.map(|period| of_period(invocation, asked, period)).transpose()?
        }
        MoneyFrom::Live { .. } => None,
    };
    let budgets = budgets.unwrap_or_else(|| invocation.config.teams.budgets());
    Ok((allocated(&money.lines, money.from, &rules, by, &budgets), money.exit))
}

/// Budgets in force in a month. Those of the demo are made of its bill.
fn of_period(
    invocation: &Invocation,
    of: &OfArgs,
    period: Month,
) -> Result<Vec<Arc<Budget>>, CliError> {
    if invocation.options.demo.is_none() || !invocation.config.teams.budgets().is_empty() {
        return Ok(invocation.config.teams.budgets());
    }
    let ready = budgets::Ready::read(of, BudgetPeriod::Monthly, invocation)?;
    Ok(settings::budgets(invocation, &ready.months, &ready.rules, period))
}

/// Prints resources without tags, or text that tags them.
fn tags(
    args: &TagsArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<TagField>::of(invocation)?;
    let fail_on = invocation.options.fail_on.as_ref();
    fail_on.map_or(Ok(()), FailOn::of_findings).map_err(CliError::Usage)?;
    let settings = super::bill::settings(invocation);
    let rules = settings::rules(invocation);
    if let Some(text) = args.print.filter(|text| *text != TagText::Commands) {
        // Which tags are required the configuration says: nobody is asked.
        let keys = first_keys(&rules);
        let text = match text {
            TagText::TagPolicy => tag_policy(&keys),
            _ => tag_specifications(&keys),
        };
        out.write_all(text.as_bytes())?;
        return Ok(Exit::Ok);
    }
    let money = money::money(&args.of, invocation, &settings)?;
    let Told { rows, of } = tagged(&money.lines, money.from, &rules);
    let ctx = reports::context(invocation, env);
    if args.print.is_some() {
        for row in chosen.rows(&rows, &ctx) {
            match &row.of.place {
                Some(_) => writeln!(out, "{}", row.command)?,
                None => tell(format_args!(
                    "no command for {}: its id does not tell how",
                    named(&row.of)
                )),
            }
        }
        return Ok(money.exit);
    }
    let list = chosen.list(&rows, of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    let found = Found { findings: list.rows.len(), ..Found::default() };
    Ok(ended(&found, invocation, money.exit))
}

fn named(of: &MissingTags) -> &str {
    of.resource.as_deref().or(of.service.as_deref()).unwrap_or("what names no resource")
}

/// The tags that are required, each by the key that is written first.
fn first_keys(rules: &crate::analyze::teams::Rules) -> Vec<Arc<str>> {
    let key = |tag: &Arc<str>| match Dimension::of(tag) {
        Some(by) => rules.keys_of(by).first().cloned().unwrap_or_else(|| tag.clone()),
        None => tag.clone(),
    };
    rules.required.iter().map(key).collect()
}

/// How a list ends whose findings `--fail-on` may count.
fn ended(found: &Found, invocation: &Invocation, exit: Exit) -> Exit {
    let fail_on = invocation.options.fail_on.as_ref();
    match fail_on.and_then(|fail_on| fail_on.tripped_by_savings(found)) {
        Some(found) => {
            tell(format_args!("--fail-on: {found}"));
            Exit::Findings
        }
        None => exit,
    }
}
