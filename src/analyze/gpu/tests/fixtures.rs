//! A small fleet and samples of its GPUs.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::analyze::gpu::{GpuRules, Intervals, Watch, WatchInput};
use crate::domain::{
    Accelerator, AcceleratorKind, GpuHour, GpuIdentity, GpuKey, GpuOwner, GpuSample, GpuSignal,
    GpuSignals, HostNames, Hour, HourTable, IdleStarts, Instance, Mig, PriceBasis, Provenance,
    Rate, Rung, SourceId, Sweep, TypeSpec, sample,
};
use crate::fleet::{Fleet, GpuFleet, GpuRow, Row};

pub fn t(seconds: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(490_000) + SignedDuration::from_secs(seconds)
}

/// Tells of the hours of a GPU from `start` on, its maxima being `values`; `NaN` = nothing.
pub fn tell(hours: &mut HourTable, key: &GpuKey, start: Hour, values: &[f32]) {
    let identity =
        Arc::new(GpuIdentity { uuid: Some(key.device.clone()), ..GpuIdentity::default() });
    for (i, max) in values.iter().enumerate().filter(|(_, max)| !max.is_nan()) {
        let told = GpuHour {
            identity: identity.clone(),
            mean: *max,
            max: *max,
            samples: 60,
            rung: Rung::A,
        };
        hours.add(start.plus(i as i32), &[told]);
    }
}

pub fn spec(kind: AcceleratorKind, model: &str, devices: u32, equivalents: f64) -> TypeSpec {
    TypeSpec {
        name: "type".into(),
        vcpus: 96,
        memory_mib: 1,
        accelerator: Some(Accelerator {
            kind,
            model: model.into(),
            devices,
            equivalents,
            memory_mib: 81_920,
        }),
        instance_store_gb: 0,
        network: "".into(),
        provenance: Provenance::Demo,
    }
}

/// A running instance `i-<n>` at 10.0.0.<n> with 8 H100s for 80 USD/h.
pub fn instance(n: u32) -> Row {
    let instance = Instance {
        id: format!("i-{n}").into(),
        instance_type: "p5.48xlarge".into(),
        private_dns: format!("ip-10-0-0-{n}.ec2.internal").into(),
        private_ip: Some(format!("10.0.0.{n}").into()),
        ..sample::instance()
    };
    Row {
        spec: Some(Arc::new(spec(AcceleratorKind::NvidiaGpu, "H100", 8, 8.0))),
        rate: Some(Rate {
            usd_per_hour: 80.0,
            basis: PriceBasis::OnDemandList,
            provenance: Provenance::Demo,
        }),
        ..Row::new(instance)
    }
}

pub fn fleet(rows: Vec<Row>) -> Fleet {
    let rows = rows.into_iter().map(Arc::new).collect();
    Fleet { version: 1, as_of: Some(t(0)), rows, ..Fleet::default() }
}

/// A sample of GPU `index` of node 1, UUID `GPU-<index>`.
pub fn gpu(index: u16, at: i64, signals: &[(GpuSignal, f64)]) -> GpuSample {
    let identity = GpuIdentity {
        uuid: Some(format!("GPU-{index}").into()),
        index: Some(index),
        model: "NVIDIA H100 80GB HBM3".into(),
        host: HostNames { node: Some("ip-10-0-0-1".into()), ..HostNames::default() },
        ..GpuIdentity::default()
    };
    let mut set = GpuSignals::default();
    for (signal, value) in signals {
        set.set(*signal, *value);
    }
    GpuSample::new(Arc::new(identity), t(at), set)
}

pub fn named(mut sample: GpuSample, change: impl FnOnce(&mut GpuIdentity)) -> GpuSample {
    change(Arc::make_mut(&mut sample.identity));
    sample
}

pub fn slice(sample: GpuSample, gi: u32, profile: &str) -> GpuSample {
    let mig = Some(Mig { gpu_instance: gi, profile: profile.into() });
    named(sample, |i| i.mig = mig)
}

pub fn owned(mut sample: GpuSample, namespace: &str, pod: &str) -> GpuSample {
    let owner = GpuOwner {
        namespace: Some(namespace.into()),
        pod: Some(pod.into()),
        ..GpuOwner::default()
    };
    sample.owner = Arc::new(owner);
    sample.names_owners = true;
    sample
}

pub fn sweep(source: SourceId, at: i64, samples: Vec<GpuSample>) -> Arc<Sweep> {
    Arc::new(Sweep {
        source,
        origin: source.word().into(),
        taken_at: t(at),
        samples,
        asked: 1,
        answered: 1,
        troubles: vec![],
        partial: false,
    })
}

/// A watch with its fleet, that looks each 30 s.
pub struct WatchFixture {
    pub watch: Watch,
    pub fleet: Fleet,
    pub rules: GpuRules,
    pub hours: HourTable,
    pub starts: IdleStarts,
    pub intervals: Intervals,
}

impl WatchFixture {
    pub fn new() -> Self {
        Self::of(vec![instance(1), instance(2)])
    }

    pub fn of(rows: Vec<Row>) -> Self {
        Self {
            watch: Watch::default(),
            fleet: fleet(rows),
            rules: GpuRules::default(),
            hours: HourTable::default(),
            starts: IdleStarts::new(),
            intervals: Intervals::from([(
                (SourceId::Exporter, SourceId::Exporter.word().into()),
                Duration::from_secs(30),
            )]),
        }
    }

    pub fn see(&mut self, now: i64, sweeps: &[Arc<Sweep>]) -> GpuFleet {
        self.watch.picture(WatchInput {
            version: 1,
            now: t(now),
            sweeps,
            intervals: &self.intervals,
            fleet: &self.fleet,
            rules: &self.rules,
            hours: &self.hours,
            starts: Some(&self.starts),
        })
    }

    /// Looks each 30 s over `seconds` at what `sample` says, and returns the last picture.
    pub fn watch(&mut self, from: i64, to: i64, sample: impl Fn(i64) -> GpuSample) -> GpuFleet {
        let mut last = GpuFleet::default();
        for at in (from..=to).step_by(30) {
            last = self.see(at, &[sweep(SourceId::Exporter, at, vec![sample(at)])]);
        }
        last
    }

    /// The row after five minutes of the same sample.
    pub fn after_five_minutes(&mut self, sample: &GpuSample) -> Arc<GpuRow> {
        let at = |now| GpuSample { taken_at: t(now), ..sample.clone() };
        let picture = self.watch(0, 300, at);
        picture.rows[0].clone()
    }
}
