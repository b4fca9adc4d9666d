//! What was sent, a line each: by it nothing is sent twice where the state is lost.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Alert, Book, Delivery, Phase};
use crate::domain::Scope;
use crate::watch::message::{AlertFacts, MessageKind, Severity};

/// An alert that a message was about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentAlert {
    /// Name of the rule.
    pub rule: String,
    /// Key of the thing.
    pub key: String,
    /// What stays the same from its beginning to its end.
    pub thread: String,
    /// What became of it.
    pub kind: MessageKind,
    /// Severity of the rule.
    pub severity: Severity,
    /// What it is, in words.
    pub what: String,
    /// Its team; `None` where nobody says whose it is.
    pub team: Option<String>,
    /// Since when it is so.
    pub since: Timestamp,
    /// Account and region that it is in; `None` where it is in none.
    pub place: Option<Scope>,
}

/// A message that arrived.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    /// When.
    pub at: Timestamp,
    /// Name of the sink.
    pub sink: String,
    /// Key of the message.
    pub key: String,
    /// What it was about.
    pub about: Vec<SentAlert>,
}

impl Sent {
    /// A delivery that arrived at `at`.
    pub fn of(delivery: &Delivery, at: Timestamp) -> Self {
        let about = delivery.about.clone();
        Self { at, sink: delivery.sink.clone(), key: delivery.message.key.clone(), about }
    }
}

impl Book {
    /// The state as far as what was sent tells it, oldest first: alerts that were told and whose end was not. What was not
    /// sent yet is not in it, and is found again where it is still so.
    pub fn of_sent(sent: &[Sent]) -> Self {
        let mut book = Self::default();
        for message in sent {
            for about in &message.about {
                book.take_in(about, message);
            }
        }
        book.alerts.retain(|_, alerts| !alerts.is_empty());
        book
    }

    fn take_in(&mut self, about: &SentAlert, message: &Sent) {
        let alerts = self.alerts.entry(about.rule.clone()).or_default();
        if about.kind == MessageKind::Resolved {
            // The end of an earlier one says nothing of this.
            if alerts.get(&about.key).is_some_and(|alert| alert.thread == about.thread) {
                alerts.remove(&about.key);
            }
            return;
        }
        let known = alerts.get(&about.key).filter(|alert| alert.thread == about.thread);
        let mut alert = known.cloned().unwrap_or_else(|| Alert {
            phase: Phase::Firing,
            since: about.since,
            gone_since: None,
            told_at: None,
            updates: 0,
            thread: about.thread.clone(),
            severity: about.severity,
            sinks: Vec::new(),
            place: about.place.clone(),
            rows: Vec::new(),
            tells_end: true,
            facts: AlertFacts {
                rule: about.rule.clone(),
                key: about.key.clone(),
                what: about.what.clone(),
                team: about.team.clone(),
                since: Some(about.since),
                ..AlertFacts::default()
            },
        });
        if about.kind == MessageKind::Update {
            alert.updates += 1;
        }
        alert.told_at = Some(message.at);
        if !alert.sinks.contains(&message.sink) {
            alert.sinks.push(message.sink.clone());
        }
        alerts.insert(about.key.clone(), alert);
    }

    /// Takes out of the outbox what has arrived already: it was sent just before the end of an earlier run.
    pub fn without(&mut self, sent: &[Sent]) {
        let arrived: std::collections::BTreeSet<(&str, &str)> =
            sent.iter().map(|sent| (sent.sink.as_str(), sent.key.as_str())).collect();
        self.outbox.retain(|delivery| {
            !arrived.contains(&(delivery.sink.as_str(), delivery.message.key.as_str()))
        });
    }
}
