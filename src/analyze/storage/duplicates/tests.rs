//! Against a truth found by comparing everything with everything, and on the sample inventory.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::domain::storage::{Etag, GIB, ObjectColumns};

/// An object of a list.
#[derive(Clone, Debug, PartialEq)]
struct Obj {
    key: String,
    size: u64,
    etag: Etag,
    flags: u16,
    tier: Tier,
    ms: i64,
}

impl Obj {
    fn dir(&self) -> &str {
        &self.key[..self.key.rfind('/').map_or(0, |i| i + 1)]
    }

    fn name(&self) -> &str {
        &self.key[self.dir().len()..]
    }

    fn is_compared(&self) -> bool {
        self.size > 0 && self.flags & 0b1_0011 == 0
    }

    /// Equal content, as far as the tag tells.
    fn equals(&self, other: &Self) -> bool {
        self.tells() && other.tells() && self.size == other.size && self.etag == other.etag
    }

    fn tells(&self) -> bool {
        !self.etag.is_empty() && self.flags & ObjectFlags::OPAQUE_ETAG == 0
    }

    fn may_equal(&self, other: &Self) -> bool {
        !(self.tells() && other.tells()) || self.etag.parts != other.etag.parts
    }
}

fn obj(key: &str, size: u64, md5: u128, parts: u32, day: i64) -> Obj {
    let etag = Etag { md5, parts };
    Obj { key: key.to_owned(), size, etag, flags: 0, tier: Tier::Standard, ms: day * 86_400_000 }
}

fn info() -> ListInfo {
    let all = ObjectColumns {
        sizes: true,
        dates: true,
        classes: true,
        etags: true,
        versions: true,
        encryption: true,
        lock: true,
        replication: true,
    };
    ListInfo { bucket: Arc::from("b"), listed_ms: 0, columns: all }
}

fn batch(objects: &[Obj]) -> ObjectBatch {
    let mut batch = ObjectBatch::default();
    for o in objects {
        batch.keys.push(o.key.as_bytes());
        batch.sizes.push(o.size);
        batch.modified_ms.push(o.ms);
        batch.tiers.push(o.tier);
        batch.flags.push(ObjectFlags(o.flags));
        batch.etags.push(o.etag);
    }
    batch
}

fn find(objects: &[Obj], least: Confidence) -> Found {
    let mut fold = Duplicates::new(&info(), Limits::default());
    fold.take(&batch(objects));
    fold.finish(least)
}

/// The fields of a pair that tests name.
fn brief(pair: &PrefixPair) -> (String, &str, &str, u64) {
    (pair.confidence.word().to_owned(), &pair.prefix_a, &pair.prefix_b, pair.objects)
}

// --- the sample ------------------------------------------------------------------------------

/// The rows of the sample inventory, read by means of their own.
fn sample() -> Vec<Obj> {
    let packed =
        include_bytes!("../../../../tests/data/storage/inventory/data/synthetic.csv.gz").as_slice();
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut text).unwrap();
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_slice());
    let mut out = Vec::new();
    for row in reader.records() {
        let row = row.unwrap();
        let key = row[1].replace('+', " ");
        let key = percent_encoding::percent_decode_str(&key).decode_utf8().unwrap().into_owned();
        let mut flags = 0;
        let mut set = |on: bool, bit: u16| flags |= if on { bit } else { 0 };
        set(&row[3] == "false", ObjectFlags::NONCURRENT);
        set(&row[4] == "true", ObjectFlags::DELETE_MARKER);
        set(&row[11] == "SSE-KMS", ObjectFlags::OPAQUE_ETAG);
        let ms = row[6].parse::<jiff::Timestamp>().unwrap().as_millisecond();
        out.push(Obj {
            key,
            size: row[5].parse().unwrap_or(0),
            etag: Etag::parse(row[7].as_bytes()),
            flags,
            tier: Tier::of_object(&row[8], ""),
            ms,
        });
    }
    assert_eq!(out.len(), 10_544);
    out
}

