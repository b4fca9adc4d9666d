//! Holds each signal against its limit, hour by hour.

use std::sync::Arc;

use super::machine::Machine;
use super::policy::{CpuWork, Limit, Limits, Policy, Test, enough, gpu_indices};
use super::sliding::{Both, highest_per_day, highest_per_second, trail_per_day, trail_per_second};
use super::stretch::{Slice, Stats, Trail, highest, trail};
use super::survey::{Finding, Frame, Survey};
use super::words::{WORDS, Words};
use crate::domain::{
    Criterion, EvidenceRole, Measure, SeriesSet, Signal, SignalEvidence, TypeSpec,
};

/// Hours of a day, the fewest that tell a pace.
const DAY: usize = 24;

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
        reports_ebs: spec.is_none_or(TypeSpec::reports_ebs),
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
pub(super) struct Seen<'a> {
    pub slice: Slice<'a>,
    pub stats: Stats,
    pub fetched: bool,
}

pub(super) fn both<'a>(a: Seen<'a>, b: Seen<'a>) -> Both<'a> {
    Both { slices: [a.slice, b.slice], stats: [a.stats, b.stats] }
}

/// Texts and limits of one line of evidence.
pub(super) struct Line {
    pub measure: Measure,
    pub label: Arc<str>,
    pub statistic: Arc<str>,
    pub unit: Arc<str>,
    pub threshold: f64,
    pub role: EvidenceRole,
}

/// A survey in the making.
pub(super) struct Surveyor<'a> {
    pub set: &'a SeriesSet,
    pub frame: Frame,
    pub words: &'static Words,
    pub vcpus: Option<f64>,
    /// False where the type has no metric of its EBS operations.
    pub reports_ebs: bool,
    pub out: Survey,
}

