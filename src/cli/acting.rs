//! From an [`Invocation`] to an [`Operator`]: who may be changed, by whom, and where it is written
//! down.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use jiff::SignedDuration;

use super::accounts::{self, Reach};
use super::arming::{Arming, arming};
use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::tell::tell;
use crate::act::exec::audit::{self, BucketCopy, Chain, Defect, DirectoryCopy, FileDisk, Journal};
use crate::act::exec::{AccountAccess, ActError, DryRun, Executor, Operator, Refuse};
use crate::act::plan::Outcome;
use crate::config::{AuditCopy, Config, ConfigError};
use crate::domain::{ErrorKind, SourceError, text};
use crate::report::acting::Trouble;
use crate::source::Identity;
use crate::source::aws::{Patience, config as aws_config};
use crate::source::ledger::Ledger;

/// How long an account may take to say who we are in it.
pub const IDENTITY_WITHIN: Duration = Duration::from_secs(30);

/// How far a clock may be set back without a word: time servers do so.
const CLOCK_SLACK: SignedDuration = SignedDuration::from_mins(5);

/// An operator, and what was not well on the way to it.
pub struct Acting {
    /// The operator, with every account that said who we are.
    pub operator: Operator,
    /// Accounts that did not answer.
    pub troubles: Vec<Trouble>,
}

/// The operator of a run, with what went wrong. Accounts whose caller is not known stay out of it,
/// and every row of theirs is blocked. With `pretend` there is no executor in the process that
/// could change anything.
pub async fn open(
    invocation: &Invocation,
    ledger: Option<Ledger>,
    pretend: bool,
) -> Result<Acting, CliError> {
    let journal = Arc::new(journal(invocation)?);
    let reaches = invocation.reaches();
    let Arming { known, rules, troubles } = arming(invocation, &reaches, IDENTITY_WITHIN).await;
    let mut operator = Operator::new(rules.clone(), journal, invocation.options.clock());
    // The demo bills nothing, and what it does is nobody's record.
    if invocation.options.demo.is_none() {
        if let Some(ledger) = ledger {
            operator = operator.with_ledger(ledger);
        }
        operator = with_copy(operator, &invocation.config).await;
    }
    let mut added = BTreeSet::new();
    for (reach, who) in known {
        let executor: Arc<dyn Executor> = match rules.account(&who.account).may_act() {
            false => Arc::new(Refuse),
            true if pretend => Arc::new(DryRun::new(reach.executor())),
            true => reach.executor(),
        };
        // Of two ways into one account the first is taken: it is the first in the configuration.
        if added.insert(who.account.clone()) {
            operator.add(who.account, AccountAccess { inspector: reach.inspector(), executor });
        }
    }
    Ok(Acting { operator, troubles })
}

/// Asks every account who we are.
pub async fn identities(reaches: &[Reach]) -> (Vec<(&Reach, Identity)>, Vec<Trouble>) {
    identities_within(reaches, IDENTITY_WITHIN).await
}

/// Like [`identities`], with a limit of `within` for each answer.
pub async fn identities_within(
    reaches: &[Reach],
    within: Duration,
) -> (Vec<(&Reach, Identity)>, Vec<Trouble>) {
    let answers = join_all(reaches.iter().map(async |reach| {
        let inspector = reach.inspector();
        let answer = tokio::time::timeout(within, inspector.caller()).await;
        let late = || {
            let fix = "see whether a proxy or firewall stands between this machine and AWS";
            SourceError::new(ErrorKind::Timeout, "sts:GetCallerIdentity", "no answer in time", fix)
        };
        (reach, answer.unwrap_or_else(|_| Err(late())))
    }))
    .await;
    let (mut known, mut troubles) = (Vec::new(), Vec::new());
    for (reach, answer) in answers {
        match answer {
            Ok(who) => known.push((reach, who)),
            Err(error) => troubles.push(Trouble {
                source: "sts",
                scope: text::clean(reach.provider().label()).into_owned(),
                message: error.to_string(),
                fix: error.advice().to_owned(),
            }),
        }
    }
    (known, troubles)
}

