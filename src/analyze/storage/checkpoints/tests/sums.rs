//! The result depends on neither order, nor batches, nor which fold saw what.

use proptest::prelude::*;

use super::sample::{Object, batch, info, sample};
use crate::analyze::storage::Fold;
use crate::analyze::storage::checkpoints::{FoundRuns, RunFold};

fn in_parts(parts: &[&[Object]], bound: usize) -> FoundRuns {
    let mut folds = parts.iter().map(|part| {
        let mut fold = RunFold::with_bound(&info(), bound);
        for piece in part.chunks(7) {
            fold.take(&batch(piece));
        }
        fold
    });
    let mut all = folds.next().unwrap();
    for fold in folds {
        all.merge(fold);
    }
    all.finish()
}

/// Keys of many runs and of nothing, with odd ones among them.
fn key() -> impl Strategy<Value = String> {
    let dir = prop::sample::select(&["a/", "b/c/", "d/", ""][..]);
    let name = prop::sample::select(
        &[
            "checkpoint-{}/optimizer.pt",
            "checkpoint-{}/model-00001-of-00002.safetensors",
            "checkpoint-{}/model-00002-of-00002.safetensors",
            "checkpoint-{}/global_step{}/x_optim_states.pt",
            "checkpoint-{}/global_step7/x_optim_states.pt",
            "step-{}/.metadata",
            "step-{}/__0_0.distcp",
            "{}/items/manifest.ocdbt",
            "epoch=1-val_loss=0.{}-step={}.ckpt",
            "epoch=2-acc=0.{}-step={}.ckpt",
            "m.ckpt-{}.index",
            "last.ckpt",
            "x_step_{}.pt",
            "notes-{}.txt",
        ][..],
    );
    (dir, name, 0u64..12).prop_map(|(d, n, s)| format!("{d}{}", n.replace("{}", &s.to_string())))
}

fn objects() -> impl Strategy<Value = Vec<Object>> {
    let one = (key(), 0u64..1000, 1u32..400, 0u16..4).prop_map(|(key, size, days, odd)| {
        let mut object = Object::new(&key, size, f64::from(days));
        object.flags = if odd == 3 { 1 << 5 } else { 0 };
        object
    });
    // A list names a current object once.
    prop::collection::vec(one, 1..120).prop_map(|mut all| {
        all.sort_by(|a, b| a.key.cmp(&b.key));
        all.dedup_by(|a, b| a.key == b.key);
        all
    })
}

proptest! {
    #[test]
    fn order_and_cuts_do_not_matter(all in objects(), seed in any::<u64>(), bound in 3usize..80) {
        let straight = in_parts(&[&all], bound);
        let mut mixed = all.clone();
        let mut random = seed;
        for i in (1..mixed.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            mixed.swap(i, (random >> 33) as usize % (i + 1));
        }
        prop_assert_eq!(&in_parts(&[&mixed], bound), &straight);
        let (a, b) = mixed.split_at(mixed.len() / 3);
        prop_assert_eq!(&in_parts(&[a, b], bound), &straight);
        prop_assert_eq!(&in_parts(&[b, a], bound), &straight);
    }
}

#[test]
fn beyond_the_bound_some_runs_are_whole_and_the_rest_is_said_to_be_left_out() {
    let all = sample();
    let whole = in_parts(&[&all], 1_000_000);
    assert!(whole.notes.is_empty());
    let few = in_parts(&[&all], 200);
    assert!(few.runs.len() < whole.runs.len());
    assert!(few.runs.iter().all(|run| whole.runs.contains(run)));
    assert!(few.notes[0].contains("1 of "), "{:?}", few.notes);
}
