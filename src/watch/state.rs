//! What is known of every alert, and what is still to be sent: the whole state of `burntop watch`, as it lies on disk.
//!
//! Nothing here knows a clock, a file or a network. A round is: [`Book::step`] with what the rules see; the book is written
//! down; each [`Delivery`] that is due is tried, and what became of it goes to [`Book::delivered`] or [`Book::failed`]; the
//! book is written down again. A message is in the book before it is sent and leaves it after, so that a kill between any two
//! steps sends it again and never loses it; its key is the same each time, by which a receiver knows it.

mod outbox;
mod sent;
mod step;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::message::{AlertFacts, Message, Severity};
use crate::domain::Scope;

pub use sent::{Sent, SentAlert};
pub use step::Look;

/// How an alert stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It is so, and not for long enough yet.
    Pending,
    /// It is so for as long as the rule asks.
    Firing,
    /// It is so no more; only until that has been told.
    Resolved,
}

impl Phase {
    /// Its word in exports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Firing => "firing",
            Self::Resolved => "resolved",
        }
    }
}

/// One alert: one thing of one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alert {
    /// How it stands.
    pub phase: Phase,
    /// Since when it is so, as far as it was witnessed.
    pub since: Timestamp,
    /// Since when it is so no more; `None` while it is.
    pub gone_since: Option<Timestamp>,
    /// When it was told last; `None` where it has not been.
    pub told_at: Option<Timestamp>,
    /// How often it was told again.
    pub updates: u32,
    /// What stays the same from its beginning to its end: its name for receivers. Empty while it is pending.
    pub thread: String,
    /// Severity of its rule when it was seen last.
    pub severity: Severity,
    /// The sinks that were told: they are told its end too.
    pub sinks: Vec<String>,
    /// Account and region that it is in; `None` where it is in none.
    pub place: Option<Scope>,
    /// The rows that made it up when it was seen last, and earlier ones of which no end is known; see [`AlertRow`].
    #[serde(default)]
    pub rows: Vec<AlertRow>,
    /// Whether its end is to be told.
    #[serde(default = "yes")]
    pub tells_end: bool,
    /// What was known of it when it was seen last; while it is pending, when it was seen first.
    pub facts: AlertFacts,
}

fn yes() -> bool {
    true
}

/// A row of an alert: what is needed to know its end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AlertRow {
    /// Its key.
    pub key: Arc<str>,
    /// The instance that it is on; `None` where it is on none.
    pub on: Option<Arc<str>>,
    /// True where its dollars by time were known.
    pub is_priced: bool,
}

/// A message for one sink that has not arrived yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// Name of the sink.
    pub sink: String,
    /// The message.
    pub message: Message,
    /// What it is about: rules and keys, all of them.
    pub about: Vec<SentAlert>,
    /// Tries that failed.
    pub tries: u32,
    /// When it is tried again.
    pub next: Timestamp,
}

/// Alerts of a rule by their keys.
type OfRule = BTreeMap<String, Alert>;

/// The state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Book {
    /// When it was stepped last; `None` where it never was.
    pub at: Option<Timestamp>,
    /// The alerts by rule.
    pub alerts: BTreeMap<String, OfRule>,
    /// What is still to be sent, in the order in which it was made.
    pub outbox: Vec<Delivery>,
}

impl Book {
    /// All alerts with rule and key.
    pub fn each(&self) -> impl Iterator<Item = (&str, &str, &Alert)> {
        self.alerts.iter().flat_map(|(rule, alerts)| {
            alerts.iter().map(move |(key, alert)| (rule.as_str(), key.as_str(), alert))
        })
    }

    /// When something is to be sent next; `None` where nothing is left.
    pub fn next_delivery(&self) -> Option<Timestamp> {
        self.outbox.iter().map(|delivery| delivery.next).min()
    }
}
