//! Trying the four presets on 90 days of 10,000 instances, beside judging every moment anew.
//!
//! `cargo bench --bench backtest`

#![allow(missing_docs, reason = "a bench has no readers of its items")]

use std::sync::Arc;

use burntop::parts::analyze::idle::backtest::{Past, Replay};
use burntop::parts::analyze::idle::{Policy, Preset, Subject, judge};
use burntop::parts::bus::planning::Threads;
use burntop::parts::domain::{
    HourRange, HourlySeries, Instance, InstanceState, Lifecycle, Platform, Provenance, Scope,
    SeriesSet, Signal, Tags, Tenancy, TypeSpec,
};
use burntop::parts::whatif::{OneByOne, Workers};
use divan::{Bencher, black_box};
use jiff::{SignedDuration, Timestamp};

const INSTANCES: usize = 10_000;
/// Instances with series of their own: those of all would fill the memory of a small machine.
const DISTINCT: usize = 500;
const DAYS: u32 = 90;

fn main() {
    divan::main();
}

struct World {
    replay: Replay,
    now: Timestamp,
    spec: TypeSpec,
    instance: Instance,
    series: Vec<SeriesSet>,
}

impl World {
    /// Boxes without GPUs, with every signal; 3 of 10 are quiet but for some days.
    fn new() -> Self {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(490_000);
        let policies: Vec<Policy> = Preset::ALL.iter().map(|preset| preset.policy()).collect();
        let replay = Replay::new(policies, now, DAYS);
        let mut random = fastrand::Rng::with_seed(7);
        let range = replay.range();
        let series = (0..DISTINCT).map(|i| set(i % 10 < 3, range, &mut random)).collect();
        let spec = TypeSpec {
            name: "m6i.2xlarge".into(),
            vcpus: 8,
            memory_mib: 32_768,
            accelerator: None,
            instance_store_gb: 0,
            network: "Up to 12.5 Gigabit".into(),
            provenance: Provenance::Demo,
        };
        let instance = Instance {
            id: "i-1".into(),
            scope: Scope::new("123456789012", "us-east-1"),
            az: "us-east-1a".into(),
            name: "node".into(),
            instance_type: spec.name.clone(),
            state: InstanceState::Running,
            lifecycle: Lifecycle::OnDemand,
            tenancy: Tenancy::Shared,
            platform: Platform::Linux,
            launched_at: now - SignedDuration::from_hours(24 * 200),
            block_devices: Vec::new(),
            ebs_root: true,
            owners: Vec::new(),
            tags: Tags::from_raw([("team", "nlp")]),
            private_dns: Arc::from(""),
            private_ip: None,
            capacity_reservation: None,
            detailed_monitoring: false,
        };
        Self { replay, now, spec, instance, series }
    }

    fn pasts(&self) -> Vec<Past<'_>> {
        let all = self.series.iter().cycle().take(INSTANCES);
        all.map(|series| Past { instance: &self.instance, spec: Some(&self.spec), series })
            .collect()
    }
}

fn set(quiet: bool, range: HourRange, random: &mut fastrand::Rng) -> SeriesSet {
    let works: Vec<bool> = (0..range.len() / 24).map(|_| !quiet || random.u8(..) < 8).collect();
    let signals = [
        (Signal::CpuMean, 0.3, 40.0),
        (Signal::CpuMax, 3.0, 80.0),
        (Signal::NetworkIn, 5e4, 5e8),
        (Signal::NetworkOut, 5e4, 5e8),
        (Signal::EbsReadOps, 90.0, 9000.0),
        (Signal::EbsWriteOps, 90.0, 9000.0),
    ];
    let series = signals.into_iter().map(|(signal, calm, busy)| {
        let mut value = |hour: usize| {
            let level: f32 = if works[hour / 24] && random.bool() { busy } else { calm };
            level * random.f32()
        };
        let values = (0..range.len()).map(&mut value).collect();
        (signal, HourlySeries { start: range.from, values })
    });
    series.collect()
}

fn replay_all(bencher: Bencher<'_, '_>, workers: &dyn Workers) {
    let world = World::new();
    let pasts = world.pasts();
    bencher
        .counter(divan::counter::ItemsCount::new(INSTANCES))
        .bench_local(|| black_box(world.replay.all(&pasts, workers)));
}

/// The figure to reach: 10,000 instances × 90 days × 4 presets, at most 300 ms.
#[divan::bench(sample_count = 10)]
fn two_threads(bencher: Bencher<'_, '_>) {
    replay_all(bencher, &Threads(2));
}

#[divan::bench(sample_count = 10)]
fn one_thread(bencher: Bencher<'_, '_>) {
    replay_all(bencher, &OneByOne);
}

/// The baseline: each preset judges each of the 90 moments anew, of 100 instances.
#[divan::bench(sample_count = 5)]
fn baseline_judging_every_moment_of_100(bencher: Bencher<'_, '_>) {
    let world = World::new();
    let pasts = world.pasts();
    bencher.counter(divan::counter::ItemsCount::new(100_usize)).bench_local(|| {
        for past in &pasts[..100] {
            for policy in world.replay.policies() {
                for days in 1..=DAYS {
                    let now = world.now - SignedDuration::from_hours(i64::from(days) * 24);
                    let (instance, spec, series) = (past.instance, past.spec, past.series);
                    let subject = Subject { instance, spec, series, now, before: None };
                    black_box(judge(&subject, policy));
                }
            }
        }
    });
}
