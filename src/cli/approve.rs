//! `burntop approve`: the word of a second person, in the plan's file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::accounts::{self, Reach};
use super::args::ApproveArgs;
use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::tell::tell;
use super::{acting, acting_storage, arming, plan, plan_file, policy, reports, when, words};
use crate::act::exec::audit::Body;
use crate::act::exec::kms::ApprovalKey;
use crate::act::plan::storage::AnyPlan;
use crate::act::plan::{Approval, ApprovalError, Breach, CapUse, Plan, PlanFile, Verb};
use crate::config::Env;
use crate::domain::text;
use crate::report::Format;
use crate::report::acting::{plan_to_approve, rows_of_plan};
use crate::source::aws::{Patience, config as aws_config};
use crate::source::demo;
use crate::view::{ViewContext, format};

/// Shows the plan, asks for the approval and writes it into the plan file. Fails where the plan cannot be read,
/// approved or written.
pub fn run(
    args: &ApproveArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    plan::of_this_moment(invocation)?;
    words::no_filter(invocation.options.filter.as_deref())?;
    if policy::is_policy(&args.file) {
        return policy::approve(args, invocation, env, out);
    }
    let (file, bytes) = match plan_file::read_any(&args.file)? {
        (AnyPlan::Instances(file), bytes) => (file, bytes),
        (AnyPlan::Storage(file), bytes) => {
            return acting_storage::approve(file, &bytes, args, invocation, env, out);
        }
    };
    let now = invocation.options.now();
    let ctx = reports::context(invocation, env);
    // The limits of this machine; whose account it is changes nothing about them.
    let caps = arming::caps(invocation);
    let (breaches, uses) = file.plan.held_against(&caps);
    let is_json = invocation.options.format == Format::Json;
    if is_json {
        out.write_all(plan_to_approve(&file.plan, (&breaches, &uses), &ctx).as_bytes())?;
        out.flush()?;
    } else {
        show(&file.plan, &uses, out, &ctx)?;
    }
    within(&breaches)?;
    let expires_at = expiry(args, file.plan.expires_at, invocation, now)?;
    let word = format!("approve {}", file.plan.items.len());
    reviewed(args, "plan", &file.plan.hash(), &word)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let approval = {
        let accounts = file.plan.items.iter().map(|i| i.scope.account.clone()).collect();
        runtime.block_on(approval(file.plan.hash(), &accounts, expires_at, invocation))?
    };
    let body = Body::Approved {
        what: "plan".to_owned(),
        sha256: approval.sha256.clone(),
        approver: approval.approver.clone(),
    };
    let names: BTreeSet<&str> = approval.approver.values().map(|arn| &**arn).collect();
    let done = format!(
        "approved plan {} as {} until {:.0}",
        file.plan.id(),
        names.into_iter().collect::<Vec<_>>().join(", "),
        approval.expires_at
    );
    // The line first: an approval that nobody logged is not handed out.
    let journal = acting::journal(invocation)?;
    journal.append(now, body).map_err(|e| acting::failed(&e))?;
    let mut approvals = file.approvals;
    approvals.push(approval);
    let file = PlanFile { plan: file.plan, approvals };
    plan_file::replace(&args.file, &bytes, file.to_text().as_bytes())?;
    said(&done, invocation, out)?;
    Ok(Exit::Ok)
}

/// Says what was approved: behind the table, or beside the JSON, which stays one document.
pub(super) fn said(done: &str, invocation: &Invocation, out: &mut dyn Write) -> io::Result<()> {
    if invocation.options.format == Format::Json {
        tell(done);
        return Ok(());
    }
    writeln!(out, "{done}")
}

/// Refuses what could not be applied: it breaks the caps that this machine's configuration has.
pub(super) fn within(breaches: &[Breach]) -> Result<(), CliError> {
    if breaches.is_empty() {
        return Ok(());
    }
    let all: Vec<String> = breaches.iter().map(ToString::to_string).collect();
    Err(acting::refused(format!("{}; nothing was approved", all.join("; "))))
}

