//! `burntop quotas`: what teams may run at once, what they run, and whether something more fits.

use std::io::Write;
use std::sync::Arc;

use super::args::{QuotasArgs, WhatIf};
use super::budgets::Ready;
use super::settings;
use crate::analyze::teams::{Line, QuotaState, Rules, Running, asked_line, quota_states, running};
use crate::cli::bill::args::OfArgs;
use crate::cli::bill::kept::Kept;
use crate::cli::exit::{CliError, Exit};
use crate::cli::fail_on::{FailOn, Found};
use crate::cli::invocation::Invocation;
use crate::cli::list_options::Selection;
use crate::cli::reports;
use crate::cli::telemetry::Want;
use crate::cli::tell::tell;
use crate::config::Env;
use crate::domain::text::clean;
use crate::fleet::Fleet;
use crate::report::{ASSUMED_REGION, QuotasOf, WhatIfAnswer};
use crate::source::catalogue;
use crate::tabs::teams::picture::{QuotaField, QuotaItem, QuotaStanding, quota_rows};
use crate::tabs::teams::state::longest;
use crate::view::reasons;

/// Hours of a day.
const DAY: f64 = 24.0;

/// Quotas of the configuration beside what runs; of the demo its own.
pub(in crate::cli) fn of_fleet(fleet: &Fleet, invocation: &Invocation) -> Arc<[Arc<QuotaItem>]> {
    let rules = settings::rules(invocation);
    let runs = running(fleet.rows.iter().map(|row| &**row), &rules);
    quota_rows(quota_states(&settings::quotas(invocation, &runs), &runs, &[]))
}

/// Prints the quotas beside what runs. Fails where none are configured, and where nothing could be read.
pub fn run(
    args: &QuotasArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<QuotaField>::of(invocation)?;
    let fail_on = invocation.options.fail_on.as_ref();
    fail_on.map_or(Ok(()), FailOn::of_findings).map_err(CliError::Usage)?;
    let config = &invocation.config.teams;
    let is_demo = invocation.options.demo.is_some();
    if !is_demo
        && config.quotas().is_empty()
        && (args.what_if.is_none() || config.budgets().is_empty())
    {
        return Err(CliError::Usage(
            "no quota is configured: `[[quotas]]` in the configuration has team and gpus, usd_per_hour or instances".into(),
        ));
    }
    let asked = args.what_if.as_ref();
    if let Some(asked) = asked
        && catalogue::type_spec(&asked.instance_type).is_none()
    {
        let name = clean(&asked.instance_type);
        return Err(CliError::Usage(format!(
            "--what-if: {name} is no instance type that burntop knows"
        )));
    }
    let outcome = reports::read(invocation, Want::Free)?;
    reports::unreadable(invocation, &outcome)?;
    let fleet = outcome.fleet.clone();
    let rules = settings::rules(invocation);
    let runs = running(fleet.rows.iter().map(|row| &**row), &rules);
    let quotas = settings::quotas(invocation, &runs);
    let more = asked.map(|asked| asked_for(asked, &rules)).unwrap_or_default();
    let mut states = quota_states(&quotas, &runs, &more);
    if let Some(asked) = more.first() {
        states.retain(|state| asked.team.as_ref().is_some_and(|team| state.quota.is_of(team)));
    }
    let mut exit = reports::ended(&fleet.readings);
    reports::shortfalls(&outcome).iter().for_each(tell);
    let answer = match asked {
        Some(asked) => Some(answer(asked, &more, &states, exit, invocation)?),
        None => None,
    };
    let ctx = reports::context(invocation, env);
    let of = QuotasOf { fleet, answer: answer.clone() };
    let list = chosen.list(&quota_rows(states), of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    if let Some(answer) = &answer {
        if !answer.fits() {
            return Ok(Exit::Findings);
        }
        if !answer.unchecked.is_empty() {
            exit = Exit::Partial;
        }
    }
    let findings = list.rows.iter().filter(|row| row.standing() == QuotaStanding::Over).count();
    Ok(super::ended(&Found { findings, ..Found::default() }, invocation, exit))
}

/// The instances that are asked for, one by one.
fn asked_for(asked: &WhatIf, rules: &Rules) -> Vec<Running> {
    let region = asked.region.as_deref().unwrap_or(ASSUMED_REGION);
    let one = Running {
        team: Some(crate::analyze::teams::team_named(&asked.team, rules)),
        instance_type: asked.instance_type.as_str().into(),
        gpus: settings::gpus(&asked.instance_type),
        usd_per_hour: catalogue::list_price(region, &asked.instance_type),
        since: None,
    };
    vec![one; asked.count as usize]
}

/// Whether what is asked for fits the quotas and budgets of its team.
fn answer(
    asked: &WhatIf,
    more: &[Running],
    states: &[QuotaState],
    read: Exit,
    invocation: &Invocation,
) -> Result<WhatIfAnswer, CliError> {
    let Some(one) = more.first() else { return Ok(WhatIfAnswer::default()) };
    let mut exceeds: Vec<String> = states.iter().filter_map(reasons::quota_exceeded).collect();
    let mut unchecked = Vec::new();
    if read != Exit::Ok {
        unchecked
            .push("not all of the fleet could be read: more may run than is counted".to_owned());
    }
    if states.iter().any(|state| state.unknown > 0) {
        unchecked.push("of some instances it is not known how much they count".to_owned());
    }
    let mut budgets_checked = None;
    let has_bill = !Kept::is_empty(invocation)?;
    match one.usd_per_hour {
        None => unchecked.push(format!(
            "the list price of {} in {} is not known: budgets were not checked",
            asked.instance_type,
            asked.region.as_deref().unwrap_or(ASSUMED_REGION)
        )),
        Some(_) if !has_bill => {
            if invocation.config.teams.budgets().is_empty() {
                budgets_checked = Some(0);
            } else {
                unchecked.push("no bill is imported: budgets were not checked".to_owned());
            }
        }
        Some(usd_per_hour) => {
            let typed = invocation.config.teams.budgets();
            let ready = Ready::read(&OfArgs::default(), longest(&typed), invocation)?;
            let budgets = settings::budgets(invocation, &ready.months, &ready.rules, ready.period);
            let line: Line =
                asked_line(one, asked.region.as_deref().unwrap_or(ASSUMED_REGION), &ready.rules);
            let of_line =
                |budget: &&Arc<_>| crate::analyze::teams::takes(budget, &line, &ready.rules);
            let budgets: Vec<_> = budgets.iter().filter(of_line).cloned().collect();
            budgets_checked = Some(budgets.len());
            let per_day = usd_per_hour * DAY * f64::from(asked.count);
            let states = ready.states(&budgets, per_day);
            exceeds.extend(states.iter().filter_map(reasons::budget_exceeded));
        }
    }
    if states.is_empty() && budgets_checked == Some(0) {
        let team = clean(&asked.team);
        return Err(CliError::Usage(format!(
            "--what-if: no quota and no budget is of team {team}, so nothing limits it"
        )));
    }
    Ok(WhatIfAnswer {
        team: states
            .first()
            .map(|state| state.quota.team.clone())
            .or(one.team.clone())
            .unwrap_or_default(),
        instance_type: one.instance_type.clone(),
        count: asked.count,
        usd_per_hour: one.usd_per_hour.map(|usd| usd * f64::from(asked.count)),
        exceeds,
        unchecked,
    })
}
