//! The boundary between burntop and a source of GPU telemetry.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::domain::{
    GpuHistory, GpuHour, GpuKey, Hour, Instance, SourceError, SourceId, Sweep, TypeSpec,
};

/// An instance with accelerators, which a telemetry source may read.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuHost {
    /// The running instance.
    pub instance: Arc<Instance>,
    /// Instance type; `None` when unknown.
    pub spec: Option<Arc<TypeSpec>>,
}

/// Request for a sweep.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Present time.
    pub now: Timestamp,
    /// Running instances with accelerators, for sources that read hosts.
    pub hosts: Arc<[GpuHost]>,
    /// Hosts whose GPUs are shown in detail, by instance id or name; empty for all.
    pub focus: Arc<[Arc<str>]>,
    /// True when [`crate::domain::RecentWindow`] is wanted as well: at the first sweep, and in reports.
    pub with_recent: bool,
}

impl Ask {
    /// Request for all GPUs, with recent windows.
    pub fn all(now: Timestamp, hosts: Arc<[GpuHost]>) -> Self {
        Self { now, hosts, focus: Arc::default(), with_recent: true }
    }

    /// Empty answer of `source`, dated at the request.
    pub fn answer(&self, source: &dyn GpuSource) -> Sweep {
        Sweep {
            source: source.source(),
            origin: source.origin().clone(),
            taken_at: self.now,
            samples: Vec::new(),
            asked: 0,
            answered: 0,
            troubles: Vec::new(),
            partial: !self.focus.is_empty(),
        }
    }
}

/// A source of GPU telemetry. Implementations time out, back off, bound what they read, and map errors; returned text
/// is clean. They keep connections and interned identities, but no conclusions.
#[async_trait::async_trait]
pub trait GpuSource: Send + Sync {
    /// Kind of source.
    fn source(&self) -> SourceId;

    /// Configured name or address of the source.
    fn origin(&self) -> &Arc<str>;

    /// Time between two sweeps of everything.
    fn every(&self) -> Duration;

    /// Time between two sweeps of the hosts in focus; `None` when a closer look brings nothing newer.
    fn focus_every(&self) -> Option<Duration> {
        None
    }

    /// Reads all GPUs, or those in focus. Err when nothing could be read; hosts that did not answer are in
    /// [`Sweep::troubles`].
    async fn sweep(&self, ask: &Ask) -> Result<Sweep, SourceError>;

    /// Activity of all GPUs in a closed hour; `None` from a source without history. Err when it could not be read.
    async fn hour(&self, hour: Hour) -> Option<Result<Vec<GpuHour>, SourceError>> {
        let _ = hour;
        None
    }

    /// History of one GPU between two times, in at most `points` steps; `None` from a source without history. Err when
    /// it could not be read.
    async fn history(
        &self,
        key: &GpuKey,
        from: Timestamp,
        to: Timestamp,
        points: u32,
    ) -> Option<Result<GpuHistory, SourceError>> {
        let _ = (key, from, to, points);
        None
    }
}
