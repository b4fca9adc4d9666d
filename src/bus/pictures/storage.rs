//! Storage: raw facts joined into pictures on a worker thread, one at a time.

use std::sync::Arc;

use super::making::Making;
use super::{Event, Pictures};
use crate::analyze::storage::{PictureInput, picture};
use crate::domain::bill::ResourceCosts;
use crate::domain::storage::StorageFacts;
use crate::domain::{Instance, TagKeys};
use crate::fleet::{Fleet, StorageFleet};
use jiff::{SignedDuration, Timestamp};

/// Findings count days, and exemptions end: a picture of which nothing else changed is made anew after
/// this time, when a source has something new to say of itself anyway.
const REJOIN_EVERY: SignedDuration = SignedDuration::from_hours(1);

/// Facts, and the instances that volumes hang on, as one picture.
pub(super) fn join(
    version: u64,
    now: Timestamp,
    facts: &StorageFacts,
    instances: &[Arc<Instance>],
    tag_keys: &TagKeys,
    billed: Option<&ResourceCosts>,
    before: Option<&StorageFleet>,
) -> StorageFleet {
    picture(&PictureInput { version, now, facts, instances, tag_keys, billed, before })
}

/// What pictures of storage are made from.
#[derive(Default)]
pub(super) struct StorageWork {
    facts: Option<Arc<StorageFacts>>,
    instances: Vec<Arc<Instance>>,
    /// What resources cost on the newest bill; `None` without one.
    billed: Option<Arc<ResourceCosts>>,
    /// The version begun last.
    begun_version: u64,
    /// The picture that is being made.
    pub(super) making: Making<StorageFleet>,
    /// Version of the facts that it is made from.
    made_from: u64,
    /// True when facts have come since that picture was begun: the newest go into the next one.
    waits: bool,
    /// The newest picture.
    latest: Option<Arc<StorageFleet>>,
}

impl StorageWork {
    /// Newest picture; `None` before the first.
    pub(super) fn latest(&self) -> Option<Arc<StorageFleet>> {
        self.latest.clone()
    }
}

impl Pictures {
    /// Takes new facts in. Where nothing but readings is new, the rows are those of the last picture.
    pub(super) async fn on_storage_facts(&mut self, facts: Arc<StorageFacts>) {
        let old = self.storage.facts.replace(facts.clone());
        let same_rows = old.is_some_and(|old| old.version == facts.version);
        match &self.storage.latest {
            // The one that is being made takes the readings with it.
            _ if same_rows && self.storage.making.is_going_on() => {}
            Some(latest) if same_rows && !is_old(latest, self.shared.now()) => {
                let readings = facts.readings.clone();
                self.show_storage(StorageFleet { readings, ..(**latest).clone() }).await;
            }
            _ => self.picture_storage(),
        }
    }

    /// Takes the instances and the bill of a new fleet in: volumes say whose they are, and what they cost. A picture is made
    /// anew only when others are there than before.
    pub(super) fn on_fleet(&mut self, fleet: &Fleet) {
        let told = |i: &Arc<Instance>| (i.id.clone(), i.state);
        let instances = || fleet.rows.iter().map(|row| &row.instance);
        let billed = &fleet.book.billed;
        if instances().map(told).eq(self.storage.instances.iter().map(told))
            && *billed == self.storage.billed
        {
            return;
        }
        self.storage.instances = instances().cloned().collect();
        self.storage.billed.clone_from(billed);
        self.picture_storage();
    }

    /// Shows a picture that was made, and begins the one that waits for it.
    pub(super) async fn on_storage_made(&mut self, made: Option<StorageFleet>) {
        if let Some(mut made) = made {
            let facts = self.storage.facts.as_ref();
            if let Some(facts) = facts.filter(|facts| facts.version == self.storage.made_from) {
                made.readings.clone_from(&facts.readings);
            }
            self.show_storage(made).await;
        }
        if std::mem::take(&mut self.storage.waits) {
            self.picture_storage();
        }
    }

    async fn show_storage(&mut self, picture: StorageFleet) {
        let picture = Arc::new(picture);
        self.storage.latest = Some(picture.clone());
        // The listener may be gone already; there is nobody left to tell.
        let _ = self.listener.send(Event::Storage(picture)).await;
    }

    /// Joins on a worker thread; a million rows of lists shall not hold up the messages.
    fn picture_storage(&mut self) {
        let Some(facts) = self.storage.facts.clone() else { return };
        if self.storage.making.is_going_on() {
            self.storage.waits = true;
            return;
        }
        self.storage.begun_version += 1;
        self.storage.made_from = facts.version;
        let version = self.storage.begun_version;
        let (shared, instances) = (self.shared.clone(), self.storage.instances.clone());
        let (now, billed) = (shared.now(), self.storage.billed.clone());
        let before = self.storage.latest();
        self.storage.making.begin(move || {
            let tag_keys = &shared.settings.tag_keys;
            let (billed, before) = (billed.as_deref(), before.as_deref());
            join(version, now, &facts, &instances, tag_keys, billed, before)
        });
    }
}

