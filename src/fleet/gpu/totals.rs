//! Sums over GPUs, each with what it leaves out.

use serde::{Deserialize, Serialize};

use super::GpuRow;
use crate::domain::{FastSet, GpuState};

/// Sums over the GPUs of one state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StateTotals {
    /// Number of GPUs; slices count as one each.
    pub count: u32,
    /// GPU equivalents of these GPUs.
    pub equivalents: f64,
    /// Price of these GPUs, USD/h; those without a price are left out.
    pub burn: f64,
    /// Number of these GPUs without a price.
    pub unpriced: u32,
}

/// Sums over all GPUs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GpuTotals {
    /// Sums by state, in the order of [`GpuState::ALL`].
    pub by_state: [StateTotals; 8],
    /// Number of hosts.
    pub nodes: u32,
    /// Wasted price, USD/h, of the GPUs where it is known.
    pub waste: f64,
    /// Dollars wasted since the idle spells began, of the GPUs where it is known.
    pub wasted_since: f64,
    /// Sum of activity (0–1) × GPU equivalents over the GPUs with known activity.
    pub effective: f64,
    /// GPU equivalents of the GPUs with known activity.
    pub measured: f64,
}

impl GpuTotals {
    /// Sums over `rows`; `nodes` are counted by the identity of their node.
    pub fn of<'a>(rows: impl Iterator<Item = &'a GpuRow>) -> Self {
        let mut t = Self::default();
        let mut nodes = FastSet::default();
        for row in rows {
            let state = &mut t.by_state[row.verdict.state as usize];
            state.count += 1;
            state.equivalents += row.equivalents;
            match row.usd_per_hour {
                Some(usd) => state.burn += usd,
                None => state.unpriced += 1,
            }
            nodes.insert(&*row.node.name);
            t.waste += row.waste_usd_per_hour.unwrap_or(0.0);
            t.wasted_since += row.wasted_usd.unwrap_or(0.0);
            if let Some(effective) = row.effective() {
                t.effective += effective * row.equivalents;
                t.measured += row.equivalents;
            }
        }
        t.nodes = nodes.len() as u32;
        t
    }

    /// Number of GPUs.
    pub fn count(&self) -> u32 {
        self.by_state.iter().map(|s| s.count).sum()
    }

    /// Price of all GPUs, USD/h; those without a price are left out.
    pub fn burn(&self) -> f64 {
        self.by_state.iter().map(|s| s.burn).sum()
    }

    /// Number of GPUs without a price.
    pub fn unpriced(&self) -> u32 {
        self.by_state.iter().map(|s| s.unpriced).sum()
    }

    /// Sums over the GPUs in `state`.
    pub fn of_state(&self, state: GpuState) -> &StateTotals {
        &self.by_state[state as usize]
    }

    /// Mean activity weighted by GPU equivalents, 0–1, over the GPUs with known activity; `None` without any.
    pub fn efficiency(&self) -> Option<f64> {
        (self.measured > 0.0).then(|| self.effective / self.measured)
    }
}
