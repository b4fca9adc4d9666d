//! `burntop budgets`: what may be spent, what is, and where the period ends.

use std::io::Write;
use std::sync::Arc;

use super::aws_budgets::of_accounts;
use super::settings;
use crate::analyze::teams::{Budget, BudgetMonth, BudgetPeriod, BudgetState, Rules, budget_state};
use crate::cli::bill::args::OfArgs;
use crate::cli::bill::kept::{Kept, heads};
use crate::cli::exit::{CliError, Exit};
use crate::cli::fail_on::{FailOn, Found};
use crate::cli::invocation::Invocation;
use crate::cli::list_options::Selection;
use crate::cli::reports;
use crate::cli::teams::args::BudgetsArgs;
use crate::config::Env;
use crate::domain::bill::{BillHead, Month};
use crate::report::{BillsOf, BudgetsOf, List};
use crate::tabs::teams::picture::{BudgetField, BudgetStanding, budget_rows};
use crate::tabs::teams::state::{MONTHS_BEFORE, longest, months_of};

/// What budgets are held against.
pub(super) struct Ready {
    /// Months of bills, oldest first.
    pub months: Vec<BudgetMonth>,
    /// Rules by which lines have teams.
    pub rules: Rules,
    /// The month whose period is meant.
    pub period: Month,
    /// Bills of the period.
    pub bills: Vec<BillHead>,
    /// How the run ends that read them.
    pub exit: Exit,
}

impl Ready {
    /// The bills around a period, `length` long at most. Fails where there are none.
    pub fn read(
        of: &OfArgs,
        length: BudgetPeriod,
        invocation: &Invocation,
    ) -> Result<Self, CliError> {
        let how = crate::cli::bill::settings(invocation);
        let rules = settings::rules(invocation);
        let kept = Kept::of(invocation, of.export.as_deref(), &[], &how)?;
        let period = of.period.unwrap_or_else(|| kept.newest());
        let (first, count) = length.around(period);
        let mut bills = kept.before(first, MONTHS_BEFORE)?;
        // A quarter may go on after the month that is named.
        let own = kept.before(first.plus(count), count)?;
        if own.iter().all(|bill| bill.head.period != period) {
            kept.bills(period)?;
        }
        let own_heads = heads(&own);
        bills.extend(own);
        let typed = invocation.config.teams.budgets();
        let months = months_of(&bills, &how, &settings::gpus, &typed, &rules);
        Ok(Self { months, rules, period, bills: own_heads, exit: kept.ended() })
    }

    /// Each budget in the period, while `more_per_day` dollars are spent beside what is foreseen.
    pub fn states(&self, budgets: &[Arc<Budget>], more_per_day: f64) -> Vec<BudgetState> {
        let of =
            |budget| budget_state(budget, &self.months, &self.rules, self.period, more_per_day);
        budgets.iter().map(of).collect()
    }
}

/// The budgets of the newest bill, as `burntop budgets` lists them; `None` where none are configured. Fails where no bill
/// is kept or it cannot be read.
pub(in crate::cli) fn forecasts(
    invocation: &Invocation,
) -> Result<Option<List<BudgetField>>, CliError> {
    let typed = invocation.config.teams.budgets();
    if typed.is_empty() && invocation.options.demo.is_none() {
        return Ok(None);
    }
    let ready = Ready::read(&OfArgs::default(), longest(&typed), invocation)?;
    let budgets = settings::budgets(invocation, &ready.months, &ready.rules, ready.period);
    let rows = budget_rows(ready.states(&budgets, 0.0)).to_vec();
    let bills = BillsOf { bills: ready.bills, ..BillsOf::default() };
    Ok(Some(List::of(rows, None, BudgetsOf { bills, ..BudgetsOf::default() })))
}

/// Prints the budgets. Fails where none are configured, and where no bill could be read.
pub fn run(
    args: &BudgetsArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<BudgetField>::of(invocation)?;
    let fail_on = invocation.options.fail_on.as_ref();
    fail_on.map_or(Ok(()), FailOn::of_findings).map_err(CliError::Usage)?;
    let typed = invocation.config.teams.budgets();
    let has_own = !typed.is_empty() || invocation.options.demo.is_some();
    if !has_own && !args.aws {
        return Err(CliError::Usage(
            "no budget is configured: `[[budgets]]` in the configuration has name, filter and usd; --aws \
             lists those of AWS Budgets"
                .into(),
        ));
    }
    let by_aws = if args.aws { Some(of_accounts(invocation)?) } else { None };
    let (mut rows, mut bills, mut exit) = (Vec::new(), Vec::new(), Exit::Ok);
    if has_own {
        let ready = Ready::read(&args.of, longest(&typed), invocation)?;
        let budgets = settings::budgets(invocation, &ready.months, &ready.rules, ready.period);
        rows.extend_from_slice(&budget_rows(ready.states(&budgets, 0.0)));
        (bills, exit) = (ready.bills, ready.exit);
    }
    let has_aws = by_aws.is_some();
    if let Some(of_aws) = by_aws {
        rows.extend(of_aws.rows);
        exit = if of_aws.is_whole { exit } else { Exit::Partial };
    }
    let ctx = reports::context(invocation, env);
    let of = BudgetsOf { bills: BillsOf { bills, ..BillsOf::default() }, has_aws };
    let list = chosen.list(&rows, of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    let is_finding = |standing| matches!(standing, BudgetStanding::Over | BudgetStanding::AtLevel);
    let findings = list.rows.iter().filter(|row| is_finding(row.standing())).count();
    Ok(super::ended(&Found { findings, ..Found::default() }, invocation, exit))
}
