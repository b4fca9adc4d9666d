//! What a policy says of one instance at each moment.

use jiff::Timestamp;

use super::super::exempt::{EXEMPT_TAG, Exemption};
use super::super::judge::{JudgeInput, Subject};
use super::super::policy::{Limit, Policy, Test, enough, gpu_indices, least};
use super::super::stretch::Stats;
use super::days::{Daily, Days};
use super::{DAY, Past, days_before};
use crate::domain::Signal;

/// What a policy says at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// Idle.
    Idle,
    /// In use, in part or as a whole.
    Used,
    /// No verdict: exempt, too new, or not enough hours.
    Unjudged,
}

/// Limits that one hour reaches by itself, and that of a sliding day of network.
pub(super) struct Levels {
    /// Use from this value on, and at a malformed datapoint; ∞ where only that counts.
    of: Vec<(Signal, f32)>,
    /// EBS operations of an hour.
    ebs: Option<Limit>,
    /// Bytes of a sliding day.
    pub network: Option<Limit>,
}

impl Levels {
    /// Those of `policy`: the limits of an hourly test; of the others the veto of the GPUs alone.
    pub fn of(days: &Days<'_>, policy: &Policy) -> Self {
        let gpu = policy.gpu_percent as f32;
        let mut levels: Vec<(Signal, f32)> = days.gpus().map(|d| (d.signal, gpu)).collect();
        let Some(limits) = policy.limits(days.machine.has_gpu_limits()) else {
            return Self { of: levels, ebs: None, network: None };
        };
        let work = limits.cpu_work;
        let cores = work.percent.max(work.cores * 100.0 / days.vcpus) as f32;
        let peak = limits.cpu_max_percent.map(|percent| percent as f32);
        levels.push((Signal::CpuMean, peak.map_or(cores, |peak| peak.min(cores))));
        levels.extend(peak.map(|peak| (Signal::CpuMax, peak)));
        if limits.network_per_day.is_some() {
            levels.extend([Signal::NetworkIn, Signal::NetworkOut].map(|s| (s, f32::INFINITY)));
        }
        if limits.ebs_ops_per_second.is_some() {
            levels.extend([Signal::EbsReadOps, Signal::EbsWriteOps].map(|s| (s, f32::INFINITY)));
        }
        levels.retain(|(signal, _)| days.get(*signal).is_some());
        Self {
            of: levels,
            ebs: limits.ebs_ops_per_second.map(|l| Limit { value: l.value * 3600.0, ..l }),
            network: limits.network_per_day,
        }
    }

    /// True for each day with an hour that reaches a limit.
    pub fn used_days(&self, days: &Days<'_>) -> Vec<bool> {
        let mut used = vec![false; days.count];
        for (daily, level) in self.of.iter().filter_map(|(s, level)| Some((days.get(*s)?, *level)))
        {
            for (used, stats) in used.iter_mut().zip(&daily.stats) {
                *used |= stats.max >= level || stats.malformed();
            }
        }
        let Some(limit) = self.ebs.filter(|_| used.contains(&false)) else { return used };
        for (used, highest) in used.iter_mut().zip(days.ebs()) {
            *used |= limit.reached(*highest);
        }
        used
    }

    /// The first hour of a day that reaches a limit.
    pub fn first_used(&self, days: &Days<'_>, day: usize) -> Option<usize> {
        let reaches = |hour: usize| {
            let by_value = |(signal, level): &(Signal, f32)| {
                let value = days.get(*signal).map_or(f32::NAN, |daily| daily.hours.at(hour));
                value >= *level || value < 0.0
            };
            self.of.iter().any(by_value) || self.ebs.is_some_and(|l| l.reached(days.ebs_at(hour)))
        };
        (day * DAY as usize..(day + 1) * DAY as usize).find(|hour| reaches(*hour))
    }
}

/// What `policy` says at each of the last `moments` days, the oldest first.
pub(super) fn calls(
    days: &Days<'_>,
    past: &Past<'_>,
    policy: &Policy,
    now: Timestamp,
    moments: u32,
) -> Vec<Call> {
    let by_days = Window::of(days, policy);
    let tagged = past.instance.tags.find(&[EXEMPT_TAG]).is_some();
    let call = |ago: u32| {
        let at = days.count - ago as usize;
        // After its end, hours of its life would still lie in the window.
        if days.ended.is_some_and(|ended| ended < at * DAY as usize) {
            return Call::Unjudged;
        }
        let then = days_before(now, ago);
        if tagged && Exemption::of(&past.instance.tags, then).holds() {
            return Call::Unjudged;
        }
        let from = days.range.from.plus((at as u32 * DAY) as i32);
        let lived = i64::from(from.0) - i64::from(days.launch.0);
        if lived < i64::from(policy.min_stretch_hours(days.machine.has_gpu_stretch())) {
            return Call::Unjudged;
        }
        match &by_days {
            Some(window) if lived >= i64::from(policy.window_hours()) => window.call(at),
            _ => surveyed(past, policy, then),
        }
    };
    (1..=moments).rev().map(call).collect()
}

