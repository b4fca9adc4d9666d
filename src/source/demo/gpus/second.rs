//! A second source in the demo: exporters of three boxes, scraped. It agrees with the first about
//! all GPUs but one.

use std::sync::Arc;
use std::time::Duration;

use super::cases::Kind;
use super::{DemoGpus, in_focus, signals};
use crate::domain::{GpuSignal, SourceError, SourceId, Sweep};
use crate::source::{Ask, GpuSource};

/// The boxes that it scrapes.
const BOXES: [&str; 3] = ["pretrain-70b", "last-target", "do-not-stop"];

/// What its exporter says where the other source says that it works to the full.
const CONTRADICTION: [(GpuSignal, f64); 4] = [
    (GpuSignal::Util, 0.31),
    (GpuSignal::Power, 330.0),
    (GpuSignal::Temp, 47.0),
    (GpuSignal::Tensor, 0.06),
];

/// Second telemetry source of the demo: exporters of three boxes.
pub(super) struct Second {
    first: Arc<DemoGpus>,
    origin: Arc<str>,
}

impl Second {
    /// A source that derives its values from `first`.
    pub(super) fn new(first: Arc<DemoGpus>) -> Self {
        Self { first, origin: "demo-exporters".into() }
    }
}

#[async_trait::async_trait]
impl GpuSource for Second {
    fn source(&self) -> SourceId {
        SourceId::Exporter
    }

    fn origin(&self) -> &Arc<str> {
        &self.origin
    }

    fn every(&self) -> Duration {
        Duration::from_secs(signals::STEP_S.unsigned_abs())
    }

    async fn sweep(&self, ask: &Ask) -> Result<Sweep, SourceError> {
        let nodes = self.first.nodes(ask.now);
        let (mut samples, mut asked) = (Vec::new(), 0);
        let mine = nodes.iter().filter(|n| {
            n.profile.trap.is_some_and(|t| BOXES.contains(&t.name)) && in_focus(n, &ask.focus)
        });
        for node in mine.filter(|n| self.first.ran(n, ask.now)) {
            asked += 1;
            for gpu in &node.gpus {
                // Only the first keeps the past.
                let Some(mut sample) = self.first.sample(node, gpu, ask.now, false) else {
                    continue;
                };
                if gpu.case == Some(Kind::Disputed) {
                    for (signal, value) in CONTRADICTION {
                        sample.signals.set(signal, value);
                    }
                }
                samples.push(sample);
            }
        }
        Ok(Sweep { samples, asked, answered: asked, ..ask.answer(self) })
    }
}
