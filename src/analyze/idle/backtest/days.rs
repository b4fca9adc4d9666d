//! The signals of one instance, summed up by whole days back from now.

use std::cell::OnceCell;

use super::super::machine::Machine;
use super::super::policy::{Limit, enough, least};
use super::super::stretch::{Slice, Stats};
use super::{DAY, Past};
use crate::domain::{Hour, HourRange, HourlySeries, Signal};

/// Hours of a day, as an index.
const HOURS: usize = DAY as usize;

/// One signal: its hours, and the figures of each day.
pub(super) struct Daily<'a> {
    pub signal: Signal,
    pub hours: Slice<'a>,
    pub stats: Vec<Stats>,
    /// Datapoints before each day; one more than there are days.
    got: Vec<u32>,
}

impl Daily<'_> {
    /// Datapoints in the days from `from` to before `to`.
    pub fn got(&self, from: usize, to: usize) -> usize {
        (self.got[to] - self.got[from]) as usize
    }
}

/// Network in plus out over sliding days.
pub(super) struct Sliding {
    /// Sum and number of the valid values before each hour, of each of the two series.
    sums: [Vec<(f64, u32)>; 2],
    /// The highest of the windows that begin in each day; −∞ without one.
    pub highest: Vec<f64>,
    /// The window that is the day itself; NaN where nothing is known.
    pub own: Vec<f64>,
}

impl Sliding {
    fn of(series: [Slice<'_>; 2], days: usize) -> Self {
        let sums = series.map(|slice| {
            let mut sum = (0.0, 0);
            let mut all = Vec::with_capacity(slice.hours + 1);
            all.push(sum);
            for hour in 0..slice.hours {
                let value = slice.at(hour);
                if value.is_finite() && value >= 0.0 {
                    sum = (sum.0 + f64::from(value), sum.1 + 1);
                }
                all.push(sum);
            }
            all
        });
        let mut out =
            Self { sums, highest: Vec::with_capacity(days), own: Vec::with_capacity(days) };
        let hours = days * HOURS;
        for day in 0..days {
            let starts = day * HOURS..(day * HOURS + HOURS).min((hours + 1).saturating_sub(HOURS));
            let mut highest = f64::NEG_INFINITY;
            for start in starts {
                let moved = out.per_day(start);
                highest = if moved > highest { moved } else { highest };
            }
            out.highest.push(highest);
            out.own.push(out.per_day(day * HOURS));
        }
        out
    }

    /// Bytes of the day that begins at hour `start`: missing hours are taken to be like the seen ones as far as a tenth
    /// of them; beyond that it is a lower bound. NaN where nothing is known.
    fn per_day(&self, start: usize) -> f64 {
        let [input, output] = [0, 1].map(|k| {
            let (before, after) = (self.sums[k][start], self.sums[k][start + HOURS]);
            (after.0 - before.0, after.1 - before.1)
        });
        if input.1 + output.1 == 0 {
            return f64::NAN;
        }
        let scaled = |(sum, got): (f64, u32)| {
            sum.max(0.0) * HOURS as f64 / f64::from(got.max(least(HOURS) as u32))
        };
        scaled(input) + scaled(output)
    }

    /// The hour in which the first day that begins at or after day `day`'s first hour, and within it, reaches `limit`.
    pub fn first_reached(&self, day: usize, limit: Limit) -> Option<usize> {
        if !limit.reached(self.highest[day]) {
            return None;
        }
        let last = (self.highest.len() - 1) * HOURS;
        let starts = day * HOURS..=(day * HOURS + HOURS - 1).min(last);
        let start = starts.into_iter().find(|start| limit.reached(self.per_day(*start)))?;
        let moved =
            |to: usize| -> f64 { self.sums.iter().map(|sums| sums[to].0 - sums[start].0).sum() };
        // The hour that made it reach, or the last of the day where only the hours that are missing did.
        let hours = start..start + HOURS;
        Some(
            hours
                .into_iter()
                .find(|hour| limit.reached(moved(hour + 1)))
                .unwrap_or(start + HOURS - 1),
        )
    }
}

/// All signals of an instance by whole days; day 0 is the oldest, the last ends with the last closed hour.
pub(super) struct Days<'a> {
    pub machine: Machine,
    pub vcpus: f64,
    pub reports_ebs: bool,
    pub range: HourRange,
    /// Number of days.
    pub count: usize,
    /// First hour of the present life.
    pub launch: Hour,
    /// First hour after the last CPU datapoint of an instance that does not run any more; `None` while it runs.
    pub ended: Option<usize>,
    all: Vec<Daily<'a>>,
    network: OnceCell<Sliding>,
    ebs: OnceCell<Vec<f64>>,
}