#[test]
fn the_sample_has_its_203_groups_and_317_extra_objects() {
    let found = find(&sample(), Confidence::B);
    let [a, b, c, d] = found.levels;
    assert_eq!((a.groups + b.groups, a.extra_objects + b.extra_objects), (203, 317));
    let gib = (a.extra_bytes + b.extra_bytes) as f64 / GIB;
    assert!((gib - 198.551).abs() < 0.0005, "{gib}");
    assert_eq!((c, d), (Level::default(), Level::default()));
    // tokenizer, configuration and index, in 40 steps each.
    assert_eq!((a.groups, a.extra_objects), (3, 117));
}

#[test]
fn the_sample_has_its_copied_data_set_and_two_candidates() {
    let found = find(&sample(), Confidence::C);
    let all: Vec<_> = found.pairs.iter().map(brief).collect();
    let run = "team-rlhf/exp-0412/output/";
    let last = "vision/exp_77/lightning_logs/version_3/checkpoints/";
    let c = "C".to_owned();
    let expected = vec![
        ("B".to_owned(), "datasets/laion/", "team_b/copies/laion/", 199),
        (c.clone(), "datasets/laion/", "team_c/laion_v2/", 99),
        (c, "datasets/laion/", "team_d/kms/", 99),
        ("B".to_owned(), last, last, 1),
        ("A".to_owned(), run, run, 117),
    ];
    assert_eq!(all, expected);
    let laion = &found.pairs[0];
    assert!((laion.bytes as f64 / GIB - 195.02).abs() < 0.005);
    assert_eq!((laion.containment_a_in_b, laion.containment_b_in_a), (1.0, 1.0));
    for candidate in &found.pairs[1..3] {
        assert!((candidate.containment_a_in_b - 99.0 / 199.0).abs() < 1e-9);
        assert_eq!(candidate.containment_b_in_a.to_bits(), 1f64.to_bits());
    }
    assert_eq!(found.levels[2].extra_objects, 198);
    assert!(found.notes().is_empty());
    // Size alone adds nothing to it: what is left is told apart by its ETags.
    assert_eq!(find(&sample(), Confidence::D).levels[3], Level::default());
    // The price of the copies: 195.02 GiB at 0.023.
    let usd = usd_per_month(laion, &|t| (t == Tier::Standard).then_some(0.023)).unwrap();
    assert!((usd - 4.4855).abs() < 0.0005, "{usd}");
    assert_eq!(usd_per_month(laion, &|_| None), None);
}

// --- single cases ----------------------------------------------------------------------------

const BIG: u64 = 200 << 20;

#[test]
fn a_copied_tree_is_one_pair_at_its_highest_prefix() {
    let mut all = Vec::new();
    for (i, sub) in ["x/", "x/deep/", "y/", ""].iter().enumerate() {
        for k in 0..3u32 {
            let (size, md5) = (BIG + u64::from(k), (i as u128 + 1) << 64 | u128::from(k));
            all.push(obj(&format!("proj/data/{sub}f{k}"), size, md5, 0, 10));
            all.push(obj(&format!("other/old/data/{sub}f{k}"), size, md5, 0, 20));
        }
    }
    all.push(obj("proj/readme", 5, 999, 0, 1));
    all.push(obj("other/old/readme", 7, 998, 0, 1));
    let found = find(&all, Confidence::C);
    let pairs: Vec<_> = found.pairs.iter().map(brief).collect();
    assert_eq!(pairs, [("A".to_owned(), "proj/data/", "other/old/data/", 12)]);
    // Without direct files, the two subtrees are united all the same.
    all.retain(|o| !o.dir().ends_with("data/"));
    let found = find(&all, Confidence::C);
    let pairs: Vec<_> = found.pairs.iter().map(brief).collect();
    assert_eq!(pairs, [("A".to_owned(), "proj/data/", "other/old/data/", 9)]);
}

