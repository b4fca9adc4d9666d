//! Files of bills, read.

mod bad;
mod good;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::*;

/// Path of a file that the tests have.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/bill").join(name)
}

fn options(tag_keys: &[&str]) -> ReadOptions {
    ReadOptions {
        export: "test".into(),
        tag_keys: tag_keys.iter().map(|key| Arc::from(*key)).collect(),
        written_at: None,
        now: "2026-11-26T00:00:00Z".parse().unwrap(),
        fixed_period: None,
    }
}

/// All bills of files.
fn read_all(files: &[PathBuf], tag_keys: &[&str]) -> Result<Vec<Bill>, BillFileError> {
    let mut last = Progress::default();
    let bills = read(files, &options(tag_keys), &mut |progress| {
        assert!(progress.lines >= last.lines && progress.bytes >= last.bytes);
        assert!(progress.bytes <= progress.of_bytes);
        last = *progress;
        ControlFlow::Continue(())
    })?;
    assert_eq!(last.bytes, last.of_bytes);
    assert!(bills.iter().all(Bill::is_whole));
    Ok(bills)
}

/// The one bill of a text.
fn read_text(text: &[u8], tag_keys: &[&str]) -> Result<Bill, BillFileError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bill.csv");
    std::fs::write(&path, text).unwrap();
    let mut bills = read_all(&[path], tag_keys)?;
    assert_eq!(bills.len(), 1);
    Ok(bills.remove(0))
}
