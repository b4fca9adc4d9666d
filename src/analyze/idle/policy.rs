//! Limits, windows and rules of a policy.

use crate::domain::Signal;

/// The least share of datapoints on which idleness may rest, as a fraction: 9 of 10. Not
/// configurable: below it the verdict is unknown under every policy.
const COVERAGE: (usize, usize) = (9, 10);

/// True when `got` of `expected` datapoints suffice to speak of idleness.
pub(in crate::analyze) fn enough(got: usize, expected: usize) -> bool {
    got * COVERAGE.1 >= expected * COVERAGE.0
}

/// The fewest datapoints of `expected` that suffice (90%, rounded up).
pub(in crate::analyze) fn least(expected: usize) -> usize {
    (expected * COVERAGE.0).div_ceil(COVERAGE.1)
}

/// A limit, and on which side of it the limit itself lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limit {
    /// The limit.
    pub value: f64,
    /// True when a value of exactly the limit speaks for use (`< 5 MB` is idle), false when it is
    /// still quiet (`≤ 5 MB` is idle).
    pub inclusive: bool,
}

impl Limit {
    /// Use from the limit on.
    pub const fn from(value: f64) -> Self {
        Self { value, inclusive: true }
    }

    /// Use above the limit only.
    pub const fn above(value: f64) -> Self {
        Self { value, inclusive: false }
    }

    /// True when `value` speaks for use.
    pub fn reached(self, value: f64) -> bool {
        if self.inclusive { value >= self.value } else { value > self.value }
    }
}

/// Work of the CPU that speaks for use: the hourly mean reaches both figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CpuWork {
    /// Percent of all vCPUs; 0 where the busy cores alone decide.
    pub percent: f64,
    /// Busy cores: percent / 100 × vCPUs. One busy core of 96 is 1.04%, so percent alone would
    /// not see it.
    pub cores: f64,
}

/// The limits for one kind of box. Reaching any of them within the stretch is use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limits {
    /// Highest CPU period of an hour, percent.
    pub cpu_max_percent: Option<f64>,
    /// Mean CPU of an hour.
    pub cpu_work: CpuWork,
    /// Network in plus out over any sliding day, bytes.
    pub network_per_day: Option<Limit>,
    /// EBS reads plus writes of an hour, operations per second.
    pub ebs_ops_per_second: Option<Limit>,
}

/// Below what a box in use is called underused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Underused {
    /// GPU box: mean of the hourly averages over working GPU-hours, percent; underused below.
    pub gpu_percent: f64,
    /// CPU-only box: highest hourly mean CPU, percent; underused at or below.
    pub cpu_percent: f64,
}

/// Way in which a policy tests for use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Test {
    /// Hour by hour over an uninterrupted stretch.
    Hourly {
        /// True when GPUs are judged one by one; false for a GPU-blind policy, where a busy GPU
        /// is a veto and nothing else.
        sees_gpus: bool,
        /// Limits on a box with GPUs or accelerators.
        gpu_box: Limits,
        /// Limits on a CPU-only box.
        cpu_box: Limits,
        /// When a box in use is called underused; `None`: never.
        underused: Option<Underused>,
    },
    /// A number of low days within the window, in any order.
    LowDays {
        /// Highest mean CPU of a low day, percent (at it: still low).
        cpu_percent: f64,
        /// Most network bytes of a low day, in plus out (at it: still low): on a GPU box, on a
        /// CPU-only box.
        network_bytes: (f64, f64),
        /// Busy cores that keep a day from being low: on a GPU box, on a CPU-only box.
        cores: (f64, f64),
        /// Low days that make an idle box.
        days: u32,
    },
    /// One mean over the whole window.
    WindowMean {
        /// Mean CPU that speaks for use, percent.
        cpu_percent: f64,
        /// Mean busy cores that speak for use: on a GPU box, on a CPU-only box.
        cores: (f64, f64),
    },
}

/// A policy: what must hold, for how long, for an instance to be called idle.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// The preset's name, shown beside every verdict.
    pub name: String,
    /// Where the criterion comes from, one sentence.
    pub source: String,
    /// Closed hours looked at.
    pub(super) window: u32,
    /// Least hours of idleness on a box with GPUs or accelerators.
    pub(super) stretch_gpu: u32,
    /// Least hours of idleness on a CPU-only box.
    pub(super) stretch_cpu: u32,
    /// Hourly maximum of a GPU that speaks for use, percent. A veto under every policy.
    pub(in crate::analyze) gpu_percent: f64,
    /// The test.
    pub(super) test: Test,
}

impl Policy {
    /// Closed hours that the policy looks at.
    pub fn window_hours(&self) -> u32 {
        self.window
    }

    /// Least hours that an idle instance was idle, on a box with GPUs or accelerators
    /// (`gpu_box`) or on a CPU-only box. A policy that counts low days asks for that many days of
    /// life. Younger instances are too new.
    pub fn min_stretch_hours(&self, gpu_box: bool) -> u32 {
        if gpu_box { self.stretch_gpu } else { self.stretch_cpu }
    }

    /// True when the policy judges GPUs one by one; false when a busy GPU is only a veto.
    pub fn uses_gpu(&self) -> bool {
        matches!(self.test, Test::Hourly { sees_gpus: true, .. })
    }

    /// The signals on which idleness rests: each needs 90% coverage. `devices` is the number of
    /// NVIDIA GPUs, 0 for a CPU-only box; every policy asks for every GPU, for the veto.
    pub fn signals_needed(&self, devices: u32) -> Vec<Signal> {
        let mut signals = self.host_signals(devices > 0);
        signals.extend(gpu_indices(devices).map(Signal::GpuMax));
        signals
    }

    /// The signals of the host (not of its GPUs) that the policy names, cheapest evidence first.
    pub(super) fn host_signals(&self, gpu_box: bool) -> Vec<Signal> {
        let mut signals = vec![Signal::CpuMean];
        let (cpu_max, network, ebs) = match self.test {
            Test::Hourly { .. } => self.limits(gpu_box).map_or((false, false, false), |l| {
                (
                    l.cpu_max_percent.is_some(),
                    l.network_per_day.is_some(),
                    l.ebs_ops_per_second.is_some(),
                )
            }),
            Test::LowDays { .. } => (false, true, false),
            Test::WindowMean { .. } => (false, false, false),
        };
        if cpu_max {
            signals.push(Signal::CpuMax);
        }
        if network {
            signals.extend([Signal::NetworkIn, Signal::NetworkOut]);
        }
        if ebs {
            signals.extend([Signal::EbsReadOps, Signal::EbsWriteOps]);
        }
        signals
    }

    /// The hourly limits for a kind of box, if the policy tests hour by hour.
    pub(super) fn limits(&self, gpu_box: bool) -> Option<&Limits> {
        match &self.test {
            Test::Hourly { gpu_box: limits, .. } if gpu_box => Some(limits),
            Test::Hourly { cpu_box: limits, .. } => Some(limits),
            _ => None,
        }
    }

    /// When a box in use is called underused, if ever.
    pub(super) fn underused(&self) -> Option<Underused> {
        match self.test {
            Test::Hourly { underused, .. } => underused,
            _ => None,
        }
    }
}

/// Device indices as signals carry them.
pub(super) fn gpu_indices(devices: u32) -> impl Iterator<Item = u16> + Clone {
    0..u16::try_from(devices).unwrap_or(u16::MAX)
}