#[test]
fn what_is_never_counted_is_not() {
    let base = obj("a/f", BIG, 7, 0, 1);
    for bit in [
        ObjectFlags::NONCURRENT,
        ObjectFlags::DELETE_MARKER,
        ObjectFlags::REPLICA,
        ObjectFlags::BAD_SIZE,
    ] {
        let copy = Obj { key: "b/f".into(), flags: bit, ..base.clone() };
        let found = find(&[base.clone(), copy], Confidence::D);
        assert!(found.pairs.is_empty(), "{bit}");
        assert_eq!(found.levels, [Level::default(); 4]);
    }
    let empty = Obj { size: 0, ..base.clone() };
    assert!(
        find(&[empty.clone(), Obj { key: "b/f".into(), ..empty }], Confidence::D).pairs.is_empty()
    );
    // An opaque tag is no digest, even where two are equal: a candidate by name.
    let hidden = Obj { flags: ObjectFlags::OPAQUE_ETAG, ..base };
    let pair = [hidden.clone(), Obj { key: "b/f".into(), ..hidden }];
    assert_eq!(find(&pair, Confidence::C).pairs[0].confidence, Confidence::C);
    assert!(find(&pair, Confidence::B).pairs.is_empty());
}

#[test]
fn steps_of_an_encrypted_run_are_no_copies_but_two_runs_may_be() {
    let mut all = Vec::new();
    for (run, day) in [("run-a", 1), ("run-b", 50)] {
        for step in [500, 1000, 1500, 2000] {
            for shard in 0..2 {
                let key = format!("{run}/checkpoint-{step}/model-{shard}.safetensors");
                let mut o = obj(&key, BIG, 1 + all.len() as u128, 25, day);
                o.flags = ObjectFlags::OPAQUE_ETAG;
                all.push(o);
            }
        }
    }
    let one_run: Vec<Obj> = all[..8].to_vec();
    assert!(find(&one_run, Confidence::C).pairs.is_empty());
    let found = find(&all, Confidence::C);
    let pairs: Vec<_> = found.pairs.iter().map(brief).collect();
    assert_eq!(pairs, [("C".to_owned(), "run-a/", "run-b/", 8)]);
}

#[test]
fn files_repeated_in_every_step_are_one_finding_of_the_run() {
    let mut all = Vec::new();
    for step in 0..50u32 {
        let dir = format!("team/run/checkpoint-{step}00/");
        all.push(obj(&format!("{dir}frozen.bin"), 4 << 30, 77, 0, i64::from(step)));
        all.push(obj(
            &format!("{dir}model.bin"),
            9 << 30,
            1000 + u128::from(step),
            0,
            i64::from(step),
        ));
    }
    let found = find(&all, Confidence::C);
    let pairs: Vec<_> = found.pairs.iter().map(brief).collect();
    assert_eq!(pairs, [("A".to_owned(), "team/run/", "team/run/", 49)]);
    // Two versions of a data set are a pair, though they differ in a digit alone.
    let two = [obj("d/v1/f", BIG, 5, 0, 1), obj("d/v2/f", BIG, 5, 0, 2)];
    let found = find(&two, Confidence::C);
    assert_eq!(
        found.pairs.iter().map(brief).collect::<Vec<_>>(),
        [("A".to_owned(), "d/v1/", "d/v2/", 1)]
    );
}

#[test]
fn a_copy_within_the_original_is_measured_without_itself() {
    let all = [
        obj("data/f", BIG, 1, 0, 1),
        obj("data/g", BIG, 2, 0, 1),
        obj("data/backup/f", BIG, 1, 0, 9),
    ];
    let found = find(&all, Confidence::A);
    let pair = &found.pairs[0];
    assert_eq!((pair.prefix_a.as_str(), pair.prefix_b.as_str()), ("data/", "data/backup/"));
    assert_eq!((pair.containment_a_in_b, pair.containment_b_in_a), (0.5, 1.0));
}

