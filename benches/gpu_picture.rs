//! The picture of 16,000 GPUs (2,000 nodes × 8, six signals each) from one sweep: by a watch that
//! remembers, beside one that begins anew each time.
//!
//! `cargo bench --bench gpu_picture`

#![allow(missing_docs, reason = "a bench has no readers of its items")]

use std::sync::Arc;

use burntop::parts::analyze::gpu::{GpuRules, Intervals, Watch, WatchInput};
use burntop::parts::domain::{
    Accelerator, AcceleratorKind, GpuIdentity, GpuOwner, GpuSample, GpuSignal, GpuSignals,
    HostNames, HourTable, Instance, InstanceState, Lifecycle, Platform, PriceBasis, Provenance,
    Rate, Scope, SourceId, Sweep, Tags, Tenancy, TypeSpec,
};
use burntop::parts::fleet::{Fleet, GpuFleet, Row};
use divan::{Bencher, black_box};
use jiff::{SignedDuration, Timestamp};

const NODES: u32 = 2_000;
const GPUS: u16 = 8;
/// Seconds between two sweeps.
const EVERY: i64 = 30;

fn main() {
    divan::main();
}

fn moment(seconds: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(490_000) + SignedDuration::from_secs(seconds)
}

fn row(n: u32, spec: &Arc<TypeSpec>) -> Arc<Row> {
    let instance = Instance {
        id: format!("i-{n:017x}").into(),
        scope: Scope::new("123456789012", "us-east-1"),
        az: "us-east-1a".into(),
        name: format!("node-{n}").into(),
        instance_type: spec.name.clone(),
        state: InstanceState::Running,
        lifecycle: Lifecycle::OnDemand,
        tenancy: Tenancy::Shared,
        platform: Platform::Linux,
        launched_at: Timestamp::UNIX_EPOCH,
        block_devices: vec![],
        ebs_root: true,
        owners: vec![],
        tags: Tags::default(),
        private_dns: format!("ip-10-0-{}-{}.ec2.internal", n / 256, n % 256).into(),
        private_ip: Some(format!("10.0.{}.{}", n / 256, n % 256).into()),
        capacity_reservation: None,
        detailed_monitoring: false,
    };
    let rate =
        Rate { usd_per_hour: 55.04, basis: PriceBasis::OnDemandList, provenance: Provenance::Demo };
    Arc::new(Row { spec: Some(spec.clone()), rate: Some(rate), ..Row::new(instance) })
}

/// A fleet, and what its sources know by heart.
struct World {
    fleet: Fleet,
    identities: Vec<Arc<GpuIdentity>>,
    owners: Vec<Arc<GpuOwner>>,
    rules: GpuRules,
    intervals: Intervals,
    hours: HourTable,
}

impl World {
    fn new() -> Self {
        let accelerator = Accelerator {
            kind: AcceleratorKind::NvidiaGpu,
            model: "H100".into(),
            devices: u32::from(GPUS),
            equivalents: f64::from(GPUS),
            memory_mib: 81_920,
        };
        let spec = Arc::new(TypeSpec {
            name: "p5.48xlarge".into(),
            vcpus: 192,
            memory_mib: 2_097_152,
            accelerator: Some(accelerator),
            instance_store_gb: 30_400,
            network: "3200 Gigabit".into(),
            provenance: Provenance::Demo,
        });
        let rows: Vec<Arc<Row>> = (0..NODES).map(|n| row(n, &spec)).collect();
        let mut identities = Vec::new();
        for n in 0..NODES {
            let node: Arc<str> = format!("ip-10-0-{}-{}.ec2.internal", n / 256, n % 256).into();
            for index in 0..GPUS {
                identities.push(Arc::new(GpuIdentity {
                    uuid: Some(format!("GPU-{n:08x}-0000-4000-8000-{index:012x}").into()),
                    index: Some(index),
                    model: "NVIDIA H100 80GB HBM3".into(),
                    host: HostNames { node: Some(node.clone()), ..HostNames::default() },
                    ..GpuIdentity::default()
                }));
            }
        }
        let owner = |i: u32| GpuOwner {
            namespace: Some(format!("team-{}", i % 20).into()),
            pod: Some(format!("train-{i}-0").into()),
            ..GpuOwner::default()
        };
        Self {
            fleet: Fleet { version: 1, as_of: Some(moment(0)), rows, ..Fleet::default() },
            identities,
            owners: (0..NODES).map(|i| Arc::new(owner(i))).collect(),
            rules: GpuRules::default(),
            intervals: Intervals::new(),
            hours: HourTable::default(),
        }
    }

