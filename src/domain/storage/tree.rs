//! A tree of prefixes with the sums of each: what the explorer walks.

use serde::{Deserialize, Serialize};

use super::sums::Sums;
use super::sums_pack::{pack, unpack};

/// Id of a node in a [`PrefixTree`]; 0 is the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub u32);

/// Kind of a node in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum NodeKind {
    /// A prefix that ends with `/`.
    Prefix,
    /// One object with all its versions.
    Object,
    /// All children of the parent that are too small for nodes of their own.
    Rest,
}

/// Tree of prefixes with the sums of each, pruned to what a screen can show: small children of a prefix are merged into
/// one node, [`NodeKind::Rest`]. Nothing is lost from the sums: those of the children add up to that of the prefix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrefixTree {
    /// Names, one after the other, raw key bytes.
    #[serde(with = "raw")]
    names: Vec<u8>,
    nodes: Vec<Node>,
    /// Sums, packed, one after the other: a directory has few tiers and few bins.
    #[serde(with = "raw")]
    sums: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Node {
    /// Where its name ends in `names`; it begins where that of the node before ends.
    name_end: u32,
    /// End of the node's stretch in `sums`.
    sums_end: u32,
    parent: u32,
    /// Children lie side by side, most bytes first.
    first_child: u32,
    children: u32,
    kind: NodeKind,
    bytes: u64,
    objects: u64,
}

impl PrefixTree {
    /// The root: the whole list.
    pub const ROOT: NodeId = NodeId(0);

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True without any node, not even a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Last part of the key, raw bytes: `checkpoint-500/`, `part-0001.tar`; empty for the root and
    /// for [`NodeKind::Rest`].
    pub fn name(&self, id: NodeId) -> &[u8] {
        self.slice(&self.names, id, |n| n.name_end)
    }

    /// Whole prefix or key of a node, raw bytes; empty for the root.
    pub fn path(&self, id: NodeId) -> Vec<u8> {
        let mut parts = Vec::new();
        let mut at = id;
        while at != Self::ROOT {
            parts.push(self.name(at));
            let Some(parent) = self.parent(at) else { break };
            at = parent;
        }
        parts.iter().rev().flat_map(|p| p.iter().copied()).collect()
    }

    /// Parent of a node; `None` for the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        if id == Self::ROOT {
            return None;
        }
        // A parent lies before its children; one that does not comes from a damaged file.
        self.nodes.get(id.0 as usize).filter(|n| n.parent < id.0).map(|n| NodeId(n.parent))
    }

    /// Kind of a node; [`NodeKind::Rest`] for an unknown id.
    pub fn kind(&self, id: NodeId) -> NodeKind {
        self.nodes.get(id.0 as usize).map_or(NodeKind::Rest, |n| n.kind)
    }

    /// Children of a node, most bytes first.
    pub fn children(&self, id: NodeId) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        let (first, count) =
            self.nodes.get(id.0 as usize).map_or((0, 0), |n| (n.first_child, n.children));
        (first..first.saturating_add(count)).map(NodeId)
    }

    /// Sums of a node and everything below it. Unpacked on each call: [`PrefixTree::bytes`] and [`PrefixTree::objects`]
    /// are faster for sorting.
    pub fn sums(&self, id: NodeId) -> Sums {
        unpack(self.slice(&self.sums, id, |n| n.sums_end))
    }

    /// Bytes of a node, versions included: [`Sums::all_bytes`] without unpacking.
    pub fn bytes(&self, id: NodeId) -> u64 {
        self.nodes.get(id.0 as usize).map_or(0, |n| n.bytes)
    }

    /// Number of objects of a node, versions included: [`Sums::all_objects`] without unpacking.
    pub fn objects(&self, id: NodeId) -> u64 {
        self.nodes.get(id.0 as usize).map_or(0, |n| n.objects)
    }

    /// Node of a prefix or key; `None` when it was pruned or never existed.
    pub fn find(&self, path: &[u8]) -> Option<NodeId> {
        let mut at = Self::ROOT;
        let mut rest = path;
        while !rest.is_empty() {
            let len = memchr::memchr(b'/', rest).map_or(rest.len(), |i| i + 1);
            let (name, after) = rest.split_at(len);
            at = self.children(at).find(|c| self.name(*c) == name)?;
            rest = after;
        }
        Some(at)
    }

    /// Approximate memory of the tree, bytes.
    pub fn memory(&self) -> usize {
        self.names.len() + self.sums.len() + self.nodes.len() * size_of::<Node>()
    }

    fn slice<'a>(&self, all: &'a [u8], id: NodeId, end: fn(&Node) -> u32) -> &'a [u8] {
        let i = id.0 as usize;
        let Some(node) = self.nodes.get(i) else { return &[] };
        let start = if i == 0 { 0 } else { end(&self.nodes[i - 1]) };
        all.get(start as usize..end(node) as usize).unwrap_or_default()
    }
}