/// Where the audit log of this run lies. The demo has one of its own: what it invents never stands
/// in the real log.
pub fn audit_dir(invocation: &Invocation) -> Result<PathBuf, CliError> {
    let paths = invocation.paths.as_ref().ok_or(ConfigError::NoHome)?;
    let state = &paths.state_dir;
    let base = if invocation.options.demo.is_some() { state.join("demo") } else { state.clone() };
    Ok(base.join("audit"))
}

/// The audit log of this run.
pub fn journal(invocation: &Invocation) -> Result<Journal, CliError> {
    Ok(Journal::new(Arc::new(FileDisk::new(audit_dir(invocation)?))))
}

/// Refuses to go on with a log that somebody changed. What a crash left is not that.
pub fn whole(journal: &Journal) -> Result<(), CliError> {
    let chain = journal.verify().map_err(|e| failed(&e))?;
    match broken(&chain).first() {
        None => Ok(()),
        Some(problem) => Err(refused(format!(
            "the audit log was changed: {problem}.\nNothing is done on it. `burntop audit verify` \
             lists what is wrong; keep it with `burntop audit export --out FILE`, find out who \
             changed it, and move it away: the next run begins a new one."
        ))),
    }
}

/// Refuses to act by a clock that was set back behind the last line of the log: plans, approvals
/// and marks that are over would be good again. The demo's clock begins anew each time.
fn in_order(journal: &Journal, invocation: &Invocation) -> Result<(), CliError> {
    if invocation.options.demo.is_some() {
        return Ok(());
    }
    let now = invocation.options.clock()();
    let lines = journal.read().map_err(|e| failed(&e))?;
    match lines.iter().map(|line| line.at).max() {
        Some(last) if now < last.saturating_sub(CLOCK_SLACK).unwrap_or(last) => {
            Err(refused(format!(
                "this machine's clock says {now:.0}, and the audit log has a line of {last:.0}. \
                 Nothing is done by a clock that was set back: mend it. If the log is what is \
                 wrong, keep it with `burntop audit export --out FILE` and move it away."
            )))
        }
        _ => Ok(()),
    }
}

/// Refuses to go on with a log that somebody changed, or by a clock that was set back.
pub fn check_journal(journal: &Journal, invocation: &Invocation) -> Result<(), CliError> {
    whole(journal)?;
    in_order(journal, invocation)
}

/// Reconciles what earlier runs left open (`reconciled` is the work of an operator) and writes each
/// outcome to standard error.
pub async fn reconcile_and_tell(
    reconciled: impl Future<Output = Result<Vec<Outcome>, ActError>>,
) -> Result<(), CliError> {
    for outcome in reconciled.await.map_err(|e| failed(&e))? {
        tell(format_args!("from an earlier run: {}", described(&outcome)));
    }
    Ok(())
}

/// What became of a row, in a line.
pub fn described(outcome: &Outcome) -> String {
    let Outcome { id, kind, text, .. } = outcome;
    match text.as_str() {
        "" => format!("{id} {}", kind.word()),
        text => format!("{id} {}: {text}", kind.word()),
    }
}

/// What is wrong with a log beside the marks of a crash.
pub fn broken(chain: &Chain) -> Vec<String> {
    let crash = |d: &Defect| matches!(d, Defect::Torn | Defect::Unended);
    chain.problems.iter().filter(|p| !crash(&p.defect)).map(ToString::to_string).collect()
}

/// An action that did not come about: exit code 5.
pub fn refused(message: impl Into<String>) -> CliError {
    CliError::Failed { exit: Exit::ActionFailed, message: message.into() }
}

/// Refusal with the text of an error, like [`refused`].
pub fn failed(error: &dyn std::fmt::Display) -> CliError {
    refused(error.to_string())
}

async fn with_copy(operator: Operator, config: &Config) -> Operator {
    match copy_of(config).await {
        None => operator,
        Some(copy) => operator.with_copy(copy),
    }
}

/// Where the audit log is copied to after each run.
pub async fn copy_of(config: &Config) -> Option<Arc<dyn audit::AuditCopy>> {
    match config.actions.audit_copy.as_ref()? {
        AuditCopy::Directory(dir) => Some(Arc::new(DirectoryCopy::new(dir, &machine()))),
        AuditCopy::S3 { bucket, prefix } => {
            let target = config.targets.first()?;
            let sdk = aws_config::load(&accounts::source(target), Patience::DEFAULT).await;
            Some(Arc::new(BucketCopy::new(&sdk, bucket, prefix)))
        }
    }
}

