//! The pass over pieces that break, end early and come in any number.

use std::sync::Mutex;

use super::*;
use crate::domain::storage::{ObjectBatch, ObjectFlags, Tier};
use crate::source::objects::{Piece, Sink};

#[derive(Debug, Default)]
struct Count(u64, u64);

impl Fold for Count {
    fn take(&mut self, batch: &ObjectBatch) {
        self.0 += batch.len() as u64;
        self.1 += batch.sizes.iter().sum::<u64>();
    }

    fn merge(&mut self, other: Self) {
        self.0 += other.0;
        self.1 += other.1;
    }
}

/// Batches of a piece, and whether it breaks in the end.
struct Script(u64, bool);

impl Piece for Script {
    fn read(&mut self, sink: &mut Sink<'_>) -> Result<(), SourceError> {
        for i in 0..self.0 {
            let mut batch = ObjectBatch::default();
            batch.keys.push(b"k");
            batch.sizes.push(i + 1);
            batch.modified_ms.push(0);
            batch.tiers.push(Tier::Standard);
            batch.flags.push(ObjectFlags(0));
            if sink(&batch, 10).is_break() {
                return Ok(());
            }
        }
        if self.1 {
            return Err(SourceError::new(ErrorKind::Malformed, "reading p", "cut off", "fix it"));
        }
        Ok(())
    }
}

struct List(Mutex<Vec<Script>>);

impl List {
    fn of(pieces: &[(u64, bool)]) -> Self {
        Self(Mutex::new(pieces.iter().map(|(n, broken)| Script(*n, *broken)).collect()))
    }
}

impl Supply for List {
    fn next(&self) -> Option<Result<Box<dyn Piece + '_>, SourceError>> {
        let piece = self.0.lock().unwrap().pop()?;
        Some(Ok(Box::new(piece)))
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(60)
    }
}

fn pass<'a>(
    progress: &'a Progress,
    stop: &'a CancellationToken,
    on_error: OnError,
    threads: usize,
) -> Pass<'a> {
    Pass { threads, on_error, progress, stop }
}

#[test]
fn all_pieces_are_read_once_by_any_number_of_threads() {
    for threads in [0, 1, 2, 7] {
        let (progress, stop) = (Progress::default(), CancellationToken::new());
        let list = List::of(&[(3, false), (2, false), (1, false), (0, false)]);
        let done = run(&list, pass(&progress, &stop, OnError::Stop, threads), || {
            (Count::default(), Some(Count::default()))
        })
        .unwrap();
        assert_eq!((done.fold.0.0, done.fold.0.1), (6, 10));
        assert_eq!(done.fold.1.unwrap().1, 10);
        assert_eq!((done.rows, done.partial, done.cancelled), (6, None, false));
        let far = progress.far(std::time::Duration::from_secs(1));
        assert_eq!((far.rows, far.bytes, far.total_bytes), (6, 60, Some(60)));
    }
}

#[test]
fn a_broken_piece_ends_the_pass_or_labels_it() {
    let (progress, stop) = (Progress::default(), CancellationToken::new());
    let list = List::of(&[(3, false), (2, true)]);
    let error = run(&list, pass(&progress, &stop, OnError::Stop, 1), Count::default).unwrap_err();
    assert_eq!(error.to_string(), "reading p: cut off");
    let list = List::of(&[(3, false), (2, true), (1, true)]);
    let done = run(&list, pass(&progress, &stop, OnError::GoOn, 1), Count::default).unwrap();
    assert_eq!(done.fold.0, 6);
    assert_eq!(done.errors.len(), 2);
    let label = done.partial.unwrap();
    assert_eq!(label, "not all could be read: reading p: cut off (and 1 more)");
    // Nothing at all is no partial result.
    let list = List::of(&[(0, true)]);
    assert!(run(&list, pass(&progress, &stop, OnError::GoOn, 2), Count::default).is_err());
}

