//! A list of objects becomes a tree of prefixes with sums, in memory that depends on the number of
//! directories and not on that of the objects.
//!
//! A row touches one directory: the one before when the list is sorted, else one found by the hash
//! of its prefix. What lies above is added up once, at the end. Of each directory the largest rows
//! are kept by name, so many that all together stay under a limit; the others are in its sums.

mod build;
mod dirs;
mod keep;
mod tally;
#[cfg(test)]
mod tests;

use super::fold::{Fold, ListInfo};
use crate::domain::storage::{ObjectBatch, PrefixTree};
use dirs::Dirs;
use keep::{Keep, Offered};
use tally::{Row, Tally};

/// Limits of a tree. Sums stay complete: what exceeds a limit is counted together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeLimits {
    /// Most prefixes and objects that are nodes of their own, the largest ones. Each prefix may have one more
    /// node for the rest.
    pub nodes: usize,
    /// Most rows remembered by name while the list is read, the same number for each directory.
    pub objects: usize,
    /// Most directories told apart while the list is read. Beyond it the deepest levels count to the level
    /// above, and no object is a node. About 500 bytes each, per thread.
    pub directories: usize,
    /// Smallest share of the bytes and of the rows of the list for a node of its own, 0–1; 0 = no such limit.
    pub min_share: f64,
}

impl Default for TreeLimits {
    fn default() -> Self {
        Self { nodes: 300_000, objects: 200_000, directories: 600_000, min_share: 0.0 }
    }
}

/// A directory while the list is read.
#[derive(Clone, Debug, Default)]
struct Dir {
    /// A row smaller than this is not kept by name.
    floor: u64,
    keep: Keep,
    /// All rows that are not kept.
    tally: Tally,
}

/// Fold over a list of objects that builds a tree of prefixes in bounded memory.
#[derive(Clone, Debug)]
pub struct TreeFold {
    listed_ms: i64,
    limits: TreeLimits,
    names: Dirs,
    dirs: Vec<Dir>,
    /// The directory of the row before.
    last: u32,
    /// Rows kept of each directory at most.
    most: usize,
    /// Rows kept of all.
    kept: usize,
    /// Deepest level with nodes of its own.
    depth: usize,
}

/// How many rows of a directory are kept, once all are too many; then halved again and again.
const MOST_AT_FIRST: usize = 1 << 14;

impl TreeFold {
    /// A fold for a list.
    pub fn new(info: &ListInfo, limits: TreeLimits) -> Self {
        let mut fold = Self {
            listed_ms: info.listed_ms,
            limits,
            names: Dirs::default(),
            dirs: vec![],
            last: 0,
            most: usize::MAX,
            kept: 0,
            depth: usize::MAX,
        };
        fold.dir(b"");
        fold
    }

    /// The tree of all rows.
    pub fn finish(self) -> PrefixTree {
        build::build(self)
    }

    /// One sentence when a limit was exceeded; else `None`.
    pub fn note(&self) -> Option<String> {
        (self.depth != usize::MAX).then(|| {
            format!(
                "more than {} directories: below level {} they are counted together",
                self.limits.directories, self.depth
            )
        })
    }

    /// Number of a directory, which is made when it is not there.
    fn dir(&mut self, prefix: &[u8]) -> u32 {
        let (mut id, new) = self.names.id(cut(prefix, self.depth));
        if new {
            self.dirs.push(Dir { floor: self.fresh_floor(), ..Dir::default() });
            if self.dirs.len() > self.limits.directories.max(1) {
                self.flatten();
                id = self.names.id(cut(prefix, self.depth)).0;
            }
        }
        id
    }

    /// The floor of a directory without rows.
    fn fresh_floor(&self) -> u64 {
        if self.most == 0 { u64::MAX } else { 0 }
    }

