//! What was read, joined into the pictures that are shown: beside the screen as it comes in, and once for a report.
//!
//! The fleet and the GPUs are joined where their parts come together. Storage and what could be saved rest on several
//! of these, so they are joined here, on worker threads, between the bus and whoever listens.

mod making;
mod savings;
mod storage;

use std::sync::Arc;

use jiff::Timestamp;
use tokio::sync::mpsc;

use super::debounce::until;
use super::{Event, Outcome, Shared};
use crate::domain::Instance;
use crate::fleet::{Savings, StorageFleet};
use savings::SavingsWork;
use storage::StorageWork;

/// Hands on every event, and after those that news of storage or savings follow from the pictures of them.
pub(super) async fn run(
    shared: Arc<Shared>,
    mut raw: mpsc::Receiver<Event>,
    listener: mpsc::Sender<Event>,
) {
    let mut pictures = Pictures {
        shared,
        listener,
        storage: StorageWork::default(),
        savings: SavingsWork::default(),
    };
    loop {
        let savings_due = pictures.savings.due;
        tokio::select! {
            biased;
            event = raw.recv() => match event {
                Some(event) => pictures.event(event).await,
                None => break,
            },
            () = until(savings_due) => pictures.picture_savings().await,
            made = pictures.storage.making.made() => {
                pictures.on_storage_made(made).await;
                pictures.picture_savings().await;
            }
            made = pictures.savings.making.made() => {
                pictures.on_savings_made(made).await;
                pictures.picture_savings().await;
            }
        }
    }
    // Offline the bus ends, and what it read last is still to be shown.
    while pictures.storage.making.is_going_on() {
        let made = pictures.storage.making.made().await;
        pictures.on_storage_made(made).await;
    }
    if pictures.savings.making.is_going_on() {
        let made = pictures.savings.making.made().await;
        pictures.on_savings_made(made).await;
    }
}

struct Pictures {
    shared: Arc<Shared>,
    listener: mpsc::Sender<Event>,
    storage: StorageWork,
    savings: SavingsWork,
}

impl Pictures {
    async fn event(&mut self, event: Event) {
        let news = event.clone();
        // The listener may be gone (the cockpit quit); nothing is left to tell then.
        let _ = self.listener.send(event).await;
        match news {
            Event::Fleet(fleet) => {
                // Most often only the sources have something new to say of themselves.
                let shown = self.savings.fleet.replace(fleet.clone());
                if shown.is_none_or(|shown| shown.version != fleet.version) {
                    self.on_fleet(&fleet);
                }
            }
            Event::Gpus(gpus) => self.savings.gpus = Some(gpus),
            Event::SavingsFacts(facts) => self.savings.facts = Some(facts),
            Event::StorageFacts(facts) => return self.on_storage_facts(facts).await,
            _ => return,
        }
        self.picture_savings().await;
    }
}

impl Outcome {
    /// Buckets, volumes and snapshots as far as they were read, joined.
    pub fn storage_picture(&self, now: Timestamp) -> StorageFleet {
        let instances: Vec<Arc<Instance>> =
            self.fleet.rows.iter().map(|r| r.instance.clone()).collect();
        storage::join(
            1,
            now,
            &self.storage,
            &instances,
            &self.tag_keys,
            self.fleet.book.billed.as_deref(),
            None,
        )
    }

    /// What could be saved of all that was read.
    pub fn savings_picture(&self, now: Timestamp) -> Savings {
        self.pictures(now).1
    }

    /// Storage, and what could be saved: joined once, so that the findings which the one lists are those
    /// that the other sums.
    pub fn pictures(&self, now: Timestamp) -> (Arc<StorageFleet>, Savings) {
        let storage = Arc::new(self.storage_picture(now));
        let basis = savings::Basis {
            facts: self.savings.clone(),
            fleet: self.fleet.clone(),
            gpus: self.gpus.clone(),
            storage: (!self.storage.is_empty()).then(|| storage.clone()),
        };
        (storage, basis.join(1, now, &self.savings_rules, &self.tag_keys, None))
    }
}