/// What is approved, in full.
fn show(plan: &Plan, caps: &[CapUse], out: &mut dyn Write, ctx: &ViewContext) -> io::Result<()> {
    let (usd, unpriced) = plan.usd_per_hour();
    let accounts: BTreeSet<&str> = plan.items.iter().map(|i| &*i.scope.account).collect();
    let left_out = match unpriced {
        0 => String::new(),
        n => format!(" ({n} without a known price left out)"),
    };
    let what = match &plan.verb {
        Verb::Terminate { decrement: true } => {
            "terminate (their groups want one less each)".to_owned()
        }
        Verb::Mark { expires, reason } => {
            let long = format::span_long(expires.duration_since(ctx.now));
            let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            format!("mark until {expires}, {long} from now{why}")
        }
        other => other.word().to_owned(),
    };
    out.write_all(rows_of_plan(plan, caps, ctx).as_bytes())?;
    let unknown = ctx.symbols.unknown();
    let or_unknown =
        |text: &str| if text.is_empty() { unknown.to_owned() } else { text.to_owned() };
    for (name, text) in [
        ("what", what),
        ("instances", format!("{} of a fleet of {}", plan.items.len(), plan.fleet_size)),
        ("burn", format!("{}{left_out}", format::usd_per_hour(usd))),
        ("accounts", accounts.into_iter().collect::<Vec<_>>().join(", ")),
        ("why", or_unknown(&plan.justification)),
        ("preset", or_unknown(&plan.preset)),
        ("filter", or_unknown(&plan.filter)),
        ("drafted", format!("{:.0}", plan.created_at)),
        ("valid until", format!("{:.0}", plan.expires_at)),
        ("plan", plan.id()),
    ] {
        writeln!(out, "{name:<12}  {text}")?;
    }
    out.flush()
}

/// When the approval ends: as asked for, not later than the configuration and the plan allow.
pub(super) fn expiry(
    args: &ApproveArgs,
    plan_expires_at: Timestamp,
    invocation: &Invocation,
    now: Timestamp,
) -> Result<Timestamp, CliError> {
    if now >= plan_expires_at {
        return Err(acting::refused(format!(
            "the plan expired at {plan_expires_at}; its evidence is old, draft it again"
        )));
    }
    let longest = SignedDuration::from_hours(invocation.config.actions.approval_valid_hours.into());
    let asked = match &args.valid_for {
        Some(typed) => {
            when::duration(typed).map_err(|e| CliError::Usage(format!("--valid-for: {e}")))?
        }
        None => longest,
    };
    if asked > longest {
        return Err(CliError::Usage(format!(
            "--valid-for: actions.approval_valid_hours allows {} hours at most",
            longest.as_hours()
        )));
    }
    let until = now.saturating_add(asked).map_err(|e| CliError::Usage(e.to_string()))?;
    Ok(until.min(plan_expires_at))
}

/// Takes the confirmation: twelve or more digits from the beginning of the hash of what is approved, or `word` typed on
/// a terminal. Twelve name the plan; who makes plans can make two that share them, so a script that fears an exchange
/// gives more. Err when neither fits.
pub(super) fn reviewed(
    args: &ApproveArgs,
    what: &str,
    hash: &str,
    word: &str,
) -> Result<(), CliError> {
    let id = hash.get(..12).unwrap_or_default();
    if let Some(digits) = &args.yes_i_reviewed {
        return if digits.len() >= 12 && hash.starts_with(digits.as_str()) {
            Ok(())
        } else {
            Err(CliError::Usage(format!(
                "--yes-i-reviewed names {what} {}, and this is {what} {id}; nothing was approved",
                text::clean(digits),
            )))
        };
    }
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return Err(CliError::Usage(format!(
            "there is no terminal to type the approval on; who has reviewed it says so with \
             `--yes-i-reviewed {id}`",
        )));
    }
    let question = format!("type `{word}` to approve, anything else to leave it: ");
    if typed(&stdin, &question)? == word {
        Ok(())
    } else {
        Err(acting::refused("nothing was approved"))
    }
}

/// The line that is typed on the terminal `stdin` after a question, without the space around it. What was typed before the
/// question is no answer to it. Fails where the terminal is gone.
pub(super) fn typed(stdin: &io::Stdin, question: &str) -> io::Result<String> {
    #[cfg(unix)]
    let _ = rustix::termios::tcflush(stdin, rustix::termios::QueueSelector::IFlush);
    let mut stderr = super::output::stderr();
    write!(stderr, "{question}")?;
    stderr.flush()?;
    let mut line = String::new();
    io::BufRead::read_line(&mut io::Read::take(stdin.lock(), 200), &mut line)?;
    Ok(line.trim().to_owned())
}

