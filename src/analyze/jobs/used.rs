//! GPU-hours in which the GPUs of an attempt worked, by telemetry that is kept, else by what its site measured.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::costed::Costed;
use crate::domain::bill::words;
use crate::domain::jobs::{Attempt, GpuTime, Gpus};

/// Milliseconds in an hour.
const HOUR_MS: i64 = 3_600_000;

/// Hours of an attempt that are told one by one: 90 days.
const HOURS_AT_MOST: i64 = 90 * 24;

/// Mean activity of an hour from which on a GPU has worked in it, 0–1.
const WORKS: f32 = 0.01;

words! {
    /// What tells for how long GPUs worked.
    UsedFrom {
        /// Telemetry that is kept.
        Telemetry = "telemetry",
        /// jobstats, by which its site measured it while it ran.
        Jobstats = "jobstats",
    }
}

impl Costed {
    /// GPU time in which its GPUs worked, and what tells it: telemetry, where that covers it, else what its site measured of one that is
    /// over. `None` where nobody measured all GPUs that it held.
    pub fn worked(&self) -> Option<(GpuTime, UsedFrom)> {
        let by_site = || Some((self.worked_by_site()?, UsedFrom::Jobstats));
        self.used.map(|used| (used, UsedFrom::Telemetry)).or_else(by_site)
    }

    fn worked_by_site(&self) -> Option<GpuTime> {
        let of = &self.attempt;
        let usage = of.usage.as_deref().filter(|_| of.state.is_over())?;
        let is_whole = usage.gpus > 0 && of.gpus == Some(Gpus::whole(usage.gpus));
        let held = self.held.gpu_time.filter(|_| is_whole)?;
        Some(held.part(usage.gpu_activity_per_mille.into(), 1_000))
    }
}

/// Mean activity of GPUs by their keys, 0–1.
type GpuMeans = HashMap<Arc<str>, f32>;

/// What one GPU did in an hour.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuHourOf {
    /// Names of its host: node, instance, address.
    pub hosts: Vec<Arc<str>>,
    /// Hours since 1970.
    pub hour: i64,
    /// Key of the GPU, by which several sources tell of one.
    pub gpu: Arc<str>,
    /// Mean activity, 0–1.
    pub mean: f32,
}

/// Activity of all GPUs of nodes by hour.
#[derive(Debug, Default)]
pub struct UsedHours {
    /// By host and hour: GPUs with their mean activity.
    hours: HashMap<(Arc<str>, i64), GpuMeans>,
}

impl UsedHours {
    /// Of hours of GPUs. Of several sources that tell of one GPU the highest counts.
    pub fn of(hours: impl IntoIterator<Item = GpuHourOf>) -> Self {
        let mut all = Self::default();
        for one in hours {
            for host in &one.hosts {
                let gpus = all.hours.entry((host.clone(), one.hour)).or_default();
                let mean = gpus.entry(one.gpu.clone()).or_insert(one.mean);
                *mean = mean.max(one.mean);
            }
        }
        all
    }

    /// True where nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.hours.is_empty()
    }

    /// GPU time in which the GPUs of an attempt worked: hours × mean activity. `None` where telemetry does not cover each hour of
    /// each of its nodes with as many GPUs as it held there: of a node that others share nobody tells whose activity it was.
    pub fn used(&self, of: &Attempt) -> Option<GpuTime> {
        let mut sum = GpuTime::ZERO;
        self.each_hour(of, |_, gpus, ms| {
            let working: f32 = gpus.values().sum();
            sum += Gpus::from_f64(f64::from(working))?.held_for(ms);
            Some(())
        })?;
        Some(sum)
    }

    /// GPUs of an attempt that worked at all: those with a mean activity of 1% in an hour in which it held them, or more. `None` as
    /// for [`Self::used`].
    pub fn working(&self, of: &Attempt) -> Option<u32> {
        let mut working: HashSet<(&str, &str)> = HashSet::new();
        self.each_hour(of, |node, gpus, _| {
            let those = gpus.iter().filter(|(_, mean)| **mean >= WORKS);
            working.extend(those.map(|(gpu, _)| (node, &**gpu)));
            Some(())
        })?;
        // A GPU that has another key later is one more, and the attempt held no more than these.
        let held = of.gpus?.millionths() / Gpus::whole(1).millionths();
        u32::try_from((working.len() as u64).min(held)).ok()
    }

    /// Mean activity of all GPUs of an attempt in each hour in which it held them, 0–1, from that of its start on; NaN for an hour that
    /// telemetry does not cover with as many GPUs as it held. `None` where it covers none, and for one of more than
    /// [`HOURS_AT_MOST`].
    pub fn by_hour(&self, of: &Attempt) -> Option<Box<[f32]>> {
        let (start, ms) = (of.started_at?, of.held_ms().filter(|ms| *ms > 0)?);
        let each = gpus_of_node(of)?;
        let from = start.as_millisecond();
        let last = from.checked_add(ms - 1)?;
        let (first, last) = (from.div_euclid(HOUR_MS), last.div_euclid(HOUR_MS));
        if last - first >= HOURS_AT_MOST {
            return None;
        }
        let mean = |hour: i64| {
            let (mut sum, mut gpus) = (0.0, 0);
            for node in of.nodes.iter() {
                let known = self.hours.get(&(node.clone(), hour)).filter(|of| covers(of, each))?;
                sum += known.values().sum::<f32>();
                gpus += known.len();
            }
            (gpus > 0).then(|| sum / gpus as f32)
        };
        let hours: Box<[f32]> = (first..=last).map(|hour| mean(hour).unwrap_or(f32::NAN)).collect();
        hours.iter().any(|mean| !mean.is_nan()).then_some(hours)
    }

    /// Hands each hour of each node of an attempt to `take`, with what the GPUs did in it and how many milliseconds of it the attempt
    /// held them. `None` where an hour or a GPU is not covered, or `take` says so.
    fn each_hour<'a>(
        &'a self,
        of: &'a Attempt,
        mut take: impl FnMut(&'a str, &'a GpuMeans, i64) -> Option<()>,
    ) -> Option<()> {
        let (start, ms, each) = (of.started_at?, of.held_ms()?, gpus_of_node(of)?);
        let from = start.as_millisecond();
        let to = from.checked_add(ms)?;
        for node in of.nodes.iter() {
            let mut at = from;
            while at < to {
                let hour = at.div_euclid(HOUR_MS);
                let end = to.min((hour + 1) * HOUR_MS);
                let known = self.hours.get(&(node.clone(), hour)).filter(|of| covers(of, each))?;
                take(node, known, end - at)?;
                at = end;
            }
        }
        Some(())
    }
}

/// GPUs that an attempt held on each of its nodes, in millionths; `None` where not all nodes are named, or GPUs are unknown.
fn gpus_of_node(of: &Attempt) -> Option<u64> {
    let nodes = of.nodes.len() as u64;
    let are_all = nodes > 0 && of.node_count.is_none_or(|count| u64::from(count) == nodes);
    of.gpus.filter(|_| are_all).map(|gpus| gpus.millionths() / nodes)
}

/// True where so many millionths of GPUs are those that are known.
fn covers(known: &GpuMeans, each: u64) -> bool {
    known.len() as u64 * Gpus::whole(1).millionths() == each
}
