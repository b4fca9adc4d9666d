//! Directories become a tree: what lies above is added up, what is small is counted together.

use super::tally::{Row, Tally};
use super::{Dirs, TreeFold, TreeLimits};
use crate::domain::storage::{NodeId, NodeKind, PrefixTree, TreeBuilder};

/// A prefix; the root is the first, and each lies behind the one that holds it.
struct Node {
    parent: usize,
    depth: usize,
    /// Directory that has the bytes of the name, and where in them.
    dir: u32,
    name: (usize, usize),
    /// Directory of the node, when a row lies directly in it.
    own: Option<u32>,
    /// Everything below and in it.
    total: Tally,
    leaves: Vec<Leaf>,
    children: Vec<usize>,
    wanted: bool,
}

/// An object that is shown by name: the rows of its versions that were kept.
struct Leaf {
    name: Box<[u8]>,
    rows: Vec<Row>,
    wanted: bool,
}

impl Leaf {
    fn bytes(&self) -> u64 {
        self.rows.iter().map(|r| r.size).sum()
    }
}

/// The tree of a fold.
pub(super) fn build(mut fold: TreeFold) -> PrefixTree {
    let mut nodes = prefixes(&fold.names);
    let mut own: Vec<Option<Tally>> = Vec::with_capacity(fold.dirs.len());
    let mut kept = Vec::with_capacity(fold.dirs.len());
    for dir in fold.dirs.drain(..) {
        own.push(Some(dir.tally));
        kept.push(Some(dir.keep));
    }
    for node in &mut nodes {
        let Some(id) = node.own.map(|id| id as usize) else { continue };
        if let Some(tally) = &own[id] {
            node.total.add(tally);
        }
        let rows = kept[id].take().map(super::Keep::into_rows).unwrap_or_default();
        rows.iter().for_each(|kept| node.total.count(kept.row, fold.listed_ms));
        node.leaves = leaves(rows);
    }
    for i in (1..nodes.len()).rev() {
        let (above, below) = nodes.split_at_mut(i);
        let parent = below[0].parent;
        above[parent].total.add(&below[0].total);
        above[parent].children.push(i);
    }
    choose(&mut nodes, &fold.limits);
    write(&nodes, &fold.names, &own, fold.listed_ms)
}

/// All prefixes of the directories, in the order of their bytes.
fn prefixes(names: &Dirs) -> Vec<Node> {
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    order.sort_unstable_by(|a, b| names.get(*a).cmp(names.get(*b)));
    let node = |parent, depth, dir, name| Node {
        parent,
        depth,
        dir,
        name,
        own: None,
        total: Tally::default(),
        leaves: vec![],
        children: vec![],
        wanted: false,
    };
    let mut nodes = vec![node(0, 0, 0, (0, 0))];
    // From the root down to the prefix before: number and end of each.
    let mut open = vec![(0, 0)];
    let mut before: &[u8] = b"";
    for dir in order {
        let prefix = names.get(dir);
        let common = before.iter().zip(prefix).take_while(|(a, b)| a == b).count();
        while open.len() > 1 && open.last().is_some_and(|(_, end)| *end > common) {
            open.pop();
        }
        let (mut parent, mut start) = open.last().copied().unwrap_or((0, 0));
        let base = start;
        for slash in memchr::memchr_iter(b'/', &prefix[base..]) {
            let end = base + slash + 1;
            nodes.push(node(parent, open.len(), dir, (start, end)));
            parent = nodes.len() - 1;
            start = end;
            open.push((parent, end));
        }
        nodes[parent].own = Some(dir);
        before = prefix;
    }
    nodes
}

