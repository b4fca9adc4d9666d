//! `burntop plan`: what is to be done to which instances, checked and written down. Changes
//! nothing.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::args::{PlanAction, PlanArgs, PlanCommand};
use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::telemetry::Want;
use super::tell::tell;
use super::{acting, acting_storage, plan_file, reports, session, when, words};
use crate::act::plan::policy::is_like_a_policys;
use crate::act::plan::{
    Breach, CheckedRow, Draft, EXPIRES_TAG, Plan, PlanFile, Preflighted, Verb, draft,
};
use crate::bus;
use crate::config::Env;
use crate::domain::{InstanceState, VerdictKind, text};
use crate::fleet::{Fleet, Row};
use crate::report::acting::{PlanReport, plan as report_plan};
use crate::tabs::idle::picture::Field;
use crate::view::{Filter, Sort, TableField, ViewContext, table};

/// The longest reason: a tag's value has 256 characters.
const MAX_REASON: usize = 255;

/// Drafts a plan, checks it, prints the findings and writes the plan file. Changes nothing in the account.
/// Fails for arguments that contradict each other, and where a limit is exceeded.
pub fn run(
    command: &PlanCommand,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    of_this_moment(invocation)?;
    if let PlanCommand::Volumes { action, common } = command {
        return acting_storage::plan_volumes(*action, common, invocation, env, out);
    }
    let args = command.common();
    let verb = verb(command, invocation.options.now())?;
    let filter = words::strict_filter(Field::table(), invocation.options.filter.as_deref())?;
    if verb == Verb::Start && filter.is_none() && args.id.is_empty() {
        return Err(CliError::Usage(
            "name what is to be started, with --id or --filter: starting costs money".into(),
        ));
    }
    must_be_new(args)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(planned(command, &verb, filter.as_ref(), invocation, env, out))
}

async fn planned(
    command: &PlanCommand,
    wanted_verb: &Verb,
    filter: Option<&Filter>,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let args = command.common();
    let cache = session::open_cache_aloud(invocation);
    let parts = session::parts(invocation, cache.clone(), Want::Free)?;
    let ledger = parts.ledger.clone();
    let outcome = bus::once(parts).await;
    let checked = async {
        reports::unreadable(invocation, &outcome)?;
        let ctx = ViewContext {
            now: invocation.options.clock()(),
            symbols: session::symbols(invocation, env),
        };
        // Reading took its time: what is given from now on counts from the plan.
        let verb = verb(command, ctx.now)?;
        let rows = chosen(&outcome.fleet, &verb, args, filter, &ctx)?;
        if rows.is_empty() {
            return Ok::<_, CliError>(None);
        }
        let acting = acting::open(invocation, Some(ledger), false).await?;
        let hours = invocation.config.actions.plan_valid_hours;
        let drafted = draft(
            &outcome.fleet,
            &rows,
            acting.operator.rules(),
            &Draft {
                verb,
                preset: &text::clean(&invocation.config.preset),
                filter: &text::clean(invocation.options.filter.as_deref().unwrap_or_default()),
                justification: &text::clean(args.justification.as_deref().unwrap_or_default()),
                valid_for: SignedDuration::from_hours(i64::from(hours)),
                now: ctx.now,
            },
        )
        .map_err(|e| CliError::Usage(e.to_string()))?;
        let checked = acting.operator.preflight(Arc::new(drafted)).await;
        Ok(Some((checked, acting.troubles, ctx)))
    }
    .await;
    session::close_aloud(cache).await;
    let Some((checked, errors, ctx)) = checked? else {
        tell(format_args!("nothing to {} matches", wanted_verb.word()));
        return Ok(Exit::Ok);
    };
    let kept = kept(&checked);
    let over = &checked.breaches;
    let file = args.out.as_ref().filter(|_| !kept.items.is_empty() && over.is_empty());
    let format = invocation.options.format;
    if let Some(path) = file {
        let file = PlanFile { plan: kept.clone(), approvals: Vec::new() };
        plan_file::create(path, file.to_text().as_bytes())?;
    }
    let is_partial = !errors.is_empty() || outcome.fleet.readings.iter().any(reports::is_partial);
    let report = PlanReport { written: file.map(|_| kept.hash()), errors };
    out.write_all(report_plan(&checked, &report, format, &ctx).as_bytes())?;
    for line in reports::troubles(&outcome.fleet.readings) {
        tell(line);
    }
    tell_written(args, over, (kept.items.len(), checked.rows.len()), &kept.id())?;
    Ok(if is_partial { Exit::Partial } else { Exit::Ok })
}

/// Refuses to write a plan over a file that is there.
pub(super) fn must_be_new(args: &PlanArgs) -> Result<(), CliError> {
    match &args.out {
        Some(path) if path.exists() => {
            let text = format!("{} exists already; it stays as it is", path.display());
            Err(CliError::Usage(text))
        }
        _ => Ok(()),
    }
}

