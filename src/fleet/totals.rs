//! Sums over the fleet, each with what it leaves out.

use serde::{Deserialize, Serialize};

use super::row::Row;
use crate::domain::VerdictKind;

/// Sums over rows. Every dollar figure is USD/h at the rate of each row (list, or spot for spot).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Number of instances in any state.
    pub instances: u32,
    /// Number of running instances.
    pub running: u32,
    /// GPU equivalents of the running instances of known type.
    pub gpus: f64,
    /// Price of all priced running instances, USD/h.
    pub burn: f64,
    /// Number of running instances without a known price; `burn` leaves them out.
    pub unpriced: u32,
    /// Waste of all priced idle and partial instances, USD/h.
    pub waste: f64,
    /// Dollars wasted since the idle stretches began.
    pub wasted_since: f64,
    /// True when the waste of an instance is a lower bound, and so the sum.
    pub wasted_at_least: bool,
    /// Sums by verdict, in the order of [`VerdictKind::ALL`].
    pub by_verdict: [VerdictTotals; 7],
    /// Sums over running instances without a verdict yet.
    pub unjudged: VerdictTotals,
    /// GPU equivalents of idle instances and of the idle GPUs of partly idle ones, by their verdicts; those of unknown
    /// type are left out.
    pub idle_gpus: f64,
}

/// Sums over the running instances of one verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VerdictTotals {
    /// Number of instances.
    pub count: u32,
    /// Number of instances without a price.
    pub unpriced: u32,
    /// Price of the instances, USD/h; those without a price are left out.
    pub burn: f64,
}

impl VerdictTotals {
    fn add(&mut self, usd_per_hour: Option<f64>) {
        self.count += 1;
        match usd_per_hour {
            Some(usd) => self.burn += usd,
            None => self.unpriced += 1,
        }
    }
}

impl Totals {
    /// Sums over `rows`.
    pub fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut t = Self::default();
        for row in rows {
            t.instances += 1;
            if !row.instance.state.is_billed() {
                continue;
            }
            t.running += 1;
            let gpus = row.gpus().unwrap_or(0.0);
            t.gpus += gpus;
            let usd = row.usd_per_hour();
            match usd {
                Some(usd) => t.burn += usd,
                None => t.unpriced += 1,
            }
            t.waste += row.waste_usd_per_hour().unwrap_or(0.0);
            t.wasted_since += row.wasted_usd.unwrap_or(0.0);
            t.wasted_at_least |= row.wasted_at_least();
            let Some(verdict) = &row.verdict else {
                t.unjudged.add(usd);
                continue;
            };
            t.idle_gpus += gpus * verdict.waste_share().unwrap_or(0.0);
            if let Some(i) = VerdictKind::ALL.iter().position(|k| *k == verdict.kind) {
                t.by_verdict[i].add(usd);
            }
        }
        t
    }

    /// Sums over the running instances with verdict `kind`.
    pub fn verdict(&self, kind: VerdictKind) -> VerdictTotals {
        VerdictKind::ALL
            .iter()
            .position(|k| *k == kind)
            .map_or_else(VerdictTotals::default, |i| self.by_verdict[i])
    }

    /// Number of running instances with a known waste: priced, and with a verdict about waste.
    pub fn waste_known(&self) -> u32 {
        let told = VerdictKind::ALL.into_iter().filter(|k| k.tells_waste());
        told.map(|kind| self.verdict(kind)).map(|of| of.count - of.unpriced).sum()
    }

    /// True when a sum of waste is meaningful: the waste of an instance is known, or nothing runs.
    pub fn knows_waste(&self) -> bool {
        self.running == 0 || self.waste_known() > 0
    }

    /// Waste ÷ burn, 0–1; `None` when nothing is burned.
    pub fn waste_share(&self) -> Option<f64> {
        (self.burn > 0.0).then(|| self.waste / self.burn)
    }
}
