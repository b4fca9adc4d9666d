//! `burntop policy run`: one run of a policy.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::super::acting::{self, Acting};
use super::super::apply::exit_of;
use super::super::exit::{CliError, Exit};
use super::super::invocation::Invocation;
use super::super::teams::{Asked, asked};
use super::super::telemetry::Want;
use super::super::tell::tell;
use super::super::{plan, reports, session, words};
use super::carry_out::{Carried, CarryOut};
use super::{PolicyFile, read};
use crate::act::plan::Outcome;
use crate::act::plan::policy::{DecisionKind, Scene, decide, matches, plans, stricter};
use crate::bus;
use crate::cache::Cache;
use crate::config::Env;
use crate::domain::text;
use crate::report::acting::{PolicyReport, policy as report_policy};
use crate::tabs::idle::picture::Field;
use crate::view::{Filter, TableField};

/// Decides, carries it out where that was asked for, and prints it.
pub fn run(
    path: &Path,
    apply: bool,
    when: Option<&Asked>,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    // Tags of yesterday say nothing about the marks of today.
    plan::of_this_moment(invocation)?;
    let file = read(path)?;
    if let Some(when) = when {
        let (is_reached, sentence) = asked(when, invocation)?;
        let done = if is_reached { "" } else { ": nothing was done" };
        tell(format_args!("--when-budget: {sentence}{done}"));
        if !is_reached {
            return Ok(Exit::Ok);
        }
    }
    session::with_cache(invocation, async |cache| {
        one_run(path, &file, apply, invocation, env, cache, out).await
    })
}

async fn one_run(
    path: &Path,
    file: &PolicyFile,
    apply: bool,
    invocation: &Invocation,
    env: &Env,
    cache: &Cache,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let filter = words::strict_filter(Field::table(), invocation.options.filter.as_deref())?;
    let parts = session::parts(invocation, cache.clone(), Want::Free)?;
    let ledger = parts.ledger.clone();
    let outcome = bus::once(parts).await;
    reports::unreadable(invocation, &outcome)?;
    let fleet = &*outcome.fleet;
    // Without --apply there is no executor in the process that could change anything.
    let Acting { operator, troubles } = acting::open(invocation, Some(ledger), !apply).await?;
    if apply {
        acting::check_journal(operator.journal(), invocation)?;
        acting::reconcile_and_tell(operator.reconcile()).await?;
    }
    let preset = text::clean(&invocation.config.preset);
    let window_hours = session::policy(&invocation.config, &preset)?.window_hours();
    let ctx = reports::context(invocation, env);
    let scene = Scene { rules: operator.rules(), window_hours, ctx };
    let mut search = filter.as_ref().map(Filter::searcher);
    let rows = Field::rows(&fleet.rows);
    let wanted = |at| search.as_mut().is_none_or(|s| s.matches(&rows, at, &ctx));
    let decisions = decide(&file.policy, fleet, &scene, wanted);
    let planned = plans(&file.policy, fleet, &decisions, &scene, &preset);
    let by_rule = decisions.iter().map(|d| (d.rule, &*d.row));
    let rules = matches(&file.policy, operator.rules(), by_rule);
    let stop = planned.iter().find(|p| p.kind == DecisionKind::Stop);
    let nothing =
        || stricter(&operator.rules().caps, &file.policy.caps).uses(&[], fleet.totals.instances);
    let caps = stop.map_or_else(nothing, |p| p.caps.clone());
    let mut carried = CarryOut { path, file, invocation, operator: &operator, fleet, scene }
        .all(&planned, apply)
        .await;
    carried.errors.extend(troubles);
    let format = invocation.options.format;
    let outcomes: BTreeMap<Arc<str>, Outcome> =
        carried.outcomes.iter().map(|o| (o.id.clone(), o.clone())).collect();
    let report = PolicyReport {
        policy: &file.policy,
        sha256: &file.sha256,
        decisions: &decisions,
        rules: &rules,
        caps: &caps,
        applied: apply,
        outcomes: &outcomes,
        refusals: &carried.refusals,
        runs: &carried.runs,
        errors: &carried.errors,
        readings: &fleet.readings,
    };
    out.write_all(report_policy(&report, format, &ctx).as_bytes())?;
    reports::troubles(&fleet.readings).for_each(tell);
    reports::shortfalls(&outcome).iter().for_each(tell);
    let partial = !carried.errors.is_empty() || fleet.readings.iter().any(reports::is_partial);
    Ok(exit(&carried, apply, partial))
}

/// A dry run ends well whatever it found; a real one says what was refused or failed.
fn exit(carried: &Carried, apply: bool, partial: bool) -> Exit {
    let done = match apply {
        true if !carried.refusals.is_empty() => Exit::ActionFailed,
        true => exit_of(&carried.outcomes),
        false => Exit::Ok,
    };
    if done == Exit::Ok && partial { Exit::Partial } else { done }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::plan::OutcomeKind;
    use crate::domain::Scope;

    #[test]
    fn how_a_run_ends() {
        use OutcomeKind::{Done, Failed, Refused, Unknown};
        let outcome = |kind| Outcome {
            id: "i-1".into(),
            scope: Scope::new("123456789012", "eu-west-1"),
            kind,
            text: String::new(),
            state: None,
            request_ids: vec![],
            at: "2026-03-01T00:00:00Z".parse().unwrap(),
        };
        let of = |kinds: &[OutcomeKind], refusals: &[&str]| Carried {
            outcomes: kinds.iter().map(|k| outcome(*k)).collect(),
            refusals: refusals.iter().map(|r| (*r).to_owned()).collect(),
            ..Carried::default()
        };
        assert_eq!(exit(&of(&[], &[]), true, false), Exit::Ok);
        assert_eq!(exit(&of(&[Done], &[]), true, true), Exit::Partial);
        assert_eq!(exit(&of(&[Done, Unknown], &[]), true, false), Exit::Partial);
        assert_eq!(exit(&of(&[Done, Refused], &[]), true, true), Exit::ActionFailed);
        assert_eq!(exit(&of(&[Failed], &[]), true, false), Exit::ActionFailed);
        assert_eq!(exit(&of(&[Done], &["over the cap"]), true, false), Exit::ActionFailed);
        // A dry run only reports.
        assert_eq!(exit(&of(&[Refused], &["over the cap"]), false, false), Exit::Ok);
    }
}