#[test]
fn a_stopped_pass_says_how_far_it_came() {
    let (progress, stop) = (Progress::default(), CancellationToken::new());
    struct Stops(CancellationToken, u64);
    impl Fold for Stops {
        fn take(&mut self, _: &ObjectBatch) {
            self.1 += 1;
            self.0.cancel();
        }
        fn merge(&mut self, other: Self) {
            self.1 += other.1;
        }
    }
    let list = List::of(&[(30, false), (30, false)]);
    let make = || Stops(stop.clone(), 0);
    let done = run(&list, pass(&progress, &stop, OnError::Stop, 1), make).unwrap();
    assert!(done.cancelled);
    assert_eq!((done.fold.1, done.rows), (1, 1));
    assert_eq!(done.partial.as_deref(), Some("cancelled after 1 rows"));
}

mod inventory {
    use std::path::Path;

    use super::*;
    use crate::analyze::storage::{ListInfo, TreeFold, TreeLimits};
    use crate::domain::storage::PrefixTree;
    use crate::source::inventory::{Place, open};
    use crate::source::objects::Need;

    fn tree(manifest: &str, threads: usize, need: Need) -> (PrefixTree, u64) {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/storage/inventory");
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let inventory = runtime.block_on(open(&Place::Local(sample.join(manifest)))).unwrap();
        let info = ListInfo {
            bucket: inventory.manifest.bucket.as_str().into(),
            listed_ms: inventory.manifest.created_ms,
            columns: inventory.manifest.schema.columns(),
        };
        let pieces = inventory.pieces(need, b"");
        let (progress, stop) = (Progress::default(), CancellationToken::new());
        let make = || TreeFold::new(&info, TreeLimits::default());
        let done = run(&pieces, pass(&progress, &stop, OnError::Stop, threads), make).unwrap();
        let far = progress.far(std::time::Duration::from_secs(1));
        assert_eq!(far.total_bytes, Some(far.bytes), "all of it was counted");
        (done.fold.finish(), done.rows)
    }

    #[test]
    fn both_forms_give_one_tree_with_the_known_sums() {
        let (csv, rows) = tree("manifest-csv.json", 1, Need::default());
        for threads in [1, 2, 3] {
            let (parquet, same) = tree("manifest-parquet.json", threads, Need::ALL);
            assert_eq!(same, rows);
            assert!(parquet == csv, "{threads} threads");
        }
        // By Python's csv module over the same file.
        assert_eq!(rows, ROWS);
        let sums = csv.sums(PrefixTree::ROOT);
        assert_eq!(sums.all_bytes(), BYTES);
        assert_eq!(sums.bytes[Tier::Standard.index()], BYTES);
        assert_eq!(
            (sums.noncurrent_bytes, sums.delete_markers, sums.malformed),
            (NONCURRENT, 40, 0)
        );
        // By what the sample's generator wrote down: every step of the runs that are directories.
        let truth = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data/storage/inventory/ground-truth.json");
        let truth: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(truth).unwrap()).unwrap();
        let mut checked = 0;
        for run in truth["runs"].as_array().unwrap() {
            for (step, bytes) in run["bytes_per_step"].as_object().unwrap() {
                let step: u64 = step.parse().unwrap();
                let name = run["run"].as_str().unwrap();
                let prefix = match run["framework"].as_str().unwrap() {
                    "hf-trainer+deepspeed" => format!("{name}/checkpoint-{step}/"),
                    "megatron-legacy" | "megatron-dist" => format!("{name}/iter_{step:07}/"),
                    "torch-dcp" => format!("{name}/checkpoint/step-{step}/"),
                    "deepspeed" => format!("{name}/global_step{step}/"),
                    _ => continue,
                };
                let node = csv.find(prefix.as_bytes()).unwrap();
                assert_eq!(csv.bytes(node), bytes.as_u64().unwrap(), "{prefix}");
                checked += 1;
            }
        }
        assert_eq!(checked, 60 + 24 + 40 + 40 + 15);
    }

    #[test]
    fn totals_need_no_keys() {
        let (whole, rows) = tree("manifest-parquet.json", 2, Need::TOTALS);
        assert_eq!((rows, whole.bytes(PrefixTree::ROOT)), (ROWS, BYTES));
        assert_eq!(tree("manifest-csv.json", 2, Need::TOTALS).0.bytes(PrefixTree::ROOT), BYTES);
    }

    const ROWS: u64 = 10_544;
    const BYTES: u64 = 54_066_836_477_436;
    const NONCURRENT: u64 = 111_669_183_294;
}
