//! The findings from which a verdict follows.

use super::machine::Machine;
use super::policy::{Policy, Test};
use super::stretch::Stats;
use crate::domain::{HourRange, Measure, Signal, SignalEvidence};

/// The hours judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Judged hours; hour 0 is the first.
    pub judged: HourRange,
    /// First of the hours in which use decides: the last hours of the minimum stretch's length.
    pub recent: usize,
    /// The minimum stretch, hours.
    pub stretch: usize,
}

impl Frame {
    /// The frame of `policy` over `judged` hours.
    pub fn new(policy: &Policy, machine: Machine, judged: HourRange) -> Self {
        let stretch = policy.min_stretch_hours(machine.has_gpu_stretch()) as usize;
        // Only an hourly test knows a stretch; the others speak of the window as a whole.
        let recent = match policy.test {
            Test::Hourly { .. } => judged.len().saturating_sub(stretch),
            Test::LowDays { .. } | Test::WindowMean { .. } => 0,
        };
        Self { judged, recent, stretch }
    }

    /// Number of judged hours.
    pub fn hours(&self) -> usize {
        self.judged.len()
    }

    /// True when fewer hours were judged than the minimum stretch has.
    pub fn is_short(&self) -> bool {
        self.hours() < self.stretch
    }
}

/// One signal held against its limit.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "facts that are independent of each other")]
pub(super) struct Finding {
    /// What the signal measures.
    pub measure: Measure,
    /// As the verdict shows it.
    pub evidence: SignalEvidence,
    /// The series behind it; `None` in the second place where there is one alone.
    pub series: [Option<Signal>; 2],
    /// Index among the judged hours of the last one that speaks for use; `None` when none does.
    pub last_use: Option<usize>,
    /// True when `last_use` is of a malformed datapoint.
    pub malformed: bool,
    /// True when an idle verdict needs it.
    pub required: bool,
    /// True when every series behind it was read.
    pub fetched: bool,
    /// True when it has the coverage that an idle verdict needs.
    pub covered: bool,
    /// Lowest coverage of its series over the judged hours, 0–1.
    pub coverage: f32,
    /// A GPU's hourly means are there for idleness-grade coverage, and neither they nor the maxima
    /// hold anything malformed.
    pub has_means: bool,
}

/// All findings on an instance.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// GPUs first, then the host.
    pub findings: Vec<Finding>,
    /// Hourly mean CPU over the judged hours; `None` without data.
    pub cpu: Option<Stats>,
    /// Mean network bytes per day, in plus out; `None` without data.
    pub network_per_day: Option<f64>,
    /// Mean bytes sent a day; `None` without the hours that tell a pace.
    pub network_out_per_day: Option<f64>,
    /// Mean GPU utilisation over the judged hours, percent; `None` without data.
    pub gpu_percent: Option<f64>,
}

impl Survey {
    /// True when anything speaks for use.
    pub fn in_use(&self) -> bool {
        self.findings.iter().any(|f| f.evidence.busy)
    }

    /// Findings about GPUs.
    pub fn gpus(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| matches!(f.measure, Measure::Gpu(_)))
    }

    /// True when the signals of a GPU show use.
    pub fn gpu_works(&self) -> bool {
        self.gpus().any(|f| f.evidence.busy)
    }

    /// True when everything idleness rests on was looked at and has the coverage for it.
    pub fn is_covered(&self) -> bool {
        self.findings.iter().all(|f| !f.required || (f.fetched && f.covered))
    }
}
