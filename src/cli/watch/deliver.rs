//! What is due is sent, and what became of it is written down before the next.

use std::collections::BTreeMap;
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
use crate::send::{Retry, SendError, Sender, listed};
use crate::watch::rules::Rules;
use crate::watch::sink::{Destination, Sink};
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

/// Messages of one round in a row that one sink has turned down, until the others wait for the next round too.
const PATIENCE: u32 = 1;

/// Sends what is due now. The state is written down after each message. Fails where it cannot be.
pub async fn deliver(
    book: &mut Book,
    store: &mut Store,
    rules: &Rules,
    sender: &Sender,
    tallies: &mut Tallies,
    now: Timestamp,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let mut silent: BTreeMap<String, u32> = BTreeMap::new();
    for (name, key) in book.due(now) {
        let Some(delivery) = book.delivery(&name, &key).cloned() else { continue };
        // Behind a sink that does not answer nobody waits for the time-out of each of its messages.
        if silent.get(&name).is_some_and(|tries| *tries >= PATIENCE) {
            continue;
        }
        let tally = tallies.entry(name.clone()).or_default();
        let ended = match rules.sink(&name) {
            Some(sink) => one(sink, &delivery, sender, out).await,
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
                *silent.entry(name.clone()).or_default() += 1;
                put_off(book, store, &name, &delivery, &error, tally, now)?;
            }
        }
        store.save(book).map_err(|error| unkept(&error))?;
    }
    Ok(())
}

/// A message to a sink.
async fn one(
    sink: &Sink,
    delivery: &Delivery,
    sender: &Sender,
    out: &mut dyn Write,
) -> Result<(), SendError> {
    if sink.to == Destination::Stdout {
        let text = listed(&delivery.message);
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        return written.map_err(|error| {
            SendError::later(format!("standard output: {}", files::explain(&error)), "")
        });
    }
    sender.send(sink, &delivery.message).await
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
