//! Directories, each held once, while rows come in.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

/// Seed that all folds of a pass share, so that folds can be merged.
const HASH: FixedState = FixedState::with_seed(0x6475_7073);

/// A directory while rows come in; the root is 0. Numbers depend on the order of the rows.
pub(super) type DirId = u32;

/// A hash of raw bytes, the same within one run of the program.
pub(super) fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = HASH.build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

/// The directory part of a key, with its last `/`; empty for what lies at the root.
pub(super) fn split(key: &[u8]) -> (&[u8], &[u8]) {
    key.split_at(memchr::memrchr(b'/', key).map_or(0, |i| i + 1))
}

/// All directories seen.
#[derive(Clone, Debug)]
pub(super) struct Dirs {
    /// Last parts of the paths with their `/`, one after the other.
    names: Vec<u8>,
    nodes: Vec<Dir>,
    /// By the hash of the whole path; a hit is compared, a clash takes the next number.
    by_path: HashMap<u64, DirId, FixedState>,
    /// The directory asked for last: lists are mostly sorted.
    last: (Vec<u8>, DirId),
}

#[derive(Clone, Copy, Debug)]
struct Dir {
    parent: DirId,
    name_end: u64,
}

impl Default for Dirs {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            nodes: vec![Dir { parent: 0, name_end: 0 }],
            by_path: HashMap::with_hasher(HASH),
            last: (Vec::new(), 0),
        }
    }
}

impl Dirs {
    /// Number of directories, the root among them.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The directory above; the root's is the root.
    pub(super) fn parent(&self, id: DirId) -> DirId {
        self.nodes[id as usize].parent
    }

    /// Last part of the directory's path, with its `/`.
    pub(super) fn name(&self, id: DirId) -> &[u8] {
        let i = id as usize;
        let start = if i == 0 { 0 } else { self.nodes[i - 1].name_end };
        &self.names[start as usize..self.nodes[i].name_end as usize]
    }

    /// The number of a path that ends with `/` (or is empty), and of all above it.
    pub(super) fn intern(&mut self, path: &[u8]) -> DirId {
        if self.last.0 == path {
            return self.last.1;
        }
        let id = self.find_or_add(path);
        self.last.0.clear();
        self.last.0.extend_from_slice(path);
        self.last.1 = id;
        id
    }

    /// The numbers of many paths, as [`Dirs::intern`] gives them one after the other. Shuffled keys
    /// are never where the one before was: what has to be fetched from memory is asked for by many
    /// paths side by side, step by step.
    pub(super) fn intern_all(&mut self, paths: &[&[u8]], into: &mut Vec<DirId>) {
        into.clear();
        let before = |at: usize| at.checked_sub(1).and_then(|before| paths.get(before));
        let is_new = |at: usize, path: &&[u8]| before(at) != Some(path);
        let news = || paths.iter().enumerate().filter(|(at, path)| is_new(*at, path));
        let slots: Vec<u64> = news().map(|(_, path)| hash_of(path)).collect();
        let at: Vec<Option<DirId>> =
            slots.iter().map(|slot| self.by_path.get(slot).copied()).collect();
        let known: Vec<bool> =
            news().zip(&at).map(|((_, path), at)| at.is_some_and(|id| self.is(id, path))).collect();
        let mut looked_up = at.into_iter().zip(known);
        for (place, path) in paths.iter().enumerate() {
            let id = match into.last() {
                Some(last) if !is_new(place, path) => *last,
                _ => match looked_up.next() {
                    Some((Some(id), true)) => id,
                    _ => self.find_or_add(path),
                },
            };
            into.push(id);
        }
    }

    fn find_or_add(&mut self, path: &[u8]) -> DirId {
        // The deepest one that is there; then the missing ones below it, from the top.
        let mut known = path.len();
        let mut at = loop {
            match self.find(&path[..known]) {
                Ok(id) => break id,
                Err(_) => known = split(&path[..known - 1]).0.len(),
            }
        };
        while known < path.len() {
            let rest = &path[known..];
            let len = memchr::memchr(b'/', rest).map_or(rest.len(), |i| i + 1);
            at = self.add(at, &rest[..len], &path[..known + len]);
            known += len;
        }
        at
    }