/// Rows by name.
fn leaves(mut rows: Vec<super::keep::Kept>) -> Vec<Leaf> {
    rows.sort_unstable_by(|a, b| a.name.cmp(&b.name).then_with(|| a.row.cmp(&b.row)));
    let mut leaves: Vec<Leaf> = Vec::with_capacity(rows.len());
    for kept in rows {
        match leaves.last_mut() {
            Some(leaf) if leaf.name == kept.name => leaf.rows.push(kept.row),
            _ => leaves.push(Leaf { name: kept.name, rows: vec![kept.row], wanted: false }),
        }
    }
    leaves
}

/// Marks what becomes a node of its own: the largest, so many as may be. Whatever holds a node is
/// at least as large and comes before it, so that no node is without the ones above.
fn choose(nodes: &mut [Node], limits: &TreeLimits) {
    let (bytes, rows) = (nodes[0].total.bytes(), nodes[0].total.rows());
    let is_large = |b: u64, r: u64| {
        limits.min_share <= 0.0
            || b as f64 >= limits.min_share * bytes as f64
            || r as f64 >= limits.min_share * rows as f64
    };
    // Bytes and rows, largest first; then the higher one; then by the order of the names.
    let mut all = Vec::new();
    for (i, node) in nodes.iter().enumerate().skip(1) {
        let size = (node.total.bytes(), node.total.rows());
        if is_large(size.0, size.1) {
            all.push((std::cmp::Reverse(size), node.depth, i, None));
        }
    }
    for (i, node) in nodes.iter().enumerate() {
        for (l, leaf) in node.leaves.iter().enumerate() {
            let size = (leaf.bytes(), leaf.rows.len() as u64);
            if is_large(size.0, size.1) {
                all.push((std::cmp::Reverse(size), node.depth + 1, i, Some(l)));
            }
        }
    }
    if all.len() > limits.nodes {
        all.select_nth_unstable(limits.nodes);
        all.truncate(limits.nodes);
    }
    for (_, _, i, leaf) in all {
        match leaf {
            None => nodes[i].wanted = true,
            Some(l) => nodes[i].leaves[l].wanted = true,
        }
    }
}

/// Child of a prefix.
enum Child {
    Prefix(usize),
    Leaf,
    Rest,
}

fn write(nodes: &[Node], names: &Dirs, own: &[Option<Tally>], listed_ms: i64) -> PrefixTree {
    let mut builder = TreeBuilder::new(&nodes[0].total.sums());
    let mut level = std::collections::VecDeque::from([(0, PrefixTree::ROOT)]);
    while let Some((i, id)) = level.pop_front() {
        let node = &nodes[i];
        let mut rest = node.own.and_then(|dir| own[dir as usize].clone()).unwrap_or_default();
        let mut children = Vec::new();
        for child in &node.children {
            let below = &nodes[*child];
            if below.wanted {
                let name = &names.get(below.dir)[below.name.0..below.name.1];
                children.push((name, below.total.clone(), Child::Prefix(*child)));
            } else {
                rest.add(&below.total);
            }
        }
        for leaf in &node.leaves {
            let mut tally = Tally::default();
            leaf.rows.iter().for_each(|row| tally.count(*row, listed_ms));
            if leaf.wanted {
                children.push((&leaf.name, tally, Child::Leaf));
            } else {
                rest.add(&tally);
            }
        }
        if rest.rows() > 0 {
            children.push((b"", rest, Child::Rest));
        }
        children.sort_unstable_by(|a, b| {
            let size = |t: &Tally| (t.bytes(), t.rows());
            size(&b.1).cmp(&size(&a.1)).then_with(|| a.0.cmp(b.0))
        });
        for (name, tally, child) in children {
            let (kind, next) = match child {
                Child::Prefix(next) => (NodeKind::Prefix, Some(next)),
                Child::Leaf => (NodeKind::Object, None),
                Child::Rest => (NodeKind::Rest, None),
            };
            let made: Option<NodeId> = builder.child(id, name, kind, &tally.sums());
            if let (Some(next), Some(made)) = (next, made) {
                level.push_back((next, made));
            }
        }
    }
    builder.finish()
}
