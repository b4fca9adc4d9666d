//! The end of the log: what the next line follows.

use super::disk::Stored;
use super::error::AuditError;
use super::seal::{ORIGIN, open};
use crate::act::plan::sha256_hex;

/// Bytes that are read at first. A line of an intent of fifty instances is about 100 kB.
const FIRST_LOOK: u64 = 64 << 10;

/// End of the chain of hashes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tail {
    /// Number of the last line; 0 without any.
    pub seq: u64,
    /// Hash of the last line.
    pub hash: String,
    /// What a crash left behind the last line: length and SHA-256, without a newline at its end.
    pub torn: Option<(u64, String)>,
    /// True when what is last lacks its newline.
    pub unended: bool,
}

/// Finds the end of the log, reading no more of it than it takes.
///
/// A line is whole when its hash holds, with or without its newline: so everybody who reads the
/// same bytes, now or later, sees the same lines in them.
pub(super) fn find(stored: &dyn Stored) -> Result<Tail, AuditError> {
    let size = stored.size();
    let mut look = FIRST_LOOK;
    loop {
        let bytes = stored.last(look)?;
        if let Some(tail) = find_in(&bytes, look >= size)? {
            return Ok(tail);
        }
        look = look.saturating_mul(4);
    }
}

/// The end of the log as far as its last `bytes` say; `None` when there is no line in them, though
/// there may be one before them.
fn find_in(bytes: &[u8], whole: bool) -> Result<Option<Tail>, AuditError> {
    let unended = bytes.last().is_some_and(|b| *b != b'\n');
    let end = if unended { bytes.len() } else { bytes.len().saturating_sub(1) };
    let torn_from = |start: usize| {
        let torn = bytes.get(start..end).unwrap_or_default();
        (start < bytes.len()).then(|| (torn.len() as u64, sha256_hex(torn)))
    };
    let mut stop = end;
    loop {
        let start = bytes[..stop].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
        if start == 0 && !whole {
            return Ok(None);
        }
        match open(&bytes[start..stop]) {
            Some(head) if head.holds => {
                let torn = if stop == end { None } else { torn_from(stop + 1) };
                return Ok(Some(Tail { seq: head.seq, hash: head.hash, torn, unended }));
            }
            Some(_) => {
                return Err(AuditError::Broken { line: 0, why: "does not carry its own hash" });
            }
            None if start == 0 => {
                let torn = torn_from(0);
                return Ok(Some(Tail { seq: 0, hash: ORIGIN.to_owned(), torn, unended }));
            }
            None => stop = start - 1,
        }
    }
}