/// As [`super::super::judge()`] finds it.
fn surveyed(past: &Past<'_>, policy: &Policy, then: Timestamp) -> Call {
    let Past { instance, spec, series } = *past;
    let subject = Subject { instance, spec, series, now: then, before: None };
    let input = JudgeInput::new(&subject, policy);
    if input.survey.in_use() {
        Call::Used
    } else if input.frame.is_short() || !input.survey.is_covered() {
        Call::Unjudged
    } else {
        Call::Idle
    }
}

/// A policy over the days of an instance, for moments whose whole window lies in one life.
struct Window<'a, 'd> {
    /// Days looked at, and the last of them in which use decides.
    window: usize,
    stretch: usize,
    /// Signals on which idleness rests; `None` where one was never fetched: it is never idle then.
    required: Option<Vec<&'a Daily<'d>>>,
    /// Number of the last day before each moment in which an hour speaks for use, counted from 1; 0 for none.
    last_used: Vec<usize>,
    test: DayTest,
}

/// What of a test is no hour's.
enum DayTest {
    /// The last day before each moment in which a window of network begins that reaches the limit, counted from 1, and
    /// the days that reach it themselves; `None` where network is not judged.
    Hourly(Option<(Vec<usize>, Vec<bool>)>),
    /// Low days before each moment, those that might be, and the last malformed day, counted from 1.
    LowDays { low: Vec<u32>, open: Vec<u32>, malformed: Vec<usize>, needed: u32 },
    /// Sum and number of valid CPU means before each moment, the last malformed day, and the mean that speaks for use.
    Mean { sums: Vec<(f64, u32)>, malformed: Vec<usize>, limit: f64 },
}

/// For each moment the number of the last day before it of which `is` holds, counted from 1; 0 for none.
fn last_days(days: usize, is: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut last = 0;
    let mut all = Vec::with_capacity(days + 1);
    all.push(0);
    for day in 0..days {
        last = if is(day) { day + 1 } else { last };
        all.push(last);
    }
    all
}

/// How many days before each moment `is` holds of.
fn counted(days: usize, is: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut count = 0;
    std::iter::once(0)
        .chain((0..days).map(|day| {
            count += u32::from(is(day));
            count
        }))
        .collect()
}

impl<'a, 'd> Window<'a, 'd> {
    /// `None` where the policy does not look at whole days.
    fn of(days: &'a Days<'d>, policy: &Policy) -> Option<Self> {
        let stretch = policy.min_stretch_hours(days.machine.has_gpu_stretch());
        let window = policy.window_hours();
        let whole = window.is_multiple_of(DAY) && stretch.is_multiple_of(DAY);
        if !whole || stretch == 0 || stretch > window {
            return None;
        }
        let gpu_box = days.machine.has_gpu_limits();
        let mut required = policy.host_signals(gpu_box);
        if !days.reports_ebs {
            required.retain(|s| !matches!(s, Signal::EbsReadOps | Signal::EbsWriteOps));
        }
        required.extend(gpu_indices(days.machine.gpus()).map(Signal::GpuMax));
        let required = required.into_iter().map(|signal| days.get(signal)).collect();
        let levels = Levels::of(days, policy);
        let used = levels.used_days(days);
        let last_used = last_days(days.count, |day| used[day]);
        let of = |pair: (f64, f64)| if gpu_box { pair.0 } else { pair.1 };
        let test = match &policy.test {
            Test::Hourly { .. } => {
                // Where the hours leave no moment open, nobody asks for the network.
                let stretch = (stretch / DAY) as usize;
                let open = (stretch..=days.count).any(|at| last_used[at] + stretch <= at);
                DayTest::Hourly(levels.network.filter(|_| open).map(|limit| {
                    let sliding = days.network();
                    let begins = last_days(days.count, |day| limit.reached(sliding.highest[day]));
                    (begins, sliding.own.iter().map(|moved| limit.reached(*moved)).collect())
                }))
            }
            Test::LowDays { cpu_percent, network_bytes, cores, days: needed } => {
                let parts = [Signal::CpuMean, Signal::NetworkIn, Signal::NetworkOut];
                let low = LowDay {
                    parts: parts.map(|signal| days.get(signal)),
                    vcpus: days.vcpus,
                    cpu_percent: *cpu_percent,
                    cores: of(*cores),
                    bytes: of(*network_bytes),
                };
                DayTest::LowDays {
                    low: counted(days.count, |day| low.kind(day) == Some(true)),
                    open: counted(days.count, |day| low.kind(day).is_none()),
                    malformed: last_days(days.count, |day| low.malformed(day)),
                    needed: *needed,
                }
            }
            Test::WindowMean { cpu_percent, cores } => {
                let cpu = days.get(Signal::CpuMean)?;
                let mut sum = (0.0, 0);
                let sums = std::iter::once(sum).chain(cpu.stats.iter().map(|stats| {
                    sum = (sum.0 + stats.sum, sum.1 + stats.valid as u32);
                    sum
                }));
                DayTest::Mean {
                    sums: sums.collect(),
                    malformed: last_days(days.count, |day| cpu.stats[day].malformed()),
                    limit: cpu_percent.min(of(*cores) * 100.0 / days.vcpus),
                }
            }
        };
        let (window, stretch) = ((window / DAY) as usize, (stretch / DAY) as usize);
        // Only an hourly test knows a stretch; the others speak of the window as a whole.
        let stretch = if matches!(test, DayTest::Hourly(_)) { stretch } else { window };
        Some(Self { window, stretch, required, last_used, test })
    }

