//! Paths that are known without a bill, as the tab lists them.

use std::sync::Arc;

use super::{NetworkItem, NetworkSums, network_rows};
use crate::analyze::network::live::paths;
use crate::fleet::savings::PathRow;

/// Paths that were read of the account, at list prices.
#[derive(Clone, Debug, Default)]
pub struct LivePaths {
    /// The paths, what avoids most first.
    pub rows: Arc<[Arc<NetworkItem>]>,
    /// Sums over them.
    pub sums: NetworkSums,
}

impl LivePaths {
    /// The paths of savings.
    pub fn of(live: &[Arc<PathRow>]) -> Self {
        let rows = network_rows(paths(live));
        let sums = NetworkSums::of(rows.iter().map(|row| &**row));
        Self { rows, sums }
    }
}
