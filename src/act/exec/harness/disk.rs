//! A disk that keeps what was fsynced and nothing else.
//!
//! What a process wrote is *visible* to every other at once, as in the page cache, and survives
//! the death of the process; only what is *durable* survives a loss of power.

use std::collections::BTreeMap;
use std::io;

use super::faults::Bug;
use super::world::Shared;
use crate::act::exec::audit::{Disk, DiskError, Lease, Stored};

const OUTCOME: &[u8] = br#""kind":"outcome""#;

#[derive(Default)]
pub struct DiskState {
    visible: Vec<u8>,
    /// How much of `visible` is durable.
    durable: usize,
    /// Run → process.
    leases: BTreeMap<String, usize>,
}

impl DiskState {
    /// What survives whatever happens.
    pub fn durable(&self) -> &[u8] {
        &self.visible[..self.durable]
    }

    /// The system writes what it holds, as it does after a while.
    pub fn write_back(&mut self) {
        self.durable = self.visible.len();
    }

    pub fn lose_power(&mut self, rng: &mut fastrand::Rng) {
        // The system may have written some of it by itself.
        let kept = rng.usize(self.durable..=self.visible.len());
        let kept = if rng.bool() { self.durable } else { kept };
        self.visible.truncate(kept);
        if rng.u8(0..4) == 0 {
            // The file has its new length, and the data never came: file systems do that.
            self.visible[self.durable..].fill(0);
        }
        self.durable = kept;
    }
}

/// The disk as one process has it.
pub struct SimDisk {
    pub world: Shared,
    pub process: usize,
}

fn gone(what: &'static str) -> DiskError {
    DiskError { what, error: io::Error::other("the process is dead") }
}

impl Disk for SimDisk {
    fn append(&self, make: &mut dyn FnMut(&dyn Stored) -> Vec<u8>) -> Result<(), DiskError> {
        if !self.world.lock().step(self.process, "before the log is opened") {
            return Err(gone("open"));
        }
        // Nobody else runs while this one does: the lock need not be held.
        let before = self.world.lock().disk.visible.clone();
        let bytes = make(&before.as_slice());
        if bytes.is_empty() {
            return Ok(());
        }
        let mut world = self.world.lock();
        let outcome = bytes.windows(16).any(|w| w == OUTCOME);
        if world.bug == Some(Bug::DropsOutcomes) && outcome {
            return Ok(());
        }
        let rate = world.rates.disk_full;
        if world.chance(rate) {
            world.counts.hit("disk full");
            world.note(|| "disk full".to_owned());
            let keep = world.rng.usize(0..=bytes.len().saturating_sub(1));
            let keep = if world.rng.bool() { 0 } else { keep };
            world.disk.visible.extend_from_slice(&bytes[..keep]);
            let error = io::Error::from(io::ErrorKind::StorageFull);
            return Err(DiskError { what: "write", error });
        }
        world.disk.visible.extend_from_slice(&bytes);
        if !world.step(self.process, "while the log is written") {
            // Nothing of it, half of it or all of it, unless the power took it along.
            let written = world.disk.visible.len().saturating_sub(before.len());
            if world.disk.durable <= before.len() {
                let keep = [0, world.rng.usize(0..=written), written][world.rng.usize(0..3)];
                world.disk.visible.truncate(before.len() + keep);
            }
            return Err(gone("write"));
        }
        let rate = world.rates.fsync;
        if world.chance(rate) {
            world.counts.hit("fsync failed");
            world.note(|| "fsync failed".to_owned());
            return Err(DiskError { what: "fsync", error: io::Error::other("EIO") });
        }
        if !world.step(self.process, "before the log is fsynced") {
            return Err(gone("fsync"));
        }
        if world.bug != Some(Bug::DiskLies) {
            world.disk.durable = world.disk.visible.len();
            super::judge::written(&mut world);
        }
        if !world.step(self.process, "after the log is fsynced") {
            return Err(gone("fsync"));
        }
        Ok(())
    }

    fn read(&self) -> Result<Vec<u8>, DiskError> {
        let mut world = self.world.lock();
        if !world.step(self.process, "before the log is read") {
            return Err(gone("read"));
        }
        let rate = world.rates.disk_read;
        if world.chance(rate) {
            world.counts.hit("log unreadable");
            return Err(DiskError { what: "read", error: io::Error::other("EIO") });
        }
        Ok(world.disk.visible.clone())
    }

    fn lease(&self, run: &str) -> Result<Box<dyn Lease>, DiskError> {
        let mut world = self.world.lock();
        if !world.step(self.process, "before the lease") {
            return Err(gone("lease"));
        }
        world.disk.leases.insert(run.to_owned(), self.process);
        world.processes[self.process].runs.push(run.to_owned());
        if !world.step(self.process, "after the lease") {
            return Err(gone("lease"));
        }
        Ok(Box::new(SimLease { world: self.world.clone(), run: run.to_owned() }))
    }

    fn is_alive(&self, run: &str) -> Result<bool, DiskError> {
        let world = self.world.lock();
        Ok(world.disk.leases.get(run).is_some_and(|p| world.processes[*p].alive))
    }
}

struct SimLease {
    world: Shared,
    run: String,
}

impl Lease for SimLease {}

impl Drop for SimLease {
    fn drop(&mut self) {
        self.world.lock().disk.leases.remove(&self.run);
    }
}
