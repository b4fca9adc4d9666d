//! Directories of keys, numbered: a hash table whose keys lie one after the other in one run of
//! bytes, so that neither a row nor a directory costs an allocation of its own.

use std::hash::{BuildHasher, Hasher};

/// Directories of a list as it is read, see the module.
#[derive(Clone, Debug)]
pub(super) struct Dirs {
    /// All prefixes, one after the other.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    hashes: Vec<u64>,
    /// Open addressing: number + 1, 0 for none; a power of two long.
    slots: Vec<u32>,
    hasher: foldhash::fast::FixedState,
}

impl Default for Dirs {
    fn default() -> Self {
        Self {
            bytes: vec![],
            ends: vec![],
            hashes: vec![],
            slots: vec![0; 64],
            hasher: foldhash::fast::FixedState::default(),
        }
    }
}

impl Dirs {
    /// Number of prefixes.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The prefix with number `id`.
    pub fn get(&self, id: u32) -> &[u8] {
        let i = id as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }

    /// Number of a prefix; a new one, and `true`, where it was not known.
    pub fn id(&mut self, prefix: &[u8]) -> (u32, bool) {
        let hash = self.hash(prefix);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                0 => break,
                n => {
                    let id = n - 1;
                    if self.hashes[id as usize] == hash && self.get(id) == prefix {
                        return (id, false);
                    }
                }
            }
            at = (at + 1) & mask;
        }
        let id = self.ends.len() as u32;
        self.slots[at] = id + 1;
        self.bytes.extend_from_slice(prefix);
        self.ends.push(self.bytes.len());
        self.hashes.push(hash);
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        (id, true)
    }

    fn hash(&self, prefix: &[u8]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(prefix);
        hasher.finish()
    }

    fn grow(&mut self) {
        let len = self.slots.len() * 2;
        let mask = len - 1;
        let mut slots = vec![0u32; len];
        for (i, hash) in self.hashes.iter().enumerate() {
            let mut at = *hash as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = i as u32 + 1;
        }
        self.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::Dirs;

    #[test]
    fn numbers_stay_and_prefixes_come_back() {
        let mut dirs = Dirs::default();
        let mut known: HashMap<Vec<u8>, u32> = HashMap::new();
        for i in 0..5_000u32 {
            let prefix = format!("a/{}/b{}/", i % 700, i % 13).into_bytes();
            let (id, new) = dirs.id(&prefix);
            assert_eq!(new, !known.contains_key(&prefix));
            assert_eq!(*known.entry(prefix.clone()).or_insert(id), id);
            assert_eq!(dirs.get(id), prefix);
        }
        assert_eq!(dirs.len(), known.len());
        assert_eq!(dirs.id(b""), (known.len() as u32, true));
        assert_eq!(dirs.get(known.len() as u32), b"");
    }
}