#[test]
fn size_alone_counts_only_when_asked_and_large() {
    let mut all = [obj("a/f", BIG, 1, 0, 1), obj("b/g", BIG, 2, 25, 2)];
    assert!(find(&all, Confidence::C).pairs.is_empty());
    let found = find(&all, Confidence::D);
    assert_eq!(
        found.pairs.iter().map(brief).collect::<Vec<_>>(),
        [("D".to_owned(), "a/", "b/", 1)]
    );
    all[1].etag.parts = 0;
    assert!(find(&all, Confidence::D).pairs.is_empty(), "two digests that differ");
    let small = all.clone().map(|o| Obj { size: SIZES_FROM - 1, etag: Etag::default(), ..o });
    assert!(find(&small, Confidence::D).pairs.is_empty());
}

#[test]
fn lists_without_columns_say_what_that_means() {
    let mut info = info();
    info.columns.encryption = false;
    let found = Duplicates::new(&info, Limits::default()).finish(Confidence::C);
    assert!(found.notes()[0].contains("level A is sure only"));
    // Then readers flag every tag as opaque; it is compared all the same.
    let flagged = |key: &str| Obj { flags: ObjectFlags::OPAQUE_ETAG, ..obj(key, BIG, 7, 0, 1) };
    let mut fold = Duplicates::new(&info, Limits::default());
    fold.take(&batch(&[flagged("a/f"), flagged("b/g")]));
    assert_eq!(fold.finish(Confidence::C).pairs[0].confidence, Confidence::A);
    info.columns.etags = false;
    let found = Duplicates::new(&info, Limits::default()).finish(Confidence::C);
    assert!(found.notes()[0].contains("no ETags"));
}

#[test]
fn beyond_the_limit_the_smallest_are_let_go_and_that_is_said() {
    let mut all: Vec<Obj> = (0..100).map(|i| obj(&format!("small/{i}"), 1000, 5, 0, 1)).collect();
    all.extend((0..10).flat_map(|i| {
        let size = BIG + (i << 20);
        [obj(&format!("a/{i}"), size, i.into(), 2, 1), obj(&format!("b/{i}"), size, i.into(), 2, 2)]
    }));
    let mut fold = Duplicates::new(&info(), Limits { objects: 20, ..Limits::default() });
    for o in &all {
        fold.take(&batch(std::slice::from_ref(o)));
    }
    let found = fold.finish(Confidence::C);
    // The object 0 has no tag.
    assert_eq!(found.levels[1].extra_objects, 9);
    assert_eq!((found.compared.0, found.too_small), (20, (100, 100_000)));
    assert!(found.floor > 1000 && found.floor <= BIG);
    assert!(found.notes()[0].contains("100 smaller ones"), "{:?}", found.notes());
}

// --- everything with everything --------------------------------------------------------------

/// The share of `a`'s bytes with an equal in `b`, by comparing each with each.
fn contained(objects: &[&Obj], a: &str, b: &str) -> f64 {
    let within = |o: &Obj, p: &str, not: &str| {
        o.key.starts_with(p) && !(p != not && not.starts_with(p) && o.key.starts_with(not))
    };
    let (mut part, mut of) = (0, 0);
    for (i, x) in objects.iter().enumerate().filter(|(_, x)| within(x, a, b)) {
        of += x.size;
        let twin = |(j, y): (usize, &&Obj)| i != j && x.equals(y) && within(y, b, a);
        if objects.iter().enumerate().any(twin) {
            part += x.size;
        }
    }
    part as f64 / of.max(1) as f64
}

/// A path with its digits taken out, and those digits.
fn normal(dir: &str) -> (String, Vec<String>) {
    let mut plain = String::new();
    let mut digits: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in dir.chars() {
        if c.is_ascii_digit() {
            if !before.is_ascii_digit() {
                plain.push('#');
                digits.push(String::new());
            }
            digits.last_mut().unwrap().push(c);
        } else {
            plain.push(c);
        }
        before = c;
    }
    (plain, digits)
}

