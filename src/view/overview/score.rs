//! The scorecard: what can be said of the fleet now, against the bands of the field.

use crate::analyze::gpu::Band;
use crate::domain::{Lifecycle, Verdict, VerdictKind, Workload};
use crate::fleet::Row;
use crate::view::format::count;

/// What a figure is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Its band.
    Band(Band),
    /// Whether the one published target is met.
    Target {
        /// True when it is.
        met: bool,
    },
}

impl Grade {
    /// The name in JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            Self::Band(band) => band.name(),
            Self::Target { met: true } => "on_target",
            Self::Target { met: false } => "below_target",
        }
    }

    /// The grade's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Band(band) => band.word(),
            Self::Target { met: true } => "on target",
            Self::Target { met: false } => "below target",
        }
    }
}

/// A figure of the scorecard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Mean GPU activity over all GPUs with telemetry.
    GpuUtilisation,
    /// Share of judged GPUs that are idle; each GPU is a GPU-hour per hour.
    IdleGpuHours,
    /// Share of GPU equivalents on Spot.
    SpotCoverage,
    /// Share of running instances that carry team, project, environment and cost center.
    TagCompliance,
}

impl Metric {
    /// All figures, in order.
    pub const ALL: [Self; 4] =
        [Self::GpuUtilisation, Self::IdleGpuHours, Self::SpotCoverage, Self::TagCompliance];

    /// The figure in words.
    pub fn label(self) -> &'static str {
        match self {
            Self::GpuUtilisation => "GPU utilisation",
            Self::IdleGpuHours => "idle GPU hours",
            Self::SpotCoverage => "Spot coverage of GPU hours",
            Self::TagCompliance => "tag compliance",
        }
    }

    /// The name in JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            Self::GpuUtilisation => "gpu_utilisation",
            Self::IdleGpuHours => "idle_gpu_hours",
            Self::SpotCoverage => "spot_coverage",
            Self::TagCompliance => "tag_compliance",
        }
    }

    /// What it is held against, in words; empty where no figure is published.
    pub fn yardstick(self) -> &'static str {
        match self {
            Self::GpuUtilisation => "Poor <20 %, Good ≥65 %, Elite ≥85 %",
            Self::IdleGpuHours => "Poor >50 %, Good ≤10 %, Elite <5 %",
            Self::SpotCoverage => "target >60 %",
            Self::TagCompliance => "",
        }
    }

    /// The grade of `share` (0–1).
    ///
    /// The field's benchmark tables give Poor / Average / Good / Elite as `<20 / 40 / 65 / 85+` %
    /// for training utilisation and `>50 / 30 / 10 / <5` % for idle hours: the outer bands are
    /// bounds, the inner ones typical values. Good therefore begins at its own value and Average
    /// is what lies between it and Poor. For Spot one target is published, 60 %; for tags none.
    pub fn grade(self, share: f64) -> Option<Grade> {
        let percent = share * 100.0;
        let band = |poor: bool, elite: bool, good: bool| {
            Some(Grade::Band(match () {
                () if poor => Band::Poor,
                () if elite => Band::Elite,
                () if good => Band::Good,
                () => Band::Average,
            }))
        };
        match self {
            Self::GpuUtilisation => Band::of(Workload::Training, share as f32).map(Grade::Band),
            Self::IdleGpuHours => band(percent > 50.0, percent < 5.0, percent <= 10.0),
            Self::SpotCoverage => Some(Grade::Target { met: percent > 60.0 }),
            Self::TagCompliance => None,
        }
    }
}

/// A figure with what it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Which figure.
    pub metric: Metric,
    /// The figure, 0–1; `None` when nothing is known to compute it from.
    pub share: Option<f64>,
    /// Its grade.
    pub grade: Option<Grade>,
    /// How much of the fleet it rests on: `612 of 904 GPUs`.
    pub rests_on: String,
}

/// The scorecard of the running instances.
pub(super) fn scores<'a>(running: impl Iterator<Item = &'a Row>) -> Vec<Score> {
    let mut sums = Sums::default();
    running.for_each(|row| sums.add(row));
    Metric::ALL.iter().map(|m| sums.score(*m)).collect()
}

#[derive(Default)]
struct Sums {
    /// GPU devices of running instances of known types.
    devices: f64,
    /// Of them with a mean, and the sum of their percentages.
    seen: f64,
    percent: f64,
    /// Devices whose verdict says idle or not, and those idle.
    judged: f64,
    idle: f64,
    /// GPU equivalents, and those on Spot.
    gpus: f64,
    spot: f64,
    instances: f64,
    tagged: f64,
}

impl Sums {
    fn add(&mut self, row: &Row) {
        self.instances += 1.0;
        let tags = [&row.team, &row.project, &row.environment, &row.cost_center];
        self.tagged +=
            f64::from(u8::from(tags.iter().all(|t| t.as_ref().is_some_and(|t| !t.is_empty()))));
        let Some(spec) = row.spec.as_deref().filter(|s| s.accelerator.is_some()) else { return };
        let devices = f64::from(spec.devices());
        self.devices += devices;
        self.gpus += spec.gpus();
        if row.instance.lifecycle == Lifecycle::Spot {
            self.spot += spec.gpus();
        }
        let Some(verdict) = row.verdict.as_deref() else { return };
        if let Some(percent) = verdict.gpu_percent.filter(|p| p.is_finite()) {
            let seen = seen(verdict).unwrap_or(devices);
            self.seen += seen;
            self.percent += f64::from(percent) * seen;
        }
        let idle = match verdict.kind {
            VerdictKind::Idle => devices,
            VerdictKind::Partial => f64::from(verdict.idle_gpus.unwrap_or(0)),
            VerdictKind::Busy | VerdictKind::Underused => 0.0,
            VerdictKind::Unknown | VerdictKind::TooNew | VerdictKind::Exempt => return,
        };
        self.judged += devices;
        self.idle += idle;
    }

    fn score(&self, metric: Metric) -> Score {
        let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let (share, rests_on) = match metric {
            Metric::GpuUtilisation => (
                ratio(self.percent / 100.0, self.seen),
                format!("{} of {} GPUs seen", count(self.seen), count(self.devices)),
            ),
            Metric::IdleGpuHours => (
                ratio(self.idle, self.judged),
                format!("{} of {} GPUs judged", count(self.judged), count(self.devices)),
            ),
            Metric::SpotCoverage => {
                (ratio(self.spot, self.gpus), format!("{} GPUs of known types", count(self.gpus)))
            }
            Metric::TagCompliance => (
                ratio(self.tagged, self.instances),
                if (self.instances - 1.0).abs() < 0.5 {
                    "1 instance running".to_owned()
                } else {
                    format!("{} instances running", count(self.instances))
                },
            ),
        };
        Score { metric, share, grade: share.and_then(|s| metric.grade(s)), rests_on }
    }
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
