//! `burntop approve policy.toml`: the word of a second person, beside the file.

use std::io::Write;
use std::path::Path;

use jiff::SignedDuration;

use super::super::approve::{reaches, reviewed, signed};
use super::super::args::ApproveArgs;
use super::super::exit::{CliError, Exit};
use super::super::invocation::Invocation;
use super::super::{acting, when};
use super::{PolicyFile, approval_path, read, write_approval};
use crate::act::exec::audit::Body;
use crate::act::plan::Approval;
use crate::act::plan::policy::{Policy, span};

/// The longest validity: whoever approved it a month ago looks at it again.
pub(super) const LONGEST: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Shows the policy, takes the approval and writes it beside the file.
pub fn approve(
    args: &ApproveArgs,
    invocation: &Invocation,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let file = read(&args.file)?;
    show(&file, out)?;
    let long = validity(args, invocation)?;
    reviewed(args, "policy", &file.sha256, &format!("approve {}", file.policy.name))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
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
    writeln!(
        out,
        "approved policy {} ({}) until {}, in {}",
        file.policy.name,
        file.id(),
        approval.expires_at,
        approval_path(&args.file).display()
    )?;
    Ok(Exit::Ok)
}

fn write(path: &Path, approval: &Approval) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(approval).map_err(|e| acting::failed(&e))?;
    write_approval(path, &(text + "\n")).map_err(|e| CliError::Failed {
        exit: Exit::Unreadable,
        message: format!("cannot write {}: {e}", approval_path(path).display()),
    })
}

/// What is approved, in full.
fn show(file: &PolicyFile, out: &mut dyn Write) -> std::io::Result<()> {
    let Policy { name, caps, rules } = &file.policy;
    writeln!(out, "policy       {name} ({})", file.id())?;
    let cap = |n: Option<String>| n.unwrap_or_else(|| "as configured".to_owned());
    writeln!(
        out,
        "caps         instances {}, % of the fleet {}, $/h {}; the stricter of these and [actions]",
        cap(caps.max_instances.map(|n| n.to_string())),
        cap(caps.max_fleet_percent.map(|n| n.to_string())),
        cap(caps.max_usd_per_hour.map(|n| n.to_string())),
    )?;
    for rule in rules {
        let remind = rule.remind_before.map(|d| format!(", reminded {} before", span(d)));
        writeln!(
            out,
            "rule         {}: {} what matches \"{}\" after {}{}; {}",
            rule.name,
            rule.action.word(),
            rule.filter_text,
            span(rule.grace),
            remind.unwrap_or_default(),
            rule.reason
        )?;
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
        let _ = writeln!(std::io::stderr(), "burntop: not covered: {}", trouble.line());
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
