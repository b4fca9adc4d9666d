//! Holds every signal against its limit: the findings from which the verdict follows.

use std::sync::Arc;

use super::machine::Machine;
use super::policy::{CpuWork, Limit, Limits, Policy, Test, gpu_indices, least};
use super::stretch::{Slice, Stats, Trail, trail, trail_per_day, trail_per_second};
use super::words::{WORDS, Words};
use crate::domain::{EvidenceRole, Hour, HourRange, SeriesSet, Signal, SignalEvidence, TypeSpec};

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

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Gpu(u16),
    CpuMean,
    BusyCores,
    CpuMax,
    Network,
    Ebs,
    WindowMean,
    LowDays,
}

/// One signal held against its limit.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub what: What,
    /// As the verdict shows it.
    pub evidence: SignalEvidence,
    /// The series behind it.
    pub series: [Option<Signal>; 2],
    /// The last judged hour that speaks for use.
    pub last_use: Option<usize>,
    /// True when a malformed datapoint made that use.
    pub malformed: bool,
    /// True when idleness rests on it.
    pub required: bool,
    /// True when every series behind it was looked at.
    pub fetched: bool,
    /// True when it has the coverage that idleness needs.
    pub covered: bool,
    /// Lowest coverage of its series over the judged hours, 0–1.
    pub coverage: f32,
}

/// All findings on an instance.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// GPUs first, then the host.
    pub findings: Vec<Finding>,
    /// Hourly mean CPU over the judged hours.
    pub cpu: Option<Stats>,
    /// Mean network bytes per day, in plus out.
    pub network_per_day: Option<f64>,
    /// Mean GPU utilisation, percent.
    pub gpu_percent: Option<f64>,
}

impl Survey {
    /// True when anything speaks for use.
    pub fn in_use(&self) -> bool {
        self.findings.iter().any(|f| f.evidence.busy)
    }

    /// Findings about GPUs.
    pub fn gpus(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| matches!(f.what, What::Gpu(_)))
    }

    /// True when a GPU works.
    pub fn gpu_works(&self) -> bool {
        self.gpus().any(|f| f.evidence.busy)
    }

    /// True when everything idleness rests on was looked at and has the coverage for it.
    pub fn is_covered(&self) -> bool {
        self.findings.iter().all(|f| !f.required || (f.fetched && f.covered))
    }
}

/// Surveys the series over a frame.
pub(super) fn survey(
    set: &SeriesSet,
    spec: Option<&TypeSpec>,
    policy: &Policy,
    machine: Machine,
    frame: Frame,
) -> Survey {
    let mut s = Surveyor {
        set,
        frame,
        words: &WORDS,
        vcpus: spec.map(|s| f64::from(s.vcpus)).filter(|v| *v > 0.0),
        out: Survey::default(),
    };
    s.out.findings.reserve_exact(machine.gpus() as usize + 6);
    s.gpus(policy, machine);
    let gpu_box = machine.has_gpu_limits();
    match &policy.test {
        Test::Hourly { .. } => {
            if let Some(limits) = policy.limits(gpu_box) {
                s.hourly(limits);
            }
        }
        Test::LowDays { cpu_percent, network_bytes, cores, days } => {
            let of = |pair: (f64, f64)| if gpu_box { pair.0 } else { pair.1 };
            s.low_days(*cpu_percent, of(*network_bytes), of(*cores), *days as usize);
        }
        Test::WindowMean { cpu_percent, cores } => {
            s.window_mean(*cpu_percent, if gpu_box { cores.0 } else { cores.1 });
        }
    }
    s.out
}

/// A series and its figures.
#[derive(Clone, Copy)]
struct Seen<'a> {
    slice: Slice<'a>,
    stats: Stats,
    fetched: bool,
}

/// How a line of evidence reads.
struct Line {
    what: What,
    label: Arc<str>,
    statistic: Arc<str>,
    unit: Arc<str>,
    threshold: f64,
    role: EvidenceRole,
}

struct Surveyor<'a> {
    set: &'a SeriesSet,
    frame: Frame,
    words: &'static Words,
    vcpus: Option<f64>,
    out: Survey,
}

