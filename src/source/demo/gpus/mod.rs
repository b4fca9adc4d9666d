//! GPU telemetry of the demo: what a Prometheus, and beside it some exporters, would tell of its
//! fleet. A pure function of (seed, clock) like the rest, and consistent with its hourly telemetry:
//! the same GPU works in the same hours.
//!
//! What is done to the fleet shows here as well: what does not run is told of by nobody.

mod cards;
mod cases;
mod held;
mod hours;
mod node;
mod second;
mod signals;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use self::cases::Kind;
#[cfg(test)]
pub use self::cases::gpu_cases;
pub use self::held::{
    CLUSTER, FORGOTTEN, NODE_START, PARTLY_USED, PARTLY_USED_BY, PARTLY_USED_HOURS, held,
    planted_nodes,
};
use self::node::{Gpu, Node};
use self::second::Second;
use super::profile::Fleet;
use super::world::World;
use super::{Clock, DemoOptions, Part, telemetry};
use crate::domain::{
    GpuHistory, GpuHour, GpuKey, GpuOwner, GpuProcess, GpuSample, GpuSignal, Hour, SourceError,
    SourceId, Sweep,
};
use crate::source::{Ask, GpuSource};

/// How long ago a silent box was last heard of, whenever one looks.
const SILENT: SignedDuration = SignedDuration::from_mins(30);

/// Telemetry sources of a demo: one that knows the whole fleet and its history, and one that scrapes three boxes.
pub fn gpu_sources(options: &DemoOptions) -> Vec<Arc<dyn GpuSource>> {
    let first = Arc::new(DemoGpus::new(options));
    vec![first.clone(), Arc::new(Second::new(first))]
}

/// Telemetry source over the whole fleet of a demo.
pub(super) struct DemoGpus {
    fleet: Fleet,
    part: Part,
    world: Arc<World>,
    clock: Clock,
    origin: Arc<str>,
    nobody: Arc<GpuOwner>,
    nothing: Arc<[GpuProcess]>,
    /// The boxes that are told of, as of an hour: renewed instances are others an hour later.
    nodes: Mutex<Option<(Hour, Arc<[Node]>)>>,
}

impl DemoGpus {
    fn new(options: &DemoOptions) -> Self {
        Self {
            fleet: options.fleet(),
            part: options.part.clone(),
            world: options.world.clone(),
            clock: options.clock.clone(),
            origin: "demo".into(),
            nobody: Arc::default(),
            nothing: Arc::default(),
            nodes: Mutex::default(),
        }
    }

    fn nodes(&self, now: Timestamp) -> Arc<[Node]> {
        let hour = Hour::containing(now);
        let mut kept = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, nodes)) = kept.as_ref().filter(|(of, _)| *of == hour) {
            return nodes.clone();
        }
        let nodes: Arc<[Node]> = (0..self.fleet.size())
            .filter_map(|index| self.fleet.profile(index))
            .filter(|p| self.part.has_account(p.account) && self.part.has_region(p.region.code))
            .filter_map(|profile| node::of(self.fleet, profile, now))
            .collect();
        *kept = Some((hour, nodes.clone()));
        nodes
    }

    /// True when `node` ran at `at`.
    fn ran(&self, node: &Node, at: Timestamp) -> bool {
        let story = self.world.story(&node.id);
        telemetry::ran(&node.profile, node.generation, story.as_ref(), at)
    }

    fn sample(
        &self,
        node: &Node,
        gpu: &Gpu,
        now: Timestamp,
        with_recent: bool,
    ) -> Option<GpuSample> {
        let silent = gpu.case == Some(Kind::Silent);
        let at = if silent { now.checked_sub(SILENT).ok()? } else { now };
        let reading = signals::reading(node, gpu, at, now)?;
        let held = reading.works || gpu.kept;
        let processes = gpu
            .processes
            .as_ref()
            .map(|all| if held { with_memory(all, &reading) } else { self.nothing.clone() });
        Some(GpuSample {
            identity: gpu.identity.clone(),
            taken_at: at,
            signals: reading.signals,
            throttle: reading.throttle,
            owner: if held { gpu.owner.clone() } else { self.nobody.clone() },
            names_owners: node.names_owners,
            processes,
            recent: if with_recent { signals::recent(node, gpu, at) } else { None },
        })
    }
}

/// The processes with the memory that the GPU says is in use.
fn with_memory(all: &[GpuProcess], reading: &signals::Reading) -> Arc<[GpuProcess]> {
    let used = reading.signals.get(GpuSignal::MemUsed);
    let share = used.map(|mib| mib / all.len().max(1) as f32);
    all.iter().map(|p| GpuProcess { mem_mib: share, ..p.clone() }).collect()
}

/// True when `node` is one of those in focus; all are when none is named.
fn in_focus(node: &Node, focus: &[Arc<str>]) -> bool {
    let host = node.gpus.first().map_or("", |gpu| gpu.identity.host.shown());
    focus.is_empty() || focus.iter().any(|f| *f == node.id || *f == node.name || **f == *host)
}

#[async_trait::async_trait]
impl GpuSource for DemoGpus {
    fn source(&self) -> SourceId {
        SourceId::Prometheus
    }

    fn origin(&self) -> &Arc<str> {
        &self.origin
    }

    fn every(&self) -> Duration {
        Duration::from_secs(signals::STEP_S.unsigned_abs())
    }

    async fn sweep(&self, ask: &Ask) -> Result<Sweep, SourceError> {
        let nodes = self.nodes(ask.now);
        let mut samples = Vec::new();
        let mut asked = 0;
        for node in nodes.iter().filter(|n| in_focus(n, &ask.focus)) {
            if !self.ran(node, ask.now) {
                continue;
            }
            asked += 1;
            let of = |gpu| self.sample(node, gpu, ask.now, ask.with_recent);
            samples.extend(node.gpus.iter().filter_map(of));
        }
        Ok(Sweep { samples, asked, answered: asked, ..ask.answer(self) })
    }

    async fn hour(&self, hour: Hour) -> Option<Result<Vec<GpuHour>, SourceError>> {
        Some(Ok(self.hour_of_all(hour, (self.clock)())))
    }

    async fn history(
        &self,
        key: &GpuKey,
        from: Timestamp,
        to: Timestamp,
        points: u32,
    ) -> Option<Result<GpuHistory, SourceError>> {
        Some(Ok(self.history_of(key, from, to, points)))
    }
}
