//! What is due is sent, and what became of it is written down before the next.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use super::store::Store;
use crate::cli::exit::{CliError, Exit};
use crate::cli::tell::tell;
use crate::domain::error::with_fix;
use crate::files;
use crate::send::backoff::next_try;
use crate::send::dead_letters::{self, DeadLetter};
use crate::send::{Retry, SendError, Sender};
use crate::watch::rules::Rules;
use crate::watch::state::{Book, Delivery};

/// What became of messages, by sink.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Those that arrived.
    pub sent: u64,
    /// Tries that failed.
    pub failed: u64,
    /// Those that were given up.
    pub given_up: u64,
}

/// Tallies by sink since the program began.
pub type Tallies = BTreeMap<String, Tally>;

/// Sends what is due now. What arrived is noted at once, so that the next run sends it no more whatever happens to this
/// one; the state is written down after each that did not, and at the end. Fails where either cannot be.
pub async fn deliver(
    book: &mut Book,
    store: &Store,
    rules: &Rules,
    sender: &Sender,
    tallies: &mut Tallies,
    now: Timestamp,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let due = book.due(now);
    if due.is_empty() {
        return Ok(());
    }
    let mut silent: BTreeSet<String> = BTreeSet::new();
    for (name, key) in due {
        let Some(delivery) = book.delivery(&name, &key).cloned() else { continue };
        // Behind a sink that does not answer nobody waits for the time-out of each of its messages.
        if silent.contains(&name) {
            continue;
        }
        let tally = tallies.entry(name.clone()).or_default();
        let ended = match rules.sink(&name) {
            Some(sink) => sender.send(sink, &delivery.message, out).await,
            None => Err(SendError::never("the rules file has this sink no more", "")),
        };
        match ended {
            Ok(()) => {
                tally.sent += 1;
                if let Some(sent) = book.delivered(&name, &key, now) {
                    store.note(&sent).map_err(|error| unkept(&error))?;
                }
            }
            Err(error) => {
                tally.failed += 1;
                put_off(book, store, &name, &delivery, &error, tally, now)?;
                silent.insert(name);
                store.save(book).map_err(|error| unkept(&error))?;
            }
        }
    }
    store.save(book).map_err(|error| unkept(&error))
}

/// A message is tried again later, or given up.
fn put_off(
    book: &mut Book,
    store: &Store,
    sink: &str,
    delivery: &Delivery,
    error: &SendError,
    tally: &mut Tally,
    now: Timestamp,
) -> Result<(), CliError> {
    let wait = match error.retry {
        Retry::Never => None,
        Retry::After(asked) => {
            let age =
                now.duration_since(delivery.message.at).max(SignedDuration::ZERO).unsigned_abs();
            next_try(delivery.tries + 1, age, asked, fastrand::f64())
        }
    };
    let next = wait.map(|wait| {
        let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::from_hours(1));
        now.checked_add(wait).unwrap_or(now)
    });
    let key = &delivery.message.key;
    let why = error.with_fix();
    if let Some(given_up) = book.failed(sink, key, next) {
        tally.given_up += 1;
        let kept = match store.dead_letters() {
            Some(path) => keep(&path, sink, &given_up, now, &why)?,
            None => String::new(),
        };
        tell(format_args!("{sink}: given up: {}: {why}{kept}", given_up.message.title));
    } else if delivery.tries == 0 {
        let title = &delivery.message.title;
        tell(format_args!("{sink}: {why}; tried again later: {title}"));
    }
    Ok(())
}

fn keep(
    path: &Path,
    sink: &str,
    delivery: &Delivery,
    now: Timestamp,
    why: &str,
) -> Result<String, CliError> {
    let letter = DeadLetter {
        at: now,
        sink: sink.to_owned(),
        reason: why.to_owned(),
        message: delivery.message.clone(),
    };
    dead_letters::append(path, &letter).map_err(|error| unwritten(&error.with_fix()))?;
    Ok(format!("; it is kept in {}", path.display()))
}

/// Nothing is sent of which nobody would know that it was.
pub fn unkept(error: &std::io::Error) -> CliError {
    unwritten(&with_fix(files::explain(error), "make room, or name another place with --state"))
}

fn unwritten(why: &str) -> CliError {
    let message = format!("the state of alerts cannot be written: {why}");
    CliError::Failed { exit: Exit::Unreadable, message }
}
