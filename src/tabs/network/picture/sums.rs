//! Sums over paths, as the strip of the tab and reports show them.

use super::NetworkItem;
use crate::analyze::network::{FixSum, NetworkPath, NetworkRow, PathSum, by_fix, by_path};
use crate::domain::bill::Usd;

/// Sums over paths. What has no known price counts nothing, and is counted in `unpriced`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkSums {
    /// The paths by kind, the costliest first.
    pub by_path: Vec<PathSum>,
    /// The fixes by kind, the one that avoids the most first.
    pub by_fix: Vec<FixSum>,
    /// Cost of the network, US dollars.
    pub network: Usd,
    /// Cost of requests to buckets, US dollars.
    pub requests: Usd,
    /// What all fixes together avoid at most, US dollars.
    pub avoidable: Usd,
    /// Number of paths without a known price; 0 for a bill.
    pub unpriced: usize,
}

impl NetworkSums {
    /// Sums over rows.
    pub fn of<'a>(rows: impl Iterator<Item = &'a NetworkItem>) -> Self {
        let rows: Vec<&NetworkRow> = rows.map(|row| &row.of).collect();
        let each = || rows.iter().copied();
        let mut sums = Self { by_path: by_path(each()), by_fix: by_fix(each()), ..Self::default() };
        for row in each() {
            match row.key.path {
                NetworkPath::Requests => sums.requests += row.usd,
                _ => sums.network += row.usd,
            }
            sums.avoidable += row.avoidable().unwrap_or_default();
            sums.unpriced += usize::from(row.known_usd().is_none());
        }
        sums
    }
}
