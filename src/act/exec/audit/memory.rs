//! A log in memory, for tests.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::disk::{Disk, DiskError, Lease, Stored};

/// A disk in memory that can be full.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryDisk(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    bytes: Vec<u8>,
    alive: HashSet<String>,
    room: Option<usize>,
}

impl MemoryDisk {
    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        let disk = Self::default();
        disk.with(|s| s.bytes = bytes);
        disk
    }

    /// Takes this many bytes more and no other.
    pub(crate) fn leave_room(&self, bytes: Option<usize>) {
        self.with(|s| s.room = bytes);
    }

    fn with<R>(&self, act: impl FnOnce(&mut State) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Held(MemoryDisk, String);

impl Lease for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.with(|s| s.alive.remove(&self.1));
    }
}

impl Disk for MemoryDisk {
    fn append(&self, make: &mut dyn FnMut(&dyn Stored) -> Vec<u8>) -> Result<(), DiskError> {
        self.with(|s| {
            let new = make(&s.bytes.as_slice());
            let fits = s.room.map_or(new.len(), |room| room.min(new.len()));
            s.bytes.extend_from_slice(&new[..fits]);
            if let Some(room) = &mut s.room {
                *room -= fits;
            }
            if fits < new.len() {
                return Err(DiskError::new("writing", io::Error::from(io::ErrorKind::StorageFull)));
            }
            Ok(())
        })
    }

    fn read(&self) -> Result<Vec<u8>, DiskError> {
        Ok(self.with(|s| s.bytes.clone()))
    }

    fn lease(&self, run: &str) -> Result<Box<dyn Lease>, DiskError> {
        self.with(|s| s.alive.insert(run.to_owned()));
        Ok(Box::new(Held(self.clone(), run.to_owned())))
    }

    fn is_alive(&self, run: &str) -> Result<bool, DiskError> {
        Ok(self.with(|s| s.alive.contains(run)))
    }
}