/// Says where a plan was written and how it goes on; nothing where no file was asked for. An error
/// where none was written: over a cap, or with no row that stays.
pub(super) fn tell_written(
    args: &PlanArgs,
    over: &[Breach],
    (kept, of): (usize, usize),
    id: &str,
) -> Result<(), CliError> {
    let Some(path) = &args.out else { return Ok(()) };
    if !over.is_empty() {
        return Err(over_the_caps(over, path));
    }
    let path = path.display();
    if kept == 0 {
        let text = format!("every row is blocked, so there is no plan; {path} was not written");
        return Err(acting::refused(text));
    }
    tell(format_args!(
        "wrote {kept} of {of} rows to {path}; plan {id}. Somebody else approves it with \
         `burntop approve {path}`"
    ));
    Ok(())
}

/// Why a plan over a cap is not written: nobody is to approve what cannot be applied.
fn over_the_caps(breaches: &[Breach], path: &Path) -> CliError {
    let all: Vec<String> = breaches.iter().map(ToString::to_string).collect();
    acting::refused(format!("{}; {} was not written", all.join("; "), path.display()))
}

/// Acting asks the accounts themselves, at this moment: neither from the cache alone, nor from a
/// recording, nor by a clock that somebody typed. The demo's own world may have any time.
pub(super) fn of_this_moment(invocation: &Invocation) -> Result<(), CliError> {
    let options = &invocation.options;
    let text = if options.offline {
        "--offline asks no account anything, and the guards have to ask"
    } else if options.tape.is_some() {
        "--replay plays what was, and the guards have to ask what is"
    } else if options.now.is_some() && options.demo.is_none() {
        "--now sets the clock, and what is planned, approved or done goes by the real one; it goes \
         with --demo alone"
    } else {
        return Ok(());
    };
    Err(CliError::Usage(text.into()))
}

/// Action from the command line.
fn verb(command: &PlanCommand, now: Timestamp) -> Result<Verb, CliError> {
    let usage = |text: &str| Err(CliError::Usage(text.to_owned()));
    let PlanCommand::Idle { action, decrement, expires, reason, .. } = command else {
        return Ok(match command {
            PlanCommand::Start { .. } => Verb::Start,
            _ => Verb::Unmark,
        });
    };
    if *decrement && *action != PlanAction::Terminate {
        return usage("--decrement means nothing without --action terminate");
    }
    if (expires.is_some() || reason.is_some()) && *action != PlanAction::Mark {
        return usage("--expires and --reason mean nothing without --action mark");
    }
    match action {
        PlanAction::Stop => Ok(Verb::Stop),
        PlanAction::Terminate => Ok(Verb::Terminate { decrement: *decrement }),
        PlanAction::Mark => {
            let Some(typed) = expires else {
                return usage("say from when on it may be stopped, for example --expires 4d");
            };
            let expires =
                when::ahead(typed, now).map_err(|e| CliError::Usage(format!("--expires: {e}")))?;
            let reason = text::clean(reason.as_deref().unwrap_or_default().trim()).into_owned();
            if reason.chars().count() > MAX_REASON {
                return usage("--reason is longer than a tag can hold (255 characters)");
            }
            if is_like_a_policys(&reason) {
                return usage("--reason reads like the mark of a policy; begin it otherwise");
            }
            Ok(Verb::Mark { expires, reason })
        }
    }
}

/// The rows that were asked for: those named, whatever they are, so that the guards can say why
/// not; else those that the filter and the verb choose.
fn chosen<'a>(
    fleet: &'a Fleet,
    verb: &Verb,
    args: &PlanArgs,
    filter: Option<&Filter>,
    ctx: &ViewContext,
) -> Result<Vec<&'a Row>, CliError> {
    let all = table::select(&Field::rows(&fleet.rows), filter, Sort::default(), ctx);
    let rows = all.iter().filter_map(|i| fleet.rows.get(*i as usize)).map(|r| &**r);
    if args.id.is_empty() {
        return Ok(rows.filter(|row| is_for(verb, row)).collect());
    }
    let rows: Vec<&Row> =
        rows.filter(|r| args.id.iter().any(|id| **id == *r.instance.id)).collect();
    match args.id.iter().find(|id| !rows.iter().any(|r| *r.instance.id == ***id)) {
        Some(id) => Err(CliError::Usage(format!(
            "there is no instance {}{}",
            text::clean(id),
            if filter.is_some() { " that matches the filter" } else { "" }
        ))),
        None => Ok(rows),
    }
}

/// True for rows that the verb is meant for.
fn is_for(verb: &Verb, row: &Row) -> bool {
    let verdict = row.verdict.as_ref().map(|v| v.kind);
    match verb {
        Verb::Stop | Verb::Terminate { .. } => verdict == Some(VerdictKind::Idle),
        Verb::Mark { .. } => matches!(
            verdict,
            Some(VerdictKind::Idle | VerdictKind::Partial | VerdictKind::Underused)
        ),
        Verb::Start => row.instance.state == InstanceState::Stopped,
        Verb::Unmark | Verb::Remind => {
            row.instance.tags.get(EXPIRES_TAG).is_some()
                && row.instance.state != InstanceState::Terminated
        }
    }
}

/// The plan without the rows that are blocked for what the instance is. Rows that are blocked only
/// because of who asked stay: who plans need not be able to act, and who applies is asked anew.
fn kept(checked: &Preflighted) -> Plan {
    let stays = |row: &&CheckedRow| row.may_go();
    let items = checked.rows.iter().filter(stays).map(|r| (*r.item).clone()).collect();
    Plan { items, ..(*checked.plan).clone() }
}