/// Extra objects at level C by the definition, one object after the other.
fn candidates(all: &[&Obj], extras: &BTreeSet<usize>) -> u64 {
    let mut oldest: BTreeMap<&str, i64> = BTreeMap::new();
    for o in all {
        let ms = oldest.entry(o.dir()).or_insert(i64::MAX);
        *ms = o.ms.min(*ms);
    }
    let open: Vec<&Obj> = (0..all.len())
        .filter(|i| !extras.contains(i) && all[*i].size >= NAMES_FROM)
        .map(|i| all[i])
        .collect();
    let age = |o: &Obj| (oldest[o.dir()], o.dir().to_owned());
    let mut count = 0;
    for x in &open {
        let alike: Vec<&&Obj> =
            open.iter().filter(|o| o.size == x.size && o.name() == x.name()).collect();
        let mut series: BTreeMap<String, Vec<&Obj>> = BTreeMap::new();
        for o in alike {
            series.entry(normal(o.dir()).0).or_default().push(o);
        }
        let mut groups: Vec<(_, Vec<&Obj>)> = series
            .into_iter()
            .map(|(s, v)| ((v.iter().map(|o| age(o)).min().unwrap(), s), v))
            .collect();
        groups.sort_by(|a, b| a.0.cmp(&b.0));
        let mine = normal(x.dir());
        let at = groups.iter().position(|g| g.0.1 == mine.0).unwrap();
        let hit = groups[..at].iter().any(|(_, older)| {
            let original = if older.len() == 1 && groups[at].1.len() == 1 {
                Some(older[0])
            } else {
                older.iter().copied().filter(|o| normal(o.dir()).1 == mine.1).min_by_key(|o| age(o))
            };
            original.is_some_and(|o| o.may_equal(x))
        });
        count += u64::from(hit);
    }
    count
}

