//! The scorecard: what can be said of the fleet now, against the bands of the field.

use crate::analyze::gpu::Band;
use crate::domain::{BurnPast, Direction, KeptShare, Workload};
use crate::fleet::{FleetShares, Row};
use crate::view::format::{count, noun, percent_trimmed};

/// A metric of the scorecard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Mean effective use of all GPUs with telemetry.
    GpuUtilisation,
    /// Share of judged GPUs that are idle; each GPU is a GPU-hour per hour.
    IdleGpuHours,
    /// Share of GPU equivalents on Spot.
    SpotCoverage,
    /// Share of the dollars paid for commitments that is used.
    CommitmentUtilisation,
    /// On-demand value of usage covered by commitments ÷ that of all usage they could cover.
    CommitmentCoverage,
    /// Share of the dollars for storage that no finding would save.
    StorageEfficiency,
    /// Bytes of buckets and volumes that are in use ÷ those of which it is known whether they are.
    ActiveStorage,
    /// Share of running instances tagged with team, project, environment and cost center.
    TagCompliance,
}

impl Metric {
    /// All metrics, in order. Those of commitments and storage have a value once these are read.
    pub const ALL: [Self; 8] = [
        Self::GpuUtilisation,
        Self::IdleGpuHours,
        Self::SpotCoverage,
        Self::CommitmentUtilisation,
        Self::CommitmentCoverage,
        Self::StorageEfficiency,
        Self::ActiveStorage,
        Self::TagCompliance,
    ];

    /// Figures that instances alone tell, each with the share that is kept of it.
    const OF_INSTANCES: [(Self, KeptShare); 4] = [
        (Self::GpuUtilisation, KeptShare::GpuUse),
        (Self::IdleGpuHours, KeptShare::IdleGpus),
        (Self::SpotCoverage, KeptShare::Spot),
        (Self::TagCompliance, KeptShare::Tagged),
    ];

    /// The share that is kept of it by hour; `None` for a metric without a past.
    fn kept(self) -> Option<KeptShare> {
        Self::OF_INSTANCES.iter().find(|(metric, _)| *metric == self).map(|(_, kept)| *kept)
    }

    /// Label of the metric.
    pub fn label(self) -> &'static str {
        match self {
            Self::GpuUtilisation => "GPU utilisation",
            Self::IdleGpuHours => "idle GPU hours",
            Self::SpotCoverage => "Spot coverage of GPU hours",
            Self::CommitmentUtilisation => "commitment utilisation",
            Self::CommitmentCoverage => "commitment coverage",
            Self::StorageEfficiency => "storage efficiency",
            Self::ActiveStorage => "active storage",
            Self::TagCompliance => "tag compliance",
        }
    }

    /// Name in JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            Self::GpuUtilisation => "gpu_utilisation",
            Self::IdleGpuHours => "idle_gpu_hours",
            Self::SpotCoverage => "spot_coverage",
            Self::CommitmentUtilisation => "commitment_utilisation",
            Self::CommitmentCoverage => "commitment_coverage",
            Self::StorageEfficiency => "storage_efficiency",
            Self::ActiveStorage => "active_storage",
            Self::TagCompliance => "tag_compliance",
        }
    }

    /// Bounds of the bands, as text; empty where the metric has none.
    pub fn yardstick(self) -> &'static str {
        match self {
            Self::GpuUtilisation => "Poor <20%, Good ≥65%, Elite ≥85%",
            Self::IdleGpuHours => "Poor >50%, Good ≤10%, Elite <5%",
            Self::SpotCoverage => "Poor <20%, Good >60%, Elite ≥80%",
            Self::CommitmentUtilisation => "Poor <80%, Good ≥90%, Elite ≥95%",
            Self::CommitmentCoverage => "Poor <60%, Good ≥70%, Elite ≥80%",
            Self::StorageEfficiency => "Poor <50%, Good ≥80%, Elite ≥95%",
            Self::ActiveStorage => "",
            Self::TagCompliance => "Poor <50%, Good ≥80%, Elite ≥90%",
        }
    }

    /// Published target, percent, which is to be exceeded; `None` where none is published as one.
    const fn target_percent(self) -> Option<f64> {
        match self {
            Self::GpuUtilisation => Some(70.0),
            Self::SpotCoverage => Some(60.0),
            Self::ActiveStorage => Some(50.0),
            _ => None,
        }
    }

    /// Band of `share` (0–1); `None` where the metric has none. Source of each bound:
    ///
    /// - GPU utilisation and idle hours: the field's benchmark tables give Poor / Average / Good /
    ///   Elite as `<20 / 40 / 65 / 85+`% for training and `>50 / 30 / 10 / <5`% for idle hours. The
    ///   outer bands are bounds, the inner ones typical values: Good begins at its own, and Average is
    ///   what lies between it and Poor.
    /// - Spot coverage: one target is published, above 60%; it is where Good begins. Poor below 20%
    ///   and Elite from 80% are our choice: a third of the target, and half of what it leaves.
    /// - Commitment utilisation: the `FinOps` Foundation's playbook keeps resource commitments near an
    ///   80% water-line and asks 90% and more of spend commitments: Poor is below the first, Good
    ///   begins at the second. Elite from 95% is our choice, half of what that leaves.
    /// - Commitment coverage: the Foundation's maturity model gives about 60, 70 and 80% for crawl,
    ///   walk and run; below crawl is Poor. More is not better by itself: what is covered and not
    ///   used costs, see utilisation.
    /// - Storage efficiency: by bytes one target is published, above 50% active; by dollars less is Poor.
    ///   Good from 80% and Elite from 95% are our choice: the published figure is a least one, and
    ///   every dollar that a finding names can be had.
    /// - Active storage: that target alone, and no bands.
    /// - Tag compliance: the maturity model asks that 50, 80 and 90% of the spend can be allocated;
    ///   counted here by instances, not by dollars.
    pub fn grade(self, share: f64) -> Option<Band> {
        let percent = share * 100.0;
        let band = |poor: bool, elite: bool, good: bool| {
            Some(match () {
                () if poor => Band::Poor,
                () if elite => Band::Elite,
                () if good => Band::Good,
                () => Band::Average,
            })
        };
        // The more the better: below the first bound poor, from the others on good and elite.
        let rising = |average: f64, good: f64, elite: f64| {
            // A share that is a bound but for its last bit is the bound.
            let percent = percent + 1e-9;
            band(percent < average, percent >= elite, percent >= good)
        };
        match self {
            Self::GpuUtilisation => Band::of(Workload::Training, share as f32),
            Self::IdleGpuHours => band(percent > 50.0, percent < 5.0, percent <= 10.0),
            Self::SpotCoverage => band(percent < 20.0, percent >= 80.0, percent > 60.0),
            Self::CommitmentUtilisation => rising(80.0, 90.0, 95.0),
            Self::CommitmentCoverage => rising(60.0, 70.0, 80.0),
            Self::StorageEfficiency => rising(50.0, 80.0, 95.0),
            Self::ActiveStorage => None,
            Self::TagCompliance => rising(50.0, 80.0, 90.0),
        }
    }
}