    /// What it says before day `at`.
    fn call(&self, at: usize) -> Call {
        let (from, recent) = (at - self.window, at - self.stretch);
        let use_of_day = match &self.test {
            DayTest::Hourly(None) => false,
            // Windows that begin in the last day end after the moment, but for the day itself.
            DayTest::Hourly(Some((begins, own))) => own[at - 1] || begins[at - 1] > recent,
            DayTest::LowDays { low, open, malformed, needed } => {
                let might_be = low[at] - low[from] + open[at] - open[from];
                might_be < *needed || malformed[at] > from
            }
            DayTest::Mean { sums, malformed, limit } => {
                let (sum, valid) = (sums[at].0 - sums[from].0, sums[at].1 - sums[from].1);
                let hours = self.window * DAY as usize;
                let mean = sum / (valid as usize).max(least(hours)).max(1) as f64;
                mean >= *limit || malformed[at] > from
            }
        };
        if self.last_used[at] > recent || use_of_day {
            return Call::Used;
        }
        let enough_low = match &self.test {
            DayTest::LowDays { low, needed, .. } => low[at] - low[from] >= *needed,
            _ => true,
        };
        let covers = |daily: &&Daily<'_>| {
            let hours = |from: usize| (at - from) * DAY as usize;
            enough(daily.got(from, at), hours(from)) && enough(daily.got(recent, at), hours(recent))
        };
        match &self.required {
            Some(required) if enough_low && required.iter().all(covers) => Call::Idle,
            _ => Call::Unjudged,
        }
    }
}

/// What makes a day low.
struct LowDay<'a, 'd> {
    /// CPU mean, network in and out.
    parts: [Option<&'a Daily<'d>>; 3],
    vcpus: f64,
    cpu_percent: f64,
    cores: f64,
    bytes: f64,
}

impl LowDay<'_, '_> {
    fn stats(&self, day: usize) -> [Stats; 3] {
        const NOTHING: Stats = Stats { got: 0, valid: 0, max: f32::NEG_INFINITY, sum: 0.0 };
        self.parts.map(|part| part.map_or(NOTHING, |daily| daily.stats[day]))
    }

    fn malformed(&self, day: usize) -> bool {
        self.stats(day).iter().any(Stats::malformed)
    }

    /// True for a low day, false for one that is not; `None` where that cannot be told.
    fn kind(&self, day: usize) -> Option<bool> {
        const HOURS: usize = DAY as usize;
        let parts = self.stats(day);
        let [cpu, input, output] = &parts;
        let mean = cpu.mean_of(HOURS);
        let moved = (input.mean_of(HOURS) + output.mean_of(HOURS)) * HOURS as f64;
        let high = mean > self.cpu_percent
            || mean * self.vcpus / 100.0 >= self.cores
            || moved > self.bytes
            || parts.iter().any(Stats::malformed);
        let complete = parts.iter().all(|part| part.got >= least(HOURS));
        if high { Some(false) } else { complete.then_some(true) }
    }
}
