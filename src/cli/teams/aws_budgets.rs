//! What AWS Budgets has in the accounts of a run: of `burntop budgets --aws`, and of the list on the Teams tab.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::tell::tell;
use crate::domain::aws_budget::AwsBudgets;
use crate::domain::{ErrorKind, SourceError, format};
use crate::source::Provider;
use crate::tabs::teams::picture::{BudgetItem, aws_budget_rows};
use crate::tabs::teams::state::AwsBudgetsShown;

/// Budgets of the accounts that could be read.
#[derive(Default)]
pub(super) struct OfAccounts {
    /// Rows, by account.
    pub rows: Vec<Arc<BudgetItem>>,
    /// False where an account could not be read.
    pub is_whole: bool,
}

/// The longest that a screen waits for all accounts.
const WITHIN: Duration = Duration::from_secs(10);

/// Budgets for the Teams tab: asks each account of the run, all at once, and blocks until they have answered or the time is up.
/// `None` where nobody is asked: in the demo, offline, with a tape, without an account. An account that does not grant the
/// right is no trouble: the right is not in the policy that the cockpit needs.
pub fn for_screen(invocation: &Invocation, on: &Handle) -> Option<AwsBudgetsShown> {
    let options = &invocation.options;
    if options.demo.is_some() || options.offline || options.tape.is_some() || options.this_host {
        return None;
    }
    let reaches = invocation.reaches();
    if reaches.is_empty() {
        return None;
    }
    let all = reaches.iter().map(async |reach| {
        let provider = reach.provider();
        let label: Arc<str> = provider.label().into();
        let answer = tokio::time::timeout(WITHIN, read(&*provider)).await;
        (label, answer)
    });
    let all = on.block_on(futures_util::future::join_all(all));
    let (mut shown, mut asked) = (AwsBudgetsShown::default(), Vec::new());
    for (label, read) in all {
        match read {
            // Several profiles may be of one account.
            Ok(Ok((account, _))) if asked.contains(&account) => {}
            Ok(Ok((account, budgets))) => {
                shown.rows.extend(aws_budget_rows(&account, &budgets.budgets, options.now()));
                asked.push(account);
            }
            Ok(Err(error)) if error.kind == ErrorKind::Denied => shown.denied.push(label),
            Ok(Err(error)) => {
                shown.troubles.push(format!("AWS Budgets of {label}: {}", error.with_fix()));
            }
            Err(_) => {
                let limit = format::span(WITHIN.as_secs() as i64);
                shown.troubles.push(format!("AWS Budgets of {label}: no answer within {limit}"));
            }
        }
    }
    Some(shown)
}

/// Asks each account of the run. Says which could not be read, and which budgets are left out. Fails where nothing may be
/// asked, and where no account is read.
pub(super) fn of_accounts(invocation: &Invocation) -> Result<OfAccounts, CliError> {
    let options = &invocation.options;
    let refusal = if options.demo.is_some() {
        Some("--aws: there is no AWS Budgets in the demo")
    } else if options.offline {
        Some("--aws asks AWS, and --offline makes no calls")
    } else {
        None
    };
    if let Some(why) = refusal {
        return Err(CliError::Usage(why.into()));
    }
    let reaches = invocation.reaches();
    if reaches.is_empty() {
        let why = "--aws needs an account; name a profile with --profile";
        return Err(CliError::Usage(why.into()));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut found = OfAccounts { is_whole: true, ..OfAccounts::default() };
    let mut asked: Vec<Arc<str>> = Vec::new();
    for reach in reaches.iter() {
        let provider = reach.provider();
        match runtime.block_on(read(&*provider)) {
            // Several profiles may be of one account.
            Ok((account, _)) if asked.contains(&account) => {}
            Ok((account, budgets)) => {
                for (name, lack) in &budgets.left_out {
                    tell(format_args!(
                        "AWS Budgets of {account}: {name} is left out: {}",
                        lack.why()
                    ));
                }
                found.rows.extend(aws_budget_rows(&account, &budgets.budgets, options.now()));
                asked.push(account);
            }
            Err(error) => {
                let label = provider.label();
                tell(format_args!("AWS Budgets of {label}: {}", error.with_fix()));
                found.is_whole = false;
            }
        }
    }
    if asked.is_empty() && invocation.config.teams.budgets().is_empty() {
        let message = "no budget could be read".to_owned();
        return Err(CliError::Failed { exit: Exit::Partial, message });
    }
    Ok(found)
}

/// The account and its budgets.
async fn read(provider: &dyn Provider) -> Result<(Arc<str>, AwsBudgets), SourceError> {
    let account = provider.identity().await?.account;
    let budgets = provider.budgets(&account).await?.unwrap_or_default();
    Ok((account, budgets))
}