    /// Adds `name` below `parent`; `path` is the whole of it and is not there yet.
    fn add(&mut self, parent: DirId, name: &[u8], path: &[u8]) -> DirId {
        let id = self.nodes.len() as DirId;
        self.names.extend_from_slice(name);
        self.nodes.push(Dir { parent, name_end: self.names.len() as u64 });
        if let Err(slot) = self.find(path) {
            self.by_path.insert(slot, id);
        }
        id
    }

    /// The number of a path; or where in the table it would go.
    fn find(&self, path: &[u8]) -> Result<DirId, u64> {
        if path.is_empty() {
            return Ok(0);
        }
        let mut slot = hash_of(path);
        loop {
            match self.by_path.get(&slot) {
                None => return Err(slot),
                Some(id) if self.is(*id, path) => return Ok(*id),
                Some(_) => slot = slot.wrapping_add(1),
            }
        }
    }

    /// True when `id` has this path.
    fn is(&self, mut id: DirId, path: &[u8]) -> bool {
        let mut rest = path;
        while id != 0 {
            let Some(before) = rest.strip_suffix(self.name(id)) else { return false };
            rest = before;
            id = self.parent(id);
        }
        rest.is_empty()
    }

    /// The whole path.
    pub(super) fn path(&self, mut id: DirId) -> Vec<u8> {
        let mut parts = Vec::new();
        while id != 0 {
            parts.push(self.name(id));
            id = self.parent(id);
        }
        parts.concat_reversed()
    }

    /// Takes over the directories of another; says under which number each is here.
    pub(super) fn absorb(&mut self, other: &Self) -> Vec<DirId> {
        (0..other.len()).map(|id| self.intern(&other.path(id as DirId))).collect()
    }

    /// Keeps those marked (whose parents are marked as well); says under which number each is
    /// afterwards, `u32::MAX` for one that is gone.
    pub(super) fn keep(&mut self, marked: &[bool]) -> Vec<DirId> {
        let old = std::mem::take(self);
        let mut now = vec![u32::MAX; old.len()];
        for id in 0..old.len() {
            if id == 0 {
                now[0] = 0;
            } else if marked[id] {
                now[id] = self.intern(&old.path(id as DirId));
            }
        }
        now
    }
}

/// Parts collected from the last to the first.
trait ConcatReversed {
    fn concat_reversed(&self) -> Vec<u8>;
}

impl ConcatReversed for Vec<&[u8]> {
    fn concat_reversed(&self) -> Vec<u8> {
        self.iter().rev().flat_map(|p| p.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_number_and_comes_back() {
        let mut dirs = Dirs::default();
        let deep = dirs.intern(b"a/b//c/");
        assert_eq!(dirs.path(deep), b"a/b//c/");
        let above = dirs.intern(b"a/b/");
        assert_eq!(dirs.path(above), b"a/b/");
        assert_eq!(dirs.intern(b"a/b//c/"), deep);
        assert_eq!(dirs.intern(b""), 0);
        assert_eq!(dirs.len(), 5, "root, a/, b/, the empty one, c/");
        let odd = dirs.intern(b"/");
        assert_eq!(dirs.path(odd), b"/");
        assert_eq!(split(b"a/b.txt"), (&b"a/"[..], &b"b.txt"[..]));
        assert_eq!(split(b"b"), (&b""[..], &b"b"[..]));
        assert_eq!(split(b"a/"), (&b"a/"[..], &b""[..]));
    }

    #[test]
    fn absorbed_and_kept_directories_have_the_same_paths() {
        let mut one = Dirs::default();
        let mut two = Dirs::default();
        one.intern(b"x/y/");
        let ids: Vec<DirId> = [&b"q/"[..], b"x/", b"x/z/"].iter().map(|p| two.intern(p)).collect();
        let now = one.absorb(&two);
        for id in ids {
            assert_eq!(two.path(id), one.path(now[id as usize]));
        }
        let gone = one.intern(b"q/");
        let marked: Vec<bool> = (0..one.len()).map(|id| id as DirId != gone).collect();
        let before = one.clone();
        let now = one.keep(&marked);
        assert_eq!(now[gone as usize], u32::MAX);
        assert_eq!(one.len(), before.len() - 1);
        for id in (0..before.len() as DirId).filter(|id| *id != gone) {
            assert_eq!(before.path(id), one.path(now[id as usize]));
        }
    }
}
