//! Plans about storage on the command line: drafted, approved, applied.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::acting;
use super::args::{ApproveArgs, PlanArgs, VolumeAction};
use super::arming::{self, Arming, arming};
use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::tell::tell;
use super::{apply, approve, plan, plan_file, reports, session, words};
use crate::act::exec::audit::Body;
use crate::act::exec::storage::{
    Backups, DryRunStorage, RefuseStorage, StorageAccess, StorageExecutor, StorageOperator,
};
use crate::act::plan::storage::{
    Storage, StorageDraft, StoragePlan, StoragePlanFile, StorageVerb, draft_volumes,
};
use crate::act::plan::{Answer, CapUse, Confirmed, Outcome, Preflighted, Progress};
use crate::bus::Regions;
use crate::config::Env;
use crate::domain::storage::{Attachment, Volume, VolumeKind};
use crate::domain::{Scope, TagKeys, text};
use crate::fleet::storage::{Holder, VolumeRow, VolumeUse};
use crate::report::Format;
use crate::report::acting::{
    PlanReport, Trouble, rows_of_storage_plan, storage_blocked, storage_outcomes, storage_plan,
    storage_plan_to_approve,
};
use crate::source::ledger::Ledger;
use crate::tabs::storage::picture::{BlockField, BlockRow};
use crate::view::{FieldRef, Filter, TableField, ViewContext, format};

/// An operator of storage, and what was not well on the way to it.
struct Acting {
    operator: StorageOperator,
    troubles: Vec<Trouble>,
}

/// The operator of storage of a run: the accounts whose caller is known, with an executor where
/// they may be changed. With `pretend` there is no executor that could change anything.
async fn open(
    invocation: &Invocation,
    ledger: Option<Ledger>,
    pretend: bool,
) -> Result<Acting, CliError> {
    let journal = Arc::new(acting::journal(invocation)?);
    let kept = acting::audit_dir(invocation)?.with_file_name("undo");
    let reaches = invocation.reaches();
    let Arming { known, rules, troubles } =
        arming(invocation, &reaches, acting::IDENTITY_WITHIN).await;
    let clock = invocation.options.clock();
    let mut operator =
        StorageOperator::new(rules.clone(), journal, clock).with_backups(Backups::new(kept));
    if let Some(ledger) = ledger.filter(|_| invocation.options.demo.is_none()) {
        operator = operator.with_ledger(ledger);
    }
    if invocation.options.demo.is_none()
        && let Some(copy) = acting::copy_of(&invocation.config).await
    {
        operator = operator.with_copy(copy);
    }
    let mut added = BTreeSet::new();
    for (reach, who) in known {
        let executor: Arc<dyn StorageExecutor> = match rules.account(&who.account).may_act() {
            false => Arc::new(RefuseStorage),
            true if pretend => Arc::new(DryRunStorage::new(reach.storage_executor())),
            true => reach.storage_executor(),
        };
        if added.insert(who.account.clone()) {
            operator
                .add(who.account, StorageAccess { inspector: reach.storage_inspector(), executor });
        }
    }
    Ok(Acting { operator, troubles })
}

/// `burntop plan volumes`: drafts a plan, checks it, prints what was found and writes the file.
pub fn plan_volumes(
    action: VolumeAction,
    args: &PlanArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let filter = words::strict_filter(BlockField::table(), invocation.options.filter.as_deref())?;
    known_when_planned(filter.as_ref())?;
    plan::must_be_new(args)?;
    session::with_cache(invocation, async |cache| {
        let ledger = invocation.ledger(cache);
        planned(action, args, filter.as_ref(), ledger, invocation, env, out).await
    })
}

