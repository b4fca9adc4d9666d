//! Storage: raw facts joined into pictures on a worker thread.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use tokio::sync::Notify;

use super::order::InOrder;
use super::{Event, Pictures};
use crate::analyze::storage::{PictureInput, picture};
use crate::domain::storage::StorageFacts;
use crate::domain::{Instance, TagKeys};
use crate::fleet::StorageFleet;

/// Facts, and the instances that volumes hang on, as one picture.
pub(super) fn join(
    version: u64,
    now: Timestamp,
    facts: &StorageFacts,
    instances: &[Arc<Instance>],
    tag_keys: &TagKeys,
) -> StorageFleet {
    picture(&PictureInput { version, now, facts, instances, tag_keys })
}

/// What pictures of storage are made from.
#[derive(Default)]
pub(super) struct StorageWork {
    facts: Option<Arc<StorageFacts>>,
    instances: Vec<Arc<Instance>>,
    /// The version begun last.
    begun_version: u64,
    order: InOrder,
    /// The newest picture.
    latest: Arc<Mutex<Option<Arc<StorageFleet>>>>,
    /// Told of each picture: what could be saved rests on it.
    made: Arc<Notify>,
}

impl StorageWork {
    /// The newest picture.
    pub(super) fn latest(&self) -> Option<Arc<StorageFleet>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends when there is a newer picture than before.
    pub(super) async fn made(&self) {
        self.made.notified().await;
    }
}

impl Pictures {
    /// Takes new facts in.
    pub(super) fn on_storage_facts(&mut self, facts: Arc<StorageFacts>) {
        self.storage.facts = Some(facts);
        self.picture_storage();
    }

    /// Takes the instances of a new fleet in: volumes say whose they are. A picture is made anew
    /// only when others are there than before.
    pub(super) fn on_instances(&mut self, instances: Vec<Arc<Instance>>) {
        let told = |i: &Arc<Instance>| (i.id.clone(), i.state);
        if instances.iter().map(told).eq(self.storage.instances.iter().map(told)) {
            return;
        }
        self.storage.instances = instances;
        self.picture_storage();
    }

    /// Joins on a worker thread; a million rows of lists shall not hold up the messages.
    fn picture_storage(&mut self) {
        let Some(facts) = self.storage.facts.clone() else { return };
        self.storage.begun_version += 1;
        let (version, order) = (self.storage.begun_version, self.storage.order.clone());
        let instances = self.storage.instances.clone();
        let (shared, listener) = (self.shared.clone(), self.listener.clone());
        let (latest, news) = (self.storage.latest.clone(), self.storage.made.clone());
        let now = shared.now();
        tokio::task::spawn_blocking(move || {
            let made = join(version, now, &facts, &instances, &shared.settings.tag_keys);
            order.show(version, || {
                let made = Arc::new(made);
                *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(made.clone());
                news.notify_one();
                // The listener may be gone already; there is nobody left to tell.
                let _ = listener.blocking_send(Event::Storage(made));
            });
        });
    }
}
