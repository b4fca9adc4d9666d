//! `burntop apply`: an approved plan, checked anew and carried out.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::acting::{self, Acting};
use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::telemetry::Want;
use super::tell::tell;
use super::{acting_storage, approve, plan, plan_file, reports, session, words};
use crate::act::exec::Operator;
use crate::act::plan::guard::verdicts_for;
use crate::act::plan::storage::AnyPlan;
use crate::act::plan::{
    Approval, ApprovalError, ConfirmError, Confirmed, Kind, Outcome, OutcomeKind, Plan, PlanFile,
    Preflighted, Progress, Rejudged, rejudge,
};
use crate::bus;
use crate::cache::Cache;
use crate::config::Env;
use crate::report::acting::{
    PlanReport, Trouble, outcome_of_blocked, outcomes, plan as report_plan,
};
use crate::view::{ViewContext, format};

/// How far ahead of this machine's clock a plan may have been drafted.
const CLOCKS_DIFFER: SignedDuration = SignedDuration::from_mins(5);

/// Checks the plan, carries it out and prints what became of it.
pub fn run(
    path: &Path,
    dry_run: bool,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    plan::of_this_moment(invocation)?;
    words::no_filter(invocation.options.filter.as_deref())?;
    let file = match plan_file::read_any(path)?.0 {
        AnyPlan::Instances(file) => file,
        AnyPlan::Storage(file) => {
            return acting_storage::apply(file, dry_run, invocation, env, out);
        }
    };
    in_time(file.plan.created_at, file.plan.expires_at, None, invocation)?;
    let ctx = reports::context(invocation, env);
    session::with_cache(invocation, async |cache| {
        applied(file, dry_run, invocation, cache, &ctx, out).await
    })
}

/// A plan holds for as long as its file says, and not longer than this machine's configuration
/// lets any plan hold.
/// `longest` takes the place of the configuration's bound.
pub(super) fn in_time(
    created_at: Timestamp,
    expires_at: Timestamp,
    longest: Option<SignedDuration>,
    invocation: &Invocation,
) -> Result<(), CliError> {
    let now = invocation.options.now();
    let hours = invocation.config.actions.plan_valid_hours.into();
    let longest = longest.unwrap_or_else(|| SignedDuration::from_hours(hours));
    let age = now.duration_since(created_at);
    if age < -CLOCKS_DIFFER {
        return Err(acting::refused(format!(
            "the plan was drafted at {created_at}, which is still to come by this machine's clock"
        )));
    }
    if now >= expires_at || age >= longest {
        return Err(acting::refused("the plan has expired: its evidence is old, draft it again"));
    }
    Ok(())
}

async fn applied(
    file: PlanFile,
    dry_run: bool,
    invocation: &Invocation,
    cache: &Cache,
    ctx: &ViewContext,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let parts = session::parts(invocation, cache.clone(), Want::Free)?;
    let Acting { operator, mut troubles } =
        acting::open(invocation, Some(parts.ledger.clone()), dry_run).await?;
    acting::check_journal(operator.journal(), invocation)?;
    if !dry_run {
        acting::reconcile_and_tell(operator.reconcile()).await?;
    }
    let format = invocation.options.format;
    let (plan, approvals) = (Arc::new(file.plan), file.approvals);
    let again = judged_again(parts, &plan, invocation, &operator).await;
    let checked = operator.preflight(plan.clone()).await;
    let caps = operator.rules().caps;
    let checked = match &again {
        Some(again) => again.held_against(checked, &caps),
        None => checked,
    };
    let breach =
        again.as_ref().and_then(|again| again.breaches(&checked, &caps).into_iter().next());
    if dry_run {
        let report = PlanReport { written: Some(plan.hash()), errors: troubles };
        out.write_all(report_plan(&checked, &report, format, ctx).as_bytes())?;
        tell("a dry run: nothing was done");
        if let Some(breach) = &breach {
            tell(breach);
        }
        let blocked =
            checked.blocked().next().is_some() || !checked.breaches.is_empty() || breach.is_some();
        return Ok(if blocked { Exit::ActionFailed } else { Exit::Ok });
    }
    let now = invocation.options.clock()();
    let mut all: Vec<Outcome> = checked.blocked().map(|r| outcome_of_blocked(r, now)).collect();
    if checked.passed().next().is_none() {
        let text = outcomes(&all, None, &troubles, format, ctx);
        out.write_all(text.as_bytes())?;
        return Ok(Exit::ActionFailed);
    }
    if let Some(breach) = breach {
        return Err(acting::refused(breach.to_string()));
    }
    let confirmed = confirmed(&checked, &plan.hash(), &approvals, invocation).await?;
    let say = |progress: Progress| progress_lines(&progress).into_iter().for_each(tell);
    let verified = operator.execute(&confirmed, &say).await.map_err(|e| acting::failed(&e))?;
    all.extend(verified.outcomes.iter().cloned());
    let place = |o: &Outcome| plan.items.iter().position(|i| i.id == o.id);
    all.sort_by_key(place);
    troubles.extend(Trouble::after(&verified));
    let text = outcomes(&all, Some(&verified.run_id), &troubles, format, ctx);
    out.write_all(text.as_bytes())?;
    tell_unknown(&all);
    Ok(exit_of(&all))
}