async fn planned(
    action: VolumeAction,
    args: &PlanArgs,
    filter: Option<&Filter>,
    ledger: Ledger,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let Acting { operator, mut troubles } = open(invocation, Some(ledger), false).await?;
    let verb = match action {
        VolumeAction::Delete => StorageVerb::DeleteVolume,
        VolumeAction::Gp3 => StorageVerb::ModifyVolume,
    };
    let mut volumes = volumes(invocation, &mut troubles).await;
    let ctx = reports::context(invocation, env);
    if let Some(filter) = filter {
        let keys = &invocation.config.tag_keys;
        let mut search = filter.searcher();
        volumes.retain(|v| search.matches(&BlockField::rows([row_of(v, keys)]), 0, &ctx));
    }
    if args.id.is_empty() {
        volumes.retain(|v| match action {
            VolumeAction::Delete => v.attachments.is_empty() && &*v.state == "available",
            VolumeAction::Gp3 => v.kind == VolumeKind::Gp2,
        });
    } else {
        if let Some(id) = args.id.iter().find(|id| !volumes.iter().any(|v| *v.id == ***id)) {
            return Err(CliError::Usage(format!(
                "there is no volume {}{}",
                text::clean(id),
                if filter.is_some() { " that matches the filter" } else { "" }
            )));
        }
        volumes.retain(|v| args.id.iter().any(|id| **id == *v.id));
    }
    if volumes.is_empty() {
        tell(format_args!("nothing to {} matches", verb.word()));
        for trouble in &troubles {
            tell(trouble.line());
        }
        return Ok(if troubles.is_empty() { Exit::Ok } else { Exit::Partial });
    }
    let draft = StorageDraft {
        justification: args.justification.as_deref().unwrap_or_default(),
        valid_for: SignedDuration::from_hours(invocation.config.actions.plan_valid_hours.into()),
        now: invocation.options.clock()(),
    };
    let drafted = draft_volumes(&volumes, verb, operator.rules(), &draft)
        .map_err(|e| CliError::Usage(e.to_string()))?;
    let checked = operator.preflight(Arc::new(drafted)).await;
    // As for instances: rows that are blocked only because of who asked stay in the file.
    let stays = checked.rows.iter().filter(|r| r.reason_for_anybody().is_none());
    let items: Vec<_> = stays.map(|r| (*r.item).clone()).collect();
    let kept = StoragePlan { items, ..(*checked.plan).clone() };
    let over = &checked.breaches;
    let file = args.out.as_ref().filter(|_| !kept.items.is_empty() && over.is_empty());
    if let Some(path) = file {
        let file = StoragePlanFile { plan: kept.clone(), approvals: Vec::new() };
        plan_file::create(path, file.to_text().as_bytes())?;
    }
    let is_partial = !troubles.is_empty();
    troubles.iter().map(Trouble::line).for_each(tell);
    let report = PlanReport { written: file.map(|_| kept.hash()), errors: troubles };
    let format = invocation.options.format;
    out.write_all(storage_plan(&checked, &report, format, &ctx).as_bytes())?;
    plan::tell_written(args, over, (kept.items.len(), checked.rows.len()), &kept.id())?;
    Ok(if is_partial { Exit::Partial } else { Exit::Ok })
}

/// Refuses fields that only the report about storage can tell: a volume's own description holds
/// neither prices nor what its instance does.
fn known_when_planned(filter: Option<&Filter>) -> Result<(), CliError> {
    use BlockField::{Finding, HolderState, Images, Savings, Stopped, UsdPerMonth, Used, Volume};
    let unknown = [Finding, HolderState, Images, Savings, Stopped, UsdPerMonth, Used, Volume];
    let named = filter.map(Filter::fields).unwrap_or_default();
    let bad = |f: &&FieldRef| matches!(f, FieldRef::Field(f) if BlockField::of(f).is_some_and(|f| unknown.contains(&f)));
    match named.into_iter().find(bad) {
        None => Ok(()),
        Some(field) => Err(CliError::Usage(format!(
            "--filter: `{field}` is not known when volumes are planned; look with `burntop storage \
             ebs --filter`, and name them with --id"
        ))),
    }
}

/// A volume as a row for filters; see [`known_when_planned`] for what it lacks.
fn row_of(volume: &Arc<Volume>, keys: &TagKeys) -> Arc<BlockRow> {
    let holder = |a: &Attachment| Holder {
        id: a.instance.clone(),
        name: Arc::default(),
        state: None,
        stopped_at: None,
    };
    Arc::new(BlockRow::Volume(Arc::new(VolumeRow {
        billed_usd: None,
        volume: volume.clone(),
        used: VolumeUse::Unknown,
        holders: volume.attachments.iter().map(holder).collect(),
        team: volume.tags.find(&keys.team).cloned(),
        project: volume.tags.find(&keys.project).cloned(),
        environment: volume.tags.find(&keys.environment).cloned(),
        usd_per_month: None,
        findings: Vec::new(),
        savings: None,
    })))
}

/// All volumes of all accounts and regions of the run. What cannot be listed is said.
async fn volumes(invocation: &Invocation, troubles: &mut Vec<Trouble>) -> Vec<Arc<Volume>> {
    let mut out = Vec::new();
    let reaches = invocation.reaches();
    let (known, _) = acting::identities(&reaches).await;
    for (reach, who) in known {
        let mut trouble = |error: crate::domain::SourceError| {
            troubles.push(Trouble {
                source: "ec2",
                scope: who.account.to_string(),
                message: error.to_string(),
                fix: error.advice().to_owned(),
            });
        };
        let regions = match &reach.regions {
            Regions::Named(names) => names.clone(),
            Regions::Home => vec![reach.provider().home_region().await],
            Regions::Enabled => match reach.provider().regions().await {
                Ok(regions) => regions,
                Err(error) => {
                    trouble(error);
                    continue;
                }
            },
        };
        for region in regions {
            let scope = Scope::new(who.account.clone(), region);
            match reach.volumes(&scope).await {
                Ok(volumes) => out.extend(volumes.into_iter().map(Arc::new)),
                Err(error) => trouble(error),
            }
        }
    }
    out
}

