//! GPU-hours in which the GPUs of an attempt worked, by telemetry that is kept.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::domain::jobs::{Attempt, GpuTime, Gpus};

/// Milliseconds in an hour.
const HOUR_MS: i64 = 3_600_000;

/// Mean activity of an hour from which on a GPU has worked in it, 0–1.
const WORKS: f32 = 0.01;

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

    /// Hands each hour of each node of an attempt to `take`, with what the GPUs did in it and how many milliseconds of it the attempt
    /// held them. `None` where an hour or a GPU is not covered, or `take` says so.
    fn each_hour<'a>(
        &'a self,
        of: &'a Attempt,
        mut take: impl FnMut(&'a str, &'a GpuMeans, i64) -> Option<()>,
    ) -> Option<()> {
        let (start, ms, gpus) = (of.started_at?, of.held_ms()?, of.gpus?);
        let nodes = of.nodes.len() as u64;
        if nodes == 0 || of.node_count.is_some_and(|count| u64::from(count) != nodes) {
            return None;
        }
        let from = start.as_millisecond();
        let to = from.checked_add(ms)?;
        let each = gpus.millionths() / nodes;
        for node in of.nodes.iter() {
            let mut at = from;
            while at < to {
                let hour = at.div_euclid(HOUR_MS);
                let end = to.min((hour + 1) * HOUR_MS);
                let known = self.hours.get(&(node.clone(), hour))?;
                if known.len() as u64 * Gpus::whole(1).millionths() != each {
                    return None;
                }
                take(node, known, end - at)?;
                at = end;
            }
        }
        Some(())
    }
}
