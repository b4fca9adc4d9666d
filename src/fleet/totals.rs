//! Sums over the fleet, each with what it leaves out.

use serde::{Deserialize, Serialize};

use super::row::Row;
use crate::domain::VerdictKind;

/// Sums over rows. Every dollar figure is USD/h at the rate of each row (list, or spot for spot).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Instances in any state.
    pub instances: u32,
    /// Running instances.
    pub running: u32,
    /// GPU equivalents of the running instances whose type is known.
    pub gpus: f64,
    /// Burn of all priced running instances, USD/h.
    pub burn: f64,
    /// Running instances without a known price; `burn` leaves them out.
    pub unpriced: u32,
    /// Waste of all priced idle and partial instances, USD/h.
    pub waste: f64,
    /// Dollars wasted since each idle stretch began.
    pub wasted_since: f64,
    /// True when some of these dollars are a lower bound, and so is their sum.
    pub wasted_at_least: bool,
    /// By verdict, in the order of [`VerdictKind::ALL`].
    pub by_verdict: [VerdictTotals; 7],
    /// Running instances that have no verdict yet.
    pub unjudged: VerdictTotals,
    /// GPU devices idle in idle and partial boxes.
    pub idle_gpus: u32,
}

/// Sums of one verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VerdictTotals {
    /// Instances.
    pub count: u32,
    /// Of them without a price.
    pub unpriced: u32,
    /// Burn, USD/h.
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
            t.gpus += row.gpus().unwrap_or(0.0);
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
            t.idle_gpus += match verdict.kind {
                VerdictKind::Idle => verdict.devices,
                VerdictKind::Partial => verdict.idle_gpus.unwrap_or(0),
                _ => 0,
            };
            if let Some(i) = VerdictKind::ALL.iter().position(|k| *k == verdict.kind) {
                t.by_verdict[i].add(usd);
            }
        }
        t
    }

    /// Sums of one verdict.
    pub fn verdict(&self, kind: VerdictKind) -> VerdictTotals {
        VerdictKind::ALL
            .iter()
            .position(|k| *k == kind)
            .map_or_else(VerdictTotals::default, |i| self.by_verdict[i])
    }

    /// Running instances whose waste is known: priced, with a verdict that says something of it.
    pub fn waste_known(&self) -> u32 {
        let told = VerdictKind::ALL.into_iter().filter(|k| k.tells_waste());
        told.map(|kind| self.verdict(kind)).map(|of| of.count - of.unpriced).sum()
    }

    /// True when a sum of waste says something: it is known of an instance, or nothing runs.
    pub fn knows_waste(&self) -> bool {
        self.running == 0 || self.waste_known() > 0
    }

    /// Waste over burn, 0–1; `None` when nothing burns.
    pub fn waste_share(&self) -> Option<f64> {
        (self.burn > 0.0).then(|| self.waste / self.burn)
    }
}