/// Value of a metric, with its base.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The metric.
    pub metric: Metric,
    /// Value of the score, 0–1; `None` where there is no data for it.
    pub share: Option<f64>,
    /// True when the value is an upper bound.
    pub is_at_most: bool,
    /// Band of the value; `None` without a value, and where the metric has no bands.
    pub grade: Option<Band>,
    /// Base of the value: `612 of 904 GPUs`.
    pub rests_on: String,
    /// Where the value is heading; `None` where nothing is known of its past ([`directed`]).
    pub direction: Option<Direction>,
}

impl Score {
    /// A figure, with its grade where it is known.
    pub(super) fn new(metric: Metric, share: Option<f64>, rests_on: String) -> Self {
        let share = share.filter(|s| s.is_finite());
        let grade = share.and_then(|s| metric.grade(s));
        Self { metric, share, is_at_most: false, grade, rests_on, direction: None }
    }

    /// The published target and whether it is met: `target >70%: missed`; `None` without a target or a value.
    pub fn target(&self) -> Option<String> {
        self.against().map(|against| format!("target {against}"))
    }

    /// The same without its first word.
    pub fn against(&self) -> Option<String> {
        let target = self.metric.target_percent().filter(|_| self.share.is_some())?;
        let met = match self.is_met() {
            Some(true) => "met",
            Some(false) => "missed",
            None => "not known",
        };
        Some(format!(">{}: {met}", percent_trimmed(target, 0)))
    }

    /// True where the value is above its target; `None` without a target or a value, and where it is above it by a bound
    /// alone.
    pub fn is_met(&self) -> Option<bool> {
        let (target, share) = (self.metric.target_percent()?, self.share?);
        // What is the target but for its last bit is the target, and not above it.
        let is_above = share * 100.0 > target + 1e-9;
        (!is_above || !self.is_at_most).then_some(is_above)
    }

    /// What the value rests on, the bounds of its bands, its target, and where it is heading:
    /// `9 of 42 GPUs seen; Poor <20%, …; target >70%: missed; rising`.
    pub fn note(&self) -> String {
        let at_most = self.is_at_most.then_some("at most");
        let parts = [at_most, Some(&*self.rests_on), Some(self.metric.yardstick())];
        let target = self.target();
        let parts =
            parts.into_iter().chain([target.as_deref(), self.direction.map(Direction::word)]);
        let parts = parts.flatten();
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        parts.join("; ")
    }