impl<'a> Surveyor<'a> {
    pub(super) fn see(&self, signal: Signal) -> Seen<'a> {
        let series = self.set.get(signal);
        let slice = series
            .map_or_else(|| Slice::empty(self.frame.hours()), |s| Slice::of(s, self.frame.judged));
        Seen { slice, stats: slice.stats(), fetched: series.is_some() }
    }

    /// Adds a finding on one or two series. `highest` is that of all judged hours.
    pub(super) fn add(
        &mut self,
        line: Line,
        series: &[(Signal, Seen<'_>)],
        trail: Trail,
        highest: Option<f64>,
        busy: bool,
    ) {
        let hours = self.frame.hours();
        let got = series.iter().map(|(_, s)| s.stats.got).sum::<usize>();
        let lowest = series.iter().map(|(_, s)| s.stats.got).min().unwrap_or(0);
        let coverage = if hours == 0 { 1.0 } else { (lowest as f32 / hours as f32).min(1.0) };
        let Some(&(signal, _)) = series.first() else { return };
        // The valid values beside a malformed one decided nothing.
        let by_value = trail.worst.is_some_and(|worst| worst >= line.threshold);
        let value = match line.measure {
            // Days that suffice decided nothing beside one that made no sense.
            Measure::LowDays => {
                trail.worst.filter(|days| !(busy && trail.malformed && *days >= line.threshold))
            }
            _ if busy && trail.malformed && !by_value => None,
            _ => trail.worst,
        };
        self.out.findings.push(Finding {
            measure: line.measure,
            evidence: SignalEvidence {
                criterion: Criterion {
                    label: line.label,
                    signal,
                    statistic: line.statistic,
                    unit: line.unit,
                    threshold: line.threshold,
                    role: line.role,
                }
                .shared(),
                value,
                highest,
                got: got as u32,
                expected: (hours * series.len()) as u32,
                busy,
                joint: false,
            },
            series: [Some(signal), series.get(1).map(|s| s.0)],
            last_use: trail.last_use,
            malformed: trail.malformed,
            required: true,
            fetched: series.iter().all(|(_, s)| s.fetched),
            covered: series.iter().all(|(_, s)| s.slice.covers(s.stats.got, self.frame.recent)),
            coverage,
            has_means: false,
        });
    }

    fn is_recent(&self, trail: &Trail) -> bool {
        trail.last_use.is_some_and(|l| l >= self.frame.recent)
    }

    /// Every GPU by its hourly maximum. The hourly mean stands in as a witness of use: a mean of
    /// 5% had a maximum of at least that. A GPU that the type does not have (a wrong catalogue
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
        let (mut sum, mut valid, mut unknown) = (0.0, 0_usize, false);
        for (i, required) in all {
            let max = self.see(Signal::GpuMax(i));
            let mean = self.see(Signal::GpuMean(i));
            let mut seen = trail(&max.slice, &max.stats, level, self.frame.recent);
            seen.join(trail(&mean.slice, &mean.stats, level, self.frame.recent));
            // A GPU whose maxima are all 0 has a mean of 0; it need not be fetched to be known.
            let known = if mean.stats.valid > 0 { Some(mean.stats) } else { None }
                .or(Some(max.stats).filter(|s| s.valid > 0 && s.max <= 0.0));
            match known {
                Some(stats) => {
                    sum += stats.sum;
                    valid += stats.valid;
                }
                None => unknown |= max.stats.got > 0,
            }
            let line = Line {
                measure: Measure::Gpu(i),
                label: self.words.gpu(i),
                statistic: self.words.hourly_max.clone(),
                unit: self.words.percent.clone(),
                threshold: policy.gpu_percent,
                role,
            };
            let busy = self.is_recent(&seen);
            let highest = highest(&[max.stats, mean.stats]);
            self.add(line, &[(Signal::GpuMax(i), max)], seen, highest, busy);
            let odd = max.stats.malformed() || mean.stats.malformed();
            let has_means = !odd && mean.slice.covers(mean.stats.got, self.frame.recent);
            if let Some(last) = self.out.findings.last_mut() {
                last.required = required;
                last.has_means = has_means;
                last.fetched |= !required;
            }
        }
        self.out.gpu_percent = (valid > 0 && !unknown).then(|| sum / valid as f64);
    }

    fn hourly(&mut self, limits: &Limits) {
        let cpu = self.cpu();
        if let Some(percent) = limits.cpu_max_percent {
            let max = self.see(Signal::CpuMax);
            let level = percent as f32;
            let by_mean = trail(&cpu.slice, &cpu.stats, level, self.frame.recent);
            // A mean that reaches the limit for peaks had a peak that did: peaks need not be
            // fetched then.
            let highest = highest(&[max.stats, cpu.stats]);
            let (measure, signal, cpu, mut seen) = if !max.fetched && self.is_recent(&by_mean) {
                (Measure::CpuMean, Signal::CpuMean, cpu, by_mean)
            } else {
                let seen = trail(&max.slice, &max.stats, level, self.frame.recent);
                (Measure::CpuMax, Signal::CpuMax, max, seen)
            };
            seen.join(by_mean);
            let busy = self.is_recent(&seen);
            let line = self.percent(measure, percent, EvidenceRole::Test);
            self.add(line, &[(signal, cpu)], seen, highest, busy);
        }
        self.cpu_work(limits.cpu_work, cpu, limits.cpu_max_percent.is_some());
        self.network(limits.network_per_day);
        if let Some(limit) = limits.ebs_ops_per_second {
            let (read, write) = (self.see(Signal::EbsReadOps), self.see(Signal::EbsWriteOps));
            // What a type cannot report is not demanded; what comes nevertheless is a witness.
            if !self.reports_ebs && read.stats.got + write.stats.got == 0 {
                return;
            }
            let seen = trail_per_second(both(read, write), limit, self.frame.recent);
            let line = Line {
                measure: Measure::Ebs,
                label: match self.reports_ebs {
                    true => self.words.ebs.clone(),
                    false => self.words.ebs_of_volumes.clone(),
                },
                statistic: self.words.per_second.clone(),
                unit: self.words.ops.clone(),
                threshold: limit.value,
                role: EvidenceRole::Counter,
            };
            let busy = self.is_recent(&seen);
            // Without a use the look back went through all hours.
            let highest = match seen.last_use {
                None => seen.worst,
                Some(_) => highest_per_second(both(read, write)),
            };
            let series = [(Signal::EbsReadOps, read), (Signal::EbsWriteOps, write)];
            self.add(line, &series, seen, highest, busy);
            if let Some(last) = self.out.findings.last_mut() {
                last.required = self.reports_ebs;
            }
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
        let highest = highest(&[cpu.stats]);
        let first = self.out.findings.len();
        if work.percent > 0.0 {
            let line = self.percent(Measure::CpuMean, work.percent, role);
            self.add(line, &[(Signal::CpuMean, cpu)], seen, highest, busy);
        }
        if let Some(vcpus) = self.vcpus {
            let line = self.cores(work.cores, role);
            let of_all = |percent: f64| percent * vcpus / 100.0;
            let in_cores = Trail { worst: seen.worst.map(of_all), ..seen };
            self.add(line, &[(Signal::CpuMean, cpu)], in_cores, highest.map(of_all), busy);
        }
        let both = &mut self.out.findings[first..];
        if both.len() > 1 {
            both.iter_mut().for_each(|f| f.evidence.joint = true);
        }
    }

    pub(super) fn network(&mut self, limit: Option<Limit>) {
        let (input, output) = (self.see(Signal::NetworkIn), self.see(Signal::NetworkOut));
        self.out.network_per_day =
            input.stats.mean().zip(output.stats.mean()).map(|(i, o)| 24.0 * (i + o));
        // A sum over the fleet rests on it: what has gaps, or may have been anything, is in none.
        let (stats, hours) = (output.stats, self.frame.hours());
        let is_pace = stats.valid >= DAY && enough(stats.valid, hours) && !stats.malformed();
        self.out.network_out_per_day =
            stats.mean().filter(|_| is_pace).map(|mean| mean * DAY as f64);
        let Some(limit) = limit else { return };
        let seen = trail_per_day(both(input, output), limit, self.frame.recent, self.frame.stretch);
        let line = Line {
            measure: Measure::Network,
            label: self.words.network.clone(),
            statistic: self.words.highest_day.clone(),
            unit: self.words.bytes_per_day.clone(),
            threshold: limit.value,
            role: EvidenceRole::Counter,
        };
        let busy = self.is_recent(&seen);
        let highest = match seen.last_use {
            None => seen.worst,
            Some(_) => highest_per_day(both(input, output), self.frame.stretch),
        };
        let series = [(Signal::NetworkIn, input), (Signal::NetworkOut, output)];
        self.add(line, &series, seen, highest, busy);
    }

    pub(super) fn cpu(&mut self) -> Seen<'a> {
        let cpu = self.see(Signal::CpuMean);
        self.out.cpu = Some(cpu.stats).filter(|s| s.valid > 0);
        cpu
    }

    pub(super) fn percent(&self, measure: Measure, threshold: f64, role: EvidenceRole) -> Line {
        let (label, statistic) = match measure {
            Measure::CpuMax => (&self.words.cpu_max, &self.words.hourly_max),
            _ => (&self.words.cpu_mean, &self.words.hourly_mean),
        };
        Line {
            measure,
            label: label.clone(),
            statistic: statistic.clone(),
            unit: self.words.percent.clone(),
            threshold,
            role,
        }
    }

    pub(super) fn cores(&self, threshold: f64, role: EvidenceRole) -> Line {
        Line {
            measure: Measure::BusyCores,
            label: self.words.busy_cores.clone(),
            statistic: self.words.hourly_mean.clone(),
            unit: self.words.cores.clone(),
            threshold,
            role,
        }
    }
}
