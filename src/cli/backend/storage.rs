//! Storage for the cockpit: raw facts joined into pictures on a worker thread.

use std::sync::{Arc, Mutex, PoisonError};

use super::Running;
use super::order::InOrder;
use crate::analyze::storage::{PictureInput, picture};
use crate::app::Msg;
use crate::domain::Instance;
use crate::domain::storage::{BucketFacts, StorageFacts};
use crate::fleet::StorageFleet;

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
}

impl StorageWork {
    /// The newest picture.
    pub(super) fn latest(&self) -> Option<Arc<StorageFleet>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was read of a bucket.
    pub(super) fn bucket(&self, name: &str) -> Option<Arc<BucketFacts>> {
        self.facts.as_ref()?.buckets.iter().find(|b| &*b.bucket.name == name).cloned()
    }
}

impl Running {
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
        let tag_keys = self.invocation.config.tag_keys.clone();
        let (now, messages) = (self.now(), self.messages.clone());
        let latest = self.storage.latest.clone();
        tokio::task::spawn_blocking(move || {
            let (facts, instances, tag_keys) = (&facts, &instances, &tag_keys);
            let made = picture(&PictureInput { version, now, facts, instances, tag_keys });
            order.show(version, || {
                let made = Arc::new(made);
                *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(made.clone());
                // The screen may be gone already; there is nobody left to tell.
                let _ = messages.blocking_send(Msg::Storage(made));
            });
        });
    }
}