/// This machine's name, for the file of its copy.
fn machine() -> String {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = kernel.or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "this-machine".to_owned() } else { text::clean(name).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::accounts::reaches;
    use crate::cli::invocation::RunOptions;
    use crate::config::{Env, FileConfig, Vocabulary, load, load::Sources};

    fn invocation(source: &str, allow: bool) -> Invocation {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        std::fs::write(&path, source).unwrap();
        let env = Env::default();
        let flags = FileConfig::default();
        let sources = Sources { paths: None, file: Some(&path), env: &env, flags };
        Invocation::new(
            load(&sources, &Vocabulary::default()).unwrap().config,
            RunOptions { allow_actions: allow, ..RunOptions::default() },
        )
    }

    #[test]
    fn a_clock_set_by_hand_goes_with_nothing_that_may_act() {
        use crate::cli::invocation::true_clock;
        use crate::cli::plan::of_this_moment;
        let armed = "[[accounts]]\nname = 'a'\n[[accounts]]\nname = 'b'\nallow_actions = true";
        let at = |source, allow, now: bool, demo: bool| {
            let mut it = invocation(source, allow);
            it.options.now = now.then(|| "2026-03-01T12:00:00Z".parse().unwrap());
            it.options.demo = demo.then(crate::cli::DemoOptions::default);
            it
        };
        for (source, allow, says) in
            [("", true, "--allow-actions"), (armed, false, "account b"), (armed, true, "--now")]
        {
            let set = at(source, allow, true, false);
            let error = true_clock(&set.config, &set.options).unwrap_err();
            assert_eq!(error.exit(), Exit::Usage);
            assert!(error.to_string().contains(says), "{error}");
            // Its own clock may act, and the demo may have any.
            for fine in [at(source, allow, false, false), at(source, allow, true, true)] {
                assert!(true_clock(&fine.config, &fine.options).is_ok());
                assert!(of_this_moment(&fine).is_ok());
            }
        }
        // Unarmed, it may look; a plan and an approval would carry the time that was typed.
        let looks = at("", false, true, false);
        assert!(true_clock(&looks.config, &looks.options).is_ok());
        let error = of_this_moment(&looks).unwrap_err();
        assert_eq!(error.exit(), Exit::Usage);
        assert!(error.to_string().contains("--now"), "{error}");
        let mut offline = at("", true, false, true);
        offline.options.offline = true;
        assert!(of_this_moment(&offline).unwrap_err().to_string().contains("--offline"));
    }

    #[test]
    fn a_clock_that_was_set_back_acts_on_nothing() {
        use crate::act::exec::audit::Body;
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(Arc::new(FileDisk::new(dir.path())));
        let mut invocation = invocation("", true);
        assert!(in_order(&journal, &invocation).is_ok(), "no line yet");
        let now = invocation.options.clock()();
        let line = |minutes: i64| {
            let body =
                Body::Approved { what: "plan".into(), sha256: String::new(), approver: [].into() };
            journal.append(now + SignedDuration::from_mins(minutes), body).unwrap();
        };
        line(-1_000);
        line(4);
        line(-500);
        assert!(in_order(&journal, &invocation).is_ok());
        line(60);
        line(-1);
        let error = in_order(&journal, &invocation).unwrap_err();
        assert_eq!(error.exit(), Exit::ActionFailed);
        assert!(error.to_string().contains("set back"), "{error}");
        invocation.options.demo = Some(crate::cli::DemoOptions::default());
        assert!(in_order(&journal, &invocation).is_ok());
    }

    #[tokio::test]
    async fn the_second_person_of_the_demo_is_another() {
        let mut invocation = invocation("", true);
        invocation.options.demo = Some(crate::cli::DemoOptions::default());
        let second = reaches(
            &invocation.config,
            &invocation.options,
            &invocation.options.clock(),
            crate::source::demo::SECOND_PERSON,
        );
        let first = invocation.reaches();
        let (mine, _) = identities(&first).await;
        let (theirs, _) = identities(&second).await;
        assert_eq!(mine.len(), 3);
        for ((_, a), (_, b)) in mine.iter().zip(&theirs) {
            assert_eq!(a.account, b.account);
            assert_ne!(a.arn, b.arn);
        }
    }
}
