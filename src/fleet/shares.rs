//! Shares of what runs: how much the GPUs are used, how many idle, are on Spot, and what is tagged.

use super::row::Row;
use crate::domain::{KeptShare, KeptShares, Lifecycle, Verdict, VerdictKind};

/// Sums over running instances that shares are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FleetShares {
    /// GPU equivalents of instances of known types.
    pub gpus: f64,
    /// GPU equivalents of these on Spot.
    pub spot: f64,
    /// GPU equivalents of these with a mean of their use.
    pub seen: f64,
    /// Sum of their percentages.
    pub percent: f64,
    /// GPU equivalents whose verdict says whether they are idle.
    pub judged: f64,
    /// GPU equivalents of these that are idle.
    pub idle: f64,
    /// GPU equivalents without any verdict yet.
    pub unjudged: f64,
    /// Number of instances.
    pub instances: f64,
    /// Number of instances with all tags.
    pub tagged: f64,
}

impl FleetShares {
    /// The sums over these instances, which run.
    pub fn of<'a>(running: impl Iterator<Item = &'a Row>) -> Self {
        let mut sums = Self::default();
        running.for_each(|row| sums.add(row));
        sums
    }

    /// A share, 0–1; `None` where nothing tells of it.
    pub fn share(&self, of: KeptShare) -> Option<f64> {
        let (part, whole) = match of {
            KeptShare::GpuUse => (self.percent / 100.0, self.seen),
            KeptShare::IdleGpus => (self.idle, self.judged),
            KeptShare::Spot => (self.spot, self.gpus),
            KeptShare::Tagged => (self.tagged, self.instances),
        };
        (whole > 0.0).then(|| part / whole)
    }

    /// All shares, to be kept. What rests on verdicts is not known while some are missing.
    pub fn kept(&self) -> KeptShares {
        KeptShare::ALL.map(|of| {
            let by_verdict = matches!(of, KeptShare::GpuUse | KeptShare::IdleGpus);
            let share = self.share(of).filter(|_| !by_verdict || self.unjudged <= 0.0);
            share.map(|share| share as f32)
        })
    }

    fn add(&mut self, row: &Row) {
        self.instances += 1.0;
        self.tagged += f64::from(u8::from(is_tagged(row)));
        let Some(spec) = row.spec.as_deref().filter(|s| s.accelerator.is_some()) else { return };
        let gpus = spec.gpus();
        self.gpus += gpus;
        if row.instance.lifecycle == Lifecycle::Spot {
            self.spot += gpus;
        }
        let Some(verdict) = row.verdict.as_deref() else {
            self.unjudged += gpus;
            return;
        };
        if let Some(percent) = verdict.gpu_percent.filter(|p| p.is_finite()) {
            let seen = seen(verdict).map_or(gpus, |n| gpus * n / f64::from(spec.devices().max(1)));
            self.seen += seen;
            self.percent += f64::from(percent) * seen;
        }
        let Some(idle) = verdict.waste_share().filter(|_| verdict.kind != VerdictKind::Exempt)
        else {
            return;
        };
        self.judged += gpus;
        self.idle += gpus * idle;
    }
}

/// True for an instance whose tags name its owner and its purpose.
pub fn is_tagged(row: &Row) -> bool {
    let tags = [&row.team, &row.project, &row.environment, &row.cost_center];
    tags.iter().all(|t| t.as_ref().is_some_and(|t| !t.is_empty()))
}

/// GPUs that sent at least one datapoint, by the verdict's evidence; `None` when it lists no GPU.
fn seen(verdict: &Verdict) -> Option<f64> {
    let mut gpus: Vec<(u16, bool)> =
        verdict.signals.iter().filter_map(|s| Some((s.signal.gpu()?, s.got > 0))).collect();
    if gpus.is_empty() {
        return None;
    }
    gpus.retain(|(_, got)| *got);
    gpus.sort_unstable();
    gpus.dedup();
    Some(gpus.len() as f64)
}