impl<'a> Surveyor<'a> {
    fn see(&self, signal: Signal) -> Seen<'a> {
        let series = self.set.get(signal);
        let slice = series
            .map_or_else(|| Slice::empty(self.frame.hours()), |s| Slice::of(s, self.frame.judged));
        Seen { slice, stats: slice.stats(), fetched: series.is_some() }
    }

    /// Adds a finding on one or two series.
    fn add(&mut self, line: Line, series: &[(Signal, Seen<'_>)], trail: Trail, busy: bool) {
        let hours = self.frame.hours();
        let got = series.iter().map(|(_, s)| s.stats.got).sum::<usize>();
        let lowest = series.iter().map(|(_, s)| s.stats.got).min().unwrap_or(0);
        let coverage = if hours == 0 { 1.0 } else { (lowest as f32 / hours as f32).min(1.0) };
        let Some(&(signal, _)) = series.first() else { return };
        self.out.findings.push(Finding {
            what: line.what,
            evidence: SignalEvidence {
                label: line.label,
                signal,
                statistic: line.statistic,
                unit: line.unit,
                threshold: line.threshold,
                value: trail.worst,
                got: got as u32,
                expected: (hours * series.len()) as u32,
                role: line.role,
                busy,
            },
            series: [Some(signal), series.get(1).map(|s| s.0)],
            last_use: trail.last_use,
            malformed: trail.malformed,
            required: true,
            fetched: series.iter().all(|(_, s)| s.fetched),
            covered: series.iter().all(|(_, s)| s.slice.covers(s.stats.got, self.frame.recent)),
            coverage,
        });
    }

    fn is_recent(&self, trail: &Trail) -> bool {
        trail.last_use.is_some_and(|l| l >= self.frame.recent)
    }

    /// Every GPU by its hourly maximum. The hourly mean stands in as a witness of use: a mean of
    /// 5 % had a maximum of at least that. A GPU that the type does not have (a wrong catalogue
    /// row, a re-numbered device) can veto and is asked for nothing.
    fn gpus(&mut self, policy: &Policy, machine: Machine) {
        let devices = machine.gpus();
        let extra = self
            .set
            .iter()
            .filter_map(|(s, _)| match s {
                Signal::GpuMax(i) if u32::from(i) >= devices => Some(i),
                Signal::GpuMean(i)
                    if u32::from(i) >= devices && self.set.get(Signal::GpuMax(i)).is_none() =>
                {
                    Some(i)
                }
                _ => None,
            })
            .map(|i| (i, false));
        let all = gpu_indices(devices).map(|i| (i, true)).chain(extra);
        let role = if policy.uses_gpu() { EvidenceRole::Test } else { EvidenceRole::Counter };
        let level = policy.gpu_percent as f32;
        let (mut sum, mut sound, mut unknown) = (0.0, 0_usize, false);
        for (i, required) in all {
            let max = self.see(Signal::GpuMax(i));
            let mean = self.see(Signal::GpuMean(i));
            let mut seen = trail(&max.slice, &max.stats, level, self.frame.recent);
            seen.join(trail(&mean.slice, &mean.stats, level, self.frame.recent));
            // A GPU whose maxima are all 0 has a mean of 0; it need not be fetched to be known.
            let known = if mean.stats.sound > 0 { Some(mean.stats) } else { None }
                .or(Some(max.stats).filter(|s| s.sound > 0 && s.max <= 0.0));
            match known {
                Some(stats) => {
                    sum += stats.sum;
                    sound += stats.sound;
                }
                None => unknown |= max.stats.got > 0,
            }
            let line = Line {
                what: What::Gpu(i),
                label: self.words.gpu(i),
                statistic: self.words.hourly_max.clone(),
                unit: self.words.percent.clone(),
                threshold: policy.gpu_percent,
                role,
            };
            let busy = self.is_recent(&seen);
            self.add(line, &[(Signal::GpuMax(i), max)], seen, busy);
            if let Some(last) = self.out.findings.last_mut() {
                last.required = required;
                last.fetched |= !required;
            }
        }
        self.out.gpu_percent = (sound > 0 && !unknown).then(|| sum / sound as f64);
    }

    fn hourly(&mut self, limits: &Limits) {
        let cpu = self.cpu();
        if let Some(percent) = limits.cpu_max_percent {
            let max = self.see(Signal::CpuMax);
            let level = percent as f32;
            let by_mean = trail(&cpu.slice, &cpu.stats, level, self.frame.recent);
            // A mean that reaches the limit for peaks had a peak that did: peaks need not be
            // fetched then.
            let (what, signal, cpu, mut seen) = if !max.fetched && self.is_recent(&by_mean) {
                (What::CpuMean, Signal::CpuMean, cpu, by_mean)
            } else {
                let seen = trail(&max.slice, &max.stats, level, self.frame.recent);
                (What::CpuMax, Signal::CpuMax, max, seen)
            };
            seen.join(by_mean);
            let busy = self.is_recent(&seen);
            let line = self.percent(what, percent, EvidenceRole::Test);
            self.add(line, &[(signal, cpu)], seen, busy);
        }
        self.cpu_work(limits.cpu_work, cpu, limits.cpu_max_percent.is_some());
        self.network(limits.network_per_day);
        if let Some(limit) = limits.ebs_ops_per_second {
            let (read, write) = (self.see(Signal::EbsReadOps), self.see(Signal::EbsWriteOps));
            let seen = trail_per_second(&read.slice, &write.slice, limit, self.frame.recent);
            let line = Line {
                what: What::Ebs,
                label: self.words.ebs.clone(),
                statistic: self.words.per_second.clone(),
                unit: self.words.ops.clone(),
                threshold: limit.value,
                role: EvidenceRole::Counter,
            };
            let busy = self.is_recent(&seen);
            self.add(line, &[(Signal::EbsReadOps, read), (Signal::EbsWriteOps, write)], seen, busy);
        }
    }

    /// The hourly mean CPU, in percent and in busy cores; both figures of `work` must be reached.
    fn cpu_work(&mut self, work: CpuWork, cpu: Seen<'_>, is_test: bool) {
        let role = if is_test { EvidenceRole::Test } else { EvidenceRole::Counter };
        // Cores of an unknown number of vCPUs cannot be counted; percent decides, if it is asked.
        let level = match self.vcpus {
            Some(vcpus) => work.percent.max(work.cores * 100.0 / vcpus) as f32,
            None if work.percent > 0.0 => work.percent as f32,
            None => f32::INFINITY,
        };
        let seen = trail(&cpu.slice, &cpu.stats, level, self.frame.recent);
        let busy = self.is_recent(&seen);
        if work.percent > 0.0 {
            let line = self.percent(What::CpuMean, work.percent, role);
            self.add(line, &[(Signal::CpuMean, cpu)], seen, busy);
        }
        if let Some(vcpus) = self.vcpus {
            let line = self.cores(work.cores, role);
            let in_cores = Trail { worst: seen.worst.map(|w| w * vcpus / 100.0), ..seen };
            self.add(line, &[(Signal::CpuMean, cpu)], in_cores, busy);
        }
    }

    fn network(&mut self, limit: Option<Limit>) {
        let (input, output) = (self.see(Signal::NetworkIn), self.see(Signal::NetworkOut));
        self.out.network_per_day =
            input.stats.mean().zip(output.stats.mean()).map(|(i, o)| 24.0 * (i + o));
        let Some(limit) = limit else { return };
        let seen = trail_per_day(
            &input.slice,
            &output.slice,
            limit,
            self.frame.recent,
            self.frame.stretch,
        );
        let line = Line {
            what: What::Network,
            label: self.words.network.clone(),
            statistic: self.words.highest_day.clone(),
            unit: self.words.bytes_per_day.clone(),
            threshold: limit.value,
            role: EvidenceRole::Counter,
        };
        let busy = self.is_recent(&seen);
        self.add(line, &[(Signal::NetworkIn, input), (Signal::NetworkOut, output)], seen, busy);
    }

    /// One mean over all judged hours. The hours that reach the limit by themselves end the
    /// stretch from which the box is called idle.
    fn window_mean(&mut self, percent: f64, cores: f64) {
        let cpu = self.cpu();
        self.network(None);
        let mean = cpu.stats.mean_of(self.frame.hours());
        let mut seen = trail(&cpu.slice, &cpu.stats, percent as f32, self.frame.recent);
        seen.malformed = cpu.stats.malformed();
        seen.worst = cpu.stats.mean();
        let mut line = self.percent(What::WindowMean, percent, EvidenceRole::Test);
        line.statistic = self.words.window_mean.clone();
        let busy = mean >= percent || seen.malformed;
        self.add(line, &[(Signal::CpuMean, cpu)], seen, busy);
        if let Some(vcpus) = self.vcpus {
            let in_cores = |percent: f64| percent * vcpus / 100.0;
            let mut line = self.cores(cores, EvidenceRole::Counter);
            line.statistic = self.words.window_mean.clone();
            let seen = Trail { worst: seen.worst.map(in_cores), ..Trail::default() };
            self.add(line, &[(Signal::CpuMean, cpu)], seen, in_cores(mean) >= cores);
        }
    }

    /// Counts low days, in blocks of 24 h back from the end of the judged hours, so that every
    /// block is a whole day of closed hours. A block counts as low with 90 % of its datapoints.
    fn low_days(&mut self, percent: f64, bytes: f64, cores: f64, needed: usize) {
        const DAY: usize = 24;
        let cpu = self.cpu();
        self.network(None);
        let (input, output) = (self.see(Signal::NetworkIn), self.see(Signal::NetworkOut));
        let hours = self.frame.hours();
        let (mut low, mut open, mut last_use) = (0, 0, None);
        let days = hours / DAY;
        for day in 0..days {
            let to = hours - day * DAY;
            let range = HourRange { from: self.hour(to - DAY), to: self.hour(to) };
            let part = |signal| {
                self.set
                    .get(signal)
                    .map_or_else(|| Slice::empty(DAY), |s| Slice::of(s, range))
                    .stats()
            };
            let parts = [Signal::CpuMean, Signal::NetworkIn, Signal::NetworkOut].map(part);
            let [c, i, o] = &parts;
            let mean = c.mean_of(DAY);
            let busy_cores = self.vcpus.map_or(0.0, |v| mean * v / 100.0);
            let moved = (i.mean_of(DAY) + o.mean_of(DAY)) * DAY as f64;
            let high = mean > percent
                || busy_cores >= cores
                || moved > bytes
                || parts.iter().any(Stats::malformed);
            let complete = parts.iter().all(|p| p.got >= least(DAY));
            low += usize::from(!high && complete);
            open += usize::from(!high && !complete);
            if (high || !complete) && last_use.is_none() {
                last_use = Some(to - 1);
            }
        }
        let leftover = hours % DAY;
        let last_use = last_use.or(leftover.checked_sub(1));
        let malformed = [cpu, input, output].iter().any(|s| s.stats.malformed());
        let too_few = low + open < needed && !self.frame.is_short();
        let line = Line {
            what: What::LowDays,
            label: self.words.low_days.clone(),
            statistic: self.words.low_days_statistic.clone(),
            unit: self.words.days.clone(),
            threshold: needed as f64,
            role: EvidenceRole::Test,
        };
        let worst = (cpu.stats.got > 0).then_some(low as f64);
        let seen = Trail { last_use, worst, malformed };
        self.add(line, &[(Signal::CpuMean, cpu)], seen, too_few || malformed);
        if low < needed
            && let Some(f) = self.out.findings.last_mut()
        {
            // Some days cannot be told: enough of them might be low.
            f.covered = false;
        }
        let line = Line {
            what: What::Network,
            label: self.words.network.clone(),
            statistic: self.words.mean_day.clone(),
            unit: self.words.bytes_per_day.clone(),
            threshold: bytes,
            role: EvidenceRole::Test,
        };
        let seen = Trail { worst: self.out.network_per_day, ..Trail::default() };
        self.add(line, &[(Signal::NetworkIn, input), (Signal::NetworkOut, output)], seen, false);
    }

    fn hour(&self, i: usize) -> Hour {
        self.frame.judged.from.plus(i as i32)
    }

    fn cpu(&mut self) -> Seen<'a> {
        let cpu = self.see(Signal::CpuMean);
        self.out.cpu = Some(cpu.stats).filter(|s| s.sound > 0);
        cpu
    }

    fn percent(&self, what: What, threshold: f64, role: EvidenceRole) -> Line {
        let (label, statistic) = match what {
            What::CpuMax => (&self.words.cpu_max, &self.words.hourly_max),
            _ => (&self.words.cpu_mean, &self.words.hourly_mean),
        };
        Line {
            what,
            label: label.clone(),
            statistic: statistic.clone(),
            unit: self.words.percent.clone(),
            threshold,
            role,
        }
    }

    fn cores(&self, threshold: f64, role: EvidenceRole) -> Line {
        Line {
            what: What::BusyCores,
            label: self.words.busy_cores.clone(),
            statistic: self.words.hourly_mean.clone(),
            unit: self.words.cores.clone(),
            threshold,
            role,
        }
    }
}
