//! Whatever is done to a log behind its back is found.

use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::act::exec::audit::{AuditError, Defect};

fn lines_of(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect()
}

#[test]
fn a_log_holds_and_reads_back() {
    let journal = on(&MemoryDisk::default());
    assert_eq!(journal.read().unwrap(), []);
    assert_eq!(journal.verify().unwrap().head, "0".repeat(64));
    let written: Vec<_> = (0..5).map(|n| journal.append(now(), body(n)).unwrap()).collect();
    assert_eq!(journal.read().unwrap(), written);
    let chain = journal.verify().unwrap();
    assert_eq!((chain.lines, chain.problems.as_slice()), (5, [].as_slice()));
    assert_eq!(chain.head, written[4].hash);
    assert_eq!(written.iter().map(|l| l.seq).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
}

/// The documented way to check a line, without a word of the code that wrote it.
#[test]
fn the_hash_is_that_of_the_line_without_its_hash() {
    let bytes = log(3);
    let mut before = "0".repeat(64);
    for line in std::str::from_utf8(&bytes).unwrap().lines() {
        let (rest, hash) = line.rsplit_once(",\"hash\":\"").unwrap();
        let hash = hash.strip_suffix("\"}").unwrap();
        let digest = Sha256::digest(format!("{rest}}}"));
        let bytes: Vec<u8> =
            (0..32).map(|n| u8::from_str_radix(&hash[2 * n..2 * n + 2], 16).unwrap()).collect();
        assert_eq!(digest.as_slice(), bytes);
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["prev"], before.as_str());
        before = hash.to_owned();
    }
}

#[test]
fn every_flipped_byte_is_found() {
    let bytes = log(3);
    for at in 0..bytes.len() {
        for flip in [0x01, 0x20, 0x80, bytes[at] ^ b'\n', bytes[at] ^ b' '] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            if changed != bytes {
                assert!(!verify(&changed).holds(), "byte {at} ^ {flip:#x}");
            }
        }
    }
}

#[test]
fn every_dropped_doubled_and_swapped_line_is_found() {
    let lines = lines_of(&log(6));
    for n in 0..lines.len() {
        let mut fewer = lines.clone();
        fewer.remove(n);
        // What is cut off the end leaves a shorter log that holds: the head tells.
        if n + 1 < lines.len() {
            assert!(!verify(&fewer.concat()).holds(), "line {n} dropped");
        } else {
            assert_ne!(verify(&fewer.concat()).head, verify(&lines.concat()).head);
        }
        let mut doubled = lines.clone();
        doubled.insert(n, lines[n].clone());
        assert!(!verify(&doubled.concat()).holds(), "line {n} doubled");
        for m in 0..n {
            let mut swapped = lines.clone();
            swapped.swap(n, m);
            assert!(!verify(&swapped.concat()).holds(), "lines {m} and {n} swapped");
        }
    }
}

#[test]
fn a_line_of_another_log_is_found() {
    let mut lines = lines_of(&log(3));
    let journal = on(&MemoryDisk::default());
    for n in 7..10 {
        journal.append(now(), body(n)).unwrap();
    }
    lines[1] = lines_of(&journal.bytes().unwrap())[1].clone();
    let chain = verify(&lines.concat());
    let found: Vec<_> = chain.problems.iter().map(|p| (p.line, p.defect.clone())).collect();
    assert_eq!(
        found,
        [
            (2, Defect::Unchained { seq: 2, expected: 2 }),
            (3, Defect::Unchained { seq: 3, expected: 3 })
        ]
    );
}

#[test]
fn nothing_is_added_to_a_log_whose_last_line_was_changed() {
    let mut bytes = log(2);
    // A digit of the last hash, before `"}` and the newline.
    let digit = bytes.len() - 10;
    bytes[digit] = if bytes[digit] == b'0' { b'1' } else { b'0' };
    let disk = MemoryDisk::of(bytes.clone());
    let refused = on(&disk).append(now(), body(9)).unwrap_err();
    assert!(matches!(refused, AuditError::Broken { .. }), "{refused}");
    assert_eq!(on(&disk).bytes().unwrap(), bytes, "and nothing was");
}

#[test]
fn a_line_of_a_newer_version_is_chained_and_not_misread() {
    let bytes = String::from_utf8(log(1)).unwrap();
    let (rest, _) = bytes.split_once(",\"hash\":\"").unwrap();
    let rest = rest.replace("\"approved\"", "\"blessed\"");
    let hash = crate::act::plan::sha256_hex(format!("{rest}}}").as_bytes());
    let bytes = format!("{rest},\"hash\":\"{hash}\"}}\n").into_bytes();
    assert!(verify(&bytes).holds());
    let journal = on(&MemoryDisk::of(bytes));
    assert!(matches!(journal.read(), Err(AuditError::Foreign { line: 1, .. })));
    assert_eq!(journal.append(now(), body(1)).unwrap().seq, 2);
}

#[test]
fn only_who_sees_an_open_question_answers_it() {
    let journal = on(&MemoryDisk::default());
    let mut once = |lines: &[crate::act::exec::audit::Line]| lines.is_empty().then(|| body(0));
    assert_eq!(journal.append_if(now(), &mut once).unwrap().unwrap().seq, 1);
    assert_eq!(journal.append_if(now(), &mut once).unwrap(), None);
    assert_eq!(journal.read().unwrap().len(), 1);
}

proptest! {
    #[test]
    fn any_change_is_found(lines in 1_usize..6, at in 0.0..1.0_f64, kind in 0..3, byte: u8) {
        let bytes = log(lines);
        let at = (at * bytes.len() as f64) as usize;
        let mut changed = bytes.clone();
        match kind {
            0 => changed[at] = byte,
            1 => { changed.remove(at); }
            _ => changed.insert(at, byte),
        }
        prop_assert_eq!(verify(&changed).holds(), changed == bytes);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let chain = verify(&bytes);
        prop_assert_eq!(chain.lines, 0);
        prop_assert_eq!(chain.holds(), bytes.is_empty());
        let journal = on(&MemoryDisk::of(bytes));
        prop_assert!(journal.append(now(), body(0)).is_ok());
        prop_assert!(journal.verify().unwrap().holds());
    }
}