/// `burntop approve` of a plan about storage.
pub fn approve(
    file: StoragePlanFile,
    bytes: &[u8],
    args: &ApproveArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let now = invocation.options.now();
    let plan = &file.plan;
    not_rules(plan)?;
    // The limits of this machine; whose account it is changes nothing about them.
    let caps = arming::caps(invocation);
    let (breaches, uses) = plan.held_against(plan.items.len(), &caps);
    let ctx = reports::context(invocation, env);
    if invocation.options.format == Format::Json {
        out.write_all(storage_plan_to_approve(plan, (&breaches, &uses), &ctx).as_bytes())?;
        out.flush()?;
    } else {
        show(plan, &uses, out, &ctx)?;
    }
    approve::within(&breaches)?;
    let expires_at = approve::expiry(args, plan.expires_at, invocation, now)?;
    let word = format!("approve {}", plan.items.len());
    approve::reviewed(args, "plan", &plan.hash(), &word)?;
    let accounts: BTreeSet<Arc<str>> = plan.items.iter().map(|i| i.scope.account.clone()).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let approval =
        runtime.block_on(approve::approval(plan.hash(), &accounts, expires_at, invocation))?;
    let body = Body::Approved {
        what: "storage plan".to_owned(),
        sha256: approval.sha256.clone(),
        approver: approval.approver.clone(),
    };
    let names: BTreeSet<String> = approval.approver.values().map(ToString::to_string).collect();
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    let done = format!("approved plan {} as {names} until {:.0}", plan.id(), approval.expires_at);
    // The line first: an approval that nobody logged is not handed out.
    let journal = acting::journal(invocation)?;
    journal.append(now, body).map_err(|e| acting::failed(&e))?;
    let mut file = file;
    file.approvals.push(approval);
    plan_file::replace(&args.file, bytes, file.to_text().as_bytes())?;
    approve::said(&done, invocation, out)?;
    Ok(Exit::Ok)
}

/// What is approved, in full.
fn show(
    plan: &StoragePlan,
    caps: &[CapUse],
    out: &mut dyn Write,
    ctx: &ViewContext,
) -> std::io::Result<()> {
    out.write_all(rows_of_storage_plan(plan, caps, ctx).as_bytes())?;
    let (usd, unknown) = plan.usd_per_month();
    let left_out = match unknown {
        0 => String::new(),
        n => format!(" ({n} without a known figure left out)"),
    };
    for (name, text) in [
        ("what", plan.verb.word().to_owned()),
        ("rows", plan.items.len().to_string()),
        ("saves", format!("{}/month{left_out}", format::usd(usd))),
        ("why", plan.justification.clone()),
        ("drafted", format!("{:.0}", plan.created_at)),
        ("valid until", format!("{:.0}", plan.expires_at)),
        ("plan", plan.id()),
    ] {
        let text = if text.is_empty() { ctx.symbols.unknown().to_owned() } else { text };
        writeln!(out, "{name:<12}  {text}")?;
    }
    out.flush()
}

/// On whose word a plan is applied.
enum Word<'a> {
    /// A second person's, in the file.
    Approval,
    /// The name of the bucket, typed.
    Typed(&'a str),
}

/// `burntop apply` of a plan about storage.
pub fn apply(
    file: StoragePlanFile,
    dry_run: bool,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    not_rules(&file.plan)?;
    applied(file, dry_run, &Word::Approval, invocation, env, out)
}

/// Refuses a plan whose bucket has to be typed: nobody else's approval stands in for that.
fn not_rules(plan: &StoragePlan) -> Result<(), CliError> {
    if plan.verb != StorageVerb::PutLifecycle {
        return Ok(());
    }
    let name = plan.items.first().map(|i| text::clean(i.id()).into_owned()).unwrap_or_default();
    Err(CliError::Usage(format!(
        "rules are put by the typed name of the bucket, not by an approval: `burntop storage \
         lifecycle apply FILE --confirm {name}`"
    )))
}

