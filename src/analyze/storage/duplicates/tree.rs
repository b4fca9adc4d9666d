//! Directories in the order of their paths, when all rows are in: numbers that do not depend on
//! how they came in, and what is known of each.

use super::dirs::{DirId, Dirs, hash_of};
use super::rows::{Rows, UNKNOWN};

/// A directory by its place in the order of paths, a parent before all below it; the root is 0.
pub(super) type Rank = u32;

/// Directories by rank.
#[derive(Debug)]
pub(super) struct Tree {
    dirs: Dirs,
    id: Vec<DirId>,
    parent: Vec<Rank>,
    /// One past the last directory below.
    end: Vec<Rank>,
    /// Bytes of the objects of all directories before, so that a subtree is a difference.
    before: Vec<u64>,
    /// Oldest object of the directory itself, seconds; [`UNKNOWN`].
    oldest: Vec<u32>,
    /// Newest object below, seconds; 0 when none is known.
    newest: Vec<u32>,
    /// Hash of the path with every run of digits taken for the same: `checkpoint-500/` and
    /// `checkpoint-1000/` have one.
    series: Vec<u64>,
    /// Hash of those digits.
    digits: Vec<u64>,
}

impl Tree {
    /// Orders the directories, and gives the rows their ranks.
    pub(super) fn new(dirs: Dirs, rows: &mut Rows) -> Self {
        let count = dirs.len();
        let (id, end, rank) = order(&dirs);
        let parent: Vec<Rank> = id.iter().map(|d| rank[dirs.parent(*d) as usize]).collect();
        // Side by side: rows come in no order of directories, and each look is one into memory.
        let mut own = vec![(0u64, UNKNOWN, 0u32); count];
        for row in rows.iter_mut() {
            row.dir = rank[row.dir as usize];
            let (bytes, oldest, newest) = &mut own[row.dir as usize];
            *bytes = bytes.saturating_add(row.size());
            *oldest = row.when.min(*oldest);
            if row.when != UNKNOWN {
                *newest = row.when.max(*newest);
            }
        }
        drop(rank);
        let oldest = own.iter().map(|own| own.1).collect();
        let mut newest: Vec<u32> = own.iter().map(|own| own.2).collect();
        for r in (1..count).rev() {
            let above = parent[r] as usize;
            newest[above] = newest[above].max(newest[r]);
        }
        let mut before = Vec::with_capacity(count + 1);
        let mut sum = 0u64;
        before.push(0);
        for (bytes, ..) in own {
            sum = sum.saturating_add(bytes);
            before.push(sum);
        }
        let mut series = vec![0u64; count];
        let mut digits = vec![0u64; count];
        for r in 1..count {
            let above = parent[r] as usize;
            let (plain, numbers) = normal(dirs.name(id[r]));
            series[r] = chain(series[above], &plain);
            digits[r] = chain(digits[above], &numbers);
        }
        Self { dirs, id, parent, end, before, oldest, newest, series, digits }
    }

    pub(super) fn parent(&self, r: Rank) -> Rank {
        self.parent[r as usize]
    }

    pub(super) fn name(&self, r: Rank) -> &[u8] {
        self.dirs.name(self.id[r as usize])
    }

    pub(super) fn path(&self, r: Rank) -> Vec<u8> {
        self.dirs.path(self.id[r as usize])
    }

    /// Number of directories.
    pub(super) fn len(&self) -> usize {
        self.id.len()
    }

    /// True when `r` is `above` or lies below it.
    pub(super) fn is_within(&self, r: Rank, above: Rank) -> bool {
        (above..self.end[above as usize]).contains(&r)
    }

    /// Bytes of everything compared in and below a directory.
    pub(super) fn bytes(&self, r: Rank) -> u64 {
        self.before[self.end[r as usize] as usize] - self.before[r as usize]
    }

    /// Bytes of each side of a pair. Where one lies within the other, the outer one is what is
    /// left of it without the inner one.
    pub(super) fn sides(&self, a: Rank, b: Rank) -> (u64, u64) {
        let (all_a, all_b) = (self.bytes(a), self.bytes(b));
        if a == b {
            (all_a, all_b)
        } else if self.is_within(b, a) {
            (all_a - all_b, all_b)
        } else if self.is_within(a, b) {
            (all_a, all_b - all_a)
        } else {
            (all_a, all_b)
        }
    }

    /// The age of a directory, by which the older of two is told: its oldest object, then its path.
    pub(super) fn age(&self, r: Rank) -> (u32, Rank) {
        (self.oldest[r as usize], r)
    }

    /// Newest object below, ms since 1970; `i64::MIN` when not known.
    pub(super) fn newest_ms(&self, r: Rank) -> i64 {
        match self.newest[r as usize] {
            0 => i64::MIN,
            seconds => i64::from(seconds) * 1000,
        }
    }

    /// What directories have in common whose paths differ in digits alone.
    pub(super) fn series(&self, r: Rank) -> u64 {
        self.series[r as usize]
    }

    /// Those digits.
    pub(super) fn digits(&self, r: Rank) -> u64 {
        self.digits[r as usize]
    }

    /// The lowest directory that holds both.
    pub(super) fn common(&self, mut a: Rank, mut b: Rank) -> Rank {
        while a != b {
            if a > b {
                a = self.parent(a);
            } else {
                b = self.parent(b);
            }
        }
        a
    }
}

