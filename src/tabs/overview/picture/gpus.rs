//! What GPU telemetry adds to the Overview: use as it really is, and GPUs that burn for nothing on
//! instances that are not idle.

use super::findings::of_gpus;
use super::{Blind, Measures, Metric, Overview, Score};
use crate::domain::{GpuState, VerdictKind};
use crate::fleet::gpu::Places;
use crate::fleet::{Fleet, GpuFleet, GpuRow};
use crate::tabs::gpus::picture::words::Label;
use crate::tabs::gpus::picture::{BlindPanel, blind};
use crate::view::format::count;

/// States that waste the whole price of a GPU, worst first.
pub(super) const WASTEFUL: [GpuState; 3] =
    [GpuState::Stalled, GpuState::HeldIdle, GpuState::UnallocatedIdle];

/// GPUs of one wasteful state. Left out are GPUs whose dollars are already part of the waste of idle and partly
/// idle instances, so that both can be added, and GPUs of instances that are exempt, too new or not judged yet,
/// for which no waste is stated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuFinding {
    /// State of the GPUs.
    pub state: GpuState,
    /// Number of GPUs and MIG slices.
    pub count: u32,
    /// GPU equivalents of them.
    pub gpus: f64,
    /// Number of MIG slices among them, and their GPU equivalents.
    pub slices: (u32, f64),
    /// GPU equivalents of the unallocated ones that a job has by its scheduler.
    pub in_job: f64,
    /// Number of all of them without a price.
    pub unpriced: u32,
    /// Waste of the priced ones, USD/h.
    pub usd_per_hour: f64,
    /// Dollars since their idle spells began, as far as known; `None` for stalled GPUs.
    pub wasted_usd: Option<f64>,
    /// True when `wasted_usd` is a lower bound.
    pub wasted_at_least: bool,
}

impl Overview {
    /// Adds the findings and utilisation of GPU telemetry.
    #[must_use]
    pub fn with_gpus(mut self, fleet: &Fleet, gpus: &GpuFleet) -> Self {
        self.gpu_findings = findings(gpus);
        self.add_findings(&["gpus"], of_gpus(gpus));
        self.measures = Measures::of(fleet, gpus);
        // What is told now counts for more than what the hours of a verdict lacked.
        if !gpus.rows.is_empty() {
            let BlindPanel { instances, usd_per_hour, unpriced, .. } = blind(gpus);
            self.blind = Blind { instances, usd_per_hour, unpriced };
        }
        if let Some(share) = gpus.totals.efficiency() {
            let seen = gpus.totals.measured;
            let all = seen.max(self.gpus);
            let rests_on = format!("known for {} of {} GPUs", count(seen), count(all));
            Score::new(Metric::GpuUtilisation, Some(share), rests_on).put(&mut self.scores);
        }
        self
    }
}

/// True once each GPU is of its instance, as far as its host is one of `fleet`: a picture of GPUs that was made before the
/// instances were read has none of them.
pub fn is_joined(fleet: &Fleet, gpus: &GpuFleet) -> bool {
    let alone = || gpus.rows.iter().filter(|row| row.node.instance.is_none());
    if alone().next().is_none() {
        return true;
    }
    let places = Places::of(&fleet.rows);
    alone().all(|row| places.find(&row.sample.identity.host).is_none())
}

fn findings(gpus: &GpuFleet) -> Vec<GpuFinding> {
    let rows = || gpus.rows.iter().map(|r| &**r).filter(|r| !is_counted(r));
    let sum = |state: GpuState| {
        let empty = GpuFinding {
            state,
            count: 0,
            gpus: 0.0,
            slices: (0, 0.0),
            in_job: 0.0,
            unpriced: 0,
            usd_per_hour: 0.0,
            wasted_usd: None,
            wasted_at_least: false,
        };
        rows().filter(|r| r.verdict.state == state).fold(empty, |mut sum, row| {
            sum.count += 1;
            sum.gpus += row.equivalents;
            if Label::of(row).in_job {
                sum.in_job += row.equivalents;
            }
            if row.key.gpu_instance.is_some() {
                sum.slices = (sum.slices.0 + 1, sum.slices.1 + row.equivalents);
            }
            match row.waste_usd_per_hour {
                Some(usd) => sum.usd_per_hour += usd,
                None => sum.unpriced += 1,
            }
            if let Some(usd) = row.wasted_usd {
                *sum.wasted_usd.get_or_insert(0.0) += usd;
                sum.wasted_at_least |= row.wasted_at_least();
            }
            sum
        })
    };
    let mut found: Vec<GpuFinding> =
        WASTEFUL.map(sum).into_iter().filter(|f| f.count > 0).collect();
    found.sort_by(|a, b| b.usd_per_hour.total_cmp(&a.usd_per_hour));
    found
}

