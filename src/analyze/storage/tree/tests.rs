//! The fold against sums made the simple way.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::domain::storage::{NodeId, NodeKind, ObjectColumns, ObjectFlags, Sums, Tier};

const LISTED: i64 = 1_795_136_400_000;

type Line = (String, u64, i64, Tier, u16);

fn info() -> ListInfo {
    ListInfo { bucket: Arc::from("b"), listed_ms: LISTED, columns: ObjectColumns::default() }
}

fn batch(lines: &[Line]) -> ObjectBatch {
    let mut batch = ObjectBatch::default();
    for (key, size, modified, tier, flags) in lines {
        batch.keys.push(key.as_bytes());
        batch.sizes.push(*size);
        batch.modified_ms.push(*modified);
        batch.tiers.push(*tier);
        batch.flags.push(ObjectFlags(*flags));
    }
    batch
}

fn fold(lines: &[Line], limits: TreeLimits) -> TreeFold {
    let mut fold = TreeFold::new(&info(), limits);
    for part in lines.chunks(7) {
        fold.take(&batch(part));
    }
    fold
}

/// Every prefix of every key, the simple way.
fn naive(lines: &[Line]) -> HashMap<String, Sums> {
    let mut all: HashMap<String, Sums> = HashMap::new();
    for (key, size, modified, tier, flags) in lines {
        let ends = key.match_indices('/').map(|(i, _)| i + 1);
        for end in std::iter::once(0).chain(ends) {
            let sums = all.entry(key[..end].to_owned()).or_default();
            sums.count(*size, *modified, *tier, ObjectFlags(*flags), LISTED);
        }
    }
    all
}

fn walk(tree: &PrefixTree) -> Vec<NodeId> {
    (0..tree.len() as u32).map(NodeId).collect()
}

/// The children of every prefix add up to it.
fn assert_whole(tree: &PrefixTree) {
    for id in walk(tree) {
        let children = tree.children(id);
        if tree.kind(id) != NodeKind::Prefix || tree.sums(PrefixTree::ROOT) == Sums::default() {
            assert_eq!(children.len(), 0, "only prefixes have children");
            continue;
        }
        let mut sum = Sums::default();
        let mut before = u64::MAX;
        for child in children {
            let sums = tree.sums(child);
            assert!(sums.all_bytes() <= before, "most bytes first");
            before = sums.all_bytes();
            assert_eq!(tree.bytes(child), before);
            assert_eq!(tree.objects(child), sums.all_objects());
            assert_eq!(tree.parent(child), Some(id));
            sum.add(&sums);
        }
        assert_eq!(sum, tree.sums(id), "{}", String::from_utf8_lossy(&tree.path(id)));
    }
}

fn lines() -> impl Strategy<Value = Vec<Line>> {
    let part = prop::sample::select(vec!["a", "b", "ckpt-1", "", "x y"]);
    let name = prop::sample::select(vec!["f", "g", "part-1.tar", "", "f2"]);
    let key = (prop::collection::vec(part, 0..4), name).prop_map(|(parts, name)| {
        let mut key: String = parts.iter().flat_map(|p| [*p, "/"]).collect();
        key.push_str(name);
        key
    });
    let line = (
        key,
        prop_oneof![0u64..5, 0u64..1 << 40],
        prop_oneof![Just(i64::MIN), (0i64..900).prop_map(|d| LISTED - d * 86_400_000)],
        (0..Tier::COUNT).prop_map(|i| Tier::ALL[i]),
        prop_oneof![Just(0u16), 0u16..4, 0u16..256],
    );
    prop::collection::vec(line, 0..80)
}

