//! Rolls copied directories up to the highest prefixes that are copies, so that a copied tree is one pair.

use std::collections::HashMap;

use super::matches::Match;
use super::tree::{Rank, Tree};
use crate::domain::hash::FastHasher;
use crate::domain::storage::{Confidence, Tier};

/// A pair of prefixes is one finding when the copies make at least this share of the smaller side.
const HOLDS: f64 = 0.5;

/// … or when they are at least this many bytes: 1 GiB.
const WEIGHS: u64 = 1 << 30;

/// From so many copies within one series on (steps of a run that repeat the same files) they are
/// one finding of the prefix that holds the series.
const SERIES: usize = 3;

/// Pairs of directories that are followed one by one; beyond, the smallest count as scattered.
const FOLLOWED: usize = 2_000_000;

/// Copies between two prefixes; the same prefix twice for copies that are scattered within one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    /// Directory with most of the originals.
    pub(super) a: Rank,
    /// Directory with most of the copies.
    pub(super) b: Rank,
    pub(super) objects: u64,
    pub(super) bytes: u64,
    pub(super) tiers: [u64; Tier::COUNT],
    /// The weakest of them.
    pub(super) confidence: Confidence,
    /// Bytes whose original is in `a`.
    forward: u64,
}

/// Pair of prefixes in the order of paths.
type Key = (Rank, Rank);

fn key(a: Rank, b: Rank) -> Key {
    (a.min(b), a.max(b))
}

#[derive(Debug, Default)]
struct Node {
    bytes: u64,
    own: u64,
    children: Vec<u32>,
    has_parent: bool,
}

/// The pairs of a list of matches, most bytes first. Every match is in exactly one.
pub(super) fn roll_up(matches: &mut [Match], tree: &Tree) -> Vec<Group> {
    matches.sort_unstable_by_key(|m| {
        let (u, v) = key(m.original, m.copy);
        (u, v, m.original, m.tier, m.confidence, m.bytes, m.objects)
    });
    let leaf = |m: &Match| key(m.original, m.copy);
    let mut leaves: Vec<(Key, u64)> = matches
        .chunk_by(|a, b| leaf(a) == leaf(b))
        .map(|c| (leaf(&c[0]), c.iter().map(|m| m.bytes).sum()))
        .collect();
    let mut lifted: HashMap<Key, Key, FastHasher> = HashMap::default();
    if leaves.len() > FOLLOWED {
        leaves.sort_unstable_by_key(|(k, bytes)| (std::cmp::Reverse(*bytes), *k));
        leaves.truncate(FOLLOWED);
    }
    let chosen = choose(&leaves, tree);
    let moved = rolled_up(&chosen, tree);
    for (leaf, pair) in chosen.leaf_pair {
        lifted.insert(leaf, moved.get(&pair).copied().unwrap_or(pair));
    }
    let mut groups: HashMap<Key, Group, FastHasher> = HashMap::default();
    for m in matches {
        let pair = lifted.get(&leaf(m)).copied().unwrap_or_else(|| {
            let top = tree.common(m.original, m.copy);
            (top, top)
        });
        add(&mut groups, pair, m, tree);
    }
    let mut groups: Vec<Group> = groups.into_values().map(turned).collect();
    groups.sort_by_key(|g| (std::cmp::Reverse(g.bytes), g.a, g.b));
    groups
}

/// Which pair each leaf is part of, before small ones are put together.
struct Chosen {
    leaf_pair: Vec<(Key, Key)>,
    bytes: HashMap<Key, u64, FastHasher>,
}