    /// Puts a figure in its place among others, or in the place of an older one.
    pub(super) fn put(self, scores: &mut Vec<Self>) {
        let place = |metric: Metric| Metric::ALL.iter().position(|m| *m == metric);
        match scores.binary_search_by_key(&place(self.metric), |s| place(s.metric)) {
            Ok(at) => scores[at] = self,
            Err(at) => scores.insert(at, self),
        }
    }
}

/// The scorecard of the running instances.
pub(super) fn scores<'a>(running: impl Iterator<Item = &'a Row>) -> Vec<Score> {
    let sums = FleetShares::of(running);
    Metric::OF_INSTANCES.iter().map(|(metric, kept)| of_instances(&sums, *metric, *kept)).collect()
}

fn of_instances(sums: &FleetShares, metric: Metric, kept: KeptShare) -> Score {
    let gpus = count(sums.gpus);
    let rests_on = match kept {
        KeptShare::GpuUse => format!("{} of {gpus} GPUs seen", count(sums.seen)),
        KeptShare::IdleGpus => format!("{} of {gpus} GPUs judged", count(sums.judged)),
        KeptShare::Spot => format!("{gpus} GPUs of known types"),
        KeptShare::Tagged => {
            let instances = noun(sums.instances as usize, "instance");
            format!("{} {instances} running", count(sums.instances))
        }
    };
    Score::new(metric, sums.share(kept), rests_on)
}

/// The scores with where they are heading, as far as the past tells it.
pub fn directed(scores: &[Score], past: Option<&BurnPast>) -> Vec<Score> {
    let of = |score: &Score| {
        let direction = past.zip(score.metric.kept()).and_then(|(past, kept)| {
            past.shares.direction(kept, past.today).filter(|_| score.share.is_some())
        });
        Score { direction, ..score.clone() }
    };
    scores.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Hour;

    #[test]
    fn a_target_is_met_above_it_and_not_at_it() {
        let of = |metric, share| Score::new(metric, share, String::new()).target();
        let said = |metric, share| of(metric, Some(share)).unwrap();
        assert_eq!(said(Metric::GpuUtilisation, 0.70), "target >70%: missed");
        assert_eq!(said(Metric::GpuUtilisation, 0.701), "target >70%: met");
        assert_eq!(said(Metric::SpotCoverage, 0.2), "target >60%: missed");
        assert_eq!(of(Metric::SpotCoverage, None), None);
        assert_eq!(of(Metric::TagCompliance, Some(1.0)), None);
        assert_eq!(said(Metric::ActiveStorage, 0.5), "target >50%: missed");
    }

    #[test]
    fn an_upper_bound_can_miss_a_target_and_is_not_sure_to_meet_it() {
        let of = |share| Score {
            is_at_most: true,
            ..Score::new(Metric::ActiveStorage, Some(share), "1 TiB of 2 TiB judged".into())
        };
        assert_eq!(of(0.5).note(), "at most; 1 TiB of 2 TiB judged; target >50%: missed");
        assert_eq!(of(0.6).note(), "at most; 1 TiB of 2 TiB judged; target >50%: not known");
        assert_eq!(Metric::ActiveStorage.grade(0.6), None);
    }

    #[test]
    fn only_what_has_a_past_and_a_value_is_heading_somewhere() {
        let mut past = BurnPast { today: 20_000, ..BurnPast::default() };
        for hour in (20_000 - 13) * 24..20_001 * 24 {
            let is_late = hour >= (20_000 - 6) * 24;
            let spot = if is_late { 0.5 } else { 0.4 };
            past.shares.note(Hour(hour), [Some(0.3), Some(1.0 - spot), Some(spot), None]);
        }
        let of = |metric, share| Score::new(metric, share, "8 GPUs".into());
        let scores = [
            of(Metric::GpuUtilisation, Some(0.3)),
            of(Metric::IdleGpuHours, Some(0.5)),
            of(Metric::SpotCoverage, Some(0.5)),
            of(Metric::StorageEfficiency, Some(0.9)),
            of(Metric::TagCompliance, Some(0.9)),
        ];
        let found = directed(&scores, Some(&past));
        let directions: Vec<_> = found.iter().map(|score| score.direction).collect();
        use Direction::{Falling, Level, Rising};
        assert_eq!(directions, [Some(Level), Some(Falling), Some(Rising), None, None]);
        assert_eq!(
            found[2].note(),
            "8 GPUs; Poor <20%, Good >60%, Elite ≥80%; target >60%: missed; rising"
        );
        assert_eq!(found[2].against().as_deref(), Some(">60%: missed"));
        let unknown = directed(&[of(Metric::SpotCoverage, None)], Some(&past));
        assert_eq!(unknown[0].direction, None, "what is not known now is heading nowhere");
        assert_eq!(directed(&scores, None), scores);
    }
}
