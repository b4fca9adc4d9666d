//! Checking the whole log: nothing changed, dropped, slipped in or put in another order.

use std::fmt;

use super::seal::{ORIGIN, open};
use crate::act::plan::sha256_hex;

/// Result of checking the chain of hashes of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Number of lines whose hashes are right.
    pub lines: u64,
    /// Hash of the last line, zeros without any. Whoever notes it elsewhere can tell later whether
    /// lines were cut off the end, which a chain alone cannot.
    pub head: String,
    /// Problems, in the order of the file; empty for a log that is whole.
    pub problems: Vec<Problem>,
}

impl Chain {
    /// True when no problem was found.
    pub fn holds(&self) -> bool {
        self.problems.is_empty()
    }
}

/// One problem of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Number of the line in the file, from 1.
    pub line: u64,
    /// Kind of problem.
    pub defect: Defect,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.defect)
    }
}

/// Kinds of problems of a line. [`Defect::Torn`] and [`Defect::Unended`] are what a crash leaves;
/// the others mean that somebody changed the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Defect {
    /// The hash in the line is not the hash of the line.
    #[error("was changed: it does not carry its own hash")]
    Changed,
    /// It does not follow the line before.
    #[error(
        "does not follow the line before it (its number is {seq}, expected {expected}): lines were \
         dropped, slipped in or moved"
    )]
    Unchained {
        /// Number in the line.
        seq: u64,
        /// Number that should follow.
        expected: u64,
    },
    /// Bytes that are no line, and the next line does not account for them.
    #[error("is no line of the log, and no line behind it accounts for a crash")]
    Unaccounted,
    /// Half a line at the end of the file.
    #[error("is half a line, as a crash leaves it; `burntop audit reconcile` accounts for it")]
    Torn,
    /// The last line lacks its newline.
    #[error("lacks its end; `burntop audit reconcile` puts it right")]
    Unended,
    /// The line accounts for torn bytes that are not in the file.
    #[error("accounts for half a line that is not there, or was changed")]
    Phantom,
}

/// Piece of the log file, one per line.
pub(super) enum Piece<'a> {
    /// A line with its number in the file.
    Line(u64, &'a [u8]),
    /// Bytes that are no line and that the next line accounts for.
    Accounted,
    /// A problem.
    Wrong(Problem),
}

/// Walks through the whole log.
pub(super) fn walk<'a>(log: &'a [u8], each: &mut dyn FnMut(Piece<'a>)) -> Chain {
    let mut chain = Chain { lines: 0, head: ORIGIN.to_owned(), problems: Vec::new() };
    let mut seq = 0;
    // Bytes that are no line: where they start, in the file and as a line number.
    let mut torn: Option<(usize, u64)> = None;
    let (mut at, mut number) = (0, 0);
    let wrong = |each: &mut dyn FnMut(Piece<'a>), chain: &mut Chain, line, defect| {
        let problem = Problem { line, defect };
        chain.problems.push(problem.clone());
        each(Piece::Wrong(problem));
    };
    while at < log.len() {
        number += 1;
        let start = at;
        let end = log[at..].iter().position(|b| *b == b'\n').map_or(log.len(), |n| at + n);
        at = end + 1;
        let Some(line) = open(&log[start..end]) else {
            torn.get_or_insert((start, number));
            continue;
        };
        if !line.holds {
            if let Some((_, first)) = torn.take() {
                wrong(each, &mut chain, first, Defect::Unaccounted);
            }
            wrong(each, &mut chain, number, Defect::Changed);
            // What it says of itself is what the next line was written against.
            (seq, chain.head) = (line.seq, line.hash);
            continue;
        }
        let left = torn.take().map(|(from, first)| (&log[from..start - 1], first));
        match (left, &line.recovered) {
            (None, None) => {}
            (Some((left, _)), Some((bytes, sha256)))
                if left.len() as u64 == *bytes && sha256_hex(left) == *sha256 =>
            {
                each(Piece::Accounted);
            }
            (left, recovered) => {
                if let Some((_, first)) = left {
                    wrong(each, &mut chain, first, Defect::Unaccounted);
                }
                if recovered.is_some() {
                    wrong(each, &mut chain, number, Defect::Phantom);
                }
            }
        }
        if line.seq != seq + 1 || line.prev != chain.head {
            let defect = Defect::Unchained { seq: line.seq, expected: seq + 1 };
            wrong(each, &mut chain, number, defect);
        }
        (seq, chain.head) = (line.seq, line.hash);
        chain.lines += 1;
        each(Piece::Line(number, &log[start..end]));
    }
    if let Some((_, first)) = torn {
        wrong(each, &mut chain, first, Defect::Torn);
    } else if log.last().is_some_and(|b| *b != b'\n') {
        wrong(each, &mut chain, number, Defect::Unended);
    }
    chain
}
