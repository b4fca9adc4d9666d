//! Tests that are about a window as a whole: low days, and one mean.

use super::policy::least;
use super::sliding::highest_per_day;
use super::stretch::{Slice, Stats, Trail, highest, trail};
use super::surveyor::{Line, Surveyor, both};
use crate::domain::{EvidenceRole, Hour, HourRange, Measure, Signal};

impl Surveyor<'_> {
    /// One mean over all judged hours. The hours that reach the limit by themselves end the
    /// stretch from which the box is called idle.
    pub(super) fn window_mean(&mut self, percent: f64, cores: f64) {
        let cpu = self.cpu();
        self.network(None);
        let mean = cpu.stats.mean_of(self.frame.hours());
        let mut seen = trail(&cpu.slice, &cpu.stats, percent as f32, self.frame.recent);
        seen.malformed = cpu.stats.malformed();
        seen.worst = cpu.stats.mean();
        let mut line = self.percent(Measure::WindowMean, percent, EvidenceRole::Test);
        line.statistic = self.words.window_mean.clone();
        let busy = mean >= percent || seen.malformed;
        // The mean says nothing of the busiest hour, which a size must hold.
        let highest = highest(&[cpu.stats]);
        self.add(line, &[(Signal::CpuMean, cpu)], seen, highest, busy);
        if let Some(vcpus) = self.vcpus {
            let in_cores = |percent: f64| percent * vcpus / 100.0;
            let mut line = self.cores(cores, EvidenceRole::Counter);
            line.statistic = self.words.window_mean.clone();
            let seen = Trail { worst: seen.worst.map(in_cores), ..Trail::default() };
            let busy = in_cores(mean) >= cores;
            self.add(line, &[(Signal::CpuMean, cpu)], seen, highest.map(in_cores), busy);
        }
    }

    /// Counts low days, in blocks of 24 h back from the end of the judged hours, so that every
    /// block is a whole day of closed hours. A block counts as low with 90% of its datapoints.
    pub(super) fn low_days(&mut self, percent: f64, bytes: f64, cores: f64, needed: usize) {
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
            measure: Measure::LowDays,
            label: self.words.low_days.clone(),
            statistic: self.words.low_days_statistic.clone(),
            unit: self.words.days.clone(),
            threshold: needed as f64,
            role: EvidenceRole::Test,
        };
        let worst = (cpu.stats.got > 0).then_some(low as f64);
        let seen = Trail { last_use, worst, malformed };
        self.add(line, &[(Signal::CpuMean, cpu)], seen, None, too_few || malformed);
        if low < needed
            && let Some(f) = self.out.findings.last_mut()
        {
            // Some days cannot be told: enough of them might be low.
            f.covered = false;
        }
        let line = Line {
            measure: Measure::Network,
            label: self.words.network.clone(),
            statistic: self.words.mean_day.clone(),
            unit: self.words.bytes_per_day.clone(),
            threshold: bytes,
            role: EvidenceRole::Test,
        };
        let seen = Trail { worst: self.out.network_per_day, ..Trail::default() };
        // Days with holes are lower bounds; the mean takes the holes to be like the rest.
        let mean = self.out.network_per_day.unwrap_or(0.0);
        let highest = highest_per_day(both(input, output), DAY).map(|h| h.max(mean));
        let series = [(Signal::NetworkIn, input), (Signal::NetworkOut, output)];
        self.add(line, &series, seen, highest, false);
        if let Some(last) = self.out.findings.last_mut() {
            last.evidence.joint = true;
        }
    }

    fn hour(&self, i: usize) -> Hour {
        self.frame.judged.from.plus(i as i32)
    }
}