fn is_old(picture: &StorageFleet, now: Timestamp) -> bool {
    picture.as_of.is_none_or(|at| now.duration_since(at) >= REJOIN_EVERY)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

    use tokio::sync::mpsc;

    use super::super::super::tests::scripted::{self, Answer, Script, Scripted};
    use super::super::super::{Shared, share};
    use super::super::run;
    use super::*;
    use crate::analyze::idle::Preset;
    use crate::cache::{Cache, OpenOptions};
    use crate::domain::{Reading, Scope, SourceId, SourceState};

    const NOW: &str = "2026-11-21T03:07:00Z";

    /// What pictures share with the bus, with a clock that is so many minutes on.
    fn shared(minutes: &Arc<AtomicI64>) -> Arc<Shared> {
        let now: Timestamp = NOW.parse().unwrap();
        let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
        let provider = Scripted::new(Script::new(vec![], Answer::Nothing));
        let mut parts = scripted::parts(&provider, NOW, Preset::Cautious, &cache, true);
        let minutes = minutes.clone();
        parts.clock = Arc::new(move || now + SignedDuration::from_mins(minutes.load(Relaxed)));
        share(parts).0.shared
    }

    /// Facts of a version, whose source was last read at this minute.
    fn facts(version: u64, minute: i64) -> Event {
        let reading = Reading {
            source: SourceId::Ebs,
            scope: Scope::new("111111111111", "eu-west-1"),
            taken_at: Some(Timestamp::from_second(minute * 60).unwrap()),
            coverage: 1.0,
            state: SourceState::Live,
        };
        let readings = vec![reading];
        Event::StorageFacts(Arc::new(StorageFacts { version, readings, ..StorageFacts::default() }))
    }

    /// Versions of the pictures that were shown, and when what they show was last read.
    fn shown(listener: &mut mpsc::Receiver<Event>) -> Vec<(u64, i64)> {
        let mut out = Vec::new();
        while let Ok(event) = listener.try_recv() {
            if let Event::Storage(fleet) = event {
                out.push((fleet.version, fleet.readings[0].taken_at.unwrap().as_second() / 60));
            }
        }
        out
    }

    #[tokio::test]
    async fn one_is_made_at_a_time_and_of_those_that_wait_the_newest_alone() {
        let (raw, inbox) = mpsc::channel(8);
        let (listener, mut told) = mpsc::channel(32);
        for version in 1..=4 {
            raw.send(facts(version, version as i64)).await.unwrap();
        }
        // What is there is taken in before any picture is looked for; the last is made although the
        // bus has ended.
        drop(raw);
        run(shared(&Arc::default()), inbox, listener).await;
        assert_eq!(shown(&mut told), [(1, 1), (2, 4)]);
    }

    #[tokio::test]
    async fn readings_alone_are_shown_with_the_rows_that_there_are() {
        let minutes = Arc::new(AtomicI64::new(0));
        let (listener, mut told) = mpsc::channel(32);
        let mut pictures = Pictures {
            shared: shared(&minutes),
            listener,
            storage: StorageWork::default(),
            savings: super::super::SavingsWork::default(),
        };
        let finish = async |pictures: &mut Pictures| {
            let made = pictures.storage.making.made().await;
            pictures.on_storage_made(made).await;
        };
        pictures.event(facts(1, 1)).await;
        // While it is made: it is shown with the newest readings.
        pictures.event(facts(1, 2)).await;
        finish(&mut pictures).await;
        assert!(!pictures.storage.making.is_going_on(), "readings are no reason for another");
        assert_eq!(shown(&mut told), [(1, 2)]);
        pictures.event(facts(1, 3)).await;
        assert_eq!(
            (shown(&mut told), pictures.storage.making.is_going_on()),
            (vec![(1, 3)], false)
        );

        // Readings of newer rows are not shown with the older ones.
        pictures.event(facts(2, 4)).await;
        pictures.event(facts(3, 5)).await;
        finish(&mut pictures).await;
        assert_eq!(shown(&mut told), [(2, 4)]);
        finish(&mut pictures).await;
        assert_eq!(shown(&mut told), [(3, 5)]);

        // Ages in it are of an hour ago: it is made anew.
        minutes.store(59, Relaxed);
        pictures.event(facts(3, 6)).await;
        assert_eq!(
            (shown(&mut told), pictures.storage.making.is_going_on()),
            (vec![(3, 6)], false)
        );
        minutes.store(60, Relaxed);
        pictures.event(facts(3, 7)).await;
        assert!(pictures.storage.making.is_going_on());
        finish(&mut pictures).await;
        assert_eq!(shown(&mut told), [(4, 7)]);
    }
}