    fn put(&mut self, id: u32, name: &[u8], row: Row) {
        let dir = &mut self.dirs[id as usize];
        // An empty name is the marker of a "folder": it has no name to be shown by.
        if row.size < dir.floor || self.most == 0 || name.is_empty() {
            dir.tally.count(row, self.listed_ms);
            return;
        }
        match dir.keep.offer(row, name, self.most) {
            Offered::Kept => {
                self.kept += 1;
                dir.floor = dir.keep.floor(self.most);
                if self.kept > self.limits.objects {
                    self.keep_fewer();
                }
            }
            Offered::Instead(out) => {
                dir.floor = dir.keep.floor(self.most);
                dir.tally.count(out, self.listed_ms);
            }
            Offered::Declined => dir.tally.count(row, self.listed_ms),
        }
    }

    /// Keeps fewer rows of each directory, until all are few enough. The steps are always the same,
    /// and more rows never mean fewer kept: so where it ends does not depend on the order.
    fn keep_fewer(&mut self) {
        while self.kept > self.limits.objects {
            let next = if self.most > MOST_AT_FIRST { MOST_AT_FIRST } else { self.most / 2 };
            self.keep_at_most(next);
        }
    }

    fn keep_at_most(&mut self, most: usize) {
        self.most = most;
        self.kept = 0;
        for dir in &mut self.dirs {
            dir.keep.shrink(most, |row| dir.tally.count(row, self.listed_ms));
            dir.floor = if most == 0 { u64::MAX } else { dir.keep.floor(most) };
            self.kept += dir.keep.len();
        }
    }

    /// Counts the deepest level to the one above, until directories are few enough. Objects are no
    /// nodes from then on: which of them were kept so far depended on the order.
    fn flatten(&mut self) {
        self.keep_at_most(0);
        let deepest = (0..self.names.len() as u32).map(|id| depth(self.names.get(id))).max();
        let mut to = self.depth.min(deepest.unwrap_or(0));
        while self.dirs.len() > self.limits.directories.max(1) && to > 0 {
            to -= 1;
            self.cut_to(to);
        }
    }

    /// Tells at most `levels` levels apart.
    fn cut_to(&mut self, levels: usize) {
        self.depth = levels;
        let names = std::mem::take(&mut self.names);
        let dirs = std::mem::take(&mut self.dirs);
        for (i, dir) in dirs.into_iter().enumerate() {
            let (id, new) = self.names.id(cut(names.get(i as u32), levels));
            if new {
                self.dirs.push(dir);
            } else {
                self.dirs[id as usize].tally.add(&dir.tally);
            }
        }
        self.last = 0;
    }
}

/// Number of levels of a prefix.
fn depth(prefix: &[u8]) -> usize {
    memchr::memchr_iter(b'/', prefix).count()
}

/// The first `levels` levels of a prefix.
fn cut(prefix: &[u8], levels: usize) -> &[u8] {
    if levels == usize::MAX {
        return prefix;
    }
    if levels == 0 {
        return b"";
    }
    let end = memchr::memchr_iter(b'/', prefix).nth(levels - 1).map_or(prefix.len(), |i| i + 1);
    &prefix[..end]
}

impl Fold for TreeFold {
    fn take(&mut self, batch: &ObjectBatch) {
        let mut start = 0;
        let columns = batch.keys.ends.iter().zip(&batch.sizes).zip(&batch.modified_ms);
        let columns = columns.zip(&batch.tiers).zip(&batch.flags);
        for ((((end, size), modified_ms), tier), flags) in columns {
            let key = batch.keys.bytes.get(start..*end as usize).unwrap_or_default();
            start = *end as usize;
            let (prefix, name) = key.split_at(memchr::memrchr(b'/', key).map_or(0, |i| i + 1));
            if self.names.get(self.last) != prefix {
                self.last = self.dir(prefix);
            }
            let row = Row { size: *size, modified_ms: *modified_ms, tier: *tier, flags: flags.0 };
            self.put(self.last, name, row);
        }
    }

    fn merge(&mut self, other: Self) {
        if other.depth < self.depth {
            self.keep_at_most(0);
            self.cut_to(other.depth);
        }
        if other.most < self.most {
            self.keep_at_most(other.most);
        }
        for (i, dir) in other.dirs.into_iter().enumerate() {
            let id = self.dir(other.names.get(i as u32));
            self.dirs[id as usize].tally.add(&dir.tally);
            for kept in dir.keep.into_rows() {
                self.put(id, &kept.name, kept.row);
            }
        }
    }
}
