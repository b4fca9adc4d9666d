//! GPUs that were there before: which of them is meant, which is silent, which goes on under
//! another name.

use std::collections::HashMap;

use jiff::Timestamp;

use super::group::Group;
use super::item::Item;
use super::track::Track;
use super::watch::{Entry, MAX_GPUS, Watch, WatchInput};
use crate::domain::{FastSet, GpuKey};
use crate::fleet::gpu::{Known, index_of, place_key};

impl Watch {
    /// Last host and index of each GPU, for sources that have no UUID.
    pub(super) fn known(&self, input: &WatchInput<'_>) -> Known {
        let samples = input.sweeps.iter().flat_map(|s| &s.samples);
        let mut known: HashMap<_, (Timestamp, GpuKey)> = HashMap::new();
        if !samples.into_iter().any(|s| s.identity.uuid.is_none()) {
            return Known::new();
        }
        for entry in &self.entries {
            let key = &entry.key;
            let Some(row) = &entry.row else { continue };
            let Some(instance) = &row.node.instance else { continue };
            let identity = &row.sample.identity;
            let Some(index) = index_of(identity, Some(instance)) else { continue };
            if identity.uuid.is_none() {
                continue;
            }
            let place = (instance.instance.id.clone(), index, key.gpu_instance);
            let new = (row.sample.taken_at, key.clone());
            known
                .entry(place)
                .and_modify(|old| {
                    if new > *old {
                        old.clone_from(&new);
                    }
                })
                .or_insert(new);
        }
        known.into_iter().map(|(place, (_, key))| (place, key)).collect()
    }

    /// GPUs that were there and are in no sweep any more: stale until they are forgotten.
    pub(super) fn add_vanished(
        &self,
        items: &mut Vec<Item>,
        input: &WatchInput<'_>,
        places: &crate::fleet::gpu::Places<'_>,
    ) {
        let there = items.iter().filter(|i| i.slot.is_some()).count();
        if there == self.entries.len() {
            return;
        }
        let here: FastSet<u32> = items.iter().filter_map(|i| i.slot).collect();
        let spot = |place: usize, item_index: Option<u16>, key: &GpuKey| {
            item_index.map(|index| (place, index, key.gpu_instance))
        };
        let taken: FastSet<_> = items
            .iter()
            .filter_map(|i| {
                let place = i.place?;
                let row = input.fleet.rows.get(place).map(|r| &**r);
                spot(place, index_of(&i.sample.identity, row), &i.key)
            })
            .collect();
        let forget_ms = input.rules.forget_after.as_millis() as i64;
        let now_ms = input.now.as_millisecond();
        let mut gone = Vec::new();
        for (entry, slot) in self.entries.iter().zip(0..).filter(|(_, slot)| !here.contains(slot)) {
            let key = &entry.key;
            let Some(row) = entry.row.as_ref().filter(|r| !r.told.is_empty()) else { continue };
            let age = now_ms - row.sample.taken_at.as_millisecond();
            let instance = row.node.instance.as_ref();
            let place = instance.and_then(|i| places.named(&i.instance.id));
            // The instance is gone and its GPUs with it; before the inventory is read nobody knows.
            let is_gone = instance.is_some() && place.is_none() && !input.fleet.rows.is_empty();
            // Also where its host was not known for an instance before: it may be there under the
            // instance's name now.
            let spot_of = place.or_else(|| places.find(&row.sample.identity.host));
            let there = spot_of.and_then(|p| input.fleet.rows.get(p)).map(|r| &**r);
            let index = index_of(&row.sample.identity, there.or(instance.map(|i| &**i)));
            let replaced =
                spot_of.and_then(|p| spot(p, index, key)).is_some_and(|s| taken.contains(&s));
            if age > forget_ms || is_gone || replaced {
                continue;
            }
            gone.push(Item {
                key: key.clone(),
                sample: row.sample.clone(),
                place,
                told: row.told.clone(),
                disagreement: row.disagreement.clone(),
                elsewhere: None,
                fresh: age <= entry.limit_ms,
                limit_ms: entry.limit_ms,
                is_rest: false,
                slot: Some(slot),
            });
        }
        items.append(&mut gone);
        items.truncate(MAX_GPUS);
    }

    /// Forgets what is in no picture any more.
    pub(super) fn forget(&mut self) {
        let pictures = self.pictures;
        let before = self.entries.len();
        self.entries.retain(|e| e.seen == pictures);
        if self.entries.len() < before {
            let places = self.entries.iter().zip(0..);
            self.slots = places.map(|(e, slot)| (e.key.clone(), slot)).collect();
        }
    }

    /// Slot of a GPU that was in an earlier picture; `None` for a new GPU.
    pub(super) fn remembered(&self, item: &Item) -> Option<u32> {
        let is_its =
            |slot: &u32| self.entries.get(*slot as usize).is_some_and(|e| e.key == item.key);
        item.slot.filter(is_its).or_else(|| self.slots.get(&item.key).copied())
    }

    /// Slot of a GPU; a new one for a GPU that was in no picture.
    pub(super) fn slot(&mut self, group: &Group, item: &Item) -> u32 {
        if let Some(slot) = self.remembered(item).or_else(|| self.inherit(group, item)) {
            return slot;
        }
        let slot = self.entries.len() as u32;
        self.slots.insert(item.key.clone(), slot);
        self.entries.push(Entry {
            key: item.key.clone(),
            track: Track::default(),
            row: None,
            limit_ms: 0,
            verdict: None,
            labels: None,
            seen: 0,
        });
        slot
    }

    /// A GPU known by its place that now has a UUID, or whose host is an instance now that the
    /// inventory is read, keeps what is remembered of it.
    fn inherit(&mut self, group: &Group, item: &Item) -> Option<u32> {
        let identity = &item.sample.identity;
        let instance = group.node.instance.as_deref();
        let index = index_of(identity, instance)?;
        let id = instance.map(|i| &*i.instance.id);
        let names = [id, Some(&*group.node.name), Some(identity.host.shown())];
        let keys = names.into_iter().flatten().filter(|name| !name.is_empty());
        let mut keys = keys.map(|name| place_key(name, index, item.key.gpu_instance));
        let slot = keys.find_map(|key| self.slots.remove(&key))?;
        let entry = self.entries.get_mut(slot as usize)?;
        entry.row = None;
        entry.key = item.key.clone();
        self.slots.insert(item.key.clone(), slot);
        Some(slot)
    }
}
