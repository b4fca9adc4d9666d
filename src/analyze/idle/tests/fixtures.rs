//! Instances and series for the tests.

use std::fmt;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::super::{Policy, Preset, Subject, judge, next_signals, signals_for};
use crate::domain::{
    Accelerator, AcceleratorKind, BlockDevice, Hour, HourRange, HourlySeries, Instance, Provenance,
    SeriesSet, Signal, Tags, TypeSpec, Verdict, VerdictKind, sample,
};

/// The present of all tests: half past a UTC hour.
pub const NOW: &str = "2026-07-01T12:30:00Z";

pub fn now() -> Timestamp {
    NOW.parse().unwrap()
}

pub fn hours_ago(hours: i64) -> Timestamp {
    now() - SignedDuration::from_hours(hours)
}

/// The start of the `n`-th closed hour before now; 1 is the last closed one.
pub fn closed(n: i32) -> Hour {
    Hour::containing(now()).plus(-n)
}

/// An instance with its series.
#[derive(Clone)]
pub struct Case {
    pub instance: Instance,
    pub spec: Option<TypeSpec>,
    pub series: SeriesSet,
}

/// Series in runs, `hours ago: value`, so that a failed property can be read.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spec = self.spec.as_ref().map(|s| (s.vcpus, s.accelerator.as_ref()));
        let age = |t: Timestamp| now().duration_since(t).as_hours();
        let born = (age(self.instance.born_at()), age(self.instance.launched_at));
        writeln!(f, "spec {spec:?}, born and launched {born:?} h ago, {:?}", self.instance.tags)?;
        for (signal, series) in self.series.iter() {
            write!(f, "  {}:", signal.name())?;
            let mut last = None;
            for (i, v) in series.values.iter().enumerate() {
                if last != Some(v.to_bits()) {
                    write!(f, " {}: {v}", closed(0).0 - series.start.0 - i as i32)?;
                }
                last = Some(v.to_bits());
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Case {
    /// A box of `vcpus` vCPUs and `gpus` NVIDIA GPUs, launched 60 days ago, without any series.
    pub fn new(vcpus: u32, gpus: u32) -> Self {
        let accelerator = (gpus > 0).then(|| Accelerator {
            kind: AcceleratorKind::NvidiaGpu,
            model: "A100".into(),
            devices: gpus,
            equivalents: f64::from(gpus),
            memory_mib: 40_960,
        });
        let spec = TypeSpec {
            name: "x.large".into(),
            vcpus,
            memory_mib: 1 << 20,
            accelerator,
            instance_store_gb: 0,
            network: "400 Gigabit".into(),
            provenance: Provenance::Demo,
        };
        let root = BlockDevice {
            device: "/dev/xvda".into(),
            volume_id: "vol-1".into(),
            attached_at: Some(hours_ago(60 * 24)),
            delete_on_termination: true,
        };
        let instance = Instance {
            id: "i-1".into(),
            name: Arc::from(""),
            launched_at: hours_ago(60 * 24),
            block_devices: vec![root],
            ..sample::instance()
        };
        Self { instance, spec: Some(spec), series: SeriesSet::default() }
    }

    /// A box on which nothing happens: every signal of `preset` complete over its window.
    pub fn quiet(vcpus: u32, gpus: u32, preset: Preset) -> Self {
        let policy = preset.policy();
        let mut case = Self::new(vcpus, gpus);
        for signal in signals_for(&policy, gpus) {
            case = case.fill(signal, policy.window_hours(), background(signal));
        }
        case
    }

    /// Fills the last `hours` closed hours of `signal`.
    pub fn fill(mut self, signal: Signal, hours: u32, value: f32) -> Self {
        let range = HourRange::last_closed(now(), hours);
        let series = HourlySeries { start: range.from, values: vec![value; range.len()] };
        self.series.insert(signal, series);
        self
    }

    /// Sets the closed hours `ago` (1 is the last).
    pub fn with(mut self, signal: Signal, ago: impl IntoIterator<Item = i32>, value: f32) -> Self {
        let mut series = self.series.get(signal).cloned().unwrap();
        for n in ago {
            series.set(closed(n), value);
        }
        self.series.insert(signal, series);
        self
    }

    /// Takes the series of `signal` away, as if it was never fetched.
    pub fn without(mut self, signal: Signal) -> Self {
        self.series =
            self.series.iter().filter(|(s, _)| *s != signal).map(|(s, v)| (s, v.clone())).collect();
        self
    }

    pub fn tagged(mut self, key: &str, value: &str) -> Self {
        self.instance.tags = Tags::from_raw([(key, value)]);
        self
    }

    /// A life that began `hours` ago.
    pub fn born(mut self, hours: i64) -> Self {
        self.instance.launched_at = hours_ago(hours);
        self.instance.block_devices[0].attached_at = Some(hours_ago(hours));
        self
    }

    /// Stopped and started `hours` ago.
    pub fn restarted(mut self, hours: i64) -> Self {
        self.instance.launched_at = hours_ago(hours);
        self
    }

    pub fn accelerator(mut self, kind: AcceleratorKind) -> Self {
        if let Some(a) = self.spec.as_mut().and_then(|s| s.accelerator.as_mut()) {
            a.kind = kind;
        }
        self
    }

    pub fn subject(&self) -> Subject<'_> {
        Subject {
            instance: &self.instance,
            spec: self.spec.as_ref(),
            series: &self.series,
            now: now(),
            before: None,
        }
    }

    pub fn judge(&self, preset: Preset) -> Verdict {
        self.judge_by(&preset.policy())
    }

    pub fn judge_by(&self, policy: &Policy) -> Verdict {
        judge(&self.subject(), policy)
    }

    /// The kind under the default preset.
    pub fn kind(&self) -> VerdictKind {
        self.judge(Preset::Cautious).kind
    }

    /// The verdict after asking round by round, and the signals asked for.
    pub fn cascade(&self, policy: &Policy) -> (Verdict, Vec<Signal>) {
        let mut known = Self { series: SeriesSet::default(), ..self.clone() };
        let mut asked = Vec::new();
        loop {
            let next = next_signals(&known.subject(), policy);
            if next.is_empty() {
                return (known.judge_by(policy), asked);
            }
            for signal in next {
                assert!(!asked.contains(&signal), "{signal:?} asked for twice");
                asked.push(signal);
                known.series.insert(signal, self.series.get(signal).cloned().unwrap_or_default());
            }
        }
    }
}

/// What a signal reads on a box that nobody uses.
pub fn background(signal: Signal) -> f32 {
    match signal {
        Signal::CpuMean => 0.2,
        Signal::CpuMax => 1.5,
        Signal::NetworkIn | Signal::NetworkOut => 40_000.0,
        Signal::EbsReadOps | Signal::EbsWriteOps => 120.0,
        Signal::GpuMean(_) | Signal::GpuMax(_) | Signal::Resource(_) => 0.0,
    }
}
