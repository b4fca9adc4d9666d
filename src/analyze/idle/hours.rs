//! Hour by hour: was there use? For the profile of a week, which asks of each hour what a verdict
//! asks of a stretch.

use super::judge::Subject;
use super::machine::Machine;
use super::policy::{Limit, Policy, Test, gpu_indices};
use crate::domain::{Hour, HourRange, HourlySeries, Signal};

/// Use in one hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HourUse {
    /// Something reached a limit, or came malformed.
    Used,
    /// The CPU and every GPU reported, and nothing that reported reached a limit.
    Quiet,
    /// The CPU or a GPU did not report.
    Unseen,
}

/// The hours of an instance under a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoursOfUse {
    /// The first hour.
    pub from: Hour,
    /// One after the other.
    pub hours: Vec<HourUse>,
    /// Signals that the policy names and that were never fetched of this instance: where a verdict
    /// was clear without them, nobody asked. Stable names, see [`Signal::name`].
    pub not_looked_at: Vec<String>,
}

/// The share of a day's limit that an hour may reach. A day above its limit has an hour above
/// this, so that no use is overlooked; an hour above it may lie in a day below the limit, which
/// only makes a profile more careful.
const HOURS_PER_DAY: f64 = 24.0;

/// Looks at each hour of `range` by the limits of `policy`; `None` for a box of which it cannot be
/// told (accelerators without telemetry, an unknown type).
pub fn hours_of_use(
    subject: &Subject<'_>,
    policy: &Policy,
    range: HourRange,
) -> Option<HoursOfUse> {
    let machine = Machine::of(subject.spec);
    let vcpus = f64::from(subject.spec?.vcpus);
    if matches!(machine, Machine::Blind | Machine::UnknownType) {
        return None;
    }
    let series = |signal| subject.series.get(signal);
    let at = |series: Option<&HourlySeries>, hour| series.map_or(f32::NAN, |s| s.at(hour));
    let gpu_maxima: Vec<_> =
        gpu_indices(machine.gpus()).map(|i| series(Signal::GpuMax(i))).collect();
    let gpu_means: Vec<_> =
        gpu_indices(machine.gpus()).map(|i| series(Signal::GpuMean(i))).collect();
    let host = [
        Signal::CpuMean,
        Signal::CpuMax,
        Signal::NetworkIn,
        Signal::NetworkOut,
        Signal::EbsReadOps,
        Signal::EbsWriteOps,
    ]
    .map(series);
    let limits = HourLimits::of(policy, machine.has_gpu_limits());
    let level = policy.gpu_percent as f32;
    let hours = (range.from.0..range.to.0).map(Hour).map(|hour| {
        let gpu_max = gpu_maxima.iter().map(|s| at(*s, hour));
        let gpu_mean = gpu_means.iter().map(|s| at(*s, hour));
        // Malformed is infinite, and so at least any limit.
        let gpu_used = gpu_max.clone().chain(gpu_mean).any(|v| v >= level);
        let all = host.map(|s| at(s, hour));
        if gpu_used || all.iter().any(|v| v.is_infinite()) || limits.reached(all, vcpus) {
            HourUse::Used
        } else if all[0].is_nan() || gpu_max.clone().any(f32::is_nan) {
            HourUse::Unseen
        } else {
            HourUse::Quiet
        }
    });
    let hours = hours.collect();
    let named = policy.host_signals(machine.has_gpu_limits());
    let exists = |s: &Signal| super::cascade::exists(*s, subject.spec);
    let missing = named.into_iter().filter(exists).filter(|s| subject.series.get(*s).is_none());
    let not_looked_at = missing.map(Signal::name).collect();
    Some(HoursOfUse { from: range.from, hours, not_looked_at })
}

/// The limits of a policy for one hour.
struct HourLimits {
    /// Mean CPU in percent and busy cores; with `both`, either alone is no use.
    cpu: (Limit, f64),
    both: bool,
    cpu_max: Option<f64>,
    network: Option<Limit>,
    ebs: Option<Limit>,
}

impl HourLimits {
    fn of(policy: &Policy, gpu_box: bool) -> Self {
        let of = |pair: (f64, f64)| if gpu_box { pair.0 } else { pair.1 };
        let scaled = |l: Limit, by: f64| Limit { value: l.value * by, ..l };
        match &policy.test {
            Test::Hourly { gpu_box: g, cpu_box: c, .. } => {
                let l = if gpu_box { g } else { c };
                Self {
                    cpu: (Limit::from(l.cpu_work.percent), l.cpu_work.cores),
                    both: true,
                    cpu_max: l.cpu_max_percent,
                    network: l.network_per_day.map(|n| scaled(n, 1.0 / HOURS_PER_DAY)),
                    ebs: l.ebs_ops_per_second.map(|e| scaled(e, 3600.0)),
                }
            }
            Test::LowDays { cpu_percent, network_bytes, cores, .. } => Self {
                cpu: (Limit::above(*cpu_percent), of(*cores)),
                both: false,
                cpu_max: None,
                network: Some(Limit::above(of(*network_bytes) / HOURS_PER_DAY)),
                ebs: None,
            },
            Test::WindowMean { cpu_percent, cores } => Self {
                cpu: (Limit::from(*cpu_percent), of(*cores)),
                both: false,
                cpu_max: None,
                network: None,
                ebs: None,
            },
        }
    }

    /// True when one of the limits is reached by mean CPU, highest CPU, network in and out, EBS
    /// reads and writes of an hour; NaN reaches none.
    fn reached(&self, values: [f32; 6], vcpus: f64) -> bool {
        let [mean, max, network_in, network_out, reads, writes] = values.map(f64::from);
        let (percent, cores) = (self.cpu.0.reached(mean), mean / 100.0 * vcpus >= self.cpu.1);
        let cpu = if self.both { percent && cores } else { percent || cores };
        // A sum counts what is known of it.
        let sum = |a: f64, b: f64| match (a.is_nan(), b.is_nan()) {
            (true, _) => b,
            (_, true) => a,
            _ => a + b,
        };
        cpu || self.cpu_max.is_some_and(|l| mean >= l || max >= l)
            || self.network.is_some_and(|l| l.reached(sum(network_in, network_out)))
            || self.ebs.is_some_and(|l| l.reached(sum(reads, writes)))
    }
}