/// Lists with few directories, names, sizes and tags, so that much is equal.
fn lists() -> impl Strategy<Value = Vec<Obj>> {
    let dir = prop::sample::select(vec![
        "",
        "a/",
        "a/x/",
        "a/x/1/",
        "a/x/2/",
        "b/",
        "b/x/",
        "b/x/1/",
        "b/x/2/",
        "b/y/",
        "c/run-1/s1/",
        "c/run-1/s2/",
        "c/run-2/s1/",
    ]);
    let name = prop::sample::select(vec!["f", "g", "h1", "h2", "long-name.tar"]);
    let size =
        prop::sample::select(vec![0, 1, 3, 4, 700, 1 << 20, (1 << 20) + 1, 3 << 20, 200 << 20]);
    let flag = prop::sample::select(vec![0u16, 0, 0, 0, 0, 1, 2, 4, 8, 8, 16]);
    let object = (
        dir,
        name,
        size,
        0u128..4,
        prop::sample::select(vec![0u32, 0, 1, 2]),
        flag,
        0i64..5,
        0usize..3,
    );
    prop::collection::vec(object, 0..60).prop_map(|rows| {
        let mut by_key: BTreeMap<String, Obj> = BTreeMap::new();
        for (dir, name, size, md5, parts, flags, day, tier) in rows {
            let mut o = obj(&format!("{dir}{name}"), size, md5, parts, day);
            if md5 == 0 {
                o.etag = Etag::default();
            }
            o.flags = flags;
            o.tier = Tier::ALL[tier];
            by_key.insert(o.key.clone(), o);
        }
        // Two of one moment have no order: which of them is the original would be chance.
        let apart = |(minute, o): (i64, Obj)| Obj { ms: o.ms + minute * 60_000, ..o };
        (0..).zip(by_key.into_values()).map(apart).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn levels_pairs_and_shares_are_those_of_everything_with_everything(list in lists()) {
        let found = find(&list, Confidence::C);
        let all: Vec<&Obj> = list.iter().filter(|o| o.is_compared()).collect();
        let mut oldest: BTreeMap<&str, i64> = BTreeMap::new();
        for o in &all {
            let ms = oldest.entry(o.dir()).or_insert(i64::MAX);
            *ms = o.ms.min(*ms);
        }
        // Classes by comparing each with each.
        let mut extras = BTreeSet::new();
        let mut levels = [Level::default(); 2];
        let mut seen = BTreeSet::new();
        for i in 0..all.len() {
            let class: Vec<usize> = (0..all.len()).filter(|j| all[i].equals(all[*j])).collect();
            if class.len() < 2 || !seen.insert(class.clone()) {
                continue;
            }
            let level = &mut levels[usize::from(all[i].etag.parts > 0)];
            level.groups += 1;
            level.extra_objects += class.len() as u64 - 1;
            level.extra_bytes += (class.len() as u64 - 1) * all[i].size;
            let original = class.iter().copied().min_by_key(|j| {
                let o = all[*j];
                (oldest[o.dir()], o.dir(), o.ms, *j)
            });
            extras.extend(class.into_iter().filter(|j| Some(*j) != original));
        }
        prop_assert_eq!(&found.levels[..2], &levels[..]);
        let (mut objects, mut bytes) = (0, 0);
        let mut pairs = BTreeSet::new();
        for pair in found.pairs.iter().filter(|p| p.confidence <= Confidence::B) {
            objects += pair.objects;
            bytes += pair.bytes;
            prop_assert_eq!(pair.bytes, pair.tiers.iter().map(|t| t.1).sum::<u64>());
            let (a, b) = (pair.prefix_a.as_str(), pair.prefix_b.as_str());
            prop_assert!(pairs.insert((a.min(b), a.max(b))), "twice: {} {}", a, b);
            let (in_b, in_a) = (contained(&all, a, b), contained(&all, b, a));
            prop_assert!((pair.containment_a_in_b - in_b).abs() < 1e-9, "{pair:?} {in_b}");
            prop_assert!((pair.containment_b_in_a - in_a).abs() < 1e-9, "{pair:?} {in_a}");
            // Twice the same prefix holds whatever is scattered in it: there may be a lone one
            // whose twin went into a pair of its own.
            prop_assert!(in_a > 0.0 && in_b > 0.0, "{pair:?}");
        }
        prop_assert_eq!(objects, levels[0].extra_objects + levels[1].extra_objects);
        prop_assert_eq!(bytes, levels[0].extra_bytes + levels[1].extra_bytes);
        // No pair lies within another at the same relative path.
        for (a, b) in pairs.iter().filter(|(a, b)| a != b) {
            for (c, d) in pairs.iter().filter(|p| **p != (*a, *b) && p.0 != p.1) {
                let nested = |a: &str, b: &str| {
                    matches!((c.strip_prefix(a), d.strip_prefix(b)), (Some(x), Some(y)) if x == y && !x.is_empty())
                };
                prop_assert!(!nested(a, b) && !nested(b, a), "{c} {d} in {a} {b}");
            }
        }
        prop_assert_eq!(found.levels[2].extra_objects, candidates(&all, &extras));
    }

    #[test]
    fn order_batches_and_merging_change_nothing(
        list in lists(),
        turns in prop::collection::vec(any::<prop::sample::Index>(), 60),
        cuts in prop::collection::vec(0usize..4, 60),
        objects in prop::sample::select(vec![5usize, 12, 1000]),
        dirs in prop::sample::select(vec![3usize, 7, 1000]),
    ) {
        let limits = Limits { objects, dirs, pairs: 100 };
        let mut plain = Duplicates::new(&info(), limits);
        plain.take(&batch(&list));
        let mut mixed = list.clone();
        for (i, turn) in turns.iter().enumerate().take(list.len()) {
            mixed.swap(i, turn.index(list.len()));
        }
        let mut folds: Vec<Duplicates> = (0..4).map(|_| Duplicates::new(&info(), limits)).collect();
        for (o, cut) in mixed.iter().zip(&cuts) {
            folds[*cut].take(&batch(std::slice::from_ref(o)));
        }
        let mut merged = folds.pop().unwrap();
        for fold in folds {
            merged.merge(fold);
        }
        prop_assert_eq!(plain.finish(Confidence::D), merged.finish(Confidence::D));
    }
}