proptest! {
    #[test]
    fn unpruned_it_is_the_simple_roll_up(lines in lines()) {
        let tree = fold(&lines, TreeLimits::default()).finish();
        assert_whole(&tree);
        let naive = naive(&lines);
        let mut seen = BTreeMap::new();
        for id in walk(&tree) {
            if tree.kind(id) == NodeKind::Prefix {
                let path = String::from_utf8(tree.path(id)).unwrap();
                prop_assert_eq!(tree.find(path.as_bytes()), Some(id));
                seen.insert(path, tree.sums(id));
            }
        }
        if lines.is_empty() {
            prop_assert_eq!(tree.len(), 1);
        } else {
            prop_assert_eq!(seen.into_iter().collect::<HashMap<_, _>>(), naive);
        }
    }

    #[test]
    fn neither_order_nor_cuts_nor_threads_matter(
        lines in lines(),
        seed in any::<u64>(),
        split in 0usize..80,
        nodes in 0usize..30,
        objects in 0usize..30,
        directories in 1usize..40,
        min_share in prop_oneof![Just(0.0), 0.0..0.2],
    ) {
        let limits = TreeLimits { nodes, objects, directories, min_share };
        let one = fold(&lines, limits).finish();
        assert_whole(&one);
        let wanted = walk(&one).iter().filter(|n| one.kind(**n) != NodeKind::Rest).count();
        prop_assert!(wanted <= nodes + 1);
        if !lines.is_empty() {
            let naive = naive(&lines);
            for id in walk(&one).into_iter().filter(|n| one.kind(*n) == NodeKind::Prefix) {
                let path = String::from_utf8(one.path(id)).unwrap();
                prop_assert_eq!(one.sums(id), naive[&path].clone());
            }
        }
        let mut other = lines.clone();
        fastrand::Rng::with_seed(seed).shuffle(&mut other);
        let split = split.min(other.len());
        let mut left = fold(&other[..split], limits);
        left.merge(fold(&other[split..], limits));
        prop_assert_eq!(&left.finish(), &one);
        let mut right = fold(&other[split..], limits);
        right.merge(fold(&other[..split], limits));
        prop_assert_eq!(&right.finish(), &one);
    }

    #[test]
    fn any_key_is_survived(keys in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..30), 0..40)) {
        let mut batch = ObjectBatch::default();
        for key in &keys {
            batch.keys.push(key);
            batch.sizes.push(1);
            batch.modified_ms.push(LISTED);
            batch.tiers.push(Tier::Standard);
            batch.flags.push(ObjectFlags(0));
        }
        let mut fold = TreeFold::new(&info(), TreeLimits::default());
        fold.take(&batch);
        let tree = fold.finish();
        assert_whole(&tree);
        prop_assert_eq!(tree.objects(PrefixTree::ROOT), keys.len() as u64);
    }
}

#[test]
fn versions_of_a_key_are_one_leaf() {
    let line = |size, flags| ("a/k".to_owned(), size, LISTED, Tier::Standard, flags);
    let lines = [
        line(10, 0),
        line(7, ObjectFlags::NONCURRENT),
        line(0, ObjectFlags::NONCURRENT | ObjectFlags::DELETE_MARKER),
    ];
    let tree = fold(&lines, TreeLimits::default()).finish();
    let leaf = tree.find(b"a/k").unwrap();
    assert_eq!(tree.kind(leaf), NodeKind::Object);
    let sums = tree.sums(leaf);
    assert_eq!((sums.all_bytes(), sums.noncurrent_bytes, sums.delete_markers), (17, 7, 1));
}

#[test]
fn the_largest_are_shown_and_the_others_together() {
    let lines: Vec<Line> = (0..100)
        .map(|i| (format!("d/{i:03}"), 1 + i, LISTED - i as i64, Tier::Standard, 0))
        .collect();
    let limits = TreeLimits { objects: 10, ..TreeLimits::default() };
    let fold = fold(&lines, limits);
    assert_eq!(fold.note(), None);
    let tree = fold.finish();
    let names: Vec<_> = tree
        .children(tree.find(b"d/").unwrap())
        .map(|c| (tree.kind(c), String::from_utf8(tree.name(c).to_vec()).unwrap()))
        .collect();
    // 16,384 halved until no more than ten are kept: eight.
    assert_eq!(names.len(), 9);
    assert_eq!(names[0], (NodeKind::Rest, String::new()));
    assert_eq!(names[1], (NodeKind::Object, "099".into()));
    assert_eq!(names[8], (NodeKind::Object, "092".into()));
    let rest = tree.sums(tree.children(tree.find(b"d/").unwrap()).next().unwrap());
    assert_eq!((rest.all_objects(), rest.all_bytes()), (92, 92 * 93 / 2));
    assert_eq!((rest.newest_ms, rest.oldest_ms), (LISTED, LISTED - 91));
}

#[test]
fn too_many_directories_are_told() {
    let lines: Vec<Line> =
        (0..50).map(|i| (format!("a/{i}/k"), 1, LISTED, Tier::Standard, 0)).collect();
    let fold = fold(&lines, TreeLimits { directories: 10, ..TreeLimits::default() });
    assert!(fold.note().unwrap().starts_with("more than 10 directories"));
    let tree = fold.finish();
    assert_eq!(tree.objects(tree.find(b"a/").unwrap()), 50);
    assert_whole(&tree);
}

#[test]
fn a_stored_tree_comes_back() {
    let lines: Vec<Line> =
        (0..50).map(|i| (format!("a/{}/k{i}", i % 7), i, LISTED, Tier::Glacier, 0)).collect();
    let tree = fold(&lines, TreeLimits::default()).finish();
    let bytes = postcard::to_stdvec(&tree).unwrap();
    assert_eq!(postcard::from_bytes::<PrefixTree>(&bytes).unwrap(), tree);
    assert!(tree.memory() > 50);
}