/// What an approval has to be for.
pub(super) struct Subject<'a> {
    /// SHA-256 of the plan or of the policy file.
    pub sha256: &'a str,
    /// Identity that acts, by account id.
    pub callers: &'a BTreeMap<Arc<str>, Arc<str>>,
    /// Longest validity of any approval here, whatever expiry it states.
    pub longest: SignedDuration,
    /// Current time.
    pub now: Timestamp,
}

impl Subject<'_> {
    /// Checks an approval: that it is of this plan, by someone else, not expired, and signed with `key` where
    /// one is configured.
    pub async fn is_approved_by(
        &self,
        approval: &Approval,
        key: Option<&ApprovalKey>,
    ) -> Result<(), ApprovalError> {
        approval.check(self.sha256, self.callers, self.now)?;
        let from = approval.approved_at;
        let until = from.saturating_add(self.longest).unwrap_or(approval.expires_at);
        if self.now >= until {
            return Err(ApprovalError::Expired { from, to: until });
        }
        match key {
            Some(key) => key.verify(approval).await,
            None => Ok(()),
        }
    }
}

/// The accounts as the approver sees them. In the demo, what is drafted and applied by one
/// invented person is approved by another, so that the whole way can be gone alone.
pub(super) fn reaches(invocation: &Invocation) -> Arc<[Reach]> {
    if invocation.options.demo.is_none() {
        return invocation.reaches();
    }
    let clock = invocation.options.clock();
    accounts::reaches(&invocation.config, &invocation.options, &clock, demo::SECOND_PERSON).into()
}

/// The approval with the signature of the key, where one is configured.
pub(super) async fn signed(
    mut approval: Approval,
    invocation: &Invocation,
) -> Result<Approval, CliError> {
    if let Some(key) = key(invocation).await? {
        key.sign(&mut approval).await.map_err(|e| {
            acting::refused(format!("the approval could not be signed: {e}; {}", e.fix))
        })?;
    }
    Ok(approval)
}

/// The approval, from who STS says we are in each account of the plan.
pub(super) async fn approval(
    sha256: String,
    accounts: &BTreeSet<Arc<str>>,
    expires_at: Timestamp,
    invocation: &Invocation,
) -> Result<Approval, CliError> {
    let reaches = reaches(invocation);
    let (known, troubles) = acting::identities(&reaches).await;
    let mut approver: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
    for account in accounts {
        let Some((_, who)) = known.iter().find(|(_, who)| who.account == *account) else {
            let why: Vec<String> = troubles.iter().map(|t| format!("\n{}", t.line())).collect();
            return Err(acting::refused(format!(
                "the plan is about account {account}, and no profile leads there: approve with \
                 credentials for it{}",
                why.concat()
            )));
        };
        approver.insert(account.clone(), who.arn.clone());
    }
    let approval = Approval {
        sha256,
        approver,
        approved_at: invocation.options.now(),
        expires_at,
        signature: None,
    };
    signed(approval, invocation).await
}

/// The key that signs approvals, when one is configured. The demo signs nothing: there is nobody
/// to ask. A key that cannot be asked is an error: it must not become none.
pub(super) async fn key(invocation: &Invocation) -> Result<Option<ApprovalKey>, CliError> {
    let Some(arn) = invocation.config.actions.approval_kms_key.as_deref() else { return Ok(None) };
    if invocation.options.demo.is_some() {
        return Ok(None);
    }
    let target = invocation.config.targets.first().ok_or_else(|| {
        acting::refused("actions.approval_kms_key is set, and there is no account to ask it with")
    })?;
    let sdk = aws_config::load(&accounts::source(target), Patience::DEFAULT).await;
    Ok(Some(ApprovalKey::new(&sdk, arn)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_types_nothing_names_what_was_reviewed() {
        let hash = crate::act::plan::sha256_hex(b"a plan");
        let holds = |digits: &str| {
            let args = ApproveArgs {
                file: "p.json".into(),
                valid_for: None,
                yes_i_reviewed: Some(digits.into()),
            };
            reviewed(&args, "plan", &hash, "approve 1").is_ok()
        };
        assert!(holds(&hash[..12]) && holds(&hash[..40]) && holds(&hash));
        assert!(!holds("") && !holds(&hash[..11]) && !holds(&hash[1..13]));
        assert!(!holds(&format!("{hash}0")) && !holds(&format!("{}x", &hash[..12])));
    }
}
