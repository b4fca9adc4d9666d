//! Walking a tree of prefixes: where one is, and the rows there.

use std::sync::Arc;

use super::prefix::{PrefixRow, prefix_rows};
use crate::analyze::storage::price::Rates;
use crate::domain::storage::{NodeId, PrefixTree, Scan};
use crate::domain::text::clean;

/// One level of the way down.
#[derive(Clone, Debug)]
pub struct Level {
    /// The node whose children are shown.
    pub node: NodeId,
    /// Name of the node in the breadcrumb; clean text.
    pub name: Arc<str>,
    /// Children of the node.
    pub rows: Arc<[Arc<PrefixRow>]>,
}

/// A walk through a list: from its root to where one is. The rows of each level are made once.
#[derive(Clone, Debug)]
pub struct Explorer {
    scan: Arc<Scan>,
    rates: Option<Arc<Rates>>,
    /// From the root on; never empty.
    levels: Vec<Level>,
    /// Grows with each step down or up.
    version: u64,
}

impl Explorer {
    /// Begins at the root of a list, priced at `rates`.
    pub fn new(scan: Arc<Scan>, rates: Option<Arc<Rates>>) -> Self {
        Self::after(0, scan, rates)
    }

    /// Like [`Self::new`], with versions above `version`, that of another walk.
    pub fn after(version: u64, scan: Arc<Scan>, rates: Option<Arc<Rates>>) -> Self {
        let root = PrefixTree::ROOT;
        let rows = prefix_rows(&scan.tree, root, rates.as_deref()).into();
        let name = clean(&scan.bucket).into();
        let levels = vec![Level { node: root, name, rows }];
        Self { scan, rates, levels, version: version + 1 }
    }

    /// The list.
    pub fn scan(&self) -> &Arc<Scan> {
        &self.scan
    }

    /// Rates that the dollars are computed with; `None` without prices.
    pub fn rates(&self) -> Option<&Arc<Rates>> {
        self.rates.as_ref()
    }

    /// The level on screen.
    pub fn here(&self) -> &Level {
        // Never empty: the root stays.
        &self.levels[self.levels.len() - 1]
    }

    /// Tells one level from another.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Levels below the root.
    pub fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    /// Goes into a row; false when there is nothing below it.
    pub fn enter(&mut self, node: NodeId) -> bool {
        let tree = &self.scan.tree;
        let is_here = tree.parent(node) == Some(self.here().node);
        if !is_here || tree.children(node).len() == 0 {
            return false;
        }
        let rows = prefix_rows(tree, node, self.rates.as_deref()).into();
        let name: Arc<str> = clean(&String::from_utf8_lossy(tree.name(node))).into();
        self.levels.push(Level { node, name, rows });
        self.version += 1;
        true
    }

    /// Goes up; the node that was left, `None` at the root.
    pub fn leave(&mut self) -> Option<NodeId> {
        if self.levels.len() < 2 {
            return None;
        }
        self.version += 1;
        self.levels.pop().map(|level| level.node)
    }

    /// Goes to a prefix, as deep as the tree knows it; true when all of it was found.
    pub fn go_to(&mut self, prefix: &[u8]) -> bool {
        let tree = self.scan.tree.clone();
        let mut way = Vec::new();
        let mut end = prefix.len();
        let mut found = None;
        while found.is_none() && end > 0 {
            found = tree.find(&prefix[..end]);
            end = prefix[..end - 1].iter().rposition(|b| *b == b'/').map_or(0, |i| i + 1);
        }
        let node = found.unwrap_or(PrefixTree::ROOT);
        let mut at = Some(node);
        while let Some(id) = at.filter(|id| *id != PrefixTree::ROOT) {
            way.push(id);
            at = tree.parent(id);
        }
        self.levels.truncate(1);
        self.version += 1;
        for id in way.into_iter().rev() {
            // An object has nothing below it: its directory is where it stands.
            if !self.enter(id) {
                break;
            }
        }
        tree.path(node) == prefix
    }

    /// The raw key of a row, for acting and copying.
    pub fn path(&self, node: NodeId) -> Vec<u8> {
        self.scan.tree.path(node)
    }

    /// The way down, from the name of the bucket on.
    pub fn way(&self) -> impl Iterator<Item = &str> {
        self.levels.iter().map(|level| &*level.name)
    }
}
