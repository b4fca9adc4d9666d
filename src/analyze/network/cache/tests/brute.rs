//! A cache as it is described, played read by read.

use std::collections::{HashMap, VecDeque};

use crate::domain::object_reads::{ReadEvent, ReadKind};

/// An LRU cache of whole objects, bounded in bytes.
pub struct Brute {
    bytes: u64,
    held: u64,
    /// Objects with their sizes, the one read last in front.
    objects: VecDeque<((u64, u64, u32), u64)>,
    /// Of each object: what of the read that goes on was sent, and whether it was found.
    going_on: HashMap<(u64, u64, u32), (u64, bool)>,
    written: HashMap<u64, u32>,
    pub hit_bytes: u64,
    pub hit_requests: u64,
    pub read_bytes: u64,
}

impl Brute {
    pub fn new(bytes: u64) -> Self {
        let (objects, going_on, written) = Default::default();
        Self {
            bytes,
            held: 0,
            objects,
            going_on,
            written,
            hit_bytes: 0,
            hit_requests: 0,
            read_bytes: 0,
        }
    }

    pub fn take(&mut self, event: &ReadEvent) {
        if event.kind == ReadKind::Written {
            *self.written.entry(event.object).or_default() += 1;
            return;
        }
        self.read_bytes += event.bytes;
        if event.bytes == 0 {
            return;
        }
        let size = event.size.unwrap_or(event.bytes);
        let anew = self.written.get(&event.object).copied().unwrap_or_default();
        let id = (event.object, size, anew);
        let is_hit = match self.going_on.get_mut(&id) {
            Some((sent, is_hit)) if *sent < size => {
                *sent += event.bytes;
                *is_hit
            }
            _ => {
                let is_hit = self.access(id, size);
                self.going_on.insert(id, (event.bytes, is_hit));
                is_hit
            }
        };
        if is_hit {
            self.hit_bytes += event.bytes;
            self.hit_requests += 1;
        }
    }

    fn access(&mut self, id: (u64, u64, u32), size: u64) -> bool {
        if size > self.bytes {
            return false;
        }
        if let Some(at) = self.objects.iter().position(|(kept, _)| *kept == id) {
            let object = self.objects.remove(at).unwrap();
            self.objects.push_front(object);
            return true;
        }
        self.objects.push_front((id, size));
        self.held += size;
        while self.held > self.bytes {
            self.held -= self.objects.pop_back().unwrap().1;
        }
        false
    }

    pub fn ratio(&self) -> f64 {
        if self.read_bytes == 0 { 0.0 } else { self.hit_bytes as f64 / self.read_bytes as f64 }
    }
}
