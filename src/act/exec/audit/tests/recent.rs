//! The newest lines, for whoever looks.

use super::{log, on};
use crate::act::exec::audit::memory::MemoryDisk;
use crate::act::exec::audit::{FileDisk, Journal, RecentLines};

fn recent(bytes: &[u8], most: u64) -> RecentLines {
    on(&MemoryDisk::of(bytes.to_vec())).recent(most).unwrap()
}

fn numbers(recent: &RecentLines) -> Vec<u64> {
    recent.lines.iter().map(|line| line.seq).collect()
}

#[test]
fn all_of_a_short_log_and_whole_lines_of_a_long_one_are_read() {
    let log = log(5);
    let all = recent(&log, 1 << 20);
    assert_eq!((numbers(&all), all.damaged, all.left_out), (vec![1, 2, 3, 4, 5], 0, 0));
    // A byte less than the last two lines: the fourth is not whole.
    let ends: Vec<usize> =
        log.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1).collect();
    let most = log.len() - ends[2] - 1;
    let some = recent(&log, most as u64);
    assert_eq!((numbers(&some), some.damaged), (vec![5], 0), "what it follows is not missed");
    assert_eq!(some.left_out, ends[3] as u64);
    assert_eq!(recent(&log, 0).lines, []);
    assert_eq!(recent(&[], 100).left_out, 0);
}

#[test]
fn damaged_lines_are_counted_and_the_others_stay() {
    let text = String::from_utf8(log(4)).unwrap();
    let changed = text.replacen("plan 1", "plan 9", 1);
    let found = recent(changed.as_bytes(), 1 << 20);
    assert_eq!((numbers(&found), found.damaged), (vec![1, 3, 4], 1));
    let lines: Vec<&str> = text.lines().collect();
    let torn = format!("{}\n{}\nhalf a li", lines[0], lines[1]);
    let found = recent(torn.as_bytes(), 1 << 20);
    assert_eq!((numbers(&found), found.damaged), (vec![1, 2], 1));
    let missing = format!("{}\n{}\n", lines[0], lines[2]);
    let found = recent(missing.as_bytes(), 1 << 20);
    assert_eq!((numbers(&found), found.damaged), (vec![1, 3], 1), "a gap is said");
}

#[test]
fn a_file_is_read_from_its_end_and_one_that_is_not_there_is_empty() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::new(std::sync::Arc::new(FileDisk::new(dir.path().join("audit"))));
    assert_eq!(
        journal.recent(100).unwrap(),
        RecentLines { lines: vec![], damaged: 0, left_out: 0 }
    );
    assert!(!dir.path().join("audit").exists(), "looking makes nothing");
    for n in 0..3 {
        journal.append(super::now(), super::body(n)).unwrap();
    }
    let size = journal.bytes().unwrap().len() as u64;
    assert_eq!(numbers(&journal.recent(size).unwrap()), [1, 2, 3]);
    assert_eq!(numbers(&journal.recent(size - 1).unwrap()), [2, 3]);
}
