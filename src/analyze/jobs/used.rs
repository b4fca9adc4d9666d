//! GPU-hours in which the GPUs of an attempt worked, by telemetry that is kept.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::jobs::{Attempt, GpuTime, Gpus};

/// Milliseconds in an hour.
const HOUR_MS: i64 = 3_600_000;

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
    hours: HashMap<(Arc<str>, i64), HashMap<Arc<str>, f32>>,
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
        let (start, ms, gpus) = (of.started_at?, of.held_ms()?, of.gpus?);
        let nodes = of.nodes.len() as u64;
        if nodes == 0 || of.node_count.is_some_and(|count| u64::from(count) != nodes) {
            return None;
        }
        let from = start.as_millisecond();
        let to = from.checked_add(ms)?;
        let each = gpus.millionths() / nodes;
        let mut sum = GpuTime::ZERO;
        for node in of.nodes.iter() {
            let mut at = from;
            while at < to {
                let hour = at.div_euclid(HOUR_MS);
                let end = to.min((hour + 1) * HOUR_MS);
                let known = self.hours.get(&(node.clone(), hour))?;
                if known.len() as u64 * Gpus::whole(1).millionths() != each {
                    return None;
                }
                let working: f32 = known.values().sum();
                sum += Gpus::from_f64(f64::from(working))?.held_for(end - at);
                at = end;
            }
        }
        Some(sum)
    }
}
