//! A source of GPU telemetry that says what a test tells it to.

use std::collections::VecDeque;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;

use crate::domain::{
    ErrorKind, GpuHour, GpuIdentity, GpuSample, GpuSignal, GpuSignals, HostNames, HostTrouble,
    Hour, SourceError, SourceId, Sweep,
};
use crate::source::{Ask, GpuSource};

/// What one sweep answers.
#[derive(Clone, Debug)]
pub enum Say {
    /// These GPUs.
    These(Vec<GpuSample>),
    /// These, and these hosts did not answer.
    Without(Vec<GpuSample>, Vec<&'static str>),
    /// Nothing could be read.
    Fail(ErrorKind),
    /// No answer, ever.
    Hang,
    /// A defect.
    Panic,
}

type Hours = Box<dyn Fn(Hour) -> Result<Vec<GpuHour>, ErrorKind> + Send + Sync>;

pub struct Scripted {
    pub source: SourceId,
    pub origin: Arc<str>,
    pub every: Duration,
    pub focus_every: Option<Duration>,
    /// What comes next; the last stays.
    says: Mutex<VecDeque<Say>>,
    /// Its memory, if it has one.
    pub hours: Mutex<Option<Hours>>,
    /// The focus of each sweep it was asked for.
    pub asked: Mutex<Vec<Vec<Arc<str>>>>,
    /// Hosts it was last told of.
    pub hosts: AtomicUsize,
    /// Hours it was asked about.
    pub asked_hours: Mutex<Vec<Hour>>,
}

impl Scripted {
    pub fn new(source: SourceId, origin: &str, says: impl IntoIterator<Item = Say>) -> Arc<Self> {
        Arc::new(Self::of(source, origin, says))
    }

    pub fn of(source: SourceId, origin: &str, says: impl IntoIterator<Item = Say>) -> Self {
        Self {
            source,
            origin: origin.into(),
            every: Duration::from_millis(250),
            focus_every: None,
            says: Mutex::new(says.into_iter().collect()),
            hours: Mutex::default(),
            asked: Mutex::default(),
            hosts: AtomicUsize::new(0),
            asked_hours: Mutex::default(),
        }
    }

    /// With a memory.
    pub fn remembering(
        self,
        hours: impl Fn(Hour) -> Result<Vec<GpuHour>, ErrorKind> + Send + Sync + 'static,
    ) -> Arc<Self> {
        *self.hours.lock().unwrap() = Some(Box::new(hours));
        Arc::new(self)
    }

    /// Sweeps of everything, and closer looks.
    pub fn sweeps(&self) -> (usize, usize) {
        let asked = self.asked.lock().unwrap();
        let full = asked.iter().filter(|focus| focus.is_empty()).count();
        (full, asked.len() - full)
    }

    /// Hours that it was asked about.
    pub fn hours_asked(&self) -> usize {
        self.asked_hours.lock().unwrap().len()
    }

    fn next(&self) -> Say {
        let mut says = self.says.lock().unwrap();
        if says.len() > 1 { says.pop_front().unwrap() } else { says[0].clone() }
    }
}

fn failed(kind: ErrorKind) -> SourceError {
    SourceError::new(kind, "script", "the script says so", "change the script")
}

#[async_trait::async_trait]
impl GpuSource for Scripted {
    fn source(&self) -> SourceId {
        self.source
    }

    fn origin(&self) -> &Arc<str> {
        &self.origin
    }

    fn every(&self) -> Duration {
        self.every
    }

    fn focus_every(&self) -> Option<Duration> {
        self.focus_every
    }

    async fn sweep(&self, ask: &Ask) -> Result<Sweep, SourceError> {
        self.asked.lock().unwrap().push(ask.focus.to_vec());
        self.hosts.store(ask.hosts.len(), std::sync::atomic::Ordering::Relaxed);
        let (samples, failing) = match self.next() {
            Say::These(samples) => (samples, vec![]),
            Say::Without(samples, failing) => (samples, failing),
            Say::Fail(kind) => return Err(failed(kind)),
            Say::Hang => std::future::pending().await,
            Say::Panic => panic!("the script says so"),
        };
        let trouble = |host: &&str| HostTrouble {
            host: (*host).into(),
            error: Arc::new(failed(ErrorKind::Timeout)),
        };
        Ok(Sweep {
            source: self.source,
            origin: self.origin.clone(),
            taken_at: ask.now,
            asked: 1 + failing.len() as u32,
            answered: 1,
            troubles: failing.iter().map(trouble).collect(),
            samples,
            partial: !ask.focus.is_empty(),
        })
    }

    async fn hour(&self, hour: Hour) -> Option<Result<Vec<GpuHour>, SourceError>> {
        self.asked_hours.lock().unwrap().push(hour);
        let hours = self.hours.lock().unwrap();
        Some(hours.as_ref()?(hour).map_err(failed))
    }
}

/// GPU `index` of the host `node`, at work as far as `sm` says.
pub fn sample(node: &str, index: u16, sm: f64, taken_at: Timestamp) -> GpuSample {
    let mut signals = GpuSignals::default();
    for (signal, value) in [
        (GpuSignal::SmActive, sm),
        (GpuSignal::Util, sm),
        (GpuSignal::Power, if sm > 0.05 { 500.0 } else { 70.0 }),
        (GpuSignal::PowerLimit, 700.0),
        (GpuSignal::MemUsed, 4.0),
        (GpuSignal::MemTotal, 81_559.0),
    ] {
        signals.set(signal, value);
    }
    GpuSample::new(identity(node, index), taken_at, signals)
}

pub fn identity(node: &str, index: u16) -> Arc<GpuIdentity> {
    Arc::new(GpuIdentity {
        uuid: Some(format!("GPU-{node}-{index}").into()),
        index: Some(index),
        model: "NVIDIA H100 80GB HBM3".into(),
        host: HostNames { node: Some(node.into()), ..HostNames::default() },
        ..GpuIdentity::default()
    })
}
