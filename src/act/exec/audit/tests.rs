//! Tests of the log, on a disk in memory and on real files.

mod chain;
mod files;
mod recent;
mod torn;

use std::sync::Arc;

use jiff::Timestamp;

use super::memory::MemoryDisk;
use super::{Body, Chain, Journal};

pub fn now() -> Timestamp {
    "2026-07-01T12:40:00Z".parse().unwrap()
}

/// A body that can be told from others.
pub fn body(n: usize) -> Body {
    Body::Approved {
        what: format!("plan {n} “ünïcode”\n"),
        sha256: "5f".repeat(32),
        approver: [("111122223333".into(), "arn:aws:iam::111122223333:user/ann".into())].into(),
    }
}

pub fn on(disk: &MemoryDisk) -> Journal {
    Journal::new(Arc::new(disk.clone()))
}

/// The bytes of a log of `lines` lines.
pub fn log(lines: usize) -> Vec<u8> {
    let journal = on(&MemoryDisk::default());
    for n in 0..lines {
        journal.append(now(), body(n)).unwrap();
    }
    journal.bytes().unwrap()
}

pub fn verify(bytes: &[u8]) -> Chain {
    on(&MemoryDisk::of(bytes.to_vec())).verify().unwrap()
}
