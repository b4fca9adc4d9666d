//! Judging a fleet of 10,000 instances from a week of hourly series, beside the classic script's
//! formula (mean of the hourly CPU averages) over the same instances in the same run.
//!
//! `cargo bench --bench judge`

#![allow(missing_docs, reason = "a bench has no readers of its items")]

use std::sync::Arc;

use burntop::parts::analyze::idle::{Policy, Preset, Subject, judge, next_signals};
use burntop::parts::domain::{
    Accelerator, AcceleratorKind, HourRange, HourlySeries, Instance, InstanceState, Lifecycle,
    Platform, Provenance, Scope, SeriesSet, Signal, Tags, Tenancy, TypeSpec,
};
use divan::{Bencher, black_box};
use jiff::{SignedDuration, Timestamp};

const INSTANCES: usize = 10_000;
const HOURS: u32 = 168;

fn main() {
    divan::main();
}

/// A fleet and the present it is judged at.
struct World {
    now: Timestamp,
    spec: TypeSpec,
    fleet: Vec<(Instance, SeriesSet)>,
}

impl World {
    /// Instances with `gpus` GPUs and the given signals; 3 of 10 are quiet, the others worked in
    /// some hours of the week.
    fn new(gpus: u32, signals: &[Signal]) -> Self {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(490_000);
        let mut random = fastrand::Rng::with_seed(7);
        let range = HourRange::last_closed(now, HOURS);
        let accelerator = (gpus > 0).then(|| Accelerator {
            kind: AcceleratorKind::NvidiaGpu,
            model: "A10G".into(),
            devices: gpus,
            equivalents: f64::from(gpus),
            memory_mib: 24_576,
        });
        let spec = TypeSpec {
            name: "g5.12xlarge".into(),
            vcpus: 48,
            memory_mib: 196_608,
            accelerator,
            instance_store_gb: 3800,
            network: "40 Gigabit".into(),
            provenance: Provenance::Demo,
        };
        let fleet = (0..INSTANCES)
            .map(|i| {
                let quiet = i % 10 < 3;
                let series = signals.iter().map(|signal| {
                    let values = (0..HOURS).map(|_| value(*signal, quiet, &mut random)).collect();
                    (*signal, HourlySeries { start: range.from, values })
                });
                (instance(i, now, &spec.name), series.collect())
            })
            .collect();
        Self { now, spec, fleet }
    }

    fn subjects(&self) -> impl Iterator<Item = Subject<'_>> {
        self.fleet.iter().map(|(instance, series)| Subject {
            instance,
            spec: Some(&self.spec),
            series,
            now: self.now,
            before: None,
        })
    }
}

fn value(signal: Signal, quiet: bool, random: &mut fastrand::Rng) -> f32 {
    let noise = random.f32();
    let works = !quiet && random.u8(..) < 128;
    match signal {
        Signal::GpuMean(_) | Signal::GpuMax(_) | Signal::CpuMean | Signal::CpuMax if works => {
            40.0 + 50.0 * noise
        }
        Signal::GpuMean(_) | Signal::GpuMax(_) => 0.0,
        Signal::CpuMean => 0.3 * noise,
        Signal::CpuMax => 3.0 * noise,
        Signal::NetworkIn | Signal::NetworkOut if works => 5e8 * noise,
        Signal::NetworkIn | Signal::NetworkOut => 5e4 * noise,
        Signal::EbsReadOps | Signal::EbsWriteOps if works => 9000.0 * noise,
        Signal::EbsReadOps | Signal::EbsWriteOps => 90.0 * noise,
        Signal::Resource(_) => 0.0,
    }
}

fn instance(i: usize, now: Timestamp, instance_type: &Arc<str>) -> Instance {
    Instance {
        id: format!("i-{i:017x}").into(),
        scope: Scope::new("123456789012", "us-east-1"),
        az: "us-east-1a".into(),
        name: "node".into(),
        instance_type: instance_type.clone(),
        state: InstanceState::Running,
        lifecycle: Lifecycle::OnDemand,
        tenancy: Tenancy::Shared,
        platform: Platform::Linux,
        launched_at: now - SignedDuration::from_hours(24 * 40),
        block_devices: Vec::new(),
        ebs_root: false,
        owners: Vec::new(),
        tags: Tags::from_raw([("team", "nlp"), ("environment", "prod"), ("Name", "node")]),
        private_dns: Arc::from(""),
        private_ip: None,
        capacity_reservation: None,
        detailed_monitoring: false,
    }
}

fn judge_all(bencher: Bencher<'_, '_>, world: &World, policy: &Policy) {
    bencher.counter(divan::counter::ItemsCount::new(INSTANCES)).bench(|| {
        for subject in world.subjects() {
            black_box(judge(&subject, policy));
        }
    });
}

/// The figure to reach: 3 signals × 168 h, one GPU each, at most 20 ms on one core.
#[divan::bench]
fn three_signals(bencher: Bencher<'_, '_>) {
    let signals = [Signal::CpuMean, Signal::GpuMean(0), Signal::GpuMax(0)];
    judge_all(bencher, &World::new(1, &signals), &Preset::Cautious.policy());
}

/// GPU boxes with everything the default preset can use: 5 signals.
#[divan::bench]
fn gpu_boxes_complete(bencher: Bencher<'_, '_>) {
    let policy = Preset::Cautious.policy();
    let signals = burntop::parts::analyze::idle::signals_for(&policy, 1);
    judge_all(bencher, &World::new(1, &signals), &policy);
}

/// CPU-only boxes with everything the default preset can use: 6 signals.
#[divan::bench]
fn cpu_boxes_complete(bencher: Bencher<'_, '_>) {
    let policy = Preset::Cautious.policy();
    let signals = burntop::parts::analyze::idle::signals_for(&policy, 0);
    judge_all(bencher, &World::new(0, &signals), &policy);
}

/// What the planner asks of each instance in a refresh.
#[divan::bench]
fn next_signals_of_all(bencher: Bencher<'_, '_>) {
    let policy = Preset::Cautious.policy();
    let signals = [Signal::CpuMean, Signal::GpuMean(0), Signal::GpuMax(0)];
    let world = World::new(1, &signals);
    bencher.bench(|| {
        for subject in world.subjects() {
            black_box(next_signals(&subject, &policy));
        }
    });
}

/// The baseline: the classic script's formula, mean of the hourly CPU averages below 5%. No
/// coverage, no peaks, no GPUs, no evidence.
#[divan::bench]
fn baseline_mean_of_week(bencher: Bencher<'_, '_>) {
    let signals = [Signal::CpuMean, Signal::GpuMean(0), Signal::GpuMax(0)];
    let world = World::new(1, &signals);
    bencher.counter(divan::counter::ItemsCount::new(INSTANCES)).bench(|| {
        world
            .subjects()
            .filter(|s| {
                let Some(cpu) = s.series.get(Signal::CpuMean) else { return false };
                let seen = || cpu.values.iter().filter(|v| v.is_finite());
                let mean = seen().sum::<f32>() / seen().count() as f32;
                black_box(mean) < 5.0
            })
            .count()
    });
}
