//! `burntop bill import --cost-explorer`: what asking takes is said first; nothing is asked without a yes.

use std::io::{self, IsTerminal as _, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::args::ImportArgs;
use super::beside;
use super::import::{blocking, print, unkept};
use crate::cache::{Bills, Cache};
use crate::cli::accounts::Reach;
use crate::cli::approve::typed;
use crate::cli::exit::{CliError, Exit};
use crate::cli::interrupt::Interrupt;
use crate::cli::invocation::Invocation;
use crate::cli::session::{can_import, with_cache};
use crate::cli::tell::tell;
use crate::config::Env;
use crate::domain::SourceError;
use crate::domain::bill::BillHead;
use crate::domain::bill::cost_explorer::Pair;
use crate::report::ImportRow;
use crate::source::cost_explorer::{Choice, Fetched, Plan, asked_today, fetch, plan};
use crate::source::ledger::usd_of_micro;
use crate::view::format;

/// Asks Cost Explorer for what is not kept or has changed, keeps its bills, and prints all that are kept of the account.
/// Fails without an account of AWS, without a yes, and where nothing could be read.
pub(super) fn run(
    args: &ImportArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    can_import(invocation, "bills")?;
    let bills = Bills::beside(&invocation.cache_file()?);
    let (rows, failed) = with_cache(invocation, async |cache| {
        let of_kept = bills.clone();
        let kept = blocking(move || of_kept.heads()).await.and_then(|kept| kept.map_err(unkept));
        let kept = kept.map_err(unreadable)?.heads;
        let (account, fetched) = ask(args, invocation, cache, &kept).await?;
        let digest = format!("asked {}", invocation.options.now());
        let new: Vec<BillHead> = fetched.bills.iter().map(|bill| bill.head.clone()).collect();
        let put = blocking(move || bills.put(&fetched.bills, &digest, beside)).await;
        put.and_then(|put| put.map_err(unkept)).map_err(unreadable)?;
        Ok((rows(kept, new, &account), Vec::from_iter(fetched.error)))
    })?;
    print(&rows, &failed, invocation, env, out)
}

/// Bills of Cost Explorer of an account, by export and period.
fn rows(kept: Vec<BillHead>, new: Vec<BillHead>, account: &str) -> Vec<ImportRow> {
    let is_new = |head: &BillHead| {
        new.iter().any(|new| (&new.export, new.period) == (&head.export, head.period))
    };
    let of_account = |head: &BillHead| Pair::of(head).is_some() && &*head.payer == account;
    let old = kept.into_iter().filter(|head| of_account(head) && !is_new(head));
    let mut rows: Vec<ImportRow> = old.map(|head| ImportRow { head, is_unchanged: true }).collect();
    rows.extend(new.into_iter().map(|head| ImportRow { head, is_unchanged: false }));
    rows.sort_by(|a, b| (&a.head.export, a.head.period).cmp(&(&b.head.export, b.head.period)));
    rows
}

fn unreadable(error: SourceError) -> CliError {
    CliError::Failed { exit: Exit::Unreadable, message: error.with_fix() }
}

/// Asks the first account of the run for what `kept` lacks or has of an open month. Returns the account with what it
/// answered, which is nothing where nothing is due. Fails without an account, credentials or a yes.
async fn ask(
    args: &ImportArgs,
    invocation: &Invocation,
    cache: &Cache,
    kept: &[BillHead],
) -> Result<(Arc<str>, Fetched), CliError> {
    let reach = invocation.reaches().first().cloned();
    let source = reach.as_ref().and_then(Reach::costs);
    let (Some(reach), Some(source)) = (reach, source) else {
        let why = "Cost Explorer needs an account of AWS; name a profile with --profile";
        return Err(CliError::Usage(why.to_owned()));
    };
    let account = reach.provider().identity().await.map_err(unreadable)?.account;
    let ledger = invocation.ledger(cache);
    let now = invocation.options.now();
    let tag = args.tag.as_ref().or_else(|| invocation.config.tag_keys.team.first());
    let choice = Choice {
        account: account.clone(),
        tag: tag.map(|key| key.as_str().into()),
        resources: args.resources,
    };
    let plan = plan(now, kept, &choice, asked_today(&ledger, now).await);
    if plan.is_empty() {
        tell(nothing_to_ask(&plan));
        return Ok((account, Fetched::default()));
    }
    agreed(&plan, args.yes)?;

    let stop = CancellationToken::new();
    let interrupt = Interrupt::cancels(&stop);
    let mut before = |_| match stop.is_cancelled() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let fetched = fetch(&*source, Some(&ledger), &plan, now, &mut before).await;
    drop(interrupt);
    tell(summary(&fetched));
    Ok((account, fetched))
}

/// Asks for a yes, where it was not given.
fn agreed(plan: &Plan, yes: bool) -> Result<(), CliError> {
    let price = price(plan);
    if yes {
        tell(price);
        return Ok(());
    }
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return Err(CliError::Usage(format!("{price}\nnothing was asked; --yes goes ahead")));
    }
    tell(price);
    let answer = typed(&stdin, "type `yes` to ask, anything else to leave it: ")?;
    match answer.eq_ignore_ascii_case("yes") {
        true => Ok(()),
        false => Err(CliError::Usage("nothing was asked".to_owned())),
    }
}

/// What a plan takes, one sentence.
fn price(plan: &Plan) -> String {
    let usd = |micro_usd: u64| format::usd(usd_of_micro(micro_usd));
    let (usual, most) = plan.micro_usd();
    format!(
        "asking Cost Explorer of account {} takes {}, {}; at most {}, where answers have further pages",
        plan.account,
        format::plural(plan.lists.len().min(plan.at_most as usize), "request"),
        usd(usual),
        usd(most),
    )
}

fn nothing_to_ask(plan: &Plan) -> String {
    let left = plan.lists.len();
    if left == 0 {
        return "Cost Explorer: all is read that there is today; open months are read once a day"
            .to_owned();
    }
    format!(
        "Cost Explorer: the requests of today are used up; left for tomorrow (UTC): {}",
        format::plural(left, "list")
    )
}

/// What came of it, one sentence.
fn summary(fetched: &Fetched) -> String {
    let left = match fetched.left {
        0 => String::new(),
        left => format!("; left for another run: {}", format::plural(left, "list")),
    };
    format!(
        "Cost Explorer: {} in {}{left}",
        format::plural(fetched.bills.len(), "bill"),
        format::plural(fetched.requests as usize, "request"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_is_said_before_anything_is_asked() {
        let choice = Choice { account: "111122223333".into(), ..Choice::default() };
        let now = "2026-11-26T09:00:00Z".parse().unwrap();
        let plan = plan(now, &[], &choice, 0);
        assert_eq!(
            price(&plan),
            "asking Cost Explorer of account 111122223333 takes 11 requests, $0.11; at most $0.20, \
             where answers have further pages"
        );
        agreed(&plan, true).unwrap();
        let spent = Plan { at_most: 0, ..plan };
        assert!(nothing_to_ask(&spent).contains("tomorrow (UTC): 11 lists"));
        let none = Plan { lists: vec![], ..spent };
        assert!(nothing_to_ask(&none).contains("once a day"));
        let some = Fetched { requests: 3, left: 2, ..Fetched::default() };
        assert_eq!(
            summary(&some),
            "Cost Explorer: 0 bills in 3 requests; left for another run: 2 lists"
        );
    }
}