    /// One sweep: a third of the GPUs idle, the others' values move.
    fn sweep(&self, turn: i64, random: &mut fastrand::Rng) -> Arc<Sweep> {
        let samples = (self.identities.iter().enumerate())
            .map(|(i, identity)| {
                let idle = i % 3 == 0;
                let activity = if idle { 0.0 } else { 0.3 + 0.6 * random.f64() };
                let mut signals = GpuSignals::default();
                signals.set(GpuSignal::GrEngine, activity);
                signals.set(GpuSignal::Tensor, activity * 0.6);
                signals.set(GpuSignal::Dram, activity * 0.4);
                signals.set(GpuSignal::Power, 70.0 + 600.0 * activity);
                signals.set(GpuSignal::MemUsed, if idle { 0.0 } else { 60_000.0 });
                signals.set(GpuSignal::Temp, 40.0 + 30.0 * activity);
                GpuSample {
                    identity: identity.clone(),
                    taken_at: moment(turn * EVERY),
                    signals,
                    throttle: None,
                    owner: if idle {
                        Arc::default()
                    } else {
                        self.owners[i / usize::from(GPUS)].clone()
                    },
                    names_owners: true,
                    processes: None,
                    recent: None,
                }
            })
            .collect();
        Arc::new(Sweep {
            source: SourceId::Prometheus,
            origin: "prom".into(),
            taken_at: moment(turn * EVERY),
            samples,
            asked: 6,
            answered: 6,
            troubles: vec![],
            partial: false,
        })
    }

    fn picture(&self, watch: &mut Watch, turn: i64, sweep: &Arc<Sweep>) -> GpuFleet {
        watch.picture(WatchInput {
            version: turn as u64,
            now: moment(turn * EVERY),
            sweeps: std::slice::from_ref(sweep),
            intervals: &self.intervals,
            fleet: &self.fleet,
            rules: &self.rules,
            hours: &self.hours,
            starts: None,
        })
    }
}

/// The next picture of a watch that has seen ten.
#[divan::bench(sample_count = 30, sample_size = 1)]
fn remembering(bencher: Bencher<'_, '_>) {
    let world = World::new();
    let mut random = fastrand::Rng::with_seed(7);
    let mut watch = Watch::default();
    let mut turn = 0;
    for _ in 0..10 {
        turn += 1;
        world.picture(&mut watch, turn, &world.sweep(turn, &mut random));
    }
    let sweeps: Vec<Arc<Sweep>> = (1..=40).map(|i| world.sweep(turn + i, &mut random)).collect();
    let mut next = 0;
    bencher.bench_local(|| {
        next += 1;
        let at = (next - 1) % sweeps.len();
        black_box(world.picture(&mut watch, turn + 1 + at as i64, &sweeps[at]))
    });
}

/// The same by a watch that has seen nothing.
#[divan::bench(sample_count = 30, sample_size = 1)]
fn anew(bencher: Bencher<'_, '_>) {
    let world = World::new();
    let mut random = fastrand::Rng::with_seed(7);
    let sweep = world.sweep(1, &mut random);
    bencher.bench_local(|| black_box(world.picture(&mut Watch::default(), 1, &sweep)));
}
