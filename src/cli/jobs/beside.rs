//! What the cache holds beside jobs: instances, Spot prices, what GPUs did, training runs in storage.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use jiff::Timestamp;

use crate::analyze::jobs::{GpuHourOf, KnownInstance, KnownRun, UsedHours};
use crate::bus::{KeptFleet, kept_fleet};
use crate::cache::{Cache, GpuHours};
use crate::cli::exit::CliError;
use crate::cli::invocation::Invocation;
use crate::cli::session::with_cache;
use crate::domain::gpu::without_port;
use crate::domain::jobs::Packed;
use crate::domain::storage::Scan;
use crate::domain::{Hour, HourRange, SpotHistory};
use crate::source::demo;

/// Hours of GPUs on their way from the cache.
const ON_THE_WAY: usize = 8;

/// What the cache holds beside jobs.
#[derive(Default)]
pub(super) struct Beside {
    /// Instances of the fleet.
    pub instances: Vec<KnownInstance>,
    /// Spot prices over time.
    pub spot: Vec<SpotHistory>,
    /// What GPUs of nodes of jobs did.
    pub used: UsedHours,
    scans: Vec<Scan>,
}

impl Beside {
    /// What there is. Nothing without a cache file; what is planted of the demo.
    pub fn read(invocation: &Invocation, attempts: &Packed) -> Result<Self, CliError> {
        if let Some(planted) = Self::of_demo(invocation) {
            return Ok(planted);
        }
        let is_there = invocation.cache_file().is_ok_and(|file| file.exists());
        if !is_there {
            return Ok(Self::default());
        }
        let now = invocation.options.now();
        with_cache(invocation, async |cache| Ok(Self::of(invocation, cache, attempts, now).await))
    }

    /// What the demo has: its jobs run on boxes of their own, of some of which it has telemetry. `None` without the demo.
    fn of_demo(invocation: &Invocation) -> Option<Self> {
        let demo = invocation.reach.demo_fleet(&invocation.config, &invocation.options)?;
        let hours = demo::jobs::node_hours(&demo).into_iter().flat_map(|of| {
            (0..).zip(of.means).map(move |(gpu, mean): (u16, f32)| GpuHourOf {
                hosts: vec![of.node.clone()],
                hour: of.hour.0.into(),
                gpu: gpu.to_string().into(),
                mean,
            })
        });
        Some(Self { used: UsedHours::of(hours), ..Self::default() })
    }

    /// What the cache has; what is planted of the demo. Nothing without a file.
    pub async fn of(
        invocation: &Invocation,
        cache: &Cache,
        attempts: &Packed,
        now: Timestamp,
    ) -> Self {
        if let Some(planted) = Self::of_demo(invocation) {
            return planted;
        }
        if invocation.options.no_cache {
            return Self::default();
        }
        let prices = Self::prices(cache, now).await;
        let mut scans = Vec::new();
        let held = cache.scans_held().await;
        let buckets: BTreeSet<Arc<str>> = held.into_iter().map(|held| held.bucket).collect();
        for bucket in buckets {
            scans.extend(cache.newest_scan(&bucket).await);
        }
        let used = used(cache, attempts).await;
        Self { used, scans, ..prices }
    }

    /// What of it tells what GPUs of the nodes of these attempts did.
    pub async fn telemetry(cache: &Cache, attempts: &Packed) -> Self {
        Self { used: used(cache, attempts).await, ..Self::default() }
    }

    /// What of it tells what nodes cost: instances and Spot prices.
    pub async fn prices(cache: &Cache, now: Timestamp) -> Self {
        let KeptFleet { instances, spot } = kept_fleet(cache, now).await;
        let known = |(at, of): &(_, _)| KnownInstance::of(of, None, *at);
        let instances = instances.iter().filter_map(known).collect();
        Self { instances, spot, ..Self::default() }
    }

    /// Training runs that scans found, with their buckets.
    pub fn runs(&self) -> Vec<KnownRun<'_>> {
        let runs =
            self.scans.iter().filter_map(|scan| Some((&*scan.bucket, scan.runs.as_deref()?)));
        runs.flat_map(|(bucket, runs)| runs.iter().map(move |run| KnownRun { bucket, run }))
            .collect()
    }
}

/// What GPUs of the nodes of these attempts did while they ran.
async fn used(cache: &Cache, attempts: &Packed) -> UsedHours {
    let starts = attempts.views().filter_map(|of| of.started_at);
    let ends = attempts.views().filter_map(|of| of.ended_at.or(of.seen_until));
    let (Some(from), Some(to)) = (starts.min(), ends.max()) else { return UsedHours::default() };
    let range = HourRange { from: Hour::containing(from), to: Hour::containing(to).plus(1) };
    let nodes: HashSet<Arc<str>> =
        attempts.node_lists().iter().flat_map(|list| list.iter().cloned()).collect();
    let (to, stored) = sync_channel::<GpuHours>(ON_THE_WAY);
    let gathered = std::thread::spawn(move || {
        UsedHours::of(stored.into_iter().flat_map(|hours| of_hour(&hours, &nodes)))
    });
    cache.read_gpu_hours(range, to).await;
    gathered.join().unwrap_or_default()
}

/// What the GPUs of these nodes did in an hour.
fn of_hour(hours: &GpuHours, nodes: &HashSet<Arc<str>>) -> Vec<GpuHourOf> {
    let of_gpu = |gpu: &crate::domain::GpuHour| {
        let host = &gpu.identity.host;
        let address = host.address.as_deref().map(without_port);
        let short = host.node.as_deref().and_then(|name| name.split('.').next());
        let names = [host.node.as_deref(), short, address, host.instance_id.as_deref()];
        let mut hosts: Vec<Arc<str>> =
            names.into_iter().flatten().filter_map(|name| nodes.get(name).cloned()).collect();
        hosts.dedup();
        (!hosts.is_empty()).then(|| GpuHourOf {
            hosts,
            hour: hours.hour.0.into(),
            gpu: gpu.identity.own_key().device,
            mean: gpu.mean,
        })
    };
    hours.gpus.iter().filter_map(of_gpu).collect()
}
