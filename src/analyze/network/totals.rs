//! Rows by path and by fix: what each costs, and what could be avoided of it.

use std::cmp::Reverse;

use super::{Confidence, NetworkPath, NetworkRow, Remedy};
use crate::domain::bill::Usd;

/// Rows of one path, summed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathSum {
    /// The path.
    pub path: NetworkPath,
    /// Number of rows.
    pub rows: usize,
    /// Number of them without a known price: `usd` leaves them out.
    pub unpriced: usize,
    /// Cost, US dollars.
    pub usd: Usd,
    /// Of it, what fixes avoid, US dollars; rows of which it is not known are left out.
    pub avoidable: Usd,
    /// Bytes of the rows that count them; `None` where none does.
    pub bytes: Option<f64>,
}

/// Rows with one fix, summed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixSum {
    /// What is done; figures in it are of one of the rows.
    pub remedy: Remedy,
    /// Number of rows.
    pub rows: usize,
    /// What it avoids, US dollars; `None` where it is known of no row.
    pub avoidable: Option<Usd>,
    /// Whether that is what is avoided, or an upper bound: that of the least certain row.
    pub confidence: Confidence,
}

/// Sums by path, the costliest first.
pub fn by_path<'a>(rows: impl Iterator<Item = &'a NetworkRow>) -> Vec<PathSum> {
    let mut sums: Vec<PathSum> = Vec::new();
    for row in rows {
        let path = row.key.path;
        let at = sums.iter().position(|sum| sum.path == path).unwrap_or_else(|| {
            let (usd, avoidable) = (Usd::ZERO, Usd::ZERO);
            sums.push(PathSum { path, rows: 0, unpriced: 0, usd, avoidable, bytes: None });
            sums.len() - 1
        });
        let sum = &mut sums[at];
        sum.rows += 1;
        sum.unpriced += usize::from(row.known_usd().is_none());
        sum.usd += row.usd;
        sum.avoidable += row.avoidable().unwrap_or_default();
        if let Some(bytes) = row.bytes {
            *sum.bytes.get_or_insert_default() += bytes;
        }
    }
    sums.sort_by_key(|sum| (Reverse(sum.usd), sum.path));
    sums
}

/// Sums by fix, the one that avoids the most first; what avoids an unknown amount comes last.
pub fn by_fix<'a>(rows: impl Iterator<Item = &'a NetworkRow>) -> Vec<FixSum> {
    let mut sums: Vec<FixSum> = Vec::new();
    for fix in rows.filter_map(|row| row.fix.as_ref()) {
        let place = fix.remedy.place();
        match sums.iter_mut().find(|sum| sum.remedy.place() == place) {
            Some(sum) => {
                sum.rows += 1;
                sum.confidence = sum.confidence.max(fix.confidence);
                if let Some(avoidable) = fix.avoidable {
                    *sum.avoidable.get_or_insert_default() += avoidable;
                }
            }
            None => sums.push(FixSum {
                remedy: fix.remedy,
                rows: 1,
                avoidable: fix.avoidable,
                confidence: fix.confidence,
            }),
        }
    }
    sums.sort_by_key(|sum| (Reverse(sum.avoidable), sum.remedy.place()));
    sums
}
