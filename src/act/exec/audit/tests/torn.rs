//! Crashes in the middle of a line.

use super::*;
use crate::act::exec::audit::{AuditError, Defect};

#[test]
fn a_log_torn_anywhere_goes_on() {
    let whole = log(3);
    for cut in 0..=whole.len() {
        let kept = whole[..cut].split(|b| *b == b'\n').count() - 1;
        let disk = MemoryDisk::of(whole[..cut].to_vec());
        let journal = on(&disk);
        let at_line_end = cut == 0 || whole[cut - 1] == b'\n';
        let only_newline_lacks = whole.get(cut) == Some(&b'\n');
        let before = journal.verify().unwrap();
        let expected = match (at_line_end, only_newline_lacks) {
            (true, _) => None,
            (_, true) => Some(Defect::Unended),
            _ => Some(Defect::Torn),
        };
        assert_eq!(before.problems.iter().map(|p| p.defect.clone()).next(), expected, "{cut}");
        let readable = kept + usize::from(only_newline_lacks);
        assert_eq!(journal.read().unwrap().len(), readable, "{cut}");

        journal.append(now(), body(9)).unwrap();
        assert!(journal.bytes().unwrap().starts_with(&whole[..cut]), "what is torn stays: {cut}");
        let chain = journal.verify().unwrap();
        assert_eq!(chain.problems, [], "{cut}");
        let lines = journal.read().unwrap();
        let torn = expected == Some(Defect::Torn);
        assert_eq!(lines.len(), readable + usize::from(torn) + 1, "{cut}");
        let recovered = lines.iter().any(|l| matches!(l.body, Body::Recovered { .. }));
        assert_eq!(recovered, torn, "{cut}");
        assert_eq!(lines.last().unwrap().body, body(9));
    }
}

#[test]
fn recovery_torn_at_every_length_goes_on() {
    let mut torn = log(2);
    torn.truncate(torn.len() - 30);
    let disk = MemoryDisk::of(torn.clone());
    on(&disk).append(now(), body(5)).unwrap();
    let whole = on(&disk).bytes().unwrap();
    for cut in torn.len()..=whole.len() {
        let journal = on(&MemoryDisk::of(whole[..cut].to_vec()));
        journal.append(now(), body(6)).unwrap();
        assert_eq!(journal.verify().unwrap().problems, [], "{cut}");
        assert_eq!(journal.read().unwrap().last().unwrap().body, body(6), "{cut}");
    }
}

#[test]
fn a_change_of_torn_bytes_is_found() {
    let mut bytes = log(2);
    bytes.truncate(bytes.len() - 30);
    let torn_from = log(1).len();
    let torn_to = bytes.len();
    let disk = MemoryDisk::of(bytes);
    on(&disk).append(now(), body(5)).unwrap();
    let whole = on(&disk).bytes().unwrap();
    assert!(verify(&whole).holds());
    for at in torn_from..=torn_to {
        let mut changed = whole.clone();
        changed[at] ^= 0x01;
        assert!(!verify(&changed).holds(), "byte {at}");
        if at < torn_to {
            let journal = on(&MemoryDisk::of(changed));
            assert!(matches!(journal.read(), Err(AuditError::Broken { .. })), "byte {at}");
        }
    }
}

#[test]
fn recovering_writes_only_where_something_is_torn() {
    let whole = log(2);
    let journal = on(&MemoryDisk::of(whole.clone()));
    assert!(!journal.recover(now()).unwrap());
    assert_eq!(journal.bytes().unwrap(), whole);

    let journal = on(&MemoryDisk::of(whole[..whole.len() - 1].to_vec()));
    assert!(journal.recover(now()).unwrap());
    assert_eq!(journal.bytes().unwrap(), whole, "a newline was all that lacked");

    let journal = on(&MemoryDisk::of(whole[..whole.len() - 9].to_vec()));
    assert!(journal.recover(now()).unwrap());
    assert!(!journal.recover(now()).unwrap(), "once");
    assert!(journal.verify().unwrap().holds());
}

#[test]
fn a_full_disk_is_an_error_and_its_traces_are_accounted_for() {
    let line = log(1).len();
    for room in 0..line {
        let disk = MemoryDisk::of(log(1));
        disk.leave_room(Some(room));
        assert!(matches!(on(&disk).append(now(), body(1)), Err(AuditError::Disk(_))), "{room}");
        disk.leave_room(None);
        on(&disk).append(now(), body(2)).unwrap();
        assert_eq!(on(&disk).verify().unwrap().problems, [], "{room}");
    }
}

#[test]
fn appending_reads_the_end_alone() {
    use crate::act::exec::audit::{DiskError, Stored, tail};
    use std::cell::Cell;
    struct Counted<'a>(&'a [u8], Cell<u64>);
    impl Stored for Counted<'_> {
        fn size(&self) -> u64 {
            Stored::size(&self.0)
        }
        fn last(&self, bytes: u64) -> Result<Vec<u8>, DiskError> {
            self.1.set(self.1.get() + bytes.min(Stored::size(&self.0)));
            Stored::last(&self.0, bytes)
        }
    }
    // A megabyte of lines, and one line that is larger than the first look.
    let mut large = log(1);
    let journal = on(&MemoryDisk::default());
    while large.len() < 1 << 20 {
        large.extend(log(1));
    }
    let stored = Counted(&large, Cell::new(0));
    assert_eq!(tail::find(&stored).unwrap().seq, 1);
    assert!(stored.1.get() <= 64 << 10, "{}", stored.1.get());

    let Body::Approved { sha256, approver, .. } = body(0) else { unreachable!() };
    let what = "x".repeat(300_000);
    journal.append(now(), body(0)).unwrap();
    let line = journal.append(now(), Body::Approved { what, sha256, approver }).unwrap();
    assert_eq!(journal.append(now(), body(2)).unwrap().prev, line.hash);
    assert!(journal.verify().unwrap().holds());
}