/// Says of how many rows it is not known what became of them.
pub(super) fn tell_unknown(all: &[Outcome]) {
    let unknown = all.iter().filter(|o| o.kind == OutcomeKind::Unknown).count();
    if unknown > 0 {
        tell(format_args!(
            "what became of {} is not known; `burntop audit reconcile` looks again",
            format::plural(unknown, "row")
        ));
    }
}

/// 5 when a row was refused or failed, 3 when it is not known of a row what became of it.
pub(super) fn exit_of(all: &[Outcome]) -> Exit {
    let any = |kinds: &[OutcomeKind]| all.iter().any(|o| kinds.contains(&o.kind));
    if any(&[OutcomeKind::Refused, OutcomeKind::Failed]) {
        Exit::ActionFailed
    } else if any(&[OutcomeKind::Unknown]) {
        Exit::Partial
    } else {
        Exit::Ok
    }
}

/// What a reading of the fleet by this machine says about the plan: a file can claim any verdict,
/// price and size of the fleet. `None` for a verb that rests on no verdict; nothing is read then.
async fn judged_again(
    parts: bus::Parts,
    plan: &Plan,
    invocation: &Invocation,
    operator: &Operator,
) -> Option<Rejudged> {
    verdicts_for(&plan.verb)?;
    let outcome = bus::once(parts).await;
    for line in reports::troubles(&outcome.fleet.readings) {
        tell(line);
    }
    Some(rejudge(plan, &outcome.fleet, operator.rules(), invocation.options.clock()()))
}

/// Confirms by the first approval that holds, the newest first.
pub(super) async fn confirmed<K: Kind>(
    checked: &Preflighted<K>,
    hash: &str,
    approvals: &[Approval],
    invocation: &Invocation,
) -> Result<Confirmed<K>, CliError> {
    let key = approve::key(invocation).await?;
    let now = invocation.options.clock()();
    let longest = SignedDuration::from_hours(invocation.config.actions.approval_valid_hours.into());
    let mut why = ApprovalError::Missing;
    for approval in approvals.iter().rev() {
        let subject = approve::Subject { sha256: hash, callers: &checked.callers, longest, now };
        match subject.is_approved_by(approval, key.as_ref()).await {
            Ok(()) => {
                // The clock went on while KMS was asked.
                let now: Timestamp = invocation.options.clock()();
                return checked.confirm_by(approval, hash, now).map_err(|e| match e {
                    ConfirmError::Justification => acting::refused(
                        "an instance is production and the plan does not say why: make it with \
                         `burntop plan … --justification`",
                    ),
                    other => acting::failed(&other),
                });
            }
            Err(error) => why = error,
        }
    }
    Err(acting::refused(format!("plan {}: {why}", hash.get(..12).unwrap_or_default())))
}

/// What happens, one line each.
pub(super) fn progress_lines(progress: &Progress) -> Vec<String> {
    let ids = |ids: &[Arc<str>]| ids.join(" ");
    match progress {
        Progress::Began(_) => Vec::new(),
        Progress::Rechecking(these) => vec![format!("looking once more at {}", ids(these))],
        Progress::Calling(these) => vec![format!("written down, calling for {}", ids(these))],
        Progress::Accepted(these) => vec![format!("accepted for {}", ids(these))],
        Progress::State(id, state) => vec![format!("{id} is {}", state.word())],
        Progress::Finished(outcome) => vec![acting::described(outcome)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Scope;

    #[test]
    fn the_worst_outcome_decides_how_it_ends() {
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
        for (kinds, exit) in [
            (&[][..], Exit::Ok),
            (&[Done, Done], Exit::Ok),
            (&[Done, Unknown], Exit::Partial),
            (&[Unknown, Refused], Exit::ActionFailed),
            (&[Done, Failed], Exit::ActionFailed),
        ] {
            let all: Vec<Outcome> = kinds.iter().map(|k| outcome(*k)).collect();
            assert_eq!(exit_of(&all), exit, "{kinds:?}");
        }
    }
}