/// Directories in the order of paths, the end of each one's subtree, and each one's place.
fn order(dirs: &Dirs) -> (Vec<DirId>, Vec<Rank>, Vec<Rank>) {
    let count = dirs.len();
    // Children side by side, by counting.
    let mut first = vec![0u32; count + 1];
    for id in 1..count {
        first[dirs.parent(id as DirId) as usize + 1] += 1;
    }
    for i in 0..count {
        first[i + 1] += first[i];
    }
    let mut fill = first.clone();
    let mut children = vec![0 as DirId; count.saturating_sub(1)];
    for id in 1..count {
        let slot = &mut fill[dirs.parent(id as DirId) as usize];
        children[*slot as usize] = id as DirId;
        *slot += 1;
    }
    drop(fill);
    for id in 0..count {
        children[first[id] as usize..first[id + 1] as usize]
            .sort_unstable_by(|a, b| dirs.name(*a).cmp(dirs.name(*b)));
    }
    let mut id_of = Vec::with_capacity(count);
    let mut end = vec![0 as Rank; count];
    let mut rank = vec![0 as Rank; count];
    // Down, and once more past it when all below are done.
    let mut stack = vec![(0 as DirId, false)];
    while let Some((id, done)) = stack.pop() {
        if done {
            end[rank[id as usize] as usize] = id_of.len() as Rank;
            continue;
        }
        rank[id as usize] = id_of.len() as Rank;
        id_of.push(id);
        stack.push((id, true));
        let below = &children[first[id as usize] as usize..first[id as usize + 1] as usize];
        stack.extend(below.iter().rev().map(|c| (*c, false)));
    }
    (id_of, end, rank)
}

/// A name with each run of digits made one `#`, and those digits.
fn normal(name: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut plain = Vec::with_capacity(name.len());
    let mut digits = Vec::new();
    let mut in_digits = false;
    for b in name {
        if b.is_ascii_digit() {
            if !in_digits {
                plain.push(b'#');
                digits.push(b'.');
            }
            digits.push(*b);
        } else {
            plain.push(*b);
        }
        in_digits = b.is_ascii_digit();
    }
    (plain, digits)
}

fn chain(above: u64, part: &[u8]) -> u64 {
    if part.is_empty() {
        return above;
    }
    above.rotate_left(23).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ hash_of(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::storage::Tier;

    fn tree(paths: &[&str]) -> Tree {
        let mut dirs = Dirs::default();
        let mut rows = Rows::default();
        for (i, path) in paths.iter().enumerate() {
            let dir = dirs.intern(path.as_bytes());
            let when = if i == 0 { UNKNOWN } else { 100 - i as u32 };
            rows.push(super::super::rows::Row::new(
                10 + i as u64,
                None,
                Tier::Standard,
                0,
                dir,
                when,
            ));
        }
        Tree::new(dirs, &mut rows)
    }

    fn rank(tree: &Tree, path: &str) -> Rank {
        (0..tree.len() as Rank).find(|r| tree.path(*r) == path.as_bytes()).unwrap()
    }

    #[test]
    fn the_order_is_that_of_paths_whatever_came_first() {
        let paths = ["b/c/", "a/x/2/", "a/", "b/", "a/x/1/"];
        let one = tree(&paths);
        let mut turned = paths;
        turned.reverse();
        let two = tree(&turned);
        let all = |t: &Tree| (0..t.len() as Rank).map(|r| t.path(r)).collect::<Vec<_>>();
        assert_eq!(all(&one), all(&two));
        assert!(all(&one).is_sorted());
        let (a, x, ax1, ax2) =
            (rank(&one, "a/"), rank(&one, "a/x/"), rank(&one, "a/x/1/"), rank(&one, "a/x/2/"));
        assert!(one.is_within(ax1, a) && one.is_within(a, a) && !one.is_within(a, ax1));
        assert!(!one.is_within(rank(&one, "b/"), a));
        assert_eq!(one.common(ax1, ax2), x);
        assert_eq!(one.common(ax1, a), a);
        assert_eq!(one.common(ax1, rank(&one, "b/c/")), 0);
        // 11 + 12 + 14 bytes below a/, 10 + 13 below b/.
        assert_eq!((one.bytes(a), one.bytes(rank(&one, "b/")), one.bytes(0)), (37, 23, 60));
        assert_eq!(one.sides(a, ax1), (23, 14));
        assert_eq!(one.sides(ax1, a), (14, 23));
        assert_eq!(one.newest_ms(a), 99_000);
        assert_eq!(one.newest_ms(rank(&one, "b/c/")), i64::MIN);
    }

    #[test]
    fn steps_of_a_run_are_one_series() {
        let t = tree(&[
            "r/checkpoint-500/global_step500/",
            "r/checkpoint-1000/global_step1000/",
            "s/checkpoint-500/global_step500/",
        ]);
        let (a, b, c) = (
            rank(&t, "r/checkpoint-500/global_step500/"),
            rank(&t, "r/checkpoint-1000/global_step1000/"),
            rank(&t, "s/checkpoint-500/global_step500/"),
        );
        assert_eq!(t.series(a), t.series(b));
        assert_ne!(t.series(a), t.series(c));
        assert_ne!(t.digits(a), t.digits(b));
        assert_eq!(t.digits(a), t.digits(c));
    }
}