/// Builds a [`PrefixTree`] level by level: the children of each node side by side, those of an earlier node before
/// those of a later one.
#[derive(Debug)]
pub struct TreeBuilder {
    tree: PrefixTree,
}

impl TreeBuilder {
    /// Starts with the root, whose sums are `sums`.
    pub fn new(sums: &Sums) -> Self {
        let tree = PrefixTree { names: vec![], nodes: vec![], sums: vec![] };
        let mut builder = Self { tree };
        builder.push(0, b"", NodeKind::Prefix, sums);
        builder
    }

    /// Appends a child of `parent`; all children of a parent are pushed one after the other. `None` when the tree is
    /// full: 4 GiB of names or sums.
    pub fn child(
        &mut self,
        parent: NodeId,
        name: &[u8],
        kind: NodeKind,
        sums: &Sums,
    ) -> Option<NodeId> {
        let id = self.push(parent.0, name, kind, sums)?;
        if let Some(above) = self.tree.nodes.get_mut(parent.0 as usize) {
            if above.children == 0 {
                above.first_child = id.0;
            }
            above.children += 1;
        }
        Some(id)
    }

    /// The finished tree.
    pub fn finish(self) -> PrefixTree {
        self.tree
    }

    fn push(&mut self, parent: u32, name: &[u8], kind: NodeKind, sums: &Sums) -> Option<NodeId> {
        let tree = &mut self.tree;
        let id = u32::try_from(tree.nodes.len()).ok()?;
        let name_end = u32::try_from(tree.names.len() + name.len()).ok()?;
        let before = tree.sums.len();
        pack(sums, &mut tree.sums);
        let Ok(sums_end) = u32::try_from(tree.sums.len()) else {
            tree.sums.truncate(before);
            return None;
        };
        tree.names.extend_from_slice(name);
        tree.nodes.push(Node {
            name_end,
            sums_end,
            parent,
            first_child: 0,
            children: 0,
            kind,
            bytes: sums.all_bytes(),
            objects: sums.all_objects(),
        });
        Some(NodeId(id))
    }
}

/// Bytes as one run, not as a sequence of numbers.
mod raw {
    use std::fmt;

    use serde::de::Visitor;
    use serde::{Deserializer, Serializer};

    /// Writes the bytes as one byte string, not as a sequence of numbers.
    ///
    /// # Errors
    /// Those of the serializer.
    pub(super) fn serialize<S: Serializer>(bytes: &[u8], out: S) -> Result<S::Ok, S::Error> {
        out.serialize_bytes(bytes)
    }

    /// Reads a byte string.
    ///
    /// # Errors
    /// The format's, for anything else than bytes.
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        from.deserialize_byte_buf(Bytes)
    }

    struct Bytes;

    impl Visitor<'_> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }

        fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
            Ok(bytes)
        }
    }
}