/// True when the waste of the instance holds this GPU's (all of an idle one's, the idle ones' of a
/// partly idle one), when none is told of it, or while nobody knows whether it will be.
pub(super) fn is_counted(row: &GpuRow) -> bool {
    let Some(instance) = row.node.instance.as_deref() else { return false };
    match instance.verdict.as_ref().map(|v| v.kind) {
        None | Some(VerdictKind::Idle | VerdictKind::Exempt | VerdictKind::TooNew) => true,
        Some(VerdictKind::Partial) => row.verdict.state.is_idle(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tabs::gpus::picture::fixture;
    use crate::tabs::overview::picture::{Band, overview};
    use crate::view::fixture::{ctx, fleet};

    #[test]
    fn only_what_no_instance_counts_is_added() {
        let o = overview(&fleet(), &ctx()).with_gpus(&fleet(), &fixture::gpus());
        let found: Vec<(GpuState, u32, u32)> =
            o.gpu_findings.iter().map(|f| (f.state, f.count, f.unpriced)).collect();
        // Five held idle on the partly idle instance and eight on the idle one are in its waste;
        // the stalled one beside them is not, nor is the slice of a host without an instance.
        assert_eq!(found, [(GpuState::Stalled, 1, 0), (GpuState::HeldIdle, 1, 1)]);
        assert!((o.gpu_findings[0].usd_per_hour - 6.88).abs() < 1e-9);
        assert_eq!(o.gpu_findings[0].wasted_usd, None);
        let before = overview(&fleet(), &ctx());
        assert_eq!(o.waste.to_bits(), before.waste.to_bits());
        let panel = blind(&fixture::gpus());
        assert_eq!(o.blind.sentence(), panel.sentence(), "one figure, wherever it stands");
    }

    #[test]
    fn gpus_of_instances_that_are_not_judged_yet_are_no_finding() {
        let mut unjudged = fixture::gpus();
        for row in unjudged.rows.iter_mut().map(Arc::make_mut) {
            let node = Arc::make_mut(&mut row.node);
            if let Some(instance) = node.instance.as_mut() {
                Arc::make_mut(instance).verdict = None;
            }
        }
        let found = overview(&fleet(), &ctx()).with_gpus(&fleet(), &unjudged).gpu_findings;
        let states: Vec<_> = found.iter().map(|f| (f.state, f.count)).collect();
        assert_eq!(states, [(GpuState::HeldIdle, 1)], "that of the host without an instance");
    }

    #[test]
    fn utilisation_is_the_effective_one_where_it_is_known() {
        let before = overview(&fleet(), &ctx());
        let o = before.clone().with_gpus(&fleet(), &fixture::gpus());
        let score = &o.scores[0];
        // 0.87 + 0.31 + 0.88, a stalled one, slices 0.01 × 3/7 and 0.7 × 1/7; of 17 GPUs and 4/7.
        let want = (2.06 + 0.03 / 7.0 + 0.7 / 7.0) / (17.0 + 4.0 / 7.0);
        assert!((score.share.unwrap() - want).abs() < 1e-6, "{score:?}");
        assert_eq!(score.grade, Some(Band::Poor));
        assert!(score.rests_on.starts_with("known for 17.571 of "), "{}", score.rests_on);
        let none = before.clone().with_gpus(&fleet(), &GpuFleet::default());
        assert_eq!(none, before);
    }
}
