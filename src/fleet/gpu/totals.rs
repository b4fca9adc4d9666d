//! Sums over GPUs, each with what it leaves out.

use serde::{Deserialize, Serialize};

use super::GpuRow;
use crate::domain::{FastSet, GpuState};

/// Sums of one state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StateTotals {
    /// GPUs (slices count as one each).
    pub count: u32,
    /// GPU equivalents.
    pub equivalents: f64,
    /// What they burn, USD/h, as far as priced.
    pub burn: f64,
    /// Of `count` without a price.
    pub unpriced: u32,
}

/// Sums over GPUs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GpuTotals {
    /// By state, in the order of [`GpuState::ALL`].
    pub by_state: [StateTotals; 8],
    /// Hosts.
    pub nodes: u32,
    /// What buys nothing, USD/h, as far as known.
    pub waste: f64,
    /// Dollars since the idle spells began.
    pub wasted_since: f64,
    /// Sum over GPUs with known activity of effective use × GPU equivalents.
    pub effective: f64,
    /// GPU equivalents with known activity.
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

    /// All GPUs.
    pub fn count(&self) -> u32 {
        self.by_state.iter().map(|s| s.count).sum()
    }

    /// What all GPUs burn, USD/h, as far as priced.
    pub fn burn(&self) -> f64 {
        self.by_state.iter().map(|s| s.burn).sum()
    }

    /// GPUs without a price.
    pub fn unpriced(&self) -> u32 {
        self.by_state.iter().map(|s| s.unpriced).sum()
    }

    /// The sums of one state.
    pub fn of_state(&self, state: GpuState) -> &StateTotals {
        &self.by_state[state as usize]
    }

    /// Mean effective use over the GPUs whose activity is known, 0–1; `None` when it is of none.
    pub fn efficiency(&self) -> Option<f64> {
        (self.measured > 0.0).then(|| self.effective / self.measured)
    }
}