/// `burntop storage lifecycle apply`; `confirm` must be the bucket's name. Without it the plan is checked and shown,
/// and nothing is put.
pub fn apply_lifecycle(
    path: &Path,
    confirm: Option<&str>,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    plan::of_this_moment(invocation)?;
    let file = plan_file::read_storage(path)?;
    if file.plan.verb != StorageVerb::PutLifecycle {
        return Err(CliError::Usage(format!(
            "{} is a plan to {}; apply it with `burntop apply`",
            path.display(),
            file.plan.verb.word()
        )));
    }
    match confirm {
        Some(bucket) => applied(file, false, &Word::Typed(bucket), invocation, env, out),
        None => {
            out.write_all(
                rows_of_storage_plan(&file.plan, &[], &reports::context(invocation, env))
                    .as_bytes(),
            )?;
            let name = file.plan.items.first().map(|i| i.id().clone()).unwrap_or_default();
            let checked = applied(file, true, &Word::Approval, invocation, env, out);
            tell(format_args!("nothing was put: go on with `--confirm {name} --allow-actions`"));
            checked
        }
    }
}

fn applied(
    file: StoragePlanFile,
    dry_run: bool,
    word: &Word<'_>,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let plan = &file.plan;
    apply::in_time(plan.created_at, plan.expires_at, is_undo(plan), invocation)?;
    let ctx = reports::context(invocation, env);
    session::with_cache(invocation, async |cache| {
        let ledger = invocation.ledger(cache);
        carried_out(file, dry_run, word, ledger, invocation, &ctx, out).await
    })
}

/// An undo file holds as long as any plan can, whatever `plan_valid_hours` says of plans that rest
/// on figures: it rests on a hash alone.
fn is_undo(plan: &StoragePlan) -> Option<SignedDuration> {
    (plan.verb == StorageVerb::PutLifecycle).then(|| SignedDuration::from_hours(168))
}

async fn carried_out(
    file: StoragePlanFile,
    dry_run: bool,
    word: &Word<'_>,
    ledger: Ledger,
    invocation: &Invocation,
    ctx: &ViewContext,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let Acting { operator, mut troubles } = open(invocation, Some(ledger), dry_run).await?;
    acting::check_journal(operator.journal(), invocation)?;
    if !dry_run {
        acting::reconcile_and_tell(operator.reconcile()).await?;
    }
    let format = invocation.options.format;
    let plan = Arc::new(file.plan);
    let checked = operator.preflight(plan.clone()).await;
    if dry_run {
        let report = PlanReport { written: Some(plan.hash()), errors: troubles };
        out.write_all(storage_plan(&checked, &report, format, ctx).as_bytes())?;
        tell("a dry run: nothing was done");
        let blocked = checked.blocked().next().is_some() || !checked.breaches.is_empty();
        return Ok(if blocked { Exit::ActionFailed } else { Exit::Ok });
    }
    let now = invocation.options.clock()();
    let mut all: Vec<Outcome> = checked.blocked().map(|r| storage_blocked(r, now)).collect();
    if checked.passed().next().is_none() {
        out.write_all(storage_outcomes(&all, None, &troubles, format, ctx).as_bytes())?;
        return Ok(Exit::ActionFailed);
    }
    let confirmed = match word {
        Word::Typed(bucket) => typed(&checked, bucket, invocation.options.clock()())?,
        Word::Approval => {
            apply::confirmed(&checked, &plan.hash(), &file.approvals, invocation).await?
        }
    };
    let say = |progress: Progress| apply::progress_lines(&progress).into_iter().for_each(tell);
    let verified = operator.execute(&confirmed, &say).await.map_err(|e| acting::failed(&e))?;
    all.extend(verified.outcomes.iter().cloned());
    let place = |o: &Outcome| plan.items.iter().position(|i| *i.id() == o.id);
    all.sort_by_key(place);
    troubles.extend(Trouble::after(&verified));
    let text = storage_outcomes(&all, Some(&verified.run_id), &troubles, format, ctx);
    out.write_all(text.as_bytes())?;
    apply::tell_unknown(&all);
    Ok(apply::exit_of(&all))
}

fn typed(
    checked: &Preflighted<Storage>,
    bucket: &str,
    now: Timestamp,
) -> Result<Confirmed<Storage>, CliError> {
    let answer = Answer { typed: bucket.to_owned(), justification: String::new() };
    checked.confirm(&answer, now).map_err(|e| acting::failed(&e))
}

/// Reconciles what earlier runs left open about storage; returns the outcomes, and the accounts that could not be
/// asked. Err when the audit log cannot be read or written.
pub async fn reconcile(invocation: &Invocation) -> Result<(Vec<Outcome>, Vec<Trouble>), CliError> {
    let Acting { operator, troubles } = open(invocation, None, true).await?;
    let reconciled = operator.reconcile().await.map_err(|e| acting::failed(&e))?;
    Ok((reconciled, troubles))
}
