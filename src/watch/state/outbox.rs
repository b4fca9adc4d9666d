//! What is to be sent: each message to each of its sinks, and many at once as one summary.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{Book, Delivery, Sent};
use crate::watch::rules::Rules;
use crate::watch::words::{self, Told};

impl Book {
    /// Puts what is to be told into the outbox.
    pub(super) fn enqueue(&mut self, now: Timestamp, rules: &Rules, told: Vec<Told>) {
        let mut by_sink: BTreeMap<String, Vec<&Told>> = BTreeMap::new();
        for of in &told {
            for sink in &of.sinks {
                by_sink.entry(sink.clone()).or_default().push(of);
            }
        }
        for (sink, all) in by_sink {
            let deliver = |message, about| Delivery {
                sink: sink.clone(),
                message,
                about,
                tries: 0,
                next: now,
            };
            if all.len() > rules.summary_above {
                let about = all.iter().map(|of| of.about.clone()).collect();
                self.outbox.push(deliver(words::summary(&all, now), about));
            } else {
                let each = all.into_iter();
                self.outbox
                    .extend(each.map(|of| deliver(of.message.clone(), vec![of.about.clone()])));
            }
        }
    }

    /// What is due at `now`, in its order: the keys of the messages with their sinks.
    pub fn due(&self, now: Timestamp) -> Vec<(String, String)> {
        let due = self.outbox.iter().filter(|delivery| delivery.next <= now);
        due.map(|delivery| (delivery.sink.clone(), delivery.message.key.clone())).collect()
    }

    /// The delivery of this message to this sink; `None` where it is there no more.
    pub fn delivery(&self, sink: &str, key: &str) -> Option<&Delivery> {
        self.outbox.iter().find(|of| of.sink == sink && of.message.key == key)
    }

    /// Takes out a delivery that arrived; what to note of it. `None` where it is there no more.
    pub fn delivered(&mut self, sink: &str, key: &str, at: Timestamp) -> Option<Sent> {
        self.take(sink, key).map(|delivery| Sent::of(&delivery, at))
    }

    /// Notes a try that failed; it is tried again at `next`. With `None` it is given up and returned.
    pub fn failed(&mut self, sink: &str, key: &str, next: Option<Timestamp>) -> Option<Delivery> {
        let Some(next) = next else { return self.take(sink, key) };
        let mut all = self.outbox.iter_mut();
        if let Some(delivery) = all.find(|of| of.sink == sink && of.message.key == key) {
            delivery.tries += 1;
            delivery.next = next;
        }
        None
    }

    fn take(&mut self, sink: &str, key: &str) -> Option<Delivery> {
        let is_it = |of: &Delivery| of.sink == sink && of.message.key == key;
        let at = self.outbox.iter().position(is_it)?;
        Some(self.outbox.remove(at))
    }
}