/// Builds the trees of pairs (as long as the names on both sides are the same, relative keys stay
/// the same) and takes the highest that hold.
fn choose(leaves: &[(Key, u64)], tree: &Tree) -> Chosen {
    let mut nodes: Vec<Node> = Vec::new();
    let mut keys: Vec<Key> = Vec::new();
    let mut index: HashMap<Key, u32, FastHasher> = HashMap::default();
    let mut node = |k: Key, nodes: &mut Vec<Node>, keys: &mut Vec<Key>| -> (u32, bool) {
        let next = nodes.len() as u32;
        let id = *index.entry(k).or_insert(next);
        if id == next {
            nodes.push(Node::default());
            keys.push(k);
        }
        (id, id == next)
    };
    for (leaf, bytes) in leaves {
        let (mut id, _) = node(*leaf, &mut nodes, &mut keys);
        nodes[id as usize].own += bytes;
        nodes[id as usize].bytes += bytes;
        let mut at = *leaf;
        while let Some(up) = above(at, tree) {
            let (parent, _) = node(up, &mut nodes, &mut keys);
            if !nodes[id as usize].has_parent {
                nodes[id as usize].has_parent = true;
                nodes[parent as usize].children.push(id);
            }
            nodes[parent as usize].bytes += bytes;
            (id, at) = (parent, up);
        }
    }
    let mut chosen = Chosen { leaf_pair: Vec::new(), bytes: HashMap::default() };
    // (node, the pair that has been taken above it)
    let mut stack: Vec<(u32, Option<Key>)> = (0..nodes.len() as u32)
        .filter(|i| !nodes[*i as usize].has_parent)
        .map(|i| (i, None))
        .collect();
    while let Some((id, taken)) = stack.pop() {
        let (n, k) = (&nodes[id as usize], keys[id as usize]);
        let take = taken.or_else(|| {
            let parts = n.children.len() + usize::from(n.own > 0);
            let is_leaf = n.children.is_empty();
            (is_leaf || n.own * 2 >= n.bytes || parts > 1 && holds(n.bytes, k, tree)).then_some(k)
        });
        if n.own > 0 {
            // Few objects beside subtrees that are taken one by one: not a pair around those.
            let pair = take.unwrap_or_else(|| {
                let top = tree.common(k.0, k.1);
                (top, top)
            });
            chosen.leaf_pair.push((k, pair));
            *chosen.bytes.entry(pair).or_default() += n.own;
        }
        stack.extend(n.children.iter().map(|c| (*c, take)));
    }
    chosen
}

/// Pair of the parent directories; `None` when the last parts of both differ.
fn above((u, v): Key, tree: &Tree) -> Option<Key> {
    let can = u != v && u != 0 && v != 0 && tree.name(u) == tree.name(v);
    can.then(|| key(tree.parent(u), tree.parent(v)))
}

/// True when `bytes` are a good part of the smaller side.
fn holds(bytes: u64, (u, v): Key, tree: &Tree) -> bool {
    let (a, b) = tree.sides(u, v);
    bytes as f64 >= HOLDS * a.min(b).max(1) as f64
}

/// Where pairs go that are no finding of their own: little, and little of either side; or many
/// within one series.
fn rolled_up(chosen: &Chosen, tree: &Tree) -> HashMap<Key, Key, FastHasher> {
    let in_series = |(u, v): Key| u != v && tree.series(u) == tree.series(v);
    let mut of_series: HashMap<Rank, usize, FastHasher> = HashMap::default();
    for pair in chosen.bytes.keys().filter(|k| in_series(**k)) {
        *of_series.entry(tree.common(pair.0, pair.1)).or_default() += 1;
    }
    let scattered = |pair: Key, bytes: u64| {
        let holds = holds(bytes, pair, tree);
        let top = tree.common(pair.0, pair.1);
        let many = in_series(pair) && of_series.get(&top).is_some_and(|n| *n >= SERIES);
        (many || !holds && (bytes < WEIGHS || in_series(pair))).then_some((top, top))
    };
    let moved = chosen.bytes.iter().filter(|((u, v), _)| u != v);
    moved.filter_map(|(pair, bytes)| Some((*pair, scattered(*pair, *bytes)?))).collect()
}

fn add(groups: &mut HashMap<Key, Group, FastHasher>, pair: Key, m: &Match, tree: &Tree) {
    let group = groups.entry(pair).or_insert(Group {
        a: pair.0,
        b: pair.1,
        objects: 0,
        bytes: 0,
        tiers: [0; Tier::COUNT],
        confidence: m.confidence,
        forward: 0,
    });
    group.objects += u64::from(m.objects);
    group.bytes += m.bytes;
    group.tiers[m.tier.index()] += m.bytes;
    group.confidence = group.confidence.max(m.confidence);
    // Where one lies within the other, what is in the inner one is not in the outer one.
    let (u, v) = pair;
    let in_first = tree.is_within(m.original, u)
        && !(u != v && tree.is_within(v, u) && tree.is_within(m.original, v));
    group.forward += if in_first { m.bytes } else { 0 };
}

/// Turned so that `a` has most of the originals.
fn turned(mut group: Group) -> Group {
    if group.forward * 2 < group.bytes {
        std::mem::swap(&mut group.a, &mut group.b);
        group.forward = group.bytes - group.forward;
    }
    group
}
