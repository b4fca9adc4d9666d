//! `burntop approve policy.toml`: the approval of a policy by a second person, written beside the file.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use jiff::SignedDuration;

use super::super::approve::{reaches, reviewed, said, signed};
use super::super::args::ApproveArgs;
use super::super::arming::{Arming, arming};
use super::super::exit::{CliError, Exit};
use super::super::invocation::Invocation;
use super::super::telemetry::Want;
use super::super::tell::tell;
use super::super::{acting, reports, session, when};
use super::{PolicyFile, approval_path, read};
use crate::act::exec::audit::Body;
use crate::act::plan::policy::{RuleMatches, caps_at_worst, matched, matches};
use crate::act::plan::{Approval, CapUse, Rules};
use crate::bus;
use crate::config::Env;
use crate::files;
use crate::fleet::{Fleet, Row};
use crate::report::Format;
use crate::report::acting::policy_to_approve;
use crate::view::ViewContext;

/// The longest validity: whoever approved it a month ago looks at it again.
pub(super) const LONGEST: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Shows the policy and what its rules match now, takes the approval and writes it beside the file. Err when the policy
/// cannot be read, the fleet cannot be read, or the approval is not given.
pub fn approve(
    args: &ApproveArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let file = read(&args.file)?;
    let long = validity(args, invocation)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let ctx = reports::context(invocation, env);
    let (fleet, rules) = runtime.block_on(fleet(invocation))?;
    let rows = matched(&file.policy, &fleet, &ctx);
    let found = matches(&file.policy, &rules, rows.iter().map(|(rule, row)| (*rule, &**row)));
    let caps = caps_at_worst(&file.policy, &rules, &rows);
    if invocation.options.format == Format::Json {
        let text = policy_to_approve(&file.policy.name, &file.sha256, &found, &caps, &ctx);
        out.write_all(text.as_bytes())?;
        out.flush()?;
    } else {
        show(&file, &rows, &found, &caps, out, &ctx)?;
    }
    reviewed(args, "policy", &file.sha256, &format!("approve {}", file.policy.name))?;
    let approval = runtime.block_on(approval(&file, long, invocation))?;
    let body = Body::Approved {
        what: "policy".to_owned(),
        sha256: approval.sha256.clone(),
        approver: approval.approver.clone(),
    };
    // The line first: an approval that nobody logged is not handed out.
    let journal = acting::journal(invocation)?;
    journal.append(approval.approved_at, body).map_err(|e| acting::failed(&e))?;
    write(&args.file, &approval)?;
    let done = format!(
        "approved policy {} ({}) until {}, in {}",
        file.policy.name,
        file.id(),
        approval.expires_at,
        approval_path(&args.file).display()
    );
    said(&done, invocation, out)?;
    Ok(Exit::Ok)
}

fn write(path: &Path, approval: &Approval) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(approval).map_err(|e| acting::failed(&e))?;
    let written = files::replace(&approval_path(path), (text + "\n").as_bytes());
    written.map_err(|e| CliError::Failed {
        exit: Exit::Unreadable,
        message: format!("cannot write {}: {}", approval_path(path).display(), files::explain(&e)),
    })
}

/// The fleet as `policy run` would read it now; what cannot be read is as the cache has it. Without any
/// fleet nobody knows whom the filters take in, and nothing can be approved.
async fn fleet(invocation: &Invocation) -> Result<(Arc<Fleet>, Rules), CliError> {
    let cache = session::open_cache_aloud(invocation);
    let read = async {
        let outcome = bus::once(session::parts(invocation, cache.clone(), Want::Free)?).await;
        reports::unreadable(invocation, &outcome)?;
        Ok::<_, CliError>(outcome.fleet)
    };
    let read = read.await;
    session::close_aloud(cache).await;
    let fleet = read?;
    for line in reports::troubles(&fleet.readings) {
        tell(line);
    }
    let reaches = invocation.reaches();
    let Arming { rules, .. } = arming(invocation, &reaches, acting::IDENTITY_WITHIN).await;
    Ok((fleet, rules))
}

/// What is approved, in full, and whom it takes in.
fn show(
    file: &PolicyFile,
    rows: &[(Option<usize>, Arc<Row>)],
    found: &[RuleMatches],
    caps: &[CapUse],
    out: &mut dyn Write,
    ctx: &ViewContext,
) -> std::io::Result<()> {
    let policy = &file.policy;
    writeln!(out, "policy       {} ({})", policy.name, file.id())?;
    for (rule, matches) in policy.rules.iter().zip(found) {
        let mut lines = matches.lines(ctx.symbols.ellipsis()).into_iter();
        let reason =
            if rule.reason.is_empty() { String::new() } else { format!("; {}", rule.reason) };
        writeln!(out, "rule         {}{reason}", lines.next().unwrap_or_default())?;
        for line in lines {
            writeln!(out, "           {line}")?;
        }
    }
    let other = rows.iter().filter(|(rule, _)| rule.is_none()).count();
    writeln!(out, "no rule      {other} of {} instances", rows.len())?;
    let dot = ctx.symbols.separator();
    writeln!(
        out,
        "caps         the stricter of [caps] and [actions], were all that is idle now stopped at once:"
    )?;
    for cap in caps {
        let over =
            if cap.over { format!(" {dot} OVER: a run would stop nothing") } else { String::new() };
        writeln!(out, "             {}{over}", cap.text)?;
    }
    out.flush()
}

fn validity(args: &ApproveArgs, invocation: &Invocation) -> Result<SignedDuration, CliError> {
    let usual = i64::from(invocation.config.actions.approval_valid_hours);
    let asked = match &args.valid_for {
        Some(typed) => {
            when::duration(typed).map_err(|e| CliError::Usage(format!("--valid-for: {e}")))?
        }
        None => SignedDuration::from_hours(usual).min(LONGEST),
    };
    if asked > LONGEST {
        return Err(CliError::Usage(
            "--valid-for: a policy is approved for 30 days at most".into(),
        ));
    }
    Ok(asked)
}

/// The approval, from who STS says we are in each account that the configuration leads to.
async fn approval(
    file: &PolicyFile,
    long: SignedDuration,
    invocation: &Invocation,
) -> Result<Approval, CliError> {
    let reaches = reaches(invocation);
    let (known, troubles) = acting::identities(&reaches).await;
    // A policy is about every account; one that is missing here is not covered, and says so when
    // the policy is applied to it.
    for trouble in &troubles {
        tell(format_args!("not covered: {}", trouble.line()));
    }
    if known.is_empty() {
        return Err(acting::refused("no account said who approves; nothing was approved"));
    }
    let approver = known.iter().map(|(_, who)| (who.account.clone(), who.arn.clone())).collect();
    let now = invocation.options.now();
    let approval = Approval {
        sha256: file.sha256.clone(),
        approver,
        approved_at: now,
        expires_at: now.saturating_add(long).map_err(|e| CliError::Usage(e.to_string()))?,
        signature: None,
    };
    signed(approval, invocation).await
}
