//! Makes samples of the series of a sweep.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::super::identity::{self, DeviceKey};
use super::super::labels::Facts;
use super::super::{neuron, owner};
use super::{Families, Gather, Gathered, ROW_BYTES};
use crate::domain::{GpuOwner, GpuSample, GpuSignal};

impl Gather {
    /// Ends the sweep and returns its samples. `taken_at` is the time of the values, as far as it is known.
    pub fn finish(&mut self, taken_at: Timestamp) -> Gathered {
        self.place_cores();
        let (rows, sweep) = (&self.rows, self.sweep);
        self.live_rows.retain(|at| rows[*at as usize].cut != sweep);
        self.learn_displaced();
        // Whole devices first: slices take over what is only said of their device.
        for slices in [false, true] {
            for i in 0..self.live_rows.len() {
                let at = self.live_rows[i] as usize;
                if self.rows[at].key.gpu_instance.is_some() == slices {
                    self.name(at);
                }
            }
        }
        let samples = self.live_rows.iter().map(|at| *at as usize).collect::<Vec<_>>();
        let samples = samples.into_iter().map(|at| self.sample(at, taken_at)).collect();
        let families = self.live_rows.iter().map(|at| self.rows[*at as usize].families);
        let families = Families(families.fold(0, |all, one| all | one));
        let naming = Families(self.naming);
        let gathered = Gathered { samples, families, naming, dropped: self.dropped };
        self.purge();
        self.next_sweep();
        gathered
    }

    /// Makes devices of NeuronCores.
    fn place_cores(&mut self) {
        let mut hosts: BTreeMap<Arc<str>, neuron::Host> = BTreeMap::new();
        for reading in &self.cores {
            let facts = &self.sets[reading.set as usize].facts;
            hosts.entry(identity::place(facts)).or_default().take(facts, reading);
        }
        for (place, host) in hosts {
            for device in host.devices(self.complete) {
                let key = DeviceKey::at(place.clone(), device.index);
                let is_new = !self.by_key.contains_key(&key);
                if self.live_rows.len() >= self.max_devices || (is_new && !self.room(ROW_BYTES)) {
                    self.dropped.excess += 1;
                    continue;
                }
                let at = self.row(key);
                let row = &mut self.rows[at as usize];
                if row.seen != self.sweep {
                    row.begin(self.sweep);
                    self.live_rows.push(at);
                }
                for set in device.sets {
                    row.families |= self.sets[set as usize].families;
                    if !row.sets.contains(&set) {
                        row.sets.push(set);
                    }
                }
                if let Some(busy) = device.busy {
                    row.values.signal(GpuSignal::NeuronCore, busy, 0);
                }
                if let Some(mem) = device.mem_mib {
                    row.values.signal(GpuSignal::MemUsed, mem, 0);
                }
            }
        }
    }

    /// Finds the targets whose labels displace those of the series, and who names owners.
    fn learn_displaced(&mut self) {
        let live = self.live_rows.iter().flat_map(|at| self.rows[*at as usize].sets.iter());
        let mut fresh = Vec::new();
        for set in live.clone().map(|set| &self.sets[*set as usize]) {
            let address = set.facts.address.clone().unwrap_or_default();
            if set.facts.owner.is_exported() && !self.displaced.contains(&address) {
                fresh.push(address);
            }
        }
        let mut naming = self.naming;
        let displaced = &mut self.displaced;
        let changed = !fresh.is_empty();
        displaced.extend(fresh);
        for set in live.map(|set| &self.sets[*set as usize]) {
            if set.facts.owner.names_owners(is_displaced(displaced, &set.facts)) {
                naming |= set.families;
            }
        }
        self.naming = naming;
        if changed {
            for row in &mut self.rows {
                row.sets_before.clear();
            }
        }
    }

    /// Identity and owner of a device, anew only where its labels changed.
    fn name(&mut self, at: usize) {
        let parent = self.rows[at]
            .key
            .parent()
            .and_then(|key| self.by_key.get(&key))
            .map(|row| &self.rows[*row as usize])
            .filter(|row| row.seen == self.sweep)
            .map(|row| Arc::clone(&row.identity));
        let sets = &self.sets;
        let row = &mut self.rows[at];
        row.sets.sort_unstable();
        let same_parent = match (&row.parent, &parent) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        let same_job = row.values.job.is_none() && row.values.user.is_none();
        if row.sets == row.sets_before && same_parent && same_job {
            return;
        }
        let series = row.sets.iter().map(|set| &sets[*set as usize].facts);
        let identity = identity::merge(&row.key, &series, parent.as_deref());
        if *row.identity != identity {
            row.identity = Arc::new(identity);
        }
        let mut holders: Vec<GpuOwner> = series
            .map(|facts| facts.owner.holder(is_displaced(&self.displaced, facts)))
            .filter(|owner| !owner.is_nobody())
            .collect();
        let id = |n: Option<u64>| n.filter(|n| *n > 0).map(|n| Arc::from(n.to_string()));
        holders.push(GpuOwner {
            job: id(row.values.job),
            user: id(row.values.user),
            ..GpuOwner::default()
        });
        let owner = owner::join(&holders);
        if *row.owner != owner {
            let known = self.owners.get(&owner).cloned();
            row.owner = known.unwrap_or_else(|| Arc::new(owner));
            self.owners.insert(Arc::clone(&row.owner));
        }
        row.parent = parent;
        row.sets_before.clone_from(&row.sets);
    }

    fn sample(&mut self, at: usize, taken_at: Timestamp) -> GpuSample {
        let naming = self.naming;
        let row = &mut self.rows[at];
        let processes = match (row.values.processes(), &row.processes) {
            (None, _) => None,
            (Some(now), Some(before)) if *now == **before => Some(Arc::clone(before)),
            (Some(now), _) => Some(Arc::from(now)),
        };
        row.processes.clone_from(&processes);
        GpuSample {
            identity: Arc::clone(&row.identity),
            taken_at,
            signals: row.values.signals(),
            throttle: row.values.throttle(),
            owner: Arc::clone(&row.owner),
            names_owners: row.families & naming != 0,
            processes,
            recent: None,
        }
    }
}

fn is_displaced(displaced: &HashSet<Arc<str>>, facts: &Facts) -> bool {
    !displaced.is_empty() && displaced.contains(facts.address.as_deref().unwrap_or_default())
}