impl<'a> Days<'a> {
    /// `None` for what no policy can call idle: a type that is unknown, accelerators without telemetry, no CPU.
    pub fn new(past: &Past<'a>, range: HourRange) -> Option<Self> {
        let machine = Machine::of(past.spec);
        let spec = past.spec.filter(|_| matches!(machine, Machine::CpuOnly | Machine::Gpus(_)))?;
        let cpu = past.series.get(Signal::CpuMean)?;
        let count = range.len() / HOURS;
        let daily = |(signal, series): (Signal, &'a HourlySeries)| {
            let mut daily = Daily {
                signal,
                hours: Slice::of(series, range),
                stats: Vec::with_capacity(count),
                got: Vec::with_capacity(count + 1),
            };
            let mut got = 0;
            daily.got.push(0);
            for day in 0..count {
                let from = range.from.plus((day * HOURS) as i32);
                let hours = HourRange { from, to: from.plus(HOURS as i32) };
                let stats = Slice::of(series, hours).stats();
                got += stats.got as u32;
                daily.stats.push(stats);
                daily.got.push(got);
            }
            daily
        };
        let ended = || {
            let slice = Slice::of(cpu, range);
            (0..slice.hours).rev().find(|hour| !slice.at(*hour).is_nan()).map_or(0, |last| last + 1)
        };
        Some(Self {
            machine,
            vcpus: f64::from(spec.vcpus),
            reports_ebs: spec.reports_ebs(),
            range,
            count,
            launch: Hour::at_or_after(past.instance.launched_at),
            ended: (!past.instance.state.is_billed()).then(ended),
            all: past.series.iter().map(daily).collect(),
            network: OnceCell::new(),
            ebs: OnceCell::new(),
        })
    }

    /// The signal; `None` where it was never fetched.
    pub fn get(&self, signal: Signal) -> Option<&Daily<'a>> {
        self.all.iter().find(|daily| daily.signal == signal)
    }

    /// True when the CPU reported in 90% of the hours of the `window` days before day `at`, as far as they lie in the
    /// present life: that a preset saw use is a verdict there, and elsewhere a glimpse.
    pub fn saw(&self, at: usize, window: usize) -> bool {
        let lived = (self.launch.0 - self.range.from.0).max(0) as usize;
        let from = lived.div_ceil(HOURS).max(at.saturating_sub(window));
        let cpu = self.get(Signal::CpuMean);
        from < at && cpu.is_some_and(|cpu| enough(cpu.got(from, at), (at - from) * HOURS))
    }

    /// Every series of a GPU, of those that the type does not have as well.
    pub fn gpus(&self) -> impl Iterator<Item = &Daily<'a>> {
        self.all.iter().filter(|daily| daily.signal.gpu().is_some())
    }

    fn hours_of(&self, signal: Signal) -> Slice<'a> {
        self.get(signal).map_or_else(|| Slice::empty(self.count * HOURS), |daily| daily.hours)
    }

    /// Network over sliding days.
    pub fn network(&self) -> &Sliding {
        self.network.get_or_init(|| {
            let series = [Signal::NetworkIn, Signal::NetworkOut].map(|s| self.hours_of(s));
            Sliding::of(series, self.count)
        })
    }

    /// EBS operations of an hour, reads plus writes; NaN where nothing is known.
    pub fn ebs_at(&self, hour: usize) -> f64 {
        let [reads, writes] = [Signal::EbsReadOps, Signal::EbsWriteOps].map(|signal| {
            let value = self.hours_of(signal).at(hour);
            if value.is_finite() && value >= 0.0 { f64::from(value) } else { f64::NAN }
        });
        match (reads.is_nan(), writes.is_nan()) {
            (true, _) => writes,
            (_, true) => reads,
            _ => reads + writes,
        }
    }

    /// Highest EBS operations of an hour, by day; −∞ without a datapoint.
    pub fn ebs(&self) -> &[f64] {
        self.ebs.get_or_init(|| {
            let [reads, writes] =
                [Signal::EbsReadOps, Signal::EbsWriteOps].map(|signal| self.hours_of(signal));
            let valid =
                |v: f32| if v.is_finite() && v >= 0.0 { f64::from(v) } else { f64::NEG_INFINITY };
            let day = |day: usize| {
                let mut highest = f64::NEG_INFINITY;
                for hour in day * HOURS..(day + 1) * HOURS {
                    let (r, w) = (valid(reads.at(hour)), valid(writes.at(hour)));
                    // What is missing adds nothing to what is there.
                    let sum = if r >= 0.0 && w >= 0.0 { r + w } else { r.max(w) };
                    highest = highest.max(sum);
                }
                highest
            };
            (0..self.count).map(day).collect()
        })
    }
}
