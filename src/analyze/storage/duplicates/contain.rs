//! How much of each side of a pair is also on the other: exactly, from all classes of equal
//! objects, whichever of them is the original.

use std::collections::HashMap;

use super::matches::Member;
use super::rollup::Group;
use super::tree::{Rank, Tree};
use crate::domain::hash::FastHasher;

/// No prefix.
const NONE: u32 = u32::MAX;

/// For each pair the bytes of A with an equal object in B, and of B with one in A.
pub(super) fn shared(groups: &[Group], members: &[Member], tree: &Tree) -> Vec<(u64, u64)> {
    let mut out = vec![(0u64, 0u64); groups.len()];
    let prefixes = Prefixes::new(groups, tree);
    let mut counts = vec![0u64; prefixes.ranks.len()];
    let mut touched: Vec<u32> = Vec::new();
    for class in members.split_inclusive(Member::is_last) {
        let Some(size) = class.first().map(|m| m.size) else { continue };
        for member in class {
            let mut p = prefixes.lowest[member.dir as usize];
            while p != NONE {
                if counts[p as usize] == 0 {
                    touched.push(p);
                }
                counts[p as usize] += member.count();
                p = prefixes.next[p as usize];
            }
        }
        for p in &touched {
            for (g, b) in &prefixes.pairs[*p as usize] {
                let (mut in_a, mut in_b) = (counts[*p as usize], counts[*b as usize]);
                let group = &groups[*g];
                if group.a == group.b {
                    // Within one prefix: what has an equal beside it.
                    if in_a > 1 {
                        out[*g].0 += in_a * size;
                        out[*g].1 += in_a * size;
                    }
                    continue;
                }
                if tree.is_within(group.b, group.a) {
                    in_a -= in_b;
                } else if tree.is_within(group.a, group.b) {
                    in_b -= in_a;
                }
                if in_a > 0 && in_b > 0 {
                    out[*g].0 += in_a * size;
                    out[*g].1 += in_b * size;
                }
            }
        }
        for p in touched.drain(..) {
            counts[p as usize] = 0;
        }
    }
    out
}

/// The prefixes that pairs name.
struct Prefixes {
    ranks: Vec<Rank>,
    /// By directory: the lowest of them that holds it.
    lowest: Vec<u32>,
    /// By prefix: the next one above.
    next: Vec<u32>,
    /// By prefix: the pairs in which it is A, each with its B.
    pairs: Vec<Vec<(usize, u32)>>,
}

impl Prefixes {
    fn new(groups: &[Group], tree: &Tree) -> Self {
        let mut ranks: Vec<Rank> = groups.iter().flat_map(|g| [g.a, g.b]).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let of: HashMap<Rank, u32, FastHasher> =
            ranks.iter().enumerate().map(|(i, r)| (*r, i as u32)).collect();
        let mut lowest = vec![NONE; tree.len()];
        let mut next = vec![NONE; ranks.len()];
        // A parent comes before what is below it.
        for r in 0..tree.len() {
            let above = if r == 0 { NONE } else { lowest[tree.parent(r as Rank) as usize] };
            lowest[r] = match of.get(&(r as Rank)) {
                Some(p) => {
                    next[*p as usize] = above;
                    *p
                }
                None => above,
            };
        }
        let mut pairs = vec![Vec::new(); ranks.len()];
        for (g, group) in groups.iter().enumerate() {
            if let (Some(a), Some(b)) = (of.get(&group.a), of.get(&group.b)) {
                pairs[*a as usize].push((g, *b));
            }
        }
        Self { ranks, lowest, next, pairs }
    }
}
